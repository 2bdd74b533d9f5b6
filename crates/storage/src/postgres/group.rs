//! Writes of the commits of one transaction, and the waves in which they decide.
//!
//! Pure: knows keys and batches, no database. Leaves the statements to `transaction.rs`.
//!
//! Invariants: of several writes to one key the last counts, in the order in which batches are
//! added; a commit that declares a key which another one of the group may write decides in a later
//! wave than it.

use super::keys::{Layout, Located};
use crate::Batch;
use crate::batch::{Append, Change};
use bytes::Bytes;
use foldhash::fast::RandomState;
use std::collections::{BTreeMap, HashMap};

/// A value for each key.
pub(super) type ByKey<T> = HashMap<Bytes, T, RandomState>;

/// The effect of a group on the rows of the database.
#[derive(Debug, Default)]
pub(super) struct Writes {
    /// The value of each key that was put or deleted.
    values: ByKey<Option<Bytes>>,
    /// For each counter, whether it is removed first, and the sum of its additions.
    counters: BTreeMap<Bytes, (bool, i64)>,
    /// Values appended to each prefix, in order.
    appends: BTreeMap<Bytes, Vec<Bytes>>,
    pub(super) commits: u64,
    pub(super) size_bytes: usize,
}

impl Writes {
    /// Adds the writes of one more commit.
    pub(super) fn add(&mut self, batch: Batch) {
        self.commits += 1;
        self.size_bytes += batch.size_bytes();
        let (operations, appends) = batch.into_parts();
        for operation in operations {
            match operation.change {
                Change::Put(value) => drop(self.values.insert(operation.key, Some(value))),
                Change::Delete if operation.of_counter => {
                    self.counters.insert(operation.key, (true, 0));
                }
                Change::Delete => drop(self.values.insert(operation.key, None)),
                Change::Add(delta) => {
                    let (_, sum) = self.counters.entry(operation.key).or_default();
                    *sum = sum.wrapping_add(delta);
                }
            }
        }
        for Append { prefix, value } in appends {
            self.appends.entry(prefix).or_default().push(value);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.commits == 0
    }

    /// Returns the number of keys written.
    pub(super) fn len(&self) -> usize {
        let appended: usize = self.appends.values().map(Vec::len).sum();
        self.values.len() + self.counters.len() + appended
    }

    /// Returns the value that the group has given a key so far: `None` = it has written none.
    pub(super) fn value(&self, key: &[u8]) -> Option<&Option<Bytes>> {
        self.values.get(key)
    }

    /// Returns whether no key is deleted and no counter removed.
    pub(super) fn deletes_none(&self) -> bool {
        self.values.values().all(Option::is_some) && self.removed_counters().next().is_none()
    }

    /// Returns the counters that are removed.
    pub(super) fn removed_counters(&self) -> impl Iterator<Item = &Bytes> {
        self.counters.iter().filter(|(_, (removed, _))| *removed).map(|(key, _)| key)
    }

    /// Returns the counters that get an addition.
    pub(super) fn sums(&self) -> impl Iterator<Item = (&Bytes, i64)> {
        self.counters.iter().filter(|(_, (_, sum))| *sum != 0).map(|(key, (_, sum))| (key, *sum))
    }

    /// Returns the prefixes that get appends, with these.
    pub(super) fn appends(&self) -> impl Iterator<Item = (&Bytes, &[Bytes])> {
        self.appends.iter().map(|(prefix, values)| (prefix, values.as_slice()))
    }

    /// Returns the rows of the keys that were put or deleted, in the order of the primary key.
    pub(super) fn rows(&self, layout: &Layout) -> Vec<(Located, Option<&Bytes>)> {
        let row = |(key, value)| (layout.locate(Bytes::clone(key)), Option::as_ref(value));
        let mut rows: Vec<_> = self.values.iter().map(row).collect();
        rows.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        rows
    }
}

/// Returns the wave in which each commit decides, given the keys that each may write and only
/// reads.
pub(super) fn waves<'k>(
    commits: impl Iterator<Item = (&'k [Located], &'k [Located])>,
) -> Vec<usize> {
    // The first wave after the last writer, and after the last reader, of a key.
    let mut seen: HashMap<&[u8], (usize, usize), RandomState> = HashMap::default();
    let mut waves = Vec::new();
    for (write, read) in commits {
        let after = |key: &Located| seen.get(&key.key[..]).copied().unwrap_or_default();
        let after_all = write.iter().map(|key| after(key).0.max(after(key).1));
        let after_writers = read.iter().map(|key| after(key).0);
        let wave = after_all.chain(after_writers).max().unwrap_or(0);
        for key in write {
            seen.entry(&key.key).or_default().0 = wave + 1;
        }
        for key in read {
            let next = &mut seen.entry(&key.key).or_default().1;
            *next = (*next).max(wave + 1);
        }
        waves.push(wave);
    }
    waves
}

#[cfg(test)]
mod tests {
    use super::super::placement::Placement;
    use super::*;

    fn waves_of(commits: &[(&[&str], &[&str])]) -> Vec<usize> {
        let layout = Layout { placement: Placement::default(), places: 1, prefix_bytes: 2000 };
        let locate = |keys: &[&str]| -> Vec<Located> {
            keys.iter().map(|key| layout.locate(Bytes::from(key.to_string()))).collect()
        };
        let located: Vec<_> =
            commits.iter().map(|(write, read)| (locate(write), locate(read))).collect();
        waves(located.iter().map(|(write, read)| (write.as_slice(), read.as_slice())))
    }

    #[test]
    fn only_commits_that_share_a_written_key_decide_one_after_the_other() {
        assert_eq!(waves_of(&[(&["a"], &["d"]), (&["b"], &["d"])]), [0, 0]);
        assert_eq!(waves_of(&[(&["a"], &[]), (&["a"], &[]), (&["a"], &[])]), [0, 1, 2]);
        assert_eq!(waves_of(&[(&["a"], &["d"]), (&["d"], &[]), (&["b"], &["d"])]), [0, 1, 2]);
        assert_eq!(waves_of(&[(&["a"], &[]), (&["b"], &["a"]), (&["c"], &["a"])]), [0, 1, 1]);
        assert_eq!(waves_of(&[(&["a", "a"], &[])]), [0]);
    }

    #[test]
    fn the_last_write_to_a_key_counts_and_counters_add_up() {
        let mut writes = Writes::default();
        let mut first = Batch::new();
        first.put(b"a".to_vec(), Bytes::from_static(b"1"));
        first.add(b"n".to_vec(), 5);
        first.append(b"log".to_vec(), Bytes::from_static(b"x"));
        let mut second = Batch::new();
        second.delete(b"a".to_vec());
        second.remove_counter(b"n".to_vec());
        second.add(b"n".to_vec(), 2);
        second.append(b"log".to_vec(), Bytes::from_static(b"y"));
        writes.add(first);
        assert_eq!(writes.value(b"a"), Some(&Some(Bytes::from_static(b"1"))));
        writes.add(second);
        assert_eq!(writes.value(b"a"), Some(&None));
        assert_eq!(writes.sums().map(|(_, sum)| sum).collect::<Vec<_>>(), [2]);
        assert_eq!(writes.removed_counters().count(), 1);
        assert_eq!(writes.appends().map(|(_, values)| values.len()).collect::<Vec<_>>(), [2]);
        assert_eq!((writes.commits, writes.len()), (2, 4));
    }
}
