//! Changes of the tables of a store that is in use, also by servers that are older than the change.
//!
//! Two numbers in the table `meta` say what the tables are:
//!
//! | row | what it says |
//! |---|---|
//! | `version` | what a program must know to use the tables; another one is refused |
//! | `revision` | how far the tables have been changed since by steps that such a program does not notice; absent: 1 |
//!
//! A server takes the steps that are missing when it opens the store, one transaction each, while others are at
//! work: a step neither takes away nor renames what the statements of an older revision use. A server that may
//! not change the tables uses them as they are. Two that come at once meet at the row of the version.
//!
//! Each lane says in its row up to which revision its program knows the tables (`lanes.knows`; 1 for programs that
//! do not say). A step that older programs would notice has to raise the version, and to wait until no lane is
//! left that knows less; there is none so far.
//!
//! Leaves the first creation, which makes the tables as the newest revision has them, to `schema.rs`.

use super::schema::FILL_FACTOR;
use std::time::Duration;
use tokio::time::sleep;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Error};

/// The revision of tables that say none, and what lanes know that do not say.
pub(super) const OLDEST: i64 = 1;

/// The newest revision of the tables that this program knows.
pub(super) const NEWEST: i64 = PAGES_HAVE_ROOM;

/// The revision from which on lanes say what they know.
pub(super) const LANES_SAY: i64 = 2;

/// The revision from which on new rows leave some of their page free.
const PAGES_HAVE_ROOM: i64 = 3;

/// How long a step waits for those who use a table: meanwhile others wait behind it.
const LOCK_TIMEOUT_MS: u64 = 500;

/// How often a step is tried that others are in the way of.
const TRIES: u32 = 10;

/// Takes the steps after revision `from`, and returns the revision that the tables then have: less than
/// [`NEWEST`] when this user may not change them, or others kept on using them.
///
/// # Errors
/// When a step fails for another reason.
pub(super) async fn go_on(client: &Client, schema: &str, from: i64) -> Result<i64, Error> {
    let mut revision = from;
    let mut tries = 0;
    while revision < NEWEST {
        match take_step(client, schema, revision).await {
            Ok(()) => revision += 1,
            Err(error) => {
                client.batch_execute("ROLLBACK").await?;
                let code = error.code();
                if code == Some(&SqlState::INSUFFICIENT_PRIVILEGE) {
                    break;
                }
                let is_in_use =
                    [SqlState::LOCK_NOT_AVAILABLE, SqlState::T_R_DEADLOCK_DETECTED].iter();
                if !is_in_use.map(Some).any(|state| state == code) {
                    return Err(error);
                }
                tries += 1;
                if tries == TRIES {
                    break;
                }
                sleep(Duration::from_millis(LOCK_TIMEOUT_MS)).await;
            }
        }
    }
    Ok(revision)
}

/// Takes the step after a revision in one transaction, unless somebody else has taken it.
async fn take_step(client: &Client, schema: &str, revision: i64) -> Result<(), Error> {
    let begin = format!(
        "BEGIN; SET LOCAL lock_timeout = {LOCK_TIMEOUT_MS}; \
         SELECT value FROM {schema}.meta WHERE name = 'version' FOR UPDATE"
    );
    client.batch_execute(&begin).await?;
    let text = format!("SELECT value FROM {schema}.meta WHERE name = 'revision'");
    let found = client.query_opt(&text, &[]).await?;
    let found = found.map_or(Ok(OLDEST), |row| row.try_get::<_, i64>(0))?;
    if found == revision {
        client.batch_execute(&step_after(schema, revision)).await?;
    }
    client.batch_execute("COMMIT").await
}

/// Returns the statements of the step after a revision, and the one that notes it.
fn step_after(schema: &str, revision: i64) -> String {
    let next = revision + 1;
    let changes = match next {
        LANES_SAY => format!(
            "ALTER TABLE {schema}.lanes ADD COLUMN IF NOT EXISTS knows bigint NOT NULL DEFAULT {OLDEST};"
        ),
        PAGES_HAVE_ROOM => {
            format!("ALTER TABLE {schema}.entries SET (fillfactor = {FILL_FACTOR});")
        }
        _ => unreachable!("no step leads to revision {next}"),
    };
    // Never back: what is printed may be run on tables that a newer program has changed.
    format!(
        "{changes}\nINSERT INTO {schema}.meta AS m VALUES ('revision', {next}) \
         ON CONFLICT (name) DO UPDATE SET value = greatest(m.value, excluded.value);\n"
    )
}

/// Returns the statements that bring tables of any revision to the newest one, for whoever has the rights.
pub(super) fn all_steps(schema: &str) -> String {
    let steps: String = (OLDEST..NEWEST).map(|revision| step_after(schema, revision)).collect();
    format!("BEGIN;\n{steps}COMMIT;\n")
}
