//! What the store on PostgreSQL does when the network or the database fails at the worst moment: commits whose
//! answers are lost, errors instead of answers, databases that hang, go away, take no writes or no connections.
//!
//! A proxy breaks connections at chosen statements (`proxy/`). Leaves stores that work to `postgres.rs` and
//! `store.rs`, connections with TLS to `postgres_tls.rs`. Campaigns of minutes: `HASHRANGE_FAILURE_SECONDS=600
//! cargo nextest run -p hashrange-storage --features postgres --run-ignored only -E 'test(campaign)'`.

#![cfg(feature = "postgres")]
#![expect(clippy::unwrap_used, reason = "a failed assumption fails the test")]
#![expect(clippy::disallowed_methods, reason = "waits are measured, and campaigns have a seed")]

mod numbers;
mod proxy;
mod scratch;

use hashrange_storage::postgres::{Cause, OpenError, PostgresOptions, Traffic};
use hashrange_storage::{
    Direction, Error, Key, KeyRange, PostgresStore, Store, View, Wanted, block_on,
};
use numbers::{increment, number, text};
use proxy::{Fault, Proxy};
use scratch::{Server, server};
use std::ops::ControlFlow;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The statement by which a lane asks for an outcome, and the one that begins a transaction.
const ASKS: &str = ".writers SET token = $3";
const BEGINS: &str = ".writers SET token = $2";

/// A statement that is a whole transaction.
const WHOLE: &str = "AND token = $3";

/// The statement of a get.
const GETS: &str = "WHERE place = $1 AND prefix = $2 AND tail = $3";

/// A store behind a proxy on the server of this process.
fn behind_proxy(options: &PostgresOptions) -> (PostgresStore, Proxy, String) {
    let server = server();
    let proxy = Proxy::start(server.port);
    let url = server.url();
    // As many as for a database on another machine.
    let options = PostgresOptions { groups: Some(4), ..options.clone() };
    let store = PostgresStore::open(&proxy.url(&url, server.port), &options).unwrap();
    (store, proxy, url)
}

/// Options by which all waits are short.
fn hasty() -> PostgresOptions {
    PostgresOptions {
        connect_timeout: Duration::from_millis(500),
        statement_timeout: Duration::from_millis(800),
        lock_timeout: Duration::from_millis(300),
        decide_timeout: Duration::from_millis(500),
        patience: Duration::from_millis(700),
        ..PostgresOptions::default()
    }
}

fn get(store: &PostgresStore, key: &str) -> Result<u64, Error> {
    block_on(store.get(key.as_bytes())).map(|value| number(value.as_ref()))
}

fn count(store: &PostgresStore, prefix: &str) -> Result<u64, Error> {
    let mut count = 0;
    let view = block_on(store.view())?;
    let range = KeyRange::prefix(prefix.as_bytes());
    block_on(view.visit(range, Direction::Forward, Wanted::ALL, |_, _| {
        count += 1;
        ControlFlow::Continue(())
    }))?;
    Ok(count)
}

fn sum(store: &PostgresStore, key: &str) -> u64 {
    let sums = block_on(block_on(store.view()).unwrap().sums(&[key.into()])).unwrap();
    u64::try_from(sums[0]).unwrap()
}

/// Returns how many transactions were begun again for this cause.
fn retries(traffic: &Traffic, cause: Cause) -> u64 {
    traffic.retries[Cause::ALL.iter().position(|one| *one == cause).unwrap()]
}

fn unavailable<T: std::fmt::Debug>(outcome: Result<T, Error>) -> String {
    match outcome {
        Err(Error::Unavailable { what }) => what,
        other => panic!("{other:?}"),
    }
}

/// Returns what `work` returns and how long it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begin = Instant::now();
    let done = work();
    (done, begin.elapsed())
}

/// Waits until something is so, for a bounded time.
fn until(is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < Duration::from_secs(20), "it never comes");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Runs `work` until it succeeds, for a bounded time.
fn at_last<T>(mut work: impl FnMut() -> Result<T, Error>) -> T {
    let begin = Instant::now();
    loop {
        match work() {
            Ok(done) => return done,
            Err(error) if begin.elapsed() > Duration::from_secs(20) => panic!("{error}"),
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// What writers were told.
#[derive(Debug, Default)]
struct Told {
    done: AtomicU64,
    open: AtomicU64,
    /// What those were told whose commit may not have been carried out.
    errors: Mutex<Vec<String>>,
}

/// Runs `writers` threads of `rounds` commits each. Every commit puts a key of its own that must have been
/// absent, increments a number that it shares with others, and adds one to a counter.
fn write(store: &PostgresStore, writers: u64, rounds: u64) -> Told {
    let told = Told::default();
    write_rounds(store, writers, 0..rounds, &told);
    told
}

/// Does some of the rounds of [`write`].
fn write_rounds(store: &PostgresStore, writers: u64, rounds: Range<u64>, told: &Told) {
    thread::scope(|scope| {
        for nth in 0..writers {
            let rounds = rounds.clone();
            scope.spawn(move || {
                for round in rounds {
                    let (name, own) = (format!("n{}", nth % 3), format!("own {nth} {round}"));
                    let keys: Vec<Key> = vec![name.clone().into(), own.clone().into()];
                    let written = block_on(store.commit(keys, |values, batch| {
                        assert_eq!(values[1], None, "a commit was carried out twice");
                        let before = number(values[0].as_ref());
                        batch.put(name.clone().into(), text(before + 1));
                        batch.put(own.clone().into(), text(1));
                        batch.add(b"count".to_vec(), 1);
                    }));
                    match written {
                        Ok(()) => told.done.fetch_add(1, Ordering::Relaxed),
                        Err(error @ (Error::Unavailable { .. } | Error::Conflict)) => {
                            told.errors.lock().unwrap().push(error.to_string());
                            told.open.fetch_add(1, Ordering::Relaxed)
                        }
                        Err(error) => panic!("{error}"),
                    };
                }
            });
        }
    });
}

/// Checks that what `write` did is there, each commit once, and all that were acknowledged.
fn check_written(url: &str, told: &Told) {
    let store = PostgresStore::open(url, &PostgresOptions::default()).unwrap();
    let own = count(&store, "own ").unwrap();
    let numbers: u64 = (0..3).map(|nth| get(&store, &format!("n{nth}")).unwrap()).sum();
    assert_eq!(own, numbers, "commits and increments");
    assert_eq!(own, sum(&store, "count"), "commits and the counter");
    let (done, open) = (told.done.load(Ordering::Relaxed), told.open.load(Ordering::Relaxed));
    assert!((done..=done + open).contains(&own), "{own} commits, {done} told and {open} open");
}

/// Facts that take seconds of waiting, side by side on one server; each has a store and a proxy of its own.
#[test]
fn waits_have_an_end() {
    let facts: [(&str, fn()); 7] = [
        (
            "a_database_that_hangs_is_found_out_by_a_probe",
            a_database_that_hangs_is_found_out_by_a_probe,
        ),
        (
            "a_swallowed_commit_is_waited_for_until_the_database_has_ended_it",
            a_swallowed_commit_is_waited_for_until_the_database_has_ended_it,
        ),
        (
            "a_row_that_stays_locked_is_waited_for_but_not_for_ever",
            a_row_that_stays_locked_is_waited_for_but_not_for_ever,
        ),
        (
            "a_database_that_hangs_is_waited_for_but_not_for_ever",
            a_database_that_hangs_is_waited_for_but_not_for_ever,
        ),
        (
            "a_commit_that_hangs_ends_in_an_error_that_says_so",
            a_commit_that_hangs_ends_in_an_error_that_says_so,
        ),
        (
            "a_database_that_is_gone_for_five_seconds_is_waited_for",
            a_database_that_is_gone_for_five_seconds_is_waited_for,
        ),
        (
            "an_error_that_does_not_pass_ends_in_an_error_that_names_it",
            an_error_that_does_not_pass_ends_in_an_error_that_names_it,
        ),
    ];
    thread::scope(|scope| {
        for (name, fact) in facts {
            let thread = thread::Builder::new().name(name.to_owned());
            thread.spawn_scoped(scope, fact).unwrap();
        }
    });
}

/// Hundreds of commits are carried out while their answers are lost: each is looked up and counts once.
#[test]
fn a_commit_whose_answer_is_lost_is_looked_up_and_counts_once() {
    let (store, proxy, url) = behind_proxy(&PostgresOptions::default());
    proxy.plan("COMMIT", 2, 200, Fault::CutAfter);
    let told = write(&store, 6, 120);
    let traffic = store.traffic();
    assert_eq!(told.open.load(Ordering::Relaxed), 0, "{traffic:?}");
    assert!(proxy.faults() >= 100, "{} cuts", proxy.faults());
    assert_eq!(traffic.resolved_outcomes, u64::from(proxy.faults()));
    assert_eq!(proxy.seen(ASKS), proxy.faults() as usize, "each outcome was asked for");
    assert_eq!(traffic.commits, 6 * 120, "each commit is counted once");
    check_written(&url, &told);
}

/// One reader that has more to do than it can asks for two pages at once: each has its own rows, or is read again.
#[test]
fn pages_that_are_asked_for_together_are_told_apart() {
    let options = PostgresOptions { readers: 1, ..PostgresOptions::default() };
    let (store, proxy, _) = behind_proxy(&options);
    let prefixes: Vec<String> = (1..=8).map(|nth| format!("page{nth}/")).collect();
    block_on(store.commit(vec![b"guard".to_vec()], |_, batch| {
        for (rows, prefix) in (1..).zip(&prefixes) {
            (0..rows).for_each(|row| batch.put(format!("{prefix}{row}").into(), text(row)));
        }
    }))
    .unwrap();
    proxy.plan("ORDER BY prefix", 7, 10, Fault::CutAfter);
    proxy.plan("ORDER BY prefix", 5, 10, Fault::Fail("40001"));
    thread::scope(|scope| {
        for (rows, prefix) in (1..).zip(&prefixes) {
            let store = &store;
            scope.spawn(move || {
                (0..20).for_each(|_| assert_eq!(count(store, prefix).unwrap(), rows));
            });
        }
    });
    assert_eq!(proxy.faults(), 20);
    let traffic = store.traffic();
    assert!(traffic.read_round_trips < traffic.reads, "{traffic:?}");
}

#[test]
fn a_commit_that_never_arrived_is_found_not_to_have_happened() {
    let (store, proxy, url) = behind_proxy(&PostgresOptions::default());
    proxy.plan("COMMIT", 3, 60, Fault::CutBefore);
    // Also cut: the look for the outcome, and what begins a transaction.
    proxy.plan(ASKS, 4, 10, Fault::CutAfter);
    proxy.plan(BEGINS, 20, 10, Fault::CutAfter);
    let told = write(&store, 6, 60);
    let traffic = store.traffic();
    assert_eq!(told.open.load(Ordering::Relaxed), 0, "{traffic:?}");
    assert!(proxy.faults() >= 60, "{} cuts", proxy.faults());
    assert!(
        traffic.resolved_outcomes >= 30 && retries(&traffic, Cause::Connection) >= 30,
        "{traffic:?}"
    );
    check_written(&url, &told);
}

/// A commit that the network swallows: the database ends the transaction by itself, and only then is it begun
/// again.
fn a_swallowed_commit_is_waited_for_until_the_database_has_ended_it() {
    let options = PostgresOptions { patience: Duration::from_secs(10), ..hasty() };
    let (store, proxy, _) = behind_proxy(&options);
    increment(&store, "n").unwrap();
    proxy.plan("COMMIT", 1, 1, Fault::Swallow);
    let (done, waited) = timed(|| increment(&store, "n"));
    assert_eq!(done.unwrap(), 1);
    assert_eq!(store.traffic().resolved_outcomes, 1);
    // The statement timeout and two seconds; all else is short.
    assert!(waited > Duration::from_millis(2_700), "{waited:?}");
    assert!(waited < Duration::from_secs(9), "{waited:?}");
    assert_eq!(get(&store, "n").unwrap(), 2);
}

#[test]
fn errors_that_may_pass_are_retried() {
    let (store, proxy, url) = behind_proxy(&PostgresOptions::default());
    // The commit is carried out and answered with the second error: it must not be done again.
    let states = [("40001", "XX000"), ("40P01", "40003"), ("55P03", "57014"), ("XX000", "53100")];
    let told = Told::default();
    // One after the other, so that no commit meets so many that it is given up.
    for (nth, (state, after)) in (0..).zip(states) {
        proxy.plan("FOR UPDATE OF e", 7, 4, Fault::Fail(state));
        proxy.plan("COMMIT", 5, 4, Fault::Fail(state));
        proxy.plan("e.place = k.place", 11, 4, Fault::Fail(state));
        proxy.plan(GETS, 3, 2, Fault::Fail(state));
        proxy.plan("COMMIT", 6, 3, Fault::FailAfter(after));
        write_rounds(&store, 4, nth * 15..(nth + 1) * 15, &told);
    }
    let traffic = store.traffic();
    assert_eq!(told.open.load(Ordering::Relaxed), 0, "{:?}: {traffic:?}", told.errors);
    for cause in [Cause::Serialization, Cause::Deadlock, Cause::Lock, Cause::Internal] {
        assert!(retries(&traffic, cause) >= 4, "{cause:?}: {traffic:?}");
    }
    assert_eq!(retries(&traffic, Cause::ReadOnly), 0, "{traffic:?}");
    for _ in 0..30 {
        assert!(get(&store, "n0").unwrap() > 0);
    }
    assert!(store.traffic().read_retries >= 4, "{:?}", store.traffic());
    // How many transactions there are, and so how many faults, depends on who commits together.
    assert!(proxy.faults() >= 35, "{} faults", proxy.faults());
    check_written(&url, &told);
}

fn an_error_that_does_not_pass_ends_in_an_error_that_names_it() {
    let options =
        PostgresOptions { patience: Duration::from_secs(2), ..PostgresOptions::default() };
    let (store, proxy, _) = behind_proxy(&options);
    increment(&store, "n").unwrap();
    proxy.plan("COMMIT", 1, 1_000, Fault::Fail("40001"));
    let (refused, waited) = timed(|| increment(&store, "n"));
    assert!(matches!(refused, Err(Error::Conflict)), "{refused:?}");
    assert!(waited < Duration::from_secs(5), "{waited:?}");
    assert!(proxy.seen("COMMIT") < 40, "tries are bounded");
    let (store, proxy, _) = behind_proxy(&options);
    proxy.plan("COMMIT", 1, 1_000, Fault::Fail("XX000"));
    proxy.plan(GETS, 1, 1_000, Fault::Fail("40001"));
    let (refused, waited) = timed(|| increment(&store, "n"));
    let said = unavailable(refused);
    assert!(said.contains("XX000"), "{said}");
    assert!(waited < Duration::from_secs(5), "{waited:?}");
    let (refused, waited) = timed(|| get(&store, "n"));
    assert!(matches!(refused, Err(Error::Conflict | Error::Unavailable { .. })), "{refused:?}");
    assert!(waited < Duration::from_secs(5), "{waited:?}");
    // What does not pass by trying is not tried.
    let (store, proxy, _) = behind_proxy(&options);
    proxy.plan("COMMIT", 1, 1, Fault::Fail("53100"));
    let refused = increment(&store, "n");
    assert!(matches!(refused, Err(Error::Full)), "{refused:?}");
    assert_eq!(increment(&store, "n").unwrap(), 0);
}

/// While a row stays locked by somebody who does not go on, commits that need it end in time, and others are
/// not held up.
fn a_row_that_stays_locked_is_waited_for_but_not_for_ever() {
    let server = server();
    let url = server.url();
    let schema = url.split_once("schema=").unwrap().1.to_owned();
    let store = PostgresStore::open(&url, &hasty()).unwrap();
    increment(&store, "locked").unwrap();
    increment(&store, "free").unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            server.sql(&format!(
                "SELECT * FROM {schema}.entries WHERE prefix = 'locked' FOR UPDATE; SELECT pg_sleep(4)"
            ))
        });
        let is_locked = || {
            let free = format!(
                "SELECT count(*) FROM (SELECT 1 FROM {schema}.entries WHERE prefix = 'locked' \
                 FOR UPDATE SKIP LOCKED) free"
            );
            server.sql(&free) == "0"
        };
        assert!((0..100).any(|_| is_locked()), "the row is locked");
        let (refused, waited) = timed(|| increment(&store, "locked"));
        let said = unavailable(refused);
        assert!(said.contains("lock"), "{said}");
        assert!(waited < Duration::from_millis(2_500), "{waited:?}");
        assert_eq!(increment(&store, "free").unwrap(), 1);
        assert_eq!(get(&store, "locked").unwrap(), 1, "reads wait for no lock");
    });
    assert_eq!(at_last(|| increment(&store, "locked")), 1);
}

/// The network passes nothing on: commits, gets and visits end in time, with what they waited for; then the
/// store goes on.
fn a_database_that_hangs_is_waited_for_but_not_for_ever() {
    let (store, proxy, _) = behind_proxy(&hasty());
    for _ in 0..8 {
        increment(&store, "n").unwrap();
        get(&store, "n").unwrap();
    }
    proxy.hold();
    // A statement: 0.8 s and the client's 2 s; more attempts to connect have 1 s each.
    let limit = Duration::from_millis(5_500);
    for round in 0..2 {
        thread::scope(|scope| {
            for nth in 0..24 {
                let store = &store;
                scope.spawn(move || {
                    let (said, waited) = timed(|| match nth % 3 {
                        0 => unavailable(get(store, "n")),
                        1 => unavailable(count(store, "n")),
                        _ => unavailable(increment(store, "n")),
                    });
                    assert!(said.contains("in time"), "{said}");
                    // The first commits were begun; all that follows finds no connection.
                    assert!(waited < limit, "round {round}, {nth}: {waited:?}: {said}");
                });
            }
        });
    }
    proxy.release();
    assert_eq!(at_last(|| get(&store, "n")), 8);
    assert_eq!(at_last(|| increment(&store, "n")), 8);
    assert!(store.check_writable().is_ok());
    assert_eq!(count(&store, "n").unwrap(), 1);
}

/// Connections look well while nothing comes of them; a probe does not.
fn a_database_that_hangs_is_found_out_by_a_probe() {
    let (store, proxy, _) = behind_proxy(&PostgresOptions::default());
    for _ in 0..2 {
        block_on(store.probe()).unwrap();
    }
    let traffic = store.traffic();
    assert_eq!((traffic.groups, traffic.commits), (0, 0), "it writes nothing");
    proxy.hold();
    thread::sleep(Duration::from_millis(300));
    assert!(store.check_writable().is_ok(), "nothing was asked of the connections");
    let before = store.traffic().commit_round_trips;
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let (hung, waited) = timed(|| block_on(store.probe()));
                let said = unavailable(hung);
                assert!(said.contains("not answered for 2 s"), "{said}");
                assert!(waited < Duration::from_secs(3), "{waited:?}");
            });
        }
    });
    assert_eq!(store.traffic().commit_round_trips, before + 1, "one probe for all");
    proxy.release();
    at_last(|| block_on(store.probe()));
}

/// Commits whose `COMMIT` hangs end in time as well. Whether they were carried out is open, and stays so.
fn a_commit_that_hangs_ends_in_an_error_that_says_so() {
    let (store, proxy, _) = behind_proxy(&hasty());
    increment(&store, "n").unwrap();
    proxy.delay(Duration::from_millis(100));
    thread::scope(|scope| {
        let committing = scope.spawn(|| timed(|| increment(&store, "n")));
        let seen = proxy.seen("COMMIT");
        until(|| proxy.seen("COMMIT") > seen);
        proxy.hold();
        let (refused, waited) = committing.join().unwrap();
        let said = unavailable(refused);
        assert!(said.contains("cannot be told"), "{said}");
        // Two seconds; the lane takes 2.8 s for the answer, 4.5 s of attempts to ask, and the last attempt.
        assert!(waited < Duration::from_secs(5), "{waited:?}");
        until(|| store.traffic().unknown_outcomes == 1);
    });
    proxy.delay(Duration::ZERO);
    proxy.release();
    let after = at_last(|| increment(&store, "n"));
    assert!((1..=2).contains(&after), "{after}");
}

fn a_database_that_is_gone_for_five_seconds_is_waited_for() {
    let (store, proxy, url) = behind_proxy(&PostgresOptions::default());
    let done = AtomicBool::new(false);
    let told = thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                get(&store, "n0").unwrap();
                count(&store, "n").unwrap();
            }
        });
        let writing = scope.spawn(|| write(&store, 4, 250));
        thread::sleep(Duration::from_millis(300));
        proxy.set_away(true);
        thread::sleep(Duration::from_secs(5));
        assert!(store.check_writable().is_err(), "it is known to be away");
        assert!(block_on(store.probe()).is_err());
        let traffic = store.traffic();
        assert_eq!((traffic.lanes.connected, traffic.lanes.wanted), (0, 4), "{traffic:?}");
        assert_eq!((traffic.readers.connected, traffic.readers.wanted), (0, 4), "{traffic:?}");
        assert_eq!(traffic.waiting_reads, 1, "{traffic:?}");
        assert!(!writing.is_finished(), "it went away while commits were under way");
        proxy.set_away(false);
        let told = writing.join();
        done.store(true, Ordering::Release);
        told.unwrap()
    });
    assert_eq!(told.open.load(Ordering::Relaxed), 0, "{:?}", store.traffic());
    check_written(&url, &told);
}

/// A user who may have few connections: what can be done with them is done, and what cannot is refused with
/// the reason.
#[test]
fn connections_that_are_used_up_are_named() {
    let server = server();
    server
        .sql("CREATE ROLE few LOGIN CONNECTION LIMIT 1; GRANT CREATE ON DATABASE postgres TO few");
    let url = server.url().replace("owner@", "few@");
    let options =
        PostgresOptions { patience: Duration::from_millis(900), ..PostgresOptions::default() };
    let store = PostgresStore::open(&url, &options).unwrap();
    // Lanes come first: one of them has the connection.
    assert_eq!(at_last(|| increment(&store, "n")), 0);
    assert!(store.check_writable().is_ok(), "one lane is enough");
    let (refused, waited) = timed(|| get(&store, "n"));
    let said = unavailable(refused);
    assert!(said.contains("no connection left") && said.contains("53300"), "{said}");
    assert!(waited < Duration::from_secs(3), "{waited:?}");
    let (refused, waited) = timed(|| PostgresStore::open(&url, &options));
    let refused = refused.unwrap_err();
    assert!(matches!(refused, OpenError::TooManyConnections { .. }), "{refused}");
    assert!(refused.to_string().contains("max_connections"), "{refused}");
    assert!(waited < Duration::from_secs(3), "{waited:?}");
    server.sql("ALTER ROLE few CONNECTION LIMIT 20");
    assert_eq!(at_last(|| get(&store, "n")), 1);
}

/// A database that becomes a standby, or the right to write is taken away, under a running store.
#[test]
fn a_database_that_takes_no_writes_is_named() {
    // One of its own: the other tests count what the lanes of the shared one say.
    let server = Server::start();
    let options =
        PostgresOptions { patience: Duration::from_millis(900), ..PostgresOptions::default() };
    let url = server.url();
    let schema = url.split_once("schema=").unwrap().1.to_owned();
    let store = PostgresStore::open(&url, &options).unwrap();
    increment(&store, "n").unwrap();
    let set = |read_only: &str| {
        server.sql(&format!("ALTER SYSTEM SET default_transaction_read_only = {read_only}"));
        server.sql("SELECT pg_reload_conf()");
    };
    set("on");
    until(|| server.sql("SHOW default_transaction_read_only") == "on");
    let begin = Instant::now();
    let (said, waited) = loop {
        let (refused, waited) = timed(|| increment(&store, "n"));
        if refused.is_err() {
            break (unavailable(refused), waited);
        }
        assert!(begin.elapsed() < Duration::from_secs(5), "the setting has come to the lanes");
    };
    assert!(said.contains("standby"), "{said}");
    assert!(waited < Duration::from_secs(3), "{waited:?}");
    assert!(get(&store, "n").unwrap() > 0, "reads go on");
    let said = unavailable(store.check_writable());
    assert!(said.contains("standby"), "{said}");
    let said = unavailable(block_on(store.probe()));
    assert!(said.contains("standby"), "{said}");
    assert!(retries(&store.traffic(), Cause::ReadOnly) > 0, "{:?}", store.traffic());
    let refused = PostgresStore::open(&url, &options).unwrap_err();
    assert!(matches!(refused, OpenError::ReadOnly { .. }), "{refused}");
    set("off");
    at_last(|| increment(&store, "n"));
    // Rights.
    server.sql(&format!(
        "CREATE ROLE limited LOGIN; GRANT USAGE ON SCHEMA {schema} TO limited; \
         GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO limited"
    ));
    let store = PostgresStore::open(&url.replace("owner@", "limited@"), &options).unwrap();
    let before = increment(&store, "n").unwrap();
    server.sql(&format!("REVOKE INSERT, UPDATE ON {schema}.entries FROM limited"));
    let said = unavailable(increment(&store, "n"));
    assert!(said.contains("permission denied"), "{said}");
    assert_eq!(get(&store, "n").unwrap(), before + 1);
    server.sql(&format!("REVOKE SELECT ON {schema}.entries FROM limited"));
    let said = unavailable(get(&store, "n"));
    assert!(said.contains("permission denied"), "{said}");
}

/// Of lanes' rows those of the dead go after a day, also while others are at work; a lane whose own row was
/// taken for dead puts it there again.
#[test]
fn rows_of_dead_lanes_are_removed_by_others() {
    let server = server();
    let url = server.url();
    let schema = url.split_once("schema=").unwrap().1.to_owned();
    let idle = PostgresStore::open(&url, &PostgresOptions::default()).unwrap();
    for _ in 0..8 {
        increment(&idle, "n").unwrap();
    }
    server.sql(&format!(
        "INSERT INTO {schema}.writers SELECT int8send(n), n, now() - interval '25 hours', 4, '' \
         FROM generate_series(1, 20) n; \
         INSERT INTO {schema}.writers SELECT int8send(n), n, now() - interval '23 hours', 4, '' \
         FROM generate_series(21, 25) n"
    ));
    let rows = |bytes: i32| {
        let text =
            format!("SELECT count(*) FROM {schema}.writers WHERE octet_length(lane) = {bytes}");
        server.sql(&text).parse::<u32>().unwrap()
    };
    let other = PostgresStore::open(&url, &PostgresOptions::default()).unwrap();
    at_last(|| increment(&other, "n"));
    assert!((0..200).any(|_| rows(8) == 5), "{} rows are left", rows(8));
    // All rows of the store that is idle are taken for dead.
    server.sql(&format!("DELETE FROM {schema}.writers"));
    for _ in 0..8 {
        increment(&idle, "n").unwrap();
        increment(&other, "n").unwrap();
    }
    assert!(rows(16) > 0, "the rows are there again");
    assert_eq!(get(&idle, "n").unwrap(), 25);
}

/// A row that is gone when the outcome is asked for tells nothing: the commit is neither acknowledged nor done
/// again.
#[test]
fn an_outcome_whose_row_is_gone_is_not_guessed() {
    let options = PostgresOptions { lanes: 1, ..PostgresOptions::default() };
    let (store, proxy, url) = behind_proxy(&options);
    let schema = url.split_once("schema=").unwrap().1.to_owned();
    // The first transaction of its lane: a row that were put there again would look as if it was rolled back.
    proxy.plan("COMMIT", 1, 1, Fault::CutAfter);
    thread::scope(|scope| {
        let committing = scope.spawn(|| increment(&store, "n"));
        until(|| proxy.faults() > 0);
        proxy.hold();
        server().sql(&format!("DELETE FROM {schema}.writers"));
        proxy.release();
        let said = unavailable(committing.join().unwrap());
        assert!(said.contains("cannot be told"), "{said}");
    });
    assert_eq!(get(&store, "n").unwrap(), 1, "it was carried out, once");
    assert_eq!(increment(&store, "n").unwrap(), 1);
}

/// Round trips as the network sees them: a message takes 40 ms each way.
#[test]
fn a_get_a_page_and_a_commit_cost_one_one_and_two_round_trips() {
    const WAY: Duration = Duration::from_millis(40);
    let (store, proxy, _) = behind_proxy(&PostgresOptions::default());
    for _ in 0..8 {
        increment(&store, "n").unwrap();
        get(&store, "n").unwrap();
    }
    proxy.delay(WAY);
    let best = |work: &dyn Fn()| (0..4).map(|_| timed(work).1).min().unwrap();
    for (trips, what, work) in [
        (1, "a get", &(|| assert_eq!(get(&store, "absent").unwrap(), 0)) as &dyn Fn()),
        (1, "a page", &|| assert_eq!(count(&store, "n").unwrap(), 1)),
        (2, "a commit", &|| assert!(increment(&store, "n").unwrap() > 0)),
    ] {
        let took = best(work);
        assert!(took >= WAY * 2 * trips, "{what} took {took:?}");
        assert!(took < WAY * (2 * trips + 1), "{what} took {took:?}");
    }
}

/// Faults of all kinds by chance, for as long as `HASHRANGE_FAILURE_SECONDS` says.
#[test]
#[ignore = "a campaign: minutes"]
fn campaign_of_faults() {
    let setting =
        |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let seconds = setting("HASHRANGE_FAILURE_SECONDS", 120);
    let mut seed: u64 = setting("HASHRANGE_FAILURE_SEED", 42).max(1);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut rounds = 0;
    while Instant::now() < end {
        println!("HASHRANGE_FAILURE_SEED={seed}");
        let (store, proxy, url) = behind_proxy(&PostgresOptions::default());
        for _ in 0..12 {
            let mut below = |limit: u64| {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                usize::try_from(seed % limit).unwrap()
            };
            let texts =
                ["COMMIT", "COMMIT", BEGINS, ASKS, "e.place = k.place", "BEGIN", WHOLE, WHOLE];
            let text = texts[below(8)];
            let state = ["40001", "40P01", "55P03", "XX000", "57P01", "08006"][below(6)];
            let fault = match below(6) {
                0 => Fault::CutBefore,
                5 => Fault::CutLate(20),
                // A conflict says that nothing was committed: no server answers so afterwards.
                1 if text == "COMMIT" && !state.starts_with("40") => Fault::FailAfter(state),
                1 | 2 => Fault::Fail(state),
                _ => Fault::CutAfter,
            };
            let every = u32::try_from(2 + below(12)).unwrap();
            println!("every {every} {text}: {fault:?}");
            proxy.plan(text, every, 40, fault);
        }
        let told = write(&store, 8, 100);
        println!("{} faults, {told:?}, {:?}", proxy.faults(), store.traffic());
        check_written(&url, &told);
        rounds += 1;
    }
    assert!(rounds > 0);
}

/// A server that is really stopped and started, twice, under load.
#[test]
#[ignore = "a campaign: a minute"]
fn campaign_of_restarts() {
    let server = Server::start();
    let url = server.url();
    let store = PostgresStore::open(&url, &PostgresOptions::default()).unwrap();
    let told = thread::scope(|scope| {
        let writing = scope.spawn(|| write(&store, 6, 3_000));
        for _ in 0..2 {
            thread::sleep(Duration::from_secs(2));
            server.stop();
            thread::sleep(Duration::from_secs(5));
            server.restart();
        }
        writing.join().unwrap()
    });
    println!("{told:?} {:?}", store.traffic());
    check_written(&url, &told);
}
