//! The client side of the protocol over HTTP: connections that are kept, one request at a time on
//! each, as many at once as there are callers.

use super::route::Route;
use super::{Stop, Unanswered, refused, wait_on};
use crate::surroundings::now;
use anyhow::Context;
use bytes::Bytes;
use hashrange::Operation;
use hashrange_auth::Signer;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{HeaderMap, Request, StatusCode};
use hyper_util::rt::TokioIo;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Runtime;

/// The largest response that is read; a page of a query is 1 MiB before it is JSON.
const RESPONSE_MAX_BYTES: usize = 256 << 20;

/// Answer to a request.
#[derive(Debug)]
pub struct Exchanged {
    /// Its status.
    pub status: StatusCode,
    headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
}

impl Exchanged {
    /// Returns a header that is text.
    pub fn header(&self, name: &str) -> Option<String> {
        Some(self.headers.get(name)?.to_str().ok()?.to_owned())
    }
}

/// A server to talk to, with its connections that wait for the next request.
#[derive(Debug)]
pub struct Server {
    route: Route,
    signer: Option<Arc<Signer>>,
    /// Ask the server to leave requests out of its records.
    is_unrecorded: bool,
    // Invariant: all of them belong to the runtime on which `call` is awaited.
    idle: Mutex<Vec<SendRequest<Full<Bytes>>>>,
}

impl Server {
    /// Returns the server at the end of a route; connects at the first call.
    pub fn new(route: Route, signer: Option<Signer>) -> Self {
        Self { route, signer: signer.map(Arc::new), is_unrecorded: false, idle: Mutex::default() }
    }

    /// Returns the same server without a connection, for another runtime.
    pub fn unconnected(&self) -> Self {
        let (route, signer) = (self.route.clone(), self.signer.clone());
        Self { route, signer, is_unrecorded: self.is_unrecorded, idle: Mutex::default() }
    }

    /// Runs an operation on a JSON request and returns the JSON response.
    pub async fn call(&self, operation: Operation, body: Bytes) -> anyhow::Result<Bytes> {
        let target = format!("{}.{}", operation.service().target_prefix(), operation.name());
        self.call_target(target, body).await
    }

    /// Runs the operation of a target on a JSON request and returns the JSON response.
    pub async fn call_target(&self, target: String, body: Bytes) -> anyhow::Result<Bytes> {
        let answer = self.exchange(target, &[], body).await?;
        let Exchanged { status, body, .. } = answer;
        if status.is_success() { Ok(body) } else { Err(failed(status, &body)) }
    }

    /// Runs the operation of a target and returns the answer, whatever its status. `headers` go with the request.
    pub async fn exchange(
        &self,
        target: String,
        headers: &[(&'static str, String)],
        body: Bytes,
    ) -> anyhow::Result<Exchanged> {
        let request = self.request(target, headers, body)?;
        let mut open = match self.take_idle() {
            Some(open) => open,
            None => self.connect().await?,
        };
        open.ready().await.context(Unanswered::new("the connection is closed"))?;
        let sent = open.send_request(request).await;
        let response = sent.context(Unanswered::new("send the request"))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = Limited::new(response.into_body(), RESPONSE_MAX_BYTES).collect().await;
        let body = body
            .map_err(|error| {
                anyhow::anyhow!("{error}").context(Unanswered::new("read the response"))
            })?
            .to_bytes();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(open);
        Ok(Exchanged { status, headers, body })
    }

    async fn connect(&self) -> anyhow::Result<SendRequest<Full<Bytes>>> {
        let stream = TokioIo::new(self.route.connect().await?);
        let (open, connection) = handshake(stream).await.context("begin HTTP")?;
        // The request on the connection learns how the connection ends.
        tokio::spawn(async { drop(connection.await) });
        Ok(open)
    }

    fn take_idle(&self) -> Option<SendRequest<Full<Bytes>>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        std::iter::from_fn(|| idle.pop()).find(|open| !open.is_closed())
    }

    fn request(
        &self,
        target: String,
        further: &[(&'static str, String)],
        body: Bytes,
    ) -> anyhow::Result<Request<Full<Bytes>>> {
        let headers = [
            ("host", self.route.authority().to_owned()),
            ("content-type", "application/x-amz-json-1.0".to_owned()),
            ("x-amz-target", target),
        ];
        let path = self.route.path();
        let mut request = Request::post(path);
        for (name, value) in headers.iter().chain(further) {
            request = request.header(*name, value);
        }
        if self.is_unrecorded {
            request = request.header("x-hashrange-unrecorded", "true");
        }
        if let Some(signer) = &self.signer {
            for (name, value) in signer.sign_request("POST", path, "", &headers, &body, now()) {
                request = request.header(name, value);
            }
        }
        request.body(Full::new(body)).context("build the request")
    }
}

/// Returns the refusal in the body of a response, or an error with the status if the body has none.
fn failed(status: StatusCode, body: &[u8]) -> anyhow::Error {
    if let Some(refused) = refused(body) {
        return refused.into();
    }
    let text = format!("the server answered with status {status} and no error");
    if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
        Unanswered::new(text).into()
    } else {
        anyhow::anyhow!(text)
    }
}

/// A server with a runtime of its own, for one request after the other.
#[derive(Debug)]
pub struct HttpClient {
    pub(super) server: Server,
    runtime: Runtime,
    stop: Option<Stop>,
}

impl HttpClient {
    /// Returns a client of a server.
    pub fn new(server: Server) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("start the runtime")?;
        Ok(Self { server, runtime, stop: None })
    }

    /// Asks the server to leave the requests out of its records.
    pub fn leave_unrecorded(&mut self) {
        self.server.is_unrecorded = true;
    }

    /// Gives up requests when the user stops them.
    pub fn heed(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    /// Runs an operation on a JSON request and returns the JSON response.
    pub fn call(&self, operation: Operation, body: &[u8]) -> anyhow::Result<Vec<u8>> {
        self.wait(self.server.call(operation, Bytes::copy_from_slice(body))).map(Into::into)
    }

    /// Runs the operation of a target on a JSON request and returns the JSON response.
    pub fn call_target(&self, target: String, body: &[u8]) -> anyhow::Result<Vec<u8>> {
        self.wait(self.server.call_target(target, Bytes::copy_from_slice(body))).map(Into::into)
    }

    /// Waits, unless the user stops the wait.
    pub fn pause(&self, time: Duration) -> anyhow::Result<()> {
        self.wait(async {
            tokio::time::sleep(time).await;
            Ok(())
        })
    }

    /// Waits for work unless the user stops it.
    fn wait<T>(&self, work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
        match &self.stop {
            Some(stop) => wait_on(&self.runtime, stop.unless_stopped(work)),
            None => wait_on(&self.runtime, work),
        }
    }
}
