//! The product's server without its command line: for profiling and until the program serves.

use bytes::Bytes;
use hashrange::{ApiError, Database, Operation};
use hashrange_auth::{CredentialStore, Policy};
use hashrange_server::{Api, Config};
use std::sync::Arc;

struct Served(Database);

impl Api for Served {
    async fn call(&self, operation: Operation, body: Bytes) -> Result<Vec<u8>, ApiError> {
        self.0.call(operation, &body).await
    }
}

/// Runs `serve --data-dir FOLDER --port PORT [--credentials FILE]`, in this order.
pub fn serve(arguments: &[&str]) -> Result<(), String> {
    let (folder, port, credentials) = match arguments {
        ["--data-dir", folder, "--port", port] => (folder, port, None),
        ["--data-dir", folder, "--port", port, "--credentials", file] => (folder, port, Some(file)),
        _ => return Err("serve --data-dir FOLDER --port PORT [--credentials FILE]".to_owned()),
    };
    let auth = match credentials {
        None => Policy::AcceptAny,
        Some(file) => {
            let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
            Policy::Verify(CredentialStore::parse(&text).map_err(|error| error.to_string())?)
        }
    };
    let port: u16 = port.parse().map_err(|_| "the port is not a number")?;
    let cache_bytes = hashrange::Options::default().cache_bytes;
    let database = crate::data::open(folder.as_ref(), cache_bytes)?;
    crate::data::runtime()?.block_on(async {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await;
        let listener = listener.map_err(|error| error.to_string())?;
        let config = Config { auth, ..Config::default() };
        let api = Arc::new(Served(database));
        let served = hashrange_server::run(listener, config, api, std::future::pending());
        served.await.map_err(|error| error.to_string())
    })
}
