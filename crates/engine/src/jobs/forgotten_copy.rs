//! Copies of the database that were abandoned: gives up a copy whose state has not changed for many
//! beats, and removes the notes of copies that have ended.
//!
//! Left to [`crate::copying`]: the copies, which remove their own notes unless they are
//! interrupted.

use super::lanes::Pace;
use super::purge::first_keys;
use super::{Background, Interruption};
use crate::copying::change_definitions;
use crate::core::Core;
use crate::core::noting::{CopyState, Stage, read_state};
use crate::layout;
use hashrange_storage::{Direction, Error, Key, Store, View, Wanted};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// Beats of this server during which the state of a copy does not change before it is given up:
/// while it copies, and while it keeps servers from writing.
const BEATS_UNTIL_GIVEN_UP: u32 = 60;
const BEATS_UNTIL_OPENED: u32 = 15;
const KEYS_PER_COMMIT: usize = 1000;

/// State of another process's copy, and for how many beats it has not changed.
#[derive(Debug, Default)]
pub(super) struct CopySeen(Mutex<Option<(CopyState, u32)>>);

impl CopySeen {
    /// Records a state and returns whether the copy is abandoned.
    fn is_forgotten(&self, state: CopyState) -> bool {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let unchanged = match *seen {
            Some((before, unchanged)) if before == state => unchanged + 1,
            _ => 0,
        };
        *seen = Some((state, unchanged));
        match state.stage {
            Stage::Noted => unchanged >= BEATS_UNTIL_GIVEN_UP,
            Stage::Closed => unchanged >= BEATS_UNTIL_OPENED,
            Stage::Moved => false,
        }
    }
}

/// Gives up an abandoned copy on a shared store. Commits go on as before.
pub(super) async fn give_up<S: Store>(background: &Background<S>) -> Result<(), Error> {
    let core = &background.core;
    if !core.store.is_shared() || !core.noting.is_on() {
        return Ok(());
    }
    let Some(state) = read_state(&core.store).await? else { return Ok(()) };
    if !background.copy_seen.is_forgotten(state) {
        return Ok(());
    }
    let mut is_given_up = false;
    change_definitions(&core.store, layout::copy_state(), |stored, _, batch| {
        is_given_up = stored.is_some_and(|stored| *stored == state.encode());
        if is_given_up {
            batch.delete(layout::copy_state());
        }
    })
    .await?;
    if is_given_up {
        tracing::warn!("a copy of the database was given up: nothing was heard of it any more");
        core.doubt_work();
    }
    Ok(())
}

/// Returns the last generation of notes, if there are notes and no copy is under way.
pub(super) async fn left_notes<S: Store>(core: &Core<S>) -> Result<Option<u64>, Error> {
    let mut last = None;
    let view = core.store.view().await?;
    view.visit(layout::notes(), Direction::Backward, Wanted::entries(1), |note, _| {
        last = layout::parse_note(note).map(|(generation, _)| generation);
        ControlFlow::Break(())
    })
    .await?;
    // Read after the notes: a copy that begins now has later generations.
    let is_copied = if core.store.is_shared() {
        read_state(&core.store).await?.is_some()
    } else {
        core.noting.is_on()
    };
    Ok(last.filter(|_| !is_copied))
}

/// Removes the notes up to a generation.
pub(super) async fn remove_notes<S: Store>(
    core: &Core<S>,
    last: u64,
    pace: &Pace,
) -> Result<(), Interruption> {
    let mut range = layout::notes_until(last);
    loop {
        pace.step().await?;
        let notes = first_keys(&core.store.view().await?, &range, KEYS_PER_COMMIT).await?;
        let Some(last) = notes.last() else { return Ok(()) };
        range.start.clone_from(last);
        core.commit(Vec::<Key>::new, |_, batch| {
            for note in &notes {
                batch.delete(note.clone());
            }
        })
        .await?;
    }
}
