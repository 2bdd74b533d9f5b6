//! `hashrange history diff` and `hashrange history restore`, page by page.

use super::super::key_parts::KeyParts;
use super::super::table_keys::TableKeys;
use crate::arguments::{Format, HistoryDiff, HistoryItems, HistoryRestore};
use crate::client::Client;
use crate::exit::Usage;
use crate::literal;
use crate::output::{self, plain, printer::Printer};
use crate::surroundings;
use anyhow::Context;
use serde_json::{Map, Value, json};

/// Prints the changes since a moment.
pub fn diff(client: &mut Client, arguments: &HistoryDiff) -> anyhow::Result<()> {
    let mut request = request(client, &arguments.items)?;
    if let Some(to) = &arguments.to {
        request["To"] = json!(moment(client, &arguments.items.table, to)?);
    }
    let printer = Printer::of(&arguments.connection)?;
    let count = print_changes(client, request, &printer)?;
    if printer.format == Format::Table { output::line(count) } else { Ok(()) }
}

/// Puts items back, or prints the changes that this would make.
pub fn restore(client: &mut Client, arguments: &HistoryRestore) -> anyhow::Result<()> {
    if arguments.items.partition_key.is_none() && !arguments.all {
        let problem = "which items? Give a key, or --all for every one that has changed";
        return Err(Usage(problem.to_owned()).into());
    }
    let request = request(client, &arguments.items)?;
    let printer = Printer::of(&arguments.connection)?;
    if arguments.dry_run {
        let count = print_changes(client, request, &printer)?;
        if printer.format != Format::Table {
            return Ok(());
        }
        return output::line(format_args!(
            "{count} since then; without --dry-run they are put back"
        ));
    }
    let (mut put, mut deleted) = (0, 0);
    each_page(client, "RestoreItems", request, |page| {
        put += page["Put"].as_u64().unwrap_or(0);
        deleted += page["Deleted"].as_u64().unwrap_or(0);
        Ok(())
    })?;
    if printer.format == Format::Table {
        return output::line(format_args!("{} put back, {deleted} deleted", items(put)));
    }
    output::line(json!({ "Put": put, "Deleted": deleted }))
}

/// Returns a request without its second moment.
fn request(client: &mut Client, items: &HistoryItems) -> anyhow::Result<Value> {
    let from = moment(client, &items.table, &items.moment)?;
    let mut request = json!({ "TableName": items.table, "From": from });
    if let Some(text) = &items.partition_key {
        request["Key"] = Value::Object(key(client, items, text)?);
    }
    if let Some(prefix) = &items.prefix {
        request["SortKeyPrefix"] = json!(prefix);
    }
    Ok(request)
}

/// Returns the moment of an argument: `start` is the one that the history reaches back to, `90s`,
/// `10m`, `2h` or `7d` so long ago, and any other text a moment by itself.
fn moment(client: &mut Client, table: &str, text: &str) -> anyhow::Result<String> {
    if text == "start" {
        let answer = client.call_own("DescribeHistory", &json!({ "TableName": table }))?;
        let start = answer["History"]["ReachesBackTo"].as_str();
        let why = || Usage(format!("the history of {table} has no start: it is not kept"));
        return Ok(start.with_context(why)?.to_owned());
    }
    let now_ms = surroundings::now_ms();
    Ok(match hashrange::moment::ago_ms(text) {
        Some(ago_ms) => now_ms.saturating_sub(ago_ms).to_string(),
        None => text.to_owned(),
    })
}

fn key(
    client: &mut Client,
    items: &HistoryItems,
    text: &str,
) -> anyhow::Result<Map<String, Value>> {
    if text.starts_with('{') && items.sort_key.is_none() {
        return Ok(literal::item(text).map_err(|fault| Usage(format!("the key: {fault}")))?);
    }
    let keys = TableKeys::of(client, &items.table)?;
    let texts = [Some(text), items.sort_key.as_deref()];
    let texts: Vec<&str> = texts.into_iter().flatten().collect();
    keys.beginning(&texts).with_context(|| {
        let names = keys.primary().join(" and ");
        Usage(format!("the key of {} is {names}", items.table))
    })
}

/// Asks for page after page.
fn each_page(
    client: &mut Client,
    operation: &str,
    mut request: Value,
    mut then: impl FnMut(&Value) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    loop {
        let mut page = client.call_own(operation, &request)?;
        then(&page)?;
        match page["LastEvaluated"].take() {
            Value::Null => return Ok(()),
            next => request["ExclusiveStart"] = next,
        }
    }
}

/// Prints the changes and returns their number, in words.
fn print_changes(client: &mut Client, request: Value, printer: &Printer) -> anyhow::Result<String> {
    let (mut added, mut removed, mut changed) = (0_u64, 0_u64, 0_u64);
    let parts = match printer.format {
        Format::Table => KeyParts::of(client, request["TableName"].as_str().unwrap_or_default())?,
        _ => KeyParts::default(),
    };
    each_page(client, "DescribeChanges", request, |page| {
        for change in page["Changes"].as_array().into_iter().flatten() {
            let sides = (change["Before"].as_object(), change["After"].as_object());
            match sides {
                (None, _) => added += 1,
                (_, None) => removed += 1,
                _ => changed += 1,
            }
            if printer.format == Format::Table {
                output::line(text(change, &parts))?;
            } else {
                output::line(change)?;
            }
        }
        Ok(())
    })?;
    let all = added + removed + changed;
    Ok(format!("{} changed: {added} added, {removed} removed, {changed} otherwise", items(all)))
}

fn items(count: u64) -> String {
    if count == 1 { "1 item".to_owned() } else { format!("{count} items") }
}

/// Returns a change as a line, with the item that came or went, or the attributes that changed.
fn text(change: &Value, parts: &KeyParts) -> String {
    let key_parts = change["Key"].as_object().and_then(|key| parts.of_key(key));
    let behind = key_parts.map_or_else(String::new, |parts| format!("  {parts}"));
    match (change["Before"].as_object(), change["After"].as_object()) {
        (None, Some(after)) => format!("+ {}{behind}", plain::item(after)),
        (Some(before), None) => format!("- {}{behind}", plain::item(before)),
        (Some(before), Some(after)) => {
            let key = change["Key"].as_object().map(plain::item).unwrap_or_default();
            format!("~ {key} {}{behind}", attributes(before, after).join(", "))
        }
        (None, None) => String::new(),
    }
}

fn attributes(before: &Map<String, Value>, after: &Map<String, Value>) -> Vec<String> {
    let mut differ = Vec::new();
    for (name, was) in before {
        match after.get(name) {
            Some(is) if is == was => {}
            Some(is) => {
                differ.push(format!("{name}: {} -> {}", plain::value(was), plain::value(is)));
            }
            None => differ.push(format!("{name}: {} -> gone", plain::value(was))),
        }
    }
    let new = after.iter().filter(|(name, _)| !before.contains_key(*name));
    differ.extend(new.map(|(name, is)| format!("{name}: none -> {}", plain::value(is))));
    differ
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_tells_what_is_different() {
        let item = |status: &str, n: &str| json!({"id": {"S": "7"}, "status": {"S": status}, n: {"N": "1"}});
        let (old, new) = (item("OPEN", "was"), item("SENT", "is"));
        let key = json!({"id": {"S": "7"}});
        let changed = json!({"Key": key, "Before": old, "After": new});
        assert_eq!(
            text(&changed, &KeyParts::default()),
            r#"~ {"id":"7"} status: "OPEN" -> "SENT", was: 1 -> gone, is: none -> 1"#
        );
        let text = |change: Value| text(&change, &KeyParts::default());
        assert!(text(json!({"Key": key, "After": new})).starts_with("+ {"));
        assert!(text(json!({"Key": key, "Before": old})).starts_with("- {"));
    }
}
