//! Table definitions in every form that is read: CreateTable's request, DescribeTable's answer,
//! templates of CloudFormation, models of NoSQL Workbench.

use super::{described, source, template, workbench};
use anyhow::{Context, bail};
use serde_json::{Map, Value};
use std::path::Path;

/// A table to begin with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// The request of CreateTable.
    pub request: Map<String, Value>,
    /// The attribute by which items expire.
    pub time_to_live: Option<String>,
    /// Of what the hot keys are told, by Contributor Insights.
    pub insights: Vec<Insights>,
    /// Sample data, in DynamoDB's JSON.
    pub items: Vec<Map<String, Value>>,
    /// What was said of it that has no meaning here.
    pub not_taken: Vec<String>,
    /// Which file it is from.
    pub source: String,
}

/// Contributor Insights of a table, or of a global index of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Insights {
    /// Name of the index.
    pub index: Option<String>,
    /// The mode that was given.
    pub mode: Option<String>,
}

/// Reads the definitions in a file.
pub fn read(path: &Path, region: &str) -> anyhow::Result<Vec<Definition>> {
    let place = path.display().to_string();
    let stack = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let names = template::Names { stack: stack.unwrap_or_default(), region: region.to_owned() };
    let mut definitions = Vec::new();
    for value in source::read(path)? {
        definitions.extend(of_value(value, &names).with_context(|| place.clone())?);
    }
    if definitions.is_empty() {
        bail!("{place}: there is no table in it");
    }
    for definition in &mut definitions {
        definition.source.clone_from(&place);
    }
    Ok(definitions)
}

fn of_value(value: Value, names: &template::Names) -> anyhow::Result<Vec<Definition>> {
    let Value::Object(mut value) = value else {
        bail!("a definition is an object, not {}", short(&value));
    };
    for wrapper in ["Table", "TableDescription"] {
        if let Some(Value::Object(table)) = value.remove(wrapper) {
            return Ok(vec![described::definition(&table)?]);
        }
    }
    if value.contains_key("Resources") {
        return template::definitions(&value, names);
    }
    if let Some(Value::Array(tables)) = value.remove("DataModel") {
        return tables.into_iter().map(workbench::definition).collect();
    }
    if value.contains_key("TableStatus") {
        return Ok(vec![described::definition(&value)?]);
    }
    if value.contains_key("KeySchema") {
        return Ok(vec![of_request(value)?]);
    }
    bail!(
        "neither a request of CreateTable, nor an answer of DescribeTable, nor a template of \
         CloudFormation, nor a model of NoSQL Workbench: {}",
        short(&Value::Object(value))
    )
}

/// Returns the definition of a CreateTable request.
fn of_request(mut request: Map<String, Value>) -> anyhow::Result<Definition> {
    let name = request.get("TableName").and_then(Value::as_str).context("TableName is missing")?;
    let name = name.to_owned();
    // What UpdateTimeToLive takes is often kept beside.
    let time_to_live = request.remove("TimeToLiveSpecification");
    Ok(Definition {
        name,
        request,
        time_to_live: time_to_live.as_ref().and_then(time_to_live_attribute),
        ..Definition::default()
    })
}

/// Returns the attribute of a `TimeToLiveSpecification`, if it enables anything.
pub fn time_to_live_attribute(specification: &Value) -> Option<String> {
    let is_enabled = specification.get("Enabled").is_none_or(is_true);
    let attribute = specification.get("AttributeName")?.as_str()?;
    is_enabled.then(|| attribute.to_owned())
}

/// Returns whether a value is true; templates write that as text, too.
pub fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(is) => *is,
        Value::String(text) => text.eq_ignore_ascii_case("true"),
        Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

/// Returns the beginning of a value's text.
pub fn short(value: &Value) -> String {
    const SHOWN_MAX: usize = 80;
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read_value(value: Value) -> anyhow::Result<Vec<Definition>> {
        of_value(value, &template::Names { stack: "s".into(), region: "r".into() })
    }

    #[test]
    fn every_form_is_told_from_the_others() {
        let keys = json!([{"AttributeName": "a", "KeyType": "HASH"}]);
        let attributes = json!([{"AttributeName": "a", "AttributeType": "S"}]);
        let model_key = json!({"PartitionKey": {"AttributeName": "a", "AttributeType": "S"}});
        for form in [
            json!({"TableName": "T", "KeySchema": keys, "AttributeDefinitions": attributes}),
            json!({"Table": {"TableName": "T", "KeySchema": keys, "AttributeDefinitions": attributes}}),
            json!({"TableName": "T", "TableStatus": "ACTIVE", "KeySchema": keys, "AttributeDefinitions": attributes}),
            json!({"Resources": {"T": {"Type": "AWS::DynamoDB::Table", "Properties": {"KeySchema": keys, "AttributeDefinitions": attributes}}}}),
            json!({"ModelName": "m", "DataModel": [{"TableName": "T", "KeyAttributes": model_key}]}),
        ] {
            let definitions = read_value(form.clone()).unwrap();
            let [definition] = definitions.as_slice() else { panic!("{form}") };
            assert_eq!(definition.name, "T", "{form}");
            assert_eq!(definition.request["KeySchema"], keys, "{form}");
            assert_eq!(definition.request["AttributeDefinitions"], attributes, "{form}");
        }
    }

    #[test]
    fn what_is_no_definition_is_refused() {
        for (value, expected) in [
            (json!({"a": 1}), "neither a request of CreateTable"),
            (json!(1), "a definition is an object, not 1"),
            (json!({"KeySchema": []}), "TableName is missing"),
        ] {
            let error = read_value(value).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn time_to_live_beside_a_request_is_taken() {
        let request = json!({"TableName": "T", "KeySchema": [],
            "TimeToLiveSpecification": {"AttributeName": "expires", "Enabled": true}});
        let definitions = read_value(request).unwrap();
        assert_eq!(definitions[0].time_to_live.as_deref(), Some("expires"));
        assert!(!definitions[0].request.contains_key("TimeToLiveSpecification"));
    }
}
