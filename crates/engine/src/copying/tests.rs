//! Copies between stores in memory: the keys that are copied and left out, the refusals, and the
//! differences found.

use super::compare::compare;
use super::*;
use crate::schema::{IndexId, TableId};
use hashrange_storage::{Batch, Bytes, Direction, KeyRange, MemoryStore, View, Wanted, block_on};
use std::ops::ControlFlow;

fn store(fill: impl Fn(&mut Batch) + Sync) -> AnyStore {
    let store = AnyStore::Memory(MemoryStore::new());
    block_on(store.commit(vec![], |_, batch| fill(batch))).unwrap();
    store
}

fn item(nth: u8) -> Key {
    vec![0x10, 0, 0, 0, 1, 0, 0, nth]
}

fn counter() -> Key {
    layout::counter(TableId(1), IndexId::BASE, layout::Counter::Bytes)
}

/// Returns a store with items, one of them large with a long key, a counter, and the servers' own
/// keys.
fn source() -> AnyStore {
    store(|batch| {
        for nth in 0..5 {
            batch.put(item(nth), Bytes::from(vec![nth; 3]));
        }
        batch.put([item(9), vec![0; 19_000]].concat(), Bytes::from(vec![1; 1_500_000]));
        batch.add(counter(), 7);
        batch.put(layout::definitions_number(), Bytes::from_static(&[9; 8]));
        batch.put(layout::server(1), Bytes::from_static(b"a server"));
        batch.append(layout::shard_prefix(TableId(1), crate::schema::StreamId(1), 0), Bytes::new());
    })
}

/// Returns all entries but the mark of a copy.
fn entries(store: &AnyStore) -> Vec<(Key, Bytes)> {
    let mut entries = Vec::new();
    let view = block_on(store.view()).unwrap();
    block_on(view.visit(KeyRange::all(), Direction::Forward, Wanted::ALL, |key, value| {
        if *key != layout::copy_mark()[..] {
            entries.push((key.to_vec(), value));
        }
        ControlFlow::Continue(())
    }))
    .unwrap();
    entries
}

fn copied(from: &AnyStore, to: &AnyStore, is_restarted: bool) -> Result<Copied, CopyError> {
    block_on(copy(from, to, Served::No, 7, is_restarted, &mut |_| {}))
}

#[test]
fn all_is_copied_but_what_is_the_servers() {
    let (from, to) = (source(), store(|_| {}));
    let mut phases = Vec::new();
    let copied =
        block_on(copy(&from, &to, Served::No, 7, false, &mut |now| phases.push(now))).unwrap();
    let mut expected = entries(&from);
    expected.retain(|(key, _)| *key != layout::definitions_number() && *key != layout::server(1));
    assert_eq!(entries(&to), expected);
    assert_eq!(copied.keys, expected.len() as u64);
    let bytes = expected.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>();
    assert_eq!(copied.bytes, bytes as u64);
    let last = |phase| *phases.iter().rfind(|now| now.phase == phase).unwrap();
    for phase in [CopyPhase::Copying, CopyPhase::Verifying] {
        assert_eq!(last(phase), Copying { phase, keys: copied.keys, bytes: copied.bytes });
    }
    let stamps = [&from, &to].map(|store| block_on(store.last_stamp()).unwrap());
    assert!(stamps[0] <= stamps[1], "{stamps:?}");
}

#[test]
fn a_target_with_data_is_refused_and_one_that_is_marked_only_begun_again_on_demand() {
    let from = source();
    let full = store(|batch| batch.put(vec![0x21], Bytes::new()));
    for is_restarted in [false, true] {
        assert!(matches!(copied(&from, &full, is_restarted), Err(CopyError::NotEmpty)));
    }
    assert_eq!(entries(&full).len(), 1, "and left as it is");
    let counted = store(|batch| batch.add(counter(), 1));
    assert!(matches!(copied(&from, &counted, false), Err(CopyError::NotEmpty)));
    let unfinished = store(|batch| {
        batch.put(layout::copy_mark(), Bytes::from_static(&[1]));
        batch.put(item(200), Bytes::from_static(b"of the first attempt"));
        batch.add(counter(), 100);
    });
    assert!(matches!(copied(&from, &unfinished, false), Err(CopyError::Unfinished)));
    assert!(matches!(copied(&unfinished, &store(|_| {}), false), Err(CopyError::SourceUnfinished)));
    let view = block_on(unfinished.view()).unwrap();
    let opened = block_on(crate::core::read_tables(&view));
    assert!(matches!(opened, Err(crate::core::OpenError::UnfinishedCopy)));
    copied(&from, &unfinished, true).unwrap();
    let fresh = store(|_| {});
    copied(&from, &fresh, false).unwrap();
    assert_eq!(entries(&unfinished), entries(&fresh));
}

#[test]
fn each_difference_is_found_and_named() {
    let differences = |change: &(dyn Fn(&mut Batch) + Sync)| {
        let (from, to) = (source(), store(|_| {}));
        copied(&from, &to, false).unwrap();
        block_on(to.commit(vec![], |_, batch| change(batch))).unwrap();
        let mut heard = |_| {};
        let mut counting = Counting::new(CopyPhase::Verifying, &mut heard);
        let found = block_on(compare(&from, &to, &mut counting)).unwrap();
        let (named, further) = match found.into_error() {
            Err(CopyError::Different { differences, further }) => (differences, further),
            ended => (ended.map(|()| Vec::new()).unwrap(), 0),
        };
        (named.iter().map(ToString::to_string).collect::<Vec<_>>(), further)
    };
    let one = |change: &(dyn Fn(&mut Batch) + Sync)| {
        let (mut named, further) = differences(change);
        assert_eq!((named.len(), further), (1, 0), "{named:?}");
        named.remove(0)
    };
    assert_eq!(differences(&|_| {}), (Vec::new(), 0));
    assert_eq!(one(&|batch| batch.delete(item(3))), "key 1000000001000003: only in the source");
    assert_eq!(
        one(&|batch| batch.put(item(7), Bytes::new())),
        "key 1000000001000007: only in the target"
    );
    assert_eq!(
        one(&|batch| batch.put(item(4), Bytes::from_static(b"ab"))),
        "key 1000000001000004: 3 and 2 bytes differ"
    );
    assert_eq!(
        one(&|batch| batch.add(counter(), 1)),
        "key 0200000001000001: a counter of 7 and of 8"
    );
    let other = layout::counter(TableId(2), IndexId::BASE, layout::Counter::Entries);
    assert_eq!(
        one(&|batch| batch.add(other.clone(), 5)),
        "key 0200000002000000: a counter of 0 and of 5"
    );
    let long = one(&|batch| batch.delete([item(9), vec![0; 19_000]].concat()));
    assert!(long.ends_with("0000... (19008 bytes): only in the source"), "{long}");
    // Before the first and after the last of the compared ranges.
    assert!(one(&|batch| batch.put(vec![0], Bytes::new())).contains("key 00: only in the target"));
    assert!(
        one(&|batch| batch.put(vec![255], Bytes::new())).contains("key ff: only in the target")
    );
    let (named, further) = differences(&|batch| {
        (0..50).for_each(|nth| batch.put(vec![0x21, nth], Bytes::new()));
    });
    assert_eq!((named.len(), further), (20, 30));
}
