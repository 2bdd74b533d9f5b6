//! A group that was decided early, committed without being asked.
//!
//! Who commits keys whose values are known (`known.rs`) decides on these before it waits for a lane. If all of a
//! group have done so, and none may write what another one declares, the lane sends everything at once after `BEGIN` and its
//! token: what finds out whether the values are still the same, all writes and `COMMIT`.
//!
//! Why a decision holds:
//! - A declared key that is to be there is locked as in `transaction.rs`, in the same order and the same way, by a
//!   statement that fails unless each row has the number of the value that was shown. A row that is written anyway
//!   is locked by that.
//! - A declared key that is to be absent is inserted without `ON CONFLICT`, as there.
//! - The first statement that fails ends the transaction: what follows is ignored, and `COMMIT` rolls back. That the
//!   database has other values is the failure of a conflict (`failure.rs`).
//!
//! `BEGIN` goes ahead, though that is a round trip: should it fail, by a cancellation say, what was sent together with it
//! would be carried out statement by statement. Its answer and the token's come first for `outcome.rs`, too.
//!
//! Leaves groups in which somebody writes nothing to `transaction.rs`, and what becomes of mistakes to `lanes.rs`.

use super::group::{Writes, waves};
use super::keys::Located;
use super::queue::Member;
use super::rows::{Columns, Numbers, Puts, Rows, Sending, is_appended_directly};
use super::transaction::{Setting, Unsent, lock_runs};
use crate::Batch;
use bytes::Bytes;
use futures_util::future::Ready;
use std::collections::{BTreeMap, BTreeSet};

/// What somebody decided before a lane took it.
#[derive(Debug)]
pub(super) struct Early {
    /// The numbers of the rows whose values it was shown, in the order of its keys; `None` = no row.
    pub(super) numbers: Vec<Option<i64>>,
    /// What it writes: something.
    pub(super) batch: Batch,
}

/// The decisions of a group.
pub(super) struct EarlyGroup {
    pub(super) writes: Writes,
    /// The number of each declared key's row, `None` if it is to be absent.
    numbers: BTreeMap<Bytes, Option<i64>>,
}

/// Rows that are to be as they were when they were decided on.
enum Same<'g> {
    /// They are locked, for update or not.
    Locked(bool, Vec<&'g Located>, Vec<i64>),
    /// They are written.
    Written(Puts, Vec<i64>),
}

impl EarlyGroup {
    /// Returns the decisions of a group: `None` if they cannot be committed together as they are.
    pub(super) fn of(setting: &Setting<'_>, all: Vec<Early>) -> Option<Self> {
        let Setting { members, layout, group_bytes, .. } = *setting;
        let mut numbers = BTreeMap::new();
        for (member, early) in members.iter().zip(&all) {
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
        (is_small && is_direct).then_some(Self { writes, numbers })
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

    /// Returns the rows of `updates` and all others that are to be as they were, in the order of the primary key.
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

impl Setting<'_> {
    /// Commits a group in one transaction.
    pub(super) async fn run_early(&self, group: &EarlyGroup) -> Result<(), Unsent> {
        let nothing: [Ready<()>; 0] = [];
        let begun = self.begin_with(nothing).await;
        begun.map_err(|failure| Unsent { failure, is_open: false })?;
        let EarlyGroup { writes, .. } = group;
        let absent = group.absent(self.members);
        let is_there = |key: &[u8]| group.numbers.get(key).is_some_and(Option::is_some);
        let numbers = Numbers::of(self.lane, self.token);
        let mut rows = Rows::of(writes, &is_there, &absent, Vec::new(), numbers, self.layout);
        let same = group.same(self.members, rows.updates());
        let (client, statements) = (&self.connection.client, self.statements);
        let mut sent: Sending<'_> = Vec::new();
        for same in &same {
            sent.push(Box::pin(async move {
                match same {
                    Same::Locked(for_update, keys, numbers) => {
                        let lock = if *for_update {
                            &statements.lock_same_for_update
                        } else {
                            &statements.lock_same_for_share
                        };
                        let columns = Columns::of(keys.iter().copied());
                        columns.query_same(client, lock, numbers).await.map(|()| None)
                    }
                    Same::Written(puts, numbers) => {
                        puts.send_same(client, &statements.update_same, numbers).await
                    }
                }
            }));
        }
        self.commit(sent, &rows, writes).await?;
        for same in &same {
            if let Same::Written(puts, _) = same {
                puts.teach(self.known);
            }
        }
        Ok(())
    }
}
