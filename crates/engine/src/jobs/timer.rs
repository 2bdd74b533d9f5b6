//! A thread that repeats a task at an interval, until it is stopped.
//!
//! The task tests the given flag between its steps, so stopping takes no longer than one step.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Maximum of a timer's first wait: the first requests to a process that has just started come
/// before its first tick.
const BEGINS_AFTER: Duration = Duration::from_millis(100);

/// A thread that wakes up periodically. Dropping it stops it.
#[derive(Debug)]
pub(crate) struct Timer {
    gate: Arc<Gate>,
    thread: Option<JoinHandle<()>>,
}

/// State on which the thread waits.
#[derive(Debug, Default)]
struct Gate {
    stopping: AtomicBool,
    /// Locked to set `stopping`, so that no wake-up falls between its test and the wait.
    sleep: Mutex<()>,
    wake: Condvar,
}

impl Gate {
    /// Waits for one interval; returns false as soon as the timer is stopped.
    fn wait(&self, interval: Duration) -> bool {
        let sleep = self.sleep.lock().unwrap_or_else(PoisonError::into_inner);
        let asleep = self
            .wake
            .wait_timeout_while(sleep, interval, |()| !self.stopping.load(Ordering::Acquire))
            .unwrap_or_else(PoisonError::into_inner);
        drop(asleep);
        !self.stopping.load(Ordering::Acquire)
    }

    fn stop(&self) {
        let _sleep = self.sleep.lock().unwrap_or_else(PoisonError::into_inner);
        self.stopping.store(true, Ordering::Release);
        self.wake.notify_all();
    }
}

impl Timer {
    /// Starts a thread that calls `tick` in a moment and then after every interval.
    pub(crate) fn start(interval: Duration, tick: impl Fn(&AtomicBool) + Send + 'static) -> Self {
        let gate = Arc::new(Gate::default());
        let waiting = Arc::clone(&gate);
        let thread = std::thread::Builder::new()
            .name("hashrange-timer".to_owned())
            .spawn(move || {
                let mut goes_on = waiting.wait(interval.min(BEGINS_AFTER));
                while goes_on {
                    tick(&waiting.stopping);
                    goes_on = waiting.wait(interval);
                }
            })
            .expect("a thread can be started");
        Self { gate, thread: Some(thread) }
    }

    /// Stops the thread and waits for it.
    pub(crate) fn stop(&mut self) {
        self.gate.stop();
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the timer thread has panicked");
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{TryRecvError, channel};

    #[test]
    fn it_ticks_until_it_is_stopped() {
        let (ticks, ticked) = channel();
        let mut timer = Timer::start(Duration::from_millis(1), move |_| {
            ticks.send(()).unwrap_or_default();
        });
        for _ in 0..3 {
            ticked.recv().unwrap();
        }
        timer.stop();
        while ticked.try_recv().is_ok() {}
        assert_eq!(ticked.try_recv(), Err(TryRecvError::Disconnected));
    }

    #[test]
    fn stopping_does_not_wait_for_the_interval() {
        let (ticks, ticked) = channel();
        let mut timer = Timer::start(Duration::from_secs(1_000_000), move |_| {
            ticks.send(()).unwrap_or_default();
        });
        ticked.recv().unwrap();
        timer.stop();
        assert!(ticked.recv().is_err());
    }
}
