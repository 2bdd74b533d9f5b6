//! Everything that can be set about the server, with its defaults.

use crate::error::Error;
use hashrange_auth::Policy;
use std::net::SocketAddr;
use std::time::Duration;

/// The largest request body. Source: DynamoDB developer guide, "Service quotas" (16 MB in a
/// request); larger bodies get status 413.
pub const BODY_MAX_BYTES: usize = 16 * 1024 * 1024;

/// How the server answers.
#[derive(Debug)]
pub struct Config {
    /// Whose requests are run.
    pub auth: Policy,
    /// The region in the answer to `GET /`.
    pub region: String,
    /// Allow addresses other than loopback although any credentials are accepted.
    pub insecure: bool,
    /// Answer cross-origin requests of browsers.
    pub cors: bool,
    /// Serve `GET /metrics`.
    pub metrics: bool,
    /// Compress answers from this size on, for clients that accept gzip. `None` never compresses.
    pub gzip_from_bytes: Option<usize>,
    /// Bounds on what clients can make the server do.
    pub limits: Limits,
}

impl Config {
    /// Refuses an address that other machines reach if any credentials are accepted, unless that
    /// is meant.
    pub fn check_address(&self, address: SocketAddr) -> Result<(), Error> {
        let open = matches!(self.auth, Policy::AcceptAny) && !self.insecure;
        if open && !address.ip().is_loopback() { Err(Error::OpenToOthers(address)) } else { Ok(()) }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            auth: Policy::AcceptAny,
            region: "us-east-1".to_owned(),
            insecure: false,
            cors: true,
            metrics: true,
            gzip_from_bytes: Some(8 * 1024),
            limits: Limits::default(),
        }
    }
}

/// Bounds on what clients can make the server do.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Open connections; further ones wait to be accepted.
    pub connections: usize,
    /// Requests being read or run at once; further ones get status 503.
    pub requests: usize,
    /// Bytes of request bodies over [`large_body_bytes`](Self::large_body_bytes) held at once;
    /// further ones get status 503.
    pub buffered_bytes: usize,
    /// From this size on a body counts towards [`buffered_bytes`](Self::buffered_bytes).
    pub large_body_bytes: usize,
    /// Size of a request body, before and after decompression; larger ones get status 413.
    pub body_bytes: usize,
    /// Size of a request's head; larger ones get status 431.
    pub head_bytes: usize,
    /// Streams open at once in one HTTP/2 connection.
    pub streams: u32,
    /// How long a client may take from the first byte of a request's head to its last.
    pub head_timeout: Duration,
    /// How long a client may take to send a request's body; slower ones get status 408.
    pub body_timeout: Duration,
    /// How long a connection stays open without a request.
    pub idle_timeout: Duration,
    /// How long running requests may take to finish at shutdown.
    pub shutdown_grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 4096,
            requests: 1024,
            buffered_bytes: 256 * 1024 * 1024,
            large_body_bytes: 64 * 1024,
            body_bytes: BODY_MAX_BYTES,
            head_bytes: 64 * 1024,
            streams: 128,
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(120),
            shutdown_grace: Duration::from_secs(20),
        }
    }
}
