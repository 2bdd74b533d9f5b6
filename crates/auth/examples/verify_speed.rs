//! Prints the time that verifying a signature takes, by size of the body.
//!
//! `cargo run --release -p hashrange-auth --example verify_speed`. The figures are the best of
//! several rounds on one thread; the last column is SHA-256 of the body alone.

#![expect(clippy::disallowed_methods, reason = "it measures time")]
#![expect(clippy::print_stdout, reason = "the output is what the example is for")]

use std::hint::black_box;
use std::time::Instant;

use hashrange_auth::{
    CredentialStore, Credentials, Payload, Policy, Request, Signer, Timestamp, sha256,
};

const ROUNDS: u32 = 20;
const CALLS: u32 = 10_000;

fn main() {
    let now = Timestamp::from_epoch_s(1_795_238_880);
    let policy = Policy::Verify(store());
    let signer = Signer::new("AKIDEXAMPLE", "secret", None, "us-east-1");
    println!("{:>10} {:>12} {:>12} {:>12}", "body bytes", "verify ns", "sign ns", "sha256 ns");
    for size in [0, 128, 1024, 4096, 65_536] {
        let body = vec![b'x'; size];
        let mut headers = vec![
            ("host", "dynamodb.us-east-1.amazonaws.com".to_owned()),
            ("accept-encoding", "identity".to_owned()),
            ("content-type", "application/x-amz-json-1.0".to_owned()),
            ("user-agent", "aws-sdk-rust/1.3.3 os/linux lang/rust/1.90.0".to_owned()),
            ("x-amz-target", "DynamoDB_20120810.GetItem".to_owned()),
        ];
        let signed = [headers[0].clone(), headers[2].clone(), headers[4].clone()];
        headers.extend(signer.sign_request("POST", "/", "", &signed, &body, now));
        let request = Request {
            method: "POST",
            path: "/",
            query: "",
            authority: None,
            headers: headers.as_slice(),
            payload: Payload::Body(&body),
        };
        let verify = best_ns(|| {
            let caller = policy.authenticate(black_box(&request), now);
            black_box(caller.expect("the request was signed with these credentials"));
        });
        let sign = best_ns(|| {
            black_box(signer.sign_request("POST", "/", "", black_box(&signed), &body, now));
        });
        let hash = best_ns(|| {
            black_box(sha256(black_box(&body)));
        });
        println!("{size:>10} {verify:>12} {sign:>12} {hash:>12}");
    }
}

fn store() -> CredentialStore {
    let mut store = CredentialStore::new();
    let credentials = Credentials {
        access_key_id: "AKIDEXAMPLE".to_owned(),
        secret_access_key: "secret".to_owned(),
        session_token: None,
        expires_at: None,
    };
    store.insert("example", credentials);
    store
}

/// Returns the time of one call, in the fastest of the rounds.
fn best_ns(call: impl Fn()) -> u128 {
    let round = |_| {
        let start = Instant::now();
        (0..CALLS).for_each(|_| call());
        start.elapsed().as_nanos() / u128::from(CALLS)
    };
    (0..ROUNDS).map(round).min().unwrap_or_default()
}
