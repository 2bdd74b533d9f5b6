//! A client request token: a transaction that is sent again within ten minutes is not done again.
//!
//! The token is one of the keys that its transaction declares and is written in the same commit.
//! So two requests with one token wait for each other, a crash keeps both or none, and a cancelled
//! transaction leaves no token.

use crate::layout::token::{TokenRecord, TokenScope, put_token, token};
use crate::swept::Swept;
use bytes::Bytes;
use hashrange_model::limits::TOKEN_LIFETIME_MS;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::{Batch, Key};

/// The token of one request.
#[derive(Debug)]
pub(crate) struct Token {
    pub(crate) key: Key,
    fingerprint: u128,
}

/// The token of a request, with its stored value, for the deciding function.
#[derive(Debug, Clone, Copy)]
pub(super) struct Presented<'t> {
    pub(super) token: &'t Token,
    /// Stored value of the token.
    pub(super) stored: Option<&'t Bytes>,
    /// Progress of the sweep of tokens, to which a new use is reported.
    pub(super) swept: &'t Swept,
}

/// Meaning of a stored token for a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TokenState {
    /// The request is new; the expired record of the token, if there is one.
    No(Option<TokenRecord>),
    /// The request was done already.
    Done,
}

impl Token {
    /// Returns the token of a request with this fingerprint.
    pub(crate) fn new(scope: TokenScope, text: &str, fingerprint: u128) -> Self {
        Self { key: token(scope, text), fingerprint }
    }

    /// Compares the request with the stored value of the token.
    pub(super) fn look(&self, stored: Option<&Bytes>, now_ms: u64) -> ApiResult<TokenState> {
        let Some(stored) = stored else { return Ok(TokenState::No(None)) };
        let Some(record) = TokenRecord::decode(stored) else {
            tracing::error!(key = %self.key.escape_ascii(), "a token's record is unreadable");
            return Err(Reason::Internal.into());
        };
        if is_expired(record.used_at_ms, now_ms) {
            Ok(TokenState::No(Some(record)))
        } else if record.fingerprint == self.fingerprint {
            Ok(TokenState::Done)
        } else {
            Err(Reason::TokenReused.into())
        }
    }

    /// Puts the token of a transaction into its batch.
    pub(super) fn remember(
        &self,
        old: Option<TokenRecord>,
        now_ms: u64,
        swept: &Swept,
        batch: &mut Batch,
    ) {
        swept.put(now_ms);
        let new = TokenRecord { used_at_ms: now_ms, fingerprint: self.fingerprint };
        put_token(&self.key, old, new, batch);
    }
}

/// Returns whether a token that was used at `used_at_ms` can be used again.
pub(crate) fn is_expired(used_at_ms: u64, now_ms: u64) -> bool {
    now_ms.saturating_sub(used_at_ms) > TOKEN_LIFETIME_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(token: &Token, at_ms: u64) -> Bytes {
        let mut batch = Batch::new();
        token.remember(None, at_ms, &Swept::default(), &mut batch);
        let record = TokenRecord { used_at_ms: at_ms, fingerprint: token.fingerprint };
        assert_eq!(batch.len(), 2);
        record.encode()
    }

    #[test]
    fn a_token_counts_for_ten_minutes() {
        let token = Token::new(TokenScope::TransactWriteItems, "t", 1);
        let other = Token::new(TokenScope::TransactWriteItems, "t", 2);
        let record = stored(&token, 1000);
        assert_eq!(token.look(None, 1000), Ok(TokenState::No(None)));
        assert_eq!(token.look(Some(&record), 1000 + TOKEN_LIFETIME_MS), Ok(TokenState::Done));
        assert!(other.look(Some(&record), 1000 + TOKEN_LIFETIME_MS).is_err());
        let late = other.look(Some(&record), 1001 + TOKEN_LIFETIME_MS);
        assert!(matches!(late, Ok(TokenState::No(Some(_)))));
        // A clock that was set back does not end a token.
        assert_eq!(token.look(Some(&record), 0), Ok(TokenState::Done));
    }
}
