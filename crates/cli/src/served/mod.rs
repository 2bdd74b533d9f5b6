//! API of the server: one database, one that moves, a sandbox, or a namespace for each access key
//! and region.
//!
//! The start chooses one of them; a request pays one branch for it.

mod console;
mod measures;
mod moving;
mod namespaces;
mod observed;
mod overview;
pub mod own_operations;
mod process;
mod time;

pub use console::Console;
pub use moving::Moving;
pub use namespaces::{Namespaces, Origin};
pub use observed::Observed;
pub use overview::{Overview, ServerFacts};
pub use process::machine;

use bytes::Bytes;
use hashrange::{ApiError, Database, Operation, Reason, Sandbox, Stats};
use hashrange_auth::Caller;
use hashrange_server::{Api, Demand, Measure, Running};
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Arc;

/// The API of a server.
#[derive(Debug)]
pub enum Served {
    /// A database.
    Database(Database),
    /// A database that is copied to another place, and served from there afterwards.
    Moving(Arc<Moving>),
    /// A database with the server's own operations on its whole state and its clock.
    Sandbox(Sandbox),
    /// One of the above for each access key and region.
    Namespaces(Namespaces),
}

impl Served {
    /// Bounds the bytes for cached data; see [`Database::bound_cache`].
    pub fn bound_cache(&self, cache_bytes: u64) {
        match self {
            Self::Database(database) => database.bound_cache(cache_bytes),
            Self::Moving(moving) => moving.database().bound_cache(cache_bytes),
            Self::Sandbox(sandbox) => sandbox.database().bound_cache(cache_bytes),
            Self::Namespaces(namespaces) => namespaces.bound_cache(cache_bytes),
        }
    }

    /// Returns the counts and sizes of the store, of all in namespaces together.
    pub fn stats(&self) -> Stats {
        match self {
            Self::Database(database) => database.stats(),
            Self::Moving(moving) => moving.database().stats(),
            Self::Sandbox(sandbox) => sandbox.database().stats(),
            Self::Namespaces(namespaces) => namespaces.stats(),
        }
    }

    /// Returns true if the data are no longer in the folder where they were at the start.
    pub fn is_moved(&self) -> bool {
        match self {
            Self::Moving(moving) => moving.is_moved(),
            Self::Database(_) | Self::Sandbox(_) | Self::Namespaces(_) => false,
        }
    }

    /// Returns true if the data are in a store that servers share.
    pub fn is_shared(&self) -> bool {
        match self {
            Self::Database(database) => database.servers_seen().is_some(),
            Self::Moving(moving) => moving.database().servers_seen().is_some(),
            Self::Sandbox(_) | Self::Namespaces(_) => false,
        }
    }

    /// Refuses further writes and waits until all writes are on disk.
    pub async fn close(&self) -> Result<(), hashrange_storage::Error> {
        match self {
            Self::Database(database) => database.close().await,
            Self::Moving(moving) => moving.database().close().await,
            Self::Sandbox(sandbox) => sandbox.database().close().await,
            Self::Namespaces(namespaces) => namespaces.close().await,
        }
    }
}

impl Api for Served {
    fn call(self: Arc<Self>, operation: Operation, body: Bytes) -> Running<'static> {
        match &*self {
            Self::Database(database) => database.call_boxed(operation, body),
            Self::Moving(moving) => Box::pin(Arc::clone(moving).call(operation, body)),
            Self::Sandbox(sandbox) => sandbox.database().call_boxed(operation, body),
            Self::Namespaces(_) => Box::pin(ready(Err(Reason::Internal.into()))),
        }
    }

    fn call_own(self: Arc<Self>, name: String, body: Bytes) -> Running<'static> {
        Box::pin(async move {
            match &*self {
                Self::Database(database) => {
                    own_operations::of_database(database, &name, &body).await
                }
                Self::Moving(moving) => moving.call_own(&name, &body).await,
                Self::Sandbox(sandbox) => own_operations::of_sandbox(sandbox, &name, &body).await,
                // Requests go to the API of one namespace.
                Self::Namespaces(_) => Err(Reason::Internal.into()),
            }
        })
    }

    fn of_caller(&self, caller: &Caller<'_>) -> Result<Option<Arc<dyn Api>>, ApiError> {
        match self {
            Self::Database(_) | Self::Moving(_) | Self::Sandbox(_) => Ok(None),
            Self::Namespaces(namespaces) => {
                Ok(Some(namespaces.of(caller.access_key_id(), caller.region())?))
            }
        }
    }

    fn demand(&self) -> Option<Demand> {
        Some(match hashrange_storage::take_demand()? {
            hashrange_storage::Demand::Long => Demand::Long,
            hashrange_storage::Demand::Blocking => Demand::Blocking,
        })
    }

    fn check_writable(&self) -> Result<(), String> {
        match self {
            Self::Database(database) => database.check_writable().map_err(|why| why.to_string()),
            Self::Moving(moving) => {
                moving.database().check_writable().map_err(|why| why.to_string())
            }
            Self::Sandbox(sandbox) => {
                sandbox.database().check_writable().map_err(|why| why.to_string())
            }
            Self::Namespaces(namespaces) => namespaces.check_writable(),
        }
    }

    fn check_ready<'a>(&'a self) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>> {
        match self {
            Self::Database(database) => {
                Box::pin(async { database.probe().await.map_err(|why| why.to_string()) })
            }
            Self::Moving(moving) => {
                Box::pin(async { moving.database().probe().await.map_err(|why| why.to_string()) })
            }
            // Databases in memory or in a folder of this machine answer from memory.
            Self::Sandbox(_) | Self::Namespaces(_) => Box::pin(ready(self.check_writable())),
        }
    }

    fn measures<'a>(&'a self) -> Pin<Box<dyn Future<Output = Vec<Measure>> + Send + 'a>> {
        Box::pin(async move {
            let mut measures = match self {
                Self::Database(database) => measures::of(database).await,
                Self::Moving(moving) => measures::of(&moving.database()).await,
                Self::Sandbox(sandbox) => measures::of(&sandbox.database()).await,
                // Stores of namespaces come and go.
                Self::Namespaces(_) => Vec::new(),
            };
            measures.extend(process::measures());
            measures
        })
    }

    fn background_panics(&self) -> u64 {
        match self {
            Self::Database(database) => database.background_panics(),
            Self::Moving(moving) => moving.database().background_panics(),
            Self::Sandbox(sandbox) => sandbox.background_panics(),
            Self::Namespaces(namespaces) => namespaces.background_panics(),
        }
    }
}
