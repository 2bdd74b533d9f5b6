//! A server over a scripted API, and a client that sends raw bytes and reads raw responses.

pub mod http2;

use bytes::Bytes;
use hashrange_auth::Caller;
use hashrange_model::{ApiError, AttributeValue, Item, Reason};
use hashrange_server::{Api, Config, Error, Kind, Limits, Measure, Running, Value};
use hashrange_wire::Operation;
use std::future::{Future, ready};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

/// An API that does what the body says.
#[derive(Debug, Default)]
pub struct Script {
    /// Calls so far.
    pub calls: AtomicUsize,
    /// Told when a call waits.
    pub waiting: Notify,
    /// Lets waiting calls go on.
    pub go_on: Notify,
    /// Why writes are refused.
    pub refuses_writes: Mutex<Option<String>>,
}

impl Api for Script {
    fn call(self: Arc<Self>, operation: Operation, body: Bytes) -> Running<'static> {
        Box::pin(async move {
            self.calls.fetch_add(1, Ordering::SeqCst);
            match &body[..] {
                br#"{"do":"panic"}"# => panic!("as told"),
                br#"{"do":"fail"}"# => Err(Reason::Internal.into()),
                br#"{"do":"refuse"}"# => Err(Reason::TableNotFound.into()),
                br#"{"do":"condition"}"# => {
                    Err(ApiError::new(Reason::ConditionalCheckFailed).with_item(Some(
                        Item::from_attributes([("pk", AttributeValue::S("k".into()))]),
                    )))
                }
                br#"{"do":"wait"}"# => {
                    self.waiting.notify_one();
                    self.go_on.notified().await;
                    Ok(b"{\"waited\":true}".to_vec())
                }
                br#"{"do":"large"}"# => Ok(large_body()),
                br#"{"do":"huge"}"# => Ok(vec![b' '; HUGE_BYTES]),
                br#"{"do":"refuse writes"}"# => {
                    Err(Reason::StoreUnavailable("the disk is full".into()).into())
                }
                _ if hashrange_wire::syntax_check(&body).is_err() => {
                    Err(Reason::MalformedJson.into())
                }
                _ => {
                    let length = body.len();
                    let name = operation.name();
                    Ok(format!("{{\"operation\":\"{name}\",\"bytes\":{length}}}").into_bytes())
                }
            }
        })
    }

    fn call_own(self: Arc<Self>, name: String, body: Bytes) -> Running<'static> {
        Box::pin(ready(match name.as_str() {
            "Echo" => Ok(body.to_vec()),
            _ => Err(Reason::UnknownOperation.into()),
        }))
    }

    fn of_caller(&self, caller: &Caller<'_>) -> Result<Option<Arc<dyn Api>>, ApiError> {
        match caller.access_key_id() {
            Some("OTHER") => Ok(Some(Arc::new(Self::default()))),
            Some("NOBODY") => Err(Reason::AccessDenied.into()),
            Some(_) | None => Ok(None),
        }
    }

    fn check_writable(&self) -> Result<(), String> {
        self.refuses_writes.lock().unwrap().clone().map_or(Ok(()), Err)
    }

    fn measures<'a>(&'a self) -> Pin<Box<dyn Future<Output = Vec<Measure>> + Send + 'a>> {
        Box::pin(ready(vec![Measure {
            name: "hashrange_of_the_api",
            kind: Kind::Gauge,
            help: "A figure that the server does not know.",
            values: vec![("".into(), Value::Number(7))],
        }]))
    }
}

/// Length of the answer to `{"do":"huge"}`: more than a socket's buffers hold.
pub const HUGE_BYTES: usize = 32 << 20;

/// Returns limits of time that no test reaches, with changes to them.
pub fn patient(change: impl FnOnce(&mut Limits)) -> Config {
    const NEVER: Duration = Duration::from_secs(100_000);
    let mut config = Config::default();
    let limits = &mut config.limits;
    for time in [
        &mut limits.pressure_patience,
        &mut limits.spare_idle,
        &mut limits.head_timeout,
        &mut limits.body_timeout,
        &mut limits.write_timeout,
        &mut limits.idle_timeout,
    ] {
        *time = NEVER;
    }
    change(limits);
    config
}

/// The answer to `{"do":"large"}`.
pub fn large_body() -> Vec<u8> {
    let mut body = b"{\"x\":\"".to_vec();
    body.extend((0..100_000_u32).map(|n| b'a' + u8::try_from(n % 26).unwrap()));
    body.extend_from_slice(b"\"}");
    body
}

/// A running server.
pub struct Server {
    pub port: u16,
    pub api: Arc<Script>,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<Result<(), Error>>,
}

impl Server {
    /// Starts a server on a free port.
    pub async fn start(config: Config) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let api = Arc::new(Script::default());
        let (stop, stopped) = oneshot::channel();
        let serving = hashrange_server::run(listener, config, api.clone(), async {
            drop(stopped.await);
        });
        Self { port, api, stop: Some(stop), task: tokio::spawn(serving) }
    }

    /// Tells the server to stop.
    pub fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    /// Waits until the server has stopped.
    pub async fn stopped(self) {
        self.task.await.unwrap().unwrap();
    }

    /// Opens a connection.
    pub async fn connect(&self) -> Client {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        Client { stream, unread: Vec::new() }
    }

    /// Opens a connection from another address of this machine.
    pub async fn connect_from(&self, address: &str) -> Client {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((address.parse::<IpAddr>().unwrap(), 0).into()).unwrap();
        let stream = socket.connect(([127, 0, 0, 1], self.port).into()).await.unwrap();
        Client { stream, unread: Vec::new() }
    }

    /// Returns the value of a counter or gauge.
    pub async fn metric(&self, name: &str) -> u64 {
        let metrics = self.ask("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
        let line = metrics.text().lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().parse().unwrap()
    }

    /// Asks until a counter or gauge has this value.
    pub async fn metric_becomes(&self, name: &str, value: u64) {
        while self.metric(name).await != value {
            tokio::task::yield_now().await;
        }
    }

    /// Sends one request on a connection of its own.
    pub async fn ask(&self, request: impl AsRef<[u8]>) -> Response {
        let mut client = self.connect().await;
        client.send(request).await;
        client.response().await.expect("a response")
    }

    /// Sends a request with the headers of the protocol, further ones, and a body.
    pub async fn post(&self, target: &str, headers: &str, body: impl AsRef<[u8]>) -> Response {
        self.ask(post(target, headers, body)).await
    }
}

/// Returns a request. `headers` are whole lines.
pub fn post(target: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut request = format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\n\
         X-Amz-Target: {target}\r\nContent-Length: {}\r\n{headers}\r\n",
        body.len()
    )
    .into_bytes();
    request.extend_from_slice(body);
    request
}

/// A connection.
pub struct Client {
    stream: TcpStream,
    unread: Vec<u8>,
}

impl Client {
    /// Sends bytes.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
    }

    /// Sends bytes although the server may have closed the connection already.
    pub async fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).await.is_ok()
    }

    /// Reads the next response; none if the connection ended before its first byte.
    pub async fn response(&mut self) -> Option<Response> {
        loop {
            if let Some(end) = find(&self.unread, b"\r\n\r\n") {
                return Some(self.response_with_head(end + 4).await);
            }
            if !self.fill().await {
                assert!(self.unread.is_empty(), "{:?}", String::from_utf8_lossy(&self.unread));
                return None;
            }
        }
    }

    /// Returns true when the server ends the connection without another byte.
    pub async fn is_closed(&mut self) -> bool {
        self.unread.is_empty() && !self.fill().await
    }

    /// Returns the next bytes, which must have been read.
    pub fn peek(&self, bytes: usize) -> &[u8] {
        &self.unread[..bytes]
    }

    /// Takes the next bytes, which must have been read.
    pub fn take(&mut self, bytes: usize) -> Vec<u8> {
        self.unread.drain(..bytes).collect()
    }

    /// Returns how many bytes were read and not yet looked at.
    pub fn unread_bytes(&self) -> usize {
        self.unread.len()
    }

    /// Returns the next bytes as they come; none at the end.
    pub async fn rest(&mut self) -> Option<Vec<u8>> {
        if self.unread.is_empty() && !self.fill().await {
            return None;
        }
        Some(std::mem::take(&mut self.unread))
    }

    async fn response_with_head(&mut self, head_end: usize) -> Response {
        let head = String::from_utf8(self.unread[..head_end].to_vec()).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap()[9..12].parse().unwrap();
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let mut response = Response { status, headers, body: Vec::new() };
        let length = response.header("content-length").map_or(0, |text| text.parse().unwrap());
        while self.unread.len() < head_end + length {
            assert!(self.fill().await, "the body is cut short");
        }
        response.body = self.unread[head_end..head_end + length].to_vec();
        self.unread.drain(..head_end + length);
        response
    }

    /// Reads more; false at the end.
    pub async fn fill(&mut self) -> bool {
        self.stream.read_buf(&mut self.unread).await.unwrap_or(0) > 0
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

/// A response, complete.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Returns the body as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}
