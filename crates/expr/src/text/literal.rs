//! Names, document paths and values as people write them.

use crate::path::{DocumentPath, Step};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hashrange_model::ValueRef;

/// Words that are no names where a name could stand.
const WORDS: [&str; 12] = [
    "AND", "OR", "NOT", "BETWEEN", "IN", "TRUE", "FALSE", "NULL", "SET", "REMOVE", "ADD", "DELETE",
];

/// Returns a name: as it is if it is a plain word, else in backquotes.
pub fn name_text(name: &str) -> String {
    let is_word = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_');
    if is_word && !WORDS.iter().any(|word| word.eq_ignore_ascii_case(name)) {
        return name.to_owned();
    }
    format!("`{}`", name.replace('`', "``"))
}

/// Returns a document path such as `address.lines[0]`.
pub(super) fn path_text(path: &DocumentPath) -> String {
    let mut text = name_text(&path.attribute);
    for step in &path.steps {
        match step {
            Step::Member(name) => text.extend([".", &name_text(name)]),
            Step::Element(offset) => text.extend(["[", &offset.to_string(), "]"]),
        }
    }
    text
}

/// Returns a value as a literal: `'text'`, `12`, `b"aGk="`, `[1, 'a']`, `{'a': 1}`, `<<1, 2>>`.
pub fn value_text(value: ValueRef<'_>) -> String {
    let listed = |members: Vec<String>| members.join(", ");
    match value {
        ValueRef::S(text) => quoted(text),
        ValueRef::N(number) => number.to_number().to_string(),
        ValueRef::B(bytes) => binary(bytes),
        ValueRef::Bool(truth) => truth.to_string(),
        ValueRef::Null => "null".to_owned(),
        ValueRef::Ss(members) => format!("<<{}>>", listed(members.strings().map(quoted).collect())),
        ValueRef::Ns(members) => {
            let texts = members.numbers().map(|number| number.to_number().to_string());
            format!("<<{}>>", listed(texts.collect()))
        }
        ValueRef::Bs(members) => format!("<<{}>>", listed(members.iter().map(binary).collect())),
        ValueRef::L(elements) => format!("[{}]", listed(elements.iter().map(value_text).collect())),
        ValueRef::M(entries) => {
            let entry = |(name, value)| format!("{}: {}", quoted(name), value_text(value));
            format!("{{{}}}", listed(entries.iter().map(entry).collect()))
        }
    }
}

/// Returns text in single quotes; with control characters in it, in double quotes with the escapes
/// of JSON, so that it stays on its line.
fn quoted(text: &str) -> String {
    if !text.contains(char::is_control) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut escaped = String::with_capacity(text.len() + 2);
    escaped.push('"');
    for one in text.chars() {
        match one {
            '"' | '\\' => escaped.extend(['\\', one]),
            one if one.is_control() => escaped.extend(["\\u", &format!("{:04x}", u32::from(one))]),
            one => escaped.push(one),
        }
    }
    escaped.push('"');
    escaped
}

fn binary(bytes: &[u8]) -> String {
    format!("b\"{}\"", BASE64_STANDARD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange_model::AttributeValue;

    #[test]
    fn names_are_words_or_stand_in_backquotes() {
        let cases = [
            ("city", "city"),
            ("a_1", "a_1"),
            ("_a", "_a"),
            ("first name", "`first name`"),
            ("a`b", "`a``b`"),
            ("and", "`and`"),
            ("Set", "`Set`"),
            ("true", "`true`"),
            ("1a", "`1a`"),
            ("\u{fc}", "`\u{fc}`"),
            ("", "``"),
        ];
        for (name, expected) in cases {
            assert_eq!(name_text(name), expected);
        }
    }

    #[test]
    fn values_are_literals() {
        let cases: [(AttributeValue, &str); 10] = [
            ("it's".into(), "'it''s'"),
            ("a\nb\"\\".into(), r#""a\u000ab\"\\""#),
            (AttributeValue::N("1.50".parse().expect("a number")), "1.5"),
            (AttributeValue::B(vec![1, 2].into()), "b\"AQI=\""),
            (true.into(), "true"),
            (AttributeValue::Null, "null"),
            (AttributeValue::string_set(["a", "b"]), "<<'a', 'b'>>"),
            (AttributeValue::number_set([1, 2]), "<<1, 2>>"),
            (AttributeValue::list([1.into(), "a".into()]), "[1, 'a']"),
            (AttributeValue::map([("a b", 1.into())]), "{'a b': 1}"),
        ];
        for (value, expected) in cases {
            assert_eq!(value_text(value.to_value().get()), expected);
        }
    }
}
