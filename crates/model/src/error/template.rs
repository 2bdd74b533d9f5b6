//! Why key templates are refused, and why a key cannot be derived from an item or differs from what
//! is derived. The sentences stand in [`super::wording`].

use super::{ErrorKind, Reason};
use crate::value::AttributeType;

/// What is wrong with the text of a key template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateTextFault {
    /// The text is longer than this many bytes.
    TooLong(usize),
    /// Something else is expected there.
    Expected(&'static str),
    /// There is more of this than there may be.
    TooMany(&'static str, usize),
    /// The name of an attribute in a part is empty or has characters that no part may have.
    PartName(String),
    /// There is no such encoder.
    UnknownEncoder(String),
    /// An encoder's argument is none of those it takes.
    EncoderArgument {
        /// The encoder.
        encoder: &'static str,
        /// What it takes.
        takes: &'static str,
    },
    /// An encoder that does not go together with the one before it.
    EncoderPlace {
        /// The encoder.
        encoder: String,
        /// Where it belongs.
        belongs: &'static str,
    },
    /// A part whose end cannot be told, because another part follows at once.
    EndUnknown(String),
    /// The order cannot be kept where this character ends an escaped part.
    EscapeBefore(char),
    /// The condition after `when` compares two attributes; holds the second.
    ComparesAttributes(String),
}

/// Why an operation on key templates is refused.
#[derive(Debug, Clone, PartialEq)]
pub enum TemplateFault {
    /// A text that is no key template.
    Text {
        /// What is wrong with it.
        fault: TemplateTextFault,
        /// Where in the text, in characters; the first is 1.
        column: usize,
    },
    /// The condition after a `when` is refused.
    When {
        /// Why.
        reason: Box<Reason>,
        /// Where the condition begins, in characters; the first is 1.
        column: usize,
    },
    /// The attribute is no key attribute of the table and none of its indexes.
    NotAKey(String),
    /// The key attribute is not a string.
    NotAString {
        /// The attribute.
        attribute: String,
        /// Its declared type.
        declared: AttributeType,
    },
    /// A template uses an attribute that is itself derived by a template.
    UsesDerived {
        /// The attribute of the template.
        attribute: String,
        /// The derived attribute that it uses.
        used: String,
    },
    /// Keys of the items of a table that is not empty cannot be filled.
    KeysAreSet(String),
    /// Keys that clients wrote would be removed.
    RemovesOthers {
        /// The attribute of the template.
        attribute: String,
        /// Items that have such a key.
        items: u64,
        /// Items that were looked at.
        examined: u64,
        /// Whether these were all items.
        are_all: bool,
        /// Some of the keys, in quotes.
        examples: Vec<String>,
    },
    /// The table has as many templates as it may have.
    TooMany(usize),
    /// The conditions of the table's templates have more tests that read through an item than they may have.
    TooManyTests(usize),
    /// The table has no template for this attribute.
    NoSuchTemplate(String),
    /// The mode is none.
    Mode(String),
    /// No template of the table reads the key.
    KeyOfNone,
}

impl TemplateFault {
    /// Returns the exception this is reported as.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoSuchTemplate(_) => ErrorKind::ResourceNotFound,
            Self::TooMany(_) | Self::TooManyTests(_) => ErrorKind::LimitExceeded,
            Self::Text { .. }
            | Self::When { .. }
            | Self::NotAKey(_)
            | Self::NotAString { .. }
            | Self::UsesDerived { .. }
            | Self::KeysAreSet(_)
            | Self::Mode(_)
            | Self::RemovesOthers { .. }
            | Self::KeyOfNone => ErrorKind::Validation,
        }
    }
}

/// Why a key attribute cannot be derived from an item, or is refused beside what is derived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DerivedKeyFault {
    /// A part has a type that its encoder does not take.
    PartType {
        /// The attribute of the part.
        part: String,
        /// What the encoder takes.
        takes: &'static str,
        /// The type in the item.
        actual: AttributeType,
    },
    /// A part contains the character that ends it.
    Delimiter {
        /// The attribute of the part.
        part: String,
        /// The character.
        delimiter: char,
    },
    /// A text that is no time.
    NotATime {
        /// The attribute of the part.
        part: String,
    },
    /// A time outside the years 0 to 9999.
    TimeOutOfRange {
        /// The attribute of the part.
        part: String,
    },
    /// A number with more digits before the point than its padding.
    TooWide {
        /// The attribute of the part.
        part: String,
        /// Digits before the point.
        digits: usize,
    },
    /// A number with more digits after the point than its padding.
    TooPrecise {
        /// The attribute of the part.
        part: String,
        /// Digits after the point.
        digits: usize,
    },
    /// The derived key is empty.
    Empty,
    /// The derived key is longer than a key attribute may be.
    TooLong {
        /// The limit.
        limit_bytes: usize,
    },
    /// A part of a primary key is missing.
    PartMissing {
        /// The attribute of the part.
        part: String,
    },
    /// The item has another value, or one where none is derived, or none where one is.
    Differs {
        /// What is derived.
        derived: Option<String>,
    },
    /// The write brings a key that is not derived, where none is.
    OfClient,
}
