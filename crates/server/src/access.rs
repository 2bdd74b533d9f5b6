//! Access policy of the server, which can be changed while it runs.

use arc_swap::{ArcSwap, Guard};
use hashrange_auth::Policy;
use std::sync::Arc;

/// The policy by which requests are authenticated. Reading it takes no lock.
#[derive(Debug)]
pub struct Access(ArcSwap<Policy>);

impl Access {
    /// Returns access under a policy.
    pub fn new(policy: Policy) -> Self {
        Self(ArcSwap::from_pointee(policy))
    }

    /// Replaces the policy, for requests that come from now on.
    ///
    /// Refuses a change between a policy that accepts any credentials and one that verifies them,
    /// and returns false: the address and the rules for web pages were chosen for the first policy.
    pub fn replace(&self, policy: Policy) -> bool {
        let is_open = |policy: &Policy| matches!(policy, Policy::AcceptAny);
        if is_open(&policy) != self.is_open() {
            return false;
        }
        self.0.store(Arc::new(policy));
        true
    }

    /// Returns true if the server accepts any credentials.
    pub fn is_open(&self) -> bool {
        matches!(**self.0.load(), Policy::AcceptAny)
    }

    pub(crate) fn policy(&self) -> Guard<Arc<Policy>> {
        self.0.load()
    }
}

impl From<Policy> for Access {
    fn from(policy: Policy) -> Self {
        Self::new(policy)
    }
}
