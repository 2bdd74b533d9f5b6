//! What a view shows of some ranges, page by page: bounded by entries and bytes, whatever their sizes.

use crate::layout;
use hashrange_storage::{Bytes, Direction, Error, Key, KeyRange, View, Wanted};
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Entries of a page, at most.
const ENTRIES_MAX: usize = 1_000;
/// Bytes of a page's keys and values, at most, and one entry more.
const BYTES_MAX: usize = 1 << 20;

/// Keys and values in the order of the keys.
pub(super) type Page = Vec<(Key, Bytes)>;

/// The pages of some ranges.
pub(super) struct Pages<'v, V: View> {
    view: &'v V,
    left: VecDeque<KeyRange>,
}

impl<'v, V: View> Pages<'v, V> {
    /// Returns the pages of ranges that stand in order.
    pub(super) fn new(view: &'v V, ranges: Vec<KeyRange>) -> Self {
        Self { view, left: VecDeque::from(ranges) }
    }

    /// Returns the next page, which is not empty; nothing at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Page>, Error> {
        while let Some(range) = self.left.pop_front() {
            let (mut page, mut bytes) = (Page::new(), 0);
            let wanted = Wanted { entries: ENTRIES_MAX, bytes: BYTES_MAX };
            self.view
                .visit(range.clone(), Direction::Forward, wanted, |key, value| {
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

    /// Notes what is left of a range after a key: first the rest of its keyspace, which a store that spreads
    /// keys over places reads place by place, while it has to merge all of them for what is larger.
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
pub(super) fn size_of(page: &Page) -> usize {
    page.iter().map(|(key, value)| key.len() + value.len()).sum()
}
