//! Tables: items by primary key, and indexes computed from the items.

use super::changes::Change;
use super::condition::{Comparator, Condition};
use super::item::{Item, KeyValue, project};
use super::update::apply;
use super::{Action, BatchMember, Path};
use hashrange_model::{AttributeType, AttributeValue};
use std::collections::BTreeMap;

/// The type of a key attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyType {
    /// String
    S,
    /// Number
    N,
    /// Binary
    B,
}

impl KeyType {
    /// Returns the type's name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::S => "S",
            Self::N => "N",
            Self::B => "B",
        }
    }

    fn attribute_type(self) -> AttributeType {
        match self {
            Self::S => AttributeType::S,
            Self::N => AttributeType::N,
            Self::B => AttributeType::B,
        }
    }
}

/// A key attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyAttribute {
    /// Its name.
    pub name: String,
    /// Its type.
    pub key_type: KeyType,
}

impl KeyAttribute {
    /// Returns a key attribute.
    pub fn new(name: &str, key_type: KeyType) -> Self {
        Self { name: name.to_owned(), key_type }
    }
}

/// Attributes that an index holds besides keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Projection {
    /// All attributes.
    All,
    /// No others.
    KeysOnly,
    /// These attributes.
    Include(Vec<String>),
}

/// An index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexDefinition {
    /// Its name.
    pub name: String,
    /// True for a local index.
    pub is_local: bool,
    /// The partition key.
    pub partition: Vec<KeyAttribute>,
    /// The sort key.
    pub sort: Vec<KeyAttribute>,
    /// Attributes that it holds.
    pub projection: Projection,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// The partition key.
    pub partition: KeyAttribute,
    /// The sort key.
    pub sort: Option<KeyAttribute>,
    /// Indexes it is created with.
    pub indexes: Vec<IndexDefinition>,
}

impl Definition {
    /// Returns the attributes of the primary key.
    pub fn key(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.partition).chain(&self.sort)
    }
}

/// A condition on a sort key attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum SortCondition {
    /// A comparison other than `<>`.
    Compare(Comparator, AttributeValue),
    /// `BETWEEN`
    Between(AttributeValue, AttributeValue),
    /// `begins_with`
    BeginsWith(AttributeValue),
}

/// Reason for which an operation is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The table does not exist.
    NoTable,
    /// The condition does not hold.
    Condition,
    /// A path of the update leads nowhere.
    InvalidPath,
    /// A value of the update has the wrong type.
    OperandType,
    /// A value that the update needs is absent.
    MissingAttribute,
    /// The result is a number that cannot be stored.
    Number,
    /// An index key attribute has a type or size that the index does not take.
    IndexKey,
    /// A key template refuses the item.
    DerivedKey,
    /// There is an item where a statement inserts one.
    Duplicate,
}

/// Effect of a write.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The image before.
    pub old: Option<Item>,
    /// The image after.
    pub new: Option<Item>,
}

#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) definition: Definition,
    pub(super) items: BTreeMap<Vec<KeyValue>, Item>,
    /// Its key template, as an index of `TEMPLATES`.
    pub(super) template: Option<usize>,
    /// Changes that no reader has taken yet.
    pub(super) changes: Vec<Change>,
}

/// Result that a read must return: the entries in order, those with equal sort keys in one group.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadPlan {
    /// Entries evaluated, before the filter.
    pub evaluated: usize,
    /// Entries that pass the filter. Inside a group any order is right.
    pub groups: Vec<Vec<Item>>,
    /// Names in a `LastEvaluatedKey`, sorted.
    pub cursor: Vec<String>,
}

/// All tables.
#[derive(Debug, Clone, Default)]
pub struct Model {
    pub(super) tables: BTreeMap<String, Table>,
}

impl Model {
    /// Creates a table. Returns false if it exists.
    pub fn create_table(&mut self, definition: &Definition) -> bool {
        if self.tables.contains_key(&definition.name) {
            return false;
        }
        let table = Table {
            definition: definition.clone(),
            items: BTreeMap::new(),
            template: None,
            changes: Vec::new(),
        };
        self.tables.insert(definition.name.clone(), table);
        true
    }

    /// Deletes a table. Returns false if it does not exist.
    pub fn delete_table(&mut self, name: &str) -> bool {
        self.tables.remove(name).is_some()
    }

    /// Adds an index. Returns false if the table is not there or has it.
    pub fn create_index(&mut self, table: &str, index: &IndexDefinition) -> bool {
        let Some(table) = self.tables.get_mut(table) else { return false };
        let indexes = &mut table.definition.indexes;
        if indexes.iter().any(|known| known.name == index.name) {
            return false;
        }
        indexes.push(index.clone());
        true
    }

    /// Removes a global index. Returns false if it is not there.
    pub fn delete_index(&mut self, table: &str, index: &str) -> bool {
        let Some(table) = self.tables.get_mut(table) else { return false };
        let before = table.definition.indexes.len();
        table.definition.indexes.retain(|known| known.name != index || known.is_local);
        table.definition.indexes.len() < before
    }

    /// Returns the present definition of a table.
    pub fn definition(&self, table: &str) -> Option<&Definition> {
        self.tables.get(table).map(|table| &table.definition)
    }

    /// Returns an index of a table.
    pub fn index(&self, table: &str, index: &str) -> Option<&IndexDefinition> {
        self.definition(table)?.indexes.iter().find(|known| known.name == index)
    }

    /// Returns the number of items in a table.
    pub fn item_count(&self, table: &str) -> usize {
        self.tables.get(table).map_or(0, |table| table.items.len())
    }

    /// Puts an item.
    pub fn put(
        &mut self,
        table: &str,
        item: &Item,
        condition: Option<&Condition>,
    ) -> Result<Written, Vec<Fault>> {
        let table = self.table(table)?;
        let item = table.derived(item)?;
        table.check_index_keys(&item)?;
        let key = table.key_of(&item);
        let old = table.check(&key, condition)?;
        table.set(key, Some(item.clone()), false);
        Ok(Written { old, new: Some(item) })
    }

    /// Deletes an item.
    pub fn delete(
        &mut self,
        table: &str,
        key: &Item,
        condition: Option<&Condition>,
    ) -> Result<Written, Vec<Fault>> {
        let table = self.table(table)?;
        let key = table.key_of(key);
        table.check(&key, condition)?;
        Ok(Written { old: table.set(key, None, false), new: None })
    }

    /// Updates an item.
    pub fn update(
        &mut self,
        table: &str,
        key_attributes: &Item,
        actions: &[Action],
        condition: Option<&Condition>,
    ) -> Result<Written, Vec<Fault>> {
        let table = self.table(table)?;
        let key = table.key_of(key_attributes);
        let old = table.check(&key, condition)?;
        let removes = |action: &Action| matches!(action, Action::Remove(_));
        if old.is_none() && !actions.is_empty() && actions.iter().all(removes) {
            return Ok(Written { old: None, new: None });
        }
        let before = old.as_ref().unwrap_or(key_attributes);
        let new = table.derived(&apply(actions, before)?)?;
        table.check_index_keys(&new)?;
        table.set(key, Some(new.clone()), false);
        Ok(Written { old, new: Some(new) })
    }

    /// Refuses an item that an index of the table does not take.
    pub(super) fn check_put(&self, table: &str, item: &Item) -> Result<(), Vec<Fault>> {
        let Some(table) = self.tables.get(table) else { return Ok(()) };
        table.check_index_keys(&table.derived(item)?)
    }

    /// Puts and deletes items, all or none.
    pub fn batch_write(&mut self, table: &str, members: &[BatchMember]) -> Result<(), Vec<Fault>> {
        for member in members {
            if let BatchMember::Put(item) = member {
                self.table(table)?;
                self.check_put(table, item)?;
            }
        }
        for member in members {
            match member {
                BatchMember::Put(item) => drop(self.put(table, item, None)?),
                BatchMember::Delete(key) => drop(self.delete(table, key, None)?),
            }
        }
        Ok(())
    }

    /// Returns an item, or those of its attributes that the paths name.
    pub fn get(&self, table: &str, key: &Item, paths: &[Path]) -> Result<Option<Item>, Vec<Fault>> {
        let table = self.tables.get(table).ok_or_else(|| vec![Fault::NoTable])?;
        let item = table.items.get(&table.key_of(key));
        Ok(item.map(|item| if paths.is_empty() { item.clone() } else { project(item, paths) }))
    }

    /// Returns the result that a Query must return, in ascending order.
    pub fn query(
        &self,
        table: &str,
        index: Option<&str>,
        partition: &[AttributeValue],
        sort: &[SortCondition],
        filter: Option<&Condition>,
    ) -> Option<ReadPlan> {
        let reader = self.reader(table, index)?;
        let entries = reader.entries().into_iter().filter(|(_, entry)| {
            reader.partition.iter().zip(partition).all(|(key, value)| entry[&key.name] == *value)
                && reader
                    .sort
                    .iter()
                    .zip(sort)
                    .all(|(key, wanted)| wanted.condition(&key.name).holds(entry))
        });
        Some(reader.plan(entries.collect(), filter))
    }

    /// Returns the result that a Scan must return; the order of the groups does not matter.
    pub fn scan(
        &self,
        table: &str,
        index: Option<&str>,
        filter: Option<&Condition>,
    ) -> Option<ReadPlan> {
        let reader = self.reader(table, index)?;
        Some(reader.plan(reader.entries(), filter))
    }

    fn table(&mut self, name: &str) -> Result<&mut Table, Vec<Fault>> {
        self.tables.get_mut(name).ok_or_else(|| vec![Fault::NoTable])
    }

    pub(super) fn reader(&self, table: &str, index: Option<&str>) -> Option<Reader<'_>> {
        let table = self.tables.get(table)?;
        let definition = &table.definition;
        Some(match index {
            None => Reader {
                table,
                is_local: false,
                partition: vec![&definition.partition],
                sort: definition.sort.iter().collect(),
                projection: &Projection::All,
            },
            Some(index) => {
                let index = definition.indexes.iter().find(|known| known.name == index)?;
                Reader {
                    table,
                    is_local: index.is_local,
                    partition: index.partition.iter().collect(),
                    sort: index.sort.iter().collect(),
                    projection: &index.projection,
                }
            }
        })
    }
}

impl Table {
    fn key_of(&self, item: &Item) -> Vec<KeyValue> {
        self.definition
            .key()
            .map(|key| KeyValue::of(&item[&key.name]).expect("a key attribute is a scalar"))
            .collect()
    }

    /// Returns the stored item if the condition holds.
    fn check(
        &self,
        key: &[KeyValue],
        condition: Option<&Condition>,
    ) -> Result<Option<Item>, Vec<Fault>> {
        let old = self.items.get(key).cloned();
        let holds =
            condition.is_none_or(|condition| condition.holds(old.as_ref().unwrap_or(&Item::new())));
        if holds { Ok(old) } else { Err(vec![Fault::Condition]) }
    }

    fn check_index_keys(&self, item: &Item) -> Result<(), Vec<Fault>> {
        for index in &self.definition.indexes {
            let partition = index.partition.iter().map(|key| (key, 2048));
            for (key, size_max) in partition.chain(index.sort.iter().map(|key| (key, 1024))) {
                let Some(value) = item.get(&key.name) else { continue };
                if !is_index_key(value, key.key_type, size_max) {
                    return Err(vec![Fault::IndexKey]);
                }
            }
        }
        Ok(())
    }
}

fn is_index_key(value: &AttributeValue, key_type: KeyType, size_max: usize) -> bool {
    value.attribute_type() == key_type.attribute_type()
        && match value {
            AttributeValue::S(string) => (1..=size_max).contains(&string.len()),
            AttributeValue::B(bytes) => (1..=size_max).contains(&bytes.len()),
            _ => true,
        }
}

/// A table or index to read.
pub(super) struct Reader<'m> {
    table: &'m Table,
    pub(super) is_local: bool,
    pub(super) partition: Vec<&'m KeyAttribute>,
    pub(super) sort: Vec<&'m KeyAttribute>,
    pub(super) projection: &'m Projection,
}

impl Reader<'_> {
    /// Returns the entries, each with its item.
    pub(super) fn entries(&self) -> Vec<(&Item, Item)> {
        let is_in = |item: &&Item| {
            let fits = |key: &&KeyAttribute, size_max| {
                let value = item.get(&key.name);
                value.is_some_and(|value| is_index_key(value, key.key_type, size_max))
            };
            self.partition.iter().all(|key| fits(key, 2048))
                && self.sort.iter().all(|key| fits(key, 1024))
        };
        self.table.items.values().filter(is_in).map(|item| (item, self.project(item))).collect()
    }

    /// Returns the values by which an entry is ordered.
    pub(super) fn key_of_entry(&self, entry: &Item) -> Vec<KeyValue> {
        let keys = self.partition.iter().chain(&self.sort);
        keys.map(|key| KeyValue::of(&entry[&key.name]).expect("an index key is a scalar")).collect()
    }

    pub(super) fn key_names(&self) -> Vec<String> {
        let keys = self.partition.iter().chain(&self.sort).copied();
        let mut names: Vec<_> =
            keys.chain(self.table.definition.key()).map(|key| key.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    fn project(&self, item: &Item) -> Item {
        let keys = self.key_names();
        let is_kept = |name: &String| match self.projection {
            Projection::All => true,
            Projection::KeysOnly => keys.contains(name),
            Projection::Include(names) => keys.contains(name) || names.contains(name),
        };
        item.iter()
            .filter(|(name, _)| is_kept(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// Returns the plan of a read. A filter sees the attributes that the index projects; on a local
    /// index it sees the whole item.
    fn plan(&self, entries: Vec<(&Item, Item)>, filter: Option<&Condition>) -> ReadPlan {
        let evaluated = entries.len();
        let mut groups: BTreeMap<Vec<KeyValue>, Vec<Item>> = BTreeMap::new();
        for (item, entry) in entries {
            let seen = if self.is_local { item } else { &entry };
            if filter.is_some_and(|filter| !filter.holds(seen)) {
                continue;
            }
            groups.entry(self.key_of_entry(&entry)).or_default().push(entry);
        }
        ReadPlan { evaluated, groups: groups.into_values().collect(), cursor: self.key_names() }
    }
}

impl SortCondition {
    pub(super) fn condition(&self, attribute: &str) -> Condition {
        use super::Operand;
        let operand = Operand::Path(Path::of(attribute));
        match self {
            Self::Compare(comparator, value) => {
                Condition::Compare(operand, *comparator, Operand::Value(value.clone()))
            }
            Self::Between(lower, upper) => {
                Condition::Between(operand, lower.clone(), upper.clone())
            }
            Self::BeginsWith(prefix) => Condition::BeginsWith(Path::of(attribute), prefix.clone()),
        }
    }
}
