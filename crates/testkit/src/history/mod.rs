//! Histories of concurrent clients, and whether one database could have answered them.
//!
//! Clients record when each operation was called, when it returned and what it answered.
//! [`register`] decides whether the operations on a single item are linearizable; [`appends`]
//! whether transactions are strictly serializable. Both know nothing of the database: what they
//! accept is decided by the history alone.

pub mod appends;
mod graph;
mod recorder;
pub mod register;

pub use recorder::{Clock, Span};
