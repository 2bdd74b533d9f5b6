//! One request from its head to its response: the checks in the order in which DynamoDB reports
//! faults, then the call.
//!
//! Order: `Host` of HTTP/1.1, size of the body, foreign web pages, preflight, GET, method and
//! content type, JSON, target, signature, the API. The handler parses a body only when it is about
//! to report a fault that ranks behind "not JSON"; otherwise the API finds that out while it
//! decodes.
//!
//! A request takes a place when its body is there and returns it with the last byte of its answer,
//! so that no client holds places by sending slowly. Requests about the server itself need none.

use crate::access::Access;
use crate::activity::OpenRequest;
use crate::answer::{self, AMZ_JSON, Answer, JSON, Readers, TEXT, Wishes};
use crate::answer_body::AnswerBody;
use crate::api::{Api, Asked, Named, OWN_TARGETS};
use crate::body::{self, BodyFault};
use crate::budget::Budget;
use crate::clock;
use crate::config::{Config, Limits};
use crate::content_coding::{Coding, CodingFault};
use crate::envelope;
use crate::event::{Answered, Details, Event, Refusal};
use crate::lanes::{LONG_BODY_BYTES, Lanes};
use crate::log_limit::LogLimit;
use crate::metrics::{self, Held, Metrics};
use crate::page_answer;
use crate::pages::Pages;
use crate::passage::{Passage, Passed};
use crate::refused_writes::RefusedWrites;
use crate::request_id::{RequestId, RequestIds};
use crate::request_log;
use crate::subscribers::{OpenEvent, Subscribers};
use crate::web::{PageOrigin, Rules, Stranger};
use bytes::Bytes;
use hashrange_auth::{AuthFault, Caller, HeaderView, Payload};
use hashrange_model::bounds::{
    AGENT_MAX_BYTES, OPERATION_NAME_MAX_BYTES, PATH_MAX_BYTES, beginning,
};
use hashrange_model::{ApiError, ApiResult, Reason};
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
use std::time::Duration;

/// Size from which decompressing a body may be long work, in bytes.
const LONG_CODED_BYTES: usize = 4096;

static TARGET: HeaderName = HeaderName::from_static("x-amz-target");
static AUTHORIZATION: HeaderName = header::AUTHORIZATION;
static AMZ_DATE: HeaderName = HeaderName::from_static("x-amz-date");
static SECURITY_TOKEN: HeaderName = HeaderName::from_static("x-amz-security-token");
static COST: HeaderName = HeaderName::from_static("x-hashrange-cost");
static EXPLAIN: HeaderName = HeaderName::from_static("x-hashrange-explain");
static PATTERN: HeaderName = HeaderName::from_static("x-hashrange-pattern");
static UNRECORDED: HeaderName = HeaderName::from_static("x-hashrange-unrecorded");
static CONTENT_SHA256: HeaderName = HeaderName::from_static("x-amz-content-sha256");

/// Time for which browsers remember the answer to a preflight, in seconds. Source: captured
/// answers.
static PREFLIGHT_MAX_AGE: HeaderValue = HeaderValue::from_static("172800");

/// Largest answer that is kept however many others are unsent, in bytes: there are no more of them
/// than places for requests.
const SMALL_ANSWER_BYTES: usize = 64 * 1024;

/// State that all requests share.
pub struct Handler {
    api: Arc<dyn Api>,
    access: Arc<Access>,
    rules: Rules,
    region: String,
    serve_metrics: bool,
    cost_header: bool,
    compress_from_bytes: Option<usize>,
    limits: Arc<Limits>,
    metrics: Arc<Metrics>,
    subscribers: Subscribers,
    pages: Option<Arc<dyn Pages>>,
    passage: Option<Arc<dyn Passage>>,
    ids: RequestIds,
    lanes: Lanes,
    refused_writes: LogLimit,
    refusals: RefusedWrites,
    failures: LogLimit,
}

impl Handler {
    /// Returns the handler of a server.
    pub fn new(api: Arc<dyn Api>, config: Config, rules: Rules, metrics: Arc<Metrics>) -> Self {
        const LOG_PERIOD: Duration = Duration::from_secs(60);
        Self {
            api,
            access: config.auth,
            rules,
            region: config.region,
            serve_metrics: config.metrics,
            cost_header: config.cost_header,
            compress_from_bytes: config.compress_from_bytes,
            subscribers: Subscribers::new(Arc::clone(&metrics), config.subscribers),
            pages: config.pages,
            passage: config.passage,
            metrics,
            ids: RequestIds::new(),
            lanes: Lanes::new(),
            limits: Arc::new(config.limits),
            refused_writes: LogLimit::new(LOG_PERIOD),
            refusals: RefusedWrites::default(),
            failures: LogLimit::new(LOG_PERIOD),
        }
    }

    /// Answers a request.
    pub async fn handle(
        &self,
        request: Request<Incoming>,
        mut open: OpenRequest,
    ) -> Response<AnswerBody> {
        let id = self.ids.next();
        let (mut parts, body) = request.into_parts();
        let mut event = self.subscribers.begin(id, open.activity().peer);
        if let Some(details) = &mut event.details {
            **details = details_of(&parts);
        }
        let mut readers = Readers::NoPage;
        let answering = self.answer(&parts, body, &mut event, &mut readers, &mut open);
        let mut answer = match caught(answering).await {
            Ok(answer) => answer,
            Err(panic) => self.panicked(panic.as_ref(), id),
        };
        let operation = event.operation.as_ref().and_then(Named::of_service);
        let may_go = answer.body.len() > SMALL_ANSWER_BYTES && !operation.is_some_and(is_write);
        if may_go && !open.budget().has_room_for_answer(answer.body.len()) {
            answer = unavailable();
        }
        // Without a body in the answer, nothing holds back a client that sends requests and reads
        // no answers.
        answer.close |= answer.body.is_empty() && open.activity().is_blocked();
        let is_done = answer.status == StatusCode::OK;
        let exception = if is_done { None } else { envelope::exception(&answer.body) };
        event.answered = Some(Answered {
            status: answer.status.as_u16(),
            exception: exception.map(str::to_owned),
            refusal: answer.refusal,
            bytes: answer.body.len(),
        });
        let wishes = self.wishes(&parts, readers, &answer);
        if let Some(coding) = wishes.compress {
            answer = self.compressed(answer, coding, &mut open).await;
        }
        parts.headers.clear();
        let response = answer::respond(answer, parts.headers, wishes, id, open);
        if is_done && self.refusals.ended(|| self.api.check_writable().is_ok()) {
            tracing::info!("the store takes writes again");
        }
        response
    }

    async fn answer(
        &self,
        parts: &Parts,
        body: Incoming,
        event: &mut OpenEvent<'_>,
        allowed: &mut Readers,
        open: &mut OpenRequest,
    ) -> Answer {
        let Ok(host) = host(parts) else {
            self.discard(body);
            return Answer::closing(StatusCode::BAD_REQUEST);
        };
        let body = match body::read(body, parts, &self.limits, open).await {
            Ok(body) => body,
            Err(fault) => return self.refuse_body(fault),
        };
        event.received_bytes = body.len();
        event.note_stage(|details| &mut details.read);
        let readers = self.readers(parts, host);
        if let Ok(readers) = &readers {
            *allowed = readers.clone();
        }
        if parts.method == Method::GET
            && let Some(answer) = self.health(parts.uri.path()).await
        {
            return answer;
        }
        if let Err(refusal) = readers {
            return refusal;
        }
        if let Some(answer) = self.page(parts) {
            return answer;
        }
        match parts.method {
            Method::OPTIONS if !matches!(allowed, Readers::NoPage) => preflight(&parts.headers),
            Method::GET if parts.uri.path() == "/metrics" && self.serve_metrics => {
                let is_writable = self.api.check_writable().is_ok();
                let panics = self.api.background_panics();
                let mut text = self.metrics.render(held(open.budget()), is_writable, panics);
                metrics::render_measures(&mut text, &self.api.measures().await);
                Answer::new(StatusCode::OK, text).of_type(&TEXT)
            }
            Method::POST => match content_type(&parts.headers, &body) {
                Some(own_type) => self.post(parts, body, event, open).await.of_type(own_type),
                None => not_the_protocol(),
            },
            _ => not_the_protocol(),
        }
    }

    /// Returns the file for browsers that a request names.
    fn page(&self, parts: &Parts) -> Option<Answer> {
        if !matches!(parts.method, Method::GET | Method::HEAD) {
            return None;
        }
        let page = self.pages.as_ref()?.find(parts.uri.path())?;
        Some(page_answer::answer(page, &parts.headers))
    }

    fn refuse_body(&self, fault: BodyFault) -> Answer {
        match fault {
            BodyFault::TooLarge(rest) => {
                self.discard(rest);
                Answer::closing(StatusCode::PAYLOAD_TOO_LARGE)
            }
            BodyFault::NoMemory(rest) => {
                self.discard(rest);
                unavailable()
            }
            BodyFault::TooSlow => Answer::closing(StatusCode::REQUEST_TIMEOUT),
            BodyFault::Broken => Answer::closing(StatusCode::BAD_REQUEST),
        }
    }

    /// Reads the rest in the background, so that a client that reads only after sending gets the
    /// answer.
    fn discard(&self, rest: Incoming) {
        let limits = Arc::clone(&self.limits);
        tokio::spawn(async move { body::discard(rest, &limits).await });
    }

    /// Returns the pages that may read the answer, or the refusal of a foreign page.
    fn readers(&self, parts: &Parts, host: Option<&HeaderValue>) -> Result<Readers, Answer> {
        let origin = parts.headers.get(header::ORIGIN);
        let authority = match parts.version {
            Version::HTTP_2 => parts.uri.authority().map(|authority| authority.as_str().as_bytes()),
            _ => None,
        };
        let host = authority.or(host.map(HeaderValue::as_bytes));
        match self.rules.judge(host, origin.map(HeaderValue::as_bytes)) {
            Ok(PageOrigin::None) => Ok(Readers::NoPage),
            Ok(PageOrigin::OfAny) => Ok(Readers::EveryPage),
            Ok(PageOrigin::OfThis) => Ok(origin.cloned().map_or(Readers::NoPage, Readers::PagesOf)),
            Err(Stranger::Host) => Err(forbidden(envelope::strange_host(host.unwrap_or_default()))),
            Err(Stranger::Origin) => {
                let origin = origin.map(HeaderValue::as_bytes).unwrap_or_default();
                Err(forbidden(envelope::strange_origin(origin)))
            }
        }
    }

    /// Answers questions about the server's health, from any client and by any name of the server.
    async fn health(&self, path: &str) -> Option<Answer> {
        let (status, text) = match path {
            "/" | "/health" => {
                (StatusCode::OK, format!("healthy: dynamodb.{}.amazonaws.com ", self.region))
            }
            "/ready" => match self.api.check_ready().await {
                Ok(()) => (StatusCode::OK, "ready\n".to_owned()),
                Err(why) => {
                    (StatusCode::SERVICE_UNAVAILABLE, format!("writes are refused: {why}\n"))
                }
            },
            _ => return None,
        };
        Some(Answer::new(status, text).of_type(&TEXT))
    }

    async fn post(
        &self,
        parts: &Parts,
        sent: Bytes,
        event: &mut OpenEvent<'_>,
        open: &mut OpenRequest,
    ) -> Answer {
        if !open.take_place() {
            return unavailable();
        }
        let body = match self.decoded(&parts.headers, &sent, open).await {
            Ok(body) => body,
            Err(answer) => return answer,
        };
        if let Some(details) = &mut event.details {
            details.tables = request_log::tables_of(&body);
        }
        event.is_unrecorded = parts.headers.contains_key(&UNRECORDED);
        if let Some(passage) = &self.passage {
            return passed_on(&**passage, &parts.headers, body).await;
        }
        let Some(operation) = target(&parts.headers) else {
            return self.own(parts, &sent, body, event, open).await;
        };
        event.operation = Some(Named::OfService(operation));
        let payload = match self.payload(&sent).await {
            Ok(payload) => payload,
            Err(answer) => return answer,
        };
        let api_of_caller = match self.authenticate(parts, payload, Target::OfService, event) {
            Ok(api) => api,
            Err(fault) => {
                return self.refused(body, || envelope::auth_fault(&fault).into()).await;
            }
        };
        if body.is_empty() {
            return client_fault(Bytes::from_static(envelope::MALFORMED_JSON));
        }
        if !open.budget().wait_for_answers().await {
            return unavailable();
        }
        let api = match &api_of_caller {
            Ok(own) => own.as_ref().unwrap_or(&self.api),
            Err(error) => return self.api_error(error, event),
        };
        let to_tell = event.begin_call(self.asked(&parts.headers), &body);
        let operation = Named::OfService(operation);
        let answered = self.lanes.call(api, operation, body, to_tell).await;
        self.answered(answered, event)
    }

    /// Returns the answer to a call that has ended.
    fn answered(&self, answered: ApiResult<Vec<u8>>, event: &mut OpenEvent<'_>) -> Answer {
        event.note_stage(|details| &mut details.ended);
        let mut answer = match answered {
            Ok(body) => Answer::new(StatusCode::OK, body),
            Err(error) => self.api_error(&error, event),
        };
        answer.extra.extend(event.told_headers().into_iter().filter_map(as_header));
        answer
    }

    /// Returns the further information that the client asks for.
    fn asked(&self, headers: &HeaderMap) -> Asked {
        Asked {
            usage: false,
            cost: self.cost_header || headers.contains_key(&COST),
            explanation: headers.contains_key(&EXPLAIN),
            pattern: headers.contains_key(&PATTERN),
        }
    }

    /// Answers a request whose target is none of the service's: it may name one of our own
    /// operations.
    async fn own(
        &self,
        parts: &Parts,
        sent: &Bytes,
        body: Bytes,
        event: &mut OpenEvent<'_>,
        open: &mut OpenRequest,
    ) -> Answer {
        let Some(name) = own_target(&parts.headers) else {
            return self.refused(body, || Bytes::from_static(envelope::UNKNOWN_OPERATION)).await;
        };
        let operation = Named::Own(beginning(name, OPERATION_NAME_MAX_BYTES).into());
        event.operation = Some(operation.clone());
        let payload = match self.payload(sent).await {
            Ok(payload) => payload,
            Err(answer) => return answer,
        };
        let api_of_caller = match self.authenticate(parts, payload, Target::Own, event) {
            Ok(api) => api,
            Err(fault) => {
                return self.refused(body, || envelope::auth_fault(&fault).into()).await;
            }
        };
        if !open.budget().wait_for_answers().await {
            return unavailable();
        }
        let api = match &api_of_caller {
            Ok(own) => own.as_ref().unwrap_or(&self.api),
            Err(error) => return self.api_error(error, event),
        };
        let to_tell = event.begin_call(self.asked(&parts.headers), &body);
        let answered = self.lanes.call(api, operation, body, to_tell).await;
        self.answered(answered, event)
    }

    /// Returns the answer for an error of the API. Logs faults of the server here, at most one a
    /// minute, because a store that refuses writes refuses them all.
    fn api_error(&self, error: &ApiError, event: &Event) -> Answer {
        let status = StatusCode::from_u16(error.kind().http_status())
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        if status.is_server_error() {
            let is_refused = matches!(error.reason(), Reason::StoreUnavailable(_));
            if is_refused {
                self.refusals.begin();
            }
            let limit = if is_refused { &self.refused_writes } else { &self.failures };
            if let Some(left_out) = limit.admit(clock::now()) {
                let (request_id, operation) =
                    (event.id.as_str(), event.operation.as_ref().map(Named::name));
                tracing::error!(request_id, operation, %error, left_out, "request failed");
            }
        }
        let answer = Answer::new(status, envelope::api_error(error));
        Answer { refusal: Refusal::of(error.kind()), ..answer }
    }

    /// Returns the body without its content encoding. `open` holds the room for it.
    async fn decoded(
        &self,
        headers: &HeaderMap,
        sent: &Bytes,
        open: &mut OpenRequest,
    ) -> Result<Bytes, Answer> {
        let malformed = || client_fault(Bytes::from_static(envelope::MALFORMED_JSON));
        let Some(encoding) = headers.get(header::CONTENT_ENCODING) else {
            return Ok(sent.clone());
        };
        let Some(coding) = Coding::of_request(encoding).map_err(|()| malformed())? else {
            return Ok(sent.clone());
        };
        let (sent, most) = (sent.clone(), self.limits.body_bytes);
        let decompressed = if sent.len() < LONG_CODED_BYTES {
            coding.decompress(&sent, most)
        } else {
            // Decompressed, the body may be a thousand times as large.
            let decompressed = self.lanes.compute(move || coding.decompress(&sent, most)).await;
            decompressed.map_err(|_| unavailable())?
        };
        let decoded = decompressed.map_err(|fault| match fault {
            CodingFault::TooLarge => Answer::new(StatusCode::PAYLOAD_TOO_LARGE, Bytes::new()),
            CodingFault::Malformed => malformed(),
        })?;
        let has_room = open.take_body(decoded.len()) || open.wait_for_body(decoded.len()).await;
        if has_room { Ok(decoded) } else { Err(unavailable()) }
    }

    /// Returns the payload that a signature covers; hashes a large body in a lane, where it holds
    /// up no other request.
    async fn payload<'b>(&self, sent: &'b Bytes) -> Result<Payload<'b>, Answer> {
        if sent.len() < LONG_BODY_BYTES || self.access.is_open() {
            return Ok(Payload::Body(sent));
        }
        let sent = sent.clone();
        self.lanes.compute(move || Payload::hashed(&sent)).await.map_err(|_| unavailable())
    }

    /// Returns the answer to a fault that ranks behind a body that is not JSON.
    async fn refused(&self, body: Bytes, fault: impl FnOnce() -> Bytes) -> Answer {
        let is_json = if body.len() < LONG_BODY_BYTES {
            Ok(is_empty_or_json(&body))
        } else {
            self.lanes.compute(move || is_empty_or_json(&body)).await
        };
        match is_json {
            Ok(true) => client_fault(fault()),
            Ok(false) => client_fault(Bytes::from_static(envelope::MALFORMED_JSON)),
            Err(_) => unavailable(),
        }
    }

    /// Returns the API of the sender of the request if it has one of its own, and the error if that
    /// API is unavailable; or the reason why the sender is unknown.
    fn authenticate(
        &self,
        parts: &Parts,
        payload: Payload<'_>,
        target: Target,
        event: &mut OpenEvent<'_>,
    ) -> Result<ApiResult<Option<Arc<dyn Api>>>, AuthFault> {
        let request = hashrange_auth::Request {
            method: parts.method.as_str(),
            path: parts.uri.path(),
            query: parts.uri.query().unwrap_or_default(),
            authority: parts.uri.authority().map(hyper::http::uri::Authority::as_str),
            headers: &Headers(&parts.headers),
            payload,
        };
        let policy = self.access.policy();
        let now = clock::timestamp();
        let caller = match target {
            Target::OfService => policy.authenticate(&request, now)?,
            Target::Own => policy.authenticate_covering(TARGET.as_str(), &request, now)?,
        };
        event.add_caller(caller.access_key_id());
        let api = self.api.of_caller(&caller);
        if let (Ok(Some(_)), Some(details)) = (&api, &mut event.details) {
            details.namespace = Some(namespace(&caller));
        }
        Ok(api)
    }

    fn wishes(&self, parts: &Parts, readers: Readers, answer: &Answer) -> Wishes {
        let (body_bytes, is_compressed) = (answer.body.len(), answer.coding.is_some());
        let is_long = self.compress_from_bytes.is_some_and(|least| body_bytes >= least);
        let coding = || parts.headers.get(header::ACCEPT_ENCODING).and_then(Coding::accepted);
        let compress = if is_long && !is_compressed { coding() } else { None };
        Wishes { readers, compress, http1: parts.version < Version::HTTP_2 }
    }

    /// Compresses the body of an answer, which is counted while it waits.
    async fn compressed(
        &self,
        mut answer: Answer,
        coding: Coding,
        open: &mut OpenRequest,
    ) -> Answer {
        let body = answer.body.clone();
        open.hold_answer(body.len());
        let compressed = if body.len() < LONG_BODY_BYTES {
            Ok(coding.compress(&body))
        } else {
            self.lanes.compute(move || coding.compress(&body)).await
        };
        // If the lane fails, the client gets the body uncompressed.
        if let Ok(compressed) = compressed {
            answer.body = compressed.into();
            answer.coding = Some(coding);
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

/// Owner of the operation that a request names.
#[derive(Debug, Clone, Copy)]
enum Target {
    /// The service, which does not require the signature to cover the operation's name.
    OfService,
    /// This server: the signature must cover the name, so that no other request can be sent again
    /// as one of these.
    Own,
}

/// Returns the namespace of a caller, as events name it.
pub fn namespace(caller: &Caller<'_>) -> String {
    let (key, region) = (caller.access_key_id(), caller.region());
    format!("{}/{}", key.unwrap_or_default(), region.unwrap_or_default())
}

/// Hyper's headers as a view for the signature check.
struct Headers<'m>(&'m HeaderMap);

impl HeaderView for Headers<'_> {
    fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        let values = match known_name(name) {
            Some(name) => self.0.get_all(name),
            None => self.0.get_all(name),
        };
        values.iter().map(HeaderValue::as_bytes)
    }

    fn first_value<'a>(&'a self, name: &'a str) -> Option<&'a [u8]> {
        let value = match known_name(name) {
            Some(name) => self.0.get(name),
            None => self.0.get(name),
        };
        value.map(HeaderValue::as_bytes)
    }
}

/// Returns the header name for a name that every signed request needs, which saves the conversion
/// from text.
fn known_name(name: &str) -> Option<&'static HeaderName> {
    match name {
        "authorization" => Some(&AUTHORIZATION),
        "x-amz-date" => Some(&AMZ_DATE),
        "x-amz-security-token" => Some(&SECURITY_TOKEN),
        "x-amz-content-sha256" => Some(&CONTENT_SHA256),
        _ => None,
    }
}

/// Runs a future and returns the payload of its panic, if it panics.
///
/// The future is dropped then, so the state that it shares with other requests has to stay usable.
async fn caught<F: Future>(future: F) -> Result<F::Output, Box<dyn Any + Send>> {
    let mut future = pin!(future);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}

/// Returns the `Host` of a request, or an error for HTTP/1.1 with none or several. Source: RFC
/// 9112, section 3.2.
fn host(parts: &Parts) -> Result<Option<&HeaderValue>, ()> {
    let mut hosts = parts.headers.get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (_, Some(_)) => Err(()),
        (None, None) if parts.version == Version::HTTP_11 => Err(()),
        (host, None) => Ok(host),
    }
}

/// Returns the content type of the request if it is one of the protocol's. A request that has
/// neither a body nor a type is judged as one of the protocol, and answered as JSON. Source:
/// captured answers.
fn content_type(headers: &HeaderMap, body: &[u8]) -> Option<&'static HeaderValue> {
    let Some(sent) = headers.get(header::CONTENT_TYPE) else {
        return body.is_empty().then_some(&JSON);
    };
    let sent = sent.as_bytes();
    // Every SDK sends this.
    if sent == AMZ_JSON.as_bytes() {
        return Some(&AMZ_JSON);
    }
    let end = sent.iter().position(|&byte| byte == b';').unwrap_or(sent.len());
    let name = sent[..end].trim_ascii();
    [&AMZ_JSON, &JSON].into_iter().find(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// Returns true for writes, whose answer is never replaced by an error: it says what was written.
fn is_write(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::PutItem
            | Operation::UpdateItem
            | Operation::DeleteItem
            | Operation::BatchWriteItem
            | Operation::TransactWriteItems
    )
}

/// Returns the operation that the request names.
fn target(headers: &HeaderMap) -> Option<Operation> {
    Operation::from_target(headers.get(&TARGET)?.to_str().ok()?)
}

/// Returns a header for further information; `None` if its text cannot be one.
fn as_header((name, text): (&'static str, String)) -> Option<(HeaderName, HeaderValue)> {
    Some((HeaderName::from_static(name), HeaderValue::try_from(text).ok()?))
}

/// Returns the details that the head of a request has.
fn details_of(parts: &Parts) -> Details {
    let agent = parts.headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
    Details {
        // The client chose the path, so its control characters are escaped.
        target: format!("{} {:?}", parts.method, beginning(parts.uri.path(), PATH_MAX_BYTES)),
        agent: agent.map(|agent| beginning(agent, AGENT_MAX_BYTES).to_owned()),
        ..Details::default()
    }
}

/// Returns the operation of our own that the request names.
fn own_target(headers: &HeaderMap) -> Option<&str> {
    let (namespace, name) = headers.get(&TARGET)?.to_str().ok()?.split_once('.')?;
    (namespace == OWN_TARGETS).then_some(name)
}

fn is_empty_or_json(body: &[u8]) -> bool {
    body.is_empty() || syntax_check(body).is_ok()
}

fn client_fault(body: Bytes) -> Answer {
    Answer::new(StatusCode::BAD_REQUEST, body)
}

/// Returns what clients hold now.
fn held(budget: &Budget) -> Held {
    Held {
        requests: budget.requests(),
        answer_bytes: budget.answer_bytes(),
        body_bytes: budget.body_bytes(),
    }
}

fn forbidden(body: Vec<u8>) -> Answer {
    Answer::new(StatusCode::FORBIDDEN, body).of_type(&AMZ_JSON)
}

fn unavailable() -> Answer {
    let body = Bytes::from_static(envelope::UNAVAILABLE);
    Answer::new(StatusCode::SERVICE_UNAVAILABLE, body).of_type(&AMZ_JSON)
}

fn not_the_protocol() -> Answer {
    Answer::new(StatusCode::NOT_FOUND, Bytes::from_static(envelope::NOT_THE_PROTOCOL))
}

/// Passes a request on and returns the answer.
async fn passed_on(passage: &dyn Passage, headers: &HeaderMap, body: Bytes) -> Answer {
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
            assert_eq!(content_type(&headers, b"{}"), expected, "{sent}");
            assert_eq!(content_type(&headers, b""), expected, "{sent}");
        }
        assert_eq!(content_type(&HeaderMap::new(), b"{}"), None);
        assert_eq!(content_type(&HeaderMap::new(), b""), Some(&JSON));
    }
}
