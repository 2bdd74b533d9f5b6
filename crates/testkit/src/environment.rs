//! An environment in which nothing happens by itself: the clock stands still until it is moved and
//! randomness counts upwards, so that every run answers the same.

use hashrange_engine::Environment;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The time at which the clock stands: 2026-01-01T00:00:00Z.
pub const NOW_MS: u64 = 1_767_225_600_000;

/// A clock that only its holder moves.
#[derive(Debug, Clone)]
pub struct VirtualClock(Arc<AtomicU64>);

impl VirtualClock {
    /// Returns the time in epoch milliseconds.
    pub fn now_ms(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// Sets the clock back.
    pub fn set_back_ms(&self, ms: u64) {
        self.0.fetch_sub(ms, Ordering::AcqRel);
    }

    /// Lets time pass.
    pub fn advance_ms(&self, ms: u64) {
        self.0.fetch_add(ms, Ordering::AcqRel);
    }
}

/// Returns a new environment whose first random number is 1.
pub fn still_environment() -> Environment {
    virtual_environment().0
}

/// Returns a new environment whose first random number is 1, with its clock.
pub fn virtual_environment() -> (Environment, VirtualClock) {
    let counter = AtomicU64::new(0);
    let clock = VirtualClock(Arc::new(AtomicU64::new(NOW_MS)));
    let shown = clock.clone();
    let environment = Environment {
        now_ms: Arc::new(move || shown.now_ms()),
        random: Arc::new(move || u128::from(counter.fetch_add(1, Ordering::Relaxed) + 1)),
        region: "us-east-1".to_owned(),
        account: "314159265358".to_owned(),
        endpoint: "localhost:8000".to_owned(),
        sweep_interval: None,
        prices: None,
    };
    (environment, clock)
}
