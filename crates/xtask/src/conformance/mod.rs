//! Real clients against a real server process.
//!
//! The release binary is started with a fresh store, once in memory and once on disk; clients
//! learn its address from `HASHRANGE_ENDPOINT`. A server that logs a warning, an error or a panic
//! fails the run even if every client is content. With `--target URL` nothing is started, and
//! only tests that hold for any server run.

mod clients;
mod go;
mod java;

use std::path::{Path, PathBuf};

use crate::command::{cargo, run, step};
use crate::postgres::Postgres;
use crate::server::{Server, Store};
use crate::terminal::say;
use crate::workspace;
use clients::Client;

/// Runs every client that is present here, and prints the missing ones.
pub fn all() -> Result<(), String> {
    local(&available())
}

/// Runs every client that is present here against a server on PostgreSQL, each in a schema of its own.
pub fn on_postgres(postgres: &Postgres) -> Result<(), String> {
    let clients = available();
    let binary = prepared(&clients)?;
    for client in clients {
        let Some(url) = postgres.url() else { return Ok(()) };
        run_on(client, &binary, &Store::Postgres(url))?;
    }
    Ok(())
}

fn available() -> Vec<Client> {
    let mut clients = Vec::new();
    for client in Client::ALL {
        match client.missing() {
            None => clients.push(client),
            Some(why) => say(&format!("=== {} is left out: {why}", client.name())),
        }
    }
    clients
}

/// Runs the clients that the arguments name: `[--client NAME]... [--target URL]`.
pub fn with_arguments(arguments: &[&str]) -> Result<(), String> {
    let mut chosen = Vec::new();
    let mut target = None;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match *word {
            "--client" => chosen.push(Client::from_name(value)?),
            "--target" => target = Some(*value),
            _ => return Err(format!("unknown argument {word}")),
        }
    }
    if chosen.is_empty() {
        chosen = available();
    }
    match target {
        Some(url) => chosen.iter().try_for_each(|client| foreign(*client, url)),
        None => local(&chosen),
    }
}

/// Builds the release binary and returns its path. Cargo shows its progress.
pub fn build() -> Result<PathBuf, String> {
    run(&mut cargo(&["build", "--release", "--locked", "-p", "hashrange-cli"]))?;
    Ok(workspace::target().join("release/hashrange"))
}

fn local(chosen: &[Client]) -> Result<(), String> {
    let binary = prepared(chosen)?;
    for client in chosen {
        for store in client.stores() {
            run_on(*client, &binary, store)?;
        }
    }
    Ok(())
}

/// Builds the release binary, prepares clients, and returns the binary's path.
fn prepared(clients: &[Client]) -> Result<PathBuf, String> {
    let binary = release_build()?;
    for client in clients {
        step(&format!("prepare {}", client.name()), || client.prepare())?;
    }
    Ok(binary)
}

fn release_build() -> Result<PathBuf, String> {
    let mut binary = PathBuf::new();
    step("release build", || {
        binary = build()?;
        Ok(())
    })?;
    Ok(binary)
}

fn run_on(client: Client, binary: &Path, store: &Store) -> Result<(), String> {
    step(&format!("{} on the {} store", client.name(), store.name()), || {
        let server = Server::start(binary, store)?;
        let result = client.test(server.endpoint(), Some(binary), store);
        let health = server.stop();
        result.and(health)
    })
}

fn foreign(client: Client, url: &str) -> Result<(), String> {
    step(&format!("prepare {}", client.name()), || client.prepare())?;
    step(&format!("{} against {url}", client.name()), || client.test(url, None, &Store::Memory))
}
