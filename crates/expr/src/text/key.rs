//! Key conditions as text, and the range of a sort key with both of its ends.

use super::literal::{Literal, Name, name_text, value_text};
use crate::key_condition::{KeyCondition, KeyConditions, KeyOperator};
use hashrange_model::{AttributeValue, Value, ValueRef};
use std::fmt::{self, Display, Formatter};

/// Returns a condition on one key attribute as text.
pub fn key_text(attribute: &str, operator: &KeyOperator) -> String {
    KeyText { attribute, operator }.to_string()
}

/// A condition on one key attribute in the form of [`key_text`]; `{:#}` omits its values, `{:.100}`
/// cuts each to at most so many bytes.
#[derive(Debug, Clone, Copy)]
pub struct KeyText<'a> {
    /// The attribute.
    pub attribute: &'a str,
    /// Operator and values.
    pub operator: &'a KeyOperator,
}

/// `{:#}` omits the values.
impl Display for KeyConditions {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        for (nth, KeyCondition { attribute, operator }) in self.iter().enumerate() {
            formatter.write_str(if nth == 0 { "" } else { " AND " })?;
            KeyText { attribute, operator }.fmt(formatter)?;
        }
        Ok(())
    }
}

impl Display for KeyText<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let (between, value) = match self.operator {
            KeyOperator::Equal(value) => (" = ", value),
            KeyOperator::Less(value) => (" < ", value),
            KeyOperator::LessOrEqual(value) => (" <= ", value),
            KeyOperator::Greater(value) => (" > ", value),
            KeyOperator::GreaterOrEqual(value) => (" >= ", value),
            KeyOperator::Between(lower, upper) => {
                Name(self.attribute).fmt(out)?;
                out.write_str(" BETWEEN ")?;
                text(lower, out)?;
                out.write_str(" AND ")?;
                return text(upper, out);
            }
            KeyOperator::BeginsWith(value) => {
                out.write_str("begins_with(")?;
                Name(self.attribute).fmt(out)?;
                out.write_str(", ")?;
                text(value, out)?;
                return out.write_str(")");
            }
        };
        Name(self.attribute).fmt(out)?;
        out.write_str(between)?;
        text(value, out)
    }
}

fn text(value: &Value, out: &mut Formatter<'_>) -> fmt::Result {
    if out.alternate() {
        return out.write_str("?");
    }
    Literal(value.get()).fmt(out)
}

/// Returns the ends of the range of a sort key that a condition leaves: `sk >= 'A#' AND sk < 'A$'`.
/// A range without an end in one direction is open there.
pub fn sort_range_text(attribute: &str, operator: &KeyOperator) -> String {
    let name = name_text(attribute);
    let text = |value: &Value| value_text(value.get());
    match operator {
        KeyOperator::Between(lower, upper) => {
            format!("{name} >= {} AND {name} <= {}", text(lower), text(upper))
        }
        KeyOperator::BeginsWith(prefix) => match after_prefix(prefix.get()) {
            Some(end) => format!("{name} >= {} AND {name} < {end}", text(prefix)),
            None => format!("{name} >= {}", text(prefix)),
        },
        operator => key_text(attribute, operator),
    }
}

/// Returns the first value after all with a prefix; `None` if there is no such value.
///
/// If the prefix ends in a character whose bytes have no next character, the next value is no text:
/// it is shown as binary, in the form that the store compares.
fn after_prefix(prefix: ValueRef<'_>) -> Option<String> {
    let (bytes, is_text) = match prefix {
        ValueRef::S(text) => (text.as_bytes(), true),
        ValueRef::B(bytes) => (bytes, false),
        _ => return None,
    };
    let kept = bytes.iter().rposition(|byte| *byte != u8::MAX)?;
    let mut end = bytes[..=kept].to_vec();
    end[kept] += 1;
    let value = match String::from_utf8(end) {
        Ok(text) if is_text => AttributeValue::S(text),
        Ok(text) => AttributeValue::B(text.into_bytes().into()),
        Err(no_text) => AttributeValue::B(no_text.into_bytes().into()),
    };
    Some(value_text(value.to_value().get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        AttributeValue::from(text).to_value()
    }

    #[test]
    fn a_range_has_both_ends() {
        let one = |text| value(text);
        let cases = [
            (KeyOperator::Equal(one("a")), "sk = 'a'"),
            (KeyOperator::Less(one("a")), "sk < 'a'"),
            (KeyOperator::LessOrEqual(one("a")), "sk <= 'a'"),
            (KeyOperator::Greater(one("a")), "sk > 'a'"),
            (KeyOperator::GreaterOrEqual(one("a")), "sk >= 'a'"),
            (KeyOperator::Between(one("a"), one("b")), "sk >= 'a' AND sk <= 'b'"),
            (KeyOperator::BeginsWith(one("TEXAS#HO")), "sk >= 'TEXAS#HO' AND sk < 'TEXAS#HP'"),
            (KeyOperator::BeginsWith(one("A#")), "sk >= 'A#' AND sk < 'A$'"),
            (KeyOperator::BeginsWith(one("\u{e9}")), "sk >= '\u{e9}' AND sk < '\u{ea}'"),
            (KeyOperator::BeginsWith(one("a\u{7f}")), "sk >= \"a\\u007f\" AND sk < b\"YYA=\""),
            (KeyOperator::BeginsWith(one("")), "sk >= ''"),
        ];
        for (operator, expected) in cases {
            assert_eq!(sort_range_text("sk", &operator), expected);
        }
        let last = AttributeValue::B(vec![0xff, 0xff].into()).to_value();
        assert_eq!(sort_range_text("sk", &KeyOperator::BeginsWith(last)), "sk >= b\"//8=\"");
    }
}
