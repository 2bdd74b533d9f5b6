//! Finds the background jobs that are due according to the store: indexes to fill, data to purge,
//! expiry indexes that change, items to rewrite, histories that begin or end, shards to close,
//! notes to remove. A server calls it when it opens a store, and when other servers or a failure
//! may have left work behind.

use super::{Job, forgotten_copy};
use crate::change_log;
use crate::core::Core;
use crate::layout;
use crate::schema::{HistoryState, IndexState, Table, TimeToLiveState};
use crate::{fault, layout::parse_purge};
use hashrange_model::ApiResult;
use hashrange_storage::{Direction, Store, View, Wanted};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Returns every job that is due.
pub(super) async fn jobs<S: Store>(core: &Core<S>) -> ApiResult<Vec<Job>> {
    let tables = core.catalog.all();
    let mut due = unfilled_indexes(&tables);
    due.extend(changing_expiry_indexes(&tables));
    let rewriting = tables.iter().filter(|table| table.is_rewriting());
    due.extend(rewriting.map(|table| Job::Rewrite { table: table.id() }));
    let histories = tables.iter().filter(|table| is_history_changing(table));
    due.extend(histories.map(|table| Job::History { table: table.id() }));
    let view = core.view().await?;
    let purges = view.visit(layout::purges(), Direction::Forward, Wanted::ALL, |key, _| {
        due.extend(parse_purge(key).map(|(table, index)| Job::Purge { table, index }));
        ControlFlow::Continue(())
    });
    purges.await.map_err(fault::of_store)?;
    let ended = change_log::ended_shards(core, &view).await?;
    due.extend(ended.into_iter().map(Job::CloseShards));
    let left = forgotten_copy::left_notes(core).await.map_err(fault::of_store)?;
    due.extend(left.map(|last| Job::RemoveNotes { last }));
    Ok(due)
}

fn unfilled_indexes(tables: &[Arc<Table>]) -> Vec<Job> {
    let indexes =
        tables.iter().flat_map(|table| table.indexes.iter().map(move |index| (table, index)));
    indexes
        .filter(|(_, index)| index.state == IndexState::Creating)
        .map(|(table, index)| Job::Backfill { table: table.id(), index: index.id })
        .collect()
}

fn is_history_changing(table: &Table) -> bool {
    table.record.history.as_ref().is_some_and(|record| record.state != HistoryState::Kept)
}

fn changing_expiry_indexes(tables: &[Arc<Table>]) -> impl Iterator<Item = Job> {
    let is_changing = |table: &&Arc<Table>| {
        let record = table.record.time_to_live.as_ref();
        record.is_some_and(|record| record.state != TimeToLiveState::Enabled)
    };
    tables.iter().filter(is_changing).map(|table| Job::ExpiryIndex { table: table.id() })
}
