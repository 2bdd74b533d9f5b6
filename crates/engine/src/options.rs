//! Options of an engine.

use crate::profile::Profile;

/// Options of an [`Engine`](crate::Engine).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineOptions {
    /// Shards of a new stream that are open at the same time; at least 1.
    pub stream_shards: u32,
    /// Period after which new shards replace a stream's open ones, milliseconds.
    pub stream_shard_period_ms: u64,
    /// True if background jobs run on threads of the engine; if not, the owner of the engine calls
    /// [`Engine::run_jobs`](crate::Engine::run_jobs).
    pub jobs_run: bool,
    /// Profile: which of the service's limits and delays apply.
    pub profile: Profile,
    /// Seed of the random choices of a profile: the same requests get the same choices.
    pub seed: u64,
    /// Duration of every change of a table, milliseconds, under every profile but the default one;
    /// if `None`, as on the service under `aws`, and three seconds under `hostile`.
    pub table_delay_ms: Option<u64>,
    /// True to record the use of every table by key, whatever Contributor Insights watches.
    pub heat: bool,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            stream_shards: 4,
            stream_shard_period_ms: 4 * 60 * 60 * 1000,
            jobs_run: true,
            profile: Profile::Default,
            seed: 0,
            table_delay_ms: None,
            heat: false,
        }
    }
}
