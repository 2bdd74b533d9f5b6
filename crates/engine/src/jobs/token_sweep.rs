//! Removes client request tokens that are older than ten minutes, a bounded number in each commit.
//!
//! Tokens lie in the order of time, so a sweep reads only tokens that it removes, from where the
//! last sweep ended ([`crate::swept`]).

use super::{Background, Interruption, go_on};
use crate::core::Core;
use crate::layout::token::{TokenRecord, parse_token_time, tokens_used_between};
use crate::schema::TableId;
use hashrange_model::limits::TOKEN_LIFETIME_MS;
use hashrange_storage::{Direction, Key, Store, View, Wanted};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

const TOKENS_PER_COMMIT: usize = 500;
/// Table number by which servers divide the work that belongs to no table.
const NO_TABLE: TableId = TableId(0);

pub(super) async fn run<S: Store>(
    background: &Background<S>,
    stopping: &AtomicBool,
) -> Result<(), Interruption> {
    let core = &*background.core;
    if !background.may_expire(NO_TABLE) {
        return Ok(());
    }
    let now_ms = (core.environment.now_ms)();
    let end_ms = now_ms.saturating_sub(TOKEN_LIFETIME_MS);
    let sweep = core.tokens_swept.begin(&core.store, end_ms).await?;
    let mut start_ms = sweep.start;
    while let Some(last_ms) = forget_some(core, start_ms, end_ms).await? {
        sweep.is_at(last_ms);
        start_ms = last_ms;
        go_on(stopping)?;
    }
    sweep.is_done();
    Ok(())
}

/// Removes some of the tokens that were used from `start_ms` up to before `end_ms`, the oldest;
/// returns the time of the last of them, or `None` if there was none.
async fn forget_some<S: Store>(
    core: &Core<S>,
    start_ms: u64,
    end_ms: u64,
) -> Result<Option<u64>, Interruption> {
    let mut expired: Vec<(Key, u64, Key)> = Vec::new();
    let range = tokens_used_between(start_ms, end_ms);
    core.store
        .view()
        .await?
        .visit(range, Direction::Forward, Wanted::entries(TOKENS_PER_COMMIT), |key, _| {
            expired.extend(parse_token_time(key).map(|(time, token)| (key.to_vec(), time, token)));
            if expired.len() < TOKENS_PER_COMMIT {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })
        .await?;
    let Some(&(_, last_ms, _)) = expired.last() else { return Ok(None) };
    let tokens = || expired.iter().map(|(_, _, token)| token.clone()).collect::<Vec<Key>>();
    core.commit(tokens, |current, batch| {
        for ((time_key, time_ms, token), stored) in expired.iter().zip(current) {
            batch.delete(time_key.clone());
            let record = stored.as_deref().and_then(TokenRecord::decode);
            // Another transaction may have taken the token in the meantime.
            if record.is_some_and(|record| record.used_at_ms == *time_ms) {
                batch.delete(token.clone());
            }
        }
    })
    .await?;
    Ok(Some(last_ms))
}
