//! What the transactions of both languages share: actions checked by themselves, their plan against
//! the tables, one commit that decides all of them, and what is answered when some fail.
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
