//! Common parts of the tests of several crates: golden scripts, a reference model of tables with
//! generators of operations on it, histories of concurrent clients and their checkers, a clock that
//! stands still, a store under contention, a simulation of the whole engine, random items, programs
//! without settings.
//!
//! The feature `engines` adds the parts that hold whole engines, which take long to compile.
//!
//! A dev-dependency only; nothing here is part of the program. A fault of a script or a generator
//! ends in a panic, since only tests call it.
#![forbid(unsafe_code)]
#![expect(clippy::panic, reason = "a failing test is a panic")]

pub mod contended;
#[cfg(feature = "engines")]
pub mod database;
pub mod environment;
pub mod history;
pub mod model;
pub mod process;
pub mod random;
pub mod script;
#[cfg(feature = "engines")]
pub mod simulation;
pub mod wire_item;
