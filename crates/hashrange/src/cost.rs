//! Consumption and price of requests: figures of one call, a recording of many, and the bill.
//!
//! ```
//! use hashrange::cost::{PriceList, Recorder, UseKind, bill, metered};
//! use hashrange::{Database, Operation};
//! # hashrange::block_on(async {
//! let database = Database::memory();
//! database.create("music", "artist:S song:S").await?;
//! let (put, usage) = metered(database.call(
//!     Operation::PutItem,
//!     br#"{"TableName": "music", "Item": {"artist": {"S": "Nina Simone"}, "song": {"S": "Sinnerman"}}}"#,
//! )).await;
//! put?;
//! assert_eq!(usage.units(UseKind::Write), 1.0);
//!
//! let recorder = Recorder::default();
//! recorder.start(0);
//! recorder.add(1, "PutItem", "", &usage, false);
//! let prices = PriceList::of_region("us-east-1").expect("it comes with the program");
//! let bill = bill(&recorder.recording(2), &prices);
//! assert_eq!(bill.lines[0].of_a_million(), Some(0.625));
//! # Ok::<(), hashrange::Error>(())
//! # })?;
//! # Ok::<(), hashrange::Error>(())
//! ```

pub use crate::guard::Guard;
pub use hashrange_cost::{
    AccessPattern, AttributeDefinition, AttributeFacts, Bill, Budget, Contract, ContractFault,
    Definition, Difference, Findings, IndexFacts, KeyElement, KeyRef, Kind, Ledger, Line, Member,
    Mismatch, OfPattern, Pattern, PatternFault, Peak, Place, PlaceBill, PriceFault, PriceList,
    Prices, Projection, Recording, RecordingFault, Returns, Row, RowKey, Sample, Side, TableFacts,
    Test, Tested, Usage, Use, UseKind, Used, Verb, bill, compare, dollars, grouped, mean_units,
    of_a_million, regions, units,
};
pub use hashrange_engine::{Gate, Intent, behind, metered, metered_for};

use std::sync::atomic::{AtomicBool, Ordering};

/// Most tables that a line of [`summary`] names.
const NAMED_MAX: usize = 12;

/// Records the consumption of requests while it is switched on.
#[derive(Debug, Default)]
pub struct Recorder {
    is_on: AtomicBool,
    ledger: Ledger,
}

impl Recorder {
    /// Starts a new recording.
    pub fn start(&self, now_ms: u64) {
        self.ledger.begin(now_ms);
        self.is_on.store(true, Ordering::Release);
    }

    /// Stops recording and keeps the recording so far.
    pub fn stop(&self) {
        self.is_on.store(false, Ordering::Release);
    }

    /// Returns whether the recorder is switched on.
    pub fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Acquire)
    }

    /// Adds the consumption of a request. `caller` is an access key id, or empty.
    pub fn add(&self, now_ms: u64, operation: &str, caller: &str, usage: &Usage, is_failed: bool) {
        if !usage.uses().is_empty() {
            self.ledger.add(now_ms, |page| {
                each_place(operation, caller, usage, is_failed, |key, used| page.add(key, used));
            });
        }
    }

    /// Returns the recording so far.
    pub fn recording(&self, now_ms: u64) -> Recording {
        self.ledger.recording(now_ms)
    }
}

/// Reports the consumption of a request by table and index. The request itself counts at the index
/// that it read, else at the table.
fn each_place(
    operation: &str,
    caller: &str,
    usage: &Usage,
    is_failed: bool,
    mut tell: impl FnMut(KeyRef<'_>, &Used),
) {
    let pattern = &usage.pattern;
    for used in usage.uses() {
        let table = &*used.table;
        let mut place = |index: Option<&str>, units: f64| {
            let is_asked = index == used.index.as_deref();
            if !is_asked && units <= 0.0 {
                return;
            }
            let mut sum = match used.kind {
                UseKind::Read => Used { read_units: units, ..Used::default() },
                UseKind::Write => Used { write_units: units, ..Used::default() },
            };
            if is_asked {
                sum.requests = 1;
                sum.failed = u64::from(is_failed);
                sum.examined = used.examined;
                sum.examined_bytes = used.examined_bytes;
                sum.returned = used.returned;
            }
            tell(KeyRef { operation, table, index, pattern, caller }, &sum);
        };
        place(None, used.units);
        for (name, units) in &used.index_units {
            place(Some(name), *units);
        }
    }
}

/// Returns the consumption of a request as one line of ASCII, a dictionary of structured fields
/// (RFC 8941):
/// `read=0.5, write=0.0, examined=1, returned=1, bytes=74, nanodollars=62.5, on=("cities";read=0.5)`.
///
/// The line has a price if prices are given. Places are `table` or `table/index`; the line names
/// the first twelve.
pub fn summary(usage: &Usage, prices: Option<&PriceList>) -> String {
    let (read, write) = (usage.units(UseKind::Read), usage.units(UseKind::Write));
    let sum = |figure: fn(&Use) -> u64| usage.uses().iter().map(figure).sum::<u64>();
    let (examined, bytes) = (sum(|used| used.examined), sum(|used| used.examined_bytes));
    let returned = sum(|used| used.returned);
    let price = prices.map_or_else(String::new, |prices| {
        const NANO: f64 = 1e9;
        format!(", nanodollars={:.1}", prices.standard.of_requests(read, write) * NANO)
    });
    let mut named = Vec::new();
    for used in usage.uses() {
        let unit = match used.kind {
            UseKind::Read => "read",
            UseKind::Write => "write",
        };
        if used.units > 0.0 {
            named.push(format!("\"{}\";{unit}={:.1}", used.table, used.units));
        }
        for (index, units) in &used.index_units {
            named.push(format!("\"{}/{index}\";{unit}={units:.1}", used.table));
        }
    }
    named.truncate(NAMED_MAX);
    format!(
        "read={read:.1}, write={write:.1}, examined={examined}, returned={returned}, \
         bytes={bytes}{price}, on=({})",
        named.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Database, Operation, block_on};

    fn usage() -> Usage {
        let read = Use {
            table: "cities".into(),
            index: Some("by-place".to_owned()),
            kind: UseKind::Read,
            units: 1.0,
            index_units: vec![("by-place".to_owned(), 0.5)],
            examined: 3,
            examined_bytes: 300,
            returned: 2,
        };
        let write = Use {
            index: None,
            kind: UseKind::Write,
            units: 2.0,
            index_units: vec![("by-name".to_owned(), 1.0)],
            examined: 1,
            examined_bytes: 0,
            returned: 0,
            ..read.clone()
        };
        Usage::new([read, write], Pattern::read("a = ?").unwrap())
    }

    #[test]
    fn a_request_is_counted_where_it_asked() {
        let mut told = Vec::new();
        each_place("Some", "AK", &usage(), true, |key, used| {
            let index = key.index.map(str::to_owned);
            told.push((index, used.requests, used.failed, used.read_units, used.write_units));
        });
        let by = |index: &str| Some(index.to_owned());
        assert_eq!(
            told,
            [
                (None, 0, 0, 1.0, 0.0),
                (by("by-place"), 1, 1, 0.5, 0.0),
                (None, 1, 1, 0.0, 2.0),
                (by("by-name"), 0, 0, 0.0, 1.0),
            ]
        );
    }

    #[test]
    fn requests_are_summed_by_pattern_and_caller() {
        let database = Database::memory();
        let recorder = Recorder::default();
        let put = |song: &str| {
            let body = format!(
                r#"{{"TableName": "music", "Item": {{"song": {{"S": "{song}"}}}}, "ConditionExpression": "attribute_not_exists(song)"}}"#
            );
            let call = database.call(Operation::PutItem, body.as_bytes());
            let (answer, usage) = block_on(metered(call));
            recorder.add(0, "PutItem", "AK", &usage, answer.is_err());
        };
        block_on(async { database.create("music", "song:S").await }).unwrap();
        recorder.start(0);
        put("one");
        put("two");
        let recording = recorder.recording(1);
        let [row] = &recording.rows[..] else { panic!("{recording:?}") };
        assert_eq!((&*row.key.table, &*row.key.caller), ("music", "AK"));
        assert_eq!((row.used.requests, row.used.failed, row.used.write_units), (2, 0, 2.0));
        assert_eq!(row.key.pattern.to_string(), "IF attribute_not_exists(song)");
    }

    #[test]
    fn a_summary_is_one_line() {
        let prices = PriceList::of_region("us-east-1");
        assert_eq!(
            summary(&usage(), prices.as_ref()),
            "read=1.5, write=3.0, examined=4, returned=2, bytes=300, nanodollars=2062.5, \
             on=(\"cities\";read=1.0 \"cities/by-place\";read=0.5 \"cities\";write=2.0 \
             \"cities/by-name\";write=1.0)"
        );
        assert_eq!(
            summary(&Usage::default(), None),
            "read=0.0, write=0.0, examined=0, returned=0, bytes=0, on=()"
        );
    }
}
