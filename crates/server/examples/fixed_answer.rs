//! A server whose API gives the same answer to everything: what the HTTP layer costs, for
//! comparison with other servers. `fixed_answer [PORT [BYTES [plain|signed]]]`; with `signed`,
//! requests are verified against the example credentials of AWS's documentation.

use bytes::Bytes;
use hashrange_auth::{CredentialStore, Credentials, Policy};
use hashrange_server::{Api, Config, Running};
use hashrange_wire::Operation;
use std::future::ready;
use std::sync::Arc;

struct Fixed(Vec<u8>);

impl Api for Fixed {
    fn call(self: Arc<Self>, _: Operation, _: Bytes) -> Running<'static> {
        Box::pin(ready(Ok(self.0.clone())))
    }

    fn check_writable(&self) -> Result<(), String> {
        Ok(())
    }
}

fn credentials() -> CredentialStore {
    let mut store = CredentialStore::new();
    store.insert(
        "example",
        Credentials {
            access_key_id: "AKIAIOSFODNN7EXAMPLE".to_owned(),
            secret_access_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned(),
            session_token: None,
            expires_at: None,
        },
    );
    store
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let port: u16 = arguments.next().map_or(Ok(8000), |port| port.parse())?;
    let bytes: usize = arguments.next().map_or(Ok(400), |bytes| bytes.parse())?;
    let auth = match arguments.next().as_deref() {
        Some("signed") => Policy::Verify(credentials()),
        _ => Policy::AcceptAny,
    };
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    let config = Config { auth: Arc::new(auth.into()), ..Config::default() };
    let api = Arc::new(Fixed(vec![b' '; bytes]));
    hashrange_server::run(listener, config, api, std::future::pending()).await?;
    Ok(())
}
