//! SHA-256, keyed HMAC states and their hexadecimal text.
//!
//! `sha2` picks the processor's SHA instructions at run time. An [`HmacSha256`] that has been keyed
//! holds both padded blocks already compressed, so cloning it saves two compressions per use.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// HMAC-SHA-256 state; keyed once, cloned for each use.
pub(crate) type HmacSha256 = Hmac<Sha256>;

/// Returns the SHA-256 of `bytes`.
#[must_use]
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Returns the HMAC state keyed with `key`.
pub(crate) fn keyed(key: &[u8]) -> HmacSha256 {
    HmacSha256::new_from_slice(key).expect("HMAC accepts keys of any length")
}

/// Returns the HMAC of `message` under the keyed `state`.
pub(crate) fn hmac(state: &HmacSha256, message: &[u8]) -> [u8; 32] {
    let mut mac = state.clone();
    mac.update(message);
    mac.finalize().into_bytes().into()
}

/// Returns the lower-case hexadecimal text of `bytes`.
pub(crate) fn to_hex(bytes: &[u8; 32]) -> [u8; 64] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = [0; 64];
    for (pair, byte) in text.chunks_exact_mut(2).zip(bytes) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    text
}

/// Returns the bytes of 64 lower-case hexadecimal digits.
pub(crate) fn from_hex(text: &[u8]) -> Option<[u8; 32]> {
    if text.len() != 64 {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        *byte = hex_digit(pair[0])? << 4 | hex_digit(pair[1])?;
    }
    Some(bytes)
}

fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_round_trips_and_refuses_other_text() {
        let bytes = sha256(b"");
        let text = to_hex(&bytes);
        assert_eq!(
            text.as_slice(),
            b"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(from_hex(&text), Some(bytes));
        assert_eq!(from_hex(&text.to_ascii_uppercase()), None);
        assert_eq!(from_hex(&text[1..]), None);
        assert_eq!(from_hex(&[b'g'; 64]), None);
    }

    // Source: RFC 4231, test case 2.
    #[test]
    fn hmac_matches_the_published_vector() {
        let mac = hmac(&keyed(b"Jefe"), b"what do ya want for nothing?");
        assert_eq!(
            to_hex(&mac).as_slice(),
            b"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }
}
