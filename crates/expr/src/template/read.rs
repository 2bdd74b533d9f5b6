//! Parses a key, whole or its beginning, back into its parts, and finds the levels that a template
//! divides keys into.

use super::text::is_name;
use super::{Case, KeyTemplate, Part, Piece};
use crate::text::{name_text, value_text};
use hashrange_model::AttributeValue;
use std::fmt;

/// Part of a key, with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyPart {
    /// Attribute, or place in one, that it was rendered from; or the generator.
    pub name: String,
    /// Value in the key: a number for padded ones, else a text; times in UTC, cut to their
    /// precision.
    pub value: AttributeValue,
    /// True if this is the attribute's exact value, as of neither times nor texts in another case
    /// nor defaults.
    pub is_exact: bool,
}

/// Key parsed by one case of a template.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyReading {
    /// Case; the first is 0.
    pub case: usize,
    /// The parts, in their order in the key.
    pub parts: Vec<KeyPart>,
}

/// The parts as a condition: `status = 'OPEN' AND placed = '2026-11-25'`.
impl fmt::Display for KeyReading {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for KeyPart { name, value, .. } in &self.parts {
            let value = value_text(value.to_value().get());
            let name = if is_name(name) { name_text(name) } else { name.clone() };
            write!(formatter, "{between}{name} = {value}")?;
            between = " AND ";
        }
        Ok(())
    }
}

/// End of a walk over the pieces of a case.
enum End {
    /// All pieces were found; holds the number of bytes left.
    Met(usize),
    /// The text ended before all pieces were found.
    Begun,
    /// No key of this case has this beginning; holds the offset behind the wrong bytes.
    Wrong(usize),
}

impl KeyTemplate {
    /// Parses a key by every case that could have made it; returns none if the template makes no
    /// such key. A case parses a key in one way; several cases may parse the same key, and only
    /// conditions tell them apart.
    pub fn read(&self, key: &str) -> Vec<KeyReading> {
        self.read_by(|case| case.read(key))
    }

    /// Parses the beginning of a key by every case that makes such keys: returns the parts whose
    /// end the text shows.
    pub fn read_beginning(&self, text: &str) -> Vec<KeyReading> {
        self.read_by(|case| case.read_beginning(text))
    }

    /// Parses a key, or the beginning of one, by the case that finds the most parts, among those
    /// that could have made it.
    pub fn fullest_reading(&self, text: &str, is_beginning: bool) -> Option<KeyReading> {
        let read = if is_beginning { self.read_beginning(text) } else { self.read(text) };
        read.into_iter().rev().max_by_key(|reading| reading.parts.len())
    }

    fn read_by(&self, read: impl Fn(&Case) -> Option<Vec<KeyPart>>) -> Vec<KeyReading> {
        let cases = self.cases.iter().enumerate();
        cases.filter_map(|(case, known)| Some(KeyReading { case, parts: read(known)? })).collect()
    }

    /// Returns the ends of a key's levels, in bytes: behind each literal of a case that makes keys
    /// with this beginning; and behind each `delimiter` once no case does, because a table has keys
    /// of other kinds, too.
    ///
    /// A level's end depends only on the text up to there, so a level is all keys with one
    /// beginning.
    pub fn level_ends(&self, key: &str, delimiter: &str) -> Vec<usize> {
        let mut ends = Vec::new();
        // Up to this offset, at least one case makes such keys.
        let mut alive = 0;
        for case in &self.cases {
            let end = case.walk(key, |at, piece| {
                if let Met::Literal = piece {
                    ends.push(at);
                }
            });
            alive = alive.max(match end {
                End::Met(0) | End::Begun => key.len(),
                End::Met(left) => key.len() - left,
                End::Wrong(at) => at,
            });
        }
        let others = key.match_indices(delimiter).map(|(at, found)| at + found.len());
        ends.extend(others.filter(|end| *end > alive));
        ends.sort_unstable();
        ends.dedup();
        ends
    }
}

/// A piece that was found.
enum Met<'p> {
    Literal,
    /// A part, and whether the text behind it shows that it is complete.
    Part(&'p Part, AttributeValue, bool),
}

impl Case {
    fn read(&self, key: &str) -> Option<Vec<KeyPart>> {
        let mut parts = Vec::new();
        let end = self.walk(key, |_, met| {
            if let Met::Part(part, value, _) = met {
                parts.push(part.told(value));
            }
        });
        (matches!(end, End::Met(0)) && !key.is_empty()).then_some(parts)
    }

    fn read_beginning(&self, text: &str) -> Option<Vec<KeyPart>> {
        let mut parts = Vec::new();
        let end = self.walk(text, |_, met| {
            if let Met::Part(part, value, true) = met {
                parts.push(part.told(value));
            }
        });
        matches!(end, End::Met(0) | End::Begun).then_some(parts)
    }

    /// Walks over the pieces as far as the text goes, and calls `show` with each and the offset
    /// behind it.
    fn walk<'p>(&'p self, text: &str, mut show: impl FnMut(usize, Met<'p>)) -> End {
        let mut at = 0;
        for (nth, piece) in self.pieces.iter().enumerate() {
            let rest = &text[at..];
            match piece {
                _ if rest.is_empty() && at > 0 && self.may_end_before(nth) => return End::Met(0),
                Piece::Literal(literal) if rest.starts_with(literal.as_str()) => {
                    at += literal.len();
                    show(at, Met::Literal);
                }
                Piece::Literal(literal) => {
                    let same = rest.bytes().zip(literal.bytes()).take_while(|(a, b)| a == b);
                    let same = same.count();
                    return if same == rest.len() { End::Begun } else { End::Wrong(at + same) };
                }
                Piece::Part(part) => {
                    let limits = (part.delimiter, part.may_end);
                    let Some((value, after)) = part.encoder.read(rest, limits) else {
                        return match part.end(rest) {
                            Some(end) => End::Wrong(at + end),
                            None => End::Begun,
                        };
                    };
                    at = text.len() - after.len();
                    let is_delimited = part.delimiter.is_some_and(|it| after.starts_with(it));
                    let is_whole = is_delimited || part.encoder.has_fixed_width();
                    show(at, Met::Part(part, value, is_whole));
                }
            }
        }
        End::Met(text.len() - at)
    }

    /// Returns whether a key may end before a piece: an optional part, or the literal in front of it.
    fn may_end_before(&self, nth: usize) -> bool {
        let piece = |nth: usize| self.pieces.get(nth);
        let is_literal = |nth: usize| matches!(piece(nth), Some(Piece::Literal(_)));
        let is_optional =
            |nth: usize| matches!(piece(nth), Some(Piece::Part(part)) if part.is_optional);
        let is_behind_literal = nth > 0 && is_literal(nth - 1);
        is_optional(nth) && !is_behind_literal || is_literal(nth) && is_optional(nth + 1)
    }

    /// Finds the generated values in a key that the case has made.
    pub(super) fn generated_in(&self, key: &str, found: &mut dyn FnMut(&str, &str)) {
        let (mut start, mut parts) = (0, Vec::new());
        let end = self.walk(key, |at, met| {
            if let Met::Part(part, ..) = met
                && part.source.generator().is_some()
            {
                parts.push((part.name.as_str(), start..at));
            }
            start = at;
        });
        if let End::Met(0) = end {
            for (name, range) in parts {
                found(name, &key[range]);
            }
        }
    }
}

impl Part {
    fn told(&self, value: AttributeValue) -> KeyPart {
        let is_default = match (&self.default, &value) {
            (Some(default), AttributeValue::S(text)) => default == text,
            (default, _) => default.is_some(),
        };
        let is_exact = self.encoder.is_exact() && !is_default;
        KeyPart { name: self.name.clone(), value, is_exact }
    }

    /// Returns the offset at which a text becomes unreadable; `None` if a longer text could still
    /// be read.
    fn end(&self, rest: &str) -> Option<usize> {
        match self.encoder.width(rest) {
            Some(width) => (rest.len() >= width).then_some(width),
            None => rest.find(self.delimiter?),
        }
    }
}
