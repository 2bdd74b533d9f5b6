//! The steps of a copy while its source is served: everything, then again and again what was written
//! meanwhile; both sides are compared; then writes are refused for a moment, in which the last of it follows.
//!
//! What differs when both sides are compared may have been written a moment ago. Such keys are remembered, and
//! must be equal when nothing is written any more.

use super::compare::{Found, Walk, compare_counters, compare_keys};
use super::origin::Origin;
use super::pages::Pages;
use super::transfer::{KEYS_AT_ONCE, Transfer, remove};
use super::{Copied, CopyError, CopyPhase, Copying, Counting, begin, target};
use crate::layout;
use hashrange_storage::{AnyStore, Error, Key};

/// So few keys follow in a moment: then writes are refused.
const KEYS_OF_A_MOMENT: usize = 5_000;
/// How often what was written meanwhile is followed before a copy is too slow.
const ROUNDS_MAX: usize = 50;
/// Keys that differ are remembered up to so many bytes before what was written is followed again.
const DIFFERING_BYTES_MAX: usize = 8 << 20;

/// Copies the source, which is served, to its end: then it is moved.
pub(super) async fn copy(
    mut origin: Origin<'_>,
    target: &AnyStore,
    id: u128,
    is_restarted: bool,
    heard: &mut (dyn FnMut(Copying) + Send),
) -> Result<Copied, CopyError> {
    begin(origin.store, target, id, is_restarted, &mut *heard).await?;
    origin.begin(is_restarted).await?;
    let counting = Counting::new(CopyPhase::Copying, heard);
    let transfer = Transfer::new(origin.store, target, counting);
    let copied = Following { origin: &mut origin, target, id, transfer }.run().await;
    let (source, generation) = (origin.store, origin.generation());
    if let Err(error) = &copied
        && let Err(further) = origin.give_up().await
    {
        // Why the copy failed is told. Servers give it up by themselves.
        tracing::warn!(%error, %further, "the end of a copy could not be told to those who serve");
    }
    if let Err(error) = remove_notes(source, generation).await {
        tracing::warn!(%error, "notes of a copy are left, and removed later");
    }
    copied
}

/// A copy that follows what is written.
struct Following<'a, 'o> {
    origin: &'a mut Origin<'o>,
    target: &'a AnyStore,
    id: u128,
    transfer: Transfer<'a>,
}

impl Following<'_, '_> {
    async fn run(mut self) -> Result<Copied, CopyError> {
        self.transfer.copy_plain(self.origin).await?;
        let mut copied = self.transfer.copied();
        self.catch_up().await?;
        let differing = self.compare().await?;
        self.catch_up().await?;
        self.transfer.counting.enter(CopyPhase::Switching);
        let generation = self.origin.close().await?;
        self.round(generation).await?;
        self.transfer.copy_counters().await?;
        self.transfer.raise_stamps().await?;
        let mut found = Found::default();
        let source = self.origin.store;
        compare_keys(source, self.target, &differing, &mut found).await?;
        compare_counters(source, self.target, &mut found, &mut self.transfer.counting).await?;
        found.into_error()?;
        // Another copy may have emptied the target meanwhile.
        let mark = target::mark(self.target).await.map_err(CopyError::Target)?;
        if !target::is_begun_by(self.id, mark.as_ref()) {
            return Err(CopyError::GivenUp);
        }
        self.origin.end_as_moved().await?;
        target::finish(self.target, self.id).await?;
        let last = self.transfer.copied();
        copied.keys += last.keys;
        copied.bytes += last.bytes;
        Ok(copied)
    }

    /// Follows what is written until little is left.
    async fn catch_up(&mut self) -> Result<(), CopyError> {
        self.transfer.counting.enter(CopyPhase::CatchingUp);
        let mut left = 0;
        for _ in 0..ROUNDS_MAX {
            let ended = self.origin.next_generation().await?;
            left = self.round(ended).await?;
            if left <= KEYS_OF_A_MOMENT {
                return Ok(());
            }
        }
        Err(CopyError::TooBusy(left))
    }

    /// Copies what was written until a generation ended, and returns how many keys that were.
    async fn round(&mut self, ended: u64) -> Result<usize, CopyError> {
        let noted = self.transfer.copy_noted(ended, self.origin).await?;
        Ok(noted + self.transfer.copy_records(self.origin).await?)
    }

    /// Compares both sides, and returns the keys that differ for now.
    async fn compare(&mut self) -> Result<Vec<Key>, CopyError> {
        self.transfer.counting.enter(CopyPhase::Verifying);
        let mut walk = Walk::new(self.origin.store, self.target);
        let (mut differing, mut bytes) = (Vec::new(), 0);
        loop {
            self.origin.beat().await?;
            let mut differs = |key: &[u8], _| {
                bytes += key.len() + size_of::<Key>();
                differing.push(key.to_vec());
            };
            if !walk.step(&mut self.transfer.counting, &mut differs).await? {
                return Ok(differing);
            }
            if bytes > DIFFERING_BYTES_MAX {
                differing = self.still_differing(differing).await?;
                bytes = differing.iter().map(|key| key.len() + size_of::<Key>()).sum();
                if bytes > DIFFERING_BYTES_MAX / 2 {
                    return Err(self.name(&differing).await);
                }
            }
        }
    }

    /// Follows what was written, and returns those of some keys that differ nevertheless.
    async fn still_differing(&mut self, keys: Vec<Key>) -> Result<Vec<Key>, CopyError> {
        let verifying = self.transfer.counting.now;
        self.catch_up().await?;
        self.transfer.counting.now = verifying;
        let mut differing = Vec::new();
        for keys in keys.chunks(KEYS_AT_ONCE) {
            self.origin.beat().await?;
            for key in keys {
                let mut found = Found::default();
                compare_keys(self.origin.store, self.target, std::slice::from_ref(key), &mut found)
                    .await?;
                if found.into_error().is_err() {
                    differing.push(key.clone());
                }
            }
        }
        Ok(differing)
    }

    /// Returns the error that names keys that differ.
    async fn name(&self, keys: &[Key]) -> CopyError {
        let mut found = Found::default();
        match compare_keys(self.origin.store, self.target, keys, &mut found).await {
            Ok(()) => found.into_error().err().unwrap_or(CopyError::TooBusy(keys.len())),
            Err(error) => error,
        }
    }
}

/// Removes the notes up to a generation: another copy may have begun.
async fn remove_notes(store: &AnyStore, last: u64) -> Result<(), Error> {
    let mut pages = Pages::new(store, vec![layout::notes_until(last)]);
    while let Some(page) = pages.next().await? {
        let notes: Vec<Key> = page.into_iter().map(|(note, _)| note).collect();
        remove(store, &notes).await?;
    }
    Ok(())
}
