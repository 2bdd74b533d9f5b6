//! Sentences about key templates: a part of [`super`], which is the only way to them. The service
//! has no such operations, so the sentences are ours.

use super::super::{DerivedKeyFault, Layer, TemplateFault, TemplateTextFault};

/// Returns the sentence for an operation on key templates.
pub fn refused(fault: &TemplateFault) -> String {
    match fault {
        TemplateFault::Text { fault, column } => {
            format!("Invalid key template at character {column}: {}", text(fault))
        }
        TemplateFault::When { reason, column } => format!(
            "Invalid key template, in the condition after when, which begins at character {column}: {}",
            reason.sentence(Layer::Current)
        ),
        TemplateFault::NotAString { attribute, declared } => format!(
            "A key template derives a string, and the key attribute {attribute} has the type {}",
            declared.as_str()
        ),
        TemplateFault::UsesDerived { attribute, used } => format!(
            "The key template of {attribute} uses {used}, which is itself derived by a key template: \
             name the attributes that {used} consists of"
        ),
        TemplateFault::UsesNumber { attribute, used } => format!(
            "The key template of {attribute} uses {used}, the number of the latest version, which the server \
             sets after it derives keys"
        ),
        TemplateFault::KeysAreSet(attribute) => format!(
            "The key attribute {attribute} of items that exist cannot be changed: use the mode check, \
             or an empty table"
        ),
        TemplateFault::TooManyTests(most) => format!(
            "The conditions of a table's key templates have at most {most} contains and size together, for each \
             reads through the item at every write"
        ),
        TemplateFault::Generates(attribute) => format!(
            "ulid(), uuid7() and now:iso are made when an item is written: {attribute} can have them only in \
             the mode fill, and not as a key of the table, which the answer of PutItem could not return"
        ),
        TemplateFault::Mistaken(warnings) => {
            format!("The key template looks mistaken: {}", warnings.join("; "))
        }
        TemplateFault::TooMany(most) => {
            format!("The table has {most} key templates, which is as many as there may be")
        }
        TemplateFault::NoSuchTemplate(attribute) => {
            format!("The table has no key template for the attribute {attribute}")
        }
        TemplateFault::Mode(mode) => {
            format!("A key template has the mode FILL or CHECK, not {mode:?}")
        }
        TemplateFault::KeyOfNone => "No key template of the table reads this key".to_owned(),
    }
}

fn text(fault: &TemplateTextFault) -> String {
    match fault {
        TemplateTextFault::TooLong(most) => format!("the text is longer than {most} bytes"),
        TemplateTextFault::Expected(what) => format!("{what} is expected"),
        TemplateTextFault::TooMany(what, most) => format!("there are more than {most} {what}"),
        TemplateTextFault::PartName(name) => format!(
            "{name:?} names no place in an item: a part has an attribute such as status, or a place in \
             one such as address.city or lines[0], without blanks and quotes"
        ),
        TemplateTextFault::UnknownFunction(name) => format!(
            "there is no function {name}; there are ulid(), uuid7(), now:iso and shard:hash(a):8"
        ),
        TemplateTextFault::Shards => {
            "shard takes the hash of an attribute and a number of shards from 2 to 10000: \
             shard:hash(id):8"
                .to_owned()
        }
        TemplateTextFault::Default(text) => format!(
            "{text:?} cannot stand for a missing value: it is empty, has the delimiter, or is no value \
             of the part's encoder"
        ),
        TemplateTextFault::NeverMissing(part) => {
            format!("{part} is never missing, so it takes neither a default nor ?")
        }
        TemplateTextFault::BehindOptional(part) => format!(
            "{part} stands behind a part that may be missing, where a key ends: only parts with ? can \
             stand there"
        ),
        TemplateTextFault::UnknownEncoder(name) => format!(
            "there is no encoder {name}; there are pad, iso, epoch_s, epoch_ms, desc, esc, lower, upper \
             and text"
        ),
        TemplateTextFault::EncoderArgument { encoder, takes } => {
            format!("the encoder {encoder} takes {takes}")
        }
        TemplateTextFault::EncoderPlace { encoder, belongs } => {
            format!("the encoder {encoder} belongs {belongs}")
        }
        TemplateTextFault::EndUnknown(part) => format!(
            "where {part} ends cannot be told: write a delimiter such as # between it and the next part"
        ),
        TemplateTextFault::EscapeBefore(delimiter) => format!(
            "esc needs a delimiter that sorts before digits and letters, such as # + , - or ., not \
             {delimiter:?}"
        ),
        TemplateTextFault::ComparesAttributes(name) => format!(
            "the condition compares two attributes: write the text {name} in single quotes, '{name}'"
        ),
    }
}

/// Returns the sentence for an item of which a key attribute cannot be derived.
pub fn derived(attribute: &str, fault: &DerivedKeyFault) -> String {
    let why = match fault {
        DerivedKeyFault::PartType { part, takes, actual } => {
            format!("{part} must be {takes}, not {}", actual.as_str())
        }
        DerivedKeyFault::Delimiter { part, delimiter } => {
            format!("{part} contains the delimiter {delimiter:?}; the encoder esc would allow it")
        }
        DerivedKeyFault::NotATime { part } => {
            format!(
                "{part} is no time in the form of 2026-11-25, 2026-11-25T08:00, \
                 2026-11-25T08:00:00.5+02:00 or 20261125T080000Z"
            )
        }
        DerivedKeyFault::TimeOutOfRange { part } => {
            format!("{part} is outside the years 0 to 9999")
        }
        DerivedKeyFault::TooWide { part, digits } => {
            format!("{part} has more than {digits} digits before the point")
        }
        DerivedKeyFault::TooPrecise { part, digits: 0 } => format!("{part} is not a whole number"),
        DerivedKeyFault::TooPrecise { part, digits } => {
            format!("{part} has more than {digits} digits after the point")
        }
        DerivedKeyFault::Empty => "it would be empty".to_owned(),
        DerivedKeyFault::TooLong { limit_bytes } => {
            format!("it would have more than {limit_bytes} bytes")
        }
        DerivedKeyFault::PartMissing { part } => format!("{part} is missing in the item"),
        DerivedKeyFault::Differs { derived: Some(derived) } => {
            format!("it must be {derived:?}")
        }
        DerivedKeyFault::Differs { derived: None } => "the item must not have it".to_owned(),
    };
    format!("The key template of the attribute {attribute} refuses the item: {why}")
}
