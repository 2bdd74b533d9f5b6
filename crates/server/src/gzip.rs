//! Compressed bodies: requests with `Content-Encoding: gzip`, answers for `Accept-Encoding: gzip`.

use bytes::Bytes;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use hyper::header::HeaderValue;
use std::io::{Read, Write};

/// Why a body could not be decompressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GzipFault {
    /// It is not gzip.
    Malformed,
    /// It is larger than allowed when decompressed.
    TooLarge,
}

/// Returns the decompressed body; never holds more than `max_bytes` and a little.
pub fn decompress(body: &[u8], max_bytes: usize) -> Result<Bytes, GzipFault> {
    let mut out = Vec::with_capacity(body.len().saturating_mul(4).min(max_bytes));
    let limit = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
    MultiGzDecoder::new(body)
        .take(limit)
        .read_to_end(&mut out)
        .map_err(|_| GzipFault::Malformed)?;
    if out.len() > max_bytes { Err(GzipFault::TooLarge) } else { Ok(out.into()) }
}

/// Returns the compressed body.
pub fn compress(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
    encoder.write_all(body).expect("writing to memory does not fail");
    encoder.finish().expect("writing to memory does not fail")
}

/// Returns true if a client that sent this `Accept-Encoding` takes gzip.
pub fn accepts_gzip(accept_encoding: &HeaderValue) -> bool {
    let Ok(text) = accept_encoding.to_str() else { return false };
    text.split(',').any(|coding| {
        let (name, parameters) = coding.split_once(';').unwrap_or((coding, ""));
        name.trim().eq_ignore_ascii_case("gzip") && !has_zero_quality(parameters)
    })
}

fn has_zero_quality(parameters: &str) -> bool {
    parameters
        .split(';')
        .filter_map(|parameter| parameter.trim().strip_prefix("q="))
        .any(|quality| quality.trim().parse() == Ok(0.0_f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_survives_both_ways() {
        for size in [0, 1, 100, 70_000] {
            let body: Vec<u8> = (0..size).map(|n: u32| n.to_le_bytes()[0]).collect();
            assert_eq!(decompress(&compress(&body), 70_000).unwrap(), body);
        }
    }

    #[test]
    fn the_limit_holds_after_decompression() {
        let bomb = compress(&vec![b'x'; 1_000_000]);
        assert!(bomb.len() < 10_000);
        assert_eq!(decompress(&bomb, 999_999), Err(GzipFault::TooLarge));
        assert_eq!(decompress(&bomb, 1_000_000).unwrap().len(), 1_000_000);
    }

    #[test]
    fn anything_else_is_malformed() {
        let whole = compress(b"{\"TableName\":\"t\"}");
        let mut damaged = whole.clone();
        let last = damaged.len() - 5;
        damaged[last] ^= 1;
        for body in [&b""[..], b"{}", &whole[..whole.len() - 1], &damaged] {
            assert_eq!(decompress(body, 1000), Err(GzipFault::Malformed), "{body:?}");
        }
    }

    #[test]
    fn accept_encoding_is_understood() {
        let cases = [
            ("gzip", true),
            ("GZip", true),
            ("identity, gzip;q=0.5", true),
            ("br , gzip ; q=1", true),
            ("gzip;q=0", false),
            ("gzip; q=0.000", false),
            ("identity", false),
            ("x-gzip", false),
            ("", false),
        ];
        for (header, expected) in cases {
            let header = HeaderValue::from_static(header);
            assert_eq!(accepts_gzip(&header), expected, "{header:?}");
        }
    }
}
