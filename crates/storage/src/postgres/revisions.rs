//! Changes of the tables of a store that is in use, also by servers older than the change.
//!
//! Two numbers in the table `meta` describe the tables:
//!
//! | row | meaning |
//! |---|---|
//! | `version` | version that a program must know to use the tables; it refuses any other one |
//! | `revision` | last step that has changed the tables without the notice of such a program;
//! absent: 1 |
//!
//! A server takes the missing steps when it opens the store, one transaction each, while others are
//! at work: a step neither removes nor renames anything that the statements of an older revision
//! use. A server that may not change the tables uses them as they are. Two servers that come at
//! once meet at the row of the version.
//!
//! Each lane's row says up to which revision its program knows the tables (`lanes.knows`; 1 for
//! programs that do not say). A step that older programs would notice raises the version, and waits
//! until no lane is left that knows less. Such is the one to version 2: programs of version 1 write
//! the fence and do not know its copies (`fence.rs`). Their lanes stand in the table `lanes`, those
//! of later ones in `writers`. As long as a transaction of the former began a moment ago, both are
//! at work. After that the step drops the table `lanes`: an older program that was overlooked can
//! then commit nothing any more, and no further one starts.
//!
//! Leaves to `schema.rs` the first creation, which makes the tables of the newest revision.

use super::fence::bytes_literal;
use super::schema::FILL_FACTOR;
use crate::Key;
use std::time::Duration;
use tokio::time::sleep;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Error};

/// The revision of tables, and of lanes' programs, that have no number.
pub(super) const OLDEST: i64 = 1;

/// The newest revision of the tables that this program knows.
pub(super) const NEWEST: i64 = LANES_FENCE;

/// The revision from which on the rows of lanes have that number.
pub(super) const LANES_SAY: i64 = 2;

/// The revision from which on new rows leave some of their page free.
const PAGES_HAVE_ROOM: i64 = 3;

/// The revision from which on lanes have rows with copies of the fence.
const LANES_FENCE: i64 = 4;

/// The version of tables for programs that do not know copies of the fence.
pub(super) const BEFORE_FENCE: i64 = 1;

/// The version of tables for programs that write the copies, and only for those.
pub(super) const SINCE_FENCE: i64 = 2;

/// An older program is at work if one of its lanes has begun a transaction since: servers do so
/// every few seconds.
const OLDER_AT_WORK: &str = "5 minutes";

/// Time that a step waits for other users of a table, while further ones wait behind it.
const LOCK_TIMEOUT_MS: u64 = 500;

/// Tries of a step that other users are in the way of.
const TRIES: u32 = 10;

/// The tables of a schema, as far as statements differ by their revision.
#[derive(Debug, Clone)]
pub(super) struct Tables {
    pub(super) schema: String,
    revision: i64,
}

impl Tables {
    pub(super) fn new(schema: &str, revision: i64) -> Self {
        Self { schema: schema.to_owned(), revision }
    }

    /// Returns whether lanes have copies of the fence.
    pub(super) fn has_fence(&self) -> bool {
        self.revision >= LANES_FENCE
    }

    /// Returns the table with the rows of lanes.
    pub(super) fn lanes(&self) -> String {
        format!("{}.{}", self.schema, if self.has_fence() { "writers" } else { "lanes" })
    }

    /// Returns the column of a lane's row with the copy of the fence.
    pub(super) fn fence_copy(&self) -> &'static str {
        if self.has_fence() { "fence" } else { "NULL::bytea" }
    }

    /// Returns the statement that puts the row of lane `$1` with token `$2` there if it is not.
    pub(super) fn put_lane(&self) -> String {
        let (schema, lanes) = (&self.schema, self.lanes());
        match self.revision {
            LANES_FENCE.. => format!(
                "INSERT INTO {lanes} (lane, token, knows, fence) \
                 (SELECT $1::bytea, $2::bigint, {NEWEST}, value FROM {schema}.fence FOR SHARE) ON CONFLICT DO NOTHING"
            ),
            LANES_SAY.. => format!(
                "INSERT INTO {lanes} (lane, token, knows) VALUES ($1, $2, {NEWEST}) ON CONFLICT DO NOTHING"
            ),
            _ => {
                format!("INSERT INTO {lanes} (lane, token) VALUES ($1, $2) ON CONFLICT DO NOTHING")
            }
        }
    }
}

/// Shuts out programs that know no copies of the fence, unless one is at work, and returns the
/// version that the tables then have.
///
/// # Errors
/// An error, except for want of rights or because others use the tables.
pub(super) async fn shut_out_older(
    client: &Client,
    schema: &str,
    fence: Option<&Key>,
) -> Result<i64, Error> {
    let text = format!(
        "BEGIN; SET LOCAL lock_timeout = {LOCK_TIMEOUT_MS}; {} COMMIT",
        shut_out(schema, fence)
    );
    if let Err(error) = client.batch_execute(&text).await {
        client.batch_execute("ROLLBACK").await?;
        let goes_on = [
            SqlState::INSUFFICIENT_PRIVILEGE,
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::T_R_DEADLOCK_DETECTED,
        ];
        if !goes_on.iter().any(|state| error.code() == Some(state)) {
            return Err(error);
        }
    }
    version(client, schema).await
}

/// Returns the version of the tables.
pub(super) async fn version(client: &Client, schema: &str) -> Result<i64, Error> {
    let text = format!("SELECT value FROM {schema}.meta WHERE name = 'version'");
    client.query_one(&text, &[]).await?.try_get(0)
}

/// Returns the statement that drops the table of older programs' lanes, unless one is at work, and
/// makes the copies valid for reads of the fence.
fn shut_out(schema: &str, fence: Option<&Key>) -> String {
    let value = fence.map_or_else(
        || "''::bytea".to_owned(),
        |key| {
            format!(
                "coalesce((SELECT e.value FROM {schema}.entries e WHERE e.place IN \
                 (SELECT generate_series(0, m.value - 1)::smallint FROM {schema}.meta m WHERE m.name = 'places') \
                 AND e.prefix = {} AND e.tail = ''::bytea), ''::bytea)",
                bytes_literal(key)
            )
        },
    );
    let is_at_work = format!(
        "IF to_regclass('{schema}.lanes') IS NULL THEN RETURN; END IF;
IF EXISTS (SELECT 1 FROM {schema}.lanes WHERE seen > now() - interval '{OLDER_AT_WORK}') THEN RETURN; END IF;"
    );
    // Looked for without a lock first, because others would wait behind it.
    format!(
        "DO $$ BEGIN
{is_at_work}
PERFORM 1 FROM {schema}.fence FOR UPDATE;
{is_at_work}
LOCK TABLE {schema}.lanes IN ACCESS EXCLUSIVE MODE;
{is_at_work}
UPDATE {schema}.fence SET value = {value};
UPDATE {schema}.writers SET fence = f.value FROM {schema}.fence f;
DROP TABLE {schema}.lanes;
UPDATE {schema}.meta SET value = {SINCE_FENCE} WHERE name = 'version' AND value < {SINCE_FENCE};
END $$;
"
    )
}

/// Takes the steps after revision `from`, and returns the revision that the tables then have: less
/// than [`NEWEST`] when this user may not change them, or others kept on using them.
///
/// # Errors
/// A step fails for another reason.
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

/// Takes the step after a revision in one transaction, unless another server has taken it.
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
            "ALTER TABLE IF EXISTS {schema}.lanes ADD COLUMN IF NOT EXISTS knows bigint NOT NULL DEFAULT {OLDEST};"
        ),
        PAGES_HAVE_ROOM => {
            format!("ALTER TABLE {schema}.entries SET (fillfactor = {FILL_FACTOR});")
        }
        LANES_FENCE => fenced_tables(schema) + &vacuum(schema) + &grants_as_before(schema),
        _ => unreachable!("no step leads to revision {next}"),
    };
    // Never lowers the revision: the printed statements may be run on tables that a newer program
    // has changed.
    format!(
        "{changes}\nINSERT INTO {schema}.meta AS m VALUES ('revision', {next}) \
         ON CONFLICT (name) DO UPDATE SET value = greatest(m.value, excluded.value);\n"
    )
}

/// Returns the statements that create the tables of the fence.
pub(super) fn fenced_tables(schema: &str) -> String {
    format!(
        "CREATE TABLE IF NOT EXISTS {schema}.writers (
    lane bytea PRIMARY KEY, token bigint NOT NULL, seen timestamptz NOT NULL DEFAULT now(),
    knows bigint NOT NULL, fence bytea NOT NULL);
CREATE TABLE IF NOT EXISTS {schema}.fence (
    single boolean PRIMARY KEY DEFAULT true CHECK (single), value bytea NOT NULL);
INSERT INTO {schema}.fence (value) VALUES ('') ON CONFLICT DO NOTHING;
"
    )
}

/// Returns the statements that set how often the tables are vacuumed: small ones whose rows are
/// written again and again after some thousand versions, however few rows they have; the large one
/// long before a fifth of it is dead.
pub(super) fn vacuum(schema: &str) -> String {
    format!(
        "ALTER TABLE {schema}.entries SET (autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 5000, toast.autovacuum_vacuum_scale_factor = 0.02,
    toast.autovacuum_vacuum_threshold = 5000);
ALTER TABLE {schema}.stamps SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1,
    autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE {schema}.writers SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
"
    )
}

/// Returns the statement that grants the roles which may write lanes' rows the same rights on the
/// new tables.
fn grants_as_before(schema: &str) -> String {
    format!(
        "DO $$ DECLARE role text; BEGIN
FOR role IN SELECT DISTINCT grantee FROM information_schema.role_table_grants
    WHERE table_schema = '{schema}' AND table_name = 'lanes' AND privilege_type = 'UPDATE'
    AND grantee NOT IN ('PUBLIC', current_user) LOOP
EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.writers TO %I', role);
EXECUTE format('GRANT SELECT, UPDATE ON {schema}.fence TO %I', role);
END LOOP; END $$;
"
    )
}

/// Returns the statements that bring tables of any revision to the newest one, for a role with the
/// rights.
pub(super) fn all_steps(schema: &str, fence: Option<&Key>) -> String {
    let steps: String = (OLDEST..NEWEST).map(|revision| step_after(schema, revision)).collect();
    format!("BEGIN;\n{steps}COMMIT;\n{}", shut_out(schema, fence))
}
