//! Scaling of an on-demand table or index: it serves at least its initial rate, and twice the peak
//! of the half hours before this one.
//!
//! Source: DynamoDB developer guide, "On-demand mode": up to double the previous peak within 30
//! minutes.

const PERIOD_MS: u64 = 30 * 60 * 1000;
const SECOND_MS: u64 = 1000;

/// The traffic of a table or index, as far as its scaling depends on it.
#[derive(Debug, Clone, Default)]
pub(super) struct Scaling {
    /// Peak before this period, units in one second.
    previous_peak: f64,
    period: u64,
    /// Peak of this period, units in one second.
    peak: f64,
    second: u64,
    units_in_second: f64,
}

impl Scaling {
    /// Returns the units per second that are served; `initial` is the rate of a new table.
    pub(super) fn limit(&mut self, initial: f64, now_ms: u64) -> f64 {
        self.roll(now_ms);
        initial.max(2.0 * self.previous_peak)
    }

    /// Adds used units.
    pub(super) fn record(&mut self, units: f64, now_ms: u64) {
        self.roll(now_ms);
        let second = now_ms / SECOND_MS;
        if second != self.second {
            self.second = second;
            self.units_in_second = 0.0;
        }
        self.units_in_second += units;
        self.peak = self.peak.max(self.units_in_second);
    }

    fn roll(&mut self, now_ms: u64) {
        let period = now_ms / PERIOD_MS;
        if period > self.period {
            self.previous_peak = self.previous_peak.max(self.peak);
            self.peak = 0.0;
            self.period = period;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "limits are positive, and what is behind the point is not compared"
    )]
    fn rounded(limit: f64) -> u64 {
        limit as u64
    }

    #[test]
    fn a_peak_doubles_the_limit_from_the_next_half_hour_on() {
        let mut scaling = Scaling::default();
        let start = 10 * PERIOD_MS;
        assert_eq!(rounded(scaling.limit(4000.0, start)), 4000);
        for _ in 0..3 {
            scaling.record(1000.0, start + 500);
        }
        scaling.record(2000.0, start + 1500);
        assert_eq!(rounded(scaling.limit(4000.0, start + PERIOD_MS - 1)), 4000);
        assert_eq!(rounded(scaling.limit(4000.0, start + PERIOD_MS)), 6000);
        assert_eq!(rounded(scaling.limit(4000.0, start + 9 * PERIOD_MS)), 6000);
    }
}
