//! Reads and durable writes for minutes at 64 connections: does the 99th percentile hold?

use super::http::{GroupCommits, get_item, latency_note, load_of, put_item};
use crate::bench::Bench;
use crate::data;
use crate::histogram::Histogram;
use crate::load::Requests;
use crate::process::Server;
use crate::report::{Figure, Row, Target, Unit, rate_text};
use crate::rounds::median;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// Length of the windows of which the p99 is taken.
const WINDOW: Duration = Duration::from_secs(10);

/// Requests that clients send for minutes.
struct Case {
    name: &'static str,
    p99_max: Duration,
    requests: fn(items: u64) -> Requests,
}

const READ_P99_MAX: Duration = Duration::from_millis(3);
const WRITE_P99_MAX: Duration = Duration::from_millis(8);

const CASES: [Case; 2] = [
    Case { name: "soak/get-item", p99_max: READ_P99_MAX, requests: get_item },
    Case { name: "soak/put-item", p99_max: WRITE_P99_MAX, requests: put_item },
];

/// Measures reads and then writes for `duration` each.
pub fn run(bench: &mut Bench, duration: Duration) -> Result<(), String> {
    let wanted = |case: &&Case| bench.settings.wants(case.name);
    let cases: Vec<&Case> = CASES.iter().filter(wanted).collect();
    if cases.is_empty() {
        return Ok(());
    }
    let program = bench.program()?;
    let folder = bench.path("soak");
    data::fill_folder(&folder, bench.settings.items)?;
    let server = Server::product(&program, &folder, Some(bench.settings.cache_bytes), None)?;
    for case in cases {
        soak(bench, &server, case, duration)?;
    }
    print_sizes(&server, &folder)?;
    server.stop()
}

/// Prints the size of the files and of the live data in them.
fn print_sizes(server: &Server, folder: &Path) -> Result<(), String> {
    let body = format!(r#"{{"TableName":"{}"}}"#, data::TABLE);
    let answer = server.call("DescribeTable", body.as_bytes())?;
    let answer = String::from_utf8_lossy(&answer);
    let size = answer.split_once("\"TableSizeBytes\":").map(|(_, rest)| rest);
    let digits = size.and_then(|rest| rest.split(|letter: char| !letter.is_ascii_digit()).next());
    let live: u64 = digits.and_then(|digits| digits.parse().ok()).ok_or("a table without size")?;
    let files = folder_bytes(folder).map_err(|error| error.to_string())?;
    println!("{} MiB of items in {} MiB of files", live >> 20, files >> 20);
    Ok(())
}

/// Returns the bytes that the files below a folder take of the disk.
fn folder_bytes(folder: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            bytes += folder_bytes(&entry.path())?;
            continue;
        }
        match entry.metadata() {
            Ok(metadata) => bytes += metadata.blocks() * 512,
            // Removed meanwhile.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

fn soak(bench: &mut Bench, server: &Server, case: &Case, duration: Duration) -> Result<(), String> {
    let Case { name, p99_max, .. } = *case;
    let requests = (case.requests)(bench.settings.items);
    let (mut all, mut rates, mut p99s_ms) = (Histogram::new(), Vec::new(), Vec::new());
    let before = GroupCommits::read(server);
    let since = Instant::now();
    while since.elapsed() < duration {
        let outcome = load_of(bench, server, &requests, WINDOW).run()?;
        let p99_ms = outcome.latencies.quantile(0.99).as_secs_f64() * 1e3;
        let elapsed_s = since.elapsed().as_secs();
        println!("{name} {elapsed_s:>5} s  {:>8.0} /s  p99 {p99_ms:.2} ms", outcome.rate);
        all.merge(&outcome.latencies);
        rates.push(outcome.rate);
        p99s_ms.push(p99_ms);
    }
    let least_rate = rates.iter().copied().fold(f64::INFINITY, f64::min);
    let worst_p99_ms = p99s_ms.iter().copied().fold(0.0, f64::max);
    let mut notes = vec![latency_note(&all, p99_max)];
    notes.push(format!("longest {:.0} ms", all.quantile(1.0).as_secs_f64() * 1e3));
    notes.extend(before.and_then(|before| before.note(server)));
    let memory = server.memory()?;
    notes.push(format!("{} MiB resident at most", memory.peak >> 20));
    let least_p99_ms = p99s_ms.iter().copied().fold(f64::INFINITY, f64::min);
    bench.add(Row {
        name: name.to_owned(),
        ours: rate_text(median(rates)),
        beside: format!("slowest ten seconds {}", rate_text(least_rate)),
        figure: Figure {
            value: all.quantile(0.99).as_secs_f64() * 1e3,
            spread: (least_p99_ms, worst_p99_ms),
            target: Target::AtMost(p99_max.as_secs_f64() * 1e3),
            unit: Unit::Millis,
        },
        notes,
    });
    Ok(())
}
