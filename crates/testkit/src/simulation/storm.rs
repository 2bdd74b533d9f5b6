//! The scheduler: it chooses the next task, the disk's writes, the passing of time, and faults.

use super::Simulation;
use super::audit;
use super::bank::Bank;
use super::batches::Batches;
use super::consumer::Consumer;
use super::definitions;
use super::disk::Disk;
use super::executor::Executor;
use super::expiry;
use super::fate::Fate;
use super::histories::Histories;
use super::passing::Passing;
use super::past;
use super::server::Server;
use super::tables::{self, ACCOUNTS, THINGS};
use super::templates;
use super::things::Things;
use std::cell::Cell;
use std::future::Future;
use std::rc::Rc;

/// More steps than any round takes.
const STEPS_MAX: usize = 1_000_000;
const HOUR_MS: usize = 60 * 60 * 1000;
/// Leaps of the clock in a round: together less than a stream keeps its records.
const LEAPS_MAX: usize = 3;

struct World {
    fate: Fate,
    executor: Executor,
    disk: Disk,
    server: Server,
    leaps: Cell<usize>,
    /// Clients that have not ended.
    clients: Rc<Cell<usize>>,
    /// True while the consumer goes on.
    following: Rc<Cell<bool>>,
}

/// Clients that keep knowledge from one round to the next.
#[derive(Debug, Clone)]
struct Clients {
    /// Beginning of the history of the bank, epoch milliseconds.
    since_ms: u64,
    bank: Bank,
    batches: Batches,
    consumer: Consumer,
    passing: Passing,
    things: Things,
}

/// Runs a simulation and returns the number of starts of the server. A fault ends in a panic.
pub(super) fn run(simulation: &Simulation, fate: &Fate) -> u64 {
    let executor = Executor::new(fate.clone());
    let disk = Disk::new(fate.clone(), simulation.flaw);
    let server = Server::start(fate.clone(), executor.clone(), disk.clone(), simulation.servers);
    let world = World {
        fate: fate.clone(),
        executor,
        disk,
        server,
        leaps: Cell::new(0),
        clients: Rc::default(),
        following: Rc::default(),
    };
    world.run(simulation.rounds);
    world.server.restarts()
}

impl World {
    fn run(&self, rounds: usize) {
        let server = self.server.clone();
        let (bank, consumer, since_ms) = self.wait_for(async move {
            tables::create(&server).await;
            let bank = Bank::open(server.clone()).await;
            let since_ms = server.insist_on_history(ACCOUNTS, None).await;
            server.insist_on_history(THINGS, Some(past::RETENTION_HOURS)).await;
            (bank, Consumer::new(server).await, since_ms)
        });
        let clients = Clients {
            since_ms,
            bank,
            batches: Batches::new(self.server.clone()),
            consumer,
            passing: Passing::new(self.server.clone()),
            things: Things::new(self.server.clone()),
        };
        for round in 0..rounds {
            let histories = Histories::new(self.server.clone(), round);
            self.storm();
            self.start_all(&clients, &histories, round);
            self.wait();
            clients.consumer.stop();
            self.wait_for_followers();
            self.calm();
            self.check(clients.clone(), histories);
            self.server.assert_sound("at the end of a round");
        }
    }

    fn start_all(&self, clients: &Clients, histories: &Histories, round: usize) {
        let Clients { since_ms, bank, batches, consumer, passing, things } = clients;
        for client in 0..3 {
            self.start(bank.clone().transfer(format!("transfer {round}-{client}"), 10));
            self.start(things.clone().write(client, 25));
            self.start(histories.clone().use_registers(10));
        }
        for _ in 0..2 {
            self.start(histories.clone().use_lists(12));
            self.start(batches.clone().use_groups(12));
        }
        self.start(audit::audit(self.server.clone(), 12));
        self.start(audit::audit_the_past(self.server.clone(), *since_ms, 8));
        self.start(definitions::change(self.server.clone(), 10));
        self.start(templates::change(self.server.clone(), 6));
        self.start(expiry::change(self.server.clone(), 6));
        self.start(passing.clone().use_table(30));
        self.follow(consumer.clone());
    }

    /// Compares the clients' knowledge with the database.
    fn check(&self, clients: Clients, histories: Histories) {
        let server = self.server.clone();
        self.wait_for(async move {
            histories.check().await;
            clients.bank.close_books().await;
            clients.batches.check().await;
            clients.passing.check().await;
            expiry::settle(server.clone()).await;
            clients.things.check().await;
            definitions::check(server.clone()).await;
            templates::check(server.clone()).await;
            clients.consumer.check().await;
            past::check_accounts(&server).await;
            past::check_things(&server, &clients.consumer).await;
        });
    }

    fn storm(&self) {
        self.fate.note("storm");
        self.fate.set_calm(false);
        self.leaps.set(0);
    }

    /// Ends the storm with a restart, so that no request without an answer is under way.
    fn calm(&self) {
        self.fate.note("calm");
        self.fate.set_calm(true);
        if self.fate.chance(500) {
            self.server.restart();
        } else {
            self.settle();
        }
    }

    /// Lets everything go on that is under way.
    fn settle(&self) {
        if self.disk.is_failed() {
            self.server.restart();
        }
        let server = self.server.clone();
        self.wait_for(async move { server.sleep(10_000).await });
    }

    /// Starts a client.
    fn start(&self, client: impl Future<Output = ()> + 'static) {
        let clients = Rc::clone(&self.clients);
        clients.set(clients.get() + 1);
        self.executor.spawn(async move {
            client.await;
            clients.set(clients.get() - 1);
        });
    }

    /// Starts a client that goes on until it is stopped.
    fn follow(&self, consumer: Consumer) {
        let following = Rc::clone(&self.following);
        following.set(true);
        self.executor.spawn(async move {
            consumer.follow().await;
            following.set(false);
        });
    }

    fn wait_for_followers(&self) {
        self.wait_while(|| self.following.get());
    }

    /// Runs one client to its end.
    fn wait_for<T: 'static>(&self, client: impl Future<Output = T> + 'static) -> T {
        let result = Rc::new(Cell::new(None));
        let told = Rc::clone(&result);
        self.start(async move { told.set(Some(client.await)) });
        self.wait();
        result.take().expect("the client has ended")
    }

    /// Goes on until all clients have ended.
    fn wait(&self) {
        self.wait_while(|| self.clients.get() > 0);
    }

    fn wait_while(&self, is_going_on: impl Fn() -> bool) {
        for _ in 0..STEPS_MAX {
            if !is_going_on() {
                return;
            }
            self.step();
        }
        panic!("the clients come to no end");
    }

    fn step(&self) {
        if self.disk.is_crashed() || (self.disk.is_failed() && self.fate.chance(30)) {
            self.server.restart();
        }
        if self.fate.strikes(2) {
            self.disk.crash();
        } else if self.fate.strikes(1) {
            self.disk.fail();
        } else if self.server.are_several() && self.fate.strikes(1) {
            self.server.kill_one();
        } else if self.leaps.get() < LEAPS_MAX && self.fate.strikes(1) {
            self.leap();
        } else {
            self.go_on();
        }
    }

    /// Lets much time pass at once.
    fn leap(&self) {
        self.leaps.set(self.leaps.get() + 1);
        let most_ms =
            *[HOUR_MS / 60, HOUR_MS / 4, 5 * HOUR_MS].get(self.fate.below(3)).unwrap_or(&1);
        self.pass(self.fate.below(most_ms) as u64);
        self.fate.note("leap");
    }

    fn pass(&self, ms: u64) {
        self.fate.advance_ms(ms);
        self.executor.wake_sleepers();
    }

    fn go_on(&self) {
        match self.fate.below(10) {
            0 => self.disk.write_group(),
            1 => self.pass(self.fate.below(5) as u64),
            _ if self.executor.poll_one() => {}
            _ if !self.disk.is_idle() && !self.disk.is_failed() => self.disk.write_group(),
            _ => {
                let next = self.executor.next_sleeper_ms();
                self.pass(next.expect("somebody waits for nothing that could happen"));
            }
        }
    }
}
