//! How an embedded store uses memory, disk and threads.

use std::fmt;
use std::str::FromStr;

/// What keeps the data of a folder in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "rocksdb-by-default"), derive(Default))]
pub enum EmbeddedEngine {
    /// fjall, in Rust.
    #[cfg_attr(not(feature = "rocksdb-by-default"), default)]
    Fjall,
    /// `RocksDB`, in C++. Only in programs that are built with the feature `rocksdb`.
    RocksDb,
}

#[cfg(feature = "rocksdb-by-default")]
#[expect(clippy::derivable_impls, reason = "it is the default of the tests' build only")]
impl Default for EmbeddedEngine {
    fn default() -> Self {
        Self::RocksDb
    }
}

impl EmbeddedEngine {
    /// The engines of this program.
    #[cfg(feature = "rocksdb")]
    pub const BUILT: &[Self] = &[Self::Fjall, Self::RocksDb];
    /// The engines of this program.
    #[cfg(not(feature = "rocksdb"))]
    pub const BUILT: &[Self] = &[Self::Fjall];

    /// Returns the name for commands, which is also that of the folder of the ordered map.
    pub(crate) fn folder_name(self) -> &'static str {
        match self {
            Self::Fjall => "fjall",
            Self::RocksDb => "rocksdb",
        }
    }

    /// Returns whether this program has the engine.
    pub fn is_built(self) -> bool {
        Self::BUILT.contains(&self)
    }
}

impl fmt::Display for EmbeddedEngine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.folder_name())
    }
}

/// Takes the name of an engine that this program has.
impl FromStr for EmbeddedEngine {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let mut engines = [Self::Fjall, Self::RocksDb].into_iter();
        match engines.find(|engine| engine.folder_name() == name) {
            Some(engine) if engine.is_built() => Ok(engine),
            Some(engine) => Err(format!(
                "this program was built without {engine}: use one that was built with the feature {engine}"
            )),
            None => Err(format!("there is no engine '{name}': say fjall or rocksdb")),
        }
    }
}

/// Options of an [`EmbeddedStore`](crate::EmbeddedStore); the defaults suit a laptop.
///
/// Memory in use is at most about `cache_bytes` + 4 x `memtable_bytes` + 2 x `queue_bytes`, plus a
/// few MiB; an idle store uses only those few MiB.
/// The words on files are fjall's; `RocksDB` takes the same numbers for what comes closest.
#[derive(Debug, Clone)]
pub struct EmbeddedOptions {
    /// Bytes for what was read: a third for blocks of sorted files, the rest for
    /// ranges of entries and single values.
    pub cache_bytes: u64,
    /// Bytes of writes held in memory before they are sorted into a file; a quarter of it while the store
    /// is small.
    pub memtable_bytes: u64,
    /// Bytes of a merged file; a folder keeps those it was created with. For each memtable that it
    /// sorts fjall merges once, or moves one merged file to the next level. So this is twice what a
    /// memtable holds: more moves on than comes in; larger files hold up the log when they are synced
    /// and removed.
    pub table_bytes: u64,
    /// Bytes of logs kept before sorting into files is forced; at least 64 MiB.
    pub journal_bytes: u64,
    /// Bytes of commits that may wait for the committer; writers wait when it is reached.
    pub queue_bytes: usize,
    /// Threads that sort and merge files; at least 1. With more, fjall keeps one of them for
    /// sorting, and that one spins while the others merge.
    pub worker_threads: usize,
    /// Bytes of disk space kept free for logs, beside what a merge of files may need, which is as much as
    /// there is of data, at most 384 MiB, and what is not sorted yet. Commits that write are refused with
    /// [`Error::Full`](crate::Error::Full) while less is left; those that only remove go on until 16
    /// MiB and room for what is not sorted are left.
    pub reserve_bytes: u64,
    /// When the folder is created: all its commit stamps are above this number. For a store that goes on
    /// from what another one held.
    pub stamps_above: u64,
    /// When the folder is created: what keeps its data. One that is there tells by itself.
    pub engine: EmbeddedEngine,
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
            engine: EmbeddedEngine::default(),
        }
    }
}

/// So many memtables there are at most: one that is written, the others sealed.
const MEMTABLES: u64 = 4;

impl EmbeddedOptions {
    /// Returns the bytes of writes that may be in memory at once, in all memtables, but for the group that goes
    /// beyond.
    pub fn unsorted_bytes(&self) -> u64 {
        self.memtable_bytes.saturating_mul(MEMTABLES)
    }

    /// Sets what a memtable may hold by what all may hold.
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
