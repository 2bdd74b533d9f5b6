//! Query strings and paths: percent-decoding, and the canonical forms that are signed.
//!
//! A `+` in a query stands for a space, as in the URL parsers of the SDKs. A `%` that does not
//! start an escape stands for itself. Empty parts between ampersands are dropped.
//!
//! Source: AWS IAM User Guide, "Create a signed AWS API request", canonical request.

use std::borrow::Cow;

use crate::canonical::Sink;

/// The query parameter that is left out of its own canonical request.
pub(crate) const SIGNATURE: &str = "X-Amz-Signature";

/// Returns the decoded names and values of `query` in the order in which they stand.
pub(crate) fn pairs(query: &str) -> impl Iterator<Item = (Cow<'_, [u8]>, Cow<'_, [u8]>)> {
    query.split('&').filter(|part| !part.is_empty()).map(|part| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        (decode(name), decode(value))
    })
}

fn decode(text: &str) -> Cow<'_, [u8]> {
    let bytes = text.as_bytes();
    if !bytes.iter().any(|byte| matches!(byte, b'%' | b'+')) {
        return Cow::Borrowed(bytes);
    }
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        let escaped = if byte == b'%' { escaped_byte(after) } else { None };
        decoded.push(escaped.unwrap_or(if byte == b'+' { b' ' } else { byte }));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    Cow::Owned(decoded)
}

fn escaped_byte(after_percent: &[u8]) -> Option<u8> {
    let digit = |nth: usize| char::from(*after_percent.get(nth)?).to_digit(16);
    u8::try_from(digit(0)? << 4 | digit(1)?).ok()
}

/// Writes the canonical form of `query`, sorted by encoded name and value.
pub(crate) fn write_canonical_query(query: &str, without_signature: bool, sink: &mut impl Sink) {
    if query.is_empty() {
        return;
    }
    let mut encoded: Vec<(Vec<u8>, Vec<u8>)> = pairs(query)
        .filter(|(name, _)| !(without_signature && **name == *SIGNATURE.as_bytes()))
        .map(|(name, value)| (encode(&name), encode(&value)))
        .collect();
    encoded.sort_unstable();
    for (nth, (name, value)) in encoded.iter().enumerate() {
        if nth > 0 {
            sink.put(b"&");
        }
        sink.put(name);
        sink.put(b"=");
        sink.put(value);
    }
}

/// Writes the canonical form of `path`: dot segments and empty segments removed, then encoded once
/// more on top of the encoding it was sent with, slashes kept.
pub(crate) fn write_canonical_path(path: &str, sink: &mut impl Sink) {
    if path.is_empty() || path == "/" {
        return sink.put(b"/");
    }
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    for segment in &segments {
        sink.put(b"/");
        sink.put(&encode(segment.as_bytes()));
    }
    if segments.is_empty() || path.ends_with('/') {
        sink.put(b"/");
    }
}

/// Returns `bytes` with everything but RFC 3986's unreserved characters percent-encoded.
pub(crate) fn encode(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut encoded = Vec::with_capacity(bytes.len());
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(byte);
        } else {
            let (high, low) = (usize::from(byte >> 4), usize::from(byte & 15));
            encoded.extend_from_slice(&[b'%', DIGITS[high], DIGITS[low]]);
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut sink = Vec::new();
        write(&mut sink);
        String::from_utf8(sink).unwrap()
    }

    #[test]
    fn canonical_query() {
        let cases = [
            ("", ""),
            ("a", "a="),
            ("a=", "a="),
            ("=a", "=a"),
            ("b=2&a=1", "a=1&b=2"),
            ("a=2&a=1", "a=1&a=2"),
            ("A=1&a=1&B=1", "A=1&B=1&a=1"),
            ("a&&b&", "a=&b="),
            ("a=b=c", "a=b%3Dc"),
            ("a=b/c", "a=b%2Fc"),
            ("a=%2f", "a=%2F"),
            ("a=b+c%20d%2Be", "a=b%20c%20d%2Be"),
            ("a=%&b=%4&c=%zz&d=%e9%", "a=%25&b=%254&c=%25zz&d=%E9%25"),
            ("%61=%41", "a=A"),
            ("a-b=1&a=1", "a=1&a-b=1"),
            ("~=-._~*", "~=-._~%2A"),
            ("X-Amz-Signature=1&%58-Amz-Signature=2&x-amz-signature=3", "x-amz-signature=3"),
            ("\u{e9}=\u{1f600}", "%C3%A9=%F0%9F%98%80"),
        ];
        for (query, canonical) in cases {
            assert_eq!(text(|sink| write_canonical_query(query, true, sink)), canonical, "{query}");
        }
    }

    #[test]
    fn the_signature_stays_in_the_query_of_a_request_signed_by_header() {
        let query = "X-Amz-Signature=1";
        assert_eq!(text(|sink| write_canonical_query(query, false, sink)), query);
    }

    #[test]
    fn canonical_path() {
        let cases = [
            ("", "/"),
            ("/", "/"),
            ("//", "/"),
            ("/.", "/"),
            ("/..", "/"),
            ("/a/../..", "/"),
            ("/a/./b//c", "/a/b/c"),
            ("/a/../b/", "/b/"),
            ("/documents%20and%20settings/", "/documents%2520and%2520settings/"),
            ("/~a-b_c.d", "/~a-b_c.d"),
            ("/\u{1234}", "/%E1%88%B4"),
            ("a", "/a"),
        ];
        for (path, canonical) in cases {
            assert_eq!(text(|sink| write_canonical_path(path, sink)), canonical, "{path}");
        }
    }
}
