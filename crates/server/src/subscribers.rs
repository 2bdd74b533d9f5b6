//! Subscribers of events, and the event of a request that has not ended.

use crate::api::{Asked, Told};
use crate::clock;
use crate::event::{Details, Event, Interest, Subscriber};
use crate::metrics::Metrics;
use crate::request_id::RequestId;
use crate::request_log::RequestLog;
use bytes::Bytes;
use hashrange_model::bounds::{CALLER_MAX_BYTES, beginning};
use std::net::IpAddr;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::{Duration, Instant};

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
            interest.body |= wanted.body;
        }
        let event = Event {
            id,
            peer,
            operation: None,
            caller: None,
            is_unrecorded: false,
            usage: None,
            received_bytes: 0,
            body: None,
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
    /// Headers and usage that the call tells.
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

    /// Begins the call of an operation. Returns what it tells beside its answer: what the client asks for, and the
    /// usage if somebody wants it. None if that is nothing.
    pub fn begin_call(&mut self, asked: Asked, body: &Bytes) -> Option<(Asked, Arc<Told>)> {
        self.event.body = self.interest.body.then(|| body.clone());
        self.note_stage(|details| &mut details.began);
        let asked = Asked { usage: self.interest.usage, ..asked };
        if asked == Asked::default() {
            return None;
        }
        let told = self.told.insert(Arc::default());
        Some((asked, Arc::clone(told)))
    }

    /// Returns the headers that the call has told, once.
    pub fn told_headers(&self) -> Vec<(&'static str, String)> {
        self.told.as_ref().map(|told| told.take_headers()).unwrap_or_default()
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
        let Event { operation, is_unrecorded, answered, taken, .. } = &self.event;
        let metrics = &self.subscribers.metrics;
        metrics.request(operation.as_ref(), *is_unrecorded, answered.as_ref(), *taken);
        for subscriber in &self.subscribers.others {
            subscriber.ended(&self.event);
        }
    }
}
