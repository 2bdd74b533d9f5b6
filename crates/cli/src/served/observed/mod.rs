//! An API with observation: tells in headers what each request used, to clients that ask for it,
//! and compares requests with a contract. [`Recording`] is the subscriber of events that records
//! requests while recording is on.
//!
//! Left to others: the units of a request (the engine), rows and bills (the crate `cost`), events
//! (the crate `server`).
//!
//! | file | idea |
//! |---|---|
//! | `explanation.rs` | an explanation that fits into a header |
//! | `contract.rs` | the server's own operation on its contract |
//! | `operations.rs` | the server's own operations on the recording |

mod contract;
mod explanation;
mod operations;

use super::Overview;
use bytes::Bytes;
use hashrange::cost::{Guard, PriceList, Recorder, Usage, metered_for, summary};
use hashrange::{ApiError, Operation};
use hashrange_auth::Caller;
use hashrange_server::{
    Api, Asked, Demand, Event, Interest, Measure, Named, Running, Subscriber, Told, Watches,
    namespace,
};
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
    /// Namespace of the callers, as events name it, if each access key has its own.
    namespace: Option<String>,
}

/// State that the APIs of all callers share.
struct Shared {
    recorder: Recorder,
    prices: Option<PriceList>,
    /// The contract that requests are compared with.
    guard: Option<Arc<Guard>>,
    watches: Arc<Watches>,
    /// Source of the answers of `DescribeServer`.
    overview: Arc<Overview>,
    now_ms: fn() -> u64,
}

/// The operation of our own that programs read items by: it is recorded and may be refused as Query is.
const GATHER: &str = "Gather";

/// Subscriber that records requests while recording is on.
pub struct Recording(Arc<Shared>);

impl fmt::Debug for Recording {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Recording").finish_non_exhaustive()
    }
}

impl Subscriber for Recording {
    fn interest(&self) -> Interest {
        Interest { usage: self.0.recorder.is_on(), ..Interest::default() }
    }

    fn ended(&self, event: &Event) {
        let Shared { recorder, now_ms, .. } = &*self.0;
        let (Some(operation), Some(usage)) = (&event.operation, &event.usage) else { return };
        let name = match operation {
            Named::OfService(operation) => operation.name(),
            Named::Own(name) if **name == *GATHER => GATHER,
            Named::Own(_) => return,
        };
        if recorder.is_on() && !event.is_unrecorded {
            let caller = event.caller.as_deref().unwrap_or_default();
            let is_failed = event.answered.as_ref().is_none_or(|answered| answered.status != 200);
            recorder.add(now_ms(), name, caller, usage, is_failed);
        }
    }
}

impl fmt::Debug for Observed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Observed").finish_non_exhaustive()
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
        watches: Arc<Watches>,
        overview: Arc<Overview>,
        now_ms: fn() -> u64,
    ) -> Self {
        let recorder = Recorder::default();
        if records {
            recorder.start(now_ms());
        }
        let prices = PriceList::of_region(region);
        let guard = guard.map(Arc::new);
        let shared = Shared { recorder, prices, guard, watches, overview, now_ms };
        Self { inner, shared: Arc::new(shared), namespace: None }
    }

    /// Returns the subscriber that records requests.
    pub fn recording(&self) -> Arc<dyn Subscriber> {
        Arc::new(Recording(Arc::clone(&self.shared)))
    }

    /// Tells the usage of a call, and the headers that are made of it.
    fn tell(&self, name: &str, asked: Asked, told: &Told, usage: Box<Usage>) {
        if asked.cost {
            told.tell(COST, summary(&usage, self.shared.prices.as_ref()));
        }
        if let Some(guard) = self.shared.guard.as_ref().filter(|_| asked.pattern) {
            told.tell(PATTERN, explanation::ascii(&json!(guard.patterns(name, &usage))));
        }
        told.tell_usage(usage);
    }
}

impl Api for Observed {
    fn call(self: Arc<Self>, operation: Operation, body: Bytes) -> Running<'static> {
        let call = Arc::clone(&self.inner).call(operation, body);
        match &self.shared.guard {
            Some(guard) if guard.is_enforced() => {
                let guard = Arc::clone(guard);
                Box::pin(async move { guard.run(operation.name(), call).await })
            }
            _ => call,
        }
    }

    fn call_told(
        self: Arc<Self>,
        operation: Named,
        body: Bytes,
        asked: Asked,
        told: Arc<Told>,
    ) -> Running<'static> {
        Box::pin(async move {
            if let (true, Named::OfService(operation)) = (asked.explanation, &operation) {
                let explained = explanation::of(&self.inner, *operation, &body).await;
                told.tell(EXPLAIN, explained);
            }
            let call = match &operation {
                Named::OfService(operation) => Arc::clone(&self).call(*operation, body),
                Named::Own(name) => Arc::clone(&self).call_own(name.to_string(), body),
            };
            let tell = |usage| self.tell(operation.name(), asked, &told, usage);
            metered_for(call, tell).await
        })
    }

    fn call_own(self: Arc<Self>, name: String, body: Bytes) -> Running<'static> {
        if let Some(run) = operations::find(&name) {
            return Box::pin(async move { run(&self, &body).await });
        }
        let is_kept = name == GATHER;
        let call = Arc::clone(&self.inner).call_own(name, body);
        match &self.shared.guard {
            Some(guard) if guard.is_enforced() && is_kept => {
                let guard = Arc::clone(guard);
                Box::pin(async move { guard.run(GATHER, call).await })
            }
            _ => call,
        }
    }

    fn of_caller(&self, caller: &Caller<'_>) -> Result<Option<Arc<dyn Api>>, ApiError> {
        let own = self.inner.of_caller(caller)?;
        let observed = |inner| Self {
            inner,
            shared: Arc::clone(&self.shared),
            namespace: Some(namespace(caller)),
        };
        Ok(own.map(|inner| -> Arc<dyn Api> { Arc::new(observed(inner)) }))
    }

    fn check_writable(&self) -> Result<(), String> {
        self.inner.check_writable()
    }

    fn check_ready<'a>(&'a self) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>> {
        self.inner.check_ready()
    }

    fn measures<'a>(&'a self) -> Pin<Box<dyn Future<Output = Vec<Measure>> + Send + 'a>> {
        self.inner.measures()
    }

    fn background_panics(&self) -> u64 {
        self.inner.background_panics()
    }

    fn demand(&self) -> Option<Demand> {
        self.inner.demand()
    }
}
