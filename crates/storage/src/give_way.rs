//! How a future says that what it does next does not belong on a thread that many requests share.
//!
//! Whoever polls futures on few threads asks [`take_demand`] after a poll that is not ready, and may
//! go on polling elsewhere. Everybody else sees a future that has woken itself: it is polled again
//! after others had their turn. So nothing here depends on who polls, and results do not either.

use std::cell::Cell;
use std::future::poll_fn;
use std::task::Poll;

/// What a future is about to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// Compute for a millisecond or more.
    Long,
    /// Wait for a disk without giving the thread back.
    Blocking,
}

thread_local! {
    /// What the future that was polled last on this thread has asked for.
    static DEMAND: Cell<Option<Demand>> = const { Cell::new(None) };
}

/// Is ready at the second poll; the first one leaves `demand` to whoever polls.
pub async fn give_way(demand: Demand) {
    let mut has_given_way = false;
    poll_fn(|context| {
        if std::mem::replace(&mut has_given_way, true) {
            return Poll::Ready(());
        }
        DEMAND.set(Some(demand));
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Returns what the future that was just polled on this thread, and was not ready, has asked for;
/// once.
pub fn take_demand() -> Option<Demand> {
    DEMAND.take()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_on;
    use std::pin::pin;
    use std::task::{Context, Waker};

    #[test]
    fn a_demand_is_told_once_and_then_met() {
        let mut future = pin!(give_way(Demand::Blocking));
        let mut context = Context::from_waker(Waker::noop());
        assert!(future.as_mut().poll(&mut context).is_pending());
        assert_eq!(take_demand(), Some(Demand::Blocking));
        assert_eq!(take_demand(), None);
        assert!(future.as_mut().poll(&mut context).is_ready());
        assert_eq!(take_demand(), None);
    }

    #[test]
    fn who_waits_on_its_thread_just_goes_on() {
        block_on(give_way(Demand::Long));
    }
}
