//! The store below the engine: an ordered map from byte keys to byte values with atomic, durable
//! commits and consistent views.
//!
//! The crate knows bytes, never items. It has one trait, [`Store`], and its engines:
//! [`MemoryStore`] for tests and throw-away servers, [`EmbeddedStore`] for data on disk, and behind
//! the feature `postgres` a database that several processes share (`postgres`). Callers can tell
//! them apart only by the data that survives the process.
//!
//! Invariants every engine keeps:
//! - a [`View`] shows one published state and never one that a crash could take back;
//! - a commit decides on the newest sequenced values of the keys it declared, and its batch is
//!   applied whole or not at all;
//! - when a commit answers, its batch is durable and every view taken afterwards shows it.

#![deny(clippy::indexing_slicing)]

mod any;
mod batch;
mod block_on;
mod clock;
mod counting;
pub mod embedded;
mod error;
mod give_way;
mod held;
mod image;
mod key_locks;
mod key_range;
mod keys;
mod memory;
mod planted;
#[cfg(feature = "postgres")]
pub mod postgres;
mod stats;
mod sync;

pub use any::{AnyStore, AnyView};
pub use batch::{Batch, STAMP_BYTES};
pub use block_on::block_on;
pub use bytes::Bytes;
pub use counting::counting_commits;
pub use embedded::{EmbeddedOptions, EmbeddedStore, EmbeddedView, Examined, OpenError};
pub use error::Error;
pub use give_way::{Demand, give_way, take_demand};
pub use held::Held;
pub use image::Image;
pub use key_range::{Direction, KeyRange, Wanted};
pub use keys::Keys;
pub use memory::{MemoryStore, MemoryView};
#[cfg(feature = "postgres")]
pub use postgres::{PostgresOptions, PostgresStore, PostgresView};
pub use stats::{CacheLooks, Stats};

use std::future::{Future, ready};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// A byte key: 1 to 65,535 bytes, ordered as unsigned bytes.
pub type Key = Vec<u8>;

/// An ordered map from byte keys to byte values with atomic, durable commits.
///
/// A write names its keys before it starts; engines lock those keys in one global order, so commits
/// are serialisable and cannot deadlock.
///
/// Other processes may use the same data at the same time ([`Store::is_shared`]): an invariant
/// between processes needs a declared key.
///
/// The contract on keys, which no engine can check cheaply:
/// - a key that any commit declares must be declared for writing by every commit that writes it;
/// - a key that is written without being declared (an index entry, say) must be guarded: all
///   commits that write it declare one and the same other key for writing;
/// - a counter key (see [`Batch::add`]) is never declared, and nothing is put at it.
pub trait Store: Send + Sync + 'static {
    /// The engine's consistent view.
    type View: View;

    /// Returns whether other processes may read and write the same data.
    fn is_shared(&self) -> bool {
        false
    }

    /// Returns a view of the newest published state: durable, never undone by a crash, and with all
    /// commits that were answered before the call.
    fn view(&self) -> impl Future<Output = Result<Self::View, Error>> + Send;

    /// Returns the newest published value of `key`, `None` when it is absent.
    fn get(&self, key: &[u8]) -> impl Future<Output = Result<Option<Bytes>, Error>> + Send {
        async { self.view().await?.get(key).await }
    }

    /// Returns the newest published values of `keys`, in their order. They need not be of one
    /// state.
    fn get_many(
        &self,
        keys: &[Key],
    ) -> impl Future<Output = Result<Vec<Option<Bytes>>, Error>> + Send {
        async { self.view().await?.get_many(keys).await }
    }

    /// Returns the newest published values of `keys`, in their order, all of one state.
    fn get_together(
        &self,
        keys: &[Key],
    ) -> impl Future<Output = Result<Vec<Option<Bytes>>, Error>> + Send;

    /// Locks `keys`, passes their newest sequenced values to `decide` (`None` means absent, in the
    /// order of `keys.write`, then of `keys.read`), applies the batch that it fills, and returns
    /// its answer once the batch is durable and published.
    ///
    /// An empty batch writes nothing, but the answer still waits until every value that was passed
    /// is durable and published. `decide` must not block and must not call the store; it may run
    /// again (each time on an empty batch), so only its last answer counts. If it panics, nothing
    /// is written and the panic reaches the caller.
    ///
    /// [`Error::Conflict`] means that another writer was faster and nothing was written.
    /// [`Error::Unavailable`] leaves open whether the batch was written, as does dropping the
    /// future before it is ready.
    fn commit<T, F>(
        &self,
        keys: impl Into<Keys> + Send,
        decide: F,
    ) -> impl Future<Output = Result<T, Error>> + Send
    where
        T: Send,
        F: FnMut(&[Option<Bytes>], &mut Batch) -> T + Send;

    /// Waits until every commit of this process that was deciding or sequenced at the call is
    /// durable and published.
    fn sync(&self) -> impl Future<Output = Result<(), Error>> + Send;

    /// Frees the space of `range`, in which all operations from now on only delete: data of a
    /// removed table. May remove any part of it at once, and may expose older values of its keys;
    /// so the caller deletes the rest afterwards, by ordinary commits. Neither views taken before
    /// the call nor keys outside of the range are changed.
    ///
    /// May block the thread while files are being merged, so call it on background threads. Does
    /// nothing in engines that free space by themselves.
    fn reclaim(&self, range: KeyRange) -> impl Future<Output = Result<(), Error>> + Send {
        drop(range);
        ready(Ok(()))
    }

    /// Returns counts and sizes since the store was opened.
    fn stats(&self) -> Stats;

    /// Returns the error with which a commit that writes would be refused now: a failure that lasts
    /// until the store is opened again, a lack of space that may end by itself, or the close.
    fn check_writable(&self) -> Result<(), Error>;

    /// Returns an error if reads and commits would not be answered soon: that of
    /// [`Store::check_writable`], and for a store in another process that it does not answer. Waits
    /// a bounded time, and is cheap enough for a call every second.
    fn probe(&self) -> impl Future<Output = Result<(), Error>> + Send {
        async { self.check_writable() }
    }

    /// Refuses further commits with [`Error::Closed`] and waits until all sequenced ones are
    /// durable and published. Reads go on. Dropping a store refuses commits as well and also frees
    /// its resources.
    fn close(&self) -> impl Future<Output = Result<(), Error>> + Send;
}

/// Consistent reads of a store; cheap to clone.
///
/// Each read sees one published state, which is no older than the view, and no older than that of a
/// read that has ended before. In a store that is not shared all reads of a view see the same
/// state, unaffected by later commits.
///
/// A view may keep old data from being freed, so do not hold it for long.
pub trait View: Clone + Send + Sync + 'static {
    /// Returns the value of `key`, `None` when it is absent.
    fn get(&self, key: &[u8]) -> impl Future<Output = Result<Option<Bytes>, Error>> + Send;

    /// Returns the values of `keys`, in their order.
    fn get_many(
        &self,
        keys: &[Key],
    ) -> impl Future<Output = Result<Vec<Option<Bytes>>, Error>> + Send;

    /// Returns the sums of the counters at `keys`, in their order; 0 for one that is absent.
    fn sums(&self, keys: &[Key]) -> impl Future<Output = Result<Vec<i64>, Error>> + Send;

    /// Calls `visitor` with the entries of `range` in `direction` until it breaks. `wanted` is the
    /// part of the range that the visitor is likely to take.
    ///
    /// A counter appears as one or several entries whose keys begin with its own; their values are
    /// internal to the store, and a caller that removes the counter removes all of them.
    fn visit<F>(
        &self,
        range: KeyRange,
        direction: Direction,
        wanted: Wanted,
        visitor: F,
    ) -> impl Future<Output = Result<(), Error>> + Send
    where
        F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send;

    /// Returns the view with its requests to a remote database counted: each is a round trip, or
    /// shares one with other requests. A store without a remote database counts none.
    #[must_use]
    fn counting(&self, _requests: &Arc<AtomicU64>) -> Self {
        self.clone()
    }
}
