//! One type for all engines, so that the code above is compiled once.

use crate::{
    Batch, Bytes, Direction, EmbeddedStore, EmbeddedView, Error, Held, Image, Key, KeyRange, Keys,
    MemoryStore, MemoryView, Stats, Store, View, Wanted,
};
#[cfg(feature = "postgres")]
use crate::{PostgresStore, PostgresView, postgres::Traffic};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// A store of any engine.
#[derive(Debug)]
pub enum AnyStore {
    /// In memory.
    Memory(MemoryStore),
    /// In a folder of this machine.
    Embedded(EmbeddedStore),
    /// In a database.
    #[cfg(feature = "postgres")]
    Postgres(PostgresStore),
}

/// A view of any engine.
#[derive(Debug, Clone)]
pub enum AnyView {
    /// View of a [`MemoryStore`].
    Memory(MemoryView),
    /// View of an [`EmbeddedStore`].
    Embedded(EmbeddedView),
    /// View of a [`PostgresStore`].
    #[cfg(feature = "postgres")]
    Postgres(PostgresView),
}

impl AnyStore {
    /// Returns the present content of a store in memory; `None` for other stores.
    pub fn image(&self) -> Option<Image> {
        match self {
            Self::Memory(store) => Some(store.image()),
            Self::Embedded(_) => None,
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => None,
        }
    }

    /// Returns the counts of a store on PostgreSQL; `None` for other stores.
    #[cfg(feature = "postgres")]
    pub fn traffic(&self) -> Option<Traffic> {
        match self {
            Self::Memory(_) | Self::Embedded(_) => None,
            Self::Postgres(store) => Some(store.traffic()),
        }
    }

    /// Returns a number that is not below any commit stamp given out so far.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(clippy::unused_async, reason = "only PostgreSQL is asked")
    )]
    pub async fn last_stamp(&self) -> Result<u64, Error> {
        match self {
            Self::Memory(store) => Ok(store.last_stamp()),
            Self::Embedded(store) => Ok(store.last_stamp()),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.last_stamp().await,
        }
    }

    /// Makes the next commit stamps of these prefixes greater than `stamp`. Returns false if they
    /// are not greater and this store cannot raise them: a folder gets its first stamp when it is
    /// created ([`EmbeddedOptions::stamps_above`](crate::EmbeddedOptions::stamps_above)).
    #[cfg_attr(
        not(feature = "postgres"),
        expect(
            unused_variables,
            clippy::unused_async,
            reason = "only PostgreSQL counts by prefix, and waits"
        )
    )]
    pub async fn raise_stamps(&self, prefixes: &[Key], stamp: u64) -> Result<bool, Error> {
        match self {
            Self::Memory(store) => {
                store.raise_stamps(stamp);
                Ok(true)
            }
            Self::Embedded(store) => Ok(store.last_stamp() >= stamp),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.raise_stamps(prefixes, stamp).await.map(|()| true),
        }
    }

    /// Makes every commit that declares `key` wait, in all processes, until the returned guard is
    /// released or dropped. Holds nothing, since there is nothing to hold, if the key is absent or
    /// the store is not shared.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(unused_variables, clippy::unused_async, reason = "none is shared")
    )]
    pub async fn hold(&self, key: &[u8]) -> Result<Held, Error> {
        match self {
            Self::Memory(_) | Self::Embedded(_) => Ok(Held::nothing()),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.hold(key).await,
        }
    }

    /// Bounds the bytes for cached data; see [`EmbeddedStore::bound_cache`] and
    /// `PostgresStore::bound_cache`. A store in memory has none.
    pub fn bound_cache(&self, cache_bytes: u64) {
        match self {
            Self::Memory(_) => {}
            Self::Embedded(store) => store.bound_cache(cache_bytes),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.bound_cache(cache_bytes),
        }
    }
}

impl Store for AnyStore {
    type View = AnyView;

    fn is_shared(&self) -> bool {
        match self {
            Self::Memory(store) => store.is_shared(),
            Self::Embedded(store) => store.is_shared(),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.is_shared(),
        }
    }

    async fn view(&self) -> Result<AnyView, Error> {
        match self {
            Self::Memory(store) => store.view().await.map(AnyView::Memory),
            Self::Embedded(store) => store.view().await.map(AnyView::Embedded),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.view().await.map(AnyView::Postgres),
        }
    }

    async fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        match self {
            Self::Memory(store) => store.get(key).await,
            Self::Embedded(store) => store.get(key).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.get(key).await,
        }
    }

    async fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>, Error> {
        match self {
            Self::Memory(store) => store.get_many(keys).await,
            Self::Embedded(store) => store.get_many(keys).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.get_many(keys).await,
        }
    }

    async fn get_together(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>, Error> {
        match self {
            Self::Memory(store) => store.get_together(keys).await,
            Self::Embedded(store) => store.get_together(keys).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.get_together(keys).await,
        }
    }

    async fn commit<T, F>(&self, keys: impl Into<Keys> + Send, decide: F) -> Result<T, Error>
    where
        T: Send,
        F: FnMut(&[Option<Bytes>], &mut Batch) -> T + Send,
    {
        match self {
            Self::Memory(store) => store.commit(keys, decide).await,
            Self::Embedded(store) => store.commit(keys, decide).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.commit(keys, decide).await,
        }
    }

    async fn sync(&self) -> Result<(), Error> {
        match self {
            Self::Memory(store) => store.sync().await,
            Self::Embedded(store) => store.sync().await,
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.sync().await,
        }
    }

    async fn reclaim(&self, range: KeyRange) -> Result<(), Error> {
        match self {
            Self::Memory(store) => store.reclaim(range).await,
            Self::Embedded(store) => store.reclaim(range).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.reclaim(range).await,
        }
    }

    fn stats(&self) -> Stats {
        match self {
            Self::Memory(store) => store.stats(),
            Self::Embedded(store) => store.stats(),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.stats(),
        }
    }

    fn check_writable(&self) -> Result<(), Error> {
        match self {
            Self::Memory(store) => store.check_writable(),
            Self::Embedded(store) => store.check_writable(),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.check_writable(),
        }
    }

    async fn probe(&self) -> Result<(), Error> {
        match self {
            Self::Memory(store) => store.probe().await,
            Self::Embedded(store) => store.probe().await,
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.probe().await,
        }
    }

    async fn close(&self) -> Result<(), Error> {
        match self {
            Self::Memory(store) => store.close().await,
            Self::Embedded(store) => store.close().await,
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.close().await,
        }
    }
}

impl View for AnyView {
    async fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        match self {
            Self::Memory(view) => view.get(key).await,
            Self::Embedded(view) => view.get(key).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(view) => view.get(key).await,
        }
    }

    async fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>, Error> {
        match self {
            Self::Memory(view) => view.get_many(keys).await,
            Self::Embedded(view) => view.get_many(keys).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(view) => view.get_many(keys).await,
        }
    }

    async fn sums(&self, keys: &[Key]) -> Result<Vec<i64>, Error> {
        match self {
            Self::Memory(view) => view.sums(keys).await,
            Self::Embedded(view) => view.sums(keys).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(view) => view.sums(keys).await,
        }
    }

    async fn visit<F>(
        &self,
        range: KeyRange,
        direction: Direction,
        wanted: Wanted,
        visitor: F,
    ) -> Result<(), Error>
    where
        F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send,
    {
        match self {
            Self::Memory(view) => view.visit(range, direction, wanted, visitor).await,
            Self::Embedded(view) => view.visit(range, direction, wanted, visitor).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(view) => view.visit(range, direction, wanted, visitor).await,
        }
    }

    fn counting(&self, requests: &Arc<AtomicU64>) -> Self {
        match self {
            Self::Memory(view) => Self::Memory(view.counting(requests)),
            Self::Embedded(view) => Self::Embedded(view.counting(requests)),
            #[cfg(feature = "postgres")]
            Self::Postgres(view) => Self::Postgres(view.counting(requests)),
        }
    }
}

impl From<MemoryStore> for AnyStore {
    fn from(store: MemoryStore) -> Self {
        Self::Memory(store)
    }
}

impl From<EmbeddedStore> for AnyStore {
    fn from(store: EmbeddedStore) -> Self {
        Self::Embedded(store)
    }
}

#[cfg(feature = "postgres")]
impl From<PostgresStore> for AnyStore {
    fn from(store: PostgresStore) -> Self {
        Self::Postgres(store)
    }
}
