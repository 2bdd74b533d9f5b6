//! Waiting without a runtime: a thread that lives as long as a caller waits.
//!
//! Pauses are rare and long (before a batch is tried again, before a stream is read again), so one
//! thread for each is cheap enough and needs nothing of the program's own runtime.

use std::future::Future;
use std::pin::Pin;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Future that is ready after a time. If it is dropped earlier, its thread ends at once.
#[derive(Debug)]
pub(crate) struct Pause {
    shared: Arc<Mutex<Shared>>,
    /// Dropped with the pause, which ends the thread.
    _alive: Sender<()>,
}

#[derive(Debug, Default)]
struct Shared {
    is_over: bool,
    waker: Option<Waker>,
}

impl Pause {
    /// Begins a pause.
    pub(crate) fn of(duration: Duration) -> Self {
        let shared = Arc::new(Mutex::new(Shared::default()));
        let (alive, dropped) = mpsc::channel::<()>();
        let waiting = Arc::clone(&shared);
        let wait = move || {
            // Ends at the time, or at once when the pause is dropped: nothing is ever sent.
            let _ended = dropped.recv_timeout(duration);
            let mut shared = waiting.lock().unwrap_or_else(PoisonError::into_inner);
            shared.is_over = true;
            if let Some(waker) = shared.waker.take() {
                waker.wake();
            }
        };
        let started = std::thread::Builder::new().name("hashrange-pause".to_owned()).spawn(wait);
        if started.is_err() {
            // If no thread can be started, there is no pause: the caller goes on, a bounded number
            // of times.
            shared.lock().unwrap_or_else(PoisonError::into_inner).is_over = true;
        }
        Self { shared, _alive: alive }
    }
}

impl Future for Pause {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if shared.is_over {
            return Poll::Ready(());
        }
        shared.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_ends_and_one_that_is_dropped_ends_its_thread() {
        hashrange_storage::block_on(Pause::of(Duration::from_millis(1)));
        let pause = Pause::of(Duration::MAX);
        let shared = Arc::downgrade(&pause.shared);
        drop(pause);
        while shared.strong_count() > 0 {
            std::thread::yield_now();
        }
    }
}
