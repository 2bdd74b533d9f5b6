//! An environment in which nothing happens by itself: the clock stands still and randomness
//! counts upwards, so that every run answers the same.

use hashrange_engine::Environment;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The time at which the clock stands: 2026-01-01T00:00:00Z.
pub const NOW_MS: u64 = 1_767_225_600_000;

/// Returns a new environment whose first random number is 1.
pub fn still_environment() -> Environment {
    let counter = AtomicU64::new(0);
    Environment {
        now_ms: Arc::new(|| NOW_MS),
        random: Arc::new(move || u128::from(counter.fetch_add(1, Ordering::Relaxed) + 1)),
        region: "us-east-1".to_owned(),
        account: "000000000000".to_owned(),
        endpoint: "localhost:8000".to_owned(),
        sweep_interval: None,
    }
}
