//! How an engine works, where that is a matter of choice.

use crate::profile::Profile;

/// Options of an [`Engine`](crate::Engine).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineOptions {
    /// Shards of a new stream that are written to side by side; at least 1.
    pub stream_shards: u32,
    /// After how many milliseconds a stream's shards are closed and succeeded by new ones.
    pub stream_shard_period_ms: u64,
    /// Whether background jobs run by themselves, on a thread; if not, whoever holds the engine
    /// calls [`Engine::run_jobs`](crate::Engine::run_jobs).
    pub jobs_run: bool,
    /// How closely the service's limits and delays are kept to.
    pub profile: Profile,
    /// What decides the choices of a profile: the same requests meet the same.
    pub seed: u64,
    /// How many milliseconds every change of a table takes, under every profile but the default one;
    /// if `None`, as long as on the service under `aws`, and three seconds under `hostile`.
    pub table_delay_ms: Option<u64>,
    /// Whether what is used of every table is summed by key, whatever Contributor Insights watches.
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
