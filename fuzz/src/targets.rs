//! What is fuzzed: each target has good inputs and a check that must not panic on any bytes.

use crate::streams;
use hashrange::Database;
use hashrange_auth::{CredentialStore, Payload, Policy, Request, Timestamp};
use hashrange_expr::Placeholders;
use hashrange_expr::partiql::{self, Parameters, Statement};
use hashrange_model::error::ExpressionKind;
use hashrange_model::{AttributeValue, Number};
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
    /// Must not panic on any bytes.
    pub check: Box<dyn FnMut(&[u8])>,
}

impl Fuzzed {
    fn new(inputs: &[&str], check: impl FnMut(&[u8]) + 'static) -> Self {
        let inputs = inputs.iter().map(|&input| input.to_owned()).collect();
        Self { inputs, check: Box::new(check) }
    }
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target { name: "json", start: || Fuzzed::new(REQUESTS, json) },
    Target { name: "number", start: || Fuzzed::new(NUMBERS, number) },
    Target { name: "expression", start: || Fuzzed::new(EXPRESSIONS, expression) },
    Target { name: "statement", start: || Fuzzed::new(STATEMENTS, statement) },
    Target { name: "signature", start: || Fuzzed::new(HEADERS, signature()) },
    Target { name: "credentials", start: || Fuzzed::new(CREDENTIALS, credentials) },
    Target { name: "request", start: || Fuzzed::new(REQUESTS, request()) },
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

const EXPRESSIONS: &[&str] = &[
    "a = :v AND NOT (b.c[0] <> :v OR size(d) >= :v)",
    "attribute_exists(#a) AND begins_with(b, :v) OR contains(c, :v)",
    "a BETWEEN :v AND :w OR b IN (:v, :w)",
    "pk = :v AND sk BETWEEN :v AND :w",
    "a, b.c, #a[3], d[0].e",
    "SET a = if_not_exists(a, :v) + :w, b.c = list_append(b.c, :v) REMOVE d[1] ADD e :v DELETE f :v",
];

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

const STATEMENTS: &[&str] = &[
    "SELECT a, b.c, \"d e\"[0] FROM \"t\".\"i\" WHERE pk = ? AND sk BETWEEN 'a' AND 'b' ORDER BY sk DESC",
    "SELECT * FROM t WHERE pk IN ['a', ?] AND (begins_with(a, 'x') OR NOT size(b) <> 1 AND c IS NOT MISSING)",
    "INSERT INTO t VALUE {'pk': 'it''s', 'n': -1.5e3, 'l': [true, null, {'m': <<1, 2>>}], 'p': ?}",
    "UPDATE t SET a = b + 1 - ? SET l = list_append(l, [1]) SET s = set_add(s, <<'x'>>) REMOVE m.x[1] WHERE pk = 'a' AND sk = 1 RETURNING MODIFIED NEW *",
    "DELETE FROM t WHERE pk = 'a' AND sk = 1 AND attribute_type(x, 'S') RETURNING ALL OLD * -- comment",
    "EXISTS(SELECT * FROM t WHERE pk = 'a' AND sk = 1 AND contains(x, /* comment */ 'y'))",
];

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

const REQUESTS: &[&str] = &[
    r#"CreateTable {"TableName":"abc","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"N"},{"AttributeName":"g","AttributeType":"B"}],"LocalSecondaryIndexes":[{"IndexName":"lsi","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"g","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}],"GlobalSecondaryIndexes":[{"IndexName":"gsi","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x"]}}]}"#,
    r#"PutItem {"TableName":"abc","Item":{"pk":{"S":"a"},"sk":{"N":"1"},"g":{"B":"AA=="},"m":{"M":{"l":{"L":[{"BOOL":true},{"NULL":true}]}}},"s":{"SS":["a","b"]},"n":{"NS":["1","2.5"]}},"ConditionExpression":"attribute_not_exists(pk) OR sk > :v","ExpressionAttributeValues":{":v":{"N":"0"}},"ReturnValues":"ALL_OLD","ReturnConsumedCapacity":"INDEXES"}"#,
    r##"UpdateItem {"TableName":"abc","Key":{"pk":{"S":"a"},"sk":{"N":"1"}},"UpdateExpression":"SET m.l[1] = :v, #n = if_not_exists(#n, :v) + :v REMOVE m.x ADD c :v DELETE s :s","ExpressionAttributeNames":{"#n":"name"},"ExpressionAttributeValues":{":v":{"N":"1"},":s":{"SS":["a"]}},"ReturnValues":"UPDATED_NEW"}"##,
    r#"Query {"TableName":"abc","IndexName":"lsi","KeyConditionExpression":"pk = :p","FilterExpression":"size(m) > :v","ProjectionExpression":"m.l[0], x","ExpressionAttributeValues":{":p":{"S":"a"},":v":{"N":"0"}},"Limit":2,"ScanIndexForward":false,"ExclusiveStartKey":{"pk":{"S":"a"},"sk":{"N":"1"},"g":{"B":"AA=="}}}"#,
    r#"Scan {"TableName":"abc","IndexName":"gsi","Segment":0,"TotalSegments":3,"ScanFilter":{"x":{"ComparisonOperator":"BETWEEN","AttributeValueList":[{"N":"1"},{"N":"2"}]}},"Select":"COUNT"}"#,
    r#"BatchWriteItem {"RequestItems":{"abc":[{"PutRequest":{"Item":{"pk":{"S":"b"},"sk":{"N":"2"}}}},{"DeleteRequest":{"Key":{"pk":{"S":"a"},"sk":{"N":"1"}}}}]},"ReturnItemCollectionMetrics":"SIZE"}"#,
    r#"BatchGetItem {"RequestItems":{"abc":{"Keys":[{"pk":{"S":"a"},"sk":{"N":"1"}}],"ProjectionExpression":"m","ConsistentRead":true}}}"#,
    r#"GetItem {"TableName":"abc","Key":{"pk":{"S":"a"},"sk":{"N":"1"}},"AttributesToGet":["m","s"]}"#,
    r#"ExecuteStatement {"Statement":"SELECT m.l[0], x FROM abc WHERE pk = ? AND sk > 0 AND size(m) >= ?","Parameters":[{"S":"a"},{"N":"0"}],"Limit":1,"ReturnConsumedCapacity":"INDEXES"}"#,
    r#"ExecuteStatement {"Statement":"UPDATE abc SET m.l[1] = ? SET s = set_add(s, <<'z'>>) REMOVE m.x WHERE pk = 'a' AND sk = 1 RETURNING MODIFIED NEW *","Parameters":[{"N":"1"}]}"#,
    r#"ExecuteStatement {"Statement":"INSERT INTO abc VALUE {'pk': 'c', 'sk': 3, 'g': ?}","Parameters":[{"B":"AA=="}]}"#,
    r#"DeleteItem {"TableName":"abc","Key":{"pk":{"S":"a"},"sk":{"N":"1"}},"Expected":{"x":{"Exists":false}}}"#,
    r#"UpdateTable {"TableName":"abc","AttributeDefinitions":[{"AttributeName":"h","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"new","KeySchema":[{"AttributeName":"h","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}}]}"#,
];

fn json(input: &[u8]) {
    drop(syntax_check(split(input).1));
}

/// Returns what stands before the first blank, and the rest.
fn split(input: &[u8]) -> (&[u8], &[u8]) {
    input.split_at(input.iter().position(|byte| *byte == b' ').unwrap_or(input.len()))
}

/// The operation's name, a blank, its body, for the whole database. It lives on between cases, so
/// that reads meet what writes left; a well formed request is first, so that there is a table.
fn request() -> impl FnMut(&[u8]) {
    let database = Database::memory().blocking();
    let run = move |input: &[u8]| {
        let (name, body) = split(input);
        let is_named = |operation: &&Operation| operation.name().as_bytes() == name;
        let operation = Operation::ALL.iter().find(is_named).unwrap_or(&Operation::PutItem);
        drop(database.call(*operation, body));
    };
    REQUESTS.iter().for_each(|request| run(request.as_bytes()));
    run
}
