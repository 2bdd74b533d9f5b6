//! The tables of a PostgreSQL store: created at the first opening, checked at every one.
//!
//! | table | columns |
//! |---|---|
//! | `meta` | `name` text, `value` bigint: `version`, `places`, `prefix_bytes` |
//! | `entries` | `place` smallint, `prefix`, `tail`, `rest`, `value` bytea, `sum` bigint |
//! | `stamps` | `place` smallint, `prefix` bytea, `last` bigint: the last stamp of each prefix |
//! | `lanes` | `lane` bytea, `token` bigint: the last transaction of each lane; `seen` timestamptz: when it began |
//!
//! Values are stored as they are: items are small or were packed before.

use super::failure::open_error;
use super::open_error::OpenError;
use super::options::PostgresOptions;
use std::collections::BTreeMap;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Error, Row};

/// The version of the tables.
pub(super) const VERSION: i64 = 1;

/// How often creation is tried when others create the same tables.
const TRIES: usize = 5;

/// Checks the tables, or creates them, and returns how they were created.
///
/// # Errors
/// When they are of another version, cannot be read, or the database takes no writes.
pub(super) async fn open(
    client: &Client,
    hosts: &str,
    options: &PostgresOptions,
) -> Result<(u16, usize), OpenError> {
    let failed = |error: &Error, action| open_error(error, hosts, &options.schema, action);
    let writable = client.query_one("SHOW transaction_read_only", &[]).await;
    let writable = writable.map_err(|error| failed(&error, "ask the database what it is"))?;
    if writable.try_get::<_, &str>(0).is_ok_and(|read_only| read_only == "on") {
        return Err(OpenError::ReadOnly { host: hosts.to_owned() });
    }
    for left in (0..TRIES).rev() {
        match read(client, &options.schema).await {
            Ok(Some(meta)) => return check(&meta, options),
            Ok(None) => {}
            Err(error) => return Err(failed(&error, "read the store's version")),
        }
        match create(client, options).await {
            Err(error) if left > 0 && is_of_two_creators(&error) => {}
            Err(error) => return Err(failed(&error, "create the store's tables")),
            Ok(()) => {}
        }
    }
    Err(OpenError::Failed {
        action: "create the store's tables",
        why: "others create and remove them at the same time".to_owned(),
    })
}

/// Returns what the tables say of themselves, nothing when there are none.
async fn read(client: &Client, schema: &str) -> Result<Option<BTreeMap<String, i64>>, Error> {
    let rows = client.query(&format!("SELECT name, value FROM {schema}.meta"), &[]).await;
    match rows {
        Ok(rows) if rows.is_empty() => Ok(None),
        Ok(rows) => {
            let read = |row: &Row| Ok((row.try_get(0)?, row.try_get(1)?));
            rows.iter().map(read).collect::<Result<_, _>>().map(Some)
        }
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_absent(error: &Error) -> bool {
    [SqlState::UNDEFINED_TABLE, SqlState::INVALID_SCHEMA_NAME]
        .iter()
        .any(|state| error.code() == Some(state))
}

/// Returns whether creation met somebody else's.
fn is_of_two_creators(error: &Error) -> bool {
    let states = [
        SqlState::UNIQUE_VIOLATION,
        SqlState::DUPLICATE_TABLE,
        SqlState::DUPLICATE_SCHEMA,
        SqlState::DUPLICATE_OBJECT,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
    ];
    error.code().is_some_and(|code| states.contains(code))
}

fn check(
    meta: &BTreeMap<String, i64>,
    options: &PostgresOptions,
) -> Result<(u16, usize), OpenError> {
    let number = |name: &str| meta.get(name).copied().unwrap_or(0);
    if number("version") != VERSION {
        return Err(OpenError::UnknownVersion {
            schema: options.schema.clone(),
            found: number("version"),
            known: VERSION,
        });
    }
    let places =
        u16::try_from(number("places")).ok().filter(|places| (1..=32_767).contains(places));
    let prefix_bytes = usize::try_from(number("prefix_bytes")).ok().filter(|bytes| *bytes > 0);
    places.zip(prefix_bytes).ok_or_else(|| OpenError::Failed {
        action: "read the store's version",
        why: format!("the table {}.meta is damaged", options.schema),
    })
}

/// Creates schema and tables in one transaction.
async fn create(client: &Client, options: &PostgresOptions) -> Result<(), Error> {
    let PostgresOptions { schema, places, prefix_bytes, .. } = options;
    let exists = client
        .query_opt("SELECT 1 FROM information_schema.schemata WHERE schema_name = $1", &[schema])
        .await?
        .is_some();
    let create_schema =
        if exists { String::new() } else { format!("CREATE SCHEMA IF NOT EXISTS {schema};") };
    let text = format!(
        "BEGIN; {create_schema}
         CREATE TABLE IF NOT EXISTS {schema}.meta (name text PRIMARY KEY, value bigint NOT NULL);
         CREATE TABLE IF NOT EXISTS {schema}.entries (
             place smallint NOT NULL, prefix bytea NOT NULL, tail bytea NOT NULL, rest bytea NOT NULL,
             value bytea, sum bigint, PRIMARY KEY (place, prefix, tail));
         ALTER TABLE {schema}.entries ALTER COLUMN value SET STORAGE EXTERNAL;
         CREATE TABLE IF NOT EXISTS {schema}.stamps (
             place smallint NOT NULL, prefix bytea NOT NULL, last bigint NOT NULL,
             PRIMARY KEY (place, prefix));
         CREATE TABLE IF NOT EXISTS {schema}.lanes (lane bytea PRIMARY KEY, token bigint NOT NULL,
             seen timestamptz NOT NULL DEFAULT now());
         INSERT INTO {schema}.meta VALUES ('version', {VERSION}), ('places', {places}),
             ('prefix_bytes', {prefix_bytes});
         COMMIT"
    );
    let created = client.batch_execute(&text).await;
    if created.is_err() {
        client.batch_execute("ROLLBACK").await?;
    }
    created
}
