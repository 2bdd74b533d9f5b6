//! Rules by which a merge brings deletes down, level by level, to the entries that they delete.
//!
//! fjall's own rule merges a level when it is full. On a disk that is low, this module merges
//! levels that are not full, a few files at a time: files of one level with those of the next that
//! they overlap, the fewest bytes first. fjall itself always chooses the files ([`Leveled`]), so
//! that no file is ever older than those below it, and a delete is dropped only if nothing lies
//! below it. The rules here only set how much each level may hold: next to nothing for the one to
//! be merged, and without limit for the others.
//!
//! A file of deletes may overlap more files below than there is room to merge with. Each unmerged
//! file has the store's own key and thereby overlaps everything, so unmerged files are first merged
//! with each other into small ones.

use fjall::compaction::Leveled;
use lsm_tree::compaction::{Choice, CompactionStrategy, Input};
use lsm_tree::{AbstractTree, AnyTree};

/// Size of a merged file of deletes, in bytes: so small that it overlaps few files below.
pub(super) const SMALL_FILE_BYTES: u64 = 8 << 20;

/// Factors of a level's capacity: next to nothing, and no limit.
const TO_NOTHING: f32 = 1e-6;
const TO_NO_END: f32 = 1e12;

/// Input of a merge: bytes of files to be read, 0 if they only move to another level unchanged, and
/// the number of deletes in them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MergeSet {
    pub(super) bytes: u64,
    pub(super) deletes: u64,
    /// The merge would leave an empty level between others, which fjall does not expect.
    leaves_gap: bool,
}

impl MergeSet {
    /// Returns the input of a merge by a rule; `None` if the rule has nothing to merge.
    pub(super) fn of(tree: &AnyTree, rule: &Leveled) -> Option<Self> {
        let version = tree.current_version();
        #[expect(
            clippy::default_trait_access,
            reason = "lsm-tree does not let others name the type"
        )]
        let choice = rule.choose(&version, tree.tree_config(), &Default::default());
        let (Input { table_ids, dest_level, .. }, is_moved) = match choice {
            Choice::Merge(input) => (input, false),
            Choice::Move(input) => (input, true),
            Choice::DoNothing | Choice::Drop(_) => return None,
        };
        let taken = version.iter_tables().filter(|table| table_ids.contains(&table.id()));
        let (bytes, deletes) = taken.fold((0, 0), |(bytes, deletes), table| {
            (bytes + table.metadata.file_size, deletes + table.tombstone_count())
        });
        let filled = version.iter_levels().enumerate().skip(1).map(|(at, level)| {
            let mut tables = level.iter().flat_map(|run| run.iter());
            at == usize::from(dest_level) || tables.any(|table| !table_ids.contains(&table.id()))
        });
        let leaves_gap = filled.skip_while(|is_filled| !is_filled).any(|is_filled| !is_filled);
        let bytes = if is_moved { 0 } else { bytes };
        Some(Self { bytes, deletes, leaves_gap })
    }

    /// Returns whether the merge brings deletes down.
    pub(super) fn is_for_deletes(&self) -> bool {
        self.deletes > 0 && !self.leaves_gap
    }
}

/// Returns the bytes of each level.
pub(super) fn level_bytes(tree: &AnyTree) -> Vec<u64> {
    let mut bytes = Vec::new();
    for level in tree.current_version().iter_levels() {
        bytes.push(level.size());
    }
    bytes
}

/// Returns the rules for a store with so many unmerged runs and so many bytes in each level, the
/// unmerged one first: a merge by them makes files of the first size, or else of the second.
pub(super) fn rules(runs: usize, levels: &[u64], [small, usual]: [u64; 2]) -> Vec<Leveled> {
    let last = levels.len().saturating_sub(1);
    let is_filled = |level: &usize| levels.get(*level).is_some_and(|bytes| *bytes > 0);
    let Some(first) = (1..=last).find(is_filled) else { return Vec::new() };
    let mut rules = Vec::new();
    // A single run would be moved as it is.
    if runs > 1 && first > 1 {
        rules.push(rule(small, growth_for_new(levels.get(first..last).unwrap_or_default(), small)));
    }
    for level in (first..last).filter(is_filled) {
        let growth = growth_for(level - first);
        rules.extend([small, usual].map(|bytes| rule(bytes, growth.clone())));
    }
    rules
}

fn rule(file_bytes: u64, growth: Vec<f32>) -> Leveled {
    Leveled::default()
        .with_l0_threshold(1)
        .with_table_target_size(file_bytes)
        .with_level_ratio_policy(growth)
}

/// Returns the growth from each level to the next with which fjall merges the level so far below
/// the first filled one. The first level may hold one file.
fn growth_for(below_first: usize) -> Vec<f32> {
    let mut growth = vec![1.0; below_first.saturating_sub(1)];
    if below_first > 0 {
        growth.push(TO_NOTHING);
    }
    growth.push(TO_NO_END);
    growth
}

/// Returns the growth with which unmerged files become a level of their own above the filled ones,
/// which hold so many bytes: each of those holds more than it could without the new level, and no
/// more than it may with it.
fn growth_for_new(filled: &[u64], file_bytes: u64) -> Vec<f32> {
    let mut before = file_bytes.max(1);
    let growth = filled.iter().map(|bytes| {
        let times = (*bytes).max(before).div_ceil(before);
        before = before.saturating_mul(times);
        u16::try_from(times).map_or(f32::from(u16::MAX), f32::from)
    });
    growth.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lsm_tree::{Config, Guard, SequenceNumberCounter};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    const KEYS: u64 = 300;
    const FILE_BYTES: [u64; 2] = [400, 1600];

    type Entries = BTreeMap<Vec<u8>, Vec<u8>>;

    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) % limit
        }
    }

    /// A tree, its content, and snapshots of it with their expected content.
    struct Trial {
        tree: AnyTree,
        numbers: SequenceNumberCounter,
        entries: Entries,
        snapshots: Vec<(u64, Entries)>,
        random: Random,
        merges: usize,
    }

    impl Trial {
        fn write(&mut self) {
            let number = self.numbers.next();
            let first = self.random.below(KEYS);
            // A group puts the store's own key, too.
            self.insert(0, number, 8);
            for key in first..(first + 1 + self.random.below(40)).min(KEYS) {
                let key = key + 1;
                if self.random.below(100) < 55 {
                    let stored = key.to_be_bytes().to_vec();
                    self.tree.remove(stored.clone(), number);
                    self.entries.remove(&stored);
                } else {
                    let bytes = 10 + self.random.below(90);
                    self.insert(key, number, bytes);
                }
            }
        }

        fn insert(&mut self, key: u64, number: u64, bytes: u64) {
            let value: Vec<u8> =
                (0..bytes).map(|_| self.random.below(256).to_be_bytes()[7]).collect();
            let key = key.to_be_bytes().to_vec();
            self.tree.insert(key.clone(), value.clone(), number);
            self.entries.insert(key, value);
        }

        /// Returns the sequence number from which on snapshots may see versions.
        fn seen_from(&self) -> u64 {
            let snapshots = self.snapshots.iter().map(|(number, _)| *number);
            snapshots.chain([self.numbers.get()]).min().unwrap().saturating_sub(1)
        }

        fn rules(&self) -> Vec<Leveled> {
            rules(self.tree.l0_run_count(), &level_bytes(&self.tree), FILE_BYTES)
        }

        fn merge(&mut self, rule: Leveled) {
            if !MergeSet::of(&self.tree, &rule).is_some_and(|set| set.is_for_deletes()) {
                return;
            }
            let before = self.tree.current_version().id();
            self.tree.compact(Arc::new(rule), self.seen_from()).unwrap();
            self.merges += usize::from(before != self.tree.current_version().id());
        }

        fn step(&mut self) {
            match self.random.below(12) {
                0..4 => self.write(),
                4..6 => self.tree.flush_active_memtable(self.seen_from()).unwrap(),
                6 => {
                    let usual = Leveled::default().with_l0_threshold(2).with_table_target_size(800);
                    let usual = Arc::new(usual.with_level_ratio_policy(vec![2.0]));
                    self.tree.compact(usual, self.seen_from()).unwrap();
                }
                7 => self.snapshots.push((self.numbers.get(), self.entries.clone())),
                8 if !self.snapshots.is_empty() => {
                    let nth = self.random.below(self.snapshots.len() as u64);
                    self.snapshots.swap_remove(usize::try_from(nth).unwrap());
                }
                _ => {
                    let mut rules = self.rules();
                    if !rules.is_empty() {
                        let nth = self.random.below(rules.len() as u64);
                        self.merge(rules.swap_remove(usize::try_from(nth).unwrap()));
                    }
                }
            }
        }

        fn check(&self, seed: u64) {
            let newest = [(self.numbers.get(), self.entries.clone())];
            for (number, entries) in newest.iter().chain(&self.snapshots) {
                let found = self.tree.iter(*number, None).map(|entry| {
                    let (key, value) = entry.into_inner().unwrap();
                    (key.to_vec(), value.to_vec())
                });
                let found: Entries = found.collect();
                assert_eq!(&found, entries, "seed {seed}, at {number}");
                for key in 0..=KEYS {
                    let key = key.to_be_bytes();
                    let found = self.tree.get(key, *number).unwrap().map(|value| value.to_vec());
                    assert_eq!(found.as_ref(), entries.get(&key[..]), "seed {seed}, at {number}");
                }
            }
        }
    }

    #[test]
    fn nothing_that_was_deleted_comes_back_however_files_are_merged() {
        let mut merges = 0;
        for seed in 0..12 {
            let folder = tempfile::tempdir().unwrap();
            let (numbers, seen) =
                (SequenceNumberCounter::default(), SequenceNumberCounter::default());
            let tree = Config::new(folder.path(), numbers.clone(), seen).open().unwrap();
            let (entries, random) = (Entries::new(), Random(seed));
            let snapshots = Vec::new();
            let mut trial = Trial { tree, numbers, entries, snapshots, random, merges: 0 };
            for _ in 0..40 {
                (0..4).for_each(|_| trial.step());
                trial.check(seed);
            }
            merges += trial.merges;
        }
        assert!(merges > 100, "{merges} merges");
    }

    /// Returns the number of deletes left when no rule has anything to merge any more.
    fn deletes_left(trial: &mut Trial) -> u64 {
        for _ in 0..1000 {
            let before = trial.merges;
            trial.rules().into_iter().for_each(|rule| trial.merge(rule));
            if trial.merges == before {
                break;
            }
        }
        trial.tree.tombstone_count()
    }

    #[test]
    fn deletes_come_down_to_what_they_delete() {
        let folder = tempfile::tempdir().unwrap();
        let (numbers, seen) = (SequenceNumberCounter::default(), SequenceNumberCounter::default());
        let tree = Config::new(folder.path(), numbers.clone(), seen).open().unwrap();
        let (entries, random) = (Entries::new(), Random(1));
        let mut trial = Trial { tree, numbers, entries, snapshots: Vec::new(), random, merges: 0 };
        for key in 0..=20_000 {
            let number = trial.numbers.next();
            trial.insert(key, number, 30);
        }
        trial.tree.flush_active_memtable(trial.seen_from()).unwrap();
        trial.tree.major_compact(FILE_BYTES[1], trial.seen_from()).unwrap();
        let before = trial.tree.disk_space();
        for part in 0..3 {
            let number = trial.numbers.next();
            trial.insert(0, number, 8);
            for key in (1..=20_000_u64).filter(|key| key % 3 == part && key % 10 != 0) {
                let key = key.to_be_bytes().to_vec();
                trial.tree.remove(key.clone(), number);
                trial.entries.remove(&key);
            }
            trial.tree.flush_active_memtable(trial.seen_from()).unwrap();
        }
        let deletes = trial.tree.tombstone_count();
        let left = deletes_left(&mut trial);
        assert!(left < deletes / 10, "{left} of {deletes} deletes are left");
        let after = trial.tree.disk_space();
        assert!(after < before / 4, "{after} of {before} bytes");
        trial.check(1);
    }
}
