//! Turns an answer into an HTTP response: status, headers, checksum.

use crate::activity::OpenRequest;
use crate::answer_body::AnswerBody;
use crate::content_coding::Coding;
use crate::event::Refusal;
use crate::request_id::RequestId;
use bytes::Bytes;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};

/// The content type of the protocol.
pub static AMZ_JSON: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");
/// The other content type that requests may have.
pub static JSON: HeaderValue = HeaderValue::from_static("application/json");
/// The content type of texts for people.
pub static TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

static SERVER: HeaderValue = HeaderValue::from_static("Hashrange");
static ANY_ORIGIN: HeaderValue = HeaderValue::from_static("*");
static EXPOSED: HeaderValue = HeaderValue::from_static(
    "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,x-amz-crc32,Date,\
     x-hashrange-cost,x-hashrange-explain,x-hashrange-pattern",
);
static ORIGIN: HeaderValue = HeaderValue::from_static("origin");
static CLOSE: HeaderValue = HeaderValue::from_static("close");

static REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
static CRC32: HeaderName = HeaderName::from_static("x-amz-crc32");

/// Answer to a request.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The body.
    pub body: Bytes,
    /// Coding with which the body is compressed.
    pub coding: Option<Coding>,
    /// The type of the body.
    pub content_type: Option<HeaderValue>,
    /// True if the connection ends with this answer.
    pub close: bool,
    /// Kind of refusal, if clients have to expect it.
    pub refusal: Option<Refusal>,
    /// Headers of this answer alone.
    pub extra: Vec<(HeaderName, HeaderValue)>,
}

impl Answer {
    /// Returns an answer with a body.
    pub fn new(status: StatusCode, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        Self {
            status,
            body,
            coding: None,
            content_type: None,
            close: false,
            refusal: None,
            extra: Vec::new(),
        }
    }

    /// Returns the answer with the type of its body.
    pub fn of_type(mut self, content_type: &HeaderValue) -> Self {
        self.content_type = Some(content_type.clone());
        self
    }

    /// Returns an answer without a body, after which the connection ends.
    pub fn closing(status: StatusCode) -> Self {
        Self { close: true, ..Self::new(status, Bytes::new()) }
    }
}

/// Web pages that may read an answer.
#[derive(Debug, Clone, Default)]
pub enum Readers {
    /// The request came from no page, or from one that may not read it.
    #[default]
    NoPage,
    /// Pages of every origin.
    EveryPage,
    /// Pages of this origin.
    PagesOf(HeaderValue),
}

/// Properties of a request that decide the headers of its response.
#[derive(Debug)]
pub struct Wishes {
    /// Web pages that may read the answer.
    pub readers: Readers,
    /// Coding for the answer, if it is long enough: one that the client accepts.
    pub compress: Option<Coding>,
    /// True if the response may have `Connection: close`: HTTP/2 has no such header.
    pub http1: bool,
}

/// Returns the response. `headers` is an empty map whose memory is reused; `open` is the request,
/// which stays open until the response is out.
pub fn respond(
    answer: Answer,
    mut headers: HeaderMap,
    wishes: Wishes,
    id: RequestId,
    open: OpenRequest,
) -> Response<AnswerBody> {
    let body = answer.body;
    if let Some(coding) = answer.coding {
        headers.insert(header::CONTENT_ENCODING, coding.name().clone());
    }
    headers.insert(header::SERVER, SERVER.clone());
    headers.insert(&REQUEST_ID, id.header_value());
    // Source: clients check this sum against the body as sent, before they decompress it.
    headers.insert(&CRC32, HeaderValue::from(crc32fast::hash(&body)));
    if let Some(content_type) = answer.content_type {
        headers.insert(header::CONTENT_TYPE, content_type);
    }
    let allowed = match wishes.readers {
        Readers::NoPage => None,
        Readers::EveryPage => Some(ANY_ORIGIN.clone()),
        Readers::PagesOf(origin) => {
            headers.insert(header::VARY, ORIGIN.clone());
            Some(origin)
        }
    };
    if let Some(allowed) = allowed {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED.clone());
    }
    if answer.close && wishes.http1 {
        headers.insert(header::CONNECTION, CLOSE.clone());
    }
    headers.extend(answer.extra.into_iter().map(|(name, value)| (Some(name), value)));
    let unsent = open.answered(body.len());
    let mut response = Response::new(AnswerBody::new(body, unsent));
    *response.status_mut() = answer.status;
    *response.headers_mut() = headers;
    response
}
