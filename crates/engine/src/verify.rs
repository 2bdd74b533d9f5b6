//! Verifies a whole store: every item is readable, has its size and lies at its key, every index is
//! the exact projection of its table, the expiry index too, every version of a history is found,
//! counters and collection sizes are correct, the change log is readable, all data belong to a
//! table, client request tokens will end.
//!
//! Only reads, from one view. Memory is bounded by one item collection's sum per table with local
//! indexes, and otherwise constant.

mod expiry;
mod history;
mod owners;
mod tokens;

use crate::change_log::verify_changes;
use crate::core::{OpenError, read_tables};
use crate::index;
use crate::layout::{self, Counter};
use crate::schema::{Index, IndexId, IndexKind, IndexState, Table, TableId};
use bytes::Bytes;
use hashrange_model::Item;
use hashrange_storage::{Direction, Error, Key, KeyRange, View, Wanted};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::ControlFlow;

/// Items compared with their index entries at once.
const ITEMS_PER_STEP: usize = 256;

/// A fault in the stored data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Name of the table, if it is known.
    pub table: Option<String>,
    /// Description of the fault.
    pub what: String,
    /// Store key at which the fault was found.
    pub key: Key,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(table) = &self.table {
            write!(formatter, "table {table}: ")?;
        }
        write!(formatter, "{} (key {})", self.what, self.key.escape_ascii())
    }
}

/// Result of a verification.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Report {
    /// Number of tables.
    pub tables: u64,
    /// Number of items.
    pub items: u64,
    /// Number of index entries.
    pub entries: u64,
    /// Number of stream records.
    pub changes: u64,
    /// Bytes of an unfinished write at the end of the logs, which was left out. More than zero
    /// after a crash; none of these bytes was acknowledged.
    pub torn_bytes: u64,
    /// Faults found, at most a thousand.
    pub problems: Vec<Problem>,
}

impl Report {
    const PROBLEMS_MAX: usize = 1000;

    fn add(&mut self, table: Option<&Table>, what: impl Into<String>, key: &[u8]) {
        if self.problems.len() < Self::PROBLEMS_MAX {
            self.problems.push(Problem {
                table: table.map(|table| table.record.name.clone()),
                what: what.into(),
                key: key.to_vec(),
            });
        }
    }
}

/// Progress of a verification.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// Number of items and index entries verified so far.
    pub done: u64,
    /// Number of items and index entries according to the counters, which may be wrong.
    pub total: u64,
}

/// Receiver of the progress of a verification.
struct Listener<'a> {
    verified: Verified,
    heard: &'a mut (dyn FnMut(Verified) + Send),
}

impl Listener<'_> {
    fn add(&mut self, count: u64) {
        self.verified.done += count;
        (self.heard)(self.verified);
    }
}

/// Verifies everything that a view shows.
pub async fn verify<V: View>(view: &V) -> Result<Report, OpenError> {
    verify_heard(view, &mut |_| {}).await
}

/// Verifies everything that a view shows. `heard` is called with the progress again and again.
pub async fn verify_heard<V: View>(
    view: &V,
    heard: &mut (dyn FnMut(Verified) + Send),
) -> Result<Report, OpenError> {
    let tables = read_tables(view).await?;
    let mut report = Report { tables: tables.len() as u64, ..Report::default() };
    let total = counted_entries(view, &tables).await.map_err(OpenError::Store)?;
    let mut listener = Listener { verified: Verified { done: 0, total }, heard };
    for table in &tables {
        verify_table(view, table, &mut report, &mut listener).await.map_err(OpenError::Store)?;
    }
    verify_owners(view, &tables, &mut report).await.map_err(OpenError::Store)?;
    tokens::verify_tokens(view, &mut report).await.map_err(OpenError::Store)?;
    let (changes, faults) = verify_changes(view).await.map_err(OpenError::Store)?;
    report.changes = changes;
    for (key, what) in faults {
        report.add(None, what, &key);
    }
    Ok(report)
}

/// Returns the number of items and index entries according to the counters.
async fn counted_entries<V: View>(view: &V, tables: &[Table]) -> Result<u64, Error> {
    let mut total = 0_u64;
    for table in tables {
        let indexes = table.indexes.iter().map(|index| index.id);
        for keyspace in std::iter::once(IndexId::BASE).chain(indexes) {
            let key = layout::counter(table.id(), keyspace, Counter::Entries);
            let count = counter_value(view, key).await?.unwrap_or(0);
            total = total.saturating_add_signed(count);
        }
    }
    Ok(total)
}

/// Returns the value of a counter; `None` if it has another form.
async fn counter_value<V: View>(view: &V, key: Key) -> Result<Option<i64>, Error> {
    match view.sums(&[key]).await {
        Ok(sums) => Ok(sums.first().copied()),
        Err(Error::Corrupt { .. }) => Ok(None),
        Err(
            error @ (Error::Io { .. }
            | Error::Conflict
            | Error::Unavailable { .. }
            | Error::Full
            | Error::Closed),
        ) => Err(error),
    }
}

/// Number and bytes of the entries of a keyspace.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Sums {
    entries: i64,
    bytes: i64,
}

impl Sums {
    fn add(&mut self, item: &Item) {
        self.entries += 1;
        self.bytes += index::counted(item);
    }
}

async fn verify_table<V: View>(
    view: &V,
    table: &Table,
    report: &mut Report,
    listener: &mut Listener<'_>,
) -> Result<(), Error> {
    let mut base = Sums::default();
    let mut expected = vec![Sums::default(); table.indexes.len()];
    let mut collections = BTreeMap::new();
    let mut range = layout::keyspace(table.id(), IndexId::BASE);
    loop {
        let step = next_items(view, &range).await?;
        let Some((last, _)) = step.last() else { break };
        range.start = [&last[..], &[0]].concat();
        for (key, stored) in &step {
            report.items += 1;
            let Some(item) = readable(table, key, stored, report) else { continue };
            base.add(&item);
            match layout::item_key(table, &item) {
                Ok(item_key) if item_key.bytes == *key => {
                    expiry::verify_entry(view, table, &item_key, &item, report).await?;
                    if table.has_local_index {
                        *collections.entry(item_key.collection_size_key()).or_insert(0) +=
                            collection_growth(table, &item);
                    }
                }
                _ => report.add(Some(table), "an item does not lie at its key", key),
            }
            if !item.has_true_size() {
                report.add(Some(table), "an item has another size than its attributes", key);
            }
            for (nth, index) in table.indexes.iter().enumerate() {
                verify_entry(view, table, index, &item, &mut expected[nth], report).await?;
            }
        }
        listener.add(step.len() as u64);
    }
    verify_counters(view, table, IndexId::BASE, base, report).await?;
    for (index, expected) in table.indexes.iter().zip(expected) {
        verify_index(view, table, index, expected, report, listener).await?;
    }
    expiry::verify_entries(view, table, report).await?;
    history::verify_history(view, table, report).await?;
    verify_collections(view, table, &collections, report).await
}

fn readable(table: &Table, key: &[u8], stored: &Bytes, report: &mut Report) -> Option<Item> {
    let item = Item::from_stored(stored.clone());
    if item.is_err() {
        report.add(Some(table), "an item has an unknown form", key);
    }
    item.ok()
}

async fn next_items<V: View>(view: &V, range: &KeyRange) -> Result<Vec<(Key, Bytes)>, Error> {
    let mut items = Vec::new();
    view.visit(range.clone(), Direction::Forward, Wanted::ALL, |key, value| {
        items.push((key.to_vec(), value.clone()));
        if items.len() < ITEMS_PER_STEP {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })
    .await?;
    Ok(items)
}

fn collection_growth(table: &Table, item: &Item) -> i64 {
    let entries = table
        .indexes
        .iter()
        .filter(|index| index.kind == IndexKind::Local)
        .filter_map(|index| index::entry(table, index, item))
        .map(|entry| index::counted(&entry.item));
    index::counted(item) + entries.sum::<i64>()
}

async fn verify_entry<V: View>(
    view: &V,
    table: &Table,
    index: &Index,
    item: &Item,
    expected: &mut Sums,
    report: &mut Report,
) -> Result<(), Error> {
    let Some(entry) = index::entry(table, index, item) else { return Ok(()) };
    expected.add(&entry.item);
    // The index is complete only when it is active.
    if index.state != IndexState::Active {
        return Ok(());
    }
    let problem = match view.get(&entry.key).await? {
        Some(stored) if stored == entry.item.as_bytes() => return Ok(()),
        Some(_) => "differs from its item",
        None => "is missing",
    };
    report.add(Some(table), format!("an entry of index {} {problem}", index.name), &entry.key);
    Ok(())
}

async fn verify_index<V: View>(
    view: &V,
    table: &Table,
    index: &Index,
    expected: Sums,
    report: &mut Report,
    listener: &mut Listener<'_>,
) -> Result<(), Error> {
    let mut found = Sums::default();
    let mut unheard = 0;
    let range = layout::keyspace(table.id(), index.id);
    let start = range.start.clone();
    view.visit(range, Direction::Forward, Wanted::ALL, |key, stored| {
        if let Some(entry) = readable(table, key, &stored, report) {
            found.add(&entry);
            if !index::lies_at(table, index, key, &entry) {
                let what = format!("an entry of index {} does not lie at its key", index.name);
                report.add(Some(table), what, key);
            }
        }
        unheard += 1;
        if unheard == ITEMS_PER_STEP as u64 {
            listener.add(std::mem::take(&mut unheard));
        }
        ControlFlow::Continue(())
    })
    .await?;
    listener.add(unheard);
    report.entries += found.entries.unsigned_abs();
    if index.state != IndexState::Active {
        return Ok(());
    }
    if found != expected {
        let what = format!("index {} holds {found:?} instead of {expected:?}", index.name);
        report.add(Some(table), what, &start);
    }
    verify_counters(view, table, index.id, expected, report).await
}

async fn verify_counters<V: View>(
    view: &V,
    table: &Table,
    index: IndexId,
    expected: Sums,
    report: &mut Report,
) -> Result<(), Error> {
    for (counter, expected) in
        [(Counter::Entries, expected.entries), (Counter::Bytes, expected.bytes)]
    {
        let key = layout::counter(table.id(), index, counter);
        let found = counter_value(view, key.clone()).await?;
        if found != Some(expected) {
            let what = format!("a counter ({counter:?}) is {found:?} instead of {expected}");
            report.add(Some(table), what, &key);
        }
    }
    Ok(())
}

async fn verify_collections<V: View>(
    view: &V,
    table: &Table,
    expected: &BTreeMap<Key, i64>,
    report: &mut Report,
) -> Result<(), Error> {
    let mut seen = 0;
    view.visit(layout::collections(table.id()), Direction::Forward, Wanted::ALL, |key, stored| {
        seen += 1;
        let found = stored.as_ref().try_into().ok().map(i64::from_le_bytes);
        if found != expected.get(key).copied() {
            report.add(Some(table), "the size of an item collection is not true", key);
        }
        ControlFlow::Continue(())
    })
    .await?;
    if seen != expected.len() {
        let key = layout::collections(table.id()).start;
        report.add(Some(table), "the size of an item collection is missing", &key);
    }
    Ok(())
}

/// Reports data of tables that do not exist, unless they are being removed.
async fn verify_owners<V: View>(
    view: &V,
    tables: &[Table],
    report: &mut Report,
) -> Result<(), Error> {
    let mut known: BTreeSet<(TableId, IndexId)> = BTreeSet::new();
    for table in tables {
        known.insert((table.id(), IndexId::BASE));
        known.extend(table.record.indexes.iter().map(|index| (table.id(), index.id)));
    }
    let mut purged: BTreeSet<(TableId, IndexId)> = BTreeSet::new();
    view.visit(layout::purges(), Direction::Forward, Wanted::ALL, |key, _| {
        purged.extend(layout::parse_purge(key));
        ControlFlow::Continue(())
    })
    .await?;
    let purged_tables = purged
        .iter()
        .filter(|(_, index)| *index == IndexId::BASE)
        .map(|(table, _)| *table)
        .collect();
    expiry::verify_owners(view, tables, &purged_tables, report).await?;
    history::verify_owners(view, tables, &purged_tables, report).await?;
    let mut range = layout::every_keyspace();
    loop {
        let mut found = None;
        view.visit(range.clone(), Direction::Forward, Wanted::ALL, |key, _| {
            found = layout::parse_keyspace(key).map(|owner| (owner, key.to_vec()));
            ControlFlow::Break(())
        })
        .await?;
        let Some(((table, index), key)) = found else { return Ok(()) };
        let is_known = known.contains(&(table, index));
        let is_purged =
            purged.contains(&(table, index)) || purged.contains(&(table, IndexId::BASE));
        if !is_known && !is_purged {
            report.add(None, format!("data of unknown table {table:?}, {index:?}"), &key);
        }
        let Some(next) = layout::keyspace(table, index).end else { return Ok(()) };
        range.start = next;
    }
}
