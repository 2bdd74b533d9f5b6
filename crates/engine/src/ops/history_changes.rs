//! Lists the changes of a table since a moment, and restores items to their state at that moment:
//! operations of our own.
//!
//! The restore uses ordinary writes, so indexes, streams and key templates follow and the history
//! keeps the state before: a restore can be undone by another. A client that writes an item
//! meanwhile may come first.

use crate::engine::Engine;
use crate::fault;
use crate::history::changes::{self, Changes, ChangesRange, States};
use crate::history::{ItemChange, TableView};
use crate::intent::{Access, Intent, Verb};
use crate::layout;
use crate::schema::{IndexId, KeyType, Past, Table};
use crate::usage::announce_all;
use crate::write::{Write, plan_delete, plan_put, until_decided};
use hashrange_model::error::HistoryFault;
use hashrange_model::{ApiResult, Item, Reason};
use hashrange_storage::{Key, KeyRange, Store};
use std::sync::Arc;

/// Maximum of changes in a page; below, the default.
const LIMIT_MAX: usize = 1000;
const LIMIT: usize = 100;

/// A request for the changes between two moments.
#[derive(Debug, Clone, Default)]
pub struct ChangesInput {
    /// Table, by name or ARN.
    pub table_name: String,
    /// First moment, epoch milliseconds.
    pub from_ms: u64,
    /// Second moment, epoch milliseconds; now if `None`.
    pub to_ms: Option<u64>,
    /// Items to examine: all if empty, or those of a partition key, or one of a whole key.
    pub key: Item,
    /// Prefix of the sort key, for a table whose sort key is a string. Requires a partition key.
    pub sort_key_prefix: Option<String>,
    /// Maximum of changes in a page, from 1 to 1000; 100 if `None`.
    pub limit: Option<usize>,
    /// Position at which the page begins, as the page before returned it.
    pub start: Option<Vec<u8>>,
}

/// A page of changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangesOutput {
    /// Changes: of a whole table in the order of the last changes, else in the order of the items.
    pub changes: Vec<ItemChange>,
    /// Position of the next page; `None` on the last page. A page may be empty and not the last.
    pub next: Option<Vec<u8>>,
}

/// Result of restoring a page of items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreOutput {
    /// Number of items that have their former state again.
    pub put: usize,
    /// Number of items that were deleted because they did not exist at the moment.
    pub deleted: usize,
    /// Position of the next page; `None` on the last page.
    pub next: Option<Vec<u8>>,
}

impl<S: Store> Engine<S> {
    /// Returns a page of the changes between two moments.
    pub async fn history_changes(&self, input: &ChangesInput) -> ApiResult<ChangesOutput> {
        let table = self.table(&input.table_name)?;
        let Changes { found, last, .. } = self.changes_of(&table, input).await?;
        Ok(ChangesOutput { changes: found, next: last })
    }

    /// Restores a page of items to their state at the first moment of a request. Its second moment
    /// is always now.
    pub async fn restore_items(&self, input: &ChangesInput) -> ApiResult<RestoreOutput> {
        if input.to_ms.is_some() {
            return Err(refused(HistoryFault::RestoreTo));
        }
        let table = self.table(&input.table_name)?;
        let Changes { found, last, .. } = self.changes_of(&table, input).await?;
        for some in found.chunks(LIMIT) {
            self.put_back(&table, some).await?;
        }
        let put = found.iter().filter(|change| change.before.is_some()).count();
        Ok(RestoreOutput { put, deleted: found.len() - put, next: last })
    }

    async fn put_back(&self, read: &Arc<Table>, changes: &[ItemChange]) -> ApiResult<()> {
        let attempts = until_decided(|| async {
            let table = self.table(&read.record.name)?;
            if table.id() != read.id() {
                return Err(Reason::TableNotFound.into());
            }
            let plan = |change: &ItemChange| -> Result<(&Table, Write<'_>), Reason> {
                let planned = match &change.before {
                    Some(item) => plan_put(&table, item)?,
                    None => plan_delete(&table, &change.key)?,
                };
                // Versions as items are put back by themselves.
                Ok((&*table, Write { keeps_versions: false, ..planned }))
            };
            let writes = changes.iter().map(plan).collect::<Result<Vec<_>, _>>()?;
            let intents = || changes.iter().map(|change| intent(&table, change));
            let announced = announce_all(intents)?;
            self.commit_apart(&writes, announced).await
        });
        attempts.await?.into_iter().try_for_each(|attempt| attempt.result.map(|_| ()))
    }

    async fn changes_of(&self, table: &Table, input: &ChangesInput) -> ApiResult<Changes> {
        let limit = input.limit.unwrap_or(LIMIT);
        if !(1..=LIMIT_MAX).contains(&limit) {
            return Err(refused(HistoryFault::Limit { most: LIMIT_MAX }));
        }
        if input.to_ms.is_some_and(|to_ms| to_ms < input.from_ms) {
            return Err(refused(HistoryFault::Backward));
        }
        let mut place = place(table, input)?;
        if let Some(start) = &input.start {
            let range = place.range_mut();
            if !crate::read::key_range::contains(range, start) {
                return Err(refused(HistoryFault::Start));
            }
            range.start = [&start[..], &[0]].concat();
        }
        for at_ms in [Some(input.from_ms), input.to_ms].into_iter().flatten() {
            self.check_readable_at(table, at_ms)?;
        }
        // Commits that were decided before may have moments up to these.
        self.store().sync().await.map_err(fault::of_store)?;
        let history = self.core().view().await?;
        let before = self.state_at(table, Some(input.from_ms), &history).await?;
        let after = self.state_at(table, input.to_ms, &history).await?;
        let states = States { table, history, before, after };
        let read = changes::read(&states, place, limit).await;
        read.map_err(|error| fault::of_tables([table], error))
    }

    /// Returns the view of a table at a moment, or of its present state.
    async fn state_at(
        &self,
        table: &Table,
        at_ms: Option<u64>,
        view: &S::View,
    ) -> ApiResult<TableView<S::View>> {
        let Some(at_ms) = at_ms else { return Ok(TableView::new(view.clone(), table)) };
        self.table_view(&table.of_past(Past::At(at_ms)), Some(view)).await
    }
}

/// Returns the place in which a request's changes are searched.
fn place(table: &Table, input: &ChangesInput) -> Result<ChangesRange, Reason> {
    if input.key.is_empty() && input.sort_key_prefix.is_none() {
        let to_ms = input.to_ms.unwrap_or(u64::MAX);
        let range = layout::moments(table.id(), input.from_ms.saturating_add(1), to_ms);
        return Ok(ChangesRange::Moments { range, to_ms });
    }
    let is_whole = input.key.iter().count() == table.key.len();
    let names_known = input.key.iter().all(|(name, _)| table.key.contains(name));
    if is_whole && names_known && input.sort_key_prefix.is_none() {
        let key = layout::item_key(table, &input.key).map_err(fault::of_key_member)?;
        return Ok(ChangesRange::Items(layout::single(&key.bytes)));
    }
    if !names_known || input.key.iter().count() != table.key.partition.len() {
        return Err(Reason::History(HistoryFault::Key));
    }
    let prefix = layout::partition_prefix(table.id(), IndexId::BASE, &table.key, &input.key);
    let prefix = prefix.map_err(fault::of_key_member)?;
    Ok(ChangesRange::Items(match &input.sort_key_prefix {
        None => KeyRange::prefix(&prefix),
        Some(text) => sort_range(table, &prefix, text)?,
    }))
}

fn sort_range(table: &Table, prefix: &Key, text: &str) -> Result<KeyRange, Reason> {
    match table.key.sort.first() {
        Some(attribute) if attribute.key_type == KeyType::S => {
            Ok(KeyRange::prefix(&[&prefix[..], text.as_bytes()].concat()))
        }
        _ => Err(Reason::History(HistoryFault::SortKeyPrefix)),
    }
}

/// Returns the intent of putting an item back.
fn intent<'i>(table: &'i Table, change: &'i ItemChange) -> Intent<'i> {
    let name = &table.record.name;
    match &change.before {
        Some(item) => Intent::new(Verb::Put, name, Access::Item(item)),
        None => Intent::new(Verb::Delete, name, Access::Item(&change.key)),
    }
}

fn refused(fault: HistoryFault) -> hashrange_model::ApiError {
    Reason::History(fault).into()
}
