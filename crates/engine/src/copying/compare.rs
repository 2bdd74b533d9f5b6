//! Walks source and target in the order of keys and compares them byte for byte, counters by their
//! sums.

use super::commits::{COUNTERS_AT_ONCE, KEYS_AT_ONCE, counters, sums_of};
use super::pages::{CopyPage, Pages};
use super::{CopyError, Counting, Difference};
use crate::layout;
use hashrange_storage::{AnyStore, Bytes, Error, Key, Store};
use std::cmp::Ordering;
use std::collections::VecDeque;

/// Differences that an error lists.
const NAMED_MAX: usize = 20;
/// Differences after which the comparison stops.
const COUNTED_MAX: u64 = 100_000;
const ONLY_SOURCE: &str = "only in the source";
const ONLY_TARGET: &str = "only in the target";

/// Differences: the first ones listed, the rest counted.
#[derive(Debug, Default)]
pub(super) struct Differences {
    named: Vec<Difference>,
    further: u64,
}

impl Differences {
    /// Returns the error if there are differences.
    pub(super) fn into_error(self) -> Result<(), CopyError> {
        let Self { named: differences, further } = self;
        if differences.is_empty() {
            return Ok(());
        }
        Err(CopyError::Different { differences, further })
    }

    pub(super) fn add(&mut self, key: &[u8], what: String) {
        if self.named.len() < NAMED_MAX {
            self.named.push(Difference { key: key.to_vec(), what });
        } else {
            self.further += 1;
        }
    }

    fn is_enough(&self) -> bool {
        self.further >= COUNTED_MAX
    }
}

/// Entries of one store, in order.
struct Side<'s> {
    pages: Pages<'s>,
    entries: VecDeque<(Key, Bytes)>,
}

impl<'s> Side<'s> {
    fn new(store: &'s AnyStore) -> Self {
        Self { pages: Pages::new(store, layout::plain_ranges()), entries: VecDeque::new() }
    }

    /// Reads the next page if no entry is at hand.
    async fn fill(&mut self) -> Result<(), Error> {
        if self.entries.is_empty() {
            self.entries = self.pages.next().await?.map(CopyPage::into).unwrap_or_default();
        }
        Ok(())
    }
}

/// A walk over all keys of both sides.
pub(super) struct Comparison<'s> {
    source: Side<'s>,
    target: Side<'s>,
}

impl<'s> Comparison<'s> {
    pub(super) fn new(from: &'s AnyStore, to: &'s AnyStore) -> Self {
        Self { source: Side::new(from), target: Side::new(to) }
    }

    /// Compares the next entries, about a page, and calls `differs` for each key that differs.
    /// Returns false at the end.
    pub(super) async fn step(
        &mut self,
        counting: &mut Counting<'_>,
        differs: &mut (dyn FnMut(&[u8], String) + Send),
    ) -> Result<bool, CopyError> {
        let (source, target) = (&mut self.source, &mut self.target);
        source.fill().await.map_err(CopyError::Source)?;
        target.fill().await.map_err(CopyError::Target)?;
        if source.entries.is_empty() && target.entries.is_empty() {
            return Ok(false);
        }
        if target.entries.is_empty() {
            let left = source.entries.drain(..);
            left.for_each(|(key, _)| differs(&key, ONLY_SOURCE.to_owned()));
        }
        if source.entries.is_empty() {
            let left = target.entries.drain(..);
            left.for_each(|(key, _)| differs(&key, ONLY_TARGET.to_owned()));
        }
        let (mut keys, mut bytes) = (0, 0);
        while let (Some((key, value)), Some((other, copy))) =
            (source.entries.front(), target.entries.front())
        {
            keys += 1;
            bytes += key.len() + value.len();
            match key.cmp(other) {
                Ordering::Equal => {
                    if value != copy {
                        differs(key, unequal(value, copy));
                    }
                    source.entries.pop_front();
                    target.entries.pop_front();
                }
                Ordering::Less => {
                    differs(key, ONLY_SOURCE.to_owned());
                    source.entries.pop_front();
                }
                Ordering::Greater => {
                    differs(other, ONLY_TARGET.to_owned());
                    target.entries.pop_front();
                }
            }
        }
        counting.add(keys, bytes);
        Ok(true)
    }
}

fn unequal(value: &Bytes, copy: &Bytes) -> String {
    format!("{} and {} bytes differ", value.len(), copy.len())
}

/// Returns the differences of two stores without concurrent writes.
pub(super) async fn compare(
    from: &AnyStore,
    to: &AnyStore,
    counting: &mut Counting<'_>,
) -> Result<Differences, CopyError> {
    let mut differences = Differences::default();
    let mut comparison = Comparison::new(from, to);
    while !differences.is_enough()
        && comparison.step(counting, &mut |key, what| differences.add(key, what)).await?
    {}
    compare_counters(from, to, &mut differences, counting).await?;
    Ok(differences)
}

/// Adds the differences among some keys.
pub(super) async fn compare_keys(
    from: &AnyStore,
    to: &AnyStore,
    keys: &[Key],
    differences: &mut Differences,
) -> Result<(), CopyError> {
    for keys in keys.chunks(KEYS_AT_ONCE) {
        let values = from.get_many(keys).await.map_err(CopyError::Source)?;
        let copies = to.get_many(keys).await.map_err(CopyError::Target)?;
        for ((key, value), copy) in keys.iter().zip(values).zip(copies) {
            match (value, copy) {
                (Some(value), Some(copy)) if value != copy => {
                    differences.add(key, unequal(&value, &copy));
                }
                (Some(_), None) => differences.add(key, ONLY_SOURCE.to_owned()),
                (None, Some(_)) => differences.add(key, ONLY_TARGET.to_owned()),
                _ => {}
            }
        }
    }
    Ok(())
}

/// Adds the counters that differ.
pub(super) async fn compare_counters(
    from: &AnyStore,
    to: &AnyStore,
    differences: &mut Differences,
    counting: &mut Counting<'_>,
) -> Result<(), CopyError> {
    let mut keys = counters(from).await.map_err(CopyError::Source)?;
    keys.append(&mut counters(to).await.map_err(CopyError::Target)?);
    let keys: Vec<Key> = keys.into_iter().collect();
    for keys in keys.chunks(COUNTERS_AT_ONCE) {
        let sums = sums_of(from, keys).await.map_err(CopyError::Source)?;
        let copies = sums_of(to, keys).await.map_err(CopyError::Target)?;
        for ((key, sum), copy) in keys.iter().zip(sums).zip(copies) {
            if sum != copy {
                differences.add(key, format!("a counter of {sum} and of {copy}"));
            }
        }
        counting.add(keys.len(), keys.iter().map(|key| key.len() + 8).sum());
    }
    Ok(())
}
