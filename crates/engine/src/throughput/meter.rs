//! Units left for the reads or the writes of one table or global index: buckets for the whole and
//! for each partition key in use.

use super::bucket::Bucket;
use super::scaling::Scaling;
use crate::capacity::Charge;
use crate::schema::{Billing, Index, Table};
use hashrange_model::error::ThrottleLimit;
use std::collections::BTreeMap;

/// Seconds of unused provisioned capacity that are kept. Source: DynamoDB developer guide, "Burst
/// capacity".
const BURST_S: f64 = 300.0;
/// Number of partition buckets from which on full ones are removed.
const PARTITIONS_KEPT: usize = 10_000;

/// Returns the units per second that a new on-demand table serves. Source: DynamoDB developer
/// guide, "On-demand mode", initial throughput.
fn initial_rate(charge: Charge) -> f64 {
    match charge {
        Charge::Read => 12_000.0,
        Charge::Write => 4000.0,
    }
}

/// Returns the least number of units that a request can use: with fewer left it is refused.
fn least(charge: Charge) -> f64 {
    match charge {
        Charge::Read => 0.5,
        Charge::Write => 1.0,
    }
}

/// Rate of a meter, units per second, by the table's settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Rate {
    /// Provisioned throughput.
    Provisioned(f64),
    /// On demand: the rate for which the table is prepared, and the owner's limit.
    OnDemand { initial: f64, allowed: Option<f64> },
}

impl Rate {
    /// Returns the rate of a table, or of one of its global indexes.
    pub(super) fn of(table: &Table, index: Option<&Index>, charge: Charge) -> Self {
        let record = &table.record;
        let index =
            index.and_then(|index| record.indexes.iter().find(|known| known.id == index.id));
        let (throughput, limits, warm) = match index {
            Some(index) => (&index.throughput, index.on_demand, index.warm),
            None => (&record.throughput, record.on_demand, record.warm),
        };
        let pick = |read: i64, write: i64| match charge {
            Charge::Read => float(read),
            Charge::Write => float(write),
        };
        match record.billing {
            Billing::Provisioned => Self::Provisioned(pick(throughput.read, throughput.write)),
            Billing::PayPerRequest => Self::OnDemand {
                initial: warm
                    .map_or(0.0, |warm| pick(warm.read, warm.write))
                    .max(initial_rate(charge)),
                allowed: limits
                    .and_then(|limits| match charge {
                        Charge::Read => limits.read,
                        Charge::Write => limits.write,
                    })
                    .map(float),
            },
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a limit of 2^53 units limits nothing any more")]
fn float(units: i64) -> f64 {
    units as f64
}

/// Units of requests that were admitted but are not counted yet.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reserved {
    /// Units on the whole table or index.
    pub(super) whole: f64,
    /// Units on the partition.
    pub(super) partition: f64,
}

/// Units left for the reads or the writes of a table or index.
#[derive(Debug)]
pub(super) struct Meter {
    charge: Charge,
    whole: Bucket,
    /// Bucket for the owner's limit.
    allowed: Bucket,
    scaling: Scaling,
    partitions: BTreeMap<u32, Bucket>,
}

impl Meter {
    /// Returns the meter of an unused table: it holds the capacity of one second, since no earlier
    /// second was left unused.
    pub(super) fn new(charge: Charge, rate: Rate, now_ms: u64) -> Self {
        let (whole, allowed) = match rate {
            Rate::Provisioned(units) => (units, 0.0),
            Rate::OnDemand { initial, allowed } => (initial, allowed.unwrap_or(0.0)),
        };
        Self {
            charge,
            whole: Bucket::new(whole, now_ms),
            allowed: Bucket::new(allowed, now_ms),
            scaling: Scaling::default(),
            partitions: BTreeMap::new(),
        }
    }

    /// Returns the limit that a request would exceed.
    pub(super) fn exceeded(
        &mut self,
        rate: Rate,
        partition: Option<u32>,
        reserved: Reserved,
        now_ms: u64,
    ) -> Option<ThrottleLimit> {
        self.fill(rate, now_ms);
        let least = least(self.charge);
        if !self.whole.has(least, reserved.whole) {
            return Some(match rate {
                Rate::Provisioned(_) => ThrottleLimit::Provisioned,
                Rate::OnDemand { .. } => ThrottleLimit::Account,
            });
        }
        let is_limited = matches!(rate, Rate::OnDemand { allowed: Some(_), .. });
        if is_limited && !self.allowed.has(least, reserved.whole) {
            return Some(ThrottleLimit::MaxOnDemand);
        }
        let bucket = self.partitions.get_mut(&partition?)?;
        let rate = f64::from(self.charge.partition_rate());
        bucket.fill(rate, rate, now_ms);
        (!bucket.has(least, reserved.partition)).then_some(ThrottleLimit::KeyRange)
    }

    /// Takes the used units of a request.
    pub(super) fn take(&mut self, rate: Rate, partition: Option<u32>, units: f64, now_ms: u64) {
        self.fill(rate, now_ms);
        self.whole.take(units);
        match rate {
            Rate::Provisioned(_) => {}
            Rate::OnDemand { allowed, .. } => {
                self.scaling.record(units, now_ms);
                if allowed.is_some() {
                    self.allowed.take(units);
                }
            }
        }
        if let Some(partition) = partition {
            self.take_of_partition(partition, units, now_ms);
        }
    }

    fn take_of_partition(&mut self, partition: u32, units: f64, now_ms: u64) {
        let rate = f64::from(self.charge.partition_rate());
        if self.partitions.len() >= PARTITIONS_KEPT {
            self.partitions.retain(|_, bucket| {
                bucket.fill(rate, rate, now_ms);
                !bucket.has(rate, 0.0)
            });
        }
        let bucket = self.partitions.entry(partition).or_insert_with(|| Bucket::new(rate, now_ms));
        bucket.fill(rate, rate, now_ms);
        bucket.take(units);
    }

    fn fill(&mut self, rate: Rate, now_ms: u64) {
        match rate {
            Rate::Provisioned(units) => self.whole.fill(units, BURST_S * units, now_ms),
            Rate::OnDemand { initial, allowed } => {
                let limit = self.scaling.limit(initial, now_ms);
                self.whole.fill(limit, limit, now_ms);
                if let Some(allowed) = allowed {
                    self.allowed.fill(allowed, allowed, now_ms);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writes(meter: &mut Meter, rate: Rate, partition: Option<u32>, now_ms: u64) -> u32 {
        let mut done = 0;
        while done < 1_000_000
            && meter.exceeded(rate, partition, Reserved::default(), now_ms).is_none()
        {
            meter.take(rate, partition, 1.0, now_ms);
            done += 1;
        }
        done
    }

    fn limit(meter: &mut Meter, rate: Rate, now_ms: u64) -> Option<ThrottleLimit> {
        meter.exceeded(rate, Some(1), Reserved::default(), now_ms)
    }

    #[test]
    fn provisioned_units_burst_up_to_five_minutes() {
        let rate = Rate::Provisioned(2.0);
        let mut meter = Meter::new(Charge::Write, rate, 0);
        assert_eq!(writes(&mut meter, rate, None, 0), 2);
        assert_eq!(limit(&mut meter, rate, 0), Some(ThrottleLimit::Provisioned));
        assert_eq!(writes(&mut meter, rate, None, 1000), 2);
        assert_eq!(writes(&mut meter, rate, None, 3_600_000), 600);
    }

    #[test]
    fn a_partition_serves_a_thousand_writes_a_second() {
        let rate = Rate::Provisioned(5000.0);
        let mut meter = Meter::new(Charge::Write, rate, 0);
        assert_eq!(writes(&mut meter, rate, Some(1), 0), 1000);
        assert_eq!(limit(&mut meter, rate, 0), Some(ThrottleLimit::KeyRange));
        assert_eq!(writes(&mut meter, rate, Some(2), 0), 1000);
        assert_eq!(writes(&mut meter, rate, Some(1), 500), 500);
    }

    #[test]
    fn an_on_demand_table_starts_with_four_thousand_writes_and_keeps_to_its_maximum() {
        let rate = Rate::OnDemand { initial: 4000.0, allowed: None };
        let mut meter = Meter::new(Charge::Write, rate, 0);
        assert_eq!(writes(&mut meter, rate, None, 0), 4000);
        assert_eq!(limit(&mut meter, rate, 0), Some(ThrottleLimit::Account));
        // The limit is twice the peak, from the next half hour on.
        assert_eq!(writes(&mut meter, rate, None, 3_600_000), 8000);
        let rate = Rate::OnDemand { initial: 4000.0, allowed: Some(3.0) };
        let mut meter = Meter::new(Charge::Write, rate, 0);
        assert_eq!(writes(&mut meter, rate, None, 0), 3);
        assert_eq!(limit(&mut meter, rate, 0), Some(ThrottleLimit::MaxOnDemand));
        assert_eq!(limit(&mut meter, rate, 1000), None);
    }

    #[test]
    fn partitions_that_are_full_again_are_forgotten() {
        let rate = Rate::Provisioned(1e9);
        let mut meter = Meter::new(Charge::Write, rate, 0);
        let kept = u32::try_from(PARTITIONS_KEPT).unwrap();
        for partition in 0..kept {
            meter.take(rate, Some(partition), 1.0, 0);
        }
        meter.take(rate, Some(kept), 1.0, 1000);
        assert_eq!(meter.partitions.len(), 1);
    }
}
