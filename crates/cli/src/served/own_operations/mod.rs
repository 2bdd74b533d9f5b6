//! The server's own operations, in the target's namespace `Hashrange_2026`. They have the form of the
//! service's: JSON in and out, its errors.
//!
//! | file | operations of |
//! |---|---|
//! | `sandbox.rs` | a sandbox: its whole state and its clock |
//! | `database.rs` | every database, also that of a sandbox; one file each beside it |

mod database;
mod design;
mod explain;
mod facts;
mod heat;
mod history;
mod items;
mod jobs;
mod key_templates;
mod model;
mod ruler;
mod samples;
mod sandbox;
#[cfg(test)]
mod scripts;
mod tree;
mod versions;

pub use jobs::{JobAnswer, describe_with as describe_jobs_with, kind_name};

use hashrange::{ApiError, ApiResult, Database, Reason, Sandbox, StateFault};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The largest request, unless an operation says otherwise.
const REQUEST_MAX_BYTES: usize = 64 * 1024;

/// Runs an operation of a sandbox, or of its database.
pub async fn of_sandbox(sandbox: &Sandbox, operation: &str, body: &[u8]) -> ApiResult<Vec<u8>> {
    match sandbox::call(sandbox, operation, body).await {
        Some(answer) => answer,
        None => of_database(&sandbox.database(), operation, body).await,
    }
}

/// Runs an operation of a database.
pub async fn of_database(database: &Database, operation: &str, body: &[u8]) -> ApiResult<Vec<u8>> {
    match database::call(database, operation, body) {
        Some(running) => running.await,
        None => Err(Reason::UnknownOperation.into()),
    }
}

/// A request without members.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// Reads a request of the usual size, which is `{}` if it is empty.
pub fn read<T: DeserializeOwned>(body: &[u8]) -> ApiResult<T> {
    read_within(body, REQUEST_MAX_BYTES)
}

/// Reads a request of at most so many bytes, which is `{}` if it is empty.
fn read_within<T: DeserializeOwned>(body: &[u8], most_bytes: usize) -> ApiResult<T> {
    if body.len() > most_bytes {
        return Err(fault(StateFault::Form(format!("more than {most_bytes} bytes"))));
    }
    let body = if body.trim_ascii().is_empty() { b"{}" } else { body };
    serde_json::from_slice(body).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => fault(StateFault::Form(error.to_string())),
        serde_json::error::Category::Io
        | serde_json::error::Category::Syntax
        | serde_json::error::Category::Eof => Reason::MalformedJson.into(),
    })
}

/// Returns an answer in JSON.
fn written(answer: &impl Serialize) -> ApiResult<Vec<u8>> {
    Ok(serde_json::to_vec(answer).map_err(|_| Reason::Internal)?)
}

fn fault(fault: StateFault) -> ApiError {
    Reason::State(fault).into()
}
