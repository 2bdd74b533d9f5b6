//! Cached pages, which are shown again if the database says that they are unchanged.
//!
//! Each write of a value gives its row a number that no other row of the tables ever has
//! (`rows.rs`). A reader asks for a cached page with the numbers of its rows: the statement that
//! reads the page compares them, and answers with rows only if they differ. So the reader shows the
//! database's state of that moment, as without the cache; the connection carries a line instead of
//! the page, which is most of the cost of reading it on both sides.
//!
//! A page is cached when it is read for the second time in a while, so that a reader of everything
//! evicts nothing. Leaves the statements to `statements.rs`, and the reading of a page to
//! `page.rs`.
//!
//! Invariants: only a page of which every row has a number is cached; the cache has a bound in
//! bytes.

use super::row::Row;
use super::traffic::Count;
use foldhash::fast::RandomState;
use quick_cache::Weighter;
use quick_cache::sync::{Cache, DefaultLifecycle};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// Most pages whose names are remembered after they were read once. A power of two.
const SEEN: usize = 1 << 16;

/// Bytes of most pages, by which the cache reckons its number of pages.
const USUAL_PAGE_BYTES: u64 = 64 << 10;

/// Name of a page: place, direction, rows and the positions between which it lies.
pub(super) type Name = Box<[u8]>;

/// A cached page.
#[derive(Debug)]
pub(super) struct CachedPage {
    pub(super) rows: Vec<Row>,
    /// Numbers of the rows.
    pub(super) numbers: Vec<i64>,
    /// Bytes of the rows' keys and values.
    pub(super) content_bytes: usize,
}

/// The cached pages of a store.
#[derive(Debug)]
pub(super) struct PageCache {
    pages: Cache<Name, Arc<CachedPage>, Memory, RandomState>,
    capacity_bytes: u64,
    /// Bytes of the smallest page that is cached: to ask whether a smaller one is unchanged costs
    /// more than to read it.
    min_page_bytes: usize,
    /// Pages that the database was asked about, and those of them that were unchanged.
    pub(super) asked: Count,
    pub(super) same: Count,
    /// Digests of names of pages that were read, each at the offset in its last bits.
    seen: Box<[AtomicU32]>,
}

/// Weighs pages by the memory that they take.
#[derive(Debug, Clone)]
struct Memory;

impl Weighter<Name, Arc<CachedPage>> for Memory {
    fn weight(&self, name: &Name, page: &Arc<CachedPage>) -> u64 {
        let row_bytes = size_of::<Row>() + size_of::<i64>();
        (name.len() + page.content_bytes + page.rows.len() * row_bytes) as u64
    }
}

impl PageCache {
    /// Returns an empty cache of so many bytes.
    pub(super) fn new(capacity_bytes: u64, min_page_bytes: usize) -> Self {
        let usual = usize::try_from(capacity_bytes / USUAL_PAGE_BYTES).unwrap_or(usize::MAX);
        // A cache without room takes no page as large enough.
        let min_page_bytes = if capacity_bytes == 0 { usize::MAX } else { min_page_bytes };
        let usual = usual.clamp(16, SEEN);
        let (hasher, life) = (RandomState::default(), DefaultLifecycle::default());
        let pages = Cache::with(usual, capacity_bytes, Memory, hasher, life);
        let seen = (0..SEEN).map(|_| AtomicU32::new(0)).collect();
        Self {
            pages,
            capacity_bytes,
            min_page_bytes,
            seen,
            asked: Count::default(),
            same: Count::default(),
        }
    }

    /// Sets the most bytes that all pages may take, never more than the first setting.
    pub(super) fn bound(&self, capacity_bytes: u64) {
        self.pages.set_capacity(capacity_bytes.min(self.capacity_bytes));
    }

    /// Returns the bytes of all pages.
    pub(super) fn size_bytes(&self) -> u64 {
        self.pages.weight()
    }

    /// Returns the cached page of a name.
    pub(super) fn find(&self, name: &Name) -> Option<Arc<CachedPage>> {
        self.pages.get(name)
    }

    /// Returns whether a page of so many bytes that was read should be cached, and remembers that
    /// it was read.
    pub(super) fn is_wanted(&self, name: &Name, content_bytes: usize) -> bool {
        if content_bytes < self.min_page_bytes {
            return false;
        }
        let digest = xxh3_64(name);
        let place = usize::try_from(digest).unwrap_or(0) % SEEN;
        let rest = u32::try_from(digest >> 32).unwrap_or(0);
        let seen = self.seen.get(place).map(|seen| seen.swap(rest, Ordering::Relaxed));
        seen == Some(rest)
    }

    /// Caches a page in the place of the earlier one of its name.
    pub(super) fn keep(&self, name: Name, page: CachedPage) {
        self.pages.insert(name, Arc::new(page));
    }

    /// Forgets the page of a name.
    pub(super) fn forget(&self, name: &Name) {
        self.pages.remove(name);
    }
}
