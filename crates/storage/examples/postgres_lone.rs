//! One caller alone: gets, pages and commits of the PostgreSQL store beside bare SQL of as many round trips,
//! in turns, with the time and the waits of threads that each costs.
//!
//! `cargo run --release -p hashrange-storage --features postgres --example postgres_lone -- URL [ROUNDS]`.
//! A wait is a voluntary context switch of a thread of this process, as Linux counts them.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program for measuring"
)]

use futures_util::future::join;
use hashrange_storage::{
    Bytes, Direction, KeyRange, Keys, PostgresOptions, PostgresStore, Store, View, Wanted,
};
use std::fs;
use std::future::Future;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tokio_postgres::{Client, NoTls, Statement};

/// Operations of one kind in one turn.
const TURN: u32 = 400;

const KEYS: u64 = 2_000;

fn key(nth: u64) -> Vec<u8> {
    let nth = nth % KEYS;
    let hash = nth.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut key = vec![0x10, 0, 0, 0, 7, 0, 0];
    key.extend(&hash.to_be_bytes()[..4]);
    key.extend(format!("item-{nth:012}").as_bytes());
    key
}

/// Returns how often threads of this process have waited.
fn waits() -> u64 {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let waits = tasks.filter_map(|task| {
        let status = fs::read_to_string(task.path().join("status")).ok()?;
        status.lines().find_map(|line| {
            line.strip_prefix("voluntary_ctxt_switches:")?.trim().parse::<u64>().ok()
        })
    });
    waits.sum::<u64>()
}

/// The shortest time of an operation in a turn, and its waits then.
#[derive(Debug, Clone, Copy)]
struct Cost {
    time: Duration,
    waits: f64,
}

/// Does a turn of operations.
async fn turn<F: Future<Output = ()>>(best: &mut Option<Cost>, nth: u64, work: impl Fn(u64) -> F) {
    let (begin, before) = (Instant::now(), waits());
    for step in 0..u64::from(TURN) {
        work(nth.wrapping_mul(7_919) + step * 31).await;
    }
    let cost = Cost {
        time: begin.elapsed() / TURN,
        waits: f64::from(u32::try_from(waits() - before).unwrap()) / f64::from(TURN),
    };
    if best.is_none_or(|best| cost.time < best.time) {
        *best = Some(cost);
    }
}

/// Bare SQL: a client with its statements.
struct Bare {
    client: Client,
    get: Statement,
    page: Statement,
    lock: Statement,
    put: Statement,
}

impl Bare {
    async fn new(url: &str) -> Self {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
        tokio::spawn(async move { drop(connection.await) });
        let create =
            "DROP TABLE IF EXISTS bare; CREATE TABLE bare (key bytea PRIMARY KEY, value bytea)";
        client.batch_execute(create).await.unwrap();
        let fill = "INSERT INTO bare SELECT * FROM unnest($1::bytea[], $2::bytea[])";
        let keys: Vec<_> = (0..KEYS).map(key).collect();
        client.execute(fill, &[&keys, &vec![vec![1_u8; 1024]; keys.len()]]).await.unwrap();
        client.batch_execute("VACUUM ANALYZE bare").await.unwrap();
        let get = client.prepare("SELECT value FROM bare WHERE key = $1").await.unwrap();
        let page = "SELECT key, value FROM bare WHERE key >= $1 ORDER BY key LIMIT 10";
        let page = client.prepare(page).await.unwrap();
        let lock =
            client.prepare("SELECT value FROM bare WHERE key = $1 FOR UPDATE").await.unwrap();
        let put = client.prepare("UPDATE bare SET value = $2 WHERE key = $1").await.unwrap();
        Self { client, get, page, lock, put }
    }

    async fn get(&self, nth: u64) {
        self.client.query_one(&self.get, &[&key(nth)]).await.unwrap();
    }

    async fn page(&self, nth: u64) {
        self.client.query(&self.page, &[&key(nth)]).await.unwrap();
    }

    async fn commit(&self, nth: u64) {
        let (client, key, value) = (&self.client, key(nth), vec![2_u8; 1024]);
        let (begun, locked) =
            join(client.batch_execute("BEGIN"), client.query_one(&self.lock, &[&key])).await;
        begun.and(locked).unwrap();
        let (put, ended) =
            join(client.execute(&self.put, &[&key, &value]), client.batch_execute("COMMIT")).await;
        put.and(ended.map(|()| 0)).unwrap();
    }
}

async fn get(store: &PostgresStore, nth: u64) {
    assert!(store.get(&key(nth)).await.unwrap().is_some());
}

async fn page(store: &PostgresStore, nth: u64) {
    let start = key(nth);
    let range = KeyRange { end: KeyRange::prefix(&start[..7]).end, start };
    let mut left = 10;
    let visitor = |_: &[u8], _| {
        left -= 1;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let view = store.view().await.unwrap();
    view.visit(range, Direction::Forward, Wanted::entries(10), visitor).await.unwrap();
}

async fn commit(store: &PostgresStore, nth: u64) {
    let keys = Keys { write: vec![key(nth)], read: Vec::new() };
    store.commit(keys, |_, batch| batch.put(key(nth), Bytes::from(vec![2; 1024]))).await.unwrap();
}

async fn fill(store: &PostgresStore) {
    for from in (0..KEYS).step_by(500) {
        let keys = (from..from + 500).map(key).collect::<Vec<_>>();
        let put = store.commit(keys, |_, batch| {
            (from..from + 500).for_each(|nth| batch.put(key(nth), Bytes::from(vec![1; 1024])));
        });
        put.await.unwrap();
    }
}

/// Measures bare SQL and the stores in turns.
async fn measure(url: &str, stores: &[(&str, PostgresStore)], rounds: u64) {
    let bare = Bare::new(url).await;
    let mut bare_costs = [None; 3];
    let mut costs = vec![[None; 3]; stores.len()];
    for nth in 0..rounds {
        turn(&mut bare_costs[0], nth, |nth| bare.get(nth)).await;
        for ((_, store), costs) in stores.iter().zip(&mut costs) {
            turn(&mut costs[0], nth, |nth| get(store, nth)).await;
        }
        turn(&mut bare_costs[1], nth, |nth| bare.page(nth)).await;
        for ((_, store), costs) in stores.iter().zip(&mut costs) {
            turn(&mut costs[1], nth, |nth| page(store, nth)).await;
        }
        turn(&mut bare_costs[2], nth, |nth| bare.commit(nth)).await;
        for ((_, store), costs) in stores.iter().zip(&mut costs) {
            turn(&mut costs[2], nth, |nth| commit(store, nth)).await;
        }
    }
    for (kind, name) in ["get", "page", "commit"].into_iter().enumerate() {
        let bare = bare_costs[kind].unwrap();
        println!("{name}: bare {:?}, {:.1} waits", bare.time, bare.waits);
        for ((driver, _), costs) in stores.iter().zip(&costs) {
            let own = costs[kind].unwrap();
            println!(
                "{name}: {driver} {:?}, {:.1} waits, {:.2} times as long",
                own.time,
                own.waits,
                own.time.as_secs_f64() / bare.time.as_secs_f64()
            );
        }
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().expect("the URL of a database");
    let rounds = arguments.next().map_or(10, |text| text.parse().unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let drivers = [("own thread", None), ("caller's runtime", Some(runtime.handle().clone()))];
    let stores = drivers.map(|(name, runtime)| {
        let schema = "lone".to_owned();
        let options = PostgresOptions { schema, runtime, ..PostgresOptions::default() };
        (name, PostgresStore::open(&url, &options).unwrap())
    });
    // A task of the runtime, as a server's are.
    let measured = runtime.spawn(async move {
        fill(&stores[0].1).await;
        measure(&url, &stores, rounds).await;
        stores
    });
    drop(runtime.block_on(measured).unwrap());
}
