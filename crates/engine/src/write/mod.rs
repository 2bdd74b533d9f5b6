//! The conditional write that every writing operation shares: PutItem, UpdateItem, DeleteItem, the
//! members of a batch and the actions of a transaction (`transaction/`).
//!
//! A write names its key, is decided on the newest image of its item under the key's lock, and
//! leaves in one batch: the item, its index entries, the counters, the size of its collection, its
//! record in the change log, and in the history of a table that keeps one what it was before.
//!
//! | file | idea |
//! |---|---|
//! | `plan.rs` | from items, keys and updates to writes, with the faults that a table shows |
//! | `derive.rs` | what key templates make of the new image |
//! | `decide.rs` | a write on the newest image of its item |
//! | `commit.rs` | the one commit of writes, planned again after a change of definition |
//! | `moment.rs` | the moment of a commit that changes items with a history |
//! | `others.rs` | the keys of stored items that a key template would not leave them |
//! | `rehearse.rs` | what writes would do, decided and not committed |
//! | `claims.rs` | a write meets a claim of whoever fills an index |
//! | `admit.rs` | what a write asks where throughput is limited; who limits it is above |

mod admit;
mod claims;
mod commit;
mod decide;
mod derive;
mod moment;
mod others;
mod plan;
mod rehearse;

pub(crate) use admit::Admit;
pub(crate) use commit::until_decided;
pub(crate) use decide::{Circumstances, decide_each};
pub(crate) use derive::{check_stored, keeps_others, of_stored};
pub(crate) use others::others;
pub(crate) use plan::{
    check_distinct, key_of_key, plan_delete, plan_derive, plan_put, plan_update,
};

use crate::capacity::Units;
use crate::change_log::Author;
use crate::expiry::Due;
use crate::layout::ItemKey;
use hashrange_expr::{Condition, Update};
use hashrange_model::{ApiError, ApiResult, Item};

/// What a write does to its item.
#[derive(Debug)]
pub(crate) enum Action<'p> {
    /// Replaces it.
    Put(Item),
    /// The same, with a key that no key template derives: a template's own is removed, a client's refused.
    PutUnsettled(Item),
    /// Changes or creates it.
    Update(&'p Update),
    /// Removes it.
    Delete,
    /// Leaves it: only the condition counts.
    Check,
    /// Removes it if it is due by its time-to-live attribute.
    Expire(Due),
    /// Gives it what the table's key templates derive from it.
    Derive,
}

/// One write, checked against its table.
#[derive(Debug)]
pub(crate) struct Write<'p> {
    pub(crate) key: ItemKey,
    /// The key attributes: what an update creates if there is no item.
    pub(crate) key_attributes: Item,
    pub(crate) condition: Option<&'p Condition>,
    pub(crate) action: Action<'p>,
    /// Whether a failed condition returns the item it met.
    pub(crate) returns_item_on_failure: bool,
}

impl Write<'_> {
    /// Returns who makes the change.
    fn author(&self) -> Author {
        match self.action {
            Action::Expire(_) => Author::TimeToLive,
            Action::Put(_)
            | Action::PutUnsettled(_)
            | Action::Update(_)
            | Action::Delete
            | Action::Check
            | Action::Derive => Author::Client,
        }
    }
}

/// What a write did.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) old: Option<Item>,
    pub(crate) new: Option<Item>,
    pub(crate) units: Units,
    /// Bytes of the item collection afterwards, on tables with local indexes.
    pub(crate) collection_bytes: Option<i64>,
}

impl Written {
    /// Returns the item before and after.
    pub(crate) fn images(&self) -> (Option<&Item>, Option<&Item>) {
        (self.old.as_ref(), self.new.as_ref())
    }
}

/// A write of several that are decided apart.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) result: ApiResult<Written>,
    /// Size of the item as the write found it.
    pub(crate) stored_bytes: usize,
}

impl Attempt {
    /// Returns the attempt of a write that was done with all others or none.
    pub(crate) fn done(written: Written) -> Self {
        let stored_bytes = written.old.as_ref().map_or(0, Item::size);
        Self { result: Ok(written), stored_bytes }
    }

    /// Returns the attempt of a write that was not decided.
    pub(crate) fn lost(error: &ApiError) -> Self {
        Self { result: Err(error.clone()), stored_bytes: 0 }
    }
}
