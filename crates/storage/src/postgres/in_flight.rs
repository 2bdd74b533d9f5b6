//! The commits of this process that are not decided and published yet, so that `sync` can wait for
//! them.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::Notify;

/// Tickets of commits under way.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    tickets: Mutex<Tickets>,
    ended: Notify,
}

#[derive(Debug, Default)]
struct Tickets {
    next: u64,
    open: BTreeSet<u64>,
}

/// One commit under way; dropped when its outcome is known.
#[derive(Debug)]
pub(super) struct Ticket {
    number: u64,
    in_flight: Arc<InFlight>,
}

impl InFlight {
    /// Returns a ticket for a commit that begins.
    pub(super) fn begin(self: &Arc<Self>) -> Ticket {
        let mut tickets = self.tickets.lock();
        let number = tickets.next;
        tickets.next += 1;
        let is_new = tickets.open.insert(number);
        assert!(is_new, "every commit has a number of its own");
        Ticket { number, in_flight: Arc::clone(self) }
    }

    /// Returns the number of commits under way.
    pub(super) fn len(&self) -> usize {
        self.tickets.lock().open.len()
    }

    fn end(&self, number: u64) {
        self.tickets.lock().open.remove(&number);
        self.ended.notify_waiters();
    }

    /// Waits until every commit that has begun has ended.
    pub(super) async fn wait(&self) {
        let last = self.tickets.lock().next;
        loop {
            let ended = self.ended.notified();
            if self.tickets.lock().open.first().is_none_or(|first| *first >= last) {
                return;
            }
            ended.await;
        }
    }
}

/// Handle that ends a ticket before it is dropped.
#[derive(Debug)]
pub(super) struct Stub {
    number: u64,
    in_flight: Arc<InFlight>,
}

impl Ticket {
    /// Returns a handle that ends the ticket before it is dropped.
    pub(super) fn stub(&self) -> Stub {
        Stub { number: self.number, in_flight: Arc::clone(&self.in_flight) }
    }
}

impl Stub {
    /// Ends the ticket.
    pub(super) fn end(&self) {
        self.in_flight.end(self.number);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.in_flight.end(self.number);
    }
}
