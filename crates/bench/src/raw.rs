//! The raw engine: fjall as it comes, with the simplest group commit for writes.

use bytes::Bytes;
use fjall::{Database, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode};
use std::path::Path;
use std::thread::JoinHandle;
use tokio::sync::{mpsc, oneshot};

/// The keyspace of the product's store.
const KEYSPACE: &str = "data";
/// Minimum size of an item's value.
const ITEM_MIN_BYTES: usize = 900;
/// The most writes committed together.
const GROUP_MAX: usize = 1024;

/// A raw engine in a folder.
pub struct Raw {
    database: Database,
    keyspace: Keyspace,
}

impl Raw {
    /// Opens the engine at `path`, creating it when it does not exist.
    pub fn open(path: &Path, cache_bytes: u64) -> Result<Self, String> {
        let open = || {
            let builder = Database::builder(path).cache_size(cache_bytes);
            let database = builder.manual_journal_persist(true).open()?;
            let keyspace = database.keyspace(KEYSPACE, KeyspaceCreateOptions::default)?;
            Ok(Self { database, keyspace })
        };
        open().map_err(|error: fjall::Error| error.to_string())
    }

    /// Returns the keys of all items, in order.
    pub fn item_keys(&self) -> Result<Vec<Vec<u8>>, String> {
        let mut keys = Vec::new();
        for entry in self.keyspace.iter() {
            let (key, value) = entry.into_inner().map_err(|error| error.to_string())?;
            if value.len() >= ITEM_MIN_BYTES {
                keys.push(key.to_vec());
            }
        }
        Ok(keys)
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &[u8]) -> Result<Option<fjall::Slice>, String> {
        self.keyspace.get(key).map_err(|error| error.to_string())
    }

    /// Returns the bytes of the first `count` values from `key` on.
    pub fn read_range(&self, key: &[u8], count: usize) -> Result<usize, String> {
        let mut bytes = 0;
        for entry in self.keyspace.range(key..).take(count) {
            let (_, value) = entry.into_inner().map_err(|error| error.to_string())?;
            bytes += std::hint::black_box(&value).len();
        }
        Ok(bytes)
    }
}

/// One write and the channel that reports when it is on disk.
type Write = (Vec<u8>, Bytes, oneshot::Sender<()>);

/// The simplest group commit: a channel, one thread, an answer for each write.
pub struct GroupCommit {
    sender: Option<mpsc::UnboundedSender<Write>>,
    committer: Option<JoinHandle<()>>,
}

impl GroupCommit {
    /// Starts the committer of an engine.
    pub fn start(raw: Raw) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        let committer = std::thread::spawn(move || commit_groups(&raw, receiver));
        Self { sender: Some(sender), committer: Some(committer) }
    }

    /// Writes one value and returns when it is on disk.
    pub async fn put(&self, key: Vec<u8>, value: Bytes) -> Result<(), String> {
        let (answer, answered) = oneshot::channel();
        let sender = self.sender.as_ref().ok_or("the committer has ended")?;
        sender.send((key, value, answer)).map_err(|_| "the committer has ended")?;
        answered.await.map_err(|_| "a raw commit failed".to_owned())
    }
}

impl Drop for GroupCommit {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(committer) = self.committer.take() {
            // The writers know of a failure already.
            drop(committer.join());
        }
    }
}

/// Commits until no writer is left or a commit fails.
fn commit_groups(raw: &Raw, mut receiver: mpsc::UnboundedReceiver<Write>) {
    let mut group = Vec::new();
    while receiver.blocking_recv_many(&mut group, GROUP_MAX) > 0 {
        let mut batch = OwnedWriteBatch::with_capacity(raw.database.clone(), group.len())
            .durability(Some(PersistMode::SyncData));
        let mut answers = Vec::with_capacity(group.len());
        for (key, value, answer) in group.drain(..) {
            batch.insert(&raw.keyspace, key, value);
            answers.push(answer);
        }
        if batch.commit().is_err() {
            return;
        }
        for answer in answers {
            // The writer may have given up.
            answer.send(()).unwrap_or_default();
        }
    }
}
