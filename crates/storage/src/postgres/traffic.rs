//! Counts of a PostgreSQL store's work.

use super::ages::Ages;
use super::cause::Cause;
use super::group::Writes;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of a PostgreSQL store's work since it was opened.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    /// Round trips of reads: requests sent together count once.
    pub read_round_trips: u64,
    /// Round trips of commits: requests sent together count once.
    pub commit_round_trips: u64,
    /// Keys and pages that were read.
    pub reads: u64,
    /// Pages kept in memory that the database was asked about.
    pub asked_pages: u64,
    /// Asked pages that were unchanged.
    pub same_pages: u64,
    /// Bytes of the pages that are kept now.
    pub kept_bytes: u64,
    /// Transactions that were committed.
    pub groups: u64,
    /// Transactions whose commits were decided before they were sent, on the guess that their keys
    /// are absent.
    pub early_groups: u64,
    /// Early transactions that found a key, and whose commits were decided again.
    pub mistaken_groups: u64,
    /// Commits that wrote something and were committed.
    pub commits: u64,
    /// Keys written.
    pub written_keys: u64,
    /// Bytes of the keys and values written.
    pub written_bytes: u64,
    /// Transactions that failed and are begun again if there is time, by cause, in the order of
    /// [`Cause::ALL`].
    pub retries: [u64; Cause::ALL.len()],
    /// Reads that were done again after a failure that may pass.
    pub read_retries: u64,
    /// Commits that were answered with a conflict.
    pub conflicts: u64,
    /// Connections that were opened.
    pub connects: u64,
    /// Transactions whose outcome was asked for, because a connection was lost in their commit or the database
    /// answered it with an error that leaves it open.
    pub resolved_outcomes: u64,
    /// Asked outcomes that could not be found.
    pub unknown_outcomes: u64,
    /// Microseconds that commits have waited for a lane, in sum.
    pub commit_wait_us: u64,
    /// Commits that no lane took in time.
    pub late_commits: u64,
    /// Reads that no reader took in time.
    pub late_reads: u64,
    /// Ages of the oldest ids not vacuumed yet, about a minute ago; none before the first commit.
    pub ages: Option<Ages>,
    /// Commits that wait for a lane now.
    pub waiting_commits: u64,
    /// Reads that wait for a reader now.
    pub waiting_reads: u64,
    /// Connections that commit.
    pub lanes: Connections,
    /// Connections that read.
    pub readers: Connections,
}

/// Connections of one kind.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Connections {
    /// Connections that can be used now.
    pub connected: u64,
    /// Connections that there should be.
    pub wanted: u64,
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
    pub(super) retries: [Count; Cause::ALL.len()],
    pub(super) read_retries: Count,
    pub(super) conflicts: Count,
    pub(super) connects: Count,
    pub(super) resolved_outcomes: Count,
    pub(super) unknown_outcomes: Count,
    pub(super) commit_wait_us: Count,
    pub(super) late_commits: Count,
    pub(super) late_reads: Count,
}

impl Counts {
    /// Counts a transaction that was committed.
    pub(super) fn count_group(&self, writes: &Writes) {
        // A probe counts for nothing.
        self.groups.add(u64::from(writes.commits > 0));
        self.commits.add(writes.commits);
        self.written_keys.add(writes.len() as u64);
        self.written_bytes.add(writes.size_bytes as u64);
    }

    /// Counts a transaction that failed and is begun again.
    pub(super) fn count_retry(&self, cause: Cause) {
        let nth = Cause::ALL.iter().position(|one| *one == cause);
        if let Some(count) = nth.and_then(|nth| self.retries.get(nth)) {
            count.add(1);
        }
    }

    /// Returns the counts; the caller adds the present state.
    pub(super) fn traffic(&self) -> Traffic {
        Traffic {
            read_round_trips: self.read_round_trips.get(),
            commit_round_trips: self.commit_round_trips.get(),
            reads: self.reads.get(),
            groups: self.groups.get(),
            commits: self.commits.get(),
            written_keys: self.written_keys.get(),
            written_bytes: self.written_bytes.get(),
            retries: self.retries.each_ref().map(Count::get),
            read_retries: self.read_retries.get(),
            conflicts: self.conflicts.get(),
            connects: self.connects.get(),
            resolved_outcomes: self.resolved_outcomes.get(),
            unknown_outcomes: self.unknown_outcomes.get(),
            commit_wait_us: self.commit_wait_us.get(),
            late_commits: self.late_commits.get(),
            late_reads: self.late_reads.get(),
            ..Traffic::default()
        }
    }
}
