//! A key from the attributes of an item.

use super::source::{Generated, Generator};
use super::{Case, KeyTemplate, Part, Piece, Source};
use hashrange_model::error::DerivedKeyFault;
use hashrange_model::{Item, ValueRef};

/// Result of applying a template to an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rendered {
    /// A key.
    Key(String),
    /// No key, because the condition of no case holds.
    NoCase,
    /// No key, because the item lacks the value of this part, or none can be generated.
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
    pub fn render(
        &self,
        item: &Item,
        generated: &Generated,
        limit_bytes: usize,
    ) -> Result<Rendered, DerivedKeyFault> {
        match self.cases.iter().find(|case| case.holds(item)) {
            Some(case) => case.render(item, generated, limit_bytes),
            None => Ok(Rendered::NoCase),
        }
    }

    /// Returns the generated values in a key that the template has made, each with the name of its
    /// part.
    pub fn generated_in(&self, key: &str) -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = Vec::new();
        for case in &self.cases {
            case.generated_in(key, &mut |name, text| {
                if !found.iter().any(|(known, _)| known == name) {
                    found.push((name.to_owned(), text.to_owned()));
                }
            });
        }
        found
    }
}

impl Part {
    /// Returns the value that the part writes; `None` if it is missing.
    fn value<'v>(&self, item: &'v Item, generated: &'v Generated) -> Option<PartValue<'v>> {
        match &self.source {
            Source::Path(path) | Source::Shard(path) => path.find(item).map(PartValue::Of),
            Source::Generated(generator) => {
                generated.text(*generator, self).map(PartValue::Written)
            }
        }
    }
}

/// The value of a part.
enum PartValue<'v> {
    /// A value, to be encoded.
    Of(ValueRef<'v>),
    /// A text as it stands in the key.
    Written(String),
}

impl Generated {
    /// Returns the value of a generated part: that of the earlier key, or else a new one.
    fn text(&self, generator: Generator, part: &Part) -> Option<String> {
        let kept = self.kept.iter().find(|(known, _)| *known == part.name);
        let drawn = || self.draw.map(|draw| generator.drawn(draw, &part.encoder));
        kept.map(|(_, text)| text.clone()).or_else(drawn)
    }
}

impl Case {
    pub(super) fn holds(&self, item: &Item) -> bool {
        self.when.as_ref().is_none_or(|condition| condition.matches(item))
    }

    fn render(
        &self,
        item: &Item,
        generated: &Generated,
        limit_bytes: usize,
    ) -> Result<Rendered, DerivedKeyFault> {
        let mut key = String::new();
        // A missing attribute comes before faults of the parts: without it there is no key to be at
        // fault.
        let is_missing = |part: &&Part| part.value(item, generated).is_none();
        let mut missing = self.parts().filter(|part| part.default.is_none()).filter(is_missing);
        let end = match missing.next() {
            None => self.pieces.len(),
            Some(part) if part.is_optional => self.end_before(part),
            Some(part) => return Ok(Rendered::PartMissing(part.name.clone())),
        };
        for piece in &self.pieces[..end] {
            match piece {
                Piece::Literal(text) => key.push_str(text),
                Piece::Part(part) => match (part.value(item, generated), &part.default) {
                    (Some(PartValue::Of(value)), _) => {
                        part.encoder.encode(&part.name, value, part.delimiter, &mut key)?;
                    }
                    (Some(PartValue::Written(text)), _) => key.push_str(&text),
                    (None, default) => key.push_str(default.as_deref().unwrap_or_default()),
                },
            }
            // Checked after each part, so that many long parts do not fill the memory.
            if key.len() > limit_bytes {
                return Err(DerivedKeyFault::TooLong { limit_bytes });
            }
        }
        if key.is_empty() { Err(DerivedKeyFault::Empty) } else { Ok(Rendered::Key(key)) }
    }

    /// Returns the number of pieces before an optional part and the literal in front of it.
    fn end_before(&self, optional: &Part) -> usize {
        let is_it = |piece: &Piece| matches!(piece, Piece::Part(part) if part == optional);
        let at = self.pieces.iter().position(is_it).expect("the part is one of the case");
        match at.checked_sub(1).map(|before| &self.pieces[before]) {
            Some(Piece::Literal(_)) => at - 1,
            _ => at,
        }
    }
}
