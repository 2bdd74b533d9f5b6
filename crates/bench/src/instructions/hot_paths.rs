//! The hot paths themselves: the cost of a request apart from the disk.

use super::http_path;
use crate::data;
use crate::load::Template;
use crate::rows::http;
use hashrange::cost::{Recorder, metered_for};
use hashrange::{AttributeValue, Blocking, Database, Operation, Value, block_on};
use hashrange_auth::{CredentialStore, Payload, Policy, Request, Signer, Timestamp};
use hashrange_expr::Placeholders;
use std::hint::black_box;
use std::pin::pin;

/// The names of the paths.
pub const NAMES: [&str; 12] = [
    "get-item",
    "query-100",
    "put-item",
    "update-item",
    "get-item-recorded",
    "query-100-recorded",
    "put-item-recorded",
    "http-bare",
    "http-request",
    "http-request-watched",
    "verify-signature",
    "update-expression",
];

/// Items in the table.
const ITEMS: u64 = 1000;

/// Runs a path some times.
pub fn run(name: &str, times: u64) -> Result<(), String> {
    match name {
        "get-item" => calls(Operation::GetItem, &http::get_item(ITEMS).templates[0], times),
        "query-100" => calls(Operation::Query, &http::query(ITEMS).templates[0], times),
        "put-item" => calls(Operation::PutItem, &http::put_item(ITEMS).templates[0], times),
        "update-item" => {
            calls(Operation::UpdateItem, &http::update_item(ITEMS).templates[0], times)
        }
        "get-item-recorded" => {
            recorded(Operation::GetItem, &http::get_item(ITEMS).templates[0], times)
        }
        "query-100-recorded" => recorded(Operation::Query, &http::query(ITEMS).templates[0], times),
        "put-item-recorded" => {
            recorded(Operation::PutItem, &http::put_item(ITEMS).templates[0], times)
        }
        "http-bare" => http_path::run_bare(times),
        "http-request" => http_path::run(times),
        "http-request-watched" => http_path::run_watched(times),
        "verify-signature" => verify_signature(times),
        "update-expression" => update_expression(times),
        _ => Err(format!("no path is called '{name}'")),
    }
}

/// Decodes, runs and encodes an operation on a table in memory.
fn calls(operation: Operation, template: &Template, times: u64) -> Result<(), String> {
    let database = filled()?;
    for nth in 0..times {
        let body = template.fill(nth * 7 % ITEMS);
        let call = pin!(database.database().call(operation, black_box(&body)));
        let answer = block_on(call);
        drop(black_box(answer.map_err(|error| error.to_string())?));
    }
    Ok(())
}

/// Does the same while the recording of requests is on.
fn recorded(operation: Operation, template: &Template, times: u64) -> Result<(), String> {
    let database = filled()?;
    let recorder = Recorder::default();
    recorder.start(0);
    for nth in 0..times {
        let body = template.fill(nth * 7 % ITEMS);
        let call = pin!(database.database().call(operation, black_box(&body)));
        let mut used = None;
        let answer = block_on(pin!(metered_for(call, |usage| used = Some(usage))));
        if let Some(usage) = used {
            recorder.add(nth, operation.name(), "caller", &usage, answer.is_err());
        }
        drop(black_box(answer.map_err(|error| error.to_string())?));
    }
    Ok(())
}

fn filled() -> Result<Blocking, String> {
    let database = Database::memory().blocking();
    database.create_table(data::plain_table()).map_err(|error| error.to_string())?;
    for nth in 0..ITEMS {
        let put = database.put_item(data::put_item(data::TABLE, nth));
        put.map_err(|error| error.to_string())?;
    }
    Ok(database)
}

fn verify_signature(times: u64) -> Result<(), String> {
    let (id, secret) = (crate::process::ACCESS_KEY_ID, crate::process::SECRET_ACCESS_KEY);
    let credentials = CredentialStore::parse(&crate::process::credentials_file());
    let policy = Policy::Verify(credentials.map_err(|error| error.to_string())?);
    let now = Timestamp::from_epoch_s(1_795_238_880);
    let body = http::get_item(ITEMS).templates[0].fill(7);
    let mut headers = vec![
        ("host", "localhost:8000".to_owned()),
        ("content-type", "application/x-amz-json-1.0".to_owned()),
        ("x-amz-target", "DynamoDB_20120810.GetItem".to_owned()),
    ];
    let signer = Signer::new(id, secret, None, "us-east-1");
    headers.extend(signer.sign_request("POST", "/", "", &headers, &body, now));
    let request = Request {
        method: "POST",
        path: "/",
        query: "",
        authority: None,
        headers: headers.as_slice(),
        payload: Payload::Body(&body),
    };
    for _ in 0..times {
        let caller = policy.authenticate(black_box(&request), now);
        drop(black_box(caller.map_err(|fault| format!("{fault:?}"))?));
    }
    Ok(())
}

/// Compiles an update expression and applies it to an item.
fn update_expression(times: u64) -> Result<(), String> {
    let text = "SET #o = :o, seen = if_not_exists(seen, :zero) + :one ADD hits :one REMOVE gone";
    let names = [("#o".to_owned(), "owner".to_owned())];
    let values = [(":o", "owner-0001".into()), (":zero", 0.into()), (":one", 1.into())]
        .map(|(name, value): (&str, AttributeValue)| (name.to_owned(), Value::from(value)));
    let item = data::item(1);
    for _ in 0..times {
        let mut placeholders = Placeholders::new(
            Some(names.iter().map(|(name, path)| (name.as_str(), path.as_str()))),
            Some(values.iter().map(|(name, value)| (name.as_str(), value))),
        )
        .map_err(|reason| format!("{reason:?}"))?;
        let update = hashrange_expr::update(black_box(text), &mut placeholders);
        let applied = update.and_then(|update| update.apply(&item));
        drop(black_box(applied.map_err(|reason| format!("{reason:?}"))?));
    }
    Ok(())
}
