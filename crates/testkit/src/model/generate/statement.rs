//! Random PartiQL statements.

use super::{ATTRIBUTES, Generator, Operation};
use crate::model::condition::{Comparator, Condition, Operand};
use crate::model::item::{Item, Path};
use crate::model::statement::{Select, Statement};
use crate::model::table::{Definition, IndexDefinition, SortCondition};
use crate::model::update::{Action, SetOperand, SetValue};
use crate::model::{KeyAttribute, Returns};
use hashrange_model::AttributeType;

impl Generator {
    pub(super) fn statement_operation(&mut self) -> Operation {
        match self.random.below(10) {
            0..5 => Operation::Statement(self.select()),
            5..8 => {
                let definition = self.random.pick(&self.tables.clone()).clone();
                let key = self.key(&definition);
                Operation::Statement(self.write_statement(&definition, key, true))
            }
            8 => Operation::StatementBatch { statements: self.statements(false) },
            _ => Operation::StatementTransaction { statements: self.statements(true) },
        }
    }

    /// Returns writes, or SELECTs of one item each, of distinct items.
    fn statements(&mut self, is_transaction: bool) -> Vec<Statement> {
        let is_read = self.random.chance(20);
        let mut targets = self.distinct_targets();
        targets.truncate(2);
        let statement = |(definition, key): (Definition, Item)| match is_read {
            true => self.select_of_one(&definition, &key),
            false if is_transaction && self.random.chance(15) => {
                let condition = if self.random.chance(50) {
                    self.condition(1)
                } else {
                    Condition::NotExists(Path::of("nothing"))
                };
                Statement::Exists { table: definition.name, key, condition }
            }
            false => self.write_statement(&definition, key, !is_transaction),
        };
        targets.into_iter().map(statement).collect()
    }

    fn write_statement(&mut self, definition: &Definition, key: Item, returns: bool) -> Statement {
        let table = definition.name.clone();
        match self.random.below(10) {
            0..4 => {
                let mut item = self.item(definition);
                item.extend(key);
                Statement::Insert { table, item }
            }
            4..8 => {
                let condition = self.maybe_condition();
                let (actions, returned) = self.update_clauses(definition);
                let returns = if returns { returned } else { Returns::None };
                Statement::Update { table, key, actions, condition, returns }
            }
            _ => {
                let returns = returns && self.random.chance(50);
                let returns = if returns { Returns::AllOld } else { Returns::None };
                Statement::Delete { table, key, condition: self.maybe_condition(), returns }
            }
        }
    }

    /// Returns at least one action that a statement has, and the images that it returns.
    fn update_clauses(&mut self, definition: &Definition) -> (Vec<Action>, Returns) {
        let Operation::Update { mut actions, returns, .. } = self.update(definition) else {
            return (Vec::new(), Returns::None);
        };
        if self.random.chance(30) {
            actions.clear();
        }
        actions.retain(|action| match action {
            Action::Add(_, value) => value.attribute_type().is_set(),
            _ => true,
        });
        if actions.is_empty() {
            let value = SetValue::Operand(SetOperand::Value(self.value(2)));
            actions.push(Action::Set(Path::of(self.random.pick::<&str>(&ATTRIBUTES)), value));
        }
        (actions, returns)
    }

    fn select_of_one(&mut self, definition: &Definition, key: &Item) -> Statement {
        let sort = definition
            .sort
            .as_ref()
            .map(|sort| SortCondition::Compare(Comparator::Equal, key[&sort.name].clone()));
        Statement::Select(Select {
            partitions: vec![key[&definition.partition.name].clone()],
            sort,
            attributes: self.attributes(definition, None),
            ..whole(definition)
        })
    }

    fn select(&mut self) -> Statement {
        let definition = self.random.pick(&self.tables.clone()).clone();
        let index = if self.random.chance(20) {
            self.index_of(&definition)
        } else {
            let indexes = definition.indexes.iter().cloned().map(Some).chain([None]);
            self.random.pick(&indexes.collect::<Vec<_>>()).clone()
        };
        let mut select = whole(&definition);
        select.index = index.as_ref().map(|index| index.name.clone());
        select.attributes = self.attributes(&definition, index.as_ref());
        select.limit = self.random.chance(40).then(|| 1 + self.random.below(12));
        let allows_consistent = index.as_ref().is_none_or(|index| index.is_local);
        select.consistent = allows_consistent && self.random.chance(30);
        let (partition, sort) = match &index {
            None => (Some(&definition.partition), definition.sort.as_ref()),
            Some(index) => (index.partition.first(), index.sort.first()),
        };
        if let Some(partition) = partition
            && self.random.chance(75)
        {
            self.key_clauses(&mut select, partition, sort);
        }
        if self.random.chance(40) {
            select.filter = Some(self.select_filter(&select, index.as_ref()));
        }
        Statement::Select(select)
    }

    fn key_clauses(
        &mut self,
        select: &mut Select,
        partition: &KeyAttribute,
        sort: Option<&KeyAttribute>,
    ) {
        let count = *self.random.pick(&[1, 1, 2, 3, 4]);
        select.partitions = (0..count).map(|_| self.key_value(partition)).collect();
        select.joins_partitions = self.random.chance(50);
        if let Some(sort) = sort {
            let value = self.key_value(sort);
            select.sort = self.random.chance(50).then(|| self.sort_condition(sort, value));
            select.sort_descending = self.random.chance(50).then(|| self.random.chance(70));
        }
        select.partition_descending = self.random.chance(30).then(|| self.random.chance(50));
    }

    /// Returns a filter. It asks for no attribute that a scanned local index does not hold: the
    /// attributes returned decide if the filter sees it. Nor does it ask for the partition key of a
    /// scanned global index, which would make it no scan.
    fn select_filter(&mut self, select: &Select, index: Option<&IndexDefinition>) -> Condition {
        if index.is_some_and(|index| index.is_local) && select.partitions.is_empty() {
            let path = Path::of(self.random.pick::<&str>(&["pk", "sk"]));
            let value = self.scalar();
            return match self.random.below(3) {
                0 => Condition::TypeIs(path, *self.random.pick(&AttributeType::ALL)),
                1 => Condition::Compare(
                    Operand::Path(path),
                    Comparator::NotEqual,
                    Operand::Value(value),
                ),
                _ => Condition::Compare(
                    Operand::Path(path),
                    Comparator::GreaterOrEqual,
                    Operand::Value(value),
                ),
            };
        }
        let condition = self.condition(2);
        let mut names = Vec::new();
        condition.collect_attributes(&mut names);
        let keys = index.iter().flat_map(|index| &index.partition);
        let is_keyed =
            select.partitions.is_empty() && keys.into_iter().any(|key| names.contains(&key.name));
        if is_keyed { Condition::Exists(Path::of("pk")) } else { condition }
    }

    /// Returns attributes to select, all if there are none: often those that the index holds.
    fn attributes(
        &mut self,
        definition: &Definition,
        index: Option<&IndexDefinition>,
    ) -> Vec<String> {
        if self.random.chance(50) {
            return Vec::new();
        }
        let mut names: Vec<String> = definition.key().map(|key| key.name.clone()).collect();
        let keys = index.into_iter().flat_map(|index| index.partition.iter().chain(&index.sort));
        names.extend(keys.map(|key| key.name.clone()));
        if index.is_none() || self.random.chance(30) {
            names.extend(ATTRIBUTES.map(str::to_owned));
        }
        let count = 1 + self.random.below(3);
        let mut picked: Vec<String> =
            (0..count).map(|_| self.random.pick(&names).clone()).collect();
        picked.sort();
        picked.dedup();
        picked
    }
}

/// Returns the SELECT of a whole table.
fn whole(definition: &Definition) -> Select {
    Select {
        table: definition.name.clone(),
        index: None,
        partitions: Vec::new(),
        joins_partitions: false,
        sort: None,
        filter: None,
        attributes: Vec::new(),
        partition_descending: None,
        sort_descending: None,
        limit: None,
        consistent: false,
    }
}
