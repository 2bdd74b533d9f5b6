//! A client that knows what it does not know: no answer means that a request was done, or not.

use super::server::{Life, Server};
use serde_json::Value as Json;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// No request takes so long.
const TIMEOUT: Duration = Duration::from_secs(60);

/// What became of a request.
#[derive(Debug)]
pub enum Answer {
    Done(Json),
    /// Refused, with the kind of the error; not done.
    Refused(String),
    Unknown,
}

/// A connection, made anew in each life of the server.
pub struct Client<'s> {
    server: &'s Server,
    life: Life,
    connection: Option<BufReader<TcpStream>>,
}

impl<'s> Client<'s> {
    pub fn new(server: &'s Server) -> Self {
        Self { server, life: server.life(), connection: None }
    }

    /// Returns the number of the server's life in which the last request was sent.
    pub fn life(&self) -> u64 {
        self.life.number
    }

    /// Sends a request and waits for its answer, as long as the server lives.
    pub fn call(&mut self, operation: &str, body: &Json) -> Answer {
        let mut connection = self.connected();
        match exchange(&mut connection, operation, &body.to_string()) {
            Ok((status, answer)) => {
                self.connection = Some(connection);
                let answer: Json = serde_json::from_slice(&answer).unwrap();
                match status {
                    200 => Answer::Done(answer),
                    400 => Answer::Refused(error_kind(&answer)),
                    _ => panic!("{operation} {body}: {status} {answer}"),
                }
            }
            Err(error) => {
                let is_slow = matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock);
                assert!(!is_slow, "{operation} {body}: no answer");
                Answer::Unknown
            }
        }
    }

    /// Sends a request that may be done twice until it is known to be done.
    pub fn done(&mut self, operation: &str, body: &Json) -> Json {
        loop {
            match self.call(operation, body) {
                Answer::Done(answer) => return answer,
                Answer::Refused(kind) => panic!("{operation} {body}: {kind}"),
                Answer::Unknown => {}
            }
        }
    }

    fn connected(&mut self) -> BufReader<TcpStream> {
        if let Some(connection) = self.connection.take() {
            return connection;
        }
        loop {
            if let Ok(stream) = TcpStream::connect(&self.life.address) {
                stream.set_nodelay(true).unwrap();
                stream.set_read_timeout(Some(TIMEOUT)).unwrap();
                return BufReader::new(stream);
            }
            self.life = self.server.life_after(self.life.number);
        }
    }
}

fn error_kind(answer: &Json) -> String {
    answer["__type"].as_str().unwrap().rsplit('#').next().unwrap().to_owned()
}

/// Sends a request and returns the status and the body of its answer.
fn exchange(
    connection: &mut BufReader<TcpStream>,
    operation: &str,
    body: &str,
) -> Result<(u16, Vec<u8>), Error> {
    let request = format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n\
         Content-Type: application/x-amz-json-1.0\r\nAuthorization: AWS4-HMAC-SHA256 \
         Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, \
         Signature=0\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    connection.get_mut().write_all(request.as_bytes())?;
    let status = line(connection)?;
    let status = status.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
    let mut length = 0;
    loop {
        let header = line(connection)?.to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut answer = vec![0; length];
    connection.read_exact(&mut answer)?;
    Ok((status, answer))
}

/// Returns the next line without its end, if it is whole.
fn line(connection: &mut BufReader<TcpStream>) -> Result<String, Error> {
    let mut line = String::new();
    connection.read_line(&mut line)?;
    match line.strip_suffix("\r\n") {
        Some(line) => Ok(line.to_owned()),
        None => Err(ErrorKind::UnexpectedEof.into()),
    }
}
