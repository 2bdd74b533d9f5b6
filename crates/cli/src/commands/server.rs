//! `hashrange server`: what a server does now, the last minutes by operation, its jobs.

use super::tree::size;
use crate::arguments::{Format, Server};
use crate::bulk::grouped_count;
use crate::client::{Client, is_unknown};
use crate::exit::Usage;
use crate::output::{self, printer::Printer, table::Table};
use anyhow::Context;
use hashrange::cost::grouped;
use hashrange::moment;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const MINUTE_MS: u64 = 60_000;

/// Sums of an operation over several points.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Sums {
    requests: u64,
    failed: u64,
    /// Median of the newest point with it, milliseconds.
    p50_ms: f64,
    /// Highest percentile of a point, milliseconds.
    p99_ms: f64,
    worst_ms: f64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Point {
    seconds: u64,
    operations: Vec<OfOperation>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct OfOperation {
    #[serde(rename = "Operation")]
    name: String,
    requests: u64,
    failed: u64,
    p50_ms: f64,
    p99_ms: f64,
    worst_ms: f64,
}

/// Prints the overview of a server.
pub fn run(client: &mut Client, arguments: &Server) -> anyhow::Result<()> {
    if matches!(client, Client::Local(_)) {
        return Err(Usage("a folder has no figures: ask the server".to_owned()).into());
    }
    client.leave_unrecorded();
    let request = |since: u64| json!({ "Since": since });
    let answer = client.call_own("DescribeServer", &request(u64::MAX)).map_err(|error| {
        if is_unknown(&error) {
            error.context("this server has no figures to tell: it is older, or another's")
        } else {
            error
        }
    })?;
    let now_ms = answer["Server"]["NowMs"].as_u64().context("the answer lacks a member")?;
    let since = now_ms.saturating_sub(arguments.minutes * MINUTE_MS);
    let mut answer = client.call_own("DescribeServer", &request(since))?;
    let printer = Printer::of(&arguments.connection)?;
    if printer.format != Format::Table {
        return output::line(&answer);
    }
    let points: Vec<Point> =
        serde_json::from_value(answer["Points"].take()).context("these are no points")?;
    about(&answer)?.iter().try_for_each(output::line)?;
    print_operations(&points, &printer)?;
    print_jobs(&answer, &printer)
}

/// Returns the lines about the server and its figures now.
fn about(answer: &Value) -> anyhow::Result<Vec<String>> {
    let server = &answer["Server"];
    let text = |name: &str| server[name].as_str().map(output::table::shown);
    let name = text("Name").context("the answer lacks a member")?;
    let started = server["StartedAtMs"].as_u64().unwrap_or(0);
    let mut lines = Vec::new();
    lines.extend(text("Banner"));
    let place = text("Folder").or_else(|| text("Store")).unwrap_or_default();
    lines.push(format!(
        "{name}, hashrange {}, {place}, {}",
        text("Version").unwrap_or_default(),
        text("Region").unwrap_or_default()
    ));
    lines.push(format!("up since {}", moment::extended(started)));
    lines.push(match text("WhyNoWrites") {
        Some(why) => format!("refuses writes: {why}"),
        None => "takes writes".to_owned(),
    });
    let now = &answer["Now"];
    let mut figures = Vec::new();
    for (member, words) in [
        ("MemoryBytes", "of memory"),
        ("MemoryOfCachesBytes", "of caches"),
        ("DiskBytes", "on disk"),
        ("DiskFreeBytes", "free on disk"),
    ] {
        figures.extend(now[member].as_u64().map(|bytes| format!("{} {words}", size(bytes))));
    }
    figures.extend(now["Connections"].as_u64().map(|count| grouped_count(count, "connection")));
    figures.extend(
        now["Panics"].as_u64().filter(|count| *count > 0).map(|it| grouped_count(it, "panic")),
    );
    lines.push(figures.join(", "));
    Ok(lines)
}

fn print_operations(points: &[Point], printer: &Printer) -> anyhow::Result<()> {
    let seconds: u64 = points.iter().map(|point| point.seconds).sum();
    let sums = sums(points);
    output::line("")?;
    if sums.is_empty() {
        return output::line(format_args!(
            "no requests in the last {}",
            grouped_count(seconds, "second")
        ));
    }
    output::line(format_args!("requests of the last {}", grouped_count(seconds, "second")))?;
    let columns = ["operation", "requests", "a second", "failed", "p50 ms", "p99 ms", "worst ms"];
    let mut table = Table::new(&columns.map(str::to_owned));
    for (operation, sums) in sums {
        let figures = [
            grouped(sums.requests),
            rate(sums.requests, seconds),
            grouped(sums.failed),
            format!("{:.2}", sums.p50_ms),
            format!("{:.2}", sums.p99_ms),
            format!("{:.2}", sums.worst_ms),
        ];
        table.add_figures(&[operation], &figures);
    }
    printer.table(&table)
}

/// Adds up points, of which the newest is the last.
fn sums(points: &[Point]) -> BTreeMap<String, Sums> {
    let mut sums: BTreeMap<String, Sums> = BTreeMap::new();
    for operation in points.iter().flat_map(|point| &point.operations) {
        let sum = sums.entry(operation.name.clone()).or_default();
        sum.requests += operation.requests;
        sum.failed += operation.failed;
        sum.p50_ms = operation.p50_ms;
        sum.p99_ms = sum.p99_ms.max(operation.p99_ms);
        sum.worst_ms = sum.worst_ms.max(operation.worst_ms);
    }
    sums
}

#[expect(clippy::cast_precision_loss, reason = "counts of an hour stay far below 2^52")]
fn rate(count: u64, seconds: u64) -> String {
    format!("{:.1}", count as f64 / seconds.max(1) as f64)
}

fn print_jobs(answer: &Value, printer: &Printer) -> anyhow::Result<()> {
    let list = |name: &str| answer[name].as_array().cloned().unwrap_or_default();
    output::line("")?;
    if let Some(why) = answer["WhyNoJobs"].as_str() {
        return output::line(format_args!("jobs are not known: {}", output::table::shown(why)));
    }
    let jobs = list("Jobs");
    if jobs.is_empty() {
        output::line("no jobs")?;
    }
    for job in &jobs {
        let words = output::table::shown(job["Words"].as_str().unwrap_or_default());
        output::line(format_args!("{words}{}", progress(job)))?;
    }
    let servers = list("Servers");
    if servers.is_empty() {
        return Ok(());
    }
    output::line("")?;
    let mut table = Table::new(&["server on the same store", "last beat"].map(str::to_owned));
    for server in &servers {
        let name = server["Name"].as_str().unwrap_or_default();
        let this = if server["IsThis"] == true { " (this one)" } else { "" };
        let beat = server["BeatAtMs"].as_u64().map(moment::extended).unwrap_or_default();
        table.add_texts([format!("{name}{this}"), beat]);
    }
    printer.table(&table)
}

/// Returns the progress of a job as far as it is known, behind a blank.
fn progress(job: &Value) -> String {
    let done = job["Done"].as_u64().map(|done| match job["Of"].as_u64() {
        Some(of) => format!("{} of {}", grouped(done), grouped(of)),
        None => format!("{} done", grouped(done)),
    });
    let rate = job["PerSecond"].as_f64().map(|rate| format!("{rate:.0} a second"));
    let known: Vec<String> = done.into_iter().chain(rate).collect();
    if known.is_empty() { String::new() } else { format!(" {}", known.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_summed_by_operation() {
        let operation = |requests, p50_ms, p99_ms| OfOperation {
            name: "Query".to_owned(),
            requests,
            failed: 1,
            p50_ms,
            p99_ms,
            worst_ms: p99_ms + 1.0,
        };
        let point = |operation| Point { seconds: 10, operations: vec![operation] };
        let points = [point(operation(5, 1.0, 9.0)), point(operation(7, 2.0, 3.0))];
        let expected = Sums { requests: 12, failed: 2, p50_ms: 2.0, p99_ms: 9.0, worst_ms: 10.0 };
        assert_eq!(sums(&points)["Query"], expected);
        assert!(sums(&[]).is_empty());
    }

    #[test]
    fn the_progress_of_a_job_is_what_is_known() {
        for (job, expected) in [
            (json!({}), ""),
            (json!({"Done": 5}), " 5 done"),
            (
                json!({"Done": 1500, "Of": 20000, "PerSecond": 700.4}),
                " 1,500 of 20,000, 700 a second",
            ),
        ] {
            assert_eq!(progress(&job), expected);
        }
    }
}
