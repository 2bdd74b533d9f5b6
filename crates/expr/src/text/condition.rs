//! Conditions as text. `{:#}` prints `?` for each value, and `IN (?)` for any number of them;
//! `{:.100}` cuts each name and value to at most so many bytes. Parentheses stand only where the
//! form has them, so that the printed text compiles to the same form.

use super::literal::{Literal, Path};
use crate::condition::{Condition, Node, Operand};
use std::fmt::{self, Display, Formatter};

impl Display for Condition {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        node(&self.0, formatter)
    }
}

/// One node of a condition, in the form of [`Condition`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain<'n>(pub(crate) &'n Node);

impl Display for Plain<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        node(self.0, formatter)
    }
}

fn node(it: &Node, out: &mut Formatter<'_>) -> fmt::Result {
    match it {
        Node::And(nodes) if nodes.is_empty() => out.write_str("TRUE"),
        Node::Or(nodes) if nodes.is_empty() => out.write_str("FALSE"),
        Node::And(nodes) => joined(nodes, " AND ", is_joined, out),
        Node::Or(nodes) => joined(nodes, " OR ", is_or, out),
        Node::Not(inner) => negated(inner, out),
        Node::Compare { comparator, left, right } => {
            left.fmt(out)?;
            write!(out, " {} ", comparator.as_str())?;
            right.fmt(out)
        }
        Node::Between { operand, lower, upper } => {
            operand.fmt(out)?;
            out.write_str(" BETWEEN ")?;
            lower.fmt(out)?;
            out.write_str(" AND ")?;
            upper.fmt(out)
        }
        Node::In { operand, candidates } => among(operand, candidates, out),
        Node::Exists(path) => call("attribute_exists", &[&Path(path)], out),
        Node::HasType(path, attribute_type) => {
            let name = format_args!("'{}'", attribute_type.as_str());
            call("attribute_type", &[&Path(path), &name], out)
        }
        Node::BeginsWith(whole, prefix) => call("begins_with", &[whole, prefix], out),
        Node::Contains(container, member) => call("contains", &[container, member], out),
    }
}

fn among(operand: &Operand, candidates: &[Operand], out: &mut Formatter<'_>) -> fmt::Result {
    operand.fmt(out)?;
    out.write_str(" IN (")?;
    if out.alternate() {
        return out.write_str("?)");
    }
    for (nth, candidate) in candidates.iter().enumerate() {
        out.write_str(if nth == 0 { "" } else { ", " })?;
        candidate.fmt(out)?;
    }
    out.write_str(")")
}

fn call(name: &str, arguments: &[&dyn Display], out: &mut Formatter<'_>) -> fmt::Result {
    out.write_str(name)?;
    out.write_str("(")?;
    for (nth, argument) in arguments.iter().enumerate() {
        out.write_str(if nth == 0 { "" } else { ", " })?;
        argument.fmt(out)?;
    }
    out.write_str(")")
}

/// Returns whether a node joins others.
fn is_joined(it: &Node) -> bool {
    matches!(it, Node::And(nodes) | Node::Or(nodes) if nodes.len() > 1)
}

/// Returns whether a node joins others with OR, which AND binds more tightly than.
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
        return call("attribute_not_exists", &[&Path(path)], out);
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

impl Display for Operand {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => Path(path).fmt(out),
            Self::Value(_) if out.alternate() => out.write_str("?"),
            Self::Value(value) => Literal(value.get()).fmt(out),
            Self::Size(path) => call("size", &[&Path(path)], out),
        }
    }
}
