//! Sums of requests by pattern and second.

use super::filter::is_failed;
use super::line::{Amounts, place};
use crate::event::Event;
use crate::histogram::{Counted, Latencies};
use hashrange_cost::Pattern;
use serde::Serialize;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Most patterns of a second.
pub const PATTERNS_MAX: usize = 100;
/// Most bytes of the texts of a second's patterns.
const TEXTS_MAX_BYTES: usize = 16 * 1024;
/// Seconds that are kept for who asks late.
const SECONDS_MAX: usize = 10;

/// Sums of the last seconds.
#[derive(Debug, Default)]
pub struct Seconds {
    /// The second that goes on, since 1970; 0 before the first request.
    at: u64,
    open: Open,
    /// Those that have ended, with a request at least.
    ended: VecDeque<Second>,
}

/// Sums of a second that has ended.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Second {
    at_ms: u64,
    requests: u64,
    failed: u64,
    read_units: f64,
    write_units: f64,
    /// Requests of patterns that found no room.
    #[serde(skip_serializing_if = "is_zero")]
    others: u64,
    patterns: Vec<OfPattern>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Sums of a pattern in a second.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "PascalCase")]
struct OfPattern {
    operation: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    requests: u64,
    failed: u64,
    #[serde(flatten)]
    amounts: Amounts,
    p50_ms: f64,
    p99_ms: f64,
    worst_ms: f64,
}

/// The second that goes on.
#[derive(Debug, Default)]
struct Open {
    requests: u64,
    failed: u64,
    amounts: Amounts,
    others: u64,
    bytes: usize,
    hasher: RandomState,
    by_hash: HashMap<u64, usize>,
    rows: Vec<OpenRow>,
}

#[derive(Debug)]
struct OpenRow {
    operation: String,
    table: Option<String>,
    index: Option<String>,
    pattern: Pattern,
    requests: u64,
    failed: u64,
    amounts: Amounts,
    latencies: Latencies,
}

impl Seconds {
    /// Adds a request.
    pub fn add(&mut self, event: &Event, operation: &str, now_ms: u64) {
        self.roll(now_ms);
        self.open.add(event, operation);
    }

    /// Ends the second that goes on if it is over.
    pub fn roll(&mut self, now_ms: u64) {
        let now = now_ms / 1000;
        if now == self.at {
            return;
        }
        if self.open.requests > 0 {
            let open = std::mem::take(&mut self.open);
            self.ended.push_back(open.ended(self.at * 1000));
            if self.ended.len() > SECONDS_MAX {
                self.ended.pop_front();
            }
        }
        self.at = now;
    }

    /// Returns the seconds after a moment.
    pub fn after(&self, at_ms: u64) -> impl Iterator<Item = &Second> {
        self.ended.iter().filter(move |second| second.at_ms > at_ms)
    }

    /// Returns the moment of the newest second that has ended; 0 if none has.
    pub fn newest_ms(&self) -> u64 {
        self.ended.back().map_or(0, |second| second.at_ms)
    }
}

impl Open {
    fn add(&mut self, event: &Event, operation: &str) {
        let amounts = Amounts::of(event.usage.as_deref());
        let failed = u64::from(is_failed(event));
        self.requests += 1;
        self.failed += failed;
        self.amounts.add(&amounts);
        let Some(row) = self.row(event, operation) else {
            self.others += 1;
            return;
        };
        row.requests += 1;
        row.failed += failed;
        row.amounts.add(&amounts);
        row.latencies.add(u64::try_from(event.taken.as_micros()).unwrap_or(u64::MAX));
    }

    /// Returns the row of a request; none if there is no room for a new one.
    fn row(&mut self, event: &Event, operation: &str) -> Option<&mut OpenRow> {
        let (table, index) = place(event);
        let none = Pattern::default();
        let pattern = event.usage.as_ref().map_or(&none, |usage| &usage.pattern);
        let hash = self.hasher.hash_one((operation, table, index, pattern));
        if let Some(nth) = self.by_hash.get(&hash).copied() {
            let row = &mut self.rows[nth];
            let is_it = row.operation == operation
                && row.table.as_deref() == table
                && row.index.as_deref() == index
                && row.pattern == *pattern;
            return is_it.then_some(row);
        }
        let texts = [Some(operation), table, index].into_iter().flatten().map(str::len);
        let bytes = self.bytes + texts.sum::<usize>() + pattern.bytes();
        if self.rows.len() >= PATTERNS_MAX || bytes > TEXTS_MAX_BYTES {
            return None;
        }
        self.bytes = bytes;
        self.by_hash.insert(hash, self.rows.len());
        self.rows.push(OpenRow {
            operation: operation.to_owned(),
            table: table.map(str::to_owned),
            index: index.map(str::to_owned),
            pattern: pattern.clone(),
            requests: 0,
            failed: 0,
            amounts: Amounts::default(),
            latencies: Latencies::default(),
        });
        self.rows.last_mut()
    }

    fn ended(self, at_ms: u64) -> Second {
        let mut patterns: Vec<OfPattern> = self.rows.into_iter().map(OpenRow::ended).collect();
        patterns.sort_by_key(|row| std::cmp::Reverse(row.requests));
        Second {
            at_ms,
            requests: self.requests,
            failed: self.failed,
            read_units: self.amounts.read_units,
            write_units: self.amounts.write_units,
            others: self.others,
            patterns,
        }
    }
}

impl OpenRow {
    fn ended(self) -> OfPattern {
        let text = self.pattern.to_string();
        let worst_us = self.latencies.take_worst();
        let mut counted = Counted::default();
        self.latencies.add_to(&mut counted);
        let percentile_ms = |percent| ms(counted.percentile_us(percent, worst_us));
        OfPattern {
            operation: self.operation,
            table: self.table,
            index: self.index,
            pattern: (!text.is_empty()).then_some(text),
            requests: self.requests,
            failed: self.failed,
            amounts: self.amounts,
            p50_ms: percentile_ms(50),
            p99_ms: percentile_ms(99),
            worst_ms: ms(worst_us),
        }
    }
}

fn ms(micros: u64) -> f64 {
    Duration::from_micros(micros).as_secs_f64() * 1e3
}
