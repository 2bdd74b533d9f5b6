//! Commits of a copy: a few keys each, tried again while their outcome is unknown.

use super::pages::{CopyPage, Pages};
use crate::layout;
use hashrange_storage::{AnyStore, Batch, Bytes, Error, Key, Keys, Store, View};
use std::collections::BTreeSet;

/// Counters read and written at once.
pub(super) const COUNTERS_AT_ONCE: usize = 200;
/// Maximum of attempts for a commit.
const ATTEMPTS_MAX: usize = 5;

/// Keys that are read one by one and written in one commit: their values may be large.
pub(super) const KEYS_AT_ONCE: usize = 50;

/// Returns the keys of all counters.
pub(super) async fn counters(store: &AnyStore) -> Result<BTreeSet<Key>, Error> {
    let mut keys = BTreeSet::new();
    let mut pages = Pages::new(store, vec![layout::counters()]);
    while let Some(page) = pages.next().await? {
        keys.extend(page.iter().filter_map(|(shown, _)| layout::counter_of(shown)));
    }
    Ok(keys)
}

pub(super) async fn sums_of(store: &AnyStore, counters: &[Key]) -> Result<Vec<i64>, Error> {
    store.view().await?.sums(counters).await
}

/// Puts values, and deletes the keys that have none.
pub(super) async fn set(
    target: &AnyStore,
    keys: &[Key],
    values: Vec<Option<Bytes>>,
) -> Result<(), Error> {
    commit(target, &Keys::default(), |_, batch| {
        for (key, value) in keys.iter().zip(&values) {
            match value {
                Some(value) => batch.put(key.clone(), value.clone()),
                None => batch.delete(key.clone()),
            }
        }
    })
    .await
}

/// Deletes keys.
pub(super) async fn remove(store: &AnyStore, keys: &[Key]) -> Result<(), Error> {
    commit(store, &Keys::default(), |_, batch| {
        for key in keys {
            batch.delete(key.clone());
        }
    })
    .await
}

/// Puts the entries of a page.
pub(super) async fn put(target: &AnyStore, page: CopyPage) -> Result<(), Error> {
    commit(target, &Keys::default(), |_, batch| {
        for (key, value) in &page {
            batch.put(key.clone(), value.clone());
        }
    })
    .await
}

/// Makes a commit that may be done twice, and repeats it if it fails temporarily.
pub(super) async fn commit<S: Store>(
    target: &S,
    keys: &Keys,
    mut write: impl FnMut(&[Option<Bytes>], &mut Batch) + Send,
) -> Result<(), Error> {
    for _ in 1..ATTEMPTS_MAX {
        match target.commit(keys.clone(), &mut write).await {
            Err(Error::Conflict | Error::Unavailable { .. }) => {}
            ended => return ended,
        }
    }
    target.commit(keys.clone(), &mut write).await
}
