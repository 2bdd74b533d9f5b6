//! The cost of a request in the HTTP server apart from the operation: a whole server over loopback
//! whose API answers at once, and a client that costs next to nothing.
//!
//! The client is a thread that writes a prepared request and reads to the last byte of its answer,
//! one after the other, so that the count holds system calls (which callgrind does not look into),
//! hyper, the runtime and the server's own code.

use crate::bare;
use bytes::Bytes;
use hashrange::Operation;
use hashrange::cost::PriceList;
use hashrange_server::{Api, Config, Running, WatchRequest, WatchSettings, Watches};
use std::future::ready;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// Bytes of an answer's body; about a GetItem of 1 KiB.
const ANSWER_BYTES: usize = 1100;

/// Head of the SDKs' requests of GetItem.
const HEAD: &str = "POST / HTTP/1.1\r\n\
    Host: 127.0.0.1:8000\r\n\
    Accept-Encoding: identity\r\n\
    X-Amz-Target: DynamoDB_20120810.GetItem\r\n\
    Content-Type: application/x-amz-json-1.0\r\n\
    User-Agent: Boto3/1.40.1 md/Botocore#1.40.1 ua/2.1 os/linux#6.1 md/arch#x86_64 lang/python#3.12.3\r\n\
    X-Amz-Date: 20261122T043121Z\r\n\
    Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20261122/us-east-1/dynamodb/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7\r\n\
    amz-sdk-invocation-id: 7c9d7c6e-3f0c-4c5f-9a53-0d1b6a3c9e11\r\n\
    amz-sdk-request: attempt=1\r\n";
const BODY: &str = r#"{"TableName":"plain","Key":{"pk":{"S":"p0000007"},"sk":{"S":"s0000007"}}}"#;

/// A future that ends when the server does.
type Ended = Pin<Box<dyn Future<Output = ()> + Send>>;

/// An API whose answer is ready.
struct Ready(Vec<u8>);

impl Api for Ready {
    fn call(self: Arc<Self>, _: Operation, _: Bytes) -> Running<'static> {
        Box::pin(ready(Ok(self.0.clone())))
    }

    fn check_writable(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Sends a GetItem to the product's server some times over one connection.
pub fn run(times: u64) -> Result<(), String> {
    measure(times, async |listener, ended| {
        let api = Arc::new(Ready(vec![b' '; ANSWER_BYTES]));
        let served = hashrange_server::run(listener, Config::default(), api, ended).await;
        served.map_err(|error| error.to_string())
    })
}

/// Does the same while somebody watches the requests.
pub fn run_watched(times: u64) -> Result<(), String> {
    measure(times, async |listener, ended| {
        let settings = WatchSettings {
            most_bytes: 4 << 20,
            keeps_values: true,
            prices: PriceList::of_region("us-east-1"),
        };
        let watches = Arc::new(Watches::new(settings, 0, ten_ms_later));
        watches.watch(None, WatchRequest::default()).await.map_err(|error| error.to_string())?;
        let api = Arc::new(Ready(vec![b' '; ANSWER_BYTES]));
        let config = Config { subscribers: vec![watches], ..Config::default() };
        let served = hashrange_server::run(listener, config, api, ended).await;
        served.map_err(|error| error.to_string())
    })
}

/// A clock by which a hundred requests come in a second, so that all are kept.
fn ten_ms_later() -> u64 {
    static NOW_MS: AtomicU64 = AtomicU64::new(0);
    NOW_MS.fetch_add(10, Ordering::Relaxed)
}

/// Does the same with the bare server, to measure the part of hyper and the runtime.
pub fn run_bare(times: u64) -> Result<(), String> {
    measure(times, async |listener, ended| {
        let (stream, _) = listener.accept().await.map_err(|error| error.to_string())?;
        bare::serve_connection(stream, vec![b' '; ANSWER_BYTES].into()).await;
        ended.await;
        Ok(())
    })
}

/// Sends requests to a server that runs on one thread, so that the count does not depend on which
/// thread wakes.
fn measure<S>(times: u64, serve: S) -> Result<(), String>
where
    S: AsyncFnOnce(TcpListener, Ended) -> Result<(), String> + Send + 'static,
{
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0));
    let listener = listener.map_err(|error| error.to_string())?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let (end, ended) = oneshot::channel::<()>();
    let server = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.map_err(|error| error.to_string())?.block_on(async {
            listener.set_nonblocking(true).map_err(|error| error.to_string())?;
            let listener = TcpListener::from_std(listener).map_err(|error| error.to_string())?;
            serve(listener, Box::pin(async { drop(ended.await) })).await
        })
    });
    let asked = ask(address, times).map_err(|error| error.to_string());
    drop(end);
    let served = server.join().map_err(|_| "the server panicked")?;
    served.and(asked)
}

fn ask(address: SocketAddr, times: u64) -> std::io::Result<()> {
    let mut connection = TcpStream::connect(address)?;
    connection.set_nodelay(true)?;
    let request = format!("{HEAD}Content-Length: {}\r\n\r\n{BODY}", BODY.len());
    let mut answer = [0; 4096];
    for _ in 0..times {
        connection.write_all(request.as_bytes())?;
        let mut length = 0;
        while !is_whole(&answer[..length]) {
            match connection.read(&mut answer[length..])? {
                0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
                read => length += read,
            }
        }
        if !answer.starts_with(b"HTTP/1.1 200 ") {
            return Err(std::io::Error::other(String::from_utf8_lossy(&answer[..length])));
        }
    }
    Ok(())
}

/// Returns true for an answer that ends where its body does. A refusal is returned at once.
fn is_whole(answer: &[u8]) -> bool {
    match answer.len().checked_sub(ANSWER_BYTES) {
        Some(head) if answer.starts_with(b"HTTP/1.1 200 ") => answer[..head].ends_with(b"\r\n\r\n"),
        Some(_) | None => !answer.is_empty() && !answer.starts_with(b"HTTP/1.1 200 "),
    }
}
