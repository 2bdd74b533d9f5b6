//! Refusals of the server's own operations on trees of keys. The sentences stand in
//! [`super::wording`].

use crate::value::AttributeType;

/// Fault of a request for the tree of an item collection, or for the partition keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeFault {
    /// The table or index has no sort key: a collection is one item, or has no order; holds its
    /// name.
    NoSortKey(String),
    /// `Prefix` or `Delimiter` with an attribute that is no string.
    NotText {
        /// The member of the request.
        member: &'static str,
        /// The attribute concerned.
        attribute: String,
        /// Its type.
        attribute_type: AttributeType,
    },
    /// `Delimiter` is empty.
    EmptyDelimiter,
    /// A text is longer than a sort key may be.
    TooLong {
        /// The member of the request.
        member: &'static str,
        /// The most bytes it may have.
        most_bytes: usize,
    },
    /// A number is 0, or greater than its maximum.
    OutOfBounds {
        /// The member of the request.
        member: &'static str,
        /// Its greatest value.
        most: usize,
    },
    /// `PartitionKey` has other attributes than the partition key; holds the names of those.
    PartitionKey(Vec<String>),
    /// `SortKey` has other attributes than the first ones of the sort key; holds the allowed names,
    /// in their order.
    SortKey(Vec<String>),
    /// `ExclusiveStart` is no position in the result of the request.
    Start,
    /// `Cursor` is none that the request has returned.
    Cursor,
    /// `From` or `To` is not one value of the attribute that a ruler is of.
    End {
        /// The member of the request.
        member: &'static str,
        /// The attribute.
        attribute: String,
        /// Its type.
        attribute_type: AttributeType,
    },
    /// A member that needs a `PartitionKey` without one; holds its name.
    BelowPartitionKey(&'static str),
}
