//! One client connection: a request out, an answer in.

use super::request::Writer;
use memchr::memmem;
use mio::net::TcpStream;
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::time::Instant;

/// The longest head of an answer.
const HEAD_MAX_BYTES: usize = 16 * 1024;

/// A connection with at most one request under way.
pub struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    sent: usize,
    started: Instant,
    answer: Answer,
}

/// Progress of an answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    /// The rest will come.
    Partial,
    /// It is whole.
    Complete,
}

/// The part of an answer that has arrived.
enum Answer {
    /// A part of its head.
    Head(Vec<u8>),
    /// All but this many bytes of the body.
    Body(usize),
}

impl Connection {
    /// Connects.
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = std::net::TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream: TcpStream::from_std(stream),
            request: Vec::new(),
            sent: 0,
            started: Instant::now(),
            answer: Answer::Head(Vec::new()),
        })
    }

    /// Returns the socket to wait on.
    pub fn source(&mut self) -> &mut TcpStream {
        &mut self.stream
    }

    /// Returns the time at which the request was started.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Sends the next request.
    pub fn start(&mut self, writer: &mut Writer<'_>, now: Instant) -> io::Result<()> {
        writer.write(&mut self.request);
        self.sent = 0;
        self.started = now;
        self.send()
    }

    /// Sends the rest of the request, as far as the socket takes it.
    pub fn send(&mut self) -> io::Result<()> {
        while self.sent < self.request.len() {
            match self.stream.write(&self.request[self.sent..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(bytes) => self.sent += bytes,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Takes the bytes that have arrived. After a complete answer nothing more can come before the
    /// next request, so the client does not ask the socket again.
    pub fn receive(&mut self, scratch: &mut [u8]) -> Result<Progress, String> {
        loop {
            match self.stream.read(scratch) {
                Ok(0) => return Err("the server closed a connection".to_owned()),
                Ok(bytes) => {
                    if self.answer.take(&scratch[..bytes])? == Progress::Complete {
                        return Ok(Progress::Complete);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Ok(Progress::Partial);
                }
                Err(error) => return Err(format!("cannot read an answer: {error}")),
            }
        }
    }
}

impl Answer {
    /// Notes that bytes have arrived.
    fn take(&mut self, bytes: &[u8]) -> Result<Progress, String> {
        let left = match self {
            Self::Body(left) => left.checked_sub(bytes.len()).ok_or("an answer is too long")?,
            Self::Head(before) if before.is_empty() => match Head::parse(bytes)? {
                Some(head) => head.body_left(bytes)?,
                None => return self.keep_head(bytes),
            },
            Self::Head(before) => {
                let all = [before, bytes].concat();
                match Head::parse(&all)? {
                    Some(head) => head.body_left(&all)?,
                    None => return self.keep_head(&all),
                }
            }
        };
        if left > 0 {
            *self = Self::Body(left);
            return Ok(Progress::Partial);
        }
        *self = Self::Head(Vec::new());
        Ok(Progress::Complete)
    }

    fn keep_head(&mut self, bytes: &[u8]) -> Result<Progress, String> {
        if bytes.len() > HEAD_MAX_BYTES {
            return Err("the head of an answer has no end".to_owned());
        }
        *self = Self::Head(bytes.to_vec());
        Ok(Progress::Partial)
    }
}

/// The head of an answer.
struct Head {
    bytes: usize,
    body_bytes: usize,
    is_ok: bool,
}

impl Head {
    /// Returns the head that `bytes` begin with, `None` while it is incomplete.
    fn parse(bytes: &[u8]) -> Result<Option<Self>, String> {
        const LENGTH: &[u8] = b"\r\ncontent-length: ";
        let Some(end) = memmem::find(bytes, b"\r\n\r\n") else { return Ok(None) };
        let head = &bytes[..end];
        let at = memmem::find(head, LENGTH).ok_or("an answer without its length")?;
        let digits = head[at + LENGTH.len()..].iter().take_while(|byte| byte.is_ascii_digit());
        let body_bytes = digits.fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'));
        Ok(Some(Self { bytes: end + 4, body_bytes, is_ok: head.starts_with(b"HTTP/1.1 200 ") }))
    }

    /// Returns how much of the body is missing in `bytes`, which begin with the head.
    fn body_left(&self, bytes: &[u8]) -> Result<usize, String> {
        if !self.is_ok {
            return Err(format!("refused: {}", String::from_utf8_lossy(bytes)));
        }
        (self.bytes + self.body_bytes).checked_sub(bytes.len()).ok_or("two answers".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ndate: x\r\ncontent-length: 12\r\n\r\nhello, world";

    #[test]
    fn an_answer_is_complete_however_it_is_cut() {
        for first in 1..ANSWER.len() {
            for second in first..ANSWER.len() {
                let mut answer = Answer::Head(Vec::new());
                for part in [&ANSWER[..first], &ANSWER[first..second]] {
                    assert_eq!(answer.take(part).unwrap(), Progress::Partial);
                }
                assert_eq!(answer.take(&ANSWER[second..]).unwrap(), Progress::Complete);
            }
        }
    }

    #[test]
    fn faults_are_reported() {
        let cases: [(&[u8], &str); 3] = [
            (b"HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\nno", "refused: HTTP/1.1 400"),
            (b"HTTP/1.1 200 OK\r\n\r\n", "without its length"),
            (b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nabc", "two answers"),
        ];
        for (bytes, fault) in cases {
            let error = Answer::Head(Vec::new()).take(bytes).unwrap_err();
            assert!(error.contains(fault), "{error}");
        }
    }
}
