//! Properties of an operation besides its name; the operations themselves are generated.

use crate::{Decode, Encode, Operation};

/// Services whose operations this crate knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Service {
    /// `DynamoDB_20120810`.
    DynamoDb,
    /// `DynamoDBStreams_20120810`.
    Streams,
}

impl Service {
    /// Returns the prefix before the dot in `X-Amz-Target`.
    pub const fn target_prefix(self) -> &'static str {
        match self {
            Self::DynamoDb => "DynamoDB_20120810",
            Self::Streams => "DynamoDBStreams_20120810",
        }
    }

    fn from_target_prefix(prefix: &str) -> Option<Self> {
        [Self::DynamoDb, Self::Streams].into_iter().find(|one| one.target_prefix() == prefix)
    }
}

impl Operation {
    /// Returns the operation that an `X-Amz-Target` header names.
    pub fn from_target(target: &str) -> Option<Self> {
        let (prefix, name) = target.split_once('.')?;
        Self::from_name(Service::from_target_prefix(prefix)?, name)
    }
}

/// An operation as a type: ties a request to its response at compile time.
pub trait Call {
    /// The operation.
    const OPERATION: Operation;
    /// The request.
    type Input<'a>: Decode<'a>;
    /// The response.
    type Output: Encode;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_name_operations() {
        let cases = [
            ("DynamoDB_20120810.PutItem", Some(Operation::PutItem)),
            ("DynamoDBStreams_20120810.GetRecords", Some(Operation::GetRecords)),
            ("DynamoDB_20120810.GetRecords", None),
            ("DynamoDBStreams_20120810.PutItem", None),
            ("DynamoDB_20120810.putItem", None),
            ("DynamoDB_20120810.PutItem.PutItem", None),
            ("DynamoDB_20111205.PutItem", None),
            ("PutItem", None),
            ("", None),
        ];
        for (target, expected) in cases {
            assert_eq!(Operation::from_target(target), expected, "{target}");
        }
    }

    #[test]
    fn every_operation_is_found_by_its_target() {
        assert_eq!(Operation::ALL.len(), 66);
        for &operation in Operation::ALL {
            let target = format!("{}.{}", operation.service().target_prefix(), operation.name());
            assert_eq!(Operation::from_target(&target), Some(operation));
        }
    }
}
