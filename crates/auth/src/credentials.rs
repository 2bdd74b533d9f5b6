//! The credentials a server accepts.
//!
//! A store is immutable except for its cache of signing keys; to change credentials, build another
//! store.

use std::collections::BTreeMap;
use std::fmt;

use subtle::ConstantTimeEq;

use crate::fault::AuthFault;
use crate::signing_key::{SecretKey, SigningKeys};
use crate::timestamp::Timestamp;

/// Returns whether two secrets are the same, in a time that does not tell how much of them is.
pub fn is_same_secret(one: &[u8], other: &[u8]) -> bool {
    one.ct_eq(other).into()
}

/// An access key with its secret, and for temporary credentials a token and an end.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The access key id, sent in clear with every request.
    pub access_key_id: String,
    /// The secret access key.
    pub secret_access_key: String,
    /// The session token that requests must carry; none for long-term credentials.
    pub session_token: Option<String>,
    /// The time from which the credentials are refused.
    pub expires_at: Option<Timestamp>,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("access_key_id", &self.access_key_id)
            .field("session_token", &self.session_token.as_ref().map(|_| "hidden"))
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

/// The credentials a server accepts, by access key id.
#[derive(Debug, Default)]
pub struct CredentialStore {
    entries: BTreeMap<Box<str>, Entry>,
}

impl CredentialStore {
    /// Returns a store without credentials.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds credentials for `principal` (the profile name), in place of any with the same id.
    pub fn insert(&mut self, principal: &str, credentials: Credentials) {
        let entry = Entry {
            principal: principal.into(),
            keys: SigningKeys::new(SecretKey::new(&credentials.secret_access_key)),
            session_token: credentials.session_token.map(SessionToken),
            expires_at: credentials.expires_at,
        };
        self.entries.insert(credentials.access_key_id.into(), entry);
    }

    /// Returns the number of access keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no access keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the profile name under which the access key was added.
    #[must_use]
    pub fn principal(&self, access_key_id: &str) -> Option<&str> {
        self.get(access_key_id).map(|entry| &*entry.principal)
    }

    pub(crate) fn get(&self, access_key_id: &str) -> Option<&Entry> {
        self.entries.get(access_key_id)
    }
}

/// Data of one access key.
#[derive(Debug)]
pub(crate) struct Entry {
    principal: Box<str>,
    pub(crate) keys: SigningKeys,
    session_token: Option<SessionToken>,
    expires_at: Option<Timestamp>,
}

impl Entry {
    /// Checks the token sent with a request and the end of temporary credentials.
    pub(crate) fn check_session(
        &self,
        token: Option<&[u8]>,
        now: Timestamp,
    ) -> Result<(), AuthFault> {
        let matches = match (&self.session_token, token) {
            (None, None) => true,
            (Some(expected), Some(token)) => is_same_secret(expected.0.as_bytes(), token),
            (Some(_), None) | (None, Some(_)) => false,
        };
        if !matches {
            return Err(AuthFault::BadSessionToken);
        }
        if self.expires_at.is_some_and(|end| now >= end) {
            return Err(AuthFault::ExpiredSessionToken);
        }
        Ok(())
    }
}

struct SessionToken(String);

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_shows_no_secret() {
        let credentials = Credentials {
            access_key_id: "AKID".to_owned(),
            secret_access_key: "hunter2".to_owned(),
            session_token: Some("hunter3".to_owned()),
            expires_at: None,
        };
        let mut store = CredentialStore::new();
        store.insert("app", credentials.clone());
        let text = format!("{credentials:?} {store:?}");
        assert!(text.contains("AKID") && !text.contains("hunter"), "{text}");
        assert_eq!((store.len(), store.is_empty()), (1, false));
        assert_eq!(store.principal("AKID"), Some("app"));
        assert_eq!(store.principal("AKI"), None);
    }
}
