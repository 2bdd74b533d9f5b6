//! The server's clock: the only place where the server reads the system's time.
//!
//! Waits and timeouts are tokio's, whose clock tests can stop.

use hashrange_auth::Timestamp;
use std::time::{Instant, SystemTime};

/// Returns the time now, for measuring.
#[expect(clippy::disallowed_methods, reason = "the server's other files ask here")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Returns the date and time now, for checking signatures.
#[expect(clippy::disallowed_methods, reason = "the server's other files ask here")]
pub(crate) fn timestamp() -> Timestamp {
    SystemTime::now().into()
}
