//! Calls under way, each in a piece of memory that the calls after it use again.
//!
//! The future of a call has some kilobytes, as much as the largest operation needs. Allocators hand
//! out and take back pieces of that size slowly, so each thread keeps some.

use crate::Database;
use bytes::Bytes;
use hashrange_model::ApiResult;
use hashrange_wire::Operation;
use std::cell::RefCell;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio_util::sync::ReusableBoxFuture;

/// How many pieces a thread keeps.
const SPARE_MAX: usize = 64;

type Memory = ReusableBoxFuture<'static, ApiResult<Vec<u8>>>;

thread_local! {
    static SPARE: RefCell<Vec<Memory>> = const { RefCell::new(Vec::new()) };
}

/// What [`Database::call_boxed`] returns.
pub struct BoxedCall {
    /// Gone when the call is answered.
    running: Option<Memory>,
}

impl BoxedCall {
    pub(crate) fn new(database: &Database, operation: Operation, body: Bytes) -> Self {
        let database = database.clone();
        let call = async move { database.call(operation, &body).await };
        let running = match SPARE.with_borrow_mut(Vec::pop) {
            Some(mut memory) => {
                memory.set(call);
                memory
            }
            None => Memory::new(call),
        };
        Self { running: Some(running) }
    }
}

impl Future for BoxedCall {
    type Output = ApiResult<Vec<u8>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let running = self.running.as_mut().expect("a call is not polled after its answer");
        let answer = ready!(running.poll(context));
        let memory = self.running.take();
        SPARE.with_borrow_mut(|spare| {
            if spare.len() < SPARE_MAX {
                spare.extend(memory);
            }
        });
        Poll::Ready(answer)
    }
}

impl fmt::Debug for BoxedCall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("BoxedCall").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn spare() -> usize {
        SPARE.with_borrow(Vec::len)
    }

    #[test]
    fn memory_is_used_again_and_holds_nothing() {
        let database = Database::memory();
        let body = Bytes::from(b"{}".to_vec());
        for _ in 0..3 {
            let call = database.call_boxed(Operation::ListTables, body.clone());
            assert_eq!(spare(), 0);
            let answer = hashrange_storage::block_on(call);
            assert_eq!(answer.as_deref(), Ok(&br#"{"TableNames":[]}"#[..]));
            assert_eq!(spare(), 1);
            assert!(body.is_unique(), "the request outlives its call");
        }
        drop(database.call_boxed(Operation::ListTables, body.clone()));
        assert_eq!(spare(), 0, "what was given up is not kept");
        assert!(body.is_unique());
    }

    #[test]
    fn a_thread_keeps_a_bounded_number() {
        let database = Database::memory();
        let calls: Vec<_> = (0..SPARE_MAX + 2)
            .map(|_| database.call_boxed(Operation::ListTables, Bytes::from_static(b"{}")))
            .collect();
        for call in calls {
            hashrange_storage::block_on(call).unwrap();
        }
        assert_eq!(spare(), SPARE_MAX);
        assert_eq!(Arc::strong_count(&database.engine), 1);
    }
}
