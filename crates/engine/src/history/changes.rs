//! Changes between two moments: of a whole table, found by the moments of changes, so that the cost
//! grows with the number of changes; or of an item collection or a part of it, found by comparing
//! the items of both moments.
//!
//! A page is bounded by its changes, by their bytes, and by the moments or items examined.

use super::entries::last_up_to;
use super::view::{EntriesPage, TableView, is_within, items_of_now, left_after};
use crate::layout;
use crate::schema::Table;
use bytes::Bytes;
use hashrange_model::Item;
use hashrange_model::limits::PAGE_SIZE_MAX_BYTES;
use hashrange_storage::{Demand, Direction, Error, Key, KeyRange, View, Wanted, give_way};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Maximum of moments, or items, that a page examines.
const EXAMINED_MAX: usize = 10_000;
const MOMENTS_PER_TURN: usize = 200;

/// States of an item at two moments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemChange {
    /// Key of the item.
    pub key: Item,
    /// Item at the first moment; `None` if it did not exist.
    pub before: Option<Item>,
    /// Item at the second moment; `None` if it did not exist.
    pub after: Option<Item>,
}

/// Place in which changes are searched.
#[derive(Debug, Clone)]
pub(crate) enum ChangesRange {
    /// All changes up to a moment whose keys are in this range, which is of space `23`.
    Moments { range: KeyRange, to_ms: u64 },
    /// The items of this range.
    Items(KeyRange),
}

impl ChangesRange {
    /// Returns the range to walk.
    pub(crate) fn range_mut(&mut self) -> &mut KeyRange {
        match self {
            Self::Moments { range, .. } | Self::Items(range) => range,
        }
    }
}

/// The two states of a table that are compared.
#[derive(Debug)]
pub(crate) struct States<'t, V> {
    pub(crate) table: &'t Table,
    /// View from which the history is read.
    pub(crate) history: V,
    pub(crate) before: TableView<V>,
    pub(crate) after: TableView<V>,
}

/// A page of changes.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) found: Vec<ItemChange>,
    /// Key after which the next page begins; `None` on the last page.
    pub(crate) last: Option<Key>,
    bytes: usize,
    examined: usize,
    limit: usize,
}

impl Changes {
    fn is_full(&self) -> bool {
        self.found.len() >= self.limit
            || self.bytes >= PAGE_SIZE_MAX_BYTES
            || self.examined >= EXAMINED_MAX
    }

    /// Adds an item if its two states differ.
    fn add(&mut self, table: &Table, images: (Option<Bytes>, Option<Bytes>)) -> Result<(), Error> {
        let (before, after) = images;
        if before == after {
            return Ok(());
        }
        let item = |image: Option<Bytes>| {
            let form = |_| Error::corrupt("an item has another form", table.record.name.clone());
            image.map(Item::from_stored).transpose().map_err(form)
        };
        let (before, after) = (item(before)?, item(after)?);
        let Some(one) = before.as_ref().or(after.as_ref()) else { return Ok(()) };
        let key = one.retain(|name| table.key.contains(name));
        let size = |item: &Option<Item>| item.as_ref().map_or(0, |item| item.as_bytes().len());
        self.bytes += size(&before) + size(&after);
        self.found.push(ItemChange { key, before, after });
        Ok(())
    }
}

/// Reads a page of changes.
pub(crate) async fn read<V: View>(
    states: &States<'_, V>,
    place: ChangesRange,
    limit: usize,
) -> Result<Changes, Error> {
    let mut page = Changes { limit, ..Changes::default() };
    match place {
        ChangesRange::Moments { range, to_ms } => {
            by_moments(states, range, to_ms, &mut page).await?;
        }
        ChangesRange::Items(range) => by_items(states, range, &mut page).await?,
    }
    Ok(page)
}

async fn by_moments<V: View>(
    states: &States<'_, V>,
    mut rest: KeyRange,
    to_ms: u64,
    page: &mut Changes,
) -> Result<(), Error> {
    loop {
        let moments = some_keys(&states.history, &rest).await?;
        let is_last = moments.len() < MOMENTS_PER_TURN;
        for key in moments {
            page.examined += 1;
            let Some((item, at_ms)) = layout::parse_moment(&key) else {
                let place = key.escape_ascii().to_string();
                return Err(Error::corrupt("a key is of no change of a history", place));
            };
            let versions = layout::versions_prefix(&item);
            let (last, _) = last_up_to(&states.history, &versions, to_ms).await?;
            // An item that has changed several times is reported at its last change.
            if last.is_some_and(|entry| entry.until.at_ms == at_ms) {
                let before = states.before.get(&item).await?;
                let after = states.after.get(&item).await?;
                page.add(states.table, (before, after))?;
            }
            if page.is_full() {
                page.last = Some(key);
                return Ok(());
            }
            rest.start = [&key[..], &[0]].concat();
        }
        if is_last {
            return Ok(());
        }
        give_way(Demand::Long).await;
    }
}

async fn some_keys<V: View>(view: &V, range: &KeyRange) -> Result<Vec<Key>, Error> {
    let mut keys = Vec::new();
    let wanted = Wanted::entries(MOMENTS_PER_TURN);
    view.visit(range.clone(), Direction::Forward, wanted, |key, _| {
        keys.push(key.to_vec());
        if keys.len() < MOMENTS_PER_TURN {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })
    .await?;
    Ok(keys)
}

async fn by_items<V: View>(
    states: &States<'_, V>,
    mut rest: KeyRange,
    page: &mut Changes,
) -> Result<(), Error> {
    let (direction, wanted) = (Direction::Forward, Wanted::entries(usize::MAX));
    while !rest.is_empty() {
        let before = items_of_now(&states.before, &rest, direction, wanted).await?;
        let after = items_of_now(&states.after, &rest, direction, wanted).await?;
        // The range that both reads cover.
        let ends = [&before, &after].map(|part| part.covered(&rest, direction).end);
        let end = ends.into_iter().flatten().min();
        let covered = KeyRange { start: rest.start.clone(), end };
        for (key, images) in paired(before, after, &covered) {
            page.examined += 1;
            page.add(states.table, images)?;
            if page.is_full() {
                page.last = Some(key);
                return Ok(());
            }
        }
        let Some(left) = left_after(rest, covered, direction) else { return Ok(()) };
        rest = left;
        give_way(Demand::Long).await;
    }
    Ok(())
}

/// Returns both states of each item in a range.
fn paired(
    before: EntriesPage<Bytes>,
    after: EntriesPage<Bytes>,
    range: &KeyRange,
) -> BTreeMap<Key, (Option<Bytes>, Option<Bytes>)> {
    let mut items: BTreeMap<Key, (Option<Bytes>, Option<Bytes>)> = BTreeMap::new();
    for (key, image) in before.entries {
        items.entry(key).or_default().0 = Some(image);
    }
    for (key, image) in after.entries {
        items.entry(key).or_default().1 = Some(image);
    }
    items.retain(|key, _| is_within(range, key));
    items
}
