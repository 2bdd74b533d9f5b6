//! Transactions: several writes and checks, all or none.

use super::condition::Condition;
use super::item::Item;
use super::table::{Fault, Model};
use super::update::Action;

/// One member of a transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct TransactMember {
    /// The table.
    pub table: String,
    /// The write or check.
    pub write: TransactWrite,
    /// Condition on the stored item; a check has one.
    pub condition: Option<Condition>,
}

/// Effect of a member.
#[derive(Debug, Clone, PartialEq)]
pub enum TransactWrite {
    /// Puts an item.
    Put(Item),
    /// Updates the item with a key by at least one action.
    Update(Item, Vec<Action>),
    /// Deletes the item with a key.
    Delete(Item),
    /// Demands the condition of the item with a key.
    Check(Item),
}

impl TransactMember {
    /// Returns an item with the key attributes.
    pub fn key_attributes(&self) -> &Item {
        match &self.write {
            TransactWrite::Put(item)
            | TransactWrite::Update(item, _)
            | TransactWrite::Delete(item)
            | TransactWrite::Check(item) => item,
        }
    }
}

/// Reason for which a transaction is refused.
#[derive(Debug, Clone, PartialEq)]
pub enum TransactRefusal {
    /// One of the tables does not exist.
    NoTable,
    /// Some members fail: for each member its faults (the answer may name any of them) with the
    /// stored item, if it has faults.
    Cancelled(Vec<Option<(Vec<Fault>, Option<Item>)>>),
}

impl Model {
    /// Does all members or none.
    pub fn transact_write(&mut self, members: &[TransactMember]) -> Result<(), TransactRefusal> {
        if members.iter().any(|member| self.definition(&member.table).is_none()) {
            return Err(TransactRefusal::NoTable);
        }
        // The service finds a put that no index takes before it decides anything, and names it
        // alone.
        if let Some((nth, faults)) = self.first_unfit_put(members) {
            let mut outcomes = vec![None; members.len()];
            outcomes[nth] = Some((faults, None));
            return Err(TransactRefusal::Cancelled(outcomes));
        }
        let mut changed = self.clone();
        let outcomes: Vec<_> = members
            .iter()
            .map(|member| {
                let faults = changed.transact_member(member).err()?;
                let stored = self.get(&member.table, member.key_attributes(), &[]);
                Some((faults, stored.ok().flatten()))
            })
            .collect();
        if outcomes.iter().any(Option::is_some) {
            return Err(TransactRefusal::Cancelled(outcomes));
        }
        *self = changed;
        Ok(())
    }

    fn first_unfit_put(&self, members: &[TransactMember]) -> Option<(usize, Vec<Fault>)> {
        members.iter().enumerate().find_map(|(nth, member)| {
            let TransactWrite::Put(item) = &member.write else { return None };
            Some((nth, self.check_put(&member.table, item).err()?))
        })
    }

    fn transact_member(&mut self, member: &TransactMember) -> Result<(), Vec<Fault>> {
        let (table, condition) = (&member.table, member.condition.as_ref());
        match &member.write {
            TransactWrite::Put(item) => self.put(table, item, condition).map(drop),
            TransactWrite::Update(key, actions) => {
                self.update(table, key, actions, condition).map(drop)
            }
            TransactWrite::Delete(key) => self.delete(table, key, condition).map(drop),
            TransactWrite::Check(key) => {
                let stored = self.get(table, key, &[])?.unwrap_or_default();
                let holds = condition.is_none_or(|condition| condition.holds(&stored));
                if holds { Ok(()) } else { Err(vec![Fault::Condition]) }
            }
        }
    }
}
