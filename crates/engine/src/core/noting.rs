//! Makes commits note the keys that they write, in the same batch, while the database is being
//! copied and goes on being served ([`crate::copying`]); or refuses them, for the short time of the
//! switch and after it.
//!
//! Notes belong to a generation. The next generation begins when no commit of the one before is
//! under way any more; the notes of the one before then no longer change, and the copy reads them.
//! Appended records need no note: their keys show which are new.
//!
//! On a store of this process alone the copy sets the state in memory, and waits for running
//! commits with [`Store::sync`]. On a shared store the state is stored, by a change of definitions
//! ([`super::sharing`]): each commit declares the number of definitions, and reads the state again
//! when that number is not the one that it knows.
//!
//! Left to others: `copying` reads and removes the notes, `jobs` gives up a copy that makes no
//! progress.

use super::Core;
use super::sharing::decode_number;
use crate::layout;
use bytes::Bytes;
use hashrange_storage::{Batch, Error, Key, Store};
use std::sync::atomic::{AtomicU64, Ordering};

/// Form of the stored state.
const FORM: u8 = 1;

/// Maximum of attempts to read the state while others change it.
const READS_MAX: usize = 16;

/// Values of `Noting::now`: commits note nothing; commits are refused. Other values are a
/// generation.
const OFF: u64 = 0;
const REFUSED: u64 = u64::MAX;

/// Stage of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Commits note their keys.
    Noted,
    /// Commits are refused for a moment.
    Closed,
    /// The database has moved to another store: servers no longer use this one.
    Moved,
}

/// State of a copy of a database that is served, as stored in its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CopyState {
    pub(crate) stage: Stage,
    /// Generation of the notes that commits write.
    pub(crate) generation: u64,
    /// Id of the copy; the mark of its target has the same.
    pub(crate) id: u128,
    /// Grows while the copier is alive.
    pub(crate) beat: u64,
}

impl CopyState {
    pub(crate) fn encode(self) -> Bytes {
        let stage = match self.stage {
            Stage::Noted => 1,
            Stage::Closed => 2,
            Stage::Moved => 3,
        };
        let (generation, beat) = (self.generation.to_le_bytes(), self.beat.to_le_bytes());
        [&[FORM, stage][..], &generation, &self.id.to_le_bytes(), &beat].concat().into()
    }

    /// Reads the stored form.
    pub(crate) fn decode(stored: &[u8]) -> Result<Self, Error> {
        let read = || {
            let (head, rest) = stored.split_first_chunk::<2>()?;
            let (generation, rest) = rest.split_first_chunk::<8>()?;
            let (id, beat) = rest.split_first_chunk::<16>()?;
            let stage = match head {
                [FORM, 1] => Stage::Noted,
                [FORM, 2] => Stage::Closed,
                [FORM, 3] => Stage::Moved,
                _ => return None,
            };
            Some(Self {
                stage,
                generation: u64::from_le_bytes(*generation),
                id: u128::from_le_bytes(*id),
                beat: u64::from_le_bytes(beat.try_into().ok()?),
            })
        };
        read().ok_or_else(|| {
            let what = format!("the state of a copy is {}", stored.escape_ascii());
            Error::corrupt(what, layout::copy_state().escape_ascii().to_string())
        })
    }
}

/// State of noting that commits follow at present.
#[derive(Debug)]
pub(crate) struct Noting {
    /// [`OFF`], [`REFUSED`] or the generation.
    now: AtomicU64,
    /// Number of definitions as of which `now` is known, where several servers share the store.
    as_of: AtomicU64,
}

impl Default for Noting {
    fn default() -> Self {
        Self { now: AtomicU64::new(OFF), as_of: AtomicU64::new(u64::MAX) }
    }
}

impl Noting {
    /// Sets the stage and generation that commits follow; `None` ends the noting.
    pub(crate) fn set(&self, stage: Option<Stage>, generation: u64) {
        let now = match stage {
            None => OFF,
            Some(Stage::Noted) => generation,
            Some(Stage::Closed | Stage::Moved) => REFUSED,
        };
        self.now.store(now, Ordering::Release);
    }

    /// Returns whether `now` is known as of the stored number of definitions.
    pub(super) fn is_as_of(&self, number: Option<&[u8]>) -> bool {
        decode_number(number).is_ok_and(|number| number == self.as_of.load(Ordering::Acquire))
    }

    /// Returns whether the database is being copied, or has been moved.
    pub(crate) fn is_on(&self) -> bool {
        self.now.load(Ordering::Acquire) != OFF
    }
}

/// Outcome of deciding a commit.
pub(super) enum Ended {
    /// The caller's function has filled the batch.
    Decided,
    /// Nothing was decided: this server has to read the state of noting first.
    Unknown,
    /// Nothing was decided: the database refuses writes.
    Refused,
}

impl<S: Store> Core<S> {
    /// Lets `decide` fill the batch, and adds the notes.
    pub(super) fn decide_and_note(
        &self,
        batch: &mut Batch,
        decide: impl FnOnce(&mut Batch),
    ) -> Ended {
        match self.noting.now.load(Ordering::Acquire) {
            OFF => decide(batch),
            REFUSED => return Ended::Refused,
            generation => {
                decide(batch);
                let notes: Vec<Key> = batch
                    .plain_keys()
                    .filter(|key| layout::is_plain(key))
                    .map(|key| layout::note(generation, key))
                    .collect();
                for note in notes {
                    batch.put(note, Bytes::new());
                }
            }
        }
        Ended::Decided
    }

    /// Reads the state of noting from a shared store.
    pub(crate) async fn read_noting(&self) -> Result<(), Error> {
        let number = layout::definitions_number();
        for _ in 0..READS_MAX {
            let before = decode_number(self.store.get(&number).await?.as_deref())?;
            let state = read_state(&self.store).await?;
            if decode_number(self.store.get(&number).await?.as_deref())? == before {
                // In this order: a commit that finds the number also finds the state that belongs
                // to it.
                let generation = state.map_or(OFF, |state| state.generation);
                self.noting.set(state.map(|state| state.stage), generation);
                self.noting.as_of.store(before, Ordering::Release);
                return Ok(());
            }
        }
        Err(Error::Conflict)
    }
}

/// Reads the state of a copy that is stored in a database.
pub(crate) async fn read_state<S: Store>(store: &S) -> Result<Option<CopyState>, Error> {
    let stored = store.get(&layout::copy_state()).await?;
    stored.map(|stored| CopyState::decode(&stored)).transpose()
}

/// Returns the error of a commit that is refused because the database has moved, or will in a
/// moment.
pub(super) fn refused() -> Error {
    Error::Unavailable { what: "its data are being moved to another store".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_as_it_was_stored_and_no_other() {
        for stage in [Stage::Noted, Stage::Closed, Stage::Moved] {
            let state = CopyState { stage, generation: 7, id: u128::MAX - 1, beat: 9 };
            assert_eq!(CopyState::decode(&state.encode()).unwrap(), state);
            for length in 0..state.encode().len() {
                assert!(CopyState::decode(&state.encode()[..length]).is_err());
            }
        }
        let state = CopyState { stage: Stage::Noted, generation: 1, id: 1, beat: 1 };
        for (at, byte) in [(0, 2), (1, 0), (1, 4)] {
            let mut stored = state.encode().to_vec();
            stored[at] = byte;
            assert!(CopyState::decode(&stored).is_err());
        }
    }
}
