//! The profiles of the service: throughput limits, durations of table changes, stale reads, and the
//! faults that a client must be ready for.
//!
//! The default profile has no [`Limiter`] at all. Under the others every data operation asks an
//! [`Admission`] before it touches a table or index and reports the used units afterwards; reads
//! get their view from a [`Reading`]. Time is the environment's clock; nothing waits.
//!
//! Left to others: the calls in a request (`engine/`), and the states of tables that requests see
//! (`table_states/`).
//!
//! | file | idea |
//! |---|---|
//! | `bucket.rs`, `scaling.rs`, `meter.rs` | counting of units |
//! | `admission.rs` | admission of one request, and its faults |
//! | `reading.rs`, `views.rs` | the state of the store that a read sees |
//! | `lifecycle.rs` | tables that are being created, updated or deleted |
//! | `readiness.rs`, `tag_change.rs` | such tables, and changing tags, for other operations |
//! | `pace.rs` | durations of changes of tables |
//! | `history.rs` | times of changes of settings |
//! | `dice.rs` | random choices that a seed decides |

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

/// Key of a meter: of a table's or index's reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct MeterKey {
    table: TableId,
    index: IndexId,
    charge: Charge,
}

/// State of a profile other than the default one.
pub(crate) struct Limiter<V> {
    rules: Rules,
    views: RecentViews<V>,
}

/// The part of a [`Limiter`] that does not depend on the store.
#[derive(Debug)]
struct Rules {
    is_hostile: bool,
    seed: u64,
    /// Number of requests so far.
    requests: AtomicU64,
    meters: Mutex<HashMap<MeterKey, Meter>>,
    changes: TableChanges,
    /// Times of changes of settings.
    history: Mutex<History>,
}

impl<V> fmt::Debug for Limiter<V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Limiter").field("rules", &self.rules).finish_non_exhaustive()
    }
}

impl<V: Clone> Limiter<V> {
    /// Returns the limiter for the options; `None` under the default profile.
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

    /// Returns whether the profile is the hostile one, under which faults are frequent and a seed
    /// decides them.
    pub(crate) fn is_hostile(&self) -> bool {
        self.rules.is_hostile
    }

    /// Returns the changes of tables that look unfinished.
    pub(crate) fn changes(&self) -> &TableChanges {
        &self.rules.changes
    }

    /// Returns the times of changes of settings.
    pub(crate) fn history(&self) -> MutexGuard<'_, History> {
        self.rules.history()
    }

    /// Drops views and changes that are too old to be of use.
    pub(crate) fn sweep(&self, now_ms: u64) {
        self.views.forget_old(now_ms);
        self.rules.changes.forget_old(now_ms);
    }

    /// Drops every view, so that the store can be closed.
    pub(crate) fn close(&self) {
        self.views.forget_all();
    }

    /// Drops the meters and the history of a deleted table.
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
