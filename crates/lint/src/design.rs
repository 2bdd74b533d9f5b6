//! Subjects of the linter: a table with its indexes, items, sizes of item collections.

use std::collections::BTreeMap;

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Attributes in the table's definitions.
    pub definitions: Vec<String>,
    /// The table itself, then its indexes.
    pub sources: Vec<Source>,
}

/// Source of a query: a table or an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its kind.
    pub kind: SourceKind,
    /// Its name.
    pub name: String,
    /// HASH attributes.
    pub partition: Vec<String>,
    /// RANGE attributes.
    pub sort: Vec<String>,
}

/// Kind of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// The table.
    Table,
    /// A local secondary index.
    Local,
    /// A global secondary index.
    Global,
}

/// The scalar attributes of an item by name; all others are left out.
pub type Item = BTreeMap<String, Scalar>;

/// Returns whether two items are of one kind: they have mostly the same attributes.
pub(crate) fn are_alike(one: &Item, other: &Item) -> bool {
    let both = one.keys().filter(|name| other.contains_key(*name)).count();
    both * 10 >= one.len().max(other.len()) * 7
}

/// A scalar value that may be in a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scalar {
    /// String
    S(String),
    /// Number, in digits
    N(String),
}

impl Scalar {
    /// Returns the text.
    pub fn text(&self) -> &str {
        match self {
            Self::S(text) | Self::N(text) => text,
        }
    }
}

/// The size of an item collection of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// The partition key, as text.
    pub partition: String,
    /// Number of its items.
    pub items: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Table {
    /// Returns whether an attribute is a key of the table or of an index.
    pub fn is_key(&self, name: &str) -> bool {
        self.sources.iter().any(|source| source.holds(name))
    }
}

impl Source {
    /// Returns whether an attribute is one of its keys.
    pub fn holds(&self, name: &str) -> bool {
        self.partition.iter().chain(&self.sort).any(|known| known == name)
    }

    /// Returns whether an item is in it: it has all keys.
    pub(crate) fn has(&self, item: &Item) -> bool {
        self.partition.iter().chain(&self.sort).all(|name| item.contains_key(name))
    }
}
