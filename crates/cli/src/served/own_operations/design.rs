//! The own operations `DescribeEntities` and `DescribeCoverage`: a design seen as a whole.
//!
//! | request | answer |
//! |---|---|
//! | `{"TableName": "orders", "SampleItems": 1000}` | the members of [`Entities`](hashrange_design::entities::Entities) |
//! | `{"TableNames": ["orders"], "Patterns": "name,keys..."}` or `"Contract": {...}` | those of [`Coverage`](hashrange_design::coverage::Coverage) |
//!
//! Bounds: at most [`SAMPLE_MAX`] items and [`PAGES_MAX`] pages of a table, [`TABLES_MAX`] tables, and a request of the
//! usual size.

use super::{fault, items, read, written};
use hashrange::cost::{AccessPattern, Contract, Definition};
use hashrange::{ApiResult, Database, Item, Operation, Reason, StateFault};
use hashrange_design::coverage::{cover, read_table};
use hashrange_design::entities::infer;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// Most items that a request may have looked at.
const SAMPLE_MAX: usize = 2000;
/// Items that are looked at unless the request says otherwise.
const SAMPLE_USUAL: usize = 1000;
/// Most pages of a table that are read, each of 1 MB at most.
const PAGES_MAX: usize = 20;
/// Places of a table from which items are read.
const PLACES: usize = 4;
/// Most tables of a matrix.
const TABLES_MAX: usize = 20;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct OfEntities {
    table_name: String,
    sample_items: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct OfCoverage {
    table_names: Vec<String>,
    patterns: Option<String>,
    contract: Option<Value>,
}

/// A page of a Scan.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Page {
    items: Vec<Box<RawValue>>,
    last_evaluated_key: Option<Box<RawValue>>,
}

/// An answer of DescribeTable.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Described {
    table: Definition,
}

/// Tells the kinds of items in a table.
pub async fn entities(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let OfEntities { table_name, sample_items } = read(body)?;
    let most = sample_items.unwrap_or(SAMPLE_USUAL);
    if !(1..=SAMPLE_MAX).contains(&most) {
        return Err(form(format!("SampleItems is from 1 to {SAMPLE_MAX}")));
    }
    let definition = definition(database, &table_name).await?;
    let items = sample(database, &table_name, most).await?;
    written(&infer(&table_name, &definition, &items))
}

/// Returns the keys and indexes of a table.
async fn definition(database: &Database, table: &str) -> ApiResult<Definition> {
    let request = json!({ "TableName": table }).to_string();
    let answer = database.call(Operation::DescribeTable, request.as_bytes()).await?;
    let described: Described = serde_json::from_slice(&answer).map_err(|_| Reason::Internal)?;
    Ok(described.table)
}

/// Tells which keys of tables answer access patterns.
pub async fn coverage(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let request: OfCoverage = read(body)?;
    if !(1..=TABLES_MAX).contains(&request.table_names.len()) {
        return Err(form(format!("TableNames has from 1 to {TABLES_MAX} names")));
    }
    let patterns = patterns(&request)?;
    let mut tables = Vec::new();
    for name in &request.table_names {
        tables.push(database.facts(name).await?);
    }
    written(&cover(&tables, &patterns))
}

fn form(why: String) -> hashrange::ApiError {
    fault(StateFault::Form(why))
}

fn patterns(request: &OfCoverage) -> ApiResult<Vec<AccessPattern>> {
    let only = match &request.table_names[..] {
        [one] => Some(one.as_str()),
        _ => None,
    };
    match (&request.patterns, &request.contract) {
        (Some(text), None) => {
            read_table(text, only).map_err(|why| form(format!("Patterns, {why}")))
        }
        (None, Some(contract)) => {
            let contract = Contract::read(contract.to_string().as_bytes());
            contract.map(|it| it.patterns).map_err(|why| form(format!("Contract: {why}")))
        }
        _ => Err(form("either Patterns or Contract is wanted".to_owned())),
    }
}

/// Returns at most `most` items from several places of a table.
async fn sample(database: &Database, table: &str, most: usize) -> ApiResult<Vec<Item>> {
    let mut found = Vec::new();
    for place in 0..PLACES {
        let due = most * (place + 1) / PLACES;
        let mut request = json!({ "TableName": table, "Segment": place, "TotalSegments": PLACES });
        for _ in 0..PAGES_MAX / PLACES {
            if found.len() >= due {
                break;
            }
            request["Limit"] = json!(due - found.len());
            let answer = database.call(Operation::Scan, request.to_string().as_bytes()).await?;
            let page: Page = serde_json::from_slice(&answer).map_err(|_| Reason::Internal)?;
            for item in &page.items {
                found.push(items::read(Some(item))?);
            }
            let Some(last) = page.last_evaluated_key else { break };
            request["ExclusiveStartKey"] =
                serde_json::from_str(last.get()).map_err(|_| Reason::Internal)?;
        }
    }
    Ok(found)
}
