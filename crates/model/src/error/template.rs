//! Refusals of key templates, and of items from which a key cannot be derived or whose key differs
//! from the derived one. The sentences stand in [`super::wording`].

use super::{ErrorKind, Reason};
use crate::value::AttributeType;

/// Fault in the text of a key template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateTextFault {
    /// The text is longer than this many bytes.
    TooLong(usize),
    /// Another token is expected at this place; holds its description.
    Expected(&'static str),
    /// The template has more of one kind than allowed; holds the kind and the maximum.
    TooMany(&'static str, usize),
    /// The name of an attribute in a part is empty or has characters that no part may have.
    PartName(String),
    /// There is no such function.
    UnknownFunction(String),
    /// The arguments of `shard` are no hash of an attribute and no number of shards.
    Shards,
    /// A default that the part cannot hold.
    Default(String),
    /// A default, or the mark of an optional part, on a part that is always there.
    NeverMissing(String),
    /// A part stands behind one that may be missing, without being optional itself.
    BehindOptional(String),
    /// There is no such encoder.
    UnknownEncoder(String),
    /// An encoder's argument is none of those it takes.
    EncoderArgument {
        /// The encoder.
        encoder: &'static str,
        /// Arguments that the encoder takes.
        takes: &'static str,
    },
    /// An encoder that does not go together with the one before it.
    EncoderPlace {
        /// The encoder.
        encoder: String,
        /// Place that the encoder belongs to.
        belongs: &'static str,
    },
    /// A part whose end cannot be found when the key is parsed, because another part follows at
    /// once.
    EndUnknown(String),
    /// Escaping would not keep the order, because this character ends the part.
    EscapeBefore(char),
    /// The condition after `when` compares two attributes; holds the second.
    ComparesAttributes(String),
}

/// Refusal of an operation on key templates.
#[derive(Debug, Clone, PartialEq)]
pub enum TemplateFault {
    /// A text that is no key template.
    Text {
        /// Fault in the text.
        fault: TemplateTextFault,
        /// Position in the text, in characters; the first is 1.
        column: usize,
    },
    /// The condition after a `when` is refused.
    When {
        /// Fault of the condition.
        reason: Box<Reason>,
        /// Start of the condition, in characters; the first is 1.
        column: usize,
    },
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
    /// A template uses the attribute with the number of the latest version, which is set after keys are derived.
    UsesNumber {
        /// The attribute of the template.
        attribute: String,
        /// The attribute with the number.
        used: String,
    },
    /// The table has items, whose keys the template cannot fill.
    KeysAreSet(String),
    /// A template generates parts of a key of the table, or only checks.
    Generates(String),
    /// The template looks mistaken, and mistakes are refused; holds the warnings.
    Mistaken(Vec<String>),
    /// The table has reached the maximum of templates, which this holds.
    TooMany(usize),
    /// The conditions of the table's templates have more tests that read through an item than
    /// allowed; holds the maximum.
    TooManyTests(usize),
    /// The table has no template for this attribute.
    NoSuchTemplate(String),
    /// A text that is no mode.
    Mode(String),
    /// No template of the table parses the key.
    KeyOfNone,
}

impl TemplateFault {
    /// Returns the exception that the answer reports.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoSuchTemplate(_) => ErrorKind::ResourceNotFound,
            Self::TooMany(_) | Self::TooManyTests(_) => ErrorKind::LimitExceeded,
            Self::Text { .. }
            | Self::When { .. }
            | Self::NotAString { .. }
            | Self::UsesDerived { .. }
            | Self::UsesNumber { .. }
            | Self::KeysAreSet(_)
            | Self::Mode(_)
            | Self::Generates(_)
            | Self::Mistaken(_)
            | Self::KeyOfNone => ErrorKind::Validation,
        }
    }
}

/// Fault of an item from which a key attribute cannot be derived, or whose key attribute differs
/// from the derived one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DerivedKeyFault {
    /// A part has a type that its encoder does not take.
    PartType {
        /// The attribute of the part.
        part: String,
        /// Types that the encoder takes.
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
    /// The item's value differs from the derived one, or only one of the two exists.
    Differs {
        /// Derived value.
        derived: Option<String>,
    },
}
