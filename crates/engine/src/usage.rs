//! Usage of a request: units by table and index, items examined and returned, and its pattern, which is the
//! request without its values.
//!
//! A caller who wants to know runs the request in [`metered`]. The engine's reads and writes tell here what they
//! used once it is settled; where nobody wants to know that is one look at a flag of the thread. What is
//! done with the figures is left to others: answers report capacity by themselves (`capacity.rs`).
//!
//! The caller may bring a [`Gate`], too. Each operation announces its intents here before anything of it is
//! done, when all checks that need no stored item have passed; the gate may refuse them. The pipes of the engine
//! take the [`Announced`] that it gets, so no operation can leave the gate out.
//!
//! Invariant: a thread's notes are those of the call that is being polled on it, and of no other. Where nobody
//! wants to know there are none.

use crate::capacity::{Units, write_units};
use crate::intent::{Intent, pattern_of};
use crate::schema::{Index, Table};
use crate::stations::{Station, pass};
use hashrange_cost::Pattern;
use hashrange_model::ApiResult;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::mem;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

thread_local! {
    /// Whether somebody wants to know of the call that is being polled on this thread.
    static IS_NOTED: Cell<bool> = const { Cell::new(false) };
    /// What is noted of it. It stays where it is, so that most reads move it nowhere.
    static NOTES: RefCell<Notes> = RefCell::default();
}

/// What is noted of a call, and who may refuse it.
#[derive(Default)]
struct Notes {
    usage: Usage,
    gate: Option<Arc<dyn Gate>>,
}

/// Who may refuse a request.
pub trait Gate: Send + Sync {
    /// Says whether a request may do what it wants. A batch or transaction is asked for each member; an error
    /// refuses all of it. `pattern` is the whole request without its values, as in [`Usage::pattern`].
    fn admit(&self, intent: &Intent<'_>, pattern: &Pattern) -> ApiResult<()>;
}

/// The proof that a request was announced, and that no gate refused it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Announced(());

/// What a request used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    /// One for most requests, which is kept without memory of its own.
    uses: SmallVec<[Use; 1]>,
    /// The request without its values; empty if it says no more than its operation.
    pub pattern: Pattern,
}

/// What of a table or index a request used.
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    /// The table.
    pub table: Arc<str>,
    /// The index that was read; none if the table was, or if this is a write.
    pub index: Option<String>,
    /// Whether it was read or written.
    pub kind: UseKind,
    /// Capacity units used on the table itself.
    pub units: f64,
    /// Capacity units used on indexes: the one that was read, or those in which entries were written.
    pub index_units: Vec<(String, f64)>,
    /// Items that were examined, or written.
    pub examined: u64,
    /// Size of the items that were examined.
    pub examined_bytes: u64,
    /// Items of them that matched.
    pub returned: u64,
}

/// How a table is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UseKind {
    /// Read.
    Read,
    /// Written, or a write whose condition did not hold.
    Write,
}

impl Usage {
    /// Returns what used this much.
    pub fn new(uses: impl IntoIterator<Item = Use>, pattern: Pattern) -> Self {
        Self { uses: uses.into_iter().collect(), pattern }
    }

    /// Returns what was used by table, by the index that was read, and by whether it was read or written.
    pub fn uses(&self) -> &[Use] {
        &self.uses
    }

    /// Returns the units of reads, or of writes, on tables and indexes together.
    pub fn units(&self, kind: UseKind) -> f64 {
        self.uses.iter().filter(|one| one.kind == kind).fold(0.0, |sum, one| sum + one.total())
    }

    /// Adds what was used: to what was used of the same table or index before, if there is such.
    fn add(&mut self, added: Use) {
        let is_same = |known: &&mut Use| {
            known.kind == added.kind && known.table == added.table && known.index == added.index
        };
        let Some(known) = self.uses.iter_mut().find(is_same) else {
            self.uses.push(added);
            return;
        };
        known.units += added.units;
        known.examined += added.examined;
        known.examined_bytes += added.examined_bytes;
        known.returned += added.returned;
        for (name, units) in added.index_units {
            match known.index_units.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += units,
                None => known.index_units.push((name, units)),
            }
        }
    }
}

impl Use {
    /// Returns the units on the table and on indexes together.
    pub fn total(&self) -> f64 {
        self.index_units.iter().fold(self.units, |sum, (_, units)| sum + units)
    }
}

/// Runs a call and returns what it used beside its output. The call may go from thread to thread.
pub async fn metered<F: Future>(call: F) -> (F::Output, Usage) {
    noted(None, call, |_, usage| mem::take(usage)).await
}

/// Runs a call as [`metered`] does, behind a gate.
pub async fn metered_behind<F: Future>(gate: Arc<dyn Gate>, call: F) -> (F::Output, Usage) {
    noted(Some(gate), call, |_, usage| mem::take(usage)).await
}

/// Runs a call and lets `told` look at its output and at what it used, which is then forgotten.
pub async fn metered_for<F: Future>(call: F, told: impl FnOnce(&F::Output, &Usage)) -> F::Output {
    noted(None, call, |output, usage| told(output, usage)).await.0
}

/// Runs a call and returns what `told` makes of its output and of what it used. Nothing is noted by `told`.
async fn noted<F: Future, T>(
    mut gate: Option<Arc<dyn Gate>>,
    call: F,
    told: impl FnOnce(&F::Output, &mut Usage) -> T,
) -> (F::Output, T) {
    let mut call = pin!(call);
    let mut told = Some(told);
    let mut paused = None;
    poll_fn(|context| {
        let _installed = Installed::new(&mut paused, &mut gate);
        match call.as_mut().poll(context) {
            Poll::Ready(output) => {
                let told = told.take().expect("a call is not polled after its output");
                let told = NOTES.with_borrow_mut(|notes| told(&output, &mut notes.usage));
                Poll::Ready((output, told))
            }
            Poll::Pending => {
                paused = Some(NOTES.take());
                Poll::Pending
            }
        }
    })
    .await
}

/// Keeps the notes of a call on the thread while it is polled; what stood before is put back also when it
/// panics.
struct Installed {
    before: Option<Box<Notes>>,
}

impl Installed {
    /// Puts the notes of polls before on the thread, or at first the gate.
    fn new(paused: &mut Option<Notes>, gate: &mut Option<Arc<dyn Gate>>) -> Self {
        let before = IS_NOTED.replace(true).then(|| Box::new(NOTES.take()));
        if let Some(paused) = paused.take() {
            NOTES.set(paused);
        } else if gate.is_some() {
            NOTES.with_borrow_mut(|notes| notes.gate = gate.take());
        }
        Self { before }
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        if let Some(before) = self.before.take() {
            NOTES.set(*before);
        } else {
            IS_NOTED.set(false);
            NOTES.with_borrow_mut(Notes::clear);
        }
    }
}

impl Notes {
    fn clear(&mut self) {
        self.usage.uses.clear();
        self.usage.pattern = Pattern::default();
        self.gate = None;
    }
}

/// Notes what a request of one intent wants, and asks the gate.
pub(crate) fn announce(intent: &Intent<'_>) -> ApiResult<Announced> {
    pass(Station::Gate);
    if IS_NOTED.get() {
        let pattern = intent.pattern();
        gate().map_or(Ok(()), |gate| gate.admit(intent, &pattern))?;
        note_pattern(pattern);
    }
    Ok(Announced(()))
}

/// Notes what a batch or transaction wants, and asks the gate for each member. The intents are only made where
/// somebody wants to know.
pub(crate) fn announce_all<'i, I: IntoIterator<Item = Intent<'i>>>(
    intents: impl Fn() -> I,
) -> ApiResult<Announced> {
    pass(Station::Gate);
    if IS_NOTED.get() {
        let pattern = pattern_of(intents());
        if let Some(gate) = gate() {
            intents().into_iter().try_for_each(|intent| gate.admit(&intent, &pattern))?;
        }
        note_pattern(pattern);
    }
    Ok(Announced(()))
}

/// Returns the gate of the call, if there is one.
fn gate() -> Option<Arc<dyn Gate>> {
    NOTES.with_borrow(|notes| notes.gate.clone())
}

fn note_pattern(pattern: Pattern) {
    NOTES.with_borrow_mut(|notes| notes.usage.pattern = pattern);
}

/// What a read has seen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) examined: usize,
    pub(crate) bytes: usize,
    pub(crate) returned: usize,
}

impl Seen {
    /// Returns what the read of one item has seen, if it is there.
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

fn note(what: impl FnOnce() -> Use) {
    with_notes(|usage| usage.add(what()));
}

fn with_notes(then: impl FnOnce(&mut Usage)) {
    if IS_NOTED.get() {
        NOTES.with_borrow_mut(|notes| then(&mut notes.usage));
    }
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
    fn what_a_call_used_is_summed_and_nothing_is_noted_for_nobody() {
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
        assert!(!IS_NOTED.get());
        assert_eq!(NOTES.with_borrow(|notes| notes.usage.clone()), Usage::default());
    }
}
