//! Where a server keeps its data: what the place is called, and what makes no sense on PostgreSQL.
//!
//! Invariant: the URL of a database is never printed, only the place it points to.

use crate::config::{Settings, StoreChoice, StoreUrl};
use crate::exit::Usage;
use hashrange::{Database, Options};

/// Returns what the place of the data is called in the log; refuses a wrong URL, and settings that do not go
/// with a database on PostgreSQL.
pub fn place(settings: &Settings) -> anyhow::Result<String> {
    match &settings.store {
        StoreChoice::Memory => Ok("memory".to_owned()),
        StoreChoice::Folder(folder) => Ok(folder.display().to_string()),
        StoreChoice::Url(url) => {
            check_shared(settings)?;
            place_of(url)
        }
    }
}

/// Refuses settings that a database cannot have which other servers may use, too.
fn check_shared(settings: &Settings) -> Result<(), Usage> {
    let begins = "fills a database before it is served, and other servers may be serving this one: \
                  create tables and import items through a server";
    let nothing_cached = "has no effect on a database on PostgreSQL, whose server has the cache";
    let (name, why) = match settings {
        Settings { test_api: true, .. } => (
            "test-api",
            "saves, resets and sets the clock of a whole database, and other servers may be using \
             this one: it needs memory or data-dir",
        ),
        Settings { namespaces: true, .. } => {
            ("namespaces", "needs memory or data-dir: on PostgreSQL, give each server a schema")
        }
        Settings { sample: Some(_), .. } => ("sample", begins),
        Settings { init, .. } if !init.is_empty() => ("init", begins),
        Settings { load, .. } if !load.is_empty() => ("load", begins),
        Settings { cache_size: Some(_), .. } => ("cache-size", nothing_cached),
        _ => return Ok(()),
    };
    Err(Usage(format!("{name} does not go with store: it {why}")))
}

#[cfg(feature = "postgres")]
fn place_of(url: &StoreUrl) -> anyhow::Result<String> {
    let place = hashrange_storage::postgres::place(url.secret());
    place.map_err(|error| Usage(error.to_string()).into())
}

/// Opens the database that a URL names, driven by the runtime that this is called on.
#[cfg(feature = "postgres")]
pub fn connect(url: &StoreUrl, options: &Options) -> anyhow::Result<Database> {
    use anyhow::Context;
    let runtime = tokio::runtime::Handle::current();
    Database::connect_on(runtime, url.secret(), options).context("open the database of --store")
}

#[cfg(not(feature = "postgres"))]
fn place_of(_url: &StoreUrl) -> anyhow::Result<String> {
    Err(without_postgres())
}

/// Refuses: this program cannot.
#[cfg(not(feature = "postgres"))]
pub fn connect(_url: &StoreUrl, _options: &Options) -> anyhow::Result<Database> {
    Err(without_postgres())
}

/// Returns the refusal of a program that does not know PostgreSQL.
#[cfg(not(feature = "postgres"))]
pub fn without_postgres() -> anyhow::Error {
    let what = "this program was built without PostgreSQL (the feature `postgres`)";
    Usage(what.to_owned()).into()
}
