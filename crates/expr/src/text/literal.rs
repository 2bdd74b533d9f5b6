//! Names, document paths and values as people write them. A precision (`{:.100}`) cuts each name
//! and each value after so many bytes, with dots behind; the rest of it is not read.

use crate::path::{DocumentPath, PathStep};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hashrange_model::ValueRef;
use hashrange_model::bounds::{Bounded, beginning};
use std::fmt::{self, Display, Formatter, Write};

/// Words that are no names in the place of one.
const WORDS: [&str; 12] = [
    "AND", "OR", "NOT", "BETWEEN", "IN", "TRUE", "FALSE", "NULL", "SET", "REMOVE", "ADD", "DELETE",
];

/// Returns a name: as it is if it is a plain word, else in backquotes.
pub fn name_text(name: &str) -> String {
    Name(name).to_string()
}

/// Returns a value as a literal: `'text'`, `12`, `b"aGk="`, `[1, 'a']`, `{'a': 1}`, `<<1, 2>>`.
pub fn value_text(value: ValueRef<'_>) -> String {
    Literal(value).to_string()
}

/// A name in the form of [`name_text`].
#[derive(Debug, Clone, Copy)]
pub struct Name<'a>(pub &'a str);

/// A value in the form of [`value_text`].
#[derive(Debug, Clone, Copy)]
pub struct Literal<'a>(pub ValueRef<'a>);

/// A document path such as `address.lines[0]`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path<'a>(pub(crate) &'a DocumentPath);

impl Display for Name<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        bounded(out, |out, most_bytes| name(seen(self.0, most_bytes), out))
    }
}

impl Display for Literal<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        bounded(out, |out, most_bytes| value(self.0, most_bytes, out))
    }
}

impl Display for Path<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        Name(&self.0.attribute).fmt(out)?;
        for step in &self.0.steps {
            match step {
                PathStep::Member(name) => {
                    out.write_str(".")?;
                    Name(name).fmt(out)?;
                }
                PathStep::Element(offset) => write!(out, "[{offset}]")?,
            }
        }
        Ok(())
    }
}

/// Lets `write` write at most as many bytes to a formatter as its precision says.
fn bounded(
    out: &mut Formatter<'_>,
    write: impl FnOnce(&mut dyn Write, usize) -> fmt::Result,
) -> fmt::Result {
    let Some(most_bytes) = out.precision() else { return write(out, usize::MAX) };
    let mut bounded = Bounded::new(out, most_bytes);
    let written = write(&mut bounded, most_bytes);
    bounded.ended(written)
}

/// Returns the beginning of a text that is long enough to be cut if the whole text would be.
fn seen(text: &str, most_bytes: usize) -> &str {
    beginning(text, most_bytes.saturating_add(char::MAX.len_utf8()))
}

fn name(name: &str, out: &mut dyn Write) -> fmt::Result {
    let is_word = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_');
    if is_word && !WORDS.iter().any(|word| word.eq_ignore_ascii_case(name)) {
        return out.write_str(name);
    }
    enclosed(name, '`', out)
}

/// Writes text between quotes and doubles the quotes inside.
fn enclosed(text: &str, quote: char, out: &mut dyn Write) -> fmt::Result {
    out.write_char(quote)?;
    for (nth, piece) in text.split(quote).enumerate() {
        if nth > 0 {
            out.write_char(quote)?;
            out.write_char(quote)?;
        }
        out.write_str(piece)?;
    }
    out.write_char(quote)
}

fn value(value: ValueRef<'_>, most_bytes: usize, out: &mut dyn Write) -> fmt::Result {
    match value {
        ValueRef::S(text) => quoted(text, most_bytes, out),
        ValueRef::N(number) => write!(out, "{}", number.to_number()),
        ValueRef::B(bytes) => binary(bytes, most_bytes, out),
        ValueRef::Bool(truth) => write!(out, "{truth}"),
        ValueRef::Null => out.write_str("null"),
        ValueRef::Ss(members) => {
            listed(("<<", ">>"), members.strings(), out, |text, out| quoted(text, most_bytes, out))
        }
        ValueRef::Ns(members) => listed(("<<", ">>"), members.numbers(), out, |number, out| {
            write!(out, "{}", number.to_number())
        }),
        ValueRef::Bs(members) => {
            listed(("<<", ">>"), members.iter(), out, |bytes, out| binary(bytes, most_bytes, out))
        }
        ValueRef::L(elements) => {
            listed(("[", "]"), elements.iter(), out, |one, out| self::value(one, most_bytes, out))
        }
        ValueRef::M(entries) => listed(("{", "}"), entries.iter(), out, |(name, one), out| {
            quoted(name, most_bytes, out)?;
            out.write_str(": ")?;
            self::value(one, most_bytes, out)
        }),
    }
}

fn listed<T>(
    (opening, closing): (&str, &str),
    members: impl IntoIterator<Item = T>,
    out: &mut dyn Write,
    write: impl Fn(T, &mut dyn Write) -> fmt::Result,
) -> fmt::Result {
    out.write_str(opening)?;
    for (nth, member) in members.into_iter().enumerate() {
        out.write_str(if nth == 0 { "" } else { ", " })?;
        write(member, out)?;
    }
    out.write_str(closing)
}

/// Writes text in single quotes; with control characters or noncharacters such as U+10FFFF in it, in
/// double quotes with the escapes of JSON, so that it stays on its line and is seen.
fn quoted(text: &str, most_bytes: usize, out: &mut dyn Write) -> fmt::Result {
    let text = seen(text, most_bytes);
    if !text.contains(is_unseen) {
        return enclosed(text, '\'', out);
    }
    out.write_char('"')?;
    for one in text.chars() {
        match one {
            '"' | '\\' => {
                out.write_char('\\')?;
                out.write_char(one)?;
            }
            one if is_unseen(one) => {
                for unit in one.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}")?;
                }
            }
            one => out.write_char(one)?,
        }
    }
    out.write_char('"')
}

/// Returns whether a character is a control character, or stands for none.
fn is_unseen(one: char) -> bool {
    let is_nothing = u32::from(one) & 0xfffe == 0xfffe || ('\u{fdd0}'..='\u{fdef}').contains(&one);
    one.is_control() || is_nothing
}

fn binary(bytes: &[u8], most_bytes: usize, out: &mut dyn Write) -> fmt::Result {
    let seen = &bytes[..bytes.len().min(most_bytes)];
    write!(out, "b\"{}\"", BASE64_STANDARD.encode(seen))
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
        let cases: [(AttributeValue, &str); 12] = [
            ("it's".into(), "'it''s'"),
            ("a\nb\"\\".into(), r#""a\u000ab\"\\""#),
            ("a\u{10ffff}".into(), r#""a\udbff\udfff""#),
            ("\u{ffff}\u{1f600}".into(), "\"\\uffff\u{1f600}\""),
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

    #[test]
    fn a_precision_bounds_each_name_and_value() {
        let long = "z".repeat(1000);
        let cases: [(AttributeValue, &str); 6] = [
            (long.as_str().into(), "'zzzz..."),
            ("zzz".into(), "'zzz'"),
            (AttributeValue::B(vec![0; 1000].into()), "b\"AAA..."),
            (AttributeValue::list([1.into(), long.as_str().into()]), "[1, '..."),
            (AttributeValue::map([(long.as_str(), 1.into())]), "{'zzz..."),
            (AttributeValue::string_set(["\u{e9}\u{e9}\u{e9}"]), "<<'\u{e9}..."),
        ];
        for (value, expected) in cases {
            assert_eq!(format!("{:.5}", Literal(value.to_value().get())), expected);
        }
        assert_eq!(format!("{:.5}", Name(&long)), "zzzzz...");
        assert_eq!(format!("{:.5}", Name("zzzzz")), "zzzzz");
        assert_eq!(format!("{:.5}", Name("a zzzzz")), "`a zz...");
    }
}
