//! The client's messages of the PostgreSQL protocol, as far as they tell which statement they belong to.
//!
//! | message | read of it |
//! |---|---|
//! | first ones, without a type | only their length: the startup, and requests for encryption |
//! | `Q` | the text of a statement that is carried out at once |
//! | `P` | name and text of a prepared statement |
//! | `B` | the name of the prepared statement that is carried out by all up to the next `S` |
//!
//! Leaves all others unread. Knows no sockets.

use super::Fault;
use std::collections::BTreeMap;
use std::time::Duration;

/// What is to be done next.
#[derive(Debug)]
pub enum Step {
    /// These bytes are passed on.
    Pass(Vec<u8>),
    /// These bytes are passed on, then the connection is cut.
    CutAfter(Vec<u8>),
    /// The connection is cut.
    Cut,
    /// The client is cut, and these bytes are passed on so much later.
    CutLate(Vec<u8>, Duration),
    /// Nothing is passed on any more.
    Swallow,
}

/// What a client has sent so far.
#[derive(Debug, Default)]
pub struct Client {
    unread: Vec<u8>,
    has_started: bool,
    prepared: BTreeMap<Vec<u8>, String>,
    /// What is held back of a statement until its last message.
    held: Option<(Fault, Vec<u8>)>,
}

impl Client {
    /// Takes bytes and returns what is to be done, given the fault of each statement by its text.
    pub fn read(&mut self, bytes: &[u8], fault: impl Fn(&str) -> Option<Fault>) -> Vec<Step> {
        self.unread.extend(bytes);
        let mut steps = Vec::new();
        let mut passed = Vec::new();
        while let Some(message) = self.next() {
            let Some(step) = self.step(message, &fault, &mut passed) else { continue };
            steps.push(Step::Pass(std::mem::take(&mut passed)));
            steps.push(step);
        }
        if !passed.is_empty() {
            steps.push(Step::Pass(passed));
        }
        steps
    }

    /// Takes the next whole message.
    fn next(&mut self) -> Option<Vec<u8>> {
        let type_bytes = usize::from(self.has_started);
        let length = self.unread.get(type_bytes..)?.first_chunk()?;
        let whole = type_bytes + usize::try_from(u32::from_be_bytes(*length)).unwrap();
        if self.unread.len() < whole {
            return None;
        }
        let rest = self.unread.split_off(whole);
        let message = std::mem::replace(&mut self.unread, rest);
        if type_bytes == 0 {
            // Protocol 3.0: all other first messages are requests for encryption, which come before it.
            self.has_started = message.get(4..8) == Some(&[0, 3, 0, 0]);
        }
        Some(message)
    }

    /// Adds a message to what is passed on, or returns what else is to be done.
    fn step(
        &mut self,
        message: Vec<u8>,
        fault: &impl Fn(&str) -> Option<Fault>,
        passed: &mut Vec<u8>,
    ) -> Option<Step> {
        if let Some((fault, mut held)) = self.held.take() {
            held.extend(&message);
            if message.first() != Some(&b'S') {
                self.held = Some((fault, held));
                return None;
            }
            return faulty(fault, held, passed);
        }
        let body = message.get(5..).unwrap_or_default();
        let found = match message.first() {
            Some(b'Q') => {
                let found = fault(&text(split(body).next().unwrap_or_default()));
                return match found {
                    Some(found) => faulty(found, message, passed),
                    None => pass(&message, passed),
                };
            }
            Some(b'P') => {
                let mut fields = split(body);
                let name = fields.next().unwrap_or_default().to_vec();
                self.prepared.insert(name, text(fields.next().unwrap_or_default()));
                None
            }
            Some(b'B') => {
                let name = split(body).nth(1).unwrap_or_default();
                self.prepared.get(name).and_then(|text| fault(text))
            }
            _ => None,
        };
        match found {
            Some(found) => {
                self.held = Some((found, message));
                None
            }
            None => pass(&message, passed),
        }
    }
}

fn pass(message: &[u8], passed: &mut Vec<u8>) -> Option<Step> {
    passed.extend(message);
    None
}

/// Does to the messages of a statement what its fault says.
fn faulty(fault: Fault, messages: Vec<u8>, passed: &mut Vec<u8>) -> Option<Step> {
    match fault {
        Fault::CutAfter => Some(Step::CutAfter(messages)),
        Fault::CutBefore => Some(Step::Cut),
        Fault::CutLate(ms) => Some(Step::CutLate(messages, Duration::from_millis(ms))),
        Fault::Swallow => Some(Step::Swallow),
        Fault::Fail(state) => {
            let is_commit = messages.starts_with(b"Q") && messages.ends_with(b"COMMIT\0");
            let first = if is_commit { "ROLLBACK; " } else { "" };
            pass(&query(&format!("{first}{}", raise(state))), passed)
        }
        Fault::FailAfter(state) => {
            assert!(messages.ends_with(b"COMMIT\0"), "only a commit fails afterwards");
            pass(&query(&format!("COMMIT; {}", raise(state))), passed)
        }
    }
}

/// Returns the statement by which the server makes an error.
fn raise(state: &str) -> String {
    format!("DO $$ BEGIN RAISE EXCEPTION 'a planted fault' USING ERRCODE = '{state}'; END $$")
}

fn query(text: &str) -> Vec<u8> {
    let length = u32::try_from(4 + text.len() + 1).unwrap();
    [&b"Q"[..], &length.to_be_bytes(), text.as_bytes(), &[0]].concat()
}

/// Returns the texts of a message, each of which ends with a zero byte.
fn split(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    body.split(|byte| *byte == 0)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
