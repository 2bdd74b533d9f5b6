//! Consumption of a key, a range or a table.

use serde::{Deserialize, Serialize};

/// Consumption.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Sums {
    /// Read units.
    pub read_units: f64,
    /// Write units.
    pub write_units: f64,
    /// Reads and writes that were done.
    pub requests: u64,
    /// Bytes of the items that were read or written.
    pub bytes: u64,
    /// Requests that were refused because a limit of throughput was exceeded.
    pub throttles: u64,
}

impl Sums {
    /// Adds further consumption.
    pub fn add(&mut self, other: &Self) {
        self.read_units += other.read_units;
        self.write_units += other.write_units;
        self.requests = self.requests.saturating_add(other.requests);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.throttles = self.throttles.saturating_add(other.throttles);
    }

    /// Returns read and write units together.
    pub fn units(&self) -> f64 {
        self.read_units + self.write_units
    }

    /// Returns the figure of a measure.
    pub fn by(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Units => self.units(),
            Measure::ReadUnits => self.read_units,
            Measure::WriteUnits => self.write_units,
            Measure::Requests => number(self.requests),
            Measure::Bytes => number(self.bytes),
            Measure::Throttles => number(self.throttles),
        }
    }

    /// Returns one of `parts` equal parts; the first part gets the remainder.
    #[must_use]
    pub fn part(&self, nth: u64, parts: u64) -> Self {
        let parts = parts.max(1);
        let of = |whole: u64| whole / parts + if nth == 0 { whole % parts } else { 0 };
        Self {
            read_units: self.read_units / number(parts),
            write_units: self.write_units / number(parts),
            requests: of(self.requests),
            bytes: of(self.bytes),
            throttles: of(self.throttles),
        }
    }

    /// Returns whether every figure is a finite amount.
    pub(crate) fn is_amount(&self) -> bool {
        [self.read_units, self.write_units].iter().all(|units| units.is_finite() && *units >= 0.0)
    }
}

/// Measure that keys are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Read and write units together.
    Units,
    /// Read units.
    ReadUnits,
    /// Write units.
    WriteUnits,
    /// Requests.
    Requests,
    /// Bytes.
    Bytes,
    /// Throttled requests.
    Throttles,
}

#[expect(clippy::cast_precision_loss, reason = "figures are compared and shown, with few digits")]
fn number(count: u64) -> f64 {
    count as f64
}
