//! State between writers and the committer: sequenced batches, the values they gave to declared
//! keys, and the waiting writers.
//!
//! Invariants:
//! - tickets are given in queue order, without gaps;
//! - a declared key that was written is in the overlay from before its locks are released until its
//!   value is published, so a writer that holds the key's lock reads the newest sequenced value
//!   from the overlay or else from the ordered map;
//! - once a failure is set, nothing is queued or published any more.

use crate::batch::{Append, Change, Operation};
use crate::planted::{Planted, is_planted};
use crate::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use crate::sync::{Condvar, Mutex, OnceLock, RandomState, shards};
use crate::{Batch, Error, Key, KeyRange};
use bytes::Bytes;
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::hash::BuildHasher;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// Place of a batch in the order of all batches; 0 means before the first.
pub(crate) type Ticket = u64;

const OVERLAY_SHARDS: usize = shards(64);

/// A group ends with the batch that reaches one of these. Many writers may have waited for room and
/// come at once, and the commit stamps of a group are limited.
const GROUP_BYTES: usize = 32 << 20;
const GROUP_APPENDS: usize = 1 << 18;

/// Declared keys up to this many are compared one by one.
const FEW_KEYS: usize = 8;

/// The writes of the batches that the committer takes in one go, in the order of their tickets.
#[derive(Debug, Default)]
pub(crate) struct Group {
    pub(crate) operations: Vec<Operation>,
    pub(crate) appends: Vec<Append>,
    /// The declared keys that are written: those in the overlay.
    declared: Vec<Bytes>,
    /// Ranges of which all is garbage.
    pub(crate) garbage: Vec<KeyRange>,
    pub(crate) batches: u64,
    pub(crate) last_ticket: Ticket,
    pub(crate) size_bytes: usize,
}

impl Group {
    fn add(&mut self, ticket: Ticket, declared: Vec<(Bytes, Option<Bytes>)>, mut batch: Batch) {
        self.last_ticket = ticket;
        self.batches += 1;
        self.size_bytes += batch.size_bytes();
        self.declared.extend(declared.into_iter().map(|(key, _)| key));
        self.garbage.extend(batch.take_garbage());
        let (operations, appends) = batch.into_parts();
        self.operations.extend(operations);
        self.appends.extend(appends);
    }

    fn is_full(&self) -> bool {
        self.size_bytes >= GROUP_BYTES || self.appends.len() >= GROUP_APPENDS
    }
}

#[derive(Debug, Default)]
struct Queue {
    /// Waiting groups, each but the last one full.
    groups: VecDeque<Group>,
    last_ticket: Ticket,
    /// The last ticket that the committer took.
    taken: Ticket,
    size_bytes: usize,
    closed: bool,
    /// Writers that found the queue full.
    room_waiters: Vec<Waker>,
}

/// A value that is sequenced and not yet published.
#[derive(Debug)]
struct Pending {
    ticket: Ticket,
    value: Option<Bytes>,
}

type OverlayShard = Mutex<HashMap<Bytes, Pending, RandomState>>;

/// Queue, overlay and waiting writers; see the head of this file.
#[derive(Debug)]
pub(crate) struct Sequencer {
    queue: Mutex<Queue>,
    work: Condvar,
    queue_bytes: usize,
    /// Copy of the queue's size, for looks without its lock.
    queued_bytes: AtomicUsize,
    overlay: Box<[OverlayShard]>,
    /// Keys in the overlay. Grows under the queue's lock only.
    pending_keys: AtomicUsize,
    overlay_hasher: RandomState,
    published: AtomicU64,
    waiters: Mutex<Vec<(Ticket, Waker)>>,
    failure: OnceLock<Error>,
}

impl Queue {
    /// Returns the group that the next batch belongs to.
    fn open_group(&mut self) -> &mut Group {
        if self.groups.back().is_none_or(Group::is_full) {
            self.groups.push_back(Group::default());
        }
        self.groups.back_mut().expect("it was put there")
    }
}

impl Sequencer {
    pub(crate) fn new(queue_bytes: usize) -> Self {
        Self {
            queue: Mutex::default(),
            work: Condvar::new(),
            queue_bytes: queue_bytes.max(1),
            queued_bytes: AtomicUsize::new(0),
            pending_keys: AtomicUsize::new(0),
            overlay: (0..OVERLAY_SHARDS).map(|_| OverlayShard::default()).collect(),
            overlay_hasher: RandomState::default(),
            published: AtomicU64::new(0),
            waiters: Mutex::default(),
            failure: OnceLock::new(),
        }
    }

    /// Returns the sequenced, unpublished value of `key` and its ticket, if there is one.
    pub(crate) fn pending(&self, key: &[u8]) -> Option<(Ticket, Option<Bytes>)> {
        let shard = self.shard(key)?.lock();
        shard.get(key).map(|pending| (pending.ticket, pending.value.clone()))
    }

    /// Appends `batch`. The caller holds the locks of `keys`, the keys the commit declared.
    pub(crate) fn push(&self, keys: &[Key], batch: Batch) -> Result<Ticket, Error> {
        let size_bytes = batch.size_bytes();
        let declared = declared_writes(keys, batch.operations());
        let mut queue = self.queue.lock();
        self.check_open(&queue)?;
        let ticket = queue.last_ticket + 1;
        for (key, value) in &declared {
            self.insert_pending(key.clone(), Pending { ticket, value: value.clone() });
        }
        queue.last_ticket = ticket;
        if is_planted(Planted::TicketsOutsideTheQueue) {
            drop(queue);
            queue = self.queue.lock();
        }
        queue.size_bytes += size_bytes;
        self.queued_bytes.store(queue.size_bytes, Ordering::Relaxed);
        let was_empty = queue.groups.is_empty();
        queue.open_group().add(ticket, declared, batch);
        drop(queue);
        if was_empty {
            self.work.notify_one();
        }
        Ok(ticket)
    }

    /// Takes the next group, waiting for one; `None` when the queue is closed and empty.
    pub(crate) fn take_group(&self) -> Option<Group> {
        let mut queue = self.queue.lock();
        self.check_overlay(&queue);
        let is_hasty = is_planted(Planted::EndBeforeDrained);
        while queue.groups.is_empty() || (is_hasty && queue.closed) {
            if queue.closed {
                return None;
            }
            self.work.wait(&mut queue);
        }
        let waiting: u64 = queue.groups.iter().map(|group| group.batches).sum();
        assert_eq!(queue.taken + waiting, queue.last_ticket, "tickets have no gaps");
        let group = queue.groups.pop_front().expect("there is one");
        assert_eq!(queue.taken + group.batches, group.last_ticket, "tickets are in order");
        queue.taken = group.last_ticket;
        assert!(queue.size_bytes >= group.size_bytes, "the queue counts the bytes of its groups");
        queue.size_bytes -= group.size_bytes;
        self.queued_bytes.store(queue.size_bytes, Ordering::Relaxed);
        let mut room_waiters = std::mem::take(&mut queue.room_waiters);
        drop(queue);
        if is_planted(Planted::RoomNotTold) {
            room_waiters.clear();
        }
        room_waiters.into_iter().for_each(Waker::wake);
        if is_planted(Planted::ValuesForgottenEarly) {
            self.forget_pending(&group);
        }
        Some(group)
    }

    /// Makes a group, which must be visible in new views by now, known as published.
    pub(crate) fn publish(&self, group: &Group) {
        self.forget_pending(group);
        let before = self.published.swap(group.last_ticket, Ordering::AcqRel);
        assert_eq!(
            before + group.batches,
            group.last_ticket,
            "groups are published one after the other"
        );
        self.wake_waiters(group.last_ticket);
    }

    /// Asserts that the overlay is empty when everything that was sequenced is published.
    fn check_overlay(&self, queue: &Queue) {
        if queue.last_ticket == self.published.load(Ordering::Relaxed) {
            let pending = self.pending_keys.load(Ordering::Relaxed);
            assert_eq!(pending, 0, "a value is pending that nothing will publish");
        }
    }

    /// Fails everything that is not published, now and later.
    pub(crate) fn fail(&self, error: Error) {
        if is_planted(Planted::FailureToldEarly) {
            self.wake_waiters(Ticket::MAX);
        }
        let mut queue = self.queue.lock();
        // Only the committer fails the store, and only once; a second error would add nothing.
        self.failure.get_or_init(|| error);
        queue.groups.clear();
        queue.size_bytes = 0;
        self.queued_bytes.store(0, Ordering::Relaxed);
        let room_waiters = std::mem::take(&mut queue.room_waiters);
        drop(queue);
        room_waiters.into_iter().for_each(Waker::wake);
        if !is_planted(Planted::FailureToldEarly) {
            self.wake_waiters(Ticket::MAX);
        }
    }

    /// Refuses further batches; the committer ends after the queued ones.
    pub(crate) fn close(&self) {
        self.queue.lock().closed = true;
        self.work.notify_one();
    }

    /// Returns the error that stops commits, if there is one.
    pub(crate) fn check_writable(&self) -> Result<(), Error> {
        self.failure.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Returns the ticket of the newest sequenced batch.
    pub(crate) fn newest_ticket(&self) -> Ticket {
        self.queue.lock().last_ticket
    }

    /// Returns the number of batches sequenced and not yet published.
    pub(crate) fn queued(&self) -> u64 {
        self.newest_ticket().saturating_sub(self.published.load(Ordering::Acquire))
    }

    /// Waits until the queue has room.
    pub(crate) fn room(&self) -> Room<'_> {
        Room(self)
    }

    /// Waits until the batch of `ticket` and all before it are published.
    pub(crate) fn published(&self, ticket: Ticket) -> Publication<'_> {
        Publication { sequencer: self, ticket, registered: None }
    }

    /// Returns the error that stops commits, the close among them.
    pub(crate) fn check_accepting(&self) -> Result<(), Error> {
        self.check_open(&self.queue.lock())
    }

    fn check_open(&self, queue: &Queue) -> Result<(), Error> {
        self.check_writable()?;
        if queue.closed { Err(Error::Closed) } else { Ok(()) }
    }

    fn is_published(&self, ticket: Ticket) -> Option<Result<(), Error>> {
        let failure = self.failure.get();
        if self.published.load(Ordering::Acquire) >= ticket {
            return Some(Ok(()));
        }
        failure.map(|error| Err(error.clone()))
    }

    fn wake_waiters(&self, ticket: Ticket) {
        let mut ready = Vec::new();
        self.waiters.lock().retain_mut(|(waits_for, waker)| {
            let waits = *waits_for > ticket;
            if !waits {
                ready.push(std::mem::replace(waker, Waker::noop().clone()));
            }
            waits
        });
        ready.into_iter().for_each(Waker::wake);
    }

    fn shard(&self, key: &[u8]) -> Option<&OverlayShard> {
        let nth = self.overlay_hasher.hash_one(key) % OVERLAY_SHARDS as u64;
        self.overlay.get(usize::try_from(nth).ok()?)
    }

    fn insert_pending(&self, key: Bytes, pending: Pending) {
        if let Some(shard) = self.shard(&key)
            && shard.lock().insert(key, pending).is_none()
        {
            self.pending_keys.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn forget_pending(&self, group: &Group) {
        for key in &group.declared {
            self.remove_pending(key, group.last_ticket);
        }
    }

    fn remove_pending(&self, key: &[u8], published: Ticket) {
        let Some(shard) = self.shard(key) else { return };
        let mut shard = shard.lock();
        if shard.get(key).is_some_and(|pending| pending.ticket <= published) {
            shard.remove(key);
            let pending = self.pending_keys.fetch_sub(1, Ordering::Relaxed);
            assert!(pending > 0, "a pending key is counted");
        }
    }
}

/// Returns the last value that each declared key gets from `operations`.
fn declared_writes(keys: &[Key], operations: &[Operation]) -> Vec<(Bytes, Option<Bytes>)> {
    let mut sorted: Vec<&[u8]> = Vec::new();
    if keys.len() > FEW_KEYS {
        sorted = keys.iter().map(Vec::as_slice).collect();
        sorted.sort_unstable();
    }
    let is_declared = |key: &[u8]| {
        if sorted.is_empty() {
            keys.iter().any(|declared| declared == key)
        } else {
            sorted.binary_search(&key).is_ok()
        }
    };
    let mut writes = Vec::new();
    for operation in operations.iter().filter(|operation| is_declared(&operation.key)) {
        match &operation.change {
            Change::Put(value) => writes.push((operation.key.clone(), Some(value.clone()))),
            Change::Delete => writes.push((operation.key.clone(), None)),
            Change::Add(_) => {}
        }
    }
    writes
}

/// The future of [`Sequencer::room`].
#[derive(Debug)]
pub(crate) struct Room<'a>(&'a Sequencer);

impl Future for Room<'_> {
    type Output = Result<(), Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let sequencer = self.0;
        if sequencer.queued_bytes.load(Ordering::Relaxed) < sequencer.queue_bytes {
            return Poll::Ready(Ok(()));
        }
        let mut queue = sequencer.queue.lock();
        if let Err(error) = sequencer.check_open(&queue) {
            return Poll::Ready(Err(error));
        }
        if queue.size_bytes < sequencer.queue_bytes {
            return Poll::Ready(Ok(()));
        }
        queue.room_waiters.push(context.waker().clone());
        Poll::Pending
    }
}

/// The future of [`Sequencer::published`].
#[derive(Debug)]
pub(crate) struct Publication<'a> {
    sequencer: &'a Sequencer,
    ticket: Ticket,
    /// The waker that is on the list, so that a second poll does not add it again.
    registered: Option<Waker>,
}

impl Future for Publication<'_> {
    type Output = Result<(), Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let sequencer = self.sequencer;
        if let Some(result) = sequencer.is_published(self.ticket) {
            return Poll::Ready(result);
        }
        if self.registered.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
            return Poll::Pending;
        }
        let mut waiters = sequencer.waiters.lock();
        if !is_planted(Planted::NoSecondLook)
            && let Some(result) = sequencer.is_published(self.ticket)
        {
            return Poll::Ready(result);
        }
        waiters.push((self.ticket, context.waker().clone()));
        self.registered = Some(context.waker().clone());
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(key: &[u8], bytes: usize) -> Batch {
        let mut batch = Batch::new();
        batch.put(key.to_vec(), Bytes::from(vec![0; bytes]));
        batch
    }

    #[test]
    fn a_group_ends_where_it_is_large_and_the_rest_makes_the_next() {
        let sequencer = Sequencer::new(usize::MAX);
        for nth in 0..5 {
            let key = vec![nth];
            sequencer.push(std::slice::from_ref(&key), batch(&key, GROUP_BYTES / 2)).unwrap();
        }
        let mut sizes = Vec::new();
        while sequencer.queued() > 0 {
            let group = sequencer.take_group().unwrap();
            sizes.push(group.batches);
            sequencer.publish(&group);
        }
        assert_eq!(sizes, [2, 2, 1]);
        assert_eq!(sequencer.pending(&[4]).map(|(ticket, _)| ticket), None);
    }

    #[test]
    #[should_panic(expected = "published one after the other")]
    fn a_group_that_is_left_out_is_noticed() {
        let sequencer = Sequencer::new(usize::MAX);
        for nth in 0..2 {
            sequencer.push(&[], batch(&[nth], GROUP_BYTES)).unwrap();
        }
        sequencer.take_group().unwrap();
        let second = sequencer.take_group().unwrap();
        sequencer.publish(&second);
    }
}
