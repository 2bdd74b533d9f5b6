//! Intents of requests as values: each operation makes its intents between its checks and its run, one of most
//! requests, one of each member of a batch or transaction.
//!
//! An intent borrows the compiled parts of a request and allocates nothing. Its pattern, the request without its
//! values, is made only for a gate or a caller that meters the request.

use crate::environment::table_name_of;
use crate::read::Output;
use hashrange_cost::{self as cost, Member, Pattern};
use hashrange_expr::{Condition, KeyConditions, Projection, Update};
use hashrange_model::Item;
use hashrange_model::bounds::PATTERN_MAX_BYTES;
use std::collections::BTreeSet;

/// Intent of one request, or of one member of a batch or transaction, on one table.
#[derive(Debug, Clone)]
pub struct Intent<'a> {
    pub(crate) verb: Verb,
    pub(crate) table: &'a str,
    pub(crate) index: Option<&'a str>,
    pub(crate) access: Access<'a>,
    /// Filter of a read; WHERE clause of a statement.
    pub(crate) filter: Option<&'a Condition>,
    /// The condition of a write.
    pub(crate) condition: Option<&'a Condition>,
    pub(crate) update: Option<&'a Update>,
    pub(crate) returns: Returns<'a>,
    pub(crate) consistent: bool,
}

/// Verb of a request or member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Reads items by their keys.
    Get,
    /// Reads items of one partition.
    Query,
    /// Reads a table or index.
    Scan,
    /// Reads the tree of a table's keys.
    Tree,
    /// Creates or replaces an item.
    Put,
    /// Changes or creates an item.
    Update,
    /// Removes an item.
    Delete,
    /// Demands a condition of an item.
    ConditionCheck,
    /// The statement SELECT.
    Select,
    /// The statement EXISTS of a transaction.
    Exists,
    /// The statement INSERT.
    Insert,
    /// The statement UPDATE.
    UpdateStatement,
    /// The statement DELETE.
    DeleteStatement,
}

impl Verb {
    /// Returns the word for it in patterns.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "Get",
            Self::Query => "Query",
            Self::Scan => "Scan",
            Self::Tree => "Tree",
            Self::Put => "Put",
            Self::Update => "Update",
            Self::Delete => "Delete",
            Self::ConditionCheck => "ConditionCheck",
            Self::Select => "SELECT",
            Self::Exists => "EXISTS",
            Self::Insert => "INSERT",
            Self::UpdateStatement => "UPDATE",
            Self::DeleteStatement => "DELETE",
        }
    }

    /// Returns whether it is a statement that writes.
    fn is_written_statement(self) -> bool {
        matches!(self, Self::Insert | Self::UpdateStatement | Self::DeleteStatement)
    }

    fn is_statement(self) -> bool {
        self.is_written_statement() || matches!(self, Self::Select | Self::Exists)
    }
}

/// Items that a request names.
#[derive(Debug, Clone, Copy)]
pub enum Access<'a> {
    /// The item with these key attributes; an item that is put has more.
    Item(&'a Item),
    /// The items with these keys.
    Items(&'a [Item]),
    /// Items of one partition.
    Partition(&'a KeyConditions),
    /// Items that the WHERE clause of a statement names.
    Clause,
    /// All items of a table, index or segment.
    All,
}

/// Part of each item that a read returns.
#[derive(Debug, Clone, Copy)]
pub enum Returns<'a> {
    /// All attributes.
    All,
    /// Only the number of items.
    Count,
    /// Some attributes, or parts of them.
    Paths(&'a Projection),
}

impl<'a> Returns<'a> {
    pub(crate) fn of(output: &'a Output) -> Self {
        match output {
            Output::Count => Self::Count,
            Output::Projected(projection) => Self::Paths(projection),
            Output::Whole | Output::AsIndexed => Self::All,
        }
    }

    pub(crate) fn of_projection(projection: Option<&'a Projection>) -> Self {
        projection.map_or(Self::All, Self::Paths)
    }
}

impl<'a> Intent<'a> {
    /// Returns the intent of a verb on a table, by name or ARN, without any other part.
    pub(crate) fn new(verb: Verb, table: &'a str, access: Access<'a>) -> Self {
        Self {
            verb,
            table: table_name_of(table),
            index: None,
            access,
            filter: None,
            condition: None,
            update: None,
            returns: Returns::All,
            consistent: false,
        }
    }

    /// Returns the verb.
    pub fn verb(&self) -> Verb {
        self.verb
    }

    /// Returns the name of the table.
    pub fn table(&self) -> &'a str {
        self.table
    }

    /// Returns the name of the index that is read.
    pub fn index(&self) -> Option<&'a str> {
        self.index
    }

    /// Returns the items that it names.
    pub fn access(&self) -> Access<'a> {
        self.access
    }

    /// Returns whether a read is strongly consistent.
    pub fn is_consistent(&self) -> bool {
        self.consistent
    }

    /// Returns the pattern of a request of this one intent; one that is too large is among the others.
    pub fn pattern(&self) -> Pattern {
        if self.pattern_bytes() > PATTERN_MAX_BYTES {
            return Pattern::others();
        }
        let verb = match self.verb {
            Verb::Insert => Some(cost::Verb::Insert),
            Verb::UpdateStatement => Some(cost::Verb::Update),
            Verb::DeleteStatement => Some(cost::Verb::Delete),
            _ => None,
        };
        Pattern { verb, ..self.asked() }
    }

    /// Returns the approximate bytes of the pattern without making it.
    fn pattern_bytes(&self) -> usize {
        let keys = match self.access {
            Access::Partition(keys) => keys.iter().map(|key| key.attribute.len()).sum(),
            _ => 0,
        };
        let tested = [self.filter, self.condition].into_iter().flatten();
        let tested = tested.map(Condition::tested_bytes).sum::<usize>();
        let returned = match self.returns {
            Returns::Paths(projection) => projection.attribute_names().map(str::len).sum(),
            Returns::All | Returns::Count => 0,
        };
        let updated =
            self.update.map_or(0, |it| it.targets().map(|target| target.name.len()).sum());
        self.table.len() + keys + tested + returned + updated
    }

    /// Returns the pattern without the verb.
    fn asked(&self) -> Pattern {
        let tested =
            |condition: Option<&Condition>| condition.map_or_else(Vec::new, Condition::tested);
        Pattern {
            keys: match self.access {
                Access::Partition(conditions) => conditions.tested(),
                _ => Vec::new(),
            },
            filter: tested(self.filter),
            is_where: self.filter.is_some() && self.verb.is_statement(),
            condition: tested(self.condition),
            returns: match self.returns {
                Returns::All => cost::Returns::All,
                Returns::Count => cost::Returns::Count,
                Returns::Paths(projection) => match names(projection.attribute_names()) {
                    names if names.is_empty() => cost::Returns::All,
                    names => cost::Returns::Names(names),
                },
            },
            updates: self
                .update
                .map(|update| names(update.targets().map(|target| target.name)))
                .filter(|names| !names.is_empty()),
            ..Pattern::default()
        }
    }
}

/// Returns names in the order of the alphabet, each once.
fn names<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let names: BTreeSet<&str> = names.collect();
    names.into_iter().map(str::to_owned).collect()
}

/// Returns the pattern of a batch or transaction; one that is too large is among the others.
pub(crate) fn pattern_of<'i>(intents: impl IntoIterator<Item = Intent<'i>>) -> Pattern {
    let (mut members, mut bytes) = (BTreeSet::new(), 0);
    for intent in intents {
        let own_bytes = intent.pattern_bytes();
        if bytes + own_bytes > PATTERN_MAX_BYTES {
            return Pattern::others();
        }
        let (table, does) = (intent.table.to_owned(), intent.verb.as_str().to_owned());
        if members.insert(Member { table, does, pattern: intent.asked() }) {
            bytes += own_bytes;
        }
    }
    Pattern::of_members(members.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_members_stand_once_by_the_names_of_tables() {
        let key = Item::empty();
        let of = |names: &[&'static str]| {
            let intent = |name: &&'static str| Intent::new(Verb::Get, name, Access::Item(&key));
            pattern_of(names.iter().map(intent)).to_string()
        };
        let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/a";
        assert_eq!(of(&["b", "a", "b", arn]), "Get a; Get b");
        assert_eq!(of(&[]), "");
    }
}
