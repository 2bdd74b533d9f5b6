//! How large the values of a region are, a region being all keys with the same first bytes, and whether rows of it
//! need all their columns.
//!
//! A page is bounded in bytes. To count them costs the database a third of the page; where all values seen
//! are small, a number of rows bounds them as well. Whoever reads such a page still stops at its bytes, should
//! the values have grown since.

use parking_lot::Mutex;
use std::collections::HashMap;

/// The bytes by which keys are told apart: those of a table's index.
const REGION_BYTES: usize = 7;

/// Regions that are remembered; with more of them, all are forgotten.
const MAX_REGIONS: usize = 1_024;

/// Rows without a count of their bytes, at most: 400 MiB of the largest values there are go through a connection
/// in vain at worst, once.
const MAX_ROWS: usize = 1_024;

/// Pages of fewer rows than this are counted, unless no more are wanted.
const MIN_ROWS: usize = 64;

/// Bytes of a key, of most.
const KEY_BYTES: usize = 64;

type Region = [u8; REGION_BYTES];

/// What was seen.
#[derive(Debug, Default)]
pub(super) struct Sizes(Mutex<HashMap<Region, Seen>>);

/// What was seen of a region.
#[derive(Debug, Default, Clone, Copy)]
struct Seen {
    /// The bytes of the largest value.
    largest: usize,
    /// A row that is not as most are.
    needs_all_columns: bool,
}

impl Sizes {
    /// Returns how many rows to ask for instead of counting their bytes; `None` if these have to be counted.
    pub(super) fn rows(&self, start: &[u8], wanted: usize, bytes: usize) -> Option<usize> {
        let largest = self.seen(start).map(|seen| seen.largest).filter(|bytes| *bytes > 0)?;
        let rows = (bytes / largest.max(1)).min(MAX_ROWS);
        (rows >= wanted.min(MIN_ROWS)).then(|| rows.min(wanted))
    }

    /// Returns how many bytes so many rows have if all are as large as the largest that was seen.
    pub(super) fn expected(&self, start: &[u8], rows: usize) -> usize {
        self.seen(start).map_or(0, |seen| rows.saturating_mul(seen.largest + KEY_BYTES))
    }

    /// Returns whether a row was seen that needs all its columns.
    pub(super) fn needs_all_columns(&self, start: &[u8]) -> bool {
        self.seen(start).is_some_and(|seen| seen.needs_all_columns)
    }

    /// Notes the largest value of a page.
    pub(super) fn note(&self, start: &[u8], largest: usize) {
        self.change(start, |seen| seen.largest = seen.largest.max(largest));
    }

    /// Notes that a row needs all its columns.
    pub(super) fn note_all_columns(&self, start: &[u8]) {
        self.change(start, |seen| seen.needs_all_columns = true);
    }

    fn seen(&self, start: &[u8]) -> Option<Seen> {
        self.0.lock().get(start.first_chunk()?).copied()
    }

    fn change(&self, start: &[u8], change: impl FnOnce(&mut Seen)) {
        let Some(region) = start.first_chunk::<REGION_BYTES>() else { return };
        let mut regions = self.0.lock();
        if !regions.contains_key(region) && regions.len() >= MAX_REGIONS {
            regions.clear();
        }
        change(regions.entry(*region).or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_bound_a_page_where_all_values_seen_are_small() {
        const MIB: usize = 1 << 20;
        let sizes = Sizes::default();
        assert_eq!(sizes.rows(b"region7 and a key", 100, MIB), None, "nothing was seen");
        sizes.note(b"region7", 1_024);
        sizes.note(b"region7", 100);
        assert_eq!(sizes.rows(b"region7 and a key", 100, MIB), Some(100));
        assert_eq!(sizes.rows(b"region7", 4_096, MIB), Some(1_024));
        assert_eq!(sizes.rows(b"region8", 100, MIB), None, "another region");
        assert_eq!(sizes.rows(b"short", 100, MIB), None);
        assert_eq!(sizes.expected(b"region7 and a key", 10), 10 * (1_024 + KEY_BYTES));
        assert_eq!(sizes.expected(b"region8", 10), 0);
        sizes.note(b"region7", 400 << 10);
        assert_eq!(sizes.rows(b"region7", 100, MIB), None, "so few rows that they are counted");
        assert_eq!(sizes.rows(b"region7", 2, MIB), Some(2));
        assert!(!sizes.needs_all_columns(b"region7 and a key"));
        sizes.note_all_columns(b"region7");
        sizes.note(b"region7", 1);
        assert!(sizes.needs_all_columns(b"region7 and a key"));
        assert!(!sizes.needs_all_columns(b"region8"));
        sizes.note_all_columns(b"region9");
        assert_eq!(sizes.rows(b"region9", 100, MIB), None, "no value was seen");
        for nth in 0..2 * MAX_REGIONS {
            sizes.note(&[&b"r"[..], &nth.to_be_bytes()[2..]].concat(), 1);
        }
        assert!(sizes.0.lock().len() <= MAX_REGIONS);
    }
}
