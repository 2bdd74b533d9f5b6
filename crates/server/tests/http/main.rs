//! The server as clients meet it: raw bytes over loopback to a server whose API does what a body says.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod answers;
mod check_order;
mod events;
mod harness;
mod own_targets;
mod places;
mod transport;
