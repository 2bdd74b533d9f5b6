//! Places: the first column of every row's key, by which sharded engines spread rows.
//!
//! A place depends on the first bytes of a key alone, so that keys that are read together lie
//! together. Callers with another layout of keys pass other functions.
//!
//! Invariants: a place is less than the number of places; it never depends on bytes beyond
//! [`Placement::leading_bytes`]; within the places of a range that [`Placement::of_range`] names,
//! rows in the order of those places are in the order of their keys.

use crate::KeyRange;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes that choose the beginning of a region in the circle of places.
const REGION_BYTES: usize = 7;

/// The bytes after them, by which the keys of a region are spread in their order.
const SPREAD_BYTES: usize = 2;

/// Placement of keys.
#[derive(Debug, Clone, Copy)]
pub struct Placement {
    /// Returns the place of a key, given the number of places.
    pub of_key: fn(&[u8], u16) -> u16,
    /// Returns the places of all keys of a range in the order of the keys, `None` when the order of
    /// places is not that of keys; given the number of places.
    pub of_range: fn(&KeyRange, u16) -> Option<Places>,
    /// The first bytes of a key, on which alone its place depends.
    pub leading_bytes: usize,
}

/// Places that follow each other; after the last one comes the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places {
    /// The first place.
    pub first: u16,
    /// Number of places after it.
    pub more: u16,
}

impl Default for Placement {
    /// Returns the placement by regions: keys with the same first seven bytes are spread over all
    /// places by the two bytes after them, in their order. So a table whose keys are seven bytes
    /// and a hash has its items everywhere, and all that begins with the same eleven bytes in one
    /// place.
    fn default() -> Self {
        Self {
            of_key: place_in_region,
            of_range: places_in_region,
            leading_bytes: REGION_BYTES + SPREAD_BYTES,
        }
    }
}

fn place_in_region(key: &[u8], places: u16) -> u16 {
    let region = key.get(..REGION_BYTES).unwrap_or(key);
    at(region, step(key, places), places)
}

fn places_in_region(range: &KeyRange, places: u16) -> Option<Places> {
    if places == 1 {
        return Some(Places { first: 0, more: 0 });
    }
    let region = range.start.get(..REGION_BYTES)?;
    let end = range.end.as_ref()?;
    let first = step(&range.start, places);
    let last = if end.starts_with(region) {
        step(end, places)
    } else if KeyRange::prefix(region).end.as_ref() == Some(end) {
        places - 1
    } else {
        return None;
    };
    Some(Places { first: at(region, first, places), more: last.saturating_sub(first) })
}

/// Returns the distance of a key from the beginning of its region.
fn step(key: &[u8], places: u16) -> u16 {
    let byte = |nth: usize| u32::from(key.get(REGION_BYTES + nth).copied().unwrap_or(0));
    let spread = (byte(0) << 8) | byte(1);
    u16::try_from((spread * u32::from(places)) >> 16).expect("less than the number of places")
}

fn at(region: &[u8], step: u16, places: u16) -> u16 {
    let begin = xxh3_64(region) % u64::from(places);
    u16::try_from((begin + u64::from(step)) % u64::from(places))
        .expect("less than the number of places")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_a_region_lie_in_the_places_of_its_ranges_in_their_order() {
        let placement = Placement::default();
        for places in [1, 7, 256, 32_767] {
            let range = KeyRange::prefix(b"region7");
            let found = (placement.of_range)(&range, places).expect("one region has an order");
            let walk = |key: &[u8]| {
                let place = (placement.of_key)(key, places);
                (place + places - found.first) % places
            };
            let mut before = 0;
            for byte in 0..=u8::MAX {
                let step = walk(&[&b"region7"[..], &[byte, 9, 9]].concat());
                assert!((before..=found.more).contains(&step));
                before = step;
            }
        }
    }

    #[test]
    fn a_range_over_several_regions_has_no_order_of_places() {
        let placement = Placement::default();
        assert_eq!((placement.of_range)(&KeyRange::all(), 256), None);
        assert_eq!((placement.of_range)(&KeyRange::prefix(b"short"), 256), None);
        assert!((placement.of_range)(&KeyRange::all(), 1).is_some());
        let within = KeyRange::prefix(b"region7\x01\x02\x03\x04");
        assert_eq!((placement.of_range)(&within, 256).map(|places| places.more), Some(0));
    }
}
