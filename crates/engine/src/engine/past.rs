//! Tables of the past: their names, the reach of a history, and the view for reads of the past.

use super::Engine;
use crate::environment::table_name_of;
use crate::fault;
use crate::history::{TableView, parse_name};
use crate::layout;
use crate::schema::{HistoryRecord, HistoryState, Past, Table};
use hashrange_model::error::HistoryFault;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::{Store, View};
use std::sync::Arc;

/// Age up to which a moment may have unpublished changes, milliseconds.
const RECENT_MS: u64 = 60 * 1000;

impl<S: Store> Engine<S> {
    /// Returns the table that a read names, by name or ARN; as it was, if its name says so.
    pub(crate) fn readable_table(&self, name_or_arn: &str) -> ApiResult<Arc<Table>> {
        let table = self.readable_table_or_versions(name_or_arn)?;
        if table.past == Some(Past::Versions) {
            let name = table_name_of(name_or_arn).to_owned();
            return Err(Reason::History(HistoryFault::VersionsByQuery(name)).into());
        }
        Ok(table)
    }

    /// Returns the table that a read of keys names: of all versions, the items that are or were.
    pub(crate) fn readable_keys(&self, name_or_arn: &str) -> ApiResult<Arc<Table>> {
        let table = self.readable_table_or_versions(name_or_arn)?;
        let is_of_versions = table.past == Some(Past::Versions);
        Ok(if is_of_versions { Arc::new(table.of_past(Past::Ever)) } else { table })
    }

    /// Returns the table that a Query, Scan or SELECT names, which may be that of all versions.
    pub(crate) fn readable_table_or_versions(&self, name_or_arn: &str) -> ApiResult<Arc<Table>> {
        let error = match self.table(name_or_arn) {
            Ok(table) => return Ok(table),
            Err(error) => error,
        };
        let name = table_name_of(name_or_arn);
        match error.reason() {
            Reason::History(HistoryFault::ReadOnly(_)) => self.table_of_past(name),
            Reason::TableOfServer(_) => self.heat_table(name).ok_or(error),
            _ => Err(error),
        }
    }

    /// Returns the past table that a name means; `None` for other names.
    pub(crate) fn known_past(&self, name_or_arn: &str) -> ApiResult<Option<Arc<Table>>> {
        let name = table_name_of(name_or_arn);
        if self.names_a_past(name) { self.table_of_past(name).map(Some) } else { Ok(None) }
    }

    /// Returns whether a name means the past of a table with a history. Tables without one have no past, as on the
    /// service.
    fn names_a_past(&self, name: &str) -> bool {
        let table =
            parse_name(name, self.now_ms()).and_then(|(table, _)| self.core.catalog.get(table));
        table.is_some_and(|table| table.record.history.is_some())
    }

    /// Returns the reason for a missing table.
    pub(super) fn no_table(&self, name: &str) -> Reason {
        if self.names_a_past(name) {
            Reason::History(HistoryFault::ReadOnly(name.to_owned()))
        } else if self.heat_table(name).is_some() {
            Reason::TableOfServer(name.to_owned())
        } else {
            Reason::TableNotFound
        }
    }

    fn table_of_past(&self, name: &str) -> ApiResult<Arc<Table>> {
        let (table_name, past) = parse_name(name, self.now_ms()).ok_or(Reason::TableNotFound)?;
        let table = self.table(table_name)?;
        let past = past.map_err(Reason::History)?;
        match past {
            Past::At(at_ms) => self.check_readable_at(&table, at_ms)?,
            Past::Versions | Past::Ever => {
                kept(&table).map_err(Reason::History)?;
            }
        }
        Ok(Arc::new(table.of_past(past)))
    }

    /// Refuses a moment that lies before the history or in the future.
    pub(crate) fn check_readable_at(&self, table: &Table, at_ms: u64) -> Result<(), Reason> {
        let record = kept(table).map_err(Reason::History)?;
        let now_ms = self.now_ms();
        if at_ms > now_ms {
            return Err(Reason::History(HistoryFault::Future { at_ms, now_ms }));
        }
        let reaches_back_to_ms = record.reaches_back_to_ms(now_ms);
        if at_ms < reaches_back_to_ms {
            return Err(too_early(table, at_ms, reaches_back_to_ms));
        }
        Ok(())
    }

    /// Returns the view for reads of a table, past or present, on the state that a profile shows, else on a new view:
    /// one taken before may lack recent changes.
    pub(crate) async fn table_view(
        &self,
        table: &Table,
        old_view: Option<&S::View>,
    ) -> ApiResult<TableView<S::View>> {
        if let Some(Past::At(at_ms)) = table.past
            && at_ms.saturating_add(RECENT_MS) >= self.now_ms()
        {
            self.store().sync().await.map_err(fault::of_store)?;
        }
        let inner = match old_view {
            Some(old) => old.clone(),
            None => self.core().view().await?,
        };
        if let Some(Past::At(at_ms)) = table.past {
            let removed_ms = removed_ms(&inner, table).await?;
            if at_ms < removed_ms {
                return Err(too_early(table, at_ms, removed_ms).into());
            }
        }
        Ok(TableView::new(inner, table))
    }
}

/// Returns the history of a table, if it is complete.
pub(crate) fn kept(table: &Table) -> Result<&HistoryRecord, HistoryFault> {
    let name = || table.record.name.clone();
    match &table.record.history {
        Some(record) => match record.state {
            HistoryState::Kept => Ok(record),
            HistoryState::Beginning => Err(HistoryFault::Beginning(name())),
            HistoryState::Ending => Err(HistoryFault::NotKept(name())),
        },
        None => Err(HistoryFault::NotKept(name())),
    }
}

/// Returns the moment up to which versions may be gone.
pub(crate) async fn removed_ms<V: View>(view: &V, table: &Table) -> ApiResult<u64> {
    let key = layout::history_progress(table.id());
    let stored = view.get(&key).await.map_err(fault::of_store)?;
    let Some(stored) = stored else { return Ok(0) };
    layout::decode_moment(&stored).ok_or_else(|| fault::of_value(&key))
}

fn too_early(table: &Table, at_ms: u64, reaches_back_to_ms: u64) -> Reason {
    let table = table.record.name.clone();
    Reason::History(HistoryFault::TooEarly { table, at_ms, reaches_back_to_ms })
}
