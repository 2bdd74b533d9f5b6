//! Writers, readers and the committer under chosen schedules: the store's own code, run by a
//! scheduler that decides at each lock and each atomic which thread goes on.
//!
//! Each run checks that:
//! - a view shows whole commits, by single reads and by visits alike, and stays as it is;
//! - no view is older than one taken before it;
//! - a writer that was answered sees its own writes, and no commit's change is lost;
//! - commits are published in the order in which they were decided;
//! - a group that fails is the last one: nothing is acknowledged after it;
//! - after a close everything that was accepted is published, and nothing more is;
//! - no thread waits for ever: the scheduler notices when none can go on.
//!
//! For each of these, `planted.rs` has a mistake that the same run finds. Run by
//! `cargo xtask shuttle`; `HASHRANGE_SHUTTLE_ITERATIONS` sets the schedules of each kind for each
//! test.

use super::*;
use crate::planted::plant;
use shuttle::future::block_on;
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, FailurePersistence, Runner};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Schedules of each kind for each test, unless the environment sets another number.
const ITERATIONS: usize = 150;
/// Numbers of schedules of each kind, tried one after the other, within which a mistake must be
/// found: schedules of one kind find some at once, and those of the other hardly ever.
const ITERATIONS_TO_FIND: [usize; 4] = [100, 1_000, 5_000, 20_000];
/// Forced changes of thread in a schedule with few changes.
const CHANGES: usize = 3;

/// Body of a test: one run of threads on a store in the folder.
type Body = fn(&Arc<Folder>);

fn iterations() -> usize {
    let asked = std::env::var("HASHRANGE_SHUTTLE_ITERATIONS").ok();
    asked.map_or(ITERATIONS, |asked| asked.parse().expect("a number of schedules"))
}

/// A folder with the files that a store looks for, made once for all schedules.
fn folder(temporary: &tempfile::TempDir) -> Arc<Folder> {
    let create = |map_path: &Path, _| {
        std::fs::create_dir(map_path).unwrap();
        Ok(())
    };
    Arc::new(Folder::open(&temporary.path().join("store"), create).unwrap())
}

/// Runs `body` under so many schedules that `scheduler` chooses; returns their number.
fn run_with(scheduler: impl Scheduler + 'static, body: Body) -> usize {
    let temporary = tempfile::tempdir().unwrap();
    let folder = folder(&temporary);
    let mut config = Config::new();
    config.stack_size = 256 << 10;
    config.failure_persistence = FailurePersistence::Print;
    config.silence_warnings = true;
    Runner::new(scheduler, config).run(move || body(&folder))
}

/// Runs `body` under schedules that change the thread often and under some that rarely do.
fn explore(body: Body) {
    let iterations = iterations();
    assert_eq!(run_with(RandomScheduler::new(iterations), body), iterations);
    assert_eq!(run_with(PctScheduler::new(CHANGES, iterations), body), iterations);
}

/// Runs `body` with a mistake until it fails with one of these words.
fn must_find(planted: Planted, body: Body, words: &[&str]) {
    plant(Some(planted));
    let run = || {
        for iterations in ITERATIONS_TO_FIND {
            run_with(RandomScheduler::new(iterations), body);
            run_with(PctScheduler::new(CHANGES, iterations), body);
        }
    };
    let found = catch_unwind(AssertUnwindSafe(run));
    plant(None);
    let panic = found.expect_err("the mistake is to be found");
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("?");
    assert!(words.iter().any(|word| text.contains(word)), "{planted:?} was found by: {text}");
}

fn open(folder: &Arc<Folder>, queue_bytes: usize) -> Arc<EmbeddedStore> {
    let options = EmbeddedOptions { queue_bytes, reserve_bytes: 0, ..EmbeddedOptions::default() };
    let space = Arc::new(Space::new(folder.path(), options.reserve_bytes));
    let opened = Map::open(folder, &options, &space).unwrap();
    let shared = Arc::new(Shared::new(folder, opened, space, &options));
    let committer = thread::spawn({
        let shared = Arc::clone(&shared);
        move || committer::run(&shared, 0)
    });
    Arc::new(EmbeddedStore { shared, committer: Some(committer) })
}

fn number(value: Option<&Bytes>) -> u64 {
    value.map_or(0, |value| u64::from_be_bytes(value[..].try_into().unwrap()))
}

fn bytes(number: u64) -> Bytes {
    Bytes::copy_from_slice(&number.to_be_bytes())
}

/// Adds 1 to each key and returns the new values.
fn add(store: &EmbeddedStore, keys: &[&str]) -> Result<Vec<u64>, Error> {
    let keys: Vec<Key> = keys.iter().map(|key| key.as_bytes().to_vec()).collect();
    block_on(store.commit(keys.clone(), move |values, batch| {
        let sums: Vec<u64> = values.iter().map(|value| number(value.as_ref()) + 1).collect();
        for (key, sum) in keys.iter().zip(&sums) {
            batch.put(key.clone(), bytes(*sum));
        }
        sums
    }))
}

/// Puts the value of `a` at `d`.
fn copy(store: &EmbeddedStore) -> Result<u64, Error> {
    block_on(store.commit(vec![b"d".to_vec(), b"a".to_vec()], |values, batch| {
        let a = number(values[1].as_ref());
        batch.put(b"d".to_vec(), bytes(a));
        a
    }))
}

/// Reads `a`, `b`, `c` and `d` one by one.
fn read_each(view: &EmbeddedView) -> [u64; 4] {
    ["a", "b", "c", "d"].map(|key| number(block_on(view.get(key.as_bytes())).unwrap().as_ref()))
}

/// Reads `a`, `b`, `c` and `d` as a range.
fn read_range(view: &EmbeddedView, direction: Direction) -> [u64; 4] {
    let range = KeyRange { start: b"a".to_vec(), end: Some(b"e".to_vec()) };
    let mut read = [0; 4];
    block_on(view.visit(range, direction, Wanted::ALL, |key, value| {
        read[usize::from(key[0] - b'a')] = number(Some(&value));
        ControlFlow::Continue(())
    }))
    .unwrap();
    read
}

/// Reads everything in a view, in both ways, and checks that it is consistent.
fn read(view: &EmbeddedView) -> [u64; 4] {
    let ranged = read_range(view, Direction::Forward);
    let each = read_each(view);
    let [a, b, c, d] = each;
    assert_eq!(each, ranged, "half a group, or a view that changed");
    assert_eq!(b, a + c, "half a group");
    assert!(d <= a, "published out of order: {d} was copied of {a}");
    assert_eq!(read_range(view, Direction::Backward), each, "half a group, or a view that changed");
    each
}

/// Two writers whose keys overlap, one that copies, and a reader of views.
fn writers_and_a_reader(folder: &Arc<Folder>, queue_bytes: usize) {
    let store = open(folder, queue_bytes);
    let writers = [["a", "b"], ["b", "c"]].map(|keys| {
        let store = Arc::clone(&store);
        thread::spawn(move || {
            for _ in 0..2 {
                let sums = add(&store, &keys).unwrap();
                let view = store.newest();
                for (key, sum) in keys.iter().zip(sums) {
                    let seen = block_on(view.get(key.as_bytes())).unwrap();
                    assert!(number(seen.as_ref()) >= sum, "its own write is not read");
                }
            }
        })
    });
    let copier = thread::spawn({
        let store = Arc::clone(&store);
        move || {
            let copied = copy(&store).unwrap();
            let [a, _, _, d] = read_each(&store.newest());
            assert!(a >= copied && d >= copied, "its own write is not read");
        }
    });
    let reader = thread::spawn({
        let store = Arc::clone(&store);
        move || {
            let mut before = [0; 4];
            let first = store.newest();
            let shown = read(&first);
            for _ in 0..2 {
                let now = read(&store.newest());
                let is_older = now.iter().zip(before).any(|(now, before)| *now < before);
                assert!(!is_older, "older than before: {before:?}, then {now:?}");
                before = now;
            }
            assert_eq!(read(&first), shown, "half a group, or a view that changed");
        }
    });
    for thread in writers.into_iter().chain([copier, reader]) {
        thread.join().unwrap();
    }
    let [a, b, c, _] = read(&store.newest());
    assert_eq!([a, b, c], [2, 4, 2], "a commit was lost");
}

fn meeting(folder: &Arc<Folder>) {
    writers_and_a_reader(folder, 1 << 20);
}

fn meeting_in_a_short_queue(folder: &Arc<Folder>) {
    writers_and_a_reader(folder, 1);
}

/// Two writers that name two keys in opposite orders.
fn crossing(folder: &Arc<Folder>) {
    let store = open(folder, 1 << 20);
    let writers = [["a", "b", "c", "d"], ["d", "c", "b", "a"]].map(|keys| {
        let store = Arc::clone(&store);
        thread::spawn(move || drop(add(&store, &keys).unwrap()))
    });
    for writer in writers {
        writer.join().unwrap();
    }
    assert_eq!(read_each(&store.newest()), [2; 4], "a commit was lost");
}

/// Two writers of one key, and a group that fails or panics at some time.
fn failing(folder: &Arc<Folder>) {
    let store = open(folder, 1 << 20);
    let writers = [(); 2].map(|()| {
        let store = Arc::clone(&store);
        thread::spawn(move || {
            let outcomes = [(); 2].map(|()| add(&store, &["a", "b"]).is_ok());
            assert_ne!(outcomes, [false, true], "acknowledged after a failure");
            outcomes.into_iter().filter(|is_ok| *is_ok).count()
        })
    });
    let fault = match crate::sync::toss() {
        Some(true) => Fault::Panic,
        _ => Fault::Fail(std::io::ErrorKind::Other),
    };
    store.fail_next_group(fault);
    let acknowledged: usize = writers.map(|writer| writer.join().unwrap()).into_iter().sum();
    let [a, b, ..] = read_each(&store.newest());
    assert_eq!([a, b], [acknowledged as u64; 2], "what is seen is not what was acknowledged");
    let has_failed = store.check_writable().is_err();
    assert_eq!(acknowledged < 4, has_failed, "refused without a failure, or not refused");
    assert_eq!(add(&store, &["a"]).is_err(), has_failed, "acknowledged after a failure");
}

/// Two writers, and a close at some time.
fn closing(folder: &Arc<Folder>) {
    let store = open(folder, 1 << 20);
    let writers = [(); 2].map(|()| {
        let store = Arc::clone(&store);
        thread::spawn(move || {
            let outcomes = [(); 2].map(|()| match add(&store, &["a", "b"]) {
                Ok(_) => true,
                Err(Error::Closed) => false,
                Err(other) => panic!("neither accepted nor closed: {other}"),
            });
            assert_ne!(outcomes, [false, true], "accepted after the close");
            outcomes.into_iter().filter(|is_ok| *is_ok).count()
        })
    });
    block_on(store.close()).unwrap();
    let at_close = read_each(&store.newest());
    let accepted: usize = writers.map(|writer| writer.join().unwrap()).into_iter().sum();
    assert_eq!(at_close, [accepted as u64, accepted as u64, 0, 0], "not drained at the close");
    assert_eq!(read_each(&store.newest()), at_close, "published after the close");
}

#[test]
fn views_show_whole_commits_in_their_order_and_nothing_is_lost() {
    explore(meeting);
}

#[test]
fn a_short_queue_changes_nothing() {
    explore(meeting_in_a_short_queue);
}

#[test]
fn keys_in_opposite_orders_do_not_lock_each_other_out() {
    explore(crossing);
}

#[test]
fn a_group_that_fails_is_the_last_one() {
    explore(failing);
}

#[test]
fn a_close_publishes_what_was_accepted_and_ends_it() {
    explore(closing);
}

const STALE: &[&str] = &["half a group", "older than before", "its own write is not read"];
const UNREAD: &[&str] = &["its own write is not read"];
const LOST: &[&str] = &["a commit was lost", "half a group"];
const HANGS: &[&str] = &["deadlock"];

#[test]
fn caches_that_are_told_late_are_noticed() {
    must_find(Planted::CachesToldLate, meeting, STALE);
}

#[test]
fn answers_before_the_publication_are_noticed() {
    must_find(Planted::AnsweredEarly, meeting, UNREAD);
}

#[test]
fn keys_given_back_early_are_noticed() {
    must_find(Planted::LocksGivenBackEarly, meeting, LOST);
}

#[test]
fn stripes_without_an_order_are_noticed() {
    must_find(Planted::StripesUnordered, crossing, HANGS);
}

#[test]
fn tickets_outside_the_queue_are_noticed() {
    must_find(Planted::TicketsOutsideTheQueue, meeting, &["tickets have no gaps"]);
}

#[test]
fn values_forgotten_early_are_noticed() {
    must_find(Planted::ValuesForgottenEarly, meeting, LOST);
}

#[test]
fn a_wait_without_a_second_look_is_noticed() {
    must_find(Planted::NoSecondLook, meeting, HANGS);
}

#[test]
fn room_that_nobody_is_told_of_is_noticed() {
    must_find(Planted::RoomNotTold, meeting_in_a_short_queue, HANGS);
}

#[test]
fn a_failure_that_is_told_early_is_noticed() {
    must_find(Planted::FailureToldEarly, failing, HANGS);
}

#[test]
fn an_end_before_everything_is_written_is_noticed() {
    must_find(Planted::EndBeforeDrained, closing, HANGS);
}

#[test]
fn values_kept_late_are_noticed() {
    must_find(Planted::ValueKeptLate, meeting, STALE);
}

#[test]
fn pages_kept_late_are_noticed() {
    must_find(Planted::PageKeptLate, meeting, STALE);
}

#[test]
fn pages_forgotten_first_are_noticed() {
    must_find(Planted::PagesForgottenFirst, meeting, STALE);
}
