//! Watches over connections: ends those whose clients send or read too slowly or not at all, ends
//! those that hold the most when a resource runs short, and tells all to finish at shutdown.
//!
//! One task reads the [`Activity`] of the connections from time to time, and at once when the
//! [`Budget`] wakes it because a resource is short.

use crate::activity::{Activity, HeldResources};
use crate::budget::{Budget, Short};
use crate::config::Limits;
use crate::metrics::Metrics;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::task::AbortHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

/// The watch's notes on a connection.
#[derive(Debug)]
struct Watched {
    activity: Arc<Activity>,
    task: AbortHandle,
    /// Number of changes at the last time when it had grown, and that time.
    changes: u64,
    changed_at: Instant,
    /// Time when the watch first saw bytes of the head that the connection now awaits.
    head_since: Option<Instant>,
    /// Time when the watch first saw the body that now arrives in pieces.
    reading_since: Option<Instant>,
    /// Time when the watch first saw the answer that is not out now.
    unsent_since: Option<Instant>,
}

/// Reason why a connection may be ended for another, in the order of preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Dispensable {
    /// No request is open.
    Idle,
    /// A head is arriving.
    HalfHead,
    /// A body is arriving, and no other request is open.
    HalfBody,
    /// The client does not read an answer.
    Still,
}

/// All open connections, and those that ended since the last look.
#[derive(Debug)]
pub struct Watch {
    connections: Mutex<Vec<Watched>>,
    budget: Arc<Budget>,
    metrics: Arc<Metrics>,
    limits: Limits,
    /// The time from one look to the next.
    period: Duration,
    /// Looks without progress after which an answer is given up.
    still_looks: u32,
}

impl Watch {
    /// Returns a watch over no connections.
    pub fn new(limits: &Limits, budget: Arc<Budget>, metrics: Arc<Metrics>) -> Self {
        let shortest = limits.head_timeout.min(limits.idle_timeout).min(limits.write_timeout);
        let period = (shortest / 4).clamp(Duration::from_millis(5), Duration::from_secs(1));
        let looks = limits.write_timeout.as_nanos() / period.as_nanos() + 1;
        Self {
            connections: Mutex::default(),
            budget,
            metrics,
            limits: limits.clone(),
            period,
            still_looks: u32::try_from(looks).unwrap_or(u32::MAX),
        }
    }

    /// Adds a connection; it is forgotten some time after its task has ended.
    pub fn add(&self, activity: Arc<Activity>, task: AbortHandle) {
        let watched = Watched::new(activity, task, Instant::now());
        self.lock().push(watched);
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
    pub async fn run(&self) {
        /// Least time between two searches for connections that hold a short resource.
        const RELIEF_PERIOD: Duration = Duration::from_millis(50);
        let mut ticks = interval(self.period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut relief_at = Instant::now();
        loop {
            let told = async {
                sleep_until(relief_at).await;
                self.budget.told().await;
            };
            let now = tokio::select! {
                now = ticks.tick() => {
                    self.look(now);
                    now
                }
                () = told => Instant::now(),
            };
            if now >= relief_at {
                self.relieve(now);
                relief_at = now + RELIEF_PERIOD;
            }
        }
    }

    fn look(&self, now: Instant) {
        let tick = self.budget.next_tick();
        self.lock().retain_mut(|watched| {
            watched.refresh(now);
            if watched.is_overdue(now, tick, &self.limits, self.still_looks) {
                self.end(watched);
            }
            !watched.task.is_finished()
        });
    }

    fn end(&self, watched: &Watched) {
        watched.task.abort();
        self.metrics.connection_cut();
    }

    /// Ends the connections that hold the most of a short resource, if they have held it for some
    /// time.
    fn relieve(&self, now: Instant) {
        if self.budget.was_short(Short::Answers) {
            self.relieve_of(now, |watched| (watched.unsent_since, answers_weight(&watched.held())));
        }
        if self.budget.was_short(Short::Bodies) {
            self.relieve_of(now, |watched| {
                let held = watched.held();
                (watched.reading_since, held.body_bytes as u64)
            });
        }
    }

    /// Ends those with the greatest weight until a quarter of the whole weight is gone; the weight
    /// of an address counts before that of a connection. Spares connections that have had a weight
    /// for a moment only.
    fn relieve_of(&self, now: Instant, weigh: impl Fn(&Watched) -> (Option<Instant>, u64)) {
        let mut connections = self.lock();
        let mut of_address = weights_of_addresses::<u64>();
        let mut total = 0;
        let mut heavy = Vec::new();
        for (nth, watched) in connections.iter_mut().enumerate() {
            watched.refresh(now);
            let (since, weight) = weigh(watched);
            total += weight;
            *of_address.entry(watched.activity.peer).or_default() += weight;
            let patience = self.limits.pressure_patience;
            if since.is_some_and(|since| now.duration_since(since) >= patience) {
                heavy.push((nth, weight));
            }
        }
        let rank =
            |&(nth, weight): &(usize, u64)| (of_address[&connections[nth].activity.peer], weight);
        heavy.sort_unstable_by_key(|entry| std::cmp::Reverse(rank(entry)));
        let mut left = total / 4 + 1;
        for (nth, weight) in heavy {
            self.end(&connections[nth]);
            left = left.saturating_sub(weight);
            if left == 0 {
                break;
            }
        }
    }

    /// Ends connections that can be spared, so that one from `peer` finds a place; returns their
    /// number.
    ///
    /// While one address holds more than three quarters of all connections, only its own are ended.
    pub fn make_place(&self, peer: IpAddr) -> usize {
        /// Part of all connections that are ended together, so that a flood of new ones is cheap.
        const SHARE: usize = 128;
        let now = Instant::now();
        let tick = self.budget.tick();
        let mut connections = self.lock();
        connections.retain(|watched| !watched.task.is_finished());
        let mut of_address = weights_of_addresses::<usize>();
        for watched in connections.iter() {
            *of_address.entry(watched.activity.peer).or_default() += 1;
        }
        let all = connections.len();
        let greedy = of_address.into_iter().find(|(_, held)| held * 4 > all * 3).map(|it| it.0);
        let mut found = Vec::new();
        for (nth, watched) in connections.iter_mut().enumerate() {
            watched.refresh(now);
            let Some((why, since)) = watched.dispensable(tick, self) else { continue };
            if now.duration_since(since) >= self.limits.spare_idle {
                let is_greedy = greedy == Some(watched.activity.peer);
                found.push((!is_greedy, why, since, nth));
            }
        }
        // An address that has most of the places takes none from others.
        if greedy == Some(peer) {
            found.retain(|&(is_other, ..)| !is_other);
        }
        found.sort_unstable();
        found.truncate((all / SHARE).max(1));
        for &(.., nth) in &found {
            self.end(&connections[nth]);
        }
        found.len()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Watched>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the weight of a connection's answers: a place of a request counts like 64 KiB.
fn answers_weight(held: &HeldResources) -> u64 {
    held.answer_bytes + held.answers * 64 * 1024
}

impl Watched {
    fn new(activity: Arc<Activity>, task: AbortHandle, now: Instant) -> Self {
        Self {
            changes: activity.changes(),
            activity,
            task,
            changed_at: now,
            head_since: None,
            reading_since: None,
            unsent_since: None,
        }
    }

    fn held(&self) -> HeldResources {
        self.activity.held()
    }

    /// Updates the notes from the activity.
    fn refresh(&mut self, now: Instant) {
        let held = self.held();
        let changes = self.activity.changes();
        let is_http2 = self.activity.is_http2();
        if held.requests > 0 || changes != self.changes {
            if changes != self.changes && !is_http2 {
                // In HTTP/1 these are another request's body or answer.
                (self.reading_since, self.unsent_since) = (None, None);
            }
            self.changes = changes;
            self.changed_at = now;
            self.head_since = None;
        } else if self.activity.has_received() && !is_http2 {
            self.head_since.get_or_insert(now);
        }
        keep_since(&mut self.reading_since, held.reading > 0, now);
        keep_since(&mut self.unsent_since, held.answers > 0, now);
    }

    /// Returns true if the connection has to be ended. Call it after [`refresh`](Self::refresh).
    fn is_overdue(&self, now: Instant, tick: u32, limits: &Limits, still_looks: u32) -> bool {
        if self.activity.still_for(tick) >= still_looks {
            return true;
        }
        match self.head_since {
            Some(since) => now.duration_since(since) >= limits.head_timeout,
            None => now.duration_since(self.changed_at) >= limits.idle_timeout,
        }
    }

    /// Returns the reason why the connection can be spared, and the time since which it holds.
    fn dispensable(&self, tick: u32, watch: &Watch) -> Option<(Dispensable, Instant)> {
        let held = self.held();
        let patience = watch.limits.pressure_patience.as_nanos() / watch.period.as_nanos();
        if held.answers > 0 && u128::from(self.activity.still_for(tick)) > patience {
            return self.unsent_since.map(|since| (Dispensable::Still, since));
        }
        match held.requests {
            0 => Some(match self.head_since {
                Some(since) => (Dispensable::HalfHead, since),
                None => (Dispensable::Idle, self.changed_at),
            }),
            requests if requests == held.reading => {
                self.reading_since.map(|since| (Dispensable::HalfBody, since))
            }
            _ => None,
        }
    }
}

/// Returns the weight of each address, in no order.
#[expect(
    clippy::disallowed_methods,
    reason = "strangers choose their addresses, against whom the random keys of std's hasher help"
)]
fn weights_of_addresses<W>() -> HashMap<IpAddr, W> {
    HashMap::new()
}

/// Keeps the time since which a condition holds.
fn keep_since(since: &mut Option<Instant>, is_so: bool, now: Instant) {
    *since = if is_so { since.or(Some(now)) } else { None };
}
