//! Recent states of the store, for reads that are not consistent.
//!
//! A view is taken before a write, so that a read can miss the write. Views keep old data from
//! being reclaimed: few are kept, and none for long.

use super::dice::Dice;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum age of a state that a read sees, milliseconds. Source: DynamoDB developer guide, "Read
/// consistency" and "Global secondary indexes": usually a fraction of a second.
const AGE_MAX_MS: u64 = 1000;
/// The same under the hostile profile, where choices must not depend on the time that passes
/// between two requests.
const HOSTILE_AGE_MAX_MS: u64 = 10_000;
/// Minimum time between two views, milliseconds, unless every write counts.
const APART_MS: u64 = 50;
const VIEWS_MAX: usize = 16;
const HOSTILE_VIEWS_MAX: usize = 4;

/// The kept views, oldest first, with the times at which they were taken.
pub(super) struct RecentViews<V> {
    is_hostile: bool,
    views: Mutex<VecDeque<(u64, V)>>,
}

impl<V: Clone> RecentViews<V> {
    pub(super) fn new(is_hostile: bool) -> Self {
        Self { is_hostile, views: Mutex::default() }
    }

    /// Returns whether a view of the state before a write is to be kept.
    pub(super) fn is_due(&self, now_ms: u64) -> bool {
        let apart_ms = if self.is_hostile { 0 } else { APART_MS };
        let is_apart = |taken_ms: u64| now_ms.saturating_sub(taken_ms) >= apart_ms;
        self.lock().back().is_none_or(|(taken_ms, _)| is_apart(*taken_ms))
    }

    /// Keeps a view.
    pub(super) fn remember(&self, now_ms: u64, view: V) {
        let most = if self.is_hostile { HOSTILE_VIEWS_MAX } else { VIEWS_MAX };
        let mut views = self.lock();
        while views.len() >= most {
            views.pop_front();
        }
        views.push_back((now_ms, view));
    }

    /// Returns an old view; `None` if the read is to see the newest state.
    pub(super) fn choose(&self, dice: &mut Dice, is_index: bool, now_ms: u64) -> Option<V> {
        let odds = match (self.is_hostile, is_index) {
            (true, _) => 2,
            (false, true) => 4,
            (false, false) => 8,
        };
        if !dice.one_in(odds) {
            return None;
        }
        self.forget_old(now_ms);
        let views = self.lock();
        let nth = dice.below(u64::try_from(views.len()).ok().filter(|count| *count > 0)?);
        views.get(usize::try_from(nth).ok()?).map(|(_, view)| view.clone())
    }

    /// Drops views that are too old.
    pub(super) fn forget_old(&self, now_ms: u64) {
        let age_max_ms = if self.is_hostile { HOSTILE_AGE_MAX_MS } else { AGE_MAX_MS };
        self.lock().retain(|(taken_ms, _)| now_ms.saturating_sub(*taken_ms) <= age_max_ms);
    }

    /// Drops every view.
    pub(super) fn forget_all(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(u64, V)>> {
        self.views.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(views: &RecentViews<u64>, now_ms: u64) -> Vec<u64> {
        let choose = |request| views.choose(&mut Dice::new(1, request), true, now_ms);
        let mut seen: Vec<u64> = (0..1000).filter_map(choose).collect();
        seen.sort_unstable();
        seen.dedup();
        seen
    }

    #[test]
    fn reads_see_states_of_the_last_second() {
        let views = RecentViews::new(false);
        for at_ms in [0, 40, 600, 1100] {
            if views.is_due(at_ms) {
                views.remember(at_ms, at_ms);
            }
        }
        assert_eq!(seen(&views, 1000), [0, 600, 1100]);
        assert_eq!(seen(&views, 1500), [600, 1100]);
        assert!(seen(&views, 9000).is_empty());
    }

    #[test]
    fn hostile_reads_see_the_states_before_the_last_writes() {
        let views = RecentViews::new(true);
        for write in 0..9 {
            assert!(views.is_due(0));
            views.remember(0, write);
        }
        assert_eq!(seen(&views, 5000), [5, 6, 7, 8]);
    }
}
