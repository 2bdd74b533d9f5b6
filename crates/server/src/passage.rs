//! A server that passes requests on to another endpoint instead of running them.

use crate::answer::Answer;
use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
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

/// Passes a request on.
pub async fn through(passage: &dyn Passage, headers: &HeaderMap, body: Bytes) -> Answer {
    let text = |name: &'static str| Some((name, headers.get(name)?.to_str().ok()?.to_owned()));
    let headers = passage.wanted().iter().copied().filter_map(text).collect();
    let passed = passage.pass(Passed { headers, body }).await;
    let status = StatusCode::from_u16(passed.status).unwrap_or(StatusCode::BAD_GATEWAY);
    let mut answer = Answer::new(status, passed.body);
    for (name, text) in passed.headers {
        if let Ok(value) = HeaderValue::try_from(text) {
            answer.extra.push((HeaderName::from_static(name), value));
        }
    }
    answer
}
