//! The tables of a CloudFormation template: `AWS::DynamoDB::Table`, `AWS::DynamoDB::GlobalTable`, and
//! `AWS::Serverless::SimpleTable` of SAM. Source: CloudFormation's reference of these resources.

use super::definitions::{Definition, Insights, is_true, time_to_live_attribute};
use super::intrinsics::{Scope, is_met, resolve};
use anyhow::{Context, bail};
use serde_json::{Map, Value, json};

/// What a template does not say itself.
#[derive(Debug, Clone)]
pub struct Names {
    /// Name of the stack.
    pub stack: String,
    /// The region.
    pub region: String,
}

/// Properties of a table or index that a request has as they are.
const SAME: [&str; 9] = [
    "AttributeDefinitions",
    "KeySchema",
    "BillingMode",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "WarmThroughput",
    "TableClass",
    "DeletionProtectionEnabled",
    "Tags",
];
/// Properties of an index that a request has as they are.
const SAME_OF_INDEX: [&str; 6] = [
    "IndexName",
    "KeySchema",
    "Projection",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "WarmThroughput",
];
/// A property of tables, indexes and replicas that another request takes.
const INSIGHTS: &str = "ContributorInsightsSpecification";
/// Members that hold whole numbers, which templates may write as text.
const NUMBERS: [&str; 6] = [
    "ReadCapacityUnits",
    "WriteCapacityUnits",
    "MaxReadRequestUnits",
    "MaxWriteRequestUnits",
    "ReadUnitsPerSecond",
    "WriteUnitsPerSecond",
];

/// Returns the tables of a template.
pub fn definitions(
    template: &Map<String, Value>,
    names: &Names,
) -> anyhow::Result<Vec<Definition>> {
    let scope = Scope { template, stack: &names.stack, region: &names.region };
    let resources = template.get("Resources").and_then(Value::as_object);
    let mut definitions = Vec::new();
    for (id, resource) in resources.context("Resources is no object")? {
        if id.starts_with("Fn::") {
            bail!(
                "{id}: what it makes is not known here; a template that was processed has the tables"
            );
        }
        let of_type = resource["Type"].as_str().unwrap_or_default();
        let read = match of_type {
            "AWS::DynamoDB::Table" => table,
            "AWS::DynamoDB::GlobalTable" => global_table,
            "AWS::Serverless::SimpleTable" => simple_table,
            _ => continue,
        };
        if let Some(condition) = resource.get("Condition").and_then(Value::as_str)
            && !is_met(&scope, condition, 0)?
        {
            continue;
        }
        let properties = resource.get("Properties").cloned().unwrap_or_else(|| json!({}));
        let resolved = resolve(&scope, &properties, 0);
        let of_resource = || format!("the resource {id}");
        let Some(Value::Object(properties)) = resolved.with_context(of_resource)? else {
            bail!("the resource {id}: Properties is no object");
        };
        let properties = Properties { left: properties, request: Map::new() };
        definitions.push(read(id, properties).with_context(of_resource)?);
    }
    Ok(definitions)
}

/// The properties of a resource that are left, and the request that is made of the others.
struct Properties {
    left: Map<String, Value>,
    request: Map<String, Value>,
}

impl Properties {
    fn take_same(&mut self) {
        for name in SAME {
            if let Some(value) = self.left.remove(name) {
                self.request.insert(name.to_owned(), plain(name, value));
            }
        }
    }

    /// Takes what of the table and of its global indexes the hot keys are told.
    fn take_insights(&mut self) -> Vec<Insights> {
        let of_table = self.left.remove(INSIGHTS).and_then(|given| insights(&given, None));
        let indexes = self.left.get_mut("GlobalSecondaryIndexes").and_then(Value::as_array_mut);
        let indexes = indexes.into_iter().flatten().filter_map(Value::as_object_mut);
        let of_indexes = indexes.filter_map(|index| {
            let given = index.remove(INSIGHTS)?;
            insights(&given, index.get("IndexName"))
        });
        of_table.into_iter().chain(of_indexes).collect()
    }

    fn take_indexes(&mut self, not_taken: &mut Vec<String>) {
        for kind in ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"] {
            let Some(Value::Array(indexes)) = self.left.remove(kind) else { continue };
            let read = indexes.into_iter().map(|index| match index {
                Value::Object(index) => index_of(index, not_taken),
                other => other,
            });
            let read: Vec<_> = read.collect();
            if !read.is_empty() {
                self.request.insert(kind.to_owned(), Value::Array(read));
            }
        }
    }

    fn take_stream(&mut self) {
        if let Some(stream) = self.left.remove("StreamSpecification") {
            let view = stream["StreamViewType"].clone();
            let stream = json!({ "StreamEnabled": true, "StreamViewType": view });
            self.request.insert("StreamSpecification".to_owned(), stream);
        }
    }

    fn take_encryption(&mut self, not_taken: &mut Vec<String>) {
        let Some(given) = self.left.remove("SSESpecification") else { return };
        let mut taken = Map::new();
        let is_enabled = given.get("SSEEnabled").is_some_and(is_true);
        taken.insert("Enabled".to_owned(), json!(is_enabled));
        if is_enabled {
            let kind = given.get("SSEType").cloned().unwrap_or_else(|| json!("KMS"));
            taken.insert("SSEType".to_owned(), kind);
        }
        if given.get("KMSMasterKeyId").is_some() {
            not_taken.push("SSESpecification.KMSMasterKeyId".to_owned());
        }
        self.request.insert("SSESpecification".to_owned(), Value::Object(taken));
    }

    /// Returns the definition. What is left of the properties is not taken.
    fn into_definition(
        mut self,
        id: &str,
        mut not_taken: Vec<String>,
    ) -> anyhow::Result<Definition> {
        let name = match self.left.remove("TableName") {
            None => id.to_owned(),
            Some(Value::String(name)) => name,
            Some(other) => bail!("TableName is no text: {other}"),
        };
        let insights = self.take_insights();
        self.take_same();
        self.take_indexes(&mut not_taken);
        self.take_stream();
        self.take_encryption(&mut not_taken);
        let time_to_live = self.left.remove("TimeToLiveSpecification");
        let time_to_live = time_to_live.as_ref().and_then(time_to_live_attribute);
        not_taken.extend(self.left.into_iter().map(|(name, _)| name));
        self.request.insert("TableName".to_owned(), json!(name));
        let request = self.request;
        let taken = Definition {
            name,
            request,
            time_to_live,
            insights,
            not_taken,
            ..Definition::default()
        };
        Ok(taken)
    }
}

/// Returns what a `ContributorInsightsSpecification` enables, if anything, of a table or of the index of a name.
fn insights(given: &Value, index: Option<&Value>) -> Option<Insights> {
    let text = |value: &Value| value.as_str().map(ToOwned::to_owned);
    let is_enabled = given.get("Enabled").is_some_and(is_true);
    is_enabled
        .then(|| Insights { index: index.and_then(text), mode: given.get("Mode").and_then(text) })
}

fn table(id: &str, properties: Properties) -> anyhow::Result<Definition> {
    properties.into_definition(id, Vec::new())
}

/// Reads a global table as the table of its first replica.
fn global_table(id: &str, mut properties: Properties) -> anyhow::Result<Definition> {
    let mut not_taken = Vec::new();
    let replicas = properties.left.remove("Replicas");
    let replica = replicas.as_ref().and_then(|replicas| replicas.get(0)?.as_object()).cloned();
    let mut replica = replica.unwrap_or_default();
    if replicas.as_ref().and_then(Value::as_array).is_some_and(|replicas| replicas.len() > 1) {
        not_taken.push("Replicas after the first".to_owned());
    }
    for name in ["Tags", "TableClass", "DeletionProtectionEnabled", INSIGHTS] {
        if let Some(value) = replica.remove(name) {
            properties.left.insert(name.to_owned(), value);
        }
    }
    let is_on_demand =
        properties.left.get("BillingMode").is_some_and(|mode| mode == "PAY_PER_REQUEST");
    let write = properties.left.remove("WriteProvisionedThroughputSettings");
    let read = replica.remove("ReadProvisionedThroughputSettings");
    if !is_on_demand {
        let units = units_of_global(write.as_ref(), read.as_ref());
        properties.left.insert("ProvisionedThroughput".to_owned(), units);
    }
    let mut of_replica = replica.remove("GlobalSecondaryIndexes").unwrap_or_default();
    let indexes = properties.left.get_mut("GlobalSecondaryIndexes").and_then(Value::as_array_mut);
    for index in indexes.into_iter().flatten().filter_map(Value::as_object_mut) {
        let write = index.remove("WriteProvisionedThroughputSettings");
        let known = of_replica
            .as_array_mut()
            .into_iter()
            .flatten()
            .filter_map(Value::as_object_mut)
            .find(|known| known.get("IndexName") == index.get("IndexName"));
        let mut known = known.map(std::mem::take).unwrap_or_default();
        let read = known.remove("ReadProvisionedThroughputSettings");
        if let Some(given) = known.remove(INSIGHTS) {
            index.insert(INSIGHTS.to_owned(), given);
        }
        known.remove("IndexName");
        not_taken.extend(known.into_iter().map(|(name, _)| format!("{name} of a replica's index")));
        if !is_on_demand {
            let units = units_of_global(write.as_ref(), read.as_ref());
            index.insert("ProvisionedThroughput".to_owned(), units);
        }
    }
    replica.remove("Region");
    not_taken.extend(replica.into_iter().map(|(name, _)| format!("{name} of the first replica")));
    properties.into_definition(id, not_taken)
}

/// Returns the units that settings give, or the least to which they scale.
fn units_of_global(write: Option<&Value>, read: Option<&Value>) -> Value {
    let units = |settings: Option<&Value>, fixed: &str, scaling: &str| {
        let settings = settings.unwrap_or(&Value::Null);
        let least = settings[scaling]["MinCapacity"].clone();
        settings.get(fixed).cloned().unwrap_or(if least.is_null() { json!(1) } else { least })
    };
    let write = units(write, "WriteCapacityUnits", "WriteCapacityAutoScalingSettings");
    let read = units(read, "ReadCapacityUnits", "ReadCapacityAutoScalingSettings");
    json!({ "ReadCapacityUnits": read, "WriteCapacityUnits": write })
}

/// Reads SAM's table with nothing but a partition key.
fn simple_table(id: &str, mut properties: Properties) -> anyhow::Result<Definition> {
    let key = properties.left.remove("PrimaryKey");
    let key = key.unwrap_or_else(|| json!({ "Name": "id", "Type": "String" }));
    let of_type = match key["Type"].as_str() {
        Some("String") => "S",
        Some("Number") => "N",
        Some("Binary") => "B",
        Some(_) | None => bail!("the type of the PrimaryKey is String, Number or Binary"),
    };
    let mut insert = |name: &str, value| properties.left.insert(name.to_owned(), value);
    insert(
        "AttributeDefinitions",
        json!([{ "AttributeName": key["Name"], "AttributeType": of_type }]),
    );
    insert("KeySchema", json!([{ "AttributeName": key["Name"], "KeyType": "HASH" }]));
    if !properties.left.contains_key("ProvisionedThroughput") {
        properties.left.insert("BillingMode".to_owned(), json!("PAY_PER_REQUEST"));
    }
    if let Some(Value::Object(tags)) = properties.left.remove("Tags") {
        let tags = tags.into_iter().map(|(key, value)| json!({ "Key": key, "Value": value }));
        properties.left.insert("Tags".to_owned(), tags.collect());
    }
    properties.into_definition(id, Vec::new())
}

fn index_of(index: Map<String, Value>, not_taken: &mut Vec<String>) -> Value {
    let mut taken = Map::new();
    for (name, value) in index {
        if SAME_OF_INDEX.contains(&name.as_str()) {
            let value = plain(&name, value);
            taken.insert(name, value);
        } else {
            not_taken.push(format!("{name} of an index"));
        }
    }
    Value::Object(taken)
}

/// Returns a value in the form that requests have: numbers and truth values are not text.
fn plain(name: &str, value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let plain = |(name, value): (String, Value)| {
                let value = plain(&name, value);
                (name, value)
            };
            Value::Object(members.into_iter().map(plain).collect())
        }
        Value::String(text) if NUMBERS.contains(&name) => {
            text.parse::<i64>().map_or(Value::String(text), |number| json!(number))
        }
        value if name == "DeletionProtectionEnabled" => json!(is_true(&value)),
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::initial::source;

    fn read(text: &str) -> anyhow::Result<Vec<Definition>> {
        let values = source::values(text)?;
        let Some(Value::Object(template)) = values.first() else { bail!("no object") };
        definitions(template, &Names { stack: "app".into(), region: "eu-west-1".into() })
    }

    const TABLE: &str = "
Parameters:
  Stage: {Type: String, Default: dev}
  Units: {Type: Number, Default: '5'}
Conditions:
  Never: !Equals [a, b]
Resources:
  Bucket: {Type: 'AWS::S3::Bucket'}
  Absent: {Type: 'AWS::DynamoDB::Table', Condition: Never}
  Orders:
    Type: AWS::DynamoDB::Table
    DeletionPolicy: Retain
    Properties:
      TableName: !Sub '${AWS::StackName}-orders-${Stage}'
      AttributeDefinitions:
        - {AttributeName: pk, AttributeType: S}
      KeySchema:
        - {AttributeName: pk, KeyType: HASH}
      ProvisionedThroughput:
        ReadCapacityUnits: !Ref Units
        WriteCapacityUnits: '6'
      GlobalSecondaryIndexes:
        - IndexName: g
          KeySchema: [{AttributeName: pk, KeyType: HASH}]
          Projection: {ProjectionType: ALL}
          ProvisionedThroughput: {ReadCapacityUnits: 1, WriteCapacityUnits: 1}
          ContributorInsightsSpecification: {Enabled: true, Mode: THROTTLED_KEYS}
        - IndexName: quiet
          KeySchema: [{AttributeName: pk, KeyType: HASH}]
          Projection: {ProjectionType: KEYS_ONLY}
          ContributorInsightsSpecification: {Enabled: 'false'}
      ContributorInsightsSpecification: {Enabled: 'true'}
      StreamSpecification: {StreamViewType: NEW_IMAGE}
      TimeToLiveSpecification: {AttributeName: expires, Enabled: true}
      SSESpecification: {SSEEnabled: true, KMSMasterKeyId: !GetAtt Bucket.Arn}
      PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true}
      DeletionProtectionEnabled: 'true'
      Tags: [{Key: stage, Value: !Ref Stage}]
";

    #[test]
    fn a_table_is_read_with_all_that_has_a_meaning_here() {
        let definitions = read(TABLE).unwrap();
        let [table] = definitions.as_slice() else { panic!("{definitions:?}") };
        assert_eq!(table.name, "app-orders-dev");
        assert_eq!(table.time_to_live.as_deref(), Some("expires"));
        assert_eq!(
            table.insights,
            [
                Insights { index: None, mode: None },
                Insights { index: Some("g".into()), mode: Some("THROTTLED_KEYS".into()) },
            ]
        );
        assert_eq!(
            table.not_taken,
            ["SSESpecification.KMSMasterKeyId", "PointInTimeRecoverySpecification"]
        );
        let keys = json!([{"AttributeName": "pk", "KeyType": "HASH"}]);
        assert_eq!(
            Value::Object(table.request.clone()),
            json!({
                "TableName": "app-orders-dev",
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": keys,
                "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
                "GlobalSecondaryIndexes": [{"IndexName": "g", "KeySchema": keys, "Projection": {"ProjectionType": "ALL"},
                    "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}},
                    {"IndexName": "quiet", "KeySchema": keys, "Projection": {"ProjectionType": "KEYS_ONLY"}}],
                "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"},
                "SSESpecification": {"Enabled": true, "SSEType": "KMS"},
                "DeletionProtectionEnabled": true,
                "Tags": [{"Key": "stage", "Value": "dev"}],
            })
        );
    }

    #[test]
    fn global_and_simple_tables_are_read_as_tables() {
        let text = r#"{"Resources": {
            "G": {"Type": "AWS::DynamoDB::GlobalTable", "Properties": {
                "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
                "BillingMode": "PROVISIONED",
                "WriteProvisionedThroughputSettings": {"WriteCapacityAutoScalingSettings": {"MinCapacity": 3}},
                "Replicas": [{"Region": "eu-west-1", "ReadProvisionedThroughputSettings": {"ReadCapacityUnits": 2}, "TableClass": "STANDARD",
                    "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}, {"Region": "eu-west-2"}]}},
            "S": {"Type": "AWS::Serverless::SimpleTable", "Properties": {"Tags": {"a": "b"}}}}}"#;
        let definitions = read(text).unwrap();
        let requests: Vec<_> =
            definitions.iter().map(|one| Value::Object(one.request.clone())).collect();
        assert_eq!(
            requests,
            [
                json!({"TableName": "G",
                "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
                "BillingMode": "PROVISIONED", "TableClass": "STANDARD",
                "ProvisionedThroughput": {"ReadCapacityUnits": 2, "WriteCapacityUnits": 3}}),
                json!({"TableName": "S",
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "BillingMode": "PAY_PER_REQUEST", "Tags": [{"Key": "a", "Value": "b"}]}),
            ]
        );
        assert_eq!(
            definitions[0].not_taken,
            ["Replicas after the first", "PointInTimeRecoverySpecification of the first replica"]
        );
    }

    #[test]
    fn a_global_table_is_watched_as_its_first_replica() {
        let text = r#"{"Resources": {"G": {"Type": "AWS::DynamoDB::GlobalTable", "Properties": {
            "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST",
            "GlobalSecondaryIndexes": [{"IndexName": "g"}, {"IndexName": "h"}, {"IndexName": "i"}],
            "Replicas": [
                {"Region": "eu-west-1", "ContributorInsightsSpecification": {"Enabled": true, "Mode": "THROTTLED_KEYS"},
                    "GlobalSecondaryIndexes": [
                        {"IndexName": "h", "ContributorInsightsSpecification": {"Enabled": true},
                            "ReadOnDemandThroughputSettings": {"MaxReadRequestUnits": 5}},
                        {"IndexName": "i", "ContributorInsightsSpecification": {"Enabled": false}}]},
                {"Region": "eu-west-2", "GlobalSecondaryIndexes": [
                    {"IndexName": "g", "ContributorInsightsSpecification": {"Enabled": true}}]}]}}}}"#;
        let definitions = read(text).unwrap();
        assert_eq!(
            definitions[0].insights,
            [
                Insights { index: None, mode: Some("THROTTLED_KEYS".into()) },
                Insights { index: Some("h".into()), mode: None },
            ]
        );
        assert_eq!(
            definitions[0].not_taken,
            ["Replicas after the first", "ReadOnDemandThroughputSettings of a replica's index"]
        );
        let indexes = json!([{"IndexName": "g"}, {"IndexName": "h"}, {"IndexName": "i"}]);
        assert_eq!(definitions[0].request["GlobalSecondaryIndexes"], indexes);
    }

    #[test]
    fn what_a_table_needs_and_is_not_there_is_said_with_its_resource() {
        for (change, expected) in [
            (
                ("Default: dev", ""),
                "the resource Orders: Fn::Sub: the parameter Stage has no default",
            ),
            (
                ("!Sub '${AWS::StackName}-orders-${Stage}'", "[a]"),
                "the resource Orders: TableName is no text",
            ),
            (
                ("Bucket: {", "'Fn::ForEach::All': {"),
                "Fn::ForEach::All: what it makes is not known here",
            ),
            (("Condition: Never", "Condition: Other"), "there is no condition Other"),
        ] {
            let error = format!("{:#}", read(&TABLE.replace(change.0, change.1)).unwrap_err());
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
