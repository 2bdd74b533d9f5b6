//! Failover: a primary and two standbys, of which one takes over when the primary dies, while clients of several
//! stores commit all the time. Nothing that was acknowledged is lost, nothing is done twice, and what nobody
//! can tell is told as such.
//!
//! The primary is stopped, or does not go on, before another one is promoted: what two primaries acknowledge at a time
//! is in one of them alone. One that goes on afterwards answers nobody (`replaced.rs`). Leaves single lost answers to
//! `postgres_failure.rs`. The campaigns: `cargo xtask failover --seconds N`, with `--patroni` on a cluster
//! that Patroni keeps.

#![cfg(feature = "postgres")]
#![expect(clippy::unwrap_used, reason = "a failed assumption fails the test")]
#![expect(clippy::disallowed_methods, reason = "waits are measured, and campaigns have a seed")]

mod clients;
mod cluster;
#[path = "../numbers/mod.rs"]
mod numbers;
mod patroni;
#[path = "../proxy/mod.rs"]
mod proxy;
mod replaced;
mod standby_away;

use clients::{Clients, Round};
use cluster::Cluster;
use std::thread;
use std::time::{Duration, Instant};

/// Runs clients, what happens to them in between, and clients again for a while; then checks everything.
fn round(clients: &mut Clients, event: impl FnOnce()) -> Round {
    clients.run(|clients| {
        clients.wait_for(50);
        event();
        clients.wait_for(100);
    })
}

#[test]
fn a_promoted_standby_has_all_that_was_acknowledged() {
    if hashrange_scratch::is_left_out() {
        return;
    }
    let mut cluster = Cluster::start();
    let mut clients = Clients::open(cluster.ports(), 2);
    let done = round(&mut clients, || {
        cluster.stop_primary();
        cluster.promote_furthest();
    });
    assert!(done.acknowledged >= 150, "{done:?}");
    assert!(done.asked > 0 || done.lost > 0, "the primary died under commits: {done:?}");
}

#[test]
fn a_primary_that_was_replaced_and_goes_on_loses_and_hides_nothing() {
    if hashrange_scratch::is_left_out() {
        return;
    }
    let mut cluster = Cluster::start();
    let mut clients = Clients::open(cluster.ports(), 2);
    let done = clients.run(|clients| {
        clients.wait_for(50);
        cluster.primary().freeze();
        cluster.promote_furthest();
        // By all stores, so that each of them has found the new primary.
        clients.wait_for(200);
        cluster.before().thaw();
        clients.wait_for(500);
        cluster.before().stop();
    });
    assert!(done.acknowledged >= 750 && done.lost > 0, "{done:?}");
}

/// Returns how long a campaign is.
fn campaign() -> Duration {
    let setting = std::env::var("HASHRANGE_FAILOVER_SECONDS");
    Duration::from_secs(setting.map_or(120, |text| text.parse().unwrap()))
}

/// What happens in the rounds of the campaign.
#[derive(Debug, Clone, Copy)]
enum Event {
    /// The primary dies, a standby takes over, the dead one comes back by going back to the common past.
    FailoverAndRewind,
    /// The same, but it comes back by a new copy.
    FailoverAndCopy,
    /// The primary does not go on for a while, is stopped, and a standby takes over.
    FrozenPrimary,
    /// The primary does not go on for a while, in which a standby takes over, and then goes on as if it were primary.
    PausedPrimary,
    /// The primary dies and comes back by itself.
    CrashOfPrimary,
    /// A standby dies: the other one is enough.
    CrashOfStandby,
    /// One store is cut off from the primary, which lives and serves the others.
    Partition,
    /// The network to the primary swallows everything for one store.
    Silence,
}

const EVENTS: [Event; 8] = [
    Event::FailoverAndRewind,
    Event::FailoverAndCopy,
    Event::FrozenPrimary,
    Event::PausedPrimary,
    Event::CrashOfPrimary,
    Event::CrashOfStandby,
    Event::Partition,
    Event::Silence,
];

/// Failovers, crashes and partitions one after the other, for as long as `HASHRANGE_FAILOVER_SECONDS` says.
#[test]
#[ignore = "a campaign: minutes"]
fn campaign_of_failovers() {
    let end = Instant::now() + campaign();
    let mut cluster = Cluster::start();
    let mut clients = Clients::open(cluster.ports(), 3);
    for (nth, event) in EVENTS.into_iter().cycle().enumerate() {
        if Instant::now() >= end {
            break;
        }
        // Proxies stand between the first store and each server.
        let proxies = clients.proxies();
        let done = round(&mut clients, || happen(event, &mut cluster, &proxies));
        println!("{nth} {event:?}: {done:?}");
    }
    println!("all: {:?}", clients.all());
}

fn happen(event: Event, cluster: &mut Cluster, proxies: &[proxy::Proxy]) {
    match event {
        Event::FailoverAndRewind | Event::FailoverAndCopy => {
            cluster.stop_primary();
            cluster.promote_furthest();
            let by_rewind = matches!(event, Event::FailoverAndRewind);
            let is_back = cluster.bring_back(by_rewind);
            assert_eq!(is_back, by_rewind, "it goes back when it is to");
        }
        Event::FrozenPrimary => {
            cluster.primary().freeze();
            thread::sleep(Duration::from_secs(4));
            cluster.primary().thaw();
            cluster.stop_primary();
            cluster.promote_furthest();
            cluster.bring_back(true);
        }
        Event::PausedPrimary => {
            cluster.primary().freeze();
            cluster.promote_furthest();
            thread::sleep(Duration::from_secs(6));
            cluster.before().thaw();
            thread::sleep(Duration::from_secs(4));
            cluster.before().stop();
            cluster.bring_back(true);
        }
        Event::CrashOfPrimary => {
            cluster.stop_primary();
            thread::sleep(Duration::from_secs(1));
            cluster.primary().restart();
        }
        Event::CrashOfStandby => {
            cluster.standby().stop();
            thread::sleep(Duration::from_secs(2));
            cluster.standby().restart();
        }
        Event::Partition => {
            let proxy = &proxies[cluster.primary_number()];
            proxy.set_away(true);
            thread::sleep(Duration::from_secs(4));
            proxy.set_away(false);
        }
        Event::Silence => {
            let proxy = &proxies[cluster.primary_number()];
            proxy.hold();
            thread::sleep(Duration::from_secs(4));
            proxy.release();
        }
    }
}
