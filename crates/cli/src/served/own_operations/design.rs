//! The own operations `DescribeEntities`, `DescribeFindings` and `DescribeCoverage`: a design seen as a whole.
//!
//! | request | answer |
//! |---|---|
//! | `{"TableName": "orders", "SampleItems": 1000}` | the members of [`Entities`](hashrange_design::entities::Entities) |
//! | the same, of `DescribeFindings` | what `hashrange lint` tells of keys, with the keys of items that show it |
//! | `{"TableNames": ["orders"], "Patterns": "name,keys..."}` or `"Contract": {...}` | those of [`Coverage`](hashrange_design::coverage::Coverage) |
//!
//! Bounds: at most [`SAMPLE_MAX`] items and [`PAGES_MAX`] pages of a table, [`TABLES_MAX`] tables, and a request of the
//! usual size.

use super::{fault, items, read, written};
use crate::commands::lint;
use hashrange::cost::{AccessPattern, Contract, Definition};
use hashrange::{ApiResult, Database, Item, Operation, Reason, StateFault, ValueRef};
use hashrange_design::coverage::{cover, read_table};
use hashrange_design::entities::{Entities, infer};
use hashrange_lint::{Finding, Scalar};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
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
struct OfSample {
    table_name: String,
    sample_items: Option<usize>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct EntitiesAnswer {
    #[serde(flatten)]
    entities: Entities,
    sampled_items: u64,
    is_all: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct FindingsAnswer {
    sampled_items: usize,
    is_all: bool,
    findings: Vec<Told>,
}

/// A finding.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Told {
    rule: &'static str,
    severity: &'static str,
    finding: &'static str,
    evidence: String,
    remedy: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attribute: Option<String>,
    examples: Vec<String>,
    keys: Vec<Box<RawValue>>,
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
    let request: OfSample = read(body)?;
    let Described { table } = described(database, &request.table_name).await?;
    let Sample { items, is_all } = request.sample(database).await?;
    let entities = infer(&request.table_name, &table, &items);
    written(&EntitiesAnswer { sampled_items: entities.items, entities, is_all })
}

/// Tells faults of the keys of a table, each with the items that show it, as `hashrange lint` does.
pub async fn findings(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let request: OfSample = read(body)?;
    let described: Value = described(database, &request.table_name).await?;
    let table = lint::design::table(&described["Table"]);
    let Sample { items, is_all } = request.sample(database).await?;
    let scalars: Vec<_> = items.iter().map(scalars).collect();
    // The sizes of item collections take a look at the whole table.
    let findings = hashrange_lint::lint(&table, &scalars, &[]);
    let base = table.sources.first();
    let is_key = |name: &str| base.is_some_and(|base| base.holds(name));
    let told = |finding: &Finding| {
        let keys = finding.items.iter().filter_map(|nth| items.get(*nth));
        let keys = keys.map(|item| items::raw(&item.retain(is_key)));
        Ok(Told {
            rule: finding.rule.id(),
            severity: finding.rule.severity().word(),
            finding: finding.rule.sentence(),
            evidence: finding.evidence.clone(),
            remedy: finding.fix.to_string(),
            index: finding.index.clone(),
            attribute: finding.attribute.clone(),
            examples: finding.examples.clone(),
            keys: keys.collect::<ApiResult<_>>()?,
        })
    };
    let findings = findings.iter().map(told).collect::<ApiResult<_>>()?;
    written(&FindingsAnswer { sampled_items: items.len(), is_all, findings })
}

/// Returns the scalar attributes of an item.
fn scalars(item: &Item) -> hashrange_lint::Item {
    let scalar = |(name, value): (&str, ValueRef<'_>)| {
        let scalar = match value {
            ValueRef::S(text) => Scalar::S(text.to_owned()),
            ValueRef::N(number) => Scalar::N(number.to_number().to_string()),
            _ => return None,
        };
        Some((name.to_owned(), scalar))
    };
    item.iter().filter_map(scalar).collect()
}

/// Returns the description of a table.
async fn described<T: DeserializeOwned>(database: &Database, table: &str) -> ApiResult<T> {
    let request = json!({ "TableName": table }).to_string();
    let answer = database.call(Operation::DescribeTable, request.as_bytes()).await?;
    Ok(serde_json::from_slice(&answer).map_err(|_| Reason::Internal)?)
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

/// Items of a table.
#[derive(Debug)]
struct Sample {
    items: Vec<Item>,
    /// Whether the table has no others.
    is_all: bool,
}

impl OfSample {
    /// Returns as many items as the request asks for, from several places of a table.
    async fn sample(&self, database: &Database) -> ApiResult<Sample> {
        let most = self.sample_items.unwrap_or(SAMPLE_USUAL);
        if !(1..=SAMPLE_MAX).contains(&most) {
            return Err(form(format!("SampleItems is from 1 to {SAMPLE_MAX}")));
        }
        sample(database, &self.table_name, most).await
    }
}

async fn sample(database: &Database, table: &str, most: usize) -> ApiResult<Sample> {
    let (mut found, mut ended) = (Vec::new(), 0);
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
            let Some(last) = page.last_evaluated_key else {
                ended += 1;
                break;
            };
            request["ExclusiveStartKey"] =
                serde_json::from_str(last.get()).map_err(|_| Reason::Internal)?;
        }
    }
    Ok(Sample { items: found, is_all: ended == PLACES })
}
