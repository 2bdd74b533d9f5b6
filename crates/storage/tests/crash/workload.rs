//! What the process that crashes does, and how to tell from the store that nothing was lost.
//!
//! Each thread commits numbered rounds. A round writes `PARTS` values under its number, sets the
//! thread's `latest/` key to the number, adds one to a counter, appends its number to a log and
//! deletes an old round. So the
//! whole content of the store follows from the `latest/` values alone, and a batch that is half
//! there, lost or applied twice shows as a difference.

use crate::child;
use hashrange_storage::{
    Bytes, Direction, EmbeddedOptions, EmbeddedStore, Error, Key, KeyRange, Store, View, Wanted,
    block_on,
};
use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::thread;

/// Prefix of the log that every thread appends to.
const LOG: &[u8] = b"log/";
const PARTS: u64 = 3;
const KEPT_ROUNDS: u64 = 10;

/// How much a child process does before it ends without closing its store.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Workload {
    pub(crate) threads: u64,
    /// Rounds of each thread in each phase.
    pub(crate) rounds: u64,
    /// Each phase opens the store; all but the last close it.
    pub(crate) phases: u64,
    pub(crate) value_bytes: u64,
    pub(crate) memtable_bytes: u64,
}

impl Workload {
    pub(crate) fn to_text(self) -> String {
        let Self { threads, rounds, phases, value_bytes, memtable_bytes } = self;
        format!("{threads} {rounds} {phases} {value_bytes} {memtable_bytes}")
    }

    fn parse(text: &str) -> Self {
        let mut numbers = text.split(' ').map(|number| number.parse().unwrap());
        let mut next = || numbers.next().unwrap();
        Self {
            threads: next(),
            rounds: next(),
            phases: next(),
            value_bytes: next(),
            memtable_bytes: next(),
        }
    }

    pub(crate) fn open(self, folder: &Path) -> Result<EmbeddedStore, hashrange_storage::OpenError> {
        let options =
            EmbeddedOptions { memtable_bytes: self.memtable_bytes, ..EmbeddedOptions::default() };
        EmbeddedStore::open(folder, &options)
    }

    /// Commits one round of one thread.
    pub(crate) fn commit(
        self,
        store: &EmbeddedStore,
        thread: u64,
        round: u64,
    ) -> Result<(), Error> {
        block_on(store.commit(vec![latest_key(thread)], |values, batch| {
            assert_eq!(number(values[0].as_ref()), round - 1, "the thread's own last round");
            batch.put(latest_key(thread), Bytes::from(round.to_string()));
            batch.add(b"total".to_vec(), 1);
            batch.append(LOG.to_vec(), Bytes::from(format!("{thread} {round}")));
            for part in 0..PARTS {
                batch.put(part_key(thread, round, part), self.value(thread, round, part));
                if round > KEPT_ROUNDS {
                    batch.delete(part_key(thread, round - KEPT_ROUNDS, part));
                }
            }
        }))
    }

    /// Fails when the store does not hold exactly what some number of whole rounds leaves, at
    /// least the acknowledged ones and at most one more for each thread.
    pub(crate) fn verify(self, content: &Content, acknowledged: &[u64]) -> Result<(), String> {
        let latest = self.latest(content);
        for (thread, (&latest, &acknowledged)) in latest.iter().zip(acknowledged).enumerate() {
            if latest < acknowledged || latest > acknowledged + 1 {
                return Err(format!(
                    "thread {thread}: {acknowledged} acknowledged, {latest} found"
                ));
            }
        }
        verify_log(content, &latest)?;
        let mut expected = self.content(&latest);
        expected.extend(log(content).map(|(key, value)| (key.clone(), value.clone())));
        let differs = |key: &&Key| content.get(*key) != expected.get(*key);
        match content.keys().chain(expected.keys()).find(differs) {
            Some(key) => Err(format!(
                "key '{}' (latest {latest:?}): found {:?}, expected {:?}",
                key.escape_ascii(),
                content.get(key).map(Bytes::len),
                expected.get(key).map(Bytes::len)
            )),
            None => Ok(()),
        }
    }

    /// Returns the last round of each thread.
    pub(crate) fn latest(self, content: &Content) -> Vec<u64> {
        (0..self.threads).map(|thread| number(content.get(&latest_key(thread)))).collect()
    }

    fn content(self, latest: &[u64]) -> Content {
        let mut content = Content::new();
        for (thread, &last) in (0..).zip(latest).filter(|(_, last)| **last > 0) {
            content.insert(latest_key(thread), Bytes::from(last.to_string()));
            for round in last.saturating_sub(KEPT_ROUNDS - 1).max(1)..=last {
                for part in 0..PARTS {
                    content.insert(part_key(thread, round, part), self.value(thread, round, part));
                }
            }
        }
        let total = latest.iter().sum::<u64>();
        if total > 0 {
            content.insert(b"total".to_vec(), Bytes::copy_from_slice(&total.to_le_bytes()));
        }
        content
    }

    fn value(self, thread: u64, round: u64, part: u64) -> Bytes {
        let seed = (thread * 1_000_003 + round) * PARTS + part;
        let length = self.value_bytes / 2 + seed * 7919 % self.value_bytes;
        let byte = |nth: u64| (seed.wrapping_mul(31) + nth * nth / 7).to_le_bytes()[0];
        (0..length).map(byte).collect()
    }
}

/// Returns the log: its keys end with commit stamps.
fn log(content: &Content) -> impl Iterator<Item = (&Key, &Bytes)> {
    content.iter().filter(|(key, _)| key.starts_with(LOG))
}

/// Fails when the log does not hold each round of each thread once, in order.
fn verify_log(content: &Content, latest: &[u64]) -> Result<(), String> {
    let mut rounds = vec![0; latest.len()];
    for (key, value) in log(content) {
        let text = std::str::from_utf8(value).map_err(|error| error.to_string())?;
        let (thread, round) = text.split_once(' ').ok_or("not an entry of the log")?;
        let last = rounds.get_mut(thread.parse::<usize>().unwrap()).ok_or("unknown thread")?;
        *last += 1;
        if round != last.to_string() {
            return Err(format!("{} is round {round}, not {last}", key.escape_ascii()));
        }
    }
    if rounds == latest { Ok(()) } else { Err(format!("the log ends at {rounds:?}, {latest:?}")) }
}

/// All keys and values of a store.
pub(crate) type Content = BTreeMap<Key, Bytes>;

/// Reads the whole store twice: as a range and key by key.
pub(crate) fn read_all(store: &EmbeddedStore) -> Result<Content, Error> {
    let view = block_on(store.view()).unwrap();
    let mut content = Content::new();
    block_on(view.visit(KeyRange::all(), Direction::Forward, Wanted::ALL, |key, value| {
        content.insert(key.to_vec(), value.clone());
        ControlFlow::Continue(())
    }))?;
    for (key, value) in &mut content {
        // Where the two differ, a value that no round writes makes the difference known.
        if block_on(view.get(key))?.as_ref() != Some(value) {
            *value = Bytes::from_static(b"get and visit differ");
        }
    }
    Ok(content)
}

/// Works on the store of [`child::folder`] and prints `THREAD ROUND` for each acknowledged commit.
pub(crate) fn run_child() {
    let workload = Workload::parse(&child::workload());
    for phase in 1..=workload.phases {
        let store = workload.open(&child::folder()).unwrap();
        let content = read_all(&store).unwrap();
        let latest = workload.latest(&content);
        let ended = thread::scope(|scope| {
            let threads: Vec<_> = (0..)
                .zip(&latest)
                .map(|(thread, &last)| {
                    let store = &store;
                    scope.spawn(move || run_thread(workload, store, thread, last))
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        if let Some(error) = ended.into_iter().find_map(Result::err) {
            print(&format!("failed {error:?}\n"));
            print(&format!("reads {}\n", read_all(&store).is_ok()));
            std::process::exit(0);
        }
        if phase == workload.phases {
            std::process::exit(0);
        }
    }
}

fn run_thread(
    workload: Workload,
    store: &EmbeddedStore,
    thread: u64,
    last: u64,
) -> Result<(), Error> {
    for round in last + 1..=last + workload.rounds {
        workload.commit(store, thread, round)?;
        print(&format!("{thread} {round}\n"));
    }
    Ok(())
}

/// Writes one line with one call.
fn print(line: &str) {
    std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
}

fn latest_key(thread: u64) -> Key {
    format!("latest/{thread}").into_bytes()
}

fn part_key(thread: u64, round: u64, part: u64) -> Key {
    format!("round/{thread}/{round:06}/{part}").into_bytes()
}

fn number(value: Option<&Bytes>) -> u64 {
    let text = value.map_or("0", |value| std::str::from_utf8(value).unwrap_or_default());
    text.parse().unwrap_or(u64::MAX / 2)
}
