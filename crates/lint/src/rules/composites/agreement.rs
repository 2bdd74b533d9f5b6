//! Whether a component is made of the value of an attribute: as it is, in other capitals, with
//! leading zeros, without what is no letter or digit, or as the day of a time.

use crate::design::Scalar;
use crate::keys::words::{folded, named_value};
use crate::keys::{Kind, Token, tokens::tokens};
use crate::moments::{Kind as MomentKind, moment};
use unicode_normalization::UnicodeNormalization;

/// A component, prepared for many comparisons.
#[derive(Debug, Clone)]
pub(super) struct Component<'i> {
    pub(super) text: &'i str,
    pub(super) folded: String,
    pub(super) kind: Sort,
    /// Its name, if it has one in front: `unitid_b45`.
    pub(super) name: Option<&'i str>,
}

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Moment,
    Number,
    Words,
    Mail,
    Code,
}

impl<'i> Component<'i> {
    pub(super) fn new(text: &'i str, tokens: &[&Token]) -> Self {
        Self { text, folded: folded(text), kind: sort(text, tokens), name: None }
    }

    /// Returns the part of it behind its name.
    pub(super) fn without_name(&self) -> Option<Self> {
        let (name, value) = named_value(self.text)?;
        let tokens = tokens(value);
        let kind = sort(value, &tokens.iter().collect::<Vec<_>>());
        Some(Self { text: value, folded: folded(value), kind, name: Some(name) })
    }

    /// Returns whether it is made of a value.
    pub(super) fn is_made_of(&self, value: &Scalar) -> bool {
        let text = value.text();
        if text.is_empty() || self.folded.is_empty() {
            return false;
        }
        if text == self.text {
            return true;
        }
        let value = folded(text);
        value == self.folded
            || self.kind == Sort::Moment && value.starts_with(&self.folded) && is_moment(text)
            || is_number(text) && self.has_number(text)
    }

    /// Returns whether it is a number with leading zeros, perhaps behind letters: `007`, `P1`.
    fn has_number(&self, number: &str) -> bool {
        let digits = self.text.trim_start_matches(|it: char| it.is_alphabetic());
        let whole = digits.trim_start_matches('0');
        let number = number.trim_start_matches('0');
        digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            && !digits.is_empty()
            && whole == number
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn is_moment(text: &str) -> bool {
    moment(text).is_some_and(|moment| moment.kind == MomentKind::YearFirst)
}

/// Returns whether two names are one in different letters: `Groß-Enzersdorf` and
/// `GROSS-ENZERSDORF`, `St. Louis` and `SAINT-LOUIS`. They begin and end alike.
pub(super) fn are_alike(one: &str, other: &str) -> bool {
    let plain = |text: &str| -> Vec<char> {
        text.nfd().filter(char::is_ascii_alphanumeric).map(|it| it.to_ascii_lowercase()).collect()
    };
    let (one, other) = (plain(one), plain(other));
    let shorter = one.len().min(other.len());
    let same = |pair: &(&char, &char)| pair.0 == pair.1;
    let start = one.iter().zip(&other).take_while(same).count();
    let end = one.iter().rev().zip(other.iter().rev()).take_while(same).count();
    // A text without Latin letters is written in another alphabet.
    shorter == 0 || (start + end) * 3 >= shorter * 2
}

/// Returns what a text with these tokens is.
pub(super) fn sort(text: &str, tokens: &[&Token]) -> Sort {
    let all = |is_it: fn(&Kind) -> bool| {
        tokens
            .iter()
            .map(|token| &token.kind)
            .filter(|kind| !matches!(kind, Kind::Mark(_)))
            .all(is_it)
    };
    match tokens {
        [Token { kind: Kind::Moment(_), .. }] => Sort::Moment,
        [Token { kind: Kind::Mail, .. }] => Sort::Mail,
        _ if text.is_empty() => Sort::Code,
        _ if all(|kind| matches!(kind, Kind::Word)) => Sort::Words,
        _ if all(|kind| matches!(kind, Kind::Digits)) => Sort::Number,
        _ => Sort::Code,
    }
}
