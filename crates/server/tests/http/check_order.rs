//! The order in which faults are reported, and the body of each error, over real sockets.

#![expect(
    clippy::disallowed_methods,
    reason = "requests are signed for the date that the server sees"
)]

use crate::harness::{Script, Server, post};
use hashrange_auth::{CredentialStore, Policy};
use hashrange_server::{Config, Limits, Web};
use std::sync::Arc;

const MALFORMED: &str = r#"{"__type":"com.amazon.coral.service#SerializationException"}"#;
const UNKNOWN: &str = r#"{"__type":"com.amazon.coral.service#UnknownOperationException"}"#;
const UNSIGNED: &str = r#"{"__type":"com.amazon.coral.service#MissingAuthenticationTokenException","message":"Request is missing Authentication Token"}"#;
const NOT_FOUND: &str = "<UnknownOperationException/>\n";
const GET_ITEM: &str = "DynamoDB_20120810.GetItem";

fn signed_only() -> Config {
    let store = CredentialStore::parse(
        "[app]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = secret\n",
    )
    .unwrap();
    let limits = Limits { body_bytes: 1000, ..Limits::default() };
    Config { auth: Arc::new(Policy::Verify(store).into()), limits, ..Config::default() }
}

fn request(head: &str, body: &str) -> String {
    format!("{head}\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a flat table of cases")]
async fn the_fault_that_ranks_first_is_reported() {
    let server = Server::start(signed_only()).await;
    let big = "x".repeat(1001);
    let json = "Content-Type: application/x-amz-json-1.0";
    let cases: &[(&str, String, u16, &str)] = &[
        ("too big before all else", request("OPTIONS / HTTP/1.1\r\nOrigin: o", &big), 413, ""),
        ("too big before GET", request("GET / HTTP/1.1", &big), 413, ""),
        ("too big before 404", request("PUT / HTTP/1.1", &big), 413, ""),
        ("preflight without a type", request("OPTIONS / HTTP/1.1\r\nOrigin: o", "{"), 200, ""),
        ("no origin, no preflight", request("OPTIONS / HTTP/1.1", ""), 404, NOT_FOUND),
        (
            "GET before the type",
            request("GET / HTTP/1.1\r\nContent-Type: text/html", "{"),
            200,
            "healthy: dynamodb.us-east-1.amazonaws.com ",
        ),
        (
            "health",
            request("GET /health HTTP/1.1", ""),
            200,
            "healthy: dynamodb.us-east-1.amazonaws.com ",
        ),
        ("other paths of GET", request("GET /x HTTP/1.1", ""), 404, NOT_FOUND),
        ("PUT", request(&format!("PUT / HTTP/1.1\r\n{json}"), "{}"), 404, NOT_FOUND),
        ("DELETE", request(&format!("DELETE / HTTP/1.1\r\n{json}"), ""), 404, NOT_FOUND),
        ("an own method", request("FETCH / HTTP/1.1", ""), 404, NOT_FOUND),
        ("no type before JSON", request("POST / HTTP/1.1", "{"), 404, NOT_FOUND),
        (
            "wrong type before JSON",
            request("POST / HTTP/1.1\r\nContent-Type: text/plain", "{"),
            404,
            NOT_FOUND,
        ),
        (
            "JSON before the target",
            request(&format!("POST / HTTP/1.1\r\n{json}"), "{"),
            400,
            MALFORMED,
        ),
        (
            "target before the signature",
            request(&format!("POST / HTTP/1.1\r\n{json}"), "{}"),
            400,
            UNKNOWN,
        ),
        ("neither body nor type", request("POST / HTTP/1.1", ""), 400, UNKNOWN),
        (
            "neither body nor type, with a target",
            request(&format!("POST / HTTP/1.1\r\nX-Amz-Target: {GET_ITEM}"), ""),
            400,
            UNSIGNED,
        ),
        (
            "a type and no body",
            request("POST / HTTP/1.1\r\nContent-Type: text/plain", ""),
            404,
            NOT_FOUND,
        ),
        (
            "an empty body is no JSON fault yet",
            request(&format!("POST / HTTP/1.1\r\n{json}"), ""),
            400,
            UNKNOWN,
        ),
        (
            "JSON before the signature",
            request(&format!("POST / HTTP/1.1\r\n{json}\r\nX-Amz-Target: {GET_ITEM}"), "{]"),
            400,
            MALFORMED,
        ),
        (
            "the signature",
            request(&format!("POST / HTTP/1.1\r\n{json}\r\nX-Amz-Target: {GET_ITEM}"), "{}"),
            400,
            UNSIGNED,
        ),
        (
            "an empty body after the signature",
            request(&format!("POST / HTTP/1.1\r\n{json}\r\nX-Amz-Target: {GET_ITEM}"), ""),
            400,
            UNSIGNED,
        ),
        (
            "any path",
            request(&format!("POST /a/b?c HTTP/1.1\r\n{json}\r\nX-Amz-Target: {GET_ITEM}"), "{}"),
            400,
            UNSIGNED,
        ),
    ];
    for (name, sent, status, body) in cases {
        let response = server.ask(sent).await;
        assert_eq!((response.status, response.text()), (*status, *body), "{name}");
    }
}

#[tokio::test]
async fn targets_that_name_no_operation_are_unknown() {
    let server = Server::start(Config::default()).await;
    for target in ["", "GetItem", "DynamoDB_20120810", "DynamoDB_20120810.Nothing", "\u{e9}.x"] {
        let response = server.post(target, "", "{}").await;
        assert_eq!((response.status, response.text()), (400, UNKNOWN), "{target}");
    }
}

#[tokio::test]
async fn requests_reach_the_api_and_its_errors_come_back() {
    let server = Server::start(Config::default()).await;
    let cases = [
        ("{}", 200, r#"{"operation":"GetItem","bytes":2}"#),
        ("", 400, MALFORMED),
        ("{", 400, MALFORMED),
        (
            r#"{"do":"refuse"}"#,
            400,
            r#"{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"Requested resource not found"}"#,
        ),
        (
            r#"{"do":"condition"}"#,
            400,
            r#"{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","Message":"The conditional request failed","Item":{"pk":{"S":"k"}}}"#,
        ),
    ];
    for (body, status, expected) in cases {
        let response = server.post(GET_ITEM, "", body).await;
        assert_eq!((response.status, response.text()), (status, expected), "{body}");
    }
}

#[tokio::test]
async fn responses_carry_the_headers_of_the_protocol() {
    let server = Server::start(Config::default()).await;
    let types = ["application/x-amz-json-1.0", "application/json"];
    let response =
        server.ask("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n").await;
    assert_eq!(response.status, 400);
    assert_eq!(response.header("content-type"), Some("application/json"), "neither body nor type");
    let mut ids = Vec::new();
    for sent_type in types {
        let request = format!(
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: {sent_type}; charset=utf-8\r\n\
             X-Amz-Target: {GET_ITEM}\r\nContent-Length: 2\r\n\r\n{{}}"
        );
        let response = server.ask(request).await;
        assert_eq!(response.header("content-type"), Some(sent_type));
        assert_eq!(response.header("content-length"), Some("33"));
        assert_eq!(
            response.header("x-amz-crc32"),
            Some(crc32fast::hash(&response.body).to_string().as_str())
        );
        assert!(response.header("date").is_some());
        assert!(response.header("access-control-allow-origin").is_none());
        ids.push(response.header("x-amzn-requestid").unwrap().to_owned());
    }
    assert_ne!(ids[0], ids[1]);
    assert!(ids.iter().all(|id| id.len() == 52));
}

const PREFLIGHT: &str = "OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://page\r\n\
                         Access-Control-Request-Method: POST\r\n\
                         Access-Control-Request-Headers: x-amz-target,content-type\r\n\r\n";

#[tokio::test]
async fn pages_of_other_origins_may_call_where_credentials_are_asked_for() {
    let server = Server::start(signed_only()).await;
    let response = server.ask(PREFLIGHT).await;
    let expected = [
        ("access-control-allow-origin", "*"),
        ("access-control-allow-methods", "POST"),
        ("access-control-allow-headers", "x-amz-target,content-type"),
        ("access-control-max-age", "172800"),
        ("content-length", "0"),
    ];
    for (name, value) in expected {
        assert_eq!(response.header(name), Some(value), "{name}");
    }
    let response = server.post(GET_ITEM, "Origin: http://page\r\n", "{}").await;
    assert_eq!(response.header("access-control-allow-origin"), Some("*"));
    for path in ["/", "/health", "/ready", "/metrics", "/nothing"] {
        let asked =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nOrigin: http://page\r\n\r\n");
        let response = server.ask(asked).await;
        assert_eq!(response.header("access-control-allow-origin"), Some("*"), "{path}");
    }
    let response = server.post(GET_ITEM, "Origin: http://page\r\n", "{}").await;
    assert!(
        response.header("access-control-expose-headers").unwrap().contains("x-amz-crc32"),
        "{response:?}"
    );
}

#[tokio::test]
async fn pages_of_strangers_get_nothing_from_a_server_without_credentials() {
    let denied = r#"{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"#;
    let server = Server::start(Config::default()).await;
    for origin in ["http://page", "null", "https://localhost.page"] {
        let preflight = PREFLIGHT.replace("http://page", origin);
        let origin = format!("Origin: {origin}\r\n");
        for response in [
            server.ask(preflight).await,
            server.post(GET_ITEM, &origin, "{}").await,
            server.ask(format!("GET /metrics HTTP/1.1\r\nHost: localhost\r\n{origin}\r\n")).await,
        ] {
            assert_eq!(response.status, 403, "{origin}");
            assert!(response.text().starts_with(denied), "{}", response.text());
            assert!(response.text().contains("--allow-origin"), "{}", response.text());
            let headers = &response.headers;
            assert!(!headers.iter().any(|(name, _)| name.starts_with("access-control")));
        }
    }
    for host in ["page", "page:8000", "192.168.1.5:8000", "localhost.page"] {
        let request = String::from_utf8(post(GET_ITEM, "", "{}")).unwrap();
        let response = server.ask(request.replace("localhost", host)).await;
        assert_eq!(response.status, 403, "{host}");
        assert!(response.text().starts_with(denied), "{}", response.text());
        assert!(response.text().contains("--allow-host"), "{}", response.text());
    }
    assert_eq!(server.api.calls.load(std::sync::atomic::Ordering::SeqCst), 0);
    // How it is may be asked by any name: load balancers have names of their own.
    for path in ["/", "/health", "/ready"] {
        let asked = format!("GET {path} HTTP/1.1\r\nHost: page\r\n\r\n");
        assert_eq!(server.ask(asked).await.status, 200, "{path}");
        // A page of strangers may not read it, one of this machine may.
        for (origin, allowed) in
            [("http://page", None), ("http://localhost:3000", Some("http://localhost:3000"))]
        {
            let asked =
                format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nOrigin: {origin}\r\n\r\n");
            let response = server.ask(asked).await;
            assert_eq!(response.status, 200, "{path}");
            assert_eq!(response.header("access-control-allow-origin"), allowed, "{path}");
        }
    }

    let own = "Origin: http://localhost:3000\r\n";
    let response = server.post(GET_ITEM, own, "{}").await;
    assert_eq!(response.status, 200);
    assert_eq!(response.header("access-control-allow-origin"), Some("http://localhost:3000"));
    assert_eq!(response.header("vary"), Some("origin"));
}

#[tokio::test]
async fn pages_and_names_that_were_allowed_may_call() {
    let web = Web {
        origins: vec!["http://page".parse().unwrap()],
        hosts: vec!["db".parse().unwrap()],
        own_host: None,
    };
    let server = Server::start(Config { web, ..Config::default() }).await;
    let response = server.ask(PREFLIGHT).await;
    assert_eq!(response.status, 200);
    assert_eq!(response.header("access-control-allow-origin"), Some("http://page"));
    let request = String::from_utf8(post(GET_ITEM, "Origin: http://page\r\n", "{}")).unwrap();
    let response = server.ask(request.replace("localhost", "db:8000")).await;
    assert_eq!((response.status, response.text().contains("GetItem")), (200, true));
    let response = server.ask(request.replace("http://page", "http://other")).await;
    assert_eq!(response.status, 403);
}

#[tokio::test]
async fn a_store_that_refuses_writes_is_alive_and_not_ready() {
    let server = Server::start(Config::default()).await;
    let get = |path| server.ask(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    assert_eq!(get("/ready").await.text(), "ready\n");
    assert_eq!(server.metric("hashrange_store_writable").await, 1);
    *server.api.refuses_writes.lock().unwrap() = Some("the disk is full".into());
    let response = get("/ready").await;
    assert_eq!((response.status, response.text()), (503, "writes are refused: the disk is full\n"));
    assert_eq!(get("/health").await.status, 200);
    assert_eq!(server.metric("hashrange_store_writable").await, 0);
    assert_eq!(server.metric("hashrange_of_the_api").await, 7);
}

#[tokio::test]
async fn credentials_can_be_changed_while_the_server_runs() {
    let store = |id| {
        let text = format!("[app]\naws_access_key_id = {id}\naws_secret_access_key = secret\n");
        Policy::Verify(CredentialStore::parse(&text).unwrap())
    };
    let config = signed_only();
    let access = Arc::clone(&config.auth);
    let server = Server::start(config).await;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let now = hashrange_auth::Timestamp::from_epoch_s(i64::try_from(now.as_secs()).unwrap());
    let signed = |id| {
        let signer = hashrange_auth::Signer::new(id, "secret", None, "eu-west-1");
        let headers = [("host", "localhost"), ("x-amz-target", GET_ITEM)];
        let added = signer.sign_request("POST", "/", "", &headers, b"{}", now);
        let added = added.into_iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        post(GET_ITEM, &added.collect::<String>(), "{}")
    };
    assert_eq!(server.ask(signed("AKIDEXAMPLE")).await.status, 200);
    assert_eq!(server.ask(signed("AKIDNEW")).await.status, 400);
    assert!(access.replace(store("AKIDNEW")));
    assert_eq!(server.ask(signed("AKIDEXAMPLE")).await.status, 400);
    assert_eq!(server.ask(signed("AKIDNEW")).await.status, 200);
    assert!(!access.replace(Policy::AcceptAny), "the door is not opened in passing");
    assert_eq!(server.ask(signed("AKIDEXAMPLE")).await.status, 400);
}

#[tokio::test]
async fn a_signed_request_is_run_and_a_changed_one_is_not() {
    let server = Server::start(signed_only()).await;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let now = hashrange_auth::Timestamp::from_epoch_s(i64::try_from(now.as_secs()).unwrap());
    let signer = hashrange_auth::Signer::new("AKIDEXAMPLE", "secret", None, "eu-west-1");
    let headers = [("host", "localhost"), ("x-amz-target", GET_ITEM)];
    let added = signer.sign_request("POST", "/", "", &headers, b"{ }", now);
    let added: Vec<String> =
        added.into_iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let added = added.concat();
    let cases = [("{ }", 200, "GetItem"), ("{  }", 400, "InvalidSignatureException")];
    for (body, status, part) in cases {
        let response = server.ask(post(GET_ITEM, &added, body)).await;
        assert_eq!(response.status, status, "{}", response.text());
        assert!(response.text().contains(part), "{}", response.text());
    }
}

#[tokio::test]
async fn other_machines_are_served_only_when_signatures_are_checked_or_it_is_meant() {
    let listener = || tokio::net::TcpListener::bind("0.0.0.0:0");
    let cases = [
        (Config::default(), false),
        (Config { insecure: true, ..Config::default() }, true),
        (signed_only(), true),
    ];
    for (config, allowed) in cases {
        let api = Arc::new(Script::default());
        let listener = listener().await.unwrap();
        let ran = hashrange_server::run(listener, config, api, std::future::ready(())).await;
        assert_eq!(ran.is_ok(), allowed, "{ran:?}");
    }
}
