//! Ranges whose files may go when no view needs them.
//!
//! `RocksDB` removes the files of a range without a look at its snapshots. So a range is noted first,
//! and its files go when all snapshots are of later states: in those nothing of it is read any more.
//! Files of the first level, which are not merged yet, stay.

use super::failures::guarded;
use crate::{Error, KeyRange};
use parking_lot::Mutex;
use rocksdb::DB;

/// Tells the state of the oldest snapshot, 0 when there is none.
const OLDEST_SNAPSHOT: &str = "rocksdb.oldest-snapshot-sequence";

/// The noted ranges.
#[derive(Default)]
pub(super) struct Dropping {
    noted: Mutex<Vec<Noted>>,
}

struct Noted {
    range: KeyRange,
    /// The state before which something of the range may be read.
    sequence: u64,
}

/// The first and the last key of the files that lie within a range.
struct Span {
    first: Vec<u8>,
    last: Vec<u8>,
}

impl Dropping {
    /// Takes note of a range; returns whether there are files of which everything lies in it.
    pub(super) fn note(&self, database: &DB, range: &KeyRange) -> Result<bool, Error> {
        if span(database, range)?.is_none() {
            return Ok(false);
        }
        let sequence = database.latest_sequence_number();
        self.noted.lock().push(Noted { range: range.clone(), sequence });
        Ok(true)
    }

    /// Removes the files of the ranges that no view needs any more.
    pub(super) fn drop_unseen(&self, database: &DB) -> Result<(), Error> {
        let mut noted = self.noted.lock();
        if noted.is_empty() {
            return Ok(());
        }
        let oldest = guarded("read sizes", || database.property_int_value(OLDEST_SNAPSHOT))?;
        let oldest = oldest.filter(|sequence| *sequence > 0).unwrap_or(u64::MAX);
        let (unseen, seen) =
            std::mem::take(&mut *noted).into_iter().partition(|noted| noted.sequence < oldest);
        *noted = seen;
        let unseen: Vec<Noted> = unseen;
        unseen.iter().try_for_each(|noted| drop_files(database, &noted.range))
    }
}

/// Removes the files that lie within a range. What is merged meanwhile lies within their span as well.
fn drop_files(database: &DB, range: &KeyRange) -> Result<(), Error> {
    let Some(Span { first, last }) = span(database, range)? else { return Ok(()) };
    guarded("drop files", || database.delete_file_in_range(first, last))
}

/// Returns the span of the merged files that lie within a range, `None` when there are none. Its last key
/// is in the range, which its end is not: `RocksDB` counts both ends in.
fn span(database: &DB, range: &KeyRange) -> Result<Option<Span>, Error> {
    let files = guarded("list files", || database.live_files())?;
    let merged = files.into_iter().filter(|file| file.level > 0);
    let spans =
        merged.filter_map(|file| Some(Span { first: file.start_key?, last: file.end_key? }));
    let within = spans.filter(|span| {
        span.first >= range.start && range.end.as_ref().is_none_or(|end| span.last < *end)
    });
    Ok(within.reduce(|one, other| Span {
        first: one.first.min(other.first),
        last: one.last.max(other.last),
    }))
}
