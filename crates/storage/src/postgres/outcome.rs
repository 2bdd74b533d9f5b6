//! Whether a transaction was committed whose connection was lost in its commit.
//!
//! Never guessed: each transaction of a lane sets the lane's row in `lanes` to a new number. So as long as it goes on
//! the row is locked, and who then sets the row to another number finds what has become of it. One that is a single
//! statement may not even have begun: it requires the number of the one before, which is gone then. All others have
//! the answer to that before they send what they write. The server ends a transaction that was cut off before `COMMIT`
//! reached it by its idle timeout.
//!
//! Rows of lanes that ended without removing theirs are removed by others that register, a day after the last
//! transaction by the database's clock. An outcome is asked for within minutes of the transaction that set the
//! row's time, and one that is gone tells nothing. A lane that was idle for so long puts its row there again.

use super::connect::Connection;
use super::failure::Failure;
use super::revisions;
use tokio_postgres::types::ToSql;

/// What has become of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Committed,
    RolledBack,
    /// The row does not tell: somebody else has changed it.
    Unknown,
}

/// The token of a row that no transaction has set.
pub(super) const FIRST_TOKEN: i64 = 0;

/// Rows of dead lanes that one registration removes, at most: more than it adds.
const MAX_REMOVED: u32 = 16;

/// Puts the row of a lane there if it is not, and returns whether it was not. Removes rows of dead lanes. The row
/// of tables of a revision that has it says what this program knows.
pub(super) async fn register(
    connection: &Connection,
    schema: &str,
    lane: &[u8],
    revision: i64,
) -> Result<bool, Failure> {
    let remove = format!(
        "DELETE FROM {schema}.lanes WHERE lane IN (SELECT lane FROM {schema}.lanes \
         WHERE seen < now() - interval '1 day' ORDER BY lane LIMIT {MAX_REMOVED} \
         FOR UPDATE SKIP LOCKED)"
    );
    let insert = if revision >= revisions::LANES_SAY {
        format!("(lane, token, knows) VALUES ($1, {FIRST_TOKEN}, {})", revisions::NEWEST)
    } else {
        format!("(lane, token) VALUES ($1, {FIRST_TOKEN})")
    };
    let insert = format!("INSERT INTO {schema}.lanes {insert} ON CONFLICT DO NOTHING");
    connection.answer(connection.client.batch_execute(&remove)).await?;
    let inserted = connection.answer(connection.client.execute(&insert, &[&lane])).await?;
    Ok(inserted == 1)
}

/// Takes the row of a lane away that ends.
pub(super) async fn unregister(
    connection: &Connection,
    schema: &str,
    lane: &[u8],
) -> Result<(), Failure> {
    let text = format!("DELETE FROM {schema}.lanes WHERE lane = $1");
    connection.answer(connection.client.execute(&text, &[&lane])).await.map(drop)
}

/// Asks what has become of the transaction `token` of a lane whose last one before was `before`. If it was not committed
/// it never will be: the lane's row has the token `after` then.
pub(super) async fn ask(
    connection: &Connection,
    schema: &str,
    lane: &[u8],
    [before, token, after]: [i64; 3],
) -> Result<Outcome, Failure> {
    let text = format!("UPDATE {schema}.lanes SET token = $3 WHERE lane = $1 AND token = $2");
    let arguments: [&(dyn ToSql + Sync); 3] = [&lane, &before, &after];
    let set = connection.answer(connection.client.execute(&text, &arguments)).await?;
    if set == 1 {
        return Ok(Outcome::RolledBack);
    }
    let text = format!("SELECT token FROM {schema}.lanes WHERE lane = $1 FOR UPDATE");
    let rows = connection.answer(connection.client.query(&text, &[&lane])).await?;
    let found = rows.first().and_then(|row| row.try_get::<_, i64>(0).ok());
    Ok(match found {
        Some(found) if found == token => Outcome::Committed,
        // It was set before, and the answer was lost.
        Some(found) if found == after => Outcome::RolledBack,
        _ => Outcome::Unknown,
    })
}
