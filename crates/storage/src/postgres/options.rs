//! Options for connections, groups and waits of a PostgreSQL store.

use super::placement::Placement;
use crate::Key;
use std::time::Duration;
use tokio::runtime::Handle;

/// Options of a [`PostgresStore`](crate::PostgresStore).
///
/// Of them the URL sets `schema`, `lanes`, `readers`, `places` and `sharding` by parameters of
/// these names.
#[derive(Debug, Clone)]
pub struct PostgresOptions {
    /// The schema that holds the tables: letters, digits and `_`.
    pub schema: String,
    /// Connections that commit; 1 to 64.
    pub lanes: usize,
    /// Connections that read; 1 to 256.
    pub readers: usize,
    /// Groups that are committed at once, and groups of keys that are read, as long as none is held
    /// up: `None` means half of the processors if the database has the others, else the number of
    /// connections.
    pub groups: Option<usize>,
    /// Threads that drive the connections: 1, or 2 with one of them for reads.
    pub threads: usize,
    /// A runtime that drives them instead, with time and IO enabled and threads of its own. For a
    /// server whose tasks call the store: a request then goes from task to task on one thread. It
    /// must outlive the store.
    pub runtime: Option<Handle>,
    /// Tables are created if there are none; otherwise that is
    /// [`OpenError::NoStore`](super::OpenError::NoStore).
    pub creates: bool,
    /// The number of places when the tables are created; afterwards that of the tables counts.
    pub places: u16,
    /// Placement of keys. The same for all processes that use the tables.
    pub placement: Placement,
    /// The key that nearly all commits only read and few write, which they do by declaring it; it
    /// is up to 2,000 bytes long, and its value is not empty. The same for all who use the tables.
    pub fence: Option<Key>,
    /// The bytes of a key that are indexed, when the tables are created. PostgreSQL takes at most
    /// 2,000.
    pub prefix_bytes: usize,
    /// The engine's sharding of rows.
    pub sharding: Sharding,
    /// Commits that may wait for a lane; more are refused with
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub queue_commits: usize,
    /// Bytes of declared keys that may wait for a lane, and of the decisions of waiting commits.
    pub queue_bytes: usize,
    /// Reads that may wait for a reader.
    pub queue_reads: usize,
    /// Bytes of pages that are kept to be shown again if the database says that they are the same;
    /// 0 = none is.
    pub kept_bytes: u64,
    /// Pages of fewer bytes are not cached: to ask about them costs as much as to read them.
    pub kept_page_bytes: usize,
    /// Number of commits before the first guess that keys are absent, by which a commit decides
    /// before it is sent, and the fewest after a wrong guess.
    pub early_after: u32,
    /// Commits in one transaction, at most.
    pub group_commits: usize,
    /// Bytes of the batches of one transaction, at most, unless one batch alone has more.
    pub group_bytes: usize,
    /// Most time for one attempt to connect.
    pub connect_timeout: Duration,
    /// Most time for one statement.
    pub statement_timeout: Duration,
    /// Time that a statement waits for a locked row before it is tried again.
    pub lock_timeout: Duration,
    /// Time that a lane that holds locks waits for a commit's decision.
    pub decide_timeout: Duration,
    /// Time that a read or commit waits for the database to come back.
    pub patience: Duration,
}

/// Sharding of the rows of one table, as far as reads and locks depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharding {
    /// One statement is one snapshot, as on PostgreSQL.
    None,
    /// Citus: rows of several shards are locked one by one, and are one state only while they are.
    Citus,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            schema: "hashrange".to_owned(),
            lanes: 4,
            readers: 4,
            groups: None,
            threads: 1,
            runtime: None,
            creates: true,
            places: 256,
            placement: Placement::default(),
            fence: None,
            prefix_bytes: 2_000,
            sharding: Sharding::None,
            queue_commits: 10_000,
            queue_bytes: 64 << 20,
            queue_reads: 20_000,
            kept_bytes: 64 << 20,
            kept_page_bytes: 16 << 10,
            early_after: 64,
            group_commits: 64,
            group_bytes: 8 << 20,
            connect_timeout: Duration::from_secs(5),
            statement_timeout: Duration::from_secs(15),
            lock_timeout: Duration::from_secs(4),
            decide_timeout: Duration::from_secs(5),
            patience: Duration::from_secs(10),
        }
    }
}
