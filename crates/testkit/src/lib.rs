//! What the tests of several crates share: golden scripts, a reference model of tables with
//! generators of operations on it, histories of concurrent clients and their checkers, a clock that
//! stands still, a store under contention, a simulation of the whole engine, random items.
//!
//! A dev-dependency only; nothing here is part of the program. What is wrong with a script or a
//! generator ends in a panic, since only tests call it.
#![forbid(unsafe_code)]
#![expect(clippy::panic, reason = "a failing test is a panic")]

pub mod contended;
pub mod environment;
pub mod history;
pub mod model;
pub mod random;
pub mod script;
pub mod simulation;
pub mod wire_item;
