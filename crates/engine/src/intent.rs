//! What a request wants, as values: each operation makes its intents between its checks and its run, one of
//! most requests, one of each member of a batch or transaction.
//!
//! An intent borrows what the request has compiled and allocates nothing. Its pattern, the request without its
//! values, is written for those who ask for it.

use crate::environment::table_name_of;
use crate::read::Output;
use hashrange_expr::{Condition, KeyConditions, Name, Projection, Update};
use hashrange_model::Item;
use hashrange_model::bounds::{CUT, SHAPE_MAX_BYTES, beginning};
use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

/// What one request, or one member of a batch or transaction, wants of a table.
#[derive(Debug, Clone)]
pub struct Intent<'a> {
    pub(crate) verb: Verb,
    pub(crate) table: &'a str,
    pub(crate) index: Option<&'a str>,
    pub(crate) access: Access<'a>,
    /// The filter of a read; of a statement its WHERE clause.
    pub(crate) filter: Option<&'a Condition>,
    /// The condition of a write.
    pub(crate) condition: Option<&'a Condition>,
    pub(crate) update: Option<&'a Update>,
    pub(crate) returns: Returns<'a>,
    pub(crate) consistent: bool,
}

/// What a request or member does.
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

/// Which items a request is about.
#[derive(Debug, Clone, Copy)]
pub enum Access<'a> {
    /// The item with these key attributes; an item that is put has more.
    Item(&'a Item),
    /// The items with these keys.
    Items(&'a [Item]),
    /// Items of one partition.
    Partition(&'a KeyConditions),
    /// Those that the WHERE clause of a statement names.
    Clause,
    /// All of a table or index, or of a segment of it.
    All,
}

/// What is returned of each item.
#[derive(Debug, Clone, Copy)]
pub enum Returns<'a> {
    /// All of it that is read.
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
    /// Returns the intent that says no more than what is done to which table, by name or ARN.
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

    /// Returns what is done.
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

    /// Returns which items it is about.
    pub fn access(&self) -> Access<'a> {
        self.access
    }

    /// Returns whether a read is strongly consistent.
    pub fn is_consistent(&self) -> bool {
        self.consistent
    }

    /// Returns the pattern of a request of this one intent: the request without its values.
    pub(crate) fn pattern(&self) -> String {
        let mut pattern = Pattern::default();
        // What does not fit is cut.
        let _cut = pattern.one(self);
        pattern.0
    }

    fn tell(&self, pattern: &mut Pattern) -> fmt::Result {
        if let Access::Partition(conditions) = self.access {
            pattern.part(format_args!("{conditions:#}"))?;
        }
        if let Some(update) = self.update {
            pattern.names("UPDATES", update.targets().map(|target| target.name))?;
        }
        if let Some(filter) = self.filter {
            let word = if self.verb.is_statement() { "WHERE" } else { "FILTER" };
            pattern.part(format_args!("{word} {filter:#}"))?;
        }
        if let Some(condition) = self.condition {
            pattern.part(format_args!("IF {condition:#}"))?;
        }
        match self.returns {
            Returns::All => Ok(()),
            Returns::Count => pattern.part(format_args!("RETURNS COUNT")),
            Returns::Paths(projection) => pattern.names("RETURNS", projection.attribute_names()),
        }
    }
}

/// Returns the pattern of a batch or transaction: its members in their order, those that are equal once.
pub(crate) fn pattern_of<'i>(intents: impl IntoIterator<Item = Intent<'i>>) -> String {
    let mut pattern = Pattern::default();
    // What does not fit is cut.
    let _cut = pattern.members(intents);
    pattern.0
}

/// A pattern while it is written; it takes no more than its bound.
#[derive(Debug, Default)]
struct Pattern(String);

impl Pattern {
    fn one(&mut self, intent: &Intent<'_>) -> fmt::Result {
        if intent.verb.is_written_statement() {
            self.part(format_args!("{}", intent.verb.as_str()))?;
        }
        intent.tell(self)
    }

    fn members<'i>(&mut self, intents: impl IntoIterator<Item = Intent<'i>>) -> fmt::Result {
        let mut known = BTreeSet::new();
        for intent in intents {
            let mut member = Self::default();
            let told = member.part(format_args!("{} {}", intent.verb.as_str(), intent.table));
            // What does not fit is cut.
            let _cut = told.and_then(|()| intent.tell(&mut member));
            if known.contains(&member.0) {
                continue;
            }
            self.write_str(if known.is_empty() { "" } else { "; " })?;
            self.write_str(&member.0)?;
            known.insert(member.0);
        }
        Ok(())
    }

    /// Writes a part behind a space, unless it is the first.
    fn part(&mut self, part: fmt::Arguments<'_>) -> fmt::Result {
        if !self.0.is_empty() {
            self.write_str(" ")?;
        }
        self.write_fmt(part)
    }

    /// Writes names in their order, each once, so that whoever asks the same asks in the same words.
    fn names<'n>(&mut self, what: &str, names: impl Iterator<Item = &'n str>) -> fmt::Result {
        let text = |name| format!("{:.SHAPE_MAX_BYTES$}", Name(name));
        let names: BTreeSet<String> = names.map(text).collect();
        let mut names = names.iter();
        let Some(first) = names.next() else { return Ok(()) };
        self.part(format_args!("{what} {first}"))?;
        names.try_for_each(|name| write!(self, ", {name}"))
    }
}

impl fmt::Write for Pattern {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() <= SHAPE_MAX_BYTES {
            self.0.push_str(text);
            return Ok(());
        }
        let room = SHAPE_MAX_BYTES.saturating_sub(self.0.len());
        self.0.push_str(beginning(text, room));
        self.0.push_str(CUT);
        Err(fmt::Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_members_stand_once_and_no_more_than_fit() {
        let key = Item::empty();
        let tables = |names: &[&str]| {
            pattern_of(names.iter().map(|name| Intent::new(Verb::Get, name, Access::Item(&key))))
        };
        let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/a";
        assert_eq!(tables(&["b", "a", "b", arn]), "Get b; Get a");
        assert_eq!(tables(&[]), "");
        let names: Vec<String> = (0..100).map(|nth| format!("t{nth}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let cut = tables(&names);
        assert!(cut.ends_with("...") && cut.len() <= SHAPE_MAX_BYTES + 3, "{cut}");
    }
}
