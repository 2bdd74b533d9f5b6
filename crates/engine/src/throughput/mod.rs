//! The profiles of the service: throughput limits, delays of table changes, stale reads, and the
//! faults that a client must be ready for.
//!
//! The default profile has no [`Limiter`] at all. Under the others every data operation asks an
//! [`Admission`] before it touches a table or index and tells it afterwards what it used; reads take
//! their view from a [`Reading`]. Time is the environment's clock; nothing waits.
//!
//! Left to others: where a request asks (`engine/`), and what requests are told of tables that change
//! (`table_states/`).
//!
//! | file | idea |
//! |---|---|
//! | `bucket.rs`, `scaling.rs`, `meter.rs` | how many units there are |
//! | `admission.rs` | what one request may use, and what goes wrong with it |
//! | `reading.rs`, `views.rs` | which state of the store a read sees |
//! | `lifecycle.rs` | tables that are being created, updated or deleted |
//! | `readiness.rs`, `tag_change.rs` | what other operations see of such tables, and of tags that change |
//! | `pace.rs` | how long changes of tables take |
//! | `history.rs` | when settings were changed that may not be changed often |
//! | `dice.rs` | choices that a seed decides |

mod admission;
mod bucket;
mod dice;
mod history;
mod lifecycle;
mod meter;
mod pace;
mod readiness;
mod reading;
mod scaling;
mod tag_change;
mod views;

pub(crate) use admission::Admission;
pub(crate) use history::{History, Setting};
pub(crate) use lifecycle::{Deletion, Status, TableChanges, is_updating};
pub(crate) use readiness::{Readiness, are_among};
pub(crate) use reading::{ReadTarget, Reading};
pub(crate) use tag_change::TagChange;

use crate::capacity::Charge;
use crate::environment::Environment;
use crate::heat::Heat;
use crate::options::EngineOptions;
use crate::profile::Profile;
use crate::schema::{IndexId, TableId};
use meter::Meter;
use pace::Pace;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use views::RecentViews;

/// Which meter: of a table's or index's reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct MeterKey {
    table: TableId,
    index: IndexId,
    charge: Charge,
}

/// What a profile other than the default one remembers.
pub(crate) struct Limiter<V> {
    rules: Rules,
    views: RecentViews<V>,
}

/// The part of a [`Limiter`] that does not depend on the store.
#[derive(Debug)]
struct Rules {
    is_hostile: bool,
    seed: u64,
    /// How many requests there have been.
    requests: AtomicU64,
    meters: Mutex<HashMap<MeterKey, Meter>>,
    changes: TableChanges,
    /// When settings were changed that may not be changed often.
    history: Mutex<History>,
}

impl<V> fmt::Debug for Limiter<V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Limiter").field("rules", &self.rules).finish_non_exhaustive()
    }
}

impl<V: Clone> Limiter<V> {
    /// Returns the limiter that the options ask for; none under the default profile.
    pub(crate) fn of(options: &EngineOptions) -> Option<Self> {
        let is_hostile = match options.profile {
            Profile::Default => return None,
            Profile::Aws => false,
            Profile::Hostile => true,
        };
        let rules = Rules {
            is_hostile,
            seed: options.seed,
            requests: AtomicU64::new(0),
            meters: Mutex::default(),
            history: Mutex::default(),
            changes: TableChanges::new(Pace::of(options)),
        };
        Some(Self { rules, views: RecentViews::new(is_hostile) })
    }

    /// Returns the admission of a request.
    pub(crate) fn admission<'e>(
        &'e self,
        environment: &'e Environment,
        heat: &'e Heat,
    ) -> Admission<'e> {
        Admission::new(&self.rules, environment, heat)
    }

    /// Returns whether everything that the service may do happens often, as a seed decides.
    pub(crate) fn is_hostile(&self) -> bool {
        self.rules.is_hostile
    }

    /// Returns the changes of tables that are to look unfinished.
    pub(crate) fn changes(&self) -> &TableChanges {
        &self.rules.changes
    }

    /// Returns when settings were changed that may not be changed often.
    pub(crate) fn history(&self) -> MutexGuard<'_, History> {
        self.rules.history()
    }

    /// Lets go of what is too old to be of use.
    pub(crate) fn sweep(&self, now_ms: u64) {
        self.views.forget_old(now_ms);
        self.rules.changes.forget_old(now_ms);
    }

    /// Lets go of every view, so that the store can be closed.
    pub(crate) fn close(&self) {
        self.views.forget_all();
    }

    /// Forgets what a deleted table has used.
    pub(crate) fn forget_table(&self, table: TableId) {
        self.rules.meters().retain(|key, _| key.table != table);
        self.rules.history().forget_table(table);
    }
}

impl Rules {
    fn meters(&self) -> MutexGuard<'_, HashMap<MeterKey, Meter>> {
        self.meters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_request(&self) -> u64 {
        self.requests.fetch_add(1, Ordering::Relaxed)
    }
}
