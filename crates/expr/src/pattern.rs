//! Conditions without their values: the tests joined by AND, in a canonical form, so that two spellings of one
//! condition are the same tests; and the same text parsed.
//!
//! | spelling | canonical |
//! |---|---|
//! | `b = ? AND a = ?` | `a = ? AND b = ?`: equalities, ranges, existence, the rest; each by text |
//! | `? < a`, `b = a` | `a > ?`, `a = b` |
//! | `a >= ? AND a <= ?` | `a BETWEEN ? AND ?` |
//! | `b = ? OR a = ?` | `a = ? OR b = ?` |
//! | `NOT (a = ? OR b = ?)` | `NOT a = ? AND NOT b = ?`; AND likewise, twice NOT not at all |
//! | the same test of a key twice | once; of others both, since their values may differ |
//!
//! Left to others: the rest of a request's pattern (the crate `cost`).

use crate::condition::{Condition, Node, Operand, check};
use crate::key_condition::{KeyCondition, KeyConditions, KeyOperator};
use crate::parse::Parser;
use crate::path::{DocumentPath, PathStep};
use crate::placeholders::Placeholders;
use crate::text::{KeyText, Path, Plain};
use crate::token::Comparator;
use hashrange_model::error::{ExpressionFault, ExpressionKind, Reason};
use hashrange_model::{ApiError, AttributeType, AttributeValue, Value};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// One of several tests joined by AND.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Tested {
    /// Kind of the test.
    pub test: Test,
    /// Text without values, such as `begins_with(place, ?)`.
    pub text: String,
    /// Top-level attributes in it, in the order of the alphabet.
    pub names: Vec<String>,
}

/// Kind of a test, by its use as key condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Test {
    /// An attribute is equal to a value.
    Equal,
    /// An attribute is in a range: compared with a value, between two, or it begins with one.
    Range,
    /// An attribute exists.
    Exists,
    /// A test that is no key condition: OR, NOT, `<>`, IN, contains, size, a part of an attribute.
    Other,
}

/// Approximate bytes of a test beside its names.
const TEST_BYTES: usize = 64;

impl Condition {
    /// Returns the approximate bytes of the tests, without making them.
    pub fn tested_bytes(&self) -> usize {
        let mut paths = Vec::new();
        self.0.collect_paths(&mut paths);
        let of_step = |step: &PathStep| match step {
            PathStep::Member(name) => name.len(),
            PathStep::Element(_) => 0,
        };
        let of_path = |path: &&DocumentPath| {
            TEST_BYTES + path.attribute.len() + path.steps.iter().map(of_step).sum::<usize>()
        };
        paths.iter().map(of_path).fold(0, usize::saturating_add)
    }

    /// Returns the tests joined by AND; one if it joins them otherwise, none if it always holds.
    pub fn tested(&self) -> Vec<Tested> {
        tested(&self.0)
    }
}

impl KeyConditions {
    /// Returns the tests of the key attributes.
    pub fn tested(&self) -> Vec<Tested> {
        let mut tested: Vec<Tested> = self.iter().map(of_key).collect();
        tested.sort();
        tested
    }
}

fn of_key(KeyCondition { attribute, operator }: &KeyCondition) -> Tested {
    let test = match operator {
        KeyOperator::Equal(_) => Test::Equal,
        _ => Test::Range,
    };
    let text = format!("{:#}", KeyText { attribute, operator });
    Tested { test, text, names: vec![attribute.clone()] }
}

/// A node that holds, or one that does not.
type Signed<'n> = (&'n Node, bool);

fn tested(node: &Node) -> Vec<Tested> {
    all_of((node, true))
}

/// Returns the tests joined by AND.
fn all_of(node: Signed<'_>) -> Vec<Tested> {
    let mut nodes = Vec::new();
    flatten(node, &mut nodes);
    let ranges = take_ranges(&mut nodes);
    let mut tested: Vec<Tested> = nodes.into_iter().map(one).chain(ranges).collect();
    tested.sort();
    // Two tests such as contains may have two values; two conditions on a key have not.
    tested.dedup_by(|one, other| one == other && one.test != Test::Other);
    tested
}

/// Collects the nodes joined by AND; those of a negated OR are.
fn flatten<'n>((node, holds): Signed<'n>, nodes: &mut Vec<Signed<'n>>) {
    match (node, holds) {
        (Node::And(inner), true) | (Node::Or(inner), false) => {
            for one in inner {
                flatten((one, holds), nodes);
            }
        }
        (Node::Not(inner), _) => flatten((inner, !holds), nodes),
        other => nodes.push(other),
    }
}

/// Returns the texts joined by OR, in their order; those of a negated AND are.
fn any_of((node, holds): Signed<'_>) -> Vec<String> {
    let mut texts = match (node, holds) {
        (Node::Or(inner), true) => inner.iter().flat_map(|one| any_of((one, true))).collect(),
        (Node::And(_), false) => {
            let mut nodes = Vec::new();
            flatten((node, true), &mut nodes);
            let ranges = take_ranges(&mut nodes);
            let texts = nodes.into_iter().flat_map(|(one, holds)| any_of((one, !holds)));
            texts.chain(ranges.into_iter().map(|range| format!("NOT {}", range.text))).collect()
        }
        (Node::Not(inner), _) => any_of((inner, !holds)),
        (Node::And(_), true) | (Node::Or(_), false) => match &all_of((node, holds))[..] {
            [] => vec!["TRUE".to_owned()],
            all => vec![joined(all)],
        },
        (leaf, true) => vec![leaf_text(leaf)],
        (Node::Exists(path), false) => vec![format!("attribute_not_exists({})", Path(path))],
        (leaf, false) => vec![format!("NOT {}", leaf_text(leaf))],
    };
    texts.sort();
    texts
}

/// Removes pairs of bounds that form a BETWEEN, and returns them as BETWEEN.
fn take_ranges(nodes: &mut Vec<Signed<'_>>) -> Vec<Tested> {
    let (mut lower, mut upper) = (BTreeMap::new(), BTreeMap::new());
    for (nth, (node, holds)) in nodes.iter().enumerate() {
        match bound(node).filter(|_| *holds) {
            Some((path, Comparator::GreaterOrEqual)) => lower.entry(path).or_insert(nth),
            Some((path, Comparator::LessOrEqual)) => upper.entry(path).or_insert(nth),
            _ => continue,
        };
    }
    let pairs: Vec<_> =
        lower.into_iter().filter_map(|(path, nth)| Some((path, nth, *upper.get(path)?))).collect();
    let taken: BTreeSet<usize> = pairs.iter().flat_map(|(_, one, other)| [*one, *other]).collect();
    let mut nth = 0;
    nodes.retain(|_| {
        nth += 1;
        !taken.contains(&(nth - 1))
    });
    pairs.into_iter().map(|(path, ..)| range(path)).collect()
}

/// Returns path and comparator of a node that compares with a value, the path on the left.
fn bound(node: &Node) -> Option<(&DocumentPath, Comparator)> {
    match node {
        Node::Compare { comparator, left: Operand::Path(path), right: Operand::Value(_) } => {
            Some((path, *comparator))
        }
        Node::Compare { comparator, left: Operand::Value(_), right: Operand::Path(path) } => {
            Some((path, mirrored(*comparator)))
        }
        _ => None,
    }
}

fn range(path: &DocumentPath) -> Tested {
    Tested {
        test: if path.is_nested() { Test::Other } else { Test::Range },
        text: format!("{} BETWEEN ? AND ?", Path(path)),
        names: vec![path.attribute.as_ref().to_owned()],
    }
}

fn one(signed: Signed<'_>) -> Tested {
    let (node, holds) = signed;
    let (text, test) = match &any_of(signed)[..] {
        [] => ("FALSE".to_owned(), Test::Other),
        [text] => (text.clone(), if holds { test(node) } else { Test::Other }),
        several => (format!("({})", several.join(" OR ")), Test::Other),
    };
    Tested { test, text, names: names(node) }
}

fn names(node: &Node) -> Vec<String> {
    let mut paths = Vec::new();
    node.collect_paths(&mut paths);
    let names: BTreeSet<&str> = paths.into_iter().map(|path| &*path.attribute).collect();
    names.into_iter().map(str::to_owned).collect()
}

fn test(node: &Node) -> Test {
    let is_attribute = |path: &DocumentPath| !path.is_nested();
    match node {
        Node::Between {
            operand: Operand::Path(path),
            lower: Operand::Value(_),
            upper: Operand::Value(_),
        }
        | Node::BeginsWith(Operand::Path(path), Operand::Value(_))
            if is_attribute(path) =>
        {
            Test::Range
        }
        Node::Exists(path) if is_attribute(path) => Test::Exists,
        node => match bound(node).filter(|(path, _)| is_attribute(path)) {
            Some((_, Comparator::Equal)) => Test::Equal,
            Some((_, Comparator::NotEqual)) | None => Test::Other,
            Some(_) => Test::Range,
        },
    }
}

/// Returns a test as text.
fn leaf_text(node: &Node) -> String {
    match node {
        Node::Compare { comparator, left, right } => {
            let (left_text, right_text) = (format!("{left:#}"), format!("{right:#}"));
            let is_value = |operand: &Operand| matches!(operand, Operand::Value(_));
            let is_turned = match (is_value(left), is_value(right)) {
                (true, false) => true,
                (false, true) => false,
                _ => left_text > right_text,
            };
            let (first, comparator, second) = if is_turned {
                (right_text, mirrored(*comparator), left_text)
            } else {
                (left_text, *comparator, right_text)
            };
            format!("{first} {} {second}", comparator.as_str())
        }
        node => format!("{:#}", Plain(node)),
    }
}

/// Returns tests joined by AND.
pub fn joined(tested: &[Tested]) -> String {
    tested.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(" AND ")
}

/// Returns an operator with its sides exchanged.
fn mirrored(comparator: Comparator) -> Comparator {
    match comparator {
        Comparator::Equal => Comparator::Equal,
        Comparator::NotEqual => Comparator::NotEqual,
        Comparator::Less => Comparator::Greater,
        Comparator::LessOrEqual => Comparator::GreaterOrEqual,
        Comparator::Greater => Comparator::Less,
        Comparator::GreaterOrEqual => Comparator::LessOrEqual,
    }
}

/// Parses a pattern, the text of a request without its values; `read` must consume all of it.
pub fn read_pattern<T>(
    text: &str,
    read: impl FnOnce(&mut PatternReader<'_, '_, '_>) -> Result<T, PatternFault>,
) -> Result<T, PatternFault> {
    let types: Vec<(String, Value)> = AttributeType::ALL
        .iter()
        .map(|it| (format!("'{}'", it.as_str()), Value::from(AttributeValue::from(it.as_str()))))
        .collect();
    let any = Value::from(AttributeValue::from(""));
    let values = types.iter().map(|(text, value)| (text.as_str(), value)).chain([("?", &any)]);
    let mut placeholders = Placeholders::of_pattern(values);
    let mut reader = PatternReader(Parser::of_pattern(text, &mut placeholders));
    let found = read(&mut reader)?;
    if reader.at_end() { Ok(found) } else { Err(reader.unexpected()) }
}

/// The text of a pattern, from its beginning to its end.
#[derive(Debug)]
pub struct PatternReader<'t, 'p, 'a>(Parser<'t, 'p, 'a>);

/// Fault of a pattern's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternFault(String);

impl fmt::Display for PatternFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for PatternFault {}

impl PatternReader<'_, '_, '_> {
    /// Returns whether the text is over.
    pub fn at_end(&self) -> bool {
        self.0.at_end()
    }

    /// Returns the fault of the text here.
    pub fn unexpected(&self) -> PatternFault {
        fault(self.0.syntax_error())
    }

    /// Passes a word that begins a section here, in capitals: an operand or a name stands behind it, no operator.
    pub fn section(&mut self, word: &str) -> bool {
        self.0.eat_section(word)
    }

    /// Passes a word as it stands.
    pub fn word(&mut self, word: &str) -> bool {
        self.0.eat_plain(word)
    }

    /// Passes a word that stands alone here, or before one of these.
    pub fn word_before(&mut self, word: &str, next: &[&str]) -> bool {
        self.0.is_next(next) && self.0.eat_plain(word)
    }

    /// Reads a text up to a blank or a semicolon, such as the name of a table.
    pub fn table(&mut self) -> Result<String, PatternFault> {
        let table = self.0.eat_until_blank();
        if table.is_empty() { Err(self.unexpected()) } else { Ok(table.to_owned()) }
    }

    /// Passes the semicolon between two members.
    pub fn semicolon(&mut self) -> bool {
        self.0.eat_semicolon()
    }

    /// Reads the names of attributes, in the order of the alphabet.
    pub fn names(&mut self) -> Result<Vec<String>, PatternFault> {
        let mut names = BTreeSet::new();
        loop {
            let path = self.0.target().map_err(fault)?;
            names.insert(path.attribute.as_ref().to_owned());
            if !self.0.eat_comma() {
                return Ok(names.into_iter().collect());
            }
        }
    }

    /// Reads tests joined by AND.
    pub fn tests(&mut self) -> Result<Vec<Tested>, PatternFault> {
        let condition = self.0.beginning_predicate().and_then(|predicate| {
            self.0.found.check_functions_known()?;
            self.0.found.check_functions_placed()?;
            check(predicate)
        });
        condition.map(|node| tested(&node)).map_err(fault)
    }
}

fn fault(fault: ExpressionFault) -> PatternFault {
    let reason = Reason::Expression(ExpressionKind::Condition, fault);
    PatternFault(ApiError::new(reason).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method itself is not general enough"
    )]
    fn read(text: &str) -> Result<Vec<Tested>, PatternFault> {
        read_pattern(text, |text| text.tests())
    }

    #[test]
    fn two_spellings_of_one_condition_are_the_same_tests() {
        for (text, canonical) in [
            ("a = ?", "a = ?"),
            ("? = a", "a = ?"),
            ("? < a AND b = ?", "b = ? AND a > ?"),
            ("b = a", "a = b"),
            ("b < a", "a > b"),
            ("c >= ? AND c <= ?", "c BETWEEN ? AND ?"),
            ("? >= c AND x = ? AND ? <= c", "x = ? AND c BETWEEN ? AND ?"),
            ("c >= ? AND c < ?", "c < ? AND c >= ?"),
            ("b = ? OR a = ?", "(a = ? OR b = ?)"),
            ("x > ? AND (b = ? OR a = ?) AND (x > ?)", "x > ? AND (a = ? OR b = ?)"),
            ("a = ? AND (b = ? AND c = ?)", "a = ? AND b = ? AND c = ?"),
            ("NOT (b = ? OR a = ?)", "NOT a = ? AND NOT b = ?"),
            ("NOT (b = ? AND a = ?)", "(NOT a = ? OR NOT b = ?)"),
            ("NOT (NOT (b = ? AND a = ?))", "a = ? AND b = ?"),
            ("NOT attribute_not_exists(a)", "attribute_exists(a)"),
            ("NOT (a >= ? AND ? >= a)", "NOT a BETWEEN ? AND ?"),
            ("a = ? OR a = ?", "(a = ? OR a = ?)"),
            ("(b = ? OR a = ?) OR c = ?", "(a = ? OR b = ? OR c = ?)"),
            (
                "a = ? OR NOT (b = ? OR (a = ? OR c = ?))",
                "(NOT a = ? AND NOT b = ? AND NOT c = ? OR a = ?)",
            ),
            ("(a = ? AND b = ?) OR (a = ? AND b = ?)", "(a = ? AND b = ? OR a = ? AND b = ?)"),
            ("c = ? AND (a = ? OR a = ?)", "c = ? AND (a = ? OR a = ?)"),
            ("NOT (a = ? AND a = ?)", "(NOT a = ? OR NOT a = ?)"),
            ("a IN (?) OR a IN (?)", "(a IN (?) OR a IN (?))"),
            ("contains(a, ?) AND contains(a, ?)", "contains(a, ?) AND contains(a, ?)"),
            (
                "NOT (NOT a = ? OR (b = ? AND NOT (c = ? AND d = ?)))",
                "a = ? AND (NOT b = ? OR c = ? AND d = ?)",
            ),
            ("attribute_not_exists(a)", "attribute_not_exists(a)"),
            ("attribute_type(a, 'SS')", "attribute_type(a, 'SS')"),
            ("size(a.b[1]) > ? AND `x ``y` IN (?)", "`x ``y` IN (?) AND size(a.b[1]) > ?"),
            ("_a = ? AND status = ?", "_a = ? AND status = ?"),
            ("a <> ? AND contains(a, ?)", "a <> ? AND contains(a, ?)"),
        ] {
            let tested = read(text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
            assert_eq!(joined(&tested), canonical, "{text}");
            assert_eq!(read(canonical), Ok(tested), "{text}");
        }
    }

    #[test]
    fn tests_that_keys_answer_are_told_from_the_others() {
        for (text, test, names) in [
            ("a = ?", Test::Equal, &["a"][..]),
            ("a < ?", Test::Range, &["a"]),
            ("a BETWEEN ? AND ?", Test::Range, &["a"]),
            ("begins_with(a, ?)", Test::Range, &["a"]),
            ("attribute_exists(a)", Test::Exists, &["a"]),
            ("attribute_not_exists(a)", Test::Other, &["a"]),
            ("a.b = ?", Test::Other, &["a"]),
            ("a.b BETWEEN ? AND ?", Test::Other, &["a"]),
            ("a = b", Test::Other, &["a", "b"]),
            ("a <> ?", Test::Other, &["a"]),
            ("a IN (?)", Test::Other, &["a"]),
            ("NOT a = ?", Test::Other, &["a"]),
            ("size(a) = ?", Test::Other, &["a"]),
            ("a = ? OR b = ?", Test::Other, &["a", "b"]),
            ("a BETWEEN b AND ?", Test::Other, &["a", "b"]),
            ("begins_with(a, b)", Test::Other, &["a", "b"]),
        ] {
            let [one] = &read(text).unwrap()[..] else { panic!("{text}") };
            assert_eq!(one.test, test, "{text}");
            assert_eq!(one.names, names, "{text}");
        }
    }

    #[test]
    fn texts_that_are_no_conditions_are_refused() {
        for text in
            ["", "`", "(((", "a BETWEEN ", ") AND (", "'", "AND AND", "a = :v", "a", "a = 'x'"]
        {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
