//! Value of an operand: borrowed from where it is stored, or computed.

use hashrange_model::{Value, ValueRef};

/// The value of an operand.
#[derive(Debug, Clone)]
pub(crate) enum Evaluated<'v> {
    Stored(ValueRef<'v>),
    Computed(Value),
}

impl Evaluated<'_> {
    /// Returns a view of the value.
    pub(crate) fn get(&self) -> ValueRef<'_> {
        match self {
            Self::Stored(value) => *value,
            Self::Computed(value) => value.get(),
        }
    }
}
