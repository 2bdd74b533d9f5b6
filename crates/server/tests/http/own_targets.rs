//! The server's own operations, and APIs of callers' own.

use crate::harness::Server;
use hashrange_auth::{CredentialStore, Credentials, Policy, Signer, Timestamp};
use hashrange_server::Config;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const ECHO: &str = "Hashrange_2026.Echo";

/// Returns the header of a request that looks signed.
fn shown_key(key: &str) -> String {
    format!(
        "Authorization: AWS4-HMAC-SHA256 Credential={key}/20260101/eu-west-1/dynamodb/aws4_request, \
         SignedHeaders=host, Signature=0\r\nX-Amz-Date: 20260101T000000Z\r\n"
    )
}

#[tokio::test]
async fn own_targets_are_answered_and_others_are_unknown() {
    let server = Server::start(Config::default()).await;
    let answer = server.post(ECHO, "", r#"{"a":1}"#).await;
    assert_eq!((answer.status, answer.text()), (200, r#"{"a":1}"#));
    assert_eq!(server.post(ECHO, "", "").await.status, 200, "they may have no body");
    for target in
        ["Hashrange_2026.Other", "Hashrange_2026.", "Hashrange_2025.Echo", "Hashrange_2026"]
    {
        let answer = server.post(target, "", "{}").await;
        assert_eq!(answer.status, 400, "{target}");
        assert!(answer.text().contains("#UnknownOperationException"), "{target}");
    }
}

#[tokio::test]
async fn own_targets_need_a_signature_where_others_do() {
    let mut store = CredentialStore::new();
    let credentials = Credentials {
        access_key_id: "AKID".to_owned(),
        secret_access_key: "secret".to_owned(),
        session_token: None,
        expires_at: None,
    };
    store.insert("tests", credentials);
    let auth = Arc::new(Policy::Verify(store).into());
    let server = Server::start(Config { auth, ..Config::default() }).await;
    let answer = server.post(ECHO, "", "{}").await;
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("#MissingAuthenticationTokenException"), "{}", answer.text());

    let signer = Signer::new("AKID", "secret", None, "eu-west-1");
    let signed = [
        ("host", "localhost".to_owned()),
        ("content-type", "application/x-amz-json-1.0".to_owned()),
        ("x-amz-target", ECHO.to_owned()),
    ];
    let headers = signer.sign_request("POST", "/", "", &signed, b"{}", now());
    let lines = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
    let answer = server.post(ECHO, &lines.collect::<Vec<_>>().concat(), "{}").await;
    assert_eq!((answer.status, answer.text()), (200, "{}"));
}

/// A request that was seen on the way cannot be sent again as another operation.
#[tokio::test]
async fn own_targets_are_signed_and_those_of_the_service_need_not_be() {
    let mut store = CredentialStore::new();
    let credentials = Credentials {
        access_key_id: "AKID".to_owned(),
        secret_access_key: "secret".to_owned(),
        session_token: None,
        expires_at: None,
    };
    store.insert("tests", credentials);
    let auth = Arc::new(Policy::Verify(store).into());
    let server = Server::start(Config { auth, ..Config::default() }).await;
    let signer = Signer::new("AKID", "secret", None, "eu-west-1");
    let signed = [("host", "localhost"), ("content-type", "application/x-amz-json-1.0")];
    let headers = signer.sign_request("POST", "/", "", &signed, b"{}", now());
    let lines = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
    let lines = lines.collect::<Vec<_>>().concat();
    let answer = server.post("DynamoDB_20120810.GetItem", &lines, "{}").await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let answer = server.post(ECHO, &lines, "{}").await;
    assert_eq!(answer.status, 400);
    let text = answer.text();
    assert!(text.contains("#InvalidSignatureException"), "{text}");
    assert!(text.contains("'x-amz-target' must be a 'SignedHeader'"), "{text}");
}

#[expect(clippy::disallowed_methods, reason = "signatures are checked against the real clock")]
fn now() -> Timestamp {
    std::time::SystemTime::now().into()
}

#[tokio::test]
async fn a_caller_with_an_api_of_their_own_is_answered_by_that() {
    let server = Server::start(Config::default()).await;
    let get = "DynamoDB_20120810.GetItem";
    for (key, calls) in [("ANY", 1), ("OTHER", 1), ("ANY", 2)] {
        assert_eq!(server.post(get, &shown_key(key), "{}").await.status, 200);
        assert_eq!(server.api.calls.load(Ordering::SeqCst), calls, "{key}");
    }
    for target in [get, ECHO] {
        let answer = server.post(target, &shown_key("NOBODY"), "{}").await;
        assert_eq!(answer.status, 400);
        assert!(answer.text().contains("#AccessDeniedException"), "{}", answer.text());
    }
}
