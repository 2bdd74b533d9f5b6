//! An API with observation: tells in headers what each request used, to clients that ask for it,
//! and records it while recording is on.
//!
//! A call goes on at once if no client asks and nothing is recorded or enforced. Left to others:
//! the units of a request (the engine), rows and bills (the crate `cost`).
//!
//! | file | idea |
//! |---|---|
//! | `explanation.rs` | an explanation that fits into a header |
//! | `contract.rs` | the server's own operation on its contract |
//! | `operations.rs` | the server's own operations on the recording |

mod contract;
mod explanation;
mod operations;

use bytes::Bytes;
use hashrange::bounds::{CALLER_MAX_BYTES, beginning};
use hashrange::cost::{Guard, PriceList, Recorder, Usage, metered, summary};
use hashrange::{ApiError, ApiResult, Operation};
use hashrange_auth::Caller;
use hashrange_server::{Api, Asked, Demand, Measure, Running, Told};
use serde_json::json;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

/// The header with the units that a request used.
const COST: &str = "x-hashrange-cost";
/// The header with the explanation of a request.
const EXPLAIN: &str = "x-hashrange-explain";

/// The header with the access patterns of the contract that a request matches.
const PATTERN: &str = "x-hashrange-pattern";

/// An API whose requests are observed.
pub struct Observed {
    inner: Arc<dyn Api>,
    shared: Arc<Shared>,
    /// Access key id of the client; empty if it shows none.
    caller: Arc<str>,
}

/// State that the APIs of all callers share.
struct Shared {
    recorder: Recorder,
    prices: Option<PriceList>,
    /// The contract that requests are compared with.
    guard: Option<Arc<Guard>>,
    now_ms: fn() -> u64,
}

impl Shared {
    /// Returns true if requests are observed although no client asks.
    fn is_looking(&self) -> bool {
        self.recorder.is_on() || self.guard.as_ref().is_some_and(|guard| guard.is_enforced())
    }
}

impl fmt::Debug for Observed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Observed").field("caller", &self.caller).finish_non_exhaustive()
    }
}

impl Observed {
    /// Observes an API. Prices requests with the prices of `region`, if they are known, and records
    /// them from the start on if the settings say so. Compares them with a contract, if there is
    /// one.
    pub fn new(
        inner: Arc<dyn Api>,
        region: &str,
        records: bool,
        guard: Option<Guard>,
        now_ms: fn() -> u64,
    ) -> Self {
        let recorder = Recorder::default();
        if records {
            recorder.start(now_ms());
        }
        let prices = PriceList::of_region(region);
        let shared = Shared { recorder, prices, guard: guard.map(Arc::new), now_ms };
        Self { inner, shared: Arc::new(shared), caller: "".into() }
    }

    /// Runs an operation that no client asks about, and records what it used while recording is on.
    async fn look(&self, operation: Operation, body: Bytes) -> ApiResult<Vec<u8>> {
        let Shared { recorder, guard: None, now_ms, .. } = &*self.shared else {
            return self.observe(operation, body, true).await.0;
        };
        let call = Arc::clone(&self.inner).call(operation, body);
        recorder.record(now_ms, operation.name(), &self.caller, call).await
    }

    /// Runs an operation, records what it used if recording is on and wanted, and returns that
    /// beside the answer.
    async fn observe(
        &self,
        operation: Operation,
        body: Bytes,
        is_recorded: bool,
    ) -> (ApiResult<Vec<u8>>, Usage) {
        let Shared { recorder, guard, now_ms, .. } = &*self.shared;
        let call = Arc::clone(&self.inner).call(operation, body);
        let (answer, usage) = match guard {
            None => metered(call).await,
            Some(guard) => guard.run(operation.name(), call).await,
        };
        if is_recorded && recorder.is_on() {
            recorder.add(now_ms(), operation.name(), &self.caller, &usage, answer.is_err());
        }
        (answer, usage)
    }

    fn of(&self, inner: Arc<dyn Api>, caller: &str) -> Arc<dyn Api> {
        Arc::new(Self { inner, shared: Arc::clone(&self.shared), caller: caller.into() })
    }
}

impl Api for Observed {
    fn call(self: Arc<Self>, operation: Operation, body: Bytes) -> Running<'static> {
        if self.shared.is_looking() {
            return Box::pin(async move { self.look(operation, body).await });
        }
        Arc::clone(&self.inner).call(operation, body)
    }

    fn call_told(
        self: Arc<Self>,
        operation: Operation,
        body: Bytes,
        asked: Asked,
        told: Arc<Told>,
    ) -> Running<'static> {
        Box::pin(async move {
            if asked.explanation {
                let explained = explanation::of(&self.inner, operation, &body).await;
                told.tell(EXPLAIN, explained);
            }
            let (answer, usage) = self.observe(operation, body, !asked.unrecorded).await;
            if asked.cost {
                told.tell(COST, summary(&usage, self.shared.prices.as_ref()));
            }
            if let Some(guard) = self.shared.guard.as_ref().filter(|_| asked.pattern) {
                let patterns = guard.patterns(operation.name(), &usage);
                told.tell(PATTERN, explanation::ascii(&json!(patterns)));
            }
            answer
        })
    }

    fn call_own(self: Arc<Self>, name: String, body: Bytes) -> Running<'static> {
        match operations::find(&name) {
            Some(run) => Box::pin(async move { run(&self, &body).await }),
            None => Arc::clone(&self.inner).call_own(name, body),
        }
    }

    fn of_caller(&self, caller: &Caller<'_>) -> Result<Option<Arc<dyn Api>>, ApiError> {
        // The id may be unverified: any client could show one of many kilobytes.
        let id = beginning(caller.access_key_id().unwrap_or_default(), CALLER_MAX_BYTES);
        Ok(match self.inner.of_caller(caller)? {
            Some(own) => Some(self.of(own, id)),
            None if self.shared.is_looking() => Some(self.of(Arc::clone(&self.inner), id)),
            None => None,
        })
    }

    fn check_writable(&self) -> Result<(), String> {
        self.inner.check_writable()
    }

    fn check_ready<'a>(&'a self) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>> {
        self.inner.check_ready()
    }

    fn measures(&self) -> Vec<Measure> {
        self.inner.measures()
    }

    fn background_panics(&self) -> u64 {
        self.inner.background_panics()
    }

    fn demand(&self) -> Option<Demand> {
        self.inner.demand()
    }
}
