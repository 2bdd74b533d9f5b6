//! The borrowed view of a request that is signed or verified.
//!
//! No HTTP library stands behind these types. A server wraps its own header map:
//!
//! ```
//! use hashrange_auth::HeaderView;
//! # struct HeaderMap(Vec<(String, Vec<u8>)>);
//! struct Headers<'m>(&'m HeaderMap);
//!
//! impl HeaderView for Headers<'_> {
//!     fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
//!         // With the `http` crate: self.0.get_all(name).iter().map(HeaderValue::as_bytes)
//!         self.0.0.iter().filter(move |(n, _)| n == name).map(|(_, v)| v.as_slice())
//!     }
//! }
//! ```

use crate::digest::sha256;

/// The headers of a request, looked up by name.
pub trait HeaderView {
    /// Returns the values of the header `name` (compared without regard to case) in the order in
    /// which they were sent.
    fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]>;

    /// Returns the first value of the header `name`.
    fn first_value<'a>(&'a self, name: &'a str) -> Option<&'a [u8]> {
        self.values(name).next()
    }
}

impl<N: AsRef<str>, V: AsRef<[u8]>> HeaderView for [(N, V)] {
    fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.iter()
            .filter(move |(other, _)| other.as_ref().eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_ref())
    }
}

/// Payload that the signature covers.
#[derive(Clone, Copy, Debug)]
pub enum Payload<'a> {
    /// The whole body as it was received; hashed only if a signature has to be verified.
    Body(&'a [u8]),
    /// The SHA-256 of the body, computed while it was received.
    Sha256([u8; 32]),
}

impl Payload<'_> {
    /// Returns the hashed payload of a body, for a caller that hashes large bodies in a place of
    /// its own.
    pub fn hashed(body: &[u8]) -> Self {
        Self::Sha256(sha256(body))
    }

    pub(crate) fn sha256(&self) -> [u8; 32] {
        match self {
            Self::Body(body) => sha256(body),
            Self::Sha256(hash) => *hash,
        }
    }
}

/// A received request.
#[derive(Debug)]
pub struct Request<'a, H: ?Sized> {
    /// The method in capitals, `POST`.
    pub method: &'a str,
    /// The path as sent, percent-encoding untouched.
    pub path: &'a str,
    /// The query as sent, without the question mark; empty if there is none.
    pub query: &'a str,
    /// The authority of the request target (HTTP/2), used when there is no `Host` header.
    pub authority: Option<&'a str>,
    /// The headers.
    pub headers: &'a H,
    /// The body or its hash.
    pub payload: Payload<'a>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_names_are_found_without_regard_to_case() {
        let headers = [("X-Amz-Date", "1"), ("x-amz-date", "2"), ("Host", "3")];
        let values: Vec<_> = headers.values("x-amz-DATE").collect();
        assert_eq!(values, [b"1", b"2"]);
        assert_eq!(headers.first_value("host"), Some(b"3".as_slice()));
        assert_eq!(headers.first_value("date"), None);
    }

    #[test]
    fn a_given_hash_stands_for_the_body() {
        assert_eq!(Payload::Body(b"x").sha256(), Payload::hashed(b"x").sha256());
    }
}
