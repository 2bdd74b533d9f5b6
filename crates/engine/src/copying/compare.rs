//! Source and target are walked in the order of keys and compared byte for byte, counters by their sums.

use super::pages::{Page, Pages};
use super::transfer::{COUNTERS_AT_ONCE, counters};
use super::{CopyError, Counting};
use crate::layout;
use hashrange_storage::{Bytes, Error, Key, View};
use std::collections::VecDeque;
use std::fmt;

/// Differences that are named.
const NAMED_MAX: usize = 20;
/// Differences after which nobody looks on.
const COUNTED_MAX: u64 = 100_000;
/// Bytes of a key that are named.
const KEY_BYTES_MAX: usize = 40;

/// Something that is not the same in source and target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The store key.
    pub key: Key,
    /// What differs.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shown, rest) = self.key.split_at(self.key.len().min(KEY_BYTES_MAX));
        formatter.write_str("key ")?;
        shown.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))?;
        if !rest.is_empty() {
            write!(formatter, "... ({} bytes)", self.key.len())?;
        }
        write!(formatter, ": {}", self.what)
    }
}

/// The differences that were found.
#[derive(Default)]
struct Found {
    named: Vec<Difference>,
    further: u64,
}

impl Found {
    fn add(&mut self, key: &[u8], what: String) {
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

/// One side, entry by entry.
struct Side<'v, V: View> {
    pages: Pages<'v, V>,
    entries: VecDeque<(Key, Bytes)>,
}

impl<'v, V: View> Side<'v, V> {
    fn new(view: &'v V) -> Self {
        Self { pages: Pages::new(view, layout::plain_ranges()), entries: VecDeque::new() }
    }

    /// Sees to it that the next entry is there, if there is one.
    async fn fill(&mut self) -> Result<(), Error> {
        if self.entries.is_empty() {
            self.entries = self.pages.next().await?.map(Page::into).unwrap_or_default();
        }
        Ok(())
    }
}

/// Returns the first differences of two views, and how many more there are.
pub(super) async fn compare<V: View>(
    from: &V,
    to: &V,
    mut counting: Counting<'_>,
) -> Result<(Vec<Difference>, u64), CopyError> {
    let mut found = Found::default();
    compare_plain(from, to, &mut found, &mut counting).await?;
    compare_counters(from, to, &mut found, &mut counting).await?;
    Ok((found.named, found.further))
}

async fn compare_plain<V: View>(
    from: &V,
    to: &V,
    found: &mut Found,
    counting: &mut Counting<'_>,
) -> Result<(), CopyError> {
    let (mut source, mut target) = (Side::new(from), Side::new(to));
    while !found.is_enough() {
        source.fill().await.map_err(CopyError::Source)?;
        target.fill().await.map_err(CopyError::Target)?;
        let (mut keys, mut bytes) = (0, 0);
        while let (Some((key, value)), Some((other, copy))) =
            (source.entries.front(), target.entries.front())
        {
            keys += 1;
            bytes += key.len() + value.len();
            match key.cmp(other) {
                std::cmp::Ordering::Equal => {
                    if value != copy {
                        found.add(key, format!("{} and {} bytes differ", value.len(), copy.len()));
                    }
                    source.entries.pop_front();
                    target.entries.pop_front();
                }
                std::cmp::Ordering::Less => {
                    found.add(key, "only in the source".to_owned());
                    source.entries.pop_front();
                }
                std::cmp::Ordering::Greater => {
                    found.add(other, "only in the target".to_owned());
                    target.entries.pop_front();
                }
            }
        }
        counting.add(keys, bytes);
        source.fill().await.map_err(CopyError::Source)?;
        target.fill().await.map_err(CopyError::Target)?;
        match (source.entries.is_empty(), target.entries.is_empty()) {
            (true, true) => return Ok(()),
            (false, true) => {
                let left = source.entries.drain(..);
                left.for_each(|(key, _)| found.add(&key, "only in the source".to_owned()));
            }
            (true, false) => {
                let left = target.entries.drain(..);
                left.for_each(|(key, _)| found.add(&key, "only in the target".to_owned()));
            }
            (false, false) => {}
        }
    }
    Ok(())
}

async fn compare_counters<V: View>(
    from: &V,
    to: &V,
    found: &mut Found,
    counting: &mut Counting<'_>,
) -> Result<(), CopyError> {
    let mut keys = counters(from).await.map_err(CopyError::Source)?;
    keys.append(&mut counters(to).await.map_err(CopyError::Target)?);
    let keys: Vec<Key> = keys.into_iter().collect();
    for keys in keys.chunks(COUNTERS_AT_ONCE) {
        let sums = from.sums(keys).await.map_err(CopyError::Source)?;
        let copies = to.sums(keys).await.map_err(CopyError::Target)?;
        for ((key, sum), copy) in keys.iter().zip(sums).zip(copies) {
            if sum != copy {
                found.add(key, format!("a counter of {sum} and of {copy}"));
            }
        }
        counting.add(keys.len(), keys.iter().map(|key| key.len() + 8).sum());
    }
    Ok(())
}
