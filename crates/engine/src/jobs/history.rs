//! Begins the history of a table, when every write under way keeps it, and removes one that was
//! disabled, when no write keeps it any more.

use super::lanes::Pace;
use super::{Interruption, purge};
use crate::core::Core;
use crate::layout;
use crate::schema::{HistoryRecord, HistoryState, Table, TableId};
use hashrange_storage::{Batch, Store};
use std::sync::Arc;

pub(super) async fn run<S: Store>(
    core: &Core<S>,
    id: TableId,
    pace: &Pace,
) -> Result<(), Interruption> {
    loop {
        pace.step().await?;
        let Some((_, record)) = changing(core, id) else { return Ok(()) };
        // Writes may still follow the definition before the change.
        core.store.sync().await?;
        if record.state == HistoryState::Ending {
            let progress = layout::history_progress(id);
            for range in layout::histories(id) {
                purge::empty_range(core, range, &progress, pace).await?;
            }
        }
        if finish(core, id, record.state).await? {
            return Ok(());
        }
    }
}

/// Returns the table while its history begins or ends.
fn changing<S: Store>(core: &Core<S>, id: TableId) -> Option<(Arc<Table>, HistoryRecord)> {
    let table = core.catalog.all().into_iter().find(|known| known.id() == id)?;
    let record = table.record.history.clone()?;
    (record.state != HistoryState::Kept).then_some((table, record))
}

/// Records that the history is complete from now on, or gone. Returns false if the state of the
/// history has changed since the work began.
async fn finish<S: Store>(
    core: &Core<S>,
    id: TableId,
    state: HistoryState,
) -> Result<bool, Interruption> {
    let _definitions = core.lock_definitions().await.map_err(Interruption::Definition)?;
    let Some((table, history)) = changing(core, id) else { return Ok(true) };
    if history.state != state {
        return Ok(false);
    }
    let mut record = table.record.clone();
    match history.state {
        HistoryState::Beginning => {
            // Changes in this millisecond come after the beginning.
            let since_ms = (core.environment.now_ms)().saturating_sub(1);
            let state = HistoryState::Kept;
            record.set_history(Some(HistoryRecord { state, since_ms, ..history }));
        }
        HistoryState::Ending => record.set_history(None),
        HistoryState::Kept => return Ok(true),
    }
    let progress = layout::history_progress(id);
    let is_gone = record.history.is_none();
    let forget = |batch: &mut Batch| {
        if is_gone {
            batch.delete(progress.clone());
        }
    };
    let replaced = core.replace_table(&table, record, vec![progress.clone()], forget);
    replaced.await.map_err(Interruption::Definition)?;
    Ok(true)
}
