//! Times of requests, counted in classes of which each is an eighth of a doubling: a percentile is right within 9 %.

use std::time::Duration;

/// Classes of a doubling.
const FINE: u32 = 8;
/// Classes: from a microsecond to 2^32 of them, more than an hour.
const CLASSES: usize = 32 * FINE as usize;

/// Times of requests.
#[derive(Debug, Clone)]
pub struct Latencies {
    classes: Box<[u32; CLASSES]>,
    count: u64,
    /// The longest.
    pub worst: Duration,
}

impl Default for Latencies {
    fn default() -> Self {
        Self { classes: Box::new([0; CLASSES]), count: 0, worst: Duration::ZERO }
    }
}

impl Latencies {
    /// Adds a time.
    pub fn add(&mut self, taken: Duration) {
        let class = &mut self.classes[class(taken)];
        *class = class.saturating_add(1);
        self.count += 1;
        self.worst = self.worst.max(taken);
    }

    /// Returns the time, in milliseconds, that so many of a hundred took at most; the upper end of its class, but no
    /// more than the longest.
    pub fn percentile_ms(&self, percent: u64) -> f64 {
        let rank = (self.count * percent).div_ceil(100).max(1);
        let mut seen = 0;
        for (nth, count) in (0_u32..).zip(self.classes.iter()) {
            seen += u64::from(*count);
            if seen >= rank {
                let upper = f64::exp2(f64::from(nth + 1) / f64::from(FINE)) / 1e3;
                return upper.min(self.worst.as_secs_f64() * 1e3);
            }
        }
        0.0
    }
}

/// Returns the class of a time: eight times its logarithm to the base 2, in microseconds.
fn class(taken: Duration) -> usize {
    let micros = taken.as_secs_f64() * 1e6;
    let mut class = 0;
    // The position of the first bit, then the part of the doubling above it.
    let whole = taken.as_micros().max(1).ilog2().min(31);
    class += whole * FINE;
    let part = micros / f64::exp2(f64::from(whole));
    class += (1..FINE)
        .filter(|nth| part >= f64::exp2(f64::from(*nth) / f64::from(FINE)))
        .fold(0, |sum, _| sum + 1);
    usize::try_from(class).unwrap_or(0).min(CLASSES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_right_within_a_class() {
        let mut all = Latencies::default();
        for micros in 1..=10_000 {
            all.add(Duration::from_micros(micros));
        }
        for (percent, truth) in [(1, 0.1), (50, 5.0), (99, 9.9), (100, 10.0)] {
            let told = all.percentile_ms(percent);
            assert!((truth..=truth * 1.1).contains(&told), "{percent}: {told} for {truth}");
        }
        assert!((Latencies::default().percentile_ms(99)).abs() < f64::EPSILON);
        let mut one = Latencies::default();
        one.add(Duration::from_secs(100_000));
        one.add(Duration::ZERO);
        assert!(one.percentile_ms(100) > 4e6, "{}", one.percentile_ms(100));
    }
}
