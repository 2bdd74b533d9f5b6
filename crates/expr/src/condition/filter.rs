//! A condition prepared for the many items of a page.
//!
//! A plain evaluation repeats its work for each operator; a filter does it once per item or not at
//! all. It looks up each path at most once, takes each size at most once, and tests equalities of
//! one operand with many values (IN, chains of OR, chains of AND with <>) by one search in a sorted
//! list. The answers are those of [`Condition::matches`], which `tests/prop_condition.rs` checks.

use super::evaluate::{self, begins_with, both, compare, contains};
use super::{Condition, Node, Operand};
use crate::evaluated::Evaluated;
use crate::path::{DocumentPath, Name};
use crate::token::Comparator;
use hashrange_model::{AttributeType, Item, Value, ValueRef};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// Most operands whose values fit an array on the stack; for more, each item takes memory.
const FEW: usize = 8;

/// A condition prepared for the many items of a page; see the head of this file.
#[derive(Debug, Clone)]
pub struct Filter {
    /// The operands that depend on the item, each once.
    operands: Vec<ItemOperand>,
    /// The top-level attributes that they name, sorted.
    attributes: Vec<Name>,
    test: Test,
    steps: usize,
    scans: usize,
}

/// An operand that depends on the item.
#[derive(Debug, Clone)]
struct ItemOperand {
    path: DocumentPath,
    is_size: bool,
    /// Offset of its attribute among those of the filter.
    attribute: usize,
}

/// Source of an operand's value.
#[derive(Debug, Clone)]
enum Term {
    /// The item: an offset among the operands of the filter.
    Item(usize),
    Value(Value),
}

#[derive(Debug, Clone)]
enum Test {
    Or(Vec<Test>),
    And(Vec<Test>),
    Not(Box<Test>),
    /// Tests whether the operand at this offset has one of many values.
    IsOneOf(usize, Choice),
    Compare {
        comparator: Comparator,
        left: Term,
        right: Term,
    },
    Between {
        operand: Term,
        lower: Term,
        upper: Term,
    },
    Exists(usize),
    HasType(usize, AttributeType),
    BeginsWith(Term, Term),
    Contains(Term, Term),
}

/// Values to search for one: their types and canonical bytes, sorted.
#[derive(Debug, Clone)]
struct Choice(Vec<(AttributeType, Box<[u8]>)>);

impl Choice {
    fn of(values: &[Value]) -> Self {
        let mut choice: Vec<_> = values.iter().map(|value| value.get().canonical()).collect();
        // A placeholder may stand in an expression a thousand times; its value is compared and
        // copied once.
        let place = |bytes: &[u8]| (bytes.as_ptr().addr(), bytes.len());
        choice.sort_unstable_by_key(|(_, bytes)| place(bytes));
        choice.dedup_by_key(|(attribute_type, bytes)| (*attribute_type, place(bytes)));
        choice.sort_unstable_by(|one, two| rank(one.0, one.1).cmp(&rank(two.0, two.1)));
        choice.dedup();
        Self(choice.into_iter().map(|(of_type, bytes)| (of_type, Box::from(bytes))).collect())
    }

    fn has(&self, value: ValueRef<'_>) -> bool {
        let (attribute_type, bytes) = value.canonical();
        let wanted = rank(attribute_type, bytes);
        self.0.binary_search_by(|(of_type, bytes)| rank(*of_type, bytes).cmp(&wanted)).is_ok()
    }
}

/// Returns the sort key of a value; the length comes first, because it is the cheapest to compare.
fn rank(attribute_type: AttributeType, bytes: &[u8]) -> (usize, AttributeType, &[u8]) {
    (bytes.len(), attribute_type, bytes)
}

impl From<&Condition> for Filter {
    fn from(condition: &Condition) -> Self {
        let mut builder = Builder::default();
        let test = builder.test(&condition.0);
        let Builder { mut operands, .. } = builder;
        let mut attributes: Vec<Name> =
            operands.iter().map(|operand| operand.path.attribute.clone()).collect();
        attributes.sort_unstable();
        attributes.dedup();
        for operand in &mut operands {
            operand.attribute = attributes
                .binary_search(&operand.path.attribute)
                .expect("the attributes were taken from the operands");
        }
        let (mut steps, mut scans) = (0, 0);
        test.count(&mut steps, &mut scans);
        scans += operands.iter().filter(|operand| operand.is_size).count();
        Self { operands, attributes, test, steps, scans }
    }
}

impl Filter {
    /// Returns true if the condition holds for `item`.
    pub fn matches(&self, item: &Item) -> bool {
        if self.operands.len() <= FEW {
            let found: [CachedOperand<'_>; FEW] = std::array::from_fn(|_| OnceCell::new());
            return self.test.holds(&Lookup {
                filter: self,
                item,
                attributes: None,
                found: &found,
            });
        }
        let found: Vec<CachedOperand<'_>> = self.operands.iter().map(|_| OnceCell::new()).collect();
        let attributes = self.find_attributes(item);
        let lookup = Lookup { filter: self, item, attributes: Some(&attributes), found: &found };
        self.test.holds(&lookup)
    }

    /// Returns the most tests that an item costs; a search among many values counts as one for each
    /// doubling of their number.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Returns the number of tests that may read through the whole item.
    pub fn scans(&self) -> usize {
        self.scans
    }

    /// Returns the values of the filter's attributes: one walk through the item, whose attributes
    /// are sorted like them.
    fn find_attributes<'i>(&self, item: &'i Item) -> Vec<Option<ValueRef<'i>>> {
        let mut entries = item.attributes().raw_values().peekable();
        let find = |attribute: &str| {
            let wanted = attribute.as_bytes();
            while entries.next_if(|(name, _)| *name < wanted).is_some() {}
            entries.next_if(|(name, _)| *name == wanted).map(|(_, value)| value.into())
        };
        self.attributes.iter().map(AsRef::as_ref).map(find).collect()
    }
}

/// Value of an operand for one item, once it was looked up.
type CachedOperand<'i> = OnceCell<Option<Evaluated<'i>>>;

/// The operands of a filter for one item.
struct Lookup<'l, 'i> {
    filter: &'l Filter,
    item: &'i Item,
    /// Values of the filter's attributes, if all were looked up in one walk.
    attributes: Option<&'l [Option<ValueRef<'i>>]>,
    found: &'l [CachedOperand<'i>],
}

impl Lookup<'_, '_> {
    fn looked(&self, nth: usize) -> Option<ValueRef<'_>> {
        self.found[nth].get_or_init(|| self.evaluate(nth)).as_ref().map(Evaluated::get)
    }

    fn term<'t>(&'t self, term: &'t Term) -> Option<ValueRef<'t>> {
        match term {
            Term::Item(nth) => self.looked(*nth),
            Term::Value(value) => Some(value.get()),
        }
    }

    fn has_no_size(&self, term: &Term) -> bool {
        match term {
            Term::Item(nth) => self.filter.operands[*nth].is_size && self.looked(*nth).is_none(),
            Term::Value(_) => false,
        }
    }
}

impl<'i> Lookup<'_, 'i> {
    fn evaluate(&self, nth: usize) -> Option<Evaluated<'i>> {
        let operand = &self.filter.operands[nth];
        let attribute = match self.attributes {
            Some(attributes) => attributes[operand.attribute],
            None => self.item.get(&operand.path.attribute),
        };
        let value = operand.path.descend(attribute?)?;
        if operand.is_size {
            return evaluate::size(value).map(Evaluated::Computed);
        }
        Some(Evaluated::Stored(value))
    }
}

impl Test {
    fn holds(&self, lookup: &Lookup<'_, '_>) -> bool {
        match self {
            Self::Or(tests) => tests.iter().any(|test| test.holds(lookup)),
            Self::And(tests) => tests.iter().all(|test| test.holds(lookup)),
            Self::Not(test) => !test.holds(lookup),
            Self::IsOneOf(nth, choice) => {
                lookup.looked(*nth).is_some_and(|value| choice.has(value))
            }
            Self::Compare { comparator, left, right } => {
                !lookup.has_no_size(left)
                    && !lookup.has_no_size(right)
                    && compare(*comparator, lookup.term(left), lookup.term(right))
            }
            Self::Between { operand, lower, upper } => {
                let value = lookup.term(operand);
                compare(Comparator::GreaterOrEqual, value, lookup.term(lower))
                    && compare(Comparator::LessOrEqual, value, lookup.term(upper))
            }
            Self::Exists(nth) => lookup.looked(*nth).is_some(),
            Self::HasType(nth, attribute_type) => {
                lookup.looked(*nth).is_some_and(|value| value.attribute_type() == *attribute_type)
            }
            Self::BeginsWith(whole, prefix) => {
                both(lookup.term(whole), lookup.term(prefix), begins_with)
            }
            Self::Contains(container, member) => {
                both(lookup.term(container), lookup.term(member), contains)
            }
        }
    }

    fn count(&self, steps: &mut usize, scans: &mut usize) {
        *steps += 1;
        match self {
            Self::Or(tests) | Self::And(tests) => {
                for test in tests {
                    test.count(steps, scans);
                }
            }
            Self::Not(test) => test.count(steps, scans),
            Self::IsOneOf(_, choice) => {
                *steps += choice.0.len().checked_ilog2().unwrap_or(0) as usize;
            }
            Self::Contains(..) => *scans += 1,
            Self::Compare { .. }
            | Self::Between { .. }
            | Self::Exists(_)
            | Self::HasType(..)
            | Self::BeginsWith(..) => {}
        }
    }
}

/// Builds tests from nodes and gives each operand its offset.
#[derive(Default)]
struct Builder<'n> {
    operands: Vec<ItemOperand>,
    offsets: BTreeMap<(&'n DocumentPath, bool), usize>,
}

/// Kind of equalities of one operand that are joined into one search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chain {
    /// `a = :x OR a = :y`
    Equal,
    /// `a <> :x AND a <> :y`
    NotEqual,
}

impl<'n> Builder<'n> {
    fn test(&mut self, node: &'n Node) -> Test {
        match node {
            Node::Or(nodes) => self.chain(Chain::Equal, nodes),
            Node::And(nodes) => self.chain(Chain::NotEqual, nodes),
            Node::Not(node) => Test::Not(Box::new(self.test(node))),
            Node::Compare { comparator, left, right } => Test::Compare {
                comparator: *comparator,
                left: self.term(left),
                right: self.term(right),
            },
            Node::Between { operand, lower, upper } => Test::Between {
                operand: self.term(operand),
                lower: self.term(lower),
                upper: self.term(upper),
            },
            Node::In { operand, candidates } => self.one_of(operand, candidates),
            Node::Exists(path) => Test::Exists(self.offset(path, false)),
            Node::HasType(path, attribute_type) => {
                Test::HasType(self.offset(path, false), *attribute_type)
            }
            Node::BeginsWith(whole, prefix) => {
                Test::BeginsWith(self.term(whole), self.term(prefix))
            }
            Node::Contains(container, member) => {
                Test::Contains(self.term(container), self.term(member))
            }
        }
    }

    /// Joins the equalities of each operand; the order of tests in a chain does not matter.
    fn chain(&mut self, chain: Chain, nodes: &'n [Node]) -> Test {
        let mut links = Vec::new();
        flatten(chain, nodes, &mut links);
        let mut tests = Vec::new();
        let mut values: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
        for link in links {
            let Some((operand, wanted)) = chain.equality(link) else {
                tests.push(self.test(link));
                continue;
            };
            let nth = self.offset_of(operand);
            values.entry(nth).or_default().extend(wanted);
        }
        let choices = values.into_iter().map(|(nth, values)| {
            let test = Test::IsOneOf(nth, Choice::of(&values));
            match chain {
                Chain::Equal => test,
                Chain::NotEqual => Test::Not(Box::new(test)),
            }
        });
        // They come first, because they cost the least.
        let mut all: Vec<Test> = choices.collect();
        all.append(&mut tests);
        match chain {
            Chain::Equal => Test::Or(all),
            Chain::NotEqual => Test::And(all),
        }
    }

    fn one_of(&mut self, operand: &'n Operand, candidates: &'n [Operand]) -> Test {
        let mut tests = Vec::new();
        let mut values = Vec::new();
        for candidate in candidates {
            match (operand, candidate) {
                (Operand::Path(_) | Operand::Size(_), Operand::Value(value)) => {
                    values.push(value.clone());
                }
                _ => tests.push(Test::Compare {
                    comparator: Comparator::Equal,
                    left: self.term(operand),
                    right: self.term(candidate),
                }),
            }
        }
        if !values.is_empty() {
            tests.insert(0, Test::IsOneOf(self.offset_of(operand), Choice::of(&values)));
        }
        Test::Or(tests)
    }

    fn term(&mut self, operand: &'n Operand) -> Term {
        match operand {
            Operand::Value(value) => Term::Value(value.clone()),
            Operand::Path(path) => Term::Item(self.offset(path, false)),
            Operand::Size(path) => Term::Item(self.offset(path, true)),
        }
    }

    /// Returns the offset of an operand that is no value.
    fn offset_of(&mut self, operand: &'n Operand) -> usize {
        match operand {
            Operand::Path(path) => self.offset(path, false),
            Operand::Size(path) => self.offset(path, true),
            Operand::Value(_) => unreachable!("only paths and sizes are looked up"),
        }
    }

    fn offset(&mut self, path: &'n DocumentPath, is_size: bool) -> usize {
        *self.offsets.entry((path, is_size)).or_insert_with(|| {
            self.operands.push(ItemOperand { path: path.clone(), is_size, attribute: 0 });
            self.operands.len() - 1
        })
    }
}

/// Adds the links of a chain, including those of nested chains of the same kind.
fn flatten<'n>(chain: Chain, nodes: &'n [Node], links: &mut Vec<&'n Node>) {
    for node in nodes {
        match (chain, node) {
            (Chain::Equal, Node::Or(inner)) | (Chain::NotEqual, Node::And(inner)) => {
                flatten(chain, inner, links);
            }
            (_, link) => links.push(link),
        }
    }
}

impl Chain {
    /// Returns operand and values of a link that is an equality of this chain. A value without a
    /// size is neither equal nor unequal to anything, so sizes are in chains of the first kind
    /// only.
    fn equality(self, link: &Node) -> Option<(&Operand, Vec<Value>)> {
        let (comparator, sides) = match link {
            Node::Compare { comparator, left, right } => (*comparator, (left, right)),
            Node::In { operand, candidates } if self == Self::Equal => {
                let values: Option<Vec<Value>> = candidates.iter().map(literal).collect();
                return (literal(operand).is_none()).then_some(operand).zip(values);
            }
            _ => return None,
        };
        let ((operand, Operand::Value(value)) | (Operand::Value(value), operand)) = sides else {
            return None;
        };
        let fits = matches!(
            (self, comparator, operand),
            (Self::Equal, Comparator::Equal, Operand::Path(_) | Operand::Size(_))
                | (Self::NotEqual, Comparator::NotEqual, Operand::Path(_))
        );
        fits.then(|| (operand, vec![value.clone()]))
    }
}

fn literal(operand: &Operand) -> Option<Value> {
    match operand {
        Operand::Value(value) => Some(value.clone()),
        Operand::Path(_) | Operand::Size(_) => None,
    }
}
