//! Errors of types and items that do not fit, with the place.

use serde::{de, ser};
use std::fmt;

/// A type and an item or value that do not fit. Prints the place, then the reason:
/// `lines[2].price: NaN is not a number`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedError {
    message: String,
    /// The path to the place; empty for the value itself.
    path: String,
}

impl TypedError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), path: String::new() }
    }

    /// Returns the path to the place, like `lines[2].price`; empty for the value itself.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the reason, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the error as that of the containing map, below the name of an attribute.
    pub(super) fn in_attribute(self, name: &str) -> Self {
        let path = match self.path.as_bytes().first() {
            None | Some(b'[') => format!("{name}{}", self.path),
            _ => format!("{name}.{}", self.path),
        };
        Self { path, ..self }
    }

    /// Returns the error as that of the containing list, below the offset of an element.
    pub(super) fn in_element(self, nth: usize) -> Self {
        let dot = if matches!(self.path.as_bytes().first(), None | Some(b'[')) { "" } else { "." };
        Self { path: format!("[{nth}]{dot}{}", self.path), ..self }
    }
}

impl fmt::Display for TypedError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => formatter.write_str(&self.message),
            path => write!(formatter, "{path}: {}", self.message),
        }
    }
}

impl std::error::Error for TypedError {}

impl ser::Error for TypedError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}

impl de::Error for TypedError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}
