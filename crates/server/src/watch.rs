//! Watches over connections: ends those whose client sends a head too slowly or nothing at all,
//! and tells all to finish at shutdown.
//!
//! A connection only sets flags while it works; one task looks at all of them from time to time.
//! So a request needs no timer and no lock.

use crate::config::Limits;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Waker;
use std::time::Duration;
use tokio::task::AbortHandle;
use tokio::time::{Instant, MissedTickBehavior, interval};

/// What a connection shows of itself.
#[derive(Debug, Default)]
pub struct Activity {
    /// Requests being answered.
    running: AtomicU32,
    /// Requests begun and answers made so far.
    changes: AtomicU64,
    /// Bytes have arrived since the last answer.
    received: AtomicBool,
    /// The client speaks HTTP/2, where bytes between requests are normal.
    http2: AtomicBool,
    /// The connection is to finish its requests and end.
    finishing: AtomicBool,
    /// Wakes the connection's task; set once, since a task keeps its waker.
    waker: OnceLock<Waker>,
}

impl Activity {
    /// Notes that bytes have arrived.
    pub fn received(&self) {
        if !self.received.load(Ordering::Relaxed) {
            self.received.store(true, Ordering::Relaxed);
        }
    }

    /// Notes that a request has begun, until the guard is dropped.
    pub fn begin_request(&self, http2: bool) -> RunningRequest<'_> {
        if http2 {
            self.http2.store(true, Ordering::Relaxed);
        }
        self.running.fetch_add(1, Ordering::Relaxed);
        self.changes.fetch_add(1, Ordering::Relaxed);
        RunningRequest(self)
    }

    /// Keeps the waker of the connection's task.
    pub fn keep_waker(&self, waker: &Waker) {
        if self.waker.get().is_none() {
            self.waker.get_or_init(|| waker.clone());
            // Either `finish` sees the waker, or `is_finishing` sees the flag.
            fence(Ordering::SeqCst);
        }
    }

    /// Returns true once the connection is to finish.
    pub fn is_finishing(&self) -> bool {
        self.finishing.load(Ordering::Acquire)
    }

    fn finish(&self) {
        self.finishing.store(true, Ordering::Release);
        fence(Ordering::SeqCst);
        if let Some(waker) = self.waker.get() {
            waker.wake_by_ref();
        }
    }
}

/// A request being answered.
#[derive(Debug)]
pub struct RunningRequest<'a>(&'a Activity);

impl Drop for RunningRequest<'_> {
    fn drop(&mut self) {
        self.0.received.store(false, Ordering::Relaxed);
        self.0.changes.fetch_add(1, Ordering::Relaxed);
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What the watch remembers of a connection.
#[derive(Debug)]
struct Watched {
    activity: Arc<Activity>,
    task: AbortHandle,
    /// Number of changes when the watch last saw one, and when that was.
    changes: u64,
    changed_at: Instant,
    /// When the watch first saw bytes of the head now awaited.
    head_since: Option<Instant>,
}

/// All open connections, and those that ended since the last look.
#[derive(Debug, Default)]
pub struct Watch {
    connections: Mutex<Vec<Watched>>,
}

impl Watch {
    /// Adds a connection; it is forgotten some time after its task has ended.
    pub fn add(&self, activity: Arc<Activity>, task: AbortHandle) {
        let changes = activity.changes.load(Ordering::Relaxed);
        let changed_at = Instant::now();
        self.lock().push(Watched { activity, task, changes, changed_at, head_since: None });
    }

    /// Tells all connections to finish their requests and end.
    pub fn finish_all(&self) {
        for watched in self.lock().iter() {
            watched.activity.finish();
        }
    }

    /// Ends all connections at once.
    pub fn end_all(&self) {
        for watched in self.lock().iter() {
            watched.task.abort();
        }
    }

    /// Looks at all connections from time to time, for ever.
    pub async fn run(&self, limits: &Limits) {
        let shortest = limits.head_timeout.min(limits.idle_timeout);
        let period = (shortest / 4).clamp(Duration::from_millis(5), Duration::from_secs(1));
        let mut ticks = interval(period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let now = ticks.tick().await;
            self.lock().retain_mut(|watched| {
                if watched.is_overdue(now, limits) {
                    watched.task.abort();
                }
                !watched.task.is_finished()
            });
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Watched>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watched {
    fn is_overdue(&mut self, now: Instant, limits: &Limits) -> bool {
        let changes = self.activity.changes.load(Ordering::Relaxed);
        let running = self.activity.running.load(Ordering::Relaxed) > 0;
        if running || changes != self.changes {
            self.changes = changes;
            self.changed_at = now;
            self.head_since = None;
            return false;
        }
        let http2 = self.activity.http2.load(Ordering::Relaxed);
        if self.activity.received.load(Ordering::Relaxed) && !http2 {
            let since = *self.head_since.get_or_insert(now);
            return now.duration_since(since) >= limits.head_timeout;
        }
        now.duration_since(self.changed_at) >= limits.idle_timeout
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a connection does between two looks of the watch.
    #[derive(Debug, Clone, Copy)]
    enum Step {
        /// Nothing for so many seconds.
        Wait(u64),
        /// Bytes arrive.
        Bytes,
        /// A request is run from head to answer.
        Request,
        /// A request over HTTP/2 is run.
        Http2,
    }
    use Step::{Bytes, Http2, Request, Wait};

    fn watched(activity: &Arc<Activity>, now: Instant) -> Watched {
        Watched {
            activity: Arc::clone(activity),
            task: tokio::spawn(async {}).abort_handle(),
            changes: 0,
            changed_at: now,
            head_since: None,
        }
    }

    #[tokio::test]
    async fn connections_are_overdue_without_a_head_or_with_half_of_one() {
        let limits = Limits {
            head_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(100),
            ..Limits::default()
        };
        let cases: &[(&[Step], bool)] = &[
            (&[Wait(99)], false),
            (&[Wait(100)], true),
            (&[Bytes, Wait(1), Wait(9)], false),
            (&[Bytes, Wait(1), Wait(10)], true),
            (&[Bytes, Wait(1), Bytes, Wait(5), Bytes, Wait(5)], true),
            (&[Wait(99), Request, Wait(1), Wait(99)], false),
            (&[Wait(99), Request, Wait(1), Wait(100)], true),
            (&[Bytes, Request, Wait(11), Wait(11)], false),
            (&[Http2, Bytes, Wait(11), Wait(11)], false),
            (&[Http2, Bytes, Wait(1), Wait(100)], true),
        ];
        for (steps, expected) in cases {
            let activity = Arc::new(Activity::default());
            let mut now = Instant::now();
            let mut watched = watched(&activity, now);
            let mut overdue = false;
            for step in *steps {
                match step {
                    Wait(seconds) => {
                        now += Duration::from_secs(*seconds);
                        overdue = watched.is_overdue(now, &limits);
                    }
                    Bytes => activity.received(),
                    Request => drop(activity.begin_request(false)),
                    Http2 => drop(activity.begin_request(true)),
                }
            }
            assert_eq!(overdue, *expected, "{steps:?}");
        }
    }

    #[tokio::test]
    async fn a_running_request_is_never_overdue() {
        let activity = Arc::new(Activity::default());
        let now = Instant::now();
        let mut watched = watched(&activity, now);
        activity.received();
        let running = activity.begin_request(false);
        let later = now + Duration::from_secs(100_000);
        assert!(!watched.is_overdue(later, &Limits::default()));
        drop(running);
        assert!(!watched.is_overdue(later, &Limits::default()));
        assert!(watched.is_overdue(later + Duration::from_secs(120), &Limits::default()));
    }
}
