//! Each request has one event, whatever a client sends and whether or not it waits for the answer.

use crate::harness::{Client, Server, post};
use hashrange_auth::{CredentialStore, Policy};
use hashrange_server::{Config, Event, Interest, Limits, Subscriber};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const GET_ITEM: &str = "DynamoDB_20120810.GetItem";

/// An event as the tests compare it: operation, status, exception.
type Told = (Option<String>, Option<u16>, Option<String>);

/// A subscriber that keeps all events.
#[derive(Debug, Default)]
struct Kept {
    events: Mutex<Vec<Told>>,
    agents: Mutex<Vec<(Option<String>, usize)>>,
}

impl Subscriber for Kept {
    fn interest(&self) -> Interest {
        Interest { usage: true, details: true, body: false }
    }

    fn ended(&self, event: &Event) {
        let details = event.details.as_ref().unwrap();
        assert!(details.read <= event.taken);
        assert!(details.ended.is_zero() || details.began <= details.ended);
        assert!(event.id.as_str().len() == 52 && event.peer.is_loopback());
        let answered = event.answered.as_ref();
        self.events.lock().unwrap().push((
            event.operation.as_ref().map(|it| it.name().to_owned()),
            answered.map(|it| it.status),
            answered.and_then(|it| it.exception.clone()),
        ));
        self.agents.lock().unwrap().push((details.agent.clone(), event.received_bytes));
    }
}

impl Kept {
    /// Waits for the next events and returns them.
    async fn take(&self) -> Vec<Told> {
        let next = async {
            loop {
                let events = std::mem::take(&mut *self.events.lock().unwrap());
                if !events.is_empty() {
                    return events;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), next).await.expect("an event")
    }
}

async fn start(config: Config) -> (Server, Arc<Kept>) {
    let kept = Arc::new(Kept::default());
    (Server::start(Config { subscribers: vec![kept.clone()], ..config }).await, kept)
}

fn told(operation: &str, status: u16, exception: &str) -> Vec<Told> {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    vec![(text(operation), Some(status), text(exception))]
}

fn request(head: &str, body: &str) -> Vec<u8> {
    format!("{head}\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into()
}

#[tokio::test]
async fn a_request_has_one_event_whatever_it_is() {
    let limits = Limits { body_bytes: 1000, ..Limits::default() };
    let (server, kept) = start(Config { limits, ..Config::default() }).await;
    let big = "x".repeat(1001);
    let typed = "POST / HTTP/1.1\r\nContent-Type: application/x-amz-json-1.0";
    let chunks = format!("{typed}\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nnone");
    let coded = format!("Content-Encoding: gzip\r\nX-Amz-Target: {GET_ITEM}");
    let cases = [
        (request("GET / HTTP/1.1", ""), told("", 200, "")),
        (request("GET /ready HTTP/1.1", ""), told("", 200, "")),
        (request("GET /metrics HTTP/1.1", ""), told("", 200, "")),
        (request("GET /x HTTP/1.1", ""), told("", 404, "")),
        (request("OPTIONS / HTTP/1.1\r\nOrigin: http://localhost", ""), told("", 200, "")),
        (request("FETCH / HTTP/1.1", "{"), told("", 404, "")),
        (b"POST / HTTP/1.1\r\n\r\n".to_vec(), told("", 400, "")),
        (request("POST / HTTP/1.1\r\nHost: again", "{}"), told("", 400, "")),
        (request(typed, &big), told("", 413, "")),
        (chunks.into_bytes(), told("", 400, "")),
        (request("GET / HTTP/1.1\r\nOrigin: http://elsewhere", ""), told("", 200, "")),
        (
            request(&format!("{typed}\r\nOrigin: http://elsewhere"), "{}"),
            told("", 403, "AccessDeniedException"),
        ),
        (request(typed, "{"), told("", 400, "SerializationException")),
        (request(typed, "{}"), told("", 400, "UnknownOperationException")),
        (
            request(&format!("{typed}\r\n{coded}"), "no gzip"),
            told("", 400, "SerializationException"),
        ),
        (post(GET_ITEM, "", "{"), told("GetItem", 400, "SerializationException")),
        (post(GET_ITEM, "", ""), told("GetItem", 400, "SerializationException")),
        (post(GET_ITEM, "", "{}"), told("GetItem", 200, "")),
        (
            post(GET_ITEM, "", r#"{"do":"refuse"}"#),
            told("GetItem", 400, "ResourceNotFoundException"),
        ),
        (
            post(GET_ITEM, "", r#"{"do":"condition"}"#),
            told("GetItem", 400, "ConditionalCheckFailedException"),
        ),
        (post(GET_ITEM, "", r#"{"do":"fail"}"#), told("GetItem", 500, "InternalServerError")),
        (post(GET_ITEM, "", r#"{"do":"panic"}"#), told("GetItem", 500, "InternalServerError")),
        (post("Hashrange_2026.Echo", "", "{}"), told("Echo", 200, "")),
        (post("Hashrange_2026.None", "", "{}"), told("None", 400, "UnknownOperationException")),
        (post("DynamoDB_20120810.None", "", "{}"), told("", 400, "UnknownOperationException")),
    ];
    for (sent, expected) in cases {
        let text = String::from_utf8_lossy(&sent).into_owned();
        server.ask(&sent).await;
        assert_eq!(kept.take().await, expected, "{text}");
    }
    // Bytes that are no HTTP are no request.
    server.ask("no HTTP\r\n\r\n").await;
    server.ask(post(GET_ITEM, "User-Agent: tests\r\n", "{}")).await;
    assert_eq!(kept.take().await, told("GetItem", 200, ""));
    let last = kept.agents.lock().unwrap().pop();
    assert_eq!(last, Some((Some("tests".to_owned()), 2)));
}

#[tokio::test]
async fn requests_that_are_not_let_in_have_an_event() {
    let auth = Arc::new(Policy::Verify(CredentialStore::new()).into());
    let (server, kept) = start(Config { auth, ..Config::default() }).await;
    server.post(GET_ITEM, "", "{}").await;
    assert_eq!(kept.take().await, told("GetItem", 400, "MissingAuthenticationTokenException"));
    let limits = Limits { requests: 0, ..Limits::default() };
    let (server, kept) = start(Config { limits, ..Config::default() }).await;
    server.post(GET_ITEM, "", "{}").await;
    assert_eq!(kept.take().await, told("", 503, "ServiceUnavailableException"));
}

#[tokio::test]
async fn a_client_that_goes_away_leaves_an_event() {
    let (server, kept) = start(Config::default()).await;
    let gone = async |client: Client| {
        drop(client);
        kept.take().await
    };
    let mut client = server.connect().await;
    client.send(post(GET_ITEM, "", r#"{"do":"wait"}"#)).await;
    server.api.waiting.notified().await;
    assert_eq!(gone(client).await, [(Some("GetItem".to_owned()), None, None)]);
    let metrics = server.ask("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    let counted = "hashrange_requests_total{operation=\"GetItem\",status=\"gone\"} 1\n";
    assert!(metrics.text().contains(counted), "{}", metrics.text());
    kept.take().await;

    // Of a request whose body ends early nobody is there to read the answer.
    let mut client = server.connect().await;
    let whole = post(GET_ITEM, "", "{} ");
    client.send(&whole[..whole.len() - 1]).await;
    let [(None, status, None)] = &gone(client).await[..] else { panic!("one event") };
    assert!(matches!(status, None | Some(400)), "{status:?}");

    // An answer that nobody reads is an answer.
    let mut client = server.connect().await;
    client.send(post(GET_ITEM, "", r#"{"do":"huge"}"#)).await;
    assert!(client.fill().await);
    assert_eq!(gone(client).await, told("GetItem", 200, ""));
}
