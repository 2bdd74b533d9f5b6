//! Pages that were read, kept to be shown again when the database says that they are the same.
//!
//! Each write of a value gives its row a number that no other row of the tables ever has (`rows.rs`). A page that is
//! kept is asked for with the numbers of its rows: the statement that reads it compares them, and answers with rows
//! only if they differ. So what is shown is what the database has at that moment, as without this; what goes
//! through the connection is a line instead of the page, which is most of what reading it costs either side.
//!
//! A page is kept when it is read for the second time in a while, so that whoever reads everything once drives
//! nothing out. Leaves the statements to `statements.rs`, and how a page is read to `page.rs`.
//!
//! Invariants: only a page of which every row has a number is kept; what is kept has a bound in bytes.

use super::coming::Row;
use super::traffic::Count;
use foldhash::fast::RandomState;
use quick_cache::Weighter;
use quick_cache::sync::{Cache, DefaultLifecycle};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// Pages whose names are remembered after they were read once, at most. A power of two.
const SEEN: usize = 1 << 16;

/// Bytes of a page, of most: how many pages to make room for is reckoned by it.
const USUAL_PAGE_BYTES: u64 = 64 << 10;

/// What a page is asked for by: place, direction, rows and the positions between which it lies.
pub(super) type Name = Box<[u8]>;

/// A page that is kept.
#[derive(Debug)]
pub(super) struct KeptPage {
    pub(super) rows: Vec<Row>,
    /// Of the rows.
    pub(super) numbers: Vec<i64>,
    /// Bytes of the rows' keys and values.
    pub(super) content_bytes: usize,
}

/// The pages of a store that are kept.
#[derive(Debug)]
pub(super) struct Kept {
    pages: Cache<Name, Arc<KeptPage>, Memory, RandomState>,
    capacity_bytes: u64,
    /// Pages of fewer bytes are not kept: to ask whether they are the same costs more than to read them.
    min_page_bytes: usize,
    /// Pages that the database was asked about, and of them those that were the same.
    pub(super) asked: Count,
    pub(super) same: Count,
    /// Digests of names of pages that were read, each where its last bits say.
    seen: Box<[AtomicU32]>,
}

/// Weighs pages by the memory that they take.
#[derive(Debug, Clone)]
struct Memory;

impl Weighter<Name, Arc<KeptPage>> for Memory {
    fn weight(&self, name: &Name, page: &Arc<KeptPage>) -> u64 {
        let row_bytes = size_of::<Row>() + size_of::<i64>();
        (name.len() + page.content_bytes + page.rows.len() * row_bytes) as u64
    }
}

impl Kept {
    /// Returns pages of which none is kept, for so many bytes.
    pub(super) fn new(capacity_bytes: u64, min_page_bytes: usize) -> Self {
        let usual = usize::try_from(capacity_bytes / USUAL_PAGE_BYTES).unwrap_or(usize::MAX);
        // Nothing is large enough where nothing has room.
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

    /// Sets the most that all pages may take, which is never more than at first.
    pub(super) fn bound(&self, capacity_bytes: u64) {
        self.pages.set_capacity(capacity_bytes.min(self.capacity_bytes));
    }

    /// Returns the bytes that all pages take.
    pub(super) fn size_bytes(&self) -> u64 {
        self.pages.weight()
    }

    /// Returns the page that is kept by a name.
    pub(super) fn find(&self, name: &Name) -> Option<Arc<KeptPage>> {
        self.pages.get(name)
    }

    /// Returns whether a page of so many bytes that was read is to be kept, and remembers that it was read.
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

    /// Keeps a page instead of the one that was kept by its name.
    pub(super) fn keep(&self, name: Name, page: KeptPage) {
        self.pages.insert(name, Arc::new(page));
    }

    /// Forgets the page of a name.
    pub(super) fn forget(&self, name: &Name) {
        self.pages.remove(name);
    }
}
