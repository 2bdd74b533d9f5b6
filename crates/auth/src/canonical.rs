//! The canonical request and the string to sign, written piece by piece into a hash.
//!
//! Nothing is built in memory: a [`Sink`] is a running SHA-256, an HMAC or, in tests, a buffer.
//!
//! ```text
//! canonical request            string to sign
//!   method                       AWS4-HMAC-SHA256
//!   canonical path               20150830T123600Z
//!   canonical query              20150830/us-east-1/dynamodb/aws4_request
//!   name:value per header        hex(sha256(canonical request))
//!   (empty line)
//!   signed header names
//!   hex(sha256(body)) or UNSIGNED-PAYLOAD
//! ```
//!
//! Source: AWS IAM User Guide, "Create a signed AWS API request".

use hmac::Mac;
use sha2::{Digest, Sha256};

use crate::digest::{HmacSha256, to_hex};
use crate::query::{write_canonical_path, write_canonical_query};
use crate::request::{HeaderView, Request};
use crate::timestamp::Timestamp;

/// The only algorithm.
pub(crate) const ALGORITHM: &str = "AWS4-HMAC-SHA256";
/// The service name in the credential scope, of DynamoDB and of DynamoDB Streams.
pub(crate) const SERVICE: &str = "dynamodb";
/// The last element of the credential scope.
pub(crate) const TERMINATOR: &str = "aws4_request";
/// Text in the place of the hash of a body that the signature does not cover.
pub(crate) const UNSIGNED_PAYLOAD: &str = "UNSIGNED-PAYLOAD";
/// The most header names a signature may list, so that a small request cannot make the server hash
/// a large header over and over.
pub const MAX_SIGNED_HEADERS: usize = 100;

/// Takes the pieces of a text in order.
pub(crate) trait Sink {
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Sha256 {
    fn put(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }
}

impl Sink for HmacSha256 {
    fn put(&mut self, bytes: &[u8]) {
        Mac::update(self, bytes);
    }
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// A list of header names separated by semicolons.
///
/// Invariant: 1 to [`MAX_SIGNED_HEADERS`] names, each a token of RFC 9110, so that no name can
/// reach into the next line of the canonical request.
#[derive(Clone, Copy)]
pub(crate) struct SignedHeaders<'a>(&'a str);

impl<'a> SignedHeaders<'a> {
    pub(crate) fn parse(list: &'a str) -> Option<Self> {
        let named = |name: &str| !name.is_empty() && name.bytes().all(is_token_byte);
        let valid = list.split(';').all(named) && list.split(';').count() <= MAX_SIGNED_HEADERS;
        valid.then_some(Self(list))
    }

    pub(crate) fn contains(self, name: &str) -> bool {
        lists_header(self.0, name)
    }
}

/// Returns whether the semicolon-separated `list` holds `name`.
pub(crate) fn lists_header(list: &str, name: &str) -> bool {
    list.split(';').any(|listed| listed.eq_ignore_ascii_case(name))
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Last line of the canonical request.
#[derive(Clone, Copy)]
pub(crate) enum PayloadHash {
    Sha256([u8; 64]),
    Unsigned,
}

impl PayloadHash {
    pub(crate) fn of(hash: &[u8; 32]) -> Self {
        Self::Sha256(to_hex(hash))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Sha256(hex) => hex,
            Self::Unsigned => UNSIGNED_PAYLOAD.as_bytes(),
        }
    }
}

/// Place of the signature: the `Authorization` header or the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Header,
    Query,
}

/// Writes the canonical request.
pub(crate) fn write_canonical_request<H: HeaderView + ?Sized>(
    request: &Request<'_, H>,
    form: Form,
    signed_headers: SignedHeaders<'_>,
    payload_hash: PayloadHash,
    sink: &mut impl Sink,
) {
    sink.put(request.method.as_bytes());
    sink.put(b"\n");
    write_canonical_path(request.path, sink);
    sink.put(b"\n");
    write_canonical_query(request.query, form == Form::Query, sink);
    sink.put(b"\n");
    for name in signed_headers.0.split(';') {
        sink.put(name.as_bytes());
        sink.put(b":");
        write_header_values(request, name, sink);
        sink.put(b"\n");
    }
    sink.put(b"\n");
    sink.put(signed_headers.0.as_bytes());
    sink.put(b"\n");
    sink.put(payload_hash.as_bytes());
}

/// Writes the values of one header, joined by commas; nothing if the header is absent.
fn write_header_values<H: HeaderView + ?Sized>(
    request: &Request<'_, H>,
    name: &str,
    sink: &mut impl Sink,
) {
    let mut sent = false;
    for value in request.headers.values(name) {
        if sent {
            sink.put(b",");
        }
        write_header_value(value, sink);
        sent = true;
    }
    if let (false, Some(authority)) = (sent, request.authority)
        && name.eq_ignore_ascii_case("host")
    {
        sink.put(authority.as_bytes());
    }
}

/// Writes a header value without the white space around it, each run of spaces as one space.
fn write_header_value(value: &[u8], sink: &mut impl Sink) {
    let mut rest = value.trim_ascii();
    while let Some(nth) = rest.windows(2).position(|pair| pair == b"  ") {
        sink.put(&rest[..=nth]);
        rest = rest[nth..].trim_ascii_start();
    }
    sink.put(rest);
}

/// Returns the SHA-256 of the canonical request.
pub(crate) fn hash_canonical_request<H: HeaderView + ?Sized>(
    request: &Request<'_, H>,
    form: Form,
    signed_headers: SignedHeaders<'_>,
    payload_hash: PayloadHash,
) -> [u8; 32] {
    let mut sha256 = Sha256::new();
    write_canonical_request(request, form, signed_headers, payload_hash, &mut sha256);
    sha256.finalize().into()
}

/// Writes the string to sign.
pub(crate) fn write_string_to_sign(
    signed_at: Timestamp,
    region: &str,
    canonical_request_hash: &[u8; 32],
    sink: &mut impl Sink,
) {
    let date = signed_at.to_basic();
    for piece in [
        ALGORITHM.as_bytes(),
        b"\n",
        &date,
        b"\n",
        &date[..8],
        b"/",
        region.as_bytes(),
        b"/",
        SERVICE.as_bytes(),
        b"/",
        TERMINATOR.as_bytes(),
        b"\n",
        &to_hex(canonical_request_hash),
    ] {
        sink.put(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Payload;

    fn canonical(headers: &[(&str, &str)], signed: &str, authority: Option<&str>) -> String {
        let request = Request {
            method: "POST",
            path: "/",
            query: "b=2&a=1",
            authority,
            headers,
            payload: Payload::Body(b""),
        };
        let signed = SignedHeaders::parse(signed).unwrap();
        let mut sink = Vec::new();
        write_canonical_request(&request, Form::Header, signed, PayloadHash::Unsigned, &mut sink);
        String::from_utf8(sink).unwrap()
    }

    #[test]
    fn canonical_request_has_its_lines_in_order() {
        let headers = [("X-Amz-Date", "d"), ("Host", "h"), ("Other", "o")];
        assert_eq!(
            canonical(&headers, "host;x-amz-date", None),
            "POST\n/\na=1&b=2\nhost:h\nx-amz-date:d\n\nhost;x-amz-date\nUNSIGNED-PAYLOAD"
        );
    }

    #[test]
    fn header_values() {
        let cases: [(&[(&str, &str)], &str); 9] = [
            (&[("h", "a")], "a"),
            (&[("h", "  a  b   c\t ")], "a b c"),
            (&[("h", "a b")], "a b"),
            (&[("h", "\"a   b\"")], "\"a b\""),
            (&[("h", "a\tb")], "a\tb"),
            (&[("H", "a "), ("x", "no"), ("h", " b")], "a,b"),
            (&[("h", "")], ""),
            (&[("h", "    ")], ""),
            (&[], ""),
        ];
        for (headers, value) in cases {
            let text = canonical(headers, "h", None);
            assert_eq!(text.lines().nth(3), Some(format!("h:{value}").as_str()), "{headers:?}");
        }
    }

    #[test]
    fn the_authority_stands_for_an_absent_host_only() {
        assert!(canonical(&[], "host", Some("a")).contains("\nhost:a\n"));
        assert!(canonical(&[("host", "b")], "host", Some("a")).contains("\nhost:b\n"));
        assert!(canonical(&[], "x-host", Some("a")).contains("\nx-host:\n"));
    }

    #[test]
    fn signed_header_lists() {
        let many = vec!["a"; MAX_SIGNED_HEADERS].join(";");
        for list in ["host", "host;x-amz-date", "Host", many.as_str()] {
            assert!(SignedHeaders::parse(list).is_some(), "{list}");
        }
        let too_many = format!("{many};a");
        for list in ["", ";", "host;", "a\nb", "a:b", "a b", "\u{e9}", too_many.as_str()] {
            assert!(SignedHeaders::parse(list).is_none(), "{list}");
        }
    }
}
