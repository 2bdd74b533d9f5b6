//! PartiQL statements: their structure, and their effect in terms of the other operations.
//!
//! Source of the behaviour: Amazon DynamoDB developer guide, "PartiQL for DynamoDB".

use super::condition::{Comparator, Condition, Operand};
use super::item::{Item, KeyValue, Path, project};
use super::table::{Fault, Model, Reader, SortCondition, Written};
use super::transaction::{TransactMember, TransactRefusal, TransactWrite};
use super::update::Action;
use super::{Projection, Returns};
use hashrange_model::AttributeValue;
use std::collections::BTreeMap;

/// Most items in a page of a statement that names several partitions.
const PARTITIONS_PAGE_MAX: usize = 10;

/// A SELECT.
#[derive(Debug, Clone, PartialEq)]
pub struct Select {
    /// The table.
    pub table: String,
    /// The index, or the table itself.
    pub index: Option<String>,
    /// The partitions to read, in order; all if there are none.
    pub partitions: Vec<AttributeValue>,
    /// True if equalities joined by OR name the partitions, and not IN.
    pub joins_partitions: bool,
    /// A condition on the sort key; only where partitions are named.
    pub sort: Option<SortCondition>,
    /// Another condition.
    pub filter: Option<Condition>,
    /// The attributes returned, all if empty.
    pub attributes: Vec<String>,
    /// ORDER BY the partition key; true for descending order.
    pub partition_descending: Option<bool>,
    /// ORDER BY the sort key; true for descending order.
    pub sort_descending: Option<bool>,
    /// The most entries to evaluate in a page.
    pub limit: Option<usize>,
    /// True for a strongly consistent read, where that is allowed.
    pub consistent: bool,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// `INSERT`
    Insert {
        /// The table.
        table: String,
        /// The item.
        item: Item,
    },
    /// `UPDATE`
    Update {
        /// The table.
        table: String,
        /// The key.
        key: Item,
        /// At least one; of ADD and DELETE only those of sets.
        actions: Vec<Action>,
        /// Condition in WHERE besides the key.
        condition: Option<Condition>,
        /// Image to return.
        returns: Returns,
    },
    /// `DELETE`
    Delete {
        /// The table.
        table: String,
        /// The key.
        key: Item,
        /// Condition in WHERE besides the key.
        condition: Option<Condition>,
        /// Nothing or the old image.
        returns: Returns,
    },
    /// `EXISTS`, in transactions.
    Exists {
        /// The table.
        table: String,
        /// The key.
        key: Item,
        /// Condition in WHERE besides the key.
        condition: Condition,
    },
    /// `SELECT`
    Select(Select),
}

/// Result that a SELECT must return.
#[derive(Debug, Clone, PartialEq)]
pub struct Selected {
    /// The rows, those with equal keys in one group; inside a group any order is right.
    pub groups: Vec<Vec<Item>>,
    /// True if the order of the groups counts.
    pub is_ordered: bool,
    /// The most rows in a page.
    pub page_max: Option<usize>,
}

impl Statement {
    /// Returns the name of the table.
    pub fn table(&self) -> &str {
        match self {
            Self::Insert { table, .. }
            | Self::Update { table, .. }
            | Self::Delete { table, .. }
            | Self::Exists { table, .. }
            | Self::Select(Select { table, .. }) => table,
        }
    }

    /// Returns an item with the key attributes; a SELECT has none.
    pub fn key_attributes(&self) -> Option<&Item> {
        match self {
            Self::Insert { item, .. } => Some(item),
            Self::Update { key, .. } | Self::Delete { key, .. } | Self::Exists { key, .. } => {
                Some(key)
            }
            Self::Select(_) => None,
        }
    }

    /// Returns a write, or the check of EXISTS, as the member of a transaction. `partition` is the
    /// name of the table's partition key.
    pub fn as_member(&self, partition: &str) -> Option<TransactMember> {
        let exists = || Condition::Exists(Path::of(partition));
        let absent = || Condition::NotExists(Path::of(partition));
        let (write, condition) = match self {
            Self::Insert { item, .. } => (TransactWrite::Put(item.clone()), Some(absent())),
            Self::Update { key, actions, condition, .. } => {
                let condition = condition.iter().fold(exists(), |all, condition| {
                    Condition::And(Box::new(all), Box::new(lowered(condition)))
                });
                (TransactWrite::Update(key.clone(), actions.clone()), Some(condition))
            }
            Self::Delete { key, condition, .. } => {
                let condition = condition.as_ref().map(|condition| {
                    Condition::Or(Box::new(absent()), Box::new(lowered(condition)))
                });
                (TransactWrite::Delete(key.clone()), condition)
            }
            Self::Exists { key, condition, .. } => {
                let condition = Condition::And(Box::new(exists()), Box::new(lowered(condition)));
                (TransactWrite::Check(key.clone()), Some(condition))
            }
            Self::Select(_) => return None,
        };
        Some(TransactMember { table: self.table().to_owned(), write, condition })
    }
}

/// Returns the condition with an expression's meaning: a missing attribute is not unequal there.
fn lowered(condition: &Condition) -> Condition {
    let boxed = |condition: &Condition| Box::new(lowered(condition));
    match condition {
        Condition::Compare(left, Comparator::NotEqual, right) => {
            let paths = [left, right].into_iter().filter_map(|operand| match operand {
                Operand::Path(path) => Some(Condition::Exists(path.clone())),
                Operand::Value(_) | Operand::Size(_) => None,
            });
            paths.fold(condition.clone(), |all, exists| {
                Condition::And(Box::new(exists), Box::new(all))
            })
        }
        Condition::And(left, right) => Condition::And(boxed(left), boxed(right)),
        Condition::Or(left, right) => Condition::Or(boxed(left), boxed(right)),
        Condition::Not(condition) => Condition::Not(boxed(condition)),
        other => other.clone(),
    }
}

impl Model {
    /// Does a write.
    pub fn execute(&mut self, statement: &Statement) -> Result<Written, Vec<Fault>> {
        let member = self.member(statement).ok_or_else(|| vec![Fault::NoTable])?;
        let (table, condition) = (&member.table, member.condition.as_ref());
        let written = match &member.write {
            TransactWrite::Put(item) => self.put(table, item, condition),
            TransactWrite::Update(key, actions) => self.update(table, key, actions, condition),
            TransactWrite::Delete(key) => self.delete(table, key, condition),
            TransactWrite::Check(_) => Ok(Written { old: None, new: None }),
        };
        written.map_err(|faults| reworded(statement, faults))
    }

    /// Does all statements or none.
    pub fn execute_all(&mut self, statements: &[Statement]) -> Result<(), TransactRefusal> {
        let members = statements.iter().map(|statement| self.member(statement));
        let members: Option<Vec<_>> = members.collect();
        let members = members.ok_or(TransactRefusal::NoTable)?;
        self.transact_write(&members).map_err(|refusal| match refusal {
            TransactRefusal::NoTable => refusal,
            TransactRefusal::Cancelled(outcomes) => {
                let outcomes = outcomes.into_iter().zip(statements).map(|(outcome, statement)| {
                    outcome.map(|(faults, stored)| (reworded(statement, faults), stored))
                });
                TransactRefusal::Cancelled(outcomes.collect())
            }
        })
    }

    fn member(&self, statement: &Statement) -> Option<TransactMember> {
        let definition = self.definition(statement.table())?;
        statement.as_member(&definition.partition.name)
    }

    /// Returns the result that a SELECT must return, or the beginning of its error.
    pub fn select(&self, select: &Select) -> Result<Selected, &'static str> {
        let definition = self
            .definition(&select.table)
            .ok_or("ResourceNotFoundException: Requested resource not found")?;
        let reader = self
            .reader(&select.table, select.index.as_deref())
            .ok_or("ValidationException: The table does not have the specified index")?;
        check(&reader, select)?;
        let is_global = select.index.is_some() && !reader.is_local;
        let attributes: Vec<_> = select.attributes.iter().map(|name| Path::of(name)).collect();
        let filter = select.filter.as_ref().map(lowered);
        let partition = &reader.partition[0].name;
        let partitions = select.ordered_partitions();
        let mut groups: BTreeMap<(usize, Vec<KeyValue>), Vec<Item>> = BTreeMap::new();
        for (item, entry) in reader.entries() {
            let rank = partitions.iter().position(|value| *value == entry[partition]);
            if (!partitions.is_empty() && rank.is_none())
                || !select.matches(&reader, &entry, filter.as_ref())
            {
                continue;
            }
            let key = reader.key_of_entry(&entry);
            let row = match (attributes.is_empty(), is_global) {
                (true, _) => entry,
                (false, true) => project(&entry, &attributes),
                (false, false) => project(item, &attributes),
            };
            groups.entry((rank.unwrap_or_default(), key)).or_default().push(row);
        }
        let is_one = select.index.is_none()
            && partitions.len() == 1
            && (definition.sort.is_none()
                || matches!(select.sort, Some(SortCondition::Compare(Comparator::Equal, _))));
        Ok(Selected {
            groups: select.in_order(groups),
            is_ordered: !partitions.is_empty(),
            page_max: select.page_max(partitions.len(), is_one),
        })
    }
}

impl Select {
    fn ordered_partitions(&self) -> Vec<AttributeValue> {
        let mut partitions: Vec<AttributeValue> = Vec::new();
        for partition in &self.partitions {
            if !partitions.contains(partition) {
                partitions.push(partition.clone());
            }
        }
        if let Some(descending) = self.partition_descending {
            partitions.sort_by_key(KeyValue::of);
            if descending {
                partitions.reverse();
            }
        }
        partitions
    }

    fn matches(&self, reader: &Reader<'_>, entry: &Item, filter: Option<&Condition>) -> bool {
        let fits = match (&self.sort, reader.sort.first()) {
            (Some(sort), Some(key)) => sort.condition(&key.name).holds(entry),
            _ => true,
        };
        fits && filter.is_none_or(|filter| filter.holds(entry))
    }

    fn in_order(&self, groups: BTreeMap<(usize, Vec<KeyValue>), Vec<Item>>) -> Vec<Vec<Item>> {
        let mut groups: Vec<_> = groups.into_iter().collect();
        if self.sort_descending == Some(true) {
            groups.sort_by(|((one, low), _), ((two, high), _)| one.cmp(two).then(high.cmp(low)));
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }

    fn page_max(&self, partitions: usize, is_one: bool) -> Option<usize> {
        match self.limit {
            _ if is_one => Some(1),
            limit if partitions > 1 => {
                Some(limit.map_or(PARTITIONS_PAGE_MAX, |limit| limit.min(PARTITIONS_PAGE_MAX)))
            }
            limit => limit,
        }
    }
}

/// Returns the beginning of the error of a SELECT that the index does not take.
fn check(reader: &Reader<'_>, select: &Select) -> Result<(), &'static str> {
    if reader.partition.len() > 1 || reader.sort.len() > 1 {
        return Err("ValidationException: PartiQL statements cannot be executed on tables with \
                    multi-attribute");
    }
    if select.index.is_none() {
        return Ok(());
    }
    let keys = reader.key_names();
    let is_held = |name: &String| match reader.projection {
        Projection::All => true,
        Projection::KeysOnly => keys.contains(name),
        Projection::Include(names) => keys.contains(name) || names.contains(name),
    };
    if !reader.is_local && !select.attributes.iter().all(is_held) {
        return Err("ValidationException: One or more parameter values were invalid: Global \
                    secondary index");
    }
    let mut filtered = Vec::new();
    select.filter.iter().for_each(|filter| filter.collect_attributes_outside_or(&mut filtered));
    if !select.partitions.is_empty() && !filtered.iter().all(is_held) {
        return Err("ValidationException: One or more parameter values were invalid: Secondary \
                    index");
    }
    Ok(())
}

/// Returns the faults of a statement: an INSERT whose condition fails found an existing item.
fn reworded(statement: &Statement, faults: Vec<Fault>) -> Vec<Fault> {
    if !matches!(statement, Statement::Insert { .. }) {
        return faults;
    }
    let reword = |fault| if fault == Fault::Condition { Fault::Duplicate } else { fault };
    faults.into_iter().map(reword).collect()
}
