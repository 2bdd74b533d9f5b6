//! Servers on PostgreSQL beside bare prepared SQL through as many connections: client, servers and
//! PostgreSQL share the machine.

use super::http::{self, CONNECTIONS, GroupCommits, quantiles};
use super::share_row;
use crate::bench::Bench;
use crate::data;
use crate::histogram::Histogram;
use crate::load::{Load, Numbers, Outcome, Requests};
use crate::process::Server;
use crate::report::{Figure, Row, Target, Unit};
use crate::rounds::{Rounds, median};
use crate::sql::{Sql, Work};
use hashrange::{Database, Options};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// First number of put items, far above those that are read; each row begins so many after the one
/// before: a row puts new items whether or not others are measured.
const WRITTEN_FROM: u64 = 2_000_000_000;
const WRITTEN_BY_ROW: usize = 100_000_000;
/// Longest extra wait of a client alone over bare SQL, in milliseconds for each round trip.
const LONGER_MAX_MS: f64 = 0.2;

/// A row of a rate with many clients.
struct Case {
    name: &'static str,
    work: Work,
    least_share: f64,
}

const CASES: [Case; 4] = [
    Case { name: "postgres/get-item", work: Work::Get, least_share: 0.8 },
    Case { name: "postgres/put-item", work: Work::Put, least_share: 1.0 },
    Case { name: "postgres/update-item", work: Work::Update, least_share: 1.0 },
    Case { name: "postgres/query", work: Work::Query, least_share: 0.8 },
];

/// A row of the time of one client alone.
struct Alone {
    name: &'static str,
    work: Work,
    /// Most round trips to PostgreSQL, one after the other (docs/distributed.md).
    round_trips: f64,
}

const ALONE: [Alone; 2] = [
    Alone { name: "postgres/get-item-alone", work: Work::Get, round_trips: 1.0 },
    Alone { name: "postgres/put-item-alone", work: Work::Put, round_trips: 2.0 },
];

/// Rows of two servers beside one.
const TWO_SERVERS: [(&str, Work); 4] = [
    ("postgres/two-servers-get-item", Work::Get),
    ("postgres/two-servers-put-item", Work::Put),
    ("postgres/two-servers-update-item", Work::Update),
    ("postgres/two-servers-query", Work::Query),
];

/// Measures the rows of this kind.
pub fn run(bench: &mut Bench) -> Result<(), String> {
    let names = CASES.iter().map(|case| case.name).chain(ALONE.iter().map(|alone| alone.name));
    let mut names = names.chain(TWO_SERVERS.map(|(name, _)| name));
    if !names.any(|name| bench.settings.wants(name)) {
        return Ok(());
    }
    if hashrange_scratch::folder_of_programs(&hashrange_scratch::fetched()).is_none() {
        println!(
            "postgres/...: left out, PostgreSQL is not installed; cargo xtask postgres fetches it"
        );
        return Ok(());
    }
    let program = bench.program()?;
    let database = hashrange_scratch::Server::start();
    let (url, items) = (database.url(), bench.settings.items);
    fill(&url, items)?;
    let sql = Sql::connect(&database.base_url(), CONNECTIONS, items)?;
    let server = Server::on_store(&program, &url)?;
    let mut written_from = (WRITTEN_FROM..).step_by(WRITTEN_BY_ROW);
    for (case, from) in CASES.iter().zip(&mut written_from) {
        if bench.settings.wants(case.name) {
            many(bench, case, from, &server, &sql)?;
        }
    }
    for (alone, from) in ALONE.iter().zip(&mut written_from) {
        if bench.settings.wants(alone.name) {
            one_alone(bench, alone, from, &server, &sql)?;
        }
    }
    if TWO_SERVERS.iter().any(|(name, _)| bench.settings.wants(name)) {
        let other = Server::on_store(&program, &url)?;
        for ((name, work), from) in TWO_SERVERS.into_iter().zip(&mut written_from) {
            if bench.settings.wants(name) {
                let requests = requests(work, bench.settings.items, from);
                two_servers(bench, name, &requests, [&server, &other])?;
            }
        }
        other.stop()?;
    }
    server.stop()
}

/// Makes the table of the measurements.
fn fill(url: &str, items: u64) -> Result<(), String> {
    let database = Database::connect(url, &Options::default());
    data::fill_database(&database.map_err(|error| error.to_string())?, items)
}

/// Returns requests for existing items, or puts of items from `written_from` on.
fn requests(work: Work, items: u64, written_from: u64) -> Requests {
    match work {
        Work::Get => http::get_item(items),
        Work::Put => {
            let numbers = numbers(work, items, written_from);
            http::requests("PutItem", &data::put_item_bodies(), numbers)
        }
        Work::Update => http::update_item(items),
        Work::Query => http::query(items),
    }
}

/// Returns numbers of items like those of requests.
fn numbers(work: Work, items: u64, written_from: u64) -> Numbers {
    match work {
        Work::Get | Work::Query => Numbers::Random(items),
        Work::Put => Numbers::Sequence(AtomicU64::new(written_from)),
        Work::Update => Numbers::Cycle(items, AtomicU64::new(0)),
    }
}

/// Returns the warm-up and the time of a load, the same for servers and bare SQL.
fn times(bench: &Bench) -> (Duration, Duration) {
    (bench.settings.round / 10, bench.settings.round)
}

/// Loads servers with so many connections in all, from one client, however many servers there are.
fn load(
    bench: &Bench,
    servers: &[&Server],
    requests: &Requests,
    connections: usize,
) -> Result<Outcome, String> {
    let (warm_up, duration) = times(bench);
    let addresses = servers.iter().map(|server| server.address()).collect();
    let threads = bench.settings.threads.min(connections);
    Load { addresses, requests, connections, threads, warm_up, duration }.run()
}

fn many(
    bench: &mut Bench,
    case: &Case,
    written_from: u64,
    server: &Server,
    sql: &Sql,
) -> Result<(), String> {
    let requests = requests(case.work, bench.settings.items, written_from);
    let numbers = Arc::new(numbers(case.work, bench.settings.items, written_from));
    let (mut latencies, mut bare) = (Histogram::new(), Histogram::new());
    let before = GroupCommits::read(server);
    let rounds = Rounds::measure(
        bench.settings.rounds,
        || {
            let outcome = load(bench, &[server], &requests, CONNECTIONS)?;
            latencies.merge(&outcome.latencies);
            Ok(outcome.rate)
        },
        || {
            let outcome = sql.run(case.work, &numbers, CONNECTIONS, times(bench))?;
            bare.merge(&outcome.latencies);
            Ok(outcome.rate)
        },
    )?;
    let mut row = share_row(case.name, "bare SQL", &rounds, Some(case.least_share));
    row.notes.push(format!("{}, of bare SQL {}", quantiles(&latencies), quantiles(&bare)));
    row.notes.extend(before.and_then(|before| before.note(server)));
    bench.add(row);
    Ok(())
}

fn one_alone(
    bench: &mut Bench,
    alone: &Alone,
    written_from: u64,
    server: &Server,
    sql: &Sql,
) -> Result<(), String> {
    let requests = requests(alone.work, bench.settings.items, written_from);
    let numbers = Arc::new(numbers(alone.work, bench.settings.items, written_from));
    let middle = |outcome: Outcome| outcome.latencies.quantile(0.5).as_secs_f64();
    let mut longer = Vec::new();
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..bench.settings.rounds {
        bare.push(middle(sql.run(alone.work, &numbers, 1, times(bench))?));
        ours.push(middle(load(bench, &[server], &requests, 1)?));
        longer.extend(ours.last().zip(bare.last()).map(|(ours, bare)| (ours - bare) * 1e3));
    }
    let least = longer.iter().copied().fold(f64::INFINITY, f64::min);
    let most = longer.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    bench.add(Row {
        name: alone.name.to_owned(),
        ours: format!("{:.2} ms", median(ours) * 1e3),
        beside: format!("bare SQL {:.2} ms", median(bare) * 1e3),
        figure: Figure {
            value: median(longer),
            spread: (least, most),
            target: Target::AtMost(LONGER_MAX_MS * alone.round_trips),
            unit: Unit::Millis,
        },
        notes: vec![format!(
            "the median's difference, with all of HTTP; {} ms for each of {} round trips to PostgreSQL that it may take",
            LONGER_MAX_MS, alone.round_trips
        )],
    });
    Ok(())
}

/// Measures requests at two servers beside the same at one of them, by the same client.
fn two_servers(
    bench: &mut Bench,
    name: &str,
    requests: &Requests,
    servers: [&Server; 2],
) -> Result<(), String> {
    // Each server is the single one in turn, so that both have kept about as much: memory that
    // grows costs time.
    let mut turns = servers;
    let rounds = Rounds::measure(
        bench.settings.rounds,
        || Ok(load(bench, &servers, requests, CONNECTIONS)?.rate),
        || {
            turns.reverse();
            Ok(load(bench, &turns[..1], requests, CONNECTIONS)?.rate)
        },
    )?;
    bench.add(share_row(name, "one server", &rounds, Some(1.0)));
    Ok(())
}
