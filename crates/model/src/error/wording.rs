//! The parts of sentences that several reasons share, and the sentences that are computed.
//!
//! Leaves the sentences themselves to the table of reasons (`reason.rs`).

pub(super) mod busy;
pub(super) mod expression;
pub(super) mod history;
pub(super) mod quota;
pub(super) mod state;
pub(super) mod statement;
pub(super) mod table;
pub(super) mod template;
pub(super) mod tree;
pub(super) mod value;

use super::{IndexedKeyFault, Layer, Throttle, ThrottleLimit};
pub(super) use expression::expression;
pub(super) use statement::statement;
use value::number;
pub(super) use value::{empty_key, value};

/// Opens most complaints about parameters.
const INVALID_PARAMETERS: &str = "One or more parameter values were invalid: ";
/// Opens constraint violations, and on some operations much more.
pub const ENVELOPE: &str = "1 validation error detected: ";
pub(super) const NOT_VALID: &str = "One or more parameter values are not valid. ";
pub(super) const KINESIS_STATE: &str =
    "Table is not in a valid state to enable Kinesis Streaming Destination: ";
pub(super) const START_KEY: &str = "The provided starting key is invalid";

pub(super) fn invalid(rest: impl AsRef<str>) -> String {
    format!("{INVALID_PARAMETERS}{}", rest.as_ref())
}

pub(super) fn envelope_if(enveloped: bool) -> &'static str {
    if enveloped { ENVELOPE } else { "" }
}

pub(super) fn join(names: &[String]) -> String {
    names.join(", ")
}

/// Source of a value that is too long: an answer of PutItem, wellcomecollection/platform 2285
/// (2018).
pub(super) fn index_key(index: &str, attribute: &str, fault: &IndexedKeyFault) -> String {
    match fault {
        IndexedKeyFault::Type { expected, actual } => invalid(format!(
            "Type mismatch for Index Key {attribute} Expected: {} Actual: {} IndexName: {index}",
            expected.as_str(),
            actual.as_str()
        )),
        IndexedKeyFault::Empty(attribute_type) => format!(
            "{NOT_VALID}A value specified for a secondary index key is not supported. {} \
             IndexName: {index}, IndexKey: {attribute}",
            empty_key(*attribute_type)
        ),
        IndexedKeyFault::TooLong { size_bytes, max_bytes } => invalid(format!(
            "Size limit exceeded for Index Key {attribute} Actual Size: {size_bytes} bytes Max \
             Size: {max_bytes} bytes IndexName: {index}"
        )),
    }
}

pub(super) fn updated_index_key(index: &str, attribute: &str, fault: &IndexedKeyFault) -> String {
    match fault {
        IndexedKeyFault::Type { .. } => index_key(index, attribute, fault),
        IndexedKeyFault::Empty(attribute_type) => format!(
            "{NOT_VALID}The update expression attempted to update a secondary index key to a \
             value that is not supported. {}",
            empty_key(*attribute_type)
        ),
        IndexedKeyFault::TooLong { .. } => {
            "The update expression attempted to update the secondary index key beyond allowed \
             size limits"
                .to_owned()
        }
    }
}

/// The newer layer of the single-item writes leaves out which expressions are null.
/// Source: captures of 2026-10.
pub(super) fn without_expression(parameter: &str, absent: &[&str], layer: Layer) -> String {
    let sentence = format!("{parameter} can only be specified when using expressions");
    match (layer, absent) {
        (Layer::Enveloped, _) | (_, []) => sentence,
        (_, [one]) => format!("{sentence}: {one} is null"),
        (_, several) => format!("{sentence}: {} are null", several.join(" and ")),
    }
}

/// Source: API reference, TransactGetItems, "Cancellation reason codes": the same sentences are
/// answered outside of transactions. Of maxima: developer guide, "Diagnosing throttling", and an
/// answer in airbytehq/oncall 13650 (2026).
pub(super) fn throttled(throttle: &Throttle) -> &'static str {
    if throttle.limit == ThrottleLimit::MaxOnDemand {
        return "Throughput exceeds the maximum OnDemandThroughput configured on table or index";
    }
    match (throttle.is_on_demand, throttle.is_index && throttle.is_write) {
        (false, false) => {
            "The level of configured provisioned throughput for the table was exceeded. Consider \
             increasing your provisioning level with the UpdateTable API."
        }
        (false, true) => {
            "The level of configured provisioned throughput for one or more global secondary \
             indexes of the table was exceeded. Consider increasing your provisioning level for \
             the under-provisioned global secondary indexes with the UpdateTable API."
        }
        (true, false) => {
            "Throughput exceeds the current capacity of your table or index. DynamoDB is \
             automatically scaling your table or index so please try again shortly. If exceptions \
             persist, check if you have a hot key: \
             https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
        }
        (true, true) => {
            "Throughput exceeds the current capacity for one or more global secondary indexes. \
             DynamoDB is automatically scaling your index so please try again shortly."
        }
    }
}

pub(super) fn unchanged(what: &str, of: &str, read: i64, write: i64) -> String {
    format!(
        "The provisioned throughput for {what} will not change. The requested value equals the \
         current value. Current ReadCapacityUnits provisioned for {of}: {read}. Requested \
         ReadCapacityUnits: {read}. Current WriteCapacityUnits provisioned for {of}: {write}. \
         Requested WriteCapacityUnits: {write}. Refer to the Amazon DynamoDB Developer Guide for \
         current limits and how to request higher limits."
    )
}
