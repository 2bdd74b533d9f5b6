//! Conditions of templates: those of a WHERE clause, except that bare words between the brackets of
//! `in` are texts, and that comparisons of two attributes are refused, because the quotes were
//! forgotten.

use crate::condition::{Condition, Node, Operand};
use crate::partiql;
use hashrange_model::{AttributeValue, Reason};

/// Reason why a condition is refused.
#[derive(Debug)]
pub(super) enum Refused {
    Condition(Reason),
    /// The condition compares two attributes; holds the second.
    Attributes(String),
}

/// Parses a condition.
pub(super) fn parse(text: &str) -> Result<Condition, Refused> {
    let Condition(mut node) = partiql::condition(text).map_err(Refused::Condition)?;
    settle(&mut node)?;
    Ok(Condition(node))
}

/// Turns bare words in `in` into texts, and refuses other attributes in the place of a value.
fn settle(node: &mut Node) -> Result<(), Refused> {
    match node {
        Node::Or(nodes) | Node::And(nodes) => nodes.iter_mut().try_for_each(settle),
        Node::Not(inner) => settle(inner),
        Node::In { candidates, .. } => {
            candidates.iter_mut().for_each(word_to_text);
            candidates.iter().try_for_each(check_value)
        }
        Node::Compare { left, right, .. } => match left {
            Operand::Value(_) => Ok(()),
            Operand::Path(_) | Operand::Size(_) => check_value(right),
        },
        Node::Between { lower, upper, .. } => check_value(lower).and_then(|()| check_value(upper)),
        Node::BeginsWith(_, value) | Node::Contains(_, value) => check_value(value),
        Node::Exists(_) | Node::HasType(..) => Ok(()),
    }
}

fn word_to_text(operand: &mut Operand) {
    if let Operand::Path(path) = operand
        && !path.is_nested()
    {
        *operand = Operand::Value(AttributeValue::from(&*path.attribute).to_value());
    }
}

fn check_value(operand: &Operand) -> Result<(), Refused> {
    match operand {
        Operand::Path(path) => Err(Refused::Attributes(path.attribute.as_ref().to_owned())),
        Operand::Value(_) | Operand::Size(_) => Ok(()),
    }
}
