//! State that all lanes and readers of a store share.

use super::ages::AgesSeen;
use super::connect::Connector;
use super::fence::Fence;
use super::guesses::Guesses;
use super::health::Health;
use super::keys::Layout;
use super::options::PostgresOptions;
use super::page_cache::PageCache;
use super::queue::Queue;
use super::revisions::Tables;
use super::sizes::Sizes;
use super::traffic::Counts;
use std::time::Duration;
use tokio::sync::watch;

/// Least time for the database to answer a commit that was taken late.
pub(super) const GRACE: Duration = Duration::from_secs(2);

/// State that all lanes and readers share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) connector: Connector,
    pub(super) options: PostgresOptions,
    pub(super) layout: Layout,
    /// The tables as of the opening.
    pub(super) tables: Tables,
    pub(super) fence: Fence,
    pub(super) counts: Counts,
    pub(super) commits: Queue,
    /// Health of the lanes.
    pub(super) health: Health,
    /// Sizes of the values that were read.
    pub(super) sizes: Sizes,
    /// Pages that were read.
    pub(super) kept: PageCache,
    pub(super) guesses: Guesses,
    pub(super) ages: AgesSeen,
    /// Set when the lanes are to end.
    pub(super) ending: watch::Sender<bool>,
    /// Set when all tasks are to end.
    pub(super) dropped: watch::Sender<bool>,
    /// The number of lanes that have not ended.
    pub(super) living: watch::Sender<usize>,
}
