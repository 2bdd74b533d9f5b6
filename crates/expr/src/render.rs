//! Values in the form that messages print: the bounds of BETWEEN, and a key.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hashrange_model::{Item, ValueRef};

/// Returns a string, number or binary value as `{S:text}`.
pub(crate) fn literal(value: ValueRef<'_>) -> String {
    let name = value.attribute_type().as_str();
    match value {
        ValueRef::S(string) => format!("{{{name}:{string}}}"),
        ValueRef::N(number) => format!("{{{name}:{}}}", number.to_number()),
        ValueRef::B(bytes) => format!("{{{name}:{}}}", BASE64_STANDARD.encode(bytes)),
        _ => format!("{{{name}}}"),
    }
}

/// Returns a key as `{name=AttributeValue: {S:text}}`.
pub fn attributes(key: &Item) -> String {
    let shown = |(name, value)| format!("{name}=AttributeValue: {}", literal(value));
    format!("{{{}}}", key.iter().map(shown).collect::<Vec<_>>().join(", "))
}
