//! A disk that survives the server: commits are sequenced in memory and become durable in groups,
//! when the scheduler says so; a crash or a failed write takes back commits that are not durable,
//! but for those first commits that had reached the disk without an answer.

use super::fate::Fate;
use super::flaw::{Flaw, half_way};
use hashrange_storage::{Batch, Bytes, Error, Image, Key, Keys};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

/// State of the disk towards writes.
#[derive(Debug, Clone)]
enum Health {
    Well,
    Failed(Error),
    Crashed,
}

/// A disk; clones share it.
#[derive(Debug, Clone)]
pub(super) struct Disk(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    fate: Fate,
    flaw: Option<Flaw>,
    durable: Image,
    published: Image,
    sequenced: Image,
    /// Contents of the store after each commit that is not published, in their order.
    pending: Vec<Image>,
    /// Number of the newest commit that is published.
    published_commits: u64,
    health: Health,
    /// True if a read has failed since it was opened.
    has_failed_reads: bool,
    waiting: Vec<Waker>,
}

impl Disk {
    pub(super) fn new(fate: Fate, flaw: Option<Flaw>) -> Self {
        Self(Arc::new(Mutex::new(State {
            fate,
            flaw,
            durable: Image::new(),
            published: Image::new(),
            sequenced: Image::new(),
            pending: Vec::new(),
            published_commits: 0,
            health: Health::Well,
            has_failed_reads: false,
            waiting: Vec::new(),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a fault is planted.
    pub(super) fn has(&self, flaw: Flaw) -> bool {
        self.state().flaw == Some(flaw)
    }

    /// Returns the published contents.
    pub(super) fn published(&self) -> Image {
        self.state().published.clone()
    }

    /// Decides a commit and sequences it. Returns the answer and the number of the commit that has
    /// to be published before the answer is given.
    pub(super) fn sequence<T>(
        &self,
        keys: &Keys,
        mut decide: impl FnMut(&[Option<Bytes>], &mut Batch) -> T,
    ) -> Result<(T, u64), Error> {
        let mut state = self.state();
        state.check()?;
        let is_stale = state.flaw == Some(Flaw::StaleDecision);
        let shown = if is_stale { &state.published } else { &state.sequenced };
        let values: Vec<_> = keys.all().map(|key| shown.get(key)).collect();
        let mut batch = Batch::new();
        let answer = decide(&values, &mut batch);
        if !batch.is_empty() {
            let before = state.sequenced.clone();
            state.sequenced.apply(batch)?;
            state.plant(&before, &keys.write);
            let image = state.sequenced.clone();
            state.pending.push(image);
        }
        let number = state.newest_commit();
        Ok((answer, number))
    }

    /// Returns the number of the newest commit that is sequenced.
    pub(super) fn newest_commit(&self) -> u64 {
        self.state().newest_commit()
    }

    /// Returns whether a commit is published, or that it never will be. Otherwise `waker` is woken
    /// when that may have changed.
    pub(super) fn is_published(&self, commit: u64, waker: &Waker) -> Result<bool, Error> {
        let mut state = self.state();
        if commit <= state.published_commits {
            return Ok(true);
        }
        state.check()?;
        state.waiting.push(waker.clone());
        Ok(false)
    }

    /// Returns whether there is something to write.
    pub(super) fn is_idle(&self) -> bool {
        self.state().pending.is_empty()
    }

    /// Returns true if it refuses writes.
    pub(super) fn is_failed(&self) -> bool {
        !matches!(self.state().health, Health::Well)
    }

    /// Returns whether the server is gone.
    pub(super) fn is_crashed(&self) -> bool {
        matches!(self.state().health, Health::Crashed)
    }

    /// Makes a group of the oldest commits durable and publishes it.
    pub(super) fn write_group(&self) {
        let mut state = self.state();
        if state.pending.is_empty() || !matches!(state.health, Health::Well) {
            return;
        }
        let count = 1 + state.fate.below(state.pending.len());
        let Some(image) = state.pending.drain(..count).next_back() else { return };
        state.published_commits += count as u64;
        let is_forgotten = state.flaw == Some(Flaw::Amnesia) && state.fate.chance(300);
        if !is_forgotten {
            state.durable = image.clone();
        }
        state.published = image;
        state.fate.note(&format!("disk: {count} commits"));
        state.wake_all();
    }

    /// Writes everything while nothing else can go on; the disk may fail meanwhile.
    pub(super) fn write_all(&self) {
        while !self.is_idle() && !self.is_failed() {
            #[expect(clippy::same_functions_in_if_condition, reason = "fate is asked again")]
            if self.state().fate.strikes(5) {
                self.crash();
            } else if self.state().fate.strikes(5) {
                self.fail();
            } else {
                self.write_group();
            }
        }
    }

    /// Stops the server at once.
    pub(super) fn crash(&self) {
        let mut state = self.state();
        state.fate.note("disk: crash");
        state.health = Health::Crashed;
        state.wake_all();
    }

    /// Lets a write fail; from then on all do.
    pub(super) fn fail(&self) {
        let mut state = self.state();
        let error = if state.fate.chance(500) {
            Error::Full
        } else {
            let source = Arc::new(std::io::Error::other("simulated"));
            Error::Io { action: "commit group", source }
        };
        state.fate.note(&format!("disk: {error}"));
        state.health = Health::Failed(error);
        state.wake_all();
    }

    /// Lets a read fail now and then; the next may succeed. Returns false if a planted fault makes
    /// it find nothing.
    pub(super) fn read(&self) -> Result<bool, Error> {
        let mut state = self.state();
        if !state.fate.strikes(2) {
            return Ok(true);
        }
        state.fate.note("disk: a read fails");
        state.has_failed_reads = true;
        if state.flaw == Some(Flaw::BlindRead) {
            return Ok(false);
        }
        let source = Arc::new(std::io::Error::other("simulated"));
        Err(Error::Io { action: "read block", source })
    }

    /// Returns whether a read has failed since it was opened.
    pub(super) fn has_failed_reads(&self) -> bool {
        self.state().has_failed_reads
    }

    /// Begins anew with the durable contents.
    pub(super) fn reopen(&self) {
        let mut state = self.state();
        let survivors = state.fate.below(state.pending.len() + 1);
        match state.flaw {
            Some(Flaw::Amnesia) => {}
            Some(Flaw::TornCommit) if !state.pending.is_empty() => {
                state.durable = half_way(&state.durable, &state.pending[0]);
            }
            _ if survivors > 0 => state.durable = state.pending[survivors - 1].clone(),
            _ => {}
        }
        let lost = state.pending.len() - survivors;
        state.fate.note(&format!("disk: opened, {survivors} unanswered commits kept, {lost} lost"));
        state.published_commits = state.newest_commit();
        state.pending.clear();
        state.published = state.durable.clone();
        state.sequenced = state.durable.clone();
        state.health = Health::Well;
        state.has_failed_reads = false;
    }
}

impl State {
    /// Makes the planted fault, if it is one that changes the newest commit's effect.
    fn plant(&mut self, before: &Image, declared: &[Key]) {
        let Some((per_mille, leaves)) = self.flaw.and_then(Flaw::of_commits) else { return };
        if self.fate.chance(per_mille) {
            self.sequenced = leaves(before, &self.sequenced, declared);
        }
    }

    fn newest_commit(&self) -> u64 {
        self.published_commits + self.pending.len() as u64
    }

    fn check(&self) -> Result<(), Error> {
        match &self.health {
            Health::Well => Ok(()),
            Health::Failed(error) => Err(error.clone()),
            Health::Crashed => Err(Error::Closed),
        }
    }

    fn wake_all(&mut self) {
        self.waiting.drain(..).for_each(Waker::wake);
    }
}
