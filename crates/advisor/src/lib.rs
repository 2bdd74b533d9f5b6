//! Advice on secondary indexes, from a recording of requests: their conditions without values, the
//! items that they examined and returned, and the writes of the same time.
//!
//! The advisor reports only advice that pays: an index saves more on reads than its writes and its
//! storage cost, by the price list, if every month is like the recorded time. Each piece names its
//! evidence and its assumptions. For a table with little traffic ([`TRAFFIC_MIN_MS`],
//! [`TRAFFIC_MIN_REQUESTS`]) the advisor states neither money nor spare indexes, because such a
//! recording does not show what a month is like.
//!
//! | file | idea |
//! |---|---|
//! | `report.rs` | the report: advice with its figures |
//! | `need.rs` | demands of a kind of request on a key |
//! | `fit.rs` | fit of a key to such demands, and the conditions left over |
//! | `reach.rs` | conditions of a request that a key answers, for others |
//! | `figures.rs` | cost of reading and writing by a key: units, storage, money for a month |
//! | `existing.rs` | requests that an existing key would answer |
//! | `adding.rs` | new indexes: the candidates, and the choice |
//! | `spare.rs` | indexes that no request reads, that another one contains, or that hold too much |
//! | `index_text.rs` | an index as a request of the service and as an argument of the command line
//! |
//! | `evidence.rs` | evidence of a piece of advice, in words |
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
mod reach;
mod report;
mod spare;

pub use index_text::shell_word;
pub use reach::{Reach, reach};
pub use report::{
    Answered, Entries, KeyAttribute, Money, NewIndex, Report, Request, Spare, SpareIndex,
    TooLittle, UnusedKey,
};

use figures::Month;
use hashrange_cost::{Definition, PriceList, Prices, Recording, TableFacts};
use need::Need;

/// Shortest recording from which a month is estimated, in milliseconds.
pub const TRAFFIC_MIN_MS: u64 = 3_600_000;
/// Fewest requests of a table from which a month is estimated.
pub const TRAFFIC_MIN_REQUESTS: u64 = 1000;

/// Returns the advice for a recording.
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

/// A table, with its part of the recording.
pub(crate) struct TableSeen<'r> {
    pub(crate) facts: &'r TableFacts,
    pub(crate) definition: &'r Definition,
    pub(crate) recording: &'r Recording,
    pub(crate) prices: &'r Prices,
    pub(crate) month: Month,
}
