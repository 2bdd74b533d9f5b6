//! Faults of index key attributes.

use crate::value::AttributeType;

/// Fault of an index key attribute in a write or a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexedKeyFault {
    /// The attribute has another type than the index declares.
    Type {
        /// Declared type.
        expected: AttributeType,
        /// Type in the item.
        actual: AttributeType,
    },
    /// An empty string or binary; holds the type.
    Empty(AttributeType),
    /// A value over 2048 bytes in a partition key, or over 1024 in a sort key.
    TooLong {
        /// Bytes of the value.
        size_bytes: usize,
        /// Most bytes of a value there.
        max_bytes: usize,
    },
}
