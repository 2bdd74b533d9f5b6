//! What stands behind the server.

use crate::measure::Measure;
use bytes::Bytes;
use hashrange_auth::Caller;
use hashrange_model::{ApiError, ApiResult, Reason};
use hashrange_wire::Operation;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

/// The namespace of targets that are the server's own, not the service's.
pub const OWN_TARGETS: &str = "Hashrange_2026";

/// A call under way: the response body, or the error.
pub type Running<'a> = Pin<Box<dyn Future<Output = ApiResult<Vec<u8>>> + Send + 'a>>;

/// An API that runs operations on request bodies.
///
/// The server knows it as `dyn Api`, so that everything that serves connections is compiled once,
/// in this crate.
pub trait Api: Send + Sync + 'static {
    /// Runs one operation on a request body and returns the response body, or the error.
    ///
    /// The body may be empty or not JSON: the API reports that as a serialization error. The
    /// future is dropped when the client goes away, so work that must not be left half done has
    /// to be finished by the API itself.
    fn call(self: Arc<Self>, operation: Operation, body: Bytes) -> Running<'static>;

    /// Runs one operation as [`call`](Self::call) does, and tells what the client wants to know besides. By
    /// default nothing is told.
    fn call_told(
        self: Arc<Self>,
        operation: Operation,
        body: Bytes,
        asked: Asked,
        told: Arc<Told>,
    ) -> Running<'static> {
        let _ = (asked, told);
        self.call(operation, body)
    }

    /// Runs an operation of the server's own, named behind [`OWN_TARGETS`] in the target, on a request
    /// body that may be empty. By default there is none.
    fn call_own(self: Arc<Self>, name: String, body: Bytes) -> Running<'static> {
        let _ = (name, body);
        Box::pin(ready(Err(Reason::UnknownOperation.into())))
    }

    /// Returns the API that answers to whoever sent a request, where that is not this one. By default
    /// all are answered by this one.
    fn of_caller(&self, caller: &Caller<'_>) -> Result<Option<Arc<dyn Api>>, ApiError> {
        let _ = caller;
        Ok(None)
    }

    /// Returns why writes would be refused now, in words for the operator.
    fn check_writable(&self) -> Result<(), String>;

    /// Returns why requests would not be answered soon, in words for the operator. Waits a bounded time.
    fn check_ready<'a>(&'a self) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>> {
        Box::pin(ready(self.check_writable()))
    }

    /// Returns figures of its own for `/metrics`.
    fn measures(&self) -> Vec<Measure> {
        Vec::new()
    }

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

/// What a client wants to be told of its call besides the answer, and that it is not recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a header of its own")]
pub struct Asked {
    /// What it cost.
    pub cost: bool,
    /// What it does.
    pub explanation: bool,
    /// Which access pattern of a contract it is.
    pub pattern: bool,
    /// That it is not recorded: a tool reads, to look at what clients do.
    pub unrecorded: bool,
}

/// What is told of a call besides its answer, in headers.
#[derive(Debug, Default)]
pub struct Told(Mutex<Vec<(&'static str, String)>>);

impl Told {
    /// Tells `value` in the header `name`, which is lower-case. What is no text of visible ASCII is left out.
    pub fn tell(&self, name: &'static str, value: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((name, value));
    }

    /// Returns what was told, once.
    pub(crate) fn take(&self) -> Vec<(&'static str, String)> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
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
