//! Servers on PostgreSQL beside bare prepared SQL through as many connections: client, servers and PostgreSQL
//! share the machine.

use super::http::{self, CONNECTIONS, GroupCommits, quantiles, requests};
use super::share_row;
use crate::bench::Bench;
use crate::data;
use crate::histogram::Histogram;
use crate::load::{Load, Numbers, Outcome, Requests};
use crate::process::Server;
use crate::report::{Figure, Row, Target, Unit, rate_text};
use crate::rounds::{Rounds, median};
use crate::sql::{Sql, Work};
use hashrange::{Database, Options};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// Keys of rows that are written begin here, far above those that are read.
const WRITTEN_FROM: u64 = 2_000_000_000;
const TWO_SERVERS: &str = "postgres/two-servers";
/// What a client alone may wait longer than bare SQL, in milliseconds for each round trip.
const LONGER_MAX_MS: f64 = 0.2;

/// A row of a rate with many clients.
struct Case {
    name: &'static str,
    work: Work,
    least_share: f64,
    requests: fn(items: u64) -> Requests,
}

const CASES: [Case; 4] = [
    Case { name: "postgres/get-item", work: Work::Get, least_share: 0.8, requests: http::get_item },
    Case { name: "postgres/put-item", work: Work::Put, least_share: 1.0, requests: put_item },
    Case {
        name: "postgres/update-item",
        work: Work::Update,
        least_share: 1.0,
        requests: http::update_item,
    },
    Case { name: "postgres/query", work: Work::Query, least_share: 0.8, requests: http::query },
];

/// A row of the time of one client alone.
struct Alone {
    name: &'static str,
    work: Work,
    /// That it may take, one after the other, to PostgreSQL (docs/distributed.md).
    round_trips: f64,
    requests: fn(items: u64) -> Requests,
}

const ALONE: [Alone; 2] = [
    Alone {
        name: "postgres/get-item-alone",
        work: Work::Get,
        round_trips: 1.0,
        requests: http::get_item,
    },
    Alone {
        name: "postgres/put-item-alone",
        work: Work::Put,
        round_trips: 2.0,
        requests: put_item,
    },
];

/// Measures the rows of this kind.
pub fn run(bench: &mut Bench) -> Result<(), String> {
    let names = CASES.iter().map(|case| case.name).chain(ALONE.iter().map(|alone| alone.name));
    if !names.chain([TWO_SERVERS]).any(|name| bench.settings.wants(name)) {
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
    for case in &CASES {
        if bench.settings.wants(case.name) {
            many(bench, case, &server, &sql)?;
        }
    }
    for alone in &ALONE {
        if bench.settings.wants(alone.name) {
            one_alone(bench, alone, &server, &sql)?;
        }
    }
    if bench.settings.wants(TWO_SERVERS) {
        two_servers(bench, &server, &program, &url)?;
    }
    server.stop()
}

/// Makes the table of the measurements.
fn fill(url: &str, items: u64) -> Result<(), String> {
    let database = Database::connect(url, &Options::default());
    data::fill_database(&database.map_err(|error| error.to_string())?, items)
}

fn put_item(_: u64) -> Requests {
    requests("PutItem", &data::put_item_bodies(), Numbers::Sequence(AtomicU64::new(WRITTEN_FROM)))
}

/// Returns numbers of items like those of requests.
fn numbers(work: Work, items: u64) -> Arc<Numbers> {
    Arc::new(match work {
        Work::Get | Work::Query => Numbers::Random(items),
        Work::Put => Numbers::Sequence(AtomicU64::new(WRITTEN_FROM)),
        Work::Update => Numbers::Cycle(items, AtomicU64::new(0)),
    })
}

/// The loads of servers and of bare SQL take the same time.
fn times(bench: &Bench) -> (Duration, Duration) {
    (bench.settings.round / 10, bench.settings.round)
}

/// Loads a server with so many connections, and as large a part of the client's threads as of all connections: two
/// servers have the client that one has.
fn load(
    bench: &Bench,
    server: &Server,
    requests: &Requests,
    connections: usize,
) -> Result<Outcome, String> {
    let (warm_up, duration) = times(bench);
    let threads = (bench.settings.threads * connections / CONNECTIONS).clamp(1, connections);
    Load { address: server.address(), requests, connections, threads, warm_up, duration }.run()
}

fn many(bench: &mut Bench, case: &Case, server: &Server, sql: &Sql) -> Result<(), String> {
    let requests = (case.requests)(bench.settings.items);
    let numbers = numbers(case.work, bench.settings.items);
    let (mut latencies, mut bare) = (Histogram::new(), Histogram::new());
    let before = GroupCommits::read(server);
    let rounds = Rounds::measure(
        bench.settings.rounds,
        || {
            let outcome = load(bench, server, &requests, CONNECTIONS)?;
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

fn one_alone(bench: &mut Bench, alone: &Alone, server: &Server, sql: &Sql) -> Result<(), String> {
    let requests = (alone.requests)(bench.settings.items);
    let numbers = numbers(alone.work, bench.settings.items);
    let middle = |outcome: Outcome| outcome.latencies.quantile(0.5).as_secs_f64();
    let mut longer = Vec::new();
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..bench.settings.rounds {
        bare.push(middle(sql.run(alone.work, &numbers, 1, times(bench))?));
        ours.push(middle(load(bench, server, &requests, 1)?));
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

/// Puts at two servers beside puts at one, with as many clients.
fn two_servers(
    bench: &mut Bench,
    server: &Server,
    program: &Path,
    url: &str,
) -> Result<(), String> {
    let other = Server::on_store(program, url)?;
    let requests = put_item(0);
    let rounds = Rounds::measure(
        bench.settings.rounds,
        || {
            std::thread::scope(|scope| {
                let beside = scope.spawn(|| load(bench, &other, &requests, CONNECTIONS / 2));
                let rate = load(bench, server, &requests, CONNECTIONS / 2)?.rate;
                let other = beside.join().map_err(|_| "a client thread panicked".to_owned())??;
                Ok(rate + other.rate)
            })
        },
        || Ok(load(bench, server, &requests, CONNECTIONS)?.rate),
    )?;
    other.stop()?;
    let (value, spread) = rounds.ratio();
    bench.add(Row {
        name: TWO_SERVERS.to_owned(),
        ours: rate_text(rounds.ours()),
        beside: format!("one server {}", rate_text(rounds.beside())),
        figure: Figure { value, spread, target: Target::AtLeast(1.0), unit: Unit::Percent },
        notes: vec!["PutItem, as many clients in all".to_owned()],
    });
    Ok(())
}
