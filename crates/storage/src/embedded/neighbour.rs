//! Prefetches the memory of the entry that is likely to be read next.
//!
//! Entries lie in their block one behind the other, and those of a table mostly have about the same
//! size. A table larger than the processor's cache is read at the speed of its memory unless the
//! next entry is on its way during the work on this one: the processor itself prefetches no further
//! than the end of a page of 4 KiB.

use crate::Direction;
use std::ops::Range;

/// Largest value whose neighbour is prefetched, in bytes: few larger ones lie in a block.
const VALUE_MAX_BYTES: usize = 4096;
/// Bytes between two values: a header and a key, or a part of it.
const BETWEEN_BYTES: isize = 64;
const LINE_BYTES: usize = 64;

/// Prefetches the memory next to a value in its block, about as much as the value is long. Reads
/// nothing and changes nothing but the content of the processor's cache.
#[inline]
#[cfg_attr(feature = "shuttle", allow(dead_code, reason = "only the ordered map asks"))]
pub(super) fn ask_for_next(value: &[u8], direction: Direction) {
    for offset in neighbour(value.len(), direction).step_by(LINE_BYTES) {
        ask_for_line(value.as_ptr().wrapping_offset(offset));
    }
}

/// Prefetches the first bytes of an entry that is read next.
#[inline]
pub(super) fn ask_for(entry: &[u8]) {
    for line in entry.chunks(LINE_BYTES).take(VALUE_MAX_BYTES / LINE_BYTES) {
        ask_for_line(line.as_ptr());
    }
}

/// Returns the position of the next entry, as offsets from the first byte of a value.
fn neighbour(value_bytes: usize, direction: Direction) -> Range<isize> {
    let value = match i16::try_from(value_bytes) {
        Ok(value) if value_bytes <= VALUE_MAX_BYTES => isize::from(value),
        Ok(_) | Err(_) => return 0..0,
    };
    let entry = value + BETWEEN_BYTES;
    match direction {
        Direction::Forward => value..value + entry,
        Direction::Backward => -entry..0,
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the hint to the processor has no safe form")]
fn ask_for_line(address: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a hint may name any address; one that cannot be read has no effect.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
}

#[cfg(not(target_arch = "x86_64"))]
fn ask_for_line(_: *const u8) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_entry_lies_in_the_direction_of_reading() {
        assert_eq!(neighbour(1000, Direction::Forward), 1000..2064);
        assert_eq!(neighbour(1000, Direction::Backward), -1064..0);
        assert_eq!(neighbour(0, Direction::Forward), 0..64);
        assert!(neighbour(VALUE_MAX_BYTES + 1, Direction::Forward).is_empty());
        assert!(neighbour(usize::MAX, Direction::Backward).is_empty());
    }
}
