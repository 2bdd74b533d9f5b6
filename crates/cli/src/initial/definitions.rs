//! Table definitions in every form that `--init` reads: CreateTable's request, DescribeTable's
//! answer, templates of CloudFormation, models of NoSQL Workbench, blocks of Terraform.

use super::definition::{Definition, short, time_to_live_attribute};
use super::not_taken::{self, NotTaken};
use super::{described, source, template, terraform, workbench};
use crate::config::Parameter;
use anyhow::{Context, bail};
use hashrange::nearest::nearest;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Settings for reading files with definitions.
#[derive(Debug, Clone, Copy)]
pub struct Given<'g> {
    /// The region.
    pub region: &'g str,
    /// Values of parameters of templates.
    pub parameters: &'g [Parameter],
}

/// Tables and notes that were read from one file.
#[derive(Debug, Default)]
pub struct Contents {
    /// Name of the file.
    pub source: String,
    /// The tables.
    pub definitions: Vec<Definition>,
    /// Members outside of the tables that have no meaning here.
    pub not_taken: Vec<NotTaken>,
}

/// Reads the definitions in files. Refuses a parameter that no template in them has.
pub fn read(paths: &[PathBuf], given: Given<'_>) -> anyhow::Result<Vec<Contents>> {
    let parameters = parameters(given)?;
    let values = |path: &PathBuf| {
        if terraform::is_form_of(path) { Ok(Vec::new()) } else { source::read(path) }
    };
    let read = paths.iter().map(|path| Ok((path, values(path)?)));
    let files = read.collect::<anyhow::Result<Vec<_>>>()?;
    check_known(&parameters, files.iter().flat_map(|(_, values)| values))?;
    let contents = files.into_iter().map(|(path, values)| {
        let text = terraform::is_form_of(path).then(|| source::text(path)).transpose()?;
        contents(path, text.as_deref(), values, &names(path, given, &parameters))
    });
    contents.collect()
}

/// Reads the definitions in the text of a file of this name.
pub fn read_text(name: &str, text: &str, given: Given<'_>) -> anyhow::Result<Contents> {
    let parameters = parameters(given)?;
    let path = Path::new(name);
    let is_terraform = terraform::is_form_of(path);
    let text = text.trim_start_matches('\u{feff}');
    let values = if is_terraform { Vec::new() } else { source::values(text)? };
    check_known(&parameters, values.iter())?;
    contents(path, is_terraform.then_some(text), values, &names(path, given, &parameters))
}

fn parameters(given: Given<'_>) -> anyhow::Result<BTreeMap<String, String>> {
    let mut parameters = BTreeMap::new();
    for Parameter { name, value } in given.parameters {
        if parameters.insert(name.clone(), value.clone()).is_some() {
            bail!("--parameter {name} is given twice");
        }
    }
    Ok(parameters)
}

/// Returns the names that a template in a file knows.
fn names(path: &Path, given: Given<'_>, parameters: &BTreeMap<String, String>) -> template::Names {
    let stack = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    template::Names {
        stack: stack.unwrap_or_default(),
        region: given.region.to_owned(),
        parameters: parameters.clone(),
    }
}

/// Refuses given parameters that no template has.
fn check_known<'v>(
    given: &BTreeMap<String, String>,
    values: impl Iterator<Item = &'v Value>,
) -> anyhow::Result<()> {
    let parameters = values.filter_map(|value| value.get("Parameters")?.as_object());
    let known: BTreeSet<_> = parameters.flat_map(Map::keys).map(String::as_str).collect();
    let Some(name) = given.keys().find(|name| !known.contains(name.as_str())) else {
        return Ok(());
    };
    let near = nearest(name, known).map(|near| format!("; there is {near}"));
    let near = near.unwrap_or_default();
    bail!("--parameter {name}: no template that is read has such a parameter{near}");
}

/// Returns the contents of a file: of the text of blocks of Terraform, or of values.
fn contents(
    path: &Path,
    terraform: Option<&str>,
    values: Vec<Value>,
    names: &template::Names,
) -> anyhow::Result<Contents> {
    let place = path.display().to_string();
    let mut contents = Contents { source: place.clone(), ..Contents::default() };
    if let Some(text) = terraform {
        let read = terraform::definitions(text, &mut contents.not_taken);
        contents.definitions.extend(read.with_context(|| place.clone())?);
    }
    for value in values {
        let read = of_value(value, names, &mut contents.not_taken);
        contents.definitions.extend(read.with_context(|| place.clone())?);
    }
    if contents.definitions.is_empty() {
        bail!("{place}: there is no table in it");
    }
    for definition in &mut contents.definitions {
        definition.source.clone_from(&place);
        definition.not_taken.extend(not_taken::in_request(&definition.request));
    }
    Ok(contents)
}

fn of_value(
    value: Value,
    names: &template::Names,
    not_taken: &mut Vec<NotTaken>,
) -> anyhow::Result<Vec<Definition>> {
    let Value::Object(mut value) = value else {
        bail!("a definition is an object, not {}", short(&value));
    };
    for wrapper in ["Table", "TableDescription"] {
        if let Some(Value::Object(table)) = value.remove(wrapper) {
            not_taken.extend(not_taken::but(&value, &[], ""));
            return Ok(vec![described::definition(&table)?]);
        }
    }
    if value.contains_key("Resources") {
        return template::definitions(&value, names, not_taken);
    }
    if let Some(Value::Array(tables)) = value.remove("DataModel") {
        not_taken.extend(not_taken::but(&value, &[], ""));
        return tables.into_iter().map(workbench::definition).collect();
    }
    if value.contains_key("service") && value.contains_key("provider") {
        bail!(
            "a configuration of the Serverless Framework, whose variables only that answers: \
             `serverless package` writes the template \
             .serverless/cloudformation-template-update-stack.json, which is read"
        );
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
    // Files often have the request of UpdateTimeToLive in the same object.
    let time_to_live = request.remove("TimeToLiveSpecification");
    let not_taken = time_to_live.as_ref().map(not_taken::in_time_to_live).unwrap_or_default();
    Ok(Definition {
        name,
        request,
        time_to_live: time_to_live.as_ref().and_then(time_to_live_attribute),
        not_taken,
        ..Definition::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read_value(value: Value) -> anyhow::Result<Vec<Definition>> {
        of_value(value, &template::Names::default(), &mut Vec::new())
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
            (
                json!({"service": "app", "provider": {"name": "aws"}, "resources": {"Resources": {}}}),
                "a configuration of the Serverless Framework, whose variables only that answers: `serverless \
                 package` writes the template .serverless/cloudformation-template-update-stack.json",
            ),
        ] {
            let error = read_value(value).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn a_parameter_that_is_given_is_one_of_a_template() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.json");
        let template = json!({"Parameters": {"Stage": {"Type": "String"}}, "Resources": {"T": {
            "Type": "AWS::DynamoDB::Table", "Properties": {"TableName": {"Fn::Sub": "t-${Stage}"}}}}});
        std::fs::write(&path, template.to_string()).unwrap();
        let given = |parameters: &[&str]| {
            let parameters: Vec<_> = parameters.iter().map(|text| text.parse().unwrap()).collect();
            let given = Given { region: "r", parameters: &parameters };
            let read = read(std::slice::from_ref(&path), given);
            read.map(|files| files[0].definitions[0].name.clone())
                .map_err(|error| format!("{error:#}"))
        };
        assert_eq!(given(&["Stage=dev"]), Ok("t-dev".to_owned()));
        assert!(given(&[]).unwrap_err().ends_with(
            "t.json: the resource T: Fn::Sub: the parameter Stage has no default: --parameter \
             Stage=VALUE gives its value"
        ));
        for (parameters, expected) in [
            (
                ["Stage=a", "Stgae=b"],
                "--parameter Stgae: no template that is read has such a parameter; there is Stage",
            ),
            (["Stage=a", "Stage=b"], "--parameter Stage is given twice"),
        ] {
            assert_eq!(given(&parameters), Err(expected.to_owned()));
        }
    }

    #[test]
    fn every_member_of_a_file_is_taken_or_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.json");
        let keys = json!([{"AttributeName": "a", "KeyType": "HASH", "X": 1}]);
        let attributes = json!([{"AttributeName": "a", "AttributeType": "S"}]);
        let model_key =
            json!({"PartitionKey": {"AttributeName": "a", "AttributeType": "S", "X": 1}});
        let properties = json!({"KeySchema": keys, "AttributeDefinitions": attributes, "X": 1});
        for form in [
            json!({"TableName": "T", "KeySchema": keys, "AttributeDefinitions": attributes, "X": 1,
                "TimeToLiveSpecification": {"AttributeName": "e", "Enabled": true, "X": 1}}),
            json!({"X": 1, "Table": {"X": 1, "TableName": "T", "KeySchema": keys, "AttributeDefinitions": attributes,
                "SSEDescription": {"Status": "ENABLED", "X": 1}, "BillingModeSummary": {"X": 1},
                "GlobalSecondaryIndexes": [{"IndexName": "g", "X": 1}]}}),
            json!({"X": 1, "Outputs": {}, "Resources": {"T": {"Type": "AWS::DynamoDB::Table", "X": 1,
                "Properties": properties}, "Q": {"Type": "AWS::SQS::Queue"}}}),
            json!({"X": 1, "Resources": {"T": {"Type": "AWS::DynamoDB::GlobalTable", "Properties": {
                "KeySchema": keys, "AttributeDefinitions": attributes, "X": 1,
                "WriteProvisionedThroughputSettings": {"WriteCapacityAutoScalingSettings": {"X": 1}},
                "Replicas": [{"X": 1, "GlobalSecondaryIndexes": [{"IndexName": "none", "X": 1}]}]}}}}),
            json!({"X": 1, "DataModel": [{"X": 1, "TableName": "T", "KeyAttributes": model_key,
                "GlobalSecondaryIndexes": [{"IndexName": "g", "KeyAttributes": model_key, "X": 1}]}]}),
        ] {
            std::fs::write(&path, form.to_string()).unwrap();
            let given = Given { region: "r", parameters: &[] };
            let read = read(std::slice::from_ref(&path), given).unwrap();
            let notes = read[0].not_taken.iter();
            let notes = notes.chain(read[0].definitions.iter().flat_map(|one| &one.not_taken));
            let named = notes.filter(|note| note.what == "X" || note.what.starts_with("X of "));
            let left_out = usize::from(form.to_string().contains("none"));
            let given = form.to_string().matches("\"X\":1").count() - left_out;
            assert_eq!(named.count(), given, "{form}");
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
