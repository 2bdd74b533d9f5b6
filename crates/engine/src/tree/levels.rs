//! Nodes of an entry, and the range of keys of each.
//!
//! Sort key attributes before the last one are a level each. The last one, if it is a string, is divided at the
//! delimiter, from its beginning and without overlaps, or by its template: so a prefix narrows the tree and never
//! divides it otherwise. A number or binary data is one level.
//!
//! Invariants: the ranges of two nodes are disjoint or nested; the nodes of an entry lie in each other, in their
//! order, and all within the requested range.

use super::{NodeKind, TreeNode};
use crate::layout::{self, SortBounds};
use crate::schema::{Index, IndexId, KeyAttribute, KeySchema, KeyType, Table};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hashrange_expr::{KeyOperator, KeyPart};
use hashrange_model::{AttributeValue, Item, Number, Value, ValueRef};
use hashrange_storage::{Key, KeyRange};

/// Default delimiter of sort keys.
const DELIMITER: &str = "#";

/// Levels into which keys are divided.
#[derive(Debug)]
pub(crate) enum Levels<'t> {
    /// Partition keys, one level.
    Partitions {
        /// The table.
        table: &'t Table,
        /// The index, if its keys are read.
        index: Option<&'t Index>,
    },
    /// The sort keys of one partition.
    Sort(SortLevels<'t>),
}

/// Division of sort keys.
#[derive(Debug)]
pub(crate) struct SortLevels<'t> {
    pub(crate) schema: &'t KeySchema,
    /// Key bytes up to the partition key.
    pub(crate) partition: Key,
    /// Whether the keys are those of the table, which end with the sort key.
    pub(crate) is_base: bool,
    /// Values of the first attributes, from the request.
    pub(crate) fixed: Vec<Value>,
    /// Beginning of the next attribute; empty if any.
    pub(crate) prefix: String,
    /// Delimiter of the last attribute; if none, its template divides it, and [`DELIMITER`] keys that do not match.
    pub(crate) delimiter: Option<String>,
    pub(crate) table: &'t Table,
    /// Most levels.
    pub(crate) depth: usize,
}

/// A node that an entry lies in.
#[derive(Debug, Clone)]
pub(crate) struct PathNode {
    pub(crate) kind: NodeKind,
    pub(crate) name: String,
    pub(crate) key: Item,
    /// Its keys, and no others.
    pub(crate) range: KeyRange,
}

impl PathNode {
    /// Returns the node of the answer, at a level from 1.
    pub(super) fn show(&self, level: usize, table: &Table) -> TreeNode {
        let (name, key) = (self.name.clone(), self.key.clone());
        TreeNode { kind: self.kind, level, name, key, parts: self.parts(table), counts: None }
    }

    /// Returns whether it is more than the items or entries of one key.
    pub(super) fn is_divided(&self) -> bool {
        self.kind != NodeKind::Item
    }

    /// Returns the parts of its key by the templates.
    pub(super) fn parts(&self, table: &Table) -> Vec<KeyPart> {
        let last = self.key.iter().count().saturating_sub(1);
        let mut parts = Vec::new();
        for (nth, (name, value)) in self.key.iter().enumerate() {
            let ValueRef::S(text) = value else { continue };
            let is_beginning = self.kind == NodeKind::Folder && nth == last;
            let reading = table.key_reading(name, text, is_beginning);
            parts.extend(reading.into_iter().flat_map(|reading| reading.parts));
        }
        parts
    }
}

impl Levels<'_> {
    /// Returns the nodes of an entry, from the outermost to the deepest shown.
    pub(crate) fn path(&self, entry: &Item) -> Vec<PathNode> {
        match self {
            Self::Partitions { table, index } => vec![partition(table, *index, entry)],
            Self::Sort(levels) => levels.path(&levels.values(entry), NodeKind::Item),
        }
    }

    /// Returns whether nothing is shown within a node of this kind and level.
    pub(super) fn is_deepest(&self, kind: NodeKind, level: usize) -> bool {
        match (self, kind) {
            (Self::Sort(levels), NodeKind::Folder) => level >= levels.depth,
            (Self::Sort(_) | Self::Partitions { .. }, _) => true,
        }
    }
}

fn partition(table: &Table, index: Option<&Index>, entry: &Item) -> PathNode {
    let schema = index.map_or(&table.key, |index| &index.key);
    let id = index.map_or(IndexId::BASE, |index| index.id);
    let prefix = layout::partition_prefix(table.id(), id, schema, entry)
        .expect("an entry holds the partition key of its index");
    let names: Vec<String> = schema
        .partition
        .iter()
        .filter_map(|attribute| entry.get(&attribute.name).map(name_of))
        .collect();
    let of_partition = |name: &str| schema.partition.iter().any(|known| known.name == name);
    PathNode {
        kind: NodeKind::Partition,
        name: names.join(", "),
        key: entry.retain(of_partition),
        range: KeyRange::prefix(&prefix),
    }
}

/// Returns a value of a key as text.
fn name_of(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::N(number) => number.to_number().to_string(),
        ValueRef::B(bytes) => BASE64.encode(bytes),
        ValueRef::S(text) => text.to_owned(),
        _ => String::new(),
    }
}

impl SortLevels<'_> {
    /// Returns the range that the request asks for.
    pub(crate) fn range(&self) -> KeyRange {
        let bounds = self.bounds(&self.fixed);
        if self.prefix.is_empty() {
            return bounds.all();
        }
        bounds.narrowed(KeyType::S, &KeyOperator::BeginsWith(text_value(&self.prefix)))
    }

    /// Returns the part of the range from one value of the next attribute to another, both included; of text that is
    /// divided, from the folder of the one to that of the other.
    pub(crate) fn between(&self, from: Option<Value>, to: Option<Value>) -> KeyRange {
        let key_type = self.schema.sort[self.fixed.len()].key_type;
        let narrowed = |operator| self.bounds(&self.fixed).narrowed(key_type, &operator);
        let folder = |value: &Value| {
            let values = [&self.fixed[..], std::slice::from_ref(value)].concat();
            let node = self.path(&values, NodeKind::Item).into_iter().next();
            node.filter(|node| node.kind == NodeKind::Folder)
        };
        let mut range = self.range();
        if let Some(from) = from {
            let start = folder(&from).map(|node| node.range.start);
            let start = start.unwrap_or_else(|| narrowed(KeyOperator::GreaterOrEqual(from)).start);
            range.start = range.start.max(start);
        }
        if let Some(to) = to {
            let end = folder(&to).map(|node| node.range.end);
            let end = end.unwrap_or_else(|| narrowed(KeyOperator::LessOrEqual(to)).end);
            range.end = match (range.end, end) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
        }
        range
    }

    /// Returns the first key that may have this value of the next attribute, a number, or a greater one.
    pub(super) fn first_key_at(&self, number: &Number) -> Key {
        let value = AttributeValue::from(*number).to_value();
        let at_least = KeyOperator::GreaterOrEqual(value);
        self.bounds(&self.fixed).narrowed(KeyType::N, &at_least).start
    }

    /// Returns the delimiter of the last attribute, if it is a string and no template divides it.
    pub(crate) fn delimiter(&self) -> Option<&str> {
        let last = self.schema.sort.last().filter(|last| last.key_type == KeyType::S)?;
        match &self.delimiter {
            Some(delimiter) => Some(delimiter),
            None if self.table.template_of(&last.name).is_some() => None,
            None => Some(DELIMITER),
        }
    }

    /// Returns the sort key of an entry.
    pub(crate) fn values(&self, entry: &Item) -> Vec<Value> {
        let value = |attribute: &KeyAttribute| {
            entry
                .get(&attribute.name)
                .map(|value| value.to_value())
                .expect("an entry holds its sort key")
        };
        self.schema.sort.iter().map(value).collect()
    }

    /// Returns the nodes on the way to a sort key, an item; or to its first attributes, a folder, where the last
    /// attribute of a sort key is a beginning.
    pub(crate) fn path(&self, values: &[Value], kind: NodeKind) -> Vec<PathNode> {
        let last = self.schema.sort.len() - 1;
        let mut path = Vec::new();
        for nth in self.fixed.len()..values.len().min(self.fixed.len() + self.depth) {
            if nth < last {
                path.push(self.whole(NodeKind::Folder, &values[..=nth]));
            } else {
                self.add_last(values, kind, &mut path);
            }
        }
        path
    }

    /// Adds the levels of the last attribute.
    fn add_last(&self, values: &[Value], kind: NodeKind, path: &mut Vec<PathNode>) {
        let (last, before) = values.split_last().expect("a sort key has attributes");
        let ValueRef::S(text) = last.get() else {
            path.push(self.whole(NodeKind::Item, values));
            return;
        };
        // A position of a request may have another beginning than the prefix; it lies outside the requested range.
        let mut begun = self.above();
        for end in self.ends(text) {
            if path.len() >= self.depth {
                return;
            }
            let name = text.get(begun..end).unwrap_or_default();
            path.push(self.folder(before, &text[..end], name));
            begun = end;
        }
        if path.len() < self.depth && kind == NodeKind::Item {
            let item = self.whole(NodeKind::Item, values);
            let name = text.get(begun..).unwrap_or_default().to_owned();
            path.push(PathNode { name, ..item });
        }
    }

    /// Returns the offsets at which folders end in the last attribute, without those above the first level.
    pub(crate) fn ends(&self, text: &str) -> Vec<usize> {
        let above = self.above();
        let mut ends = self.all_ends(text);
        ends.retain(|end| *end > above);
        ends
    }

    /// Returns the offsets at which folders end in the last attribute.
    fn all_ends(&self, text: &str) -> Vec<usize> {
        let template = self.schema.sort.last().and_then(|last| self.table.template_of(&last.name));
        if let (None, Some(template)) = (&self.delimiter, template) {
            return template.level_ends(text, DELIMITER);
        }
        let found = text.match_indices(self.delimiter.as_deref().unwrap_or(DELIMITER));
        found.map(|(at, found)| at + found.len()).collect()
    }

    /// Returns the length of the last attribute above the first level: up to the prefix's last folder end.
    fn above(&self) -> usize {
        if self.fixed.len() + 1 < self.schema.sort.len() {
            return 0;
        }
        self.all_ends(&self.prefix).last().copied().unwrap_or(0)
    }

    fn folder(&self, before: &[Value], text: &str, name: &str) -> PathNode {
        let text = text_value(text);
        let begins = KeyOperator::BeginsWith(text.clone());
        PathNode {
            kind: NodeKind::Folder,
            name: name.to_owned(),
            range: self.bounds(before).narrowed(KeyType::S, &begins),
            key: self.key(&[before, &[text]].concat()),
        }
    }

    /// Returns the node of all keys with these values.
    fn whole(&self, kind: NodeKind, values: &[Value]) -> PathNode {
        let name = values.last().map(|value| name_of(value.get())).unwrap_or_default();
        PathNode { kind, name, range: self.bounds(values).exact(), key: self.key(values) }
    }

    fn bounds(&self, values: &[Value]) -> SortBounds {
        let mut bounds = SortBounds::new(self.partition.clone(), self.is_base);
        for (attribute, value) in self.schema.sort.iter().zip(values) {
            bounds.push_equal(attribute.key_type, value);
        }
        bounds
    }

    fn key(&self, values: &[Value]) -> Item {
        let named = self.schema.sort.iter().zip(values);
        let attributes =
            named.map(|(attribute, value)| (&attribute.name[..], value.get().to_attribute_value()));
        Item::from_attributes(attributes)
    }
}

fn text_value(text: &str) -> Value {
    AttributeValue::from(text).to_value()
}
