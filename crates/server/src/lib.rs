//! HTTP server of Hashrange: the only crate that knows HTTP.
//!
//! [`run`] accepts connections, reads requests within [`Limits`], checks them in the order in
//! which DynamoDB reports faults, calls an [`Api`], and wraps its answer: status, error body,
//! CRC-32, request id, compression, CORS. It tells subscribers one [`Event`] for each request, counts
//! what it does ([`metrics`]) and shuts down without cutting off running requests.
//!
//! Left to others: the meaning of operations (the API behind the trait), signatures
//! (`hashrange-auth`), the meaning of request bodies (`hashrange-wire`), TLS.
//!
//! Invariants:
//! - no request makes the process panic or a connection hang: a panic of the API is answered with
//!   status 500, and every wait for a client ends;
//! - [`Limits`] bounds the memory that clients make the server hold, for each request and for all
//!   together: heads, bodies before and after decompression, answers until their last byte is out;
//! - a request is parsed as JSON at most once unless it is refused.
#![forbid(unsafe_code)]

mod access;
mod activity;
mod answer;
mod answer_body;
mod api;
mod bind;
mod body;
mod budget;
mod clock;
mod config;
mod connection;
mod content_coding;
mod envelope;
mod error;
mod event;
mod figures;
mod handler;
mod histogram;
mod lanes;
mod listen;
mod log_limit;
mod measure;
pub mod metrics;
mod page_answer;
mod pages;
mod passage;
mod refused_writes;
mod request_id;
mod request_log;
mod subscribers;
mod watch;
mod watching;
mod web;

pub use access::Access;
pub use api::{Api, Asked, Demand, Named, OWN_TARGETS, Running, Told};
pub use bind::Bound;
pub use config::{Config, Limits};
pub use error::Error;
pub use event::{Answered, Details, Event, Interest, Subscriber};
pub use figures::{Figures, Gauges, OperationPoint, POINT, Point};
pub use handler::namespace;
pub use listen::{Serving, run};
pub use measure::{Kind, Measure, Value};
pub use pages::{Page, PageFile, Pages};
pub use passage::{Passage, Passed, PassedAnswer};
pub use watching::{StopRequest, WatchRequest, WatchSettings, Watches};
pub use web::{AllowedHost, AllowedOrigin, BadWebName, Web};
