//! The fence: one key that nearly all commits only read and few write, such as the number of
//! definitions.
//!
//! If all transactions locked a row for share, the database would have a list of its lockers (a
//! multixact) for each, which grows with their number and has to be vacuumed with the whole table.
//! So no transaction locks the key's row to read it. The row of each lane, which each of its
//! transactions writes anyway, has a copy of the key's value:
//!
//! - A transaction of a lane sets the lane's token and reads the copy by the same statement. It
//!   holds the lane's row until it ends.
//! - A commit that may write the key locks the only row of the table `fence` first, then the rows of all lanes,
//!   so it waits for all their transactions; then its keys as every commit. It writes the key's own row, the table
//!   `fence` and all copies.
//! - A lane that begins copies the value from the table `fence`, whose row it locks for share: it is there before the
//!   lanes are locked, or it waits and has the new value.
//!
//! Locks are taken in the order fence, lanes, entries, and only a writer of the key has more than
//! one lane's row.
//!
//! Servers of older programs do not know the copies (`revisions.rs`). As long as they may run,
//! writers of the key write the copies, but its readers lock its row.
//!
//! The copy of an absent key is empty; so an empty value cannot be told from an absent one.

use super::options::Sharding;
use super::revisions::Tables;
use crate::Key;
use bytes::Bytes;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Treatment of the fence in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fencing {
    /// As any other key.
    Ignores,
    /// The commit is shown the copy in its lane's row, at this place among the values of its keys.
    Reads { at: usize, key: Bytes },
    /// The commit may write the key.
    MayWrite,
}

/// A store's knowledge of the fence.
#[derive(Debug)]
pub(super) struct Fence {
    key: Option<Bytes>,
    tables: Tables,
    /// True if copies can be trusted once no older program can be running any more; and whether
    /// that is so.
    may_be_trusted: bool,
    is_trusted: AtomicBool,
    /// Copy in a lane's row at the last look; `None` means that it has to be read.
    known: Mutex<Option<Bytes>>,
}

impl Fence {
    /// Returns the fence at a key, if there is one.
    pub(super) fn new(key: Option<&Key>, tables: Tables, sharding: Sharding) -> Self {
        let key = key.filter(|_| tables.has_fence()).map(|key| Bytes::copy_from_slice(key));
        // No test has shown for a sharded engine that a statement which waited returns the newest
        // copy.
        let may_be_trusted = sharding == Sharding::None;
        Self {
            key,
            tables,
            may_be_trusted,
            is_trusted: AtomicBool::new(false),
            known: Mutex::new(None),
        }
    }

    /// Lets commits trust the rows of lanes from now on.
    pub(super) fn trust(&self) {
        self.is_trusted.store(self.may_be_trusted, Ordering::Release);
    }

    /// Returns whether trusting the rows of lanes would make a difference.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.key.is_some() && self.may_be_trusted && !self.is_trusted.load(Ordering::Acquire)
    }

    /// Returns the treatment of the fence in a commit of these keys, and removes the fence from the
    /// keys that it only reads if the lane's row has it.
    pub(super) fn take(&self, write: &[Key], read: &mut Vec<Key>) -> Fencing {
        let Some(fence) = &self.key else { return Fencing::Ignores };
        if write.iter().any(|key| *key == fence[..]) {
            return Fencing::MayWrite;
        }
        let nth = read.iter().position(|key| *key == fence[..]);
        match nth.filter(|_| self.is_trusted.load(Ordering::Acquire)) {
            Some(nth) => {
                read.remove(nth);
                Fencing::Reads { at: write.len() + nth, key: fence.clone() }
            }
            None => Fencing::Ignores,
        }
    }

    /// Returns whether the fence is at this key.
    pub(super) fn is_at(&self, key: &[u8]) -> bool {
        self.key.as_ref().is_some_and(|fence| *fence == key)
    }

    /// Returns the copy that the rows of lanes are believed to have.
    pub(super) fn known(&self) -> Option<Bytes> {
        self.known.lock().clone()
    }

    /// Notes the copy in a lane's row.
    pub(super) fn learn(&self, copy: &[u8]) {
        let mut known = self.known.lock();
        if known.as_ref().is_none_or(|known| *known != copy) {
            *known = Some(Bytes::copy_from_slice(copy));
        }
    }

    /// Notes that the copies may have changed.
    pub(super) fn forget(&self) {
        *self.known.lock() = None;
    }

    /// Returns the statements that make all transactions of lanes wait until this one ends.
    pub(super) fn lock(&self) -> String {
        let Tables { schema, .. } = &self.tables;
        format!(
            "SELECT 1 FROM {schema}.fence FOR UPDATE; UPDATE {schema}.writers SET fence = fence"
        )
    }

    /// Returns the statements that write the copies of the key's value, if a group has written it.
    pub(super) fn write(
        &self,
        written: impl Fn(&[u8]) -> Option<Option<Bytes>>,
    ) -> Option<FenceWrite> {
        let copy = written(self.key.as_ref()?)?.unwrap_or_default();
        let Tables { schema, .. } = &self.tables;
        let literal = bytes_literal(&copy);
        let text = format!(
            "UPDATE {schema}.fence SET value = {literal}; UPDATE {schema}.writers SET fence = {literal}"
        );
        Some(FenceWrite { text, copy })
    }
}

/// Writes that accompany a write of the key.
#[derive(Debug)]
pub(super) struct FenceWrite {
    pub(super) text: String,
    pub(super) copy: Bytes,
}

/// Returns bytes as a literal of SQL.
pub(super) fn bytes_literal(bytes: &[u8]) -> String {
    let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("'\\x{}'::bytea", digits.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fence() -> Fence {
        Fence::new(
            Some(&b"f".to_vec()),
            Tables::new("s", super::super::revisions::NEWEST),
            Sharding::None,
        )
    }

    #[test]
    fn who_only_reads_the_key_is_told_by_its_lane_once_that_can_be_trusted() {
        let fence = fence();
        let write = [b"a".to_vec(), b"b".to_vec()];
        let mut read = vec![b"c".to_vec(), b"f".to_vec(), b"d".to_vec()];
        assert_eq!(fence.take(&write, &mut read), Fencing::Ignores);
        assert_eq!(read.len(), 3);
        fence.trust();
        let reads = Fencing::Reads { at: 3, key: Bytes::from_static(b"f") };
        assert_eq!(fence.take(&write, &mut read), reads);
        assert_eq!(read, [b"c".to_vec(), b"d".to_vec()]);
        assert_eq!(fence.take(&write, &mut read), Fencing::Ignores);
    }

    #[test]
    fn who_may_write_the_key_declares_it_also_as_any_other() {
        let fence = fence();
        let mut read = vec![b"f".to_vec()];
        assert_eq!(fence.take(&[b"f".to_vec()], &mut read), Fencing::MayWrite);
        assert_eq!(read.len(), 1);
    }

    #[test]
    fn tables_of_older_programs_have_no_fence() {
        let fence = Fence::new(Some(&b"f".to_vec()), Tables::new("s", 3), Sharding::None);
        fence.trust();
        assert!(!fence.is_at(b"f") && !fence.is_in_doubt());
        assert_eq!(fence.take(&[b"f".to_vec()], &mut Vec::new()), Fencing::Ignores);
    }

    #[test]
    fn bytes_are_written_as_digits() {
        assert_eq!(bytes_literal(&[0, 0xab]), "'\\x00ab'::bytea");
        assert_eq!(bytes_literal(&[]), "'\\x'::bytea");
    }
}
