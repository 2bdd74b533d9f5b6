//! Transactions of both languages: checks actions by themselves, plans them against the tables,
//! decides all of them in one commit, and builds the error when some fail.
//!
//! A transaction declares the keys of its items (and of its token), so it waits for others that
//! hold one of them and never meets a conflict; the store's order of locks rules out deadlock.

mod action;
mod fingerprint;
mod run;
mod token;

pub(crate) use action::{ActionKind, StatementAsked, TransactionAction};
pub(crate) use fingerprint::Fingerprint;
pub(crate) use run::{
    Completed, Outcome, Plans, check_distinct, check_payload, parted, plan, refusal,
};
pub(crate) use token::Token;
