//! A key from the attributes of an item.

use super::{Case, KeyTemplate, Piece};
use hashrange_model::Item;
use hashrange_model::error::DerivedKeyFault;

/// What a template makes of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rendered {
    /// A key.
    Key(String),
    /// None, because the condition of no case holds.
    NoCase,
    /// None, because the item lacks this attribute.
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
        // An attribute that is missing is no fault of those after it.
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
            // At once: many long parts are not to fill the memory.
            if key.len() > limit_bytes {
                return Err(DerivedKeyFault::TooLong { limit_bytes });
            }
        }
        if key.is_empty() { Err(DerivedKeyFault::Empty) } else { Ok(Rendered::Key(key)) }
    }
}
