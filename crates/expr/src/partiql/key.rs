//! A WHERE clause matched against a key schema: the partitions, and the ranges of their sort keys,
//! that can hold matching items.
//!
//! The reads cover at least the clause's items: unless [`KeyReads::is_exact`] is set, the caller
//! still has to apply the clause to the items read.

use crate::condition::{Condition, Node, Operand};
use crate::key_condition::{KeyCondition, KeyConditions, KeyOperator};
use crate::token::Comparator;
use hashrange_model::Item;
use hashrange_model::Value;
use hashrange_model::encode::Encoder;
use std::cmp::Ordering;
use std::collections::HashSet;

/// Most reads that one IN, or AND between alternatives on both sides, may be decomposed into. OR
/// only adds up alternatives, so the length of a statement bounds them.
const DECOMPOSED_MAX: usize = 50;
/// Most conditions on the sort key of all reads together; beyond, the caller reads whole partitions
/// and applies the clause.
const SORT_CONDITIONS_MAX: usize = 2_000;

/// A partition, and the range of its sort keys that all of the operators allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRead {
    /// The partition key value.
    pub partition: Value,
    /// Conditions on the sort key.
    pub sort: Vec<KeyOperator>,
}

impl KeyRead {
    /// Returns the read as key conditions; the read covers their intersection.
    pub fn conditions(&self, partition: &str, sort: Option<&str>) -> Vec<KeyConditions> {
        let condition =
            |attribute: &str, operator| KeyCondition { attribute: attribute.to_owned(), operator };
        let partition = condition(partition, KeyOperator::Equal(self.partition.clone()));
        let ranges = self.sort.iter().zip(std::iter::repeat(sort).flatten());
        let all: Vec<_> = ranges
            .map(|(operator, sort)| {
                KeyConditions(vec![partition.clone(), condition(sort, operator.clone())])
            })
            .collect();
        if all.is_empty() { vec![KeyConditions(vec![partition])] } else { all }
    }

    /// Returns whether the read fixes the sort key.
    pub fn fixes_sort(&self) -> bool {
        self.sort.iter().any(|operator| matches!(operator, KeyOperator::Equal(_)))
    }
}

/// Returns the order of two values of one key attribute.
pub fn key_order(one: &Value, other: &Value) -> Ordering {
    crate::condition::order(one.get(), other.get()).unwrap_or(Ordering::Equal)
}

/// Reads that answer a clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyReads {
    /// Reads in the order in which the clause names their partitions.
    pub reads: Vec<KeyRead>,
    /// True if every item of the reads matches the clause.
    pub is_exact: bool,
    /// True if the clause would be decomposed into more reads than are allowed; `reads` is then not
    /// all of them.
    pub is_too_many: bool,
}

/// Known part of a read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct Part {
    partition: Option<Value>,
    sort: Vec<KeyOperator>,
}

/// Alternatives that a node leaves for the keys.
struct Parts {
    alternatives: Vec<Part>,
    /// True if the alternatives say all that the node says.
    is_exact: bool,
    /// True if the node has more alternatives than one read may be decomposed into.
    is_too_many: bool,
}

impl Parts {
    /// Returns alternatives that say all that the node says.
    fn exact(alternatives: Vec<Part>) -> Self {
        Self { alternatives, is_exact: true, is_too_many: false }
    }

    /// Returns the alternatives of a node that says nothing about keys.
    fn any() -> Self {
        Self { is_exact: false, ..Self::exact(vec![Part::default()]) }
    }
}

/// Returns the reads of a clause, or `None` if the clause leaves the partition key open, so that
/// the whole table has to be read.
pub fn reads(condition: &Condition, partition: &str, sort: Option<&str>) -> Option<KeyReads> {
    let Parts { alternatives, is_exact, is_too_many } = parts(&condition.0, partition, sort);
    let reads = alternatives
        .into_iter()
        .map(|part| Some(KeyRead { partition: part.partition?, sort: part.sort }))
        .collect::<Option<Vec<_>>>()?;
    Some(KeyReads { reads, is_exact, is_too_many })
}

fn parts(node: &Node, partition: &str, sort: Option<&str>) -> Parts {
    match node {
        Node::And(nodes) => {
            let mut all = Parts::exact(vec![Part::default()]);
            for node in nodes {
                all = both(all, parts(node, partition, sort));
            }
            all
        }
        Node::Or(nodes) => {
            #[expect(
                clippy::disallowed_methods,
                reason = "parts have no order; they are only looked up, and a client writes them, \
                          against whom the random keys of std's hasher help"
            )]
            let mut known = HashSet::new();
            let mut all = Parts::exact(Vec::new());
            for node in nodes {
                let more = parts(node, partition, sort);
                let new = more.alternatives.into_iter().filter(|part| known.insert(part.clone()));
                all.alternatives.extend(new);
                all.is_exact &= more.is_exact;
                all.is_too_many |= more.is_too_many;
            }
            all
        }
        Node::In { operand: Operand::Path(path), candidates } if !path.is_nested() => {
            let name = &*path.attribute;
            let of = |candidate: &Operand| match candidate {
                Operand::Value(value) => {
                    key_part(name, KeyOperator::Equal(value.clone()), partition, sort)
                }
                _ => None,
            };
            match candidates.iter().map(of).collect::<Option<Vec<_>>>() {
                Some(alternatives) => Parts {
                    is_too_many: alternatives.len() > DECOMPOSED_MAX,
                    ..Parts::exact(alternatives)
                },
                None => Parts::any(),
            }
        }
        leaf => match key_operator(leaf)
            .and_then(|(name, operator)| key_part(name, operator, partition, sort))
        {
            Some(part) => Parts::exact(vec![part]),
            None => Parts::any(),
        },
    }
}

/// Returns the part for a condition on one key attribute.
fn key_part(
    name: &str,
    operator: KeyOperator,
    partition: &str,
    sort: Option<&str>,
) -> Option<Part> {
    match operator {
        KeyOperator::Equal(value) if name == partition => {
            Some(Part { partition: Some(value), sort: Vec::new() })
        }
        operator if sort == Some(name) => Some(Part { partition: None, sort: vec![operator] }),
        _ => None,
    }
}

/// Returns the condition of a leaf on one top-level attribute, if it can be a key condition.
fn key_operator(node: &Node) -> Option<(&str, KeyOperator)> {
    match node {
        Node::Compare { comparator, left, right } => match (name(left), name(right)) {
            (Some(name), None) => Some((name, compared(*comparator, value(right)?)?)),
            (None, Some(name)) => Some((name, compared(mirrored(*comparator), value(left)?)?)),
            _ => None,
        },
        Node::Between { operand, lower, upper } => {
            Some((name(operand)?, KeyOperator::Between(value(lower)?, value(upper)?)))
        }
        Node::BeginsWith(whole, prefix) => {
            Some((name(whole)?, KeyOperator::BeginsWith(value(prefix)?)))
        }
        _ => None,
    }
}

/// Returns the attribute's name if the operand is a whole attribute.
fn name(operand: &Operand) -> Option<&str> {
    match operand {
        Operand::Path(path) if !path.is_nested() => Some(&path.attribute),
        _ => None,
    }
}

fn value(operand: &Operand) -> Option<Value> {
    match operand {
        Operand::Value(value) => Some(value.clone()),
        _ => None,
    }
}

fn compared(comparator: Comparator, value: Value) -> Option<KeyOperator> {
    Some(match comparator {
        Comparator::Equal => KeyOperator::Equal(value),
        Comparator::NotEqual => return None,
        Comparator::Less => KeyOperator::Less(value),
        Comparator::LessOrEqual => KeyOperator::LessOrEqual(value),
        Comparator::Greater => KeyOperator::Greater(value),
        Comparator::GreaterOrEqual => KeyOperator::GreaterOrEqual(value),
    })
}

fn mirrored(comparator: Comparator) -> Comparator {
    match comparator {
        Comparator::Equal | Comparator::NotEqual => comparator,
        Comparator::Less => Comparator::Greater,
        Comparator::LessOrEqual => Comparator::GreaterOrEqual,
        Comparator::Greater => Comparator::Less,
        Comparator::GreaterOrEqual => Comparator::LessOrEqual,
    }
}

/// Returns the alternatives that satisfy both sides; an alternative with two partition keys is
/// dropped.
fn both(left: Parts, right: Parts) -> Parts {
    let is_product = left.alternatives.len() > 1 && right.alternatives.len() > 1;
    let is_decomposed_too_far =
        is_product && left.alternatives.len() * right.alternatives.len() > DECOMPOSED_MAX;
    let is_too_many = left.is_too_many || right.is_too_many || is_decomposed_too_far;
    if is_decomposed_too_far || has_too_many_sorts(&left.alternatives, &right.alternatives) {
        let is_keyed = left.alternatives.iter().all(|part| part.partition.is_some());
        let alternatives = if is_keyed { left.alternatives } else { right.alternatives };
        return Parts { alternatives, is_exact: false, is_too_many };
    }
    let mut alternatives = Vec::with_capacity(left.alternatives.len() * right.alternatives.len());
    for one in &left.alternatives {
        for two in &right.alternatives {
            let partition = match (&one.partition, &two.partition) {
                (Some(one), Some(two)) if one != two => continue,
                (one, two) => one.as_ref().or(two.as_ref()).cloned(),
            };
            let sort = one.sort.iter().chain(&two.sort).cloned().collect();
            alternatives.push(Part { partition, sort });
        }
    }
    Parts { alternatives, is_exact: left.is_exact && right.is_exact, is_too_many }
}

fn has_too_many_sorts(left: &[Part], right: &[Part]) -> bool {
    let sorts = |parts: &[Part]| parts.iter().map(|part| part.sort.len()).sum::<usize>();
    sorts(left) * right.len() + sorts(right) * left.len() > SORT_CONDITIONS_MAX
}

/// Returns the part of a clause that only filters the items of [`reads`]; `None` if there is none.
pub fn filter_of(condition: &Condition, partition: &str, sort: Option<&str>) -> Option<Condition> {
    let reads = reads(condition, partition, sort);
    if reads.as_ref().is_some_and(|reads| reads.is_exact) {
        return None;
    }
    let whole = || Some(condition.clone());
    let Node::And(nodes) = &condition.0 else { return whole() };
    if reads.is_none() {
        return whole();
    }
    let filters = nodes.iter().filter(|node| !parts(node, partition, sort).is_exact).cloned();
    let filters: Vec<_> = filters.collect();
    // Each node is exact, and still there are too many alternatives to read one by one.
    if filters.is_empty() { whole() } else { Some(Condition(Node::And(filters))) }
}

/// Filter of which a part has become a key condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsKeyCondition {
    /// Operator on the key attribute.
    pub operator: KeyOperator,
    /// Rest that stays a filter.
    pub filter: Option<Condition>,
}

/// Returns the demand of a filter on an attribute as a key condition; `None` if one key condition
/// cannot express it. Conditions inside OR and NOT stay a filter.
pub fn as_key_condition(filter: &Condition, attribute: &str) -> Option<AsKeyCondition> {
    let nodes = match &filter.0 {
        Node::And(nodes) => &nodes[..],
        node => std::slice::from_ref(node),
    };
    let (mut operators, mut rest) = (Vec::new(), Vec::new());
    for node in nodes {
        match key_operator(node) {
            Some((name, operator)) if name == attribute => operators.push(operator),
            _ => rest.push(node.clone()),
        }
    }
    let operator = match &operators[..] {
        [one] => one.clone(),
        [KeyOperator::GreaterOrEqual(lower), KeyOperator::LessOrEqual(upper)]
        | [KeyOperator::LessOrEqual(upper), KeyOperator::GreaterOrEqual(lower)]
            if key_order(lower, upper) != Ordering::Greater =>
        {
            KeyOperator::Between(lower.clone(), upper.clone())
        }
        _ => return None,
    };
    let filter = match rest.len() {
        0 => None,
        1 => rest.pop().map(Condition),
        _ => Some(Condition(Node::And(rest))),
    };
    Some(AsKeyCondition { operator, filter })
}

/// Returns whether an IN names more values of the attribute than a read may be decomposed into.
/// Source: Amazon DynamoDB developer guide, "PartiQL operators", IN.
pub fn has_too_long_in(condition: &Condition, attribute: &str) -> bool {
    longest_in_of(&condition.0, attribute) > DECOMPOSED_MAX
}

fn longest_in_of(node: &Node, attribute: &str) -> usize {
    match node {
        Node::And(nodes) | Node::Or(nodes) => {
            nodes.iter().map(|node| longest_in_of(node, attribute)).max().unwrap_or(0)
        }
        Node::Not(node) => longest_in_of(node, attribute),
        Node::In { operand, candidates } if name(operand) == Some(attribute) => candidates.len(),
        _ => 0,
    }
}

/// Returns the primary key that a clause fixes, in the order of `names`, each attribute by an
/// equality that must hold. `None` if an equality is missing.
pub fn primary_key<'n>(
    condition: &Condition,
    names: impl IntoIterator<Item = &'n str>,
) -> Option<Item> {
    let mut encoder = Encoder::new();
    let mark = encoder.begin_item();
    let mut missing = false;
    for name in names {
        match equal_value(&condition.0, name) {
            Some(value) => {
                encoder.map_entry(name);
                encoder.value_ref(&value.get());
            }
            None => missing = true,
        }
    }
    let key = encoder.end_item(mark);
    (!missing).then_some(key)
}

fn equal_value<'c>(node: &'c Node, name: &str) -> Option<&'c Value> {
    match node {
        Node::And(nodes) => nodes.iter().find_map(|node| equal_value(node, name)),
        Node::Compare { comparator: Comparator::Equal, left, right } => match (left, right) {
            (Operand::Path(path), Operand::Value(value))
            | (Operand::Value(value), Operand::Path(path))
                if &*path.attribute == name && !path.is_nested() =>
            {
                Some(value)
            }
            _ => None,
        },
        _ => None,
    }
}
