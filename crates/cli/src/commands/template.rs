//! `hashrange template`: templates of keys that the database derives.

use crate::arguments::{Format, Template, TemplateCommand};
use crate::client::Client;
use crate::output::{self, printer::Printer, table::Table};
use anyhow::Context;
use serde_json::{Value, json};

/// Runs the subcommand and prints its result.
pub fn run(client: &mut Client, arguments: &Template) -> anyhow::Result<()> {
    let (operation, request) = request(&arguments.command);
    let answer = client.call_own(operation, &request)?;
    let printer = Printer::of(arguments.command.connection())?;
    if printer.format != Format::Table {
        return output::line(&answer);
    }
    match &arguments.command {
        TemplateCommand::Set(_) => print_template(&answer["KeyTemplate"]),
        TemplateCommand::Show(_) => {
            let templates = answer["KeyTemplates"].as_array();
            templates.context("the answer lacks the templates")?.iter().try_for_each(print_template)
        }
        TemplateCommand::Drop(it) => {
            output::line(format_args!("the template of {} is dropped", it.attribute))
        }
        TemplateCommand::Parse(_) => print_keys(&answer, &printer),
    }
}

fn request(command: &TemplateCommand) -> (&'static str, Value) {
    match command {
        TemplateCommand::Set(it) => {
            let mode = if it.check { "CHECK" } else { "FILL" };
            let mut request =
                json!({ "TableName": it.table, "Template": it.template, "Mode": mode });
            if it.remove_others {
                request["RemoveOthers"] = json!(true);
            }
            ("PutKeyTemplate", request)
        }
        TemplateCommand::Show(it) => ("DescribeKeyTemplates", json!({ "TableName": it.table })),
        TemplateCommand::Drop(it) => {
            let request = json!({ "TableName": it.table, "AttributeName": it.attribute });
            ("DeleteKeyTemplate", request)
        }
        TemplateCommand::Parse(it) => {
            let mut request = json!({ "TableName": it.table, "Key": it.key });
            if let Some(attribute) = &it.attribute {
                request["AttributeName"] = json!(attribute);
            }
            ("ParseKey", request)
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Prints a template, and its effect on items that are older.
fn print_template(template: &Value) -> anyhow::Result<()> {
    output::line(text(&template["Template"]))?;
    let (mode, status) = (text(&template["Mode"]), text(&template["Status"]));
    let (mut mode, status) = (mode.to_lowercase(), status.to_lowercase());
    if template["RemoveOthers"] == true {
        mode.push_str(", removes others");
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
