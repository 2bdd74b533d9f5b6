//! Hooks for tests: hold the committer, make a group fail. They cost nothing measurable.

use crate::Error;
use parking_lot::{Mutex, MutexGuard};
use std::io;

/// Faults that tests may order from the committer.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    gate: Mutex<()>,
    next: Mutex<Option<Fault>>,
}

/// A failure of the next group.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    /// The write fails with this kind of error.
    Fail(io::ErrorKind),
    /// The committer panics.
    Panic,
}

impl Faults {
    pub(crate) fn hold(&self) -> MutexGuard<'_, ()> {
        self.gate.lock()
    }

    pub(crate) fn set(&self, fault: Fault) {
        *self.next.lock() = Some(fault);
    }

    /// Waits while a test holds the committer; fails if a test ordered it.
    pub(crate) fn before_group(&self) -> Result<(), Error> {
        drop(self.gate.lock());
        match self.next.lock().take() {
            None => Ok(()),
            Some(Fault::Fail(kind)) => Err(Error::from_io("commit group", kind.into())),
            Some(Fault::Panic) => panic!("a test asked for it"),
        }
    }
}
