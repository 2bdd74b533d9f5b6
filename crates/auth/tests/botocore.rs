//! Requests signed by botocore are accepted as they are, and refused with any part changed.
//!
//! `data/botocore.txt` holds one block per request: `case`, `method`, `path`, and as they apply
//! `query`, `header` and `body`. The requests were signed with botocore's `SigV4Auth`,
//! `SigV4QueryAuth` and `S3SigV4QueryAuth` (the last does not cover the body) at a fixed time.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use hashrange_auth::{
    AuthFault, Caller, CredentialStore, Credentials, Payload, Policy, Request, Timestamp, sha256,
};

#[derive(Clone, Default)]
struct Signed {
    name: String,
    method: String,
    path: String,
    query: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl Signed {
    fn request(&self) -> Request<'_, [(String, String)]> {
        Request {
            method: &self.method,
            path: &self.path,
            query: &self.query,
            authority: None,
            headers: &self.headers,
            payload: Payload::Body(self.body.as_bytes()),
        }
    }

    fn covers_body(&self) -> bool {
        !self.name.ends_with("unsigned payload") && !self.name.ends_with("body not covered")
    }
}

fn read_cases() -> Vec<Signed> {
    let mut cases: Vec<Signed> = Vec::new();
    for line in include_str!("data/botocore.txt").lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "case" {
            cases.push(Signed { name: rest.to_owned(), ..Signed::default() });
        }
        let Some(case) = cases.last_mut() else { continue };
        match word {
            "method" => rest.clone_into(&mut case.method),
            "path" => rest.clone_into(&mut case.path),
            "query" => rest.clone_into(&mut case.query),
            "body" => rest.clone_into(&mut case.body),
            "header" => {
                let (name, value) = rest.split_once(": ").unwrap();
                case.headers.push((name.to_owned(), value.to_owned()));
            }
            _ => assert!(matches!(word, "" | "case"), "{line}"),
        }
    }
    assert_eq!(cases.len(), 18);
    cases
}

fn policy() -> Policy {
    let mut store = CredentialStore::new();
    let mut insert = |id: &str, secret: &str, token: Option<&str>| {
        let credentials = Credentials {
            access_key_id: id.to_owned(),
            secret_access_key: secret.to_owned(),
            session_token: token.map(str::to_owned),
            expires_at: None,
        };
        store.insert("botocore", credentials);
    };
    insert("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", None);
    insert(
        "ASIAEXAMPLE",
        "bQcw+Gd/ZkRqExampleSecretOfASession00000",
        Some("FwoGZXIvYXdzEBYaDExample//Token+With=Signs=="),
    );
    Policy::Verify(store)
}

fn now() -> Timestamp {
    Timestamp::parse_basic("20261121T052800Z").unwrap()
}

fn authenticate<'a>(policy: &Policy, signed: &'a Signed) -> Result<Caller<'a>, AuthFault> {
    policy.authenticate(&signed.request(), now())
}

#[test]
fn requests_of_botocore_are_accepted() {
    let policy = policy();
    for case in read_cases() {
        // Twice: with the signing key derived, and from the cache.
        for _ in 0..2 {
            let caller = authenticate(&policy, &case);
            let caller = caller.unwrap_or_else(|fault| panic!("{}: {fault}", case.name));
            let temporary = case.name.ends_with("session token");
            let id = if temporary { "ASIAEXAMPLE" } else { "AKIDEXAMPLE" };
            assert_eq!(caller.access_key_id(), Some(id), "{}", case.name);
            let abroad = case.name.ends_with("another region");
            let region = if abroad { "ap-southeast-2" } else { "us-east-1" };
            assert_eq!(caller.region(), Some(region), "{}", case.name);
        }
    }
}

#[test]
fn the_hash_of_the_body_serves_as_well_as_the_body() {
    for case in read_cases() {
        let mut request = case.request();
        request.payload = Payload::Sha256(sha256(case.body.as_bytes()));
        assert!(policy().authenticate(&request, now()).is_ok(), "{}", case.name);
    }
}

#[test]
fn the_body_matters_where_it_is_covered() {
    let policy = policy();
    for case in read_cases() {
        let mut changed = case.clone();
        changed.body.push(' ');
        match authenticate(&policy, &changed) {
            Ok(_) => assert!(!case.covers_body(), "{}", case.name),
            Err(fault) => {
                assert!(case.covers_body(), "{}", case.name);
                assert_eq!(fault, AuthFault::SignatureMismatch, "{}", case.name);
            }
        }
    }
}

#[test]
fn method_path_and_query_are_covered() {
    let policy = policy();
    for case in read_cases() {
        let mut variants = vec![case.clone(), case.clone(), case.clone()];
        variants[0].method = "PUT".to_owned();
        variants[1].path.push('x');
        variants[2].query = format!("{}&x=1", case.query);
        for changed in variants {
            let fault = authenticate(&policy, &changed).unwrap_err();
            assert_eq!(fault, AuthFault::SignatureMismatch, "{}", case.name);
        }
    }
}

#[test]
fn every_byte_of_every_header_is_covered() {
    let policy = policy();
    for case in read_cases() {
        for nth in 0..case.headers.len() {
            for byte in 0..case.headers[nth].1.len() {
                let mut changed = case.clone();
                let value = &mut changed.headers[nth].1;
                let old = value.remove(byte);
                value.insert(byte, if old == '1' { '2' } else { '1' });
                let result = authenticate(&policy, &changed);
                // White space around a value is no part of it.
                if !(old == ' ' && result.is_ok()) {
                    assert!(result.is_err(), "{}: {:?}", case.name, changed.headers[nth]);
                }
            }
        }
    }
}

#[test]
fn every_byte_of_a_presigned_query_is_covered() {
    let policy = policy();
    for case in read_cases().into_iter().filter(|case| case.name.starts_with("query")) {
        for byte in 0..case.query.len() {
            let mut changed = case.clone();
            let old = changed.query.remove(byte);
            changed.query.insert(byte, if old == '1' { '2' } else { '1' });
            assert!(authenticate(&policy, &changed).is_err(), "{}", changed.query);
        }
    }
}

#[test]
fn a_signed_header_cannot_be_left_out_or_sent_twice() {
    let policy = policy();
    for case in read_cases() {
        for nth in 0..case.headers.len() {
            let mut without = case.clone();
            let header = without.headers.remove(nth);
            assert!(authenticate(&policy, &without).is_err(), "{}: {header:?}", case.name);
            if !header.0.eq_ignore_ascii_case("authorization") {
                let mut twice = case.clone();
                twice.headers.push(header);
                assert!(authenticate(&policy, &twice).is_err(), "{}: {nth}", case.name);
            }
        }
    }
}

#[test]
fn headers_that_are_not_signed_are_free() {
    let policy = policy();
    for mut case in read_cases() {
        case.headers.push(("User-Agent".to_owned(), "anything".to_owned()));
        assert!(authenticate(&policy, &case).is_ok(), "{}", case.name);
    }
}
