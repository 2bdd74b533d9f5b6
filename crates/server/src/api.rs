//! Interface of the API that the server calls.

use crate::measure::Measure;
use bytes::Bytes;
use hashrange_auth::Caller;
use hashrange_cost::Usage;
use hashrange_model::{ApiError, ApiResult, Reason};
use hashrange_wire::Operation;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Namespace of the targets of the server's own operations.
pub const OWN_TARGETS: &str = "Hashrange_2026";

/// A call under way: the response body, or the error.
pub type Running<'a> = Pin<Box<dyn Future<Output = ApiResult<Vec<u8>>> + Send + 'a>>;

/// API that runs operations on request bodies.
///
/// The server uses it as `dyn Api`, so that this crate compiles all code that serves connections,
/// once.
pub trait Api: Send + Sync + 'static {
    /// Runs one operation on a request body and returns the response body, or the error.
    ///
    /// The body may be empty or not JSON, which the API reports as a serialization error. The
    /// server drops the future when the client goes away, so the API itself has to finish work that
    /// must not be left half done.
    fn call(self: Arc<Self>, operation: Operation, body: Bytes) -> Running<'static>;

    /// Runs one operation as [`call`](Self::call) or [`call_own`](Self::call_own) does, and tells
    /// the further information that is asked for. By default it tells none.
    fn call_told(
        self: Arc<Self>,
        operation: Named,
        body: Bytes,
        asked: Asked,
        told: Arc<Told>,
    ) -> Running<'static> {
        let _ = (asked, told);
        match operation {
            Named::OfService(operation) => self.call(operation, body),
            Named::Own(name) => self.call_own(name.into(), body),
        }
    }

    /// Runs an operation of the server's own, whose name follows [`OWN_TARGETS`] in the target, on
    /// a request body that may be empty. By default there are no such operations.
    fn call_own(self: Arc<Self>, name: String, body: Bytes) -> Running<'static> {
        let _ = (name, body);
        Box::pin(ready(Err(Reason::UnknownOperation.into())))
    }

    /// Returns the API for a caller if it is another than this one. By default this one answers
    /// all.
    fn of_caller(&self, caller: &Caller<'_>) -> Result<Option<Arc<dyn Api>>, ApiError> {
        let _ = caller;
        Ok(None)
    }

    /// Returns an error, in words for the operator, if writes would be refused now.
    fn check_writable(&self) -> Result<(), String>;

    /// Returns an error, in words for the operator, if requests would not be answered soon. Waits a
    /// bounded time.
    fn check_ready<'a>(&'a self) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>> {
        Box::pin(ready(self.check_writable()))
    }

    /// Returns the API's own figures for `/metrics`. Waits a bounded time.
    fn measures<'a>(&'a self) -> Pin<Box<dyn Future<Output = Vec<Measure>> + Send + 'a>> {
        Box::pin(ready(Vec::new()))
    }

    /// Returns the number of panics since the start in work that no request waits for.
    fn background_panics(&self) -> u64 {
        0
    }

    /// Returns the demand of the call that was just polled on this thread and is not ready, if its
    /// next step would hold up other requests; once. The call can then be polled from another
    /// thread.
    fn demand(&self) -> Option<Demand> {
        None
    }
}

/// Operation that a request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// An operation of the service.
    OfService(Operation),
    /// An operation of the server's own, or a name that it does not know.
    Own(Box<str>),
}

impl Named {
    /// Returns the operation of the service.
    pub fn of_service(&self) -> Option<Operation> {
        match self {
            Self::OfService(operation) => Some(*operation),
            Self::Own(_) => None,
        }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        match self {
            Self::OfService(operation) => operation.name(),
            Self::Own(name) => name,
        }
    }
}

/// Further information on a call that is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is asked for by itself")]
pub struct Asked {
    /// Usage of the call, for the subscribers of events.
    pub usage: bool,
    /// Cost of the call.
    pub cost: bool,
    /// Explanation of the call.
    pub explanation: bool,
    /// Access pattern in a contract that the call belongs to.
    pub pattern: bool,
}

/// Further information on a call.
#[derive(Debug, Default)]
pub struct Told(Mutex<Further>);

#[derive(Debug, Default)]
struct Further {
    /// Headers of the answer.
    headers: Vec<(&'static str, String)>,
    usage: Option<Box<Usage>>,
}

impl Told {
    /// Adds the header `name`, which is lower-case, with `value`. A value that is not visible ASCII
    /// is left out.
    pub fn tell(&self, name: &'static str, value: String) {
        self.further().headers.push((name, value));
    }

    /// Tells the usage of the call.
    pub fn tell_usage(&self, usage: Box<Usage>) {
        self.further().usage = Some(usage);
    }

    /// Returns the usage, once.
    pub(crate) fn take_usage(&self) -> Option<Box<Usage>> {
        self.further().usage.take()
    }

    /// Returns the added headers, once.
    pub(crate) fn take_headers(&self) -> Vec<(&'static str, String)> {
        std::mem::take(&mut self.further().headers)
    }

    fn further(&self) -> MutexGuard<'_, Further> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Next step of a call that would hold up other requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// Compute for a millisecond or more.
    Long,
    /// Wait for a disk without giving the thread back.
    Blocking,
}
