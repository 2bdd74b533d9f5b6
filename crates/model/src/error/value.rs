//! Faults of attribute values in a request.

use crate::number::NumberFault;
use crate::value::AttributeType;

/// The first fault found in an attribute value. Found while decoding, reported by the check stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueFault {
    /// `{}`: no type given.
    EmptyAttributeValue,
    /// More than one type given.
    MultipleTypes,
    /// `{"NULL": false}`.
    NullFalse,
    /// A set without members; holds SS, NS or BS.
    EmptySet(AttributeType),
    /// A set with a member twice.
    DuplicateMembers {
        /// SS, NS or BS.
        set: AttributeType,
        /// The members as sent (binary ones in base64); numbers, which no message lists, in order.
        members: Vec<String>,
    },
    /// A number that cannot be stored.
    Number(NumberFault),
    /// An attribute name or map key of length zero.
    EmptyAttributeName,
    /// More than 32 levels.
    NestingTooDeep,
}

impl ValueFault {
    /// Returns true if the newer layer wraps the sentence. Source: captures of 2026-10.
    pub(super) fn is_enveloped(&self) -> bool {
        !matches!(
            self,
            Self::EmptyAttributeValue
                | Self::MultipleTypes
                | Self::EmptyAttributeName
                | Self::NestingTooDeep
        )
    }
}

impl From<NumberFault> for ValueFault {
    fn from(fault: NumberFault) -> Self {
        Self::Number(fault)
    }
}
