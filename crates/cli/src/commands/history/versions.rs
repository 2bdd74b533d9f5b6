//! `hashrange history versions`: versions that a table keeps as items.

use crate::arguments::{Format, HistoryVersions};
use crate::client::Client;
use crate::output::{self, printer::Printer};
use serde_json::{Map, Value, json};

/// Sets, ends or shows the versions that a table keeps as items.
pub fn run(client: &mut Client, arguments: &HistoryVersions) -> anyhow::Result<()> {
    let table = &arguments.table;
    let mut request = json!({ "TableName": table });
    let operation = match (&arguments.version, arguments.off) {
        (None, false) => "DescribeVersions",
        (None, true) => {
            request["Versions"] = Value::Null;
            "UpdateVersions"
        }
        (Some(version), _) => {
            request["Versions"] = Value::Object(rules(version, arguments));
            "UpdateVersions"
        }
    };
    let answer = client.call_own(operation, &request)?;
    if Printer::of(&arguments.connection)?.format != Format::Table {
        return output::line(&answer);
    }
    let versions = &answer["Versions"];
    let text = |member: &str| versions[member].as_str().unwrap_or_default();
    if versions.is_null() {
        return output::line(format_args!("{table} keeps no versions as items"));
    }
    output::line(format_args!(
        "a write of {} keeps {}, and its number in {}",
        text("Pointer"),
        text("Version"),
        text("Number"),
    ))?;
    if let Some(keep) = versions["Keep"].as_u64() {
        output::line(format_args!("the newest {keep} versions are kept"))?;
    }
    if let Some(days) = versions["KeepDays"].as_u64() {
        output::line(format_args!("a version expires after {days} days"))?;
    }
    let warnings = answer["Warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    warnings.into_iter().try_for_each(|warning| output::line(format_args!("warning: {warning}")))
}

fn rules(version: &str, arguments: &HistoryVersions) -> Map<String, Value> {
    let mut rules = Map::new();
    rules.insert("Version".to_owned(), json!(version));
    let texts = [("Pointer", &arguments.pointer), ("Number", &arguments.number)];
    for (member, text) in texts {
        rules.extend(text.as_ref().map(|text| (member.to_owned(), json!(text))));
    }
    for (member, number) in [("Keep", arguments.keep), ("KeepDays", arguments.keep_days)] {
        rules.extend(number.map(|number| (member.to_owned(), json!(number))));
    }
    rules
}
