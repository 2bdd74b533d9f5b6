//! A client that speaks HTTP/2 in single frames and gives the server windows as it likes.

use super::{Client, Server};
use std::collections::BTreeMap;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// A connection in HTTP/2.
pub struct Http2 {
    client: Client,
    next_stream: u32,
    /// Bytes of bodies by stream.
    pub received: BTreeMap<u32, usize>,
    /// Streams whose answer is complete.
    pub ended: Vec<u32>,
    /// Streams whose answer has begun.
    pub begun: Vec<u32>,
}

impl Http2 {
    /// Opens a connection whose streams begin with this window.
    pub async fn open(server: &Server, window_bytes: u32) -> Self {
        let mut client = server.connect().await;
        client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
        let mut settings = vec![0, 4];
        settings.extend(window_bytes.to_be_bytes());
        let mut it = Self {
            client,
            next_stream: 1,
            received: BTreeMap::new(),
            ended: vec![],
            begun: vec![],
        };
        it.frame(SETTINGS, 0, 0, &settings).await;
        it
    }

    async fn frame(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> bool {
        let mut frame = u32::try_from(payload.len()).unwrap().to_be_bytes()[1..].to_vec();
        frame.extend([kind, flags]);
        frame.extend(stream.to_be_bytes());
        frame.extend(payload);
        self.client.try_send(frame).await
    }

    /// Begins a request; the rest of its body can follow. Returns its stream.
    pub async fn begin(&mut self, target: &str, body_bytes: usize, body: &str) -> u32 {
        let stream = self.next_stream;
        self.next_stream += 2;
        let length = body_bytes.to_string();
        let mut head = Vec::new();
        for (name, value) in [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", "/"),
            (":authority", "localhost"),
            ("content-type", "application/x-amz-json-1.0"),
            ("x-amz-target", target),
            ("content-length", &length),
        ] {
            head.push(0);
            for text in [name, value] {
                head.push(u8::try_from(text.len()).unwrap());
                head.extend(text.as_bytes());
            }
        }
        self.frame(HEADERS, END_HEADERS, stream, &head).await;
        let flags = if body.len() == body_bytes { END_STREAM } else { 0 };
        self.frame(DATA, flags, stream, body.as_bytes()).await;
        stream
    }

    /// Sends a request and returns its stream.
    pub async fn request(&mut self, target: &str, body: &str) -> u32 {
        self.begin(target, body.len(), body).await
    }

    /// Lets the server send so many bytes more, on a stream or, with 0, on all together.
    pub async fn allow(&mut self, stream: u32, bytes: u32) {
        self.frame(WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes()).await;
    }

    /// Reads the next frame and does what it asks for; false when the connection has ended.
    pub async fn step(&mut self) -> bool {
        while self.client.unread_bytes() < 9 {
            if !self.client.fill().await {
                return false;
            }
        }
        let head = self.client.peek(9);
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        while self.client.unread_bytes() < 9 + length {
            if !self.client.fill().await {
                return false;
            }
        }
        let frame = self.client.take(9 + length);
        let stream = u32::from_be_bytes(frame[5..9].try_into().unwrap());
        match (frame[3], frame[4]) {
            (DATA, flags) => {
                *self.received.entry(stream).or_default() += length;
                if flags & END_STREAM != 0 {
                    self.ended.push(stream);
                }
            }
            (HEADERS, flags) => {
                self.begun.push(stream);
                if flags & END_STREAM != 0 {
                    self.ended.push(stream);
                }
            }
            (SETTINGS | PING, flags) if flags & ACK == 0 => {
                let payload = if frame[3] == PING { &frame[9..] } else { &[] };
                return self.frame(frame[3], ACK, 0, payload).await;
            }
            (GOAWAY, _) => return false,
            _ => {}
        }
        true
    }

    /// Reads until this stream's answer has begun.
    pub async fn until_begun(&mut self, stream: u32) {
        while !self.begun.contains(&stream) {
            assert!(self.step().await, "the connection has ended");
        }
    }

    /// Reads until this stream's answer is complete; false when the connection has ended.
    pub async fn until_ended(&mut self, stream: u32) -> bool {
        while !self.ended.contains(&stream) {
            if !self.step().await {
                return false;
            }
        }
        true
    }

    /// Reads until the server has ended the connection.
    pub async fn until_closed(&mut self) {
        while self.step().await {}
    }
}
