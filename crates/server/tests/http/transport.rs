//! Framing, compression, limits, faults of ours and shutdown, over real sockets.

use crate::harness::{Server, large_body, post};
use bytes::Bytes;
use flate2::read::{GzDecoder, ZlibDecoder};
use hashrange_server::{Config, Limits};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::io::{Read, Write};
use std::sync::atomic::Ordering;
use std::time::Duration;

const GET_ITEM: &str = "DynamoDB_20120810.GetItem";
const PUT_ITEM: &str = "DynamoDB_20120810.PutItem";
const MALFORMED: &str = r#"{"__type":"com.amazon.coral.service#SerializationException"}"#;

fn limited(change: impl FnOnce(&mut Limits)) -> Config {
    let mut config = Config::default();
    change(&mut config.limits);
    config
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn chunked_head() -> String {
    format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         X-Amz-Target: {GET_ITEM}\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
}

#[tokio::test]
async fn malformed_http_gets_an_error_and_the_connection_ends() {
    let server = Server::start(Config::default()).await;
    let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(100_000));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(200));
    // A head that is cut off unread may reset the connection before the answer is read.
    let cases: [(&str, &[Option<u16>]); 9] = [
        ("\0\0\0\0\r\n\r\n", &[Some(400)]),
        ("GET\r\n\r\n", &[Some(400)]),
        ("GET / HTTP/9.9\r\n\r\n", &[Some(400)]),
        ("GET / HTTP/1.1\r\nBad Header: x\r\n\r\n", &[Some(400)]),
        ("POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", &[Some(400)]),
        ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", &[Some(400)]),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", &[Some(400)]),
        (&long, &[Some(431), None]),
        (&many, &[Some(431), None]),
    ];
    for (sent, allowed) in cases {
        let mut client = server.connect().await;
        client.try_send(sent).await;
        let name = &sent[..sent.len().min(60)];
        let status = client.response().await.map(|response| response.status);
        assert!(allowed.contains(&status), "{status:?}: {name}");
        assert!(client.is_closed().await, "{name}");
    }
    assert_eq!(server.post(GET_ITEM, "", "{}").await.status, 200);
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let server = Server::start(Config::default()).await;
    let mut all = Vec::new();
    for length in 2..200 {
        let body = format!("{{{}}}", " ".repeat(length - 2));
        let target = if length % 2 == 0 { GET_ITEM } else { PUT_ITEM };
        all.extend(post(target, "", body));
    }
    let mut client = server.connect().await;
    client.send(all).await;
    for length in 2..200 {
        let name = if length % 2 == 0 { "GetItem" } else { "PutItem" };
        let response = client.response().await.unwrap();
        assert_eq!(response.text(), format!("{{\"operation\":\"{name}\",\"bytes\":{length}}}"));
    }
}

#[tokio::test]
async fn bodies_arrive_whole_however_they_are_sent() {
    let server = Server::start(Config::default()).await;
    let whole = format!("{{\"x\":\"{}\"}}", "y".repeat(300_000));
    let expected = format!("{{\"operation\":\"GetItem\",\"bytes\":{}}}", whole.len());

    assert_eq!(server.post(GET_ITEM, "", &whole).await.text(), expected, "one large body");

    let mut client = server.connect().await;
    client.send(chunked_head()).await;
    for part in whole.as_bytes().chunks(70_001) {
        client.send(format!("{:x}\r\n", part.len())).await;
        client.send(part).await;
        client.send("\r\n").await;
    }
    client.send("0\r\nTrailer: ignored\r\n\r\n").await;
    assert_eq!(client.response().await.unwrap().text(), expected, "chunks");

    let request = post(GET_ITEM, "", "{ }");
    let mut client = server.connect().await;
    for byte in request {
        client.send([byte]).await;
    }
    assert_eq!(client.response().await.unwrap().text(), r#"{"operation":"GetItem","bytes":3}"#);
}

#[tokio::test]
async fn a_client_that_expects_100_is_told_to_go_on() {
    let server = Server::start(Config::default()).await;
    let mut client = server.connect().await;
    let request = post(GET_ITEM, "Expect: 100-continue\r\n", "{}");
    let (head, body) = request.split_at(request.len() - 2);
    client.send(head).await;
    assert_eq!(client.response().await.unwrap().status, 100);
    client.send(body).await;
    assert_eq!(client.response().await.unwrap().status, 200);
}

#[tokio::test]
async fn broken_chunks_are_refused() {
    let server = Server::start(Config::default()).await;
    for chunk in ["zz\r\n{}\r\n0\r\n\r\n", "2\r\n{}x\r\n", "ffffffffffffffffff\r\n"] {
        let mut client = server.connect().await;
        client.send(chunked_head()).await;
        client.try_send(chunk).await;
        let status = client.response().await.map(|response| response.status);
        assert!(matches!(status, Some(400) | None), "{chunk:?}: {status:?}");
        assert!(client.is_closed().await, "{chunk:?}");
    }
    assert_eq!(server.api.calls.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn bodies_over_the_limit_are_refused() {
    let server = Server::start(limited(|limits| limits.body_bytes = 1000)).await;
    let exact = format!("{{{}}}", " ".repeat(998));
    assert_eq!(server.post(GET_ITEM, "", &exact).await.status, 200);

    let declared = server.post(GET_ITEM, "", format!("{exact} ")).await;
    assert_eq!((declared.status, declared.text()), (413, ""));

    let endless =
        server.ask("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999\r\n\r\n");
    assert_eq!(endless.await.status, 413);

    for chunks in [["1f4\r\n"; 3].as_slice(), &["7d0\r\n"]] {
        let mut client = server.connect().await;
        client.send(chunked_head()).await;
        for chunk in chunks {
            let length = usize::from_str_radix(chunk.trim(), 16).unwrap();
            client.try_send(format!("{chunk}{}\r\n", " ".repeat(length))).await;
        }
        client.try_send("0\r\n\r\n").await;
        assert_eq!(client.response().await.unwrap().status, 413);
        assert!(client.is_closed().await);
    }
    assert_eq!(server.api.calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn requests_over_the_limit_are_put_off() {
    let server = Server::start(limited(|limits| limits.requests = 1)).await;
    let mut first = server.connect().await;
    first.send(post(GET_ITEM, "", r#"{"do":"wait"}"#)).await;
    server.api.waiting.notified().await;
    assert_eq!(server.post(GET_ITEM, "", "{}").await.status, 503);
    server.api.go_on.notify_one();
    assert_eq!(first.response().await.unwrap().status, 200);
    assert_eq!(server.post(GET_ITEM, "", "{}").await.status, 200);
}

#[tokio::test]
async fn connections_over_the_limit_wait_for_a_place() {
    let server = Server::start(limited(|limits| limits.connections = 1)).await;
    let mut first = server.connect().await;
    first.send(post(GET_ITEM, "", "{}")).await;
    assert_eq!(first.response().await.unwrap().status, 200);
    let mut second = server.connect().await;
    second.send(post(GET_ITEM, "", "{}")).await;
    drop(first);
    assert_eq!(second.response().await.unwrap().status, 200);
}

#[tokio::test]
async fn slow_clients_are_cut_off() {
    let soon = Duration::from_millis(40);
    let never = Duration::from_secs(100_000);
    let server = Server::start(limited(|limits| {
        (limits.head_timeout, limits.body_timeout, limits.idle_timeout) = (soon, never, never);
    }))
    .await;
    for sent in ["G", "POST / HTTP/1.1\r\nHost: localhost\r\n"] {
        let mut client = server.connect().await;
        client.send(sent).await;
        assert!(client.is_closed().await, "{sent}");
    }
    let server = Server::start(limited(|limits| {
        (limits.head_timeout, limits.body_timeout, limits.idle_timeout) = (never, soon, never);
    }))
    .await;
    let request = post(GET_ITEM, "", "{}");
    let mut client = server.connect().await;
    client.send(&request[..request.len() - 1]).await;
    assert_eq!(client.response().await.unwrap().status, 408);
    assert!(client.is_closed().await);

    let server = Server::start(limited(|limits| {
        (limits.head_timeout, limits.body_timeout, limits.idle_timeout) = (never, never, soon);
    }))
    .await;
    let mut silent = server.connect().await;
    assert!(silent.is_closed().await, "never a request");
    let mut idle = server.connect().await;
    idle.send(request).await;
    assert_eq!(idle.response().await.unwrap().status, 200);
    assert!(idle.is_closed().await, "no second request");
}

#[tokio::test]
async fn a_request_that_runs_long_is_not_cut_off() {
    let soon = Duration::from_millis(10);
    let server = Server::start(limited(|limits| {
        (limits.head_timeout, limits.body_timeout, limits.idle_timeout) = (soon, soon, soon);
    }))
    .await;
    let mut long = server.connect().await;
    long.send(post(GET_ITEM, "", r#"{"do":"wait"}"#)).await;
    server.api.waiting.notified().await;
    // An idle connection opened after it ends first: the watch has looked at both.
    assert!(server.connect().await.is_closed().await);
    server.api.go_on.notify_one();
    assert_eq!(long.response().await.unwrap().text(), "{\"waited\":true}");
}

#[tokio::test]
async fn compressed_requests_are_understood() {
    let server = Server::start(limited(|limits| limits.body_bytes = 100_000)).await;
    let body = format!("{{\"x\":\"{}\"}}", "y".repeat(90_000));
    let length = body.len();
    let ok = format!("{{\"operation\":\"GetItem\",\"bytes\":{length}}}");
    let bomb = gzipped(&vec![b' '; 20_000_000]);
    assert!(bomb.len() < 100_000);
    let inflatable = deflated(&vec![b' '; 20_000_000]);
    assert!(inflatable.len() < 100_000);
    let cases: [(&str, Vec<u8>, u16, &str); 10] = [
        ("gzip", gzipped(body.as_bytes()), 200, &ok),
        ("GZIP", gzipped(body.as_bytes()), 200, &ok),
        ("identity", body.clone().into_bytes(), 200, &ok),
        ("gzip", body.clone().into_bytes(), 400, MALFORMED),
        ("br", body.clone().into_bytes(), 400, MALFORMED),
        ("gzip", bomb, 413, ""),
        ("deflate", deflated(body.as_bytes()), 200, &ok),
        ("deflate", gzipped(body.as_bytes()), 400, MALFORMED),
        ("deflate", body.clone().into_bytes(), 400, MALFORMED),
        ("deflate", inflatable, 413, ""),
    ];
    for (encoding, sent, status, expected) in cases {
        let response =
            server.post(GET_ITEM, &format!("Content-Encoding: {encoding}\r\n"), sent).await;
        assert_eq!((response.status, response.text()), (status, expected), "{encoding}");
    }
}

#[tokio::test]
async fn large_answers_are_compressed_for_clients_that_take_it() {
    let server = Server::start(Config::default()).await;
    let cases = [
        ("", r#"{"do":"large"}"#, None),
        ("Accept-Encoding: identity\r\n", r#"{"do":"large"}"#, None),
        ("Accept-Encoding: gzip, deflate\r\n", r#"{"do":"large"}"#, Some("gzip")),
        ("Accept-Encoding: *\r\n", r#"{"do":"large"}"#, Some("gzip")),
        ("Accept-Encoding: deflate\r\n", r#"{"do":"large"}"#, Some("deflate")),
        ("Accept-Encoding: gzip\r\n", "{}", None),
    ];
    for (headers, body, compressed) in cases {
        let response = server.post(GET_ITEM, headers, body).await;
        let sum = crc32fast::hash(&response.body).to_string();
        assert_eq!(response.header("x-amz-crc32"), Some(sum.as_str()), "{headers}");
        let encoding = response.header("content-encoding");
        assert_eq!(encoding, compressed, "{headers}");
        if let Some(coding) = compressed {
            let mut plain = Vec::new();
            let read = match coding {
                "gzip" => GzDecoder::new(&response.body[..]).read_to_end(&mut plain),
                _ => ZlibDecoder::new(&response.body[..]).read_to_end(&mut plain),
            };
            read.unwrap();
            assert_eq!(plain, large_body());
            assert!(response.body.len() < plain.len() / 4);
        } else if body != "{}" {
            assert_eq!(response.body, large_body());
        }
    }
}

#[tokio::test]
async fn a_panic_costs_one_request_and_nothing_else() {
    let server = Server::start(Config::default()).await;
    let mut client = server.connect().await;
    for body in [r#"{"do":"panic"}"#, r#"{"do":"fail"}"#] {
        client.send(post(GET_ITEM, "", body)).await;
        let response = client.response().await.unwrap();
        assert_eq!(response.status, 500, "{body}");
        assert!(
            response
                .text()
                .starts_with(r#"{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError""#),
            "{}",
            response.text()
        );
        assert_eq!(response.header("content-type"), Some("application/x-amz-json-1.0"));
        assert_eq!(response.header("x-amzn-requestid").map(str::len), Some(52));
    }
    client.send(post(GET_ITEM, "", "{}")).await;
    assert_eq!(client.response().await.unwrap().status, 200);
    let metrics = server.ask("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    for line in [
        "hashrange_panics_total 1\n",
        "hashrange_requests_total{operation=\"GetItem\",status=\"5xx\"} 2\n",
        "hashrange_requests_total{operation=\"GetItem\",status=\"200\"} 1\n",
        "hashrange_request_duration_seconds_count{operation=\"GetItem\"} 3\n",
        "hashrange_connections_open 2\n",
    ] {
        assert!(metrics.text().contains(line), "{line} in {}", metrics.text());
    }
}

#[tokio::test]
async fn heads_have_no_body_and_connections_stay_usable() {
    let server = Server::start(Config::default()).await;
    let mut client = server.connect().await;
    client.send("HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await;
    let mut response = Vec::new();
    while let Some(part) = client.rest().await {
        response.extend(part);
    }
    let text = String::from_utf8(response).unwrap();
    assert!(text.starts_with("HTTP/1.1 404 "), "{text}");
    assert!(text.ends_with("\r\n\r\n"), "{text}");
}

#[tokio::test]
async fn http2_is_spoken_to_clients_that_begin_with_it() {
    let server = Server::start(Config::default()).await;
    let stream = tokio::net::TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .unwrap();
    let driver = tokio::spawn(connection);
    for (body, expected) in [
        ("{}".to_owned(), r#"{"operation":"GetItem","bytes":2}"#.to_owned()),
        (
            format!("{{{}}}", " ".repeat(500_000)),
            r#"{"operation":"GetItem","bytes":500002}"#.into(),
        ),
    ] {
        let request = hyper::Request::post("http://localhost/")
            .header("content-type", "application/x-amz-json-1.0")
            .header("x-amz-target", GET_ITEM)
            .body(Full::new(Bytes::from(body)))
            .unwrap();
        let response = sender.send_request(request).await.unwrap();
        assert_eq!(response.status(), 200);
        let sum = response.headers()["x-amz-crc32"].clone();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(body, expected);
        assert_eq!(sum, crc32fast::hash(&body).to_string());
    }
    drop(sender);
    driver.await.unwrap().unwrap();
}

#[tokio::test]
async fn shutdown_finishes_running_requests_and_ends_idle_connections() {
    let mut server = Server::start(Config::default()).await;
    let mut idle = server.connect().await;
    idle.send(post(GET_ITEM, "", "{}")).await;
    assert_eq!(idle.response().await.unwrap().status, 200);
    let silent = server.connect().await;
    let mut running = server.connect().await;
    running.send(post(GET_ITEM, "", r#"{"do":"wait"}"#)).await;
    server.api.waiting.notified().await;

    server.stop();
    assert!(idle.is_closed().await);
    server.api.go_on.notify_one();
    let response = running.response().await.unwrap();
    assert_eq!(response.text(), "{\"waited\":true}");
    assert_eq!(response.header("connection"), Some("close"));
    let port = server.port;
    server.stopped().await;
    drop(silent);
    assert!(tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err());
}

#[tokio::test]
async fn shutdown_cuts_off_what_takes_too_long() {
    let mut server =
        Server::start(limited(|limits| limits.shutdown_grace = Duration::from_millis(10))).await;
    let mut running = server.connect().await;
    running.send(post(GET_ITEM, "", r#"{"do":"wait"}"#)).await;
    server.api.waiting.notified().await;
    server.stop();
    server.stopped().await;
    assert!(running.response().await.is_none());
}
