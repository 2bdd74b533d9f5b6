//! The server at 64 connections beside the bare server.

use super::share_row;
use crate::bench::Bench;
use crate::data;
use crate::histogram::Histogram;
use crate::load::{Load, Numbers, Outcome, Requests, Template};
use crate::process::{ACCESS_KEY_ID, SECRET_ACCESS_KEY, Server, credentials_file};
use crate::rounds::Rounds;
use hashrange_auth::Signer;
use std::cell::RefCell;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

/// Connections of the load generator.
pub const CONNECTIONS: usize = 64;
/// Keys of written items begin here, far above those that are read.
const WRITTEN_FROM: u64 = 1_000_000_000;

/// One row of this kind.
struct Case {
    name: &'static str,
    least_share: f64,
    p99_max: Duration,
    is_signed: bool,
    requests: fn(items: u64) -> Requests,
}

const READ_P99_MAX: Duration = Duration::from_millis(3);
const WRITE_P99_MAX: Duration = Duration::from_millis(8);

const CASES: [Case; 6] = [
    Case {
        name: "http/get-item",
        least_share: 0.70,
        p99_max: READ_P99_MAX,
        is_signed: false,
        requests: get_item,
    },
    Case {
        name: "http/query",
        least_share: 0.50,
        p99_max: READ_P99_MAX,
        is_signed: false,
        requests: query,
    },
    Case {
        name: "http/put-item",
        least_share: 0.25,
        p99_max: WRITE_P99_MAX,
        is_signed: false,
        requests: put_item,
    },
    Case {
        name: "http/update-item",
        least_share: 0.25,
        p99_max: WRITE_P99_MAX,
        is_signed: false,
        requests: update_item,
    },
    Case {
        name: "http/update-item-hot",
        least_share: 0.25,
        p99_max: WRITE_P99_MAX,
        is_signed: false,
        requests: update_hot_item,
    },
    Case {
        name: "http/get-item-signed",
        least_share: 0.55,
        p99_max: READ_P99_MAX,
        is_signed: true,
        requests: get_item,
    },
];

/// Measures the rows of this kind.
pub fn run(bench: &mut Bench) -> Result<(), String> {
    let wanted: Vec<&Case> = CASES.iter().filter(|case| bench.settings.wants(case.name)).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let program = bench.program()?;
    let folder = bench.path("http");
    data::fill_folder(&folder, bench.settings.items)?;
    let credentials = bench.path("credentials");
    std::fs::write(&credentials, credentials_file()).map_err(|error| error.to_string())?;
    for is_signed in [false, true] {
        let cases: Vec<_> = wanted.iter().filter(|case| case.is_signed == is_signed).collect();
        if cases.is_empty() {
            continue;
        }
        // What answers look like is asked without a signature.
        let server = Server::product(&program, &folder, None)?;
        let answers = cases.iter().map(|case| sample_answer(bench, case, &server));
        let answers = answers.collect::<Result<Vec<_>, String>>()?;
        let server = match is_signed {
            false => server,
            true => {
                server.stop()?;
                Server::product(&program, &folder, Some(&credentials))?
            }
        };
        for (case, answer) in cases.iter().zip(answers) {
            measure(bench, case, &server, &answer)?;
        }
        server.stop()?;
    }
    Ok(())
}

/// Writes an answer of the product to a file and returns its path.
fn sample_answer(
    bench: &Bench,
    case: &Case,
    server: &Server,
) -> Result<std::path::PathBuf, String> {
    let requests = (case.requests)(bench.settings.items);
    let answer = server.call(requests.operation, &requests.templates[0].fill(0))?;
    let path = bench.path("answer");
    std::fs::write(&path, answer).map_err(|error| error.to_string())?;
    let path_of_case = bench.path(&case.name.replace('/', "-"));
    std::fs::rename(path, &path_of_case).map_err(|error| error.to_string())?;
    Ok(path_of_case)
}

fn measure(bench: &mut Bench, case: &Case, server: &Server, answer: &Path) -> Result<(), String> {
    let bare = Server::bare(answer)?;
    let mut requests = (case.requests)(bench.settings.items);
    requests.signer =
        case.is_signed.then(|| Signer::new(ACCESS_KEY_ID, SECRET_ACCESS_KEY, None, "us-east-1"));
    let latencies = RefCell::new(Histogram::new());
    let syncs = RefCell::new(Vec::new());
    let load = |server: &Server| run_load(bench, server, &requests);
    let rounds = Rounds::measure(
        bench.settings.rounds,
        || {
            let before = GroupCommits::read(server);
            let outcome = load(server)?;
            latencies.borrow_mut().merge(&outcome.latencies);
            syncs.borrow_mut().extend(before.and_then(|before| before.note(server)));
            Ok(outcome.rate)
        },
        || Ok(load(&bare)?.rate),
    )?;
    let mut row = share_row(case.name, "bare server", &rounds, Some(case.least_share));
    row.notes.push(latency_note(&latencies.into_inner(), case.p99_max));
    row.notes.extend(syncs.into_inner().pop());
    bench.add(row);
    Ok(())
}

fn run_load(bench: &Bench, server: &Server, requests: &Requests) -> Result<Outcome, String> {
    let load = Load {
        address: server.address(),
        requests,
        connections: CONNECTIONS,
        threads: bench.settings.threads,
        warm_up: bench.settings.round / 10,
        duration: bench.settings.round,
    };
    load.run()
}

/// Returns latencies as a note, with the bound of the 99th percentile.
pub fn latency_note(latencies: &Histogram, p99_max: Duration) -> String {
    let millis = |share| latencies.quantile(share).as_secs_f64() * 1e3;
    format!(
        "p50 {:.2} ms, p99 {:.2} ms (wanted < {:.0} ms), p99.9 {:.2} ms",
        millis(0.5),
        millis(0.99),
        p99_max.as_secs_f64() * 1e3,
        millis(0.999)
    )
}

/// Counters of group commit at one moment.
pub struct GroupCommits {
    at: Instant,
    commits: f64,
    syncs: f64,
}

impl GroupCommits {
    /// Reads a server's counters, if it has them.
    pub fn read(server: &Server) -> Option<Self> {
        let commits = server.metric("hashrange_store_commits_total")?;
        let syncs = server.metric("hashrange_store_syncs_total")?;
        Some(Self { at: Instant::now(), commits, syncs })
    }

    /// Returns what happened since as a note; nothing if nothing was written.
    pub fn note(&self, server: &Server) -> Option<String> {
        let now = Self::read(server)?;
        let (commits, syncs) = (now.commits - self.commits, now.syncs - self.syncs);
        let seconds = (now.at - self.at).as_secs_f64();
        (syncs > 0.0).then(|| group_commit_note(commits, syncs, seconds))
    }
}

/// Returns what group commit gained as a note.
pub fn group_commit_note(commits: f64, syncs: f64, seconds: f64) -> String {
    format!("{:.0} syncs/s, {:.1} commits per sync", syncs / seconds, commits / syncs)
}

/// Returns requests for items of the table at random.
pub fn get_item(items: u64) -> Requests {
    let table = data::TABLE;
    let body = format!(
        r##"{{"TableName":"{table}","Key":{{"pk":{{"S":"part-########"}},"sk":{{"S":"sort-####"}}}}}}"##
    );
    requests("GetItem", &[body], Numbers::Random(items))
}

/// Returns requests for the items of a partition key at random.
pub fn query(items: u64) -> Requests {
    let table = data::TABLE;
    let body = format!(
        r##"{{"TableName":"{table}","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{{":p":{{"S":"part-########"}}}}}}"##
    );
    requests("Query", &[body], Numbers::Random(items))
}

/// Returns requests that write items that were not there before.
pub fn put_item(_: u64) -> Requests {
    let numbers = Numbers::Sequence(AtomicU64::new(WRITTEN_FROM));
    requests("PutItem", &data::put_item_bodies(), numbers)
}

/// Returns requests that add to a counter of one item after the other.
pub fn update_item(items: u64) -> Requests {
    requests("UpdateItem", &[update_body()], Numbers::Cycle(items, AtomicU64::new(0)))
}

fn update_hot_item(_: u64) -> Requests {
    requests("UpdateItem", &[update_body()], Numbers::Random(1))
}

fn update_body() -> String {
    let table = data::TABLE;
    format!(
        r##"{{"TableName":"{table}","Key":{{"pk":{{"S":"part-########"}},"sk":{{"S":"sort-####"}}}},"UpdateExpression":"ADD hits :one","ExpressionAttributeValues":{{":one":{{"N":"1"}}}}}}"##
    )
}

fn requests(operation: &'static str, bodies: &[String], numbers: Numbers) -> Requests {
    let templates = bodies.iter().map(|body| Template::new(body)).collect();
    Requests { operation, templates, numbers, signer: None }
}
