//! From a range of items and `ExclusiveStartKey` to the range of the versions of items that a page reads.

use super::key_range::{self, Reader};
use crate::history::versions::{SINCE, UNTIL, names_a_version};
use crate::layout;
use crate::schema::Table;
use hashrange_model::{Item, Reason, ValueRef, moment};
use hashrange_storage::{Direction, Key, KeyRange};

/// Returns the range of the versions of the items in a range, or what is left of it after the one that a
/// page ended with.
pub(crate) fn range_after(
    table: &Table,
    items: &KeyRange,
    start: Option<&Item>,
    direction: Direction,
    reader: Reader,
) -> Result<KeyRange, Reason> {
    let mut range = layout::versions_of(items);
    let Some(start) = start else { return Ok(range) };
    let item = start.retain(|name| !names_a_version(name));
    let key = key_range::start_key(table, None, &item, reader)?;
    if !key_range::contains(items, &key) {
        return Err(match reader {
            Reader::Query => Reason::StartKeyOutsideBoundaries,
            Reader::Scan => Reason::StartKeyInvalid,
        });
    }
    let versions = layout::versions_prefix(&key);
    match (direction, named(start, UNTIL)?, named(start, SINCE)?) {
        (Direction::Forward, Some(until_ms), _) => range.start = after(&versions, until_ms),
        (Direction::Forward, None, _) => range.start = after(&versions, u64::MAX),
        (Direction::Backward, _, Some(since_ms)) => range.end = Some(after(&versions, since_ms)),
        (Direction::Backward, _, None) => range.end = Some(versions),
    }
    Ok(range)
}

/// Returns the moment that an attribute of a start key has.
fn named(start: &Item, name: &str) -> Result<Option<u64>, Reason> {
    match start.get(name) {
        None => Ok(None),
        Some(ValueRef::S(text)) => moment::parse(text).map(Some).ok_or(Reason::StartKeyInvalid),
        Some(_) => Err(Reason::StartKeyInvalid),
    }
}

/// Returns the first key after the entry of a moment.
fn after(versions: &[u8], at_ms: u64) -> Key {
    [versions, &at_ms.to_be_bytes(), &[0]].concat()
}
