//! Signs requests, for clients, benchmarks and tests.

use crate::canonical::{
    ALGORITHM, Form, PayloadHash, SERVICE, SignedHeaders, TERMINATOR, UNSIGNED_PAYLOAD,
    hash_canonical_request,
};
use crate::digest::to_hex;
use crate::query::encode;
use crate::request::{HeaderView, Payload, Request};
use crate::signing_key::{SecretKey, SigningKey, SigningKeys};
use crate::timestamp::Timestamp;

use hmac::Mac;

/// Signs requests with one set of credentials for one region.
#[derive(Debug)]
pub struct Signer {
    access_key_id: Box<str>,
    session_token: Option<Token>,
    region: Box<str>,
    keys: SigningKeys,
}

struct Token(Box<str>);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(hidden)")
    }
}

impl Signer {
    /// Returns a signer; `session_token` is for temporary credentials.
    #[must_use]
    pub fn new(
        access_key_id: &str,
        secret_access_key: &str,
        session_token: Option<&str>,
        region: &str,
    ) -> Self {
        Self {
            access_key_id: access_key_id.into(),
            session_token: session_token.map(|token| Token(token.into())),
            region: region.into(),
            keys: SigningKeys::new(SecretKey::new(secret_access_key)),
        }
    }

    /// Returns the headers to add to a request so that it is signed: `x-amz-date`, the session
    /// token if there is one, and `authorization`.
    ///
    /// Signs every header in `headers`; the server refuses the request unless `host` is among them.
    #[must_use]
    pub fn sign_request<N: AsRef<str>, V: AsRef<[u8]>>(
        &self,
        method: &str,
        path: &str,
        query: &str,
        headers: &[(N, V)],
        body: &[u8],
        now: Timestamp,
    ) -> Vec<(&'static str, String)> {
        let mut added = vec![("x-amz-date", now.to_string())];
        if let Some(token) = &self.session_token {
            added.push(("x-amz-security-token", token.0.to_string()));
        }
        let mut all = borrow_headers(headers);
        all.extend(added.iter().map(|(name, value)| (*name, value.as_bytes())));
        let request = Request {
            method,
            path,
            query,
            authority: None,
            headers: all.as_slice(),
            payload: Payload::Body(body),
        };
        let names = signed_header_names(&all);
        let payload = PayloadHash::of(&request.payload.sha256());
        let signature = self.signature(&request, Form::Header, &names, payload, now);
        let credential = self.credential(now);
        let authorization = format!(
            "{ALGORITHM} Credential={credential}, SignedHeaders={names}, Signature={signature}"
        );
        added.push(("authorization", authorization));
        added
    }

    /// Returns the query of a presigned request: `query` with the signature's parameters added. The
    /// signature does not cover the body.
    ///
    /// Signs every header in `headers`, all of which the client has to send with the request.
    #[must_use]
    pub fn presign_request<N: AsRef<str>, V: AsRef<[u8]>>(
        &self,
        method: &str,
        path: &str,
        query: &str,
        headers: &[(N, V)],
        now: Timestamp,
        valid_s: u32,
    ) -> String {
        let all = borrow_headers(headers);
        let names = signed_header_names(&all);
        let (date, valid_s) = (now.to_string(), valid_s.to_string());
        let mut query = query.to_owned();
        let mut add = |name: &str, value: &str| {
            let separator = if query.is_empty() { "" } else { "&" };
            let value = String::from_utf8(encode(value.as_bytes())).expect("encoded text is ASCII");
            query.extend([separator, name, "=", &value]);
        };
        add("X-Amz-Algorithm", ALGORITHM);
        add("X-Amz-Content-Sha256", UNSIGNED_PAYLOAD);
        add("X-Amz-Credential", &self.credential(now));
        add("X-Amz-Date", &date);
        add("X-Amz-Expires", &valid_s);
        add("X-Amz-SignedHeaders", &names);
        if let Some(token) = &self.session_token {
            add("X-Amz-Security-Token", &token.0);
        }
        let headers = all.as_slice();
        let payload = Payload::Body(b"");
        let request = Request { method, path, query: &query, authority: None, headers, payload };
        let signature = self.signature(&request, Form::Query, &names, PayloadHash::Unsigned, now);
        format!("{query}&X-Amz-Signature={signature}")
    }

    fn credential(&self, now: Timestamp) -> String {
        let now = now.to_string();
        format!("{}/{}/{}/{SERVICE}/{TERMINATOR}", self.access_key_id, &now[..8], self.region)
    }

    fn signature<H: HeaderView + ?Sized>(
        &self,
        request: &Request<'_, H>,
        form: Form,
        signed_headers: &str,
        payload: PayloadHash,
        now: Timestamp,
    ) -> String {
        // A list that no server accepts gets an empty signature, which every server refuses.
        let Some(signed_headers) = SignedHeaders::parse(signed_headers) else {
            return String::new();
        };
        let hash = hash_canonical_request(request, form, signed_headers, payload);
        let mac = self.signing_key(now).sign(now, &self.region, &hash);
        let hex = to_hex(&mac.finalize().into_bytes().into());
        String::from_utf8_lossy(&hex).into_owned()
    }

    fn signing_key(&self, now: Timestamp) -> SigningKey {
        let mut date = [0; 8];
        date.copy_from_slice(&now.to_basic()[..8]);
        self.keys.find(date, &self.region).unwrap_or_else(|| {
            let key = self.keys.derive(date, &self.region);
            self.keys.keep(date, &self.region, key.clone());
            key
        })
    }
}

fn borrow_headers<N: AsRef<str>, V: AsRef<[u8]>>(headers: &[(N, V)]) -> Vec<(&str, &[u8])> {
    headers.iter().map(|(name, value)| (name.as_ref(), value.as_ref())).collect()
}

/// Returns the header names in lower case, sorted, each once, joined by semicolons.
fn signed_header_names(headers: &[(&str, &[u8])]) -> String {
    let mut names: Vec<String> =
        headers.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
    names.sort_unstable();
    names.dedup();
    names.join(";")
}
