//! Sentences about values and numbers: a part of [`super`], which is the only way to them.

use super::super::{Layer, ValueFault};
use super::{invalid, join};
use crate::number::NumberFault;
use crate::value::AttributeType;
use std::collections::BTreeSet;

#[expect(clippy::match_same_arms, reason = "one line for each fault of each layer")]
pub fn number(fault: &NumberFault, layer: Layer) -> String {
    const OVERFLOW: &str =
        "Number overflow. Attempting to store a number with magnitude larger than supported range";
    const UNDERFLOW: &str = "Number underflow. Attempting to store a number with magnitude smaller than supported range";
    match fault {
        NumberFault::NotNumeric(text) if text.is_empty() && layer == Layer::Older => {
            "The parameter cannot be converted to a numeric value".to_owned()
        }
        NumberFault::NotNumeric(text) => not_numeric(text),
        NumberFault::Overflow => OVERFLOW.to_owned(),
        NumberFault::Underflow => UNDERFLOW.to_owned(),
        NumberFault::TooManyDigits => {
            "Attempting to store more than 38 significant digits in a Number".to_owned()
        }
        NumberFault::ExponentBeyond32Bits { text, .. } if layer == Layer::Older => {
            not_numeric(text)
        }
        NumberFault::ExponentBeyond32Bits { overflow: true, .. } => OVERFLOW.to_owned(),
        NumberFault::ExponentBeyond32Bits { overflow: false, .. } => UNDERFLOW.to_owned(),
        NumberFault::ExponentAt32BitMax if layer == Layer::Older => UNDERFLOW.to_owned(),
        NumberFault::ExponentAt32BitMax => OVERFLOW.to_owned(),
    }
}

fn not_numeric(text: &str) -> String {
    format!("The parameter cannot be converted to a numeric value: {text}")
}

/// Source of the two wordings of duplicates: captures of 2026-10, both validation layers.
pub fn value(fault: &ValueFault, layer: Layer) -> String {
    match fault {
        ValueFault::EmptyAttributeValue => {
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
                .to_owned()
        }
        ValueFault::MultipleTypes => {
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of \
             the supported datatypes"
                .to_owned()
        }
        ValueFault::NullFalse => invalid("Null attribute value types must have the value of true"),
        ValueFault::EmptySet(AttributeType::Ss) => invalid("An string set  may not be empty"),
        ValueFault::EmptySet(AttributeType::Ns) => invalid("An number set  may not be empty"),
        ValueFault::EmptySet(_) => invalid("Binary sets should not be empty"),
        ValueFault::DuplicateMembers { set: AttributeType::Ns, .. } if layer == Layer::Older => {
            "Input collection contains duplicates".to_owned()
        }
        ValueFault::DuplicateMembers { set: AttributeType::Ns, .. } => {
            invalid("Input collection contains duplicates.")
        }
        ValueFault::DuplicateMembers { set, members } => {
            let of_type = if *set == AttributeType::Bs { "of type BS" } else { "" };
            let listed = match layer {
                Layer::Older => join(members),
                Layer::Current | Layer::Enveloped => quoted_duplicates(*set, members),
            };
            invalid(format!("Input collection [{listed}]{of_type} contains duplicates."))
        }
        ValueFault::Number(fault) => number(fault, layer),
        ValueFault::EmptyAttributeName => "Empty attribute name".to_owned(),
        ValueFault::NestingTooDeep => {
            "Nesting Levels have exceeded supported limits: Attributes in the item have nested \
             levels beyond supported limit"
                .to_owned()
        }
    }
}

/// Members in byte order up to the first repeat, then the repeat, then the rest as sent.
fn quoted_duplicates(set: AttributeType, members: &[String]) -> String {
    let mut known = BTreeSet::new();
    let repeat = members.iter().position(|member| !known.insert(member));
    let mut listed: Vec<&str> = members.iter().map(String::as_str).collect();
    let sorted = &mut listed[..repeat.unwrap_or_default()];
    let separator = if set == AttributeType::Bs {
        sorted.sort_by(|one, other| base64_digits(one).cmp(base64_digits(other)));
        ","
    } else {
        sorted.sort_unstable();
        ", "
    };
    let quoted: Vec<_> = listed.iter().map(|member| format!("\"{member}\"")).collect();
    quoted.join(separator)
}

/// Returns a key that orders base64 texts as the bytes that they stand for; padding comes first.
fn base64_digits(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().map(|digit| match digit {
        b'A'..=b'Z' => digit - b'A' + 1,
        b'a'..=b'z' => digit - b'a' + 27,
        b'0'..=b'9' => digit - b'0' + 53,
        b'+' => 63,
        b'/' => 64,
        _ => 0,
    })
}

pub fn empty_key(attribute_type: AttributeType) -> &'static str {
    if attribute_type == AttributeType::B {
        "The AttributeValue for a key attribute cannot contain an empty binary value."
    } else {
        "The AttributeValue for a key attribute cannot contain an empty string value."
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Reason;

    #[test]
    fn duplicates_are_listed_as_each_layer_does() {
        let fault = |set, members: &[&str]| {
            Reason::Value(ValueFault::DuplicateMembers {
                set,
                members: members.iter().map(|member| (*member).to_owned()).collect(),
            })
        };
        let strings = fault(AttributeType::Ss, &["b", "a", "b"]);
        assert_eq!(
            strings.message(Layer::Current),
            "One or more parameter values were invalid: Input collection [\"a\", \"b\", \"b\"] \
             contains duplicates."
        );
        assert_eq!(
            strings.message(Layer::Older),
            "One or more parameter values were invalid: Input collection [b, a, b] contains \
             duplicates."
        );
        let binary = fault(AttributeType::Bs, &["/w==", "AA==", "AA=="]);
        assert_eq!(
            binary.message(Layer::Current),
            "One or more parameter values were invalid: Input collection \
             [\"AA==\",\"/w==\",\"AA==\"]of type BS contains duplicates."
        );
    }
}
