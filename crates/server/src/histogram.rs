//! Histogram of latencies: counters that the threads of requests add to, and the counts read from them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Upper bounds of the buckets, in microseconds: about seven a decade, so that a percentile is right to
/// a third or better.
const BOUNDS_US: [u64; 37] = [
    50, 70, 100, 140, 200, 300, 400, 500, 700, 1_000, 1_400, 2_000, 3_000, 4_000, 5_000, 7_000,
    10_000, 14_000, 20_000, 30_000, 40_000, 50_000, 70_000, 100_000, 140_000, 200_000, 300_000,
    400_000, 500_000, 700_000, 1_000_000, 1_400_000, 2_000_000, 3_000_000, 5_000_000, 10_000_000,
    20_000_000,
];
/// Those of them that the text for Prometheus has.
pub const TOLD_US: [u64; 18] = [
    50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 300_000,
    400_000, 500_000, 1_000_000, 2_000_000, 5_000_000,
];
/// The last bucket counts everything above the last bound.
const BUCKETS: usize = BOUNDS_US.len() + 1;

/// Latencies that are counted.
#[derive(Debug)]
pub struct Latencies {
    buckets: [AtomicU64; BUCKETS],
    sum_us: AtomicU64,
    /// Longest since it was last taken.
    worst_us: AtomicU64,
}

/// Counts read from [`Latencies`] of one or several threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    buckets: [u64; BUCKETS],
    /// Sum of all latencies, in microseconds.
    pub sum_us: u64,
}

impl Default for Latencies {
    fn default() -> Self {
        Self {
            buckets: std::array::from_fn(|_| AtomicU64::new(0)),
            sum_us: AtomicU64::new(0),
            worst_us: AtomicU64::new(0),
        }
    }
}

impl Latencies {
    /// Counts a latency.
    pub fn add(&self, micros: u64) {
        let bucket = BOUNDS_US.partition_point(|&bound| bound < micros);
        self.buckets[bucket].fetch_add(1, Relaxed);
        self.sum_us.fetch_add(micros, Relaxed);
        // Rarely true: one write a request less.
        if self.worst_us.load(Relaxed) < micros {
            self.worst_us.fetch_max(micros, Relaxed);
        }
    }

    /// Returns the longest latency since the last call, and begins anew.
    pub fn take_worst(&self) -> u64 {
        self.worst_us.swap(0, Relaxed)
    }

    /// Adds the counts to others.
    pub fn add_to(&self, counted: &mut Counted) {
        for (sum, bucket) in counted.buckets.iter_mut().zip(&self.buckets) {
            *sum += bucket.load(Relaxed);
        }
        counted.sum_us += self.sum_us.load(Relaxed);
    }
}

impl Default for Counted {
    fn default() -> Self {
        Self { buckets: [0; BUCKETS], sum_us: 0 }
    }
}

impl Counted {
    /// Returns the number of latencies.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// Returns the number of latencies up to a bound, which is one of [`TOLD_US`].
    pub fn up_to(&self, bound_us: u64) -> u64 {
        let bucket = BOUNDS_US.partition_point(|&bound| bound < bound_us);
        self.buckets[..=bucket].iter().sum()
    }

    /// Returns the latencies that were counted after `before` was read from the same counters.
    pub fn since(&self, before: &Self) -> Self {
        let bucket = |nth: usize| self.buckets[nth].saturating_sub(before.buckets[nth]);
        let sum_us = self.sum_us.saturating_sub(before.sum_us);
        Self { buckets: std::array::from_fn(bucket), sum_us }
    }

    /// Returns the latency below which so many of a hundred stay, in microseconds, taken as evenly
    /// spread within its bucket; `worst_us` is the longest of all. 0 if there are none.
    pub fn percentile_us(&self, percent: u64, worst_us: u64) -> u64 {
        let wanted = (self.count() * percent).div_ceil(100);
        let (mut below, mut low) = (0, 0);
        for (nth, count) in self.buckets.iter().enumerate() {
            let high = BOUNDS_US.get(nth).copied().unwrap_or(worst_us).min(worst_us).max(low);
            if *count > 0 && below + count >= wanted {
                return low + (high - low) * (wanted - below) / count;
            }
            below += count;
            low = BOUNDS_US.get(nth).copied().unwrap_or(low);
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(latencies: &Latencies) -> Counted {
        let mut counted = Counted::default();
        latencies.add_to(&mut counted);
        counted
    }

    #[test]
    fn every_bound_that_is_told_is_one() {
        assert!(BOUNDS_US.is_sorted());
        assert!(TOLD_US.iter().all(|told| BOUNDS_US.contains(told)));
    }

    #[test]
    fn percentiles_are_near_the_truth() {
        let latencies = Latencies::default();
        for micros in 1..=10_000 {
            latencies.add(micros);
        }
        let counted = counted(&latencies);
        assert_eq!((counted.count(), counted.up_to(2_000)), (10_000, 2_000));
        let worst = latencies.take_worst();
        assert_eq!(worst, 10_000);
        for (percent, truth) in [(50, 5_000), (99, 9_900), (1, 100)] {
            let told = counted.percentile_us(percent, worst);
            assert!(told.abs_diff(truth) <= truth / 50, "{percent}: {told}");
        }
        assert_eq!(latencies.take_worst(), 0, "it begins anew");
    }

    #[test]
    fn one_latency_is_every_percentile() {
        let latencies = Latencies::default();
        latencies.add(60_000_000);
        let counted = counted(&latencies);
        assert_eq!(counted.percentile_us(50, 60_000_000), 60_000_000);
        assert_eq!(counted.percentile_us(99, 60_000_000), 60_000_000);
        latencies.add(10);
        assert_eq!(self::counted(&latencies).since(&counted).percentile_us(99, 10), 10);
        assert_eq!(Counted::default().percentile_us(99, 0), 0);
    }
}
