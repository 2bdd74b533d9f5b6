//! A key from the attributes of an item.

use super::{Case, KeyTemplate, Piece};
use hashrange_model::Item;
use hashrange_model::error::DerivedKeyFault;

/// Result of applying a template to an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rendered {
    /// A key.
    Key(String),
    /// No key, because the condition of no case holds.
    NoCase,
    /// No key, because the item lacks this attribute.
    PartMissing(String),
}

impl Rendered {
    /// Returns the key, if there is one.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::Key(key) => Some(key),
            Self::NoCase | Self::PartMissing(_) => None,
        }
    }
}

impl KeyTemplate {
    /// Derives the key of an item, of 1 to `limit_bytes` bytes.
    pub fn render(&self, item: &Item, limit_bytes: usize) -> Result<Rendered, DerivedKeyFault> {
        match self.cases.iter().find(|case| case.holds(item)) {
            Some(case) => case.render(item, limit_bytes),
            None => Ok(Rendered::NoCase),
        }
    }
}

impl Case {
    fn holds(&self, item: &Item) -> bool {
        self.when.as_ref().is_none_or(|condition| condition.matches(item))
    }

    fn render(&self, item: &Item, limit_bytes: usize) -> Result<Rendered, DerivedKeyFault> {
        let mut key = String::new();
        // A missing attribute comes before faults of the parts: without it there is no key to be at
        // fault.
        if let Some(missing) = self.parts().find(|part| item.get(&part.attribute).is_none()) {
            return Ok(Rendered::PartMissing(missing.attribute.clone()));
        }
        for piece in &self.pieces {
            match piece {
                Piece::Literal(text) => key.push_str(text),
                Piece::Part(part) => {
                    let value = item.get(&part.attribute).expect("no part is missing");
                    part.encoder.encode(&part.attribute, value, part.delimiter, &mut key)?;
                }
            }
            // Checked after each part, so that many long parts do not fill the memory.
            if key.len() > limit_bytes {
                return Err(DerivedKeyFault::TooLong { limit_bytes });
            }
        }
        if key.is_empty() { Err(DerivedKeyFault::Empty) } else { Ok(Rendered::Key(key)) }
    }
}
