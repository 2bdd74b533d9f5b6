//! Events of requests: each request has one, from its head to its answer or to the moment when its client is gone,
//! and every subscriber is told it once.
//!
//! A subscriber that comes is one implementation of [`Subscriber`] and one entry of
//! [`Config::subscribers`](crate::Config::subscribers). The counters of [`metrics`](crate::metrics) and the log of
//! requests are two of them.

use crate::api::{Asked, Named, Told};
use crate::clock;
use crate::metrics::{Metrics, Refusal};
use crate::request_id::RequestId;
use crate::request_log::RequestLog;
use hashrange_cost::Usage;
use hashrange_model::bounds::{CALLER_MAX_BYTES, beginning};
use std::fmt;
use std::net::IpAddr;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Event of one request.
#[derive(Debug)]
pub struct Event {
    /// Id of the request, which its answer has in a header.
    pub id: RequestId,
    /// Address of the client.
    pub peer: IpAddr,
    /// Operation that the request names; none before that is known.
    pub operation: Option<Named>,
    /// Access key id that the client shows, signed or not, if a subscriber wants the usage or the details.
    pub caller: Option<Box<str>>,
    /// True if the client asked not to be recorded.
    pub is_unrecorded: bool,
    /// Usage of the request, if a subscriber wants it and the operation began.
    pub usage: Option<Usage>,
    /// Size of the body as it was sent, in bytes.
    pub received_bytes: usize,
    /// Further facts, if a subscriber wants them.
    pub details: Option<Box<Details>>,
    /// Time from the head of the request to the end of the event.
    pub taken: Duration,
    /// Answer to the request; none if the client was gone before.
    pub answered: Option<Answered>,
}

/// Further facts about a request.
#[derive(Debug, Default)]
pub struct Details {
    /// Method and path, with control characters escaped.
    pub target: String,
    /// `User-Agent` of the client, as far as it is text.
    pub agent: Option<String>,
    /// Namespace that answers, if each access key has its own: `key/region`.
    pub namespace: Option<String>,
    /// Tables that the body names; several are joined by commas.
    pub tables: Option<String>,
    /// Time until the body was there.
    pub read: Duration,
    /// Time until the operation began; zero if it did not.
    pub began: Duration,
    /// Time until the operation ended; zero if it did not.
    pub ended: Duration,
}

/// Answer to a request, as its event has it.
#[derive(Debug)]
pub struct Answered {
    /// The status.
    pub status: u16,
    /// Name of the exception, if it is one.
    pub exception: Option<String>,
    /// Kind of refusal, if clients have to expect it.
    pub refusal: Option<Refusal>,
    /// Size of the body before compression, in bytes.
    pub bytes: usize,
}

/// Facts that a subscriber wants of the events that begin now, beside those that cost nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Interest {
    /// [`Event::usage`] and [`Event::caller`].
    pub usage: bool,
    /// [`Event::details`] and [`Event::caller`].
    pub details: bool,
}

/// Subscriber of the events of requests.
pub trait Subscriber: fmt::Debug + Send + Sync {
    /// Returns the facts that it wants. Each request asks at its begin.
    fn interest(&self) -> Interest;

    /// Takes the event of a request that has ended, on the thread of the request, before its answer goes out.
    fn ended(&self, event: &Event);
}

/// All subscribers of a server.
#[derive(Debug)]
pub struct Subscribers {
    metrics: Arc<Metrics>,
    others: Vec<Arc<dyn Subscriber>>,
}

impl Subscribers {
    /// Returns the server's own subscribers and these.
    pub fn new(metrics: Arc<Metrics>, others: Vec<Arc<dyn Subscriber>>) -> Self {
        let own: Arc<dyn Subscriber> = Arc::new(RequestLog);
        Self { metrics, others: [vec![own], others].concat() }
    }

    /// Begins the event of a request.
    pub fn begin(&self, id: RequestId, peer: IpAddr) -> OpenEvent<'_> {
        let mut interest = Interest::default();
        for wanted in self.others.iter().map(|subscriber| subscriber.interest()) {
            interest.usage |= wanted.usage;
            interest.details |= wanted.details;
        }
        let event = Event {
            id,
            peer,
            operation: None,
            caller: None,
            is_unrecorded: false,
            usage: None,
            received_bytes: 0,
            details: interest.details.then(Box::default),
            taken: Duration::ZERO,
            answered: None,
        };
        OpenEvent { event, interest, started: clock::now(), told: None, subscribers: self }
    }
}

/// Event of a request that has not ended. It ends when it is dropped.
#[derive(Debug)]
pub struct OpenEvent<'s> {
    event: Event,
    /// Facts that any subscriber wants.
    pub interest: Interest,
    started: Instant,
    /// Usage, once the call has told it.
    told: Option<Arc<Told>>,
    subscribers: &'s Subscribers,
}

impl Deref for OpenEvent<'_> {
    type Target = Event;

    fn deref(&self) -> &Event {
        &self.event
    }
}

impl DerefMut for OpenEvent<'_> {
    fn deref_mut(&mut self) -> &mut Event {
        &mut self.event
    }
}

impl OpenEvent<'_> {
    /// Returns the time since the head of the request.
    pub fn elapsed(&self) -> Duration {
        clock::now() - self.started
    }

    /// Adds the access key id that the client shows, if somebody wants it.
    pub fn add_caller(&mut self, caller: Option<&str>) {
        if self.interest != Interest::default() {
            // The id may be unverified: any client could show one of many kilobytes.
            self.event.caller = caller.map(|id| beginning(id, CALLER_MAX_BYTES).into());
        }
    }

    /// Returns what a call tells beside its answer: what the client asks for, and the usage if somebody wants it.
    /// None if that is nothing.
    pub fn to_tell(&mut self, asked: Asked) -> Option<(Asked, Arc<Told>)> {
        let asked = Asked { usage: self.interest.usage, ..asked };
        if asked == Asked::default() {
            return None;
        }
        let told = self.told.insert(Arc::default());
        Some((asked, Arc::clone(told)))
    }

    /// Notes the time of a stage, if somebody wants it.
    pub fn note_stage(&mut self, stage: fn(&mut Details) -> &mut Duration) {
        if self.interest.details {
            let elapsed = self.elapsed();
            if let Some(details) = &mut self.event.details {
                *stage(details) = elapsed;
            }
        }
    }
}

impl Drop for OpenEvent<'_> {
    fn drop(&mut self) {
        self.event.taken = self.elapsed();
        self.event.usage = self.told.take().and_then(|told| told.take_usage());
        let Event { operation, answered, taken, .. } = &self.event;
        let of_service = operation.as_ref().and_then(Named::of_service);
        self.subscribers.metrics.request(of_service, answered.as_ref(), *taken);
        for subscriber in &self.subscribers.others {
            subscriber.ended(&self.event);
        }
    }
}
