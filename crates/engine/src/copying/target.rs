//! The target of a copy: it must be empty, says that it is unfinished until the end, and can be emptied.
//!
//! Where the target is shared, mark and end are changes of definitions: a server that was started on it
//! before meets the mark as soon as it looks at its tables again.

use super::pages::{Pages, size_of};
use super::transfer::commit;
use super::{CopyError, Counting};
use crate::layout;
use hashrange_storage::{AnyStore, Batch, Bytes, Error, Key, KeyRange, Keys, Store};

/// Form of the mark.
const MARK: &[u8] = &[1];

/// Marks the target, which must be empty; or empties it, if it is an unfinished copy and `is_restarted`.
pub(super) async fn begin(
    target: &AnyStore,
    is_restarted: bool,
    counting: &mut Counting<'_>,
) -> Result<(), CopyError> {
    let mark = layout::unfinished_copy();
    let is_marked = target.get(&mark).await.map_err(CopyError::Target)?.is_some();
    if is_marked {
        if !is_restarted {
            return Err(CopyError::Unfinished);
        }
        return empty(target, counting).await.map_err(CopyError::Target);
    }
    if has_data(target).await.map_err(CopyError::Target)? {
        return Err(CopyError::NotEmpty);
    }
    let put = |batch: &mut Batch| batch.put(layout::unfinished_copy(), Bytes::from_static(MARK));
    change(target, put).await.map_err(CopyError::Target)?;
    // Somebody may have been faster than the mark.
    if has_data(target).await.map_err(CopyError::Target)? {
        finish(target).await.map_err(CopyError::Target)?;
        return Err(CopyError::NotEmpty);
    }
    Ok(())
}

/// Takes the mark away.
pub(super) async fn finish(target: &AnyStore) -> Result<(), Error> {
    change(target, |batch| batch.delete(layout::unfinished_copy())).await
}

/// Commits a change of the mark, which on a shared store is one of definitions.
async fn change(target: &AnyStore, mut write: impl FnMut(&mut Batch) + Send) -> Result<(), Error> {
    let number = layout::definitions_number();
    let mut write_keys = vec![layout::unfinished_copy()];
    write_keys.extend(target.is_shared().then(|| number.clone()));
    let keys = Keys { write: write_keys, read: Vec::new() };
    commit(target, &keys, |current, batch| {
        write(batch);
        if let [_, stored] = current {
            let bytes = stored.as_ref().and_then(|stored| stored[..].try_into().ok());
            let next = bytes.map_or(0, u64::from_le_bytes) + 1;
            batch.put(number.clone(), Bytes::copy_from_slice(&next.to_le_bytes()));
        }
    })
    .await
}

/// Returns all that a copy writes.
fn ranges() -> Vec<KeyRange> {
    let mut ranges = layout::plain_ranges();
    ranges.push(layout::counters());
    ranges
}

async fn has_data(target: &AnyStore) -> Result<bool, Error> {
    let view = target.view().await?;
    Ok(Pages::new(&view, ranges()).next().await?.is_some())
}

/// Removes everything but the mark.
async fn empty(target: &AnyStore, counting: &mut Counting<'_>) -> Result<(), Error> {
    let view = target.view().await?;
    let mut pages = Pages::new(&view, ranges());
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
