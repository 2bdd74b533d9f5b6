//! Authentication of a request under a policy.
//!
//! The checks run in the order of [`AuthFault`]'s variants: form, parts, date, age, `Host`,
//! algorithm, scope, access key, signature, session. The signature covers the headers that the
//! client chose to sign; `Host` is the only one that it must sign.

use std::borrow::Cow;

use crate::canonical::{
    ALGORITHM, Form, PayloadHash, SignedHeaders, hash_canonical_request, lists_header,
};
use crate::claims::{Claims, Scope, is_region_name, shown_credential};
use crate::credentials::{CredentialStore, Entry};
use crate::digest::from_hex;
use crate::fault::AuthFault;
use crate::request::{HeaderView, Request};
use crate::timestamp::Timestamp;

/// Largest difference between the clocks of client and server, in seconds.
pub const MAX_CLOCK_SKEW_S: u32 = 15 * 60;
/// Longest lifetime of a presigned request: a week, in seconds.
pub const MAX_PRESIGNED_LIFE_S: u32 = 7 * 24 * 60 * 60;

/// Policy by which a server accepts requests.
#[derive(Debug)]
pub enum Policy {
    /// Accepts everyone, signed or not, and compares no access key, scope, date or signature.
    /// Refuses only a request that looks signed but lacks the service's form. Passes on the access
    /// key and the region that a request shows.
    AcceptAny,
    /// Accepts requests signed with one of these credentials.
    Verify(CredentialStore),
}

impl Policy {
    /// Returns the sender of the request, or the reason why it is unknown.
    pub fn authenticate<'a, H: HeaderView + ?Sized>(
        &self,
        request: &Request<'a, H>,
        now: Timestamp,
    ) -> Result<Caller<'a>, AuthFault> {
        match self {
            Self::AcceptAny => match Claims::read(request) {
                Ok(claims) => Ok(Caller::shown(Some(claims.credential))),
                Err(fault) if fault.is_wrong_form() => Err(fault),
                Err(_) => Ok(Caller::shown(shown_credential(request))),
            },
            Self::Verify(store) => verify(store, request, now),
        }
    }

    /// Returns the sender of the request as [`authenticate`](Self::authenticate) does, but requires
    /// a signature that is compared to cover a header. Otherwise an eavesdropper could send the
    /// request again with another value of that header.
    pub fn authenticate_covering<'a, H: HeaderView + ?Sized>(
        &self,
        header: &'static str,
        request: &Request<'a, H>,
        now: Timestamp,
    ) -> Result<Caller<'a>, AuthFault> {
        let caller = self.authenticate(request, now)?;
        match &caller.signed_headers {
            Some(list) if !lists_header(list, header) => Err(AuthFault::HeaderNotSigned(header)),
            _ => Ok(caller),
        }
    }
}

/// Sender of a request.
#[derive(Clone, Debug)]
pub struct Caller<'a> {
    /// Invariant: of a verified request, a credential of five parts.
    credential: Option<Cow<'a, str>>,
    /// Names of the headers that a verified signature covers; `None` if no signature was compared.
    signed_headers: Option<Cow<'a, str>>,
}

impl<'a> Caller<'a> {
    /// Returns the caller with a credential that was shown but not compared.
    fn shown(credential: Option<Cow<'a, str>>) -> Self {
        Self { credential, signed_headers: None }
    }
}

impl Caller<'_> {
    /// Returns the access key id; under [`Policy::AcceptAny`] as shown, `None` if none was shown.
    #[must_use]
    pub fn access_key_id(&self) -> Option<&str> {
        let id = self.credential.as_ref()?.split('/').next()?;
        (!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_graphic())).then_some(id)
    }

    /// Returns the region of the credential scope, if it has the form of a region name.
    #[must_use]
    pub fn region(&self) -> Option<&str> {
        self.credential.as_ref()?.split('/').nth(2).filter(|name| is_region_name(name))
    }
}

fn verify<'a, H: HeaderView + ?Sized>(
    store: &CredentialStore,
    request: &Request<'a, H>,
    now: Timestamp,
) -> Result<Caller<'a>, AuthFault> {
    let claims = Claims::read(request)?;
    check_age(&claims, now)?;
    if !lists_header(&claims.signed_headers, "host") {
        return Err(AuthFault::HostNotSigned);
    }
    if claims.algorithm != ALGORITHM {
        return Err(AuthFault::UnsupportedAlgorithm { algorithm: claims.algorithm.into_owned() });
    }
    let Some(scope) = Scope::parse(&claims.credential) else {
        return Err(AuthFault::CredentialParts { credential: claims.credential.into_owned() });
    };
    scope.check(claims.signed_at)?;
    let entry = store.get(scope.access_key_id).ok_or(AuthFault::UnknownAccessKey)?;
    check_signature(entry, request, &claims, scope.region)?;
    entry.check_session(claims.security_token.as_deref(), now)?;
    Ok(Caller { credential: Some(claims.credential), signed_headers: Some(claims.signed_headers) })
}

fn check_age(claims: &Claims<'_>, now: Timestamp) -> Result<(), AuthFault> {
    let (signed_at, valid_s, skew_s) = (claims.signed_at, claims.valid_s, MAX_CLOCK_SKEW_S);
    if signed_at.plus_s(i64::from(valid_s)) < now {
        return Err(AuthFault::Expired { signed_at, now, valid_s });
    }
    if now.plus_s(i64::from(skew_s)) < signed_at {
        return Err(AuthFault::NotYetCurrent { signed_at, now, skew_s });
    }
    Ok(())
}

fn check_signature<H: HeaderView + ?Sized>(
    entry: &Entry,
    request: &Request<'_, H>,
    claims: &Claims<'_>,
    region: &str,
) -> Result<(), AuthFault> {
    let signed_headers =
        SignedHeaders::parse(&claims.signed_headers).ok_or(AuthFault::SignatureMismatch)?;
    let signature = from_hex(claims.signature.as_bytes()).ok_or(AuthFault::SignatureMismatch)?;
    let mut date = [0; 8];
    date.copy_from_slice(&claims.signed_at.to_basic()[..8]);
    let cached = entry.keys.find(date, region);
    let fresh = cached.is_none();
    let key = cached.unwrap_or_else(|| entry.keys.derive(date, region));
    let signs = |payload: PayloadHash| {
        let hash = hash_canonical_request(request, claims.form, signed_headers, payload);
        key.verify(claims.signed_at, region, &hash, &signature)
    };
    let payload = payload_hash(request, claims, signed_headers)?;
    // A presigned request may exclude its body from the signature without saying so.
    let valid = signs(payload) || (claims.form == Form::Query && signs(PayloadHash::Unsigned));
    if !valid {
        return Err(AuthFault::SignatureMismatch);
    }
    if fresh {
        entry.keys.keep(date, region, key);
    }
    Ok(())
}

/// Returns the payload hash for the canonical request.
///
/// A request that sends `x-amz-content-sha256` must send the body's true hash, or sign that its
/// signature does not cover the body.
fn payload_hash<H: HeaderView + ?Sized>(
    request: &Request<'_, H>,
    claims: &Claims<'_>,
    signed_headers: SignedHeaders<'_>,
) -> Result<PayloadHash, AuthFault> {
    // The query of a presigned request is signed as a whole.
    let said_under_signature =
        claims.form == Form::Query || signed_headers.contains("x-amz-content-sha256");
    if claims.says_unsigned_payload() && said_under_signature {
        return Ok(PayloadHash::Unsigned);
    }
    let actual = PayloadHash::of(&request.payload.sha256());
    match &claims.content_sha256 {
        Some(said) if **said != *actual.as_bytes() => Err(AuthFault::SignatureMismatch),
        _ => Ok(actual),
    }
}
