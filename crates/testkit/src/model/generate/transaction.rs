//! Random transactions.

use super::{Generator, Operation};
use crate::model::item::{Item, Path};
use crate::model::table::Definition;
use crate::model::transaction::{TransactMember, TransactWrite};

const MEMBERS_MAX: usize = 4;

impl Generator {
    pub(super) fn transact_write(&mut self) -> Operation {
        let targets = self.distinct_targets();
        let members = targets.into_iter().map(|(definition, key)| self.member(&definition, key));
        let members = members.collect();
        let token = self.random.chance(30).then(|| format!("token-{}", self.random.bits()));
        Operation::TransactWrite { members, token }
    }

    pub(super) fn transact_get(&mut self) -> Operation {
        let gets = self.distinct_targets().into_iter().map(|(definition, key)| {
            let paths: Vec<Path> = if self.random.chance(50) { Vec::new() } else { self.paths() };
            (definition.name, key, paths)
        });
        Operation::TransactGet { gets: gets.collect() }
    }

    pub(super) fn distinct_targets(&mut self) -> Vec<(Definition, Item)> {
        let mut targets: Vec<(Definition, Item)> = Vec::new();
        for _ in 0..=self.random.below(MEMBERS_MAX) {
            let definition = self.random.pick(&self.tables.clone()).clone();
            let key = self.key(&definition);
            if !targets.iter().any(|(known, other)| known.name == definition.name && *other == key)
            {
                targets.push((definition, key));
            }
        }
        targets
    }

    fn member(&mut self, definition: &Definition, key: Item) -> TransactMember {
        let mut condition = self.random.chance(10).then(|| self.condition(2));
        let write = match self.random.below(10) {
            0..4 => {
                let mut item = self.item(definition);
                item.extend(key);
                TransactWrite::Put(item)
            }
            4..7 => match self.update(definition) {
                Operation::Update { actions, .. } if !actions.is_empty() => {
                    TransactWrite::Update(key, actions)
                }
                _ => TransactWrite::Delete(key),
            },
            7..9 => TransactWrite::Delete(key),
            _ => {
                condition = Some(self.condition(1));
                TransactWrite::Check(key)
            }
        };
        TransactMember { table: definition.name.clone(), write, condition }
    }
}
