//! The conditional write that every writing operation shares: PutItem, UpdateItem, DeleteItem, the
//! members of a batch and the actions of a transaction ([`crate::transaction`]).
//!
//! A write names its key, is decided on the newest image of its item under the key's lock, and
//! leaves in one batch: the item, its index entries, the counters, the size of its collection, its
//! record in the change log.

use crate::capacity::{Charge, Units, write_units};
use crate::change_log::Author;
use crate::engine::{Core, Engine};
use crate::environment::Clock;
use crate::expiry::Due;
use crate::layout::{self, ItemKey};
use crate::schema::{IndexId, Table};
use crate::throughput::{Admission, Arm};
use crate::{fault, index};
use bytes::Bytes;
use hashrange_expr::{Condition, Update};
use hashrange_model::error::IndexedKeyFault;
use hashrange_model::limits::{ITEM_COLLECTION_MAX_BYTES, ITEM_SIZE_MAX_BYTES};
use hashrange_model::{ApiError, ApiResult, Item, Reason};
use hashrange_storage::{Batch, Key, Store};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a write does to its item.
#[derive(Debug)]
pub(crate) enum Action<'p> {
    /// Replaces it.
    Put(Item),
    /// Changes or creates it.
    Update(&'p Update),
    /// Removes it.
    Delete,
    /// Leaves it: only the condition counts.
    Check,
    /// Removes it if it is due by its time-to-live attribute.
    Expire(Due),
}

/// One write, checked against its table.
#[derive(Debug)]
pub(crate) struct Write<'p> {
    pub(crate) key: ItemKey,
    /// The key attributes: what an update creates if there is no item.
    pub(crate) key_attributes: Item,
    pub(crate) condition: Option<&'p Condition>,
    pub(crate) action: Action<'p>,
    /// Whether a failed condition returns the item it met.
    pub(crate) returns_item_on_failure: bool,
}

impl Write<'_> {
    /// Returns who makes the change.
    fn author(&self) -> Author {
        match self.action {
            Action::Expire(_) => Author::TimeToLive,
            Action::Put(_) | Action::Update(_) | Action::Delete | Action::Check => Author::Client,
        }
    }
}

/// What a write did.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) old: Option<Item>,
    pub(crate) new: Option<Item>,
    pub(crate) units: Units,
    /// Bytes of the item collection afterwards, on tables with local indexes.
    pub(crate) collection_bytes: Option<i64>,
}

/// A write of several that are decided apart.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) result: ApiResult<Written>,
    /// Size of the item as the write found it.
    pub(crate) stored_bytes: usize,
}

impl Attempt {
    /// Returns the attempt of a write that was not decided.
    pub(crate) fn lost(error: &ApiError) -> Self {
        Self { result: Err(error.clone()), stored_bytes: 0 }
    }
}

/// The admission of the request that writes, if its throughput is limited.
pub(crate) type Gate<'g, 'e> = Option<&'g mut Admission<'e>>;

/// What a deciding function found.
enum Decision<T> {
    /// The table's definition has changed under the write: plan it again.
    Replan,
    Done(ApiResult<T>),
}

impl<S: Store> Engine<S> {
    /// Runs writes on one table atomically. `plan` checks the request against the table's current
    /// definition; it runs again if the definition changes meanwhile.
    pub(crate) async fn write<'p>(
        &self,
        table_name: &str,
        plan: impl Fn(&Table) -> ApiResult<Write<'p>> + Send + Sync,
    ) -> ApiResult<(Arc<Table>, Written)> {
        loop {
            let table = self.table(table_name)?;
            let write = plan(&table)?;
            let mut writes = [(&*table, write)];
            if let Some(mut written) = self.commit(&mut writes).await? {
                return Ok((table, written.pop().expect("one write was decided")));
            }
        }
    }

    /// Decides and commits writes as one batch; see [`Core::write`].
    pub(crate) async fn commit(
        &self,
        writes: &mut [(&Table, Write<'_>)],
    ) -> ApiResult<Option<Vec<Written>>> {
        self.core().write_admitted(writes, self.core().admission()).await
    }

    /// Decides and commits writes like [`commit`](Self::commit), but each by itself: those that
    /// fail leave the others alone.
    pub(crate) async fn commit_apart(
        &self,
        writes: &mut [(&Table, Write<'_>)],
    ) -> ApiResult<Option<Vec<Attempt>>> {
        let clock = &*self.environment().now_ms;
        let decide =
            |writes: &[(&Table, Write<'_>)],
             current: &[Option<Bytes>],
             batch: &mut Batch,
             gate: Gate<'_, '_>| { decide_apart(writes, current, clock, batch, gate) };
        let admission = self.core().admission().map(Admission::of_batch);
        self.core().decide_and_commit(writes, None, admission, decide).await
    }
}

impl<S: Store> Core<S> {
    /// Decides and commits writes as one batch; `None` if a definition has changed and the writes
    /// must be planned again. The keys must be distinct. For the engine's own writes, which no
    /// throughput limits.
    pub(crate) async fn write(
        &self,
        writes: &mut [(&Table, Write<'_>)],
    ) -> ApiResult<Option<Vec<Written>>> {
        self.write_admitted(writes, None).await
    }

    async fn write_admitted(
        &self,
        writes: &mut [(&Table, Write<'_>)],
        admission: Option<Admission<'_>>,
    ) -> ApiResult<Option<Vec<Written>>> {
        let clock = &*self.environment.now_ms;
        self.decide_and_commit(writes, None, admission, |writes, current, batch, gate| {
            decide_all(writes, current, clock, batch, gate)
        })
        .await
    }

    /// Shows `decide` the newest values of the keys that the writes declare, followed by that of
    /// `more`, and commits the batch that it fills, unless it fails. `None` if a definition has
    /// changed and the writes must be planned again.
    ///
    /// [`Reason::TransactionConflict`] means that others were faster again and again.
    pub(crate) async fn decide_and_commit<T: Send>(
        &self,
        writes: &[(&Table, Write<'_>)],
        more: Option<&Key>,
        mut admission: Option<Admission<'_>>,
        decide: impl Fn(
            &[(&Table, Write<'_>)],
            &[Option<Bytes>],
            &mut Batch,
            Gate<'_, '_>,
        ) -> ApiResult<T>
        + Send
        + Sync,
    ) -> ApiResult<Option<T>> {
        self.remember_view(admission.as_ref());
        let keys = || declared_keys(writes, more);
        let decided = self.commit(keys, |current, batch| {
            if writes.iter().any(|(table, _)| !table.admits_writes()) {
                return Decision::Replan;
            }
            let mut gate = admission.as_mut();
            if let Some(gate) = &mut gate {
                gate.restart();
            }
            let decided = decide(writes, current, batch, gate);
            if decided.is_err() {
                batch.clear();
            }
            Decision::Done(decided)
        });
        let tables = writes.iter().map(|(table, _)| *table);
        match decided.await.map_err(|error| fault::of_commit(tables, error))? {
            Decision::Done(decided) => {
                if let Some(admission) = admission {
                    admission.settle();
                }
                decided.map(Some)
            }
            Decision::Replan => {
                self.store.sync().await.map_err(fault::of_store)?;
                Ok(None)
            }
        }
    }
}

/// Returns the item keys in order, followed by the keys of the item collections' sizes and `more`.
fn declared_keys(writes: &[(&Table, Write<'_>)], more: Option<&Key>) -> Vec<Key> {
    let items = writes.iter().map(|(_, write)| write.key.bytes.clone());
    let collections = writes
        .iter()
        .filter(|(table, _)| table.has_local_index)
        .map(|(_, write)| write.key.collection_size_key());
    items.chain(collections).chain(more.cloned()).collect()
}

fn decide_all(
    writes: &[(&Table, Write<'_>)],
    current: &[Option<Bytes>],
    clock: &Clock,
    batch: &mut Batch,
    gate: Gate<'_, '_>,
) -> ApiResult<Vec<Written>> {
    decide_each(writes, current, clock, batch, gate).collect()
}

/// Decides writes one after the other. `current` are the values of their declared keys; if one
/// write fails, the batch is not to be used.
pub(crate) fn decide_each<'w, 'e: 'w>(
    writes: &'w [(&Table, Write<'_>)],
    current: &'w [Option<Bytes>],
    clock: &'w Clock,
    batch: &'w mut Batch,
    mut gate: Gate<'w, 'e>,
) -> impl Iterator<Item = ApiResult<Written>> + 'w {
    let (items, collections) = current.split_at(writes.len());
    let mut collections = Collections::read(writes, collections);
    writes.iter().zip(items).map(move |((table, write), stored)| {
        let old = stored.clone().map(Item::from_stored).transpose().map_err(fault::of_form)?;
        decide(table, write, old, &mut collections, clock, batch, gate.as_deref_mut())
    })
}

/// Decides writes one after the other, each whatever becomes of the others.
fn decide_apart(
    writes: &[(&Table, Write<'_>)],
    current: &[Option<Bytes>],
    clock: &Clock,
    batch: &mut Batch,
    mut gate: Gate<'_, '_>,
) -> ApiResult<Vec<Attempt>> {
    let (items, collections) = current.split_at(writes.len());
    let mut collections = Collections::read(writes, collections);
    let mut attempts = Vec::with_capacity(writes.len());
    for ((table, write), stored) in writes.iter().zip(items) {
        let old = stored.clone().map(Item::from_stored).transpose().map_err(fault::of_form)?;
        let stored_bytes = old.as_ref().map_or(0, Item::size);
        let mut own = Batch::new();
        let gate = gate.as_deref_mut();
        let result = decide(table, write, old, &mut collections, clock, &mut own, gate);
        if result.is_ok() {
            batch.extend(own);
        }
        attempts.push(Attempt { result, stored_bytes });
    }
    Ok(attempts)
}

/// The sizes of the item collections that the writes touch, as they grow.
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

/// Returns the stored size of an item collection.
pub(crate) fn decode_size(stored: &[u8]) -> i64 {
    i64::from_le_bytes(stored.try_into().expect("a stored size has 8 bytes"))
}

fn decide(
    table: &Table,
    write: &Write<'_>,
    old: Option<Item>,
    collections: &mut Collections,
    clock: &Clock,
    batch: &mut Batch,
    mut gate: Gate<'_, '_>,
) -> ApiResult<Written> {
    let place = layout::parse_keyspace(&write.key.bytes);
    assert_eq!(place, Some((table.id(), IndexId::BASE)), "a write is of an item of its table");
    if let Some(gate) = &mut gate {
        gate.admit(&Arm::new(table, None, Some(write.key.hash()), Charge::Write))?;
    }
    if let Err(failed) = check_condition(write, old.as_ref()) {
        if let Some(gate) = gate {
            let units = Units::of_table(write_units(old.as_ref().map_or(0, Item::size)));
            gate.add_write(table, write.key.hash(), &units, None);
        }
        return Err(failed);
    }
    let new = new_image(table, write, old.as_ref())?;
    let size = |item: Option<&Item>| item.map_or(0, Item::size);
    let (old_size, new_size) = (size(old.as_ref()), size(new.as_ref()));
    let mut units = Units::of_table(write_units(old_size.max(new_size)));
    let counted = |item: Option<&Item>| item.map_or(0, index::counted);
    let mut growth = counted(new.as_ref()) - counted(old.as_ref());
    if old != new {
        assert!(new_size <= ITEM_SIZE_MAX_BYTES, "an item over the limit is refused, not stored");
        let entries = i64::from(new.is_some()) - i64::from(old.is_some());
        index::count(table, IndexId::BASE, entries, growth, batch);
        growth += index::maintain(table, old.as_ref(), new.as_ref(), batch, &mut units);
        if let Some(stream) = &table.stream {
            let images = (old.as_ref(), new.as_ref());
            stream.append(&table.key, &write.key, images, clock(), write.author(), batch);
        }
        if let Some(expiry) = &table.expiry {
            let images = (old.as_ref(), new.as_ref());
            expiry.maintain(table.id(), &write.key, images, batch);
        }
        match &new {
            Some(item) => batch.put(write.key.bytes.clone(), item.as_bytes().clone()),
            None => batch.delete(write.key.bytes.clone()),
        }
    }
    if let Some(gate) = gate {
        let images = (old.as_ref(), new.as_ref());
        gate.admit_indexes(table, &units, images)?;
        gate.add_write(table, write.key.hash(), &units, images.1.or(images.0));
    }
    let collection_bytes = if table.has_local_index {
        Some(collections.grow(write.key.collection_size_key(), growth, batch)?)
    } else {
        None
    };
    Ok(Written { old, new, units, collection_bytes })
}

fn check_condition(write: &Write<'_>, old: Option<&Item>) -> ApiResult<()> {
    let Some(condition) = write.condition else { return Ok(()) };
    let absent = Item::empty();
    if condition.matches(old.unwrap_or(&absent)) {
        return Ok(());
    }
    let item = old.filter(|_| write.returns_item_on_failure).cloned();
    Err(ApiError::new(Reason::ConditionalCheckFailed).with_item(item))
}

fn new_image(table: &Table, write: &Write<'_>, old: Option<&Item>) -> ApiResult<Option<Item>> {
    match &write.action {
        Action::Put(item) => Ok(Some(item.clone())),
        Action::Delete => Ok(None),
        Action::Check => Ok(old.cloned()),
        Action::Expire(due) => {
            let is_due =
                |old: &&Item| table.expiry.as_ref().is_some_and(|expiry| expiry.is_due(old, *due));
            Ok(old.filter(|old| !is_due(old)).cloned())
        }
        Action::Update(update) if old.is_none() && !update.creates_item() => Ok(None),
        Action::Update(update) => {
            let before = old.unwrap_or(&write.key_attributes);
            let new = update.apply(before)?;
            if new.size() > ITEM_SIZE_MAX_BYTES {
                return Err(Reason::UpdatedItemTooLarge.into());
            }
            index::check_keys(table, Some(before), &new)
                .map_err(|reason| computed_index_key(update, reason))?;
            Ok(Some(new))
        }
    }
}

/// Returns the fault of an index key in the words for one that the update did not give itself.
/// Source: captured before 2020.
fn computed_index_key(update: &Update, reason: Reason) -> Reason {
    match reason {
        Reason::UpdatedIndexKey { attribute, fault: IndexedKeyFault::Type { .. }, .. }
            if !update.sets_given_value(&attribute) =>
        {
            Reason::UpdatedIndexKeyType
        }
        other => other,
    }
}

/// Returns the byte key of an item that is put, or the first fault of its key attributes.
pub(crate) fn key_of_item(table: &Table, item: &Item) -> Result<ItemKey, Reason> {
    layout::item_key(table, item).map_err(fault::of_item_key)
}

/// Returns the byte key for a `Key` member: exactly the key attributes, in the declared types.
pub(crate) fn key_of_key(table: &Table, key: &Item) -> Result<ItemKey, Reason> {
    if key.iter().count() != table.key.len() {
        return Err(Reason::KeyElementMismatch);
    }
    layout::item_key(table, key).map_err(fault::of_key_member)
}
