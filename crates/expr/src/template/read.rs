//! A key read back into its parts, whole or as far as it goes, and the levels that a template divides keys into.

use super::{Case, KeyTemplate, Part, Piece};
use crate::text::{name_text, value_text};
use hashrange_model::AttributeValue;
use std::fmt;

/// A part of a key, by its name.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyPart {
    /// The attribute that it was rendered from.
    pub name: String,
    /// What the key has of it: a number of padded ones, else a text; times in UTC, cut to their
    /// precision.
    pub value: AttributeValue,
    /// Whether this is the very value of the attribute: not of times, nor in other letters.
    pub is_exact: bool,
}

/// A key as a case of a template has it.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyReading {
    /// Which case, the first is 0.
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
            write!(formatter, "{between}{} = {value}", name_text(name))?;
            between = " AND ";
        }
        Ok(())
    }
}

/// How a walk over the pieces of a case has ended.
enum End {
    /// All pieces were met, and so many bytes are left.
    Met(usize),
    /// The text has ended before all pieces were met.
    Begun,
    /// Keys of this case do not begin so: what is wrong ends behind so many bytes.
    Wrong(usize),
}

impl KeyTemplate {
    /// Reads a key by every case that could have made it, none if it is no key of this template. One
    /// case reads a key in one way; several cases may read the same key, which only conditions tell
    /// apart.
    pub fn read(&self, key: &str) -> Vec<KeyReading> {
        self.read_by(|case| case.read(key))
    }

    /// Reads what keys begin with, by every case that makes such keys: the parts that are whole in it, those
    /// whose end it shows.
    pub fn read_beginning(&self, text: &str) -> Vec<KeyReading> {
        self.read_by(|case| case.read_beginning(text))
    }

    /// Reads a key, or what keys begin with, by the case that reads the most parts, of those that could have made
    /// it.
    pub fn fullest_reading(&self, text: &str, is_beginning: bool) -> Option<KeyReading> {
        let read = if is_beginning { self.read_beginning(text) } else { self.read(text) };
        read.into_iter().rev().max_by_key(|reading| reading.parts.len())
    }

    fn read_by(&self, read: impl Fn(&Case) -> Option<Vec<KeyPart>>) -> Vec<KeyReading> {
        let cases = self.cases.iter().enumerate();
        cases.filter_map(|(case, known)| Some(KeyReading { case, parts: read(known)? })).collect()
    }

    /// Returns where the levels of a key end, in bytes: behind each literal of a case that makes keys that begin
    /// so; and behind each `delimiter` where no case does, for a table has keys of other kinds, too.
    ///
    /// A level ends at a place if and only if it does of every text that is the same up to there: so a level is
    /// all keys that begin with one text.
    pub fn level_ends(&self, key: &str, delimiter: &str) -> Vec<usize> {
        let mut ends = Vec::new();
        // Up to here, at least one case makes such keys.
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

/// A piece that was met.
enum Met<'p> {
    Literal,
    /// A part, and whether what follows it shows that it is whole.
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

    /// Goes over the pieces as far as a text has them, and shows each with the place behind it.
    fn walk(&self, text: &str, mut show: impl FnMut(usize, Met<'_>)) -> End {
        let mut at = 0;
        for piece in &self.pieces {
            let rest = &text[at..];
            match piece {
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
                    let Some((value, after)) = part.encoder.read(rest, part.delimiter) else {
                        return match part.end(rest) {
                            Some(end) => End::Wrong(at + end),
                            None => End::Begun,
                        };
                    };
                    at = text.len() - after.len();
                    let is_whole = part.delimiter.is_some() || part.encoder.has_fixed_width();
                    show(at, Met::Part(part, value, is_whole));
                }
            }
        }
        End::Met(text.len() - at)
    }
}

impl Part {
    fn told(&self, value: AttributeValue) -> KeyPart {
        let (name, is_exact) = (self.attribute.clone(), self.encoder.is_exact());
        KeyPart { name, value, is_exact }
    }

    /// Returns where a text that cannot be read ends; none if it may go on and be read then.
    fn end(&self, rest: &str) -> Option<usize> {
        match self.encoder.width(rest) {
            Some(width) => (rest.len() >= width).then_some(width),
            None => rest.find(self.delimiter?),
        }
    }
}
