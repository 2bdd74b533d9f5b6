//! Items of a table that EXPLAIN looks at: all of them within a budget, else those of windows of the hash space.
//!
//! A window holds whole partitions, and each partition is as likely in one as another, so what the windows hold is a
//! uniform sample of partitions, not of items. `estimate.rs` reckons with that.

use crate::fault;
use crate::layout;
use crate::read::from_key;
use crate::read::pace::{Pace, item_work};
use crate::schema::{IndexId, Table};
use hashrange_model::{ApiResult, Item};
use hashrange_storage::{Direction, KeyRange, View, Wanted};
use std::ops::ControlFlow;

/// Windows of a table that does not fit the budget.
const WINDOWS: u32 = 1_000;
/// Most items that a window is made to hold, and the part of the budget that all windows are made to take at most.
const WINDOW_ITEMS: u64 = 250;
const BUDGET_PART: u64 = 2;
/// Parts into which the hash space is divided at most: half of its 2^32 places.
const PARTS_MAX: u64 = 1 << 31;

/// Most items and bytes that are still read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    pub(crate) items: u64,
    pub(crate) bytes: u64,
}

impl Budget {
    /// Most that EXPLAIN looks at for an index that is not there, unless the request says another number of items.
    pub(crate) const OF_WHAT_IF: Self = Self::of_items(1_000_000);
    /// Most that it looks at for the attributes of a table.
    pub(super) const OF_ATTRIBUTES: Self = Self::of_items(20_000);

    /// Returns a budget of so many items, of 1 KiB in the mean; at least 16 MiB.
    pub(crate) const fn of_items(items: u64) -> Self {
        let bytes = items.saturating_mul(1024);
        Self { items, bytes: if bytes < 1 << 24 { 1 << 24 } else { bytes } }
    }

    /// Takes an item off; returns false if it has no room.
    fn admits(&mut self, bytes: usize) -> bool {
        let left = (self.items.checked_sub(1), self.bytes.checked_sub(bytes as u64));
        let (Some(items), Some(bytes)) = left else { return false };
        *self = Self { items, bytes };
        true
    }

    /// Returns whether so much is within it.
    pub(crate) fn holds(self, items: u64, bytes: u64) -> bool {
        items <= self.items && bytes <= self.bytes
    }
}

/// What was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looked {
    /// All items.
    All,
    /// So many equal parts of the hash space, of `of`.
    Windows { windows: u32, of: u32 },
    /// The budget ended first.
    Part,
}

/// Looks at the items of a table that holds `held` items and bytes. `look` is called with each item and the number of
/// its window; without windows that is 0.
pub(super) async fn at_table<V: View>(
    view: &V,
    table: &Table,
    held: (i64, i64),
    budget: Budget,
    mut look: impl FnMut(u32, &Item) + Send,
) -> ApiResult<Looked> {
    let (items, bytes) = (held.0.unsigned_abs(), held.1.unsigned_abs());
    let mut left = budget;
    if budget.holds(items, bytes) {
        let whole = layout::keyspace(table.id(), IndexId::BASE);
        let is_all = at_range(view, table, whole, &mut left, |item| look(0, item)).await?;
        return Ok(if is_all { Looked::All } else { Looked::Part });
    }
    let parts = parts(items, bytes, budget);
    for window in 0..WINDOWS {
        let part = layout::segment(table.id(), IndexId::BASE, part(window, parts), parts);
        if !at_range(view, table, part, &mut left, |item| look(window, item)).await? {
            return Ok(Looked::Part);
        }
    }
    Ok(Looked::Windows { windows: WINDOWS, of: parts })
}

/// Returns into how many parts the hash space is divided, so that the windows take a part of the budget.
fn parts(items: u64, bytes: u64, budget: Budget) -> u32 {
    let wanted = (budget.items / BUDGET_PART / u64::from(WINDOWS)).clamp(1, WINDOW_ITEMS);
    let by_items = items / wanted;
    let windows = u64::from(WINDOWS);
    let by_bytes = bytes / (budget.bytes / BUDGET_PART).max(1) * windows;
    let parts = by_items.max(by_bytes).clamp(windows, PARTS_MAX);
    u32::try_from(parts).expect("at most 2^31")
}

/// Returns the part that is a window: one of each of as many equal stretches, at a place that only its number decides.
fn part(window: u32, parts: u32) -> u32 {
    let first = |window: u32| u64::from(parts) * u64::from(window) / u64::from(WINDOWS);
    let (from, until) = (first(window), first(window + 1));
    let place = from + mixed(u64::from(window)) % (until - from).max(1);
    u32::try_from(place).expect("less than the parts")
}

/// Returns a number that looks random: the finaliser of SplitMix64.
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Looks at the items of a range; returns false if the budget ended first.
pub(super) async fn at_range<V: View>(
    view: &V,
    table: &Table,
    range: KeyRange,
    budget: &mut Budget,
    mut look: impl FnMut(&Item) + Send,
) -> ApiResult<bool> {
    let mut pace = Pace::new();
    let mut rest = range.clone();
    let mut is_over = false;
    let mut form = None;
    loop {
        let mut paused_before = None;
        let wanted = Wanted {
            entries: usize::try_from(budget.items).unwrap_or(usize::MAX),
            bytes: usize::try_from(budget.bytes).unwrap_or(usize::MAX),
        };
        let visited = view.visit(rest, Direction::Forward, wanted, |key, stored| {
            if !pace.admits(item_work(stored.len(), None)) {
                paused_before = Some(key.to_vec());
                return ControlFlow::Break(());
            }
            match Item::from_stored(stored) {
                Ok(item) if budget.admits(item.size()) => look(&item),
                Ok(_) => is_over = true,
                Err(fault) => form = Some(fault),
            }
            if is_over || form.is_some() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        visited.await.map_err(|error| fault::of_tables([table], error))?;
        if let Some(form) = form {
            return Err(fault::of_form(form));
        }
        let Some(key) = paused_before else { return Ok(!is_over) };
        pace.pause().await;
        rest = from_key(&range, key, Direction::Forward);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_different_parts_in_their_order() {
        for parts in [1_000, 1_001, 1_999, 54_321, 1 << 31] {
            let places: Vec<u32> = (0..WINDOWS).map(|window| part(window, parts)).collect();
            assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{parts}");
            assert!(places.iter().all(|place| *place < parts), "{parts}");
        }
    }

    #[test]
    fn windows_are_made_to_take_a_part_of_the_budget() {
        for (items, bytes, budget, expected) in [
            (2_000_000, 200_000_000, Budget::OF_WHAT_IF, 8_000),
            (2_000_000, 1 << 40, Budget::OF_WHAT_IF, 2_147_000),
            (30_000, 3_000_000, Budget::of_items(20_000), 3_000),
            (30_000, 3_000_000, Budget::of_items(100), 30_000),
            (u64::MAX, u64::MAX, Budget::OF_WHAT_IF, 1 << 31),
            (1, 1 << 40, Budget::of_items(1), 131_072_000),
        ] {
            let parts = parts(items, bytes, budget);
            assert!(parts.abs_diff(expected) <= expected / 100, "{items} {bytes}: {parts}");
        }
    }
}
