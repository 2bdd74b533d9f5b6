//! Clients of several stores on one cluster: each increments numbers that all share, appends to a log that all
//! share and puts a key of its own, in one commit; what they are told is kept, and compared with what is there.

use super::numbers::{number, text};
use super::proxy::Proxy;
use hashrange_storage::postgres::PostgresOptions;
use hashrange_storage::{
    Direction, Error, Key, KeyRange, PostgresStore, Store, View, Wanted, block_on,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Clients of each store.
const CLIENTS: usize = 3;
/// Numbers that all increment.
const NUMBERS: usize = 4;
/// So long there may be no acknowledged commit.
const PATIENCE: Duration = Duration::from_secs(90);

/// What clients were told, and how long they were told nothing.
#[derive(Debug, Default, Clone, Copy)]
pub struct Round {
    pub acknowledged: u64,
    /// Of them those that were looked up, as their connection was lost.
    pub asked: u64,
    /// Transactions that failed and were tried again.
    pub retried: u64,
    /// Commits that failed so that nothing was written.
    pub refused: u64,
    /// Commits that failed and may be there.
    pub open: u64,
    /// Of them those that are.
    pub open_and_there: u64,
    /// Connections that broke and were made again.
    pub lost: u64,
    /// Reads of a client's own last commit; none may miss it.
    pub reads: u64,
    /// The longest time in which no commit was acknowledged, in milliseconds.
    pub longest_ms: u64,
}

/// What became of the commits, by their own key.
#[derive(Debug, Default)]
struct Told {
    acknowledged: BTreeSet<String>,
    refused: BTreeSet<String>,
    open: BTreeSet<String>,
}

/// Stores with clients.
pub struct Clients {
    stores: Vec<PostgresStore>,
    /// Between the first store and each server.
    proxies: Arc<[Proxy]>,
    told: Told,
    rounds: u64,
    all: Round,
}

/// What running clients share.
#[derive(Debug, Default)]
pub struct Running {
    stop: AtomicBool,
    acknowledged: AtomicU64,
    reads: AtomicU64,
    /// Clients read where they have written, and not at another store.
    reads_own: AtomicBool,
}

/// Stops clients when it is dropped, also by a failure.
struct Stop<'r>(&'r Running);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }
}

impl Running {
    /// Sets whether clients read where they have written alone: while there are two primaries that go on, other stores
    /// may not have found the new one for a second.
    pub fn read_own(&self, is_so: bool) {
        self.reads_own.store(is_so, Ordering::Relaxed);
    }

    /// Waits until so many more commits are acknowledged.
    pub fn wait_for(&self, more: u64) {
        let goal = self.acknowledged.load(Ordering::Relaxed) + more;
        let begin = Instant::now();
        while self.acknowledged.load(Ordering::Relaxed) < goal {
            assert!(begin.elapsed() < PATIENCE, "{self:?}: commits go on");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Clients {
    /// Opens stores on the servers at these ports, the first of them behind proxies.
    pub fn open(ports: [u16; 3], stores: usize) -> Self {
        let proxies: Arc<[Proxy]> = ports.into_iter().map(Proxy::start).collect();
        let url = |ports: &mut dyn Iterator<Item = u16>| {
            let hosts: Vec<_> = ports.map(|port| format!("127.0.0.1:{port}")).collect();
            format!("postgres://owner@{}/postgres", hosts.join(","))
        };
        let open = |nth| {
            let url = if nth == 0 {
                url(&mut proxies.iter().map(|proxy| proxy.port))
            } else {
                url(&mut ports.into_iter())
            };
            // Also the smallest pages, so that they are asked about.
            let options = PostgresOptions { kept_page_bytes: 0, ..PostgresOptions::default() };
            PostgresStore::open(&url, &options).unwrap()
        };
        let stores = (0..stores).map(open).collect();
        Self { stores, proxies, told: Told::default(), rounds: 0, all: Round::default() }
    }

    /// Returns the proxies between the first store and each server.
    pub fn proxies(&self) -> Arc<[Proxy]> {
        Arc::clone(&self.proxies)
    }

    /// Returns the sums over all rounds, and the longest time.
    pub fn all(&self) -> Round {
        self.all
    }

    /// Runs clients while `work` goes on, checks all that is stored, and tells how this round was.
    pub fn run(&mut self, work: impl FnOnce(&Running)) -> Round {
        let before = self.counted();
        let running = Running::default();
        let round = self.rounds;
        self.rounds += 1;
        let (told, longest) = thread::scope(|scope| {
            let clients: Vec<_> = (0..self.stores.len() * CLIENTS)
                .map(|nth| {
                    let (stores, running) = (&self.stores, &running);
                    scope.spawn(move || Client { stores, running, round, nth }.run())
                })
                .collect();
            let watch = scope.spawn(|| longest_pause(&running));
            {
                let _stop = Stop(&running);
                work(&running);
            }
            let told: Vec<Told> =
                clients.into_iter().map(|client| client.join().unwrap()).collect();
            (told, watch.join().unwrap())
        });
        let mut done = Round { longest_ms: longest, ..Round::default() };
        done.reads = running.reads.load(Ordering::Relaxed);
        let mut open = BTreeSet::new();
        for Told { mut acknowledged, mut refused, open: mut left } in told {
            done.acknowledged += acknowledged.len() as u64;
            done.refused += refused.len() as u64;
            done.open += left.len() as u64;
            self.told.acknowledged.append(&mut acknowledged);
            self.told.refused.append(&mut refused);
            open.append(&mut left);
        }
        self.told.open.extend(open.iter().cloned());
        let stored = self.check();
        done.open_and_there = open.intersection(&stored).count() as u64;
        let after = self.counted();
        done.asked = after.asked - before.asked;
        done.retried = after.retried - before.retried;
        done.lost = after.lost - before.lost;
        self.add(done);
        done
    }

    fn add(&mut self, done: Round) {
        let all = &mut self.all;
        all.acknowledged += done.acknowledged;
        all.asked += done.asked;
        all.retried += done.retried;
        all.refused += done.refused;
        all.open += done.open;
        all.open_and_there += done.open_and_there;
        all.lost += done.lost;
        all.reads += done.reads;
        all.longest_ms = all.longest_ms.max(done.longest_ms);
    }

    /// Returns what the stores have counted so far.
    fn counted(&self) -> Round {
        let mut sum = Round::default();
        for traffic in self.stores.iter().map(PostgresStore::traffic) {
            let wanted = traffic.lanes.wanted + traffic.readers.wanted;
            sum.asked += traffic.resolved_outcomes;
            sum.retried += traffic.retries.iter().sum::<u64>();
            sum.lost += traffic.connects.saturating_sub(wanted);
        }
        sum
    }

    /// Checks what is stored against what was told, and returns the clients' own keys.
    fn check(&self) -> BTreeSet<String> {
        let store = &self.stores[self.stores.len() - 1];
        let own = entries(store, "own ");
        for (key, value) in &own {
            assert_eq!(value, "1", "{key} was written once");
        }
        let own: BTreeSet<String> = own.into_keys().collect();
        let Told { acknowledged, refused, open } = &self.told;
        let lost: Vec<_> = acknowledged.difference(&own).collect();
        assert!(lost.is_empty(), "{} acknowledged commits are lost: {lost:?}", lost.len());
        let made: Vec<_> = refused.intersection(&own).collect();
        assert!(made.is_empty(), "refused commits are there: {made:?}");
        let unknown: Vec<_> = own.iter().filter(|key| !acknowledged.contains(*key)).collect();
        assert!(unknown.iter().all(|key| open.contains(*key)), "nobody made them: {unknown:?}");
        let numbers =
            entries(store, "n").values().map(|value| value.parse::<usize>().unwrap()).sum();
        assert_eq!(own.len(), numbers, "commits and increments");
        let sums = at_last(|| block_on(block_on(store.view())?.sums(&[b"count".to_vec()])));
        assert_eq!(Some(own.len()), sums.first().map(|sum| usize::try_from(*sum).unwrap()));
        let log: Vec<String> = entries(store, "log").into_values().collect();
        let logged: BTreeSet<String> = log.iter().cloned().collect();
        assert_eq!((log.len(), &logged), (own.len(), &own), "each commit is in the log, once");
        own
    }
}

/// One client.
struct Client<'c> {
    stores: &'c [PostgresStore],
    running: &'c Running,
    round: u64,
    nth: usize,
}

impl Client<'_> {
    fn run(self) -> Told {
        let Self { stores, running, round, nth } = self;
        let (store, other) = (&stores[nth % stores.len()], &stores[(nth + 1) % stores.len()]);
        let mut told = Told::default();
        for step in 0_u64.. {
            if running.stop.load(Ordering::Relaxed) {
                break;
            }
            let (name, own) = (format!("n{}", nth % NUMBERS), format!("own {round} {nth} {step}"));
            let keys: Vec<Key> = vec![name.clone().into(), own.clone().into()];
            let written = block_on(store.commit(keys, |values, batch| {
                assert_eq!(values[1], None, "a commit was carried out twice");
                batch.put(name.clone().into(), text(number(values[0].as_ref()) + 1));
                batch.put(own.clone().into(), text(1));
                batch.add(b"count".to_vec(), 1);
                batch.append(b"log".to_vec(), own.clone().into_bytes().into());
            }));
            match written {
                Ok(()) => {
                    running.acknowledged.fetch_add(1, Ordering::Relaxed);
                    // Where it was written, and by another store.
                    let is_own = step % 2 == 0 || running.reads_own.load(Ordering::Relaxed);
                    let reader = if is_own { store } else { other };
                    if let Ok(found) = block_on(reader.get(own.as_bytes())) {
                        assert!(found.is_some(), "{own} was acknowledged and is not read");
                        running.reads.fetch_add(1, Ordering::Relaxed);
                    }
                    told.acknowledged.insert(own);
                }
                Err(Error::Conflict) => drop(told.refused.insert(own)),
                Err(Error::Unavailable { .. }) => drop(told.open.insert(own)),
                Err(error) => panic!("{error}"),
            }
        }
        told
    }
}

/// Returns the longest time in milliseconds in which nothing was acknowledged.
fn longest_pause(running: &Running) -> u64 {
    let (mut last, mut since) = (0, Instant::now());
    let mut longest = Duration::ZERO;
    while !running.stop.load(Ordering::Relaxed) {
        let now = running.acknowledged.load(Ordering::Relaxed);
        longest = longest.max(since.elapsed());
        if now != last {
            (last, since) = (now, Instant::now());
        }
        thread::sleep(Duration::from_millis(2));
    }
    u64::try_from(longest.as_millis()).unwrap()
}

/// Returns all entries of a prefix as text.
fn entries(store: &PostgresStore, prefix: &str) -> BTreeMap<String, String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    at_last(|| {
        let mut found = BTreeMap::new();
        let range = KeyRange::prefix(prefix.as_bytes());
        let view = block_on(store.view())?;
        block_on(view.visit(range, Direction::Forward, Wanted::ALL, |key, value| {
            // Keys of the log end with bytes that are no text.
            let key = key.iter().map(|byte| char::from(*byte)).collect();
            found.insert(key, text(&value));
            ControlFlow::Continue(())
        }))?;
        Ok(found)
    })
}

/// Runs `work` until it succeeds, for a bounded time.
fn at_last<T>(mut work: impl FnMut() -> Result<T, Error>) -> T {
    let begin = Instant::now();
    loop {
        match work() {
            Ok(done) => return done,
            Err(error) if begin.elapsed() > PATIENCE => panic!("{error}"),
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    }
}
