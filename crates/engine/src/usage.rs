//! Notes of the request that is under way: the engine's reads and writes note their usage once it is settled, and
//! each operation announces its intents before anything of it is done, when all checks that need no stored item
//! have passed.
//!
//! A caller who wants the usage of a request runs it in [`metered`]. One who may refuse it runs it [`behind`] a
//! [`Gate`], which sees the announced intents. The pipes of the engine take the [`Announced`] that an announcement
//! gives, so no operation can leave the gate out. A request that nobody meters and no gate watches pays one look at
//! a flag of its thread for each note. ADR 14 says why the notes belong to a thread.
//!
//! Invariant: the notes and the gate of a thread are those of the call that is being polled on it.

use crate::capacity::{Units, write_units};
use crate::intent::{Intent, pattern_of};
use crate::schema::{Index, Table};
use crate::stations::{Station, pass};
use hashrange_cost::{Pattern, Usage, Use, UseKind};
use hashrange_model::ApiResult;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::mem;
use std::pin::pin;
use std::sync::Arc;
use std::thread::LocalKey;

thread_local! {
    /// Watchers of the call that is being polled on this thread.
    static WATCHERS: Cell<Watchers> = const { Cell::new(Watchers { meter: false, gate: false }) };
    /// Usage of that call so far, if it is metered.
    static USAGE: RefCell<Option<Box<Usage>>> = const { RefCell::new(None) };
    /// Gate of that call.
    static GATE: RefCell<Option<Arc<dyn Gate>>> = const { RefCell::new(None) };
}

/// Watchers of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Watchers {
    meter: bool,
    gate: bool,
}

/// Gate that may refuse requests.
pub trait Gate: Send + Sync {
    /// Returns an error if a request may not do what it wants. A batch or transaction is asked for each member; an
    /// error refuses all of it. `pattern` is the whole request without its values, as in [`Usage::pattern`].
    fn admit(&self, intent: &Intent<'_>, pattern: &Pattern) -> ApiResult<()>;
}

/// The proof that a request was announced, and that no gate refused it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Announced(());

/// Runs a call and returns its usage beside its output. The call may go from thread to thread.
pub async fn metered<F: Future>(call: F) -> (F::Output, Usage) {
    let mut usage = Usage::default();
    let output = metered_for(call, |told| usage = *told).await;
    (output, usage)
}

/// Runs a call and tells its usage once: at its end, or so far as it got when the future is dropped before.
pub async fn metered_for<F: Future>(call: F, tell: impl FnOnce(Box<Usage>)) -> F::Output {
    let mut call = pin!(call);
    let mut metered = Metered { paused: Some(Box::default()), tell: Some(tell) };
    poll_fn(|context| {
        let with_meter = |before| Watchers { meter: true, ..before };
        let _installed = Installed::new(&USAGE, &mut metered.paused, with_meter);
        call.as_mut().poll(context)
    })
    .await
}

/// Usage of a call between its polls.
struct Metered<T: FnOnce(Box<Usage>)> {
    paused: Option<Box<Usage>>,
    tell: Option<T>,
}

impl<T: FnOnce(Box<Usage>)> Drop for Metered<T> {
    fn drop(&mut self) {
        if let (Some(tell), Some(usage)) = (self.tell.take(), self.paused.take()) {
            tell(usage);
        }
    }
}

/// Runs a call behind a gate. A gate within a gate stands in its place.
pub async fn behind<F: Future>(gate: Arc<dyn Gate>, call: F) -> F::Output {
    let mut call = pin!(call);
    let mut gate = Some(gate);
    poll_fn(|context| {
        let with_gate = |before| Watchers { gate: true, ..before };
        let _installed = Installed::new(&GATE, &mut gate, with_gate);
        call.as_mut().poll(context)
    })
    .await
}

/// Keeps the meter or the gate of a call in its slot on the thread while the call is polled; the one before is put
/// back, also when the call panics.
struct Installed<'p, T: 'static> {
    slot: &'static LocalKey<RefCell<Option<T>>>,
    paused: &'p mut Option<T>,
    before: Watchers,
}

impl<'p, T> Installed<'p, T> {
    fn new(
        slot: &'static LocalKey<RefCell<Option<T>>>,
        paused: &'p mut Option<T>,
        watchers: impl FnOnce(Watchers) -> Watchers,
    ) -> Self {
        slot.with_borrow_mut(|installed| mem::swap(installed, paused));
        let before = WATCHERS.get();
        WATCHERS.set(watchers(before));
        Self { slot, paused, before }
    }
}

impl<T> Drop for Installed<'_, T> {
    fn drop(&mut self) {
        WATCHERS.set(self.before);
        self.slot.with_borrow_mut(|installed| mem::swap(installed, self.paused));
    }
}

/// Announces a request of one intent: notes its pattern, and asks the gate.
pub(crate) fn announce(intent: &Intent<'_>) -> ApiResult<Announced> {
    pass(Station::Gate);
    let watchers = WATCHERS.get();
    if watchers.meter || watchers.gate {
        let pattern = intent.pattern();
        if let Some(gate) = gate(watchers) {
            gate.admit(intent, &pattern)?;
        }
        note_pattern(watchers, pattern);
    }
    Ok(Announced(()))
}

/// Announces a batch or transaction: notes its pattern, and asks the gate for each member. The intents are only made
/// where somebody watches.
pub(crate) fn announce_all<'i, I: IntoIterator<Item = Intent<'i>>>(
    intents: impl Fn() -> I,
) -> ApiResult<Announced> {
    pass(Station::Gate);
    let watchers = WATCHERS.get();
    if watchers.meter || watchers.gate {
        let pattern = pattern_of(intents());
        if let Some(gate) = gate(watchers) {
            intents().into_iter().try_for_each(|intent| gate.admit(&intent, &pattern))?;
        }
        note_pattern(watchers, pattern);
    }
    Ok(Announced(()))
}

/// Returns the gate of the call, if there is one.
fn gate(watchers: Watchers) -> Option<Arc<dyn Gate>> {
    if watchers.gate { GATE.with_borrow(Clone::clone) } else { None }
}

fn note_pattern(watchers: Watchers, pattern: Pattern) {
    if watchers.meter {
        with_usage(|usage| usage.pattern = pattern);
    }
}

/// Items that a read has examined, and how many of them matched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) examined: usize,
    pub(crate) bytes: usize,
    pub(crate) returned: usize,
}

impl Seen {
    /// Returns the counts of one item's read; `size` is `None` if it is absent.
    pub(crate) fn item(size: Option<usize>) -> Self {
        let found = usize::from(size.is_some());
        Self { examined: found, bytes: size.unwrap_or(0), returned: found }
    }
}

/// Notes a read of a table or of one of its indexes.
pub(crate) fn note_read(table: &Table, index: Option<&Index>, units: &Units, seen: Seen) {
    note(|| Use {
        index: index.map(|index| index.name.clone()),
        examined: count(seen.examined),
        examined_bytes: count(seen.bytes),
        returned: count(seen.returned),
        ..used(table, UseKind::Read, units)
    });
}

/// Notes a write that was done.
pub(crate) fn note_write(table: &Table, units: &Units) {
    note(|| Use { examined: 1, ..used(table, UseKind::Write, units) });
}

/// Notes a write whose condition met an item of `bytes` and did not hold: it is charged as if it had
/// written that. Source: DynamoDB developer guide, "Write capacity unit consumption".
pub(crate) fn note_failed_write(table: &Table, bytes: usize) {
    note_write(table, &Units::of_table(write_units(bytes)));
}

fn used(table: &Table, kind: UseKind, units: &Units) -> Use {
    let name = |nth: &usize| table.indexes.get(*nth).map(|index| index.name.clone());
    let of_indexes = units.indexes.iter().filter_map(|(nth, units)| Some((name(nth)?, *units)));
    Use {
        table: Arc::clone(&table.shared_name),
        index: None,
        kind,
        units: units.table,
        index_units: of_indexes.collect(),
        examined: 0,
        examined_bytes: 0,
        returned: 0,
    }
}

fn note(used: impl FnOnce() -> Use) {
    if WATCHERS.get().meter {
        with_usage(|usage| usage.add(used()));
    }
}

fn with_usage(then: impl FnOnce(&mut Usage)) {
    USAGE.with_borrow_mut(|usage| usage.as_deref_mut().map(then));
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange_storage::block_on;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn write(table: &str, units: f64) -> Use {
        Use {
            table: table.into(),
            index: None,
            kind: UseKind::Write,
            units,
            index_units: vec![("by-city".to_owned(), units)],
            examined: 1,
            examined_bytes: 0,
            returned: 0,
        }
    }

    #[test]
    fn the_usage_of_a_call_is_summed_and_nothing_is_noted_for_nobody() {
        note(|| panic!("nobody wants to know"));
        let call = async {
            note(|| write("a", 1.0));
            tokio::task::yield_now().await;
            note(|| write("b", 2.0));
            note(|| write("a", 3.0));
            7
        };
        let (output, usage) = block_on(metered(call));
        assert_eq!(output, 7);
        let a =
            Use { index_units: vec![("by-city".to_owned(), 4.0)], examined: 2, ..write("a", 4.0) };
        assert_eq!(usage.uses(), [a, write("b", 2.0)]);
        assert!((usage.units(UseKind::Write) - 12.0).abs() < f64::EPSILON);
        assert!(usage.units(UseKind::Read).abs() < f64::EPSILON);
    }

    #[test]
    fn a_call_within_a_call_has_its_own_notes() {
        let inner = async { note(|| write("inner", 1.0)) };
        let outer = async {
            let ((), usage) = metered(inner).await;
            note(|| write("outer", 1.0));
            usage
        };
        let (of_inner, of_outer) = block_on(metered(outer));
        assert_eq!(of_inner.uses(), [write("inner", 1.0)]);
        assert_eq!(of_outer.uses(), [write("outer", 1.0)]);
    }

    #[test]
    fn a_panic_leaves_no_notes_behind() {
        let panics = || block_on(metered(async { panic!("as told") }));
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        assert!(!WATCHERS.get().meter);
        assert_eq!(USAGE.with_borrow(Clone::clone), None);
    }

    #[test]
    fn a_call_that_is_dropped_tells_its_usage_so_far() {
        let mut told = Vec::new();
        {
            let call = async {
                note(|| write("a", 1.0));
                std::future::pending::<()>().await;
            };
            let mut metered = pin!(metered_for(call, |usage| told.push(usage)));
            let mut context = std::task::Context::from_waker(std::task::Waker::noop());
            assert!(metered.as_mut().poll(&mut context).is_pending());
            note(|| panic!("nobody wants to know between polls"));
        }
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].uses(), [write("a", 1.0)]);
    }

    #[test]
    fn a_meter_and_a_gate_watch_one_call_in_either_order() {
        struct Refuses;
        impl Gate for Refuses {
            fn admit(&self, _: &Intent<'_>, _: &Pattern) -> ApiResult<()> {
                Err(hashrange_model::Reason::AccessDenied.into())
            }
        }
        let key = hashrange_model::Item::empty();
        let intent =
            || Intent::new(crate::intent::Verb::Get, "a", crate::intent::Access::Item(&key));
        let call = async || {
            note(|| write("a", 1.0));
            announce(&intent()).is_err()
        };
        let (refused, usage) = block_on(metered(behind(Arc::new(Refuses), call())));
        assert_eq!((refused, usage.uses().len()), (true, 1));
        let (refused, usage) = block_on(behind(Arc::new(Refuses), metered(call())));
        assert_eq!((refused, usage.uses().len()), (true, 1));
        assert!(announce(&intent()).is_ok(), "the gate is gone");
    }
}
