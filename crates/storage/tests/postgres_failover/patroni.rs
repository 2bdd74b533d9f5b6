//! The same clients on a cluster that Patroni keeps (`packages/patroni`): primaries are changed, killed and paused.
//!
//! Nobody here decides who is primary. A primary that is paused for longer than its key lasts is replaced meanwhile, and
//! goes on for a moment as if it were not.

use super::campaign;
use super::clients::Clients;
use hashrange_scratch::Patroni;
use std::thread;
use std::time::{Duration, Instant};

/// Longer than the key of a primary lasts (`ttl`), and until another one has taken it.
const PAUSE: Duration = Duration::from_secs(40);

/// What happens in a round.
#[derive(Debug, Clone, Copy)]
enum Event {
    Switchover,
    /// The primary's server is killed, and its Patroni not.
    KillServer,
    /// The primary's Patroni is killed, and started again; its server goes on.
    KillPatroni,
    /// Both are killed.
    KillBoth,
    /// Neither goes on for a while.
    Pause,
    /// The server goes on, and its Patroni does not.
    PausePatroni,
}

const EVENTS: [Event; 6] = [
    Event::Switchover,
    Event::Pause,
    Event::KillServer,
    Event::KillPatroni,
    Event::KillBoth,
    Event::PausePatroni,
];

#[test]
#[ignore = "a campaign: minutes; needs Patroni and etcd"]
fn campaign_of_patroni() {
    let cluster = Patroni::start();
    let mut clients = Clients::open(cluster.ports(), 3);
    let end = Instant::now() + campaign();
    for (nth, event) in EVENTS.into_iter().cycle().enumerate() {
        if Instant::now() >= end {
            break;
        }
        let before = cluster.primary();
        let done = clients.run(|clients| {
            clients.wait_for(50);
            // Without a watchdog nobody stops a server whose Patroni does not go on.
            clients.read_own(matches!(event, Event::PausePatroni));
            happen(event, &cluster, before);
            clients.wait_for(100);
            cluster.wait_until_whole();
            clients.read_own(false);
            clients.wait_for(100);
        });
        println!("{nth} {event:?}, member {before}, then {}: {done:?}", cluster.primary());
    }
    println!("all: {:?}", clients.all());
}

fn happen(event: Event, cluster: &Patroni, primary: usize) {
    match event {
        Event::Switchover => cluster.switch_over(),
        Event::KillServer => cluster.signal_server(primary, "KILL"),
        Event::KillPatroni => cluster.signal_patroni(primary, "KILL"),
        Event::KillBoth => {
            cluster.signal_patroni(primary, "KILL");
            cluster.signal_server(primary, "KILL");
        }
        Event::Pause => {
            cluster.signal_patroni(primary, "STOP");
            cluster.signal_server(primary, "STOP");
            thread::sleep(PAUSE);
            // The server first: for a moment nobody tells it that it was replaced.
            cluster.signal_server(primary, "CONT");
            thread::sleep(Duration::from_secs(2));
            cluster.signal_patroni(primary, "CONT");
        }
        Event::PausePatroni => {
            cluster.signal_patroni(primary, "STOP");
            thread::sleep(PAUSE);
            cluster.signal_patroni(primary, "CONT");
        }
    }
}
