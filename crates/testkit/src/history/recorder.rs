//! The order of calls and returns.

use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers moments: an earlier event, on whatever thread, has a lower number.
#[derive(Debug, Default)]
pub struct Clock(AtomicU64);

/// Time from call to return of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The moment just before the call.
    pub called: u64,
    /// The moment just after the return; `None` if it never returned, so that it may have taken
    /// effect at any later moment, or never.
    pub returned: Option<u64>,
}

impl Clock {
    /// Returns the number of this moment.
    pub fn now(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst)
    }

    /// Runs an operation and returns its answer with its span.
    pub fn observe<T>(&self, operation: impl FnOnce() -> T) -> (T, Span) {
        let called = self.now();
        let answer = operation();
        (answer, Span { called, returned: Some(self.now()) })
    }
}

impl Span {
    /// Returns the span of an operation that returned.
    pub fn new(called: u64, returned: u64) -> Self {
        Self { called, returned: Some(returned) }
    }

    /// Returns true if it was over before another began.
    pub fn is_before(&self, other: &Self) -> bool {
        self.returned.is_some_and(|returned| returned < other.called)
    }
}
