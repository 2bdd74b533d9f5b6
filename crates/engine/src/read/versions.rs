//! From ranges of items, and the key that ended a page, to the ranges of versions of the next page, and back to the
//! items.

use super::key_range::{self, Reader};
use crate::history::place::{changes, names_a_version};
use crate::layout;
use crate::schema::{Index, Past, Table};
use hashrange_model::{Item, Reason};
use hashrange_storage::{Direction, KeyRange};
use std::borrow::Cow;
use std::slice;

/// Returns the range of the versions of the items in a range, or its rest after the version that ended a page.
pub(crate) fn range_after(
    table: &Table,
    index: Option<&Index>,
    items: &KeyRange,
    start: Option<&Item>,
    direction: Direction,
    reader: Reader,
) -> Result<KeyRange, Reason> {
    let ranges = ranges_after(table, index, slice::from_ref(items), start, direction, reader)?;
    let [range] = <[KeyRange; 1]>::try_from(ranges).expect("what is left of a range is one range");
    Ok(range)
}

/// Returns the range and direction in which the version that a key means comes first: the newest of its item, or the
/// one that the key's attributes of a version name.
pub(crate) fn of_key(item_key: &[u8], asked: &Item) -> Result<(KeyRange, Direction), Reason> {
    let mut range = layout::versions_of(&layout::single(item_key));
    let versions = layout::versions_prefix(item_key);
    match changes(asked).ok_or(Reason::KeyElementMismatch)? {
        (None, None) => return Ok((range, Direction::Backward)),
        (Some(since), _) => {
            range.start = [&layout::version_after(&versions, Some(since))[..], &[0]].concat();
        }
        (None, until) => range.start = layout::version_after(&versions, until),
    }
    Ok((range, Direction::Forward))
}

/// Returns the ranges of the versions of the items in ranges, which are read one after the other, or their rest after
/// the version that ended a page.
pub(crate) fn ranges_after(
    table: &Table,
    index: Option<&Index>,
    items: &[KeyRange],
    start: Option<&Item>,
    direction: Direction,
    reader: Reader,
) -> Result<Vec<KeyRange>, Reason> {
    let Some(start) = start else { return Ok(items.iter().map(layout::versions_of).collect()) };
    let item = start.retain(|name| !names_a_version(name));
    let key = key_range::start_key(table, index, &item, reader)?;
    let nth = items.iter().position(|range| key_range::contains(range, &key));
    let nth = nth.ok_or(match reader {
        Reader::Query => Reason::StartKeyOutsideBoundaries,
        Reader::Scan => Reason::StartKeyInvalid,
    })?;
    let mut left: Vec<_> = items.iter().skip(nth).map(layout::versions_of).collect();
    if let Some(first) = left.first_mut() {
        narrow(first, &key, start, direction)?;
    }
    Ok(left)
}

/// Returns the ranges of the items of a table's ranges: the same ones, unless these are of versions.
pub(crate) fn items_of_ranges<'r>(table: &Table, ranges: &'r [KeyRange]) -> Cow<'r, [KeyRange]> {
    match table.past {
        Some(Past::Versions) => ranges.iter().map(layout::items_of).collect(),
        Some(Past::At(_) | Past::Ever) | None => Cow::Borrowed(ranges),
    }
}

/// Returns the stored range for a range of items: the same one, unless the table is read by versions.
pub(crate) fn stored(table: &Table, items: KeyRange) -> KeyRange {
    match table.past {
        Some(Past::Versions) => layout::versions_of(&items),
        Some(Past::At(_) | Past::Ever) | None => items,
    }
}

/// Returns the rest of ranges of versions after the version that ended a page.
pub(crate) fn left_after(
    table: &Table,
    index: Option<&Index>,
    ranges: Vec<KeyRange>,
    last: &Item,
    direction: Direction,
) -> Result<Vec<KeyRange>, Reason> {
    let item = last.retain(|name| !names_a_version(name));
    let key = key_range::start_key(table, index, &item, Reader::Query)?;
    let (_, until) = changes(last).ok_or(Reason::StartKeyInvalid)?;
    let version = layout::version_after(&layout::versions_prefix(&key), until);
    let nth = ranges.iter().position(|range| key_range::contains(range, &version));
    let nth = nth.ok_or(Reason::StartKeyOutsideBoundaries)?;
    let mut left: Vec<_> = ranges.into_iter().skip(nth).collect();
    if let Some(first) = left.first_mut() {
        narrow(first, &key, last, direction)?;
    }
    Ok(left)
}

/// Narrows a range of versions to those after a version of the item with this key.
fn narrow(
    range: &mut KeyRange,
    item_key: &[u8],
    version: &Item,
    direction: Direction,
) -> Result<(), Reason> {
    let versions = layout::versions_prefix(item_key);
    let (since, until) = changes(version).ok_or(Reason::StartKeyInvalid)?;
    let after = |change| [&layout::version_after(&versions, change)[..], &[0]].concat();
    match (direction, since) {
        (Direction::Forward, _) => range.start = after(until),
        (Direction::Backward, Some(_)) => range.end = Some(after(since)),
        (Direction::Backward, None) => range.end = Some(versions),
    }
    Ok(())
}
