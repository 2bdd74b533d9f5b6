//! Settings of the server, with their defaults.

use crate::access::Access;
use crate::error::Error;
use crate::event::Subscriber;
use crate::figures::Figures;
use crate::pages::Pages;
use crate::passage::Passage;
use crate::web::Web;
use hashrange_auth::Policy;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// The largest request body. Source: DynamoDB developer guide, "Service quotas" (16 MB in a
/// request); larger bodies get status 413.
pub const BODY_MAX_BYTES: usize = 16 * 1024 * 1024;

/// Settings of the server.
#[derive(Debug)]
pub struct Config {
    /// Access policy. A caller with another handle can change it.
    pub auth: Arc<Access>,
    /// The region in the answer to `GET /`.
    pub region: String,
    /// Allow addresses other than loopback although the server accepts any credentials.
    pub insecure: bool,
    /// Web pages that may call, and names by which they may call the server.
    pub web: Web,
    /// Serve `GET /metrics`.
    pub metrics: bool,
    /// Report the cost of a request in every answer; else only in answers to clients that ask for
    /// it.
    pub cost_header: bool,
    /// Compress answers from this size on, for clients that accept it. `None` never compresses.
    pub compress_from_bytes: Option<usize>,
    /// Subscribers of the events of requests, beside the server's own.
    pub subscribers: Vec<Arc<dyn Subscriber>>,
    /// Files for browsers.
    pub pages: Option<Arc<dyn Pages>>,
    /// Way to another endpoint, which runs the requests in place of the API.
    pub passage: Option<Arc<dyn Passage>>,
    /// The server's figures. A caller with another handle can read them, and keeps their hour.
    pub figures: Arc<Figures>,
    /// Bounds on what clients can make the server do.
    pub limits: Limits,
}

impl Config {
    /// Refuses an address that other machines reach if the server accepts any credentials, unless
    /// [`insecure`](Self::insecure) is set.
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
            subscribers: Vec::new(),
            pages: None,
            passage: None,
            figures: Arc::default(),
            limits: Limits::default(),
        }
    }
}

/// Bounds on what clients can make the server do.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Open connections; for a further one the server ends connections that it can spare.
    pub connections: usize,
    /// Time for which a connection must have been idle, or must have sent half a request, before it
    /// may be ended for a new one.
    pub spare_idle: Duration,
    /// Requests between the last byte of their body and the last byte of their answer; further ones
    /// get status 503. Requests about the server itself need no such place.
    pub requests: usize,
    /// Bytes of answers that are made and not sent; at this bound further requests wait.
    pub answer_bytes: usize,
    /// Time that a request waits for others' answers to be sent; then it gets status 503.
    pub answer_patience: Duration,
    /// Bytes held of request bodies that arrive in pieces; further ones wait in order of arrival.
    pub buffered_bytes: usize,
    /// Bytes beyond these for the first waiting body, so that partly received bodies do not wait
    /// for each other.
    pub spare_body_bytes: usize,
    /// Time that a body waits for others; then its request gets status 503.
    pub body_patience: Duration,
    /// Bodies larger than this leave a quarter of [`buffered_bytes`](Self::buffered_bytes) to
    /// others.
    pub large_body_bytes: usize,
    /// Time for which a connection may hold a resource that has become short before it may be
    /// ended.
    pub pressure_patience: Duration,
    /// Size of a request body, before and after decompression; larger ones get status 413.
    pub body_bytes: usize,
    /// Size of a request's head; larger ones get status 431.
    pub head_bytes: usize,
    /// Streams open at once in one HTTP/2 connection.
    pub streams: u32,
    /// Time for a client from the first byte of a request's head to its last.
    pub head_timeout: Duration,
    /// Time for a client to send a request's body; slower ones get status 408.
    pub body_timeout: Duration,
    /// Time without progress after which an answer's connection is ended.
    pub write_timeout: Duration,
    /// Time for which a connection stays open without a request.
    pub idle_timeout: Duration,
    /// Time for running requests to finish at shutdown.
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
