//! Health of the connections of one kind, lanes or readers, with the reason if they cannot be used.
//!
//! Leaves connecting to them. Invariant: as long as one of them has a connection, the kind counts
//! as healthy, unless the database takes no writes, which holds for all.

use super::failure::Failure;
use crate::Error;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// The connections of one kind.
#[derive(Debug, Default)]
pub(super) struct Health {
    state: Mutex<State>,
    /// Notified of each new connection, and of a failure that holds for all.
    known: Notify,
}

#[derive(Debug, Default)]
struct State {
    connected: usize,
    /// Failure of the last attempt to connect.
    failure: Option<String>,
    /// True if the failure holds for connected ones as well.
    is_for_all: bool,
}

impl Health {
    /// Notes that one more can be used.
    pub(super) fn connected(&self) {
        let mut state = self.state.lock();
        state.connected += 1;
        state.failure = None;
        state.is_for_all = false;
        drop(state);
        self.known.notify_waiters();
    }

    /// Notes that one can no longer be used.
    pub(super) fn lost(&self) {
        let mut state = self.state.lock();
        state.connected = state.connected.checked_sub(1).expect("it was connected");
    }

    /// Notes that one could not be connected, or is of no use.
    pub(super) fn failed(&self, failure: &Failure) {
        let mut state = self.state.lock();
        state.failure = Some(failure.to_string());
        state.is_for_all = matches!(failure, Failure::Standby(_));
        drop(state);
        self.known.notify_waiters();
    }

    /// Waits until one of them has a connection, or none will get one that is of use.
    pub(super) async fn any_connected(&self) {
        loop {
            let known = self.known.notified();
            {
                let state = self.state.lock();
                if state.connected > 0 || state.is_for_all {
                    return;
                }
            }
            known.await;
        }
    }

    /// Returns the number of those that have a connection.
    pub(super) fn connected_now(&self) -> usize {
        self.state.lock().connected
    }

    /// Returns an error if none of them can be used.
    pub(super) fn check(&self) -> Result<(), Error> {
        let state = self.state.lock();
        match &state.failure {
            Some(what) if state.connected == 0 || state.is_for_all => {
                Err(Error::Unavailable { what: what.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Returns the error for work that has waited for one of them for too long.
    pub(super) fn late(&self, what: &str) -> Error {
        let state = self.state.lock();
        let reason = match &state.failure {
            Some(failure) => failure.clone(),
            None => "those before it are not answered yet".to_owned(),
        };
        Error::Unavailable { what: format!("{what} got no connection in time: {reason}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_connection_is_enough() {
        let health = Health::default();
        assert!(health.check().is_ok(), "nothing was tried yet");
        let full = Failure::Lost("full".to_owned());
        health.failed(&full);
        assert!(health.check().is_err());
        health.connected();
        health.failed(&full);
        assert!(health.check().is_ok());
        health.failed(&Failure::Standby("read-only".to_owned()));
        assert!(health.check().is_err());
        health.connected();
        assert!(health.check().is_ok());
        health.lost();
        health.lost();
        health.failed(&full);
        assert!(health.check().is_err());
    }
}
