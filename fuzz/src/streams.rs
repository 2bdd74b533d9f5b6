//! What consumers of streams hold, damaged: ARNs, ids of shards, sequence numbers, iterators.
//!
//! An input is a kind of request and its values, a line each. Whatever they are, the answer is a
//! page or an error that blames the client.

use crate::targets::Fuzzed;
use hashrange_engine::{Engine, EngineOptions};
use hashrange_model::error::ErrorKind;
use hashrange_storage::{MemoryStore, block_on};
use hashrange_testkit::environment::{VirtualClock, virtual_environment};
use hashrange_wire::{Operation, Service};
use serde_json::{Map, Value as Json, json};

const HOUR_MS: u64 = 60 * 60 * 1000;
/// Pages that are read from an iterator.
const PAGES: usize = 3;
const ITERATOR_TYPES: [&str; 5] =
    ["TRIM_HORIZON", "LATEST", "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER", "AT_TIMESTAMP"];

/// Tables with streams, and a clock that stands still: the same input has the same answer.
struct Streams {
    engine: Engine<MemoryStore>,
    clock: VirtualClock,
}

/// Prepares streams in all states: open and closed shards, records that are gone, a deleted table.
pub fn start() -> Fuzzed {
    let streams = Streams::open();
    let old = streams.create("old");
    streams.fill("old");
    streams.pass(26 * HOUR_MS);
    let deleted = streams.create("deleted");
    streams.fill("deleted");
    streams.must("DeleteTable", &json!({"TableName": "deleted"}));
    let current = streams.create("current");
    streams.fill("current");
    streams.pass(5 * HOUR_MS);
    streams.fill("current");
    let inputs = [&old, &deleted, &current].map(|arn| streams.inputs(arn)).concat();
    Fuzzed { inputs, check: Box::new(move |input| streams.check(&String::from_utf8_lossy(input))) }
}

impl Streams {
    fn open() -> Self {
        let (environment, clock) = virtual_environment();
        let options = EngineOptions { stream_shards: 2, jobs_run: false, ..Default::default() };
        let engine = block_on(Engine::open_with(MemoryStore::new(), environment, options));
        Self { engine: engine.expect("an empty store can be opened"), clock }
    }

    /// Answers a request; an error must not be the server's own.
    fn call(&self, operation: &str, body: &Json) -> Option<Json> {
        let operation = Operation::from_name(Service::DynamoDb, operation)
            .or_else(|| Operation::from_name(Service::Streams, operation))
            .expect("there is such an operation");
        match block_on(self.engine.call(operation, body.to_string().as_bytes())) {
            Ok(answer) => Some(serde_json::from_slice(&answer).expect("an answer is JSON")),
            Err(error) => {
                assert_ne!(error.kind(), ErrorKind::InternalServerError, "{body}: {error}");
                assert!(!error.to_string().is_empty(), "{body}");
                None
            }
        }
    }

    fn must(&self, operation: &str, body: &Json) -> Json {
        self.call(operation, body).expect("the request is good")
    }

    /// Creates a table and returns the ARN of its stream.
    fn create(&self, table: &str) -> String {
        let answer = self.must(
            "CreateTable",
            &json!({
                "TableName": table,
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "StreamSpecification":
                    {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
            }),
        );
        text(&answer["TableDescription"]["LatestStreamArn"])
    }

    fn fill(&self, table: &str) {
        for nth in 0..20 {
            let item = json!({"pk": {"S": format!("item {nth}")}});
            self.must("PutItem", &json!({"TableName": table, "Item": item}));
        }
    }

    fn pass(&self, ms: u64) {
        self.clock.advance_ms(ms);
        self.engine.sweep();
    }

    /// Returns a good input of every kind for each shard of a stream.
    fn inputs(&self, arn: &str) -> Vec<String> {
        let described = self.must("DescribeStream", &json!({"StreamArn": arn}));
        let shards = described["StreamDescription"]["Shards"].as_array().cloned();
        let mut inputs = vec![format!("list\n\n{arn}")];
        for shard in shards.expect("a stream has shards") {
            let id = text(&shard["ShardId"]);
            let number = text(&shard["SequenceNumberRange"]["StartingSequenceNumber"]);
            inputs.push(format!("describe\n{arn}\n{id}"));
            inputs.push(format!("children\n{arn}\n{id}"));
            for kind in ITERATOR_TYPES {
                inputs.push(format!("{kind}\n{arn}\n{id}\n{number}"));
            }
            let request =
                json!({"StreamArn": arn, "ShardId": id, "ShardIteratorType": "TRIM_HORIZON"});
            let iterator = self.must("GetShardIterator", &request);
            inputs.push(format!("records\n{}", text(&iterator["ShardIterator"])));
        }
        inputs
    }

    fn check(&self, input: &str) {
        let mut lines = input.splitn(4, '\n');
        let kind = lines.next().unwrap_or_default();
        let values: [&str; 3] = std::array::from_fn(|_| lines.next().unwrap_or_default());
        match kind {
            "list" => drop(self.call("ListStreams", &list(values))),
            "describe" | "children" => {
                drop(self.call("DescribeStream", &describe(values, kind == "children")));
            }
            "records" => self.read(values[0].to_owned()),
            _ => {
                let answer = self.call("GetShardIterator", &position(kind, values));
                answer.iter().for_each(|answer| self.read(text(&answer["ShardIterator"])));
            }
        }
    }

    fn read(&self, iterator: String) {
        let mut next = Some(iterator);
        for _ in 0..PAGES {
            let Some(iterator) = next else { return };
            let page = self.call("GetRecords", &json!({"ShardIterator": iterator, "Limit": 3}));
            next = page.and_then(|page| page["NextShardIterator"].as_str().map(str::to_owned));
        }
    }
}

fn text(value: &Json) -> String {
    value.as_str().expect("it is text").to_owned()
}

/// Returns a request with those members that have a value.
fn request<'a>(members: impl IntoIterator<Item = (&'static str, &'a str)>) -> Map<String, Json> {
    let given = members.into_iter().filter(|(_, value)| !value.is_empty());
    given.map(|(name, value)| (name.to_owned(), value.into())).collect()
}

fn list([table, arn, _]: [&str; 3]) -> Json {
    request([("TableName", table), ("ExclusiveStartStreamArn", arn)]).into()
}

fn describe([arn, shard, _]: [&str; 3], of_children: bool) -> Json {
    let mut described = request([("StreamArn", arn)]);
    if of_children {
        described
            .insert("ShardFilter".to_owned(), json!({"Type": "CHILD_SHARDS", "ShardId": shard}));
    } else {
        described.extend(request([("ExclusiveStartShardId", shard)]));
    }
    described.into()
}

fn position(kind: &str, [arn, shard, number]: [&str; 3]) -> Json {
    let members = [("StreamArn", arn), ("ShardId", shard), ("ShardIteratorType", kind)];
    let mut asked = request(members);
    match (kind, number.parse::<f64>()) {
        ("AT_TIMESTAMP", Ok(since)) => drop(asked.insert("Timestamp".to_owned(), since.into())),
        ("AT_TIMESTAMP", Err(_)) => {}
        _ => asked.extend(request([("SequenceNumber", number)])),
    }
    asked.into()
}
