//! `hashrange describe`.

use crate::arguments::{Describe, Format};
use crate::client::{Client, Refused};
use crate::output::{self, printer::Printer, table::Table};
use hashrange::Operation;
use serde_json::{Value, json};

/// Prints a table's description: the answer of DescribeTable, its time to live and its tags.
pub fn run(client: &mut Client, arguments: &Describe) -> anyhow::Result<()> {
    let request = json!({ "TableName": arguments.table });
    let mut response = client.call(Operation::DescribeTable, &request)?;
    let printer = Printer::of(&arguments.connection)?;
    if printer.format == Format::Ddb {
        return output::line(&response);
    }
    let expiry = client.call(Operation::DescribeTimeToLive, &request);
    let expiry = while_changing(expiry)?.map(|mut expiry| expiry["TimeToLiveDescription"].take());
    let tags = while_changing(tags(client, &response["Table"]["TableArn"]))?;
    if printer.format != Format::Table {
        let mut table = response["Table"].take();
        table["TimeToLiveDescription"] = json!(expiry);
        table["Tags"] = json!(tags);
        return output::line(table);
    }
    let table = &response["Table"];
    output::line(format_args!(
        "{}: {}, {} items, {} bytes",
        text(&table["TableName"]),
        text(&table["TableStatus"]).to_lowercase(),
        table["ItemCount"],
        table["TableSizeBytes"],
    ))?;
    output::line("")?;
    print_keys(table, &printer)?;
    output::line("")?;
    let settings = settings(table, expiry.as_ref(), tags.as_deref());
    let width = settings.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    settings.iter().try_for_each(|(name, text)| output::line(format_args!("{name:width$}  {text}")))
}

/// Returns `None` for the answer that a table which is being created or deleted does not have yet.
fn while_changing<T>(answer: anyhow::Result<T>) -> anyhow::Result<Option<T>> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.is::<Refused>() => Ok(None),
        Err(error) => Err(error),
    }
}

fn tags(client: &mut Client, arn: &Value) -> anyhow::Result<Vec<Value>> {
    let mut tags = Vec::new();
    let mut request = json!({ "ResourceArn": arn });
    loop {
        let mut response = client.call(Operation::ListTagsOfResource, &request)?;
        if let Value::Array(more) = response["Tags"].take() {
            tags.extend(more);
        }
        match response["NextToken"].take() {
            Value::Null => return Ok(tags),
            token => request["NextToken"] = token,
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Prints the keys of the table and of its indexes.
fn print_keys(table: &Value, printer: &Printer) -> anyhow::Result<()> {
    let heads = ["index", "keys", "projection", "status", "items", "bytes"];
    let mut keys = Table::new(&heads.map(str::to_owned));
    keys.add_texts([
        "(table)".into(),
        key_text(table, table),
        "ALL".into(),
        text(&table["TableStatus"]),
        table["ItemCount"].to_string(),
        table["TableSizeBytes"].to_string(),
    ]);
    for (kind, is_local) in [("LocalSecondaryIndexes", true), ("GlobalSecondaryIndexes", false)] {
        for index in table[kind].as_array().into_iter().flatten() {
            let status = match (is_local, index["Backfilling"] == true) {
                (true, _) => "local".to_owned(),
                (false, true) => format!("{}, being filled", text(&index["IndexStatus"])),
                (false, false) => text(&index["IndexStatus"]),
            };
            keys.add_texts([
                text(&index["IndexName"]),
                key_text(table, index),
                projection(&index["Projection"]),
                status,
                index["ItemCount"].to_string(),
                index["IndexSizeBytes"].to_string(),
            ]);
        }
    }
    printer.table(&keys)
}

fn projection(projection: &Value) -> String {
    let names = projection["NonKeyAttributes"].as_array();
    let names: Vec<String> = names.into_iter().flatten().map(text).collect();
    match names.as_slice() {
        [] => text(&projection["ProjectionType"]),
        names => format!("{} {}", text(&projection["ProjectionType"]), names.join(", ")),
    }
}

/// Returns the keys of a table or index with their types, such as `artist S, year N`; `+` stands
/// between several attributes of a partition key or of a sort key.
fn key_text(table: &Value, described: &Value) -> String {
    let definitions = table["AttributeDefinitions"].as_array();
    let typed = |name: &Value| {
        let mut found = definitions.into_iter().flatten();
        let definition = found.find(|definition| &definition["AttributeName"] == name);
        let key_type = definition.and_then(|definition| definition["AttributeType"].as_str());
        format!("{} {}", name.as_str().unwrap_or_default(), key_type.unwrap_or_default())
    };
    let part = |key_type: &str| {
        let elements = described["KeySchema"].as_array().into_iter().flatten();
        let of_part = elements.filter(|element| element["KeyType"] == key_type);
        of_part.map(|element| typed(&element["AttributeName"])).collect::<Vec<_>>().join(" + ")
    };
    let parts = [part("HASH"), part("RANGE")];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Returns the settings, by name.
fn settings(
    table: &Value,
    expiry: Option<&Value>,
    tags: Option<&[Value]>,
) -> Vec<(&'static str, String)> {
    let mut settings = vec![("billing", billing(table))];
    for index in table["GlobalSecondaryIndexes"].as_array().into_iter().flatten() {
        let units = units_text(index);
        let name = text(&index["IndexName"]);
        settings.extend(units.map(|units| ("index billing", format!("{name}: {units}"))));
    }
    settings.push(("stream", stream(table)));
    settings.push(("time to live", expiry.map_or_else(not_yet, time_to_live)));
    settings.push(("protected", protection(table).to_owned()));
    let class = &table["TableClassSummary"]["TableClass"];
    settings.push(("class", if class.is_null() { "STANDARD".to_owned() } else { text(class) }));
    let encryption = &table["SSEDescription"];
    if !encryption.is_null() {
        let key = text(&encryption["KMSMasterKeyArn"]);
        settings.push(("encryption", format!("{} {key}", text(&encryption["Status"]))));
    }
    settings.push(("tags", tags.map_or_else(not_yet, tags_text)));
    settings.push(("arn", text(&table["TableArn"])));
    settings
}

fn not_yet() -> String {
    "not told while the table changes".to_owned()
}

fn protection(table: &Value) -> &'static str {
    if table["DeletionProtectionEnabled"] == true { "yes" } else { "no" }
}

fn billing(table: &Value) -> String {
    let is_on_demand = table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST";
    let mode = if is_on_demand { "on demand" } else { "provisioned" };
    match units_text(table) {
        Some(units) => format!("{mode}, {units}"),
        None => mode.to_owned(),
    }
}

/// Returns the units of a table or index, if there are any.
fn units_text(described: &Value) -> Option<String> {
    let provisioned = &described["ProvisionedThroughput"];
    let units = |name: &str| provisioned[name].as_u64().unwrap_or(0);
    let (read, write) = (units("ReadCapacityUnits"), units("WriteCapacityUnits"));
    if read + write > 0 {
        return Some(format!("{read} read and {write} write units a second"));
    }
    let most = described["OnDemandThroughput"].as_object()?;
    let unit = |name: &str| most.get(name).map_or_else(|| "any".to_owned(), Value::to_string);
    let (read, write) = (unit("MaxReadRequestUnits"), unit("MaxWriteRequestUnits"));
    Some(format!("at most {read} read and {write} write units a second"))
}

fn stream(table: &Value) -> String {
    let specification = &table["StreamSpecification"];
    if specification["StreamEnabled"] == true {
        let view = text(&specification["StreamViewType"]);
        format!("{view} {}", text(&table["LatestStreamArn"]))
    } else {
        "off".to_owned()
    }
}

fn time_to_live(expiry: &Value) -> String {
    match expiry["AttributeName"].as_str() {
        Some(attribute) => {
            format!("{attribute}, {}", text(&expiry["TimeToLiveStatus"]).to_lowercase())
        }
        None => "off".to_owned(),
    }
}

fn tags_text(tags: &[Value]) -> String {
    let mut tags: Vec<String> =
        tags.iter().map(|tag| format!("{}={}", text(&tag["Key"]), text(&tag["Value"]))).collect();
    tags.sort();
    if tags.is_empty() { "none".to_owned() } else { tags.join(", ") }
}
