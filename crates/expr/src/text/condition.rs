//! Conditions as text; with `{:#}` without their values, which are `?` then, and `IN (?)` however many
//! there are. Parentheses stand where the form has them, and nowhere else, so that what was
//! printed compiles to the same form.

use super::literal::{path_text, value_text};
use crate::condition::{Condition, Node, Operand};
use std::fmt::{self, Display, Formatter};

impl Display for Condition {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        node(&self.0, formatter)
    }
}

fn node(it: &Node, out: &mut Formatter<'_>) -> fmt::Result {
    let hides_values = out.alternate();
    let operand = |it: &Operand| operand(it, hides_values);
    match it {
        Node::And(nodes) if nodes.is_empty() => out.write_str("TRUE"),
        Node::Or(nodes) if nodes.is_empty() => out.write_str("FALSE"),
        Node::And(nodes) => joined(nodes, " AND ", is_joined, out),
        Node::Or(nodes) => joined(nodes, " OR ", is_or, out),
        Node::Not(inner) => negated(inner, out),
        Node::Compare { comparator, left, right } => {
            write!(out, "{} {} {}", operand(left), comparator.as_str(), operand(right))
        }
        Node::Between { operand: it, lower, upper } => {
            write!(out, "{} BETWEEN {} AND {}", operand(it), operand(lower), operand(upper))
        }
        Node::In { operand: it, .. } if hides_values => write!(out, "{} IN (?)", operand(it)),
        Node::In { operand: it, candidates } => {
            let candidates: Vec<_> = candidates.iter().map(operand).collect();
            write!(out, "{} IN ({})", operand(it), candidates.join(", "))
        }
        Node::Exists(path) => write!(out, "attribute_exists({})", path_text(path)),
        Node::HasType(path, attribute_type) => {
            write!(out, "attribute_type({}, '{}')", path_text(path), attribute_type.as_str())
        }
        Node::BeginsWith(whole, prefix) => {
            write!(out, "begins_with({}, {})", operand(whole), operand(prefix))
        }
        Node::Contains(container, member) => {
            write!(out, "contains({}, {})", operand(container), operand(member))
        }
    }
}

/// Returns whether a node joins others.
fn is_joined(it: &Node) -> bool {
    matches!(it, Node::And(nodes) | Node::Or(nodes) if nodes.len() > 1)
}

/// AND binds more tightly than OR.
fn is_or(it: &Node) -> bool {
    matches!(it, Node::Or(nodes) if nodes.len() > 1)
}

fn joined(
    nodes: &[Node],
    separator: &str,
    is_enclosed: fn(&Node) -> bool,
    out: &mut Formatter<'_>,
) -> fmt::Result {
    for (nth, one) in nodes.iter().enumerate() {
        if nth > 0 {
            out.write_str(separator)?;
        }
        enclosed(one, nodes.len() > 1 && is_enclosed(one), out)?;
    }
    Ok(())
}

fn negated(inner: &Node, out: &mut Formatter<'_>) -> fmt::Result {
    if let Node::Exists(path) = inner {
        return write!(out, "attribute_not_exists({})", path_text(path));
    }
    out.write_str("NOT ")?;
    let is_not = matches!(inner, Node::Not(inner) if !matches!(**inner, Node::Exists(_)));
    enclosed(inner, is_not || is_joined(inner), out)
}

fn enclosed(it: &Node, is_enclosed: bool, out: &mut Formatter<'_>) -> fmt::Result {
    if !is_enclosed {
        return node(it, out);
    }
    out.write_str("(")?;
    node(it, out)?;
    out.write_str(")")
}

fn operand(it: &Operand, hides_values: bool) -> String {
    match it {
        Operand::Path(path) => path_text(path),
        Operand::Value(_) if hides_values => "?".to_owned(),
        Operand::Value(value) => value_text(value.get()),
        Operand::Size(path) => format!("size({})", path_text(path)),
    }
}
