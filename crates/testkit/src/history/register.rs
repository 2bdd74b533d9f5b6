//! Linearizability of one item that is read, written, and written on a condition.
//!
//! The search of Wing and Gong with Lowe's memory of states that led nowhere: it puts operations in
//! an order one after the other; next may be any that was called before every other open one
//! returned. It remembers each state as the set of operations placed and the value that they leave.

use super::Span;
use std::collections::BTreeSet;

/// A value of the item; `None` if it is absent.
pub type Value = Option<u64>;

/// Action of a client, with the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Read this value.
    Read(Value),
    /// Wrote this value.
    Write(Value),
    /// Wrote `new` on the condition that the value is `expected`.
    Swap {
        /// The condition.
        expected: Value,
        /// The value to write.
        new: Value,
        /// True if the condition held.
        succeeded: bool,
    },
}

/// One operation of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Time from call to return.
    pub span: Span,
    /// Its action.
    pub action: Action,
}

impl Action {
    /// Returns the value afterwards if this answer is right on `before`.
    fn apply(&self, before: Value) -> Option<Value> {
        match *self {
            Self::Read(value) => (value == before).then_some(before),
            Self::Write(value) => Some(value),
            Self::Swap { expected, new, succeeded } => {
                let holds = expected == before;
                (holds == succeeded).then_some(if holds { new } else { before })
            }
        }
    }
}

/// A state of the search: all events before `first` are placed and those listed, in order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    first: usize,
    placed: Vec<usize>,
    value: Value,
}

impl State {
    fn is_placed(&self, nth: usize) -> bool {
        nth < self.first || self.placed.binary_search(&nth).is_ok()
    }

    /// Returns the state with one more event placed.
    fn with(&self, nth: usize, value: Value) -> Self {
        let mut placed = self.placed.clone();
        placed.push(nth);
        placed.sort_unstable();
        let mut first = self.first;
        let gone = placed
            .iter()
            .take_while(|placed| {
                let follows = **placed == first;
                first += usize::from(follows);
                follows
            })
            .count();
        placed.drain(..gone);
        Self { first, placed, value }
    }

    /// Returns the events that may be next.
    fn candidates(&self, events: &[Event]) -> Vec<usize> {
        let open = || (self.first..events.len()).filter(|nth| !self.is_placed(*nth));
        let mut earliest = u64::MAX;
        let mut candidates: Vec<usize> = Vec::new();
        for nth in open() {
            // Events are in the order of their calls: all others were called later still.
            if events[nth].span.called > earliest {
                break;
            }
            earliest = earliest.min(events[nth].span.returned.unwrap_or(u64::MAX));
            candidates.push(nth);
        }
        candidates
    }
}

/// Checks the history of one item that begins with `initial`. An error is the longest order found,
/// with the events that cannot follow it.
pub fn check(initial: Value, events: &[Event]) -> Result<(), String> {
    let mut events = events.to_vec();
    events.sort_by_key(|event| event.span.called);
    let mut stack = vec![State { first: 0, placed: Vec::new(), value: initial }];
    let mut known: BTreeSet<State> = BTreeSet::new();
    let mut furthest: Option<State> = None;
    while let Some(state) = stack.pop() {
        let is_open = |nth: &usize| !state.is_placed(*nth);
        let mut open = (state.first..events.len()).filter(is_open);
        if open.all(|nth| events[nth].span.returned.is_none()) {
            return Ok(());
        }
        for nth in state.candidates(&events) {
            if let Some(value) = events[nth].action.apply(state.value) {
                let next = state.with(nth, value);
                if known.insert(next.clone()) {
                    stack.push(next);
                }
            }
        }
        if furthest.as_ref().is_none_or(|known| state.first > known.first) {
            furthest = Some(state);
        }
    }
    let stuck = furthest.expect("the first state was seen");
    let candidates: Vec<_> =
        stuck.candidates(&events).into_iter().map(|nth| events[nth].clone()).collect();
    Err(format!(
        "no order exists: after {} operations the value can be {:?}, and then none of {candidates:?}",
        stuck.first + stuck.placed.len(),
        stuck.value
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(called: u64, returned: u64, action: Action) -> Event {
        Event { span: Span::new(called, returned), action }
    }

    fn swap(expected: Value, new: Value, succeeded: bool) -> Action {
        Action::Swap { expected, new, succeeded }
    }

    #[test]
    fn overlapping_operations_may_take_any_order() {
        let history = [
            event(0, 9, Action::Write(Some(1))),
            event(1, 2, Action::Read(None)),
            event(3, 4, Action::Read(Some(1))),
            event(5, 12, swap(Some(1), Some(2), true)),
            event(6, 7, Action::Read(Some(2))),
            event(10, 11, Action::Read(Some(2))),
        ];
        assert_eq!(check(None, &history), Ok(()));
    }

    #[test]
    fn a_stale_read_is_found() {
        let history = [
            event(0, 1, Action::Write(Some(1))),
            event(2, 3, Action::Write(Some(2))),
            event(4, 5, Action::Read(Some(1))),
        ];
        assert!(check(None, &history).is_err());
    }

    #[test]
    fn reads_that_go_back_in_time_are_found() {
        let history = [
            event(0, 9, Action::Write(Some(1))),
            event(1, 2, Action::Read(Some(1))),
            event(3, 4, Action::Read(None)),
        ];
        assert!(check(None, &history).is_err());
    }

    #[test]
    fn a_lost_update_is_found() {
        let history =
            [event(0, 5, swap(None, Some(1), true)), event(1, 4, swap(None, Some(2), true))];
        assert!(check(None, &history).is_err());
        let one_failed = [history[0].clone(), event(1, 4, swap(None, Some(2), false))];
        assert_eq!(check(None, &one_failed), Ok(()));
    }

    #[test]
    fn a_value_from_nowhere_is_found() {
        let history = [event(0, 1, Action::Write(Some(1))), event(2, 3, Action::Read(Some(7)))];
        assert!(check(None, &history).is_err());
    }

    #[test]
    fn what_never_returned_may_have_happened_or_not() {
        let lost =
            Event { span: Span { called: 2, returned: None }, action: Action::Write(Some(2)) };
        let read = |value| {
            let history = [
                event(0, 1, Action::Write(Some(1))),
                lost.clone(),
                event(3, 4, Action::Read(Some(1))),
                event(5, 6, Action::Read(Some(value))),
            ];
            check(None, &history)
        };
        assert_eq!((read(1), read(2)), (Ok(()), Ok(())));
        assert!(read(3).is_err());
    }
}
