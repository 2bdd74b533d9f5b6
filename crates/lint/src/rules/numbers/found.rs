//! Numbers in the values of a key attribute.

use crate::keys::words::is_unit;
use crate::keys::{Column, Kind, Row, Shape, Token};
use std::collections::BTreeMap;

/// Most digits of a number; longer ones are names.
const DIGITS_MAX: usize = 30;
/// Most runs of digits between points.
const PARTS_MAX: usize = 4;
/// Digits behind the point that are compared.
const FRACTION_DIGITS: usize = 9;

/// How numbers with a point are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// `9.5` is nine and a half.
    Decimal,
    /// `1.9` is the ninth after 1.0.
    Version,
}

/// A number in a key.
#[derive(Debug, Clone)]
pub(super) struct Number<'i> {
    pub(super) row: usize,
    pub(super) collection: usize,
    /// The key before it.
    pub(super) before: &'i str,
    /// The key from it on.
    pub(super) behind: &'i str,
    /// Its digits, between points.
    pub(super) parts: Vec<&'i str>,
    pub(super) is_negative: bool,
    pub(super) has_thousands: bool,
    /// True if a unit is glued to it.
    pub(super) has_unit: bool,
    /// Letters that are glued before it.
    pub(super) head: &'i str,
    /// Length of it, its sign included.
    pub(super) length: usize,
}

/// The numbers of an attribute.
#[derive(Debug, Default)]
pub(super) struct Groups<'i> {
    /// By the shape of what is before them, and the letters glued to them.
    pub(super) numbers: BTreeMap<Shape, Vec<Number<'i>>>,
    /// What stands at the places of numbers.
    pub(super) mixes: BTreeMap<Shape, Mix>,
}

/// How many texts of a place are numbers, words or neither.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mix {
    pub(super) numbers: usize,
    pub(super) words: usize,
    pub(super) codes: usize,
}

impl<'i> Groups<'i> {
    pub(super) fn of(column: &Column<'i>) -> Self {
        let mut groups = Self::default();
        for (nth, row) in column.rows.iter().enumerate() {
            groups.add(column, nth, row);
        }
        groups
    }

    fn add(&mut self, column: &Column<'i>, nth: usize, row: &Row<'i>) {
        let mut shape = Shape::default();
        let mut end = 0;
        for token in &row.tokens {
            let is_run = matches!(token.kind, Kind::Digits | Kind::Mixed | Kind::Word);
            if is_run && token.range.start >= end {
                let number = Number::of(column, nth, row, token);
                self.count(&shape, token.kind, number.as_ref());
                if let Some(number) = number {
                    end = number.before.len() + number.length;
                    let before = shape.with(number.head);
                    let before = if number.is_negative { before.without_minus() } else { before };
                    self.numbers.entry(before).or_default().push(number);
                }
            }
            shape.push(row.text, token);
        }
    }

    fn count(&mut self, shape: &Shape, kind: Kind, number: Option<&Number<'_>>) {
        let mix = match self.mixes.get_mut(shape) {
            Some(mix) => mix,
            None => self.mixes.entry(shape.clone()).or_default(),
        };
        match (kind, number) {
            (_, Some(number)) if number.head.is_empty() => mix.numbers += 1,
            (Kind::Word, _) => mix.words += 1,
            _ => mix.codes += 1,
        }
    }
}

impl<'i> Number<'i> {
    /// Reads a number at a token: digits between letters, with points or commas inside.
    fn of(column: &Column<'i>, nth: usize, row: &Row<'i>, token: &Token) -> Option<Self> {
        let text = row.text;
        let run = text.get(token.range.clone())?;
        let head_length = run.find(|character: char| character.is_ascii_digit())?;
        let start = token.range.start + head_length;
        let (parts, length, has_thousands) = digits(text.get(start..)?)?;
        // A zero points at the newest version, or is the least number anyway.
        if parts == ["0"] {
            return None;
        }
        let tail = text.get(start + length..)?;
        let letters: &str = tail.split(|it: char| !it.is_alphanumeric()).next().unwrap_or("");
        let has_unit = is_unit(letters) || tail.starts_with('%');
        if !letters.is_empty() && !has_unit {
            return None;
        }
        let head = run.get(..head_length)?;
        let is_negative = head.is_empty() && is_negative(column, row, start);
        let from = start - usize::from(is_negative);
        Some(Self {
            row: nth,
            collection: row.collection,
            before: text.get(..from)?,
            behind: text.get(from..)?,
            parts,
            is_negative,
            has_thousands,
            has_unit,
            head,
            length: start + length - from,
        })
    }

    /// Returns the number as the parts that are compared one after the other.
    pub(super) fn meaning(&self, reading: Reading) -> Vec<i128> {
        let sign = if self.is_negative { -1 } else { 1 };
        let number = |digits: &str| digits.parse::<i128>().unwrap_or(i128::MAX) * sign;
        match (reading, &self.parts[..]) {
            // Groups of thousands are one number.
            _ if self.has_thousands => vec![number(&self.parts.concat())],
            (Reading::Decimal, [whole, fraction]) => {
                let zeros = std::iter::repeat_n('0', FRACTION_DIGITS);
                let fraction: String =
                    fraction.chars().chain(zeros).take(FRACTION_DIGITS).collect();
                vec![number(whole), number(&fraction)]
            }
            (_, parts) => parts.iter().map(|part| number(part)).collect(),
        }
    }

    /// Returns whether it is one run of digits.
    pub(super) fn is_whole(&self) -> bool {
        self.parts.len() == 1
    }

    pub(super) fn digits(&self) -> &'i str {
        self.parts.first().copied().unwrap_or("")
    }

    /// Returns the word before it, even behind delimiters; none if something else is there.
    pub(super) fn label(&self) -> &'i str {
        if !self.head.is_empty() {
            return self.head;
        }
        let before = self.before.trim_end_matches(|it: char| !it.is_alphanumeric());
        let start = before.rfind(|it: char| !it.is_alphabetic());
        let word = start.and_then(|at| before.get(at..)).unwrap_or(before);
        let skipped = word.chars().next().filter(|it| !it.is_alphabetic());
        match skipped {
            Some(digit) if digit.is_numeric() => "",
            Some(mark) => word.get(mark.len_utf8()..).unwrap_or(""),
            None => word,
        }
    }

    /// Returns whether a blank and a word follow, as in an address: `10 Mill Lane`.
    pub(super) fn is_before_words(&self) -> bool {
        let behind = self.behind.get(self.length..).and_then(|behind| behind.strip_prefix(' '));
        let word = behind.and_then(|behind| behind.split(|it: char| !it.is_alphabetic()).next());
        word.is_some_and(|word| !word.is_empty() && !is_unit(word))
    }

    /// Returns the segment that has it.
    pub(super) fn shown(&self, column: &Column<'i>) -> &'i str {
        let row = &column.rows[self.row];
        row.text.get(row.segment(self.before.len())).unwrap_or("")
    }

    /// Returns the key up to and with the segment that has it.
    pub(super) fn key(&self, column: &Column<'_>) -> String {
        let row = &column.rows[self.row];
        let end = row.segment(self.before.len()).end;
        row.text.get(..end).unwrap_or("").to_owned()
    }

    /// Returns the text of its segment before it.
    pub(super) fn segment_before(&self, column: &Column<'i>) -> &'i str {
        let row = &column.rows[self.row];
        let start = row.segment(self.before.len()).start;
        row.text.get(start..self.before.len()).unwrap_or("")
    }
}

/// Returns the runs of digits between points, their length, and whether they are thousands.
fn digits(text: &str) -> Option<(Vec<&str>, usize, bool)> {
    let run = |from: usize| {
        let rest = text.get(from..).unwrap_or("");
        rest.bytes().take_while(u8::is_ascii_digit).count()
    };
    let mut parts = Vec::new();
    let (mut at, mut separator) = (0, None);
    loop {
        let length = run(at);
        parts.push(text.get(at..at + length)?);
        at += length;
        let next = text.get(at..).and_then(|rest| rest.chars().next());
        let goes_on = next.is_some_and(|it| it == '.' || it == ',') && run(at + 1) > 0;
        if !goes_on || separator.is_some() && next != separator {
            break;
        }
        separator = next;
        at += 1;
    }
    let is_short = parts.iter().all(|part| part.len() <= DIGITS_MAX);
    let has_thousands = separator == Some(',') && parts.iter().skip(1).all(|part| part.len() == 3);
    (is_short && parts.len() <= PARTS_MAX).then_some((parts, at, has_thousands))
}

/// Returns whether the number at a place has a minus: a hyphen that begins a component.
fn is_negative(column: &Column<'_>, row: &Row<'_>, start: usize) -> bool {
    let Some(before) = row.text.get(..start).and_then(|before| before.strip_suffix('-')) else {
        return false;
    };
    !column.delimiters.has('-')
        && before.chars().last().is_none_or(|character| column.delimiters.has(character))
}
