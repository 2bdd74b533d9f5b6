//! Tokens of a text: runs of letters and digits, marks between them, and atoms, which no delimiter
//! divides.

use crate::moments::{Moment, moment};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

/// A token and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) range: Range<usize>,
    pub(crate) kind: Kind,
}

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Letters
    Word,
    /// Digits
    Digits,
    /// Letters and digits
    Mixed,
    /// One character that is neither
    Mark(char),
    /// A date, a time
    Moment(Moment),
    /// A UUID
    Uuid,
    /// An address of a network or of hardware
    Address,
    /// An address of mail
    Mail,
    /// An address of the web
    Url,
    /// A form whose values were never put in: `{id}`, `${id}`, `[object Object]`
    Template,
}

/// Most tokens of a text; what is behind them is one more.
const TOKENS_MAX: usize = 60;

/// Returns the tokens of a text; they cover it.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let has_mail = text.contains('@');
    let has_url = text.contains("://");
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or("");
        if tokens.len() == TOKENS_MAX {
            tokens.push(Token { range: at..text.len(), kind: Kind::Mixed });
            break;
        }
        let (kind, length) = atom(rest, has_mail, has_url).unwrap_or_else(|| plain(rest, first));
        tokens.push(Token { range: at..at + length, kind });
        at += length;
    }
    tokens
}

fn plain(rest: &str, first: char) -> (Kind, usize) {
    if !first.is_alphanumeric() {
        return (Kind::Mark(first), first.len_utf8());
    }
    let is_part = |character: &char| character.is_alphanumeric() || is_combining(*character);
    let run = rest.chars().take_while(is_part);
    let (mut length, mut digits, mut letters) = (0, false, false);
    for character in run {
        length += character.len_utf8();
        digits |= character.is_ascii_digit();
        letters |= !character.is_ascii_digit();
    }
    let kind = match (digits, letters) {
        (true, false) => Kind::Digits,
        (true, true) => Kind::Mixed,
        _ => Kind::Word,
    };
    (kind, length)
}

/// Returns whether a character marks the letter before it.
fn is_combining(character: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&character)
}

/// Returns the atom that a text begins with, and its length.
fn atom(rest: &str, has_mail: bool, has_url: bool) -> Option<(Kind, usize)> {
    if let Some(length) = template(rest) {
        return Some((Kind::Template, length));
    }
    let first = rest.bytes().next()?;
    if !(first.is_ascii_alphanumeric() || first == b':' && has_address(rest)) {
        return None;
    }
    if let Some(length) = uuid(rest) {
        return Some((Kind::Uuid, length));
    }
    if let Some(length) = address(rest) {
        return Some((Kind::Address, length));
    }
    if let Some(moment) = moment(rest) {
        return Some((Kind::Moment(moment), moment.length));
    }
    let mail = || has_mail.then(|| mail(rest)).flatten().map(|length| (Kind::Mail, length));
    let url = || has_url.then(|| url(rest)).flatten().map(|length| (Kind::Url, length));
    url().or_else(mail)
}

fn has_address(rest: &str) -> bool {
    rest.starts_with("::") && address(rest).is_some()
}

fn template(rest: &str) -> Option<usize> {
    let closed = |start: &str, end: char| {
        let inner = rest.strip_prefix(start)?;
        let length = inner.find(end).filter(|length| (1..40).contains(length))?;
        Some(start.len() + length + end.len_utf8())
    };
    if rest.starts_with("[object ") {
        return closed("[", ']');
    }
    if rest.starts_with("{{") {
        return closed("{{", '}').map(|length| (length + 1).min(rest.len()));
    }
    closed("${", '}').or_else(|| closed("{", '}')).or_else(|| closed("<", '>'))
}

fn uuid(rest: &str) -> Option<usize> {
    let text = rest.as_bytes().get(..36)?;
    let is_right = text.iter().enumerate().all(|(nth, byte)| match nth {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    (is_right && !ends_in_word(rest, 36)).then_some(36)
}

fn ends_in_word(rest: &str, length: usize) -> bool {
    rest.get(length..).and_then(|rest| rest.chars().next()).is_some_and(char::is_alphanumeric)
}

/// Returns the length of an address of IP, version 4 or 6, or of hardware.
fn address(rest: &str) -> Option<usize> {
    let is_part = |byte: &u8| byte.is_ascii_hexdigit() || b":.-".contains(byte);
    let length = rest.bytes().take_while(is_part).take(48).count();
    let text = rest.get(..length)?.trim_end_matches([':', '.', '-']);
    let is_address = match text.as_bytes() {
        text if text.len() < 5 => false,
        _ if text.contains(':') => is_hardware(text, ':') || is_version_6(text),
        _ if text.contains('-') => is_hardware(text, '-'),
        _ => text.contains('.') && text.parse::<Ipv4Addr>().is_ok(),
    };
    (is_address && !ends_in_word(rest, text.len())).then_some(text.len())
}

fn is_hardware(text: &str, between: char) -> bool {
    let is_pair = |pair: &str| pair.len() == 2 && pair.bytes().all(|byte| byte.is_ascii_hexdigit());
    text.len() == 17 && text.split(between).all(is_pair)
}

/// Returns whether a text is an address of version 6. Short ones may be parts between colons.
fn is_version_6(text: &str) -> bool {
    let is_long =
        text.matches(':').count() > 2 || text.split(':').next().is_some_and(|part| part.len() == 4);
    is_long && text.bytes().any(|byte| byte.is_ascii_digit()) && text.parse::<Ipv6Addr>().is_ok()
}

fn mail(rest: &str) -> Option<usize> {
    let is_local = |byte: &u8| byte.is_ascii_alphanumeric() || b"._%+-'".contains(byte);
    let local = rest.bytes().take_while(is_local).count();
    let domain = rest.get(local..)?.strip_prefix('@')?;
    let is_domain = |byte: &u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
    let length = domain.bytes().take_while(is_domain).count();
    let domain = domain.get(..length)?.trim_end_matches(['.', '-']);
    (local > 0 && domain.contains('.')).then_some(local + 1 + domain.len())
}

fn url(rest: &str) -> Option<usize> {
    let scheme = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
    rest.get(scheme..)?.strip_prefix("://")?;
    let is_part = |character: &char| !character.is_whitespace() && !"#|¦".contains(*character);
    Some(rest.chars().take_while(is_part).map(char::len_utf8).sum())
}

#[cfg(test)]
mod tests {
    use super::{Kind, tokens};

    /// The tokens of a text with a letter for each kind.
    fn kinds(text: &str) -> String {
        let letter = |kind| match kind {
            Kind::Word => 'w',
            Kind::Digits => 'd',
            Kind::Mixed => 'x',
            Kind::Mark(mark) => mark,
            Kind::Moment(_) => 'M',
            Kind::Uuid => 'U',
            Kind::Address => 'A',
            Kind::Mail => 'E',
            Kind::Url => 'L',
            Kind::Template => 'T',
        };
        tokens(text).into_iter().map(|token| letter(token.kind)).collect()
    }

    #[test]
    fn what_is_one_thing_is_not_divided() {
        assert_eq!(kinds("ORDER#2026-03-01T10:15:30Z#a1"), "w#M#x");
        assert_eq!(kinds("USER#29d4c7e2-0732-4b32-8217-9804d77637f1"), "w#U");
        assert_eq!(kinds("IP#10.0.0.9|2001:db8::1|ba:49:c0:07:96:9e"), "w#A|A|A");
        assert_eq!(kinds("EMAIL#anna.b@example.com#x"), "w#E#w");
        assert_eq!(kinds("PAGE#https://example.com/a-b#x"), "w#L#w");
        assert_eq!(kinds("LINE#[object Object]#${id}#{id}"), "w#T#T#T");
        assert_eq!(kinds("A-12#B 7|München"), "w-d#w d|w");
        assert_eq!(kinds("USER::anna::7"), "w::w::d");
        assert_eq!(kinds(""), "");
    }
}
