//! Limit of throughput that a request has exceeded, and its name in `ThrottlingReasons`.

use super::ErrorKind;

/// Limits of throughput.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThrottleLimit {
    /// Provisioned throughput.
    Provisioned,
    /// Throughput that an on-demand table has scaled to.
    Account,
    /// Throughput of one partition.
    KeyRange,
    /// Maximum that the owner has set for an on-demand table.
    MaxOnDemand,
}

/// Exceeded limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Throttle {
    /// The limit.
    pub limit: ThrottleLimit,
    /// True for a global index, false for the table.
    pub is_index: bool,
    /// True for writes, false for reads.
    pub is_write: bool,
    /// True if the table is on demand, false if it is provisioned.
    pub is_on_demand: bool,
    /// ARN of the table or index.
    pub resource: String,
}

impl Throttle {
    /// Returns the exception that reports it.
    pub(super) fn kind(&self) -> ErrorKind {
        if self.is_on_demand {
            ErrorKind::Throttling
        } else {
            ErrorKind::ProvisionedThroughputExceeded
        }
    }

    /// Returns the name of the limit. Source: DynamoDB API reference, `ThrottlingReason`.
    pub fn name(&self) -> String {
        let resource = if self.is_index { "Index" } else { "Table" };
        let operation = if self.is_write { "Write" } else { "Read" };
        let limit = match self.limit {
            ThrottleLimit::Provisioned => "ProvisionedThroughputExceeded",
            ThrottleLimit::Account => "AccountLimitExceeded",
            ThrottleLimit::KeyRange => "KeyRangeThroughputExceeded",
            ThrottleLimit::MaxOnDemand => "MaxOnDemandThroughputExceeded",
        };
        format!("{resource}{operation}{limit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::cancellation_code;
    use crate::{ApiError, Reason};

    #[test]
    fn a_throttle_has_a_name_an_exception_and_a_code() {
        let provisioned = Throttle {
            limit: ThrottleLimit::Provisioned,
            is_index: false,
            is_write: false,
            is_on_demand: false,
            resource: "arn".into(),
        };
        let on_demand = Throttle {
            limit: ThrottleLimit::MaxOnDemand,
            is_index: true,
            is_write: true,
            is_on_demand: true,
            ..provisioned.clone()
        };
        let cases = [
            (
                provisioned,
                "TableReadProvisionedThroughputExceeded",
                "ProvisionedThroughputExceededException",
                "ProvisionedThroughputExceeded",
            ),
            (
                on_demand,
                "IndexWriteMaxOnDemandThroughputExceeded",
                "ThrottlingException",
                "ThrottlingError",
            ),
        ];
        for (throttle, name, exception, code) in cases {
            assert_eq!(throttle.name(), name);
            let error = ApiError::from(Reason::Throttled(throttle.clone()));
            assert_eq!(error.throttle(), Some(&throttle));
            assert_eq!(error.kind().short_name(), exception);
            assert_eq!(cancellation_code(Some(&error)), code);
        }
    }
}
