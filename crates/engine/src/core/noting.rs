//! What a commit does while the database is being copied and goes on being served ([`crate::copying`]): it
//! notes the keys that it writes, in the same batch; or it is refused, for the short time of the switch and
//! after it.
//!
//! Notes belong to a generation. The next one begins when no commit of the one before is under way any more,
//! whose notes then stay as they are and are followed. Records that are appended need no note: their keys
//! tell what is new.
//!
//! A store of this process alone is told so in memory, and has waited for its commits with
//! [`Store::sync`]. On a shared one it is stored, and a change of definitions
//! ([`super::sharing`]): each commit declares their number, and looks the state up when the number is
//! another one than it knows.
//!
//! Leaves what becomes of the notes to `copying`, and a copy that nobody goes on with to `jobs`.

use super::Core;
use super::sharing::decode_number;
use crate::layout;
use bytes::Bytes;
use hashrange_storage::{Batch, Error, Key, Store};
use std::sync::atomic::{AtomicU64, Ordering};

/// Form of the stored state.
const FORM: u8 = 1;

/// How often the state is read while others change it.
const READS_MAX: usize = 16;

/// In memory: no commit is noted; commits are refused. Everything else is a generation.
const OFF: u64 = 0;
const REFUSED: u64 = u64::MAX;

/// How far a copy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Commits note what they write.
    Noted,
    /// Commits are refused for a moment.
    Closed,
    /// The database is elsewhere: it is not to be used any more.
    Moved,
}

/// A copy of a database that is served, as the database knows of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CopyState {
    pub(crate) stage: Stage,
    /// Of the notes that are written.
    pub(crate) generation: u64,
    /// Which copy it is: its target is marked with the same.
    pub(crate) id: u128,
    /// Grows while somebody is at it.
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

    /// Reads what is stored.
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

/// What commits do at present.
#[derive(Debug)]
pub(crate) struct Noting {
    /// [`OFF`], [`REFUSED`] or the generation.
    now: AtomicU64,
    /// The number of definitions as of which that is known, where several servers share the store.
    as_of: AtomicU64,
}

impl Default for Noting {
    fn default() -> Self {
        Self { now: AtomicU64::new(OFF), as_of: AtomicU64::new(u64::MAX) }
    }
}

impl Noting {
    /// Begins a generation, or ends with the last one.
    pub(crate) fn set(&self, stage: Option<Stage>, generation: u64) {
        let now = match stage {
            None => OFF,
            Some(Stage::Noted) => generation,
            Some(Stage::Closed | Stage::Moved) => REFUSED,
        };
        self.now.store(now, Ordering::Release);
    }

    /// Returns whether what commits do is known as of a stored number of definitions.
    pub(super) fn is_as_of(&self, number: Option<&[u8]>) -> bool {
        decode_number(number).is_ok_and(|number| number == self.as_of.load(Ordering::Acquire))
    }

    /// Returns whether somebody copies the database.
    pub(crate) fn is_on(&self) -> bool {
        self.now.load(Ordering::Acquire) != OFF
    }
}

/// How a commit was decided.
pub(super) enum Ended {
    /// By whoever asked for it.
    Decided,
    /// Not: it does not know what to do with its notes.
    Unknown,
    /// Not: nothing is written any more.
    Refused,
}

impl<S: Store> Core<S> {
    /// Lets `decide` fill the batch and adds the notes.
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

    /// Reads what commits are to do, on a store that is shared.
    pub(crate) async fn read_noting(&self) -> Result<(), Error> {
        let number = layout::definitions_number();
        for _ in 0..READS_MAX {
            let before = decode_number(self.store.get(&number).await?.as_deref())?;
            let state = read_state(&self.store).await?;
            if decode_number(self.store.get(&number).await?.as_deref())? == before {
                // In this order: who finds the number finds what it stands for.
                let generation = state.map_or(OFF, |state| state.generation);
                self.noting.set(state.map(|state| state.stage), generation);
                self.noting.as_of.store(before, Ordering::Release);
                return Ok(());
            }
        }
        Err(Error::Conflict)
    }
}

/// Returns what a database knows of a copy of it.
pub(crate) async fn read_state<S: Store>(store: &S) -> Result<Option<CopyState>, Error> {
    let stored = store.get(&layout::copy_state()).await?;
    stored.map(|stored| CopyState::decode(&stored)).transpose()
}

/// The error of a commit that is refused because the database is elsewhere, or will be in a moment.
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
