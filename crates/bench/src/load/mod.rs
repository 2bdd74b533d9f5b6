//! The load generator: keep-alive HTTP/1.1 connections, one request at a time on each, driven by
//! plain sockets so that the client costs as little as possible.
//!
//! Requests are prepared bytes in which only a few digits change; if the measurement wants
//! signatures, the client signs every request.

mod connection;
mod request;

pub use request::{Numbers, Requests, Template};

use crate::histogram::Histogram;
use connection::{Connection, Progress};
use mio::{Events, Interest, Poll, Token};
use request::Writer;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Bytes that one read takes from a socket at most.
const READ_BYTES: usize = 256 * 1024;
/// Longest time without a byte on any connection.
const STALLED: Duration = Duration::from_secs(10);

/// Requests to send, the servers, and for how long.
#[derive(Debug)]
pub struct Load<'a> {
    /// The servers, which have the connections of each thread in turn.
    pub addresses: Vec<SocketAddr>,
    /// The requests.
    pub requests: &'a Requests,
    /// Connections, all of them busy all the time.
    pub connections: usize,
    /// Client threads that share the connections.
    pub threads: usize,
    /// Time before requests count.
    pub warm_up: Duration,
    /// Time in which requests count.
    pub duration: Duration,
}

/// Figures of a load.
#[derive(Debug)]
pub struct Outcome {
    /// Answers per second.
    pub rate: f64,
    /// Times from request to answer.
    pub latencies: Histogram,
    /// All answers, those of the warm-up too.
    pub answers: u64,
}

impl Load<'_> {
    /// Sends the load and returns its figures. An answer other than status 200 is an error.
    pub fn run(&self) -> Result<Outcome, String> {
        let share = self.connections.div_ceil(self.threads);
        let shares: Vec<Result<(Histogram, u64), String>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads)
                .map(|nth| {
                    let connections = share.min(self.connections - nth * share);
                    scope.spawn(move || self.run_share(connections, nth))
                })
                .collect();
            threads.into_iter().map(|thread| join(thread)).collect()
        });
        let (mut latencies, mut answers) = (Histogram::new(), 0);
        for share in shares {
            let (latencies_of_share, answers_of_share) = share?;
            latencies.merge(&latencies_of_share);
            answers += answers_of_share;
        }
        let rate = latencies.total() as f64 / self.duration.as_secs_f64();
        Ok(Outcome { rate, latencies, answers })
    }

    fn run_share(&self, connections: usize, nth: usize) -> Result<(Histogram, u64), String> {
        let mut share = Share::connect(self, connections, nth)
            .map_err(|error| format!("cannot connect to {:?}: {error}", self.addresses))?;
        share.run(self)?;
        Ok((share.latencies, share.answers))
    }
}

fn join<T>(thread: std::thread::ScopedJoinHandle<'_, Result<T, String>>) -> Result<T, String> {
    thread.join().unwrap_or_else(|_| Err("a client thread panicked".to_owned()))
}

/// The connections of one thread.
struct Share<'a> {
    poll: Poll,
    connections: Vec<Connection>,
    /// Writers of requests, one for each server; the connections have the servers in turn.
    writers: Vec<Writer<'a>>,
    latencies: Histogram,
    answers: u64,
}

impl<'a> Share<'a> {
    fn connect(load: &Load<'a>, connections: usize, nth: usize) -> io::Result<Self> {
        let poll = Poll::new()?;
        let mut opened = Vec::with_capacity(connections);
        for (token, address) in (0..connections).zip(load.addresses.iter().cycle()) {
            let mut connection = Connection::open(*address)?;
            let interest = Interest::READABLE | Interest::WRITABLE;
            poll.registry().register(connection.source(), Token(token), interest)?;
            opened.push(connection);
        }
        let writer = |(server, address): (usize, &SocketAddr)| {
            Writer::new(load.requests, *address, (nth * load.addresses.len() + server) as u64)
        };
        let writers = load.addresses.iter().enumerate().map(writer).collect();
        let latencies = Histogram::new();
        Ok(Self { poll, connections: opened, writers, latencies, answers: 0 })
    }

    fn run(&mut self, load: &Load<'_>) -> Result<(), String> {
        let counts_from = Instant::now() + load.warm_up;
        let ends_at = counts_from + load.duration;
        let mut scratch = vec![0; READ_BYTES];
        let mut events = Events::with_capacity(self.connections.len().max(1));
        for nth in 0..self.connections.len() {
            self.start(nth, Instant::now())?;
        }
        loop {
            self.poll.poll(&mut events, Some(STALLED)).map_err(failed)?;
            if events.is_empty() {
                return Err("the server stopped answering".to_owned());
            }
            for event in &events {
                let nth = event.token().0;
                let connection = &mut self.connections[nth];
                if event.is_writable() {
                    connection.send().map_err(failed)?;
                }
                if !event.is_readable() {
                    continue;
                }
                let Progress::Complete = connection.receive(&mut scratch)? else { continue };
                self.answers += 1;
                let now = Instant::now();
                if now >= ends_at {
                    return Ok(());
                }
                if now >= counts_from {
                    self.latencies.record(now - connection.started());
                }
                self.start(nth, now)?;
            }
        }
    }

    /// Starts the next request of the nth connection.
    fn start(&mut self, nth: usize, now: Instant) -> Result<(), String> {
        let server = nth % self.writers.len();
        self.connections[nth].start(&mut self.writers[server], now).map_err(failed)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "map_err passes it so")]
fn failed(error: io::Error) -> String {
    format!("connection failed: {error}")
}
