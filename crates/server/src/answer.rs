//! From an answer to an HTTP response: status, headers, checksum.

use crate::request_id::RequestId;
use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};

/// The body type of every response.
pub type ResponseBody = Full<Bytes>;

/// The content type of the protocol.
pub static AMZ_JSON: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");
/// The other content type that requests may have.
pub static JSON: HeaderValue = HeaderValue::from_static("application/json");
/// The content type of what people read.
pub static TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

static SERVER: HeaderValue = HeaderValue::from_static("Hashrange");
static ANY_ORIGIN: HeaderValue = HeaderValue::from_static("*");
static EXPOSED: HeaderValue = HeaderValue::from_static(
    "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,x-amz-crc32,Date",
);
static GZIP: HeaderValue = HeaderValue::from_static("gzip");
static CLOSE: HeaderValue = HeaderValue::from_static("close");

static REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
static CRC32: HeaderName = HeaderName::from_static("x-amz-crc32");

/// What a request is answered with.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The body.
    pub body: Bytes,
    /// Whether the body is compressed.
    pub is_gzip: bool,
    /// The type of the body.
    pub content_type: Option<HeaderValue>,
    /// Whether the connection ends with this answer.
    pub close: bool,
    /// Headers of this answer alone.
    pub extra: Vec<(HeaderName, HeaderValue)>,
}

impl Answer {
    /// Returns an answer with a body.
    pub fn new(status: StatusCode, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        Self { status, body, is_gzip: false, content_type: None, close: false, extra: Vec::new() }
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

/// What of a request shapes the headers of its response.
#[derive(Debug, Clone, Copy)]
pub struct Wishes {
    /// The request came from a page of another origin, and that is allowed.
    pub cross_origin: bool,
    /// The client takes gzip, and the server compresses from this size on.
    pub gzip_from_bytes: Option<usize>,
    /// Whether `Connection: close` may be said: HTTP/2 has no such header.
    pub http1: bool,
}

/// Returns the response. `headers` is an empty map whose memory is used again.
pub fn respond(
    answer: Answer,
    mut headers: HeaderMap,
    wishes: Wishes,
    id: RequestId,
) -> Response<ResponseBody> {
    let body = answer.body;
    if answer.is_gzip {
        headers.insert(header::CONTENT_ENCODING, GZIP.clone());
    }
    headers.insert(header::SERVER, SERVER.clone());
    headers.insert(&REQUEST_ID, id.header_value());
    // Source: clients check this sum against the body as sent, before they decompress it.
    headers.insert(&CRC32, HeaderValue::from(crc32fast::hash(&body)));
    if let Some(content_type) = answer.content_type {
        headers.insert(header::CONTENT_TYPE, content_type);
    }
    if wishes.cross_origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, ANY_ORIGIN.clone());
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED.clone());
    }
    if answer.close && wishes.http1 {
        headers.insert(header::CONNECTION, CLOSE.clone());
    }
    headers.extend(answer.extra.into_iter().map(|(name, value)| (Some(name), value)));
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = answer.status;
    *response.headers_mut() = headers;
    response
}
