//! Clients that take places and send nothing, or half of what they began: others are served all the
//! same.

use crate::harness::http2::Http2;
use crate::harness::{Client, Server, patient, post};
use hashrange_server::{Bound, Config};
use std::time::Duration;
use tokio::time::timeout;

const GET_ITEM: &str = "DynamoDB_20120810.GetItem";

/// Returns the head of a request with a body of so many bytes.
fn head(body_bytes: usize) -> String {
    format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         X-Amz-Target: {GET_ITEM}\r\nContent-Length: {body_bytes}\r\n\r\n"
    )
}

/// Sends a request and returns the status.
async fn ask(client: &mut Client) -> u16 {
    client.send(post(GET_ITEM, "", "{}")).await;
    client.response().await.unwrap().status
}

#[tokio::test]
async fn half_sent_requests_take_no_place_from_others() {
    let server = Server::start(patient(|limits| limits.requests = 1)).await;
    let mut halves = Vec::new();
    for _ in 0..50 {
        let mut client = server.connect().await;
        client.send(head(10) + "1").await;
        halves.push(client);
    }
    let mut http2 = Http2::open(&server, 65_535).await;
    for _ in 0..20 {
        http2.begin(GET_ITEM, 10, "1").await;
    }
    assert_eq!(server.post(GET_ITEM, "", "{}").await.status, 200);
    halves[0].send("         ").await;
    assert_eq!(halves[0].response().await.unwrap().status, 200);
}

#[tokio::test]
async fn the_server_tells_of_itself_when_all_places_are_taken() {
    let server = Server::start(patient(|limits| limits.requests = 1)).await;
    let mut first = server.connect().await;
    first.send(post(GET_ITEM, "", r#"{"do":"wait"}"#)).await;
    server.api.waiting.notified().await;
    assert_eq!(server.post(GET_ITEM, "", "{}").await.status, 503);
    for path in ["/health", "/", "/ready", "/metrics"] {
        let asked = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert_eq!(server.ask(asked).await.status, 200, "{path}");
    }
    server.api.go_on.notify_one();
    assert_eq!(first.response().await.unwrap().status, 200);
}

#[tokio::test]
async fn what_a_client_announces_costs_others_nothing() {
    let server = Server::start(patient(|limits| limits.buffered_bytes = 1 << 20)).await;
    let mut halves = Vec::new();
    for _ in 0..100 {
        let mut client = server.connect().await;
        client.send(head(16 << 20) + "1").await;
        halves.push(client);
    }
    let mut client = server.connect().await;
    let body = " ".repeat(300_000);
    client.send(head(body.len() + 2) + &body).await;
    client.send("{}").await;
    assert_eq!(client.response().await.unwrap().status, 200);
    let held = server.metric("hashrange_request_body_bytes").await;
    assert!(held < 1 << 20, "{held}");
    drop(halves);
    server.metric_becomes("hashrange_request_body_bytes", 0).await;
}

#[tokio::test]
async fn a_body_for_which_there_is_no_memory_is_read_before_it_is_refused() {
    let server = Server::start(patient(|limits| {
        (limits.buffered_bytes, limits.large_body_bytes) = (100_000, 1000);
        (limits.spare_body_bytes, limits.body_patience) = (0, Duration::ZERO);
    }))
    .await;
    let body = format!("{{{}}}", " ".repeat(4_000_000));
    let mut client = server.connect().await;
    client.send(post(GET_ITEM, "", &body)).await;
    let refused = client.response().await.unwrap();
    assert_eq!(refused.status, 503);
    assert!(refused.text().contains("#ServiceUnavailableException"));
    assert_eq!(ask(&mut client).await, 200, "the connection goes on");
    assert_eq!(server.metric("hashrange_request_body_bytes").await, 0);
}

/// Each of them alone fits, two at once do not.
#[tokio::test]
async fn bodies_wait_for_each_other_and_are_all_answered() {
    let server = Server::start(patient(|limits| {
        (limits.buffered_bytes, limits.large_body_bytes) = (1 << 20, 1000);
        limits.spare_body_bytes = 700_000;
    }))
    .await;
    let body = format!("{{{}}}", " ".repeat(600_000));
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..12 {
        let (mut client, body) = (server.connect().await, body.clone());
        clients.spawn(async move {
            client.send(head(body.len()) + &body[..300_000]).await;
            client.send(&body[300_000..]).await;
            client.response().await.unwrap().status
        });
    }
    assert_eq!(clients.join_all().await, [200; 12]);
    server.metric_becomes("hashrange_request_body_bytes", 0).await;
}

#[tokio::test]
async fn who_holds_the_most_of_half_sent_bodies_is_ended_when_memory_is_short() {
    let server = Server::start(patient(|limits| {
        (limits.buffered_bytes, limits.large_body_bytes) = (1 << 20, 1000);
        limits.spare_body_bytes = 0;
        limits.pressure_patience = Duration::ZERO;
    }))
    .await;
    let mut small = server.connect().await;
    small.send(head(300_000) + &" ".repeat(100_000)).await;
    let mut large = server.connect().await;
    large.send(head(700_000) + &" ".repeat(400_000)).await;
    while server.metric("hashrange_request_body_bytes").await < 500_000 {}
    let body = format!("{{{}}}", " ".repeat(300_000));
    while server.post(GET_ITEM, "", &body).await.status != 200 {}
    assert!(large.is_closed().await);
    small.send(" ".repeat(199_998) + "{}").await;
    assert_eq!(small.response().await.unwrap().status, 200);
}

/// Opens a connection whose request is being run.
async fn running(server: &Server) -> Client {
    let mut client = server.connect().await;
    client.send(post(GET_ITEM, "", r#"{"do":"wait"}"#)).await;
    server.api.waiting.notified().await;
    client
}

#[tokio::test]
async fn connections_that_can_be_dispensed_with_make_place() {
    let server = Server::start(patient(|limits| {
        (limits.connections, limits.spare_idle) = (4, Duration::ZERO);
    }))
    .await;
    let mut all_running = vec![running(&server).await];
    let mut half = server.connect().await;
    half.send(head(10) + "1").await;
    let mut idle = server.connect().await;
    loop {
        idle.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
        if !idle.response().await.unwrap().text().contains("hashrange_request_body_bytes 0\n") {
            break;
        }
    }
    let mut silent = server.connect().await;

    // What is idle goes first, then half of a request; what is being run stays.
    all_running.push(running(&server).await);
    all_running.push(running(&server).await);
    assert!(idle.is_closed().await && silent.is_closed().await);
    all_running.push(running(&server).await);
    assert!(half.is_closed().await);
    server.api.go_on.notify_waiters();
    for mut client in all_running {
        assert_eq!(client.response().await.unwrap().status, 200);
    }
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn an_address_with_most_of_the_connections_makes_place_itself() {
    let server = Server::start(patient(|limits| {
        (limits.connections, limits.spare_idle) = (8, Duration::ZERO);
    }))
    .await;
    let mut honest = server.connect().await;
    assert_eq!(ask(&mut honest).await, 200);
    let mut greedy = Vec::new();
    for _ in 0..7 {
        let mut client = server.connect_from("127.0.0.2").await;
        assert_eq!(ask(&mut client).await, 200);
        greedy.push(client);
    }
    let mut another = server.connect_from("127.0.0.3").await;
    assert_eq!(ask(&mut another).await, 200);
    // Which one is idle the longest is known no better than the watch looks.
    let first = ended(&mut greedy).await;
    drop(greedy.remove(first));
    for left in greedy.iter_mut().chain([&mut honest, &mut another]) {
        assert_eq!(ask(left).await, 200);
    }
    // Now it has three quarters, and the longest idle connection is ended, whose it may be.
    let mut fourth = server.connect_from("127.0.0.4").await;
    assert_eq!(ask(&mut fourth).await, 200);
    let mut all = greedy;
    all.extend([honest, another]);
    let second = ended(&mut all).await;
    drop(all.remove(second));
    for left in &mut all {
        assert_eq!(ask(left).await, 200);
    }
}

/// Waits until the server has ended one of these connections and returns which.
async fn ended(clients: &mut [Client]) -> usize {
    loop {
        for (nth, client) in clients.iter_mut().enumerate() {
            if timeout(Duration::from_millis(5), client.is_closed()).await == Ok(true) {
                return nth;
            }
        }
    }
}

#[tokio::test]
async fn http11_has_one_host() {
    let server = Server::start(Config::default()).await;
    let cases = [
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 200),
        ("GET / HTTP/1.0\r\n\r\n", 200),
    ];
    for (sent, status) in cases {
        assert_eq!(server.ask(sent).await.status, status, "{sent}");
    }
}

#[tokio::test]
async fn an_address_that_is_taken_refuses_until_it_is_listened_on() {
    let bound = Bound::new("localhost", 0).await.unwrap();
    let address = bound.local_addr().unwrap();
    let refused = tokio::net::TcpStream::connect(address).await.unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    let listener = bound.listen().unwrap();
    let client = tokio::net::TcpStream::connect(address).await.unwrap();
    let (_, peer) = listener.accept().await.unwrap();
    assert_eq!(peer, client.local_addr().unwrap());
    assert!(Bound::new("127.0.0.1", address.port()).await.is_err() || address.is_ipv6());
}
