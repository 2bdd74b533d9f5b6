//! Rows beside writes over HTTP: reads right after them, reads among them, batches of them.

use super::http::{CONNECTIONS, GroupCommits, get_item, latency_note, load_of, requests, run_load};
use super::{multiple_row, share_row};
use crate::bench::Bench;
use crate::data;
use crate::histogram::Histogram;
use crate::load::{Load, Numbers, Requests, Template};
use crate::process::Server;
use crate::report::{Figure, Row, Target, Unit, rate_text};
use crate::rounds::{Rounds, median};
use std::sync::atomic::AtomicU64;
use std::time::Duration;

const AFTER_WRITES: &str = "http/get-item-after-writes";
const MIXED: &str = "http/mixed-80-20";
const BATCHES: &str = "http/batch-write";
const LOAD: &str = "http/load-in-batches";

/// Most that a read right after writes may cost, as a multiple of one of a settled table.
const AFTER_WRITES_MAX: f64 = 1.2;
const MIXED_P99_MAX: Duration = Duration::from_millis(8);
const BATCH_P99_MAX: Duration = Duration::from_millis(60);
const ITEMS_PER_BATCH: f64 = 25.0;
/// Connections of a load of a table.
const LOADERS: usize = 16;
/// Longest wait of a request of a load.
const HALT_MAX: Duration = Duration::from_millis(200);
/// Reads for each write of the mixed requests.
const READS_PER_WRITE: usize = 4;

/// Measures the rows of this kind.
pub fn run(bench: &mut Bench) -> Result<(), String> {
    if bench.settings.wants(AFTER_WRITES) {
        after_writes(bench)?;
    }
    if bench.settings.wants(MIXED) {
        mixed(bench)?;
    }
    if bench.settings.wants(BATCHES) {
        batches(bench)?;
    }
    if bench.settings.wants(LOAD) {
        load(bench)?;
    }
    Ok(())
}

/// Returns requests that overwrite items of the table, one after the other.
fn overwrite(items: u64) -> Requests {
    requests("PutItem", &data::put_item_bodies(), Numbers::Cycle(items, AtomicU64::new(0)))
}

/// Returns requests that overwrite items of the table at random.
fn overwrite_at_random(items: u64) -> Requests {
    requests("PutItem", &data::put_item_bodies(), Numbers::Random(items))
}

fn batch_write() -> Requests {
    // Far above the keys of other rows.
    let numbers = Numbers::Sequence(AtomicU64::new(1_000_000_000));
    requests("BatchWriteItem", &data::batch_write_bodies(), numbers)
}

/// Measures random reads of a table that was just loaded and then written for four thirds of a
/// round, beside one whose files are sorted.
fn after_writes(bench: &mut Bench) -> Result<(), String> {
    let program = bench.program()?;
    let items = bench.settings.items / 2;
    let cache_bytes = Some(bench.settings.cache_bytes);
    let folder = bench.path("settled");
    data::fill_folder(&folder, items)?;
    let settled = Server::product(&program, &folder, cache_bytes, None)?;
    let folder = bench.path("written");
    data::fill_folder(&folder, 0)?;
    let written = Server::product(&program, &folder, cache_bytes, None)?;
    let (in_order, at_random) = (overwrite(items), overwrite_at_random(items));
    let mut put = 0;
    while put < items {
        put += load_of(bench, &written, &in_order, bench.settings.round / 6).run()?.answers;
    }
    let reads = get_item(items);
    let mut latencies = Histogram::new();
    let mut processor_us = [Vec::new(), Vec::new()];
    let mut measure = |nth: usize, server: &Server| {
        let before = server.processor_time()?;
        let outcome = run_load(bench, server, &reads)?;
        let spent = server.processor_time()?.saturating_sub(before);
        processor_us[nth].push(spent.as_secs_f64() * 1e6 / outcome.answers.max(1) as f64);
        if nth == 0 {
            latencies.merge(&outcome.latencies);
        }
        Ok::<_, String>(1.0 / outcome.rate)
    };
    let measure = std::cell::RefCell::new(&mut measure);
    let rounds = Rounds::measure(
        bench.settings.rounds,
        || {
            load_of(bench, &written, &at_random, bench.settings.round * 4 / 3).run()?;
            (measure.borrow_mut())(0, &written)
        },
        || (measure.borrow_mut())(1, &settled),
    )?;
    let mut row = multiple_row(AFTER_WRITES, "settled table", &rounds, Some(AFTER_WRITES_MAX));
    row.notes.push(format!("{items} items, {CONNECTIONS} connections"));
    row.notes.push(latency_note(&latencies, Duration::from_millis(3)));
    let [ours, beside] = processor_us.map(median);
    row.notes.push(format!(
        "server's processor time of a request {ours:.1} us, on the settled table {beside:.1} us: \
         {:.2}x",
        ours / beside
    ));
    bench.add(row);
    written.stop()?;
    settled.stop()
}

/// Measures four reads and one write in turn, on the same items, beside reads alone.
fn mixed(bench: &mut Bench) -> Result<(), String> {
    let program = bench.program()?;
    let items = bench.settings.items / 2;
    let folder = bench.path("mixed");
    data::fill_folder(&folder, items)?;
    let server = Server::product(&program, &folder, Some(bench.settings.cache_bytes), None)?;
    let reads = get_item(items);
    let mut templates = Vec::new();
    for body in data::put_item_bodies() {
        templates.extend(std::iter::repeat_n(&reads.templates[0], READS_PER_WRITE).cloned());
        templates.push(Template::new(&body).of("PutItem"));
    }
    let both = Requests { templates, ..get_item(items) };
    let mut latencies = Histogram::new();
    let mut group_commits = None;
    let rounds = Rounds::measure(
        bench.settings.rounds,
        || {
            let before = GroupCommits::read(&server);
            let outcome = run_load(bench, &server, &both)?;
            latencies.merge(&outcome.latencies);
            group_commits = before.and_then(|before| before.note(&server));
            Ok(outcome.rate)
        },
        || run_load(bench, &server, &reads).map(|outcome| outcome.rate),
    )?;
    let mut row = share_row(MIXED, "GetItem alone", &rounds, None);
    row.notes.push(format!("{items} items, {CONNECTIONS} connections, four reads to one write"));
    row.notes.push(latency_note(&latencies, MIXED_P99_MAX));
    row.notes.extend(group_commits);
    bench.add(row);
    server.stop()
}

/// Measures the 99th percentile of batches of 25 new items on all connections.
fn batches(bench: &mut Bench) -> Result<(), String> {
    let program = bench.program()?;
    let folder = bench.path("batches");
    data::fill_folder(&folder, 0)?;
    let server = Server::product(&program, &folder, Some(bench.settings.cache_bytes), None)?;
    let batches = batch_write();
    let (mut latencies, mut rates, mut p99s_ms) = (Histogram::new(), Vec::new(), Vec::new());
    let before = GroupCommits::read(&server);
    for _ in 0..bench.settings.rounds {
        let outcome = run_load(bench, &server, &batches)?;
        p99s_ms.push(outcome.latencies.quantile(0.99).as_secs_f64() * 1e3);
        rates.push(outcome.rate * ITEMS_PER_BATCH);
        latencies.merge(&outcome.latencies);
    }
    let mut row = tail_row(BATCHES, rates, &p99s_ms, BATCH_P99_MAX);
    row.notes.push(format!("p99 of batches of 25 items of 1 KiB, {CONNECTIONS} connections"));
    row.notes.push(latency_note(&latencies, BATCH_P99_MAX));
    row.notes.extend(before.and_then(|before| before.note(&server)));
    bench.add(row);
    server.stop()
}

/// Measures the longest wait of batches of 25 new items on some connections for ten rounds without
/// a pause.
fn load(bench: &mut Bench) -> Result<(), String> {
    let program = bench.program()?;
    let folder = bench.path("load");
    data::fill_folder(&folder, 0)?;
    let server = Server::product(&program, &folder, Some(bench.settings.cache_bytes), None)?;
    let batches = batch_write();
    let (mut latencies, mut rates, mut longest_ms) = (Histogram::new(), Vec::new(), Vec::new());
    let before = GroupCommits::read(&server);
    for _ in 0..bench.settings.rounds * 2 {
        let round = load_of(bench, &server, &batches, bench.settings.round);
        let outcome = Load { connections: LOADERS, ..round }.run()?;
        longest_ms.push(outcome.latencies.quantile(1.0).as_secs_f64() * 1e3);
        rates.push(outcome.rate * ITEMS_PER_BATCH);
        latencies.merge(&outcome.latencies);
    }
    let longest = longest_ms.iter().copied().fold(0.0, f64::max);
    let mut row = tail_row(LOAD, rates, &longest_ms, HALT_MAX);
    row.figure.value = longest;
    row.notes.push(format!("longest wait for a batch of 25 items of 1 KiB, {LOADERS} connections"));
    row.notes.push(latency_note(&latencies, HALT_MAX));
    row.notes.extend(before.and_then(|before| before.note(&server)));
    row.notes.push(format!("{} MiB resident at most", server.memory()?.peak >> 20));
    bench.add(row);
    server.stop()
}

/// Returns a row of waits in milliseconds beside the rates of written items.
fn tail_row(name: &str, rates: Vec<f64>, waits_ms: &[f64], most: Duration) -> Row {
    let least_rate = rates.iter().copied().fold(f64::INFINITY, f64::min);
    Row {
        name: name.to_owned(),
        ours: format!("{} items", rate_text(median(rates))),
        beside: format!("slowest round {} items", rate_text(least_rate)),
        figure: Figure {
            value: median(waits_ms.to_vec()),
            spread: (
                waits_ms.iter().copied().fold(f64::INFINITY, f64::min),
                waits_ms.iter().copied().fold(0.0, f64::max),
            ),
            target: Target::AtMost(most.as_secs_f64() * 1e3),
            unit: Unit::Millis,
        },
        notes: Vec::new(),
    }
}
