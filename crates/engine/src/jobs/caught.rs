//! Confines a panic to the work that panicked, so that the thread goes on: counts the panic and
//! turns it into a fault, so that the work is logged and tried again.

use super::Background;
use hashrange_storage::Store;
use std::any::Any;
use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::task::Poll;

/// Message of a panic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Panicked(String);

impl Panicked {
    fn of(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Self(text.unwrap_or_else(|| "for a reason that is no text".to_owned()))
    }
}

impl fmt::Display for Panicked {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "panicked: {}", self.0)
    }
}

impl<S: Store> Background<S> {
    /// Runs some work to its end or to its panic, which is counted. The panic drops the values of
    /// the work as it unwinds: guards release their locks.
    pub(super) async fn caught<T>(&self, work: impl Future<Output = T>) -> Result<T, Panicked> {
        let mut work = pin!(work);
        // Unwind safety: shared values are changed by atomic steps or by commits, which a panic
        // leaves undone; the work itself is not polled again.
        let done = poll_fn(|context| {
            match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
                Ok(polled) => polled.map(Ok),
                Err(panic) => Poll::Ready(Err(Panicked::of(&*panic))),
            }
        });
        let done = done.await;
        if done.is_err() {
            self.panics.fetch_add(1, Ordering::Relaxed);
        }
        done
    }
}
