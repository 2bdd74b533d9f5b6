//! Value of a violation in the form that messages show.
//!
//! Scalars stand as they are, collections as Java prints them or as JSON. A value of megabytes is
//! cut off, because the answer may repeat it.

use super::policy::Echo;
use super::shape::{Kind, Member, ShapeId};
use super::walk::{each_element, entries, member_places, shape};
use crate::json::decode::Fault;
use crate::json::parser::{Kind as JsonKind, Parser};
use hashrange_model::bounds::{ECHOED_ENTRIES_MAX, ECHOED_MAX_BYTES, beginning};
use std::ops::ControlFlow;

/// Returns a text, cut off if it is very long.
pub fn shortened(text: &str) -> String {
    beginning(text, ECHOED_MAX_BYTES).to_owned()
}

/// Returns the next value, which has the shape.
pub fn value(parser: &Parser<'_>, id: ShapeId, echo: Echo) -> Result<String, Fault> {
    let mut shown = String::new();
    match echo {
        Echo::Java => append(&mut shown, &mut parser.fork(), id)?,
        Echo::Json => append_json(&mut shown, &mut parser.fork())?,
    }
    Ok(shortened(&shown))
}

fn append(shown: &mut String, parser: &mut Parser<'_>, id: ShapeId) -> Result<(), Fault> {
    if shown.len() > ECHOED_MAX_BYTES {
        return Ok(());
    }
    match &shape(id).kind {
        Kind::Structure(members) => append_structure(shown, parser, shape(id).name, members),
        Kind::List { element, .. } => append_list(shown, parser, *element),
        Kind::Map { value, .. } => append_map(shown, parser, *value),
        Kind::Item => append_item(shown, parser),
        Kind::AttributeValue => append_attribute_value(shown, parser),
        Kind::String { .. }
        | Kind::TableReference { .. }
        | Kind::Enum(_)
        | Kind::Integer { .. }
        | Kind::Unlimited => append_scalar(shown, parser),
    }
}

fn append_scalar(shown: &mut String, parser: &mut Parser<'_>) -> Result<(), Fault> {
    match parser.peek()? {
        JsonKind::String => shown.push_str(&parser.string()?),
        _ => shown.push_str(parser.raw_value()?),
    }
    Ok(())
}

fn append_structure(
    shown: &mut String,
    parser: &mut Parser<'_>,
    name: &str,
    members: &'static [Member],
) -> Result<(), Fault> {
    let values = member_places(parser.fork(), members)?;
    shown.push_str(name);
    shown.push('(');
    for (nth, (member, value)) in members.iter().zip(values).enumerate() {
        shown.push_str(if nth == 0 { "" } else { ", " });
        push_lower_camel(shown, member.name);
        shown.push('=');
        match value {
            Some(mut value) => append(shown, &mut value, member.shape)?,
            None => shown.push_str("null"),
        }
    }
    shown.push(')');
    Ok(())
}

fn append_list(shown: &mut String, parser: &mut Parser<'_>, element: ShapeId) -> Result<(), Fault> {
    append_elements(shown, parser.fork(), |shown, mut value| append(shown, &mut value, element))
}

fn append_map(shown: &mut String, parser: &mut Parser<'_>, value: ShapeId) -> Result<(), Fault> {
    append_entries(shown, parser, |shown, mut entry| append(shown, &mut entry, value))
}

fn append_elements(
    shown: &mut String,
    parser: Parser<'_>,
    mut append: impl FnMut(&mut String, Parser<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    shown.push('[');
    each_element(parser, |nth, value| {
        shown.push_str(if nth == 0 { "" } else { ", " });
        match value {
            Some(value) => append(shown, value)?,
            None => shown.push_str("null"),
        }
        Ok(if shown.len() > ECHOED_MAX_BYTES {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    shown.push(']');
    Ok(())
}

fn append_entries(
    shown: &mut String,
    parser: &mut Parser<'_>,
    mut append: impl FnMut(&mut String, Parser<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    shown.push('{');
    for (nth, (key, entry)) in entries(parser.fork(), ECHOED_ENTRIES_MAX)?.into_iter().enumerate() {
        shown.push_str(if nth == 0 { "" } else { ", " });
        shown.push_str(&key);
        shown.push('=');
        match entry {
            Some(entry) => append(shown, entry)?,
            None => shown.push_str("null"),
        }
    }
    shown.push('}');
    Ok(())
}

/// Appends the attributes of an item, or the entries of a map.
fn append_item(shown: &mut String, parser: &mut Parser<'_>) -> Result<(), Fault> {
    append_entries(shown, parser, |shown, mut value| append_attribute_value(shown, &mut value))
}

/// Appends one value in the service's form: `AttributeValue: {S:text}`.
fn append_attribute_value(shown: &mut String, parser: &mut Parser<'_>) -> Result<(), Fault> {
    if shown.len() > ECHOED_MAX_BYTES {
        return Ok(());
    }
    shown.push_str("AttributeValue: {");
    for (nth, (tag, content)) in entries(parser.fork(), ECHOED_ENTRIES_MAX)?.into_iter().enumerate()
    {
        shown.push_str(if nth == 0 { "" } else { "," });
        shown.push_str(&tag);
        shown.push(':');
        match (tag.as_str(), content) {
            (_, None) => shown.push_str("null"),
            ("M", Some(mut content)) => append_item(shown, &mut content)?,
            ("L" | "SS" | "NS" | "BS", Some(content)) => {
                append_elements(shown, content, |shown, mut element| match tag.as_str() {
                    "L" => append_attribute_value(shown, &mut element),
                    _ => append_scalar(shown, &mut element),
                })?;
            }
            (_, Some(mut content)) => append_scalar(shown, &mut content)?,
        }
    }
    shown.push('}');
    Ok(())
}

/// Appends the value's own text without the white space between its parts.
fn append_json(shown: &mut String, parser: &mut Parser<'_>) -> Result<(), Fault> {
    let (mut in_string, mut escaped) = (false, false);
    for character in parser.raw_value()?.chars() {
        if shown.len() > ECHOED_MAX_BYTES {
            break;
        }
        if in_string || !matches!(character, ' ' | '\t' | '\n' | '\r') {
            shown.push(character);
        }
        if character == '"' && !escaped {
            in_string = !in_string;
        }
        escaped = in_string && character == '\\' && !escaped;
    }
    Ok(())
}

/// Appends a member's name with its first letter in lower case.
pub fn push_lower_camel(text: &mut String, name: &str) {
    let mut letters = name.chars();
    text.extend(letters.next().map(|first| first.to_ascii_lowercase()));
    text.push_str(letters.as_str());
}
