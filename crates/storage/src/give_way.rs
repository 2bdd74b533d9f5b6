//! Lets a future report that its next step does not belong on a thread that many requests share.
//!
//! An executor with few threads calls [`take_demand`] after a poll that is not ready, and may go on
//! polling elsewhere. Any other executor sees a future that has woken itself, and polls it again
//! after others had their turn. So neither this code nor any result depends on the executor.

use std::cell::Cell;
use std::future::poll_fn;
use std::task::Poll;

/// Next step of a future.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// Compute for a millisecond or more.
    Long,
    /// Wait for a disk without giving the thread back.
    Blocking,
}

thread_local! {
    /// Demand of the future that this thread polled last.
    static DEMAND: Cell<Option<Demand>> = const { Cell::new(None) };
}

/// Is ready at the second poll; the first one leaves `demand` to the executor.
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

/// Returns the demand of the future that this thread just polled and that was not ready; once.
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
