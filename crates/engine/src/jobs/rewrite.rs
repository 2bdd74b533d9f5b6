//! Rewrites the items of a table by its key templates, once a template was declared or changed,
//! while writes go on.
//!
//! Every write follows the new templates from their commit on, so one walk over the stored items is
//! enough: an item that differs from what the templates derive is rewritten under its lock, on its
//! newest image, with its index entries and its record in the change log, as an update that changes
//! nothing else. The walk counts items that keep a client's value, and items that templates which
//! only check would refuse. A row in the store holds the progress of the walk; a commit advances it
//! only if it is still as it was read, so two servers that walk at once count no page twice. A
//! change of a template during the walk removes the row, and the walk begins again. The row names
//! the templates for which it was written, because a row for earlier templates may be written after
//! that removal.

use super::Interruption;
use super::lanes::Pace;
use super::seen::Tally;
use crate::core::Core;
use crate::layout;
use crate::schema::{DerivedKey, IndexId, Rewritten, Table, TableId};
use crate::write::{Write, check_stored, keeps_others, of_stored, plan_derive};
use bytes::Bytes;
use hashrange_expr::Draw;
use hashrange_model::{ApiError, ErrorKind, Item, Reason};
use hashrange_storage::{Direction, Key, KeyRange, Store, View, Wanted};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::Arc;

const ITEMS_PER_PAGE: usize = 64;
const BYTES_PER_PAGE: usize = 1024 * 1024;

/// Progress of a walk. Its stored form is JSON.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct RewriteProgress {
    version: u32,
    /// Number of the templates for which the walk was begun, see [`templates_of`].
    #[serde(default)]
    of: u64,
    /// Last item key that the walk has examined; empty at first.
    to: Vec<u8>,
    is_complete: bool,
    pub(crate) so_far: Rewritten,
}

impl RewriteProgress {
    const VERSION: u32 = 1;

    /// Decodes the row of a table; returns a new walk if the row is of other templates, `None` if
    /// it is of a newer release, or damaged.
    pub(crate) fn decode(stored: Option<&[u8]>, table: &Table) -> Option<Self> {
        let of = templates_of(table);
        let new = Self { version: Self::VERSION, of, ..Self::default() };
        let Some(stored) = stored else { return Some(new) };
        let walk: Self = serde_json::from_slice(stored).ok()?;
        if walk.version > Self::VERSION {
            return None;
        }
        Some(if walk.of == of { walk } else { new })
    }

    fn encode(&self) -> Bytes {
        Bytes::from(serde_json::to_vec(self).expect("a walk has only string keys"))
    }
}

/// Returns a number that distinguishes a table's templates from others.
fn templates_of(table: &Table) -> u64 {
    table.record.key_templates.iter().fold(0, |seed, template| {
        let said = format!("{:?} {}", template.mode, template.text);
        xxhash_rust::xxh3::xxh3_64_with_seed(said.as_bytes(), seed)
    })
}

pub(super) async fn run<S: Store>(
    core: &Core<S>,
    id: TableId,
    pace: &Pace,
) -> Result<(), Interruption> {
    let mut followed: Option<Arc<Table>> = None;
    loop {
        pace.step().await?;
        let Some(table) = rewriting(core, id) else { return Ok(()) };
        // Templates may have changed since the job began: the walk has to see the results of writes
        // that follow the earlier ones.
        if !followed.as_ref().is_some_and(|known| Arc::ptr_eq(known, &table)) {
            core.store.sync().await?;
            followed = Some(Arc::clone(&table));
        }
        if walk_on(core, &table, pace.tally()).await? && finish(core, id).await? {
            return Ok(());
        }
    }
}

/// Returns the table while its items are being rewritten.
fn rewriting<S: Store>(core: &Core<S>, id: TableId) -> Option<Arc<Table>> {
    core.catalog.all().into_iter().find(|known| known.id() == id && known.is_rewriting())
}

/// Rewrites the next page. Returns whether the walk is complete.
async fn walk_on<S: Store>(
    core: &Core<S>,
    table: &Table,
    tally: &Tally,
) -> Result<bool, Interruption> {
    let row = layout::rewriting(table.id());
    let stored = core.store.get(&row).await?;
    let unreadable = || Interruption::Unreadable(row.clone());
    let mut walk = RewriteProgress::decode(stored.as_deref(), table).ok_or_else(unreadable)?;
    tally.set(walk.so_far.examined);
    if walk.is_complete {
        return Ok(true);
    }
    let mut range = layout::keyspace(table.id(), IndexId::BASE);
    if !walk.to.is_empty() {
        range.start = [&walk.to[..], &[0]].concat();
    }
    let page = next_page(core, &range).await?;
    if !rewrite(core, table, &page.items, &mut walk.so_far).await? {
        return Ok(false);
    }
    walk.so_far.examined += u64::try_from(page.items.len()).unwrap_or(u64::MAX);
    walk.is_complete = page.is_last;
    walk.to = page.last.unwrap_or(walk.to);
    let walked = walk.encode();
    let is_noted = core.commit_under(
        table,
        || vec![row.clone()],
        |current, batch| {
            let is_as_read = current[0] == stored;
            if is_as_read {
                batch.put(row.clone(), walked.clone());
            }
            is_as_read
        },
    );
    if is_noted.await? != Some(true) {
        core.refresh().await.map_err(Interruption::Definition)?;
        return Ok(false);
    }
    Ok(walk.is_complete)
}

/// Some items of a table, in the order of their keys.
struct RewritePage {
    items: Vec<Item>,
    last: Option<Key>,
    /// True if this is the last page.
    is_last: bool,
}

async fn next_page<S: Store>(
    core: &Core<S>,
    range: &KeyRange,
) -> Result<RewritePage, Interruption> {
    let mut found: Vec<(Key, Bytes)> = Vec::new();
    let (mut bytes, mut is_last) = (0, true);
    let wanted = Wanted { entries: ITEMS_PER_PAGE, bytes: BYTES_PER_PAGE };
    let view = core.store.view().await?;
    view.visit(range.clone(), Direction::Forward, wanted, |key, value| {
        found.push((key.to_vec(), value.clone()));
        bytes += value.len();
        is_last = found.len() < ITEMS_PER_PAGE && bytes < BYTES_PER_PAGE;
        if is_last { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .await?;
    let last = found.last().map(|(key, _)| key.clone());
    let items = found
        .into_iter()
        .map(|(key, stored)| Item::from_stored(stored).map_err(|_| Interruption::Unreadable(key)));
    Ok(RewritePage { items: items.collect::<Result<_, _>>()?, last, is_last })
}

/// Rewrites and counts items; returns false if the table's definition has changed.
async fn rewrite<S: Store>(
    core: &Core<S>,
    table: &Table,
    items: &[Item],
    so_far: &mut Rewritten,
) -> Result<bool, Interruption> {
    let derived = table.derived.as_deref().unwrap_or_default();
    let mut writes = Vec::new();
    for item in items {
        match planned(table, derived, item, so_far) {
            Ok(write) => writes.extend(write.map(|write| (table, write))),
            Err(reason) => refuse(so_far, &reason.into()),
        }
    }
    if writes.is_empty() {
        return Ok(true);
    }
    let attempts = core.write_apart(&writes, None).await.map_err(Interruption::Definition)?;
    let Some(attempts) = attempts else { return Ok(false) };
    for attempt in attempts {
        match attempt.result {
            Ok(written) => so_far.changed += u64::from(written.old != written.new),
            Err(error) if error.kind() == ErrorKind::InternalServerError => {
                return Err(Interruption::Definition(error));
            }
            Err(error) => refuse(so_far, &error),
        }
    }
    Ok(true)
}

fn refuse(so_far: &mut Rewritten, why: &ApiError) {
    so_far.refused += 1;
    so_far.first_refused.get_or_insert_with(|| why.to_string());
}

/// Returns the write that an item needs, if any, or the reason why a template refuses it. A
/// template that only checks is applied to the rewritten item; an item that it refuses is counted.
fn planned<'p>(
    table: &Table,
    derived: &[DerivedKey],
    item: &Item,
    so_far: &mut Rewritten,
) -> Result<Option<Write<'p>>, Reason> {
    // The write draws what is generated; here it only matters that something is.
    let new = of_stored(derived, item, Some(Draw { now_ms: 0, random: 0 }))?;
    so_far.kept += u64::from(keeps_others(derived, item));
    if let Err(reason) = check_stored(derived, &new) {
        refuse(so_far, &reason.into());
    }
    (new != *item).then(|| plan_derive(table, item)).transpose()
}

/// Records the result of a walk that is complete. Returns false if the walk has begun again.
async fn finish<S: Store>(core: &Core<S>, id: TableId) -> Result<bool, Interruption> {
    let _definitions = core.lock_definitions().await.map_err(Interruption::Definition)?;
    let Some(table) = rewriting(core, id) else { return Ok(true) };
    let row = layout::rewriting(id);
    let stored = core.store.get(&row).await?;
    let walk = RewriteProgress::decode(stored.as_deref(), &table);
    let walk = walk.ok_or_else(|| Interruption::Unreadable(row.clone()))?;
    if !walk.is_complete {
        return Ok(false);
    }
    let mut record = table.record.clone();
    for template in record.key_templates.iter_mut().filter(|template| template.is_rewriting) {
        template.finish(walk.so_far.clone());
    }
    let delete_row = row.clone();
    let replaced = core
        .replace_table(&table, record, vec![row], move |batch| batch.delete(delete_row.clone()));
    replaced.await.map_err(Interruption::Definition)?;
    Ok(true)
}
