//! Measures the embedded store beside the raw engine it is built on: point reads, range reads and
//! durable writes of 1 KiB values.
//!
//! `store_bench [read|write|open] [ITEMS]`; prints one line per measurement. Figures compare the
//! two columns of one run; they say little across machines.

#![expect(
    clippy::cast_precision_loss,
    reason = "rates are shown with few digits: no count comes near 2^53"
)]
#![expect(clippy::disallowed_methods, reason = "it measures time")]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program for people")]

use fjall::{Database, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode, Readable};
use hashrange_storage::{
    Bytes, Direction, EmbeddedOptions, EmbeddedStore, Key, KeyRange, Store, View, Wanted, block_on,
};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

const VALUE_BYTES: usize = 1024;
const RUN: Duration = Duration::from_secs(2);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    if what == "reopen" {
        return reopen(Path::new(&arguments.next().unwrap()));
    }
    let items = arguments.next().map_or(100_000, |text| text.parse().unwrap());
    let folder = tempfile::tempdir_in(std::env::current_dir().unwrap()).unwrap();
    match what.as_str() {
        "read" => read(folder.path(), items),
        "write" => write(folder.path(), items),
        "open" => open(folder.path(), items),
        _ => println!("store_bench [read|write|open] [ITEMS]"),
    }
}

/// A small generator: the same numbers in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

fn key(number: u64) -> Key {
    // Scattered like hashed partition keys, 34 bytes like a typical one.
    let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{hash:016x}{number:018}").into_bytes()
}

fn value(number: u64) -> Bytes {
    let mut random = Random(number + 1);
    let half = std::iter::repeat_with(|| random.next().to_le_bytes()).take(VALUE_BYTES / 16);
    let mut bytes: Vec<u8> = half.flatten().collect();
    bytes.resize(VALUE_BYTES, b'x');
    Bytes::from(bytes)
}

fn options() -> EmbeddedOptions {
    let cache_mib = std::env::var("CACHE_MIB").map_or(256, |text| text.parse().unwrap());
    EmbeddedOptions { cache_bytes: cache_mib << 20, ..EmbeddedOptions::default() }
}

fn fill(store: &EmbeddedStore, items: u64) {
    for start in (0..items).step_by(1000) {
        block_on(store.commit(vec![], |_, batch| {
            for number in start..items.min(start + 1000) {
                batch.put(key(number), value(number));
            }
        }))
        .unwrap();
    }
}

/// Runs `operation` for a while and prints its rate.
fn measure(name: &str, mut operation: impl FnMut()) {
    let start = Instant::now();
    let mut count = 0u64;
    while start.elapsed() < RUN {
        (0..64).for_each(|_| operation());
        count += 64;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{name:44} {:>10.0} /s  {:>8.0} ns",
        count as f64 / seconds,
        seconds * 1e9 / count as f64
    );
}

fn read(folder: &Path, items: u64) {
    let path = folder.join("store");
    let store = EmbeddedStore::open(&path, &options()).unwrap();
    fill(&store, items);
    drop(store);
    read_raw(&path.join("fjall"), items);
    let store = EmbeddedStore::open(&path, &options()).unwrap();
    let mut random = Random(7);
    let mut next = || key(random.next() % items);
    for round in 0..2 {
        measure(&format!("ours: view + get, round {round}"), || {
            assert!(block_on(block_on(store.view()).unwrap().get(&next())).unwrap().is_some());
        });
    }
    let view = block_on(store.view()).unwrap();
    measure("ours: get on one view", || {
        assert!(block_on(view.get(&next())).unwrap().is_some());
    });
    measure("ours: view alone", || {
        std::hint::black_box(block_on(store.view()).unwrap());
    });
    measure("ours: visit 100", || {
        let mut seen = 0;
        let range = KeyRange { start: next(), end: None };
        block_on(block_on(store.view()).unwrap().visit(
            range,
            Direction::Forward,
            Wanted::ALL,
            |_, value| {
                std::hint::black_box(value);
                seen += 1;
                if seen == 100 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        ))
        .unwrap();
    });
    println!("{:?}", store.stats());
}

fn open_raw(path: &Path) -> (Database, Keyspace) {
    let database = Database::builder(path)
        .cache_size(options().cache_bytes)
        .manual_journal_persist(true)
        .open()
        .unwrap();
    let keyspace = database.keyspace("data", KeyspaceCreateOptions::default).unwrap();
    (database, keyspace)
}

fn read_raw(path: &Path, items: u64) {
    let (database, keyspace) = open_raw(path);
    let mut random = Random(7);
    let mut next = || key(random.next() % items);
    for round in 0..2 {
        measure(&format!("raw: get, round {round}"), || {
            assert!(keyspace.get(next()).unwrap().is_some());
        });
    }
    measure("raw: snapshot + get", || {
        assert!(database.snapshot().get(&keyspace, next()).unwrap().is_some());
    });
    measure("raw: range 100", || {
        for entry in keyspace.range(next()..).take(100) {
            std::hint::black_box(entry.into_inner().unwrap());
        }
    });
}

fn write(folder: &Path, items: u64) {
    for writers in [1, 16, 64] {
        write_raw(&folder.join(format!("raw-{writers}")), writers, items);
        write_ours(&folder.join(format!("ours-{writers}")), writers, items);
    }
}

/// Lets `writers` tasks call `put` in a loop on two threads and prints rate and latencies.
fn drive<P, F>(name: &str, writers: u64, put: P)
where
    P: Fn(u64) -> F + Send + Sync + 'static,
    F: Future<Output = ()> + Send,
{
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let put = Arc::new(put);
    let (next, start) = (Arc::new(AtomicU64::new(0)), Instant::now());
    let tasks: Vec<_> = (0..writers)
        .map(|_| {
            let (put, next) = (Arc::clone(&put), Arc::clone(&next));
            runtime.spawn(async move {
                let mut latencies = Vec::new();
                while start.elapsed() < RUN * 2 {
                    let before = Instant::now();
                    put(next.fetch_add(1, Ordering::Relaxed)).await;
                    latencies.push(before.elapsed());
                }
                latencies
            })
        })
        .collect();
    let mut latencies: Vec<Duration> =
        tasks.into_iter().flat_map(|task| runtime.block_on(task).unwrap()).collect();
    latencies.sort_unstable();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "shares are between 0 and 1, so the offset is one of the latencies"
    )]
    let at = |share: f64| latencies[((latencies.len() - 1) as f64 * share) as usize];
    println!(
        "{name} {writers:>2} writers: {:>8.0} /s  p50 {:?} p99 {:?}",
        latencies.len() as f64 / start.elapsed().as_secs_f64(),
        at(0.5),
        at(0.99)
    );
}

fn write_ours(path: &Path, writers: u64, items: u64) {
    let store = Arc::new(EmbeddedStore::open(path, &options()).unwrap());
    let shared = Arc::clone(&store);
    drive("ours", writers, move |number| {
        let store = Arc::clone(&shared);
        async move {
            let (key, value) = (key(number % items), value(number));
            store
                .commit(vec![key.clone()], |_, batch| batch.put(key.clone(), value.clone()))
                .await
                .unwrap();
        }
    });
    println!("  {:?}", store.stats());
}

/// The simplest group commit on the raw engine: a channel, one thread, an answer for each write.
fn write_raw(path: &Path, writers: u64, items: u64) {
    let (database, keyspace) = open_raw(path);
    let (sender, mut receiver) = mpsc::unbounded_channel::<(Key, Bytes, oneshot::Sender<()>)>();
    let committer = std::thread::spawn(move || {
        let mut group = Vec::new();
        while receiver.blocking_recv_many(&mut group, 1024) > 0 {
            let mut batch = OwnedWriteBatch::with_capacity(database.clone(), group.len())
                .durability(Some(PersistMode::SyncData));
            let mut answers = Vec::new();
            for (key, value, answer) in group.drain(..) {
                batch.insert(&keyspace, key, value);
                answers.push(answer);
            }
            batch.commit().unwrap();
            for answer in answers {
                answer.send(()).unwrap();
            }
        }
    });
    drive("raw ", writers, move |number| {
        let sender = sender.clone();
        async move {
            let (answer, answered) = oneshot::channel();
            sender.send((key(number % items), value(number), answer)).unwrap();
            answered.await.unwrap();
        }
    });
    committer.join().unwrap();
}

fn open(folder: &Path, items: u64) {
    let path = folder.join("store");
    let before = Instant::now();
    let store = EmbeddedStore::open(&path, &options()).unwrap();
    println!("create: {:?}", before.elapsed());
    fill(&store, items);
    println!("filled: {:?}, {} KiB resident", store.stats(), resident_kib());
    let before = Instant::now();
    drop(store);
    println!("drop: {:?}", before.elapsed());
    // In a process of its own, whose memory the filling did not touch.
    for _ in 0..3 {
        let mut command = Command::new(std::env::current_exe().unwrap());
        assert!(command.arg("reopen").arg(&path).status().unwrap().success());
    }
}

fn reopen(path: &Path) {
    let before = Instant::now();
    let store = EmbeddedStore::open(path, &options()).unwrap();
    assert!(block_on(block_on(store.view()).unwrap().get(&key(0))).unwrap().is_some());
    println!("open and first get: {:?}, {} KiB resident", before.elapsed(), resident_kib());
}

fn resident_kib() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4
}
