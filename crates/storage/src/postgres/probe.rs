//! Tests whether the database answers now: a commit without keys and a read, which it waits for no
//! longer than [`LIMIT`].
//!
//! A database that hangs says nothing, so connections look healthy until the limits of their
//! statements have passed. The commit sets its lane's row and nothing else: it takes a lock, is
//! refused if the database takes no writes, and waits for the disk and for standbys as every other
//! commit does.
//!
//! Invariant: there is one probe at a time, however many callers ask; a caller that comes
//! meanwhile, or less than [`FRESH`] later, gets its answer.

use super::fence::Fencing;
use super::in_flight::InFlight;
use super::keys::Located;
use super::queue::{LaneMessage, Member};
use super::reads::Reads;
use super::shared::Shared;
use crate::{Batch, Error};
use bytes::Bytes;
use futures_util::future::join;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

/// The longest wait for an answer.
const LIMIT: Duration = Duration::from_secs(2);

/// Lifetime of an answer.
const FRESH: Duration = Duration::from_millis(250);

/// `None` until the probe has ended.
type ProbeAnswer = watch::Receiver<Option<Result<(), Error>>>;

/// The probes of a store.
#[derive(Debug)]
pub(super) struct Probes {
    driver: Handle,
    last: Mutex<Option<(Instant, ProbeAnswer)>>,
}

impl Probes {
    /// Returns probes that `driver` runs.
    pub(super) fn new(driver: Handle) -> Self {
        Self { driver, last: Mutex::default() }
    }

    /// Returns an error if the database does not answer.
    pub(super) async fn ask(
        &self,
        shared: &Arc<Shared>,
        reads: &Arc<Reads>,
        in_flight: &Arc<InFlight>,
    ) -> Result<(), Error> {
        let mut answer = {
            let mut last = self.last.lock();
            match &*last {
                Some((begun, answer)) if answer.borrow().is_none() || begun.elapsed() < FRESH => {
                    answer.clone()
                }
                _ => {
                    let answer = self.begin(shared, reads, in_flight);
                    *last = Some((Instant::now(), answer.clone()));
                    answer
                }
            }
        };
        let answered = answer.wait_for(Option::is_some).await;
        // If the store's thread ends, it drops the sender without an answer.
        answered.ok().and_then(|answered| answered.clone()).unwrap_or(Err(Error::Closed))
    }

    /// Begins a probe.
    fn begin(
        &self,
        shared: &Arc<Shared>,
        reads: &Arc<Reads>,
        in_flight: &Arc<InFlight>,
    ) -> ProbeAnswer {
        let (shared, reads) = (Arc::clone(shared), Arc::clone(reads));
        let in_flight = Arc::clone(in_flight);
        let (reply, answer) = watch::channel(None);
        self.driver.spawn(async move {
            let both = join(commit(&shared, &in_flight), read(&shared, &reads));
            let answered = match timeout(LIMIT, both).await {
                Ok((committed, read)) => committed.and(read),
                Err(_) => Err(Error::Unavailable {
                    what: format!(
                        "the database has not answered for {} s, or its commits wait for a standby \
                         that is away",
                        LIMIT.as_secs()
                    ),
                }),
            };
            reply.send_replace(Some(answered));
        });
        answer
    }
}

/// Commits nothing.
async fn commit(shared: &Shared, in_flight: &Arc<InFlight>) -> Result<(), Error> {
    let deadline = Instant::now() + LIMIT;
    let (member, mut messages) =
        Member::new(<[_; 2]>::default(), Fencing::Ignores, deadline, in_flight.begin(), None, None);
    shared.commits.push(member.of_probe())?;
    loop {
        match messages.recv().await {
            // The lane reports why it waits no longer.
            Some(LaneMessage::Decide(_, reply)) => drop(reply.send(Batch::new())),
            Some(LaneMessage::Ended(outcome)) => return outcome,
            None => return Err(Error::Closed),
        }
    }
}

/// Reads an absent key.
async fn read(shared: &Shared, reads: &Reads) -> Result<(), Error> {
    let key: Located = shared.layout.locate(Bytes::from_static(b"\0"));
    reads.keys(shared, vec![key], false).await.map(drop)
}
