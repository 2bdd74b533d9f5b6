//! Compressed bodies: requests with `Content-Encoding: gzip` or `deflate`, answers for clients
//! whose `Accept-Encoding` takes one of the two. `deflate` is the zlib format, as RFC 9110 has it.

use bytes::Bytes;
use flate2::Compression;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};
use hyper::header::HeaderValue;
use std::io::{Read, Write};

/// Compression of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// RFC 1952.
    Gzip,
    /// RFC 1950.
    Deflate,
}

static GZIP: HeaderValue = HeaderValue::from_static("gzip");
static DEFLATE: HeaderValue = HeaderValue::from_static("deflate");

/// Reason why a body could not be decompressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodingFault {
    /// The body is not compressed in that way.
    Malformed,
    /// The body is larger than allowed when decompressed.
    TooLarge,
}

impl Coding {
    /// Returns the name in `Content-Encoding`.
    pub fn name(self) -> &'static HeaderValue {
        match self {
            Self::Gzip => &GZIP,
            Self::Deflate => &DEFLATE,
        }
    }

    /// Returns the coding of a `Content-Encoding`, none for `identity`, or an error for another.
    pub fn of_request(content_encoding: &HeaderValue) -> Result<Option<Self>, ()> {
        let name = content_encoding.as_bytes().trim_ascii();
        for (known, coding) in [
            (&b"gzip"[..], Some(Self::Gzip)),
            (b"x-gzip", Some(Self::Gzip)),
            (b"deflate", Some(Self::Deflate)),
            (b"identity", None),
        ] {
            if name.eq_ignore_ascii_case(known) {
                return Ok(coding);
            }
        }
        Err(())
    }

    /// Returns the coding that a client with this `Accept-Encoding` prefers; gzip if it likes both
    /// equally.
    pub fn accepted(accept_encoding: &HeaderValue) -> Option<Self> {
        let text = accept_encoding.to_str().ok()?;
        let (mut gzip, mut deflate, mut any) = (None, None, None);
        for coding in text.split(',') {
            let (name, parameters) = coding.split_once(';').unwrap_or((coding, ""));
            let slot = match name.trim() {
                name if name.eq_ignore_ascii_case("gzip") => &mut gzip,
                name if name.eq_ignore_ascii_case("deflate") => &mut deflate,
                "*" => &mut any,
                _ => continue,
            };
            *slot = Some(quality(parameters));
        }
        let (gzip, deflate) = (gzip.or(any).unwrap_or(0.0), deflate.or(any).unwrap_or(0.0));
        if gzip > 0.0 && gzip >= deflate {
            return Some(Self::Gzip);
        }
        (deflate > 0.0).then_some(Self::Deflate)
    }

    /// Returns the decompressed body; never holds much more than `max_bytes`.
    pub fn decompress(self, body: &[u8], max_bytes: usize) -> Result<Bytes, CodingFault> {
        let mut out = Vec::with_capacity(body.len().saturating_mul(4).min(max_bytes));
        let limit = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
        let read = match self {
            Self::Gzip => MultiGzDecoder::new(body).take(limit).read_to_end(&mut out),
            Self::Deflate => {
                let mut decoder = ZlibDecoder::new(body).take(limit);
                let read = decoder.read_to_end(&mut out);
                // The decoder does not look at bytes behind the end.
                let consumed = decoder.get_ref().total_in();
                if out.len() <= max_bytes && consumed < body.len() as u64 {
                    return Err(CodingFault::Malformed);
                }
                read
            }
        };
        read.map_err(|_| CodingFault::Malformed)?;
        if out.len() > max_bytes { Err(CodingFault::TooLarge) } else { Ok(out.into()) }
    }

    /// Returns the compressed body.
    pub fn compress(self, body: &[u8]) -> Vec<u8> {
        let out = Vec::with_capacity(body.len() / 4);
        let compressed = match self {
            Self::Gzip => {
                let mut encoder = GzEncoder::new(out, Compression::fast());
                encoder.write_all(body).and_then(|()| encoder.finish())
            }
            Self::Deflate => {
                let mut encoder = ZlibEncoder::new(out, Compression::fast());
                encoder.write_all(body).and_then(|()| encoder.finish())
            }
        };
        compressed.expect("writing to memory does not fail")
    }
}

/// Returns the quality among a coding's parameters; 1 if it is missing, 0 if it is no number.
fn quality(parameters: &str) -> f32 {
    parameters
        .split(';')
        .find_map(|parameter| parameter.trim().strip_prefix("q="))
        .map_or(1.0, |quality| quality.trim().parse().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODINGS: [Coding; 2] = [Coding::Gzip, Coding::Deflate];

    #[test]
    fn a_body_survives_both_ways() {
        for coding in CODINGS {
            for size in [0, 1, 100, 70_000] {
                let body: Vec<u8> = (0..size).map(|n: u32| n.to_le_bytes()[0]).collect();
                assert_eq!(coding.decompress(&coding.compress(&body), 70_000).unwrap(), body);
            }
        }
    }

    #[test]
    fn the_limit_holds_after_decompression() {
        for coding in CODINGS {
            let bomb = coding.compress(&vec![b'x'; 1_000_000]);
            assert!(bomb.len() < 10_000);
            assert_eq!(coding.decompress(&bomb, 999_999), Err(CodingFault::TooLarge));
            assert_eq!(coding.decompress(&bomb, 1_000_000).unwrap().len(), 1_000_000);
        }
    }

    #[test]
    fn anything_else_is_malformed() {
        for coding in CODINGS {
            let whole = coding.compress(b"{\"TableName\":\"t\"}");
            let mut damaged = whole.clone();
            let last = damaged.len() - 3;
            damaged[last] ^= 1;
            let mut longer = whole.clone();
            longer.push(b'x');
            for body in [&b""[..], b"{}", &whole[..whole.len() - 1], &damaged, &longer] {
                let decompressed = coding.decompress(body, 1000);
                assert_eq!(decompressed, Err(CodingFault::Malformed), "{coding:?} {body:?}");
            }
        }
        let gzip = Coding::Gzip.compress(b"{}");
        assert_eq!(Coding::Deflate.decompress(&gzip, 1000), Err(CodingFault::Malformed));
    }

    #[test]
    fn accept_encoding_is_understood() {
        let (gzip, deflate) = (Some(Coding::Gzip), Some(Coding::Deflate));
        let cases = [
            ("gzip", gzip),
            ("GZip", gzip),
            ("identity, gzip;q=0.5", gzip),
            ("br , gzip ; q=1", gzip),
            ("deflate", deflate),
            ("gzip, deflate, br", gzip),
            ("deflate, gzip;q=0.5", deflate),
            ("gzip;q=0, deflate", deflate),
            ("*", gzip),
            ("gzip;q=0, *", deflate),
            ("gzip, *;q=0", gzip),
            ("*;q=0", None),
            ("gzip;q=0", None),
            ("gzip; q=0.000", None),
            ("gzip;q=x", None),
            ("identity", None),
            ("br", None),
            ("", None),
        ];
        for (header, expected) in cases {
            let header = HeaderValue::from_static(header);
            assert_eq!(Coding::accepted(&header), expected, "{header:?}");
        }
    }
}
