//! Several requests at a time: to a server over several connections, to a folder from several tasks.

use super::http::Server;
use super::{of_api, parsed, wait_on};
use anyhow::Context;
use hashrange::{Database, Operation};
use serde_json::Value;
use std::future::Future;
use std::sync::Arc;

/// Threads that send requests and read answers. More would wait for the server, or for the disk.
const THREADS: usize = 2;

/// A database to talk to from several tasks. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Caller(Target);

#[derive(Debug, Clone)]
enum Target {
    Remote(Arc<Server>),
    Local(Database),
}

impl Caller {
    pub(super) fn remote(server: Server) -> Self {
        Self(Target::Remote(Arc::new(server)))
    }

    pub(super) fn local(database: Database) -> Self {
        Self(Target::Local(database))
    }

    /// Runs an operation on a JSON request and returns the JSON response as it came.
    pub async fn call_raw(&self, operation: Operation, body: Vec<u8>) -> anyhow::Result<Vec<u8>> {
        match &self.0 {
            Target::Remote(server) => server.call(operation, body.into()).await.map(Into::into),
            Target::Local(database) => {
                database.call_boxed(operation, body.into()).await.map_err(of_api)
            }
        }
    }

    /// Runs an operation.
    pub async fn call(&self, operation: Operation, request: &Value) -> anyhow::Result<Value> {
        parsed(&self.call_raw(operation, request.to_string().into_bytes()).await?)
    }
}

/// Runs a future that calls a database, and waits for it.
pub fn run<T>(future: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_all()
        .build()
        .context("start the runtime")?;
    wait_on(&runtime, future)
}
