//! Positions of keys on a line, as numbers, and keys at positions: where to look into a stretch that nobody has seen.
//!
//! | line | position |
//! |---|---|
//! | partitions | hash |
//! | numbers | value |
//! | text, binary | fraction whose digits are the bytes behind what both ends share; a digit is one of the bytes in use |
//!
//! A position is a guess where keys are, never a claim: only what is found there is told.

use super::RulerPlan;
use super::gauge::Segment;
use crate::layout;
use crate::schema::KeyType;
use crate::tree::levels::Levels;
use hashrange_model::{Number, ValueRef};
use hashrange_storage::Key;

/// Digits of a position.
const DIGITS: usize = 12;

/// Positions on a stretch of a line.
#[derive(Debug)]
pub(super) enum Scale {
    Hash,
    Number,
    Bytes {
        /// Beginning of all keys of the stretch.
        shared: Key,
        /// Bytes in use behind it, in order.
        digits: Vec<u8>,
    },
}

impl Scale {
    /// Returns the scale of the stretch between two segments; `known` are keys like those in it.
    pub(super) fn between<'k>(
        plan: &RulerPlan<'_>,
        (from, to): (&Segment, &Segment),
        known: impl IntoIterator<Item = &'k [u8]>,
    ) -> Self {
        if plan.is_of_partitions() {
            return Self::Hash;
        }
        match plan.attribute.key_type {
            KeyType::N => Self::Number,
            KeyType::B => Self::bytes(from, to, (0..=u8::MAX).collect()),
            KeyType::S => {
                let ends = [from, to].map(|segment| &segment.node.range.start[..]);
                let mut used = [false; 256];
                note(&mut used, &shared(from, to), known);
                note(&mut used, &shared(from, to), ends);
                Self::bytes(from, to, likely(&used))
            }
        }
    }

    fn bytes(from: &Segment, to: &Segment, digits: Vec<u8>) -> Self {
        Self::Bytes { shared: shared(from, to), digits }
    }

    /// Returns the position of the beginning of a segment.
    pub(super) fn start(&self, plan: &RulerPlan<'_>, segment: &Segment) -> f64 {
        match self {
            Self::Number => number(plan, segment),
            Self::Hash | Self::Bytes { .. } => self.of_key(&segment.node.range.start),
        }
    }

    /// Returns the position of the end of a segment.
    pub(super) fn end(&self, plan: &RulerPlan<'_>, segment: &Segment) -> f64 {
        match (self, &segment.node.range.end) {
            (Self::Number, _) => number(plan, segment),
            (_, Some(end)) => self.of_key(end),
            (_, None) => f64::MAX,
        }
    }

    fn of_key(&self, key: &[u8]) -> f64 {
        let Self::Bytes { shared, digits } = self else { return f64::from(layout::hash_of(key)) };
        let behind = match key.strip_prefix(&shared[..]) {
            Some(behind) => behind,
            None if key < &shared[..] => return 0.0,
            None => return 1.0,
        };
        let base = base(digits);
        let (mut position, mut unit) = (0.0, 1.0);
        for byte in behind.iter().take(DIGITS) {
            unit /= base;
            let rank = digits.partition_point(|digit| digit < byte);
            position += unit * f64::from(u16::try_from(rank).unwrap_or(u16::MAX));
        }
        position
    }

    /// Returns the first key at a position; none if there is no such key.
    pub(super) fn key_at(&self, plan: &RulerPlan<'_>, position: f64) -> Option<Key> {
        match (self, &plan.levels) {
            (Self::Hash, _) => Some(layout::at_hash(&plan.line.start, whole(position))),
            (Self::Number, Levels::Sort(levels)) => {
                let number = Number::parse(&format!("{position:e}")).ok()?;
                Some(levels.first_key_at(&number))
            }
            (Self::Number, Levels::Partitions { .. }) => None,
            (Self::Bytes { shared, digits }, _) => {
                let base = base(digits);
                let mut key = shared.clone();
                let mut rest = position;
                for _ in 0..DIGITS {
                    rest *= base;
                    let digit = whole(rest);
                    rest -= f64::from(digit);
                    key.push(*digits.get(usize::try_from(digit).ok()?)?);
                    if rest < f64::EPSILON {
                        break;
                    }
                }
                Some(key)
            }
        }
    }
}

fn base(digits: &[u8]) -> f64 {
    f64::from(u16::try_from(digits.len()).unwrap_or(u16::MAX)).max(2.0)
}

/// Returns the beginning that the keys of two segments share.
fn shared(from: &Segment, to: &Segment) -> Key {
    let (from, to) = (&from.node.range.start, &to.node.range.start);
    from.iter().zip(to).take_while(|(from, to)| from == to).map(|(from, _)| *from).collect()
}

/// Notes the bytes of keys behind a beginning.
fn note<'k>(used: &mut [bool; 256], beginning: &[u8], keys: impl IntoIterator<Item = &'k [u8]>) {
    let behind = keys.into_iter().filter_map(|key| key.strip_prefix(beginning));
    behind.flatten().for_each(|byte| used[usize::from(*byte)] = true);
}

/// Returns the bytes that text with these bytes is likely to have, in order.
fn likely(used: &[bool; 256]) -> Vec<u8> {
    let is_likely = |byte: &u8| {
        let mut used = (0..=u8::MAX).zip(used).filter(|(_, is_used)| **is_used);
        used.any(|(used, _)| are_alike(used, *byte))
    };
    (0..=u8::MAX).filter(is_likely).collect()
}

/// Returns whether text that has one byte is likely to have the other.
fn are_alike(one: u8, other: u8) -> bool {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 1,
        b'a'..=b'z' => 2,
        b'A'..=b'Z' => 3,
        0x80.. => 4,
        _ => 0,
    };
    one == other || (class(one) != 0 && class(one) == class(other))
}

/// Returns the value of a segment's first key.
fn number(plan: &RulerPlan<'_>, segment: &Segment) -> f64 {
    match segment.first.get(&plan.attribute.name) {
        Some(ValueRef::N(number)) => number.to_number().to_string().parse().unwrap_or(0.0),
        _ => 0.0,
    }
}

/// Returns the whole part of a position.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast stops at the ends of the type"
)]
fn whole(position: f64) -> u32 {
    position as u32
}
