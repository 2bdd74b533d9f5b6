//! Place of a server's data: its name in the log, settings that PostgreSQL excludes, and settings
//! that a database which moves excludes.
//!
//! Invariant: the program never prints the URL of a database, only the place it points to.

use crate::config::{Settings, StoreChoice, StoreUrl};
use crate::exit::Usage;
use hashrange::copying::Place;
use hashrange::{Database, Options};
use std::path::Path;

/// Returns the name of the place of the data in the log; refuses a wrong URL, and settings that do
/// not go with a database on PostgreSQL.
pub fn place(settings: &Settings) -> anyhow::Result<String> {
    if let Some(target) = &settings.move_to {
        check_moving(settings)?;
        place_in(target, "move-to")?;
    }
    match &settings.place() {
        StoreChoice::Memory => Ok("memory".to_owned()),
        StoreChoice::Folder(folder) => Ok(folder.display().to_string()),
        StoreChoice::Url(url) => {
            check_shared(settings)?;
            place_of(url)
        }
    }
}

/// Refuses settings for a database that no other server uses.
fn check_shared(settings: &Settings) -> Result<(), Usage> {
    let begins = "fills a database before it is served, and other servers may be serving this one: \
                  create tables and import items through a server";
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
        _ => return Ok(()),
    };
    Err(Usage(format!("{name} does not go with store: it {why}")))
}

/// Refuses to move several databases at once, or one that other servers may be serving.
fn check_moving(settings: &Settings) -> Result<(), Usage> {
    let why = match (settings.place(), settings) {
        (StoreChoice::Memory, _) => "a crash would lose the data in memory, and the move with them",
        (StoreChoice::Url(_), _) => {
            "other servers may be serving a database on PostgreSQL: hashrange copy --while-serving moves it"
        }
        (_, Settings { test_api: true, .. }) => "test-api puts back earlier states of its folder",
        (_, Settings { namespaces: true, .. }) => "namespaces are folders of their own",
        _ => return Ok(()),
    };
    Err(Usage(format!("move-to is for the data of one folder: {why}")))
}

/// Opens the database at the place in a text; the runtime of the caller drives it.
pub fn open_at(text: &StoreUrl, options: &Options) -> anyhow::Result<Database> {
    match place_in(text, "move-to")? {
        Place::Folder(folder) => Ok(Database::open(folder, options)?),
        #[cfg(feature = "postgres")]
        Place::Url(_) => connect(text, options),
    }
}

/// Returns the place in a text: a URL of PostgreSQL, or else a folder.
pub fn place_in<'t>(text: &'t StoreUrl, name: &str) -> anyhow::Result<Place<'t>> {
    let text = text.secret();
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("postgres" | "postgresql") => of_url(text),
        // The text may hold a password as well.
        Some(_) => {
            Err(Usage(format!("{name}: the URL of a database begins with postgres://")).into())
        }
        None if text.is_empty() => Err(Usage(format!("{name} names nothing")).into()),
        None => Ok(Place::Folder(Path::new(text))),
    }
}

#[cfg(feature = "postgres")]
fn of_url(url: &str) -> anyhow::Result<Place<'_>> {
    hashrange_storage::postgres::place(url).map_err(|error| Usage(error.to_string()))?;
    Ok(Place::Url(url))
}

#[cfg(not(feature = "postgres"))]
fn of_url(_: &str) -> anyhow::Result<Place<'_>> {
    Err(without_postgres())
}

#[cfg(feature = "postgres")]
fn place_of(url: &StoreUrl) -> anyhow::Result<String> {
    let place = hashrange_storage::postgres::place(url.secret());
    place.map_err(|error| Usage(error.to_string()).into())
}

/// Returns the number of processors for a program that uses the database of a URL on the same
/// machine, `None` if the database is elsewhere.
#[cfg(feature = "postgres")]
pub fn processors_beside(url: &StoreUrl) -> Option<usize> {
    hashrange_storage::postgres::processors_beside(url.secret())
}

/// Opens the database of a URL; the runtime of the caller drives it.
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

/// Returns `None`: this program knows no such database.
#[cfg(not(feature = "postgres"))]
pub fn processors_beside(_url: &StoreUrl) -> Option<usize> {
    None
}

/// Refuses: this program does not know PostgreSQL.
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
