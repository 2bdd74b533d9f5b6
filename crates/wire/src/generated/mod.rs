//! What `cargo xtask codegen` makes of `model/facts.json`.
#![allow(missing_docs, reason = "the names are the service's own")]
#![allow(
    clippy::match_same_arms,
    clippy::redundant_closure_for_method_calls,
    clippy::semicolon_if_nothing_returned,
    clippy::too_many_lines,
    clippy::wildcard_imports,
    reason = "the generator writes one form for all members"
)]

pub mod constraints;
pub mod enums;
pub mod exceptions;
pub mod operations;
pub mod requests;
pub mod responses;
pub mod shared;
