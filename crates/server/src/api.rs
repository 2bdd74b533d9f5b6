//! What stands behind the server.

use bytes::Bytes;
use hashrange_model::ApiError;
use hashrange_wire::Operation;
use std::future::Future;

/// An API that runs operations on request bodies.
pub trait Api: Send + Sync + 'static {
    /// Runs one operation on a request body and returns the response body, or the error.
    ///
    /// The body may be empty or not JSON: the API reports that as a serialization error. The
    /// future is dropped when the client goes away, so work that must not be left half done has
    /// to be finished by the API itself.
    fn call(
        &self,
        operation: Operation,
        body: Bytes,
    ) -> impl Future<Output = Result<Vec<u8>, ApiError>> + Send;

    /// Returns why writes would be refused now, in words for the operator.
    fn check_writable(&self) -> Result<(), String>;

    /// Returns how often work that no request waits for has panicked, since the start.
    fn background_panics(&self) -> u64 {
        0
    }

    /// Returns what the call that was just polled on this thread, and is not ready, is about to do,
    /// if that would hold up other requests; once. The call can then be polled from another thread.
    fn demand(&self) -> Option<Demand> {
        None
    }
}

/// What a call is about to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// Compute for a millisecond or more.
    Long,
    /// Wait for a disk without giving the thread back.
    Blocking,
}
