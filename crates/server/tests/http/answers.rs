//! Answers that clients do not take: what they may hold, for how long, and who pays for it.

use crate::harness::http2::Http2;
use crate::harness::{self, HUGE_BYTES, Server, large_body, post};
use hashrange_server::{Config, Limits};
use std::time::Duration;

const GET_ITEM: &str = "DynamoDB_20120810.GetItem";
const PUT_ITEM: &str = "DynamoDB_20120810.PutItem";
const LARGE: &str = r#"{"do":"large"}"#;
const HUGE: &str = r#"{"do":"huge"}"#;
const SOON: Duration = Duration::from_millis(40);

/// Limits of time that no test reaches, no patience with answers, and changes to them.
fn patient(change: impl FnOnce(&mut Limits)) -> Config {
    harness::patient(|limits| {
        limits.answer_patience = Duration::ZERO;
        change(limits);
    })
}

#[tokio::test]
async fn a_request_holds_its_place_until_its_answer_is_out() {
    let server = Server::start(patient(|limits| limits.requests = 3)).await;
    let mut stalled = Http2::open(&server, 0).await;
    for _ in 0..3 {
        let stream = stalled.request(GET_ITEM, "{}").await;
        stalled.until_begun(stream).await;
    }
    let refused = server.post(GET_ITEM, "", "{}").await;
    assert_eq!(refused.status, 503);
    assert!(refused.text().contains("#ServiceUnavailableException"), "{}", refused.text());
    assert_eq!(server.metric("hashrange_requests_open").await, 3);

    stalled.allow(1, 1000).await;
    assert!(stalled.until_ended(1).await);
    server.metric_becomes("hashrange_requests_open", 2).await;
    assert_eq!(server.post(GET_ITEM, "", "{}").await.status, 200);

    drop(stalled);
    server.metric_becomes("hashrange_requests_open", 0).await;
    assert_eq!(server.metric("hashrange_unsent_answer_bytes").await, 0);
}

#[tokio::test]
async fn unsent_bytes_of_all_connections_are_bounded() {
    let large = large_body().len();
    let server = Server::start(patient(|limits| limits.answer_bytes = 4 * large)).await;
    let mut connections = Vec::new();
    for _ in 0..4 {
        let mut stalled = Http2::open(&server, 0).await;
        let stream = stalled.request(GET_ITEM, LARGE).await;
        stalled.until_begun(stream).await;
        connections.push(stalled);
    }
    let unsent = server.metric("hashrange_unsent_answer_bytes").await;
    assert!(unsent >= 4 * large as u64, "{unsent}");
    for _ in 0..20 {
        assert_eq!(server.post(GET_ITEM, "", LARGE).await.status, 503);
        assert_eq!(server.post(GET_ITEM, "", "{}").await.status, 503);
    }
    assert_eq!(server.ask("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").await.status, 200);

    // What one takes is there for others.
    let mut taking = connections.pop().unwrap();
    taking.allow(1, 1 << 20).await;
    taking.allow(0, 1 << 20).await;
    assert!(taking.until_ended(1).await);
    assert_eq!(taking.received[&1], large);
    while server.post(GET_ITEM, "", LARGE).await.status != 200 {}
}

#[tokio::test]
async fn an_answer_for_which_there_is_no_room_is_replaced_unless_it_tells_of_a_write() {
    let large = large_body().len();
    let server = Server::start(patient(|limits| limits.answer_bytes = large + large / 2)).await;
    let mut stalled = Http2::open(&server, 0).await;
    let stream = stalled.request(GET_ITEM, LARGE).await;
    stalled.until_begun(stream).await;
    assert_eq!(server.post(GET_ITEM, "", "{}").await.status, 200);
    assert_eq!(server.post(GET_ITEM, "", LARGE).await.status, 503);
    assert_eq!(server.post(PUT_ITEM, "", LARGE).await.body, large_body());
}

#[tokio::test]
async fn who_holds_the_most_is_ended_when_room_is_short() {
    let large = large_body().len();
    let server = Server::start(patient(|limits| {
        limits.answer_bytes = 4 * large;
        limits.pressure_patience = Duration::ZERO;
    }))
    .await;
    let mut one = Http2::open(&server, 0).await;
    let mut many = Http2::open(&server, 0).await;
    let stream = one.request(GET_ITEM, LARGE).await;
    one.until_begun(stream).await;
    for _ in 0..3 {
        let stream = many.request(GET_ITEM, LARGE).await;
        many.until_begun(stream).await;
    }
    while server.post(GET_ITEM, "", LARGE).await.status != 200 {}
    many.until_closed().await;
    one.allow(0, 1 << 20).await;
    one.allow(stream, 1 << 20).await;
    assert!(one.until_ended(stream).await);
    assert_eq!(server.metric("hashrange_connections_cut_total").await, 1);
}

#[tokio::test]
async fn an_answer_that_stands_still_ends_its_connection_whatever_else_is_asked() {
    let server = Server::start(patient(|limits| limits.write_timeout = SOON)).await;
    let mut client = Http2::open(&server, 0).await;
    let still = client.request(GET_ITEM, LARGE).await;
    client.until_begun(still).await;
    // Small requests that are answered, and pings, are no excuse.
    loop {
        let stream = client.request(GET_ITEM, "{}").await;
        client.allow(stream, 1000).await;
        if !client.until_ended(stream).await {
            break;
        }
    }
    server.metric_becomes("hashrange_requests_open", 0).await;
    assert_eq!(server.metric("hashrange_connections_cut_total").await, 1);
    assert_eq!(server.metric("hashrange_unsent_answer_bytes").await, 0);

    // Nor is it over HTTP/1.1, where the socket takes a part.
    let mut client = server.connect().await;
    client.send(post(GET_ITEM, "", HUGE)).await;
    server.metric_becomes("hashrange_connections_cut_total", 2).await;
    assert_eq!(server.metric("hashrange_unsent_answer_bytes").await, 0);
}

#[tokio::test]
async fn an_answer_is_not_cut_while_it_is_being_read() {
    let server = Server::start(patient(|limits| {
        (limits.idle_timeout, limits.head_timeout) = (SOON, SOON);
    }))
    .await;
    let mut reader = server.connect().await;
    reader.send(post(GET_ITEM, "", HUGE)).await;
    let next = post(GET_ITEM, "", "{}");
    let mut read = 0;
    for nth in 0..5 {
        while read < (nth + 1) * 1_000_000 {
            read += reader.rest().await.unwrap().len();
        }
        if nth == 0 {
            reader.send(&next[..1]).await;
        }
        // The watch has ended a connection that was opened after this one was idle as long.
        assert!(server.connect().await.is_closed().await);
    }
    reader.send(&next[1..]).await;
    let mut last = Vec::new();
    while let Some(part) = reader.rest().await {
        read += part.len();
        last.extend(part);
        last.drain(..last.len().saturating_sub(1000));
    }
    assert!(read > HUGE_BYTES && last.ends_with(b"{\"operation\":\"GetItem\",\"bytes\":2}"));
}

#[tokio::test]
async fn a_client_that_asks_for_what_has_no_body_and_reads_nothing_is_not_answered_for_ever() {
    let mut config = patient(|limits| {
        (limits.head_timeout, limits.idle_timeout) = (SOON, SOON);
    });
    config.web.origins = vec!["*".parse().unwrap()];
    let server = Server::start(config).await;
    let mut client = server.connect().await;
    let preflight = "OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://a\r\n\r\n";
    let many = preflight.repeat(1000);
    // It ends when the server has closed: otherwise this would fill its memory.
    while client.try_send(&many).await {}
}

#[tokio::test]
async fn streams_of_a_connection_are_bounded() {
    let server = Server::start(patient(|limits| limits.streams = 2)).await;
    let mut client = Http2::open(&server, 0).await;
    for _ in 0..2 {
        let stream = client.request(GET_ITEM, "{}").await;
        client.until_begun(stream).await;
    }
    let third = client.request(GET_ITEM, "{}").await;
    client.allow(1, 1000).await;
    assert!(client.until_ended(1).await);
    assert!(!client.begun.contains(&third));
    assert_eq!(server.metric("hashrange_requests_open").await, 1);
}
