//! A simulation of the whole engine: a virtual clock, a disk that fails, a server that crashes and
//! comes back, or several that share a store and die one by one, and many clients that know what
//! they may expect. One thread and one seed: a [`Fate`] chooses everything that is a matter of
//! chance or time, so a seed replays a failure exactly.
//!
//! A run has rounds: a storm, in which clients work and everything may fail; then a calm, in which
//! the clients' knowledge is compared with the database.
//!
//! It cannot find faults of two threads in one decision, of the embedded store's files, of HTTP.
//! `crates/storage/tests/crash`, `crates/hashrange/tests` look for those.

mod audit;
mod bank;
mod batches;
mod consumer;
mod definitions;
mod disk;
mod executor;
mod expiry;
mod fate;
mod flaw;
mod histories;
mod own;
mod passing;
mod past;
mod server;
mod store;
mod storm;
mod tables;
mod templates;
mod thing_writes;
mod things;

pub use fate::Fate;
pub use flaw::Flaw;
pub use thing_writes::THING_WRITERS;

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Settings of a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Simulation {
    /// Chooses everything.
    pub seed: u64,
    /// Number of storms.
    pub rounds: usize,
    /// Number of servers that share the store. A single one has it for itself, and knows.
    pub servers: usize,
    /// The planted fault, if any.
    pub flaw: Option<Flaw>,
}

/// Figures of a run that found nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// Hash of everything that happened, in order.
    pub trace: u64,
    /// Restarts of the server.
    pub restarts: u64,
}

/// Findings of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The run.
    pub simulation: Simulation,
    /// Hash of everything that happened, in order.
    pub trace: u64,
    /// Message of the panic.
    pub message: String,
    /// The last lines of the trace.
    pub last_lines: Vec<String>,
}

impl Simulation {
    /// Runs the simulation.
    pub fn run(&self) -> Result<Summary, Box<Failure>> {
        let fate = Fate::new(self.seed);
        let ran = catch_unwind(AssertUnwindSafe(|| storm::run(self, &fate)));
        match ran {
            Ok(restarts) => Ok(Summary { trace: fate.trace(), restarts }),
            Err(panic) => Err(Box::new(Failure {
                simulation: *self,
                trace: fate.trace(),
                message: message(&*panic),
                last_lines: fate.last_lines(),
            })),
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seed = self.simulation.seed;
        self.last_lines.iter().try_for_each(|line| writeln!(formatter, "{line}"))?;
        writeln!(formatter, "{}", self.message)?;
        write!(formatter, "seed {seed}; to replay it: cargo xtask simulate --seed {seed}")
    }
}
