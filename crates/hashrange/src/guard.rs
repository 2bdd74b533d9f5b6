//! Contract of access patterns, checked while requests run. The guard finds the pattern of each
//! request and, if the contract is enforced, refuses a request without one before any of it is
//! done.
//!
//! Left to others: the meaning of a pattern (the crate `cost`), the points where the engine asks
//! (its `usage.rs`).

use hashrange_cost::{AccessPattern, Contract, KeyRef, Pattern, Row, RowKey, Usage, Use, Used};
use hashrange_engine::{Gate, Intent, behind};
use hashrange_model::bounds::told;
use hashrange_model::{ApiResult, Reason};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most kinds of refused requests that are listed.
const REFUSED_MAX: usize = 1_000;

/// Checks requests against a contract.
#[derive(Debug)]
pub struct Guard {
    contract: Contract,
    is_enforced: bool,
    /// Number of refusals of each kind of request.
    refused: Mutex<BTreeMap<RowKey, u64>>,
}

impl Guard {
    /// Returns a guard that finds the pattern of each request and, if `is_enforced`, refuses
    /// requests without one.
    pub fn new(contract: Contract, is_enforced: bool) -> Self {
        Self { contract, is_enforced, refused: Mutex::default() }
    }

    /// Returns the contract.
    pub fn contract(&self) -> &Contract {
        &self.contract
    }

    /// Returns whether the guard refuses requests without a pattern in the contract.
    pub fn is_enforced(&self) -> bool {
        self.is_enforced
    }

    /// Runs a call of an operation, such as `Query`. If the contract is enforced and has no pattern
    /// for the call, the answer is an error of the kind `AccessDenied`, and nothing is done. A batch
    /// or transaction has one pattern for each table, with all of its members; one unknown pattern
    /// refuses all of it.
    pub async fn run<F: Future>(self: &Arc<Self>, operation: &'static str, call: F) -> F::Output {
        if !self.is_enforced {
            return call.await;
        }
        behind(Arc::new(OfCall { guard: Arc::clone(self), operation }), call).await
    }

    /// Returns the pattern of each table that a request used; `None` for one that the contract does
    /// not know.
    pub fn patterns(&self, operation: &str, usage: &Usage) -> Vec<Option<&str>> {
        let pattern = |used: &Use| {
            let key = KeyRef {
                operation,
                table: &used.table,
                index: used.index.as_deref(),
                pattern: &usage.pattern,
                caller: "",
            };
            self.contract.find(key).map(|pattern: &AccessPattern| pattern.name.as_str())
        };
        usage.uses().iter().map(pattern).collect()
    }

    /// Returns the refused requests with their counts; of more than a thousand kinds the first
    /// thousand.
    pub fn refused(&self) -> Vec<Row> {
        let row = |(key, requests): (&RowKey, &u64)| Row {
            key: key.clone(),
            used: Used { requests: *requests, failed: *requests, ..Used::default() },
        };
        self.counts().iter().map(row).collect()
    }

    fn counts(&self) -> MutexGuard<'_, BTreeMap<RowKey, u64>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refuse(&self, key: KeyRef<'_>) -> Reason {
        let mut asked = format!("{} {}", key.operation, key.table);
        // Writing to text does not fail.
        let _written = key.index.map(|index| write!(asked, "/{index}"));
        if !key.pattern.is_empty() {
            asked.extend([" ", &told(key.pattern)]);
        }
        let mut counts = self.counts();
        let key = key.to_key();
        if counts.len() < REFUSED_MAX || counts.contains_key(&key) {
            let count = counts.entry(key).or_default();
            *count = count.saturating_add(1);
        }
        Reason::NotInContract(asked)
    }
}

/// The gate of one call.
struct OfCall {
    guard: Arc<Guard>,
    operation: &'static str,
}

impl Gate for OfCall {
    fn admit(&self, intent: &Intent<'_>, pattern: &Pattern) -> ApiResult<()> {
        let (table, index) = (intent.table(), intent.index());
        let key = KeyRef { operation: self.operation, table, index, pattern, caller: "" };
        if self.guard.contract.find(key).is_some() {
            return Ok(());
        }
        Err(self.guard.refuse(key).into())
    }
}
