//! A database to talk to: a server over HTTP, or a folder opened in this process.

mod backoff;
mod concurrent;
mod http;
mod route;
mod signing;
mod stop;
mod wait;

pub use backoff::{Backoff, Failure};
pub use concurrent::{Caller, run};
pub use route::Route;
pub use stop::{Stop, Stopped};
pub use wait::wait_on;

use crate::advice;
use crate::arguments::Connection;
use crate::config::{ClientSettings, check_folder};
use crate::exit::Usage;
use crate::output;
use crate::served::own_operations;
use crate::surroundings::{random, variable};
use anyhow::Context;
use hashrange::{ApiError, Blocking, Database, Encode, Operation, Options, Reason, block_on};
use http::HttpClient;
pub use http::Server;
use serde_json::{Map, Value};
use std::fmt;

/// Tries of a single call, in about ten seconds: the user waits for it.
const TRIES_MAX: u32 = 10;

/// The database refused a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refused {
    /// The exception's name without its namespace.
    pub exception: String,
    /// The message; some exceptions have none.
    pub message: Option<String>,
    /// Reason for each action of a cancelled transaction.
    pub reasons: Vec<String>,
    /// The table that the request named.
    pub table: Option<String>,
    /// The index that the request named.
    pub index: Option<String>,
    /// The attributes in the request's key condition, or in its item.
    pub names: Vec<String>,
    /// Suggestions of names that the user may have meant.
    pub hints: Vec<String>,
}

impl Refused {
    /// Returns true if nothing was done and the same request may succeed later.
    pub fn is_throttle(&self) -> bool {
        matches!(
            self.exception.as_str(),
            "ProvisionedThroughputExceededException"
                | "ThrottlingException"
                | "TransactionConflictException"
                | "RequestLimitExceeded"
        )
    }

    /// Returns true if the same request may succeed later; it may have been done.
    pub fn is_transient(&self) -> bool {
        let faults = ["InternalServerError", "ServiceUnavailable", "ServiceUnavailableException"];
        self.is_throttle() || faults.contains(&self.exception.as_str())
    }
}

/// The request got no answer: the database may have done it or not. Holds the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered(String);

impl Unanswered {
    fn new(failed: impl Into<String>) -> Self {
        Self(failed.into())
    }
}

impl fmt::Display for Unanswered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Unanswered {}

/// Returns the exception in an error body.
fn refused(body: &[u8]) -> Option<Refused> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let exception = body["__type"].as_str()?.rsplit('#').next()?.to_owned();
    let message = body["message"].as_str().or_else(|| body["Message"].as_str());
    let reasons = body["CancellationReasons"].as_array();
    let reasons = reasons.into_iter().flatten().map(reason).collect();
    let message = message.map(str::to_owned);
    Some(Refused { exception, message, reasons, ..Refused::default() })
}

fn reason(reason: &Value) -> String {
    let mut text = reason["Code"].as_str().unwrap_or_default().to_owned();
    if let Some(message) = reason["Message"].as_str() {
        text = format!("{text}: {message}");
    }
    match reason.get("Item") {
        Some(item) => format!("{text} {item}"),
        None => text,
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.exception)?;
        self.message.iter().try_for_each(|message| write!(formatter, ": {message}"))?;
        let mut reasons = (1..).zip(&self.reasons);
        reasons.try_for_each(|(nth, reason)| write!(formatter, "\n  action {nth}: {reason}"))?;
        self.hints.iter().try_for_each(|hint| write!(formatter, "\n  hint: {hint}"))
    }
}

impl std::error::Error for Refused {}

/// An endpoint, for a program that passes requests on to it.
#[derive(Debug)]
pub struct Endpoint {
    /// Its URL.
    pub url: String,
    /// Region for which requests are signed.
    pub region: String,
    /// The way to it.
    pub server: Server,
}

impl Endpoint {
    /// Returns the endpoint that the arguments name. Requests are signed, with keys of no account if the settings name
    /// none: other implementations want a signature, whatever its keys.
    pub fn of(connection: &Connection) -> anyhow::Result<Self> {
        let settings = ClientSettings::resolve(connection, variable)?;
        let signer = signing::signer(&settings, connection.profile.is_some())?;
        let signer = signer.unwrap_or_else(|| signing::of_nobody(&settings.region));
        let server = Server::new(route(&settings)?, Some(signer));
        Ok(Self { url: settings.endpoint.url, region: settings.region, server })
    }
}

/// Returns the way to the server that the settings name.
fn route(settings: &ClientSettings) -> anyhow::Result<Route> {
    let endpoint = &settings.endpoint;
    let route = Route::new(&endpoint.url, &settings.trust);
    route.map_err(|error| Usage(format!("{error} (from {})", endpoint.from)).into())
}

/// A database to talk to.
#[derive(Debug)]
pub enum Client {
    /// A server.
    Remote(Box<HttpClient>),
    /// A folder.
    Local(Blocking),
}

impl Client {
    /// Opens the database that the arguments name. Creates a folder that does not exist if the
    /// command is one with which a database begins.
    pub fn open(connection: &Connection, begins: bool) -> anyhow::Result<Self> {
        let settings = ClientSettings::resolve(connection, variable)?;
        if let Some(folder) = &connection.data_dir {
            check_folder(folder)?;
            if !begins && !folder.is_dir() {
                let folder = folder.display();
                anyhow::bail!(
                    "{folder}: there is no such folder (`hashrange sql --data-dir {folder}` begins a \
                     database in it)"
                );
            }
            let options = Options { region: settings.region, ..Options::default() };
            let database = Database::open(folder, &options)
                .with_context(|| format!("open {}", folder.display()))?;
            return Ok(Self::Local(database.blocking()));
        }
        let signer = signing::signer(&settings, connection.profile.is_some())?;
        let server = Server::new(route(&settings)?, signer);
        Ok(Self::Remote(Box::new(HttpClient::new(server)?)))
    }

    /// Gives up requests to a server as soon as the user stops them. A database in this process ends
    /// each request first, which is short.
    pub fn heed(&mut self, stop: &Stop) {
        match self {
            Self::Remote(client) => client.heed(stop.clone()),
            Self::Local(_) => {}
        }
    }

    /// Asks a server to leave the requests out of its records: a tool only looks at the requests of
    /// others.
    pub fn leave_unrecorded(&mut self) {
        match self {
            Self::Remote(client) => client.leave_unrecorded(),
            Self::Local(_) => {}
        }
    }

    /// Runs an operation on a JSON request and returns the JSON response as it came.
    pub fn call_raw(&mut self, operation: Operation, body: &[u8]) -> anyhow::Result<Vec<u8>> {
        match self {
            Self::Remote(client) => client.call(operation, body),
            Self::Local(database) => database.call(operation, body).map_err(of_api),
        }
    }

    /// Returns a caller that can have several requests under way at a time, on the runtime of
    /// [`run`].
    pub fn caller(&self) -> Caller {
        match self {
            Self::Remote(client) => Caller::remote(client.server.unconnected()),
            Self::Local(database) => Caller::local(database.database().clone()),
        }
    }

    /// Runs an operation, and again after pauses while the database turns it away for lack of units
    /// or for a conflict, which has changed nothing.
    pub fn call(&mut self, operation: Operation, request: &Value) -> anyhow::Result<Value> {
        let body = request.to_string();
        let mut backoff = Backoff::default();
        for _ in 1..TRIES_MAX {
            let error = match self.call_raw(operation, body.as_bytes()) {
                Ok(response) => return parsed(&response),
                Err(error) => error,
            };
            let is_turned_away = error.downcast_ref::<Refused>().is_some_and(Refused::is_throttle);
            match (backoff.pause(Failure::Throttled, random()), &self) {
                (Some(pause), Self::Remote(client)) if is_turned_away => client.pause(pause)?,
                _ => return Err(in_own_words(error, request)),
            }
        }
        let response = self.call_raw(operation, body.as_bytes());
        parsed(&response.map_err(|error| in_own_words(error, request))?)
    }

    /// Runs an operation as [`call`](Self::call) does, with the patience of work on many items: a server that does
    /// not answer may be starting.
    pub fn call_patiently(
        &mut self,
        operation: Operation,
        request: &Value,
    ) -> anyhow::Result<Value> {
        let mut backoff = Backoff::default();
        let mut is_told = false;
        loop {
            let error = match self.call(operation, request) {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            let failure = Failure::of(&error);
            let pause = failure.and_then(|failure| backoff.pause(failure, random()));
            let (Some(pause), Self::Remote(client)) = (pause, &self) else { return Err(error) };
            if !std::mem::replace(&mut is_told, true) && output::is_watched() {
                output::complain(format_args!("{error:#}: trying again"));
            }
            client.pause(pause)?;
        }
    }

    /// Runs an own operation of a server, or of the database in a folder.
    pub fn call_own(&mut self, name: &str, request: &Value) -> anyhow::Result<Value> {
        let body = request.to_string();
        let response = match self {
            Self::Remote(client) => {
                let target = format!("{}.{name}", hashrange_server::OWN_TARGETS);
                client.call_target(target, body.as_bytes())
            }
            Self::Local(database) => {
                let running =
                    own_operations::of_database(database.database(), name, body.as_bytes());
                block_on(running).map_err(of_own_operation)
            }
        };
        // The request to explain is a member of the request.
        let asked = request.get("Request").unwrap_or(request);
        let response = response.map_err(|error| in_own_words(error, asked))?;
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

/// Returns an error in the words of the user who made the request.
fn in_own_words(error: anyhow::Error, request: &Value) -> anyhow::Error {
    match error.downcast::<Refused>() {
        Ok(refused) => advice::explained(refused, request).into(),
        Err(error) => error,
    }
}

/// Returns the JSON of a response; some operations, such as TagResource, answer with an empty body.
fn parsed(response: &[u8]) -> anyhow::Result<Value> {
    if response.is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    serde_json::from_slice(response).context("the response is not JSON")
}

/// Returns whether a server does not know an operation.
pub fn is_unknown(error: &anyhow::Error) -> bool {
    let refused = error.downcast_ref::<Refused>();
    refused.is_some_and(|refused| refused.exception == "UnknownOperationException")
}

/// Returns an error of an own operation; one that a database lacks exists in a sandbox only.
fn of_own_operation(error: ApiError) -> anyhow::Error {
    if matches!(error.reason(), Reason::UnknownOperation) {
        let problem = "--data-dir: only a server has a state to go back to and a clock to set";
        return Usage(problem.to_owned()).into();
    }
    of_api(error)
}

/// Returns an error of a database in this process in a server's words.
fn of_api(error: ApiError) -> anyhow::Error {
    let mut body = Vec::new();
    error.encode(&mut body);
    refused(&body).map_or_else(|| error.into(), Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_transaction_is_told_action_by_action() {
        let body = br#"{"__type":"a#TransactionCanceledException","Message":"Transaction cancelled","CancellationReasons":[{"Code":"None"},{"Code":"ConditionalCheckFailed","Message":"The conditional request failed","Item":{"pk":{"S":"a"}}}]}"#;
        assert_eq!(
            refused(body).unwrap().to_string(),
            "TransactionCanceledException: Transaction cancelled\n  action 1: None\n  action 2: \
             ConditionalCheckFailed: The conditional request failed {\"pk\":{\"S\":\"a\"}}"
        );
    }
}
