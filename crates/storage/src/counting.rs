//! Counts the requests to a remote database that the commits of a call take.
//!
//! A commit lies many layers below the caller that wants the count, so the count belongs to the
//! thread while it polls the call. Only a store with a remote database uses it. Reads are counted
//! by their view ([`crate::View::counting`]).
//!
//! Invariant: the count of a thread is that of the call that it is polling, and of no other.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

thread_local! {
    /// Count for the commits of the call that this thread is polling, if its caller wants one.
    static REQUESTS: RefCell<Option<Arc<AtomicU64>>> = const { RefCell::new(None) };
}

/// Runs a call and adds the requests of its commits to `requests`: each is a round trip, or shares
/// one with those of other commits. A store without a remote database counts none. The call may
/// move from thread to thread.
pub async fn counting_commits<F: Future>(requests: &Arc<AtomicU64>, call: F) -> F::Output {
    let mut call = pin!(call);
    poll_fn(|context| {
        let _installed = Installed::new(requests);
        call.as_mut().poll(context)
    })
    .await
}

/// Returns the count for the commits of the call that this thread is polling.
#[cfg(any(test, feature = "postgres"))]
pub(crate) fn of_commits() -> Option<Arc<AtomicU64>> {
    REQUESTS.with_borrow(Clone::clone)
}

/// Installs a count on the thread, and restores the previous one also if the call panics.
struct Installed(Option<Arc<AtomicU64>>);

impl Installed {
    fn new(requests: &Arc<AtomicU64>) -> Self {
        Self(REQUESTS.replace(Some(Arc::clone(requests))))
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        REQUESTS.set(self.0.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_on;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::Ordering;

    fn commit() {
        if let Some(requests) = of_commits() {
            requests.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn what_a_call_asks_is_counted_for_it_alone() {
        let (outer, inner) = (Arc::default(), Arc::default());
        block_on(counting_commits(&outer, async {
            commit();
            counting_commits(&inner, async { commit() }).await;
            commit();
        }));
        commit();
        assert_eq!((outer.load(Ordering::Relaxed), inner.load(Ordering::Relaxed)), (2, 1));
    }

    #[test]
    fn a_panic_leaves_no_count_behind() {
        let requests = Arc::default();
        let panics = || block_on(counting_commits(&requests, async { panic!("as told") }));
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        assert!(of_commits().is_none());
    }
}
