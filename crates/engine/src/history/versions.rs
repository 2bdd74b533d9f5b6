//! A view of all versions that the items of a table have had, each an item of its own, in the order of the
//! items and of time.
//!
//! A version is the item as it was, with attributes that say when (`place.rs`). Where an item was deleted there
//! is a version of its key alone with [`DELETED`]; before it was there first there is none.
//!
//! Ranges are of space `22` of the store (`layout/history.rs`): a version has the key of its entry, and one
//! that is so now a key that comes after them. So a page may end within an item.
//!
//! Invariant: nothing is kept of an item but its newest entry that was seen: versions may be many.

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

/// That there was no item.
const DELETED: &str = "hashrange:deleted";
/// That it was removed because its time to live was over.
const EXPIRED: &str = "hashrange:expired";

const ENTRIES_PER_TURN: usize = 64;

/// Shows the versions in a range to a visitor, as [`View::visit`] shows entries.
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
    let mut shown = Shown { key_names, range, visitor };
    // There may be versions in the range of an item that is before the first or behind the last of them.
    loop {
        // First what is there now, then what was: see `view.rs`.
        let now = items_of_now(view, &rest, direction, wanted).await?;
        let covered = now.covered(&rest, direction);
        let now = now.entries.into_iter();
        let mut turn = Turn {
            first: first.take(),
            now: now.map(|(key, image)| (layout::versions_prefix(&key), key, image)).collect(),
            old: Entries::new(view, part_of(&shown.range, &items, &covered), direction),
        };
        if turn.run(&mut shown).await?.is_break() {
            return Ok(());
        }
        match left_after(rest, covered, direction) {
            Some(left) if !left.is_empty() => rest = left,
            _ => return Ok(()),
        }
        give_way(Demand::Long).await;
    }
}

/// Returns what the keys of an item's entries begin with, if a range begins within them: of such an item
/// there may be nothing left but that it is deleted, which no entry in the range says.
fn begun_item(range: &KeyRange, item: &[u8], direction: Direction) -> Option<Key> {
    let versions = layout::versions_prefix(item);
    let is_begun = direction == Direction::Forward && range.start.starts_with(&versions);
    is_begun.then_some(versions)
}

/// Returns the part of a range of versions that is of a part of its items. Where the items begin or end with
/// those of the whole range, so do the versions, which may begin or end within an item.
fn part_of(range: &KeyRange, items: &KeyRange, part: &KeyRange) -> KeyRange {
    let KeyRange { start, end } = layout::versions_of(part);
    KeyRange {
        start: if part.start == items.start { range.start.clone() } else { start },
        end: if part.end == items.end { range.end.clone() } else { end },
    }
}

/// The entries of a range, some read at a time.
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

    /// Returns the next entry, which stays the next one.
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

/// Some items that are there now, and the entries of all items up to the last of them.
struct Turn<'v, V> {
    /// The item that comes first, though there may be no entry of it.
    first: Option<Key>,
    /// What the keys of an item's entries begin with, its key, its image.
    now: VecDeque<(Key, Key, Bytes)>,
    old: Entries<'v, V>,
}

impl<V: View> Turn<'_, V> {
    /// Shows the versions of the items one by one.
    async fn run<F>(&mut self, shown: &mut Shown<'_, F>) -> Result<ControlFlow<()>, Error>
    where
        F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send,
    {
        while let Some(versions) = self.next_item().await? {
            let image = self.image_of(&versions);
            let showing = match self.old.direction {
                Direction::Forward => self.forward(&versions, image, shown).await?,
                Direction::Backward => self.backward(&versions, image, shown).await?,
            };
            if showing.is_break() {
                return Ok(showing);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns what the keys of the next item's entries begin with.
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

    /// Takes what the item is now, if it is the next one of those that are there.
    fn image_of(&mut self, versions: &[u8]) -> Option<(Key, Bytes)> {
        let is_next = self.now.front().is_some_and(|(known, ..)| known == versions);
        let next = if is_next { self.now.pop_front() } else { None };
        next.map(|(_, key, image)| (key, image))
    }

    async fn forward<F>(
        &mut self,
        versions: &[u8],
        now: Option<(Key, Bytes)>,
        shown: &mut Shown<'_, F>,
    ) -> Result<ControlFlow<()>, Error>
    where
        F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send,
    {
        let mut before = None;
        if shown.range.start.starts_with(versions) {
            let end = Some(shown.range.start.clone());
            let earlier = KeyRange { start: versions.to_vec(), end };
            before = entries::one(self.old.view, earlier, Direction::Backward).await?;
        }
        while let Some(entry) = self.old.next_of(versions).await? {
            if shown.show_entry(&entry, before.as_ref()).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            before = Some(entry);
        }
        let image = self.newest(now, before.as_ref()).await?;
        Ok(shown.show(versions, None, image.as_ref(), before.as_ref()))
    }

    async fn backward<F>(
        &mut self,
        versions: &[u8],
        now: Option<(Key, Bytes)>,
        shown: &mut Shown<'_, F>,
    ) -> Result<ControlFlow<()>, Error>
    where
        F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send,
    {
        let mut next = self.old.next_of(versions).await?;
        let image = self.newest(now, next.as_ref()).await?;
        let mut showing = shown.show(versions, None, image.as_ref(), next.as_ref());
        while let Some(entry) = next.filter(|_| showing.is_continue()) {
            next = self.old.next_of(versions).await?;
            showing = shown.show_entry(&entry, next.as_ref());
        }
        Ok(showing)
    }

    /// Returns what an item is after its last entry. What was read of it before may be what the entry says
    /// that it was, where the reads of a view are not of one state.
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

/// What shows versions.
struct Shown<'k, F> {
    key_names: &'k [Arc<str>],
    range: KeyRange,
    visitor: F,
}

impl<F: FnMut(&[u8], Bytes) -> ControlFlow<()>> Shown<'_, F> {
    /// Shows the version of an entry, which followed another, if there was one.
    fn show_entry(&mut self, entry: &Entry, before: Option<&Entry>) -> ControlFlow<()> {
        let image = entry.version.image.as_ref();
        self.show(&entry.versions, Some(entry.until), image, before)
    }

    /// Shows a version that followed an entry, if there was one, and lies in the range.
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
            // There was none before that either.
            (None, None) => return ControlFlow::Continue(()),
        };
        let Ok(mut item) = Item::from_stored(stored.clone()) else {
            // Whoever reads the version tells of its form.
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
