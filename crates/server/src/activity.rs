//! Activity of one connection: the guards of its requests, answers and bodies.
//!
//! A connection only counts while it works; [`watch`](crate::watch) looks at the counts from time
//! to time. So a request needs no timer and no lock.

use crate::budget::Budget;
use crate::config::Limits;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Arc, OnceLock};
use std::task::Waker;

/// One request in [`Activity::open`].
const REQUEST: u64 = 1 << 48;
/// One unsent answer in [`Activity::open`]; the bits below count bytes.
const ANSWER: u64 = 1 << 32;
/// Most bytes of one answer that are counted here, so that the bytes of all streams fit in their
/// bits. The [`Budget`] counts all of them.
const COUNTED_MAX_BYTES: usize = 16 << 20;

/// Activity of a connection, which its task updates and the watch reads.
#[derive(Debug)]
pub struct Activity {
    /// The address of the client.
    pub peer: IpAddr,
    budget: Arc<Budget>,
    /// Open requests, which have begun and whose answers are not out; those of them with an answer;
    /// and the bytes of these.
    open: AtomicU64,
    /// Requests begun, answers made and answers sent so far.
    changes: AtomicU64,
    /// Requests whose bodies are arriving in pieces.
    reading: AtomicU64,
    /// Bytes held of such bodies.
    body_bytes: AtomicUsize,
    /// Bytes have arrived since the last answer.
    received: AtomicBool,
    /// The client speaks HTTP/2, where bytes between requests are normal.
    http2: AtomicBool,
    /// The client does not read what the server has sent.
    blocked: AtomicBool,
    /// Number of the watch's look in which an answer was made or last made progress.
    progress: AtomicU32,
    /// The same for each answer of HTTP/2; 0 marks a free place.
    streams: OnceLock<Box<[AtomicU32]>>,
    stream_places: usize,
    /// The connection has to finish its requests and end.
    finishing: AtomicBool,
    /// Wakes the connection's task; set once, since a task keeps its waker.
    waker: OnceLock<Waker>,
}

/// Memory and places that a connection holds at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldResources {
    /// Requests whose answers are not out.
    pub requests: u64,
    /// Answers that are not out.
    pub answers: u64,
    /// Their bytes, as far as each connection counts them.
    pub answer_bytes: u64,
    /// Requests whose bodies are arriving in pieces.
    pub reading: u64,
    /// Bytes held of such bodies.
    pub body_bytes: usize,
}

impl Activity {
    /// Returns the activity of a new connection.
    pub fn new(peer: IpAddr, budget: Arc<Budget>, limits: &Limits) -> Self {
        Self {
            peer,
            budget,
            open: AtomicU64::new(0),
            changes: AtomicU64::new(0),
            reading: AtomicU64::new(0),
            body_bytes: AtomicUsize::new(0),
            received: AtomicBool::new(false),
            http2: AtomicBool::new(false),
            blocked: AtomicBool::new(false),
            progress: AtomicU32::new(0),
            streams: OnceLock::new(),
            stream_places: limits.streams as usize,
            finishing: AtomicBool::new(false),
            waker: OnceLock::new(),
        }
    }

    /// Notes that bytes have arrived.
    pub fn note_received(&self) {
        if !self.received.load(Ordering::Relaxed) {
            self.received.store(true, Ordering::Relaxed);
        }
    }

    /// Notes whether the client reads what the server sends.
    pub fn note_blocked(&self, is_blocked: bool) {
        if self.blocked.load(Ordering::Relaxed) != is_blocked {
            self.blocked.store(is_blocked, Ordering::Relaxed);
        }
    }

    /// Returns true while the client does not read what the server sends.
    pub fn is_blocked(&self) -> bool {
        self.blocked.load(Ordering::Relaxed)
    }

    /// Notes that a request has begun, until the guard is dropped.
    pub fn begin_request(self: Arc<Self>, http2: bool) -> OpenRequest {
        if http2 {
            self.http2.store(true, Ordering::Relaxed);
        }
        self.open.fetch_add(REQUEST, Ordering::Relaxed);
        self.changes.fetch_add(1, Ordering::Relaxed);
        OpenRequest {
            activity: self,
            has_place: false,
            body_bytes: 0,
            answer_bytes: 0,
            is_reading: false,
        }
    }

    /// Returns what the connection holds now: requests, answers and bodies.
    pub fn held(&self) -> HeldResources {
        let open = self.open.load(Ordering::Relaxed);
        HeldResources {
            requests: open >> 48,
            answers: (open >> 32) & 0xffff,
            answer_bytes: open & (ANSWER - 1),
            reading: self.reading.load(Ordering::Relaxed),
            body_bytes: self.body_bytes.load(Ordering::Relaxed),
        }
    }

    /// Returns a number that changes with every request and answer.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// Returns true if bytes have arrived since the last answer.
    pub fn has_received(&self) -> bool {
        self.received.load(Ordering::Relaxed)
    }

    /// Returns true once the client has spoken HTTP/2.
    pub fn is_http2(&self) -> bool {
        self.http2.load(Ordering::Relaxed)
    }

    /// Returns the number of looks of the watch for which an unsent answer has made no progress,
    /// for the answer with the most; 0 without an answer.
    pub fn still_for(&self, tick: u32) -> u32 {
        if self.held().answers == 0 {
            return 0;
        }
        let since = |at: &AtomicU32| match at.load(Ordering::Relaxed) {
            0 => None,
            at => Some(tick.wrapping_sub(at)),
        };
        let streams = self.streams.get().and_then(|streams| streams.iter().filter_map(since).max());
        streams.or_else(|| since(&self.progress)).unwrap_or(0)
    }

    /// Keeps the waker of the connection's task.
    pub fn keep_waker(&self, waker: &Waker) {
        if self.waker.get().is_none() {
            self.waker.get_or_init(|| waker.clone());
            // Either `finish` sees the waker, or `is_finishing` sees the flag.
            fence(Ordering::SeqCst);
        }
    }

    /// Returns true once the connection has to finish.
    pub fn is_finishing(&self) -> bool {
        self.finishing.load(Ordering::Acquire)
    }

    /// Tells the connection to finish its requests and end.
    pub fn finish(&self) {
        self.finishing.store(true, Ordering::Release);
        fence(Ordering::SeqCst);
        if let Some(waker) = self.waker.get() {
            waker.wake_by_ref();
        }
    }

    fn take_stream(&self) -> Option<u16> {
        let places = || (0..self.stream_places).map(|_| AtomicU32::new(0)).collect();
        let tick = self.budget.tick();
        let free = |at: &AtomicU32| {
            at.compare_exchange(0, tick, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        };
        let place = self.streams.get_or_init(places).iter().position(free)?;
        u16::try_from(place).ok()
    }

    fn stream(&self, place: u16) -> Option<&AtomicU32> {
        self.streams.get()?.get(usize::from(place))
    }
}

/// A request, from its head to the last byte of its answer or to the moment when either side gives
/// up.
#[derive(Debug)]
pub struct OpenRequest {
    activity: Arc<Activity>,
    has_place: bool,
    body_bytes: usize,
    /// Bytes of an answer still in work.
    answer_bytes: usize,
    is_reading: bool,
}

impl OpenRequest {
    /// Returns the budget that all connections share.
    pub fn budget(&self) -> &Budget {
        &self.activity.budget
    }

    /// Returns the connection.
    pub fn activity(&self) -> &Activity {
        &self.activity
    }

    /// Takes a place among the running requests; returns false if there is none.
    pub fn take_place(&mut self) -> bool {
        self.has_place = self.has_place || self.activity.budget.take_request();
        self.has_place
    }

    /// Notes that the body arrives in pieces.
    pub fn begin_reading(&mut self) {
        if !self.is_reading {
            self.is_reading = true;
            self.activity.reading.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Takes room for more bytes of the body, held until [`drop_body`](Self::drop_body); returns
    /// false if there is none.
    pub fn take_body(&mut self, bytes: usize) -> bool {
        if !self.activity.budget.take_body(self.body_bytes, bytes) {
            return false;
        }
        self.body_bytes += bytes;
        self.activity.body_bytes.fetch_add(bytes, Ordering::Relaxed);
        true
    }

    /// Waits for room for the rest of the body, behind bodies of other requests that wait already;
    /// returns false if that takes too long. Meanwhile the watch does not end the connection for
    /// what it holds.
    pub async fn wait_for_body(&mut self, bytes: usize) -> bool {
        let was_reading = self.is_reading;
        self.end_reading();
        if !self.activity.budget.wait_for_body(bytes).await {
            return false;
        }
        self.body_bytes += bytes;
        self.activity.body_bytes.fetch_add(bytes, Ordering::Relaxed);
        if was_reading {
            self.begin_reading();
        }
        true
    }

    /// Notes that a large enough piece of the body has arrived.
    pub fn note_body_progress(&self) {
        self.activity.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that the body has arrived or that the server stops waiting for it.
    pub fn end_reading(&mut self) {
        if self.is_reading {
            self.is_reading = false;
            let reading = self.activity.reading.fetch_sub(1, Ordering::Relaxed);
            debug_assert!(reading > 0, "a body that arrives is counted");
            self.activity.changes.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns the room of the body to the budget.
    pub fn drop_body(&mut self) {
        self.end_reading();
        if self.body_bytes > 0 {
            self.activity.body_bytes.fetch_sub(self.body_bytes, Ordering::Relaxed);
            self.activity.budget.give_back_body(self.body_bytes);
            self.body_bytes = 0;
        }
    }

    /// Counts bytes of an answer still in work.
    pub fn hold_answer(&mut self, bytes: usize) {
        self.activity.budget.take_answer(bytes);
        self.answer_bytes += bytes;
    }

    fn drop_held_answer(&mut self) {
        if self.answer_bytes > 0 {
            self.activity.budget.give_back(false, self.answer_bytes);
            self.answer_bytes = 0;
        }
    }

    /// Counts the answer until it is out.
    pub fn answered(mut self, bytes: usize) -> UnsentAnswer {
        self.drop_body();
        self.drop_held_answer();
        let activity = &self.activity;
        activity.received.store(false, Ordering::Relaxed);
        activity.changes.fetch_add(1, Ordering::Relaxed);
        activity.budget.take_answer(bytes);
        let counted = bytes.min(COUNTED_MAX_BYTES);
        activity.open.fetch_add(ANSWER + counted as u64, Ordering::Relaxed);
        activity.progress.store(activity.budget.tick(), Ordering::Relaxed);
        let stream = if activity.is_http2() { activity.take_stream() } else { None };
        UnsentAnswer { request: self, bytes, stream, moved: 0 }
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.drop_body();
        self.drop_held_answer();
        self.activity.changes.fetch_add(1, Ordering::Relaxed);
        let open = self.activity.open.fetch_sub(REQUEST, Ordering::Relaxed);
        debug_assert!(open >= REQUEST, "an open request is counted");
        if self.has_place {
            self.activity.budget.give_back(true, 0);
        }
    }
}

/// An answer that is not out: it keeps its request open.
#[derive(Debug)]
pub struct UnsentAnswer {
    request: OpenRequest,
    bytes: usize,
    stream: Option<u16>,
    /// Bytes that went out since the last noted progress.
    moved: usize,
}

impl UnsentAnswer {
    /// Least bytes within a write timeout that count as progress.
    const STEP_BYTES: usize = 16 * 1024;

    /// Notes that bytes went out.
    pub fn moved(&mut self, bytes: usize) {
        self.moved += bytes;
        if self.moved >= Self::STEP_BYTES {
            self.moved = 0;
            let activity = &self.request.activity;
            let tick = activity.budget.tick();
            activity.progress.store(tick, Ordering::Relaxed);
            if let Some(at) = self.stream.and_then(|place| activity.stream(place)) {
                at.store(tick, Ordering::Relaxed);
            }
        }
    }
}

impl Drop for UnsentAnswer {
    fn drop(&mut self) {
        let activity = &self.request.activity;
        if let Some(at) = self.stream.and_then(|place| activity.stream(place)) {
            at.store(0, Ordering::Relaxed);
        }
        let counted = self.bytes.min(COUNTED_MAX_BYTES);
        activity.open.fetch_sub(ANSWER + counted as u64, Ordering::Relaxed);
        activity.budget.give_back(self.request.has_place, self.bytes);
        self.request.has_place = false;
    }
}
