//! The library in process beside the raw engine on a copy of the same files.

use super::http::group_commit_note;
use super::{multiple_row, share_row};
use crate::bench::Bench;
use crate::data::{self, ITEMS_PER_PARTITION, WRITERS};
use crate::processor_time::of_thread;
use crate::random::Random;
use crate::raw::{GroupCommit, Raw};
use crate::report::{Figure, Row, Target, Unit, rate_text};
use crate::rounds::Rounds;
use hashrange::{ApiResult, Blocking, CreateTableInput, Database, GetItemInput, Operation};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Requests prepared at once, outside of the measured time.
const BATCH: usize = 256;
const GET: &str = "process/get-item";
const GET_JSON: &str = "process/get-item-json";
const GET_HOT: &str = "process/get-item-hot";
const QUERY: &str = "process/query";
const QUERY_JSON: &str = "process/query-json";
const PUT: &str = "process/put-item";
const PUT_INDEXED: &str = "process/put-item-3-indexes";
const PUT_STREAM: &str = "process/put-item-stream";

/// Measures the rows of this kind.
pub fn run(bench: &mut Bench) -> Result<(), String> {
    if bench.wants_any(&[GET, GET_JSON, GET_HOT, QUERY, QUERY_JSON]) {
        reads(bench)?;
    }
    if bench.settings.wants(PUT) {
        put_item(bench)?;
    }
    if bench.settings.wants(PUT_INDEXED) {
        put_item_indexed(bench)?;
    }
    if bench.settings.wants(PUT_STREAM) {
        put_item_stream(bench)?;
    }
    Ok(())
}

/// Returns the seconds that one operation takes on one thread, by the wall clock.
pub fn seconds_per_operation<T>(
    clock: impl Fn() -> Duration,
    round: Duration,
    mut prepare: impl FnMut() -> T,
    mut operation: impl FnMut(T) -> Result<(), String>,
) -> Result<f64, String> {
    let (mut counted, mut operations) = (Duration::ZERO, 0.0);
    while counted < round {
        let prepared: Vec<T> = (0..BATCH).map(|_| prepare()).collect();
        let start = clock();
        for request in prepared {
            operation(request)?;
        }
        counted += clock().saturating_sub(start);
        operations += BATCH as f64;
    }
    Ok(counted.as_secs_f64() / operations)
}

/// Copies the files of the raw engine out of a closed data folder.
fn copy_engine(folder: &Path, to: &Path) -> Result<(), String> {
    let mut folders = vec![(folder.join("fjall"), to.to_owned())];
    while let Some((from, to)) = folders.pop() {
        copy_files(&from, &to, &mut folders)
            .map_err(|error| format!("cannot copy {}: {error}", from.display()))?;
    }
    Ok(())
}

fn copy_files(
    from: &Path,
    to: &Path,
    folders: &mut Vec<(std::path::PathBuf, std::path::PathBuf)>,
) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            folders.push((entry.path(), target));
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn reads(bench: &mut Bench) -> Result<(), String> {
    let (folder, copy) = (bench.path("process"), bench.path("process-raw"));
    let items = bench.settings.items;
    data::fill_folder(&folder, items)?;
    copy_engine(&folder, &copy)?;
    let cache_bytes = bench.settings.cache_bytes;
    let raw = Raw::open(&copy, cache_bytes)?;
    let keys = raw.item_keys()?;
    if keys.len() as u64 != items {
        return Err(format!("the raw engine holds {} items of {items}", keys.len()));
    }
    let database = data::open(&folder, cache_bytes)?.blocking();
    for name in [GET, GET_JSON] {
        if bench.settings.wants(name) {
            let rounds = get_item(bench, &database, &raw, &keys, name == GET_JSON)?;
            bench.add(multiple_row(name, "raw get", &rounds, (name == GET).then_some(2.0)));
        }
    }
    if bench.settings.wants(GET_HOT) {
        get_hot_item(bench, &database, &raw, &keys)?;
    }
    for name in [QUERY, QUERY_JSON] {
        if bench.settings.wants(name) {
            let rounds = query(bench, &database, &raw, &keys, name == QUERY_JSON)?;
            let target = (name == QUERY).then_some(2.0);
            bench.add(multiple_row(name, "raw range of 100", &rounds, target));
        }
    }
    Ok(())
}

fn get_item(
    bench: &Bench,
    database: &Blocking,
    raw: &Raw,
    keys: &[Vec<u8>],
    is_json: bool,
) -> Result<Rounds, String> {
    let items = keys.len() as u64;
    let round = bench.settings.round;
    let (mut random, mut random_raw) = (Random::new(1), Random::new(1));
    let template = super::http::get_item(items).templates.remove(0);
    Rounds::measure(
        bench.settings.rounds,
        || {
            if is_json {
                seconds_per_operation(
                    of_thread,
                    round,
                    || template.fill(random.next() % items),
                    |body| call(database, Operation::GetItem, &body),
                )
            } else {
                seconds_per_operation(
                    of_thread,
                    round,
                    || data::get_item(random.next() % items),
                    |request| read(database, request),
                )
            }
        },
        || {
            seconds_per_operation(
                of_thread,
                round,
                || keys[random_raw.offset(keys.len())].clone(),
                |key| read_raw(raw, &key),
            )
        },
    )
}

/// Reads an existing item.
fn read(database: &Blocking, request: GetItemInput<'static>) -> Result<(), String> {
    let found = database.get_item(request).map_err(|error| error.to_string())?;
    found.item.map(|item| drop(black_box(item))).ok_or("an item is missing".into())
}

fn read_raw(raw: &Raw, key: &[u8]) -> Result<(), String> {
    raw.get(key)?.map(|item| drop(black_box(item))).ok_or("missing".into())
}

/// Measures reads of one item, again and again.
fn get_hot_item(
    bench: &mut Bench,
    database: &Blocking,
    raw: &Raw,
    keys: &[Vec<u8>],
) -> Result<(), String> {
    let round = bench.settings.round;
    let middle = keys.len() / 2;
    let mut times_us = Vec::new();
    let rounds = Rounds::measure(
        bench.settings.rounds,
        || {
            let seconds = seconds_per_operation(
                of_thread,
                round,
                || data::get_item(middle as u64),
                |request| read(database, request),
            )?;
            times_us.push(seconds * 1e6);
            Ok(seconds)
        },
        || {
            seconds_per_operation(
                of_thread,
                round,
                || keys[middle].clone(),
                |key| read_raw(raw, &key),
            )
        },
    )?;
    let mut row = multiple_row(GET_HOT, "raw get", &rounds, None);
    let bound = |of: fn(f64, f64) -> f64, from| times_us.iter().copied().fold(from, of);
    row.figure = Figure {
        value: rounds.ours() * 1e6,
        spread: (bound(f64::min, f64::INFINITY), bound(f64::max, 0.0)),
        target: Target::AtMost(1.0),
        unit: Unit::Micros,
    };
    bench.add(row);
    Ok(())
}

fn query(
    bench: &Bench,
    database: &Blocking,
    raw: &Raw,
    keys: &[Vec<u8>],
    is_json: bool,
) -> Result<Rounds, String> {
    let items = keys.len() as u64;
    let round = bench.settings.round;
    let (mut random, mut random_raw) = (Random::new(1), Random::new(1));
    let template = super::http::query(items).templates.remove(0);
    // Item collections lie together, so every hundredth key begins one.
    let in_partition = usize::try_from(ITEMS_PER_PARTITION).expect("it is a hundred");
    let starts: Vec<&Vec<u8>> = keys.iter().step_by(in_partition).collect();
    Rounds::measure(
        bench.settings.rounds,
        || {
            if is_json {
                seconds_per_operation(
                    of_thread,
                    round,
                    || template.fill(random.next() % items),
                    |body| call(database, Operation::Query, &body),
                )
            } else {
                seconds_per_operation(
                    of_thread,
                    round,
                    || data::query(random.next() % items),
                    |request| {
                        let page =
                            database.query_page(request).map_err(|error| error.to_string())?;
                        let count = page.count.and_then(|count| usize::try_from(count).ok());
                        let is_whole = count == Some(in_partition);
                        drop(black_box(page));
                        is_whole.then_some(()).ok_or("a page is not whole".into())
                    },
                )
            }
        },
        || {
            seconds_per_operation(
                of_thread,
                round,
                || starts[random_raw.offset(starts.len())],
                |key| raw.read_range(key, in_partition).map(drop),
            )
        },
    )
}

fn call(database: &Blocking, operation: Operation, body: &[u8]) -> Result<(), String> {
    let answer = database.call(operation, body).map_err(|error| error.to_string())?;
    drop(black_box(answer));
    Ok(())
}

/// Returns the rate a second of `write` when [`WRITERS`] tasks call it in a loop.
pub fn write_rate<W, F>(round: Duration, write: W) -> Result<f64, String>
where
    W: Fn() -> F + Send + Sync + 'static,
    F: Future<Output = Result<(), String>> + Send,
{
    let runtime = data::runtime()?;
    let write = Arc::new(write);
    let start = Instant::now();
    let writers: Vec<_> = (0..WRITERS)
        .map(|_| {
            let write = Arc::clone(&write);
            runtime.spawn(async move {
                let mut count = 0u64;
                while start.elapsed() < round {
                    write().await?;
                    count += 1;
                }
                Ok::<u64, String>(count)
            })
        })
        .collect();
    let mut total = 0;
    for writer in writers {
        total += runtime.block_on(writer).map_err(|error| error.to_string())??;
    }
    Ok(total as f64 / start.elapsed().as_secs_f64())
}

/// Returns the rate of `write`, which gets a number that no other call gets.
pub fn numbered_write_rate<W, F, T>(
    round: Duration,
    database: &Database,
    next: &Arc<AtomicU64>,
    write: W,
) -> Result<f64, String>
where
    W: Fn(Database, u64) -> F + Send + Sync + 'static,
    F: Future<Output = ApiResult<T>> + Send,
{
    let (database, next) = (database.clone(), Arc::clone(next));
    write_rate(round, move || {
        let written = write(database.clone(), next.fetch_add(1, Ordering::Relaxed));
        async move { written.await.map(drop).map_err(|error| error.to_string()) }
    })
}

/// Returns the rate of PutItem of new items.
pub fn put_rate(
    round: Duration,
    database: &Database,
    table: &'static str,
    next: &Arc<AtomicU64>,
) -> Result<f64, String> {
    numbered_write_rate(round, database, next, move |database, nth| async move {
        database.put_item(data::put_item(table, nth)).await
    })
}

fn put_item(bench: &mut Bench) -> Result<(), String> {
    let cache_bytes = bench.settings.cache_bytes;
    let database = data::open(&bench.path("put"), cache_bytes)?;
    let created = database.blocking().create_table(data::plain_table());
    created.map_err(|error| error.to_string())?;
    let raw = Arc::new(GroupCommit::start(Raw::open(&bench.path("put-raw"), cache_bytes)?));
    let next = Arc::new(AtomicU64::new(0));
    let next_raw = AtomicU64::new(0);
    let next_raw = Arc::new(next_raw);
    let round = bench.settings.round;
    let before = (Instant::now(), database.stats());
    let rounds = Rounds::measure(
        bench.settings.rounds,
        || put_rate(round, &database, data::TABLE, &next),
        || raw_put_rate(round, &raw, &next_raw),
    )?;
    let stats = database.stats();
    let commits = (stats.commits - before.1.commits) as f64;
    let syncs = (stats.syncs - before.1.syncs) as f64;
    // Half of the time belongs to the other side.
    let seconds = before.0.elapsed().as_secs_f64() / 2.0;
    let (share, (least, most)) = rounds.ratio();
    bench.add(Row {
        name: PUT.to_owned(),
        ours: rate_text(rounds.ours()),
        beside: format!("raw group commit {}", rate_text(rounds.beside())),
        figure: Figure {
            value: 1.0 / share,
            spread: (1.0 / most, 1.0 / least),
            target: Target::AtMost(1.5),
            unit: Unit::Times,
        },
        notes: vec![group_commit_note(commits, syncs, seconds)],
    });
    Ok(())
}

fn raw_put_rate(
    round: Duration,
    raw: &Arc<GroupCommit>,
    next: &Arc<AtomicU64>,
) -> Result<f64, String> {
    let values: Vec<_> = (0..64).map(|nth| data::item(nth).as_bytes().clone()).collect();
    let (raw, next) = (Arc::clone(raw), Arc::clone(next));
    write_rate(round, move || {
        let nth = next.fetch_add(1, Ordering::Relaxed);
        // As long as an item's key and scattered as these are.
        let hash = nth.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let key = format!("{hash:016x}{nth:020}").into_bytes();
        let value = values[usize::from(nth.to_le_bytes()[0]) % values.len()].clone();
        let raw = Arc::clone(&raw);
        async move { raw.put(key, value).await }
    })
}

fn put_item_indexed(bench: &mut Bench) -> Result<(), String> {
    let rounds = beside_plain(bench, "put-indexed", data::indexed_table(), data::INDEXED_TABLE)?;
    bench.add(share_row(PUT_INDEXED, "without index", &rounds, Some(0.25)));
    Ok(())
}

fn put_item_stream(bench: &mut Bench) -> Result<(), String> {
    let rounds = beside_plain(bench, "put-stream", data::stream_table(), data::STREAM_TABLE)?;
    bench.add(share_row(PUT_STREAM, "without stream", &rounds, Some(0.65)));
    Ok(())
}

/// Measures PutItem of new items in a table beside the plain table in the same folder.
fn beside_plain(
    bench: &Bench,
    folder: &str,
    definition: CreateTableInput<'static>,
    name: &'static str,
) -> Result<Rounds, String> {
    let database = data::open(&bench.path(folder), bench.settings.cache_bytes)?;
    for table in [data::plain_table(), definition] {
        let created = database.blocking().create_table(table);
        created.map_err(|error| error.to_string())?;
    }
    let (next, next_plain) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let round = bench.settings.round;
    Rounds::measure(
        bench.settings.rounds,
        || put_rate(round, &database, name, &next),
        || put_rate(round, &database, data::TABLE, &next_plain),
    )
}
