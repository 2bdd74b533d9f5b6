//! A database is copied from one place to another: from a folder to PostgreSQL, back, or to another folder.
//!
//! Opens both places and sees to it that nobody else uses them. Leaves the copy itself to the engine.

use crate::Error;
use hashrange_engine::{Copied, CopyError, Copying, copy as copy_stores, server_rows};
use hashrange_storage::{AnyStore, EmbeddedOptions, EmbeddedStore, Store, block_on};
#[cfg(feature = "postgres")]
use hashrange_storage::{PostgresOptions, PostgresStore};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// Servers whose rows do not change for so long are dead: eight beats of a second, and some.
const LOOKS: u32 = 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);

/// So far above the source's stamps are those of a folder that a copy creates: if the copy is begun again
/// days later, they are above what was written meanwhile.
const STAMPS_AHEAD: u64 = 1 << 48;

/// Where a database is.
#[derive(Clone, Copy)]
pub enum Place<'p> {
    /// In a folder.
    Folder(&'p Path),
    /// In a database on PostgreSQL, by its URL, in which a password may stand.
    #[cfg(feature = "postgres")]
    Url(&'p str),
}

impl std::fmt::Debug for Place<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Folder(folder) => formatter.debug_tuple("Folder").field(folder).finish(),
            #[cfg(feature = "postgres")]
            Self::Url(_) => formatter.write_str("Url(..)"),
        }
    }
}

/// Copies the database at `source` to `target`, where there is none, and compares both. With `is_restarted`
/// the target may be a copy that was not finished, which is emptied first. `heard` is told again and again
/// how far the copy is. Nobody may use either meanwhile; waits for ten seconds to see whether servers do that
/// have left a row behind.
///
/// # Errors
/// When either cannot be used so, or fails, or they are not equal in the end. What the target holds then is
/// refused by whoever opens it, but if the copy was refused before it began.
pub fn copy(
    source: Place<'_>,
    target: Place<'_>,
    is_restarted: bool,
    heard: &mut (dyn FnMut(Copying) + Send),
) -> Result<Copied, Error> {
    let from = open_source(source)?;
    if let Some(servers) = servers_alive(&from, CopyError::Source)? {
        return Err(Error::Copy(CopyError::SourceInUse(servers)));
    }
    let last_stamp = block_on(from.last_stamp());
    let last_stamp = last_stamp.map_err(|error| Error::Copy(CopyError::Source(error)))?;
    let to = open_target(target, last_stamp)?;
    if let Some(servers) = servers_alive(&to, CopyError::Target)? {
        return Err(Error::Copy(CopyError::TargetInUse(servers)));
    }
    let copied = block_on(copy_stores(&from, &to, is_restarted, heard)).map_err(Error::Copy)?;
    let closed = block_on(to.close());
    closed.map_err(|error| Error::Copy(CopyError::Target(error)))?;
    Ok(copied)
}

fn open_source(place: Place<'_>) -> Result<AnyStore, Error> {
    match place {
        Place::Folder(folder) if !EmbeddedStore::is_in(folder) => {
            let what = format!("there is no database in {}", folder.display());
            Err(Error::Copy(CopyError::Unreadable(what)))
        }
        Place::Folder(folder) => open_folder(folder, &EmbeddedOptions::default()),
        #[cfg(feature = "postgres")]
        Place::Url(url) => {
            open_url(url, &PostgresOptions { creates: false, ..PostgresOptions::default() })
        }
    }
}

fn open_target(place: Place<'_>, last_stamp: u64) -> Result<AnyStore, Error> {
    match place {
        Place::Folder(folder) => {
            let stamps_above = last_stamp.saturating_add(STAMPS_AHEAD);
            open_folder(folder, &EmbeddedOptions { stamps_above, ..EmbeddedOptions::default() })
        }
        #[cfg(feature = "postgres")]
        Place::Url(url) => open_url(url, &PostgresOptions::default()),
    }
}

fn open_folder(folder: &Path, options: &EmbeddedOptions) -> Result<AnyStore, Error> {
    EmbeddedStore::open(folder, options).map(AnyStore::Embedded).map_err(Error::Folder)
}

#[cfg(feature = "postgres")]
fn open_url(url: &str, options: &PostgresOptions) -> Result<AnyStore, Error> {
    let store = PostgresStore::open(url, options);
    store.map(AnyStore::Postgres).map_err(Error::Store)
}

/// Returns how many servers are at work on a store, if any: their rows change.
fn servers_alive(
    store: &AnyStore,
    failed: fn(hashrange_storage::Error) -> CopyError,
) -> Result<Option<usize>, Error> {
    let rows = || block_on(server_rows(store)).map_err(|error| Error::Copy(failed(error)));
    let before = rows()?;
    if before.is_empty() {
        return Ok(None);
    }
    // Nobody sends: it is the wait that is wanted.
    let (_sender, nobody) = mpsc::channel::<()>();
    for _ in 0..LOOKS {
        nobody.recv_timeout(BETWEEN_LOOKS).ok();
        let now = rows()?;
        let alive = now.iter().filter(|row| !before.contains(row)).count();
        if alive > 0 {
            return Ok(Some(alive));
        }
    }
    Ok(None)
}
