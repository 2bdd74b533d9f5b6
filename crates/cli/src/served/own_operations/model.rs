//! `ReadModel`: table definitions and items from the text of a file, in every form that `--init` reads.
//! Nothing is created.
//!
//! `{"FileName": "shop.json", "Text": "..."}`, for a template with values of its parameters
//! (`"Parameters": {"Stage": "dev"}`), is answered by `{"Tables": [{"Request", "Items", "TimeToLive"}],
//! "NotTaken": [sentences]}`: requests of CreateTable, items in DynamoDB's JSON, the attribute of time to
//! live if there is one.
//!
//! Bounds: a request of [`REQUEST_MAX_BYTES`]; one is read at a time, on a thread of its own.

use super::{fault, read_within, written};
use crate::config::Parameter;
use crate::initial::definitions::{Given, read_text};
use crate::initial::{Definition, lines_of};
use hashrange::{ApiResult, Database, Reason, StateFault};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

/// The largest request.
const REQUEST_MAX_BYTES: usize = 8 << 20;
/// The longest name of a file.
const NAME_MAX_BYTES: usize = 255;
/// Region of names in a template that its reader does not know.
const REGION: &str = "us-east-1";

/// Permit to read a text: what its reader makes of it may be many times as large.
static TURN: Semaphore = Semaphore::const_new(1);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct OfModel {
    file_name: String,
    text: String,
    #[serde(default)]
    parameters: BTreeMap<String, String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Model {
    tables: Vec<ModelTable>,
    not_taken: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct ModelTable {
    request: Map<String, Value>,
    items: Vec<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_to_live: Option<String>,
}

/// Reads the definitions in a text.
pub async fn read_model(_database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    // Before the request is decoded: those that wait hold no copy of their texts.
    let turn = TURN.acquire().await.map_err(|_| Reason::Internal)?;
    let request: OfModel = read_within(body, REQUEST_MAX_BYTES)?;
    if request.file_name.len() > NAME_MAX_BYTES {
        let why = format!("FileName has more than {NAME_MAX_BYTES} bytes");
        return Err(fault(StateFault::Form(why)));
    }
    if Handle::try_current().is_err() {
        // A command that uses a folder by itself has no runtime, and nothing else to do.
        return answer(&request);
    }
    // The thread has the turn, also when the client is gone meanwhile.
    let reading = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        answer(&request)
    });
    reading.await.map_err(|_| Reason::Internal)?
}

fn answer(request: &OfModel) -> ApiResult<Vec<u8>> {
    let refused = |why: anyhow::Error| fault(StateFault::UnreadableModel(format!("{why:#}")));
    written(&tables(request).map_err(refused)?)
}

fn tables(request: &OfModel) -> anyhow::Result<Model> {
    let parameters = request.parameters.iter();
    let parameters: Vec<Parameter> = parameters
        .map(|(name, value)| Parameter { name: name.clone(), value: value.clone() })
        .collect();
    let given = Given { region: REGION, parameters: &parameters };
    let contents = read_text(&request.file_name, &request.text, given)?;
    let mut not_taken: Vec<String> =
        lines_of(&contents).into_iter().map(|(line, _)| line).collect();
    let watched = contents.definitions.iter().filter(|one| !one.insights.is_empty());
    not_taken.extend(watched.map(|Definition { name, source, .. }| {
        format!(
            "{source}, table {name}: Contributor Insights (UpdateContributorInsights enables it)"
        )
    }));
    let table = |definition: Definition| ModelTable {
        request: definition.request,
        items: definition.items,
        time_to_live: definition.time_to_live,
    };
    Ok(Model { tables: contents.definitions.into_iter().map(table).collect(), not_taken })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange::Operation;
    use serde_json::json;

    async fn read(request: &Value) -> Result<Value, String> {
        let answer = read_model(&Database::memory(), request.to_string().as_bytes()).await;
        let answer = answer.map_err(|error| error.to_string())?;
        Ok(serde_json::from_slice(&answer).unwrap())
    }

    fn key(name: &str) -> Value {
        json!({"AttributeName": name, "AttributeType": "S"})
    }

    #[tokio::test]
    async fn a_model_of_workbench_becomes_requests_and_items() {
        let model = json!({"ModelName": "m", "DataModel": [{"TableName": "pets", "KeyAttributes":
            {"PartitionKey": key("id")}, "TableFacets": [], "TableData": [{"id": {"S": "a"}, "n": {"N": "1"}}]}]});
        let request = json!({"FileName": "m.json", "Text": model.to_string()});
        let model = read(&request).await.unwrap();
        assert_eq!(model["Tables"][0]["Items"], json!([{"id": {"S": "a"}, "n": {"N": "1"}}]));
        assert_eq!(model["Tables"].as_array().unwrap().len(), 1);
        let not_taken = model["NotTaken"].to_string();
        assert!(not_taken.contains("m.json, table pets: TableFacets (a table has"), "{not_taken}");
        let create = model["Tables"][0]["Request"].to_string();
        let made = Database::memory().call(Operation::CreateTable, create.as_bytes()).await;
        assert!(made.is_ok(), "{create}");
    }

    #[tokio::test]
    async fn templates_and_terraform_are_read_by_their_names() {
        let template = json!({"Parameters": {"Stage": {"Type": "String"}}, "Resources": {"T": {
            "Type": "AWS::DynamoDB::Table", "Properties": {"TableName": {"Fn::Sub": "t-${Stage}"},
            "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "AttributeDefinitions": [key("a")],
            "TimeToLiveSpecification": {"AttributeName": "until", "Enabled": true}}}}});
        let request = json!({"FileName": "t.json", "Text": template.to_string(),
            "Parameters": {"Stage": "dev"}});
        let model = read(&request).await.unwrap();
        assert_eq!(model["Tables"][0]["Request"]["TableName"], "t-dev");
        assert_eq!(model["Tables"][0]["TimeToLive"], "until");
        let text = "resource \"aws_dynamodb_table\" \"x\" {\n  name = \"x\"\n  hash_key = \"id\"\n  \
            billing_mode = \"PAY_PER_REQUEST\"\n  attribute {\n    name = \"id\"\n    type = \"S\"\n  }\n}\n";
        let model = read(&json!({"FileName": "main.tf", "Text": text})).await.unwrap();
        assert_eq!(model["Tables"][0]["Request"]["KeySchema"][0]["AttributeName"], "id");
    }

    #[tokio::test]
    async fn what_is_no_model_is_refused_in_words() {
        for (name, text, expected) in [
            ("a.json", "{\"a\": 1}", "neither a request of CreateTable"),
            ("a.json", "{", "EOF"),
            ("a.json", "", "there is nothing in it"),
            ("a.yml", "a: [", "line"),
        ] {
            let error = read(&json!({"FileName": name, "Text": text})).await.unwrap_err();
            let begins = "ValidationException: No tables can be read from the text: ";
            assert!(error.starts_with(begins) && error.contains(expected), "{error}");
        }
        let long = json!({"FileName": "x".repeat(300), "Text": ""});
        let error = read(&long).await.unwrap_err();
        assert!(error.ends_with("FileName has more than 255 bytes"), "{error}");
        let large = json!({"FileName": "x", "Text": " ".repeat(9 << 20)});
        let error = read(&large).await.unwrap_err();
        assert!(error.ends_with("more than 8388608 bytes"), "{error}");
    }
}
