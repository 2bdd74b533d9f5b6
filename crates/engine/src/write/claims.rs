//! Writes that meet a claim on their key, by a job that fills an index ([`crate::filling`]).

use super::Write;
use crate::core::Core;
use crate::fault;
use crate::filling::{Filled, FillingIndex};
use crate::schema::{IndexState, Table};
use bytes::Bytes;
use hashrange_model::ApiResult;
use hashrange_storage::{Error, Key, Store};

/// Number of claims that a write meets before it breaks one. The write waits for the end of claims
/// of this server, so a claim that lasts is another server's, which may have died.
const CLAIMS_MET_MAX: usize = 50;

/// Returns the indexes of the tables of some writes that are being filled, in order, each once.
pub(super) fn places_of(writes: &[(&Table, Write<'_>)]) -> Vec<FillingIndex> {
    let mut places = Vec::new();
    for (table, _) in writes.iter().filter(|(table, _)| table.is_being_indexed) {
        let filling = table.indexes.iter().filter(|index| index.state == IndexState::Creating);
        places.extend(filling.map(|index| (table.id(), index.id)));
    }
    places.sort_unstable();
    places.dedup();
    places
}

impl<S: Store> Core<S> {
    /// Removes a claim, if it is still the stored one.
    pub(crate) async fn end_claim(&self, key: &Key, claim: &Bytes) -> Result<(), Error> {
        self.commit(
            || vec![key.clone()],
            |current, batch| {
                if current[0].as_ref() == Some(claim)
                    && let Ok(filled) = Filled::decode(Some(claim))
                {
                    batch.put(key.clone(), filled.unclaimed().encode());
                }
            },
        )
        .await
    }

    /// Waits for the end of a claim, the last of `met`, and breaks it if that takes too long.
    pub(super) async fn await_end_of_claim(
        &self,
        (key, claim): &(Key, Bytes),
        met: usize,
    ) -> ApiResult<()> {
        drop(self.claiming.read().await);
        if met.is_multiple_of(CLAIMS_MET_MAX) {
            tracing::warn!(met, "a claim of whoever fills an index is broken");
            self.end_claim(key, claim).await.map_err(fault::of_store)?;
        }
        Ok(())
    }
}
