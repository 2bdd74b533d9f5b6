//! Everything that can be set about the server, with its defaults.

use crate::access::Access;
use crate::error::Error;
use crate::web::Web;
use hashrange_auth::Policy;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// The largest request body. Source: DynamoDB developer guide, "Service quotas" (16 MB in a
/// request); larger bodies get status 413.
pub const BODY_MAX_BYTES: usize = 16 * 1024 * 1024;

/// How the server answers.
#[derive(Debug)]
pub struct Config {
    /// Whose requests are run. Whoever keeps another handle can change it.
    pub auth: Arc<Access>,
    /// The region in the answer to `GET /`.
    pub region: String,
    /// Allow addresses other than loopback although any credentials are accepted.
    pub insecure: bool,
    /// Which web pages may call, and by which names the server is called.
    pub web: Web,
    /// Serve `GET /metrics`.
    pub metrics: bool,
    /// Tell in every answer what its request cost; else only whoever asks is told.
    pub cost_header: bool,
    /// Compress answers from this size on, for clients that accept it. `None` never compresses.
    pub compress_from_bytes: Option<usize>,
    /// Bounds on what clients can make the server do.
    pub limits: Limits,
}

impl Config {
    /// Refuses an address that other machines reach if any credentials are accepted, unless that
    /// is meant.
    pub fn check_address(&self, address: SocketAddr) -> Result<(), Error> {
        let open = self.auth.is_open() && !self.insecure;
        if open && !address.ip().is_loopback() { Err(Error::OpenToOthers(address)) } else { Ok(()) }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            auth: Arc::new(Policy::AcceptAny.into()),
            region: "us-east-1".to_owned(),
            insecure: false,
            web: Web::default(),
            metrics: true,
            cost_header: false,
            // Source: answers of the service, captured in 2026.
            compress_from_bytes: Some(4 * 1024),
            limits: Limits::default(),
        }
    }
}

/// Bounds on what clients can make the server do.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Open connections; for further ones those are ended that can be dispensed with.
    pub connections: usize,
    /// How long a connection must have been idle, or have sent half a request, before it is ended for
    /// a new one.
    pub spare_idle: Duration,
    /// Requests between the last byte of their body and the last byte of their answer; further ones
    /// get status 503. What is asked about the server itself needs no such place.
    pub requests: usize,
    /// Bytes of answers that are made and not sent; when there are as many, further requests wait.
    pub answer_bytes: usize,
    /// How long a request waits for others' answers to be sent; then it gets status 503.
    pub answer_patience: Duration,
    /// Bytes held of request bodies that arrive in pieces; further ones wait in the order in which they came.
    pub buffered_bytes: usize,
    /// Bytes beyond these for the first body that waits, so that bodies of which a part is there do not wait for
    /// each other.
    pub spare_body_bytes: usize,
    /// How long a body waits for others; then its request gets status 503.
    pub body_patience: Duration,
    /// Bodies larger than this leave a quarter of [`buffered_bytes`](Self::buffered_bytes) to others.
    pub large_body_bytes: usize,
    /// How long a connection may hold what has become short before it can be ended for it.
    pub pressure_patience: Duration,
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
    /// How long an answer may stand still before its connection is ended.
    pub write_timeout: Duration,
    /// How long a connection stays open without a request.
    pub idle_timeout: Duration,
    /// How long running requests may take to finish at shutdown.
    pub shutdown_grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 4096,
            spare_idle: Duration::from_secs(1),
            requests: 1024,
            answer_bytes: 128 * 1024 * 1024,
            answer_patience: Duration::from_secs(2),
            buffered_bytes: 256 * 1024 * 1024,
            spare_body_bytes: BODY_MAX_BYTES,
            body_patience: Duration::from_secs(20),
            large_body_bytes: 64 * 1024,
            pressure_patience: Duration::from_secs(1),
            body_bytes: BODY_MAX_BYTES,
            head_bytes: 64 * 1024,
            streams: 32,
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(120),
            shutdown_grace: Duration::from_secs(5),
        }
    }
}
