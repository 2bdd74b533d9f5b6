//! Background work goes on after a fault of the store or a panic, wherever it strikes, with and
//! without a restart; what depends on it is refused until it is done.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

mod changes;
mod conflicts;
mod database;
mod failing;
mod lanes;
mod numbers;
mod retries;
mod seen;
mod sweeps;
mod unreadable;
