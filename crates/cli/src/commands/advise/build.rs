//! Advice, tried: advised indexes built on a bounded copy of their table in memory, and the requests that they are
//! for, with values of its items, measured with and without them.
//!
//! The copy is all of the table if that has no more items than asked for, else a part of its partitions. Left to
//! others: examples of requests (`examples.rs`).

use super::examples::{Example, examples};
use super::whole;
use crate::bulk::counted as count_of;
use crate::client::Client;
use crate::output::printer::consumed;
use crate::surroundings::pause;
use anyhow::{Context, bail};
use hashrange::advisor::{Answered, Report, Request};
use hashrange::cost::{Definition, grouped};
use hashrange::{Database, Operation};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Most pages of one example that are read.
const PAGES_MAX: usize = 1_000;
/// Most parts of a table of which one is copied.
const SEGMENTS_MAX: u64 = 10_000;
/// Puts of one BatchWriteItem.
const PUTS: usize = 25;
/// Looks at an index that is being filled, each after a pause.
const LOOKS_MAX: usize = 3_000;
/// Part of what is reckoned, and units beside it, above which a measurement is dearer: entries differ in size.
const DEARER_PART: f64 = 1.1;
const DEARER_UNITS: f64 = 0.5;
const LOOK_PAUSE: Duration = Duration::from_millis(20);

/// Builds what a report advises for a table, and returns the measurements in lines.
pub fn lines(
    client: &mut Client,
    report: &Report,
    (table, definition): (&str, &Definition),
    items_max: u64,
) -> anyhow::Result<Vec<String>> {
    let add: Vec<_> = report.add.iter().filter(|it| it.table == table).collect();
    let of_table = |it: &&Answered| it.request.table == table;
    let unused = report.unused_keys.iter().map(|it| &it.answered).filter(of_table);
    let mut answered: Vec<&Answered> = unused.collect();
    answered.extend(add.iter().flat_map(|it| &it.answers));
    if answered.is_empty() {
        return Ok(Vec::new());
    }
    let mut copy = Client::Local(Database::memory().blocking());
    copy.call(Operation::CreateTable, &create_table(table, definition))?;
    let items = copied(client, &mut copy, (table, definition.item_count), items_max)?;
    let of = match definition.item_count.max(items.len() as u64) {
        all if all == items.len() as u64 => String::new(),
        all => format!(" of {}", grouped(all)),
    };
    let mut lines =
        vec![String::new(), format!("{table}: built and measured on {}{of}", items_text(&items))];
    let examples: Vec<Vec<Example>> = answered.iter().map(|it| examples(it, &items)).collect();
    let mut now = Vec::new();
    for (answered, examples) in answered.iter().zip(&examples) {
        now.push(measured(&mut copy, &answered.request, examples.iter().map(|it| &it.now)));
    }
    for index in &add {
        copy.call(Operation::UpdateTable, &index.update_table)?;
        lines.push(built(&mut copy, table, &index.index)?);
    }
    for ((answered, examples), now) in answered.iter().zip(&examples).zip(now) {
        let instead = examples.iter().map(|it| &it.instead);
        let then = measured(&mut copy, &answered.instead, instead);
        let entry_bytes = entry_bytes(&mut copy, &answered.instead)?;
        lines.extend(told(answered, &now, &then, entry_bytes));
    }
    Ok(lines)
}

fn items_text(items: &[Map<String, Value>]) -> String {
    count_of(items.len() as u64, "item")
}

/// Returns the request that creates a table with a recorded definition.
fn create_table(table: &str, definition: &Definition) -> Value {
    let mut request = json!({
        "TableName": table, "BillingMode": "PAY_PER_REQUEST", "KeySchema": definition.key_schema,
        "AttributeDefinitions": definition.attribute_definitions,
    });
    for (member, indexes) in [
        ("GlobalSecondaryIndexes", &definition.global_secondary_indexes),
        ("LocalSecondaryIndexes", &definition.local_secondary_indexes),
    ] {
        let of_index = |index: &hashrange::cost::IndexFacts| {
            json!({ "IndexName": index.index_name, "KeySchema": index.key_schema,
                "Projection": index.projection })
        };
        if !indexes.is_empty() {
            request[member] = indexes.iter().map(of_index).collect();
        }
    }
    request
}

/// Copies whole partitions, about `items_max` items, and returns them.
fn copied(
    client: &mut Client,
    copy: &mut Client,
    (table, held): (&str, u64),
    items_max: u64,
) -> anyhow::Result<Vec<Map<String, Value>>> {
    let segments = held.div_ceil(items_max.max(1)).clamp(1, SEGMENTS_MAX);
    let mut items: Vec<Map<String, Value>> = Vec::new();
    for segment in 0..segments {
        let mut request =
            json!({ "TableName": table, "Segment": segment, "TotalSegments": segments });
        loop {
            let mut page = client.call(Operation::Scan, &request)?;
            let Value::Array(read) = page["Items"].take() else { bail!("a page has no items") };
            for batch in read.chunks(PUTS) {
                let puts: Vec<Value> =
                    batch.iter().map(|item| json!({ "PutRequest": { "Item": item } })).collect();
                copy.call(Operation::BatchWriteItem, &json!({ "RequestItems": { table: puts } }))?;
            }
            items.extend(read.into_iter().filter_map(|item| match item {
                Value::Object(item) => Some(item),
                _ => None,
            }));
            if items.len() as u64 >= items_max {
                return Ok(items);
            }
            match page["LastEvaluatedKey"].take() {
                Value::Null => break,
                last => request["ExclusiveStartKey"] = last,
            }
        }
    }
    Ok(items)
}

/// Waits until an index is filled, and returns its size in a line.
fn built(copy: &mut Client, table: &str, name: &str) -> anyhow::Result<String> {
    for _ in 0..LOOKS_MAX {
        let described = copy.call(Operation::DescribeTable, &json!({ "TableName": table }))?;
        let indexes = described["Table"]["GlobalSecondaryIndexes"].as_array();
        let index = indexes.into_iter().flatten().find(|it| it["IndexName"] == name);
        let index = index.context("the index that was added is not there")?;
        if index["IndexStatus"] == "ACTIVE" {
            let number = |member: &str| index[member].as_u64().unwrap_or(0);
            let (entries, bytes) = (number("ItemCount"), number("IndexSizeBytes"));
            let entries_text = format!("{} entries", grouped(entries));
            return Ok(format!("  {name}: {entries_text}, {} bytes", grouped(bytes)));
        }
        pause(LOOK_PAUSE);
    }
    bail!("the index {name} was not filled in a minute")
}

/// Measurements of examples of a request.
#[derive(Debug, Default, Clone)]
struct Measured {
    /// Read units of each example, all its pages.
    units: Vec<f64>,
    /// Items that each examined.
    examined: Vec<u64>,
    /// Items that each returned.
    returned: Vec<u64>,
    /// Why it cannot be tried.
    refused: Option<String>,
}

impl Measured {
    fn mean(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a few examples")]
        let examples = self.units.len().max(1) as f64;
        self.units.iter().sum::<f64>() / examples
    }

    fn most(&self) -> f64 {
        self.units.iter().copied().fold(0.0, f64::max)
    }
}

fn measured<'e>(
    copy: &mut Client,
    request: &Request,
    examples: impl Iterator<Item = &'e Map<String, Value>>,
) -> Measured {
    let operation = match request.operation.as_str() {
        "Query" => Operation::Query,
        "Scan" => Operation::Scan,
        _ => return Measured::default(),
    };
    let mut measured = Measured::default();
    for example in examples {
        let mut example = Value::Object(example.clone());
        let (mut units, mut examined, mut returned) = (0.0, 0, 0);
        for _ in 0..PAGES_MAX {
            let mut page = match copy.call(operation, &example) {
                Ok(page) => page,
                Err(error) => {
                    let refused = Some(error.to_string());
                    return Measured { refused, ..Measured::default() };
                }
            };
            units += consumed(&page);
            examined += page["ScannedCount"].as_u64().unwrap_or(0);
            returned += page["Count"].as_u64().unwrap_or(0);
            match page["LastEvaluatedKey"].take() {
                Value::Null => break,
                last => example["ExclusiveStartKey"] = last,
            }
        }
        measured.units.push(units);
        measured.examined.push(examined);
        measured.returned.push(returned);
    }
    measured
}

/// Returns the mean bytes of what a request reads: entries of its index, or items.
fn entry_bytes(copy: &mut Client, request: &Request) -> anyhow::Result<f64> {
    let described = copy.call(Operation::DescribeTable, &json!({ "TableName": request.table }))?;
    let table = &described["Table"];
    let indexes = ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"]
        .into_iter()
        .flat_map(|member| table[member].as_array().into_iter().flatten());
    let index = request
        .index
        .as_ref()
        .and_then(|name| indexes.into_iter().find(|index| index["IndexName"] == name.as_str()));
    let number = |of: &Value, member: &str| of[member].as_f64().unwrap_or(0.0);
    let (bytes, items) = match index {
        Some(index) => (number(index, "IndexSizeBytes"), number(index, "ItemCount")),
        None => (number(table, "TableSizeBytes"), number(table, "ItemCount")),
    };
    Ok(bytes / items.max(1.0))
}

/// Returns what was measured of a kind of request, in lines. What is reckoned is so for the examples as the advice
/// is for the recorded requests.
fn told(answered: &Answered, now: &Measured, then: &Measured, entry_bytes: f64) -> Vec<String> {
    let mut lines = vec![format!("  {}", answered.request)];
    if let Some(refused) = now.refused.as_ref().or(then.refused.as_ref()) {
        lines.push(format!("    cannot be tried: {refused}"));
        return lines;
    }
    if now.units.is_empty() || then.units.is_empty() {
        lines.push("    cannot be tried: no item gives values for its conditions, or they have no examples, as OR, contains and statements".to_owned());
        return lines;
    }
    let units = |it: &Measured| {
        format!("{} read units, at most {}", told_units(it.mean()), told_units(it.most()))
    };
    let reckoned = Measured {
        units: (0..now.units.len())
            .map(|nth| answered.reckoned((now.examined[nth], now.returned[nth]), entry_bytes))
            .collect(),
        ..Measured::default()
    };
    let of = count_of(now.units.len() as u64, "example");
    lines.push(format!("    now       {} ({of})", units(now)));
    lines.push(format!("    with it   {}", units(then)));
    let is_dearer = then.mean() > reckoned.mean() * DEARER_PART + DEARER_UNITS;
    let verdict = if is_dearer { ": dearer than reckoned" } else { "" };
    lines.push(format!("    reckoned  {}{verdict}", units(&reckoned)));
    let differ =
        now.returned.iter().zip(&then.returned).filter(|(one, other)| one != other).count();
    if differ > 0 {
        let examples = count_of(differ as u64, "example");
        lines.push(format!("    other items are returned by {examples}"));
    }
    lines
}

/// Returns units with at most two places.
fn told_units(units: f64) -> String {
    let text = format!("{units:.2}");
    let (whole_part, places) = text.split_once('.').unwrap_or((&text, ""));
    let whole_text = grouped(whole_part.parse().unwrap_or_else(|_| whole(units)));
    match places.trim_end_matches('0') {
        "" => whole_text,
        places => format!("{whole_text}.{places}"),
    }
}
