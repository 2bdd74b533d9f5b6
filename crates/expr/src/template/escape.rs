//! Texts with the delimiter inside: escaped so that the delimiter ends them and keys keep the order
//! of the texts.
//!
//! With the delimiter `#`, the next character, `$`, begins an escape. It and every character up to
//! it become `$` and two hexadecimal digits: a blank `$20`, `#` `$23`, `$` itself `$24`. All other
//! characters are larger and stay. So the delimiter sorts before all of an escaped text, and
//! escapes sort as the characters that they stand for, before all unescaped ones.

use std::fmt::Write as _;

/// Returns the character that begins an escape before a delimiter; `None` unless it is one between
/// the blank and the point, before digits and letters. With any other, digits or letters would have
/// to be escaped, too.
pub(super) fn lead(delimiter: char) -> Option<char> {
    let lead = char::from(u8::try_from(delimiter).ok()?.checked_add(1)?);
    (' '..='.').contains(&delimiter).then_some(lead)
}

/// Appends a text that a delimiter follows; `lead` begins its escapes.
pub(super) fn escape(text: &str, lead: char, key: &mut String) {
    for character in text.chars() {
        if character <= lead {
            write!(key, "{lead}{:02X}", u32::from(character))
                .expect("writing to a string cannot fail");
        } else {
            key.push(character);
        }
    }
}

/// Returns the original of an escaped text; `None` if the text is not one.
pub(super) fn unescape(escaped: &str, lead: char) -> Option<String> {
    let mut text = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        if character > lead {
            text.push(character);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
        if character != lead || !digits.bytes().all(is_digit) {
            return None;
        }
        let escaped = char::from(u8::from_str_radix(digits, 16).ok()?);
        if escaped > lead {
            return None;
        }
        text.push(escaped);
        rest = after;
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiter_and_all_before_it_are_escaped() {
        for (text, expected) in [
            ("New York", "New$20York"),
            ("A#B", "A$23B"),
            ("5$", "5$24"),
            ("\u{0}é%", "$00é%"),
            ("", ""),
        ] {
            let mut key = String::new();
            escape(text, '$', &mut key);
            assert_eq!(key, expected);
            assert_eq!(unescape(&key, '$').as_deref(), Some(text));
        }
    }

    #[test]
    fn what_is_not_escaped_so_is_not_read() {
        for text in ["a b", "$", "$2", "$2g", "$3f", "$7E", "$2é"] {
            assert_eq!(unescape(text, '$'), None, "{text}");
        }
    }

    #[test]
    fn delimiters_stand_before_digits_and_letters() {
        let leads = ['#', ' ', '.', '-', '/', ':', '|', '~', 'a', '0', 'é', '\u{1f}'].map(lead);
        let some = [Some('$'), Some('!'), Some('/'), Some('.')];
        assert_eq!(leads.to_vec(), [&some[..], &[None; 8]].concat());
    }
}
