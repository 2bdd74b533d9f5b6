//! Closes the shards of a stream to which its table no longer writes: at once, with the change of
//! definition that ended them, or, if that fails, in a job. The table's record, or its absence,
//! shows which shards are to be closed.

use super::retries::Attempt;
use super::{Background, Interruption, Job};
use crate::change_log::{self, EndedShards};
use crate::core::Core;
use crate::fault;
use hashrange_storage::Store;

impl<S: Store> Background<S> {
    /// Closes shards that a change of definition has ended. The change is done and recorded: if the
    /// closing fails now, a job repeats it. The caller holds `definitions`.
    pub(crate) async fn close_shards(&self, ended: EndedShards) {
        let core = &*self.core;
        core.doubt_definitions();
        let closed = self.caught(async {
            core.store.sync().await.map_err(fault::of_store)?;
            change_log::close_shards(core, &ended.table_name, &ended.label).await
        });
        let ended_with = closed.await;
        // The closing is done, or a job in memory will do it.
        core.trust_definitions();
        let problem = match ended_with {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(panicked) => Some(panicked.to_string()),
        };
        if let Some(problem) = problem {
            let (table, label) = (&ended.table_name, &ended.label);
            tracing::warn!(problem, table, label, "shards are closed later");
            let attempt = Attempt::first(Job::CloseShards(ended));
            self.retries.put_off(attempt, (core.environment.now_ms)());
        }
    }
}

pub(super) async fn run<S: Store>(core: &Core<S>, ended: &EndedShards) -> Result<(), Interruption> {
    let _definitions = core.lock_definitions().await.map_err(Interruption::Definition)?;
    let closed = change_log::close_shards(core, &ended.table_name, &ended.label);
    closed.await.map_err(Interruption::Definition)?;
    core.trust_definitions();
    Ok(())
}
