//! The conditional write that every writing operation shares: PutItem, UpdateItem, DeleteItem, the
//! members of a batch and the actions of a transaction (`transaction/`).
//!
//! A write names its key, is decided on the newest image of its item under the key's lock, and puts
//! into one batch: the item, its index entries, the counters, the size of its collection, its
//! record in the change log, and for a table with a history the old image.
//!
//! | file | idea |
//! |---|---|
//! | `plan.rs` | turns items, keys and updates into writes; finds the faults that a table shows |
//! | `derive.rs` | applies key templates to the new image |
//! | `draws.rs` | values that key templates generate |
//! | `decide.rs` | decides a write on the newest image of its item |
//! | `commit.rs` | commits writes; plans them again after a change of definition |
//! | `numbered.rs` | versions that a table keeps as items, written with their item |
//! | `moment.rs` | the moment of a commit that changes items with a history |
//! | `preview.rs` | examines stored items for what a new key template would do to them |
//! | `undo.rs` | rows by which a rewriting can be undone |
//! | `rehearse.rs` | decides writes without committing them |
//! | `claims.rs` | writes that meet the claim of a job that fills an index |
//! | `admit.rs` | admission to limited throughput; the limiter is above |

mod admit;
mod claims;
mod commit;
mod decide;
mod derive;
mod draws;
mod moment;
mod numbered;
mod plan;
mod preview;
mod rehearse;
mod undo;

pub(crate) use admit::Admit;
pub(crate) use commit::until_decided;
pub(crate) use decide::{Circumstances, decide_each};
pub(crate) use derive::{check_stored, keeps_others, of_stored};
pub(crate) use plan::{
    check_distinct, key_of_key, plan_delete, plan_derive, plan_put, plan_restore, plan_update,
};
pub(crate) use preview::{Preview, preview, shown};
pub use preview::{PreviewCount, PreviewExample, TemplatePreview};

use crate::capacity::Units;
use crate::change_log::Author;
use crate::expiry::Due;
use crate::layout::ItemKey;
use hashrange_expr::{Condition, Update};
use hashrange_model::{ApiError, ApiResult, Item};
pub(crate) use undo::Undo;

/// Change that a write makes to its item.
#[derive(Debug)]
pub(crate) enum Action<'p> {
    /// Replaces the item.
    Put(Item),
    /// Replaces the item by one whose derived attributes depend on the stored item.
    PutUnsettled(Item),
    /// Changes or creates the item.
    Update(&'p Update),
    /// Removes the item.
    Delete,
    /// Leaves the item: only the condition counts.
    Check,
    /// Removes the item if it is due by its time-to-live attribute.
    Expire(Due),
    /// Sets the attributes that the table's key templates derive from the item.
    Derive,
    /// Puts back the value that an attribute had before a rewriting.
    Restore(Undo),
}

/// One write, checked against its table.
#[derive(Debug)]
pub(crate) struct Write<'p> {
    pub(crate) key: ItemKey,
    /// Key attributes with which an update creates a missing item.
    pub(crate) key_attributes: Item,
    pub(crate) condition: Option<&'p Condition>,
    pub(crate) action: Action<'p>,
    /// True if a failed condition returns the item.
    pub(crate) returns_item_on_failure: bool,
    /// True if the table's versions as items are kept of it.
    pub(crate) keeps_versions: bool,
}

impl Write<'_> {
    /// Returns the author of the change.
    fn author(&self) -> Author {
        match self.action {
            Action::Expire(_) => Author::TimeToLive,
            Action::Put(_)
            | Action::PutUnsettled(_)
            | Action::Update(_)
            | Action::Delete
            | Action::Check
            | Action::Derive
            | Action::Restore(_) => Author::Client,
        }
    }
}

/// Result of a write.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) old: Option<Item>,
    pub(crate) new: Option<Item>,
    pub(crate) units: Units,
    /// Size of the item collection after the write, bytes, on tables with local indexes.
    pub(crate) collection_bytes: Option<i64>,
}

impl Written {
    /// Returns the item before and after.
    pub(crate) fn images(&self) -> (Option<&Item>, Option<&Item>) {
        (self.old.as_ref(), self.new.as_ref())
    }
}

/// Result of one of several writes that are decided apart.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) result: ApiResult<Written>,
    /// Size of the item as the write found it, bytes.
    pub(crate) stored_bytes: usize,
}

impl Attempt {
    /// Returns the result of one of several writes that were done all or none.
    pub(crate) fn done(written: Written) -> Self {
        let stored_bytes = written.old.as_ref().map_or(0, Item::size);
        Self { result: Ok(written), stored_bytes }
    }

    /// Returns the result of a write that was not decided.
    pub(crate) fn lost(error: &ApiError) -> Self {
        Self { result: Err(error.clone()), stored_bytes: 0 }
    }
}
