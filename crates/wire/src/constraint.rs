//! Limits of the model as predicates: length, and one function for each pattern that the model
//! uses.
//!
//! The decoders call them for every request, so they are plain loops over bytes.

use crate::Map;

/// The longest name of a table. Source: DynamoDB quotas, table name.
pub const TABLE_NAME_MAX: usize = 255;

/// Structure with limits of the model.
///
/// The predicates may be true for an allowed value, but never false for a forbidden one: if one is
/// true, the caller runs the exhaustive [`check`](crate::check).
pub trait Constrained {
    /// Returns whether the structure's own members may violate a constraint.
    fn may_violate_itself(&self) -> bool;

    /// Returns whether the structure, or one below it, may violate a constraint.
    fn may_violate(&self) -> bool;
}

impl<T: Constrained> Constrained for Option<T> {
    fn may_violate_itself(&self) -> bool {
        false
    }

    fn may_violate(&self) -> bool {
        self.as_ref().is_some_and(T::may_violate)
    }
}

impl<T: Constrained> Constrained for Vec<T> {
    fn may_violate_itself(&self) -> bool {
        false
    }

    fn may_violate(&self) -> bool {
        self.iter().any(T::may_violate)
    }
}

impl<K, V: Constrained> Constrained for Map<K, V> {
    fn may_violate_itself(&self) -> bool {
        false
    }

    fn may_violate(&self) -> bool {
        self.values().any(V::may_violate)
    }
}

/// Returns whether a text has between `min` and `max` characters.
pub fn length_within(text: &str, min: usize, max: usize) -> bool {
    // A character has one to four bytes, which decides nearly every case.
    if text.len() <= max && text.len() >= min.saturating_mul(4) {
        return true;
    }
    (min..=max).contains(&text.chars().count())
}

/// Returns whether a text has the form of a table's name, of at least `min` characters, or of an
/// ARN.
pub fn is_table_reference(text: &str, min: usize) -> bool {
    ((min..=TABLE_NAME_MAX).contains(&text.len()) && is_resource_name(text)) || is_table_arn(text)
}

/// Returns whether a text is an ARN, as far as a table member requires it.
pub fn is_table_arn(text: &str) -> bool {
    text.starts_with("arn:") && text.len() <= 1024
}

/// `[a-zA-Z0-9_.-]+`
pub fn is_resource_name(text: &str) -> bool {
    let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    !text.is_empty() && text.bytes().all(|byte| is_allowed(&byte))
}

/// `\p{Print}+`, of which only the ASCII characters count.
pub fn is_printable(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| matches!(byte, 0x20..=0x7E))
}

/// Any text of characters that XML 1.0 allows.
pub fn is_xml_text(text: &str) -> bool {
    let is_allowed = |character| match character {
        '\r' | '\n' | '\t' => true,
        other => other >= ' ' && !matches!(other, '\u{FFFE}' | '\u{FFFF}'),
    };
    text.chars().all(is_allowed)
}

/// `([0-9a-f]{16})+`
pub fn is_hexadecimal_token(text: &str) -> bool {
    !text.is_empty()
        && text.len().is_multiple_of(16)
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// `^[^\$]+$`
pub fn is_client_token(text: &str) -> bool {
    !text.is_empty() && !text.contains('$')
}

/// `[,;:|\t ]`
pub fn is_csv_delimiter(text: &str) -> bool {
    matches!(text, "," | ";" | ":" | "|" | "\t" | " ")
}

/// `[\x20-\x21\x23-\x2B\x2D-\x7E]*`: printable, neither a quote nor a comma.
pub fn is_csv_header(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, 0x20..=0x7E) && byte != b'"' && byte != b',')
}

/// `^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$`
pub fn is_bucket_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    bytes.len() >= 2
        && is_end(bytes.first())
        && is_end(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(byte))
}

/// `[0-9]{12}`
pub fn is_account_id(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit())
}
