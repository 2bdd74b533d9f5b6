//! A group that was decided early, committed without a question to its members.
//!
//! A commit whose keys are guessed to be absent (`guesses.rs`) decides on that before it waits for a
//! lane. If all of a group have done so, and none may write what another one declares, the lane
//! sends one statement, which is the whole transaction (`steps.rs`): it sets the lane's token and
//! writes.
//!
//! A decision holds because:
//! - All declared keys are to be absent, and each is inserted without `ON CONFLICT`, as in
//!   `transaction.rs`: the statement fails if one is there, which is the failure of a conflict
//!   (`failure.rs`). One that fails has done nothing.
//! - The fence that a member was shown must be the copy in the lane's row, which that statement
//!   writes (`fence.rs`).
//! - The holder of a lock may write rows that are not declared, such as an entry of an index. The
//!   statement, which has waited for that lock, writes over such a row, but does not see it when it
//!   is to delete it. So nothing is deleted.
//!
//! Leaves groups in which a member writes nothing, only reads a key, does not write one that it declared, or deletes
//! one, to `transaction.rs`, and mistakes to `lanes.rs`.

use super::cause::Cause;
use super::early_decision::Early;
use super::failure::Failure;
use super::group::{Writes, waves};
use super::queue::Member;
use super::rows::{Numbers, Rows, is_appended_directly};
use super::statements::Composition;
use super::transaction::{Setting, Unsent};
use bytes::Bytes;
use tokio_postgres::types::ToSql;

/// The decisions of a group.
pub(super) struct EarlyGroup {
    pub(super) writes: Writes,
    /// The copy of the fence that the lane must have, if a member was shown one.
    fence: Option<Bytes>,
}

impl EarlyGroup {
    /// Returns the decisions of a group: `None` if they cannot be committed together without a
    /// question.
    pub(super) fn of(setting: &Setting<'_>, all: Vec<Early>) -> Option<Self> {
        let Setting { members, layout, group_bytes, .. } = *setting;
        let mut fences = all.iter().filter_map(|early| early.fence.clone());
        let fence = fences.next();
        if fences.any(|other| Some(other) != fence) {
            return None;
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
        // A key that is not put would have to be inserted and deleted, which one statement cannot.
        let mut keys = members.iter().flat_map(Member::keys);
        let are_put = keys.all(|key| matches!(writes.value(&key.key), Some(Some(_))));
        let deletes_none = writes.deletes_none();
        (is_small && is_direct && are_put && deletes_none).then_some(Self { writes, fence })
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
        let EarlyGroup { writes, fence } = group;
        let absent = self.members.iter().flat_map(Member::keys).collect();
        let numbers = Numbers::of(self.lane, self.token);
        let is_there = |_: &[u8]| false;
        let rows =
            Rows::of(writes, &is_there, &absent, Vec::new(), numbers, self.stripe, self.layout);
        let mut steps = Vec::new();
        rows.take_steps(&mut steps);
        let statement = self.composed(Composition::Whole, &steps).await;
        let statement = statement.map_err(|failure| Unsent { failure, is_open: false })?;
        let fence = fence.as_deref();
        let first: [&(dyn ToSql + Sync); 4] = [&self.lane, &self.token, &before, &fence];
        self.count_round_trip();
        let sent = statement.query(&self.connection.client, &first, &steps);
        let answered = self.connection.answer(async { Ok(sent.await) }).await;
        answered
            .map_err(|failure| Unsent { failure, is_open: true })?
            .map_err(|error| unsent(&error))?;
        Ok(())
    }
}
