//! `hashrange tree`: the folders and items of an item collection, or the partition keys of a table.

pub mod merged;

use super::page::shell_quoted;
use super::table_keys::TableKeys;
use crate::advice;
use crate::arguments::{Format, Tree};
use crate::client::Client;
use crate::exit::Usage;
use crate::literal;
use crate::output::tree::{Branch, lines};
use crate::output::{self, plain, printer::Printer};
use anyhow::Context;
use hashrange::cost::grouped;
use merged::Merged;
use serde_json::{Map, Value, json};

/// The most nodes of a page.
const PAGE_MAX: usize = 1000;
/// Largest collections to show unless the arguments give a number.
const LARGEST: usize = 20;

/// Lists a tree as the arguments say, page by page, and prints it.
pub fn run(client: &mut Client, arguments: &Tree) -> anyhow::Result<()> {
    let (operation, mut request) = request(client, arguments)?;
    let printer = Printer::of(&arguments.connection)?;
    let most = most(arguments);
    let mut merged = Merged::new(arguments.largest.then_some(most));
    let next = loop {
        // The largest of all are among the largest of each page.
        let left = if arguments.largest { most } else { most - merged.shown() };
        request.insert("Limit".into(), json!(left.min(PAGE_MAX)));
        let mut answer = client.call_own(operation, &Value::Object(request.clone()))?;
        if printer.format == Format::Ddb {
            output::line(&answer)?;
        }
        let next = answer["LastEvaluated"].take();
        merged.add(answer);
        if next.is_null() || (!arguments.largest && merged.shown() >= most) {
            break next;
        }
        request.insert("ExclusiveStart".into(), next);
    };
    match printer.format {
        Format::Ddb => Ok(()),
        Format::Json | Format::Item => {
            merged.nodes().iter().map(plain_line).try_for_each(output::line)
        }
        Format::Table => print(arguments, &merged, &next),
    }
}

/// Returns the most nodes to show.
fn most(arguments: &Tree) -> usize {
    match (arguments.limit, arguments.all, arguments.largest) {
        (Some(limit), ..) => limit,
        (None, true, _) => usize::MAX,
        (None, false, false) => PAGE_MAX,
        (None, false, true) => LARGEST,
    }
}

/// Returns the operation and its request, but for the start of later pages.
fn request(
    client: &mut Client,
    arguments: &Tree,
) -> anyhow::Result<(&'static str, Map<String, Value>)> {
    let mut request = Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        request.extend(value.map(|value| (name.to_owned(), value)));
    };
    let given = |is_given: bool, value: Value| is_given.then_some(value);
    set("TableName", Some(json!(arguments.table)));
    set("IndexName", arguments.index.as_ref().map(|index| json!(index)));
    set("Counts", given(arguments.counts, json!(true)));
    set("ConsistentRead", given(arguments.consistent, json!(true)));
    set("ExclusiveStart", arguments.start.as_deref().map(position).transpose()?);
    if arguments.limit == Some(0) {
        return Err(Usage("--limit: a number from 1".to_owned()).into());
    }
    if arguments.largest && arguments.limit > Some(PAGE_MAX) {
        return Err(Usage(format!("--limit: with --largest at most {PAGE_MAX}")).into());
    }
    let Some(partition_key) = &arguments.partition_key else {
        set("LargestFirst", given(arguments.largest, json!(true)));
        return Ok(("Partitions", request));
    };
    let source = (&arguments.table[..], arguments.index.as_deref());
    set("PartitionKey", Some(partition(client, source, partition_key)?));
    let sort_key = arguments.sort_key.as_deref().map(|text| key("--sort-key", text)).transpose()?;
    set("SortKey", sort_key);
    set("Prefix", arguments.prefix.as_ref().map(|prefix| json!(prefix)));
    set("Delimiter", arguments.delimiter.as_ref().map(|delimiter| json!(delimiter)));
    set("Depth", arguments.depth.map(|depth| json!(depth)));
    set("ScanIndexForward", given(arguments.reverse, json!(false)));
    Ok(("Tree", request))
}

fn position(text: &str) -> anyhow::Result<Value> {
    let no_position = |_| Usage("--start: give the position that the last call printed".to_owned());
    Ok(serde_json::from_str(text).map_err(no_position)?)
}

pub fn key(argument: &str, text: &str) -> anyhow::Result<Value> {
    let key = literal::item(text).map_err(|fault| Usage(format!("{argument}: {fault}")))?;
    Ok(Value::Object(key))
}

/// Returns the partition key of a table or index in a text.
pub fn partition(
    client: &mut Client,
    (table, index): (&str, Option<&str>),
    text: &str,
) -> anyhow::Result<Value> {
    if text.starts_with('{') {
        return key("the partition key", text);
    }
    let keys = TableKeys::of(client, table)?;
    if let Some(hint) = index.and_then(|index| advice::index_hint(index, &keys)) {
        return Err(Usage(hint).into());
    }
    let name = keys.partition_of(index).with_context(|| {
        let of = index.unwrap_or(table);
        Usage(format!(
            "the partition key of {of} is not one attribute: give it as a literal, such as \
             '{{\"a\": \"x\", \"b\": 1}}'"
        ))
    })?;
    Ok(json!({ name.clone(): { keys.type_of(&name): text } }))
}

/// Returns a node as one line of plain JSON.
fn plain_line(node: &Value) -> String {
    let mut line = Map::new();
    for name in ["Kind", "Level", "Name", "Key", "Parts", "Items", "Bytes"] {
        let value = match (name, &node[name]) {
            (_, Value::Null) => continue,
            ("Key", Value::Object(key)) => {
                serde_json::from_str(&plain::item(key)).unwrap_or_default()
            }
            (_, value) => value.clone(),
        };
        line.insert(name.to_lowercase(), value);
    }
    Value::Object(line).to_string()
}

fn print(arguments: &Tree, merged: &Merged, next: &Value) -> anyhow::Result<()> {
    output::line(output::table::shown(&root(arguments)))?;
    let mut parts_above = Vec::new();
    let mut branches = Vec::new();
    for node in merged.nodes() {
        let mut branch = branch(node);
        let parts = added_parts(node, branch.level, &mut parts_above);
        if !parts.is_empty() {
            branch.name.extend(["  ", &parts]);
        }
        branches.push(branch);
    }
    lines(&branches).iter().try_for_each(output::line)?;
    output::line("")?;
    output::line(merged.summary())?;
    if !next.is_null() {
        let position = shell_quoted(&next.to_string());
        output::line(format_args!("more follow: --start {position}"))?;
    }
    Ok(())
}

/// Returns the title of the tree: its table, index and keys.
fn root(arguments: &Tree) -> String {
    let mut root = arguments.table.clone();
    for (before, part) in [
        (".", &arguments.index),
        (" ", &arguments.partition_key),
        (" ", &arguments.sort_key),
        (" ", &arguments.prefix),
    ] {
        root.extend(part.iter().map(|part| format!("{before}{part}")));
    }
    root
}

fn branch(node: &Value) -> Branch {
    let level = node["Level"].as_u64().and_then(|level| usize::try_from(level).ok()).unwrap_or(1);
    let columns = match (node["Items"].as_u64(), node["Bytes"].as_u64()) {
        (Some(items), Some(bytes)) => {
            let goes_on = if node["GoesOn"] == true { "at least " } else { "" };
            let noun = if items == 1 { "item " } else { "items" };
            vec![format!("{goes_on}{} {noun}", grouped(items)), size(bytes)]
        }
        _ => Vec::new(),
    };
    let name = match node["Name"].as_str().unwrap_or_default() {
        "" => "\"\"",
        name => name,
    };
    Branch { level, name: name.to_owned(), columns }
}

/// Returns the parts of a key that a level adds, such as `status = OPEN`. `above` counts those of the levels above.
fn added_parts(node: &Value, level: usize, above: &mut Vec<usize>) -> String {
    let parts = node["Parts"].as_array().map_or(&[][..], Vec::as_slice);
    above.resize(level.saturating_sub(1), 0);
    let known = above.last().copied().unwrap_or(0);
    above.push(parts.len());
    let text = |part: &Value| {
        let value = part["Value"].as_object().and_then(|typed| typed.values().next());
        let name = part["AttributeName"].as_str().unwrap_or_default();
        format!("{name} = {}", value.and_then(Value::as_str).unwrap_or_default())
    };
    parts.iter().skip(known).map(text).collect::<Vec<_>>().join(", ")
}

/// Returns bytes in the unit that suits them.
pub fn size(bytes: u64) -> String {
    let unit = (1..=4).rev().find(|unit| bytes >> (10 * unit) > 0);
    let Some(unit) = unit else { return format!("{bytes} B") };
    let tenths = (u128::from(bytes) * 10) >> (10 * unit);
    format!("{}.{} {}iB", tenths / 10, tenths % 10, ['K', 'M', 'G', 'T'][unit - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_to_read() {
        for (bytes, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1536, "1.5 KiB"),
            (1 << 20, "1.0 MiB"),
            (u64::MAX, "16777215.9 TiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
