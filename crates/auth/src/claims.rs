//! Claims of a request about its own signature, read but not yet verified.
//!
//! Reads the `Authorization` header or the presigned query, reports absent parts and bad dates, and
//! leaves every comparison to `verify`.

use std::borrow::Cow;

use crate::canonical::{Form, SERVICE, TERMINATOR, UNSIGNED_PAYLOAD};
use crate::fault::{AuthFault, HeaderPart, QueryPart, ScopeFault};
use crate::query::pairs;
use crate::request::{HeaderView, Request};
use crate::timestamp::Timestamp;
use crate::verify::{MAX_CLOCK_SKEW_S, MAX_PRESIGNED_LIFE_S};
use memchr::{memchr, memchr2};

const AUTHORIZATION: &str = "authorization";
const SECURITY_TOKEN_HEADER: &str = "x-amz-security-token";
const CONTENT_SHA256_HEADER: &str = "x-amz-content-sha256";

/// Claims of a request about its own signature.
pub(crate) struct Claims<'a> {
    pub(crate) form: Form,
    pub(crate) algorithm: Cow<'a, str>,
    pub(crate) credential: Cow<'a, str>,
    pub(crate) signed_headers: Cow<'a, str>,
    pub(crate) signature: Cow<'a, str>,
    pub(crate) signed_at: Timestamp,
    /// Lifetime of the signature after `signed_at`, in seconds.
    pub(crate) valid_s: u32,
    pub(crate) security_token: Option<Cow<'a, [u8]>>,
    /// The value of `x-amz-content-sha256`.
    pub(crate) content_sha256: Option<Cow<'a, [u8]>>,
}

impl<'a> Claims<'a> {
    /// Reads the header or the query, whichever holds the signature.
    pub(crate) fn read<H: HeaderView + ?Sized>(
        request: &Request<'a, H>,
    ) -> Result<Self, AuthFault> {
        let query = QueryParameters::read(request.query);
        match (request.headers.first_value(AUTHORIZATION), query.algorithm.is_some()) {
            (Some(_), true) => Err(AuthFault::HeaderAndQuery),
            (Some(header), false) => Self::read_header(header, request.headers),
            (None, true) => query.into_claims(request.headers),
            (None, false) => Err(AuthFault::MissingToken),
        }
    }

    fn read_header<H: HeaderView + ?Sized>(
        header: &'a [u8],
        headers: &'a H,
    ) -> Result<Self, AuthFault> {
        if !header.starts_with(b"AWS4-") {
            return Err(AuthFault::MissingToken);
        }
        let authorization = Authorization::parse(std::str::from_utf8(header).unwrap_or_default());
        let date = headers.first_value("x-amz-date").or_else(|| headers.first_value("date"));
        let date = date.filter(|date| !date.is_empty());
        let Authorization { algorithm, credential, signature, signed_headers } = authorization;
        let (Some(credential), Some(signature), Some(signed_headers), Some(date)) =
            (credential, signature, signed_headers, date)
        else {
            let missing = [
                credential.is_none().then_some(HeaderPart::Credential),
                signature.is_none().then_some(HeaderPart::Signature),
                signed_headers.is_none().then_some(HeaderPart::SignedHeaders),
                date.is_none().then_some(HeaderPart::Date),
            ];
            return Err(AuthFault::IncompleteHeader {
                missing: missing.into_iter().flatten().collect(),
                authorization: String::from_utf8_lossy(header).into_owned(),
            });
        };
        Ok(Self {
            form: Form::Header,
            algorithm: algorithm.into(),
            credential: credential.into(),
            signed_headers: signed_headers.into(),
            signature: signature.into(),
            signed_at: parse_date(date)?,
            valid_s: MAX_CLOCK_SKEW_S,
            security_token: headers.first_value(SECURITY_TOKEN_HEADER).map(Cow::Borrowed),
            content_sha256: headers.first_value(CONTENT_SHA256_HEADER).map(Cow::Borrowed),
        })
    }

    /// Returns whether the request says that its signature does not cover the body.
    pub(crate) fn says_unsigned_payload(&self) -> bool {
        self.content_sha256.as_deref() == Some(UNSIGNED_PAYLOAD.as_bytes())
    }
}

/// Returns the credential that a request shows, however wrong the rest of it is.
pub(crate) fn shown_credential<'a, H: HeaderView + ?Sized>(
    request: &Request<'a, H>,
) -> Option<Cow<'a, str>> {
    match request.headers.first_value(AUTHORIZATION) {
        Some(header) => {
            let text = std::str::from_utf8(header).ok()?;
            Authorization::parse(text).credential.map(Cow::Borrowed)
        }
        None => QueryParameters::read(request.query).credential,
    }
}

/// The parts of an `Authorization` header.
struct Authorization<'a> {
    algorithm: &'a str,
    credential: Option<&'a str>,
    signature: Option<&'a str>,
    signed_headers: Option<&'a str>,
}

impl<'a> Authorization<'a> {
    /// Reads `algorithm name=value, name=value...`; the first of equal names counts, and an empty
    /// value counts as absent.
    fn parse(header: &'a str) -> Self {
        let (algorithm, mut rest) = split_at_byte(header, memchr(b' ', header.as_bytes()));
        let mut parsed =
            Self { algorithm, credential: None, signature: None, signed_headers: None };
        while !rest.is_empty() {
            let part;
            (part, rest) = split_at_byte(rest, memchr2(b',', b' ', rest.as_bytes()));
            let (slot, value) = if let Some(value) = part.strip_prefix("Credential=") {
                (&mut parsed.credential, value)
            } else if let Some(value) = part.strip_prefix("SignedHeaders=") {
                (&mut parsed.signed_headers, value)
            } else if let Some(value) = part.strip_prefix("Signature=") {
                (&mut parsed.signature, value)
            } else {
                continue;
            };
            if slot.is_none() && !value.is_empty() {
                *slot = Some(value);
            }
        }
        parsed
    }
}

/// Splits a text around the ASCII byte at an index; without an index the second part is empty.
fn split_at_byte(text: &str, at: Option<usize>) -> (&str, &str) {
    at.map_or((text, ""), |at| (&text[..at], &text[at + 1..]))
}

/// The parameters of a presigned query.
#[derive(Default)]
struct QueryParameters<'a> {
    algorithm: Option<Cow<'a, str>>,
    credential: Option<Cow<'a, str>>,
    signature: Option<Cow<'a, str>>,
    signed_headers: Option<Cow<'a, str>>,
    date: Option<Cow<'a, str>>,
    expires: Option<Cow<'a, str>>,
    security_token: Option<Cow<'a, str>>,
    content_sha256: Option<Cow<'a, str>>,
}

impl<'a> QueryParameters<'a> {
    /// Reads the query; the first of equal names counts.
    fn read(query: &'a str) -> Self {
        let mut parameters = Self::default();
        if query.is_empty() {
            return parameters;
        }
        for (name, value) in pairs(query) {
            let slot = match &*name {
                b"X-Amz-Algorithm" => &mut parameters.algorithm,
                b"X-Amz-Credential" => &mut parameters.credential,
                b"X-Amz-Signature" => &mut parameters.signature,
                b"X-Amz-SignedHeaders" => &mut parameters.signed_headers,
                b"X-Amz-Date" => &mut parameters.date,
                b"X-Amz-Expires" => &mut parameters.expires,
                b"X-Amz-Security-Token" => &mut parameters.security_token,
                b"X-Amz-Content-Sha256" => &mut parameters.content_sha256,
                _ => continue,
            };
            if slot.is_none() {
                *slot = Some(to_text(value));
            }
        }
        parameters
    }

    fn into_claims<H: HeaderView + ?Sized>(self, headers: &'a H) -> Result<Claims<'a>, AuthFault> {
        let present = |part: Option<Cow<'a, str>>| part.filter(|text| !text.is_empty());
        let parts = [
            (QueryPart::Algorithm, present(self.algorithm)),
            (QueryPart::Credential, present(self.credential)),
            (QueryPart::Signature, present(self.signature)),
            (QueryPart::SignedHeaders, present(self.signed_headers)),
            (QueryPart::Date, present(self.date)),
        ];
        let missing = |(part, text): &(QueryPart, Option<_>)| text.is_none().then_some(*part);
        let missing: Vec<QueryPart> = parts.iter().filter_map(missing).collect();
        let [
            (_, Some(algorithm)),
            (_, Some(credential)),
            (_, Some(signature)),
            (_, Some(signed_headers)),
            (_, Some(date)),
        ] = parts
        else {
            return Err(AuthFault::IncompleteQuery { missing });
        };
        let in_header = |name| headers.first_value(name).map(Cow::Borrowed);
        Ok(Claims {
            form: Form::Query,
            algorithm,
            credential,
            signed_headers,
            signature,
            signed_at: parse_date(date.as_bytes())?,
            valid_s: parse_expires(self.expires)?,
            security_token: self
                .security_token
                .map(to_bytes)
                .or_else(|| in_header(SECURITY_TOKEN_HEADER)),
            content_sha256: self
                .content_sha256
                .map(to_bytes)
                .or_else(|| in_header(CONTENT_SHA256_HEADER)),
        })
    }
}

fn to_text(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
    match bytes {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => Cow::Owned(
            String::from_utf8(bytes)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
        ),
    }
}

fn to_bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// Reads ISO 8601 basic format, or the form of the HTTP `Date` header.
fn parse_date(date: &[u8]) -> Result<Timestamp, AuthFault> {
    let text = String::from_utf8_lossy(date);
    Timestamp::parse_basic(&text)
        .or_else(|| Timestamp::parse_http_date(&text))
        .ok_or_else(|| AuthFault::BadDate { got: text.into_owned() })
}

fn parse_expires(expires: Option<Cow<'_, str>>) -> Result<u32, AuthFault> {
    let Some(text) = expires else { return Ok(MAX_CLOCK_SKEW_S) };
    match text.parse() {
        Ok(seconds @ 1..=MAX_PRESIGNED_LIFE_S) if !text.starts_with('+') => Ok(seconds),
        _ => Err(AuthFault::BadExpires { got: text.into_owned() }),
    }
}

/// The parts of a credential.
pub(crate) struct Scope<'a> {
    pub(crate) access_key_id: &'a str,
    date: &'a str,
    pub(crate) region: &'a str,
    service: &'a str,
    terminator: &'a str,
}

impl<'a> Scope<'a> {
    /// Splits `keyid/date/region/service/term`.
    pub(crate) fn parse(credential: &'a str) -> Option<Self> {
        let mut parts = credential.split('/');
        let mut next = || parts.next();
        let (access_key_id, date, region) = (next()?, next()?, next()?);
        let (service, terminator) = (next()?, next()?);
        let scope = Self { access_key_id, date, region, service, terminator };
        next().is_none().then_some(scope)
    }

    /// Checks region, service, terminator and date.
    pub(crate) fn check(&self, signed_at: Timestamp) -> Result<(), AuthFault> {
        let date_matches = self.date.as_bytes() == &signed_at.to_basic()[..8];
        let region_valid = is_region_name(self.region);
        if region_valid && date_matches && self.service == SERVICE && self.terminator == TERMINATOR
        {
            return Ok(());
        }
        let mut faults = Vec::new();
        if !region_valid {
            faults.push(ScopeFault::Region(self.region.to_owned()));
        }
        if self.service != SERVICE {
            faults.push(ScopeFault::Service);
        }
        if self.terminator != TERMINATOR {
            faults.push(ScopeFault::Terminator(self.terminator.to_owned()));
        }
        if !date_matches {
            faults.push(ScopeFault::Date { scope_date: self.date.to_owned(), signed_at });
        }
        Err(AuthFault::Scope(faults))
    }
}

/// Returns whether `name` can be a region: every name of 2 to 63 letters, digits, hyphens and
/// underscores is one, because operators name the regions of their own servers.
pub(crate) fn is_region_name(name: &str) -> bool {
    (2..=63).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}
