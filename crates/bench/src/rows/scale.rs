//! A table of 1 GiB beside one of 100 MiB: does an operation cost the same? Over HTTP, client
//! included, with a cache that holds the table and with one that holds less than the large table;
//! and in process with the latter, where nothing hides the cost of a miss of the cache.

use super::http::{self, run_load};
use super::multiple_row;
use super::process::seconds_per_operation;
use crate::bench::Bench;
use crate::data;
use crate::load::Requests;
use crate::process::Server;
use crate::random::Random;
use crate::rounds::Rounds;
use hashrange::Blocking;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Returns requests for a table of so many items.
type RequestsOf = fn(u64) -> Requests;

const LARGE_CACHE: [(&str, RequestsOf); 3] = [
    ("scale/get-item", http::get_item),
    ("scale/query", http::query),
    ("scale/put-item", http::put_item),
];
const SMALL_CACHE: [(&str, RequestsOf); 2] =
    [("scale/small-cache-get-item", http::get_item), ("scale/small-cache-query", http::query)];
const IN_PROCESS: [(&str, Measure); 2] =
    [("scale/process-get-item", get_item), ("scale/process-query", query)];
/// A cache that holds both tables.
const LARGE_CACHE_BYTES: u64 = 6 << 30;
const MOST: f64 = 1.3;
/// Rounds before those that count, which fill the caches.
const WARM_UP_ROUNDS: usize = 3;

/// The folder with the large table, which other rows use too.
pub const LARGE: &str = "large";

/// Measures the rows of this kind, if the settings ask for the large table.
pub fn run(bench: &mut Bench) -> Result<(), String> {
    let Some(large_items) = bench.settings.large_items else { return Ok(()) };
    let wants_large_cache = bench.wants_any(&LARGE_CACHE.map(|(name, _)| name));
    let wants_small = bench.wants_any(&SMALL_CACHE.map(|(name, _)| name));
    let wants_process = bench.wants_any(&IN_PROCESS.map(|(name, _)| name));
    if !wants_large_cache && !wants_small && !wants_process {
        return Ok(());
    }
    let small = Table { folder: bench.path("small"), items: large_items / 10 };
    let large = Table { folder: bench.path(LARGE), items: large_items };
    for table in [&small, &large] {
        data::fill_folder(&table.folder, table.items)?;
    }
    if wants_large_cache {
        over_http(bench, &small, &large, &LARGE_CACHE, LARGE_CACHE_BYTES, Some(MOST))?;
    }
    if wants_small {
        let cache_bytes = bench.settings.cache_bytes;
        over_http(bench, &small, &large, &SMALL_CACHE, cache_bytes, None)?;
    }
    if wants_process {
        in_process(bench, &small, &large)?;
    }
    Ok(())
}

/// A data folder and the number of its items.
struct Table {
    folder: PathBuf,
    items: u64,
}

fn over_http(
    bench: &mut Bench,
    small: &Table,
    large: &Table,
    rows: &[(&str, RequestsOf)],
    cache_bytes: u64,
    most: Option<f64>,
) -> Result<(), String> {
    let program = bench.program()?;
    let start = |table: &Table| Server::product(&program, &table.folder, Some(cache_bytes), None);
    let (small_server, large_server) = (start(small)?, start(large)?);
    for (name, requests) in rows {
        if bench.settings.wants(name) {
            let (to_small, to_large) = (requests(small.items), requests(large.items));
            let seconds = |server, requests| Ok(1.0 / run_load(bench, server, requests)?.rate);
            for _ in 0..WARM_UP_ROUNDS {
                seconds(&large_server, &to_large)?;
                seconds(&small_server, &to_small)?;
            }
            let rounds = Rounds::measure(
                bench.settings.rounds,
                || seconds(&large_server, &to_large),
                || seconds(&small_server, &to_small),
            )?;
            add(bench, name, large, &rounds, cache_bytes, most);
        }
    }
    small_server.stop()?;
    large_server.stop()
}

fn in_process(bench: &mut Bench, small: &Table, large: &Table) -> Result<(), String> {
    let cache_bytes = bench.settings.cache_bytes;
    let open = |table: &Table| {
        let database = data::open(&table.folder, cache_bytes)?.blocking();
        Ok::<_, String>(Side { database, items: table.items })
    };
    let (small_side, large_side) = (open(small)?, open(large)?);
    for (name, measure) in IN_PROCESS {
        if bench.settings.wants(name) {
            let round = bench.settings.round;
            let (mut nth, mut nth_small) = (0, 0);
            let rounds = Rounds::measure(
                bench.settings.rounds,
                || measure(&large_side, round, count(&mut nth)),
                || measure(&small_side, round, count(&mut nth_small)),
            )?;
            add(bench, name, large, &rounds, cache_bytes, None);
        }
    }
    Ok(())
}

fn add(
    bench: &mut Bench,
    name: &str,
    large: &Table,
    rounds: &Rounds,
    cache_bytes: u64,
    most: Option<f64>,
) {
    let mut row = multiple_row(name, "a tenth of the items", rounds, most);
    row.notes.push(format!("{} items, a cache of {} MiB", large.items, cache_bytes >> 20));
    bench.add(row);
}

/// Returns the seconds per operation on one side; the seed makes each round read other items.
type Measure = fn(&Side, Duration, u64) -> Result<f64, String>;

/// A table that is open.
struct Side {
    database: Blocking,
    items: u64,
}

fn count(rounds: &mut u64) -> u64 {
    *rounds += 1;
    *rounds
}

fn get_item(side: &Side, round: Duration, seed: u64) -> Result<f64, String> {
    let (began, mut random) = (Instant::now(), Random::new(seed));
    seconds_per_operation(
        || began.elapsed(),
        round,
        || data::get_item(random.next() % side.items),
        |request| {
            let found = side.database.get_item(request).map_err(|error| error.to_string())?;
            found.item.map(|item| drop(black_box(item))).ok_or("an item is missing".into())
        },
    )
}

fn query(side: &Side, round: Duration, seed: u64) -> Result<f64, String> {
    let (began, mut random) = (Instant::now(), Random::new(seed));
    seconds_per_operation(
        || began.elapsed(),
        round,
        || data::query(random.next() % side.items),
        |request| {
            let page = side.database.query_page(request).map_err(|error| error.to_string())?;
            drop(black_box(page));
            Ok(())
        },
    )
}
