//! The only standby that commits wait for is away: no commit ends in the database until it is back. Whoever asks is
//! answered in time, the probe tells, and no more connections wait than there are lanes.

use super::numbers::{increment, number};
use hashrange_scratch::Server;
use hashrange_storage::postgres::PostgresOptions;
use hashrange_storage::{Error, PostgresStore, Store, block_on};
use std::thread;
use std::time::{Duration, Instant};

const LANES: usize = 2;
/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);
/// Commits that fail, one after the other: the first ones are given up by their lanes meanwhile.
const ROUNDS: usize = 8;

fn open(server: &Server) -> PostgresStore {
    let options = PostgresOptions {
        lanes: LANES,
        statement_timeout: Duration::from_millis(800),
        lock_timeout: Duration::from_millis(300),
        decide_timeout: Duration::from_millis(500),
        patience: Duration::from_millis(700),
        ..PostgresOptions::default()
    };
    PostgresStore::open(&server.base_url(), &options).unwrap()
}

/// Returns how many transactions wait for a standby.
fn waiting(server: &Server) -> usize {
    let text = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    server.sql(text).parse().unwrap()
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn commits_that_wait_for_a_standby_that_is_away_are_answered_and_leave_nothing_behind() {
    if hashrange_scratch::is_left_out() {
        return;
    }
    let primary = Server::start_primary();
    let standby = primary.start_standby();
    primary.wait_for_standbys();
    let store = open(&primary);
    assert_eq!(increment(&store, "n").unwrap(), 0);
    block_on(store.probe()).unwrap();

    standby.stop();
    // An answer counts for a moment.
    until("the probe tells", || block_on(store.probe()).is_err());
    let asked = store.traffic().resolved_outcomes;
    for round in 0..ROUNDS {
        let begin = Instant::now();
        let refused = increment(&store, "n");
        assert!(matches!(refused, Err(Error::Unavailable { .. })), "{refused:?}");
        // Patience and grace are two seconds; a lane that waits to the end of its own limits takes more than 25.
        assert!(begin.elapsed() < Duration::from_secs(12), "round {round}: {:?}", begin.elapsed());
        assert_eq!(number(block_on(store.get(b"n")).unwrap().as_ref()), 1, "reads go on");
    }
    until("lanes look for their outcomes", || store.traffic().resolved_outcomes > asked);
    assert!(waiting(&primary) <= LANES, "{} wait", waiting(&primary));
    assert!(store.check_writable().is_err() || block_on(store.probe()).is_err());

    standby.restart();
    until("commits go on", || increment(&store, "n").is_ok());
    until("so does the probe", || block_on(store.probe()).is_ok());
    until("nobody waits any more", || waiting(&primary) == 0);
    assert_eq!(store.traffic().unknown_outcomes, 0, "each outcome was found at last");

    // A store that is closed meanwhile does not wait either.
    standby.stop();
    assert!(increment(&store, "n").is_err());
    block_on(store.close()).unwrap();
}
