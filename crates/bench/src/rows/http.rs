//! The server at 64 connections beside the bare server.

use super::share_row;
use crate::bench::Bench;
use crate::data;
use crate::histogram::Histogram;
use crate::load::{Load, Numbers, Outcome, Requests, Template};
use crate::process::{ACCESS_KEY_ID, SECRET_ACCESS_KEY, Server, credentials_file};
use crate::processor_time;
use crate::rounds::Rounds;
use hashrange_auth::Signer;
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

const CASES: [Case; 7] = [
    Case {
        name: "http/get-item",
        least_share: 0.70,
        p99_max: READ_P99_MAX,
        is_signed: false,
        requests: get_item,
    },
    Case {
        // 70 % of the share of http/get-item.
        name: "http/execute-statement",
        least_share: 0.49,
        p99_max: READ_P99_MAX,
        is_signed: false,
        requests: execute_statement,
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
    let cache_bytes = Some(bench.settings.cache_bytes);
    let credentials = bench.path("credentials");
    std::fs::write(&credentials, credentials_file()).map_err(|error| error.to_string())?;
    for is_signed in [false, true] {
        let cases: Vec<_> = wanted.iter().filter(|case| case.is_signed == is_signed).collect();
        if cases.is_empty() {
            continue;
        }
        // The bare server's answers come from requests without a signature.
        let server = Server::product(&program, &folder, cache_bytes, None)?;
        let answers = cases.iter().map(|case| sample_answer(bench, case, &server));
        let answers = answers.collect::<Result<Vec<_>, String>>()?;
        let server = if is_signed {
            server.stop()?;
            Server::product(&program, &folder, cache_bytes, Some(&credentials))?
        } else {
            server
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
    let (mut ours, mut beside) = (Side::new(server), Side::new(&bare));
    let rounds = Rounds::measure(
        bench.settings.rounds,
        || ours.round(bench, &requests),
        || beside.round(bench, &requests),
    )?;
    let mut row = share_row(case.name, "bare server", &rounds, Some(case.least_share));
    row.notes.push(latency_note(&ours.latencies, case.p99_max));
    row.notes.push(processor_note(&ours, &beside));
    row.notes.extend(ours.group_commits);
    bench.add(row);
    Ok(())
}

/// A server under load and its cost so far.
struct Side<'s> {
    server: &'s Server,
    latencies: Histogram,
    answers: u64,
    server_time: Duration,
    client_time: Duration,
    group_commits: Option<String>,
}

impl<'s> Side<'s> {
    fn new(server: &'s Server) -> Self {
        Self {
            server,
            latencies: Histogram::new(),
            answers: 0,
            server_time: Duration::ZERO,
            client_time: Duration::ZERO,
            group_commits: None,
        }
    }

    /// Loads the server for a round and returns the rate.
    fn round(&mut self, bench: &Bench, requests: &Requests) -> Result<f64, String> {
        let group_commits = GroupCommits::read(self.server);
        let server_time = self.server.processor_time()?;
        let client_time = processor_time::of(None)?;
        let outcome = run_load(bench, self.server, requests)?;
        self.server_time += self.server.processor_time()?.saturating_sub(server_time);
        self.client_time += processor_time::of(None)?.saturating_sub(client_time);
        self.latencies.merge(&outcome.latencies);
        self.answers += outcome.answers;
        self.group_commits = group_commits.and_then(|before| before.note(self.server));
        Ok(outcome.rate)
    }

    /// Returns microseconds of processor time per request: the server's, then the client's.
    fn processor_us(&self) -> [f64; 2] {
        let answers = self.answers.max(1) as f64;
        [self.server_time, self.client_time].map(|time| time.as_secs_f64() * 1e6 / answers)
    }
}

/// Returns the processor time of a request as a note. Its share is the ratio that the rates would
/// have if nothing but processor time counted; other programs hardly disturb it.
fn processor_note(ours: &Side<'_>, beside: &Side<'_>) -> String {
    let ([server, client], [bare, bare_client]) = (ours.processor_us(), beside.processor_us());
    format!(
        "processor time of a request {server:.1} us and client {client:.1} us, bare server \
         {bare:.1} us and client {bare_client:.1} us: {:.0} %",
        (bare + bare_client) / (server + client) * 100.0
    )
}

/// Loads a server for a round.
pub fn run_load(bench: &Bench, server: &Server, requests: &Requests) -> Result<Outcome, String> {
    let round = bench.settings.round;
    Load { warm_up: round / 10, ..load_of(bench, server, requests, round) }.run()
}

/// Returns the load of as many connections as every row has, without a warm-up.
pub fn load_of<'r>(
    bench: &Bench,
    server: &Server,
    requests: &'r Requests,
    duration: Duration,
) -> Load<'r> {
    Load {
        addresses: vec![server.address()],
        requests,
        connections: CONNECTIONS,
        threads: bench.settings.threads,
        warm_up: Duration::ZERO,
        duration,
    }
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

/// Returns the latencies of half of the requests, and of nearly all.
pub fn quantiles(latencies: &Histogram) -> String {
    let millis = |share| latencies.quantile(share).as_secs_f64() * 1e3;
    format!("p50 {:.2} ms, p99 {:.2} ms", millis(0.5), millis(0.99))
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

    /// Returns the commits since that moment as a note; nothing if there was none.
    pub fn note(&self, server: &Server) -> Option<String> {
        let now = Self::read(server)?;
        let (commits, syncs) = (now.commits - self.commits, now.syncs - self.syncs);
        let seconds = (now.at - self.at).as_secs_f64();
        (syncs > 0.0).then(|| group_commit_note(commits, syncs, seconds))
    }
}

/// Returns the gain of group commit as a note.
pub fn group_commit_note(commits: f64, syncs: f64, seconds: f64) -> String {
    format!("{:.0} syncs/s, {:.1} commits per sync", syncs / seconds, commits / syncs)
}

/// Returns requests for items of the table at random.
pub fn get_item(items: u64) -> Requests {
    let table = data::TABLE;
    let body = format!(
        r#"{{"TableName":"{table}","Key":{{"pk":{{"S":"part-########"}},"sk":{{"S":"sort-####"}}}}}}"#
    );
    requests("GetItem", &[body], Numbers::Random(items))
}

/// Returns SELECT statements for items at random by their whole key.
pub fn execute_statement(items: u64) -> Requests {
    let table = data::TABLE;
    let body = format!(
        r#"{{"Statement":"SELECT * FROM \"{table}\" WHERE pk = ? AND sk = ?","Parameters":[{{"S":"part-########"}},{{"S":"sort-####"}}]}}"#
    );
    requests("ExecuteStatement", &[body], Numbers::Random(items))
}

/// Returns requests for the items of a partition key at random.
pub fn query(items: u64) -> Requests {
    let table = data::TABLE;
    let body = format!(
        r#"{{"TableName":"{table}","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{{":p":{{"S":"part-########"}}}}}}"#
    );
    requests("Query", &[body], Numbers::Random(items))
}

/// Returns requests that write new items.
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
        r#"{{"TableName":"{table}","Key":{{"pk":{{"S":"part-########"}},"sk":{{"S":"sort-####"}}}},"UpdateExpression":"ADD hits :one","ExpressionAttributeValues":{{":one":{{"N":"1"}}}}}}"#
    )
}

/// Returns requests of an operation.
pub fn requests(operation: &'static str, bodies: &[String], numbers: Numbers) -> Requests {
    let templates = bodies.iter().map(|body| Template::new(body)).collect();
    Requests { operation, templates, numbers, signer: None }
}
