//! A thread that starts when it first has work.
//!
//! Starting a thread takes longer than answering a request, and a store that is opened, read a
//! little and closed needs none of the threads that sort, merge and remove.

use crate::Error;
use parking_lot::Mutex;
use std::mem;
use std::thread::{Builder, JoinHandle};

/// A thread with a name, which runs at most once.
#[derive(Debug)]
pub(crate) struct LazyThread {
    name: &'static str,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    NotNeeded,
    Started(JoinHandle<()>),
    Ended,
}

impl LazyThread {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, state: Mutex::new(State::NotNeeded) }
    }

    /// Starts the thread, unless it has been started or [`end`](Self::end) has been called. Fails
    /// if the system has no thread to give; the next call tries again.
    pub(crate) fn start(&self, run: impl FnOnce() + Send + 'static) -> Result<(), Error> {
        let mut state = self.state.lock();
        if matches!(*state, State::NotNeeded) {
            let thread = Builder::new().name(self.name.to_owned()).spawn(run);
            let thread =
                thread.map_err(|error| Error::from_io("start a thread of the store", error))?;
            *state = State::Started(thread);
        }
        Ok(())
    }

    /// Waits for the end of the thread, which the caller has told to end. It cannot be started
    /// afterwards.
    pub(crate) fn end(&self) {
        let state = mem::replace(&mut *self.state.lock(), State::Ended);
        if let State::Started(thread) = state {
            // The thread reports failures elsewhere.
            drop(thread.join());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn it_runs_once_and_not_after_its_end() {
        let runs = Arc::new(AtomicU64::new(0));
        let run = || {
            let runs = Arc::clone(&runs);
            move || {
                assert_eq!(std::thread::current().name(), Some("lazy"));
                runs.fetch_add(1, Ordering::Relaxed);
            }
        };
        let thread = LazyThread::new("lazy");
        thread.start(run()).unwrap();
        thread.start(run()).unwrap();
        thread.end();
        assert_eq!(runs.load(Ordering::Relaxed), 1, "it is waited for");
        thread.start(run()).unwrap();
        thread.end();
        let not_needed = LazyThread::new("not needed");
        not_needed.end();
        not_needed.start(run()).unwrap();
        assert_eq!(Arc::strong_count(&runs), 1, "what would have run is dropped");
        assert_eq!(runs.load(Ordering::Relaxed), 1);
    }
}
