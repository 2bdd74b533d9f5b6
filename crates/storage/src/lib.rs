//! The store below the engine: an ordered map from byte keys to byte values with atomic, durable
//! commits and consistent views.
//!
//! Knows bytes, never items. One trait, [`Store`], and its engines: [`MemoryStore`] for tests and
//! throw-away servers, [`EmbeddedStore`] for data on disk, and behind the feature `postgres` a database
//! that several processes share (`postgres`). Callers cannot tell them apart except by
//! what survives the process.
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
/// Writes name the keys they decide on before they start; engines lock those keys in one global
/// order, so commits are serialisable and cannot deadlock.
///
/// Other processes may use the same data at the same time ([`Store::is_shared`]): whatever is to hold
/// between processes is a key that is declared.
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

    /// Returns a view of the newest published state: durable, never taken back by a crash, and with
    /// all that was answered before the call.
    fn view(&self) -> impl Future<Output = Result<Self::View, Error>> + Send;

    /// Returns the newest published value of `key`, `None` when it is absent.
    fn get(&self, key: &[u8]) -> impl Future<Output = Result<Option<Bytes>, Error>> + Send {
        async { self.view().await?.get(key).await }
    }

    /// Returns the newest published values of `keys`, in their order. Each for itself: they need
    /// not be of one state.
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

    /// Locks `keys`, shows their newest sequenced values to `decide` (`None` = absent, in the order
    /// of `keys.write`, then of `keys.read`), applies the batch it fills, and returns its answer once
    /// the batch is durable and published.
    ///
    /// A batch left empty writes nothing, but the answer still waits until every value that was
    /// shown is durable and published. `decide` must not block and must not call the store; it
    /// may run again (each time on an empty batch), so only its last answer counts. When it
    /// panics, nothing is written and the panic reaches the caller.
    ///
    /// [`Error::Conflict`] means that another writer was faster and nothing was written.
    /// [`Error::Unavailable`] leaves it open whether the batch was written, as does dropping the future
    /// before it is ready.
    fn commit<T, F>(
        &self,
        keys: impl Into<Keys> + Send,
        decide: F,
    ) -> impl Future<Output = Result<T, Error>> + Send
    where
        T: Send,
        F: FnMut(&[Option<Bytes>], &mut Batch) -> T + Send;

    /// Waits until every commit of this process that was deciding or sequenced at the call is durable
    /// and published.
    fn sync(&self) -> impl Future<Output = Result<(), Error>> + Send;

    /// Gives back the space of `range`, in which nobody reads or writes any more but to delete: data
    /// of a table that was removed. May take away any part of it at once, and may let older values
    /// of its keys be seen again; so what is left is to be deleted afterwards, by commits as ever.
    /// Views taken before the call are not changed, and nothing outside the range is.
    ///
    /// May block the thread while files are being merged, so it is for background threads. Does
    /// nothing in engines in which space comes back by itself.
    fn reclaim(&self, range: KeyRange) -> impl Future<Output = Result<(), Error>> + Send {
        drop(range);
        ready(Ok(()))
    }

    /// Returns counts and sizes since the store was opened.
    fn stats(&self) -> Stats;

    /// Returns the error with which a commit that writes would be refused now: a failure that lasts
    /// until the store is opened again, a lack of space that may end by itself, the close.
    fn check_writable(&self) -> Result<(), Error>;

    /// Returns why reads and commits would not be answered soon: what [`Store::check_writable`] says, and
    /// for a store in another process whether that answers now. Waits a bounded time, and is cheap enough
    /// to be asked every second.
    fn probe(&self) -> impl Future<Output = Result<(), Error>> + Send {
        async { self.check_writable() }
    }

    /// Refuses further commits with [`Error::Closed`] and waits until all sequenced ones are
    /// durable and published. Reads go on. Dropping a store does the same first half and also
    /// frees its resources.
    fn close(&self) -> impl Future<Output = Result<(), Error>> + Send;
}

/// Reads of a store that go together; cheap to clone.
///
/// Each read is of one published state, which is no older than the view, and no older than that of a read
/// that has ended before. In a store that is not shared all reads of a view are of the same one, unaffected
/// by later commits.
///
/// A view may keep old data from being reclaimed, so it should not be held for long.
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

    /// Shows the entries of `range` to `visitor` in `direction` until it breaks. `wanted` tells how much
    /// of it the visitor is likely to take.
    ///
    /// A counter shows as one or several entries with keys that begin with its own; their values are
    /// the store's affair, and who is to remove the counter removes all of them.
    fn visit<F>(
        &self,
        range: KeyRange,
        direction: Direction,
        wanted: Wanted,
        visitor: F,
    ) -> impl Future<Output = Result<(), Error>> + Send
    where
        F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send;

    /// Returns the view with its requests to a remote database counted: each is a round trip, or goes in one
    /// with requests of others. Where nothing is remote none are counted.
    #[must_use]
    fn counting(&self, _requests: &Arc<AtomicU64>) -> Self {
        self.clone()
    }
}
