//! Makes room on a disk that is low: merges deleted entries away, within the free space.
//!
//! This is work of the tidy thread (`tidy.rs`), which is woken by a commit that finds the disk low
//! and at the opening of such a store. It frees files that a merge has replaced and that are not
//! released yet, sorts unsorted data, so that old logs are removed, and then merges: everything, if
//! the result fits beside it, else a few files at a time. After an attempt the thread rests, longer
//! while nothing was written since the last one.

use super::Shared;
use super::ordered_map::{MapData, OrderedMap};
use super::tidy::{self, MAX_BYTES_WHEN_IDLE};
use crate::{Error, clock};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Rest of the thread after an attempt: the least, and the most while nothing changes.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(30)];

/// Unsorted bytes that are sorted first; fewer are if nothing has changed since the last attempt.
const MIN_UNSORTED_BYTES: u64 = 1 << 20;

/// A merge of everything is worthwhile if it frees this part or the missing bytes; if nothing has
/// changed since the last attempt, also if it frees so many bytes.
const WORTH_PART: u64 = 8;
const WORTH_BYTES: u64 = 1 << 20;

/// Smallest change of the free space that counts.
const FREE_UNIT_BYTES: u64 = 1 << 20;

/// State after the last attempt.
#[derive(Debug, Default)]
pub(super) struct Relief {
    left: Option<State>,
    /// Attempts since the last change.
    attempts: u32,
    pause: Duration,
}

/// State that decides whether another attempt may do more than the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    groups: u64,
    free_units: u64,
}

impl State {
    fn of(shared: &Shared) -> Self {
        let free = shared.space.free_bytes().unwrap_or(u64::MAX);
        let groups = shared.counts.groups.load(Ordering::Relaxed);
        Self { groups, free_units: free / FREE_UNIT_BYTES }
    }
}

impl Relief {
    /// Makes as much room as possible; returns how long to rest.
    pub(super) fn make_room(&mut self, shared: &Shared) -> Duration {
        let [least, most] = PAUSES;
        if !is_low(shared) {
            *self = Self::default();
            return Duration::ZERO;
        }
        let began = clock::now();
        self.attempts = if self.left == Some(State::of(shared)) { self.attempts + 1 } else { 0 };
        // A failure leaves the files as they are; if they are damaged, readers report it.
        drop(self.give_back(shared).and_then(|()| self.merge(shared)));
        self.left = Some(State::of(shared));
        if !is_low(shared) {
            *self = Self::default();
            return Duration::ZERO;
        }
        self.pause = if self.attempts < 2 { least } else { (self.pause * 2).min(most) };
        // At least as long as the attempt took.
        self.pause.max(began.elapsed()).min(most)
    }

    /// Frees the space that needs no merge.
    fn give_back(&self, shared: &Shared) -> Result<(), Error> {
        let unsorted_bytes = shared.map.data().unsorted_bytes;
        let is_worth = unsorted_bytes >= MIN_UNSORTED_BYTES || self.attempts == 1;
        if unsorted_bytes > 0 && is_worth && shared.space.has_room_to_sort() {
            shared.map.sort_some()?;
        }
        let_go(shared)
    }

    /// Merges as far as it is worthwhile.
    fn merge(&self, shared: &Shared) -> Result<(), Error> {
        if self.attempts > 1 || !is_low(shared) {
            return Ok(());
        }
        let MapData { sorted_bytes, .. } = shared.map.data();
        if sorted_bytes <= MAX_BYTES_WHEN_IDLE {
            // The merge frees space and then needs none for itself.
            let missing_bytes = shared.space.missing_bytes() / 2;
            let worth_bytes = if self.attempts == 0 {
                (sorted_bytes / WORTH_PART).min(missing_bytes)
            } else {
                WORTH_BYTES
            };
            let kept_bytes = shared.map.kept_bytes()?;
            let gained_bytes = sorted_bytes.saturating_sub(kept_bytes);
            if gained_bytes >= worth_bytes && gained_bytes > 0 {
                // A few deletes, of large values, may still be unsorted.
                shared.map.sort_some()?;
                if shared.map.merge_all(kept_bytes)? {
                    return let_go(shared);
                }
            }
        }
        while is_low(shared) && !shared.tidy.has_ended() && shared.map.merge_a_part()? {
            let_go(shared)?;
        }
        Ok(())
    }
}

/// Returns whether the disk is low, by the present size of the data.
fn is_low(shared: &Shared) -> bool {
    shared.note_data();
    shared.space.check();
    shared.space.is_low()
}

fn let_go(shared: &Shared) -> Result<(), Error> {
    if !shared.space.has_any_room() {
        return Ok(());
    }
    tidy::let_go(shared)?;
    shared.map.remove_unused();
    Ok(())
}
