//! The tables of a PostgreSQL store: created at the first opening, checked at every one.
//!
//! | table | columns |
//! |---|---|
//! | `meta` | `name` text, `value` bigint: `version`, `revision`, `places`, `prefix_bytes` |
//! | `entries` | `place` smallint, `prefix`, `tail`, `rest`, `value` bytea, `sum` bigint |
//! | `stamps` | `place` smallint, `prefix` bytea, `last` bigint: the last stamp of each prefix |
//! | `writers` | `lane` bytea, `token` bigint: the last transaction of each lane; `seen` timestamptz: when it began; `knows` bigint: the newest revision that its program knows; `fence` bytea: a copy of the fence's value |
//! | `fence` | `single` boolean, `value` bytea: one row, which lanes that begin copy (`fence.rs`) |
//!
//! `sum` is that of a counter's stripe; beside a value it is a number that tells this state of the
//! row from all others (`rows.rs`), or NULL in appended records and in rows written by a program
//! that does not know such numbers.
//!
//! Values are stored as they are: items are small or were packed before. Leaves changes of tables
//! that are there to `revisions.rs`.

use super::failure::open_error;
use super::open_error::OpenError;
use super::options::{PostgresOptions, Sharding};
use super::revisions;
use std::collections::BTreeMap;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Error, Row};

/// The newest version of the tables that this program knows.
const VERSION: i64 = revisions::SINCE_FENCE;

/// Percent of a page of `entries` that new rows fill. In what is left, the next versions of its rows
/// need no entries in the index: UpdateItem had 11.1k/s with 90 and 10.0k/s with 100.
pub(super) const FILL_FACTOR: u8 = 90;

/// Tries of creation if other servers create the same tables.
const TRIES: usize = 5;

/// Properties of the tables, from the table `meta`.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredSchema {
    /// Number of places that keys are spread over.
    pub(super) places: u16,
    /// The bytes of a key that are indexed.
    pub(super) prefix_bytes: usize,
    /// Version, which a program must know to use the tables.
    pub(super) version: i64,
    /// Revision, up to which the tables have been changed.
    pub(super) revision: i64,
}

/// Checks the tables, or creates them, and returns their properties. Changes tables of an older
/// revision to the newest one if it has the rights.
///
/// # Errors
/// The tables are of another version or cannot be read, or the database takes no writes.
pub(super) async fn open(
    client: &Client,
    hosts: &str,
    options: &PostgresOptions,
) -> Result<StoredSchema, OpenError> {
    let failed = |error: &Error, action| open_error(error, hosts, &options.schema, action);
    let writable = client.query_one("SHOW transaction_read_only", &[]).await;
    let writable = writable.map_err(|error| failed(&error, "ask the database what it is"))?;
    if writable.try_get::<_, &str>(0).is_ok_and(|read_only| read_only == "on") {
        return Err(OpenError::ReadOnly { host: hosts.to_owned() });
    }
    for left in (0..TRIES).rev() {
        match read(client, &options.schema).await {
            Ok(Some(meta)) => {
                let mut found = check(&meta, options)?;
                let changed = revisions::go_on(client, &options.schema, found.revision).await;
                let changed = changed.map_err(|error| failed(&error, "change the store's tables"));
                found.revision = changed?;
                if found.version == revisions::BEFORE_FENCE && found.revision == revisions::NEWEST {
                    let fence = options.fence.as_ref();
                    let version = revisions::shut_out_older(client, &options.schema, fence).await;
                    let version =
                        version.map_err(|error| failed(&error, "change the store's tables"));
                    found.version = version?;
                }
                return Ok(found);
            }
            Ok(None) if !options.creates => {
                return Err(OpenError::NoStore { schema: options.schema.clone() });
            }
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

/// Returns the rows of `meta`; `None` if there are no tables.
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

/// Returns whether another server created the tables at the same time.
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
) -> Result<StoredSchema, OpenError> {
    let number = |name: &str| meta.get(name).copied().unwrap_or(0);
    let version = number("version");
    if !(revisions::BEFORE_FENCE..=VERSION).contains(&version) {
        return Err(OpenError::UnknownVersion {
            schema: options.schema.clone(),
            found: version,
            known: VERSION,
        });
    }
    let places =
        u16::try_from(number("places")).ok().filter(|places| (1..=32_767).contains(places));
    let prefix_bytes = usize::try_from(number("prefix_bytes")).ok().filter(|bytes| *bytes > 0);
    let (places, prefix_bytes) = places.zip(prefix_bytes).ok_or_else(|| OpenError::Failed {
        action: "read the store's version",
        why: format!("the table {}.meta is damaged", options.schema),
    })?;
    let revision = meta.get("revision").copied().unwrap_or(revisions::OLDEST);
    Ok(StoredSchema { places, prefix_bytes, version, revision })
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
        "BEGIN; {create_schema} {} {} COMMIT",
        tables(schema),
        meta(schema, *places, *prefix_bytes)
    );
    let created = client.batch_execute(&text).await;
    if created.is_err() {
        client.batch_execute("ROLLBACK").await?;
    }
    created
}

/// Returns the statements that create the tables, as the newest revision has them.
fn tables(schema: &str) -> String {
    let others = revisions::fenced_tables(schema) + &revisions::vacuum(schema);
    format!(
        "CREATE TABLE IF NOT EXISTS {schema}.meta (name text PRIMARY KEY, value bigint NOT NULL);
CREATE TABLE IF NOT EXISTS {schema}.entries (
    place smallint NOT NULL, prefix bytea NOT NULL, tail bytea NOT NULL, rest bytea NOT NULL,
    value bytea, sum bigint, PRIMARY KEY (place, prefix, tail)) WITH (fillfactor = {FILL_FACTOR});
ALTER TABLE {schema}.entries ALTER COLUMN value SET STORAGE EXTERNAL;
CREATE TABLE IF NOT EXISTS {schema}.stamps (
    place smallint NOT NULL, prefix bytea NOT NULL, last bigint NOT NULL,
    PRIMARY KEY (place, prefix));
{others}"
    )
}

/// Returns the statement that makes the tables a store.
fn meta(schema: &str, places: u16, prefix_bytes: usize) -> String {
    format!(
        "INSERT INTO {schema}.meta VALUES ('version', {VERSION}), ('revision', {}), ('places', {places}),
    ('prefix_bytes', {prefix_bytes});
",
        revisions::NEWEST
    )
}

/// Returns the statements that create an empty store, for a role with the rights to run them:
/// schema and tables, with Citus their distribution, and the rights that `role` needs to use them.
///
/// # Errors
/// A name or number is not valid.
pub fn creation(options: &PostgresOptions, role: Option<&str>) -> Result<String, String> {
    checked(options)?;
    let PostgresOptions { schema, places, prefix_bytes, .. } = options;
    let distribution = match options.sharding {
        Sharding::None => String::new(),
        Sharding::Citus => distribution(schema),
    };
    let grants = role.map(|role| grants(schema, role)).transpose()?.unwrap_or_default();
    Ok(format!(
        "BEGIN;\nCREATE SCHEMA IF NOT EXISTS {schema};\n{}{distribution}{grants}{}COMMIT;\n",
        tables(schema),
        meta(schema, *places, *prefix_bytes)
    ))
}

/// Returns the statements that change the tables of a store in use to the newest revision, for a
/// role with the rights to run them. On tables of that revision they change nothing but a fill
/// factor that was set by hand.
///
/// # Errors
/// The name of the schema is not valid.
pub fn upgrade(options: &PostgresOptions) -> Result<String, String> {
    checked(options)?;
    Ok(revisions::all_steps(&options.schema, options.fence.as_ref()))
}

fn checked(options: &PostgresOptions) -> Result<(), String> {
    super::url::check(options).map_err(|error| match error {
        OpenError::Url { what } => what,
        other => other.to_string(),
    })
}

/// Returns the calls that spread the tables over the nodes of Citus: entries and stamps of one
/// place lie together.
fn distribution(schema: &str) -> String {
    format!(
        "SELECT create_distributed_table('{schema}.entries', 'place', colocate_with => 'none');
SELECT create_distributed_table('{schema}.stamps', 'place', colocate_with => '{schema}.entries');
SELECT create_distributed_table('{schema}.writers', 'lane', colocate_with => 'none');
SELECT create_reference_table('{schema}.fence');
SELECT create_reference_table('{schema}.meta');
"
    )
}

/// Returns the statements that let a role use the tables, and nothing else.
fn grants(schema: &str, role: &str) -> Result<String, String> {
    let is_name = (1..=63).contains(&role.len())
        && role.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if !is_name {
        return Err("the name of a role has 1 to 63 letters, digits, _ and -".to_owned());
    }
    Ok(format!(
        "GRANT USAGE ON SCHEMA {schema} TO \"{role}\";
GRANT SELECT ON {schema}.meta TO \"{role}\";
GRANT SELECT, INSERT, UPDATE ON {schema}.stamps TO \"{role}\";
GRANT SELECT, UPDATE ON {schema}.fence TO \"{role}\";
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.entries, {schema}.writers TO \"{role}\";
"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_distributed_before_they_are_a_store() {
        let options =
            PostgresOptions { sharding: Sharding::Citus, places: 32, ..PostgresOptions::default() };
        let text = creation(&options, Some("app")).expect("good names");
        let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part} in {text}"));
        let order = [
            at("CREATE TABLE IF NOT EXISTS hashrange.stamps"),
            at("create_distributed_table('hashrange.entries', 'place'"),
            at(
                "create_distributed_table('hashrange.stamps', 'place', colocate_with => 'hashrange.entries')",
            ),
            at("create_reference_table('hashrange.meta')"),
            at("TO \"app\""),
            at("('places', 32)"),
            at("COMMIT;"),
        ];
        assert!(order.is_sorted(), "{order:?} in {text}");
        let plain = creation(&PostgresOptions::default(), None).expect("good names");
        assert!(!plain.contains("distributed") && !plain.contains("GRANT"), "{plain}");
    }

    #[test]
    fn names_that_would_be_sql_are_refused() {
        let schema = PostgresOptions { schema: "a; b".to_owned(), ..PostgresOptions::default() };
        assert!(creation(&schema, None).is_err());
        for role in ["", "a\" TO b", "a b"] {
            assert!(creation(&PostgresOptions::default(), Some(role)).is_err(), "{role}");
        }
    }
}
