//! Whether a transaction was committed whose connection was lost in its commit.
//!
//! Never guessed: each transaction of a lane first sets the lane's row in `lanes` to a new number, its token, which stays
//! if it is committed. Who asks puts another number there unless the token is there, and waits for that until the
//! old transaction has ended, if it has begun: it has locked the row. From then on it cannot be committed:
//! - one whose commit was sent after the answer to the token had it, so it has begun;
//! - one that sent everything at once (`early.rs`) sets the token only instead of the one before, which is gone. So it
//!   fails also if its bytes are read after the question.
//!
//! The server ends a transaction that was cut off before `COMMIT` reached it by its idle timeout.
//!
//! Rows of lanes that ended without removing theirs are removed by others that register, a day after the last
//! transaction by the database's clock. An outcome is asked for within minutes of the transaction that set the
//! row's time, and one that is gone tells nothing. A lane that was idle for so long puts its row there again.

use super::connect::Connection;
use super::failure::Failure;
use super::revisions;
use super::statements::ALSO_BY_ITSELF;

/// What has become of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Committed,
    RolledBack,
    /// The row does not tell: somebody else has changed it.
    Unknown,
}

/// The tokens of a lane's row, by which it is told what has become of a transaction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tokens {
    /// The token of the last one that was committed.
    pub(super) before: i64,
    pub(super) asked: i64,
    /// No transaction's: what the row has afterwards if the one that is asked for was rolled back.
    pub(super) fence: i64,
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
    connection.answer(connection.client.batch_execute(ALSO_BY_ITSELF)).await?;
    connection.answer(connection.client.execute(&text, &[&lane])).await.map(drop)
}

/// Asks what has become of a transaction of a lane. May be asked again with the same tokens if the answer is lost.
pub(super) async fn ask(
    connection: &Connection,
    schema: &str,
    lane: &[u8],
    Tokens { before, asked, fence }: Tokens,
) -> Result<Outcome, Failure> {
    let client = &connection.client;
    let text = format!("UPDATE {schema}.lanes SET token = $3 WHERE lane = $1 AND token = $2");
    let fenced = connection.answer(client.execute(&text, &[&lane, &before, &fence])).await?;
    if fenced == 1 {
        return Ok(Outcome::RolledBack);
    }
    let text = format!("SELECT token FROM {schema}.lanes WHERE lane = $1");
    let rows = connection.answer(client.query(&text, &[&lane])).await?;
    let found = rows.first().and_then(|row| row.try_get::<_, i64>(0).ok());
    Ok(match found {
        Some(found) if found == asked => Outcome::Committed,
        Some(found) if found == fence => Outcome::RolledBack,
        _ => Outcome::Unknown,
    })
}
