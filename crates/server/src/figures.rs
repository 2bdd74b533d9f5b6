//! Figures of the last hour, as points of ten seconds: requests, failures and latencies by operation,
//! beside what the API tells of itself.
//!
//! Requests pay nothing for them: a timer reads the counters of [`crate::metrics`] and keeps the
//! differences. An hour takes at most 1 MiB: 360 points, with 40 bytes for each operation that was
//! called.

use crate::histogram::Counted;
use crate::metrics::{Counts, Metrics};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time of a point.
pub const POINT: Duration = Duration::from_secs(10);
/// Points that are kept: an hour.
const POINTS_MAX: usize = 360;

/// Figures that the API tells of itself; those that it does not know are absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gauges {
    /// Resident memory of the process.
    pub memory_bytes: Option<u64>,
    /// Bytes of the store's files.
    pub disk_bytes: Option<u64>,
    /// Reads that found what they looked for in a cache, since the start.
    pub cache_hits: Option<u64>,
    /// Reads that looked into a cache, since the start.
    pub cache_reads: Option<u64>,
}

/// Figures of some seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// End of the seconds, epoch milliseconds.
    pub at_ms: u64,
    /// Number of seconds.
    pub seconds: u64,
    /// Requests that ended, but for those that asked not to be recorded.
    pub requests: u64,
    /// Of them those that were not answered with status 200.
    pub failed: u64,
    /// Of them those that a limit throttled.
    pub throttled: u64,
    /// Open connections at the end.
    pub connections: u64,
    /// The API's figures: sizes at the end, reads of these seconds.
    pub gauges: Gauges,
    /// Operations that were called.
    pub operations: Vec<OperationPoint>,
}

/// Figures of an operation in some seconds. Latencies are of requests that were answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationPoint {
    /// Name of the operation; `own` for the server's own, `none` for requests that name none.
    pub operation: &'static str,
    /// Requests that ended.
    pub requests: u32,
    /// Of them those that were not answered with status 200.
    pub failed: u32,
    /// Median, in microseconds.
    pub p50_us: u32,
    /// 99th percentile, in microseconds.
    pub p99_us: u32,
    /// Longest, in microseconds.
    pub worst_us: u32,
}

/// The figures of a server. A handle of them belongs into [`Config::figures`](crate::Config::figures).
#[derive(Debug, Default)]
pub struct Figures {
    metrics: Arc<Metrics>,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    points: VecDeque<Point>,
    /// Counts at the end of the last point, and its time.
    last: Option<(u64, Counts, Gauges)>,
}

impl Figures {
    /// Returns the counters.
    pub(crate) fn metrics(&self) -> Arc<Metrics> {
        Arc::clone(&self.metrics)
    }

    /// Returns the number of open connections.
    pub fn connections(&self) -> u64 {
        self.metrics.connections_open()
    }

    /// Returns the number of requests that ended in a panic.
    pub fn panics(&self) -> u64 {
        self.metrics.panics()
    }

    /// Adds the point that ends now. The first call begins the first point.
    pub fn collect(&self, now_ms: u64, gauges: Gauges) {
        let counts = self.metrics.counts();
        let worst = self.metrics.take_worst();
        let mut kept = self.kept();
        if let Some((since_ms, before, gauges_before)) = &kept.last {
            let seconds = (now_ms.saturating_sub(*since_ms) + 500) / 1000;
            let mut point = point(before, &counts, &worst);
            (point.at_ms, point.seconds) = (now_ms, seconds);
            point.connections = self.metrics.connections_open();
            point.gauges = since(gauges, gauges_before);
            kept.points.push_back(point);
        }
        if kept.points.len() > POINTS_MAX {
            kept.points.pop_front();
        }
        kept.last = Some((now_ms, counts, gauges));
    }

    /// Returns the points that ended after a moment, the newest last.
    pub fn points(&self, after_ms: u64) -> Vec<Point> {
        self.kept().points.iter().filter(|point| point.at_ms > after_ms).cloned().collect()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns sizes as they are, and counts as their growth.
fn since(now: Gauges, before: &Gauges) -> Gauges {
    // A store that was opened anew counts from 0.
    let grown = |now: Option<u64>, before: Option<u64>| {
        now.map(|now| now.checked_sub(before.unwrap_or(0)).unwrap_or(now))
    };
    Gauges {
        cache_hits: grown(now.cache_hits, before.cache_hits),
        cache_reads: grown(now.cache_reads, before.cache_reads),
        ..now
    }
}

/// Returns the requests between two counts, without what is no count of requests.
fn point(before: &Counts, now: &Counts, worst_us: &[u64]) -> Point {
    let (mut requests, mut failed, mut throttled) = (0, 0, 0);
    let mut operations = Vec::new();
    for ((row, was), worst_us) in now.rows.iter().zip(&before.rows).zip(worst_us) {
        let grown = |class: usize| row.statuses[class].saturating_sub(was.statuses[class]);
        let all: u64 = (0..row.statuses.len()).map(grown).sum();
        if all == 0 || !row.is_shown {
            continue;
        }
        let of_row = all - grown(Counts::DONE);
        (requests, failed) = (requests + all, failed + of_row);
        throttled += grown(Counts::THROTTLED);
        operations.push(operation(
            row.name,
            [all, of_row],
            &row.latencies.since(&was.latencies),
            *worst_us,
        ));
    }
    let (at_ms, seconds, connections) = (0, 0, 0);
    let gauges = Gauges::default();
    Point { at_ms, seconds, requests, failed, throttled, connections, gauges, operations }
}

fn operation(
    operation: &'static str,
    [requests, failed]: [u64; 2],
    latencies: &Counted,
    worst_us: u64,
) -> OperationPoint {
    let short = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    OperationPoint {
        operation,
        requests: short(requests),
        failed: short(failed),
        p50_us: short(latencies.percentile_us(50, worst_us)),
        p99_us: short(latencies.percentile_us(99, worst_us)),
        worst_us: short(worst_us),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Named;
    use crate::event::{Answered, Refusal};
    use hashrange_wire::Operation;

    fn ended(figures: &Figures, named: Option<&Named>, status: u16, refusal: Option<Refusal>) {
        let answered = Answered { status, refusal, exception: None, bytes: 0 };
        let latency = Duration::from_millis(3);
        figures.metrics.request(named, false, Some(&answered), latency);
    }

    #[test]
    fn a_point_has_what_was_counted_since_the_one_before() {
        let figures = Figures::default();
        let (get, own) = (Named::OfService(Operation::GetItem), Named::Own("Tree".into()));
        ended(&figures, Some(&get), 200, None);
        let gauges = |hits| Gauges { cache_hits: Some(hits), ..Gauges::default() };
        figures.collect(1_000, gauges(5));
        assert!(figures.points(0).is_empty(), "the first point begins");
        ended(&figures, Some(&get), 200, None);
        ended(&figures, Some(&get), 400, Some(Refusal::Throttling));
        ended(&figures, Some(&own), 500, None);
        figures.metrics.request(Some(&get), true, None, Duration::ZERO);
        figures.collect(11_000, gauges(7));
        let points = figures.points(0);
        assert_eq!(points.len(), 1);
        let Point { at_ms, seconds, requests, failed, throttled, gauges: told, .. } = points[0];
        assert_eq!((at_ms, seconds, requests, failed, throttled), (11_000, 10, 3, 2, 1));
        assert_eq!(told.cache_hits, Some(2));
        let [get_item, own] = points[0].operations[..] else { panic!("{points:?}") };
        assert_eq!((get_item.operation, get_item.requests, get_item.failed), ("GetItem", 2, 1));
        assert_eq!((get_item.worst_us, own.operation, own.failed), (3_000, "own", 1));
        assert!((2_000..=3_000).contains(&get_item.p50_us), "{get_item:?}");
        figures.collect(21_000, gauges(1));
        assert_eq!(figures.points(11_000).len(), 1);
        assert_eq!(figures.points(11_000)[0].requests, 0);
        assert_eq!(figures.points(11_000)[0].gauges.cache_hits, Some(1), "a new store");
    }

    #[test]
    fn an_hour_is_kept() {
        let figures = Figures::default();
        for point in 0..400 {
            figures.collect(point * 10_000, Gauges::default());
        }
        let points = figures.points(0);
        assert_eq!((points.len(), points[0].at_ms), (POINTS_MAX, 40 * 10_000));
        assert_eq!(points.last().unwrap().at_ms, 3_990_000);
    }
}
