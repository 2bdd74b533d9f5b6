//! The target of a copy: `begin` requires it to be empty (or empties an unfinished copy) and marks
//! it as unfinished; `finish` replaces the mark by one that names the copy.
//!
//! On a shared target the mark and its replacement are changes of definitions: a server that was
//! started on the target earlier finds the mark when it next reads its tables.

use super::commits::commit;
use super::pages::{Pages, size_of};
use super::{CopyError, Counting};
use crate::core::{FINISHED, UNFINISHED, is_unfinished};
use crate::layout;
use hashrange_storage::{AnyStore, Batch, Bytes, Error, Key, KeyRange, Keys, Store};

/// Returns the mark for a copy.
fn mark_of(form: u8, id: u128) -> Bytes {
    Bytes::from([&[form][..], &id.to_le_bytes()].concat())
}

/// Reads the mark of a store.
pub(super) async fn mark(store: &AnyStore) -> Result<Option<Bytes>, Error> {
    store.get(&layout::copy_mark()).await
}

/// Returns whether a mark is that of this copy, unfinished.
pub(super) fn is_begun_by(id: u128, mark: Option<&Bytes>) -> bool {
    mark.is_some_and(|mark| *mark == mark_of(UNFINISHED, id))
}

/// Returns whether a mark is that of this copy, finished.
pub(super) fn is_finished_by(id: u128, mark: Option<&Bytes>) -> bool {
    mark.is_some_and(|mark| *mark == mark_of(FINISHED, id))
}

/// Marks the target, which must be empty; or empties it, if it is an unfinished copy and
/// `is_restarted`.
pub(super) async fn begin(
    target: &AnyStore,
    id: u128,
    is_restarted: bool,
    counting: &mut Counting<'_>,
) -> Result<(), CopyError> {
    if is_unfinished(mark(target).await.map_err(CopyError::Target)?.as_deref()) {
        if !is_restarted {
            return Err(CopyError::Unfinished);
        }
        mark_as(target, id).await?;
        return empty(target, counting).await.map_err(CopyError::Target);
    }
    if has_data(target).await.map_err(CopyError::Target)? {
        return Err(CopyError::NotEmpty);
    }
    mark_as(target, id).await?;
    // Another client may have written before the mark.
    if has_data(target).await.map_err(CopyError::Target)? {
        unmark(target, id).await?;
        return Err(CopyError::NotEmpty);
    }
    Ok(())
}

/// Marks the target as a finished copy.
pub(super) async fn finish(target: &AnyStore, id: u128) -> Result<(), CopyError> {
    let mut is_ours = false;
    change_definitions(target, layout::copy_mark(), |mark, _, batch| {
        // The mark is already that of a finished copy if an attempt of unknown outcome was
        // committed.
        is_ours = is_begun_by(id, mark) || is_finished_by(id, mark);
        if is_ours {
            batch.put(layout::copy_mark(), mark_of(FINISHED, id));
        }
    })
    .await
    .map_err(CopyError::Target)?;
    if is_ours { Ok(()) } else { Err(CopyError::GivenUp) }
}

/// Removes the mark from a target that turned out to hold data.
async fn unmark(target: &AnyStore, id: u128) -> Result<(), CopyError> {
    change_definitions(target, layout::copy_mark(), |mark, _, batch| {
        if is_begun_by(id, mark) {
            batch.delete(layout::copy_mark());
        }
    })
    .await
    .map_err(CopyError::Target)
}

/// Marks the target, and replaces the mark of another copy.
async fn mark_as(target: &AnyStore, id: u128) -> Result<(), CopyError> {
    change_definitions(target, layout::copy_mark(), |_, _, batch| {
        batch.put(layout::copy_mark(), mark_of(UNFINISHED, id));
    })
    .await
    .map_err(CopyError::Target)
}

/// Commits a change of one key, which on a shared store is a change of definitions. `write` gets
/// the stored value and the number of the change.
pub(crate) async fn change_definitions<S: Store>(
    store: &S,
    key: Key,
    mut write: impl FnMut(Option<&Bytes>, u64, &mut Batch) + Send,
) -> Result<(), Error> {
    let number = layout::definitions_number();
    let mut write_keys = vec![key];
    write_keys.extend(store.is_shared().then(|| number.clone()));
    let keys = Keys { write: write_keys, read: Vec::new() };
    commit(store, &keys, |current, batch| {
        let (stored, numbers) = current.split_first().expect("the key is declared");
        let before = numbers.iter().flatten().find_map(|stored| stored[..].try_into().ok());
        let next = before.map_or(0, u64::from_le_bytes) + 1;
        write(stored.as_ref(), next, batch);
        if store.is_shared() && !batch.is_empty() {
            batch.put(number.clone(), Bytes::copy_from_slice(&next.to_le_bytes()));
        }
    })
    .await
}

/// Returns the ranges that a copy writes.
fn ranges() -> Vec<KeyRange> {
    let mut ranges = layout::plain_ranges();
    ranges.extend([layout::counters(), layout::notes()]);
    ranges
}

async fn has_data(target: &AnyStore) -> Result<bool, Error> {
    Ok(Pages::new(target, ranges()).next().await?.is_some())
}

/// Removes everything but the mark.
async fn empty(target: &AnyStore, counting: &mut Counting<'_>) -> Result<(), Error> {
    let mut pages = Pages::new(target, ranges());
    while let Some(page) = pages.next().await? {
        counting.add(page.len(), size_of(&page));
        let keys: Vec<Key> = page.into_iter().map(|(key, _)| key).collect();
        commit(target, &Keys::default(), |_, batch| {
            for key in &keys {
                batch.delete(key.clone());
            }
        })
        .await?;
    }
    Ok(())
}
