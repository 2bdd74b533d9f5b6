//! Commits that wait for a lane, and the talk between a commit's future and the lane that has it.
//!
//! `decide` borrows from its caller and cannot be sent to a lane. So the lane sends the values to the
//! caller's future, which decides and sends the batch back. The lane waits for that no longer than
//! `decide_timeout`; a future that was dropped, or whose `decide` panicked, has dropped its end, which
//! counts as an empty batch at once. So nobody's future can hold up a lane or harm a group.
//!
//! Invariant: what waits is bounded by number and bytes.

use super::in_flight::Ticket;
use super::keys::Located;
use crate::{Batch, Error};
use bytes::Bytes;
use parking_lot::Mutex;
use std::collections::VecDeque;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::Instant;

/// What a lane tells the future of a commit.
#[derive(Debug)]
pub(super) enum Turn {
    /// Decide on these values and send the batch.
    Decide(Vec<Option<Bytes>>, oneshot::Sender<Batch>),
    /// The last decision counts, or there is none.
    Ended(Result<(), Error>),
}

/// A commit as a lane knows it.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) write: Vec<Located>,
    pub(super) read: Vec<Located>,
    turns: mpsc::UnboundedSender<Turn>,
    /// When it is too late to wait for the database.
    pub(super) deadline: Instant,
    _ticket: Ticket,
}

/// The commits that wait.
#[derive(Debug)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    arrived: Notify,
    max_commits: usize,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct Waiting {
    members: VecDeque<Member>,
    bytes: usize,
    /// No lane takes members any more.
    is_closed: bool,
}

impl Member {
    /// Returns a commit and what its future listens to.
    pub(super) fn new(
        write: Vec<Located>,
        read: Vec<Located>,
        deadline: Instant,
        ticket: Ticket,
    ) -> (Self, mpsc::UnboundedReceiver<Turn>) {
        let (turns, listener) = mpsc::unbounded_channel();
        (Self { write, read, turns, deadline, _ticket: ticket }, listener)
    }

    /// Returns all declared keys in the order in which their values are shown.
    pub(super) fn keys(&self) -> impl Iterator<Item = &Located> {
        self.write.iter().chain(&self.read)
    }

    /// Asks for a decision.
    pub(super) fn ask(&self, values: Vec<Option<Bytes>>) -> oneshot::Receiver<Batch> {
        let (reply, batch) = oneshot::channel();
        // A future that is gone drops the reply, which the receiver tells.
        drop(self.turns.send(Turn::Decide(values, reply)));
        batch
    }

    /// Tells the outcome.
    pub(super) fn end(self, outcome: Result<(), Error>) {
        drop(self.turns.send(Turn::Ended(outcome)));
    }

    /// Returns whether nobody waits for the outcome any more.
    pub(super) fn is_abandoned(&self) -> bool {
        self.turns.is_closed()
    }

    fn bytes(&self) -> usize {
        self.keys().map(|key| key.key.len()).sum()
    }
}

impl Queue {
    pub(super) fn new(max_commits: usize, max_bytes: usize) -> Self {
        Self { waiting: Mutex::default(), arrived: Notify::new(), max_commits, max_bytes }
    }

    /// Adds a commit.
    ///
    /// # Errors
    /// When too many wait, or the lanes have ended.
    pub(super) fn push(&self, member: Member) -> Result<(), Error> {
        let mut waiting = self.waiting.lock();
        if waiting.is_closed {
            return Err(Error::Closed);
        }
        if waiting.members.len() >= self.max_commits || waiting.bytes >= self.max_bytes {
            let what = format!("{} commits wait for the database already", waiting.members.len());
            return Err(Error::Unavailable { what });
        }
        waiting.bytes += member.bytes();
        waiting.members.push_back(member);
        drop(waiting);
        self.arrived.notify_last();
        Ok(())
    }

    /// Waits for commits and takes all that wait, at most `max`: to leave some to other lanes makes groups
    /// smaller and was slower (64 writers on two cores: by a fifth).
    pub(super) async fn take(&self, max: usize) -> Vec<Member> {
        loop {
            let arrived = self.arrived.notified();
            let (taken, is_left) = self.take_now(max);
            if is_left {
                self.arrived.notify_last();
            }
            if !taken.is_empty() {
                return taken;
            }
            arrived.await;
        }
    }

    fn take_now(&self, max: usize) -> (Vec<Member>, bool) {
        let mut waiting = self.waiting.lock();
        let share = waiting.members.len().min(max);
        let taken: Vec<_> = waiting.members.drain(..share).collect();
        waiting.bytes -= taken.iter().map(Member::bytes).sum::<usize>();
        (taken, !waiting.members.is_empty())
    }

    /// Returns how many commits wait.
    pub(super) fn len(&self) -> usize {
        self.waiting.lock().members.len()
    }

    /// Takes the commits that have waited too long.
    pub(super) fn take_late(&self) -> Vec<Member> {
        let now = Instant::now();
        let mut waiting = self.waiting.lock();
        // They stand in the order in which they came, so in that of their deadlines.
        let late = waiting.members.iter().take_while(|member| member.deadline <= now).count();
        let late: Vec<Member> = waiting.members.drain(..late).collect();
        waiting.bytes -= late.iter().map(Member::bytes).sum::<usize>();
        late
    }

    /// Refuses all that comes, and what waits.
    pub(super) fn close(&self) {
        let mut waiting = self.waiting.lock();
        waiting.is_closed = true;
        for member in std::mem::take(&mut waiting.members) {
            member.end(Err(Error::Closed));
        }
        waiting.bytes = 0;
    }
}
