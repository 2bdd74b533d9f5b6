//! A token bucket: it fills at a rate up to a capacity, and may be overdrawn, since the units of a
//! request are known only after its admission.

use crate::environment::milliseconds;

/// Tolerance for rounding, so that a unit is there after exactly its time of filling.
const ROUNDING: f64 = 1e-6;

/// Units that may be used.
#[derive(Debug, Clone)]
pub(super) struct Bucket {
    units: f64,
    filled_at_ms: u64,
}

impl Bucket {
    /// Returns a bucket that holds `units`.
    pub(super) fn new(units: f64, now_ms: u64) -> Self {
        Self { units, filled_at_ms: now_ms }
    }

    /// Fills the bucket at `rate` units a second up to `capacity`. A clock that was set back fills
    /// nothing.
    pub(super) fn fill(&mut self, rate: f64, capacity: f64, now_ms: u64) {
        let elapsed_ms = now_ms.saturating_sub(self.filled_at_ms);
        self.units = (self.units + rate * milliseconds(elapsed_ms) / 1000.0).min(capacity);
        self.filled_at_ms = self.filled_at_ms.max(now_ms);
    }

    /// Returns whether the bucket holds `least` after taking `reserved`.
    pub(super) fn has(&self, least: f64, reserved: f64) -> bool {
        self.units - reserved + ROUNDING >= least
    }

    /// Takes units; may overdraw the bucket.
    pub(super) fn take(&mut self, units: f64) {
        self.units -= units;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_fills_up_to_its_capacity() {
        let mut bucket = Bucket::new(0.0, 1000);
        bucket.fill(2.0, 600.0, 1499);
        assert!(!bucket.has(1.0, 0.0));
        bucket.fill(2.0, 600.0, 1500);
        assert!(bucket.has(1.0, 0.0) && !bucket.has(1.0, 0.5));
        bucket.fill(2.0, 600.0, 10_000_000);
        assert!(bucket.has(600.0, 0.0) && !bucket.has(601.0, 0.0));
    }

    #[test]
    fn an_overdraft_is_paid_back_first() {
        let mut bucket = Bucket::new(1.0, 0);
        bucket.take(11.0);
        bucket.fill(1.0, 300.0, 10_999);
        assert!(!bucket.has(1.0, 0.0));
        bucket.fill(1.0, 300.0, 11_000);
        assert!(bucket.has(1.0, 0.0));
    }

    #[test]
    fn a_clock_set_back_neither_fills_nor_empties() {
        let mut bucket = Bucket::new(1.0, 5000);
        bucket.fill(1.0, 300.0, 0);
        assert!(bucket.has(1.0, 0.0) && !bucket.has(1.1, 0.0));
        bucket.fill(1.0, 300.0, 6000);
        assert!(bucket.has(2.0, 0.0) && !bucket.has(2.1, 0.0));
    }
}
