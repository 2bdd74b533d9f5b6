//! The bare server: hyper on the product's runtime, which reads a request and returns fixed bytes
//! with the headers a real answer has.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue, SERVER};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use tokio::net::{TcpListener, TcpStream};

static JSON: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");
static NAME: HeaderValue = HeaderValue::from_static("Hashrange");
static REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
static SOME_REQUEST_ID: HeaderValue =
    HeaderValue::from_static("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567ABCDEFGHIJKLMNOPQRST");
static CRC32: HeaderName = HeaderName::from_static("x-amz-crc32");
static SOME_CRC32: HeaderValue = HeaderValue::from_static("2745614147");

/// Serves for ever on a port of this machine.
pub fn serve(port: u16, body: Vec<u8>) -> Result<(), String> {
    let body = Bytes::from(body);
    let runtime = crate::data::runtime()?;
    runtime.block_on(async {
        let listener =
            TcpListener::bind(("127.0.0.1", port)).await.map_err(|error| error.to_string())?;
        loop {
            let (stream, _) = listener.accept().await.map_err(|error| error.to_string())?;
            tokio::spawn(serve_connection(stream, body.clone()));
        }
    })
}

/// Answers the requests of one connection.
pub async fn serve_connection(stream: TcpStream, body: Bytes) {
    // A connection without this option works too.
    drop(stream.set_nodelay(true));
    let service = service_fn(move |request| answer(request, body.clone()));
    let http = hyper::server::conn::http1::Builder::new();
    // A connection that breaks is the client's affair.
    drop(http.serve_connection(TokioIo::new(stream), service).await);
}

async fn answer(
    request: Request<Incoming>,
    body: Bytes,
) -> Result<Response<Full<Bytes>>, Infallible> {
    // A request that breaks off gets the same answer, which the client does not read.
    drop(request.into_body().collect().await);
    let mut response = Response::new(Full::new(body));
    let headers = response.headers_mut();
    headers.insert(SERVER, NAME.clone());
    headers.insert(&REQUEST_ID, SOME_REQUEST_ID.clone());
    headers.insert(&CRC32, SOME_CRC32.clone());
    headers.insert(CONTENT_TYPE, JSON.clone());
    Ok(response)
}
