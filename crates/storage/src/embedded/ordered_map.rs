//! Interface of the group commit to an ordered map that keeps its data in files.
//!
//! This is all of it: an engine is another implementation, in a folder of its own that knows its
//! files. The compiler resolves the calls (`map.rs`).
//!
//! Leaves to the group commit (`mod.rs`) the decisions, their order, and the states that readers
//! see; leaves to the map the growth and merging of its files, and its threads for that.

use super::disk_waits::DiskWaits;
use super::folder::{Folder, StoreId};
use super::space::Space;
use super::{EmbeddedOptions, OpenError};
use crate::{Direction, Error, KeyRange};
use bytes::Bytes;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// One change of a group: a key and its new value, `None` = delete.
pub(crate) type MapChange = (Bytes, Option<Bytes>);

/// An ordered map in files, written by one thread in numbered groups.
///
/// The map keeps one entry of its own, at the folder's marker: the number of the last group.
/// [`MapSnapshot::visit`] never shows it.
pub(crate) trait OrderedMap: Sized + Send + Sync + 'static {
    type Snapshot: MapSnapshot;

    /// Creates an empty map of the store `id` in a new folder, whose groups follow `last_group`,
    /// and leaves it synced, with nothing to replay.
    fn create(
        path: &Path,
        id: StoreId,
        last_group: u64,
        options: &EmbeddedOptions,
    ) -> Result<(), Error>;

    /// Opens the map in `folder`. Fails if anything acknowledged is missing: only a group that a
    /// crash tore, at the very end, may be cut off. Merges no more than `space` allows.
    fn open(
        folder: &Folder,
        options: &EmbeddedOptions,
        space: &Arc<Space>,
    ) -> Result<Opened<Self>, OpenError>;

    /// Makes a folder that opens like `original`, which opening it does not change: links to files
    /// that are never changed once written, copies of the others.
    fn shadow(original: &Path, shadow: &Path) -> io::Result<()>;

    /// Writes the group `number`, one more than the last, entirely or not at all, and returns when
    /// it is durable. Each key may occur once. May wait for the map's workers, but not without end
    /// if they have failed. After an error nothing may be written any more. Only the committer
    /// calls it.
    fn write_group(&self, number: u64, changes: Vec<MapChange>, bytes: usize) -> Result<(), Error>;

    /// Prepares for the next group. Only the committer calls it, when no writer waits for the last
    /// one.
    fn prepare(&self) {}

    /// Returns the newest durable value of `key`, published or not.
    fn get_newest(&self, key: &[u8]) -> Result<Option<Bytes>, Error>;

    /// Returns the state after the last group. No group may be written meanwhile.
    fn snapshot(&self) -> Self::Snapshot;

    /// Removes the part of a range that is easily removed; returns whether there was any.
    fn drop_range(&self, range: &KeyRange) -> Result<bool, Error>;

    /// Releases files that no snapshot needs any more.
    fn let_go(&self) -> Result<(), Error>;

    /// Frees released files at once, which else may take a second.
    fn remove_unused(&self) {}

    /// Writes data that is only in logs and memory to sorted files. Nothing else may write
    /// meanwhile.
    fn sort_all(&self) -> Result<(), Error>;

    /// Seals the unsorted data and returns when it is in sorted files, while others may write on;
    /// does nothing if there are too many sorted files already.
    fn sort_some(&self) -> Result<(), Error>;

    /// Merges all sorted files, so that no overwritten or deleted entry is left in them, if there
    /// is room for the `kept_bytes` that stay; returns whether there is.
    fn merge_all(&self, kept_bytes: u64) -> Result<bool, Error>;

    /// Returns the most bytes that a merge of all sorted files leaves. May read them all.
    fn kept_bytes(&self) -> Result<u64, Error>;

    /// Merges a few sorted files so that deletes come nearer to the entries that they delete, if
    /// there are any and there is room for them; returns whether it did.
    fn merge_a_part(&self) -> Result<bool, Error>;

    /// Returns the size of the data.
    fn data(&self) -> MapData;

    /// Returns the disk and memory that the map takes. May ask the system.
    fn footprint(&self) -> MapFootprint;

    /// Ends the map's own threads, after their present work. Reads go on.
    fn end(&self);

    /// Notes that everything is in sorted files and nothing is written after `last_group`, so that
    /// the next open replays nothing. Takes effect when the map is dropped.
    fn note_closed(&self, last_group: u64);
}

/// One state of an ordered map.
pub(crate) trait MapSnapshot: Send + Sync + 'static {
    /// Returns the number of the last group in it.
    fn last_group(&self) -> u64;

    fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error>;

    /// Calls `visitor` with the entries of `range` until it breaks. `waits` learns from the first
    /// read.
    fn visit(
        &self,
        range: &KeyRange,
        direction: Direction,
        waits: &DiskWaits,
        visitor: &mut dyn FnMut(&[u8], Bytes) -> ControlFlow<()>,
    ) -> Result<(), Error>;
}

/// A map that was just opened.
pub(crate) struct Opened<M> {
    pub(crate) map: M,
    /// The number of the last group, 0 when there was none.
    pub(crate) last_group: u64,
    /// Bytes cut off the logs.
    pub(crate) torn_bytes: u64,
    /// True if the map was not closed since its last write.
    pub(crate) was_unclean: bool,
}

/// Size of the data.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MapData {
    /// Bytes of the sorted files.
    pub(crate) sorted_bytes: u64,
    /// Bytes that are not sorted yet.
    pub(crate) unsorted_bytes: u64,
    /// Bytes of logs, which are freed as their data is written to sorted files.
    pub(crate) log_bytes: u64,
    /// Bytes of an entry in sorted files, on average.
    pub(crate) entry_bytes: u64,
    /// True if files are being sorted or merged.
    pub(crate) is_sorting: bool,
}

/// Bytes that a map takes of disk and memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MapFootprint {
    pub(crate) disk: u64,
    pub(crate) cache: u64,
    pub(crate) unsorted: u64,
}
