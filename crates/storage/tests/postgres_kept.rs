//! Pages that the store on PostgreSQL keeps: what they show is what the database has, whoever has written it.

#![cfg(feature = "postgres")]
#![expect(clippy::unwrap_used, reason = "a failed assumption fails the test")]

mod numbers;
mod scratch;

use hashrange_storage::postgres::PostgresOptions;
use hashrange_storage::{
    Batch, Bytes, Direction, Key, KeyRange, PostgresStore, Store, View, Wanted, block_on,
};
use numbers::text;
use scratch::shared;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

type Entries = Vec<(Key, Bytes)>;

/// A key's number and its new value, `None` if it is deleted.
type Change = (u64, Option<u64>);

/// Begins all keys of one place.
const PREFIX: &[u8] = b"region7hash";

/// A counted page, which tells how large values are; one that is seen; one that is kept.
const READS_UNTIL_KEPT: usize = 3;

fn open(url: &str, kept_page_bytes: usize) -> PostgresStore {
    let options =
        PostgresOptions { lanes: 1, readers: 1, kept_page_bytes, ..PostgresOptions::default() };
    PostgresStore::open(url, &options).unwrap()
}

fn key(nth: u64) -> Key {
    [PREFIX, format!("{nth:04}").as_bytes()].concat()
}

/// Writes keys that are not declared.
fn write(store: &PostgresStore, writes: impl FnMut(&mut Batch) + Send) {
    write_declared(store, vec![b"guard".to_vec()], writes);
}

fn write_declared(
    store: &PostgresStore,
    keys: Vec<Key>,
    mut writes: impl FnMut(&mut Batch) + Send,
) {
    block_on(store.commit(keys, |_, batch| writes(batch))).unwrap();
}

/// Puts or deletes the values of keys, which are declared or not, in a store and in a map.
fn change(
    store: &PostgresStore,
    changes: &[Change],
    is_declared: bool,
    map: &mut BTreeMap<Key, Bytes>,
) {
    let keys = changes.iter().map(|(nth, _)| key(*nth));
    let declared = if is_declared { keys.collect() } else { vec![b"guard".to_vec()] };
    write_declared(store, declared, |batch| {
        for (nth, value) in changes {
            match value {
                Some(value) => batch.put(key(*nth), text(*value)),
                None => batch.delete(key(*nth)),
            }
        }
    });
    for (nth, value) in changes {
        match value {
            Some(value) => drop(map.insert(key(*nth), text(*value))),
            None => drop(map.remove(&key(*nth))),
        }
    }
}

/// Returns the first so many entries of a range, read as one page.
fn read(store: &PostgresStore, range: &KeyRange, direction: Direction, count: usize) -> Entries {
    let mut seen = Vec::new();
    let view = block_on(store.view()).unwrap();
    block_on(view.visit(range.clone(), direction, Wanted::entries(count), |key, value| {
        seen.push((key.to_vec(), value));
        if seen.len() < count { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }))
    .unwrap();
    seen
}

fn page(store: &PostgresStore) -> Entries {
    read(store, &KeyRange::prefix(PREFIX), Direction::Forward, 1_000)
}

/// Returns how many pages were asked about, and how many of them were the same.
fn asked(store: &PostgresStore) -> (u64, u64) {
    let traffic = store.traffic();
    (traffic.asked_pages, traffic.same_pages)
}

#[test]
fn a_page_is_shown_again_while_it_is_the_same() {
    let url = shared().url();
    let (writer, reader) = (open(&url, 0), open(&url, 0));
    write(&writer, |batch| (0..50).for_each(|nth| batch.put(key(2 * nth + 2), text(nth))));
    let first = page(&reader);
    assert_eq!(first.len(), 50);
    for _ in 1..READS_UNTIL_KEPT {
        assert_eq!(page(&reader), first);
    }
    assert_eq!((asked(&reader), reader.traffic().kept_bytes > 0), ((0, 0), true));
    assert_eq!((page(&reader), asked(&reader)), (first.clone(), (1, 1)));
    let round_trips = reader.traffic().read_round_trips;
    assert_eq!((page(&reader), asked(&reader)), (first, (2, 2)));
    assert_eq!(reader.traffic().read_round_trips, round_trips + 1);

    let mut expected: BTreeMap<Key, Bytes> = page(&reader).into_iter().collect();
    let (mut all, mut same) = asked(&reader);
    let everything = (0..=999).map(|nth| (nth, None)).collect();
    let changes: [(&str, Vec<Change>); 10] = [
        ("another value", vec![(40, Some(1_000))]),
        ("another value of a declared key", vec![(44, Some(1_000))]),
        ("the value that was there", vec![(42, Some(20))]),
        ("a key before all", vec![(1, Some(1))]),
        ("a key between", vec![(43, Some(1))]),
        ("a key after all", vec![(999, Some(1))]),
        ("the first one less", vec![(1, None)]),
        ("one less, one more", vec![(2, None), (3, Some(0))]),
        ("nothing left", everything),
        ("one again", vec![(4, Some(1))]),
    ];
    for (what, changes) in changes {
        change(&writer, &changes, what.ends_with("of a declared key"), &mut expected);
        let wanted: Entries = expected.clone().into_iter().collect();
        assert_eq!(page(&reader), wanted, "{what}");
        all += 1;
        assert_eq!(asked(&reader), (all, same), "{what}");
        assert_eq!(page(&reader), wanted, "{what}, again");
        all += 1;
        // A page without rows has nothing to be the same.
        same += u64::from(!wanted.is_empty());
        assert_eq!(asked(&reader), (all, same), "{what}, again");
    }
}

/// The statements of programs that know of no numbers leave none behind.
#[test]
fn a_page_that_an_older_program_has_written_is_not_kept() {
    let url = shared().url();
    let (writer, reader) = (open(&url, 0), open(&url, 0));
    write(&writer, |batch| (0..20).for_each(|nth| batch.put(key(nth), text(nth))));
    (0..=READS_UNTIL_KEPT).for_each(|_| assert_eq!(page(&reader).len(), 20));
    assert_eq!(asked(&reader), (1, 1));
    let schema = url.split_once("schema=").unwrap().1;
    let of_older = format!(
        "UPDATE {schema}.entries SET value = 'older', sum = NULL WHERE substr(prefix, 12) = '0007'"
    );
    shared().sql(&of_older);
    for again in 0..4 {
        let seen = page(&reader);
        assert_eq!((seen.len(), &seen[7].1[..]), (20, &b"older"[..]), "{again}");
        assert_eq!(asked(&reader), (2, 1), "{again}");
    }
    write(&writer, |batch| batch.put(key(7), text(7)));
    (0..2).for_each(|_| assert_eq!(page(&reader)[7].1, text(7)));
    assert_eq!(asked(&reader), (3, 2), "it is kept again");
}

/// A value whose key is as long as a stripe of a counter's and lies among them: neither is taken for the other.
#[test]
fn values_have_numbers_and_counters_have_sums() {
    let store = open(&shared().url(), 0);
    let counter = key(0);
    write(&store, |batch| {
        batch.add(counter.clone(), 5);
        // As long as a stripe of the counter's, and among them.
        batch.put([&counter[..], &u64::MAX.to_be_bytes()].concat(), text(7));
    });
    let sum = || {
        let view = block_on(store.view()).unwrap();
        block_on(view.sums(std::slice::from_ref(&counter))).unwrap()[0]
    };
    assert_eq!(sum(), 5);
    for _ in 0..=READS_UNTIL_KEPT {
        let seen = page(&store);
        let values: Vec<&[u8]> = seen.iter().map(|(_, value)| &value[..]).collect();
        assert_eq!(values, [&5_i64.to_le_bytes()[..], b"7"]);
    }
    assert_eq!(asked(&store), (0, 0), "a page with a counter is not kept");
    write(&store, |batch| batch.remove_counter(counter.clone()));
    assert_eq!((sum(), page(&store).len()), (0, 1), "the value is left");
}

#[test]
fn only_what_is_read_again_and_large_enough_is_kept() {
    let store = open(&shared().url(), 100);
    let prefix = |nth: u64| format!("region7{nth:04}").into_bytes();
    write(&store, |batch| {
        for nth in 0..400 {
            batch.put([prefix(nth), b"a".to_vec()].concat(), Bytes::from(vec![b'v'; 200]));
        }
        batch.put([prefix(400), b"a".to_vec()].concat(), text(1));
    });
    let read = |nth| read(&store, &KeyRange::prefix(&prefix(nth)), Direction::Forward, 100);
    (0..400).for_each(|nth| assert_eq!(read(nth).len(), 1));
    assert_eq!(store.traffic().kept_bytes, 0, "all were read once");
    for _ in 0..=READS_UNTIL_KEPT {
        assert_eq!(read(400).len(), 1);
    }
    assert_eq!(store.traffic().kept_bytes, 0, "it is small");
    (0..400).for_each(|nth| assert_eq!(read(nth).len(), 1));
    let kept = store.traffic().kept_bytes;
    assert!(kept > 350 * 200, "{kept} bytes: but for those whose digests lie in one place");
    store.bound_cache(20_000);
    (0..400).for_each(|nth| assert_eq!(read(nth)[0].1.len(), 200));
    let kept = store.traffic().kept_bytes;
    assert!((1..=20_000).contains(&kept), "{kept}");
    store.bound_cache(0);
    (0..400).for_each(|nth| assert_eq!(read(nth)[0].1.len(), 200));
    assert_eq!(store.traffic().kept_bytes, 0);
    let never = PostgresOptions { kept_bytes: 0, kept_page_bytes: 0, ..PostgresOptions::default() };
    let never = PostgresStore::open(&shared().url(), &never).unwrap();
    write(&never, |batch| batch.put(key(1), text(1)));
    (0..=READS_UNTIL_KEPT).for_each(|_| assert_eq!(page(&never).len(), 1));
    assert_eq!((asked(&never), never.traffic().kept_bytes), ((0, 0), 0));
}

/// Two stores that keep what they read, and write by turns, against a map.
#[test]
fn pages_that_are_kept_equal_a_map() {
    const STEPS: u64 = 3_000;
    let url = shared().url();
    let stores = [open(&url, 0), open(&url, 0)];
    let mut map: BTreeMap<Key, Bytes> = BTreeMap::new();
    let mut state = 7_u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % below
    };
    for step in 0..STEPS {
        let [writer, reader] = [random(2), random(2)].map(|nth| &stores[usize::from(nth == 1)]);
        if random(8) == 0 {
            let (first, count) = (random(12), random(4));
            let value = (random(3) > 0).then_some(step % 3);
            let changes: Vec<Change> = (first..=first + count).map(|nth| (nth, value)).collect();
            change(writer, &changes, random(2) == 0, &mut map);
        }
        let (start, end) = (random(3) * 4, random(3) * 4 + 4);
        let range = KeyRange { start: key(start), end: Some(key(end)) };
        let is_in = |key: &Key| *key >= range.start && Some(key) < range.end.as_ref();
        let mut expected: Entries =
            map.iter().filter(|(key, _)| is_in(key)).map(|(k, v)| (k.clone(), v.clone())).collect();
        let is_backward = random(3) == 0;
        let direction = if is_backward { Direction::Backward } else { Direction::Forward };
        if is_backward {
            expected.reverse();
        }
        let count = usize::try_from(1 + random(4)).unwrap();
        expected.truncate(count);
        assert_eq!(read(reader, &range, direction, count), expected, "step {step}");
    }
    let (asked, same) = asked(&stores[0]);
    assert!(same > STEPS / 20 && asked - same > STEPS / 20, "{same} of {asked} were the same");
}
