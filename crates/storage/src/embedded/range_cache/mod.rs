//! Ranges of entries that were read, cached in one piece each.
//!
//! A range read of the ordered map looks up blocks, merges its files and assembles keys. A repeated
//! read takes the entries from pages instead: copies of neighbouring entries, with the bounds
//! between which there are no others.
//!
//! | file           | what                                         |
//! |----------------|----------------------------------------------|
//! | `page.rs`      | one page: entries, bounds, visiting them     |
//! | `recording.rs` | makes pages from a visit of the map          |
//! | `pages.rs`     | all pages: finding, dropping, making room    |
//! | `span.rs`      | the visited range, with both ends            |
//!
//! A page has the state after the group that its reader saw, and after every later one until a
//! group writes a key between its bounds. These rules keep it so:
//! - before a group is published, the cache is told of its keys: it drops the pages that they fall
//!   into and makes the group the newest one known;
//! - a page is taken in only while the group that its reader saw is the newest one known;
//! - the cache shows a page only to readers of its group or of a later one.

mod page;
mod pages;
mod recording;
mod span;
#[cfg(test)]
mod tests;

use super::cache_budget::CacheBudget;
use crate::planted::{Planted, is_planted};
use crate::sync::RwLock;
use crate::{CacheLooks, Direction, Error, KeyRange};
use bytes::Bytes;
use page::RangePage;
use pages::Pages;
use recording::Recording;
use span::Span;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Called with each entry of a range.
pub(super) type Visitor<'v> = dyn FnMut(&[u8], Bytes) -> ControlFlow<()> + 'v;

/// The pages of a store; the module's text says why they are right.
pub(super) struct RangeCache {
    pages: RwLock<Pages>,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl RangeCache {
    /// Returns an empty cache; `group` is the newest one published.
    pub(super) fn new(budget: Arc<CacheBudget>, group: u64) -> Self {
        let pages = RwLock::new(Pages::new(budget, group));
        Self { pages, hits: AtomicU64::new(0), misses: AtomicU64::new(0) }
    }

    /// Returns the number of looks that found a page, and of those that found none.
    pub(super) fn looks(&self) -> CacheLooks {
        CacheLooks {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
        }
    }

    /// Drops the pages that writes to `keys` make outdated. Call it when `group`, which writes
    /// them, is durable and before it is published.
    pub(super) fn forget<'k>(&self, group: u64, keys: impl Iterator<Item = &'k [u8]>) {
        // No page of an earlier group can come in from here on, so the pages to drop can be looked
        // for while readers go on.
        if !is_planted(Planted::PagesForgottenFirst) {
            self.pages.write().set_group(group);
        }
        let outdated = self.pages.read().holding(keys);
        if !outdated.is_empty() {
            self.pages.write().remove_all(&outdated);
        }
        if is_planted(Planted::PagesForgottenFirst) {
            self.pages.write().set_group(group);
        }
    }

    /// Drops all pages that have a part of `range`. Call it like [`Self::forget`], after it.
    pub(super) fn forget_range(&self, range: &KeyRange) {
        self.pages.write().remove_range(&range.start, range.end.as_deref());
    }

    /// Calls the visitor with the entries of `range` after `group`; `read` visits those that are in
    /// no page.
    pub(super) fn visit(
        &self,
        group: u64,
        range: &KeyRange,
        direction: Direction,
        visitor: &mut Visitor<'_>,
        read: impl Fn(&KeyRange, &mut Visitor<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Some(mut rest) = Span::of(range, direction) else {
            return read(range, visitor);
        };
        while !rest.is_empty() {
            let flow = match self.find(group, &rest) {
                Lookup::Page(page) => {
                    self.hits.fetch_add(1, Ordering::Relaxed);
                    let flow = page.visit(&rest, visitor);
                    rest.advance([page.start(), page.end()]);
                    flow
                }
                Lookup::Gap(gap) => {
                    self.misses.fetch_add(1, Ordering::Relaxed);
                    let flow = self.visit_gap(group, &gap, visitor, &read)?;
                    rest.advance([&gap.start, &gap.end]);
                    flow
                }
            };
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Returns whether a visit would begin with entries of a page.
    pub(super) fn begins_in_page(
        &self,
        group: u64,
        range: &KeyRange,
        direction: Direction,
    ) -> bool {
        Span::of(range, direction)
            .is_some_and(|span| matches!(self.find(group, &span), Lookup::Page(_)))
    }

    /// Visits entries that are in no page and, unless the cache is full, makes pages of them.
    fn visit_gap(
        &self,
        group: u64,
        gap: &Span,
        visitor: &mut Visitor<'_>,
        read: &impl Fn(&KeyRange, &mut Visitor<'_>) -> Result<(), Error>,
    ) -> Result<ControlFlow<()>, Error> {
        let is_recorded = self.pages.read().has_room_for_visit();
        let mut recording = is_recorded.then(|| Recording::new(group, gap));
        let mut flow = ControlFlow::Continue(());
        read(&gap.to_range(), &mut |key, value| {
            if let Some(recording) = &mut recording {
                recording.add(key, &value);
            }
            flow = visitor(key, value);
            if flow.is_break()
                && let Some(recording) = &mut recording
            {
                recording.stop_after(key);
            }
            flow
        })?;
        if let Some(pages) = recording.map(Recording::into_pages) {
            self.pages.write().insert(group, pages);
        }
        Ok(flow)
    }

    /// Returns the page with the first entries of the rest, or the gap before one.
    fn find(&self, group: u64, rest: &Span) -> Lookup {
        let pages = self.pages.read();
        let usable = |page: &&Arc<RangePage>| page.group() <= group;
        let page = match rest.direction {
            Direction::Forward => pages.holding_key(&rest.start),
            Direction::Backward => pages.holding_end(&rest.end),
        };
        if let Some(page) = page.filter(usable) {
            return Lookup::Page(Arc::clone(page));
        }
        let next = match rest.direction {
            Direction::Forward => pages.first_after(&rest.start),
            Direction::Backward => pages.last_before(&rest.end),
        };
        let next = next.filter(usable).filter(|page| page.is_worth_a_gap());
        Lookup::Gap(rest.until(next.map(|page| [&page.start()[..], page.end()])))
    }

    /// Drops pages of at least so many bytes, or all; those not visited for longest go first.
    pub(super) fn shrink(&self, bytes: usize) {
        self.pages.write().shrink(bytes);
    }

    /// Passes over pages of about so many bytes, at most all, and drops those not visited since the
    /// last time.
    pub(super) fn pass_over(&self, bytes: usize) {
        self.pages.write().pass_over(bytes);
    }
}

/// Result of a lookup: what a visit goes on with.
enum Lookup {
    Page(Arc<RangePage>),
    Gap(Span),
}
