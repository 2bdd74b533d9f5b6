//! One request from its head to its response: the checks in the order in which DynamoDB reports
//! faults, then the call.
//!
//! Order: size of the body, preflight, GET, method and content type, JSON, target, signature, the
//! API. A body is parsed here only when a fault that ranks behind "not JSON" is about to be
//! reported; otherwise the API finds that out while it decodes.

use crate::answer::{self, AMZ_JSON, Answer, JSON, ResponseBody, TEXT, Wishes};
use crate::api::Api;
use crate::body::{self, BodyFault, BodyMemory, ReadBody};
use crate::config::{Config, Limits};
use crate::envelope;
use crate::gzip::{self, GzipFault};
use crate::lanes::{LONG_BODY_BYTES, Lanes};
use crate::metrics::Metrics;
use crate::request_id::{RequestId, RequestIds};
use bytes::Bytes;
use hashrange_auth::{AuthFault, HeaderView, Payload, Policy};
use hashrange_model::{ApiError, Reason};
use hashrange_wire::{Operation, syntax_check};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode, Version};
use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Instant, SystemTime};
use tokio::sync::Semaphore;

/// From this size on what a body is compressed from may be long work.
const LONG_GZIP_BYTES: usize = 4096;

static TARGET: HeaderName = HeaderName::from_static("x-amz-target");

/// How long browsers remember the answer to a preflight. Source: captured answers.
static PREFLIGHT_MAX_AGE: HeaderValue = HeaderValue::from_static("172800");

/// Everything that requests share.
#[derive(Debug)]
pub struct Handler<A> {
    api: Arc<A>,
    auth: Policy,
    region: String,
    cors: bool,
    serve_metrics: bool,
    gzip_from_bytes: Option<usize>,
    limits: Arc<Limits>,
    metrics: Arc<Metrics>,
    ids: RequestIds,
    slots: Semaphore,
    memory: BodyMemory,
    lanes: Lanes,
}

impl<A: Api> Handler<A> {
    /// Returns the handler of a server.
    pub fn new(api: Arc<A>, config: Config, metrics: Arc<Metrics>) -> Self {
        Self {
            api,
            auth: config.auth,
            region: config.region,
            cors: config.cors,
            serve_metrics: config.metrics,
            gzip_from_bytes: config.gzip_from_bytes,
            metrics,
            ids: RequestIds::new(),
            slots: Semaphore::new(config.limits.requests.min(Semaphore::MAX_PERMITS)),
            memory: BodyMemory::new(config.limits.buffered_bytes),
            lanes: Lanes::new(),
            limits: Arc::new(config.limits),
        }
    }

    /// Answers a request.
    pub async fn handle(&self, request: Request<Incoming>) -> Response<ResponseBody> {
        let started = Instant::now();
        let id = self.ids.next();
        let (mut parts, body) = request.into_parts();
        let mut operation = None;
        let answering = self.answer(&parts, body, &mut operation, id);
        let answer = match caught(answering).await {
            Ok(answer) => answer,
            Err(panic) => self.panicked(panic.as_ref(), id),
        };
        let wishes = self.wishes(&parts);
        let answer = self.compressed(answer, wishes).await;
        let status = answer.status.as_u16();
        parts.headers.clear();
        let response = answer::respond(answer, parts.headers, wishes, id);
        self.metrics.request(operation, status, started.elapsed());
        response
    }

    async fn answer(
        &self,
        parts: &Parts,
        body: Incoming,
        operation: &mut Option<Operation>,
        id: RequestId,
    ) -> Answer {
        let Ok(_slot) = self.slots.try_acquire() else { return unavailable() };
        let (body, _room) = match body::read(body, &self.limits, &self.memory).await {
            Ok(ReadBody { bytes, room }) => (bytes, room),
            Err(fault) => return self.refuse_body(fault),
        };
        match parts.method {
            Method::OPTIONS if self.cors && parts.headers.contains_key(header::ORIGIN) => {
                preflight(&parts.headers)
            }
            Method::GET => self.get(parts.uri.path()),
            Method::POST => match content_type(&parts.headers) {
                Some(own_type) => self.post(parts, body, operation, id).await.of_type(own_type),
                None => not_the_protocol(),
            },
            _ => not_the_protocol(),
        }
    }

    fn refuse_body(&self, fault: BodyFault) -> Answer {
        match fault {
            BodyFault::TooLarge(rest) => {
                let limits = Arc::clone(&self.limits);
                tokio::spawn(async move { body::discard(rest, &limits).await });
                Answer::closing(StatusCode::PAYLOAD_TOO_LARGE)
            }
            BodyFault::TooSlow => Answer::closing(StatusCode::REQUEST_TIMEOUT),
            BodyFault::Broken => Answer::closing(StatusCode::BAD_REQUEST),
            BodyFault::NoMemory => unavailable(),
        }
    }

    fn get(&self, path: &str) -> Answer {
        match path {
            "/" | "/health" => {
                let text = format!("healthy: dynamodb.{}.amazonaws.com ", self.region);
                Answer::new(StatusCode::OK, text).of_type(&TEXT)
            }
            "/metrics" if self.serve_metrics => {
                Answer::new(StatusCode::OK, self.metrics.render()).of_type(&TEXT)
            }
            _ => not_the_protocol(),
        }
    }

    async fn post(
        &self,
        parts: &Parts,
        sent: Bytes,
        operation: &mut Option<Operation>,
        id: RequestId,
    ) -> Answer {
        let body = match self.decoded(&parts.headers, &sent).await {
            Ok(body) => body,
            Err(answer) => return answer,
        };
        *operation = target(&parts.headers);
        let Some(operation) = *operation else {
            return self.refused(body, || Bytes::from_static(envelope::UNKNOWN_OPERATION)).await;
        };
        let payload = match self.payload(&sent).await {
            Ok(payload) => payload,
            Err(answer) => return answer,
        };
        if let Err(fault) = self.authenticate(parts, payload) {
            return self.refused(body, || envelope::auth_fault(&fault).into()).await;
        }
        if body.is_empty() {
            return client_fault(Bytes::from_static(envelope::MALFORMED_JSON));
        }
        match self.lanes.call(&self.api, operation, body).await {
            Ok(body) => Answer::new(StatusCode::OK, body),
            Err(error) => api_error(&error, operation, id),
        }
    }

    /// Returns the body without its content encoding.
    async fn decoded(&self, headers: &HeaderMap, sent: &Bytes) -> Result<Bytes, Answer> {
        let Some(encoding) = headers.get(header::CONTENT_ENCODING) else {
            return Ok(sent.clone());
        };
        let encoding = encoding.as_bytes();
        if encoding.eq_ignore_ascii_case(b"identity") {
            return Ok(sent.clone());
        }
        if !encoding.eq_ignore_ascii_case(b"gzip") {
            return Err(client_fault(Bytes::from_static(envelope::MALFORMED_JSON)));
        }
        // The room for the largest result is set aside while it is made.
        let Some(_room) = self.memory.reserve(self.limits.body_bytes) else {
            return Err(unavailable());
        };
        let (sent, most) = (sent.clone(), self.limits.body_bytes);
        let decompressed = match sent.len() < LONG_GZIP_BYTES {
            true => gzip::decompress(&sent, most),
            // What it holds may be a thousand times as large.
            false => {
                let decompressed = self.lanes.compute(move || gzip::decompress(&sent, most)).await;
                decompressed.map_err(|_| unavailable())?
            }
        };
        decompressed.map_err(|fault| match fault {
            GzipFault::TooLarge => Answer::new(StatusCode::PAYLOAD_TOO_LARGE, Bytes::new()),
            GzipFault::Malformed => client_fault(Bytes::from_static(envelope::MALFORMED_JSON)),
        })
    }

    /// Returns what a signature covers of a body; of a large one it is hashed where that holds up
    /// nobody.
    async fn payload<'b>(&self, sent: &'b Bytes) -> Result<Payload<'b>, Answer> {
        if sent.len() < LONG_BODY_BYTES || !matches!(self.auth, Policy::Verify(_)) {
            return Ok(Payload::Body(sent));
        }
        let sent = sent.clone();
        self.lanes.compute(move || Payload::hashed(&sent)).await.map_err(|_| unavailable())
    }

    /// Returns the answer to a fault that ranks behind a body that is not JSON.
    async fn refused(&self, body: Bytes, fault: impl FnOnce() -> Bytes) -> Answer {
        let is_json = match body.len() < LONG_BODY_BYTES {
            true => Ok(is_empty_or_json(&body)),
            false => self.lanes.compute(move || is_empty_or_json(&body)).await,
        };
        match is_json {
            Ok(true) => client_fault(fault()),
            Ok(false) => client_fault(Bytes::from_static(envelope::MALFORMED_JSON)),
            Err(_) => unavailable(),
        }
    }

    fn authenticate(&self, parts: &Parts, payload: Payload<'_>) -> Result<(), AuthFault> {
        let request = hashrange_auth::Request {
            method: parts.method.as_str(),
            path: parts.uri.path(),
            query: parts.uri.query().unwrap_or_default(),
            authority: parts.uri.authority().map(hyper::http::uri::Authority::as_str),
            headers: &Headers(&parts.headers),
            payload,
        };
        self.auth.authenticate(&request, SystemTime::now().into()).map(drop)
    }

    fn wishes(&self, parts: &Parts) -> Wishes {
        let gzip = self
            .gzip_from_bytes
            .filter(|_| parts.headers.get(header::ACCEPT_ENCODING).is_some_and(gzip::accepts_gzip));
        Wishes {
            cross_origin: self.cors && parts.headers.contains_key(header::ORIGIN),
            gzip_from_bytes: gzip,
            http1: parts.version < Version::HTTP_2,
        }
    }

    /// Compresses the body of an answer, if that is wished.
    async fn compressed(&self, mut answer: Answer, wishes: Wishes) -> Answer {
        if wishes.gzip_from_bytes.is_none_or(|least| answer.body.len() < least) {
            return answer;
        }
        let body = answer.body.clone();
        let compressed = match body.len() < LONG_BODY_BYTES {
            true => Ok(gzip::compress(&body)),
            false => self.lanes.compute(move || gzip::compress(&body)).await,
        };
        // Without the lane the client gets the body as it is.
        if let Ok(compressed) = compressed {
            answer.body = compressed.into();
            answer.is_gzip = true;
        }
        answer
    }

    fn panicked(&self, panic: &(dyn Any + Send), id: RequestId) -> Answer {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        tracing::error!(request_id = id.as_str(), panic = text, "request panicked");
        self.metrics.panicked();
        let body = envelope::api_error(&ApiError::new(Reason::Internal));
        Answer::new(StatusCode::INTERNAL_SERVER_ERROR, body).of_type(&AMZ_JSON)
    }
}

/// Hyper's headers as the signature check reads them.
struct Headers<'m>(&'m HeaderMap);

impl HeaderView for Headers<'_> {
    fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.0.get_all(name).iter().map(HeaderValue::as_bytes)
    }
}

/// Runs a future and returns what it panicked with, if it does.
///
/// The future is dropped then: what it shares with other requests has to bear that.
async fn caught<F: Future>(future: F) -> Result<F::Output, Box<dyn Any + Send>> {
    let mut future = pin!(future);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}

/// Returns the content type of the request if it is one of the protocol's.
fn content_type(headers: &HeaderMap) -> Option<&'static HeaderValue> {
    let sent = headers.get(header::CONTENT_TYPE)?.as_bytes();
    let end = sent.iter().position(|&byte| byte == b';').unwrap_or(sent.len());
    let name = sent[..end].trim_ascii();
    [&AMZ_JSON, &JSON].into_iter().find(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// Returns the operation that the request names.
fn target(headers: &HeaderMap) -> Option<Operation> {
    Operation::from_target(headers.get(&TARGET)?.to_str().ok()?)
}

fn is_empty_or_json(body: &[u8]) -> bool {
    body.is_empty() || syntax_check(body).is_ok()
}

/// Returns the answer for an error of the API; faults of ours are logged here.
fn api_error(error: &ApiError, operation: Operation, id: RequestId) -> Answer {
    let status = StatusCode::from_u16(error.kind().http_status())
        .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if status.is_server_error() {
        let operation = operation.name();
        tracing::error!(request_id = id.as_str(), operation, %error, "request failed");
    }
    Answer::new(status, envelope::api_error(error))
}

fn client_fault(body: Bytes) -> Answer {
    Answer::new(StatusCode::BAD_REQUEST, body)
}

fn unavailable() -> Answer {
    let body = Bytes::from_static(envelope::UNAVAILABLE);
    Answer::new(StatusCode::SERVICE_UNAVAILABLE, body).of_type(&AMZ_JSON)
}

fn not_the_protocol() -> Answer {
    Answer::new(StatusCode::NOT_FOUND, Bytes::from_static(envelope::NOT_THE_PROTOCOL))
}

/// Returns the answer to a browser that asks whether a page may call.
fn preflight(headers: &HeaderMap) -> Answer {
    let mut answer = Answer::new(StatusCode::OK, Bytes::new());
    let echoed = [
        (header::ACCESS_CONTROL_REQUEST_HEADERS, header::ACCESS_CONTROL_ALLOW_HEADERS),
        (header::ACCESS_CONTROL_REQUEST_METHOD, header::ACCESS_CONTROL_ALLOW_METHODS),
    ];
    for (asked, allowed) in echoed {
        if let Some(value) = headers.get(asked) {
            answer.extra.push((allowed, value.clone()));
        }
    }
    answer.extra.push((header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_MAX_AGE.clone()));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_types_of_the_protocol_are_recognised() {
        let cases = [
            ("application/x-amz-json-1.0", Some(&AMZ_JSON)),
            ("application/json", Some(&JSON)),
            ("Application/JSON ; charset=utf-8", Some(&JSON)),
            ("application/x-amz-json-1.0;x=y;z", Some(&AMZ_JSON)),
            ("application/x-amz-json-1.1", None),
            ("text/plain", None),
            ("", None),
            (";application/json", None),
        ];
        for (sent, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(sent));
            assert_eq!(content_type(&headers), expected, "{sent}");
        }
        assert_eq!(content_type(&HeaderMap::new()), None);
    }
}
