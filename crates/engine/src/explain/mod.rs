//! EXPLAIN: what a request reads and what it costs, told without running it, or counted by running it.
//!
//! An explanation is a view of the plan that the operation would run and of the counters of its pages.
//! It adds nothing to them: who does not ask pays nothing.
//!
//! | file | idea |
//! |---|---|
//! | `explanation.rs` | the value that is answered |
//! | `plan.rs` | the values from which a read is explained |
//! | `read.rs` | a read: its sample, its bounds, and the counted run of ANALYZE |
//! | `attributes.rs` | which attributes the items of a table have, by a bounded sample |
//! | `what_if.rs` | a read of an index that is not there, by the entries that a sample of items would have |
//! | `write.rs` | a write: its condition, its actions, the entries of indexes that change |
//! | `parts.rs` | batches and transactions: their parts, and what these take together |
//! | `price.rs` | what the units cost as money |
//! | `keys.rs` | which keys a read names, and its ranges in words and bytes |
//! | `collection.rs` | where a range lies in its item collection: single look-ups beside it |
//! | `advice/` | what is likely to be meant otherwise, or cheaper another way, each with evidence |
//! | `text.rs` | an explanation as lines for people |
//! | `rows.rs` | an explanation as the item that PartiQL's EXPLAIN answers |
//!
//! Left to others: plans (`crate::ops`, `crate::partiql`), and who asks (`crate::ops`).

mod advice;
mod attributes;
mod collection;
mod explanation;
mod keys;
mod parts;
mod plan;
mod price;
mod read;
mod rows;
mod text;
mod what_if;
mod write;

pub use attributes::{Attribute, Attributes};
pub use explanation::{
    Access, Advice, AdviceKind, Amount, Bounds, Collection, Counted, EntryChange, Estimate,
    Explanation, FailedStep, Mode, Price, RangeRead, ReadStep, Sample, Step, Supposed, TableUnits,
    Time, Together, UnitsOn, WriteAction, WriteStep,
};
pub(crate) use keys::ReadKeys;
pub(crate) use parts::{Grouping, Parts};
pub(crate) use plan::{Asked, ReadPlan, StatementText, WhatIf};
