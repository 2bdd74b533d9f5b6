//! Demands of a kind of request on a key: its conditions, those that a key can answer, and its
//! consumption.

use crate::TableSeen;
use crate::report::Request;
use hashrange_cost::{Pattern, Returns, Test, Tested, Used};
use std::collections::{BTreeMap, BTreeSet};

/// Most kinds of requests of a table that are examined, the dearest ones. A recording has any
/// number of them.
const NEEDS_MAX: usize = 100;
/// The bytes of a read unit.
pub(crate) const READ_UNIT_BYTES: f64 = 4096.0;

/// A kind of request that reads.
#[derive(Debug, Clone)]
pub(crate) struct Need {
    pub(crate) request: Request,
    pub(crate) used: Used,
    /// All conditions, those on keys first.
    pub(crate) conditions: Vec<Tested>,
    pub(crate) returns: Returns,
    /// True for a statement: statements do not use keys of several attributes.
    pub(crate) is_statement: bool,
}

/// Form of a key condition on an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyed {
    /// Equality with one value.
    Equal,
    /// Range of values.
    Range,
}

impl Need {
    /// Returns the kinds of requests of a table that could cost less, the dearest first.
    pub(crate) fn all(table: &TableSeen<'_>) -> Vec<Self> {
        let mut needs: Vec<Self> = asked(table)
            .into_iter()
            .filter_map(|(request, used)| Self::of(request, used))
            .collect();
        needs.sort_by(|one, other| other.used.read_units.total_cmp(&one.used.read_units));
        needs.truncate(NEEDS_MAX);
        needs
    }

    fn of(request: Request, used: Used) -> Option<Self> {
        if request.pattern.is_others || used.examined <= used.returned {
            return None;
        }
        let is_statement = match request.operation.as_str() {
            "Query" | "Scan" => false,
            "ExecuteStatement" => true,
            _ => return None,
        };
        let Pattern { mut keys, filter, returns, .. } = request.pattern.clone();
        keys.extend(filter);
        (!keys.is_empty()).then_some(Self {
            request,
            used,
            conditions: keys,
            returns,
            is_statement,
        })
    }

    /// Returns the key condition that a key could have on an attribute. A key has one condition for
    /// each of its attributes, and a query has no filter on them; a key condition also tests that
    /// the attribute exists.
    pub(crate) fn keyed(&self, name: &str) -> Option<Keyed> {
        let on_it = self.conditions.iter().filter(|it| it.names.iter().any(|known| known == name));
        let on_it: Vec<&Tested> = on_it.filter(|it| it.test != Test::Exists).collect();
        match &on_it[..] {
            [one] if one.test == Test::Equal => Some(Keyed::Equal),
            [one] if one.test == Test::Range => Some(Keyed::Range),
            _ => None,
        }
    }

    /// Returns whether the request wants only items that have an attribute.
    pub(crate) fn requires(&self, name: &str) -> bool {
        self.conditions.iter().any(|it| it.test != Test::Other && it.names == [name])
    }

    /// Returns the attributes that have one value, in the order of the conditions.
    pub(crate) fn equal(&self) -> Vec<&str> {
        self.names_keyed(Keyed::Equal)
    }

    /// Returns the attributes that have a range of values.
    pub(crate) fn ranges(&self) -> Vec<&str> {
        self.names_keyed(Keyed::Range)
    }

    fn names_keyed(&self, as_what: Keyed) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for name in self.conditions.iter().flat_map(|it| &it.names) {
            if self.keyed(name) == Some(as_what) && !found.contains(&name.as_str()) {
                found.push(name);
            }
        }
        found
    }

    /// Returns the attributes that the request tests for existence only.
    pub(crate) fn existing(&self) -> Vec<&str> {
        let exists = self.conditions.iter().filter(|it| it.test == Test::Exists);
        exists.filter_map(|it| it.names.first()).map(String::as_str).collect()
    }

    /// Returns the attributes that entries must have for a read with these conditions left over;
    /// `None` means all.
    pub(crate) fn names_read(&self, rest: &[usize]) -> Option<BTreeSet<&str>> {
        let mut names: BTreeSet<&str> = match &self.returns {
            Returns::All => return None,
            Returns::Count => BTreeSet::new(),
            Returns::Names(names) => names.iter().map(String::as_str).collect(),
        };
        let left = rest.iter().filter_map(|nth| self.conditions.get(*nth));
        names.extend(left.flat_map(|it| &it.names).map(String::as_str));
        Some(names)
    }

    /// Returns whether some of the reads were consistent, by their consumption: they used more
    /// units than others can.
    pub(crate) fn is_consistent(&self) -> bool {
        let bytes = crate::figures::exact(self.used.examined_bytes);
        let most = bytes / READ_UNIT_BYTES + crate::figures::exact(self.used.requests);
        self.used.read_units > most / 2.0 + f64::EPSILON
    }
}

/// Returns the reads of a table by kind, summed over all callers.
pub(crate) fn asked(table: &TableSeen<'_>) -> Vec<(Request, Used)> {
    let mut kinds: BTreeMap<(&str, Option<&str>, &Pattern), Used> = BTreeMap::new();
    let rows = table.recording.rows.iter().filter(|row| row.key.table == table.facts.table);
    for row in rows.filter(|row| row.used.requests > 0 && row.used.read_units > 0.0) {
        let key = (&*row.key.operation, row.key.index.as_deref(), &row.key.pattern);
        kinds.entry(key).or_default().add(&row.used);
    }
    let request = |(operation, index, pattern): (&str, Option<&str>, &Pattern)| Request {
        operation: operation.to_owned(),
        table: table.facts.table.clone(),
        index: index.map(str::to_owned),
        pattern: pattern.clone(),
    };
    kinds.into_iter().map(|(key, used)| (request(key), used)).collect()
}
