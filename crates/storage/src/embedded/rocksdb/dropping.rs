//! Ranges whose files may go when no view needs them.
//!
//! `RocksDB` removes the files of a range without a look at its snapshots. So a range is noted first,
//! and its files go when all snapshots are of later states: in those nothing of it is read any more.
//! What is written into a range takes it back: the files may hold deletions of what others still have. Files of the first level, which are not merged yet, stay.

use super::super::ordered_map::MapChange;
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

    /// Takes a range back in which something is put, as by a state that is restored, or deleted: a deletion must
    /// not go with a file while what it deletes stays in another. Whatever is written waits here while files are
    /// removed.
    pub(super) fn keep_written(&self, changes: &[MapChange]) {
        self.noted.lock().retain(|noted| !changes.iter().any(|(key, _)| is_in(key, &noted.range)));
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

fn is_in(key: &[u8], range: &KeyRange) -> bool {
    *key >= *range.start && range.end.as_ref().is_none_or(|end| *key < **end)
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

#[cfg(test)]
mod tests {
    use super::super::super::EmbeddedOptions;
    use super::super::super::ordered_map::MapSnapshot;
    use super::super::engine::Engine;
    use super::*;
    use bytes::Bytes;

    const MARKER: &[u8] = b"\0";

    fn range() -> KeyRange {
        KeyRange { start: b"b".to_vec(), end: Some(b"c".to_vec()) }
    }

    /// A file has two of them; those of the range fill some.
    const KEYS: [&str; 11] = ["a", "b", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "c", "d"];

    /// Returns a map with merged files of which some lie in the range.
    fn engine(folder: &std::path::Path) -> Engine {
        let options = EmbeddedOptions { table_bytes: 64 << 10, ..EmbeddedOptions::default() };
        Engine::create(folder, MARKER, 0, &options).unwrap();
        let engine = Engine::open(folder, Bytes::from_static(MARKER), &options).unwrap();
        // Nothing that could be compressed: each value fills a file.
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state.to_be_bytes()[0]
        };
        let value: Option<Bytes> = Some((0..100_000).map(|_| random()).collect());
        for (number, key) in (1..).zip(KEYS) {
            engine.write_group(number, &[(Bytes::from(key), value.clone())], 100_000).unwrap();
        }
        engine.merge_all().unwrap();
        engine
    }

    fn is_there(engine: &Engine, key: &str) -> bool {
        engine.get_newest(key.as_bytes()).unwrap().is_some()
    }

    #[test]
    fn files_go_when_no_view_needs_them() {
        let folder = tempfile::tempdir().unwrap();
        let engine = engine(folder.path());
        let nothing = KeyRange { start: b"x".to_vec(), end: None };
        assert!(!engine.drop_range(&nothing).unwrap());
        let view = engine.snapshot();
        assert!(engine.drop_range(&range()).unwrap());
        engine.drop_unseen_files().unwrap();
        assert!(view.get(b"b4").unwrap().is_some(), "a view keeps what it saw");
        drop(view);
        engine.write_group(12, &[], 0).unwrap();
        let later = engine.snapshot();
        engine.drop_unseen_files().unwrap();
        assert!(["a", "c", "d"].iter().all(|key| is_there(&engine, key)));
        assert!(["b3", "b4", "b5"].iter().all(|key| !is_there(&engine, key)));
        assert!(later.get(b"c").unwrap().is_some());
        assert!(!engine.drop_range(&range()).unwrap());
    }

    #[test]
    fn what_is_written_into_a_range_takes_it_back() {
        let folder = tempfile::tempdir().unwrap();
        let engine = engine(folder.path());
        assert!(engine.drop_range(&range()).unwrap());
        let put = (Bytes::from_static(b"ba"), Some(Bytes::from_static(b"again")));
        engine.write_group(12, &[put], 0).unwrap();
        engine.drop_unseen_files().unwrap();
        assert!(KEYS.iter().all(|key| is_there(&engine, key)));
        assert!(engine.get_newest(b"ba").unwrap().is_some());
        assert!(engine.drop_range(&range()).unwrap());
        let deleted = (Bytes::from_static(b"b"), None);
        engine.write_group(13, &[deleted], 0).unwrap();
        engine.drop_unseen_files().unwrap();
        assert!(KEYS.iter().all(|key| is_there(&engine, key) != (*key == "b")));
    }
}
