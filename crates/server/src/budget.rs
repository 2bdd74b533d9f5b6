//! Budget of what all clients together hold: requests from their start to the last byte of their
//! answers, bytes of unsent answers, bytes of bodies that arrive in pieces.
//!
//! A request costs three additions on one word. When something runs short, the budget wakes the
//! watch, which ends the connections that hold the most of it for the longest
//! ([`Watch`](crate::watch::Watch)).
//!
//! Invariant: the guards of [`activity`](crate::activity) give back everything that is counted
//! here, however a request ends.

use crate::config::Limits;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use tokio::sync::{Mutex, Notify};
use tokio::time::timeout;

/// One request in [`Budget::held`]; the bits below count bytes.
const REQUEST: u64 = 1 << BYTES_BITS;
const BYTES_BITS: u32 = 44;

/// Resource that is short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Short {
    /// Places for requests, or room for bytes of answers.
    Answers,
    /// Room for bytes of bodies that arrive in pieces.
    Bodies,
}

/// Counts of what all clients together hold.
#[derive(Debug)]
pub struct Budget {
    /// Requests above [`BYTES_BITS`], bytes of unsent answers below.
    held: AtomicU64,
    body_bytes: AtomicUsize,
    limits: Limits,
    /// Number of the watch's look: the clock by which answers note their progress.
    tick: AtomicU32,
    answers_short: AtomicBool,
    bodies_short: AtomicBool,
    short: Notify,
    waiting: AtomicU32,
    freed: Notify,
    /// Held by the first of the waiting bodies; the others wait for it in their order.
    body_turn: Mutex<()>,
    bodies_waiting: AtomicU32,
    body_freed: Notify,
}

impl Budget {
    /// Returns an unspent budget.
    pub fn new(limits: &Limits) -> Self {
        Self {
            held: AtomicU64::new(0),
            body_bytes: AtomicUsize::new(0),
            limits: limits.clone(),
            tick: AtomicU32::new(1),
            answers_short: AtomicBool::new(false),
            bodies_short: AtomicBool::new(false),
            short: Notify::new(),
            waiting: AtomicU32::new(0),
            freed: Notify::new(),
            body_turn: Mutex::new(()),
            bodies_waiting: AtomicU32::new(0),
            body_freed: Notify::new(),
        }
    }

    /// Takes a place for a request, or returns false if there is none.
    pub fn take_request(&self) -> bool {
        let before = self.held.fetch_add(REQUEST, Relaxed);
        if requests_of(before) < self.limits.requests {
            return true;
        }
        self.held.fetch_sub(REQUEST, Relaxed);
        self.tell(Short::Answers);
        false
    }

    /// Counts the bytes of an answer that was made.
    pub fn take_answer(&self, bytes: usize) {
        self.held.fetch_add(bytes as u64, Relaxed);
    }

    /// Returns true if an answer of so many bytes may be held until it is sent. A single answer
    /// always may.
    pub fn has_room_for_answer(&self, bytes: usize) -> bool {
        let unsent = bytes_of(self.held.load(Relaxed));
        let has_room = unsent == 0 || unsent.saturating_add(bytes) <= self.limits.answer_bytes;
        if !has_room {
            self.tell(Short::Answers);
        }
        has_room
    }

    /// Waits a short time until fewer bytes of answers are unsent than allowed; returns false if
    /// that does not happen.
    pub async fn wait_for_answers(&self) -> bool {
        if self.is_below_answers() {
            return true;
        }
        self.tell(Short::Answers);
        self.waiting.fetch_add(1, Relaxed);
        let waited = timeout(self.limits.answer_patience, async {
            // A task that is woken and finds room wakes the next one.
            while !self.is_below_answers() {
                self.freed.notified().await;
            }
        })
        .await
        .is_ok();
        self.waiting.fetch_sub(1, Relaxed);
        self.wake_waiting();
        waited
    }

    fn is_below_answers(&self) -> bool {
        bytes_of(self.held.load(Relaxed)) < self.limits.answer_bytes
    }

    /// Gives back the bytes of an answer and, if one was taken, the place of its request.
    pub fn give_back(&self, has_place: bool, answer_bytes: usize) {
        let place = if has_place { REQUEST } else { 0 };
        let before = self.held.fetch_sub(place + answer_bytes as u64, Relaxed);
        debug_assert!(
            before >= place && bytes_of(before) >= answer_bytes,
            "only what was taken is given back"
        );
        self.wake_waiting();
    }

    fn wake_waiting(&self) {
        if self.waiting.load(Relaxed) > 0 {
            self.freed.notify_one();
        }
    }

    /// Takes room for bytes of a body of which `own` are counted already; returns false if there is
    /// none.
    ///
    /// Large bodies leave a quarter of the room to others.
    pub fn take_body(&self, own: usize, bytes: usize) -> bool {
        let all = self.limits.buffered_bytes;
        let is_large = own.saturating_add(bytes) > self.limits.large_body_bytes;
        let most = if is_large { all - all / 4 } else { all };
        // No body overtakes those that wait.
        let is_first = !is_large || self.bodies_waiting.load(Relaxed) == 0;
        (is_first && self.take_body_within(most, bytes)) || {
            self.tell(Short::Bodies);
            false
        }
    }

    fn take_body_within(&self, most: usize, bytes: usize) -> bool {
        let before = self.body_bytes.fetch_add(bytes, Relaxed);
        let has_room = before.saturating_add(bytes) <= most;
        if !has_room {
            self.body_bytes.fetch_sub(bytes, Relaxed);
        }
        has_room
    }

    /// Waits a short time until there is room for the rest of a body, behind those that wait
    /// already; returns false if that does not happen. The first body in line may exceed the bound,
    /// so it never waits for one behind it.
    pub async fn wait_for_body(&self, bytes: usize) -> bool {
        const LEAST_PAUSE: Duration = Duration::from_millis(10);
        self.bodies_waiting.fetch_add(1, Relaxed);
        let _waits = Waits(&self.bodies_waiting);
        let most = self.limits.buffered_bytes.saturating_add(self.limits.spare_body_bytes);
        let taken = timeout(self.limits.body_patience, async {
            let _turn = self.body_turn.lock().await;
            while !self.take_body_within(most, bytes) {
                self.tell(Short::Bodies);
                // If no connection gives anything back, the watch has to look again for those that
                // hold the most.
                let patience = self.limits.pressure_patience.max(LEAST_PAUSE);
                drop(timeout(patience, self.body_freed.notified()).await);
            }
        });
        taken.await.is_ok()
    }

    /// Gives back room for bytes of a body.
    pub fn give_back_body(&self, bytes: usize) {
        let before = self.body_bytes.fetch_sub(bytes, Relaxed);
        debug_assert!(before >= bytes, "only what was taken is given back");
        if self.bodies_waiting.load(Relaxed) > 0 {
            self.body_freed.notify_one();
        }
    }

    /// Counts the requests that hold a place.
    pub fn requests(&self) -> usize {
        requests_of(self.held.load(Relaxed))
    }

    /// Returns the bytes of answers that are not yet sent.
    pub fn answer_bytes(&self) -> usize {
        bytes_of(self.held.load(Relaxed))
    }

    /// Returns the bytes of bodies that arrived in pieces.
    pub fn body_bytes(&self) -> usize {
        self.body_bytes.load(Relaxed)
    }

    /// Returns the number of the watch's present look; never 0.
    pub fn tick(&self) -> u32 {
        self.tick.load(Relaxed)
    }

    /// Begins the watch's next look and returns its number.
    pub fn next_tick(&self) -> u32 {
        let next = self.tick().wrapping_add(1).max(1);
        self.tick.store(next, Relaxed);
        next
    }

    fn tell(&self, short: Short) {
        self.flag(short).store(true, Relaxed);
        self.short.notify_one();
    }

    /// Waits until something is short.
    pub async fn told(&self) {
        self.short.notified().await;
    }

    /// Returns whether this resource was short since the last call.
    pub fn was_short(&self, short: Short) -> bool {
        self.flag(short).swap(false, Relaxed)
    }

    fn flag(&self, short: Short) -> &AtomicBool {
        match short {
            Short::Answers => &self.answers_short,
            Short::Bodies => &self.bodies_short,
        }
    }
}

/// A waiting body, counted until it stops waiting.
struct Waits<'a>(&'a AtomicU32);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

fn requests_of(held: u64) -> usize {
    usize::try_from(held >> BYTES_BITS).unwrap_or(usize::MAX)
}

fn bytes_of(held: u64) -> usize {
    usize::try_from(held & (REQUEST - 1)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(change: impl FnOnce(&mut Limits)) -> Budget {
        let mut limits = Limits::default();
        change(&mut limits);
        Budget::new(&limits)
    }

    #[test]
    fn requests_and_bytes_are_counted_side_by_side() {
        let budget = budget(|limits| limits.requests = 2);
        assert!(budget.take_request() && budget.take_request());
        assert!(!budget.was_short(Short::Answers));
        assert!(!budget.take_request());
        assert!(budget.was_short(Short::Answers));
        assert!(!budget.was_short(Short::Answers));
        budget.take_answer(1 << 40);
        assert_eq!((budget.requests(), budget.answer_bytes()), (2, 1 << 40));
        budget.give_back(true, 1 << 40);
        assert_eq!((budget.requests(), budget.answer_bytes()), (1, 0));
        assert!(budget.take_request());
    }

    #[test]
    fn an_answer_has_room_alone_or_within_the_bound() {
        let budget = budget(|limits| limits.answer_bytes = 100);
        assert!(budget.has_room_for_answer(1000));
        budget.take_answer(60);
        assert!(budget.has_room_for_answer(40));
        assert!(!budget.has_room_for_answer(41));
        assert!(budget.was_short(Short::Answers));
    }

    #[test]
    fn large_bodies_leave_room_for_others() {
        let budget = budget(|limits| {
            (limits.buffered_bytes, limits.large_body_bytes) = (1000, 100);
        });
        assert!(budget.take_body(0, 750));
        assert!(!budget.take_body(750, 1), "a quarter is left");
        assert!(!budget.take_body(0, 101));
        assert!(budget.was_short(Short::Bodies));
        assert!(budget.take_body(0, 100));
        assert!(!budget.take_body(0, 100) || budget.body_bytes() <= 1000);
        budget.give_back_body(750);
        assert!(budget.take_body(100, 1));
    }

    #[tokio::test]
    async fn bodies_that_wait_get_room_in_their_order() {
        let budget = budget(|limits| {
            (limits.buffered_bytes, limits.large_body_bytes) = (1000, 100);
            limits.spare_body_bytes = 300;
            limits.body_patience = Duration::from_secs(100_000);
            limits.pressure_patience = Duration::from_secs(100_000);
        });
        assert!(budget.take_body(0, 750));
        assert!(budget.wait_for_body(500).await, "the first may go beyond the bound");
        assert_eq!(budget.body_bytes(), 1250);
        let order = std::cell::RefCell::new(Vec::new());
        let wait = async |nth: u32| {
            assert!(budget.wait_for_body(300).await);
            order.borrow_mut().push(nth);
        };
        let give_back = async {
            assert!(!budget.take_body(0, 101), "nobody overtakes them");
            for bytes in [500, 300] {
                tokio::task::yield_now().await;
                budget.give_back_body(bytes);
            }
        };
        tokio::join!(wait(1), wait(2), give_back);
        assert_eq!(*order.borrow(), [1, 2]);
        budget.give_back_body(750 + 300);
        assert!(budget.take_body(0, 700), "nobody waits any longer");
    }

    #[tokio::test]
    async fn a_body_does_not_wait_for_ever() {
        let budget = budget(|limits| {
            (limits.buffered_bytes, limits.spare_body_bytes) = (10, 0);
            limits.body_patience = Duration::ZERO;
        });
        assert!(!budget.wait_for_body(11).await);
        assert!(budget.was_short(Short::Bodies));
        assert!(budget.take_body(0, 10), "it waits no longer");
    }

    #[tokio::test]
    async fn whoever_waits_for_answers_goes_on_when_one_is_sent() {
        let budget = budget(|limits| {
            limits.answer_bytes = 10;
            limits.answer_patience = Duration::from_secs(100_000);
        });
        budget.take_answer(10);
        let both = async { tokio::join!(budget.wait_for_answers(), budget.wait_for_answers()) };
        let sent = async { budget.give_back(false, 10) };
        let ((first, second), ()) = tokio::join!(both, sent);
        assert!(first && second);
    }

    #[tokio::test]
    async fn patience_has_an_end() {
        let budget = budget(|limits| {
            (limits.answer_bytes, limits.answer_patience) = (10, Duration::ZERO);
        });
        budget.take_answer(10);
        assert!(!budget.wait_for_answers().await);
        assert!(budget.was_short(Short::Answers));
    }
}
