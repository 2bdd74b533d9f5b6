//! The client side of the protocol: one kept connection, one request at a time.

use super::refused;
use crate::exit::Usage;
use crate::surroundings::now;
use anyhow::{Context, bail};
use bytes::Bytes;
use hashrange::Operation;
use hashrange_auth::Signer;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, Uri};
use hyper_util::rt::TokioIo;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::time::timeout;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The largest response that is read; a page of a query is 1 MiB before it is JSON.
const RESPONSE_MAX_BYTES: usize = 256 << 20;

/// A server to talk to.
#[derive(Debug)]
pub struct HttpClient {
    host: String,
    port: u16,
    path: String,
    signer: Option<Signer>,
    runtime: Runtime,
    open: Option<SendRequest<Full<Bytes>>>,
}

impl HttpClient {
    /// Returns a client of the server at a URL; connects at the first call.
    pub fn new(endpoint: &str, signer: Option<Signer>) -> anyhow::Result<Self> {
        let bad = |problem: &str| Usage(format!("endpoint {endpoint:?}: {problem}"));
        let uri: Uri = endpoint.parse().map_err(|_| bad("not a URL"))?;
        if uri.scheme_str() != Some("http") {
            return Err(bad("only http:// is spoken here; put a TLS proxy in front").into());
        }
        let host = uri.host().ok_or_else(|| bad("no host"))?.to_owned();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("start the runtime")?;
        let port = uri.port_u16().unwrap_or(80);
        Ok(Self { host, port, path: uri.path().to_owned(), signer, runtime, open: None })
    }

    /// Runs an operation on a JSON request and returns the JSON response.
    pub fn call(&mut self, operation: Operation, body: &[u8]) -> anyhow::Result<Vec<u8>> {
        let target = format!("{}.{}", operation.service().target_prefix(), operation.name());
        self.call_target(target, body)
    }

    /// Runs what a target names on a JSON request and returns the JSON response.
    pub fn call_target(&mut self, target: String, body: &[u8]) -> anyhow::Result<Vec<u8>> {
        let request = self.request(target, body)?;
        let open = self.open.take().filter(|open| !open.is_closed());
        let (host, port) = (self.host.as_str(), self.port);
        let (open, status, body) = self.runtime.block_on(async {
            let mut open = match open {
                Some(open) => open,
                None => connect(host, port).await?,
            };
            open.ready().await.context("the connection is closed")?;
            let response = open.send_request(request).await.context("send the request")?;
            let status = response.status();
            let body = Limited::new(response.into_body(), RESPONSE_MAX_BYTES).collect().await;
            let body = body.map_err(|error| anyhow::anyhow!("read the response: {error}"))?;
            anyhow::Ok((open, status, body.to_bytes()))
        })?;
        self.open = Some(open);
        if status.is_success() {
            return Ok(body.to_vec());
        }
        match refused(&body) {
            Some(refused) => Err(refused.into()),
            None => bail!("the server answered with status {status} and no error"),
        }
    }

    fn request(&self, target: String, body: &[u8]) -> anyhow::Result<Request<Full<Bytes>>> {
        let headers = [
            ("host", format!("{}:{}", self.host, self.port)),
            ("content-type", "application/x-amz-json-1.0".to_owned()),
            ("x-amz-target", target),
        ];
        let mut request = Request::post(&self.path);
        for (name, value) in &headers {
            request = request.header(*name, value);
        }
        if let Some(signer) = &self.signer {
            for (name, value) in signer.sign_request("POST", &self.path, "", &headers, body, now())
            {
                request = request.header(name, value);
            }
        }
        request.body(Full::new(Bytes::copy_from_slice(body))).context("build the request")
    }
}

async fn connect(host: &str, port: u16) -> anyhow::Result<SendRequest<Full<Bytes>>> {
    let bare = host.trim_matches(['[', ']']);
    let stream = timeout(CONNECT_TIMEOUT, TcpStream::connect((bare, port)))
        .await
        .unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into()))
        .with_context(|| format!("connect to {host}:{port} (`hashrange serve` starts a server)"))?;
    stream.set_nodelay(true).context("set no delay")?;
    let (open, connection) = handshake(TokioIo::new(stream)).await.context("begin HTTP")?;
    // How the connection ends is seen by the request that is on it.
    tokio::spawn(async { drop(connection.await) });
    Ok(open)
}
