//! The core: a store, the tables in it, and the environment. All that reads, writes and background
//! work share.
//!
//! | file | idea |
//! |---|---|
//! | `open.rs` | the tables of a store that is opened |
//! | `catalog.rs` | tables in use; how a definition changes under running writes |
//! | `definitions.rs` | a definition is changed: stored, then put in use |
//! | `sharing.rs` | definitions that other servers change too |
//! | `changed.rs` | which tables the last changes have changed |
//! | `commit.rs` | the way into the store: a commit that loses to another writer is tried again |
//! | `noting.rs` | commits note what they write while the database is being copied |
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
    /// Which keys are hot, where somebody wants to know.
    pub(crate) heat: Heat,
    /// How far the sweep of client request tokens has come, by the milliseconds of their use.
    pub(crate) tokens_swept: Swept,
    /// Held by whoever changes a table's definition, until the change is in use; see
    /// [`Core::lock_definitions`].
    definitions: tokio::sync::Mutex<()>,
    /// Whether a change of definitions may have been committed and is not in use, or is in use and what
    /// follows from it is not done.
    definitions_in_doubt: AtomicBool,
    /// Whether there may be background work in the store that this server does not know of.
    may_lack_work: AtomicBool,
    /// Held alone by whoever has claimed a range for an index that it fills ([`crate::filling`]); taken
    /// together by writes that wait for the end of the claim.
    pub(crate) claiming: tokio::sync::RwLock<()>,
    /// The number of the last change of definitions that whoever holds `definitions` knows of, where
    /// several servers make them.
    changes_seen: AtomicU64,
    /// What commits do besides while the database is being copied.
    pub(crate) noting: noting::Noting,
    /// Held while data are taken away that no commit deletes, which a copy would not notice.
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
    /// Returns the core of a store that has these tables.
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
