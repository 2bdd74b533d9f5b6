//! One batch: BatchWriteItem until all of it is in. A call sends unprocessed items again; of a
//! batch that the database refuses it puts each item by itself, which finds the one at fault.

use super::retry::{self, Stop};
use crate::client::{Backoff, Caller, Failure, Refused};
use crate::format::WireItem;
use crate::output::printer;
use crate::reading::key::{self, Key};
use crate::reading::reader::{Entry, RecordPlace};
use hashrange::Operation;
use serde_json::Value;
use std::collections::BTreeSet;

/// Target and settings that all batches share.
#[derive(Debug, Clone)]
pub struct Target {
    /// The database.
    pub caller: Caller,
    /// The table.
    pub table: String,
    /// The key attributes of the table.
    pub key_names: Vec<String>,
    /// Skip items that the database refuses.
    pub skips_bad: bool,
}

/// Outcome of a batch.
#[derive(Debug, Default)]
pub struct BatchOutcome {
    /// Number of the batch.
    pub batch: u64,
    /// Its keys.
    pub keys: Vec<Key>,
    /// Items that are in.
    pub put: u64,
    /// Write units they took.
    pub units: f64,
    /// True if the database turned some items away for a while.
    pub was_throttled: bool,
    /// The keys of the items that are in, and the places of their records.
    pub done: Vec<(RecordPlace, Key)>,
    /// Items that the database refused and the import skipped, each with the reason.
    pub skipped: Vec<(RecordPlace, String)>,
    /// The first item that is not in, and why, unless Ctrl-C stopped the import.
    pub open: Option<(RecordPlace, Option<anyhow::Error>)>,
}

/// Writes a batch.
pub async fn write(
    target: &Target,
    mut entries: Vec<Entry>,
    outcome: &mut BatchOutcome,
    mut stop: Stop,
) {
    let mut backoff = Backoff::default();
    while !entries.is_empty() {
        let items = entries.iter().map(|entry| entry.item.as_str());
        let body = batch_body(&target.table, items).into_bytes();
        let response = target.caller.call_raw(Operation::BatchWriteItem, body).await;
        let failure = match response.and_then(|body| unprocessed(target, &body, &mut outcome.units))
        {
            Ok(left) => {
                let before = entries.len();
                entries.retain(|entry| {
                    let Some(key) = &entry.key else { return false };
                    let is_left = left.contains(key);
                    if !is_left {
                        outcome.done.push((entry.place, key.clone()));
                    }
                    is_left
                });
                outcome.put += (before - entries.len()) as u64;
                if entries.len() < before {
                    backoff.advanced();
                }
                None
            }
            Err(error) if is_of_an_item(&error) => {
                return write_one_by_one(target, entries, outcome, stop).await;
            }
            Err(error) => Some(error),
        };
        if entries.is_empty() {
            return;
        }
        outcome.was_throttled = true;
        let kind = match &failure {
            Some(error) => Failure::of(error),
            None => Some(Failure::Throttled),
        };
        let goes_on = match kind {
            Some(kind) => retry::wait(&mut backoff, kind, &mut stop).await,
            None => false,
        };
        if !goes_on {
            let place = entries.first().map(|entry| entry.place);
            let fault = failure.or_else(|| {
                let is_asked = *stop.borrow();
                (!is_asked).then(|| anyhow::anyhow!("the database takes no more items: throttled"))
            });
            outcome.open = place.map(|place| (place, fault));
            return;
        }
    }
}

/// Returns true if an item of the batch may be the reason, and the others can go in without it.
fn is_of_an_item(error: &anyhow::Error) -> bool {
    let exceptions = [
        "ValidationException",
        "SerializationException",
        "ItemCollectionSizeLimitExceededException",
    ];
    let refused = error.downcast_ref::<Refused>();
    refused.is_some_and(|refused| exceptions.contains(&refused.exception.as_str()))
}

async fn write_one_by_one(
    target: &Target,
    entries: Vec<Entry>,
    outcome: &mut BatchOutcome,
    mut stop: Stop,
) {
    for entry in entries {
        let body = put_body(&target.table, &entry.item);
        let put = retry::call(&target.caller, Operation::PutItem, body.as_bytes(), &mut stop).await;
        match put {
            Ok(response) => {
                outcome.put += 1;
                outcome.done.extend(entry.key.map(|key| (entry.place, key)));
                outcome.units +=
                    printer::consumed(&serde_json::from_slice(&response).unwrap_or_default());
            }
            Err(error) if target.skips_bad && is_of_an_item(&error) => {
                outcome.skipped.push((entry.place, format!("{error:#}")));
            }
            Err(error) => {
                outcome.open = Some((entry.place, Some(error)));
                return;
            }
        }
    }
}

/// Returns a request that puts items, given in DynamoDB's JSON.
pub fn batch_body<'a>(table: &str, items: impl Iterator<Item = &'a str> + Clone) -> String {
    let bytes: usize = items.clone().map(|item| item.len() + 30).sum();
    let mut body = String::with_capacity(bytes + 100);
    body.push_str("{\"ReturnConsumedCapacity\":\"TOTAL\",\"RequestItems\":{");
    body.push_str(&Value::from(table).to_string());
    body.push_str(":[");
    for (nth, item) in items.enumerate() {
        if nth > 0 {
            body.push(',');
        }
        body.push_str("{\"PutRequest\":{\"Item\":");
        body.push_str(item);
        body.push_str("}}");
    }
    body.push_str("]}}");
    body
}

/// Returns a request that puts an item, given in DynamoDB's JSON.
pub fn put_body(table: &str, item: &str) -> String {
    let table = Value::from(table);
    format!("{{\"ReturnConsumedCapacity\":\"TOTAL\",\"TableName\":{table},\"Item\":{item}}}")
}

/// Returns the keys of the items that are not in, and adds the units of the others.
fn unprocessed(target: &Target, body: &[u8], sum: &mut f64) -> anyhow::Result<BTreeSet<Key>> {
    use anyhow::Context;
    let response: Value = serde_json::from_slice(body).context("the response is not JSON")?;
    let consumed = response["ConsumedCapacity"].as_array().into_iter().flatten();
    *sum += consumed.map(|table| table["CapacityUnits"].as_f64().unwrap_or(0.0)).sum::<f64>();
    let tables = response["UnprocessedItems"].as_object().into_iter().flatten();
    let writes = tables.filter_map(|(_, writes)| writes.as_array()).flatten();
    let key = |write: &Value| {
        let item: Option<&WireItem> = write["PutRequest"]["Item"].as_object();
        item.and_then(|item| key::of(item, &target.key_names))
            .context("an unprocessed item has no key")
    };
    writes.map(key).collect()
}
