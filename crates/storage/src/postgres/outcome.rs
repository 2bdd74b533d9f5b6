//! Finds out whether a transaction was committed whose connection was lost in its commit.
//!
//! The outcome is never guessed: each transaction of a lane sets the lane's row (`revisions.rs`) to
//! a new number. As long as the transaction goes on, the row is locked, and a statement that then
//! sets the row to another number finds the outcome. A transaction of a single statement may not
//! even have begun: it requires the number of the one before, which is gone then. All others have
//! the answer to that before they send their writes. If a transaction was cut off before `COMMIT`
//! reached the server, the server's idle timeout ends it.
//!
//! If a lane ends without removing its row, another lane that registers removes it, a day after the
//! last transaction by the database's clock. An outcome is asked for within minutes of the
//! transaction that set the row's time, and a missing row tells nothing. A lane that was idle for
//! so long inserts its row again.
//!
//! A lane takes a new row after some thousand transactions: as long as any client holds a snapshot,
//! the database keeps all versions of a row, and each transaction would pass by all of them.

use super::connect::Connection;
use super::failure::Failure;
use super::revisions::Tables;
use tokio_postgres::types::ToSql;

/// Outcome of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommitOutcome {
    Committed,
    RolledBack,
    /// The row does not tell, because another client has changed it.
    Unknown,
}

/// The token of the first row of a lane.
pub(super) const FIRST_TOKEN: i64 = 0;

/// Rows of dead lanes that one registration removes, at most: more than it adds.
const MAX_REMOVED: u32 = 16;

/// Inserts the row of a lane, with its last token, unless it exists. Removes rows of dead lanes. In
/// tables of a revision with that column, the row says which revision this program knows.
pub(super) async fn register(
    connection: &Connection,
    tables: &Tables,
    lane: &[u8],
    token: i64,
) -> Result<(), Failure> {
    let lanes = tables.lanes();
    let remove = format!(
        "DELETE FROM {lanes} WHERE lane IN (SELECT lane FROM {lanes} \
         WHERE seen < now() - interval '1 day' ORDER BY lane LIMIT {MAX_REMOVED} \
         FOR UPDATE SKIP LOCKED)"
    );
    connection.answer(connection.client.batch_execute(&remove)).await?;
    wait_for_standbys(connection, false).await?;
    put(connection, tables, lane, token).await?;
    wait_for_standbys(connection, true).await
}

/// Inserts the row of a lane unless it exists.
async fn put(
    connection: &Connection,
    tables: &Tables,
    lane: &[u8],
    token: i64,
) -> Result<(), Failure> {
    let arguments: [&(dyn ToSql + Sync); 2] = [&lane, &token];
    let put = tables.put_lane();
    connection.answer(connection.client.execute(&put, &arguments)).await.map(drop)
}

/// Replaces the row of a lane by a new one. The lane must have no transaction in doubt, so the old
/// row is not needed for an outcome any more. If the outcome of this exchange is unknown itself,
/// either row may exist, or both, and the new one can be used once it was registered.
pub(super) async fn exchange(
    connection: &Connection,
    tables: &Tables,
    [old, new]: [&[u8]; 2],
    token: i64,
) -> Result<(), Failure> {
    wait_for_standbys(connection, false).await?;
    put(connection, tables, new, token).await?;
    unregister(connection, tables, old).await
}

/// Sets whether commits of this connection wait for standbys. Changes of a lane's row alone need
/// not: whatever the lane commits afterwards reaches a standby only after the row.
async fn wait_for_standbys(connection: &Connection, wait: bool) -> Result<(), Failure> {
    let text = if wait { "RESET synchronous_commit" } else { "SET synchronous_commit = local" };
    connection.answer(connection.client.batch_execute(text)).await
}

/// Removes the row of a lane that ends.
pub(super) async fn unregister(
    connection: &Connection,
    tables: &Tables,
    lane: &[u8],
) -> Result<(), Failure> {
    wait_for_standbys(connection, false).await?;
    let text = format!("DELETE FROM {} WHERE lane = $1", tables.lanes());
    connection.answer(connection.client.execute(&text, &[&lane])).await?;
    wait_for_standbys(connection, true).await
}

/// Asks for the outcome of the transaction `token` of a lane whose last one before was `before`. If
/// it was not committed, it never will be: the lane's row then has the token `after`.
pub(super) async fn ask(
    connection: &Connection,
    tables: &Tables,
    lane: &[u8],
    [before, token, after]: [i64; 3],
) -> Result<CommitOutcome, Failure> {
    let lanes = tables.lanes();
    let text = format!("UPDATE {lanes} SET token = $3 WHERE lane = $1 AND token = $2");
    let arguments: [&(dyn ToSql + Sync); 3] = [&lane, &before, &after];
    let set = connection.answer(connection.client.execute(&text, &arguments)).await?;
    if set == 1 {
        return Ok(CommitOutcome::RolledBack);
    }
    let text = format!("SELECT token FROM {lanes} WHERE lane = $1 FOR UPDATE");
    let rows = connection.answer(connection.client.query(&text, &[&lane])).await?;
    let found = rows.first().and_then(|row| row.try_get::<_, i64>(0).ok());
    Ok(match found {
        Some(found) if found == token => CommitOutcome::Committed,
        // An earlier call set it, and its answer was lost.
        Some(found) if found == after => CommitOutcome::RolledBack,
        _ => CommitOutcome::Unknown,
    })
}
