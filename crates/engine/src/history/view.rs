//! A view of a table as it was at a moment: the present items, replaced by the states in the
//! history for those that have changed since.
//!
//! The view reads the present items first, the history afterwards. So a view whose reads are not of
//! one state (see [`View`]) is correct too: a change between the two reads is in the history by the
//! second, which is of no older state.
//!
//! Memory is bounded: items and history are read in turns of some entries, and each turn ends at
//! the key up to which both were read. A walk looks up the state of an item with many versions, and
//! does not pass all of them.

use super::entries::{Entry, decode, entry_at, no_entry, one};
use super::{Version, versions};
use crate::layout;
use crate::schema::{IndexId, Past, Table, TableId};
use bytes::Bytes;
use hashrange_storage::{Demand, Direction, Error, Key, KeyRange, View, Wanted, give_way};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Minimum and maximum of items read in one turn.
const ITEMS_PER_TURN_MIN: usize = 16;
const ITEMS_PER_TURN_MAX: usize = 128;
pub(super) const BYTES_PER_TURN: usize = 1024 * 1024;
/// Number of an item's versions that are passed one by one before a lookup.
const PASSED_MAX: usize = 8;

/// A view that shows one table as it was, if a past of it is read, and everything else as it is. Of
/// a table of versions only ranges are read.
#[derive(Debug, Clone)]
pub(crate) struct TableView<V> {
    inner: V,
    past: Option<ShownPast>,
}

/// Past that a view shows.
#[derive(Debug, Clone)]
enum ShownPast {
    /// The table at a moment.
    At(TableId, Moment),
    /// All versions of a table; the names of its key attributes.
    Versions(Arc<[Arc<str>]>),
}

/// State of each item that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// As it was, epoch milliseconds.
    Of(u64),
    /// As it is, or as it was last.
    Ever,
}

impl<V: View> TableView<V> {
    /// Returns the view for reads of a table.
    pub(crate) fn new(inner: V, table: &Table) -> Self {
        let past = match table.past {
            Some(Past::At(at_ms)) => Some(ShownPast::At(table.id(), Moment::Of(at_ms))),
            Some(Past::Ever) => Some(ShownPast::At(table.id(), Moment::Ever)),
            Some(Past::Versions) => {
                let names = table.key.all().map(|attribute| attribute.name.as_str().into());
                Some(ShownPast::Versions(names.collect()))
            }
            None => None,
        };
        Self { inner, past }
    }

    /// Returns the moment at which a key is read, if it is the key of an item in the table of the
    /// past.
    fn moment_of(&self, key: &[u8]) -> Option<Moment> {
        let Some(ShownPast::At(table, moment)) = self.past else { return None };
        let place = layout::parse_item_keyspace(key)?;
        (place == (table, IndexId::BASE)).then_some(moment)
    }

    /// Returns the past value of an item's key; `now` is its present value.
    async fn as_it_was(
        &self,
        key: &[u8],
        now: Option<Bytes>,
        moment: Moment,
    ) -> Result<Option<Bytes>, Error> {
        if moment == Moment::Ever && now.is_some() {
            return Ok(now);
        }
        match moment.entry(&self.inner, &layout::versions_prefix(key)).await? {
            Some(entry) => Ok(entry.version.image),
            None => Ok(now),
        }
    }

    async fn visit_past<F>(
        &self,
        moment: Moment,
        mut rest: KeyRange,
        direction: Direction,
        wanted: Wanted,
        mut visitor: F,
    ) -> Result<(), Error>
    where
        F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send,
    {
        while !rest.is_empty() {
            let now = items_of_now(&self.inner, &rest, direction, wanted).await?;
            let covered = now.covered(&rest, direction);
            let past = PastWalk::new(moment, direction).run(&self.inner, &covered).await?;
            let covered = past.covered(&covered, direction);
            let mut items: BTreeMap<Key, Option<Bytes>> = BTreeMap::new();
            let now = now.entries.into_iter().map(|(key, stored)| (key, Some(stored)));
            items.extend(now.filter(|(key, _)| is_within(&covered, key)));
            for (key, image) in past.entries {
                match moment {
                    Moment::Of(_) => drop(items.insert(key, image)),
                    Moment::Ever => drop(items.entry(key).or_insert(image)),
                }
            }
            let mut visit = |(key, image): (Key, Option<Bytes>)| match image {
                Some(image) => visitor(&key, image),
                None => ControlFlow::Continue(()),
            };
            let visited = match direction {
                Direction::Forward => items.into_iter().try_for_each(&mut visit),
                Direction::Backward => items.into_iter().rev().try_for_each(&mut visit),
            };
            let Some(left) = left_after(rest, covered, direction) else { return Ok(()) };
            if visited.is_break() {
                return Ok(());
            }
            rest = left;
            give_way(Demand::Long).await;
        }
        Ok(())
    }
}

impl<V: View> View for TableView<V> {
    async fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        let now = self.inner.get(key).await?;
        match self.moment_of(key) {
            Some(moment) => self.as_it_was(key, now, moment).await,
            None => Ok(now),
        }
    }

    async fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>, Error> {
        let mut values = self.inner.get_many(keys).await?;
        for (key, value) in keys.iter().zip(&mut values) {
            if let Some(moment) = self.moment_of(key) {
                *value = self.as_it_was(key, value.take(), moment).await?;
            }
        }
        Ok(values)
    }

    fn counting(&self, requests: &Arc<AtomicU64>) -> Self {
        Self { inner: self.inner.counting(requests), past: self.past.clone() }
    }

    async fn sums(&self, keys: &[Key]) -> Result<Vec<i64>, Error> {
        self.inner.sums(keys).await
    }

    async fn visit<F>(
        &self,
        range: KeyRange,
        direction: Direction,
        wanted: Wanted,
        visitor: F,
    ) -> Result<(), Error>
    where
        F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send,
    {
        if let Some(ShownPast::Versions(key_names)) = &self.past {
            return versions::visit(&self.inner, key_names, range, direction, wanted, visitor)
                .await;
        }
        match self.moment_of(&range.start) {
            None => self.inner.visit(range, direction, wanted, visitor).await,
            Some(moment) => self.visit_past(moment, range, direction, wanted, visitor).await,
        }
    }
}

/// Entries that one turn has read of a range.
pub(super) struct EntriesPage<T> {
    /// Entries in the direction of the walk.
    pub(super) entries: Vec<(Key, T)>,
    /// True if the range was read to its end; else more may follow the last entry.
    is_all: bool,
}

impl<T> EntriesPage<T> {
    /// Returns the part of the range that was read.
    pub(super) fn covered(&self, range: &KeyRange, direction: Direction) -> KeyRange {
        let Some((last, _)) = self.entries.last().filter(|_| !self.is_all) else {
            return range.clone();
        };
        match direction {
            Direction::Forward => {
                KeyRange { start: range.start.clone(), end: Some([&last[..], &[0]].concat()) }
            }
            Direction::Backward => KeyRange { start: last.clone(), end: range.end.clone() },
        }
    }
}

pub(super) fn is_within(range: &KeyRange, key: &[u8]) -> bool {
    &range.start[..] <= key && range.end.as_deref().is_none_or(|end| key < end)
}

/// Returns the rest of a range of which a part was read.
pub(super) fn left_after(
    range: KeyRange,
    covered: KeyRange,
    direction: Direction,
) -> Option<KeyRange> {
    match direction {
        Direction::Forward => Some(KeyRange { start: covered.end?, end: range.end }),
        Direction::Backward => Some(KeyRange { start: range.start, end: Some(covered.start) }),
    }
}

/// Reads some of the present items.
pub(super) async fn items_of_now<V: View>(
    view: &V,
    range: &KeyRange,
    direction: Direction,
    wanted: Wanted,
) -> Result<EntriesPage<Bytes>, Error> {
    let limit = wanted.entries.clamp(ITEMS_PER_TURN_MIN, ITEMS_PER_TURN_MAX);
    let wanted = Wanted { entries: limit, bytes: wanted.bytes.min(BYTES_PER_TURN) };
    let mut page = EntriesPage { entries: Vec::new(), is_all: true };
    let mut bytes = 0;
    view.visit(range.clone(), direction, wanted, |key, stored| {
        bytes += stored.len();
        page.entries.push((key.to_vec(), stored));
        if page.entries.len() < limit && bytes < BYTES_PER_TURN {
            return ControlFlow::Continue(());
        }
        page.is_all = false;
        ControlFlow::Break(())
    })
    .await?;
    Ok(page)
}

/// Reason why a visit of entries ended before its range did.
enum Stop {
    /// The turn is full.
    Full,
    /// The state of the current item has to be looked up; the walk continues after the item.
    LookUp,
    Unreadable(Error),
}

impl Moment {
    /// Returns the entry with the state of an item; none if that is its present state. `versions` is the common key
    /// prefix of its entries.
    async fn entry<V: View>(self, view: &V, versions: &[u8]) -> Result<Option<Entry>, Error> {
        match self {
            Self::Of(at_ms) => entry_at(view, versions, at_ms).await,
            Self::Ever => one(view, KeyRange::prefix(versions), Direction::Backward).await,
        }
    }
}

/// A walk over entries that finds for each item the entry with its state at a moment: the entry
/// after that of its last change up to the moment, or the last entry.
struct PastWalk {
    moment: Moment,
    direction: Direction,
    /// Versions found, by the key prefix of the item's entries.
    found: Vec<(Key, Version)>,
    bytes: usize,
    /// Key prefix of the current item's entries.
    item: Key,
    /// Version of the current item, as far as the walk has come.
    candidate: Option<Version>,
    /// True if a backward walk has passed the entry of the last change up to the moment.
    is_decided: bool,
    passed: usize,
}

impl PastWalk {
    fn new(moment: Moment, direction: Direction) -> Self {
        Self {
            moment,
            direction,
            found: Vec::new(),
            bytes: 0,
            item: Key::new(),
            candidate: None,
            is_decided: false,
            passed: 0,
        }
    }

    /// Reads some of the items in a range of item keys that have changed since the moment.
    async fn run<V: View>(
        mut self,
        view: &V,
        items: &KeyRange,
    ) -> Result<EntriesPage<Option<Bytes>>, Error> {
        let mut range = layout::versions_of(items);
        let mut is_all = false;
        while !is_all {
            let mut stop = None;
            view.visit(range.clone(), self.direction, Wanted::entries(64), |key, stored| {
                stop = self.step(key, &stored);
                if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .await?;
            match stop {
                None => {
                    self.decide();
                    is_all = true;
                }
                Some(Stop::Full) => break,
                Some(Stop::LookUp) => {
                    let entry = self.moment.entry(view, &self.item).await?;
                    let passed = KeyRange::prefix(&self.item);
                    match self.direction {
                        Direction::Forward => range.start = passed.end.unwrap_or_default(),
                        Direction::Backward => range.end = Some(passed.start),
                    }
                    self.candidate = entry.map(|entry| entry.version);
                    self.decide();
                    if self.is_full() {
                        break;
                    }
                }
                Some(Stop::Unreadable(error)) => return Err(error),
            }
        }
        self.into_page(is_all)
    }

    fn is_full(&self) -> bool {
        self.found.len() >= ITEMS_PER_TURN_MAX || self.bytes >= BYTES_PER_TURN
    }

    /// Processes an entry.
    fn step(&mut self, key: &[u8], stored: &Bytes) -> Option<Stop> {
        let Some((item, until)) = layout::split_stamp(key) else {
            return Some(Stop::Unreadable(no_entry(key)));
        };
        if item != self.item {
            self.decide();
            if self.is_full() {
                return Some(Stop::Full);
            }
            self.item = item.to_vec();
            (self.is_decided, self.passed) = (false, 0);
        }
        self.passed += 1;
        if self.passed > PASSED_MAX {
            return Some(Stop::LookUp);
        }
        let is_later = match self.moment {
            Moment::Of(at_ms) => until.at_ms > at_ms,
            Moment::Ever => true,
        };
        let keeps_first = match self.moment {
            Moment::Of(_) => self.direction == Direction::Forward,
            Moment::Ever => self.direction == Direction::Backward,
        };
        match self.direction {
            Direction::Forward if !is_later => self.candidate = None,
            _ if keeps_first && self.candidate.is_some() => {}
            Direction::Backward if self.is_decided => {}
            Direction::Backward if !is_later => self.is_decided = true,
            _ => match decode(key, stored) {
                Ok(version) => self.candidate = Some(version),
                Err(error) => return Some(Stop::Unreadable(error)),
            },
        }
        None
    }

    /// Adds the version found for the current item, if the item has changed since the moment.
    fn decide(&mut self) {
        if let Some(version) = self.candidate.take() {
            self.bytes += version.image.as_ref().map_or(0, Bytes::len);
            self.found.push((self.item.clone(), version));
        }
    }

    fn into_page(self, is_all: bool) -> Result<EntriesPage<Option<Bytes>>, Error> {
        let of_item = |(versions, version): (Key, Version)| {
            let key = layout::item_of_versions(&versions).ok_or_else(|| no_entry(&versions))?;
            Ok((key, version.image))
        };
        let entries = self.found.into_iter().map(of_item).collect::<Result<_, Error>>()?;
        Ok(EntriesPage { entries, is_all })
    }
}
