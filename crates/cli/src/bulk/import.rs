//! Items into a table: several batches under way, in an order that keeps the last item of a key.
//!
//! Invariants:
//! - Of the batches under way no two have an item of the same key, and no batch has two, so that the
//!   item of the later line stays.
//! - Every line before the one that a report names as the next is in, or was skipped.

use super::batch::{self, BatchOutcome};
use super::counted;
use super::progress::{PERIOD, Progress};
use super::repeats::{KEYS_MAX, Repeats};
use super::retry::Stop;
use crate::exit::{Unfinished, Usage};
use crate::reading::key::Key;
use crate::reading::reader::{self, Entry, Event, NEXT_PAGE_MISSING, Plan, RecordPlace};
use crate::reading::source::Source;
use anyhow::Context;
use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

pub use super::batch::Target;

/// Source: DynamoDB takes 25 items in a BatchWriteItem.
const BATCH_ITEMS_MAX: usize = 25;
/// Bytes at which a batch is sent though it could have more items; the service takes 16 MB, and
/// batches under way are in memory.
const BATCH_BYTES: usize = 1 << 20;

/// Outcome of an import.
#[derive(Debug)]
pub struct Summary {
    /// Items that were put.
    pub put: u64,
    /// Number of items that replaced one that was put before, and the first of them; none if there
    /// were too many keys to count.
    pub repeated: Option<(u64, String)>,
    /// Records that were skipped.
    pub skipped: u64,
    /// Write units.
    pub units: f64,
}

/// Puts the items of the sources. On Ctrl-C finishes the batches under way and reports the line to
/// go on from.
pub async fn run(plan: Plan, target: Target, in_flight: usize) -> anyhow::Result<Summary> {
    let count = Arc::new(AtomicU64::new(0));
    let sizes: Option<Vec<u64>> = plan.sources.iter().map(Source::size).collect();
    let progress = Progress::new(Arc::clone(&count), sizes.map(|sizes| sizes.iter().sum()));
    let sources = plan.sources.clone();
    let first = RecordPlace { source: 0, line: plan.from_line, nth: 1 };
    let events = reader::start(plan, count)?;
    let mut import = Import::new(target, sources, first, in_flight, progress);
    import.work(events).await?;
    import.progress.clear();
    import.ended()
}

struct Import {
    target: Arc<Target>,
    sources: Vec<Source>,
    progress: Progress,
    stop: watch::Sender<bool>,
    stopped: Stop,
    in_flight_max: usize,
    /// Batches that may be under way now: fewer after the database turned items away.
    in_flight_now: usize,
    under_way: JoinSet<BatchOutcome>,
    busy: BTreeSet<Key>,
    /// First records of the batches under way, or left undone.
    open: BTreeMap<u64, RecordPlace>,
    next_batch: u64,
    /// The batch that is being filled.
    entries: Vec<Entry>,
    bytes: usize,
    /// An item that cannot be in the batch that is being filled.
    held: Option<Entry>,
    is_read: bool,
    /// Place after the last record that was read.
    behind: RecordPlace,
    fault: Option<(RecordPlace, anyhow::Error)>,
    is_interrupted: bool,
    /// True if the database turned items away lately.
    is_throttled: bool,
    put: u64,
    repeats: Repeats,
    skipped: u64,
    units: f64,
}

impl Import {
    fn new(
        target: Target,
        sources: Vec<Source>,
        behind: RecordPlace,
        in_flight_max: usize,
        progress: Progress,
    ) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self {
            target: Arc::new(target),
            sources,
            progress,
            stop,
            stopped,
            in_flight_max,
            in_flight_now: in_flight_max,
            under_way: JoinSet::new(),
            busy: BTreeSet::new(),
            open: BTreeMap::new(),
            next_batch: 0,
            entries: Vec::new(),
            bytes: 0,
            held: None,
            is_read: false,
            behind,
            fault: None,
            is_interrupted: false,
            is_throttled: false,
            put: 0,
            repeats: Repeats::new(KEYS_MAX),
            skipped: 0,
            units: 0.0,
        }
    }

    /// Reads and writes until all is in; after a fault or Ctrl-C only finishes the batches under
    /// way.
    async fn work(&mut self, mut events: mpsc::Receiver<Event>) -> anyhow::Result<()> {
        let mut ticks = tokio::time::interval(PERIOD);
        let mut signal = pin!(tokio::signal::ctrl_c());
        loop {
            let is_stopped = *self.stopped.borrow();
            if !is_stopped {
                self.send_full();
            }
            let is_empty = self.entries.is_empty() && self.held.is_none();
            if self.under_way.is_empty() && (is_stopped || self.is_read && is_empty) {
                return Ok(());
            }
            let reads = !is_stopped && !self.is_read && self.has_room();
            tokio::select! {
                event = events.recv(), if reads => self.take(event),
                Some(outcome) = self.under_way.join_next() => {
                    self.account(outcome.context("a batch panicked")?);
                }
                _ = ticks.tick() => {
                    // Items that a slow source has given do not wait for more.
                    if !is_stopped && events.is_empty() {
                        self.send();
                    }
                    self.show();
                }
                signalled = &mut signal => {
                    signalled.context("listen to signals")?;
                    signal.set(tokio::signal::ctrl_c());
                    self.interrupt()?;
                }
            }
        }
    }

    fn show(&self) {
        let remark = match (self.is_interrupted, self.is_throttled) {
            (true, _) => "finishing what is under way",
            (false, true) => "throttled",
            (false, false) => "",
        };
        self.progress.show(self.put, remark);
    }

    /// The first Ctrl-C finishes the batches under way; the second does not wait for them.
    fn interrupt(&mut self) -> anyhow::Result<()> {
        if self.is_interrupted {
            self.progress.clear();
            return Err(Unfinished::interrupted(&self.report()).into());
        }
        self.is_interrupted = true;
        self.stop.send_replace(true);
        Ok(())
    }

    fn has_room(&self) -> bool {
        self.held.is_none() && self.entries.len() < BATCH_ITEMS_MAX && self.bytes < BATCH_BYTES
    }

    fn take(&mut self, event: Option<Event>) {
        match event {
            None => self.is_read = true,
            Some(Event::Item(entry, behind)) => {
                self.behind = behind;
                self.add(entry);
            }
            Some(Event::Bad(place, reason, behind)) if self.target.skips_bad => {
                self.behind = behind;
                self.skip(place, &reason);
            }
            Some(Event::Bad(place, reason, _)) => {
                self.is_read = true;
                self.fail(place, Usage(reason).into());
            }
            Some(Event::Failed(place, error)) => {
                self.is_read = true;
                self.fail(place, error);
            }
            Some(Event::NextPageMissing) => {
                self.progress.complain(&format!("hashrange: {NEXT_PAGE_MISSING}"));
            }
        }
    }

    /// Adds an item to the batch, or holds it if the batch cannot have it.
    fn add(&mut self, entry: Entry) {
        let is_same = |other: &Entry| entry.key.is_some() && other.key == entry.key;
        let is_long = self.bytes + entry.item.len() > BATCH_BYTES && !self.entries.is_empty();
        if is_long || self.entries.iter().any(is_same) {
            self.held = Some(entry);
        } else {
            self.bytes += entry.item.len();
            self.entries.push(entry);
        }
    }

    fn send_full(&mut self) {
        if !self.has_room() || self.is_read {
            self.send();
        }
    }

    /// Sends the batch if another may be under way and none has one of its keys.
    fn send(&mut self) {
        let mut keys = self.entries.iter().filter_map(|entry| entry.key.as_ref());
        let must_wait = self.under_way.len() >= self.in_flight_now;
        if self.entries.is_empty() || must_wait || keys.any(|key| self.busy.contains(key)) {
            return;
        }
        let entries = std::mem::take(&mut self.entries);
        self.bytes = 0;
        let keys: Vec<Key> = entries.iter().filter_map(|entry| entry.key.clone()).collect();
        self.busy.extend(keys.iter().cloned());
        let batch = self.next_batch;
        self.next_batch += 1;
        self.open.extend(entries.first().map(|first| (batch, first.place)));
        let (target, stop) = (Arc::clone(&self.target), self.stopped.clone());
        self.under_way.spawn(async move {
            let mut outcome = BatchOutcome { batch, keys, ..BatchOutcome::default() };
            batch::write(&target, entries, &mut outcome, stop).await;
            outcome
        });
        if let Some(held) = self.held.take() {
            self.add(held);
        }
    }

    fn account(&mut self, outcome: BatchOutcome) {
        outcome.keys.iter().for_each(|key| {
            self.busy.remove(key);
        });
        self.put += outcome.put;
        outcome.done.iter().for_each(|(place, key)| self.repeats.note(*place, key));
        self.units += outcome.units;
        self.is_throttled = outcome.was_throttled;
        self.in_flight_now = if outcome.was_throttled {
            (self.in_flight_now / 2).max(1)
        } else {
            (self.in_flight_now + 1).min(self.in_flight_max)
        };
        for (place, reason) in outcome.skipped {
            self.skip(place, &reason);
        }
        match outcome.open {
            None => {
                self.open.remove(&outcome.batch);
            }
            Some((place, fault)) => {
                self.open.insert(outcome.batch, place);
                if let Some(fault) = fault {
                    self.stop.send_replace(true);
                    self.fail(place, fault);
                }
            }
        }
    }

    fn skip(&mut self, place: RecordPlace, reason: &str) {
        self.skipped += 1;
        self.progress.complain(&format!("hashrange: {}: {reason} (skipped)", self.named(place)));
    }

    /// Keeps the fault of the first line that has one.
    fn fail(&mut self, place: RecordPlace, error: anyhow::Error) {
        if self.fault.as_ref().is_none_or(|(first, _)| place < *first) {
            self.fault = Some((place, error));
        }
    }

    /// Returns the name of a record: with its file, if there are several.
    fn named(&self, place: RecordPlace) -> String {
        match self.sources.get(place.source) {
            Some(source) if self.sources.len() > 1 => format!("{source}: {place}"),
            _ => place.to_string(),
        }
    }

    /// Returns the first line that is not known to be in.
    fn resume(&self) -> RecordPlace {
        let waiting = self.entries.first().or(self.held.as_ref()).map(|entry| entry.place);
        let fault = self.fault.as_ref().map(|(place, _)| *place);
        let open = self.open.values().copied();
        let first = open.chain(waiting).chain(fault).min();
        first.unwrap_or(self.behind)
    }

    /// Returns the count of items that are in, and how to go on.
    fn report(&self) -> String {
        let resume = self.resume();
        let verb = if self.put == 1 { "is" } else { "are" };
        let mut report = vec![format!("{} {verb} in", counted(self.put, "item"))];
        if self.skipped > 0 {
            report.push(format!(", {} skipped", counted(self.skipped, "item")));
        }
        report.push(format!("; go on with --from-line {}", resume.line));
        if self.sources.len() > 1 {
            let rest = self.sources.get(resume.source..).unwrap_or_default();
            report.extend(rest.iter().map(|source| format!(" {source}")));
        }
        report.concat()
    }

    fn ended(mut self) -> anyhow::Result<Summary> {
        match self.fault.take() {
            Some((place, error)) => {
                self.fault = Some((place, anyhow::anyhow!("told below")));
                let error = error.context(self.named(place));
                Err(Unfinished::after(&error, &self.report()).into())
            }
            None if self.is_interrupted => Err(Unfinished::interrupted(&self.report()).into()),
            None => {
                let named = |place: Option<RecordPlace>| place.map(|place| self.named(place));
                let repeated = self.repeats.counted();
                let repeated =
                    repeated.map(|(count, first)| (count, named(first).unwrap_or_default()));
                Ok(Summary { put: self.put, repeated, skipped: self.skipped, units: self.units })
            }
        }
    }
}
