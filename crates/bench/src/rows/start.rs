//! Starting on an existing folder: time to the first answer, memory when idle and under load.

use super::http::{get_item, load_of, put_item, query};
use super::scale::LARGE;
use crate::bench::Bench;
use crate::data;
use crate::load::Requests;
use crate::process::Server;
use crate::report::{Figure, Row, Target, Unit};
use crate::rounds::median;
use std::path::Path;
use std::time::Duration;

const FIRST_ANSWER: &str = "start/first-answer";
const IDLE_MEMORY: &str = "start/idle-memory";
const LOADED_MEMORY: &str = "start/memory-under-load";
const FIRST_ANSWER_MAX_MS: f64 = 20.0;
const IDLE_MAX_MIB: f64 = 30.0;
/// Mebibytes that a server may use besides twice its cache: write buffers and queue, connections,
/// code.
const BESIDE_CACHE_MIB: f64 = 150.0;
/// Rest of a started server before its memory is measured.
const REST: Duration = Duration::from_secs(1);

/// Measures the rows of this kind, on the large table if there is one.
pub fn run(bench: &mut Bench) -> Result<(), String> {
    if !bench.wants_any(&[FIRST_ANSWER, IDLE_MEMORY, LOADED_MEMORY]) {
        return Ok(());
    }
    let program = bench.program()?;
    let items = bench.settings.large_items.unwrap_or(bench.settings.items);
    let folder = bench.path(LARGE);
    if !folder.exists() {
        data::fill_folder(&folder, items)?;
    }
    let table = format!("table of {} MiB", (items * data::ITEM_BYTES as u64) >> 20);
    first_answer(bench, &program, &folder, &table)?;
    let server = Server::product(&program, &folder, Some(bench.settings.cache_bytes), None)?;
    server.call("GetItem", &get_item(items).templates[0].fill(0))?;
    std::thread::sleep(REST);
    let idle = [mebibytes(server.memory()?.resident)];
    bench.add(row(IDLE_MEMORY, &table, &idle, IDLE_MAX_MIB, Unit::Mebibytes));
    if bench.settings.wants(LOADED_MEMORY) {
        loaded_memory(bench, &server, items, &table)?;
    }
    server.stop()
}

fn first_answer(
    bench: &mut Bench,
    program: &Path,
    folder: &Path,
    table: &str,
) -> Result<(), String> {
    let mut millis = Vec::new();
    for _ in 0..bench.settings.rounds {
        let server = Server::product(program, folder, Some(bench.settings.cache_bytes), None)?;
        server.call("GetItem", &get_item(1).templates[0].fill(0))?;
        millis.push(server.age().as_secs_f64() * 1e3);
        server.stop()?;
    }
    bench.add(row(FIRST_ANSWER, table, &millis, FIRST_ANSWER_MAX_MS, Unit::Millis));
    Ok(())
}

fn loaded_memory(
    bench: &mut Bench,
    server: &Server,
    items: u64,
    table: &str,
) -> Result<(), String> {
    let loads: [Requests; 3] = [get_item(items), query(items), put_item(items)];
    for requests in &loads {
        load_of(bench, server, requests, bench.settings.round * 3).run()?;
    }
    let memory = server.memory()?;
    let cache_mib = mebibytes(bench.settings.cache_bytes);
    let most = 2.0 * cache_mib + BESIDE_CACHE_MIB;
    let mut row = row(LOADED_MEMORY, table, &[mebibytes(memory.peak)], most, Unit::Mebibytes);
    row.notes.push(format!(
        "cache of {cache_mib:.0} MiB; {:.0} MiB after the load",
        mebibytes(memory.resident)
    ));
    bench.add(row);
    Ok(())
}

fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn row(name: &str, beside: &str, figures: &[f64], most: f64, unit: Unit) -> Row {
    let least = figures.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = figures.iter().copied().fold(0.0, f64::max);
    Row {
        name: name.to_owned(),
        ours: "server".to_owned(),
        beside: beside.to_owned(),
        figure: Figure {
            value: median(figures.to_vec()),
            spread: (least, largest),
            target: Target::AtMost(most),
            unit,
        },
        notes: Vec::new(),
    }
}
