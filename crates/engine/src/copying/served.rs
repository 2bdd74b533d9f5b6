//! The steps of a copy while its source is served: copies everything, then repeatedly the writes
//! since the pass before; compares both sides; then makes servers refuse writes for a moment and
//! copies the last writes.
//!
//! A key that differs in the comparison may have been written a moment ago. The copy remembers such
//! keys and compares them again when the source refuses writes.

use super::commits::{KEYS_AT_ONCE, remove};
use super::compare::{Comparison, Differences, compare_counters, compare_keys};
use super::origin::Origin;
use super::pages::Pages;
use super::transfer::Transfer;
use super::{Copied, CopyError, CopyPhase, Copying, Counting, begin, target};
use crate::layout;
use hashrange_storage::{AnyStore, Error, Key};

/// Number of written keys that one short pass copies: with so few left the source refuses writes.
const KEYS_OF_A_MOMENT: usize = 5_000;
/// Maximum of passes over new writes; then the copy fails as too slow.
const ROUNDS_MAX: usize = 50;
/// Bytes of differing keys that are remembered before another pass over new writes.
const DIFFERING_BYTES_MAX: usize = 8 << 20;

/// Copies a source that is served; in the end the source is marked as moved.
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
        // Returns the copy's own error. The servers give the copy up by themselves.
        tracing::warn!(%error, %further, "the end of a copy could not be told to those who serve");
    }
    if let Err(error) = remove_notes(source, generation).await {
        tracing::warn!(%error, "notes of a copy are left, and removed later");
    }
    copied
}

/// A copy that keeps up with the writes to its source.
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
        let mut differences = Differences::default();
        let source = self.origin.store;
        compare_keys(source, self.target, &differing, &mut differences).await?;
        compare_counters(source, self.target, &mut differences, &mut self.transfer.counting)
            .await?;
        differences.into_error()?;
        // Another copy may have emptied the target in the meantime.
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

    /// Copies new writes, pass by pass, until few are left.
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

    /// Copies the writes up to the end of a generation, and returns the number of their keys.
    async fn round(&mut self, ended: u64) -> Result<usize, CopyError> {
        let noted = self.transfer.copy_noted(ended, self.origin).await?;
        Ok(noted + self.transfer.copy_records(self.origin).await?)
    }

    /// Compares both sides, and returns the keys that differ at this point.
    async fn compare(&mut self) -> Result<Vec<Key>, CopyError> {
        self.transfer.counting.enter(CopyPhase::Verifying);
        let mut comparison = Comparison::new(self.origin.store, self.target);
        let (mut differing, mut bytes) = (Vec::new(), 0);
        loop {
            self.origin.beat().await?;
            let mut differs = |key: &[u8], _| {
                bytes += key.len() + size_of::<Key>();
                differing.push(key.to_vec());
            };
            if !comparison.step(&mut self.transfer.counting, &mut differs).await? {
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

    /// Copies new writes, and returns those of the keys that still differ.
    async fn still_differing(&mut self, keys: Vec<Key>) -> Result<Vec<Key>, CopyError> {
        let verifying = self.transfer.counting.now;
        self.catch_up().await?;
        self.transfer.counting.now = verifying;
        let mut differing = Vec::new();
        for keys in keys.chunks(KEYS_AT_ONCE) {
            self.origin.beat().await?;
            for key in keys {
                let mut differences = Differences::default();
                compare_keys(
                    self.origin.store,
                    self.target,
                    std::slice::from_ref(key),
                    &mut differences,
                )
                .await?;
                if differences.into_error().is_err() {
                    differing.push(key.clone());
                }
            }
        }
        Ok(differing)
    }

    /// Returns the error that lists keys that differ.
    async fn name(&self, keys: &[Key]) -> CopyError {
        let mut differences = Differences::default();
        match compare_keys(self.origin.store, self.target, keys, &mut differences).await {
            Ok(()) => differences.into_error().err().unwrap_or(CopyError::TooBusy(keys.len())),
            Err(error) => error,
        }
    }
}

/// Removes the notes up to a generation; later ones may belong to another copy.
async fn remove_notes(store: &AnyStore, last: u64) -> Result<(), Error> {
    let mut pages = Pages::new(store, vec![layout::notes_until(last)]);
    while let Some(page) = pages.next().await? {
        let notes: Vec<Key> = page.into_iter().map(|(note, _)| note).collect();
        remove(store, &notes).await?;
    }
    Ok(())
}
