//! A table in use: its settings, sizes, templates, a bounded sample of its items, and their kinds.

use super::plans::{facets, item};
use crate::client::{Client, is_unknown};
use crate::initial;
use anyhow::Context;
use hashrange::cost::{Definition, TableFacts};
use hashrange::{Item, Operation};
use hashrange_design::entities::{Entities, infer};
use hashrange_design::plan::TablePlan;
use serde_json::{Map, Value, json};

/// Places of a table from which items are read. Neighbours stay together there.
const PLACES: u64 = 4;

/// A table in use.
#[derive(Debug)]
pub struct Looked {
    /// Its ARN.
    pub arn: String,
    /// Settings that DescribeTable tells and a design cannot have, in lines.
    pub not_taken: Vec<String>,
    /// Its settings, with the sampled items and their kinds.
    pub plan: TablePlan,
    /// Its sizes.
    pub facts: TableFacts,
    /// The sampled items.
    pub items: Vec<Item>,
    /// Their kinds.
    pub entities: Entities,
}

/// Reads a table, and at most `most` items of it.
pub fn of(client: &mut Client, name: &str, most: u64) -> anyhow::Result<Looked> {
    let request = json!({ "TableName": name });
    let mut described = client.call(Operation::DescribeTable, &request)?;
    let Value::Object(table) = described["Table"].take() else {
        anyhow::bail!("the answer of DescribeTable lacks the table");
    };
    let definition = initial::of_description(&table)?;
    let arn = table.get("TableArn").and_then(Value::as_str).unwrap_or_default().to_owned();
    let raw = sample(client, name, most)?;
    let items = raw.iter().map(item).collect::<anyhow::Result<Vec<_>>>()?;
    let facts = facts(client, &table, name)?;
    let keys = facts.definition.clone().unwrap_or_default();
    let entities = infer(name, &keys, &items);
    let plan = TablePlan {
        name: name.to_owned(),
        request: definition.request,
        time_to_live: time_to_live(client, &request)?,
        templates: templates(client, &request)?,
        facets: facets(&entities),
        item_count: Some(keys.item_count),
        item_bytes: Some(keys.table_size_bytes),
        items: raw,
    };
    let lines = initial::not_taken_lines(&definition.not_taken).into_iter();
    let not_taken = lines.filter(|(_, is_important)| *is_important).map(|(line, _)| line).collect();
    Ok(Looked { arn, not_taken, plan, facts, items, entities })
}

/// Returns at most `most` items from several places of a table.
fn sample(client: &mut Client, name: &str, most: u64) -> anyhow::Result<Vec<Map<String, Value>>> {
    let mut items = Vec::new();
    for place in 0..PLACES {
        let due = most * (place + 1) / PLACES;
        let mut request = json!({ "TableName": name, "Segment": place, "TotalSegments": PLACES });
        loop {
            let left = due.saturating_sub(u64::try_from(items.len()).unwrap_or(u64::MAX));
            if left == 0 {
                break;
            }
            request["Limit"] = json!(left);
            let mut page = client.call(Operation::Scan, &request)?;
            let Value::Array(read) = page["Items"].take() else { break };
            items.extend(read.into_iter().filter_map(|item| match item {
                Value::Object(item) => Some(item),
                _ => None,
            }));
            match page["LastEvaluatedKey"].take() {
                Value::Null => break,
                last => request["ExclusiveStartKey"] = last,
            }
        }
    }
    Ok(items)
}

/// Returns the sizes of a table, with statistics of its attributes if the server has them.
pub fn facts(
    client: &mut Client,
    described: &Map<String, Value>,
    name: &str,
) -> anyhow::Result<TableFacts> {
    match client.call_own("TableFacts", &json!({ "TableName": name })) {
        Ok(facts) => serde_json::from_value(facts).context("the facts of the table"),
        Err(error) if is_unknown(&error) => {
            let definition: Definition = serde_json::from_value(Value::Object(described.clone()))?;
            Ok(TableFacts {
                table: name.to_owned(),
                stored_items: definition.item_count,
                stored_bytes: definition.table_size_bytes,
                definition: Some(definition),
                ..TableFacts::default()
            })
        }
        Err(error) => Err(error),
    }
}

/// Reads the tags of a table by its ARN, without the marks of samples.
pub fn tags(client: &mut Client, arn: &str) -> anyhow::Result<Vec<Value>> {
    let mut request = json!({ "ResourceArn": arn });
    let mut tags = Vec::new();
    loop {
        let mut page = client.call(Operation::ListTagsOfResource, &request)?;
        let read = page["Tags"].as_array().into_iter().flatten();
        let is_own =
            |tag: &&Value| tag["Key"].as_str().is_some_and(|key| key.starts_with("hashrange:"));
        tags.extend(read.filter(|tag| !is_own(tag)).cloned());
        match page["NextToken"].take() {
            Value::Null => return Ok(tags),
            next => request["NextToken"] = next,
        }
    }
}

fn time_to_live(client: &mut Client, request: &Value) -> anyhow::Result<Option<String>> {
    let answer = client.call(Operation::DescribeTimeToLive, request)?;
    let told = &answer["TimeToLiveDescription"];
    let is_on = ["ENABLED", "ENABLING"].iter().any(|it| told["TimeToLiveStatus"] == *it);
    Ok(told["AttributeName"].as_str().filter(|_| is_on).map(str::to_owned))
}

fn templates(client: &mut Client, request: &Value) -> anyhow::Result<Vec<String>> {
    match client.call_own("DescribeKeyTemplates", request) {
        Ok(answer) => {
            let templates = answer["KeyTemplates"].as_array().into_iter().flatten();
            Ok(templates.filter_map(|it| it["Template"].as_str()).map(str::to_owned).collect())
        }
        Err(error) if is_unknown(&error) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
