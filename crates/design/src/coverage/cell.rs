//! One access pattern against one key.

use super::SourceKey;
use super::estimate::{self, Fetched, Units};
use hashrange_advisor::{Reach, Request, reach};
use hashrange_cost::{
    AccessPattern, Definition, IndexFacts, KeyElement, Pattern, Returns, TableFacts, Test, Tested,
};
use serde::Serialize;
use std::collections::BTreeSet;

/// How a key answers an access pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Answer {
    /// A range of the key, or one item of it, is what is asked for.
    Key,
    /// A range of the key is read, and a filter leaves a part of it.
    KeyAndFilter,
    /// All of it is read.
    Scan,
    /// It does not answer it.
    No,
}

/// An access pattern against a key.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Cell {
    /// How the key answers it.
    pub answer: Answer,
    /// Conditions in the key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// Conditions left as a filter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filter: Vec<String>,
    /// Estimated read units of a request, eventually consistent; none if sizes are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_units: Option<Units>,
    /// True if the pattern asks for this key.
    pub is_asked: bool,
    /// True if each item is fetched from the table, since the entries of a local index lack attributes.
    pub is_fetched: bool,
    /// Why it does not answer it, or not by its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Attributes that every item is assumed to have, since an index lacks the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumes: Vec<String>,
}

/// Kind of an operation, by what it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Items by their whole keys.
    Items,
    /// Writes, by whole keys.
    Writes,
    /// Any part of a table or an index.
    Search,
}

fn kind(pattern: &AccessPattern) -> Kind {
    let writes = pattern.pattern.as_ref().is_some_and(|it| it.verb.is_some());
    match pattern.operation.as_str() {
        "GetItem" | "BatchGetItem" | "TransactGetItems" => Kind::Items,
        "Query" | "Scan" => Kind::Search,
        "ExecuteStatement" if !writes => Kind::Search,
        _ => Kind::Writes,
    }
}

/// Returns the cell of an access pattern and a key.
pub(super) fn of(facts: &TableFacts, source: &SourceKey, pattern: &AccessPattern) -> Cell {
    let Some(definition) = &facts.definition else { return no("the table is not known") };
    let is_asked = source.index == pattern.index;
    let cell = match kind(pattern) {
        Kind::Items | Kind::Writes
            if source.index.is_none() && !names_item(definition, pattern) =>
        {
            no("its condition is not the key of an item")
        }
        Kind::Search => search(facts, definition, source, pattern),
        kind if source.index.is_none() => Cell {
            answer: Answer::Key,
            keys: source
                .partition
                .iter()
                .chain(&source.sort)
                .map(|it| format!("{it} = ?"))
                .collect(),
            read_units: (kind == Kind::Items).then(|| estimate::of_item(facts)).flatten(),
            ..no("")
        },
        Kind::Items => no("a read of items by their keys names no index"),
        Kind::Writes => no("a write names no index"),
    };
    Cell { is_asked, why: cell.why.filter(|why| !why.is_empty()), ..cell }
}

/// Returns whether the key conditions of a pattern, if it has any, are those of one item.
fn names_item(definition: &Definition, pattern: &AccessPattern) -> bool {
    let Some(asked) = pattern.pattern.as_ref().filter(|asked| !asked.keys.is_empty()) else {
        return true;
    };
    let is_equal = |test: &Tested| test.test == Test::Equal;
    let names: BTreeSet<&str> =
        asked.keys.iter().flat_map(|test| &test.names).map(String::as_str).collect();
    let key: BTreeSet<&str> =
        definition.key_schema.iter().map(|element| element.attribute_name.as_str()).collect();
    asked.keys.iter().all(is_equal) && names == key
}

fn no(why: &str) -> Cell {
    Cell {
        answer: Answer::No,
        keys: Vec::new(),
        filter: Vec::new(),
        read_units: None,
        is_asked: false,
        is_fetched: false,
        why: Some(why.to_owned()),
        assumes: Vec::new(),
    }
}

/// A request that searches, against a key.
struct Search<'s> {
    facts: &'s TableFacts,
    definition: &'s Definition,
    source: &'s SourceKey,
    pattern: &'s AccessPattern,
    asked: &'s Pattern,
    is_asked: bool,
    /// Items that are fetched from the table.
    fetched: Fetched,
}

fn search(
    facts: &TableFacts,
    definition: &Definition,
    source: &SourceKey,
    pattern: &AccessPattern,
) -> Cell {
    let Some(asked) = &pattern.pattern else { return no("the pattern names no conditions") };
    if asked.is_others {
        return no("its conditions were not recorded");
    }
    let is_asked = source.index == pattern.index;
    let fetched = Fetched::No;
    Search { facts, definition, source, pattern, asked, is_asked, fetched }.cell()
}

impl Search<'_> {
    fn cell(mut self) -> Cell {
        let index = index_of(self.definition, self.source);
        let key = index.map_or(&self.definition.key_schema, |index| &index.key_schema);
        let request = Request {
            operation: self.pattern.operation.clone(),
            table: self.pattern.table.clone(),
            index: self.source.index.clone(),
            pattern: self.asked.clone(),
        };
        let reach = reach(&request, key);
        let filter: Vec<&Tested> = reach.as_ref().map_or_else(
            || self.asked.keys.iter().chain(&self.asked.filter).collect(),
            |reach| reach.filter.iter().collect(),
        );
        let tested: Vec<&str> =
            filter.iter().flat_map(|it| &it.names).map(String::as_str).collect();
        if let Some(index) = index {
            let by_filter = lacks(self.definition, index, &tested);
            let lacking = by_filter.clone().or_else(|| self.lacks_returned(index));
            match lacking {
                Some(why) if !self.source.is_local => return no(&why),
                Some(_) if by_filter.is_some() => self.fetched = Fetched::All,
                Some(_) => self.fetched = Fetched::Matching,
                None => {}
            }
        }
        match reach {
            Some(reach) if reach.is_query => self.by_key(&reach),
            Some(_) => self.scan(key, "a filter of a Query names no attribute of its key"),
            None => {
                let names = self.source.partition.join(", ");
                self.scan(key, &format!("no `=` gives its partition key {names} one value"))
            }
        }
    }

    fn by_key(&self, reach: &Reach) -> Cell {
        let texts = |tests: &[Tested]| tests.iter().map(|it| it.text.clone()).collect();
        let is_item = reach.is_whole && self.source.index.is_none();
        let units =
            if is_item { estimate::of_item(self.facts) } else { self.read().of_range(&reach.keys) };
        Cell {
            answer: if reach.filter.is_empty() { Answer::Key } else { Answer::KeyAndFilter },
            keys: texts(&reach.keys),
            filter: texts(&reach.filter),
            read_units: units,
            is_fetched: self.fetched != Fetched::No,
            assumes: self.assumed(&reach.untested),
            ..no("")
        }
    }

    /// Returns why entries of an index do not have all that the request returns. A request to the index itself returns
    /// what its entries have.
    fn lacks_returned(&self, index: &IndexFacts) -> Option<String> {
        match &self.asked.returns {
            Returns::Names(names) => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                lacks(self.definition, index, &names)
            }
            Returns::All if !self.is_asked && is_partial(index) => {
                Some("its entries lack attributes that the request returns".to_owned())
            }
            Returns::All | Returns::Count => None,
        }
    }

    fn read(&self) -> estimate::Read<'_> {
        estimate::Read {
            facts: self.facts,
            index: self.source.index.as_deref(),
            fetched: self.fetched,
        }
    }

    fn scan(&self, key: &[KeyElement], why: &str) -> Cell {
        let all = || self.asked.keys.iter().chain(&self.asked.filter);
        let is_tested = |name: &str| all().any(|it| it.test != Test::Other && it.names == [name]);
        let names = key.iter().map(|element| element.attribute_name.clone());
        let untested: Vec<String> = names.filter(|name| !is_tested(name)).collect();
        let assumes = self.assumed(&untested);
        let is_sampled = self.facts.sample.as_ref().is_some_and(|sample| sample.items > 0);
        if let Some(name) = assumes.first().filter(|_| is_sampled) {
            return no(&format!("it lacks the items without {name}"));
        }
        let filter: Vec<String> = all().map(|it| it.text.clone()).collect();
        Cell {
            answer: Answer::Scan,
            read_units: self.read().of_scan(!filter.is_empty()),
            is_fetched: self.fetched != Fetched::No,
            why: (!filter.is_empty()).then(|| why.to_owned()),
            filter,
            assumes,
            ..no("")
        }
    }

    /// Returns the attributes of an index's key that items may lack, so that the index lacks these items. A request to
    /// an index wants its entries, which have them.
    fn assumed(&self, untested: &[String]) -> Vec<String> {
        if self.source.index.is_none() || self.is_asked {
            return Vec::new();
        }
        let keys = &self.definition.key_schema;
        let of_table = |name: &str| keys.iter().any(|it| it.attribute_name == name);
        let is_there = |name: &str| {
            self.facts.sample.as_ref().is_some_and(|sample| {
                let seen = sample.attribute(name);
                sample.items > 0 && seen.is_some_and(|it| it.items == sample.items)
            })
        };
        untested.iter().filter(|name| !of_table(name) && !is_there(name)).cloned().collect()
    }
}

/// Returns why entries of an index do not have all of some attributes.
fn lacks(definition: &Definition, index: &IndexFacts, names: &[&str]) -> Option<String> {
    if !is_partial(index) {
        return None;
    }
    let has = |name: &str| {
        let keys = definition.key_schema.iter().chain(&index.key_schema);
        keys.into_iter().any(|it| it.attribute_name == name)
            || index.projection.non_key_attributes.iter().any(|known| known == name)
    };
    let lacking = names.iter().find(|name| !has(name));
    lacking.map(|name| format!("its entries have no {name}"))
}

/// Returns whether the entries of an index do not have all attributes of their items.
fn is_partial(index: &IndexFacts) -> bool {
    ["KEYS_ONLY", "INCLUDE"].contains(&index.projection.projection_type.as_str())
}

fn index_of<'d>(definition: &'d Definition, source: &SourceKey) -> Option<&'d IndexFacts> {
    let wanted = source.index.as_deref()?;
    let local = definition.local_secondary_indexes.iter();
    local.chain(&definition.global_secondary_indexes).find(|it| it.index_name == wanted)
}

impl Cell {
    /// Returns what is wrong if a pattern asks for this key.
    pub(super) fn fault(&self, pattern: &AccessPattern) -> Option<String> {
        let why = self.why.as_deref().unwrap_or_default();
        match self.answer {
            Answer::No => Some(why.to_owned()),
            Answer::Scan if pattern.operation == "Query" => {
                Some(format!("no Query reads so: {why}"))
            }
            Answer::Scan | Answer::Key | Answer::KeyAndFilter => None,
        }
    }

    /// Returns its kind in words.
    pub fn words(&self) -> &'static str {
        match self.answer {
            Answer::Key => "key range",
            Answer::KeyAndFilter => "filter after range",
            Answer::Scan => "scan",
            Answer::No => "not answerable",
        }
    }
}
