//! EXPLAIN: reads and cost of a request, estimated without running it, or counted by running it.
//!
//! An explanation is a view of the plan that the operation would run and of the counters of its pages. It adds
//! nothing to them: other requests pay nothing.
//!
//! | file | idea |
//! |---|---|
//! | `explanation.rs` | the returned value |
//! | `plan.rs` | the values from which a read is explained |
//! | `read.rs` | a read: its sample, its bounds, and the counted run of ANALYZE |
//! | `attributes.rs` | attributes of a table's items, from a bounded sample |
//! | `what_if.rs` | a read of an index that does not exist, from items that are looked at |
//! | `looking.rs` | items that are looked at: all within a budget, else windows of the hash space |
//! | `estimate.rs` | estimates with intervals, from windows |
//! | `write.rs` | a write: its condition, its actions, the entries of indexes that change |
//! | `parts.rs` | batches and transactions: their parts, and the sums of these |
//! | `price.rs` | price of the units |
//! | `keys.rs` | keys that a read names, and its ranges in words and bytes |
//! | `collection.rs` | place of a range in its item collection: single look-ups beside it |
//! | `advice/` | likely misunderstandings and cheaper requests, each with evidence |
//! | `text.rs` | an explanation as lines for people |
//! | `rows.rs` | an explanation as the item that PartiQL's EXPLAIN answers |
//!
//! Left to others: plans (`crate::ops`, `crate::partiql`), and callers (`crate::ops`).

mod advice;
mod attributes;
mod collection;
mod estimate;
mod explanation;
mod keys;
mod looking;
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
pub(crate) use looking::Budget;
pub(crate) use parts::{Grouping, Parts};
pub(crate) use plan::{Asked, ReadPlan, StatementText, WhatIf};
