//! Gets and puts of the PostgreSQL store beside bare prepared SQL of single rows, in one run.
//!
//! `cargo run --release -p hashrange-storage --features postgres --example postgres_bench -- URL [SECONDS]`.
//! 64 tasks each: bare SQL has a connection for each task, the store its usual few.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program for measuring"
)]

use hashrange_storage::{
    Bytes, Direction, KeyRange, Keys, PostgresOptions, PostgresStore, Store, View, Wanted,
};
use std::future::Future;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio_postgres::{Client, NoTls};

const KEYS: u64 = 20_000;

/// Returns the nth key: the form of an item's.
fn key(nth: u64) -> Vec<u8> {
    let nth = nth % KEYS;
    let hash = nth.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut key = vec![0x10, 0, 0, 0, 7, 0, 0];
    key.extend(&hash.to_be_bytes()[..4]);
    key.extend(format!("item-{nth:012}").as_bytes());
    key
}

/// Runs `work` in so many tasks and returns how often it was done in a second.
async fn rate<F: Future<Output = ()> + Send>(
    tasks: usize,
    time: Duration,
    work: impl Fn(usize, u64) -> F + Send + Sync + 'static,
) -> f64 {
    let (work, done) = (Arc::new(work), Arc::new(AtomicU64::new(0)));
    let begin = Instant::now();
    let tasks: Vec<_> = (0..tasks)
        .map(|task| {
            let (work, done) = (Arc::clone(&work), Arc::clone(&done));
            tokio::spawn(async move {
                let mut nth = task as u64 * 7_919;
                while begin.elapsed() < time {
                    work(task, nth).await;
                    nth = nth.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
                    done.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    f64::from(u32::try_from(done.load(Ordering::Relaxed)).unwrap()) / begin.elapsed().as_secs_f64()
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(async move { drop(connection.await) });
    client
}

/// Returns rates of gets, puts and pages of bare SQL.
async fn bare(url: &str, tasks: usize, time: Duration) -> [f64; 3] {
    let first = connect(url).await;
    first
        .batch_execute(
            "DROP TABLE IF EXISTS bare; CREATE TABLE bare (key bytea PRIMARY KEY, value bytea); \
             ALTER TABLE bare ALTER COLUMN value SET STORAGE EXTERNAL",
        )
        .await
        .unwrap();
    let fill = first
        .prepare("INSERT INTO bare SELECT * FROM unnest($1::bytea[], $2::bytea[])")
        .await
        .unwrap();
    for from in (0..KEYS).step_by(1000) {
        let keys: Vec<_> = (from..from + 1000).map(key).collect();
        first.execute(&fill, &[&keys, &vec![vec![1_u8; 1024]; 1000]]).await.unwrap();
    }
    first.batch_execute("VACUUM ANALYZE bare").await.unwrap();
    let mut clients = Vec::new();
    for _ in 0..tasks {
        let client = connect(url).await;
        let get = client.prepare("SELECT value FROM bare WHERE key = $1").await.unwrap();
        let put = "INSERT INTO bare VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        let put = client.prepare(put).await.unwrap();
        let page = "SELECT key, value FROM bare WHERE key >= $1 ORDER BY key LIMIT 100";
        let page = client.prepare(page).await.unwrap();
        clients.push((client, get, put, page));
    }
    let clients: Arc<Vec<_>> = Arc::new(clients);
    let own = Arc::clone(&clients);
    let gets = rate(tasks, time, move |task, nth| {
        let own = Arc::clone(&own);
        async move {
            let (client, get, ..) = &own[task];
            let row = client.query_one(get, &[&key(nth)]).await.unwrap();
            assert_eq!(row.get::<_, &[u8]>(0).len(), 1024);
        }
    });
    let gets = gets.await;
    let own = Arc::clone(&clients);
    let puts = rate(tasks, time, move |task, nth| {
        let own = Arc::clone(&own);
        async move {
            let (client, _, put, _) = &own[task];
            client.execute(put, &[&key(nth), &vec![2_u8; 1024]]).await.unwrap();
        }
    });
    let puts = puts.await;
    let pages = rate(tasks, time, move |task, nth| {
        let own = Arc::clone(&clients);
        async move {
            let (client, .., page) = &own[task];
            client.query(page, &[&key(nth)]).await.unwrap();
        }
    });
    [gets, puts, pages.await]
}

/// Returns rates of gets, puts and pages of the store.
async fn store(url: &str, tasks: usize, time: Duration, options: &PostgresOptions) -> [f64; 3] {
    let options = options.clone();
    let url = url.to_owned();
    let opened = tokio::task::spawn_blocking(move || PostgresStore::open(&url, &options)).await;
    let store = Arc::new(opened.unwrap().unwrap());
    let definition = b"\x01\x01definition".to_vec();
    for from in (0..KEYS).step_by(500) {
        store
            .commit(vec![definition.clone()], |_, batch| {
                batch.put(definition.clone(), Bytes::from_static(b"definition"));
                (from..from + 500).for_each(|nth| batch.put(key(nth), Bytes::from(vec![1; 1024])));
            })
            .await
            .unwrap();
    }
    let own = Arc::clone(&store);
    let gets = rate(tasks, time, move |_, nth| {
        let own = Arc::clone(&own);
        async move { assert_eq!(own.get(&key(nth)).await.unwrap().unwrap().len(), 1024) }
    });
    let gets = gets.await;
    let own = Arc::clone(&store);
    let puts = rate(tasks, time, move |_, nth| {
        let (own, definition) = (Arc::clone(&own), definition.clone());
        async move {
            let keys = Keys { write: vec![key(nth)], read: vec![definition] };
            own.commit(keys, |_, batch| batch.put(key(nth), Bytes::from(vec![2; 1024])))
                .await
                .unwrap();
        }
    });
    let puts = puts.await;
    println!("{:?}", store.traffic());
    let own = Arc::clone(&store);
    let pages = rate(tasks, time, move |_, nth| {
        let own = Arc::clone(&own);
        async move {
            let start = key(nth);
            let range = KeyRange { end: KeyRange::prefix(&start[..7]).end, start };
            let view = own.view().await.unwrap();
            let mut seen = 0;
            view.visit(range, Direction::Forward, Wanted::entries(100), |_, _| {
                seen += 1;
                if seen == 100 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .await
            .unwrap();
        }
    });
    let pages = pages.await;
    tokio::task::spawn_blocking(move || drop(store)).await.unwrap();
    [gets, puts, pages]
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().expect("the URL of a database");
    let time = Duration::from_secs(arguments.next().map_or(4, |text| text.parse().unwrap()));
    for tasks in [64, 1] {
        let plain = bare(&url, tasks, time).await;
        println!(
            "{tasks} tasks, bare: gets {:.0} puts {:.0} pages {:.0}",
            plain[0], plain[1], plain[2]
        );
        for (lanes, readers, threads, places) in [(4, 4, 1, 256), (2, 2, 1, 256), (4, 4, 1, 1)] {
            let schema = format!("bench{tasks}x{lanes}x{readers}x{threads}x{places}");
            let options = PostgresOptions {
                lanes,
                readers,
                threads,
                places,
                schema,
                ..PostgresOptions::default()
            };
            let ours = store(&url, tasks, time, &options).await;
            let ratio = |nth: usize| 100.0 * ours[nth] / plain[nth];
            println!(
                "{tasks} tasks, {lanes} lanes, {readers} readers, {threads} threads, {places} places: gets \
                 {:.0} ({:.0} %) puts {:.0} ({:.0} %) pages {:.0} ({:.0} %)",
                ours[0],
                ratio(0),
                ours[1],
                ratio(1),
                ours[2],
                ratio(2)
            );
        }
    }
}
