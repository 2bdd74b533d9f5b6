//! What is fuzzed: each target has good inputs and a check that must not panic on any bytes.

use crate::{corpus, sequence, streams};
use hashrange::Database;
use hashrange_auth::{CredentialStore, Payload, Policy, Request, Timestamp};
use hashrange_expr::partiql::{self, Parameters, Statement};
use hashrange_expr::{Draw, Generated, KeyTemplate, Placeholders};
use hashrange_model::error::ExpressionKind;
use hashrange_model::{AttributeValue, Item, Number};
use hashrange_wire::{Operation, syntax_check};

/// A thing to fuzz.
pub struct Target {
    /// Name for the command line.
    pub name: &'static str,
    /// Prepares it.
    pub start: fn() -> Fuzzed,
}

/// A target that is ready.
pub struct Fuzzed {
    /// Good inputs to start from.
    pub inputs: Vec<String>,
    /// Is given every case.
    pub check: Check,
}

/// Must not panic on any bytes.
pub type Check = Box<dyn FnMut(&[u8])>;

impl Fuzzed {
    fn new(inputs: Vec<String>, check: impl FnMut(&[u8]) + 'static) -> Self {
        Self { inputs, check: Box::new(check) }
    }
}

fn owned(inputs: &[&str]) -> Vec<String> {
    inputs.iter().map(|&input| input.to_owned()).collect()
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target { name: "json", start: || Fuzzed::new(corpus::requests(), json) },
    Target { name: "number", start: || Fuzzed::new(owned(NUMBERS), number) },
    Target { name: "expression", start: || Fuzzed::new(corpus::members("Expression"), expression) },
    Target { name: "statement", start: || Fuzzed::new(corpus::members("Statement"), statement) },
    Target { name: "template", start: || Fuzzed::new(owned(TEMPLATES), template) },
    Target { name: "signature", start: || Fuzzed::new(owned(HEADERS), signature()) },
    Target { name: "credentials", start: || Fuzzed::new(owned(CREDENTIALS), credentials) },
    Target { name: "request", start: || Fuzzed::new(corpus::requests(), request()) },
    Target { name: "sequence", start: || Fuzzed::new(corpus::sequences(), sequence::run) },
    Target { name: "stream", start: streams::start },
];

const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1.5",
    "-12.25e-3",
    "9.9999999999999999999999999999999999999E+125",
    "1E-130",
    "+007.100",
    ".5",
    "5.",
    "12345678901234567890123456789012345678",
];

/// A number that is read is written as text that reads as the same number.
fn number(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(number) = Number::parse(text) else { return };
    let mut written = Vec::new();
    number.write_text(&mut written);
    let again = std::str::from_utf8(&written).ok().and_then(|text| Number::parse(text).ok());
    let encode = |number: &Number| {
        let mut bytes = Vec::new();
        number.encode(&mut bytes);
        bytes
    };
    assert_eq!(again.as_ref().map(encode), Some(encode(&number)));
}

fn expression(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let value = AttributeValue::from("text").to_value();
    let placeholders = || {
        let values = [(":v", &value), (":w", &value)];
        Placeholders::new(Some([("#a", "name")]), Some(values)).expect("the keys are well formed")
    };
    drop(hashrange_expr::condition(ExpressionKind::Condition, text, &mut placeholders()));
    drop(hashrange_expr::key_condition(text, &mut placeholders()));
    drop(hashrange_expr::projection(text, &mut placeholders()));
    drop(hashrange_expr::update(text, &mut placeholders()));
}

fn statement(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let value = AttributeValue::from("text").to_value();
    for count in 0..3 {
        let parameters = Parameters { count, get: &|_| Ok(value.clone()) };
        match partiql::parse(text, parameters) {
            Ok(Statement::Select(select)) => {
                drop(select.condition.map(|it| partiql::reads(&it, "pk", Some("sk"))));
            }
            Ok(Statement::Update(change)) => {
                drop(partiql::primary_key(&change.condition, ["pk", "sk"]));
            }
            Ok(_) | Err(_) => {}
        }
    }
}

const TEMPLATES: &[&str] = &[
    "sk = \"ORDER#{createdAt:iso}#{orderId}\"\nORDER#2026-11-25T08:00:00.000Z#7",
    "GSI1SK = \"{status}#{at:epoch_ms:iso:s:desc}\" when status in [OPEN, PLACED]\nOPEN#7",
    "k = '{a:esc}#{n:pad:8.2:desc}' when size(a) > 1 else '{{{b:lower}}}'\nNew$20York#99999957.50",
    "owns k = '{shard:hash(id):16}#{a.b[0]|none}#{ulid()}#{at:iso:week}-{c?}#{d?}'\n07#x#01ARYZ6S41TSV4RRFFQ69G5FAV#2026-W09-y",
];

/// A template, a line, and a key that it may read; nothing of it panics.
fn template(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let (text, key) = text.split_once('\n').unwrap_or((text, "a"));
    let Ok(template) = KeyTemplate::parse(text) else { return };
    let again = KeyTemplate::parse(template.text()).expect("its own text is a template");
    assert_eq!(again, template);
    for reading in template.read(key) {
        let parts = reading.parts.iter();
        let item = Item::from_attributes(parts.map(|it| (it.name.as_str(), it.value.clone())));
        let draw = Some(Draw { now_ms: 0, random: 0 });
        let generated = Generated { draw, kept: template.generated_in(key) };
        drop(template.render(&item, &generated, 1024));
    }
}

const HEADERS: &[&str] = &[
    "/\n\nhost: localhost\nx-amz-date: 20261121T060000Z\nauthorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261121/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=00",
    "/\nX-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDEXAMPLE%2F20261121%2Fus-east-1%2Fdynamodb%2Faws4_request&X-Amz-Date=20261121T060000Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature=00\nhost: localhost",
];

/// Lines are the path, the query, then headers.
fn signature() -> impl FnMut(&[u8]) {
    let store = CredentialStore::parse(CREDENTIALS[0]).expect("the file is good");
    let policies = [Policy::AcceptAny, Policy::Verify(store)];
    move |input| {
        let Ok(text) = std::str::from_utf8(input) else { return };
        let mut lines = text.lines();
        let (path, query) = (lines.next().unwrap_or("/"), lines.next().unwrap_or(""));
        let headers: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(": ")).collect();
        let request = Request {
            method: "POST",
            path,
            query,
            authority: None,
            headers: headers.as_slice(),
            payload: Payload::Body(b"{}"),
        };
        for policy in &policies {
            drop(policy.authenticate(&request, NOW));
        }
    }
}

const NOW: Timestamp = Timestamp::from_epoch_s(1_795_240_800);

const CREDENTIALS: &[&str] = &[
    "[app]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = secret\n",
    "# comment\n[job]\naws_access_key_id=ASIAEXAMPLE\naws_secret_access_key=secret\naws_session_token=token\naws_expiration = 2026-11-21T06:00:00Z\n",
];

fn credentials(input: &[u8]) {
    if let Ok(text) = std::str::from_utf8(input) {
        drop(CredentialStore::parse(text));
    }
}

fn json(input: &[u8]) {
    drop(syntax_check(split(input).1));
}

/// Returns what stands before the first blank, and the rest.
fn split(input: &[u8]) -> (&[u8], &[u8]) {
    input.split_at(input.iter().position(|byte| *byte == b' ').unwrap_or(input.len()))
}

/// The operation's name, a blank, its body, for the whole database. It lives on between cases, so
/// that reads meet what writes left; the tables of the scripts are there from the start.
fn request() -> impl FnMut(&[u8]) {
    let database = Database::memory().blocking();
    let run = move |input: &[u8]| {
        let (name, body) = split(input);
        let name = std::str::from_utf8(name).unwrap_or_default();
        let operation = sequence::operation(name).unwrap_or(Operation::PutItem);
        drop(database.call(operation, body));
    };
    let requests = corpus::requests();
    let creates = requests.iter().filter(|request| request.starts_with("CreateTable "));
    creates.for_each(|request| run(request.as_bytes()));
    run
}
