//! Whether a transaction was committed whose connection was lost in its commit.
//!
//! Never guessed: each transaction of a lane first sets the lane's row in `lanes` to a new number, and has
//! the answer to that before it sends anything else. So until the old transaction has ended its row is
//! locked, and who reads the row for update reads what has become of it. The server ends a transaction
//! that was cut off before `COMMIT` reached it by its idle timeout.

use super::connect::Connection;
use super::failure::Failure;

/// What has become of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Committed,
    RolledBack,
    /// The row does not tell: somebody else has changed it.
    Unknown,
}

/// Puts the row of a lane there if it is not.
pub(super) async fn register(
    connection: &Connection,
    schema: &str,
    lane: &[u8],
) -> Result<(), Failure> {
    let text =
        format!("INSERT INTO {schema}.lanes (lane, token) VALUES ($1, 0) ON CONFLICT DO NOTHING");
    connection.answer(connection.client.execute(&text, &[&lane])).await.map(drop)
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

/// Asks what has become of the transaction `token` of a lane whose last one before was `before`.
pub(super) async fn ask(
    connection: &Connection,
    schema: &str,
    lane: &[u8],
    before: i64,
    token: i64,
) -> Result<Outcome, Failure> {
    let text = format!("SELECT token FROM {schema}.lanes WHERE lane = $1 FOR UPDATE");
    let rows = connection.answer(connection.client.query(&text, &[&lane])).await?;
    let found = rows.first().and_then(|row| row.try_get::<_, i64>(0).ok());
    Ok(match found {
        Some(found) if found == token => Outcome::Committed,
        Some(found) if found == before => Outcome::RolledBack,
        _ => Outcome::Unknown,
    })
}
