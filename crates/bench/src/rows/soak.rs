//! Reads and durable writes for minutes at 64 connections: does the 99th percentile hold?

use super::http::{GroupCommits, get_item, latency_note, load_of, put_item};
use crate::bench::Bench;
use crate::data;
use crate::histogram::Histogram;
use crate::load::Requests;
use crate::process::Server;
use crate::report::{Figure, Row, Target, Unit, rate_text};
use crate::rounds::median;
use std::time::{Duration, Instant};

/// The p99 is taken of windows of this length.
const WINDOW: Duration = Duration::from_secs(10);

/// Measures reads and then writes for `duration` each.
pub fn run(bench: &mut Bench, duration: Duration) -> Result<(), String> {
    let program = bench.program()?;
    let folder = bench.path("soak");
    data::fill_folder(&folder, bench.settings.items)?;
    let server = Server::product(&program, &folder, Some(bench.settings.cache_bytes), None)?;
    let items = bench.settings.items;
    let cases = [
        ("soak/get-item", get_item(items), Duration::from_millis(3)),
        ("soak/put-item", put_item(items), Duration::from_millis(8)),
    ];
    for (name, requests, p99_max) in cases {
        if bench.settings.wants(name) {
            soak(bench, &server, name, &requests, p99_max, duration)?;
        }
    }
    server.stop()
}

fn soak(
    bench: &mut Bench,
    server: &Server,
    name: &str,
    requests: &Requests,
    p99_max: Duration,
    duration: Duration,
) -> Result<(), String> {
    let (mut all, mut rates, mut p99s_ms) = (Histogram::new(), Vec::new(), Vec::new());
    let before = GroupCommits::read(server);
    let since = Instant::now();
    while since.elapsed() < duration {
        let outcome = load_of(bench, server, requests, WINDOW).run()?;
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
