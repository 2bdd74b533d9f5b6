//! The tables of a CloudFormation template: `AWS::DynamoDB::Table`, `AWS::DynamoDB::GlobalTable`, and
//! `AWS::Serverless::SimpleTable` of SAM. Source: CloudFormation's reference of these resources.

use super::definition::{Definition, Insights, is_true, time_to_live_attribute};
use super::intrinsics::{Scope, is_met, resolve};
use super::not_taken::{self, NO_TABLE, NotTaken};
use anyhow::{Context, bail};
use serde_json::{Map, Value, json};
use std::cell::Cell;
use std::collections::BTreeMap;

/// Values that a template takes from outside.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// Name of the stack.
    pub stack: String,
    /// The region.
    pub region: String,
    /// Values that are given for parameters.
    pub parameters: BTreeMap<String, String>,
}

/// Sections of a template that are used, beside its resources.
const SECTIONS: [&str; 6] =
    ["Resources", "Parameters", "Conditions", "Mappings", "Transform", "Globals"];
/// Beginning of a text that CloudFormation looks up when it deploys a stack. Source:
/// CloudFormation's reference of dynamic references.
const LOOKED_UP: &str = "{{resolve:";

const TABLE: &str = "AWS::DynamoDB::Table";
const GLOBAL: &str = "AWS::DynamoDB::GlobalTable";
const SIMPLE: &str = "AWS::Serverless::SimpleTable";
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

/// Returns the tables of a template; adds notes on the members that have no meaning here.
pub fn definitions(
    template: &Map<String, Value>,
    names: &Names,
    not_taken: &mut Vec<NotTaken>,
) -> anyhow::Result<Vec<Definition>> {
    let scope = Scope {
        template,
        stack: &names.stack,
        region: &names.region,
        parameters: &names.parameters,
        made_bytes: Cell::new(0),
    };
    let resources = template.get("Resources").and_then(Value::as_object);
    let resources = resources.context("Resources is no object")?;
    not_taken.extend(not_taken::but(template, &SECTIONS, ""));
    not_taken.extend(transforms(template.get("Transform")));
    let (globals, ignored) = globals(template);
    not_taken.extend(ignored);
    not_taken.extend(others(resources));
    let mut definitions = Vec::new();
    for (id, resource) in resources {
        if id.starts_with("Fn::") {
            bail!("{id}: this program does not run it; a processed template has its tables");
        }
        let of_type = resource["Type"].as_str().unwrap_or_default();
        let read = match of_type {
            TABLE => table,
            GLOBAL => global_table,
            SIMPLE => simple_table,
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
        let mut properties = Properties { left: properties, request: Map::new() };
        if of_type == SIMPLE {
            globals.iter().for_each(|(name, value)| {
                properties.left.entry(name).or_insert_with(|| value.clone());
            });
        }
        let mut definition = read(id, properties).with_context(of_resource)?;
        let looked_up = looked_up(&definition.request).or_else(|| {
            let attribute = definition.time_to_live.as_deref()?;
            attribute.contains(LOOKED_UP).then_some(("TimeToLiveSpecification", attribute))
        });
        if let Some((member, text)) = looked_up {
            bail!(
                "the resource {id}: {member}: `{text}` is looked up when a stack is deployed, and \
                 nobody does that here: write the value in its place, or a parameter, which \
                 --parameter NAME=VALUE gives"
            );
        }
        if let Some(resource) = resource.as_object() {
            let taken = ["Type", "Properties", "Condition"];
            definition.not_taken.extend(not_taken::but(resource, &taken, "the resource"));
        }
        definitions.push(definition);
    }
    Ok(definitions)
}

/// Returns the notes on macros that this program does not know.
fn transforms(given: Option<&Value>) -> Vec<NotTaken> {
    let known = |name: &str| {
        name.starts_with("AWS::Serverless-") || name.starts_with("AWS::LanguageExtensions")
    };
    let given = given.map_or(&[][..], |given| match given {
        Value::Array(names) => names.as_slice(),
        one => std::slice::from_ref(one),
    });
    let unknown = given.iter().filter(|name| !name.as_str().is_some_and(known));
    let why = "a macro, which is not run here; a processed template has its results";
    unknown.map(|name| NotTaken { what: format!("Transform {name}"), why }).collect()
}

/// Returns the properties that SAM's `Globals` give to all simple tables, and the notes on the
/// other globals.
fn globals(template: &Map<String, Value>) -> (Map<String, Value>, Vec<NotTaken>) {
    let Some(Value::Object(globals)) = template.get("Globals") else { return Default::default() };
    let of_tables = globals.get("SimpleTable").and_then(Value::as_object).cloned();
    let others = globals.keys().filter(|name| *name != "SimpleTable");
    let others =
        others.map(|name| NotTaken { what: format!("{name} of Globals"), why: NO_TABLE }).collect();
    (of_tables.unwrap_or_default(), others)
}

/// Returns the notes on the resources that are no tables, by type.
fn others(resources: &Map<String, Value>) -> Vec<NotTaken> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (id, resource) in resources {
        let of_type = resource["Type"].as_str().unwrap_or(id);
        if ![TABLE, GLOBAL, SIMPLE].contains(&of_type) {
            *counts.entry(of_type).or_default() += 1;
        }
    }
    let note = |(of_type, count): (&str, usize)| {
        let what = if count == 1 { of_type.to_owned() } else { format!("{count} {of_type}") };
        let why = match of_type {
            "AWS::CloudFormation::Stack" => "the tables of another template, which is not read",
            _ => NO_TABLE,
        };
        NotTaken { what, why }
    };
    counts.into_iter().map(note).collect()
}

/// Returns the member of a request that has a text which is looked up when a stack is deployed, and the text.
fn looked_up(request: &Map<String, Value>) -> Option<(&str, &str)> {
    fn within(value: &Value) -> Option<&str> {
        match value {
            Value::String(text) => text.contains(LOOKED_UP).then_some(text),
            Value::Array(values) => values.iter().find_map(within),
            Value::Object(members) => members.values().find_map(within),
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }
    request.iter().find_map(|(name, value)| Some((name.as_str(), within(value)?)))
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

    /// Takes the Contributor Insights of the table and of its global indexes.
    fn take_insights(&mut self, not_taken: &mut Vec<NotTaken>) -> Vec<Insights> {
        let mut note = |given: &Value| {
            let members = given.as_object().into_iter();
            not_taken.extend(
                members.flat_map(|given| not_taken::but(given, &["Enabled", "Mode"], INSIGHTS)),
            );
        };
        let of_table = self.left.remove(INSIGHTS).and_then(|given| {
            note(&given);
            insights(&given, None)
        });
        let indexes = self.left.get_mut("GlobalSecondaryIndexes").and_then(Value::as_array_mut);
        let indexes = indexes.into_iter().flatten().filter_map(Value::as_object_mut);
        let of_indexes = indexes.filter_map(|index| {
            let given = index.remove(INSIGHTS)?;
            note(&given);
            insights(&given, index.get("IndexName"))
        });
        of_table.into_iter().chain(of_indexes).collect()
    }

    fn take_indexes(&mut self, not_taken: &mut Vec<NotTaken>) {
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

    fn take_stream(&mut self, not_taken: &mut Vec<NotTaken>) {
        if let Some(stream) = self.left.remove("StreamSpecification") {
            let view = stream["StreamViewType"].clone();
            if let Some(members) = stream.as_object() {
                let taken = ["StreamViewType"];
                not_taken.extend(not_taken::but(members, &taken, "StreamSpecification"));
            }
            let stream = json!({ "StreamEnabled": true, "StreamViewType": view });
            self.request.insert("StreamSpecification".to_owned(), stream);
        }
    }

    fn take_encryption(&mut self, not_taken: &mut Vec<NotTaken>) {
        let Some(given) = self.left.remove("SSESpecification") else { return };
        let mut taken = Map::new();
        let is_enabled = given.get("SSEEnabled").is_some_and(is_true);
        taken.insert("Enabled".to_owned(), json!(is_enabled));
        if is_enabled {
            let kind = given.get("SSEType").cloned().unwrap_or_else(|| json!("KMS"));
            taken.insert("SSEType".to_owned(), kind);
        }
        // Names of resources, which Ref and GetAtt give, have none of these characters.
        let is_name = |key: &Value| key.as_str().is_some_and(|key| key.contains(['-', ':', '/']));
        let key = given.get("KMSMasterKeyId").filter(|key| is_enabled && is_name(key));
        taken.extend(key.map(|key| ("KMSMasterKeyId".to_owned(), key.clone())));
        if let Some(given) = given.as_object() {
            let known = ["SSEEnabled", "SSEType", "KMSMasterKeyId"];
            let known = if key.is_some() { &known[..] } else { &known[..2] };
            not_taken.extend(not_taken::but(given, known, "SSESpecification"));
        }
        self.request.insert("SSESpecification".to_owned(), Value::Object(taken));
    }

    /// Returns the definition, with notes on the properties that are left.
    fn into_definition(
        mut self,
        id: &str,
        mut not_taken: Vec<NotTaken>,
    ) -> anyhow::Result<Definition> {
        let name = match self.left.remove("TableName") {
            None => id.to_owned(),
            Some(Value::String(name)) => name,
            Some(other) => bail!("TableName is no text: {other}"),
        };
        let insights = self.take_insights(&mut not_taken);
        self.take_same();
        self.take_indexes(&mut not_taken);
        self.take_stream(&mut not_taken);
        self.take_encryption(&mut not_taken);
        let time_to_live = self.left.remove("TimeToLiveSpecification");
        not_taken.extend(time_to_live.as_ref().into_iter().flat_map(not_taken::in_time_to_live));
        let time_to_live = time_to_live.as_ref().and_then(time_to_live_attribute);
        not_taken.extend(not_taken::but(&self.left, &[], ""));
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

/// Returns the Contributor Insights that a `ContributorInsightsSpecification` enables on a table or
/// on the index of a name, if it does.
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
        not_taken.push(NotTaken::member("Replicas", "other regions"));
    }
    for name in ["Tags", "TableClass", "DeletionProtectionEnabled", INSIGHTS] {
        if let Some(value) = replica.remove(name) {
            properties.left.insert(name.to_owned(), value);
        }
    }
    let is_on_demand =
        properties.left.get("BillingMode").is_some_and(|mode| mode == "PAY_PER_REQUEST");
    take_throughput(&mut properties.left, &mut replica, is_on_demand, &mut not_taken);
    let of_replica = replica.remove("GlobalSecondaryIndexes");
    let of_replica = of_replica.as_ref().and_then(Value::as_array).into_iter().flatten();
    let mut of_replica: Vec<_> = of_replica.filter_map(Value::as_object).cloned().collect();
    let indexes = properties.left.get_mut("GlobalSecondaryIndexes").and_then(Value::as_array_mut);
    for index in indexes.into_iter().flatten().filter_map(Value::as_object_mut) {
        let nth =
            of_replica.iter().position(|known| known.get("IndexName") == index.get("IndexName"));
        let mut known = nth.map(|nth| of_replica.remove(nth)).unwrap_or_default();
        take_throughput(index, &mut known, is_on_demand, &mut not_taken);
        if let Some(given) = known.remove(INSIGHTS) {
            index.insert(INSIGHTS.to_owned(), given);
        }
        not_taken.extend(not_taken::but(&known, &["IndexName"], "a replica's index"));
    }
    for unknown in of_replica {
        let name = unknown.get("IndexName").and_then(Value::as_str).unwrap_or_default();
        let what = format!("index {name} of the first replica");
        not_taken.push(NotTaken { what, why: "the table has no such index" });
    }
    not_taken.extend(not_taken::but(&replica, &["Region"], "the first replica"));
    properties.into_definition(id, not_taken)
}

/// Moves the units, or the maximum of a table or index on demand, to where a table that is not
/// global has them.
fn take_throughput(
    place: &mut Map<String, Value>,
    replica: &mut Map<String, Value>,
    is_on_demand: bool,
    not_taken: &mut Vec<NotTaken>,
) {
    if !is_on_demand {
        let write = place.remove("WriteProvisionedThroughputSettings");
        let read = replica.remove("ReadProvisionedThroughputSettings");
        let write = units(write.as_ref(), "WriteCapacity", not_taken);
        let read = units(read.as_ref(), "ReadCapacity", not_taken);
        let units = json!({ "ReadCapacityUnits": read, "WriteCapacityUnits": write });
        place.insert("ProvisionedThroughput".to_owned(), units);
        return;
    }
    let mut most = Map::new();
    let write = place.remove("WriteOnDemandThroughputSettings");
    let read = replica.remove("ReadOnDemandThroughputSettings");
    for (settings, name) in [(write, "MaxWriteRequestUnits"), (read, "MaxReadRequestUnits")] {
        let Some(Value::Object(mut settings)) = settings else { continue };
        most.extend(settings.remove(name).map(|units| (name.to_owned(), units)));
        not_taken.extend(not_taken::but(&settings, &[], "on-demand settings"));
    }
    if !most.is_empty() {
        place.insert("OnDemandThroughput".to_owned(), Value::Object(most));
    }
}

/// Returns the units that settings give, or the least to which they scale.
fn units(settings: Option<&Value>, kind: &str, not_taken: &mut Vec<NotTaken>) -> Value {
    let Some(Value::Object(settings)) = settings else { return json!(1) };
    let (fixed, scaling) = (format!("{kind}Units"), format!("{kind}AutoScalingSettings"));
    let taken = [fixed.as_str(), scaling.as_str()];
    not_taken.extend(not_taken::but(settings, &taken, "provisioned settings"));
    let scaled = settings.get(&scaling).and_then(Value::as_object);
    not_taken.extend(
        scaled.into_iter().flat_map(|scaled| not_taken::but(scaled, &["MinCapacity"], &scaling)),
    );
    let least = || scaled.and_then(|scaled| scaled.get("MinCapacity"));
    settings.get(&fixed).or_else(least).cloned().unwrap_or(json!(1))
}

/// Reads SAM's table with nothing but a partition key.
fn simple_table(id: &str, mut properties: Properties) -> anyhow::Result<Definition> {
    let key = properties.left.remove("PrimaryKey");
    let members = key.as_ref().and_then(Value::as_object).into_iter();
    let not_taken = members.flat_map(|key| not_taken::but(key, &["Name", "Type"], "PrimaryKey"));
    let not_taken = not_taken.collect();
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
    properties.into_definition(id, not_taken)
}

fn index_of(index: Map<String, Value>, not_taken: &mut Vec<NotTaken>) -> Value {
    let mut taken = Map::new();
    for (name, value) in index {
        if not_taken::INDEX.contains(&name.as_str()) {
            let value = plain(&name, value);
            taken.insert(name, value);
        } else {
            not_taken.push(NotTaken::member(&name, "an index"));
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
        let names = Names { stack: "app".into(), region: "eu-west-1".into(), ..Names::default() };
        definitions(template, &names, &mut Vec::new())
    }

    fn not_taken(definition: &Definition) -> Vec<&str> {
        definition.not_taken.iter().map(|note| note.what.as_str()).collect()
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
            not_taken(table),
            [
                "KMSMasterKeyId of SSESpecification",
                "PointInTimeRecoverySpecification",
                "DeletionPolicy of the resource"
            ]
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
            not_taken(&definitions[0]),
            ["Replicas of other regions", "PointInTimeRecoverySpecification of the first replica"]
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
        assert_eq!(not_taken(&definitions[0]), ["Replicas of other regions"]);
        let h = json!({"IndexName": "h", "OnDemandThroughput": {"MaxReadRequestUnits": 5}});
        let indexes = json!([{"IndexName": "g"}, h, {"IndexName": "i"}]);
        assert_eq!(definitions[0].request["GlobalSecondaryIndexes"], indexes);
    }

    #[test]
    fn a_global_table_on_demand_takes_what_its_settings_allow_at_most() {
        let text = r#"{"Resources": {"G": {"Type": "AWS::DynamoDB::GlobalTable", "Properties": {
            "BillingMode": "PAY_PER_REQUEST", "WriteOnDemandThroughputSettings": {"MaxWriteRequestUnits": "40"},
            "GlobalSecondaryIndexes": [
                {"IndexName": "g", "WriteOnDemandThroughputSettings": {"MaxWriteRequestUnits": 10}}, {"IndexName": "h"}],
            "Replicas": [{"Region": "eu-west-1", "ReadOnDemandThroughputSettings": {"MaxReadRequestUnits": 30},
                "GlobalSecondaryIndexes": [
                    {"IndexName": "g", "ReadOnDemandThroughputSettings": {"MaxReadRequestUnits": "20"}}]}]}}}}"#;
        let definitions = read(text).unwrap();
        assert_eq!(not_taken(&definitions[0]), Vec::<&str>::new());
        assert_eq!(
            Value::Object(definitions[0].request.clone()),
            json!({"TableName": "G", "BillingMode": "PAY_PER_REQUEST",
                "OnDemandThroughput": {"MaxReadRequestUnits": 30, "MaxWriteRequestUnits": 40},
                "GlobalSecondaryIndexes": [{"IndexName": "g",
                    "OnDemandThroughput": {"MaxReadRequestUnits": 20, "MaxWriteRequestUnits": 10}}, {"IndexName": "h"}]})
        );
        let provisioned = text.replace("PAY_PER_REQUEST", "PROVISIONED");
        let definitions = read(&provisioned).unwrap();
        assert!(!definitions[0].request.contains_key("OnDemandThroughput"));
        assert_eq!(
            not_taken(&definitions[0]),
            [
                "ReadOnDemandThroughputSettings of a replica's index",
                "ReadOnDemandThroughputSettings of the first replica",
                "WriteOnDemandThroughputSettings of an index",
                "WriteOnDemandThroughputSettings",
            ]
        );
    }

    #[test]
    fn a_text_that_is_looked_up_at_deployment_is_no_name() {
        for text in ["{{resolve:ssm:/app/table}}", "a-{{resolve:secretsmanager:x:SecretString:t}}"]
        {
            let changed =
                TABLE.replace("!Sub '${AWS::StackName}-orders-${Stage}'", &format!("'{text}'"));
            let error = format!("{:#}", read(&changed).unwrap_err());
            let expected = format!(
                "the resource Orders: TableName: `{text}` is looked up when a stack is deployed, and nobody does \
                 that here: write the value in its place, or a parameter, which --parameter NAME=VALUE gives"
            );
            assert_eq!(error, expected);
        }
    }

    #[test]
    fn what_a_template_has_beside_tables_is_named() {
        let text = r#"{"Transform": ["AWS::Serverless-2016-10-31", "Own"], "Outputs": {},
            "Globals": {"Function": {}, "SimpleTable": {"SSESpecification": {"SSEEnabled": true}}},
            "Resources": {"S": {"Type": "AWS::Serverless::SimpleTable"}, "A": {"Type": "AWS::SQS::Queue"},
                "B": {"Type": "AWS::SQS::Queue"}, "N": {"Type": "AWS::CloudFormation::Stack"}}}"#;
        let values = source::values(text).unwrap();
        let mut notes = Vec::new();
        let template = values[0].as_object().unwrap();
        let found = definitions(template, &Names::default(), &mut notes).unwrap();
        assert_eq!(found[0].request["SSESpecification"]["Enabled"], true);
        let whats: Vec<_> = notes.iter().map(|note| note.what.as_str()).collect();
        let expected = [
            "Outputs",
            "Transform \"Own\"",
            "Function of Globals",
            "AWS::CloudFormation::Stack",
            "2 AWS::SQS::Queue",
        ];
        assert_eq!(whats, expected);
    }

    #[test]
    fn what_a_table_needs_and_is_not_there_is_said_with_its_resource() {
        for (change, expected) in [
            (
                ("Default: dev", ""),
                "the resource Orders: Fn::Sub: the parameter Stage has no default: --parameter Stage=VALUE gives its value",
            ),
            (
                ("!Sub '${AWS::StackName}-orders-${Stage}'", "[a]"),
                "the resource Orders: TableName is no text",
            ),
            (
                ("Bucket: {", "'Fn::ForEach::All': {"),
                "Fn::ForEach::All: this program does not run it",
            ),
            (("Condition: Never", "Condition: Other"), "there is no condition Other"),
        ] {
            let error = format!("{:#}", read(&TABLE.replace(change.0, change.1)).unwrap_err());
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
