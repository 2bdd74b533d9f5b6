//! Reads ranges of a store page by page; entries and bytes bound a page, whatever the size of the
//! entries.
//!
//! Each page is read from the newest state, so that no view is held for long.

use crate::layout;
use hashrange_storage::{AnyStore, Bytes, Direction, Error, Key, KeyRange, Store, View, Wanted};
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Maximum of entries in a page.
const ENTRIES_MAX: usize = 1_000;
/// Maximum of bytes of a page's keys and values, exceeded by less than one entry.
const BYTES_MAX: usize = 1 << 20;

/// Keys and values in the order of the keys.
pub(super) type CopyPage = Vec<(Key, Bytes)>;

/// Pages of some ranges.
pub(super) struct Pages<'s> {
    store: &'s AnyStore,
    left: VecDeque<KeyRange>,
}

impl<'s> Pages<'s> {
    /// Returns the pages of ranges, which are given in order.
    pub(super) fn new(store: &'s AnyStore, ranges: Vec<KeyRange>) -> Self {
        Self { store, left: VecDeque::from(ranges) }
    }

    /// Returns the next page, which is not empty; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<CopyPage>, Error> {
        while let Some(range) = self.left.pop_front() {
            let (mut page, mut bytes) = (CopyPage::new(), 0);
            let wanted = Wanted { entries: ENTRIES_MAX, bytes: BYTES_MAX };
            let view = self.store.view().await?;
            view.visit(range.clone(), Direction::Forward, wanted, |key, value| {
                bytes += key.len() + value.len();
                page.push((key.to_vec(), value));
                if page.len() < ENTRIES_MAX && bytes < BYTES_MAX {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            })
            .await?;
            let is_full = page.len() >= ENTRIES_MAX || bytes >= BYTES_MAX;
            if let Some((last, _)) = page.last().filter(|_| is_full) {
                self.go_on_after(last, range);
            }
            if !page.is_empty() {
                return Ok(Some(page));
            }
        }
        Ok(None)
    }

    /// Queues the part of a range after a key: first the rest of the key's keyspace, then the rest
    /// of the range. A store that spreads keys over places reads a keyspace place by place, and has
    /// to merge all places for a larger range.
    fn go_on_after(&mut self, last: &Key, range: KeyRange) {
        let start = [&last[..], &[0]].concat();
        let keyspace = layout::end_of_keyspace(last)
            .filter(|end| range.end.as_ref().is_none_or(|range_end| end < range_end));
        if let Some(end) = keyspace {
            self.left.push_front(KeyRange { start: end.clone(), end: range.end });
            self.left.push_front(KeyRange { start, end: Some(end) });
        } else {
            self.left.push_front(KeyRange { start, end: range.end });
        }
    }
}

/// Returns the bytes of a page.
pub(super) fn size_of(page: &CopyPage) -> usize {
    page.iter().map(|(key, value)| key.len() + value.len()).sum()
}
