//! One request, as a watch tells it.

use super::filter::named_tables;
use crate::event::Event;
use hashrange_cost::{PriceList, Usage, UseKind};
use serde::Serialize;

/// Largest body that is kept, in bytes.
const BODY_MAX_BYTES: usize = 16 * 1024;
/// Requests that a price is told of.
const MILLION: f64 = 1e6;

/// A request.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Line {
    /// Its number among the lines of its watch.
    pub number: u64,
    at_ms: u64,
    id: String,
    operation: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<String>,
    #[serde(skip_serializing_if = "is_zero")]
    more_tables: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    caller: Option<String>,
    peer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(flatten)]
    amounts: Amounts,
    #[serde(skip_serializing_if = "Option::is_none")]
    million_costs: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<&'static str>,
    took_ms: f64,
    read_ms: f64,
    waited_ms: f64,
    ran_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    request_bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// True if it is kept only because it is slow.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_slow: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Items and units of a request, or of several.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Amounts {
    pub examined: u64,
    pub examined_bytes: u64,
    pub returned: u64,
    pub read_units: f64,
    pub write_units: f64,
}

impl Amounts {
    /// Returns those of a request.
    pub fn of(usage: Option<&Usage>) -> Self {
        let Some(usage) = usage else { return Self::default() };
        let mut sum = Self {
            read_units: usage.units(UseKind::Read),
            write_units: usage.units(UseKind::Write),
            ..Self::default()
        };
        for used in usage.uses() {
            sum.examined += used.examined;
            sum.examined_bytes += used.examined_bytes;
            sum.returned += used.returned;
        }
        sum
    }

    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        self.examined += other.examined;
        self.examined_bytes += other.examined_bytes;
        self.returned += other.returned;
        self.read_units += other.read_units;
        self.write_units += other.write_units;
    }
}

/// Returns the first table that a request uses, or else names, and the index that it reads.
pub fn place(event: &Event) -> (Option<&str>, Option<&str>) {
    let used = event.usage.as_ref().and_then(|usage| usage.uses().first());
    match used {
        Some(used) => (Some(&used.table), used.index.as_deref()),
        None => (named_tables(event).next(), None),
    }
}

impl Line {
    /// Returns the line of a request.
    pub fn of(event: &Event, operation: &str, at_ms: u64, prices: Option<&PriceList>) -> Self {
        let usage = event.usage.as_deref();
        let amounts = Amounts::of(usage);
        let (table, index) = place(event);
        let tables = usage.map_or(0, |usage| usage.uses().len()).max(named_tables(event).count());
        let details = event.details.as_deref();
        let pattern = usage.map(|usage| usage.pattern.to_string()).filter(|text| !text.is_empty());
        let of_million = |prices: &PriceList| {
            prices.standard.of_requests(amounts.read_units, amounts.write_units) * MILLION
        };
        let is_priced = amounts.read_units + amounts.write_units > 0.0;
        let ms = |it: std::time::Duration| it.as_secs_f64() * 1e3;
        let stages = details.map(|it| [it.read, it.began, it.ended]).unwrap_or_default();
        let [read, began, ended] = stages;
        Self {
            number: 0,
            at_ms,
            id: event.id.as_str().to_owned(),
            operation: operation.to_owned(),
            table: table.map(str::to_owned),
            more_tables: tables.saturating_sub(1),
            index: index.map(str::to_owned),
            pattern,
            caller: event.caller.as_deref().map(str::to_owned),
            peer: event.peer.to_string(),
            agent: details.and_then(|details| details.agent.clone()),
            million_costs: prices.filter(|_| is_priced).map(of_million),
            currency: prices.filter(|_| is_priced).map(|_| "USD"),
            amounts,
            took_ms: ms(event.taken),
            read_ms: ms(read),
            waited_ms: ms(began.saturating_sub(read)),
            ran_ms: ms(ended.saturating_sub(began)),
            status: event.answered.as_ref().map(|answered| answered.status),
            error: event.answered.as_ref().and_then(|answered| answered.exception.clone()),
            request_bytes: event.received_bytes,
            response_bytes: event.answered.as_ref().map(|answered| answered.bytes),
            body: event.body.as_deref().and_then(kept),
            is_slow: false,
        }
    }

    /// Returns the bytes that the line takes in memory.
    pub fn bytes(&self) -> usize {
        let texts = [&self.table, &self.index, &self.pattern, &self.caller, &self.agent];
        let more = [&self.error, &self.body];
        let of = |text: &Option<String>| text.as_ref().map_or(0, String::capacity);
        size_of::<Self>()
            + self.id.capacity()
            + self.operation.capacity()
            + self.peer.capacity()
            + texts.into_iter().chain(more).map(of).sum::<usize>()
    }
}

/// Returns a body of text that is small enough to keep.
fn kept(body: &[u8]) -> Option<String> {
    let is_small = body.len() <= BODY_MAX_BYTES;
    let text = is_small.then(|| std::str::from_utf8(body).ok()).flatten()?;
    (!text.is_empty()).then(|| text.to_owned())
}
