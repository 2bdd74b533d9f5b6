//! Signature Version 4 as pure functions: identifies the sender of a request and verifies the
//! signature.
//!
//! The crate reads a borrowed view of a request (method, path, query, headers, body or its hash),
//! a set of credentials and a time, and answers a [`Caller`] or an [`AuthFault`]. It does no I/O
//! except reading a credentials file on demand, has no clock of its own and knows no HTTP library:
//! the server wraps its header map in a [`HeaderView`].
//!
//! Left to others: the rights of a caller (policies), HTTP status codes and bodies.
//!
//! Invariants:
//! - the store does not keep the text of a secret: it holds the keyed HMAC state of `AWS4` +
//!   secret;
//! - signatures and session tokens are compared in constant time;
//! - no input makes a function of this crate panic or work more than linearly in the request's
//!   size times [`MAX_SIGNED_HEADERS`].
//!
//! ```
//! use hashrange_auth::{CredentialStore, Payload, Policy, Request, Signer, Timestamp};
//!
//! let store = CredentialStore::parse(
//!     "[app]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = secret\n",
//! )?;
//! let now = Timestamp::from_epoch_s(1_440_938_160);
//! let mut headers = vec![("host", "localhost:8000".to_owned())];
//! let signer = Signer::new("AKIDEXAMPLE", "secret", None, "us-east-1");
//! let added = signer.sign_request("POST", "/", "", &headers, b"{}", now);
//! headers.extend(added);
//! let request = Request {
//!     method: "POST",
//!     path: "/",
//!     query: "",
//!     authority: None,
//!     headers: headers.as_slice(),
//!     payload: Payload::Body(b"{}"),
//! };
//! let caller = Policy::Verify(store).authenticate(&request, now)?;
//! assert_eq!(caller.access_key_id(), Some("AKIDEXAMPLE"));
//! assert_eq!(caller.region(), Some("us-east-1"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod canonical;
mod claims;
mod credentials;
mod credentials_file;
mod digest;
mod fault;
mod query;
mod request;
mod sign;
mod signing_key;
mod timestamp;
mod verify;

pub use canonical::MAX_SIGNED_HEADERS;
pub use credentials::{CredentialStore, Credentials, is_same_secret};
pub use credentials_file::{CredentialsFileError, CredentialsFileFault};
pub use digest::sha256;
pub use fault::{AuthFault, HeaderPart, QueryPart, ScopeFault};
pub use request::{HeaderView, Payload, Request};
pub use sign::Signer;
pub use timestamp::Timestamp;
pub use verify::{Caller, MAX_CLOCK_SKEW_S, MAX_PRESIGNED_LIFE_S, Policy};
