//! A proxy between a store and a PostgreSQL server that breaks what it passes on, at a chosen statement.
//!
//! Plain protocol on the loopback, two threads for each connection. The client's side is read message by
//! message (`wire.rs`), so that a statement is known before it is passed on; the server's side is passed on
//! as it comes. Leaves what a fault means to the tests.
//!
//! Invariants: a connection that is cut after a statement has passed on all of it, and nothing of what the
//! server says afterwards; a statement that is answered with an error is carried out as the fault says, and
//! the error is one that the server itself makes, so that the state of its transaction is right.

#![allow(dead_code, clippy::allow_attributes, reason = "each test program uses a part of it")]

mod wire;

use parking_lot::{Condvar, Mutex};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use wire::{Client, Step};

/// How often a connection on which nothing comes looks whether it is cut.
const LOOK: Duration = Duration::from_millis(20);

/// What happens to a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is passed on, then both directions are cut: it is carried out and its answer is lost.
    CutAfter,
    /// Both directions are cut before it is passed on.
    CutBefore,
    /// The client is cut before it is passed on; it is passed on so many milliseconds later.
    CutLate(u64),
    /// It is not passed on, nor is anything after it, and the connection stays open.
    Swallow,
    /// The server answers with an error of this SQLSTATE instead of carrying it out; its transaction is
    /// rolled back.
    Fail(&'static str),
    /// The server carries it out and answers with an error of this SQLSTATE.
    FailAfter(&'static str),
}

/// A fault and the statements that have it.
#[derive(Debug, Clone)]
struct Rule {
    /// What the statement's text contains.
    text: &'static str,
    fault: Fault,
    /// Of so many statements with this text the last one has the fault.
    every: u32,
    /// Statements with this text since the last fault.
    passed: u32,
    /// So many faults are left.
    left: u32,
}

/// A running proxy; it stops taking connections when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    pub port: u16,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    rules: Vec<Rule>,
    faults: u32,
    /// Statements that were passed on late and have been answered.
    late: u32,
    statements: Vec<String>,
    delay: Duration,
    is_held: bool,
    is_away: bool,
    is_dropped: bool,
    /// Raised when all connections are cut.
    cuts: u64,
}

/// One connection: both sockets, and the number of cuts when it began.
#[derive(Debug)]
struct Link {
    client: TcpStream,
    server: TcpStream,
    cuts: u64,
    is_cut: Mutex<bool>,
    shared: Arc<Shared>,
}

impl Proxy {
    /// Starts a proxy before the server at `port` of this machine.
    pub fn start(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming() {
                if accepting.state.lock().is_dropped {
                    return;
                }
                if let Ok(client) = client {
                    Link::begin(client, port, &accepting);
                }
            }
        });
        Self { port: own, shared }
    }

    /// Returns `url`, which names the server, with the proxy in its place.
    pub fn url(&self, url: &str, server_port: u16) -> String {
        url.replace(&format!(":{server_port}/"), &format!(":{}/", self.port))
    }

    /// Gives `times` statements that contain `text` a fault: the last one of each `every`.
    pub fn plan(&self, text: &'static str, every: u32, times: u32, fault: Fault) {
        self.shared.state.lock().rules.push(Rule { text, fault, every, passed: 0, left: times });
    }

    /// Returns how many faults there were.
    pub fn faults(&self) -> u32 {
        self.shared.state.lock().faults
    }

    /// Waits until so many statements were carried out late.
    pub fn wait_for_late(&self, count: u32) {
        let mut state = self.shared.state.lock();
        while state.late < count {
            self.shared.changed.wait(&mut state);
        }
    }

    /// Returns how many statements that contain `text` were seen.
    pub fn seen(&self, text: &str) -> usize {
        self.shared.state.lock().statements.iter().filter(|seen| seen.contains(text)).count()
    }

    /// Delays what is passed on, in each direction.
    pub fn delay(&self, delay: Duration) {
        self.shared.state.lock().delay = delay;
    }

    /// Passes nothing on until [`Proxy::release`]; connections stay open and new ones are taken.
    pub fn hold(&self) {
        self.shared.state.lock().is_held = true;
    }

    /// Ends [`Proxy::hold`]; what was held is passed on.
    pub fn release(&self) {
        self.shared.state.lock().is_held = false;
        self.shared.changed.notify_all();
    }

    /// Cuts all connections and, while `away`, closes new ones at once.
    pub fn set_away(&self, away: bool) {
        let mut state = self.shared.state.lock();
        state.is_away = away;
        state.cuts += 1;
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        state.is_dropped = true;
        state.is_held = false;
        state.cuts += 1;
        drop(state);
        self.shared.changed.notify_all();
        // The thread that accepts looks up at the next connection.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

impl Shared {
    /// Returns what happens to a statement.
    fn fault(&self, text: &str) -> Option<Fault> {
        let mut state = self.state.lock();
        state.statements.push(text.to_owned());
        let State { rules, faults, .. } = &mut *state;
        for rule in rules.iter_mut().filter(|rule| rule.left > 0 && text.contains(rule.text)) {
            rule.passed += 1;
            if rule.passed >= rule.every {
                rule.passed = 0;
                rule.left -= 1;
                *faults += 1;
                return Some(rule.fault);
            }
        }
        None
    }

    /// Waits until something may be passed on, and returns whether that was delayed.
    fn wait(&self) -> bool {
        let delay = self.state.lock().delay;
        pause(delay);
        let mut state = self.state.lock();
        while state.is_held {
            self.changed.wait(&mut state);
        }
        !delay.is_zero()
    }
}

impl Link {
    /// Connects to the server and passes on in both directions, by threads.
    fn begin(client: TcpStream, port: u16, shared: &Arc<Shared>) {
        let (cuts, is_away) = {
            let state = shared.state.lock();
            (state.cuts, state.is_away)
        };
        if is_away {
            return;
        }
        let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else { return };
        for socket in [&client, &server] {
            socket.set_nodelay(true).unwrap();
            socket.set_read_timeout(Some(LOOK)).unwrap();
        }
        let is_cut = Mutex::new(false);
        let link = Arc::new(Self { client, server, cuts, is_cut, shared: Arc::clone(shared) });
        let other = Arc::clone(&link);
        thread::spawn(move || link.pass_to_server());
        thread::spawn(move || other.pass_to_client());
    }

    /// Reads what has come, nothing at the end or when the connection is cut.
    fn read(&self, mut from: &TcpStream) -> Option<Vec<u8>> {
        let mut bytes = vec![0; 64 << 10];
        loop {
            if *self.is_cut.lock() || self.shared.state.lock().cuts != self.cuts {
                return None;
            }
            match from.read(&mut bytes) {
                Ok(0) => return None,
                Ok(length) => {
                    bytes.truncate(length);
                    return Some(bytes);
                }
                Err(error) if is_timeout(&error) => {}
                Err(_) => return None,
            }
        }
    }

    /// Reads what has come, waits until it may be passed on, and adds what has come meanwhile: a delay is
    /// that of the way, however many parts a message comes in.
    fn read_in_time(&self, mut from: &TcpStream) -> Option<Vec<u8>> {
        let mut bytes = self.read(from)?;
        if self.shared.wait() {
            let mut more = vec![0; 64 << 10];
            from.set_read_timeout(Some(Duration::from_millis(1))).ok()?;
            if let Ok(length) = from.read(&mut more) {
                bytes.extend(more.get(..length).unwrap_or_default());
            }
            from.set_read_timeout(Some(LOOK)).ok()?;
        }
        Some(bytes)
    }

    fn pass_to_server(&self) {
        let mut messages = Client::default();
        while let Some(bytes) = self.read_in_time(&self.client) {
            for step in messages.read(&bytes, |text| self.shared.fault(text)) {
                let goes_on = match step {
                    Step::Pass(bytes) => (&self.server).write_all(&bytes).is_ok(),
                    Step::CutAfter(bytes) => {
                        *self.is_cut.lock() = true;
                        drop((&self.server).write_all(&bytes));
                        false
                    }
                    Step::Cut => false,
                    Step::CutLate(bytes, late) => {
                        drop(self.client.shutdown(Shutdown::Both));
                        pause(late);
                        (&self.server).write_all(&bytes).unwrap();
                        self.end();
                        self.shared.state.lock().late += 1;
                        self.shared.changed.notify_all();
                        return;
                    }
                    Step::Swallow => {
                        // All that comes is read and forgotten, until the client gives up.
                        while self.read(&self.client).is_some() {}
                        false
                    }
                };
                if !goes_on {
                    return self.end();
                }
            }
        }
        self.end();
    }

    fn pass_to_client(&self) {
        while let Some(bytes) = self.read_in_time(&self.server) {
            let is_cut = self.is_cut.lock();
            if *is_cut || (&self.client).write_all(&bytes).is_err() {
                break;
            }
        }
        self.end();
    }

    /// Ends both sides. The server reads all that was passed on before it sees the end: so its side is closed
    /// for writing, and what it says is read.
    fn end(&self) {
        *self.is_cut.lock() = true;
        // Either may be closed already.
        drop(self.client.shutdown(Shutdown::Both));
        drop(self.server.shutdown(Shutdown::Write));
        let mut bytes = [0; 4096];
        loop {
            match (&self.server).read(&mut bytes) {
                Ok(0) => return,
                Ok(_) => {}
                Err(error) if is_timeout(&error) && !self.shared.state.lock().is_dropped => {}
                Err(_) => return,
            }
        }
    }
}

fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
}

#[expect(clippy::disallowed_methods, reason = "the proxy is a slow network")]
fn pause(time: Duration) {
    if !time.is_zero() {
        thread::sleep(time);
    }
}
