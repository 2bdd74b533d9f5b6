//! A view of all versions that the items of a table have had, each as an item, in the order of the
//! items and of time.
//!
//! A version is the item as it was, with attributes that identify it (`place.rs`). A deleted item
//! has a version with its key and [`DELETED`]; the time before the first image has no version.
//!
//! Ranges are of space `22` of the store (`layout/history.rs`): a past version has the key of its
//! entry, and a present one a key after those. So a page may end within an item.
//!
//! Invariant: of each item only the newest entry seen is kept in memory, because versions may be
//! many.

use super::entries::{self, Entry};
use super::place;
use super::view::{is_within, items_of_now, left_after};
use crate::layout::{self, Stamp};
use bytes::Bytes;
use hashrange_model::{Item, ValueRef};
use hashrange_storage::{Demand, Direction, Error, Key, KeyRange, View, Wanted, give_way};
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Returns whether a version stands for a deleted item.
pub(crate) fn is_deletion(version: &Item) -> bool {
    version.get(DELETED) == Some(ValueRef::Bool(true))
}

/// Attribute of a version that stands for a deleted item.
const DELETED: &str = "hashrange:deleted";
/// Attribute of a deletion at the end of the item's time to live.
const EXPIRED: &str = "hashrange:expired";

const ENTRIES_PER_TURN: usize = 64;

/// Passes the versions in a range to a visitor, as [`View::visit`] passes entries.
pub(super) async fn visit<V: View, F>(
    view: &V,
    key_names: &[Arc<str>],
    range: KeyRange,
    direction: Direction,
    wanted: Wanted,
    visitor: F,
) -> Result<(), Error>
where
    F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send,
{
    let items = layout::items_of(&range);
    let mut first = begun_item(&range, &items.start, direction);
    let mut rest = items.clone();
    let mut filter = VersionFilter { key_names, range, visitor };
    // Before the first and after the last present item the range may hold versions of deleted
    // items.
    loop {
        // First the present items, then the history: see `view.rs`.
        let now = items_of_now(view, &rest, direction, wanted).await?;
        let covered = now.covered(&rest, direction);
        let now = now.entries.into_iter();
        let mut merge = VersionMerge {
            first: first.take(),
            now: now.map(|(key, image)| (layout::versions_prefix(&key), key, image)).collect(),
            old: Entries::new(view, part_of(&filter.range, &items, &covered), direction),
        };
        if merge.run(&mut filter).await?.is_break() {
            return Ok(());
        }
        match left_after(rest, covered, direction) {
            Some(left) if !left.is_empty() => rest = left,
            _ => return Ok(()),
        }
        give_way(Demand::Long).await;
    }
}

/// Returns the common key prefix of an item's entries, if a forward range begins within them: the
/// only version left in the range may be that of the deletion, which has no entry in the range.
fn begun_item(range: &KeyRange, item: &[u8], direction: Direction) -> Option<Key> {
    let versions = layout::versions_prefix(item);
    let is_begun = direction == Direction::Forward && range.start.starts_with(&versions);
    is_begun.then_some(versions)
}

/// Returns the part of a range of versions that belongs to a part of its items. At either end that
/// the part shares with `items`, the range's own end applies, which may lie within an item.
fn part_of(range: &KeyRange, items: &KeyRange, part: &KeyRange) -> KeyRange {
    let KeyRange { start, end } = layout::versions_of(part);
    KeyRange {
        start: if part.start == items.start { range.start.clone() } else { start },
        end: if part.end == items.end { range.end.clone() } else { end },
    }
}

/// The entries of a range, read in batches.
struct Entries<'v, V> {
    view: &'v V,
    rest: KeyRange,
    direction: Direction,
    read: VecDeque<Entry>,
}

impl<'v, V: View> Entries<'v, V> {
    fn new(view: &'v V, range: KeyRange, direction: Direction) -> Self {
        Self { view, rest: range, direction, read: VecDeque::new() }
    }

    /// Returns the next entry without consuming it.
    async fn peek(&mut self) -> Result<Option<&Entry>, Error> {
        if self.read.is_empty() && !self.rest.is_empty() {
            self.read_more().await?;
        }
        Ok(self.read.front())
    }

    async fn next_of(&mut self, versions: &[u8]) -> Result<Option<Entry>, Error> {
        let is_of_it = self.peek().await?.is_some_and(|entry| entry.versions == versions);
        Ok(if is_of_it { self.read.pop_front() } else { None })
    }

    async fn read_more(&mut self) -> Result<(), Error> {
        give_way(Demand::Long).await;
        let (mut last, mut fault, mut bytes) = (None, None, 0);
        let wanted = Wanted::entries(ENTRIES_PER_TURN);
        let read = &mut self.read;
        self.view
            .visit(self.rest.clone(), self.direction, wanted, |key, stored| {
                bytes += stored.len();
                match Entry::parse(key, &stored) {
                    Ok(entry) => read.push_back(entry),
                    Err(error) => fault = Some(error),
                }
                if fault.is_none()
                    && read.len() < ENTRIES_PER_TURN
                    && bytes < super::view::BYTES_PER_TURN
                {
                    return ControlFlow::Continue(());
                }
                last = Some(key.to_vec());
                ControlFlow::Break(())
            })
            .await?;
        if let Some(error) = fault {
            return Err(error);
        }
        match (last, self.direction) {
            (None, _) => self.rest = KeyRange { start: Key::new(), end: Some(Key::new()) },
            (Some(last), Direction::Forward) => self.rest.start = [&last[..], &[0]].concat(),
            (Some(last), Direction::Backward) => self.rest.end = Some(last),
        }
        Ok(())
    }
}

/// Some present items, and the entries of all items up to the last of them.
struct VersionMerge<'v, V> {
    /// Key prefix of the item that comes first, though it may have no entry in the range.
    first: Option<Key>,
    /// Present items: key prefix of the entries, item key, image.
    now: VecDeque<(Key, Key, Bytes)>,
    old: Entries<'v, V>,
}

impl<V: View> VersionMerge<'_, V> {
    /// Passes the versions of the items one by one.
    async fn run<F>(&mut self, filter: &mut VersionFilter<'_, F>) -> Result<ControlFlow<()>, Error>
    where
        F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send,
    {
        while let Some(versions) = self.next_item().await? {
            let image = self.image_of(&versions);
            let showing = match self.old.direction {
                Direction::Forward => self.forward(&versions, image, filter).await?,
                Direction::Backward => self.backward(&versions, image, filter).await?,
            };
            if showing.is_break() {
                return Ok(showing);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns the key prefix of the next item's entries.
    async fn next_item(&mut self) -> Result<Option<Key>, Error> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        let direction = self.old.direction;
        let old = self.old.peek().await?.map(|entry| entry.versions.clone());
        let now = self.now.front().map(|(versions, ..)| versions.clone());
        Ok(match (old, now) {
            (Some(old), Some(now)) => {
                let is_old_first = match direction {
                    Direction::Forward => old < now,
                    Direction::Backward => old > now,
                };
                Some(if is_old_first { old } else { now })
            }
            (old, now) => old.or(now),
        })
    }

    /// Takes the present image of the item, if it is the next present one.
    fn image_of(&mut self, versions: &[u8]) -> Option<(Key, Bytes)> {
        let is_next = self.now.front().is_some_and(|(known, ..)| known == versions);
        let next = if is_next { self.now.pop_front() } else { None };
        next.map(|(_, key, image)| (key, image))
    }

    async fn forward<F>(
        &mut self,
        versions: &[u8],
        now: Option<(Key, Bytes)>,
        filter: &mut VersionFilter<'_, F>,
    ) -> Result<ControlFlow<()>, Error>
    where
        F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send,
    {
        let mut before = None;
        if filter.range.start.starts_with(versions) {
            let end = Some(filter.range.start.clone());
            let earlier = KeyRange { start: versions.to_vec(), end };
            before = entries::one(self.old.view, earlier, Direction::Backward).await?;
        }
        while let Some(entry) = self.old.next_of(versions).await? {
            if filter.show_entry(&entry, before.as_ref()).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            before = Some(entry);
        }
        let image = self.newest(now, before.as_ref()).await?;
        Ok(filter.show(versions, None, image.as_ref(), before.as_ref()))
    }

    async fn backward<F>(
        &mut self,
        versions: &[u8],
        now: Option<(Key, Bytes)>,
        filter: &mut VersionFilter<'_, F>,
    ) -> Result<ControlFlow<()>, Error>
    where
        F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send,
    {
        let mut next = self.old.next_of(versions).await?;
        let image = self.newest(now, next.as_ref()).await?;
        let mut showing = filter.show(versions, None, image.as_ref(), next.as_ref());
        while let Some(entry) = next.filter(|_| showing.is_continue()) {
            next = self.old.next_of(versions).await?;
            showing = filter.show_entry(&entry, next.as_ref());
        }
        Ok(showing)
    }

    /// Returns the image of an item after its last entry. Where the reads of a view are not of one
    /// state, the image read before may be the one that the entry holds: then this reads the item
    /// again.
    async fn newest(
        &self,
        now: Option<(Key, Bytes)>,
        last: Option<&Entry>,
    ) -> Result<Option<Bytes>, Error> {
        match (now, last) {
            (Some((key, image)), Some(entry)) if entry.version.image.as_ref() == Some(&image) => {
                self.old.view.get(&key).await
            }
            (now, _) => Ok(now.map(|(_, image)| image)),
        }
    }
}

/// Filters versions by a range and passes them to a visitor.
struct VersionFilter<'k, F> {
    key_names: &'k [Arc<str>],
    range: KeyRange,
    visitor: F,
}

impl<F: FnMut(&[u8], Bytes) -> ControlFlow<()>> VersionFilter<'_, F> {
    /// Shows the version of an entry; `before` is the entry that precedes it.
    fn show_entry(&mut self, entry: &Entry, before: Option<&Entry>) -> ControlFlow<()> {
        let image = entry.version.image.as_ref();
        self.show(&entry.versions, Some(entry.until), image, before)
    }

    /// Shows a version that lies in the range; `before` is the entry that precedes it.
    fn show(
        &mut self,
        versions: &[u8],
        until: Option<Stamp>,
        image: Option<&Bytes>,
        before: Option<&Entry>,
    ) -> ControlFlow<()> {
        let key = layout::version_after(versions, until);
        if !is_within(&self.range, &key) {
            return ControlFlow::Continue(());
        }
        let stored = match (image, before.and_then(|entry| entry.version.image.as_ref())) {
            (Some(image), _) => image,
            (None, Some(gone)) => gone,
            // The item did not exist before that either.
            (None, None) => return ControlFlow::Continue(()),
        };
        let Ok(mut item) = Item::from_stored(stored.clone()) else {
            // The reader of the version reports its unknown form.
            return (self.visitor)(&key, stored.clone());
        };
        let since = before.map(|entry| entry.until);
        let place = place::attributes(since, until);
        let mut added: Vec<_> =
            place.iter().map(|(name, text)| (*name, text.as_deref().map(ValueRef::S))).collect();
        if image.is_none() {
            item = item.retain(|name| self.key_names.iter().any(|known| **known == *name));
            added.push((DELETED, Some(ValueRef::Bool(true))));
            if before.is_some_and(|entry| entry.version.is_expiry) {
                added.push((EXPIRED, Some(ValueRef::Bool(true))));
            }
        }
        (self.visitor)(&key, item.with_changes(added).as_bytes().clone())
    }
}
