//! Space that comes back: of ranges that are garbage, of what was overwritten, on a full disk.

#![expect(clippy::unwrap_used, reason = "a failed assumption fails the test")]

use hashrange_scratch::copy_folder;
use hashrange_storage::{
    Bytes, Direction, EmbeddedOptions, EmbeddedStore, Key, KeyRange, Store, View, Wanted, block_on,
};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

const VALUE_BYTES: usize = 10_000;
const KEYS: u32 = 900;

fn open(path: &Path) -> EmbeddedStore {
    let options = EmbeddedOptions {
        memtable_bytes: 1 << 20,
        table_bytes: 1 << 20,
        ..EmbeddedOptions::default()
    };
    EmbeddedStore::open(path, &options).unwrap()
}

fn key(table: u8, nth: u32) -> Key {
    [&[table][..], &nth.to_be_bytes()].concat()
}

/// Writes values that cannot be compressed.
fn fill(store: &EmbeddedStore, table: u8, salt: u64) {
    let mut random = salt | 1;
    let mut value = || {
        let mut value = Vec::with_capacity(VALUE_BYTES);
        while value.len() < VALUE_BYTES {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            value.extend(random.to_le_bytes());
        }
        Bytes::from(value)
    };
    for first in (0..KEYS).step_by(90) {
        let entries: Vec<_> = (first..first + 90).map(|nth| (key(table, nth), value())).collect();
        let declared: Vec<Key> = entries.iter().map(|(key, _)| key.clone()).collect();
        block_on(store.commit(declared, |_, batch| {
            for (key, value) in &entries {
                batch.put(key.clone(), value.clone());
            }
        }))
        .unwrap();
    }
}

fn keys(view: &impl View, table: u8) -> Vec<Key> {
    let mut keys = Vec::new();
    let visit =
        view.visit(KeyRange::prefix(&[table]), Direction::Forward, Wanted::ALL, |key, _| {
            keys.push(key.to_vec());
            ControlFlow::Continue(())
        });
    block_on(visit).unwrap();
    keys
}

/// Does with a table what its removal does.
fn remove(store: &EmbeddedStore, table: u8) {
    block_on(store.reclaim(KeyRange::prefix(&[table]))).unwrap();
    let left = keys(&block_on(store.view()).unwrap(), table);
    for keys in left.chunks(100) {
        block_on(store.commit(vec![vec![0xff]], |_, batch| {
            for key in keys {
                batch.delete(key.clone());
            }
        }))
        .unwrap();
    }
    assert!(keys(&block_on(store.view()).unwrap(), table).is_empty());
}

fn disk_bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(
            |path| {
                if path.is_dir() { disk_bytes(&path) } else { fs::metadata(&path).unwrap().len() }
            },
        )
        .sum()
}

#[test]
fn a_removed_range_gives_its_space_back_and_nothing_else_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    (1..=3).for_each(|table| fill(&store, table, u64::from(table)));
    drop(store);
    let full = disk_bytes(folder.path());
    let store = open(folder.path());
    let before = block_on(store.view()).unwrap();
    // Kept in memory as a range that the removal must forget.
    assert_eq!(keys(&before, 2).len(), KEYS as usize);
    remove(&store, 2);
    assert_eq!(keys(&before, 2).len(), KEYS as usize, "an earlier view is not changed");
    for table in [1, 3] {
        assert_eq!(keys(&block_on(store.view()).unwrap(), table).len(), KEYS as usize);
    }
    let crashed = tempfile::tempdir().unwrap();
    copy_folder(folder.path(), crashed.path());
    drop(before);
    drop(store);
    let left = disk_bytes(folder.path());
    assert!(left < full * 3 / 4, "{left} of {full} bytes for two thirds of the data");
    for folder in [&folder, &crashed] {
        let store = open(folder.path());
        let found = [1, 2, 3].map(|table| keys(&block_on(store.view()).unwrap(), table).len());
        assert_eq!(found, [KEYS as usize, 0, KEYS as usize]);
    }
}

#[test]
fn files_of_a_removed_range_go_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    (1..=3).for_each(|table| fill(&store, table, u64::from(table)));
    // Files are merged beside this; only merged ones hold nothing but one table.
    let given_back = (0..10_000_usize).any(|nth| {
        let key = vec![0xff, nth.to_le_bytes()[0]];
        block_on(store.reclaim(KeyRange::prefix(&[2]))).unwrap();
        block_on(store.commit(vec![key.clone()], |_, batch| {
            batch.put(key.clone(), Bytes::from(vec![7; 1000]));
        }))
        .unwrap();
        keys(&block_on(store.view()).unwrap(), 2).len() * 2 < KEYS as usize
    });
    assert!(given_back, "{:?}", store.stats());
    for table in [1, 3] {
        assert_eq!(keys(&block_on(store.view()).unwrap(), table).len(), KEYS as usize);
    }
    remove(&store, 2);
}

#[test]
fn values_of_a_removed_range_that_were_deleted_before_do_not_stay() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    fill(&store, 2, 1);
    drop(store);
    // Each in a file of its own: values of 1, 2 and 3, and above them that those of 2 are deleted.
    let store = open(folder.path());
    fill(&store, 1, 2);
    fill(&store, 3, 3);
    block_on(store.commit(vec![vec![0xff]], |_, batch| {
        (0..KEYS).for_each(|nth| batch.delete(key(2, nth)));
    }))
    .unwrap();
    assert!(keys(&block_on(store.view()).unwrap(), 2).is_empty());
    drop(store);
    let store = open(folder.path());
    assert!(keys(&block_on(store.view()).unwrap(), 2).is_empty());
    remove(&store, 2);
    drop(store);
    assert!(keys(&block_on(open(folder.path()).view()).unwrap(), 2).is_empty());
}

#[test]
fn what_was_overwritten_gives_its_space_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let live = u64::from(KEYS) * VALUE_BYTES as u64;
    (0..3).for_each(|salt| fill(&store, 1, salt));
    drop(store);
    let bytes = disk_bytes(folder.path());
    assert!(bytes < 2 * live, "{bytes} bytes for {live} of data");
    assert_eq!(keys(&block_on(open(folder.path()).view()).unwrap(), 1).len(), KEYS as usize);
}

#[test]
fn deletes_go_on_while_the_reserve_is_used_up() {
    let folder = tempfile::tempdir().unwrap();
    fill(&open(folder.path()), 1, 1);
    let options = EmbeddedOptions { reserve_bytes: u64::MAX, ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open(folder.path(), &options).unwrap();
    let put = store.commit(vec![key(1, 0)], |_, batch| batch.put(key(1, 0), vec![0; 64].into()));
    assert!(matches!(block_on(put), Err(hashrange_storage::Error::Full)));
    block_on(store.commit(vec![key(1, 0)], |_, batch| batch.delete(key(1, 0)))).unwrap();
    remove(&store, 1);
}
