//! Decides writes on the present state without committing them, for explanations.

use super::claims::places_of;
use super::commit::{declared_keys, stored_versions};
use super::decide::decide_apart;
use super::draws::Draws;
use super::moment::Stamps;
use super::numbered::Numbered;
use super::{Attempt, Circumstances, Write};
use crate::core::Core;
use crate::fault;
use crate::filling::{Fillings, key_of};
use crate::schema::Table;
use hashrange_model::ApiResult;
use hashrange_storage::{Batch, Store, View};

impl<S: Store> Core<S> {
    /// Decides writes as [`write_apart`](Self::write_apart) does, each by itself, on one view. The
    /// keys must be distinct.
    pub(crate) async fn rehearse(&self, writes: &[(&Table, Write<'_>)]) -> ApiResult<Vec<Attempt>> {
        let tables = || writes.iter().map(|(table, _)| *table);
        let numbered = Numbered::of(self, writes).await?;
        let view = self.view().await?;
        let stored = view.get_many(&declared_keys(writes, &numbered, None)).await;
        let stored = stored.map_err(|error| fault::of_tables(tables(), error))?;
        let places = places_of(writes);
        let keys: Vec<_> = places.iter().copied().map(key_of).collect();
        let filled = view.get_many(&keys).await.map_err(fault::of_store)?;
        let fillings = Fillings::read(&places, &filled).map_err(|key| fault::of_value(&key))?;
        let clock = &*self.environment.now_ms;
        let stamps = Stamps::of_commit(writes, &numbered, &stored, clock);
        let stamps = stamps.map_err(|key| fault::of_value(&key))?;
        let draws = Draws::of(writes, &self.environment);
        let (items, versions) = stored_versions(writes, &numbered, &stored);
        let revisions = numbered.read(items, versions).unwrap_or_default();
        let circumstances = Circumstances { clock, draws, fillings, stamps, revisions };
        decide_apart(writes, &stored, &circumstances, &mut Batch::new(), None)
    }
}
