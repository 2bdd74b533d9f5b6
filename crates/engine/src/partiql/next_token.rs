//! `NextToken`: the start of the next page of a SELECT, tied to the statement and its parameters.
//!
//! In base64: 16 bytes, hash of statement and parameters; 8 bytes, hash of the bytes before and after; the last
//! evaluated key as JSON. The hashes find accidents, not malice: the key of a token is checked like any
//! `ExclusiveStartKey`.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hashrange_model::error::StatementFault;
use hashrange_model::{Item, Reason};
use hashrange_wire::{DecodedItem, DecodedValue, Encode};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const REQUEST_BYTES: usize = 16;
const CHECK_BYTES: usize = 8;

/// Hash that ties a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestHash([u8; REQUEST_BYTES]);

impl RequestHash {
    /// Returns the hash of a statement with its parameters.
    pub(crate) fn of(statement: &str, parameters: Option<&[DecodedValue]>) -> Self {
        let mut hash = Xxh3::new();
        hash.update(statement.as_bytes());
        for parameter in parameters.unwrap_or_default() {
            hash.update(&[0]);
            hash.update(parameter.value.as_bytes());
        }
        Self(hash.digest128().to_be_bytes())
    }
}

/// Returns the token that continues after a key.
pub(crate) fn encode(request: RequestHash, last_evaluated_key: &Item) -> String {
    let mut bytes = [&request.0[..], &[0; CHECK_BYTES]].concat();
    last_evaluated_key.encode(&mut bytes);
    let check = check_of(&bytes);
    bytes[REQUEST_BYTES..REQUEST_BYTES + CHECK_BYTES].copy_from_slice(&check);
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns the key after which a token continues.
pub(crate) fn decode(request: RequestHash, token: &str) -> Result<Item, Reason> {
    let invalid = || Reason::Statement(StatementFault::TokenInvalid);
    let mut bytes = BASE64_URL_SAFE_NO_PAD.decode(token).map_err(|_| invalid())?;
    let check = bytes.get(REQUEST_BYTES..REQUEST_BYTES + CHECK_BYTES).ok_or_else(invalid)?.to_vec();
    bytes[REQUEST_BYTES..REQUEST_BYTES + CHECK_BYTES].fill(0);
    if check_of(&bytes)[..] != check {
        return Err(invalid());
    }
    if bytes[..REQUEST_BYTES] != request.0 {
        return Err(StatementFault::TokenMismatch.into());
    }
    let key = hashrange_wire::decode::<DecodedItem>(&bytes[REQUEST_BYTES + CHECK_BYTES..]);
    key.ok().and_then(|key| key.value.into_result().ok()).ok_or_else(invalid)
}

fn check_of(bytes: &[u8]) -> [u8; CHECK_BYTES] {
    xxh3_64(bytes).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_tied_to_their_request_and_damage_is_found() {
        let request = RequestHash::of("SELECT * FROM t", None);
        let key = Item::from_attributes([("pk", "é".into()), ("sk", 1.into())]);
        let token = encode(request, &key);
        assert_eq!(decode(request, &token), Ok(key));
        let other = RequestHash::of("SELECT * FROM u", None);
        assert_eq!(decode(other, &token), Err(StatementFault::TokenMismatch.into()));
        for offset in 0..token.len() {
            let mut damaged = token.clone().into_bytes();
            damaged[offset] = if damaged[offset] == b'A' { b'B' } else { b'A' };
            let damaged = String::from_utf8(damaged).expect("the token is ASCII");
            assert_eq!(decode(request, &damaged), Err(StatementFault::TokenInvalid.into()));
            let cut = decode(request, &token[..offset]);
            assert_eq!(cut, Err(StatementFault::TokenInvalid.into()));
        }
    }

    #[test]
    fn parameters_are_part_of_the_request() {
        let parameter =
            |text: &str| DecodedValue::from(hashrange_model::AttributeValue::from(text).to_value());
        let hash = |parameters: &[DecodedValue]| RequestHash::of("?", Some(parameters));
        assert_ne!(hash(&[parameter("a")]), hash(&[parameter("b")]));
        assert_ne!(hash(&[parameter("a")]), hash(&[parameter("a"), parameter("a")]));
        assert_eq!(hash(&[]), RequestHash::of("?", None));
    }
}
