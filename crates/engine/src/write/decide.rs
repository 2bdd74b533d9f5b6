//! The decision of a write: fills the batch with all changes that follow from the newest image of
//! the item, or returns the reason for refusing the write.

use super::draws::Draws;
use super::moment::Stamps;
use super::numbered::{Revision, Revisions};
use super::{Action, Admit, Attempt, Write, Written, derive, undo};
use crate::capacity::{Units, write_units};
use crate::change_log::Author;
use crate::environment::Clock;
use crate::filling::Fillings;
use crate::layout::{self, ItemKey};
use crate::schema::{IndexId, Table};
use crate::{fault, history, index};
use bytes::Bytes;
use hashrange_model::limits::{ITEM_COLLECTION_MAX_BYTES, ITEM_SIZE_MAX_BYTES};
use hashrange_model::{ApiError, ApiResult, Item, Reason};
use hashrange_storage::{Batch, Key};
use std::collections::BTreeMap;

/// Inputs of a decision beside the values of the declared keys.
pub(crate) struct Circumstances<'c> {
    pub(crate) clock: &'c Clock,
    /// Values that key templates generate.
    pub(super) draws: Draws,
    pub(super) fillings: Fillings<'c>,
    /// Stamps of the changes in tables with a history.
    pub(super) stamps: Stamps<'c>,
    /// Versions that are kept as items.
    pub(super) revisions: Revisions<'c>,
}

/// Decides writes that are done all or none.
pub(super) fn decide_all(
    writes: &[(&Table, Write<'_>)],
    current: &[Option<Bytes>],
    circumstances: &Circumstances<'_>,
    batch: &mut Batch,
    admission: Option<&mut dyn Admit>,
) -> ApiResult<Vec<Written>> {
    decide_each(writes, current, circumstances, batch, admission).collect()
}

/// Decides writes one after the other. `current` has the values of their declared keys; if one
/// write fails, the caller must not use the batch.
pub(crate) fn decide_each<'w, 'e: 'w>(
    writes: &'w [(&Table, Write<'_>)],
    current: &'w [Option<Bytes>],
    circumstances: &'w Circumstances<'w>,
    batch: &'w mut Batch,
    mut admission: Option<&'w mut (dyn Admit + 'e)>,
) -> impl Iterator<Item = ApiResult<Written>> + 'w {
    let (items, collections) = current.split_at(writes.len());
    let mut collections = Collections::read(writes, collections);
    writes.iter().zip(items).map(move |((table, write), stored)| {
        let old = stored.clone().map(Item::from_stored).transpose().map_err(fault::of_form)?;
        decide(
            table,
            write,
            old,
            &mut collections,
            circumstances,
            batch,
            reborrowed(&mut admission),
        )
    })
}

/// Reborrows an admission.
pub(super) fn reborrowed<'a>(
    admission: &'a mut Option<&mut (dyn Admit + '_)>,
) -> Option<&'a mut dyn Admit> {
    match admission {
        Some(admission) => Some(&mut **admission),
        None => None,
    }
}

/// Decides writes one after the other, each independent of the others' success.
pub(super) fn decide_apart(
    writes: &[(&Table, Write<'_>)],
    current: &[Option<Bytes>],
    circumstances: &Circumstances<'_>,
    batch: &mut Batch,
    mut admission: Option<&mut dyn Admit>,
) -> ApiResult<Vec<Attempt>> {
    let (items, collections) = current.split_at(writes.len());
    let mut collections = Collections::read(writes, collections);
    let mut attempts = Vec::with_capacity(writes.len());
    for ((table, write), stored) in writes.iter().zip(items) {
        let old = stored.clone().map(Item::from_stored).transpose().map_err(fault::of_form)?;
        let stored_bytes = old.as_ref().map_or(0, Item::size);
        let mut own = Batch::new();
        let admission = reborrowed(&mut admission);
        let result =
            decide(table, write, old, &mut collections, circumstances, &mut own, admission);
        if result.is_ok() {
            batch.extend(own);
        }
        attempts.push(Attempt { result, stored_bytes });
    }
    Ok(attempts)
}

/// Sizes of the item collections that the writes touch, updated by each write.
struct Collections(BTreeMap<Key, i64>);

impl Collections {
    fn read(writes: &[(&Table, Write<'_>)], stored: &[Option<Bytes>]) -> Self {
        let keys = writes
            .iter()
            .filter(|(table, _)| table.has_local_index)
            .map(|(_, write)| write.key.collection_size_key());
        let sizes = stored.iter().map(|stored| stored.as_deref().map_or(0, decode_size));
        Self(keys.zip(sizes).collect())
    }

    /// Adds `growth` and returns the new size; a collection over its limit may only shrink.
    fn grow(&mut self, key: Key, growth: i64, batch: &mut Batch) -> Result<i64, Reason> {
        let size = self.0.entry(key.clone()).or_default();
        *size += growth;
        assert!(*size >= 0, "an item collection has a negative size");
        if growth > 0 && *size > ITEM_COLLECTION_MAX_BYTES {
            *size -= growth;
            return Err(Reason::ItemCollectionTooLarge);
        }
        if growth != 0 && *size == 0 {
            batch.delete(key);
        } else if growth != 0 {
            batch.put(key, Bytes::copy_from_slice(&size.to_le_bytes()));
        }
        Ok(*size)
    }
}

/// Returns the size of an item collection from its stored form.
fn decode_size(stored: &[u8]) -> i64 {
    i64::from_le_bytes(stored.try_into().expect("a stored size has 8 bytes"))
}

fn decide(
    table: &Table,
    write: &Write<'_>,
    old: Option<Item>,
    collections: &mut Collections,
    circumstances: &Circumstances<'_>,
    batch: &mut Batch,
    mut admission: Option<&mut dyn Admit>,
) -> ApiResult<Written> {
    let place = layout::parse_keyspace(&write.key.bytes);
    assert_eq!(place, Some((table.id(), IndexId::BASE)), "a write is of an item of its table");
    if let Some(admission) = &mut admission {
        admission.admit_write(table, &write.key)?;
    }
    if let Err(failed) = check_condition(write, old.as_ref()) {
        if let Some(admission) = admission {
            let units = Units::of_table(write_units(old.as_ref().map_or(0, Item::size)));
            admission.add_write(table, write.key.hash(), &units, None);
        }
        return Err(failed);
    }
    let mut new = new_image(table, write, old.as_ref(), &circumstances.draws)?;
    let (numbered, revision) = numbered(table, write, old.as_ref(), new, circumstances)?;
    new = numbered;
    let size = |item: Option<&Item>| item.map_or(0, Item::size);
    let (old_size, new_size) = (size(old.as_ref()), size(new.as_ref()));
    let mut units = Units::of_table(write_units(old_size.max(new_size)));
    let mut growth = 0;
    if old != new {
        let images = (old.as_ref(), new.as_ref());
        growth =
            change(table, &write.key, images, write.author(), circumstances, batch, &mut units);
        if let (Action::Derive, Some(old), Some(new)) = (&write.action, &old, &new) {
            undo::note(table, &write.key.bytes, (old, new), batch);
        }
    }
    if let (Some(revision), Some(state)) = (revision, &new) {
        growth += keep(table, write, state, revision, circumstances, batch, &mut units)?;
    }
    if let Action::Restore(undo) = &write.action {
        batch.delete(undo.row.clone());
    }
    if let Some(admission) = admission {
        let images = (old.as_ref(), new.as_ref());
        admission.admit_indexes(table, &units, images)?;
        admission.add_write(table, write.key.hash(), &units, images.1.or(images.0));
    }
    let collection_bytes = if table.has_local_index {
        Some(collections.grow(write.key.collection_size_key(), growth, batch)?)
    } else {
        None
    };
    Ok(Written { old, new, units, collection_bytes })
}

/// Puts into the batch all that follows from a change of an item; adds the units of its index entries. Returns the
/// growth of its item collection, bytes.
fn change(
    table: &Table,
    key: &ItemKey,
    images: (Option<&Item>, Option<&Item>),
    author: Author,
    circumstances: &Circumstances<'_>,
    batch: &mut Batch,
    units: &mut Units,
) -> i64 {
    let (old, new) = images;
    let is_fitting = new.is_none_or(|new| new.size() <= ITEM_SIZE_MAX_BYTES);
    assert!(is_fitting, "an item over the limit is refused, not stored");
    let counted = |item: Option<&Item>| item.map_or(0, index::counted);
    let growth = counted(new) - counted(old);
    let entries = i64::from(new.is_some()) - i64::from(old.is_some());
    index::count(table, IndexId::BASE, entries, growth, batch);
    let fillings = &circumstances.fillings;
    let growth = growth + index::maintain(table, &key.bytes, images, fillings, batch, units);
    if let Some(stream) = &table.stream {
        let now_ms = (circumstances.clock)();
        stream.append(&table.key, key, images, now_ms, author, batch);
    }
    if let Some(expiry) = &table.expiry {
        expiry.maintain(table.id(), key, images, batch);
    }
    if table.keeps_history {
        let stamp = circumstances.stamps.of(&key.bytes);
        history::keep(key, old, author == Author::TimeToLive, stamp, batch);
    }
    match new {
        Some(item) => batch.put(key.bytes.clone(), item.as_bytes().clone()),
        None => batch.delete(key.bytes.clone()),
    }
    growth
}

/// Returns the new image with the number of its latest version, and the version that is kept of it, if one is.
fn numbered<'c>(
    table: &Table,
    write: &Write<'_>,
    old: Option<&Item>,
    new: Option<Item>,
    circumstances: &'c Circumstances<'_>,
) -> ApiResult<(Option<Item>, Option<&'c Revision<'c>>)> {
    let revision = circumstances.revisions.of(&write.key.bytes);
    let (Some(revision), Some(rules), Some(state)) = (revision, &table.versions, &new) else {
        return Ok((new, None));
    };
    let (state, is_changed) = rules.with_stored_number(old, state);
    if !is_changed {
        return Ok((Some(state), None));
    }
    let revision = revision.as_ref().map_err(Clone::clone)?;
    let state = revision.numbered(&state);
    check_size(write, &state)?;
    Ok((Some(state), Some(revision)))
}

/// Keeps the version of a newest state, and removes those that are no longer kept. Returns the growth of the item
/// collection, bytes.
fn keep(
    table: &Table,
    write: &Write<'_>,
    state: &Item,
    revision: &Revision<'_>,
    circumstances: &Circumstances<'_>,
    batch: &mut Batch,
    units: &mut Units,
) -> ApiResult<i64> {
    let expires_by = table.expiry.as_ref().map(|expiry| expiry.attribute.as_str());
    // Time to live may have got another attribute since the rules were checked.
    let expires_by = expires_by.filter(|attribute| table.can_expire_by(attribute));
    let mut version = revision.copy(state, expires_by, (circumstances.clock)());
    if let Some(derived) = &table.derived {
        let draw = circumstances.draws.of_item(&revision.version.bytes);
        version = derive::of_copy(derived, state, &version, draw)?;
    }
    check_size(write, &version)?;
    let removed = revision.aged.iter().map(|(key, before)| (*key, Some(before), None));
    let mut growth = 0;
    for (key, before, after) in
        std::iter::once((revision.version, None, Some(&version))).chain(removed)
    {
        units.table += write_units([before, after].into_iter().flatten().map(Item::size).sum());
        let images = (before, after);
        growth += change(table, key, images, write.author(), circumstances, batch, units);
    }
    Ok(growth)
}

/// Refuses an item that a number or a longer key makes too large.
fn check_size(write: &Write<'_>, item: &Item) -> Result<(), Reason> {
    if item.size() <= ITEM_SIZE_MAX_BYTES {
        return Ok(());
    }
    let is_update = matches!(write.action, Action::Update(_));
    Err(if is_update { Reason::UpdatedItemTooLarge } else { Reason::ItemTooLarge })
}

fn check_condition(write: &Write<'_>, old: Option<&Item>) -> ApiResult<()> {
    let Some(condition) = write.condition else { return Ok(()) };
    let absent = Item::empty();
    if condition.matches(old.unwrap_or(&absent)) {
        return Ok(());
    }
    let item = old.filter(|_| write.returns_item_on_failure).cloned();
    let met_bytes = old.map_or(0, Item::size);
    Err(ApiError::new(Reason::ConditionalCheckFailed).with_item(item).with_met_bytes(met_bytes))
}

fn new_image(
    table: &Table,
    write: &Write<'_>,
    old: Option<&Item>,
    draws: &Draws,
) -> ApiResult<Option<Item>> {
    let draw = || draws.of_item(&write.key.bytes);
    match &write.action {
        Action::Put(item) => Ok(Some(item.clone())),
        Action::PutUnsettled(item) => {
            let derived = table.derived.as_deref().unwrap_or_default();
            Ok(Some(derive::settle(derived, old, item, draw())?))
        }
        Action::Delete => Ok(None),
        Action::Check => Ok(old.cloned()),
        Action::Expire(due) => {
            let is_due =
                |old: &&Item| table.expiry.as_ref().is_some_and(|expiry| expiry.is_due(old, *due));
            Ok(old.filter(|old| !is_due(old)).cloned())
        }
        Action::Derive => match (old, &table.derived) {
            (Some(old), Some(derived)) => Ok(Some(derive::of_stored(derived, old, draw())?)),
            (old, _) => Ok(old.cloned()),
        },
        Action::Restore(undo) => Ok(old.map(|old| undo.applied(old))),
        Action::Update(update) if old.is_none() && !update.creates_item() => Ok(None),
        Action::Update(update) => {
            let before = old.unwrap_or(&write.key_attributes);
            let mut new = update.apply(before)?;
            if let Some(derived) = &table.derived {
                new = derive::of_update(derived, old, &new, draw())?;
            }
            if new.size() > ITEM_SIZE_MAX_BYTES {
                return Err(Reason::UpdatedItemTooLarge.into());
            }
            index::check_updated(table, update, &new)?;
            Ok(Some(new))
        }
    }
}
