//! Commits that wait for a lane, and the messages between a commit's future and the lane that has
//! it.
//!
//! `decide` borrows from its caller and cannot be sent to a lane. So the lane sends the values to
//! the caller's future, which decides and sends the batch back. The lane waits for that no longer
//! than `decide_timeout`; a future that was dropped, or whose `decide` panicked, has dropped its
//! end of the channel, which counts as an empty batch at once. So no future can hold up a lane or
//! harm a group.
//!
//! Invariant: the waiting commits are bounded by number and bytes.

use super::early_decision::Early;
use super::fence::Fencing;
use super::gathering::{Gathering, Group, Manner};
use super::in_flight::{Stub, Ticket};
use super::keys::Located;
use super::options::PostgresOptions;
use crate::{Batch, Error};
use bytes::Bytes;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

/// Longest gathering of commits while lanes are at work and another one may be.
const GATHERING_MAX: Duration = Duration::from_millis(3);

/// Message of a lane to the future of a commit.
#[derive(Debug)]
pub(super) enum LaneMessage {
    /// Decide on these values and send the batch.
    Decide(Vec<Option<Bytes>>, oneshot::Sender<Batch>),
    /// The last decision counts, or there is none.
    Ended(Result<(), Error>),
}

/// A commit in the hands of a lane.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) write: Vec<Located>,
    pub(super) read: Vec<Located>,
    pub(super) fencing: Fencing,
    /// Decision made before a lane took the commit.
    pub(super) early: Option<Early>,
    /// True if its transaction is committed even if it writes nothing.
    pub(super) is_probe: bool,
    messages: mpsc::UnboundedSender<LaneMessage>,
    /// Count of its requests to the database, if they are counted.
    requests: Option<Arc<AtomicU64>>,
    /// Time at which it is too late to wait for the database.
    pub(super) deadline: Instant,
    ticket: Ticket,
}

/// Bell that tells the future of a commit that it is late, while a lane has the commit.
#[derive(Debug)]
pub(super) struct Bell {
    pub(super) deadline: Instant,
    messages: mpsc::UnboundedSender<LaneMessage>,
    ticket: Stub,
}

impl Bell {
    /// Tells the commit's future that it is late, and ends the wait of `sync` for the commit. Later
    /// messages of the lane are lost.
    pub(super) fn ring(&self, error: Error) {
        drop(self.messages.send(LaneMessage::Ended(Err(error))));
        self.ticket.end();
    }
}

/// The commits that wait.
#[derive(Debug)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    arrived: Notify,
    max_commits: usize,
    max_bytes: usize,
}

#[derive(Debug)]
struct Waiting {
    members: VecDeque<Member>,
    bytes: usize,
    /// Bytes of early decisions.
    early_bytes: usize,
    gathering: Gathering,
    /// No lane takes members any more.
    is_closed: bool,
}

/// The commits that a lane has in work.
pub(super) struct Taken<'q> {
    queue: &'q Queue,
    pub(super) members: Vec<Member>,
    group: Group,
}

/// Result of a lane's poll of the queue.
enum QueuePoll {
    Nothing,
    /// Too few, which are to be taken at this time.
    Gathering(Instant),
    /// Some, and whether more are left.
    Taken(Vec<Member>, Group, bool),
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        // The lane looks for more itself, or else the waiting commits have gathered in a moment.
        let mut waiting = self.queue.waiting.lock();
        waiting.gathering.end(self.group);
    }
}

impl Member {
    /// Returns a commit and the receiver of its future.
    pub(super) fn new(
        [write, read]: [Vec<Located>; 2],
        fencing: Fencing,
        deadline: Instant,
        ticket: Ticket,
        requests: Option<Arc<AtomicU64>>,
        early: Option<Early>,
    ) -> (Self, mpsc::UnboundedReceiver<LaneMessage>) {
        let (messages, listener) = mpsc::unbounded_channel();
        let is_probe = false;
        (
            Self { write, read, fencing, early, is_probe, messages, requests, deadline, ticket },
            listener,
        )
    }

    /// Returns this commit as one whose transaction is committed even if no member writes.
    pub(super) fn of_probe(self) -> Self {
        Self { is_probe: true, ..self }
    }

    /// Returns all declared keys in the order in which their values are shown, without a fence that
    /// its lane reports.
    pub(super) fn keys(&self) -> impl Iterator<Item = &Located> {
        self.write.iter().chain(&self.read)
    }

    /// Counts a request to the database that serves it and the others of its group.
    pub(super) fn count_request(&self) {
        if let Some(requests) = &self.requests {
            requests.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Asks for a decision.
    pub(super) fn ask(&self, values: Vec<Option<Bytes>>) -> oneshot::Receiver<Batch> {
        let (reply, batch) = oneshot::channel();
        // If the future is gone, the reply is dropped, which the receiver notices.
        drop(self.messages.send(LaneMessage::Decide(values, reply)));
        batch
    }

    /// Reports the outcome.
    pub(super) fn end(self, outcome: Result<(), Error>) {
        drop(self.messages.send(LaneMessage::Ended(outcome)));
    }

    /// Returns the bell of its future.
    pub(super) fn bell(&self) -> Bell {
        Bell {
            deadline: self.deadline,
            messages: self.messages.clone(),
            ticket: self.ticket.stub(),
        }
    }

    /// Returns whether its future was dropped.
    pub(super) fn is_abandoned(&self) -> bool {
        self.messages.is_closed()
    }

    fn bytes(&self) -> usize {
        self.keys().map(|key| key.key.len()).sum()
    }

    fn early_bytes(&self) -> usize {
        self.early.as_ref().map_or(0, |early| early.batch.size_bytes())
    }
}

impl Queue {
    /// Returns an empty queue, of whose commits so many groups are usually at work at once.
    pub(super) fn new(options: &PostgresOptions, groups: usize) -> Self {
        let manner = Manner { max: options.group_commits, longest: GATHERING_MAX, groups };
        let (members, gathering) = (VecDeque::new(), Gathering::new(manner));
        let waiting =
            Mutex::new(Waiting { members, bytes: 0, early_bytes: 0, gathering, is_closed: false });
        Self {
            waiting,
            arrived: Notify::new(),
            max_commits: options.queue_commits,
            max_bytes: options.queue_bytes,
        }
    }

    /// Adds a commit.
    ///
    /// # Errors
    /// Too many commits wait, or the lanes have ended.
    pub(super) fn push(&self, mut member: Member) -> Result<(), Error> {
        let mut waiting = self.waiting.lock();
        if waiting.is_closed {
            return Err(Error::Closed);
        }
        if waiting.members.len() >= self.max_commits || waiting.bytes >= self.max_bytes {
            let what = format!("{} commits wait for the database already", waiting.members.len());
            return Err(Error::Unavailable { what });
        }
        // If too much waits, the commit decides later, when its turn has come.
        if waiting.early_bytes + member.early_bytes() > self.max_bytes {
            member.early = None;
        }
        waiting.bytes += member.bytes();
        waiting.early_bytes += member.early_bytes();
        waiting.members.push_back(member);
        // The first waiting commit makes a lane wait for the others.
        let is_news = waiting.members.len() == 1
            || waiting.gathering.is_enough(waiting.members.len(), Instant::now());
        drop(waiting);
        if is_news {
            self.arrived.notify_last();
        }
        Ok(())
    }

    /// Waits for commits and takes all that wait and are no more than a group: leaving some to
    /// other lanes makes groups smaller and was slower (64 writers on two cores: by a fifth).
    pub(super) async fn take(&self) -> Taken<'_> {
        loop {
            let arrived = self.arrived.notified();
            match self.take_now() {
                QueuePoll::Nothing => arrived.await,
                // In both cases it looks again.
                QueuePoll::Gathering(until) => drop(timeout_at(until, arrived).await),
                QueuePoll::Taken(members, group, is_left) => {
                    if is_left {
                        self.arrived.notify_last();
                    }
                    return Taken { queue: self, members, group };
                }
            }
        }
    }

    fn take_now(&self) -> QueuePoll {
        let mut waiting = self.waiting.lock();
        if waiting.members.is_empty() {
            return QueuePoll::Nothing;
        }
        let (count, now) = (waiting.members.len(), Instant::now());
        if let Some(until) = waiting.gathering.until(count, now) {
            return QueuePoll::Gathering(until);
        }
        let share = waiting.gathering.share(count);
        let taken: Vec<_> = waiting.members.drain(..share).collect();
        waiting.forget_bytes(&taken);
        let group = waiting.gathering.take(taken.len(), now);
        QueuePoll::Taken(taken, group, !waiting.members.is_empty())
    }

    /// Wakes another lane for waiting commits.
    pub(super) fn wake(&self) {
        self.arrived.notify_last();
    }

    /// Returns the number of waiting commits.
    pub(super) fn len(&self) -> usize {
        self.waiting.lock().members.len()
    }

    /// Takes the commits that have waited too long.
    pub(super) fn take_late(&self) -> Vec<Member> {
        let now = Instant::now();
        let mut waiting = self.waiting.lock();
        // They stand in the order of arrival, and so in that of their deadlines.
        let late = waiting.members.iter().take_while(|member| member.deadline <= now).count();
        let late: Vec<Member> = waiting.members.drain(..late).collect();
        if waiting.members.is_empty() {
            waiting.gathering.forget();
        }
        waiting.forget_bytes(&late);
        late
    }

    /// Refuses all new commits, and the waiting ones.
    pub(super) fn close(&self) {
        let mut waiting = self.waiting.lock();
        waiting.is_closed = true;
        for member in std::mem::take(&mut waiting.members) {
            member.end(Err(Error::Closed));
        }
        (waiting.bytes, waiting.early_bytes) = (0, 0);
    }
}

impl Waiting {
    /// Notes that these commits no longer wait.
    fn forget_bytes(&mut self, gone: &[Member]) {
        let bytes = gone.iter().map(Member::bytes).sum::<usize>();
        let early_bytes = gone.iter().map(Member::early_bytes).sum::<usize>();
        assert!(
            self.bytes >= bytes && self.early_bytes >= early_bytes,
            "commits that wait take as many bytes as were counted for them"
        );
        self.bytes -= bytes;
        self.early_bytes -= early_bytes;
    }
}
