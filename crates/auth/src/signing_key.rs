//! Secret keys, the signing keys derived from them, and a small cache of those.
//!
//! Derivation: `AWS4` + secret, then HMAC with date, region, service and terminator in turn.
//! Source: AWS IAM User Guide, "Create a signed AWS API request", derive a signing key.

use std::fmt;
use std::sync::{PoisonError, RwLock};

use hmac::Mac;

use crate::canonical::{SERVICE, TERMINATOR, write_string_to_sign};
use crate::digest::{HmacSha256, hmac, keyed};
use crate::timestamp::Timestamp;

/// Signing keys cached per access key: enough for the dates around midnight times the regions in
/// use.
const CACHED_KEYS: usize = 16;

/// The HMAC state keyed with `AWS4` + secret access key; the text of the secret is not kept.
#[derive(Clone)]
pub(crate) struct SecretKey(HmacSha256);

impl SecretKey {
    pub(crate) fn new(secret_access_key: &str) -> Self {
        Self(keyed(format!("AWS4{secret_access_key}").as_bytes()))
    }

    fn derive(&self, date: &[u8], region: &str, service: &str) -> [u8; 32] {
        let mut key = hmac(&self.0, date);
        for element in [region, service, TERMINATOR] {
            key = hmac(&keyed(&key), element.as_bytes());
        }
        key
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(hidden)")
    }
}

/// The keyed HMAC state that signs requests of one day, region and access key.
#[derive(Clone)]
pub(crate) struct SigningKey(HmacSha256);

impl SigningKey {
    /// Returns the HMAC of the string to sign, not yet finalized, for the caller to compare or
    /// read.
    pub(crate) fn sign(
        &self,
        signed_at: Timestamp,
        region: &str,
        canonical_request_hash: &[u8; 32],
    ) -> HmacSha256 {
        let mut mac = self.0.clone();
        write_string_to_sign(signed_at, region, canonical_request_hash, &mut mac);
        mac
    }

    /// Returns whether `signature` is the one of the request; takes the same time for every
    /// signature.
    pub(crate) fn verify(
        &self,
        signed_at: Timestamp,
        region: &str,
        canonical_request_hash: &[u8; 32],
        signature: &[u8; 32],
    ) -> bool {
        self.sign(signed_at, region, canonical_request_hash).verify_slice(signature).is_ok()
    }
}

struct CachedKey {
    date: [u8; 8],
    region: Box<str>,
    key: SigningKey,
}

/// A secret key with the signing keys last used.
///
/// Invariant: at most [`CACHED_KEYS`] entries, oldest first. Callers add a key only after a
/// signature made with it was accepted, so that strangers cannot push entries out.
pub(crate) struct SigningKeys {
    secret: SecretKey,
    cached: RwLock<Vec<CachedKey>>,
}

impl SigningKeys {
    pub(crate) fn new(secret: SecretKey) -> Self {
        Self { secret, cached: RwLock::default() }
    }

    /// Returns the cached signing key.
    pub(crate) fn find(&self, date: [u8; 8], region: &str) -> Option<SigningKey> {
        let cached = self.cached.read().unwrap_or_else(PoisonError::into_inner);
        let found = cached.iter().find(|entry| entry.date == date && *entry.region == *region);
        found.map(|entry| entry.key.clone())
    }

    /// Computes the signing key.
    pub(crate) fn derive(&self, date: [u8; 8], region: &str) -> SigningKey {
        SigningKey(keyed(&self.secret.derive(&date, region, SERVICE)))
    }

    /// Caches a signing key, in the place of the oldest if the cache is full.
    pub(crate) fn keep(&self, date: [u8; 8], region: &str, key: SigningKey) {
        let mut cached = self.cached.write().unwrap_or_else(PoisonError::into_inner);
        if cached.iter().any(|entry| entry.date == date && *entry.region == *region) {
            return;
        }
        if cached.len() == CACHED_KEYS {
            cached.remove(0);
        }
        cached.push(CachedKey { date, region: region.into(), key });
    }
}

impl fmt::Debug for SigningKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKeys(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::{
        Form, PayloadHash, SignedHeaders, hash_canonical_request, write_canonical_request,
    };
    use crate::digest::to_hex;
    use crate::request::{Payload, Request};

    const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

    // Source: AWS General Reference, Signature Version 4, worked example (IAM ListUsers).
    #[test]
    fn the_published_worked_example() {
        let headers = [
            ("Host", "iam.amazonaws.com"),
            ("Content-Type", "application/x-www-form-urlencoded; charset=utf-8"),
            ("X-Amz-Date", "20150830T123600Z"),
        ];
        let request = Request {
            method: "GET",
            path: "/",
            query: "Action=ListUsers&Version=2010-05-08",
            authority: None,
            headers: headers.as_slice(),
            payload: Payload::Body(b""),
        };
        let signed = SignedHeaders::parse("content-type;host;x-amz-date").unwrap();
        let payload = PayloadHash::of(&request.payload.sha256());
        let mut text = Vec::new();
        write_canonical_request(&request, Form::Header, signed, payload, &mut text);
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "GET\n/\nAction=ListUsers&Version=2010-05-08\n\
             content-type:application/x-www-form-urlencoded; charset=utf-8\n\
             host:iam.amazonaws.com\nx-amz-date:20150830T123600Z\n\n\
             content-type;host;x-amz-date\n\
             e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        let hash = hash_canonical_request(&request, Form::Header, signed, payload);
        assert_eq!(
            to_hex(&hash).as_slice(),
            b"f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59"
        );
        let key = SecretKey::new(SECRET).derive(b"20150830", "us-east-1", "iam");
        assert_eq!(
            to_hex(&key).as_slice(),
            b"c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9"
        );
        let string_to_sign = "AWS4-HMAC-SHA256\n20150830T123600Z\n\
             20150830/us-east-1/iam/aws4_request\n\
             f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59";
        assert_eq!(
            to_hex(&hmac(&keyed(&key), string_to_sign.as_bytes())).as_slice(),
            b"5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
        );
    }

    #[test]
    fn the_string_to_sign_names_this_service() {
        let mut text = Vec::new();
        let at = Timestamp::from_epoch_s(1_440_938_160);
        write_string_to_sign(at, "eu-west-2", &[0; 32], &mut text);
        assert_eq!(
            String::from_utf8(text).unwrap(),
            format!(
                "AWS4-HMAC-SHA256\n20150830T123600Z\n\
                 20150830/eu-west-2/dynamodb/aws4_request\n{}",
                "0".repeat(64)
            )
        );
    }

    #[test]
    fn the_cache_is_bounded_and_drops_the_oldest() {
        let keys = SigningKeys::new(SecretKey::new(SECRET));
        let region = |nth: usize| format!("region-{nth}");
        for nth in 0..=CACHED_KEYS {
            let key = keys.derive(*b"20150830", &region(nth));
            keys.keep(*b"20150830", &region(nth), key.clone());
            keys.keep(*b"20150830", &region(nth), key);
        }
        assert!(keys.find(*b"20150830", &region(0)).is_none());
        for nth in 1..=CACHED_KEYS {
            assert!(keys.find(*b"20150830", &region(nth)).is_some());
        }
        assert!(keys.find(*b"20150831", &region(1)).is_none());
    }

    #[test]
    fn debug_output_shows_no_key() {
        let keys = SigningKeys::new(SecretKey::new(SECRET));
        assert_eq!(format!("{keys:?}"), "SigningKeys(hidden)");
        assert_eq!(format!("{:?}", keys.secret), "SecretKey(hidden)");
    }
}
