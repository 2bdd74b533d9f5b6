//! Watches of recent requests over HTTP, `hashrange requests`, and the page of `hashrange console`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod served;

use serde_json::{Value, json};
use served::{Server, hashrange};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

fn start(further: &[&str]) -> Server {
    let mut command = hashrange(&["serve", "--memory", "--port=0", "--log-format=json"]);
    command.args(further).stdout(Stdio::null());
    Server::start(command)
}

/// Sends a request and returns status and body of the answer.
fn post(endpoint: &str, target: &str, headers: &str, body: &Value) -> (u16, Value) {
    let address = endpoint.strip_prefix("http://").unwrap();
    let mut socket = TcpStream::connect(address).unwrap();
    let body = body.to_string();
    let request = format!(
        "POST / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/x-amz-json-1.0\r\nX-Amz-Target: {target}\r\n{headers}\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    socket.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    (status, serde_json::from_str(body).unwrap())
}

const UNRECORDED: &str = "X-Hashrange-Unrecorded: true\r\n";

/// A client of a server.
struct Client<'s> {
    server: &'s Server,
    /// Headers of its requests.
    headers: String,
}

impl<'s> Client<'s> {
    fn of(server: &'s Server) -> Self {
        Self { server, headers: String::new() }
    }

    /// Returns a client that shows an access key, which the server does not verify.
    fn with_key(server: &'s Server, key: &str) -> Self {
        let headers = format!(
            "Authorization: AWS4-HMAC-SHA256 Credential={key}/20261201/us-east-1/dynamodb/aws4_request, \
             SignedHeaders=host;x-amz-date, Signature={}\r\nX-Amz-Date: 20261201T000000Z\r\n",
            "0".repeat(64)
        );
        Self { server, headers }
    }

    fn call(&self, operation: &str, body: &Value) -> (u16, Value) {
        let target = format!("DynamoDB_20120810.{operation}");
        post(&self.server.endpoint, &target, &self.headers, body)
    }

    fn watch(&self, body: &Value) -> Value {
        let (status, answer) = self.try_watch(body);
        assert_eq!(status, 200, "{answer}");
        answer
    }

    fn try_watch(&self, body: &Value) -> (u16, Value) {
        let headers = format!("{}{UNRECORDED}", self.headers);
        post(&self.server.endpoint, "Hashrange_2026.WatchRequests", &headers, body)
    }

    fn table(&self, name: &str) {
        let (status, answer) = self.call(
            "CreateTable",
            &json!({
                "TableName": name, "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{ "AttributeName": "pk", "AttributeType": "S" }],
                "KeySchema": [{ "AttributeName": "pk", "KeyType": "HASH" }],
            }),
        );
        assert_eq!(status, 200, "{answer}");
    }
}

fn operations(answer: &Value) -> Vec<&str> {
    let lines = answer["Requests"].as_array().unwrap();
    lines.iter().map(|line| line["Operation"].as_str().unwrap()).collect()
}

#[test]
fn a_watch_tells_the_requests_that_pass_its_filter_from_its_begin_on() {
    let server = start(&[]);
    let client = Client::of(&server);
    client.table("orders");
    let all = client.watch(&json!({}));
    assert_eq!((operations(&all).len(), all["IsNew"].as_bool()), (0, Some(true)));
    let failed = client.watch(&json!({ "Filter": { "Failed": true } }));
    let item = json!({ "TableName": "orders", "Item": { "pk": { "S": "a" } } });
    client.call("PutItem", &item);
    client.call(
        "Scan",
        &json!({ "TableName": "orders", "FilterExpression": "pk = :p",
        "ExpressionAttributeValues": { ":p": { "S": "b" } } }),
    );
    client.call("GetItem", &json!({ "TableName": "none", "Key": { "pk": { "S": "a" } } }));
    let headers = format!("{}{UNRECORDED}", client.headers);
    post(&server.endpoint, "DynamoDB_20120810.ListTables", &headers, &json!({}));

    let told = client.watch(&json!({ "Cursor": all["Cursor"], "WaitSeconds": 5 }));
    assert_eq!(operations(&told), ["PutItem", "Scan", "GetItem"], "{told}");
    let scan = &told["Requests"][1];
    assert_eq!(scan["Pattern"], json!("FILTER pk = ?"));
    assert_eq!((scan["Examined"].as_u64(), scan["Returned"].as_u64()), (Some(1), Some(0)));
    assert_eq!((scan["ReadUnits"].as_f64(), scan["Status"].as_u64()), (Some(0.5), Some(200)));
    assert_eq!(told["Requests"][0]["Body"], json!(item.to_string()), "no keys are asked for");
    assert_eq!(told["Requests"][2]["Error"], json!("ResourceNotFoundException"));
    assert_eq!(told["Requests"][2]["Table"], json!("none"));
    let again = client.watch(&json!({ "Cursor": all["Cursor"] }));
    assert_eq!(operations(&again).len(), 3, "a cursor that is shown again tells the same");

    let request = json!({ "Cursor": failed["Cursor"], "Filter": { "Failed": true } });
    assert_eq!(operations(&client.watch(&request)), ["GetItem"]);
    let other = json!({ "Cursor": failed["Cursor"], "Filter": { "Table": "orders" } });
    let other = client.watch(&other);
    assert_eq!(other["Because"], json!("OtherFilter"), "{other}");
    let (status, ended) = client.try_watch(&request);
    assert_eq!((status, &ended["Because"]), (200, &json!("Ended")));
}

#[test]
fn seconds_sum_requests_by_pattern() {
    let server = start(&[]);
    let client = Client::of(&server);
    client.table("orders");
    let mut cursor = client.watch(&json!({}))["Cursor"].clone();
    for nth in 0..30 {
        let key = json!({ "pk": { "S": format!("k{nth}") } });
        client.call("PutItem", &json!({ "TableName": "orders", "Item": key }));
        client.call("GetItem", &json!({ "TableName": "orders", "Key": key }));
    }
    let (mut requests, mut units, mut patterns) = (0, 0.0, 0);
    served::until("the seconds of 60 requests", || requests_of(&client, &mut cursor.clone()) >= 60);
    let told = client.watch(&json!({ "Cursor": cursor.take() }));
    for second in told["Seconds"].as_array().unwrap() {
        requests += second["Requests"].as_u64().unwrap();
        units += second["WriteUnits"].as_f64().unwrap();
        let rows = second["Patterns"].as_array().unwrap();
        patterns = patterns.max(rows.len());
        for row in rows {
            assert!(row["P50Ms"].as_f64().unwrap() <= row["P99Ms"].as_f64().unwrap(), "{row}");
            assert!(row["P99Ms"].as_f64().unwrap() <= row["WorstMs"].as_f64().unwrap(), "{row}");
        }
    }
    assert_eq!((requests, patterns), (60, 2), "{told}");
    assert!((units - 30.0).abs() < 1e-9, "{told}");
}

fn requests_of(client: &Client<'_>, cursor: &mut Value) -> u64 {
    let told = client.watch(&json!({ "Cursor": cursor.take() }));
    let seconds = told["Seconds"].as_array().unwrap();
    seconds.iter().map(|second| second["Requests"].as_u64().unwrap()).sum()
}

#[test]
fn a_ring_is_bounded_and_says_what_it_lost() {
    let server = start(&["--watch-size=8KiB", "--watch-values=false"]);
    let client = Client::of(&server);
    client.table("orders");
    let cursor = client.watch(&json!({}))["Cursor"].clone();
    for nth in 0..60 {
        let key = json!({ "pk": { "S": format!("k{nth}") } });
        client.call("PutItem", &json!({ "TableName": "orders", "Item": key }));
    }
    let told = client.watch(&json!({ "Cursor": cursor }));
    let (kept, lost) = (operations(&told).len() as u64, told["Lost"].as_u64().unwrap());
    assert!(kept > 2 && lost > 20, "{kept} {lost}");
    assert_eq!(kept + lost + told["LeftOut"].as_u64().unwrap(), 60, "{told}");
    assert!(told["Requests"][0].get("Body").is_none() && told["ValuesAreKept"] == json!(false));
}

#[test]
fn a_namespace_sees_its_own_requests_only() {
    let server = start(&["--namespaces"]);
    let (one, other) = (Client::with_key(&server, "one"), Client::with_key(&server, "other"));
    let (of_one, of_other) = (one.watch(&json!({})), other.watch(&json!({})));
    one.table("orders");
    let told = one.watch(&json!({ "Cursor": of_one["Cursor"] }));
    assert_eq!(operations(&told), ["CreateTable"]);
    assert_eq!(told["Requests"][0]["Caller"], json!("one"));
    let told = other.watch(&json!({ "Cursor": of_other["Cursor"], "WaitSeconds": 1 }));
    assert_eq!(operations(&told).len(), 0, "{told}");
    let taken = other.watch(&json!({ "Cursor": of_one["Cursor"] }));
    assert_eq!(taken["Because"], json!("Ended"), "another namespace's watch is not there");
}

#[test]
fn faults_are_told_and_a_stop_of_the_server_does_not_wait_for_watchers() {
    let server = start(&[]);
    let client = Client::of(&server);
    for request in [
        json!({ "Limit": 0 }),
        json!({ "Limit": 201 }),
        json!({ "WaitSeconds": 21 }),
        json!({ "OneIn": 0 }),
        json!({ "Cursor": "x" }),
        json!({ "Cursor": "a/1/2/3/4/5/6" }),
        json!({ "Filter": { "Text": "x".repeat(257) } }),
        json!({ "Filter": { "Tables": [] } }),
        json!({ "Filter": { "SlowerThanMs": -1 } }),
    ] {
        let (status, answer) = client.try_watch(&request);
        assert_eq!((status, answer["__type"].is_string()), (400, true), "{request}: {answer}");
    }
    let most = u64::MAX;
    let known = client.watch(&json!({}))["Cursor"].as_str().unwrap().to_owned();
    let name = known.split('/').next().unwrap();
    for cursor in [format!("{name}/1/{most}/{most}/{most}/{most}"), format!("x/1/{most}/0/0/0")] {
        assert!(client.watch(&json!({ "Cursor": cursor }))["Requests"].is_array());
    }
    let endpoint = server.endpoint.clone();
    let waiting = std::thread::spawn(move || {
        let wait = json!({ "WaitSeconds": 20 });
        post(&endpoint, "Hashrange_2026.WatchRequests", UNRECORDED, &wait)
    });
    served::until("the one who waits", || server.metric("hashrange_requests_open") > 0);
    assert_eq!(server.stop().0, Some(0));
    assert_eq!(waiting.join().unwrap().0, 200, "who waits gets an answer");
}

#[test]
fn the_command_prints_requests_and_patterns() {
    let server = start(&[]);
    Client::of(&server).table("orders");
    let mut watching = hashrange(&["requests", "--time", "3s", "--table", "orders"]);
    watching.env("HASHRANGE_ENDPOINT", &server.endpoint).stdout(Stdio::piped());
    let mut watching = watching.spawn().unwrap();
    let mut by_pattern = hashrange(&["requests", "--time", "3s", "--by", "pattern", "-o", "json"]);
    by_pattern.env("HASHRANGE_ENDPOINT", &server.endpoint).stdout(Stdio::piped());
    let mut by_pattern = by_pattern.spawn().unwrap();
    // Both watches have begun, and wait.
    served::until("those who watch", || server.metric("hashrange_requests_open") > 1);
    server.ok(&["put", "orders", "{\"pk\":\"a\"}"]);
    let read = |child: &mut Child| {
        let mut text = String::new();
        child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        assert!(child.wait().unwrap().success(), "{text}");
        text
    };
    let text = read(&mut watching);
    assert!(text.contains("PutItem            orders  1 item, 1 write unit"), "{text}");
    assert!(text.contains("a million"), "{text}");
    let seconds = read(&mut by_pattern);
    let put = |line: &str| {
        let second: Value = serde_json::from_str(line).unwrap();
        let rows = second["Patterns"].as_array().unwrap();
        rows.iter().any(|row| row["Operation"] == json!("PutItem"))
    };
    assert!(seconds.lines().any(put), "{seconds}");
}

/// The page of `hashrange console` for an endpoint; ends with the value.
struct Page {
    process: Child,
    endpoint: String,
    token: String,
}

impl Page {
    fn of(endpoint: &str) -> Self {
        let mut command = hashrange(&["console", "--endpoint", endpoint]);
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (_, url) = line.trim().split_once("http://localhost:").unwrap();
        let (port, token) = url.split_once("/console/#token=").unwrap();
        Self { process, endpoint: format!("http://127.0.0.1:{port}"), token: token.to_owned() }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

#[test]
fn the_console_is_served_and_can_be_left_out() {
    let with = start(&[]);
    let (status, shell) = with.get("/console/");
    assert!(status == 200 && shell.contains("<script type=\"module\""), "{shell}");
    assert_eq!(with.get("/console").0, 308);
    assert_eq!(with.get("/console/none.js").0, 404);
    let (status, script) = with.get("/console/console.js");
    assert!(status == 200 && script.contains("import"), "without gzip it is plain");
    let without = start(&["--console=off"]);
    assert_eq!(without.get("/console/").0, 404);
}

#[test]
fn the_page_of_an_endpoint_signs_and_passes_on_what_shows_its_token() {
    let server = start(&[]);
    Client::of(&server).table("orders");
    let page = Page::of(&server.endpoint);
    let token = format!("X-Hashrange-Token: {}\r\n", page.token);
    let list = "DynamoDB_20120810.ListTables";
    let (status, answer) = post(&page.endpoint, list, "", &json!({}));
    assert_eq!(status, 403, "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("token"), "{answer}");
    let wrong = "X-Hashrange-Token: 0123456789abcdef0123456789abcdef\r\n";
    assert_eq!(post(&page.endpoint, list, wrong, &json!({})).0, 403);
    let told = post(&page.endpoint, list, &token, &json!({}));
    assert_eq!(told, (200, json!({ "TableNames": ["orders"] })));
    let (status, answer) = post(&page.endpoint, "DynamoDB_20120810.Nothing", &token, &json!({}));
    let unknown = answer["__type"].as_str().unwrap();
    assert!(status == 400 && unknown.ends_with("UnknownOperationException"), "{answer}");
    let own = post(&page.endpoint, "Hashrange_2026.DescribeRecording", &token, &json!({}));
    assert_eq!(own.0, 200, "{}", own.1);
    let endpoint = server.endpoint.clone();
    drop(server);
    let (status, answer) = post(&page.endpoint, list, &token, &json!({}));
    assert_eq!(status, 502, "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("connect to"), "{endpoint} {answer}");
}
