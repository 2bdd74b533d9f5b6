//! The scheduler: which task goes on, when the disk writes, when time passes, when something fails.

use super::Simulation;
use super::bank::Bank;
use super::disk::Disk;
use super::executor::Executor;
use super::fate::Fate;
use super::server::Server;
use super::tables;
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
}

/// Runs a simulation and returns how often the server was started. What is wrong is a panic.
pub(super) fn run(simulation: &Simulation, fate: &Fate) -> u64 {
    let executor = Executor::new(fate.clone());
    let disk = Disk::new(fate.clone(), simulation.flaw);
    let server = Server::start(fate.clone(), executor.clone(), disk.clone());
    let world = World {
        fate: fate.clone(),
        executor,
        disk,
        server,
        leaps: Cell::new(0),
        clients: Rc::default(),
    };
    world.run(simulation.rounds);
    world.server.restarts()
}

impl World {
    fn run(&self, rounds: usize) {
        let server = self.server.clone();
        let bank = self.wait_for(async move {
            tables::create(&server).await;
            Bank::open(server).await
        });
        for round in 0..rounds {
            self.storm();
            for client in 0..3 {
                self.start(bank.clone().transfer(format!("transfer {round}-{client}"), 12));
            }
            self.start(bank.clone().audit(12));
            self.wait();
            self.calm();
            let bank = bank.clone();
            self.wait_for(async move { bank.close_books().await });
            self.server.assert_sound("at the end of a round");
        }
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
        for _ in 0..STEPS_MAX {
            if self.clients.get() == 0 {
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
