//! Tables as blocks `aws_dynamodb_table`.

use crate::formats::{Written, key_of, lost};
use crate::plan::TablePlan;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Returns a block for each table.
pub fn write(tables: &[TablePlan]) -> Written {
    let mut lines = Lines::default();
    let mut labels = BTreeSet::new();
    let mut told = lost(tables, false);
    for table in tables {
        let request = Value::Object(table.canonical());
        let label = label(&table.name, &mut labels);
        lines.open(&format!("resource \"aws_dynamodb_table\" {}", quoted(&label)));
        write_table(&mut lines, table, &request);
        lines.close();
        let key = request["SSESpecification"]["KMSMasterKeyId"].as_str();
        if let Some(key) = key.filter(|key| !is_arn(key)) {
            told.push(format!("{}: the key {key}, of which Terraform wants the ARN", table.name));
        }
    }
    Written { text: lines.text, lost: told }
}

fn write_table(lines: &mut Lines, table: &TablePlan, request: &Value) {
    lines.text("name", &Value::from(table.name.as_str()));
    let is_on_demand = request["BillingMode"] == "PAY_PER_REQUEST";
    lines.text(
        "billing_mode",
        &Value::from(if is_on_demand { "PAY_PER_REQUEST" } else { "PROVISIONED" }),
    );
    write_key(lines, request, false);
    write_units(lines, request);
    for attribute in request["AttributeDefinitions"].as_array().into_iter().flatten() {
        lines.open("attribute");
        lines.text("name", &attribute["AttributeName"]);
        lines.text("type", &attribute["AttributeType"]);
        lines.close();
    }
    for index in request["LocalSecondaryIndexes"].as_array().into_iter().flatten() {
        lines.open("local_secondary_index");
        lines.text("name", &index["IndexName"]);
        let (_, sort) = key_of(index);
        lines.text("range_key", &Value::from(sort.first().cloned().unwrap_or_default()));
        write_projection(lines, index);
        lines.close();
    }
    for index in request["GlobalSecondaryIndexes"].as_array().into_iter().flatten() {
        lines.open("global_secondary_index");
        lines.text("name", &index["IndexName"]);
        write_key(lines, index, true);
        write_projection(lines, index);
        write_units(lines, index);
        lines.close();
    }
    write_settings(lines, table, request);
}

/// Writes a key: `hash_key` and `range_key`, or for several attributes of an index blocks `key_schema`.
fn write_key(lines: &mut Lines, holder: &Value, is_index: bool) {
    let (partition, sort) = key_of(holder);
    if is_index && (partition.len() > 1 || sort.len() > 1) {
        for element in holder["KeySchema"].as_array().into_iter().flatten() {
            lines.open("key_schema");
            lines.text("attribute_name", &element["AttributeName"]);
            lines.text("key_type", &element["KeyType"]);
            lines.close();
        }
        return;
    }
    for (name, key) in [("hash_key", partition.first()), ("range_key", sort.first())] {
        if let Some(key) = key {
            lines.text(name, &Value::from(key.as_str()));
        }
    }
}

fn write_projection(lines: &mut Lines, index: &Value) {
    lines.text("projection_type", &index["Projection"]["ProjectionType"]);
    if let Some(names) = index["Projection"].get("NonKeyAttributes").and_then(Value::as_array) {
        let names: Vec<String> = names.iter().filter_map(Value::as_str).map(quoted).collect();
        lines.line(&format!("non_key_attributes = [{}]", names.join(", ")));
    }
}

fn write_units(lines: &mut Lines, holder: &Value) {
    if let Some(units) = holder.get("ProvisionedThroughput") {
        lines.number("read_capacity", &units["ReadCapacityUnits"]);
        lines.number("write_capacity", &units["WriteCapacityUnits"]);
    }
    for (member, kind, names) in [
        (
            "OnDemandThroughput",
            "on_demand_throughput",
            [
                ("MaxReadRequestUnits", "max_read_request_units"),
                ("MaxWriteRequestUnits", "max_write_request_units"),
            ],
        ),
        (
            "WarmThroughput",
            "warm_throughput",
            [
                ("ReadUnitsPerSecond", "read_units_per_second"),
                ("WriteUnitsPerSecond", "write_units_per_second"),
            ],
        ),
    ] {
        let Some(units) = holder.get(member) else { continue };
        lines.open(kind);
        for (of_request, name) in names {
            lines.number(name, &units[of_request]);
        }
        lines.close();
    }
}

fn write_settings(lines: &mut Lines, table: &TablePlan, request: &Value) {
    if let Some(attribute) = &table.time_to_live {
        lines.open("ttl");
        lines.text("attribute_name", &Value::from(attribute.as_str()));
        lines.line("enabled = true");
        lines.close();
    }
    if let Some(stream) = request.get("StreamSpecification") {
        lines.line("stream_enabled = true");
        lines.text("stream_view_type", &stream["StreamViewType"]);
    }
    if let Some(encryption) = request.get("SSESpecification") {
        lines.open("server_side_encryption");
        lines.line("enabled = true");
        if encryption["KMSMasterKeyId"].as_str().is_some_and(is_arn) {
            lines.text("kms_key_arn", &encryption["KMSMasterKeyId"]);
        }
        lines.close();
    }
    lines.text("table_class", &request["TableClass"]);
    if request["DeletionProtectionEnabled"] == true {
        lines.line("deletion_protection_enabled = true");
    }
    if let Some(tags) = request["Tags"].as_array() {
        lines.open("tags =");
        for tag in tags {
            let text = |name: &str| quoted(tag[name].as_str().unwrap_or_default());
            lines.line(&format!("{} = {}", text("Key"), text("Value")));
        }
        lines.close();
    }
}

fn is_arn(key: &str) -> bool {
    key.starts_with("arn:")
}

/// Lines of the text, indented by the blocks that are open.
#[derive(Default)]
struct Lines {
    text: String,
    depth: usize,
}

impl Lines {
    fn line(&mut self, line: &str) {
        // Writing to a String cannot fail.
        writeln!(self.text, "{}{line}", "  ".repeat(self.depth)).ok();
    }

    fn open(&mut self, head: &str) {
        if self.depth == 0 && !self.text.is_empty() {
            self.text.push('\n');
        }
        self.line(&format!("{head} {{"));
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    fn text(&mut self, name: &str, value: &Value) {
        if let Some(text) = value.as_str() {
            self.line(&format!("{name} = {}", quoted(text)));
        }
    }

    fn number(&mut self, name: &str, value: &Value) {
        let number = value.as_i64().or_else(|| value.as_str()?.parse().ok());
        if let Some(number) = number {
            self.line(&format!("{name} = {number}"));
        }
    }
}

/// Returns a name of a resource, which has letters, digits and `_`, and which no other table has.
fn label(name: &str, taken: &mut BTreeSet<String>) -> String {
    let plain = |it: char| if it.is_ascii_alphanumeric() || it == '_' { it } else { '_' };
    let mut base: String = name.chars().map(plain).collect();
    if !base.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        base.insert(0, '_');
    }
    let mut label = base.clone();
    let mut nth = 1;
    while !taken.insert(label.clone()) {
        nth += 1;
        label = format!("{base}_{nth}");
    }
    label
}

/// Returns a text in quotes.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for (at, character) in text.char_indices() {
        match character {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(character);
            }
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // Doubled, `${` and `%{` begin no template.
            '$' | '%' if text[at + 1..].starts_with('{') => {
                quoted.push(character);
                quoted.push(character);
            }
            other if other.is_control() => {
                write!(quoted, "\\u{:04x}", u32::from(other)).ok();
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
