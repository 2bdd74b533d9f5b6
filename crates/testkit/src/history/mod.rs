//! Histories of concurrent clients, and checks that one database could have answered them.
//!
//! Clients record when each operation was called, when it returned and what it answered.
//! [`register`] checks that the operations on a single item are linearizable; [`appends`] that
//! transactions are strictly serializable. Both know nothing of the database: they judge the
//! history alone.

pub mod appends;
mod graph;
mod recorder;
pub mod register;

pub use recorder::{Clock, Span};
