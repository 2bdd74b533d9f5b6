//! Sentences about trees of keys: a part of [`super`], which is the only way to them. The service
//! has no such operations, so the sentences are ours.

use super::super::TreeFault;
use super::join;

/// Returns the sentence.
pub fn refused(fault: &TreeFault) -> String {
    match fault {
        TreeFault::NoSortKey(name) => {
            format!("{name} has no sort key, so there is no tree below a partition key")
        }
        TreeFault::NotText { member, attribute, attribute_type } => format!(
            "{member} divides strings, but {attribute} is of type {}: leave it out, each value is an \
             item of the tree",
            attribute_type.as_str()
        ),
        TreeFault::EmptyDelimiter => {
            "Delimiter is a string of one character or more, such as # or /".to_owned()
        }
        TreeFault::TooLong { member, most_bytes } => {
            format!("{member} has at most {most_bytes} bytes, as a sort key has")
        }
        TreeFault::OutOfBounds { member, most } => {
            format!("{member} is a number from 1 to {most}")
        }
        TreeFault::PartitionKey(names) => {
            format!("PartitionKey has to have these attributes and no others: {}", join(names))
        }
        TreeFault::SortKey(names) if names.is_empty() => {
            "SortKey is for sort keys of several attributes: use Prefix".to_owned()
        }
        TreeFault::SortKey(names) => format!(
            "SortKey has to have the first attributes of the sort key, without a gap, of these: {}",
            join(names)
        ),
        TreeFault::Cursor => {
            "Cursor is none that this request has returned: give it back as it was, with the same request"
                .to_owned()
        }
        TreeFault::End { member, attribute, attribute_type } => format!(
            "{member} has to have one value of type {}, that of {attribute}",
            attribute_type.as_str()
        ),
        TreeFault::BelowPartitionKey(member) => {
            format!("{member} needs a PartitionKey: partition keys are in the order of their hashes")
        }
        TreeFault::Start => {
            "ExclusiveStart is no position among what is listed: give back what a page has returned, \
             with the same request"
                .to_owned()
        }
    }
}
