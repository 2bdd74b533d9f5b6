//! Replaces shards of streams that have been open for long by new ones.

use super::{Background, Interruption};
use crate::change_log;
use hashrange_storage::Store;

/// Replaces the shards that are due. Reads only memory as long as none are due.
pub(super) async fn run<S: Store>(background: &Background<S>) -> Result<(), Interruption> {
    let core = &*background.core;
    let now_ms = (core.environment.now_ms)();
    for known in core.catalog.all() {
        if !background.servers.is_mine(core, known.id()) {
            continue;
        }
        let settings = known.record.stream.as_ref().filter(|settings| settings.enabled);
        let since_ms = settings.map_or(u64::MAX, |settings| settings.open_since_ms);
        if now_ms < since_ms.saturating_add(core.options.stream_shard_period_ms) {
            continue;
        }
        let _definitions = core.lock_definitions().await.map_err(Interruption::Definition)?;
        let Some(table) = core.catalog.get(&known.record.name) else { continue };
        if table.record.stream != known.record.stream {
            continue;
        }
        let succeeded = match change_log::succeed_shards(core, &table).await {
            Ok(Some(ended)) => {
                background.close_shards(ended).await;
                Ok(())
            }
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        };
        background.failures.note("succession of shards", &table.record.name, succeeded);
    }
    Ok(())
}
