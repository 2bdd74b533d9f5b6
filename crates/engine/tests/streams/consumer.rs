//! A consumer as the service's guide describes it: it reads every shard, parents before children,
//! keeps the sequence numbers it has come to, and applies what it reads to a copy of the table.

use super::Database;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// A copy of a table: items by their keys.
pub(super) type Copy = BTreeMap<String, Json>;

#[derive(Default)]
pub(super) struct Consumer {
    pub(super) copy: Copy,
    /// The last sequence number read of each shard.
    checkpoints: BTreeMap<String, String>,
    finished: BTreeSet<String>,
}

impl Consumer {
    /// Reads everything there is.
    pub(super) fn catch_up(&mut self, database: &Database, arn: &str) {
        loop {
            let shards = database.shards(arn);
            let ready = shards.iter().find(|shard| self.is_ready(shard, &shards));
            let Some(shard) = ready.map(|shard| shard["ShardId"].as_str().unwrap()) else {
                break;
            };
            self.read(database, arn, shard);
        }
        // Those that are open.
        for shard in database.shards(arn) {
            let id = shard["ShardId"].as_str().unwrap();
            if !self.finished.contains(id) {
                self.read(database, arn, id);
            }
        }
    }

    /// Returns whether a shard is closed and not read, and its parent is read or gone.
    fn is_ready(&self, shard: &Json, all: &[Json]) -> bool {
        let is_closed = shard["SequenceNumberRange"].get("EndingSequenceNumber").is_some();
        let parent = &shard["ParentShardId"];
        let has_parent = all.iter().any(|other| other["ShardId"] == *parent);
        let is_next = !has_parent || self.finished.contains(parent.as_str().unwrap());
        is_closed && is_next && !self.finished.contains(shard["ShardId"].as_str().unwrap())
    }

    fn read(&mut self, database: &Database, arn: &str, shard: &str) {
        let mut request = json!({"StreamArn": arn, "ShardId": shard});
        match self.checkpoints.get(shard) {
            None => request["ShardIteratorType"] = json!("TRIM_HORIZON"),
            Some(number) => {
                request["ShardIteratorType"] = json!("AFTER_SEQUENCE_NUMBER");
                request["SequenceNumber"] = json!(number);
            }
        }
        let mut iterator = database.ok("GetShardIterator", &request)["ShardIterator"].clone();
        loop {
            let page = database.records(iterator.as_str().unwrap());
            let records = page["Records"].as_array().unwrap();
            for record in records {
                self.apply(shard, record);
            }
            match page.get("NextShardIterator") {
                None => {
                    self.finished.insert(shard.to_owned());
                    return;
                }
                Some(_) if records.is_empty() => return,
                Some(next) => iterator = next.clone(),
            }
        }
    }

    fn apply(&mut self, shard: &str, record: &Json) {
        let change = &record["dynamodb"];
        let number = change["SequenceNumber"].as_str().unwrap().to_owned();
        if let Some(before) = self.checkpoints.insert(shard.to_owned(), number.clone()) {
            assert!(before < number, "{before} is read before {number}");
        }
        let key = change["Keys"].to_string();
        let old = match change.get("NewImage") {
            Some(image) => self.copy.insert(key, image.clone()),
            None => self.copy.remove(&key),
        };
        assert_eq!(old.as_ref(), change.get("OldImage"), "{record}");
        let event = match (change.get("OldImage"), change.get("NewImage")) {
            (None, Some(_)) => "INSERT",
            (Some(_), Some(_)) => "MODIFY",
            (_, None) => "REMOVE",
        };
        assert_eq!(record["eventName"], event);
    }
}

/// Returns what a table holds.
pub(super) fn contents(database: &Database, table: &str) -> Copy {
    let mut contents = Copy::new();
    let mut request = json!({"TableName": table});
    loop {
        let page = database.ok("Scan", &request);
        for item in page["Items"].as_array().unwrap() {
            contents.insert(json!({"pk": item["pk"]}).to_string(), item.clone());
        }
        match page.get("LastEvaluatedKey") {
            None => return contents,
            Some(last) => request["ExclusiveStartKey"] = last.clone(),
        }
    }
}
