//! A design: the tables that it wants, each as a request of CreateTable with what other requests add.

use hashrange_cost::Definition;
use serde_json::{Map, Value, json};

/// A table of a design.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TablePlan {
    /// Its name.
    pub name: String,
    /// The request of CreateTable.
    pub request: Map<String, Value>,
    /// The attribute by which items expire.
    pub time_to_live: Option<String>,
    /// Texts of its key templates.
    pub templates: Vec<String>,
    /// Sample items, in DynamoDB's JSON.
    pub items: Vec<Map<String, Value>>,
    /// Kinds of items, for a model that shows them.
    pub facets: Vec<Facet>,
    /// Number of items that are stored, if known.
    pub item_count: Option<u64>,
    /// Their bytes, if known.
    pub item_bytes: Option<u64>,
}

/// A kind of items of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facet {
    /// Its name.
    pub name: String,
    /// Pattern of the partition key, such as `USER#{userId}`.
    pub partition: String,
    /// Pattern of the sort key.
    pub sort: Option<String>,
    /// Names of its attributes, without those of the table's key.
    pub attributes: Vec<String>,
    /// Its items, as offsets in the items of the table.
    pub rows: Vec<usize>,
}

/// Members whose value is the one that a table has without them.
const USUAL: [(&str, &str); 2] = [("BillingMode", "PROVISIONED"), ("TableClass", "STANDARD")];

impl TablePlan {
    /// Returns its keys and indexes.
    pub fn definition(&self) -> Definition {
        let request = Value::Object(self.request.clone());
        let mut definition: Definition = serde_json::from_value(request).unwrap_or_default();
        definition.item_count = self.item_count.unwrap_or_default();
        definition.table_size_bytes = self.item_bytes.unwrap_or_default();
        definition
    }

    /// Returns its request in one canonical form: two requests that make the same table have the same.
    pub fn canonical(&self) -> Map<String, Value> {
        let mut request = self.request.clone();
        if let Some(encryption) = request.get_mut("SSESpecification") {
            settle_encryption(encryption);
        }
        request.retain(|name, value| !is_usual(name, value));
        if request.get("BillingMode").is_some_and(|mode| mode == "PAY_PER_REQUEST") {
            request.remove("ProvisionedThroughput");
        }
        for (list, by) in [
            ("AttributeDefinitions", "AttributeName"),
            ("GlobalSecondaryIndexes", "IndexName"),
            ("LocalSecondaryIndexes", "IndexName"),
            ("Tags", "Key"),
        ] {
            let Some(Value::Array(members)) = request.get_mut(list) else { continue };
            members.sort_by_key(|member| member[by].as_str().unwrap_or_default().to_owned());
            members.iter_mut().for_each(settle_index);
        }
        let mut names: Vec<String> = request.keys().cloned().collect();
        names.sort();
        let sorted =
            names.into_iter().filter_map(|name| Some((name.clone(), request.remove(&name)?)));
        sorted.collect()
    }
}

fn is_usual(name: &str, value: &Value) -> bool {
    let is_off = |member: &str| value.get(member).is_some_and(|it| *it == json!(false));
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(members) => members.is_empty(),
        Value::Object(members) => {
            members.is_empty()
                || name == "StreamSpecification" && is_off("StreamEnabled")
                || name == "SSESpecification" && is_off("Enabled")
        }
        value => USUAL.iter().any(|(known, usual)| *known == name && value == usual),
    }
}

/// Gives encryption with a key of the account one form: it is the same with `Enabled`, with the type `KMS`, with both,
/// and with the name of the key that the service then takes.
fn settle_encryption(encryption: &mut Value) {
    let Some(members) = encryption.as_object_mut() else { return };
    let is_on =
        members.get("Enabled").map_or(members.contains_key("SSEType"), |it| *it == json!(true));
    if !is_on {
        return;
    }
    members.insert("Enabled".to_owned(), json!(true));
    members.entry("SSEType").or_insert_with(|| json!("KMS"));
    members.retain(|name, value| {
        let is_usual_key = value.as_str().is_some_and(|key| key.ends_with("alias/aws/dynamodb"));
        name != "KMSMasterKeyId" || !is_usual_key && !value.is_null()
    });
}

/// Sorts the members of an index whose order says nothing, but for those of its key.
fn settle_index(member: &mut Value) {
    if let Some(Value::Array(names)) =
        member.get_mut("Projection").and_then(|it| it.get_mut("NonKeyAttributes"))
    {
        names.sort_by_key(|name| name.as_str().unwrap_or_default().to_owned());
    }
}
