//! End of a value by its brackets and quotes alone, in JSON and in the item form. The code that
//! reads the value checks what stands between them.
//!
//! Invariant: nesting is bounded, so nothing grows with the input.

use std::fmt;

/// Most brackets inside each other. DynamoDB's JSON has two for each of the 32 levels of an item,
/// and the members around items add a few.
const DEPTH_MAX: u32 = 120;

/// Position inside a value: its open brackets and quote.
#[derive(Debug, Clone, Default)]
pub struct Nesting {
    depth: u32,
    /// The open brackets, the innermost in the lowest bit: 1 for a brace.
    braces: u128,
    quote: Option<u8>,
    is_escaped: bool,
}

/// Outcome of a look at bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The value ends before this byte.
    Ended(usize),
    /// At this byte is something that no value has.
    Broken(usize, Mismatch),
    /// The value goes on.
    More,
}

/// Brackets that do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mismatch {
    /// Another bracket closes than the one that is open.
    Closing {
        /// Expected bracket.
        expected: char,
        /// Found bracket.
        found: char,
    },
    /// There are too many inside each other.
    TooDeep,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closing { expected, found } => {
                write!(formatter, "expected `{expected}`, not `{found}`")
            }
            Self::TooDeep => {
                write!(formatter, "more than {DEPTH_MAX} brackets inside each other")
            }
        }
    }
}

impl Nesting {
    /// Looks at the next bytes of a value. A number or a word ends before the first byte that
    /// cannot be in it.
    pub fn scan(&mut self, bytes: &[u8]) -> Extent {
        for (offset, byte) in bytes.iter().enumerate() {
            match (self.quote, *byte) {
                (Some(_), _) if self.is_escaped => self.is_escaped = false,
                (Some(b'"'), b'\\') => self.is_escaped = true,
                (Some(quote), byte) if byte == quote => {
                    self.quote = None;
                    if self.depth == 0 {
                        return Extent::Ended(offset + 1);
                    }
                }
                (None, b'"' | b'\'') => self.quote = Some(*byte),
                (None, b'{' | b'[') if self.depth == DEPTH_MAX => {
                    return Extent::Broken(offset, Mismatch::TooDeep);
                }
                (None, b'{' | b'[') => {
                    self.braces = self.braces << 1 | u128::from(*byte == b'{');
                    self.depth += 1;
                }
                (None, b'}' | b']' | b',' | b':' | b' ' | b'\t' | b'\r' | b'\n')
                    if self.depth == 0 =>
                {
                    return Extent::Ended(offset);
                }
                (None, b'}' | b']') => {
                    let expected = if self.braces & 1 == 1 { '}' } else { ']' };
                    let found = char::from(*byte);
                    if found != expected {
                        let mismatch = Mismatch::Closing { expected, found };
                        return Extent::Broken(offset, mismatch);
                    }
                    self.braces >>= 1;
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Extent::Ended(offset + 1);
                    }
                }
                // Text, a word or a number, or something between values.
                (Some(_) | None, _) => {}
            }
        }
        Extent::More
    }

    /// Returns whether a quote is open.
    pub fn is_quoted(&self) -> bool {
        self.quote.is_some()
    }

    /// Returns whether the value may end here: nothing is open.
    pub fn is_closed(&self) -> bool {
        self.depth == 0 && self.quote.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_with_its_last_bracket_wherever_it_is_cut() {
        let closing = |expected, found| Mismatch::Closing { expected, found };
        let deep = "[".repeat(10_000);
        for (text, expected) in [
            (r#"{"a":[1,{"b":"]}\"\\"}]},"#, Extent::Ended(24)),
            (r#"{a:'it''s }',b:<<"x">>} x"#, Extent::Ended(23)),
            (r#""a\"b",1"#, Extent::Ended(6)),
            ("12.5}", Extent::Ended(4)),
            ("null ", Extent::Ended(4)),
            (",", Extent::Ended(0)),
            ("{\"a\":1", Extent::More),
            ("12", Extent::More),
            ("\"\\\"", Extent::More),
            ("{\"a\":[1}", Extent::Broken(7, closing(']', '}'))),
            ("[{]", Extent::Broken(2, closing('}', ']'))),
            (deep.as_str(), Extent::Broken(120, Mismatch::TooDeep)),
        ] {
            for cut in 0..text.len().min(200) {
                let (first, rest) = text.as_bytes().split_at(cut);
                let mut nesting = Nesting::default();
                let found = match nesting.scan(first) {
                    Extent::More => match nesting.scan(rest) {
                        Extent::Ended(end) => Extent::Ended(cut + end),
                        Extent::Broken(at, mismatch) => Extent::Broken(cut + at, mismatch),
                        Extent::More => Extent::More,
                    },
                    found => found,
                };
                assert_eq!(found, expected, "{text:.40} {cut}");
            }
        }
    }
}
