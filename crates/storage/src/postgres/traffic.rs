//! Counts of what a PostgreSQL store does.

use super::group::Writes;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a PostgreSQL store has done since it was opened.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    /// Round trips of reads: what was sent together counts once.
    pub read_round_trips: u64,
    /// Round trips of commits: what was sent together counts once.
    pub commit_round_trips: u64,
    /// Keys and pages that were read.
    pub reads: u64,
    /// Transactions that were committed.
    pub groups: u64,
    /// Commits that wrote something and were committed.
    pub commits: u64,
    /// Keys written.
    pub written_keys: u64,
    /// Bytes of the keys and values written.
    pub written_bytes: u64,
    /// Transactions that were begun again after a conflict or a lost connection.
    pub retries: u64,
    /// Commits that were answered with a conflict.
    pub conflicts: u64,
    /// Connections that were opened.
    pub connects: u64,
    /// Transactions whose outcome was asked for, as a connection was lost in their commit or the database
    /// answered it with an error that leaves it open.
    pub resolved_outcomes: u64,
}

/// A count that many tasks add to.
#[derive(Debug, Default)]
pub(super) struct Count(AtomicU64);

impl Count {
    pub(super) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The counts behind [`Traffic`].
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) read_round_trips: Count,
    pub(super) commit_round_trips: Count,
    pub(super) reads: Count,
    pub(super) groups: Count,
    pub(super) commits: Count,
    pub(super) written_keys: Count,
    pub(super) written_bytes: Count,
    pub(super) retries: Count,
    pub(super) conflicts: Count,
    pub(super) connects: Count,
    pub(super) resolved_outcomes: Count,
}

impl Counts {
    /// Counts a transaction that was committed.
    pub(super) fn count_group(&self, writes: &Writes) {
        self.groups.add(1);
        self.commits.add(writes.commits);
        self.written_keys.add(writes.len() as u64);
        self.written_bytes.add(writes.size_bytes as u64);
    }

    pub(super) fn traffic(&self) -> Traffic {
        Traffic {
            read_round_trips: self.read_round_trips.get(),
            commit_round_trips: self.commit_round_trips.get(),
            reads: self.reads.get(),
            groups: self.groups.get(),
            commits: self.commits.get(),
            written_keys: self.written_keys.get(),
            written_bytes: self.written_bytes.get(),
            retries: self.retries.get(),
            conflicts: self.conflicts.get(),
            connects: self.connects.get(),
            resolved_outcomes: self.resolved_outcomes.get(),
        }
    }
}
