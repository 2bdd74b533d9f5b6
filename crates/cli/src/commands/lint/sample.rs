//! A bounded sample of a table in use: items from several places of it, and its largest item collections.

use super::design;
use crate::client::{Client, is_unknown};
use crate::commands::tree::merged::Merged;
use crate::output::printer::{consumed, counted};
use hashrange::Operation;
use hashrange_lint::{Collection, Item, LARGE_COLLECTION_BYTES, SourceKind, Table};
use serde_json::{Value, json};

/// Places of a table from which items are read. Neighbours stay together there.
const PLACES: u64 = 4;
/// The most items that one request asks for; it reads 1 MB at most.
const PAGE_MAX: u128 = 100_000;
/// Number of the largest collections to look at.
const LARGEST: usize = 20;

/// Part of a table that was read.
#[derive(Debug)]
pub struct Sample {
    /// The table.
    pub table: Table,
    /// Items of it.
    pub items: Vec<Item>,
    /// Their keys, as the service writes them.
    pub keys: Vec<Value>,
    /// The largest item collections, where they have a limit.
    pub collections: Vec<Collection>,
    all_items: u64,
    read_units: f64,
}

impl Sample {
    /// Returns the size of the sample, in words.
    pub fn text(&self) -> String {
        format!(
            "{}: {} of {} items looked at, {}",
            self.table.name,
            self.items.len(),
            self.all_items.max(self.items.len() as u64),
            counted(self.read_units, "read"),
        )
    }
}

/// Reads at most `most` items of a table, and the other facts that the linter looks at.
pub fn of(client: &mut Client, name: &str, most: u64) -> anyhow::Result<Sample> {
    let described = client.call(Operation::DescribeTable, &json!({ "TableName": name }))?;
    let table = design::table(&described["Table"]);
    let all_items = described["Table"]["ItemCount"].as_u64().unwrap_or(0);
    let (items, keys, collections) = (Vec::new(), Vec::new(), Vec::new());
    let mut sample = Sample { table, items, keys, collections, all_items, read_units: 0.0 };
    for place in 0..PLACES {
        let due = u128::from(most) * u128::from(place + 1) / u128::from(PLACES);
        read_place(client, &mut sample, place, due)?;
    }
    let is_limited = sample.table.sources.iter().any(|source| source.kind == SourceKind::Local);
    let all_bytes = described["Table"]["TableSizeBytes"].as_u64().unwrap_or(0);
    // No collection is larger than all of them.
    if is_limited && all_bytes >= LARGE_COLLECTION_BYTES {
        sample.collections = largest(client, &mut sample.read_units, name)?;
    }
    Ok(sample)
}

/// Reads on from one place until there are `due` items.
fn read_place(
    client: &mut Client,
    sample: &mut Sample,
    place: u64,
    due: u128,
) -> anyhow::Result<()> {
    let mut request = json!({
        "TableName": sample.table.name, "Segment": place, "TotalSegments": PLACES,
        "ReturnConsumedCapacity": "TOTAL",
    });
    loop {
        let left = due.saturating_sub(sample.items.len() as u128).min(PAGE_MAX);
        if left == 0 {
            return Ok(());
        }
        request["Limit"] = json!(left);
        let mut page = client.call(Operation::Scan, &request)?;
        sample.read_units += consumed(&page);
        let items = page["Items"].as_array().into_iter().flatten();
        for item in items.filter_map(Value::as_object) {
            sample.items.push(design::item(item));
            sample.keys.push(design::key(&sample.table, item));
        }
        match page["LastEvaluatedKey"].take() {
            Value::Null => return Ok(()),
            last => request["ExclusiveStartKey"] = last,
        }
    }
}

/// Returns the largest collections of a table, which the server reads whole for it; none if the
/// server does not know the operation.
fn largest(
    client: &mut Client,
    read_units: &mut f64,
    name: &str,
) -> anyhow::Result<Vec<Collection>> {
    let mut request = json!({ "TableName": name, "LargestFirst": true, "Limit": LARGEST });
    let mut merged = Merged::new(Some(LARGEST));
    loop {
        let mut page = match client.call_own("Partitions", &request) {
            Ok(page) => page,
            Err(error) if is_unknown(&error) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        *read_units += page["Work"]["ReadUnits"].as_f64().unwrap_or(0.0);
        let next = page["LastEvaluated"].take();
        merged.add(page);
        if next.is_null() {
            break;
        }
        request["ExclusiveStart"] = next;
    }
    let collection = |node: &Value| Collection {
        partition: node["Name"].as_str().unwrap_or_default().to_owned(),
        items: node["Items"].as_u64().unwrap_or(0),
        bytes: node["Bytes"].as_u64().unwrap_or(0),
    };
    Ok(merged.nodes().iter().map(collection).collect())
}
