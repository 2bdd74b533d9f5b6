//! What requests cost: the record of what was used, the prices of regions, the bill, and what has changed
//! between two records.
//!
//! | file | idea |
//! |---|---|
//! | `recording.rs` | what was used, summed by operation, table, index, pattern and caller; its stored form |
//! | `facts.rs` | what the tables of a recording were: keys, indexes, attributes |
//! | `pattern.rs` | the request without its values, in a canonical form |
//! | `ledger.rs` | a recording while requests are served |
//! | `prices.rs` | price lists, which are data |
//! | `bill.rs` | what a recording costs by a price list |
//! | `contract.rs` | the access patterns that a design allows, and what a recording says of them |
//! | `difference.rs` | two recordings side by side, and a budget |
//! | `amount.rs` | money and counts as text |
//!
//! Pure: no clock, no network, no database. What a request used is told by whoever serves it.
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
