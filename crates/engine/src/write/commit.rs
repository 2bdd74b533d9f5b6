//! Commit of all writes: plans a write, decides it under the locks of its keys, and plans it again
//! if a definition has changed meanwhile.

use super::claims;
use super::decide::{decide_all, decide_apart, reborrowed};
use super::draws::Draws;
use super::moment::{Stamps, changed_keys};
use super::numbered::Numbered;
use super::{Admit, Attempt, Circumstances, Write, Written};
use crate::core::Core;
use crate::filling::{FillingIndex, Fillings, key_of};
use crate::schema::Table;
use crate::{fault, layout};
use bytes::Bytes;
use hashrange_model::ApiResult;
use hashrange_storage::{Batch, Key, Keys, Store};
use std::future::Future;

/// Repeats `attempt`, which plans and decides writes, until no definition has changed in between.
pub(crate) async fn until_decided<T, F>(attempt: impl Fn() -> F) -> ApiResult<T>
where
    F: Future<Output = ApiResult<Option<T>>>,
{
    loop {
        if let Some(decided) = attempt().await? {
            return Ok(decided);
        }
    }
}

/// Result of a deciding function.
enum Decision<T> {
    /// The table's definition has changed: plan the write again.
    Replan,
    /// A key of the write is claimed: decide the write when the claim is gone.
    Claimed((Key, Bytes)),
    /// Others took the numbers of the versions whose keys are declared: choose again by these values of the items and
    /// their versions.
    Taken(Vec<Option<Bytes>>, Vec<Option<Bytes>>),
    Done(ApiResult<T>),
}

impl<S: Store> Core<S> {
    /// Decides and commits writes as one batch; `None` if a definition has changed and the writes
    /// must be planned again. The keys must be distinct.
    pub(crate) async fn write(
        &self,
        writes: &[(&Table, Write<'_>)],
        admission: Option<&mut dyn Admit>,
    ) -> ApiResult<Option<Vec<Written>>> {
        self.decide_and_commit(writes, None, admission, |current, known, batch, admission| {
            decide_all(writes, current, known, batch, admission)
        })
        .await
    }

    /// Decides and commits writes like [`write`](Self::write), but each by itself: a failed write
    /// does not affect the others.
    pub(crate) async fn write_apart(
        &self,
        writes: &[(&Table, Write<'_>)],
        admission: Option<&mut dyn Admit>,
    ) -> ApiResult<Option<Vec<Attempt>>> {
        self.decide_and_commit(writes, None, admission, |current, known, batch, admission| {
            decide_apart(writes, current, known, batch, admission)
        })
        .await
    }

    /// Calls `decide` with the newest values of the keys that the writes declare, followed by that
    /// of `more`, and commits the batch that it fills, unless it fails. `None` if a definition has
    /// changed and the writes must be planned again.
    ///
    /// A transaction conflict means that other writers won all attempts.
    pub(crate) async fn decide_and_commit<T: Send>(
        &self,
        writes: &[(&Table, Write<'_>)],
        more: Option<&Key>,
        mut admission: Option<&mut dyn Admit>,
        decide: impl Fn(
            &[Option<Bytes>],
            &Circumstances<'_>,
            &mut Batch,
            Option<&mut dyn Admit>,
        ) -> ApiResult<T>
        + Send
        + Sync,
    ) -> ApiResult<Option<T>> {
        let is_shared = self.store.is_shared();
        let clock = &*self.environment.now_ms;
        let places = claims::places_of(writes);
        let draws = Draws::of(writes, &self.environment);
        let mut numbered = self.numbered(writes).await?;
        let mut met = 0;
        loop {
            let keys = || Keys {
                write: declared_keys(writes, &numbered, more),
                read: read_keys(&places, is_shared),
            };
            let decided = self.commit(keys, |current, batch| {
                let (current, number) = current.split_at(current.len() - usize::from(is_shared));
                let is_newest = number.iter().all(|number| self.is_newest(number.as_deref()));
                if !is_newest || writes.iter().any(|(table, _)| !table.admits_writes()) {
                    return Decision::Replan;
                }
                let (current, filled) = current.split_at(current.len() - places.len());
                let fillings = match Fillings::read(&places, filled) {
                    Ok(fillings) => fillings,
                    Err(key) => return Decision::Done(Err(fault::of_value(&key))),
                };
                let mut keys = writes.iter().map(|(table, write)| (table.id(), &write.key.bytes));
                if let Some(claim) = keys.find_map(|(table, key)| fillings.claim_on(table, key)) {
                    return Decision::Claimed(claim);
                }
                let (items, versions) = stored_versions(writes, &numbered, current);
                let Some(revisions) = numbered.read(items, versions) else {
                    return Decision::Taken(items.to_vec(), versions.to_vec());
                };
                let stamps = match Stamps::of_commit(writes, &numbered, current, clock) {
                    Ok(stamps) => stamps,
                    Err(key) => return Decision::Done(Err(fault::of_value(&key))),
                };
                let known = Circumstances { clock, draws, fillings, stamps, revisions };
                let mut admission = reborrowed(&mut admission);
                if let Some(admission) = &mut admission {
                    admission.restart();
                }
                let decided = decide(current, &known, batch, admission);
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
                    return decided.map(Some);
                }
                Decision::Claimed(claim) => {
                    met += 1;
                    // On the heap: claims are rare, and the future of every write would be as large
                    // otherwise.
                    Box::pin(self.await_end_of_claim(&claim, met)).await?;
                }
                Decision::Taken(items, versions) => {
                    numbered.choose_again(writes, &items, &versions);
                }
                Decision::Replan => {
                    self.store.sync().await.map_err(fault::of_store)?;
                    self.refresh().await?;
                    return Ok(None);
                }
            }
        }
    }
}

impl<S: Store> Core<S> {
    /// Returns the versions that writes keep as items.
    async fn numbered<'w>(&self, writes: &'w [(&Table, Write<'_>)]) -> ApiResult<Numbered<'w>> {
        if writes.iter().all(|(table, _)| table.versions.is_none()) {
            return Ok(Numbered::default());
        }
        // On the heap: rare, and the future of every write would be as large.
        Box::pin(Numbered::of(self, writes)).await
    }
}

/// Returns the keys that writes only read: the progress of filling indexes, and the number of
/// definitions.
fn read_keys(places: &[FillingIndex], is_shared: bool) -> Vec<Key> {
    let number = is_shared.then(layout::definitions_number);
    places.iter().copied().map(key_of).chain(number).collect()
}

/// Returns the item keys in order, followed by the keys of the item collections' sizes, of the
/// items' last changes, of versions that are kept as items, and `more`.
pub(super) fn declared_keys(
    writes: &[(&Table, Write<'_>)],
    numbered: &Numbered<'_>,
    more: Option<&Key>,
) -> Vec<Key> {
    let items = writes.iter().map(|(_, write)| write.key.bytes.clone());
    let collections = writes
        .iter()
        .filter(|(table, _)| table.has_local_index)
        .map(|(_, write)| write.key.collection_size_key());
    let versions = numbered.keys().map(|(_, key)| key.clone());
    let changed = changed_keys(writes, numbered);
    items.chain(collections).chain(changed).chain(versions).chain(more.cloned()).collect()
}

/// Returns the values of the items and of versions that are kept as items, from those of the declared keys.
pub(super) fn stored_versions<'c>(
    writes: &[(&Table, Write<'_>)],
    numbered: &Numbered<'_>,
    current: &'c [Option<Bytes>],
) -> (&'c [Option<Bytes>], &'c [Option<Bytes>]) {
    let (items, rest) = current.split_at(writes.len());
    let count = numbered.keys().count();
    if count == 0 {
        return (items, &[]);
    }
    let sized = writes.iter().filter(|(table, _)| table.has_local_index).count();
    let before = sized + changed_keys(writes, numbered).count();
    (items, rest.get(before..before + count).expect("the keys of versions are declared"))
}
