//! Counts and sizes a store reports.

/// Looks into a cache that found their data, and those that did not.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct CacheLooks {
    /// The cache had it.
    pub hits: u64,
    /// The store read files or memtables.
    pub misses: u64,
}

/// Counts since a store was opened, and its sizes. Zero if an engine has no such thing.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    /// Commits that wrote something and are published.
    pub commits: u64,
    /// Groups of commits that were made durable together: `commits / groups` is the gain of
    /// group commit.
    pub groups: u64,
    /// Syncs of the log, one for each group.
    pub syncs: u64,
    /// Keys written, after the last write to a key within a group was kept and counters folded.
    pub written_keys: u64,
    /// Bytes of the keys and values written.
    pub written_bytes: u64,
    /// Commits sequenced and not yet published.
    pub queued_commits: u64,
    /// Bytes of the store's files.
    pub disk_bytes: u64,
    /// Bytes of cached blocks and ranges.
    pub cache_bytes: u64,
    /// Looks for single values in the cache.
    pub cached_values: CacheLooks,
    /// Looks for ranges of entries in the cache; a page of a Query may take several.
    pub cached_ranges: CacheLooks,
    /// Bytes written and not yet in sorted files.
    pub write_buffer_bytes: u64,
    /// Bytes of an unfinished group that were cut from the log at opening. More than zero after a
    /// crash in the middle of a write; without a crash, a sign of a damaged disk.
    pub torn_bytes: u64,
    /// True if the store was not closed before it was opened: its process was killed, or the
    /// machine stopped.
    pub was_unclean: bool,
}
