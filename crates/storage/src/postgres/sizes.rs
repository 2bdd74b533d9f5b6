//! Sizes of the values of a region, which is all keys with the same first bytes.
//!
//! A page is bounded in bytes. Counting them costs the database a third of the page; if all values
//! seen so far are small, a number of rows bounds the page as well. The reader of such a page still
//! stops at its bytes, in case the values have grown since. Such a page also shows only the columns
//! that most rows need; once a row of a region needs the others, the region's pages are counted.

use parking_lot::Mutex;
use std::collections::HashMap;

/// Leading bytes of a key that name its region: those of a table's index.
const REGION_BYTES: usize = 7;

/// Most regions that are remembered; with more of them, all are forgotten.
const MAX_REGIONS: usize = 1_024;

/// Most rows without a count of their bytes: at worst, 400 MiB of the largest values go through a
/// connection in vain, once.
const MAX_ROWS: usize = 1_024;

/// Pages of fewer rows than this are counted, unless no more are wanted.
const MIN_ROWS: usize = 64;

/// Bytes of most keys.
const KEY_BYTES: usize = 64;

/// Size that makes all pages of a region counted.
const COUNTED: usize = usize::MAX;

type Region = [u8; REGION_BYTES];

/// The largest values seen.
#[derive(Debug, Default)]
pub(super) struct Sizes(Mutex<HashMap<Region, usize>>);

impl Sizes {
    /// Returns the number of rows to ask for instead of counting their bytes; `None` if these have
    /// to be counted.
    pub(super) fn rows(&self, start: &[u8], wanted: usize, bytes: usize) -> Option<usize> {
        let largest = self.0.lock().get(start.first_chunk()?).copied()?;
        let rows = (bytes / largest.max(1)).min(MAX_ROWS);
        (rows >= wanted.min(MIN_ROWS)).then(|| rows.min(wanted))
    }

    /// Returns the bytes of so many rows if all are as large as the largest one seen.
    pub(super) fn expected(&self, start: &[u8], rows: usize) -> usize {
        let known = start.first_chunk().and_then(|region| self.0.lock().get(region).copied());
        known.map_or(0, |largest| rows.saturating_mul(largest.saturating_add(KEY_BYTES)))
    }

    /// Notes that a row needs the columns that only counted pages show.
    pub(super) fn count_from_now(&self, start: &[u8]) {
        self.note(start, COUNTED);
    }

    /// Notes the largest value of a page.
    pub(super) fn note(&self, start: &[u8], largest: usize) {
        let Some(region) = start.first_chunk::<REGION_BYTES>() else { return };
        let mut regions = self.0.lock();
        if let Some(known) = regions.get_mut(region) {
            *known = largest.max(*known);
            return;
        }
        if regions.len() >= MAX_REGIONS {
            regions.clear();
        }
        regions.insert(*region, largest);
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
        sizes.count_from_now(b"region7");
        sizes.note(b"region7", 1);
        assert_eq!(sizes.rows(b"region7", 1, MIB), None, "a row needs more columns");
        assert_eq!(sizes.expected(b"region7", 10), usize::MAX);
        for nth in 0..2 * MAX_REGIONS {
            sizes.note(&[&b"r"[..], &nth.to_be_bytes()[2..]].concat(), 1);
        }
        assert!(sizes.0.lock().len() <= MAX_REGIONS);
    }
}
