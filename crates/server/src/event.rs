//! Events of requests: each request has one, from its head to its answer or to the moment when its client is gone,
//! and every subscriber is told it once.
//!
//! A subscriber that comes is one implementation of [`Subscriber`] and one entry of
//! [`Config::subscribers`](crate::Config::subscribers). The counters of [`metrics`](crate::metrics) and the log of
//! requests are two of them.

use crate::api::Named;
use crate::request_id::RequestId;
use bytes::Bytes;
use hashrange_cost::Usage;
use hashrange_model::ErrorKind;
use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

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
    /// Usage of the request, if the operation began, and a subscriber wants it or the client asks for it in a header.
    pub usage: Option<Box<Usage>>,
    /// Size of the body as it was sent, in bytes.
    pub received_bytes: usize,
    /// Body without its content encoding, if a subscriber wants it and an operation began.
    pub body: Option<Bytes>,
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
    /// [`Event::body`].
    pub body: bool,
}

/// Subscriber of the events of requests.
pub trait Subscriber: fmt::Debug + Send + Sync {
    /// Returns the facts that it wants. Each request asks at its begin.
    fn interest(&self) -> Interest;

    /// Takes the event of a request that has ended, on the thread of the request, before its answer goes out.
    fn ended(&self, event: &Event);
}

/// A refusal that clients expect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// A limit of the table, the index or the account is exceeded.
    Throttling,
    /// A condition did not hold.
    Condition,
    /// A transaction was cancelled, or met another one.
    Transaction,
}

impl Refusal {
    /// Returns the refusal of a kind of error.
    pub fn of(kind: ErrorKind) -> Option<Self> {
        match kind {
            ErrorKind::ProvisionedThroughputExceeded | ErrorKind::Throttling => {
                Some(Self::Throttling)
            }
            ErrorKind::ConditionalCheckFailed => Some(Self::Condition),
            ErrorKind::TransactionCanceled
            | ErrorKind::TransactionConflict
            | ErrorKind::TransactionInProgress => Some(Self::Transaction),
            _ => None,
        }
    }
}
