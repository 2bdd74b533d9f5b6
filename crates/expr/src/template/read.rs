//! A key read back into its parts.

use super::{Case, KeyTemplate, Piece};
use hashrange_model::AttributeValue;

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

impl KeyTemplate {
    /// Reads a key by every case that could have made it, none if it is no key of this template. One
    /// case reads a key in one way; several cases may read the same key, which only conditions tell
    /// apart.
    pub fn read(&self, key: &str) -> Vec<KeyReading> {
        let cases = self.cases.iter().enumerate();
        cases
            .filter_map(|(case, known)| Some(KeyReading { case, parts: known.read(key)? }))
            .collect()
    }
}

impl Case {
    fn read(&self, key: &str) -> Option<Vec<KeyPart>> {
        let mut rest = key;
        let mut parts = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Literal(text) => rest = rest.strip_prefix(text.as_str())?,
                Piece::Part(part) => {
                    let (value, after) = part.encoder.read(rest, part.delimiter)?;
                    rest = after;
                    let (name, is_exact) = (part.attribute.clone(), part.encoder.is_exact());
                    parts.push(KeyPart { name, value, is_exact });
                }
            }
        }
        (rest.is_empty() && !key.is_empty()).then_some(parts)
    }
}
