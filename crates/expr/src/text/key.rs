//! Key conditions as text, and the range of a sort key with both of its ends.

use super::literal::{name_text, value_text};
use crate::key_condition::{KeyCondition, KeyConditions, KeyOperator};
use hashrange_model::{AttributeValue, Value, ValueRef};
use std::fmt::{self, Display, Formatter};

/// Returns a condition on one key attribute as it is written.
pub fn key_text(attribute: &str, operator: &KeyOperator) -> String {
    operator_text(attribute, operator, |value| value_text(value.get()))
}

/// With `{:#}` without their values.
impl Display for KeyConditions {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let hides_values = formatter.alternate();
        let text = |value: &Value| {
            if hides_values { "?".to_owned() } else { value_text(value.get()) }
        };
        for (nth, KeyCondition { attribute, operator }) in self.iter().enumerate() {
            let separator = if nth == 0 { "" } else { " AND " };
            write!(formatter, "{separator}{}", operator_text(attribute, operator, text))?;
        }
        Ok(())
    }
}

fn operator_text(
    attribute: &str,
    operator: &KeyOperator,
    text: impl Fn(&Value) -> String,
) -> String {
    let name = name_text(attribute);
    match operator {
        KeyOperator::Equal(value) => format!("{name} = {}", text(value)),
        KeyOperator::Less(value) => format!("{name} < {}", text(value)),
        KeyOperator::LessOrEqual(value) => format!("{name} <= {}", text(value)),
        KeyOperator::Greater(value) => format!("{name} > {}", text(value)),
        KeyOperator::GreaterOrEqual(value) => format!("{name} >= {}", text(value)),
        KeyOperator::Between(lower, upper) => {
            format!("{name} BETWEEN {} AND {}", text(lower), text(upper))
        }
        KeyOperator::BeginsWith(value) => format!("begins_with({name}, {})", text(value)),
    }
}

/// Returns the range of a sort key that a condition leaves, by its ends: `sk >= 'A#' AND sk < 'A$'`.
/// An end that is not named is open.
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

/// Returns the first value after all that begin with a prefix; none if there is no such value.
///
/// Text that ends in a character whose bytes have no next character is followed by bytes that are no
/// text: these are shown as binary, as the store compares them.
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
