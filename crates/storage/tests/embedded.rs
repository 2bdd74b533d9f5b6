//! What only an engine on disk can show: waiting for the disk, groups, failures, reopening.

#![expect(clippy::unwrap_used, reason = "a failed assumption fails the test")]

mod files;

use hashrange_storage::embedded::Fault;
use hashrange_storage::{
    Batch, Bytes, Direction, EmbeddedOptions, EmbeddedStore, Error, Examined, KeyRange, OpenError,
    STAMP_BYTES, Store, View, Wanted, block_on,
};
use std::fs;
use std::future::Future;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::Path;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;

fn open(path: &Path) -> EmbeddedStore {
    EmbeddedStore::open(path, &EmbeddedOptions::default()).unwrap()
}

fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

fn get(store: &EmbeddedStore, key: &str) -> Option<Bytes> {
    block_on(block_on(store.view()).unwrap().get(key.as_bytes())).unwrap()
}

fn counter(store: &EmbeddedStore, key: &str) -> Option<i64> {
    get(store, key).map(|value| i64::from_le_bytes(value[..].try_into().unwrap()))
}

/// Returns a commit that sets `key` and answers with the value it saw before.
fn put<'a>(
    store: &'a EmbeddedStore,
    key: &'a str,
    value: &'a str,
) -> Pin<Box<impl Future<Output = Result<Option<Bytes>, Error>> + 'a>> {
    Box::pin(store.commit(vec![key.into()], move |values, batch: &mut Batch| {
        batch.put(key.into(), bytes(value));
        values[0].clone()
    }))
}

/// Returns a commit that writes nothing and answers with the value of `key`.
fn look<'a>(
    store: &'a EmbeddedStore,
    key: &'a str,
) -> Pin<Box<impl Future<Output = Result<Option<Bytes>, Error>> + 'a>> {
    Box::pin(store.commit(vec![key.into()], |values, _: &mut Batch| values[0].clone()))
}

fn is_pending<T>(future: Pin<&mut impl Future<Output = T>>) -> bool {
    matches!(future.poll(&mut Context::from_waker(Waker::noop())), Poll::Pending)
}

#[test]
fn sequenced_writes_are_seen_by_deciders_and_not_by_views() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let held = store.hold_committer();
    let mut first = put(&store, "a", "1");
    let mut second = put(&store, "a", "2");
    let mut reader = look(&store, "a");
    assert!(is_pending(first.as_mut()) && is_pending(second.as_mut()));
    assert!(is_pending(reader.as_mut()), "an answer waits for what it was shown");
    assert!(!is_pending(look(&store, "b").as_mut()), "nothing to wait for");
    assert_eq!(get(&store, "a"), None);
    assert_eq!(store.stats().queued_commits, 2);
    drop(held);
    assert_eq!(block_on(first).unwrap(), None);
    assert_eq!(block_on(second).unwrap(), Some(bytes("1")));
    assert_eq!(block_on(reader).unwrap(), Some(bytes("2")));
    assert_eq!(get(&store, "a"), Some(bytes("2")));
}

#[test]
fn group_is_written_with_one_sync_in_order_and_with_folded_counters() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    // The committer may take the first commit alone before it is held up.
    let held = store.hold_committer();
    let mut commits: Vec<_> = (0..50)
        .map(|number: u32| {
            Box::pin(store.commit(vec![b"k".to_vec()], move |_, batch| {
                batch.put(b"k".to_vec(), bytes(&number.to_string()));
                batch.put(format!("entry {number}").into_bytes(), bytes(""));
                batch.add(b"n".to_vec(), 2);
            }))
        })
        .collect();
    assert!(commits.iter_mut().all(|commit| is_pending(commit.as_mut())));
    drop(held);
    for commit in commits {
        block_on(commit).unwrap();
    }
    assert_eq!(get(&store, "k"), Some(bytes("49")));
    assert_eq!(counter(&store, "n"), Some(100));
    let stats = store.stats();
    assert_eq!(stats.commits, 50);
    assert!(stats.groups <= 2 && stats.syncs == stats.groups, "{stats:?}");
    assert_eq!(stats.written_keys, 50 + 2 * stats.groups);
}

#[test]
fn sync_waits_for_what_is_sequenced() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let held = store.hold_committer();
    let mut commit = put(&store, "a", "1");
    assert!(is_pending(commit.as_mut()));
    let mut sync = pin!(store.sync());
    assert!(is_pending(sync.as_mut()));
    drop(held);
    block_on(sync).unwrap();
    assert_eq!(get(&store, "a"), Some(bytes("1")));
}

#[test]
fn writers_wait_while_the_queue_is_full() {
    let folder = tempfile::tempdir().unwrap();
    let options = EmbeddedOptions { queue_bytes: 10, ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open(folder.path(), &options).unwrap();
    let held = store.hold_committer();
    // The first is with the committer or in the queue, the second fills the queue for sure.
    let mut commits = [put(&store, "a", "123456789"), put(&store, "b", "123456789")];
    assert!(commits.iter_mut().all(|commit| is_pending(commit.as_mut())));
    let mut waits = put(&store, "c", "1");
    assert!(is_pending(waits.as_mut()));
    drop(held);
    block_on(waits).unwrap();
    assert_eq!(get(&store, "c"), Some(bytes("1")));
}

#[test]
fn failed_group_poisons_writes_and_spares_reads() {
    for (fault, is_full) in [
        (Fault::Fail(ErrorKind::StorageFull), true),
        (Fault::Fail(ErrorKind::Other), false),
        (Fault::Panic, false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        block_on(put(&store, "a", "1")).unwrap();
        store.check_writable().unwrap();
        store.fail_next_group(fault);
        let expected = |error: Error| match error {
            Error::Full => is_full,
            Error::Io { .. } => !is_full,
            _ => false,
        };
        assert!(expected(block_on(put(&store, "a", "2")).unwrap_err()));
        assert!(expected(block_on(put(&store, "b", "2")).unwrap_err()));
        assert!(expected(store.check_writable().unwrap_err()));
        assert!(expected(block_on(store.close()).unwrap_err()));
        assert_eq!(get(&store, "a"), Some(bytes("1")));
        drop(store);
        let store = open(folder.path());
        assert_eq!(block_on(put(&store, "a", "3")).unwrap(), Some(bytes("1")));
    }
}

#[test]
fn writes_are_refused_while_space_is_below_the_reserve() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let options = EmbeddedOptions { reserve_bytes: u64::MAX, ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open(folder.path(), &options).unwrap();
    assert!(matches!(store.check_writable(), Err(Error::Full)));
    assert!(matches!(block_on(put(&store, "a", "1")), Err(Error::Full)));
    assert_eq!(block_on(look(&store, "a")).unwrap(), None);
    drop(store);
    block_on(put(&open(folder.path()), "a", "1")).unwrap();
}

#[test]
fn reopened_store_has_all_data() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..4i64 {
        let store = open(folder.path());
        assert_eq!(counter(&store, "n").unwrap_or(0), round);
        let text = round.to_string();
        block_on(store.commit(vec![b"a".to_vec()], |values, batch| {
            assert_eq!(values[0].is_some(), round > 0);
            batch.put(b"a".to_vec(), bytes(&text));
            batch.put(format!("round {round}").into_bytes(), bytes(&text));
            batch.add(b"n".to_vec(), 1);
        }))
        .unwrap();
    }
    let store = open(folder.path());
    assert_eq!(get(&store, "a"), Some(bytes("3")));
    for round in 0..4 {
        assert_eq!(get(&store, &format!("round {round}")), Some(bytes(&round.to_string())));
    }
}

#[test]
fn stamps_grow_across_restarts() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..4u8 {
        let store = open(folder.path());
        for nth in 0..3 {
            block_on(store.commit(vec![b"guard".to_vec()], |_, batch| {
                batch.append(b"log/".to_vec(), Bytes::from(vec![3 * round + nth]));
            }))
            .unwrap();
        }
        let mut values = Vec::new();
        block_on(block_on(store.view()).unwrap().visit(
            KeyRange::prefix(b"log/"),
            Direction::Forward,
            Wanted::ALL,
            |key, value| {
                assert_eq!(key.len(), 4 + STAMP_BYTES);
                values.extend_from_slice(&value);
                ControlFlow::Continue(())
            },
        ))
        .unwrap();
        assert_eq!(values, (0..3 * (round + 1)).collect::<Vec<_>>());
    }
}

#[test]
fn second_open_is_refused_until_store_and_views_are_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    block_on(put(&store, "a", "1")).unwrap();
    let view = block_on(store.view()).unwrap();
    let again = || EmbeddedStore::open(folder.path(), &EmbeddedOptions::default());
    assert!(matches!(again(), Err(OpenError::Locked { .. })));
    drop(store);
    assert!(matches!(again(), Err(OpenError::Locked { .. })));
    assert_eq!(block_on(view.get(b"a")).unwrap(), Some(bytes("1")));
    drop(view);
    assert_eq!(get(&again().unwrap(), "a"), Some(bytes("1")));
}

#[test]
fn folder_of_unknown_format_or_of_others_is_refused() {
    type Check = fn(&OpenError) -> bool;
    let is_corrupt: Check = |error| matches!(error, OpenError::Store(Error::Corrupt { .. }));
    let cases: [(&str, Check); 6] = [
        ("hashrange store, format 3\n", |error| {
            matches!(error, OpenError::UnknownFormat { found: 3, known: 1 })
        }),
        ("hashrange store, format 99999999999\n", is_corrupt),
        ("hashrange store, format +1\n", is_corrupt),
        ("hashrange store, format 1\n", is_corrupt),
        ("hashrange store, format 1\nid 0123\n", is_corrupt),
        ("", is_corrupt),
    ];
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    for (content, is_expected) in cases {
        fs::write(folder.path().join("FORMAT"), content).unwrap();
        let error = EmbeddedStore::open(folder.path(), &EmbeddedOptions::default()).unwrap_err();
        assert!(is_expected(&error), "{content:?}: {error}");
    }
    fs::remove_file(folder.path().join("FORMAT")).unwrap();
    let error = EmbeddedStore::open(folder.path(), &EmbeddedOptions::default()).unwrap_err();
    assert!(matches!(error, OpenError::Foreign { .. }), "{error}");
}

#[test]
fn a_folder_on_rocksdb_is_refused_with_the_build_that_reads_it_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let format = fs::read_to_string(folder.path().join("FORMAT")).unwrap();
    let format = format.replace("format 1", "format 2").replace("logs noted", "engine rocksdb");
    fs::write(folder.path().join("FORMAT"), &format).unwrap();
    fs::rename(folder.path().join("fjall"), folder.path().join("rocksdb")).unwrap();
    let options = EmbeddedOptions::default();
    for error in [
        EmbeddedStore::open(folder.path(), &options).unwrap_err(),
        Examined::open(folder.path(), &options).unwrap_err(),
    ] {
        assert!(matches!(error, OpenError::OnRocksDb { .. }), "{error}");
        let sentence = format!(
            "data folder '{}' is on RocksDB, which this program no longer has: commit 4edb78f of its \
             source, built with the feature rocksdb, is the last that reads it",
            folder.path().display()
        );
        assert!(error.to_string().starts_with(&sentence), "{error}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("FORMAT")).unwrap(), format);
    assert!(!folder.path().join("fjall").exists());
}

#[test]
fn creation_cut_short_by_a_crash_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("creating")).unwrap();
    fs::write(path("creating").join("0.jnl"), "half").unwrap();
    fs::write(path("LOCK"), "").unwrap();
    let store = open(folder.path());
    block_on(put(&store, "a", "1")).unwrap();
    drop(store);
    fs::rename(path("FORMAT"), path("FORMAT.new")).unwrap();
    assert_eq!(get(&open(folder.path()), "a"), Some(bytes("1")));
    assert!(path("FORMAT").exists() && !path("FORMAT.new").exists());
}

#[test]
fn a_full_memtable_is_sorted_while_the_store_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let options = EmbeddedOptions { memtable_bytes: 100_000, ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open(folder.path(), &options).unwrap();
    let value = "v".repeat(50_000);
    // The worker needs its time; without sealing it would never have anything to do.
    for nth in 0_u32.. {
        block_on(put(&store, &format!("key {nth}"), &value)).unwrap();
        if !files::tables(folder.path()).is_empty() {
            break;
        }
        assert!(nth < 2_000, "100 MB were written and nothing is sorted");
    }
    assert_eq!(get(&store, "key 0").unwrap(), value.as_bytes());
}

#[test]
fn large_groups_take_no_more_memory_than_small_ones() {
    let folder = tempfile::tempdir().unwrap();
    let options = EmbeddedOptions::default().with_unsorted_bytes(400_000);
    let store = EmbeddedStore::open(folder.path(), &options).unwrap();
    let value = "v".repeat(150_000);
    for nth in 0..40 {
        block_on(put(&store, &format!("key {nth}"), &value)).unwrap();
        // A group, and the one that waits for it to be sorted.
        let unsorted = store.stats().write_buffer_bytes;
        assert!(unsorted < 400_000 + 2 * 160_000, "{unsorted} after {nth}");
    }
}

#[test]
fn readers_see_each_group_whole_and_never_an_earlier_one_while_pages_come_and_go() {
    const KEYS: usize = 200;
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let range = KeyRange::prefix(b"k");
    let key = |nth: usize| format!("k{nth:03}").into_bytes();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = |direction| {
            let (store, range, is_over) = (&store, &range, &is_over);
            move || {
                let mut newest = 0;
                let mut visits = 0;
                while !is_over.load(Ordering::Relaxed) {
                    // The writer sets three keys, one in each third, to the same number.
                    let mut sums = [0_u64; 3];
                    block_on(block_on(store.view()).unwrap().visit(
                        range.clone(),
                        direction,
                        Wanted::ALL,
                        |key, value| {
                            let nth: usize =
                                std::str::from_utf8(&key[1..]).unwrap().parse().unwrap();
                            sums[nth * 3 / KEYS] +=
                                u64::from_le_bytes(value[..8].try_into().unwrap());
                            ControlFlow::Continue(())
                        },
                    ))
                    .unwrap();
                    assert!(sums.iter().all(|sum| *sum == sums[0]), "{sums:?}");
                    assert!(sums[0] >= newest, "{sums:?} after {newest}");
                    newest = sums[0];
                    visits += 1;
                }
                visits
            }
        };
        let readers = [
            scope.spawn(reader(Direction::Forward)),
            scope.spawn(reader(Direction::Backward)),
            scope.spawn(reader(Direction::Forward)),
        ];
        for step in 1..=600_usize {
            let nth = step % (KEYS / 3);
            let nths = [nth, nth + KEYS / 3 + 1, nth + KEYS / 3 * 2 + 2];
            block_on(store.commit(nths.map(key).to_vec(), |_, batch| {
                for nth in nths {
                    let mut value = vec![0; 1000];
                    value[..8].copy_from_slice(&step.to_le_bytes());
                    batch.put(key(nth), value.into());
                }
            }))
            .unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
        for reader in readers {
            assert!(reader.join().unwrap() > 0);
        }
    });
    block_on(block_on(store.view()).unwrap().visit(
        range,
        Direction::Forward,
        Wanted::ALL,
        |_, _| ControlFlow::Continue(()),
    ))
    .unwrap();
    assert!(store.stats().cache_bytes > 200_000, "{:?}", store.stats());
}

#[test]
fn a_smaller_bound_gives_back_what_is_kept_and_a_larger_one_lets_it_in_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let key = |nth: usize| format!("k{nth:03}").into_bytes();
    for nth in 0..200 {
        block_on(
            store.commit(vec![key(nth)], |_, batch| batch.put(key(nth), vec![1; 1000].into())),
        )
        .unwrap();
    }
    let read_all = || {
        for nth in 0..200 {
            assert!(block_on(block_on(store.view()).unwrap().get(&key(nth))).unwrap().is_some());
        }
        let all = KeyRange::prefix(b"k");
        block_on(block_on(store.view()).unwrap().visit(
            all,
            Direction::Forward,
            Wanted::ALL,
            |_, _| ControlFlow::Continue(()),
        ))
        .unwrap();
        store.stats().cache_bytes
    };
    assert!(read_all() > 400_000, "{:?}", store.stats());
    store.bound_cache(100_000);
    assert!(store.stats().cache_bytes <= 67_000, "{:?}", store.stats());
    assert!(read_all() <= 67_000, "{:?}", store.stats());
    store.bound_cache(u64::MAX);
    assert!(read_all() > 400_000, "{:?}", store.stats());
}

#[test]
fn looks_for_what_is_kept_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let put = |batch: &mut Batch| batch.put(b"k".to_vec(), vec![1].into());
    block_on(store.commit(vec![b"k".to_vec()], |_, batch| put(batch))).unwrap();
    let before = store.stats();
    let view = block_on(store.view()).unwrap();
    for _ in 0..3 {
        assert!(block_on(view.get(b"k")).unwrap().is_some());
        let range = KeyRange::prefix(b"k");
        let visit =
            view.visit(range, Direction::Forward, Wanted::ALL, |_, _| ControlFlow::Continue(()));
        block_on(visit).unwrap();
    }
    let after = store.stats();
    for (before, after) in
        [(before.cached_values, after.cached_values), (before.cached_ranges, after.cached_ranges)]
    {
        assert_eq!((after.misses - before.misses, after.hits - before.hits), (1, 2));
    }
}

/// Readers get single keys of one view, writers decide on the newest values, and reads from memory
/// are mixed with those of the map.
#[test]
fn single_reads_see_each_group_whole_and_writers_the_newest_values_beside_groups() {
    const KEYS: usize = 40;
    const STEPS: u64 = 1500;
    let folder = tempfile::tempdir().unwrap();
    // Small enough that values go and come again.
    let options = EmbeddedOptions { cache_bytes: 80_000, ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open(folder.path(), &options).unwrap();
    let number = |value: &Option<Bytes>| {
        value.as_ref().map_or(0, |value| u64::from_le_bytes(value[..8].try_into().unwrap()))
    };
    let pair = |nth: usize| [format!("a{nth}").into_bytes(), format!("b{nth}").into_bytes()];
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = || {
            let mut newest = [0; KEYS];
            let mut reads = 0;
            while !is_over.load(Ordering::Relaxed) {
                let view = block_on(store.view()).unwrap();
                for (nth, newest) in newest.iter_mut().enumerate() {
                    // The second key is read alone; both kinds of reads share what is kept.
                    let [a, b] = pair(nth);
                    let a = number(&block_on(view.get_many(&[a])).unwrap()[0]);
                    let b = number(&block_on(view.get(&b)).unwrap());
                    assert_eq!(a, b, "a group is not whole");
                    assert!(a >= *newest, "{a} after {newest}");
                    *newest = a;
                    reads += 1;
                }
            }
            reads
        };
        let readers = [scope.spawn(reader), scope.spawn(reader)];
        let writer = |seed: u64| {
            let store = &store;
            move || {
                let mut state = seed;
                for _ in 0..STEPS {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let keys = pair((state >> 33) as usize % KEYS);
                    block_on(store.commit(keys.to_vec(), |current, batch| {
                        let [a, b] = [&current[0], &current[1]].map(number);
                        assert_eq!(a, b, "writers see the newest values");
                        for key in keys.clone() {
                            let mut value = vec![0; 500];
                            value[..8].copy_from_slice(&(a + 1).to_le_bytes());
                            batch.put(key, value.into());
                        }
                    }))
                    .unwrap();
                }
            }
        };
        let writers = [1, 2, 3].map(|seed| scope.spawn(writer(seed)));
        for writer in writers {
            writer.join().unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
        for reader in readers {
            assert!(reader.join().unwrap() > 0);
        }
    });
    let view = block_on(store.view()).unwrap();
    let sum: u64 = (0..KEYS).map(|nth| number(&block_on(view.get(&pair(nth)[0])).unwrap())).sum();
    assert_eq!(sum, 3 * STEPS, "no write was decided on an old value");
}
