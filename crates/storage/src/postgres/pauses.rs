//! Pauses between tries.

use super::health::Health;
use std::time::Duration;

/// The longest pause between two tries, and between two attempts to connect.
const MAX_PAUSE: Duration = Duration::from_millis(250);

/// The longest pause between two attempts to connect while others are connected.
const LONG_PAUSE: Duration = Duration::from_secs(2);

/// Pauses that grow and differ from lane to lane.
#[derive(Debug)]
pub(super) struct Pauses(u64);

impl Pauses {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// Returns the pause before a try.
    pub(super) fn before(&mut self, tries: u32) -> Duration {
        self.below(Duration::from_millis(1 << tries.min(10)).min(MAX_PAUSE))
    }

    /// Returns the pause before an attempt to connect: a longer one while others of its kind are
    /// connected, as the database may have no connection left.
    pub(super) fn before_connecting(&mut self, failures: u32, health: &Health) -> Duration {
        let tries = failures.saturating_add(4);
        if health.connected_now() > 0 { self.below(LONG_PAUSE) } else { self.before(tries) }
    }

    fn below(&mut self, longest: Duration) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let part = u32::try_from(self.0 % 1024).unwrap_or(0);
        longest * part / 1024
    }
}
