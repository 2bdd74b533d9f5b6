//! The core: a store, the tables in it, and the environment, shared by all reads, writes and
//! background work.
//!
//! | file | idea |
//! |---|---|
//! | `open.rs` | reads the tables of a store when it is opened |
//! | `catalog.rs` | tables in use; how a definition changes under running writes |
//! | `definitions.rs` | changes a definition: stores it, then puts it in use |
//! | `sharing.rs` | follows definitions that other servers change |
//! | `changed.rs` | list of the tables that the last changes have changed |
//! | `commit.rs` | commits, and repeats a commit that lost to another writer |
//! | `noting.rs` | makes commits note their keys while the database is being copied |
//!
//! It knows no operation, no background job and no profile: those are above.

mod catalog;
mod changed;
mod commit;
mod definitions;
pub(crate) mod noting;
mod open;
mod sharing;

pub(crate) use catalog::Catalog;
pub(crate) use definitions::encode_record;
pub use open::OpenError;
pub(crate) use open::{FINISHED, UNFINISHED, is_unfinished, read_tables};

use crate::environment::Environment;
use crate::fault;
use crate::heat::Heat;
use crate::options::EngineOptions;
use crate::swept::Swept;
use hashrange_model::ApiResult;
use hashrange_storage::Store;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// A store with its tables.
pub(crate) struct Core<S: Store> {
    pub(crate) store: S,
    pub(crate) catalog: Catalog,
    pub(crate) environment: Environment,
    pub(crate) options: EngineOptions,
    /// Counts of key use, if the options or a table ask for them.
    pub(crate) heat: Heat,
    /// Progress of the sweep of client request tokens, by the milliseconds of their use.
    pub(crate) tokens_swept: Swept,
    /// Held during a change of a table's definition, until the change is in use; see
    /// [`Core::lock_definitions`].
    definitions: tokio::sync::Mutex<()>,
    /// True if a change of definitions may have been committed and is not in use, or is in use and
    /// its follow-up work is not done.
    definitions_in_doubt: AtomicBool,
    /// True if the store may hold background work that this server does not know of.
    may_lack_work: AtomicBool,
    /// Locked exclusively by a job that has claimed a range for an index that it fills
    /// ([`crate::filling`]); locked shared by writes that wait for the end of the claim.
    pub(crate) claiming: tokio::sync::RwLock<()>,
    /// Number of the last change of definitions that the holder of `definitions` has seen, where
    /// several servers make changes.
    changes_seen: AtomicU64,
    /// State of noting: commits note their keys, or are refused, because of a copy.
    pub(crate) noting: noting::Noting,
    /// Held during a removal of data by other means than commits, which a copy would not notice.
    pub(crate) reclaiming: tokio::sync::Mutex<()>,
}

impl<S: Store> fmt::Debug for Core<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Core")
            .field("catalog", &self.catalog)
            .field("environment", &self.environment)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl<S: Store> Core<S> {
    /// Returns the core of a store with the given tables.
    pub(crate) fn new(
        store: S,
        catalog: Catalog,
        environment: Environment,
        options: EngineOptions,
    ) -> Self {
        Self {
            store,
            catalog,
            heat: Heat::new(options.heat, &environment),
            environment,
            options,
            tokens_swept: Swept::default(),
            definitions: tokio::sync::Mutex::new(()),
            definitions_in_doubt: AtomicBool::new(false),
            may_lack_work: AtomicBool::new(false),
            claiming: tokio::sync::RwLock::new(()),
            changes_seen: AtomicU64::new(0),
            noting: noting::Noting::default(),
            reclaiming: tokio::sync::Mutex::new(()),
        }
    }

    /// Returns a view of the store.
    pub(crate) async fn view(&self) -> ApiResult<S::View> {
        self.store.view().await.map_err(fault::of_store)
    }
}
