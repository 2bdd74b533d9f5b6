//! A histogram of durations with a relative error of at most 1/32.

use std::time::Duration;

/// Steps within each power of two.
const STEPS: u64 = 32;
const STEPS_LOG2: u32 = STEPS.ilog2();
const BUCKETS: usize = (64 - STEPS_LOG2 as usize + 1) << STEPS_LOG2;

/// Counts of durations by size.
#[derive(Debug, Clone)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
}

impl Histogram {
    /// Returns an empty histogram.
    pub fn new() -> Self {
        Self { counts: vec![0; BUCKETS], total: 0 }
    }

    /// Counts one duration.
    pub fn record(&mut self, duration: Duration) {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.counts[bucket(nanos)] += 1;
        self.total += 1;
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Self) {
        for (count, added) in self.counts.iter_mut().zip(&other.counts) {
            *count += added;
        }
        self.total += other.total;
    }

    /// Returns the number of durations counted.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns a duration that `share` (0 to 1) of all counted do not exceed.
    pub fn quantile(&self, share: f64) -> Duration {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a rank is at least 1 and at most the total"
        )]
        let rank = (self.total as f64 * share).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Duration::from_nanos(upper_bound(bucket));
            }
        }
        Duration::ZERO
    }
}

/// Returns the bucket of a value: itself below `STEPS`, then `STEPS` buckets per power of two.
#[expect(clippy::cast_possible_truncation, reason = "there are BUCKETS of them, about 2000")]
fn bucket(nanos: u64) -> usize {
    if nanos < STEPS {
        return nanos as usize;
    }
    let shift = nanos.ilog2() - STEPS_LOG2;
    (u64::from(shift) * STEPS + (nanos >> shift)) as usize
}

/// Returns the largest value of a bucket.
fn upper_bound(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < STEPS {
        return bucket;
    }
    let shift = bucket / STEPS - 1;
    let first = (bucket - shift * STEPS) << shift;
    first + ((1 << shift) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_at_most_its_bound_and_close_to_it() {
        for value in (0..2000).chain([1 << 20, (1 << 20) + 12_345, u64::MAX / 3, u64::MAX]) {
            let bound = upper_bound(bucket(value));
            assert!(value <= bound && bound - value <= value / STEPS, "{value} {bound}");
        }
    }

    #[test]
    fn quantiles_count_from_the_smallest() {
        let mut histogram = Histogram::new();
        let mut other = Histogram::new();
        (1..=50).for_each(|nanos| histogram.record(Duration::from_nanos(nanos)));
        (51..=100).for_each(|nanos| other.record(Duration::from_nanos(nanos)));
        histogram.merge(&other);
        assert_eq!(histogram.total(), 100);
        assert_eq!(histogram.quantile(0.01), Duration::from_nanos(1));
        assert_eq!(histogram.quantile(0.5).as_nanos(), 50);
        assert_eq!(histogram.quantile(1.0).as_nanos(), 101);
    }
}
