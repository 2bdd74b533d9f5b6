//! A table of 1 GiB beside one of 100 MiB: does an operation cost the same?

use super::multiple_row;
use super::process::{put_rate, seconds_per_operation};
use crate::bench::Bench;
use crate::data;
use crate::random::Random;
use crate::rounds::Rounds;
use hashrange::Blocking;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

const GET: &str = "scale/get-item";
const QUERY: &str = "scale/query";
const PUT: &str = "scale/put-item";
const MOST: f64 = 1.3;

/// The folder with the large table, which other rows use too.
pub const LARGE: &str = "large";

/// Measures the rows of this kind, if the large table is asked for.
pub fn run(bench: &mut Bench) -> Result<(), String> {
    let Some(large_items) = bench.settings.large_items else { return Ok(()) };
    if !bench.wants_any(&[GET, QUERY, PUT]) {
        return Ok(());
    }
    let small_items = large_items / 10;
    let (small, large) = (bench.path("small"), bench.path(LARGE));
    data::fill_folder(&small, small_items)?;
    data::fill_folder(&large, large_items)?;
    let cache_bytes = bench.settings.cache_bytes;
    let small = Side::new(data::open(&small, cache_bytes)?.blocking(), small_items);
    let large = Side::new(data::open(&large, cache_bytes)?.blocking(), large_items);
    for (name, measure) in [(GET, get_item as Measure), (QUERY, query), (PUT, put_item)] {
        if bench.settings.wants(name) {
            let round = bench.settings.round;
            let (mut nth, mut nth_small) = (0, 0);
            let rounds = Rounds::measure(
                bench.settings.rounds,
                || measure(&large, round, count(&mut nth)),
                || measure(&small, round, count(&mut nth_small)),
            )?;
            let mut row = multiple_row(name, "a tenth of the items", &rounds, Some(MOST));
            row.notes.push(format!("{large_items} items, cache of {} MiB", cache_bytes >> 20));
            bench.add(row);
        }
    }
    Ok(())
}

/// Returns the seconds per operation on one side; the seed makes each round read other items.
type Measure = fn(&Side, Duration, u64) -> Result<f64, String>;

/// A table.
struct Side {
    database: Blocking,
    items: u64,
    next_put: Arc<AtomicU64>,
}

impl Side {
    fn new(database: Blocking, items: u64) -> Self {
        Self { database, items, next_put: Arc::new(AtomicU64::new(items)) }
    }
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
            let page = side.database.query(request).map_err(|error| error.to_string())?;
            drop(black_box(page));
            Ok(())
        },
    )
}

fn put_item(side: &Side, round: Duration, _: u64) -> Result<f64, String> {
    let rate = put_rate(round, side.database.database(), data::TABLE, &side.next_put)?;
    Ok(1.0 / rate)
}
