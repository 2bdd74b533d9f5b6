//! Work whose panic ends the work, not the thread: the panic is counted and becomes a fault like any
//! other, so that the work is logged and tried again.

use super::Background;
use hashrange_storage::Store;
use std::any::Any;
use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::task::Poll;

/// What a piece of work said when it panicked.
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
    /// Does some work to its end or to its panic, which is counted. What the work holds is dropped
    /// as the panic unwinds: guards release what they guard.
    pub(super) async fn caught<T>(&self, work: impl Future<Output = T>) -> Result<T, Panicked> {
        let mut work = pin!(work);
        // Unwind safety: what is shared is changed by atomic steps or by commits, which a panic
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
