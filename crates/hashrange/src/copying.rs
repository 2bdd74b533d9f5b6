//! Copies a database from one place to another: from a folder to PostgreSQL, back, or to another
//! folder.
//!
//! Opens both places and makes sure that no one else uses them, except a source that is to be
//! served meanwhile. Leaves the copy itself to the engine.

use crate::{Database, Error};
use hashrange_engine::{
    Copied, CopyError, Copying, Served, copy as copy_stores, finish_move, read_moved,
    reopen as reopen_store, server_rows,
};
use hashrange_storage::{AnyStore, EmbeddedOptions, EmbeddedStore, Store, block_on};
#[cfg(feature = "postgres")]
use hashrange_storage::{PostgresOptions, PostgresStore};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// Looks at the rows of other servers. A server whose row stays the same for all of them, more than
/// eight beats, is dead.
const LOOKS: u32 = 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);

/// Distance from the source's stamps to those of a folder that a copy creates: if the copy begins
/// again days later, its stamps are above all that were given meanwhile.
const STAMPS_AHEAD: u64 = 1 << 48;

/// Place of a database.
#[derive(Clone, Copy)]
pub enum Place<'p> {
    /// In a folder.
    Folder(&'p Path),
    /// In a database on PostgreSQL, by its URL, which may hold a password.
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

impl<'p> Place<'p> {
    /// Returns the folder, if it is one.
    pub fn folder(self) -> Option<&'p Path> {
        match self {
            Self::Folder(folder) => Some(folder),
            #[cfg(feature = "postgres")]
            Self::Url(_) => None,
        }
    }
}

/// Options of a copy.
#[derive(Debug, Clone, Copy, Default)]
pub struct How {
    /// The target may be an unfinished copy, which is emptied first. If the source is marked as
    /// being copied by another process, this copy takes that one's place.
    pub is_restarted: bool,
    /// Servers go on serving the source, which is on PostgreSQL, until the copy has caught up with
    /// it. From then on all of them refuse requests to it.
    pub is_served: bool,
}

/// Copies the database at `source` to `target`, which must hold none, and compares both. If the
/// source was moved to `target` already, only the missing steps are done. Calls `heard` again and
/// again with the progress. No one may use the target meanwhile, nor the source unless it [is
/// served](How::is_served). Waits ten seconds to see whether servers whose rows are there still
/// run.
///
/// # Errors
/// One of the places cannot be used for a copy, or fails, or the two are not equal in the end.
/// Programs then refuse to open the target, unless the copy was refused before it began.
pub fn copy(
    source: Place<'_>,
    target: Place<'_>,
    how: How,
    heard: &mut (dyn FnMut(Copying) + Send),
) -> Result<Copied, Error> {
    if how.is_served && source.folder().is_some() {
        let what = "a folder is served by one process, which is the one to copy it".to_owned();
        return Err(Error::Copy(CopyError::Unreadable(what)));
    }
    let from = open_source(source)?;
    if finish_moved(&from, target)? {
        return Ok(Copied::default());
    }
    if !how.is_served
        && let Some(servers) = servers_alive(&from, CopyError::Source)?
    {
        return Err(Error::Copy(CopyError::SourceInUse(servers)));
    }
    let to = open_target(target, &from)?;
    let served = if how.is_served { Served::ByOthers } else { Served::No };
    let id = crate::database::random();
    let copied = copy_stores(&from, &to, served, id, how.is_restarted, heard);
    let copied = block_on(copied).map_err(Error::Copy)?;
    close(&to)?;
    Ok(copied)
}

/// Returns whether [`Database::move_to`] has moved the database at a place; if so, `target` has to
/// be its new place. Completes the move if the target cannot be opened yet.
///
/// # Errors
/// The database was moved to another place than `target`, or either cannot be opened.
pub fn is_moved(from: Place<'_>, target: Place<'_>) -> Result<bool, Error> {
    if let Some(folder) = from.folder()
        && !EmbeddedStore::is_in(folder)
    {
        return Ok(false);
    }
    finish_moved(&open_source(from)?, target)
}

fn finish_moved(from: &AnyStore, target: Place<'_>) -> Result<bool, Error> {
    let Some(id) = block_on(read_moved(from)).map_err(Error::Copy)? else { return Ok(false) };
    let target = open_source(target)?;
    block_on(finish_move(id, &target)).map_err(Error::Copy)?;
    close(&target)?;
    Ok(true)
}

/// Opens again a database that a copy moved elsewhere while it was served. It has no write made
/// after the move.
///
/// # Errors
/// The database was not moved, or cannot be opened.
pub fn reopen(place: Place<'_>) -> Result<(), Error> {
    let store = open_source(place)?;
    block_on(reopen_store(&store)).map_err(Error::Copy)?;
    close(&store)
}

impl Database {
    /// Copies this database to `target`, as [`copy`] does, while it is used: writes made meanwhile
    /// follow. In the end the database refuses writes, first for a moment, then for ever: from then
    /// on the data are in the target. With `is_restarted` the target may be an unfinished copy.
    ///
    /// Blocks, so call it on a thread of its own.
    ///
    /// # Errors
    /// The errors of [`copy`]; this database can be used as before.
    pub fn move_to(
        &self,
        target: Place<'_>,
        is_restarted: bool,
        heard: &mut (dyn FnMut(Copying) + Send),
    ) -> Result<Copied, Error> {
        let to = open_target(target, self.engine.store())?;
        let moved = block_on(self.engine.move_to(&to, is_restarted, heard));
        let copied = moved.map_err(Error::Copy)?;
        close(&to)?;
        Ok(copied)
    }

    /// Returns whether this database was moved although the last step of [`Self::move_to`] has
    /// failed, and completes that step so that `target` can be opened.
    ///
    /// # Errors
    /// The state of the move cannot be read or completed now.
    pub fn finish_move(&self, target: Place<'_>) -> Result<bool, Error> {
        finish_moved(self.engine.store(), target)
    }
}

fn close(store: &AnyStore) -> Result<(), Error> {
    block_on(store.close()).map_err(|error| Error::Copy(CopyError::Target(error)))
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
            open_url(url, PostgresOptions { creates: false, ..PostgresOptions::default() })
        }
    }
}

/// Opens a target that no one else uses.
fn open_target(place: Place<'_>, source: &AnyStore) -> Result<AnyStore, Error> {
    let last_stamp = block_on(source.last_stamp());
    let last_stamp = last_stamp.map_err(|error| Error::Copy(CopyError::Source(error)))?;
    let target = match place {
        Place::Folder(folder) => {
            let stamps_above = last_stamp.saturating_add(STAMPS_AHEAD);
            open_folder(folder, &EmbeddedOptions { stamps_above, ..EmbeddedOptions::default() })?
        }
        #[cfg(feature = "postgres")]
        Place::Url(url) => open_url(url, PostgresOptions::default())?,
    };
    if let Some(servers) = servers_alive(&target, CopyError::Target)? {
        return Err(Error::Copy(CopyError::TargetInUse(servers)));
    }
    Ok(target)
}

fn open_folder(folder: &Path, options: &EmbeddedOptions) -> Result<AnyStore, Error> {
    EmbeddedStore::open(folder, options).map(AnyStore::Embedded).map_err(Error::Folder)
}

#[cfg(feature = "postgres")]
fn open_url(url: &str, options: PostgresOptions) -> Result<AnyStore, Error> {
    let options = PostgresOptions { fence: Some(hashrange_engine::fence()), ..options };
    let store = PostgresStore::open(url, &options);
    store.map(AnyStore::Postgres).map_err(Error::Store)
}

/// Counts the running servers of a store: those whose rows change.
fn servers_alive(
    store: &AnyStore,
    failed: fn(hashrange_storage::Error) -> CopyError,
) -> Result<Option<usize>, Error> {
    let rows = || block_on(server_rows(store)).map_err(|error| Error::Copy(failed(error)));
    let before = rows()?;
    if before.is_empty() {
        return Ok(None);
    }
    // Nobody sends on this channel; it serves as a timer.
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
