//! A database to talk to: a server over HTTP, or a folder opened in this process.

mod http;
mod signing;

use crate::arguments::Connection;
use anyhow::Context;
use hashrange::{Blocking, Database, Operation, Options};
use http::HttpClient;
use serde_json::Value;
use std::fmt;

/// The database refused a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The exception's name without its namespace.
    pub exception: String,
    /// The message; some exceptions have none.
    pub message: Option<String>,
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.exception)?;
        self.message.iter().try_for_each(|message| write!(formatter, ": {message}"))
    }
}

impl std::error::Error for Refused {}

/// A database to talk to.
#[derive(Debug)]
pub enum Client {
    /// A server.
    Remote(Box<HttpClient>),
    /// A folder.
    Local(Blocking),
}

impl Client {
    /// Opens the database that the arguments name.
    pub fn open(connection: &Connection) -> anyhow::Result<Self> {
        if let Some(folder) = &connection.data_dir {
            if !folder.is_dir() {
                anyhow::bail!("{}: there is no such folder", folder.display());
            }
            let database = Database::open(folder, &Options::default())
                .with_context(|| format!("open {}", folder.display()))?;
            return Ok(Self::Local(database.blocking()));
        }
        let signer = signing::signer(connection)?;
        Ok(Self::Remote(Box::new(HttpClient::new(&endpoint(connection), signer)?)))
    }

    /// Runs an operation on a JSON request and returns the JSON response as it came.
    pub fn call_raw(&mut self, operation: Operation, body: &[u8]) -> anyhow::Result<Vec<u8>> {
        match self {
            Self::Remote(client) => client.call(operation, body),
            Self::Local(database) => database.call(operation, body).map_err(|error| {
                let exception = error.kind().short_name().to_owned();
                Refused { exception, message: error.message() }.into()
            }),
        }
    }

    /// Runs an operation.
    pub fn call(&mut self, operation: Operation, request: &Value) -> anyhow::Result<Value> {
        let response = self.call_raw(operation, request.to_string().as_bytes())?;
        serde_json::from_slice(&response).context("the response is not JSON")
    }

    /// Ends the use of the database.
    pub fn close(self) -> anyhow::Result<()> {
        match self {
            Self::Remote(_) => Ok(()),
            Self::Local(database) => database.close().context("close the database"),
        }
    }
}

fn endpoint(connection: &Connection) -> String {
    let variable = || std::env::var("HASHRANGE_ENDPOINT").ok().filter(|text| !text.is_empty());
    let given = connection.endpoint.clone().or_else(variable);
    given.unwrap_or_else(|| "http://127.0.0.1:8000".to_owned())
}
