//! Inputs of an engine from the outside world, as parameters: the clock, randomness, the names
//! (region, account) in its ARNs, and the interval of its sweeps.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Returns the time in milliseconds since the epoch.
pub(crate) type Clock = dyn Fn() -> u64 + Send + Sync;

/// Clock, randomness and names. Tests pass their own.
#[derive(Clone)]
pub struct Environment {
    /// Returns the time in milliseconds since the epoch.
    pub now_ms: Arc<dyn Fn() -> u64 + Send + Sync>,
    /// Returns 128 random bits.
    pub random: Arc<dyn Fn() -> u128 + Send + Sync>,
    /// Region in ARNs.
    pub region: String,
    /// Account number in ARNs: twelve digits.
    pub account: String,
    /// Host and port that DescribeEndpoints answers.
    pub endpoint: String,
    /// Interval at which a thread removes expired data and retries failed jobs that are due again;
    /// without one it never does.
    pub sweep_interval: Option<Duration>,
    /// Prices of request units, for EXPLAIN; if `None` EXPLAIN shows units without prices.
    pub prices: Option<UnitPrices>,
}

/// Prices of request units in a region.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitPrices {
    /// Region of the prices.
    pub region: String,
    /// Currency of the prices.
    pub currency: String,
    /// Prices for tables of the class `STANDARD`.
    pub standard: UnitPrice,
    /// Prices for tables of the class `STANDARD_INFREQUENT_ACCESS`.
    pub infrequent_access: UnitPrice,
}

/// Prices of request units for one class of tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitPrice {
    /// Price of a million read request units.
    pub read_million: f64,
    /// Price of a million write request units.
    pub write_million: f64,
}

impl fmt::Debug for Environment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Environment")
            .field("region", &self.region)
            .field("account", &self.account)
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

impl Environment {
    /// Returns the ARN of a table.
    pub fn table_arn(&self, table: &str) -> String {
        format!("arn:aws:dynamodb:{}:{}:table/{table}", self.region, self.account)
    }

    /// Returns the ARN of a stream.
    pub fn stream_arn(&self, table: &str, label: &str) -> String {
        format!("{}/stream/{label}", self.table_arn(table))
    }

    /// Returns the ARN of the account's owner.
    pub fn root_arn(&self) -> String {
        format!("arn:aws:iam::{}:root", self.account)
    }

    /// Returns the ARN of an index.
    pub fn index_arn(&self, table: &str, index: &str) -> String {
        format!("{}/index/{index}", self.table_arn(table))
    }

    /// Returns a random UUID of version 4.
    pub fn uuid(&self) -> String {
        let bits = ((self.random)() & !(0xF << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
        let hex = format!("{bits:032x}");
        format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }
}

/// Returns the table name of a `TableName` member, which may be an ARN.
pub(crate) fn table_name_of(name_or_arn: &str) -> &str {
    if !name_or_arn.starts_with("arn:") {
        return name_or_arn;
    }
    let resource = name_or_arn.splitn(6, ':').nth(5).unwrap_or(name_or_arn);
    let table = resource.strip_prefix("table/").unwrap_or(resource);
    table.split('/').next().unwrap_or(table)
}

/// Returns an instant in the wire's unit: epoch seconds with a fraction.
pub(crate) fn seconds(epoch_ms: u64) -> f64 {
    milliseconds(epoch_ms) / 1000.0
}

/// Returns milliseconds, of an instant or a duration, as a number for comparisons with fractions.
#[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 reach 2^53 in 287396")]
pub(crate) fn milliseconds(ms: u64) -> f64 {
    ms as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_arns_name_tables() {
        for (text, name) in [
            ("Music", "Music"),
            ("arn:aws:dynamodb:us-east-1:314159265358:table/Music", "Music"),
            ("arn:aws:dynamodb:us-east-1:314159265358:table/Music/index/ByYear", "Music"),
            ("arn:x", "arn:x"),
        ] {
            assert_eq!(table_name_of(text), name);
        }
    }

    #[test]
    fn uuids_are_of_version_4() {
        let environment = Environment {
            now_ms: Arc::new(|| 0),
            random: Arc::new(|| u128::MAX),
            region: String::new(),
            account: String::new(),
            endpoint: String::new(),
            sweep_interval: None,
            prices: None,
        };
        assert_eq!(environment.uuid(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }
}
