//! Conditions and filters: the compiled form of [`crate::condition()`], and its readers.
//!
//! Source of the grammar and the functions: Amazon DynamoDB developer guide, "Condition and filter
//! expressions, operators, and functions".

mod check;
mod demands;
mod evaluate;
mod filter;

use crate::parse::Parser;
use crate::path::DocumentPath;
use crate::placeholders::Placeholders;
use crate::token::Comparator;
use hashrange_model::error::{ExpressionFault, ExpressionKind, Reason};
use hashrange_model::{AttributeType, Item, Value};
use std::collections::BTreeMap;

pub(crate) use check::{check, check_bounds, check_range_operand};
pub(crate) use evaluate::order;
pub use filter::Filter;

/// Fewest joined conditions for which a [`Filter`] pays even for one item.
const JOINED_MANY: usize = 64;

/// Operand of a checked condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Operand {
    Path(DocumentPath),
    Value(Value),
    /// `size(path)`
    Size(DocumentPath),
}

/// A checked condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Or(Vec<Node>),
    And(Vec<Node>),
    Not(Box<Node>),
    Compare { comparator: Comparator, left: Operand, right: Operand },
    Between { operand: Operand, lower: Operand, upper: Operand },
    In { operand: Operand, candidates: Vec<Operand> },
    Exists(DocumentPath),
    HasType(DocumentPath, AttributeType),
    BeginsWith(Operand, Operand),
    Contains(Operand, Operand),
}

impl Node {
    /// Returns the number of tests that may read through the whole item.
    fn scans(&self) -> usize {
        let of_size = |operand: &Operand| usize::from(matches!(operand, Operand::Size(_)));
        match self {
            Self::Or(nodes) | Self::And(nodes) => nodes.iter().map(Self::scans).sum(),
            Self::Not(node) => node.scans(),
            Self::Contains(..) => 1,
            Self::Compare { left, right, .. } => of_size(left) + of_size(right),
            Self::Between { operand, lower, upper } => {
                [operand, lower, upper].into_iter().map(of_size).sum()
            }
            Self::In { operand, candidates } => {
                of_size(operand) + candidates.iter().map(of_size).sum::<usize>()
            }
            Self::Exists(_) | Self::HasType(..) | Self::BeginsWith(..) => 0,
        }
    }
}

/// A compiled `ConditionExpression` or `FilterExpression`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition(pub(crate) Node);

/// Compiles a `ConditionExpression` or, as `kind` says, a `FilterExpression`.
pub fn condition(
    kind: ExpressionKind,
    text: &str,
    placeholders: &mut Placeholders<'_>,
) -> Result<Condition, Reason> {
    compile(kind, text, placeholders)
        .map(Condition)
        .map_err(|fault| Reason::Expression(kind, fault))
}

fn compile(
    kind: ExpressionKind,
    text: &str,
    placeholders: &mut Placeholders<'_>,
) -> Result<Node, ExpressionFault> {
    let mut parser = Parser::new(kind, text, placeholders)?;
    let predicate = parser.predicate()?;
    parser.found.check_parentheses()?;
    parser.found.check_functions_known()?;
    parser.found.check_functions_placed()?;
    parser.found.check_reserved()?;
    parser.found.check_limits()?;
    check(predicate)
}

impl Condition {
    /// Returns true if the condition holds for `item`; an item that does not exist is empty.
    pub fn matches(&self, item: &Item) -> bool {
        match &self.0 {
            // Expected may join a hundred thousand conditions: each attribute is looked up once.
            Node::And(nodes) | Node::Or(nodes) if nodes.len() >= JOINED_MANY => {
                Filter::from(self).matches(item)
            }
            node => node.holds(item),
        }
    }

    /// Returns the number of tests that may read through the whole item; a condition without any is
    /// quick.
    pub fn scans(&self) -> usize {
        self.0.scans()
    }

    /// Returns the top-level attributes that the condition names, as often as it names them.
    pub fn attribute_names(&self) -> impl Iterator<Item = &str> {
        let mut paths = Vec::new();
        self.0.collect_paths(&mut paths);
        paths.into_iter().map(|path| &*path.attribute)
    }

    /// Returns the top-level attributes that the condition looks into, as often as it does.
    pub fn names_looked_into(&self) -> impl Iterator<Item = &str> {
        let mut paths = Vec::new();
        self.0.collect_paths(&mut paths);
        paths.into_iter().filter(|path| path.is_nested()).map(|path| &*path.attribute)
    }

    /// Returns the top-level attributes that the condition names outside of OR, as often as it
    /// names them there.
    pub fn attribute_names_outside_or(&self) -> impl Iterator<Item = &str> {
        let mut paths = Vec::new();
        self.0.collect_paths_outside_or(&mut paths);
        paths.into_iter().map(|path| &*path.attribute)
    }

    /// Returns the pairs of top-level attributes that the condition compares with each other.
    pub fn compared_attributes(&self) -> Vec<(&str, &str)> {
        let mut pairs = Vec::new();
        self.0.collect_compared(&mut pairs);
        pairs
    }

    /// Returns the top-level attributes that have to equal a value.
    pub fn fixed_attributes(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.0.collect_fixed(&mut names);
        names
    }

    /// Returns the top-level attributes that have to exist, each with its type if it has to have one.
    pub fn existing_attributes(&self) -> BTreeMap<&str, Option<AttributeType>> {
        self.0.existing()
    }

    /// Returns the number of values that a top-level attribute has to have one of, by IN or by OR
    /// of equalities; `None` if one of them has another type.
    pub fn candidates_of(&self, attribute: &str, of: AttributeType) -> Option<usize> {
        self.0.candidates_of(attribute, of)
    }
}

impl Operand {
    /// Returns the attribute's name if the operand is a whole attribute.
    fn attribute(&self) -> Option<&str> {
        match self {
            Self::Path(path) if !path.is_nested() => Some(&path.attribute),
            Self::Path(_) | Self::Value(_) | Self::Size(_) => None,
        }
    }

    fn collect_paths<'n>(&'n self, paths: &mut Vec<&'n DocumentPath>) {
        match self {
            Self::Path(path) | Self::Size(path) => paths.push(path),
            Self::Value(_) => {}
        }
    }
}

impl Node {
    fn collect_compared<'n>(&'n self, pairs: &mut Vec<(&'n str, &'n str)>) {
        match self {
            Self::Or(nodes) | Self::And(nodes) => {
                for node in nodes {
                    node.collect_compared(pairs);
                }
            }
            Self::Not(node) => node.collect_compared(pairs),
            Self::Compare { left, right, .. } => {
                pairs.extend(left.attribute().zip(right.attribute()));
            }
            Self::Between { .. }
            | Self::In { .. }
            | Self::Exists(_)
            | Self::HasType(..)
            | Self::BeginsWith(..)
            | Self::Contains(..) => {}
        }
    }

    fn collect_fixed<'n>(&'n self, names: &mut Vec<&'n str>) {
        match self {
            Self::And(nodes) => {
                for node in nodes {
                    node.collect_fixed(names);
                }
            }
            Self::Compare { comparator: Comparator::Equal, left, right } => match (left, right) {
                (path, Operand::Value(_)) | (Operand::Value(_), path) => {
                    names.extend(path.attribute());
                }
                (Operand::Path(_) | Operand::Size(_), Operand::Path(_) | Operand::Size(_)) => {}
            },
            Self::Or(_)
            | Self::Not(_)
            | Self::Compare { .. }
            | Self::Between { .. }
            | Self::In { .. }
            | Self::Exists(_)
            | Self::HasType(..)
            | Self::BeginsWith(..)
            | Self::Contains(..) => {}
        }
    }

    fn collect_paths_outside_or<'n>(&'n self, paths: &mut Vec<&'n DocumentPath>) {
        match self {
            Self::Or(_) => {}
            Self::And(nodes) => {
                for node in nodes {
                    node.collect_paths_outside_or(paths);
                }
            }
            Self::Not(node) => node.collect_paths_outside_or(paths),
            Self::Compare { .. }
            | Self::Between { .. }
            | Self::In { .. }
            | Self::Exists(_)
            | Self::HasType(..)
            | Self::BeginsWith(..)
            | Self::Contains(..) => self.collect_paths(paths),
        }
    }

    pub(crate) fn collect_paths<'n>(&'n self, paths: &mut Vec<&'n DocumentPath>) {
        match self {
            Self::Or(nodes) | Self::And(nodes) => {
                for node in nodes {
                    node.collect_paths(paths);
                }
            }
            Self::Not(node) => node.collect_paths(paths),
            Self::Exists(path) | Self::HasType(path, _) => paths.push(path),
            Self::Compare { left, right, .. }
            | Self::BeginsWith(left, right)
            | Self::Contains(left, right) => {
                left.collect_paths(paths);
                right.collect_paths(paths);
            }
            Self::Between { operand, lower, upper } => {
                for operand in [operand, lower, upper] {
                    operand.collect_paths(paths);
                }
            }
            Self::In { operand, candidates } => {
                operand.collect_paths(paths);
                for operand in candidates {
                    operand.collect_paths(paths);
                }
            }
        }
    }
}
