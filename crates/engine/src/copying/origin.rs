//! The source of a copy and its servers: the steps that make commits note their keys, begin the
//! next generation of notes, refuse commits, and mark the database as moved.
//!
//! [`crate::core::noting`] has the servers' side. On a shared store each step is a change of
//! definitions, which fences the commits of all servers; on a store of this process alone each step
//! changes memory, and only the mark that the database was moved is stored.
//!
//! Invariant: however a copy ends, commits no longer note their keys afterwards. If a copier on a
//! shared store dies, the servers give up its copy when its state has stopped changing.

use super::CopyError;
use super::commits::commit;
use super::target::change_definitions;
use crate::core::Core;
use crate::core::noting::{CopyState, Stage, read_state};
use crate::layout;
use hashrange_storage::{AnyStore, Keys, Store};

/// Maximum of pages copied between two beats.
const PAGES_OF_BEAT: u32 = 4;

/// Writers to the source.
#[derive(Clone, Copy)]
enum Writers<'a> {
    /// No writers.
    None,
    /// Servers in other processes.
    Others,
    /// This process alone.
    Own(&'a Core<AnyStore>),
}

/// The source of a copy.
pub(super) struct Origin<'a> {
    pub(super) store: &'a AnyStore,
    writers: Writers<'a>,
    /// State as it is stored, or would be for [`Writers::Own`].
    state: CopyState,
    /// True while commits note their keys or are refused.
    is_begun: bool,
    pages: u32,
}

impl<'a> Origin<'a> {
    fn new(store: &'a AnyStore, id: u128, writers: Writers<'a>) -> Self {
        let state = CopyState { stage: Stage::Noted, generation: 0, id, beat: 0 };
        Self { store, writers, state, is_begun: false, pages: 0 }
    }

    /// Returns a source without writers.
    pub(super) fn still(store: &'a AnyStore, id: u128) -> Self {
        Self::new(store, id, Writers::None)
    }

    /// Returns a source that other processes serve.
    pub(super) fn served(store: &'a AnyStore, id: u128) -> Self {
        Self::new(store, id, Writers::Others)
    }

    /// Returns a source that this process serves; its store is not shared.
    pub(super) fn own(core: &'a Core<AnyStore>, id: u128) -> Self {
        Self::new(&core.store, id, Writers::Own(core))
    }

    /// Makes commits note their keys from now on. With `is_restarted` this copy replaces another
    /// one.
    pub(super) async fn begin(&mut self, is_restarted: bool) -> Result<(), CopyError> {
        match self.writers {
            Writers::None => return Ok(()),
            Writers::Own(core) => {
                let _reclaiming = core.reclaiming.lock().await;
                if core.noting.is_on() {
                    return Err(CopyError::CopiedAlready);
                }
                // Above all generations before: notes of an interrupted copy may be removed
                // meanwhile.
                let last_stamp = self.store.last_stamp().await.map_err(CopyError::Source)?;
                self.is_begun = true;
                self.set_own(core, Some(Stage::Noted), last_stamp + 1).await?;
            }
            Writers::Others => {
                let stored = read_state(self.store).await.map_err(CopyError::Source)?;
                if stored.is_some() && !is_restarted {
                    return Err(CopyError::CopiedAlready);
                }
                self.is_begun = true;
                self.store_state(stored, Some(Stage::Noted)).await?;
            }
        }
        Ok(())
    }

    /// Begins the next generation of notes, and returns the one that has ended.
    pub(super) async fn next_generation(&mut self) -> Result<u64, CopyError> {
        self.go_on(Stage::Noted).await
    }

    /// Refuses commits, and returns the last generation.
    pub(super) async fn close(&mut self) -> Result<u64, CopyError> {
        self.go_on(Stage::Closed).await
    }

    async fn go_on(&mut self, stage: Stage) -> Result<u64, CopyError> {
        let ended = self.state.generation;
        match self.writers {
            Writers::None => {}
            Writers::Own(core) => self.set_own(core, Some(stage), ended + 1).await?,
            Writers::Others => self.store_state(Some(self.state), Some(stage)).await?,
        }
        Ok(ended)
    }

    /// Marks the database as moved, for good.
    pub(super) async fn end_as_moved(&mut self) -> Result<(), CopyError> {
        match self.writers {
            Writers::None => {}
            Writers::Own(_) => {
                let moved = CopyState { stage: Stage::Moved, ..self.state };
                commit(self.store, &Keys::default(), |_, batch| {
                    batch.put(layout::copy_state(), moved.encode());
                })
                .await
                .map_err(CopyError::Source)?;
            }
            Writers::Others => self.store_state(Some(self.state), Some(Stage::Moved)).await?,
        }
        self.is_begun = false;
        Ok(())
    }

    /// Returns the current generation of notes.
    pub(super) fn generation(&self) -> u64 {
        self.state.generation
    }

    /// Removes the state, so that commits go on as if there had been no copy.
    pub(super) async fn give_up(&mut self) -> Result<(), CopyError> {
        if !std::mem::take(&mut self.is_begun) {
            return Ok(());
        }
        match self.writers {
            Writers::None => Ok(()),
            Writers::Own(core) => self.set_own(core, None, 0).await,
            Writers::Others => self.store_state(Some(self.state), None).await,
        }
    }

    /// Changes the stored state every few pages, by which servers see that the copier is alive.
    pub(super) async fn beat(&mut self) -> Result<(), CopyError> {
        self.pages += 1;
        if !matches!(self.writers, Writers::Others) || !self.pages.is_multiple_of(PAGES_OF_BEAT) {
            return Ok(());
        }
        let before = self.state;
        self.state.beat += 1;
        let (before, after) = (before.encode(), self.state.encode());
        let mut is_ours = false;
        let keys = Keys::from(vec![layout::copy_state()]);
        let beaten = commit(self.store, &keys, |current, batch| {
            // The state after the beat is also ours: an attempt of unknown outcome may have written
            // it.
            is_ours = current.iter().flatten().any(|stored| [&before, &after].contains(&stored));
            if is_ours {
                batch.put(layout::copy_state(), after.clone());
            }
        });
        beaten.await.map_err(CopyError::Source)?;
        if is_ours { Ok(()) } else { Err(CopyError::GivenUp) }
    }

    /// Sets stage and generation in this process.
    async fn set_own(
        &mut self,
        core: &Core<AnyStore>,
        stage: Option<Stage>,
        generation: u64,
    ) -> Result<(), CopyError> {
        self.state.generation = generation;
        core.noting.set(stage, generation);
        // After the sync no commit runs that saw the earlier stage.
        self.store.sync().await.map_err(CopyError::Source)
    }

    /// Replaces the stored state in a change of definitions, whose number becomes the generation.
    async fn store_state(
        &mut self,
        before: Option<CopyState>,
        stage: Option<Stage>,
    ) -> Result<(), CopyError> {
        let before = before.map(CopyState::encode);
        let mut after = self.state;
        let mut is_ours = false;
        change_definitions(self.store, layout::copy_state(), |current, number, batch| {
            let next = stage.map(|stage| CopyState { stage, generation: number, ..after });
            is_ours = current == before.as_ref();
            if !is_ours {
                return;
            }
            match next {
                Some(next) => {
                    after = next;
                    batch.put(layout::copy_state(), next.encode());
                }
                None => batch.delete(layout::copy_state()),
            }
        })
        .await
        .map_err(CopyError::Source)?;
        if !is_ours {
            // Another copy has replaced the state, or an attempt of unknown outcome has written
            // ours.
            let stored = read_state(self.store).await.map_err(CopyError::Source)?;
            let is_done = match stage {
                Some(stage) => stored.is_some_and(|stored| {
                    (stored.id, stored.stage, stored.beat) == (after.id, stage, after.beat)
                        && stored.generation > self.state.generation
                }),
                None => stored.is_none(),
            };
            if !is_done {
                return Err(CopyError::GivenUp);
            }
            after = stored.unwrap_or(after);
        }
        self.state = after;
        Ok(())
    }
}

impl Drop for Origin<'_> {
    fn drop(&mut self) {
        if let (Writers::Own(core), true) = (self.writers, self.is_begun) {
            core.noting.set(None, 0);
        }
    }
}

/// Makes a database usable again that was moved away.
///
/// # Errors
/// If the database was not moved, or if the store fails.
pub(super) async fn reopen(store: &AnyStore) -> Result<(), CopyError> {
    let stored = read_state(store).await.map_err(CopyError::Source)?;
    if stored.is_none_or(|state| state.stage != Stage::Moved) {
        return Err(CopyError::NotMoved);
    }
    change_definitions(store, layout::copy_state(), |_, _, batch| {
        batch.delete(layout::copy_state());
    })
    .await
    .map_err(CopyError::Source)
}
