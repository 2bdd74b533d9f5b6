//! Fit of a key to a kind of request: the conditions that it answers, and the request that reads by
//! it.
//!
//! A Query names every attribute of the partition key by `=`, then attributes of the sort key in
//! their order by `=`, and one more by a range. The other conditions are its filter, which names no
//! attribute of the key. An index has an item only if that has all attributes of its key. Source:
//! DynamoDB developer guide, "Multi-attribute keys pattern".

use crate::TableSeen;
use crate::need::{Keyed, Need};
use crate::report::Request;
use hashrange_cost::{Pattern, Sample, Test, Tested, key_names};

/// The attributes of a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) partition: Vec<String>,
    pub(crate) sort: Vec<String>,
}

/// Conditions of a request that a key answers, and those left over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fit {
    /// Offsets of the conditions that it answers.
    pub(crate) covered: Vec<usize>,
    /// Offsets of the conditions left over as a filter.
    pub(crate) rest: Vec<usize>,
    /// True if the index is scanned whole: it holds only the wanted items.
    pub(crate) is_scan: bool,
    /// Attributes that the items are assumed to have although the request does not test them.
    pub(crate) taken_for_granted: Vec<String>,
}

impl Key {
    pub(crate) fn attributes(&self) -> impl Iterator<Item = &str> {
        self.partition.iter().chain(&self.sort).map(String::as_str)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.attributes().any(|known| known == name)
    }

    pub(crate) fn of(schema: &[hashrange_cost::KeyElement]) -> Self {
        let owned = |kind| key_names(schema, kind).into_iter().map(str::to_owned).collect();
        Self { partition: owned("HASH"), sort: owned("RANGE") }
    }

    /// Returns the fit to a request; `None` if the key does not answer it.
    pub(crate) fn fit(&self, table: &TableSeen<'_>, need: &Need, is_table: bool) -> Option<Fit> {
        let is_simple = self.partition.len() == 1 && self.sort.len() <= 1;
        if need.is_statement && !is_simple {
            return None;
        }
        let taken_for_granted = self.taken_for_granted(table, need)?;
        let fit = self.as_query(need).or_else(|| self.as_scan(need).filter(|_| !is_table))?;
        Some(Fit { taken_for_granted, ..fit })
    }

    /// Returns the attributes of the key that the request does not test; `None` if an item may lack
    /// them.
    fn taken_for_granted(&self, table: &TableSeen<'_>, need: &Need) -> Option<Vec<String>> {
        let of_table = Self::of(&table.definition.key_schema);
        let silent = self.attributes().filter(|name| !of_table.has(name) && !need.requires(name));
        let sample = table.facts.sample.as_ref();
        silent.map(|name| always_there(sample, name).then(|| name.to_owned())).collect()
    }

    fn as_query(&self, need: &Need) -> Option<Fit> {
        let (covered, rest) = self.covered(need)?;
        let left = rest.iter().filter_map(|nth| need.conditions.get(*nth));
        let is_allowed = !left.flat_map(|it| &it.names).any(|name| self.has(name));
        is_allowed.then_some(Fit { covered, rest, is_scan: false, taken_for_granted: Vec::new() })
    }

    /// Returns the conditions that a read by the key answers, and those left over; `None` if the
    /// request is no read by it.
    pub(crate) fn covered(&self, need: &Need) -> Option<(Vec<usize>, Vec<usize>)> {
        let is_simple = self.partition.len() == 1 && self.sort.len() <= 1;
        if need.is_statement && !is_simple {
            return None;
        }
        if !self.partition.iter().all(|name| need.keyed(name) == Some(Keyed::Equal)) {
            return None;
        }
        let mut named: Vec<&str> = self.partition.iter().map(String::as_str).collect();
        for name in &self.sort {
            match need.keyed(name) {
                Some(Keyed::Equal) => named.push(name),
                Some(Keyed::Range) => {
                    named.push(name);
                    break;
                }
                None => break,
            }
        }
        let is_covered = |nth: &usize| {
            need.conditions.get(*nth).is_some_and(|it| match it.test {
                Test::Equal | Test::Range => it.names.iter().any(|name| named.contains(&&**name)),
                Test::Exists => it.names.iter().any(|name| self.has(name)),
                Test::Other => false,
            })
        };
        Some((0..need.conditions.len()).partition(is_covered))
    }

    fn as_scan(&self, need: &Need) -> Option<Fit> {
        let is_covered = |nth: &usize| {
            let condition = need.conditions.get(*nth);
            condition.is_some_and(|it| {
                it.test == Test::Exists && it.names.iter().any(|name| self.has(name))
            })
        };
        let (covered, rest): (Vec<usize>, Vec<usize>) =
            (0..need.conditions.len()).partition(is_covered);
        let fit = Fit { covered, rest, is_scan: true, taken_for_granted: Vec::new() };
        (!fit.covered.is_empty()).then_some(fit)
    }
}

/// Returns the request that reads by a key instead.
pub(crate) fn instead(need: &Need, index: Option<&str>, fit: &Fit) -> Request {
    let rest = fit.rest.iter().filter_map(|nth| need.conditions.get(*nth));
    let mut pattern = Pattern { returns: need.returns.clone(), ..Pattern::default() };
    if need.is_statement {
        pattern.filter.clone_from(&need.conditions);
        pattern.is_where = true;
    } else {
        pattern.filter = rest.cloned().collect();
        pattern.keys = if fit.is_scan { Vec::new() } else { key_conditions(need, fit) };
    }
    pattern.filter.sort();
    let operation = match (need.is_statement, fit.is_scan) {
        (true, _) => "ExecuteStatement",
        (false, true) => "Scan",
        (false, false) => "Query",
    };
    Request {
        operation: operation.to_owned(),
        table: need.request.table.clone(),
        index: index.map(str::to_owned),
        pattern,
    }
}

/// Returns the key conditions of a request that reads by a key.
fn key_conditions(need: &Need, fit: &Fit) -> Vec<Tested> {
    let covered = fit.covered.iter().filter_map(|nth| need.conditions.get(*nth));
    let mut keys: Vec<Tested> = covered.filter(|it| it.test != Test::Exists).cloned().collect();
    keys.sort();
    keys
}

/// Returns whether every item of the sample has an attribute, of one type.
pub(crate) fn always_there(sample: Option<&Sample>, name: &str) -> bool {
    sample.is_some_and(|sample| {
        let seen = sample.attribute(name);
        sample.items > 0 && seen.is_some_and(|it| it.items == sample.items && it.types.len() == 1)
    })
}
