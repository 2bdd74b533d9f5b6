//! Streams of the tables: what they show of each item is what the model says has happened to it.

use super::{Check, Run, sorted};
use hashrange_testkit::model::{Change, EXPIRES, Item, item_json};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// How far a stream was read.
#[derive(Debug, Default)]
pub(super) struct Consumer {
    arn: String,
    /// The last sequence number read of each shard.
    checkpoints: BTreeMap<String, String>,
    finished: BTreeSet<String>,
}

/// The changes of each item, by its key.
type Changes = BTreeMap<String, Vec<String>>;

impl Run {
    /// Enables time to live on a new table and begins to read its stream.
    pub(super) fn begin_stream(&mut self, table: &str, created: &Json) -> Check {
        let arn = created["TableDescription"]["LatestStreamArn"].as_str();
        let arn = arn.ok_or("a new table has no stream")?.to_owned();
        self.consumers.insert(table.to_owned(), Consumer { arn, ..Consumer::default() });
        let specification = json!({ "Enabled": true, "AttributeName": EXPIRES });
        let request = json!({ "TableName": table, "TimeToLiveSpecification": specification });
        let answer = self.call("UpdateTimeToLive", &request);
        answer.map_err(|error| format!("UpdateTimeToLive answers {error}"))?;
        while self.time_to_live(table)? == "ENABLING" {
            std::thread::yield_now();
        }
        Ok(())
    }

    fn time_to_live(&self, table: &str) -> Result<Json, String> {
        let described = self.call("DescribeTimeToLive", &json!({ "TableName": table }));
        let described = described.map_err(|error| format!("DescribeTimeToLive answers {error}"))?;
        Ok(described["TimeToLiveDescription"]["TimeToLiveStatus"].clone())
    }

    /// Compares what the streams show since the last time.
    pub(super) fn compare_streams(&mut self) -> Check {
        self.model.table_names().iter().try_for_each(|table| self.compare_stream(table))
    }

    /// Compares what the stream of a table shows since the last time.
    pub(super) fn compare_stream(&mut self, table: &str) -> Check {
        let mut consumer = self.consumers.remove(table).ok_or("a table without a stream")?;
        let mut found = Changes::new();
        let read = self.read(&mut consumer, &mut found);
        self.consumers.insert(table.to_owned(), consumer);
        read?;
        let mut expected = Changes::new();
        for change in self.model.take_changes(table) {
            self.seen.expired += usize::from(change.has_expired);
            add(&mut expected, &expected_record(&change));
        }
        self.seen.changes += found.values().map(Vec::len).sum::<usize>();
        if found == expected {
            return Ok(());
        }
        Err(format!("the stream of {table} shows {found:#?}\ninstead of {expected:#?}"))
    }

    /// Reads every shard to its end, older ones first.
    fn read(&self, consumer: &mut Consumer, found: &mut Changes) -> Check {
        let call = |operation: &str, request: Json| {
            let answer = self.call(operation, &request);
            answer.map_err(|error| format!("{operation} answers {error}"))
        };
        let mut shards: Vec<Json> = Vec::new();
        let mut request = json!({ "StreamArn": consumer.arn });
        loop {
            let description = call("DescribeStream", request.clone())?["StreamDescription"].clone();
            shards.extend(description["Shards"].as_array().cloned().unwrap_or_default());
            match description.get("LastEvaluatedShardId") {
                None => break,
                Some(last) => request["ExclusiveStartShardId"] = last.clone(),
            }
        }
        for shard in shards {
            let id = shard["ShardId"].as_str().ok_or("a shard without an id")?.to_owned();
            if consumer.finished.contains(&id) {
                continue;
            }
            let mut start = json!({ "StreamArn": consumer.arn, "ShardId": id });
            match consumer.checkpoints.get(&id) {
                None => start["ShardIteratorType"] = json!("TRIM_HORIZON"),
                Some(number) => {
                    start["ShardIteratorType"] = json!("AFTER_SEQUENCE_NUMBER");
                    start["SequenceNumber"] = json!(number);
                }
            }
            let mut iterator = call("GetShardIterator", start)?["ShardIterator"].clone();
            loop {
                let page = call("GetRecords", json!({ "ShardIterator": iterator, "Limit": 7 }))?;
                let records = page["Records"].as_array().cloned().unwrap_or_default();
                for record in &records {
                    add(found, &record_json(record));
                    let number = record["dynamodb"]["SequenceNumber"].as_str().unwrap_or_default();
                    consumer.checkpoints.insert(id.clone(), number.to_owned());
                }
                match page.get("NextShardIterator") {
                    None => {
                        consumer.finished.insert(id);
                        break;
                    }
                    Some(_) if records.is_empty() => break,
                    Some(next) => iterator = next.clone(),
                }
            }
        }
        Ok(())
    }
}

fn add(changes: &mut Changes, record: &Json) {
    changes.entry(sorted(&record["Keys"])).or_default().push(sorted(record));
}

/// Returns what of a record follows from the change.
fn record_json(record: &Json) -> Json {
    let change = &record["dynamodb"];
    json!({
        "eventName": record["eventName"],
        "Keys": change["Keys"],
        "OldImage": change["OldImage"],
        "NewImage": change["NewImage"],
        "userIdentity": record["userIdentity"],
    })
}

fn expected_record(change: &Change) -> Json {
    let image = |item: &Option<Item>| item.as_ref().map_or(Json::Null, item_json);
    let name = match (&change.old, &change.new) {
        (None, _) => "INSERT",
        (Some(_), Some(_)) => "MODIFY",
        (Some(_), None) => "REMOVE",
    };
    let service = json!({ "PrincipalId": "dynamodb.amazonaws.com", "Type": "Service" });
    json!({
        "eventName": name,
        "Keys": item_json(&change.key),
        "OldImage": image(&change.old),
        "NewImage": image(&change.new),
        "userIdentity": if change.has_expired { service } else { Json::Null },
    })
}
