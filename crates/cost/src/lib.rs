//! Costs of requests: recordings of their use, prices of regions, bills, and the comparison of two recordings.
//!
//! | file | idea |
//! |---|---|
//! | `usage.rs` | usage of one request |
//! | `recording.rs` | use summed by operation, table, index, pattern and caller; its stored form |
//! | `facts.rs` | tables of a recording: keys, indexes, attributes |
//! | `pattern.rs` | the request without its values, in a canonical form |
//! | `ledger.rs` | the running recording |
//! | `prices.rs` | price lists, which are data |
//! | `bill.rs` | cost of a recording by a price list |
//! | `contract.rs` | access patterns that a design allows, and the check of a recording against them |
//! | `difference.rs` | two recordings compared, and budgets |
//! | `amount.rs` | money and counts as text |
//!
//! Pure: no clock, no network, no database. The engine reports the use of each request.
#![forbid(unsafe_code)]

mod amount;
mod bill;
mod contract;
mod difference;
mod facts;
mod ledger;
mod pattern;
mod prices;
mod recording;
mod usage;

pub use amount::{dollars, grouped, units};
pub use bill::{Bill, Line, PlaceBill, bill, of_a_million};
pub use contract::{
    AccessPattern, Contract, ContractFault, Findings, Mismatch, OfPattern, mean_units,
};
pub use difference::{Budget, Difference, Side, compare};
pub use facts::{
    AttributeDefinition, AttributeFacts, Definition, IndexFacts, KeyElement, Projection, Sample,
    TableFacts, key_names,
};
pub use hashrange_expr::{PatternFault, Test, Tested};
pub use ledger::{Ledger, Page};
pub use pattern::{Member, Pattern, Returns, Verb};
pub use prices::{PriceFault, PriceList, Prices, regions};
pub use recording::{KeyRef, Kind, Peak, Place, Recording, RecordingFault, Row, RowKey, Used};
pub use usage::{Usage, Use, UseKind};
