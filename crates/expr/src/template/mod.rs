//! Key templates: derive a string key from the attributes of an item, and parse it back into them.
//!
//! ```text
//! sk     = "ORDER#{createdAt:iso}#{orderId}"
//! GSI1SK = "{status}#{createdAt:iso}" when status in [OPEN, PLACED]
//! owns GSI1PK = "USER#{userId:pad:10}" when type = 'User' else "ORG#{orgId}" when type = 'Org'
//! ```
//!
//! A template has literals and parts; a part names a place in an item, or a generator, and
//! encoders, from left to right. `{{` and `}}` are literal braces. Of several cases, separated by
//! `else`, the first whose condition holds counts. A condition is that of a WHERE clause in PartiQL,
//! and a bare word between the brackets of `in` is a text. A template that begins with `owns` is the
//! only writer of its attribute.
//!
//! | part | takes | key |
//! |---|---|---|
//! | `{a}`, `{a.b[0]}` | text | as it is; without the delimiter, which is the first character after the part |
//! | `{a:esc}` | text | characters up to the delimiter escaped, in order |
//! | `{a:lower}` `{a:upper}` | text | in lower or upper case |
//! | `{a:text}` | text or number | numbers as they are written, which does not sort |
//! | `{a:pad:8}` `{a:pad:8.2}` | number | padded with zeros, see [`digits`] |
//! | `{a:iso}` `{a:iso:day}` | text with a time | in UTC, cut to milliseconds or as said |
//! | `{a:epoch_s:iso}` `{a:epoch_ms:iso}` | number | the same, of seconds or milliseconds since 1970 |
//! | `...:desc` | after `pad` or `iso` | every digit is 9 less it, which turns the order round |
//! | `...\|none` | nothing | the text behind the bar in the place of a missing value |
//! | `...?` | nothing | the key ends before the part, and before the literal in front of it |
//! | `{shard:hash(a):8}` | text, number, binary | the number of one of eight shards |
//! | `{ulid()}` `{uuid7()}` `{now:iso}` | nothing | made with the key, and kept by later writes |
//!
//! Two keys of one case compare, byte by byte, as the tuples of their parts do: texts by their
//! characters, numbers by value, times by instant. A plain text keeps that order among texts
//! without characters below the delimiter, an escaped one always; a part after the last delimiter
//! always. The end of each part can be found without the item; a template that does not allow it is
//! refused. Behind a part that may be missing come only such parts.
//!
//! Left to others: tables, key schemas, and the moments at which a template is applied.

mod digits;
mod encoder;
mod escape;
mod part;
mod read;
mod render;
mod source;
mod text;
mod time;
mod when;

pub use read::{KeyPart, KeyReading};
pub use render::Rendered;
pub use source::{Draw, Generated};

use crate::Condition;
use encoder::Encoder;
use hashrange_model::Item;
use hashrange_model::error::TemplateFault;
use source::Source;
use std::collections::BTreeSet;

/// A key template, checked by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyTemplate {
    attribute: String,
    is_owner: bool,
    text: String,
    cases: Vec<Case>,
}

/// Key that is derived under a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Case {
    pieces: Vec<Piece>,
    when: Option<Condition>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Part(Part),
}

/// A part of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    /// Name of its source, as the template writes it.
    name: String,
    source: Source,
    encoder: Encoder,
    /// The first character after it, if a literal follows.
    delimiter: Option<char>,
    /// Text in the place of a missing value, as the key has it.
    default: Option<String>,
    /// True if the key ends before the part where the value is missing.
    is_optional: bool,
    /// True if a part that may be missing follows, so that a key may end with this one.
    may_end: bool,
}

impl KeyTemplate {
    /// Parses a template such as `sk = "ORDER#{orderId}"`, up to 4 KiB.
    pub fn parse(text: &str) -> Result<Self, TemplateFault> {
        let text::Parsed { attribute, is_owner, cases } = text::parse(text)?;
        Ok(Self { attribute, is_owner, text: text.trim().to_owned(), cases })
    }

    /// Returns the attribute that the template derives.
    pub fn attribute(&self) -> &str {
        &self.attribute
    }

    /// Returns true if the template is the only writer of its attribute.
    pub fn is_owner(&self) -> bool {
        self.is_owner
    }

    /// Returns true if a part is generated.
    pub fn generates(&self) -> bool {
        let mut parts = self.cases.iter().flat_map(Case::parts);
        parts.any(|part| part.source.generator().is_some())
    }

    /// Returns the number of cases.
    pub fn cases(&self) -> usize {
        self.cases.len()
    }

    /// Returns the first case whose condition holds for an item.
    pub fn case_of(&self, item: &Item) -> Option<usize> {
        self.cases.iter().position(|case| case.holds(item))
    }

    /// Returns the number of write shards that a part of the template has; none if none has any, or several differ.
    pub fn shards(&self) -> Option<u32> {
        let shards = |part: &Part| match part.encoder {
            Encoder::Shard(shards) => Some(shards),
            _ => None,
        };
        let mut all = self.cases.iter().flat_map(Case::parts).filter_map(shards);
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    }

    /// Returns the characters that end parts.
    pub fn delimiters(&self) -> impl Iterator<Item = char> {
        self.cases.iter().flat_map(Case::parts).filter_map(|part| part.delimiter)
    }

    /// Returns true if a case has no condition.
    pub fn is_unconditional(&self, case: usize) -> bool {
        self.cases.get(case).is_some_and(|case| case.when.is_none())
    }

    /// Returns the top-level attributes that the condition of a case names.
    pub fn names_of_condition(&self, case: usize) -> Vec<&str> {
        let condition = self.cases.get(case).and_then(|case| case.when.as_ref());
        condition.into_iter().flat_map(Condition::attribute_names).collect()
    }

    /// Returns the text of the template, without blanks around it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of tests of its conditions that may read through the whole item.
    pub fn scans(&self) -> usize {
        let conditions = self.cases.iter().filter_map(|case| case.when.as_ref());
        conditions.map(Condition::scans).sum()
    }

    /// Returns the top-level attributes that its parts and conditions name, each once.
    pub fn names(&self) -> BTreeSet<&str> {
        let parts = self.cases.iter().flat_map(Case::parts);
        let parts = parts.filter_map(|part| part.source.attribute());
        let conditions = self.cases.iter().filter_map(|case| case.when.as_ref());
        parts.chain(conditions.flat_map(Condition::attribute_names)).collect()
    }
}

impl Case {
    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Part(part) => Some(part),
            Piece::Literal(_) => None,
        })
    }
}
