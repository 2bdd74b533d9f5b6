//! Which indexes are worth adding and which can go, from what was recorded of requests: their conditions
//! without values, how much they examined and returned, and what was written meanwhile.
//!
//! Only advice that pays is given: what is saved on reads is more than what writes and storage cost besides, by
//! the price list, if the recorded time is as every other. Each piece names what shows it and what it assumes.
//! Of a table with little traffic ([`TRAFFIC_MIN_MS`], [`TRAFFIC_MIN_REQUESTS`]) neither money nor indexes that could
//! go are told: what a month is like cannot be seen in it.
//!
//! | file | idea |
//! |---|---|
//! | `report.rs` | what is advised |
//! | `need.rs` | what a kind of request wants of a key |
//! | `fit.rs` | whether a key answers that, and which conditions are left |
//! | `figures.rs` | what reading and writing by a key takes: units, storage, money for a month |
//! | `existing.rs` | requests that a key which is there would answer |
//! | `adding.rs` | indexes that are not there: which to try, and which to choose |
//! | `spare.rs` | indexes that nobody reads, that another one contains, or that hold too much |
//! | `index_text.rs` | an index as a request of the service and as the command line takes it |
//! | `evidence.rs` | what shows a piece of advice, in words |
//!
//! Pure: a recording and prices go in. Left to others: recordings (the crate `cost`), and printing.
#![forbid(unsafe_code)]

mod adding;
mod evidence;
mod existing;
mod figures;
mod fit;
mod index_text;
mod need;
mod report;
mod spare;

pub use index_text::shell_word;
pub use report::{
    Answered, Entries, KeyAttribute, Money, NewIndex, Report, Request, Spare, SpareIndex,
    TooLittle, UnusedKey,
};

use figures::Month;
use hashrange_cost::{Definition, PriceList, Prices, Recording, TableFacts};
use need::Need;

/// The shortest time that says something about a month.
pub const TRAFFIC_MIN_MS: u64 = 3_600_000;
/// The fewest requests of a table that do.
pub const TRAFFIC_MIN_REQUESTS: u64 = 1000;

/// Returns what of a recording can be had for less.
pub fn advise(recording: &Recording, prices: &PriceList) -> Report {
    let mut report = Report {
        region: prices.region.clone(),
        currency: prices.currency.clone(),
        began_ms: recording.began_ms,
        until_ms: recording.until_ms,
        requests: recording.requests(),
        add: Vec::new(),
        unused_keys: Vec::new(),
        spare: Vec::new(),
        too_little: Vec::new(),
        unknown_tables: Vec::new(),
    };
    let recorded_ms = recording.until_ms.saturating_sub(recording.began_ms);
    for facts in &recording.tables {
        let Some(definition) = &facts.definition else {
            report.unknown_tables.push(facts.table.clone());
            continue;
        };
        let table = TableSeen {
            facts,
            definition,
            recording,
            prices: prices.of_class(facts.is_infrequent_access),
            month: Month::of(recording),
        };
        let of_table = recording.rows.iter().filter(|row| row.key.table == facts.table);
        let requests = of_table.fold(0_u64, |sum, row| sum.saturating_add(row.used.requests));
        let tells_money = recorded_ms >= TRAFFIC_MIN_MS && requests >= TRAFFIC_MIN_REQUESTS;
        let needs = Need::all(&table);
        let (unused_keys, left) = existing::advise(&table, needs);
        let mut add = adding::advise(&table, &left);
        let mut unused_keys = unused_keys;
        if tells_money {
            let advised = unused_keys.iter().filter_map(|it| it.answered.instead.index.as_deref());
            report.spare.extend(spare::advise(&table, &advised.collect::<Vec<_>>()));
        } else {
            for index in &mut add {
                index.money = None;
            }
            for unused in &mut unused_keys {
                unused.reads_saved = None;
            }
            report.too_little.push(TooLittle { table: facts.table.clone(), requests });
        }
        report.add.extend(add);
        report.unused_keys.extend(unused_keys);
    }
    report
}

/// A table, with what was recorded of it.
pub(crate) struct TableSeen<'r> {
    pub(crate) facts: &'r TableFacts,
    pub(crate) definition: &'r Definition,
    pub(crate) recording: &'r Recording,
    pub(crate) prices: &'r Prices,
    pub(crate) month: Month,
}
