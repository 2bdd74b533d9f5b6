//! `hashrange template`: templates of keys that the database derives.

use crate::arguments::{Format, Template, TemplateCommand, TemplateOf, TemplateSet};
use crate::bulk::counted;
use crate::client::Client;
use crate::output::table::{Table, shown};
use crate::output::{self, printer::Printer};
use anyhow::Context;
use serde_json::{Value, json};
use std::io::{IsTerminal, stdin};

/// Examples of items that an undo leaves as they are, which are shown.
const LEFT_SHOWN: usize = 10;

/// Runs the subcommand and prints its result.
pub fn run(client: &mut Client, arguments: &Template) -> anyhow::Result<()> {
    let printer = Printer::of(arguments.command.connection())?;
    match &arguments.command {
        TemplateCommand::Set(it) => set(client, it, &printer),
        TemplateCommand::Show(it) => {
            let request = json!({ "TableName": it.table });
            let answer = client.call_own("DescribeKeyTemplates", &request)?;
            if printer.format != Format::Table {
                return output::line(&answer);
            }
            let templates = answer["KeyTemplates"].as_array();
            templates.context("the answer lacks the templates")?.iter().try_for_each(print_template)
        }
        TemplateCommand::Drop(it) => {
            client.call_own("DeleteKeyTemplate", &of_attribute(it))?;
            said(&printer, format_args!("the template of {} is dropped", it.attribute))
        }
        TemplateCommand::Keep(it) => {
            client.call_own("KeepKeyTemplate", &of_attribute(it))?;
            said(&printer, format_args!("the values of before {} are forgotten", it.attribute))
        }
        TemplateCommand::Undo(it) => undo(client, it, &printer),
        TemplateCommand::Parse(it) => {
            let mut request = json!({ "TableName": it.table, "Key": it.key });
            if let Some(attribute) = &it.attribute {
                request["AttributeName"] = json!(attribute);
            }
            let answer = client.call_own("ParseKey", &request)?;
            if printer.format != Format::Table {
                return output::line(&answer);
            }
            print_keys(&answer, &printer)
        }
    }
}

fn of_attribute(arguments: &TemplateOf) -> Value {
    json!({ "TableName": arguments.table, "AttributeName": arguments.attribute })
}

fn said(printer: &Printer, text: std::fmt::Arguments<'_>) -> anyhow::Result<()> {
    if printer.format == Format::Table { output::line(text) } else { output::line(json!({})) }
}

/// Declares a template; on a terminal, after it has shown what the template would do.
fn set(client: &mut Client, arguments: &TemplateSet, printer: &Printer) -> anyhow::Result<()> {
    let mode = if arguments.check { "CHECK" } else { "FILL" };
    let mut request = json!({
        "TableName": arguments.table, "Template": arguments.template, "Mode": mode,
        "Strict": arguments.strict,
    });
    let is_asked = !arguments.yes && stdin().is_terminal() && printer.format == Format::Table;
    if arguments.dry_run || is_asked {
        request["DryRun"] = json!(true);
        let answer = client.call_own("PutKeyTemplate", &request)?;
        if printer.format != Format::Table {
            return output::line(&answer);
        }
        print_preview(&answer["Preview"])?;
        print_warnings(&answer)?;
        if arguments.dry_run || !output::is_confirmed("set the template?")? {
            return Ok(());
        }
        request["DryRun"] = json!(false);
    }
    let answer = client.call_own("PutKeyTemplate", &request)?;
    if printer.format != Format::Table {
        return output::line(&answer);
    }
    print_template(&answer["KeyTemplate"])?;
    print_warnings(&answer)
}

/// Undoes the rewriting by a template, page by page.
fn undo(client: &mut Client, arguments: &TemplateOf, printer: &Printer) -> anyhow::Result<()> {
    let request = of_attribute(arguments);
    let (mut restored, mut left) = (0, Vec::new());
    loop {
        let mut page = client.call_own("UndoKeyTemplate", &request)?;
        restored += page["Restored"].as_u64().unwrap_or(0);
        if let Value::Array(more) = page["Left"].take() {
            left.extend(more);
        }
        if page["Done"] == true {
            break;
        }
    }
    if printer.format != Format::Table {
        return output::line(json!({ "Restored": restored, "Left": left }));
    }
    let verb = if left.len() == 1 { "was" } else { "were" };
    output::line(format_args!(
        "the template of {} is undone: {} restored, {} {verb} changed since and left as now",
        arguments.attribute,
        counted(restored, "item"),
        counted(left.len() as u64, "item"),
    ))?;
    left.iter().take(LEFT_SHOWN).try_for_each(print_example)?;
    match left.len().checked_sub(LEFT_SHOWN) {
        None | Some(0) => Ok(()),
        Some(more) => output::line(format_args!("    and {more} more; -o json lists all")),
    }
}

/// Prints what a template would do to the items.
fn print_preview(preview: &Value) -> anyhow::Result<()> {
    let examined = preview["Examined"].as_u64().unwrap_or(0);
    let of = if preview["All"] == true { "" } else { "the first " };
    output::line(format_args!("of {of}{}", counted(examined, "item")))?;
    for (name, verb) in [
        ("Set", "would get the attribute"),
        ("Changed", "would get another value"),
        ("Kept", "would keep a value that a client wrote"),
        ("Removed", "would lose the attribute"),
        ("Refused", "would be refused, and stay as they are"),
    ] {
        let count = &preview[name];
        let items = count["Items"].as_u64().unwrap_or(0);
        if items > 0 {
            output::line(format_args!("  {items} {verb}"))?;
            let examples = count["Examples"].as_array().into_iter().flatten();
            for example in examples {
                print_example(example)?;
            }
        }
    }
    Ok(())
}

fn print_example(example: &Value) -> anyhow::Result<()> {
    let key = example["Key"].as_object().into_iter().flatten();
    let key = key.filter_map(|(_, typed)| typed.as_object()?.values().next());
    let key: Vec<&str> = key.map(text).collect();
    let value = |name: &str| example[name].as_str().map(|value| format!("{value:?}"));
    let values = match (value("Before"), value("After")) {
        (Some(before), Some(after)) => format!(": {before} -> {after}"),
        (None, Some(value)) | (Some(value), None) => format!(": {value}"),
        (None, None) => String::new(),
    };
    let why = example["Why"].as_str().map(|why| format!("  {}", shown(why))).unwrap_or_default();
    output::line(format_args!("    {}{values}{why}", shown(&key.join(", "))))
}

fn print_warnings(answer: &Value) -> anyhow::Result<()> {
    let warnings = answer["Warnings"].as_array().into_iter().flatten();
    warnings
        .map(text)
        .try_for_each(|warning| output::line(format_args!("  warning: {}", shown(warning))))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Prints a template, and its effect on items that are older.
fn print_template(template: &Value) -> anyhow::Result<()> {
    output::line(text(&template["Template"]))?;
    let (mode, status) = (text(&template["Mode"]), text(&template["Status"]));
    let (mut mode, status) = (mode.to_lowercase(), status.to_lowercase());
    if template["IsKey"] == false {
        mode.push_str(", no key of an index");
    }
    let items = &template["Items"];
    let Some(examined) = items["Examined"].as_u64() else {
        return output::line(format_args!("  {mode}, {status}"));
    };
    let of = template["ItemCount"].as_i64().map(|items| format!(" of {items}"));
    let kept = items["Kept"].as_u64().map(|kept| format!(", {kept} kept a client's value"));
    output::line(format_args!(
        "  {mode}, {status}: {examined}{} items examined, {} changed, {} refused{}",
        of.unwrap_or_default(),
        items["Changed"],
        items["Refused"],
        kept.unwrap_or_default(),
    ))?;
    match items["FirstRefused"].as_str() {
        Some(why) => output::line(format_args!("  the first refused: {why}")),
        None => Ok(()),
    }
}

/// Prints the parts of a key, once for each template that reads it.
fn print_keys(answer: &Value, printer: &Printer) -> anyhow::Result<()> {
    let keys = answer["Keys"].as_array().context("the answer lacks the keys")?;
    let mut table = Table::new(&["key", "part", "type", "value"].map(str::to_owned));
    for key in keys {
        let parts = key["Parts"].as_array().context("the answer lacks the parts")?;
        for part in parts {
            let value = part["Value"].as_object().and_then(|typed| typed.iter().next());
            let (tag, value) = value.context("the answer lacks a value")?;
            table.add_texts([
                text(&key["AttributeName"]).to_owned(),
                text(&part["AttributeName"]).to_owned(),
                tag.clone(),
                text(value).to_owned(),
            ]);
        }
    }
    printer.table(&table)
}
