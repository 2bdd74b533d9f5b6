//! Concurrent clients of the real server on a folder, which is killed with SIGKILL and restarted
//! while they go on. What was under way then may have happened or not; all else is known, and no
//! order of the operations may contradict it: single items are linearizable, transactions strictly
//! serializable, and no money is made or lost.
//!
//! Bounded by default; `HASHRANGE_HISTORY_ROUNDS` asks for more runs, each on a fresh folder,
//! `HASHRANGE_SEED` is the seed of the first.

#![expect(
    clippy::disallowed_methods,
    reason = "how long a run is, and its seed, come from the environment"
)]
#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

mod bank;
mod client;
mod documents;
mod registers;
mod server;

use bank::Bank;
use client::Client;
use hashrange::{Database, Options};
use hashrange_testkit::history::Clock;
use hashrange_testkit::random::Random;
use registers::Registers;
use serde_json::json;
use server::Server;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use tempfile::TempDir;

const TABLE: &str = "table";
const KILLS: usize = 4;
/// Clients of each kind.
const CLIENTS: u64 = 3;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// What all clients of a run share.
struct Run {
    server: Server,
    clock: Clock,
    seed: u64,
    next_id: AtomicU64,
    is_over: AtomicBool,
}

impl Run {
    /// Returns a number that is given once.
    fn id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Does something again and again until the run is over, and tells each time. Returns what was
    /// recorded.
    fn repeat<T>(
        &self,
        nth: u64,
        told: &Sender<()>,
        once: impl Fn(&mut Client<'_>, &mut Random) -> Vec<T>,
    ) -> Vec<T> {
        let mut random = Random::new(self.seed * 1000 + nth);
        let mut client = Client::new(&self.server);
        let mut recorded = Vec::new();
        while !self.is_over.load(Ordering::Acquire) {
            recorded.extend(once(&mut client, &mut random));
            told.send(()).unwrap();
        }
        recorded
    }

    /// Kills the server, each time after it has done some more.
    fn kill(&self, told: &Receiver<()>) {
        let mut random = Random::new(self.seed);
        let mut wait = || (0..40 + random.below(160)).for_each(|_| told.recv().unwrap());
        for _ in 0..KILLS {
            wait();
            self.server.kill_and_restart();
        }
        wait();
        self.is_over.store(true, Ordering::Release);
    }
}

#[test]
fn kills_contradict_nothing_that_clients_were_told() {
    let first = setting("HASHRANGE_SEED", 1);
    for seed in first..first + setting("HASHRANGE_HISTORY_ROUNDS", 1) {
        println!("HASHRANGE_SEED={seed}");
        one_run(seed);
    }
}

fn one_run(seed: u64) {
    let folder = TempDir::new().unwrap();
    documents::create(folder.path());
    let run = Run {
        server: Server::start(folder.path()),
        clock: Clock::default(),
        seed,
        next_id: AtomicU64::new(1),
        is_over: AtomicBool::new(false),
    };
    create_table(&mut Client::new(&run.server));
    let (bank, registers) = (Bank::open(&run), Registers::new(&run));
    let (told, heard) = channel();
    let (mut transfers, events, documents) = thread::scope(|scope| {
        let start = |nth: u64| {
            let (bank, run, told) = (&bank, &run, told.clone());
            scope.spawn(move || run.repeat(nth, &told, |c, r| bank.use_once(c, r)))
        };
        let banking: Vec<_> = (0..CLIENTS).map(start).collect();
        let start = |nth: u64| {
            let (registers, run, told) = (&registers, &run, told.clone());
            scope.spawn(move || run.repeat(nth, &told, |c, r| registers.use_once(c, r)))
        };
        let writing: Vec<_> = (CLIENTS..2 * CLIENTS).map(start).collect();
        let start = |nth: u64| {
            let (run, told) = (&run, told.clone());
            scope.spawn(move || run.repeat(nth, &told, |c, r| documents::write_once(run, c, r)))
        };
        let documenting: Vec<_> = (2 * CLIENTS..3 * CLIENTS).map(start).collect();
        run.kill(&heard);
        let banked = banking.into_iter().flat_map(|thread| thread.join().unwrap());
        let written = writing.into_iter().flat_map(|thread| thread.join().unwrap());
        let kept = documenting.into_iter().flat_map(|thread| thread.join().unwrap());
        (banked.collect::<Vec<_>>(), written.collect::<Vec<_>>(), kept.collect::<Vec<_>>())
    });
    transfers.extend(bank.audit(&mut Client::new(&run.server)));
    documents::check(&mut Client::new(&run.server), &documents);
    bank::check(&transfers);
    registers::check(&events);
    let log = run.server.end();
    let bad = |line: &&String| line.contains("\"ERROR\"") || line.contains("\"WARN\"");
    assert_eq!(log.iter().find(bad), None);
    let report = Database::check(folder.path(), &Options::default()).unwrap();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
}

fn create_table(client: &mut Client<'_>) {
    client.done(
        "CreateTable",
        &json!({
            "TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{ "AttributeName": "pk", "AttributeType": "S" }],
            "KeySchema": [{ "AttributeName": "pk", "KeyType": "HASH" }],
        }),
    );
}
