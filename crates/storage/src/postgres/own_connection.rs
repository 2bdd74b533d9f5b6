//! Work beside lanes and readers, on a connection of its own: for a copy of the whole store, not
//! for requests.
//!
//! Does not try again: the caller begins the copy again.

use super::connect::{Connection, Connector};
use super::failure::Failure;
use super::keys::{Layout, unreadable};
use super::rows::stamp_row;
use super::shared::Shared;
use super::statements;
use crate::{Error, Held, Key};
use bytes::Bytes;
use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_postgres::types::ToSql;

/// Interval at which a transaction that holds a key shows that it is alive: shorter than the
/// server's limit for idle ones.
const SHOWN_EVERY: Duration = Duration::from_secs(3);

/// Prefixes raised by one statement.
const PREFIXES_AT_ONCE: usize = 1_000;

/// Returns the greatest stamp given to any prefix.
pub(super) async fn last_stamp(shared: &Arc<Shared>, driver: &Handle) -> Result<u64, Error> {
    let shared = Arc::clone(shared);
    on(driver, async move {
        let connection = connect(&shared.connector).await?;
        let text = statements::last_stamp(&shared.options.schema);
        let row = answer(&connection, connection.client.query_one(&text, &[])).await?;
        let last: i64 = row.try_get(0).map_err(unreadable)?;
        Ok(u64::try_from(last).unwrap_or(0))
    })
    .await
}

/// Makes the next stamps of prefixes greater than one.
pub(super) async fn raise_stamps(
    shared: &Arc<Shared>,
    driver: &Handle,
    prefixes: &[Key],
    stamp: u64,
) -> Result<(), Error> {
    let last = i64::try_from(stamp).map_err(|_| {
        Error::failed("raise commit stamps", "there are no greater ones in this database")
    })?;
    // In the order of the primary key, each once.
    let rows: BTreeSet<_> = prefixes.iter().map(|prefix| row_of(prefix, &shared.layout)).collect();
    let shared = Arc::clone(shared);
    on(driver, async move {
        let connection = connect(&shared.connector).await?;
        let text = statements::raise_to(&shared.options.schema);
        let rows: Vec<_> = rows.into_iter().collect();
        for rows in rows.chunks(PREFIXES_AT_ONCE) {
            let places: Vec<i16> = rows.iter().map(|(place, _)| *place).collect();
            let names: Vec<&[u8]> = rows.iter().map(|(_, name)| &name[..]).collect();
            let stamps = vec![last; rows.len()];
            let columns: [&(dyn ToSql + Sync); 3] = [&places, &names, &stamps];
            answer(&connection, connection.client.execute(&text, &columns)).await?;
        }
        Ok(())
    })
    .await
}

fn row_of(prefix: &Key, layout: &Layout) -> (i16, Vec<u8>) {
    (layout.place(prefix), stamp_row(&Bytes::copy_from_slice(prefix), layout))
}

/// Locks the row of a key until the returned guard is released or dropped.
pub(super) async fn hold(shared: &Arc<Shared>, driver: &Handle, key: &[u8]) -> Result<Held, Error> {
    let located = shared.layout.locate(Bytes::copy_from_slice(key));
    let (locked, is_locked) = oneshot::channel();
    let (release, released) = oneshot::channel::<()>();
    let (ended, end) = oneshot::channel();
    let shared = Arc::clone(shared);
    driver.spawn(async move {
        let begun = async {
            let connection = connect(&shared.connector).await?;
            let mut begin = "BEGIN".to_owned();
            if shared.fence.is_at(&located.key) {
                begin = format!("BEGIN; {}", shared.fence.lock());
            }
            answer(&connection, connection.client.batch_execute(&begin)).await?;
            let text = statements::lock_row(&shared.options.schema);
            let (prefix, tail) = (located.prefix(), located.tail());
            let row: [&(dyn ToSql + Sync); 3] = [&located.place, &prefix, &tail];
            answer(&connection, connection.client.query(&text, &row)).await?;
            Ok(connection)
        };
        let connection = match begun.await {
            Ok(connection) => connection,
            Err(error) => return drop(locked.send(Err(error))),
        };
        if locked.send(Ok(())).is_ok() {
            // If the lock was dropped, nobody listens.
            drop(ended.send(keep(&connection, released).await));
        }
    });
    let gone = |_| Error::Closed;
    is_locked.await.map_err(gone)??;
    Ok(Held::until(async move {
        // If nobody listens, the task has ended, and its result says why.
        release.send(()).ok();
        end.await.map_err(gone)?
    }))
}

/// Keeps a transaction alive until its lock is released or dropped.
async fn keep(connection: &Connection, mut released: oneshot::Receiver<()>) -> Result<(), Error> {
    let client = &connection.client;
    while timeout(SHOWN_EVERY, &mut released).await.is_err() {
        answer(connection, client.batch_execute("SELECT 1")).await?;
    }
    // A transaction that was ended meanwhile refuses the first of them.
    answer(connection, client.batch_execute("SELECT 1")).await?;
    answer(connection, client.batch_execute("ROLLBACK")).await
}

async fn connect(connector: &Connector) -> Result<Connection, Error> {
    let connected = connector.connect().await;
    connected.map_err(|error| Error::Unavailable { what: error.to_string() })
}

async fn answer<T>(
    connection: &Connection,
    answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, Error> {
    connection.answer(answer).await.map_err(Failure::into_error)
}

/// Runs a task on the store's thread, because callers of the store may have no runtime.
async fn on<T: Send + 'static>(
    driver: &Handle,
    task: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Error> {
    let (reply, done) = oneshot::channel();
    driver.spawn(async move { drop(reply.send(task.await)) });
    // If the store's thread ends, it drops the sender without an answer.
    done.await.unwrap_or(Err(Error::Closed))
}
