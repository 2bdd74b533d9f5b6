//! Counters of the server, as text in the format of Prometheus.
//!
//! Counting takes a few relaxed additions on memory that few threads share. The sums may be a
//! moment apart from each other; each alone is exact.

use crate::api::Named;
use crate::event::{Answered, Refusal};
use crate::histogram::{Counted, Latencies, TOLD_US};
use crate::measure::{Measure, Value};
use hashrange_wire::Operation;
use std::cell::Cell;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

const SHARDS: usize = 8;
const OPERATIONS: usize = Operation::ALL.len();
/// Rows behind those of the service's operations: requests for operations of the server's own, requests
/// that name none, and those that ask not to be recorded, such as a console's own.
const OWN: usize = OPERATIONS;
const NONE: usize = OPERATIONS + 1;
const UNRECORDED: usize = OPERATIONS + 2;
const ROWS: usize = OPERATIONS + 3;
/// Labels of results of requests. Those refusals that a busy or a correct client expects have
/// labels of their own.
const STATUSES: [&str; 8] = [
    "status=\"200\"",
    "status=\"4xx\",error=\"throttling\"",
    "status=\"4xx\",error=\"condition\"",
    "status=\"4xx\",error=\"transaction\"",
    "status=\"4xx\",error=\"other\"",
    "status=\"5xx\"",
    "status=\"other\"",
    "status=\"gone\"",
];

/// What clients hold at a moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Held {
    /// Requests from their body to the last byte of their answer.
    pub requests: usize,
    /// Bytes of answers that are not sent.
    pub answer_bytes: usize,
    /// Bytes of bodies that arrive in pieces.
    pub body_bytes: usize,
}

/// All counters of a server.
#[derive(Debug)]
pub struct Metrics {
    shards: Box<[Shard]>,
    connections_open: AtomicUsize,
    connections_total: AtomicU64,
    connections_cut: AtomicU64,
    panics: AtomicU64,
}

/// The counters that some of the threads write to. Aligned so that no two share a cache line.
#[derive(Debug)]
#[repr(align(128))]
struct Shard {
    /// One row per operation.
    requests: [[AtomicU64; STATUSES.len()]; ROWS],
    /// Latencies by the same rows.
    latencies: [Latencies; ROWS],
}

/// Counts of all rows at a moment.
#[derive(Debug)]
pub(crate) struct Counts {
    pub(crate) rows: Vec<Row>,
}

/// Counts of a row.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// False for requests that ask not to be recorded.
    pub(crate) is_shown: bool,
    /// Requests by the places of [`STATUSES`].
    pub(crate) statuses: [u64; STATUSES.len()],
    pub(crate) latencies: Counted,
}

impl Counts {
    /// Place in [`STATUSES`] of requests that were done.
    pub(crate) const DONE: usize = 0;
    /// Place in [`STATUSES`] of requests that were throttled.
    pub(crate) const THROTTLED: usize = 1;
}

impl Shard {
    fn new() -> Self {
        Self {
            requests: std::array::from_fn(|_| std::array::from_fn(|_| AtomicU64::new(0))),
            latencies: std::array::from_fn(|_| Latencies::default()),
        }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Shard::new()).collect(),
            connections_open: AtomicUsize::new(0),
            connections_total: AtomicU64::new(0),
            connections_cut: AtomicU64::new(0),
            panics: AtomicU64::new(0),
        }
    }
}

impl Metrics {
    /// Counts a request that has ended. One whose client was gone before its answer has no latency.
    pub fn request(
        &self,
        named: Option<&Named>,
        is_unrecorded: bool,
        answered: Option<&Answered>,
        latency: Duration,
    ) {
        let shard = &self.shards[shard_of_thread()];
        let row = match named {
            _ if is_unrecorded => UNRECORDED,
            Some(Named::OfService(operation)) => *operation as usize,
            Some(Named::Own(_)) => OWN,
            None => NONE,
        };
        shard.requests[row][class(answered)].fetch_add(1, Relaxed);
        if answered.is_none() {
            return;
        }
        let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        shard.latencies[row].add(micros);
    }

    /// Returns the counts of all rows.
    pub(crate) fn counts(&self) -> Counts {
        let row = |(row, name): (usize, &'static str)| Row {
            name,
            is_shown: row != UNRECORDED,
            statuses: std::array::from_fn(|class| self.sum(|shard| &shard.requests[row][class])),
            latencies: self.latencies(row),
        };
        Counts { rows: rows().enumerate().map(row).collect() }
    }

    /// Returns the longest latency of each row since the last call, in microseconds.
    pub(crate) fn take_worst(&self) -> Vec<u64> {
        let of_row = |row: usize| {
            let worst = self.shards.iter().map(|shard| shard.latencies[row].take_worst());
            worst.max().unwrap_or(0)
        };
        (0..ROWS).map(of_row).collect()
    }

    fn latencies(&self, row: usize) -> Counted {
        let mut counted = Counted::default();
        self.shards.iter().for_each(|shard| shard.latencies[row].add_to(&mut counted));
        counted
    }

    /// Returns the number of open connections.
    pub(crate) fn connections_open(&self) -> u64 {
        self.connections_open.load(Relaxed) as u64
    }

    /// Returns the number of panics that were caught.
    pub(crate) fn panics(&self) -> u64 {
        self.panics.load(Relaxed)
    }

    /// Counts a connection that was accepted.
    pub fn connection_opened(&self) {
        self.connections_open.fetch_add(1, Relaxed);
        self.connections_total.fetch_add(1, Relaxed);
    }

    /// Counts a connection that ended.
    pub fn connection_closed(&self) {
        self.connections_open.fetch_sub(1, Relaxed);
    }

    /// Counts a connection that was ended because its client was too slow or others needed room.
    pub fn connection_cut(&self) {
        self.connections_cut.fetch_add(1, Relaxed);
    }

    /// Counts a panic that was caught.
    pub fn panicked(&self) {
        self.panics.fetch_add(1, Relaxed);
    }

    /// Returns all counters as text, with what clients hold, whether the store takes writes, and
    /// the number of panics in background work.
    /// Source: Prometheus documentation, "Exposition formats".
    pub fn render(&self, held: Held, is_writable: bool, background_panics: u64) -> String {
        let mut out = String::new();
        self.render_requests(&mut out);
        self.render_latencies(&mut out);
        let mut single = |name, kind, help, value: u64| {
            head(&mut out, name, kind, help);
            line(&mut out, format_args!("{name} {value}"));
        };
        let open = self.connections_open();
        let total = self.connections_total.load(Relaxed);
        let cut = self.connections_cut.load(Relaxed);
        single("hashrange_connections_open", "gauge", "Open connections.", open);
        single("hashrange_connections_total", "counter", "Accepted connections.", total);
        let help = "Connections ended for being slow or for others.";
        single("hashrange_connections_cut_total", "counter", help, cut);
        let help = "Requests from their body to the last byte of their answer.";
        single("hashrange_requests_open", "gauge", help, held.requests as u64);
        let help = "Bytes of answers that are not sent.";
        single("hashrange_unsent_answer_bytes", "gauge", help, held.answer_bytes as u64);
        let help = "Bytes held of bodies that arrive in pieces.";
        single("hashrange_request_body_bytes", "gauge", help, held.body_bytes as u64);
        let panics = self.panics();
        single("hashrange_panics_total", "counter", "Requests that ended in a panic.", panics);
        let help = "Background work that ended in a panic and is tried again.";
        single("hashrange_background_panics_total", "counter", help, background_panics);
        let help = "Whether the store takes writes.";
        single("hashrange_store_writable", "gauge", help, u64::from(is_writable));
        out
    }

    fn render_requests(&self, out: &mut String) {
        head(out, "hashrange_requests_total", "counter", "Requests by operation and status.");
        for (row, name) in rows().enumerate() {
            for (class, labels) in STATUSES.iter().enumerate() {
                let count = self.sum(|shard| &shard.requests[row][class]);
                if count > 0 {
                    line(
                        out,
                        format_args!(
                            "hashrange_requests_total{{operation=\"{name}\",{labels}}} {count}"
                        ),
                    );
                }
            }
        }
    }

    fn render_latencies(&self, out: &mut String) {
        let name = "hashrange_request_duration_seconds";
        head(out, name, "histogram", "Time from a request's head to its answer.");
        for (row, operation) in rows().enumerate() {
            self.render_latencies_of(out, name, row, operation);
        }
    }

    /// Renders the histogram of an operation, unless no request has named it.
    fn render_latencies_of(&self, out: &mut String, name: &str, row: usize, operation: &str) {
        let latencies = self.latencies(row);
        let all = latencies.count();
        if all == 0 {
            return;
        }
        let label = format_args!("operation=\"{operation}\"");
        for bound in TOLD_US {
            let count = latencies.up_to(bound);
            let (whole, micros) = (bound / 1_000_000, bound % 1_000_000);
            line(out, format_args!("{name}_bucket{{{label},le=\"{whole}.{micros:06}\"}} {count}"));
        }
        let (whole, micros) = (latencies.sum_us / 1_000_000, latencies.sum_us % 1_000_000);
        line(out, format_args!("{name}_bucket{{{label},le=\"+Inf\"}} {all}"));
        line(out, format_args!("{name}_sum{{{label}}} {whole}.{micros:06}"));
        line(out, format_args!("{name}_count{{{label}}} {all}"));
    }

    fn sum(&self, counter: impl Fn(&Shard) -> &AtomicU64) -> u64 {
        self.shards.iter().map(|shard| counter(shard).load(Relaxed)).sum()
    }
}

/// Adds the figures of the API.
pub fn render_measures(out: &mut String, measures: &[Measure]) {
    for Measure { name, kind, help, values } in measures {
        head(out, name, kind.name(), help);
        for (labels, value) in values {
            let (open, close) = if labels.is_empty() { ("", "") } else { ("{", "}") };
            let value = match value {
                Value::Number(number) => number.to_string(),
                Value::Micros(us) => format!("{}.{:06}", us / 1_000_000, us % 1_000_000),
            };
            line(out, format_args!("{name}{open}{labels}{close} {value}"));
        }
    }
}

/// Returns the names of the rows.
fn rows() -> impl Iterator<Item = &'static str> {
    Operation::ALL.iter().map(|operation| operation.name()).chain(["own", "none", "unrecorded"])
}

/// Returns the place in [`STATUSES`].
fn class(answered: Option<&Answered>) -> usize {
    let Some(Answered { status, refusal, .. }) = answered else { return 7 };
    match (*status, refusal) {
        (200, _) => 0,
        (400..=499, Some(Refusal::Throttling)) => 1,
        (400..=499, Some(Refusal::Condition)) => 2,
        (400..=499, Some(Refusal::Transaction)) => 3,
        (400..=499, None) => 4,
        (500..=599, _) => 5,
        _ => 6,
    }
}

/// Returns the shard of this thread; threads get theirs in turn.
fn shard_of_thread() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static SHARD: Cell<usize> = Cell::new(THREADS.fetch_add(1, Relaxed) % SHARDS));
    SHARD.with(Cell::get)
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    line(out, format_args!("# HELP {name} {help}"));
    line(out, format_args!("# TYPE {name} {kind}"));
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to memory does not fail");
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Kind;

    #[test]
    fn measures_are_rendered_with_their_labels() {
        let measures = [
            Measure {
                name: "hashrange_a_seconds_total",
                kind: Kind::Counter,
                help: "Waits.",
                values: vec![("".into(), Value::Micros(2_000_030))],
            },
            Measure {
                name: "hashrange_b",
                kind: Kind::Gauge,
                help: "Those now.",
                values: vec![
                    ("kind=\"x\"".into(), Value::Number(1)),
                    ("kind=\"y\"".into(), Value::Number(0)),
                ],
            },
        ];
        let mut text = String::new();
        render_measures(&mut text, &measures);
        let expected = "\
            # HELP hashrange_a_seconds_total Waits.\n\
            # TYPE hashrange_a_seconds_total counter\n\
            hashrange_a_seconds_total 2.000030\n\
            # HELP hashrange_b Those now.\n\
            # TYPE hashrange_b gauge\n\
            hashrange_b{kind=\"x\"} 1\n\
            hashrange_b{kind=\"y\"} 0\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn counts_are_rendered_by_operation_status_and_latency() {
        let metrics = Metrics::default();
        metrics.connection_opened();
        metrics.connection_opened();
        metrics.connection_closed();
        let answered = |status, refusal| Answered { status, refusal, exception: None, bytes: 0 };
        let request = |operation, status, refusal, latency| {
            let answered = answered(status, refusal);
            metrics.request(operation, false, Some(&answered), latency);
        };
        let of_service = |operation| Some(Named::OfService(operation));
        let get = of_service(Operation::GetItem);
        let get = get.as_ref();
        request(get, 200, None, Duration::from_micros(50));
        request(get, 200, None, Duration::from_micros(51));
        let put = of_service(Operation::PutItem);
        let put = put.as_ref();
        request(put, 400, None, Duration::from_secs(6));
        request(put, 400, Some(Refusal::Condition), Duration::from_millis(250));
        request(None, 503, None, Duration::ZERO);
        metrics.request(put, false, None, Duration::ZERO);
        let own = Named::Own("Tree".into());
        request(Some(&own), 200, None, Duration::ZERO);
        metrics.request(get, true, Some(&answered(200, None)), Duration::ZERO);
        let text = metrics.render(Held::default(), false, 3);
        assert!(text.contains("hashrange_background_panics_total 3\n"), "{text}");
        for expected in [
            "hashrange_requests_total{operation=\"GetItem\",status=\"200\"} 2\n",
            "hashrange_requests_total{operation=\"PutItem\",status=\"4xx\",error=\"other\"} 1\n",
            "hashrange_requests_total{operation=\"PutItem\",status=\"4xx\",error=\"condition\"} 1\n",
            "hashrange_requests_total{operation=\"none\",status=\"5xx\"} 1\n",
            "hashrange_requests_total{operation=\"own\",status=\"200\"} 1\n",
            "hashrange_requests_total{operation=\"unrecorded\",status=\"200\"} 1\n",
            "hashrange_requests_total{operation=\"PutItem\",status=\"gone\"} 1\n",
            "hashrange_request_duration_seconds_bucket{operation=\"GetItem\",le=\"0.000050\"} 1\n",
            "hashrange_request_duration_seconds_bucket{operation=\"GetItem\",le=\"0.000100\"} 2\n",
            "hashrange_request_duration_seconds_bucket{operation=\"PutItem\",le=\"0.200000\"} 0\n",
            "hashrange_request_duration_seconds_bucket{operation=\"PutItem\",le=\"0.300000\"} 1\n",
            "hashrange_request_duration_seconds_bucket{operation=\"PutItem\",le=\"0.400000\"} 1\n",
            "hashrange_request_duration_seconds_bucket{operation=\"PutItem\",le=\"5.000000\"} 1\n",
            "hashrange_request_duration_seconds_bucket{operation=\"PutItem\",le=\"+Inf\"} 2\n",
            "hashrange_request_duration_seconds_sum{operation=\"PutItem\"} 6.250000\n",
            "hashrange_request_duration_seconds_count{operation=\"PutItem\"} 2\n",
            "hashrange_request_duration_seconds_count{operation=\"none\"} 1\n",
            "hashrange_connections_open 1\n",
            "hashrange_connections_total 2\n",
        ] {
            assert!(text.contains(expected), "{expected} in {text}");
        }
        assert!(!text.contains("DeleteItem"));
    }
}
