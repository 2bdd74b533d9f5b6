//! Budget of bytes that cached ranges and cached values share.
//!
//! Either kind may fill the whole budget while the other needs none; if both want more, each is
//! entitled to a half, and the kind that exceeds its half gives way first. While one kind drops
//! entries for lack of room, the other kind ages: a search passes over its entries and drops those
//! that were not used since the last time. So a half that no reader uses any more does not stay.

use crate::sync::atomic::{AtomicUsize, Ordering};

/// Dropped bytes of one kind after which entries of the other are passed over.
const PASS_BYTES: usize = 64 << 10;

/// Sizes of the two kinds. The kinds themselves keep the counts true.
#[derive(Debug)]
#[expect(clippy::struct_field_names, reason = "units stand in names")]
pub(super) struct CacheBudget {
    capacity_bytes: AtomicUsize,
    /// Bytes of the cached ranges.
    pub(super) range_bytes: AtomicUsize,
    /// Bytes of the cached values.
    pub(super) point_bytes: AtomicUsize,
    /// Bytes of ranges, and of values, that were dropped since the last pass over the other kind.
    pub(super) dropped_range_bytes: AtomicUsize,
    pub(super) dropped_point_bytes: AtomicUsize,
}

/// Kind that has to give bytes back, and their number.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Excess {
    None,
    Ranges(usize),
    Points(usize),
}

/// Result for the next entry in a search for entries to drop, with its bytes.
#[derive(Debug)]
pub(super) enum Passed {
    Kept(usize),
    Dropped(usize),
}

impl Passed {
    pub(super) fn size_bytes(&self) -> usize {
        match self {
            Self::Kept(bytes) | Self::Dropped(bytes) => *bytes,
        }
    }

    pub(super) fn dropped_bytes(&self) -> usize {
        match self {
            Self::Kept(_) => 0,
            Self::Dropped(bytes) => *bytes,
        }
    }
}

impl CacheBudget {
    pub(super) fn new(capacity_bytes: usize) -> Self {
        Self {
            capacity_bytes: AtomicUsize::new(capacity_bytes),
            range_bytes: AtomicUsize::new(0),
            point_bytes: AtomicUsize::new(0),
            dropped_range_bytes: AtomicUsize::new(0),
            dropped_point_bytes: AtomicUsize::new(0),
        }
    }

    /// Returns the most bytes that both kinds may take.
    pub(super) fn capacity_bytes(&self) -> usize {
        self.capacity_bytes.load(Ordering::Relaxed)
    }

    /// Sets the most bytes that both kinds may take.
    pub(super) fn set_capacity(&self, capacity_bytes: usize) {
        self.capacity_bytes.store(capacity_bytes, Ordering::Relaxed);
    }

    /// Returns the bytes that both kinds take.
    pub(super) fn size_bytes(&self) -> usize {
        self.range_bytes.load(Ordering::Relaxed) + self.point_bytes.load(Ordering::Relaxed)
    }

    /// Returns whether an eighth is free, so that every read may be cached.
    pub(super) fn has_room(&self) -> bool {
        let capacity = self.capacity_bytes();
        self.size_bytes() < capacity - capacity / 8
    }

    /// Returns the bytes of values to pass over, if enough ranges were dropped.
    pub(super) fn take_points_to_pass(&self) -> Option<usize> {
        take_due(&self.dropped_range_bytes)
    }

    /// Returns the bytes of ranges to pass over, if enough values were dropped.
    pub(super) fn take_ranges_to_pass(&self) -> Option<usize> {
        take_due(&self.dropped_point_bytes)
    }

    /// Returns the kind that has to give way, and by how many bytes.
    pub(super) fn excess(&self) -> Excess {
        let excess = self.size_bytes().saturating_sub(self.capacity_bytes());
        let points = self.point_bytes.load(Ordering::Relaxed);
        match excess {
            0 => Excess::None,
            _ if points > self.capacity_bytes() / 2 => Excess::Points(excess.min(points)),
            _ => Excess::Ranges(excess),
        }
    }
}

/// Returns the bytes that an allocator takes for a block of so many bytes: sizes come in classes,
/// four to each doubling.
pub(super) fn allocated_bytes(bytes: usize) -> usize {
    const STEP_MIN_BYTES: usize = 16;
    bytes.next_multiple_of((bytes.next_power_of_two() / 8).max(STEP_MIN_BYTES))
}

fn take_due(dropped_bytes: &AtomicUsize) -> Option<usize> {
    let is_due = dropped_bytes.load(Ordering::Relaxed) >= PASS_BYTES;
    is_due.then(|| dropped_bytes.swap(0, Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_take_the_next_class_of_size() {
        for (bytes, class) in [
            (0, 0),
            (1, 16),
            (16, 16),
            (17, 32),
            (128, 128),
            (129, 160),
            (1024, 1024),
            (1025, 1280),
        ] {
            assert_eq!(allocated_bytes(bytes), class, "{bytes}");
        }
        assert_eq!(allocated_bytes(16 << 10), 16 << 10);
        assert_eq!(allocated_bytes((16 << 10) + 1), 20 << 10);
    }

    #[test]
    fn who_is_beyond_its_half_gives_way() {
        let budget = CacheBudget::new(1000);
        let of = |ranges, points| {
            budget.range_bytes.store(ranges, Ordering::Relaxed);
            budget.point_bytes.store(points, Ordering::Relaxed);
            budget.excess()
        };
        assert_eq!(of(1000, 0), Excess::None);
        assert_eq!(of(1000, 10), Excess::Ranges(10));
        assert_eq!(of(10, 1000), Excess::Points(10));
        assert_eq!(of(501, 500), Excess::Ranges(1));
        assert_eq!(of(500, 501), Excess::Points(1));
        assert_eq!(of(0, 2000), Excess::Points(1000));
    }
}
