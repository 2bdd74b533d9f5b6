//! A server that passes requests on to another endpoint instead of running them.

use bytes::Bytes;
use std::fmt;
use std::pin::Pin;

/// Way to another endpoint, for requests that a page of this server sends.
pub trait Passage: fmt::Debug + Send + Sync {
    /// Returns the headers of requests that [`pass`](Self::pass) wants to see, in small letters.
    fn wanted(&self) -> &'static [&'static str];

    /// Passes a request on and returns the answer.
    fn pass(&self, request: Passed) -> Pin<Box<dyn Future<Output = PassedAnswer> + Send + '_>>;
}

/// A request to pass on.
#[derive(Debug, Clone)]
pub struct Passed {
    /// The wanted headers that it has, as text.
    pub headers: Vec<(&'static str, String)>,
    /// Its body, without a content encoding.
    pub body: Bytes,
}

/// Answer of the other endpoint, or of the passage in its place.
#[derive(Debug, Clone)]
pub struct PassedAnswer {
    /// The status.
    pub status: u16,
    /// Headers, with names in small letters.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Bytes,
}

impl Passed {
    /// Returns a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| *known == name).map(|(_, text)| text.as_str())
    }
}
