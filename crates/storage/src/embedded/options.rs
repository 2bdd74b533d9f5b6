//! Options for memory, disk and threads of an embedded store.

/// Options of an [`EmbeddedStore`](crate::EmbeddedStore); the defaults suit a laptop.
///
/// Memory in use is at most about `cache_bytes` + 4 x `memtable_bytes` + 2 x `queue_bytes`, plus a
/// few MiB; an idle store uses only those few MiB.
#[derive(Debug, Clone)]
pub struct EmbeddedOptions {
    /// Bytes for cached reads: a third for blocks of sorted files, the rest for ranges of entries
    /// and single values.
    pub cache_bytes: u64,
    /// Bytes of writes held in memory before they are sorted into a file; a quarter of it while the
    /// store is small.
    pub memtable_bytes: u64,
    /// Bytes of a merged file; a folder keeps its existing ones. For each memtable that it sorts,
    /// fjall merges once, or moves one merged file to the next level. So this is twice the size of
    /// a memtable, so that more moves on than comes in; larger files hold up the log when they are
    /// synced and removed.
    pub table_bytes: u64,
    /// Bytes of logs at which sorting into files is forced; at least 64 MiB.
    pub journal_bytes: u64,
    /// Bytes of commits that may wait for the committer; at this bound writers wait.
    pub queue_bytes: usize,
    /// Threads that sort and merge files; at least 1. With more, fjall reserves one of them for
    /// sorting, which spins while the others merge.
    pub worker_threads: usize,
    /// Bytes of disk space kept free for logs, beside the space that a merge of files may need,
    /// which is as much as there is data, at most 384 MiB, and the size of unsorted data. While
    /// less is left, commits that write are refused with [`Error::Full`](crate::Error::Full); those
    /// that only remove go on until 16 MiB and room for unsorted data are left.
    pub reserve_bytes: u64,
    /// Lower bound of all commit stamps of a folder that is created: for a store that continues the
    /// data of another one.
    pub stamps_above: u64,
}

impl Default for EmbeddedOptions {
    fn default() -> Self {
        Self {
            cache_bytes: 256 << 20,
            memtable_bytes: 32 << 20,
            table_bytes: 64 << 20,
            journal_bytes: 256 << 20,
            queue_bytes: 8 << 20,
            worker_threads: 1,
            reserve_bytes: 64 << 20,
            stamps_above: 0,
        }
    }
}

/// Most memtables: one that is written, the others sealed.
const MEMTABLES: u64 = 4;

impl EmbeddedOptions {
    /// Returns the bytes of writes that may be in memory at once, in all memtables, beside the
    /// group that exceeds the bound.
    pub fn unsorted_bytes(&self) -> u64 {
        self.memtable_bytes.saturating_mul(MEMTABLES)
    }

    /// Sets the size of a memtable by the size of all.
    #[must_use]
    pub fn with_unsorted_bytes(self, bytes: u64) -> Self {
        Self { memtable_bytes: bytes / MEMTABLES, ..self }
    }

    /// Returns the bytes for blocks of sorted files.
    #[cfg_attr(feature = "shuttle", allow(dead_code, reason = "only the ordered map asks"))]
    pub(super) fn block_cache_bytes(&self) -> u64 {
        self.cache_bytes / 3
    }

    /// Returns the bytes for ranges of entries and single values.
    pub(super) fn read_cache_bytes(&self) -> usize {
        usize::try_from(self.cache_bytes - self.cache_bytes / 3).unwrap_or(usize::MAX)
    }
}
