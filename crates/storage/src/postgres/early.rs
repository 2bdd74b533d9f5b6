//! A group that was decided early, committed without a question to its members.
//!
//! A commit of keys with known values (`known.rs`) decides on these before it waits for a lane. If
//! all members of a group have done so, and none may write what another one declares, the lane
//! sends one statement, which is the whole transaction (`steps.rs`): it sets the lane's token,
//! checks that the values are still the same, and writes.
//!
//! Why a decision holds:
//! - A declared key that is to be there is locked as in `transaction.rs`, in the same order and the same way, and the
//!   statement fails unless each row has the number of the value that was shown. A row that is written anyway
//!   is locked by that.
//! - A declared key that is to be absent is inserted without `ON CONFLICT`, as there.
//! - A statement that fails has done nothing. If the database has other values, it fails as a
//!   conflict (`failure.rs`).
//! - The fence that a member was shown must be the one in the lane's row, which that statement
//!   writes (`fence.rs`).
//! - A transaction that holds a lock may write rows that are not declared, such as an entry of an
//!   index, and leave the locked row unchanged. The statement, which has waited for that lock,
//!   writes over such a row, but does not see it when it should delete it. So deleted keys have to
//!   be declared.
//!
//! Leaves groups in which a member writes nothing, does not write a key that it found absent, or
//! deletes one that no member declared, to `transaction.rs`, and the handling of mistakes to
//! `lanes.rs`.

use super::failure::Failure;
use super::group::{ByKey, Writes, waves};
use super::keys::Located;
use super::queue::Member;
use super::rows::{Numbers, Puts, Rows, arrays_of, is_appended_directly};
use super::statements::Composition;
use super::steps::{Step, Taken};
use super::traffic::Cause;
use super::transaction::{Setting, Unsent, lock_runs};
use crate::Batch;
use bytes::Bytes;
use std::collections::BTreeSet;
use tokio_postgres::types::ToSql;

/// Decision of a commit before a lane took it.
#[derive(Debug)]
pub(super) struct Early {
    /// The numbers of the rows whose values it was shown, in the order of its keys; `None` = no
    /// row.
    pub(super) numbers: Vec<Option<i64>>,
    /// The copy of the fence that it was shown, if it was.
    pub(super) fence: Option<Bytes>,
    /// Its writes, at least one.
    pub(super) batch: Batch,
}

/// The decisions of a group.
pub(super) struct EarlyGroup {
    pub(super) writes: Writes,
    /// The number of each declared key's row, `None` if it is to be absent.
    numbers: ByKey<Option<i64>>,
    /// The copy of the fence that the lane must have, if a member was shown one.
    pub(super) fence: Option<Bytes>,
}

/// Rows that are to be as they were when they were decided on.
enum Same<'g> {
    /// They are locked, for update or not.
    Locked(bool, Vec<&'g Located>, Vec<i64>),
    /// They are written.
    Written(Puts, Vec<i64>),
}

impl EarlyGroup {
    /// Returns the decisions of a group: `None` if they cannot be committed together without a
    /// question.
    pub(super) fn of(setting: &Setting<'_>, all: Vec<Early>) -> Option<Self> {
        let Setting { members, layout, group_bytes, .. } = *setting;
        let mut numbers = ByKey::default();
        let mut fence = None;
        for (member, early) in members.iter().zip(&all) {
            if early.fence.is_some()
                && early.fence != *fence.get_or_insert_with(|| early.fence.clone())
            {
                return None;
            }
            for (key, number) in member.keys().zip(&early.numbers) {
                let other = numbers.insert(key.key.clone(), *number);
                if other.is_some_and(|other| other != *number) {
                    return None;
                }
            }
        }
        let keys = members.iter().map(|member| (member.write.as_slice(), member.read.as_slice()));
        if waves(keys).iter().any(|wave| *wave > 0) {
            return None;
        }
        let mut writes = Writes::default();
        for early in all {
            writes.add(early.batch);
        }
        let is_small = writes.commits == 1 || writes.size_bytes <= group_bytes;
        let is_direct = writes.appends().all(|(prefix, _)| is_appended_directly(prefix, layout));
        // Rows that would have to be written twice.
        let holds = |(key, number): (&Bytes, &Option<i64>)| {
            number.is_none() && !matches!(writes.value(key), Some(Some(_)))
        };
        let is_once = !numbers.iter().any(holds) && writes.removed_counters().next().is_none();
        let sees_deleted = writes.deleted().all(|key| numbers.contains_key(key));
        (is_small && is_direct && is_once && sees_deleted).then_some(Self {
            writes,
            numbers,
            fence: fence.flatten(),
        })
    }

    /// Returns the number of a key's row: `None` if it is to be absent.
    fn number(&self, key: &Located) -> Option<i64> {
        self.numbers.get(&key.key).copied().flatten()
    }

    /// Returns the keys that are to be absent.
    fn absent<'m>(&self, members: &'m [Member]) -> BTreeSet<&'m Located> {
        let keys = members.iter().flat_map(Member::keys);
        keys.filter(|key| self.number(key).is_none()).collect()
    }

    /// Returns the rows of `updates` and all others that are to be as they were, in the order of
    /// the primary key.
    fn same<'m>(&self, members: &'m [Member], updates: &mut Puts) -> Vec<Same<'m>> {
        let mut all = Vec::new();
        let mut rest = Puts::default();
        for (for_update, keys) in lock_runs(members) {
            let there = keys.iter().filter_map(|key| Some((*key, self.number(key)?)));
            let (keys, numbers): (Vec<&Located>, Vec<i64>) = there.unzip();
            let Some(last) = keys.last() else { continue };
            let written = updates.take_to(last);
            if for_update && written.len() == keys.len() {
                all.push(Same::Written(written, numbers));
            } else {
                rest.extend(written);
                all.push(Same::Locked(for_update, keys, numbers));
            }
        }
        *updates = rest;
        all
    }
}

impl Same<'_> {
    fn step(&self) -> Taken<'_> {
        match self {
            Same::Locked(for_update, keys, numbers) => {
                let mut arrays = arrays_of(keys.iter().copied());
                arrays.push(Box::new(&numbers[..]));
                (if *for_update { Step::LockSame } else { Step::ShareSame }, arrays)
            }
            Same::Written(puts, numbers) => puts.write_same(numbers),
        }
    }
}

/// Returns the failure in the error of a whole transaction.
fn unsent(error: &tokio_postgres::Error) -> Unsent {
    let mut unsent = Unsent::by_last(error);
    // A commit does not wait for locks any more.
    unsent.is_open &= !matches!(unsent.failure, Failure::Retry(Cause::Lock, _));
    unsent
}

impl Setting<'_> {
    /// Commits a group in one transaction, the lane's first one after `before`.
    pub(super) async fn run_early(&self, group: &EarlyGroup, before: i64) -> Result<(), Unsent> {
        let EarlyGroup { writes, .. } = group;
        let absent = group.absent(self.members);
        let is_there = |key: &[u8]| group.numbers.get(key).is_some_and(Option::is_some);
        let numbers = Numbers::of(self.lane, self.token);
        let mut rows =
            Rows::of(writes, &is_there, &absent, Vec::new(), numbers, self.stripe, self.layout);
        let same = group.same(self.members, rows.updates());
        let mut steps: Vec<_> = same.iter().map(Same::step).collect();
        rows.take_steps(&mut steps);
        let statement = self.composed(Composition::Whole, &steps).await;
        let statement = statement.map_err(|failure| Unsent { failure, is_open: false })?;
        let fence = group.fence.as_deref();
        let first: [&(dyn ToSql + Sync); 4] = [&self.lane, &self.token, &before, &fence];
        self.count_round_trip();
        let sent = statement.query(&self.connection.client, &first, &steps);
        let answered = self.connection.answer(async { Ok(sent.await) }).await;
        answered
            .map_err(|failure| Unsent { failure, is_open: true })?
            .map_err(|error| unsent(&error))?;
        rows.teach(self.known);
        for same in &same {
            if let Same::Written(puts, _) = same {
                puts.teach(self.known);
            }
        }
        Ok(())
    }
}
