//! `hashrange update`.

use super::{item_key, page};
use crate::arguments::{Format, Update};
use crate::client::Client;
use crate::exit::Usage;
use crate::expression::Placeholders;
use crate::output::{self, printer, printer::Printer};
use hashrange::Operation;
use hashrange::text::TextFault;
use serde_json::{Value, json};

/// Changes an item and prints its new state.
pub fn run(client: &mut Client, arguments: &Update) -> anyhow::Result<()> {
    let mut placeholders = Placeholders::default();
    let update = update_expression(arguments, &mut placeholders)
        .map_err(|(clause, fault)| Usage(format!("--{}: {fault}", clause.to_lowercase())))?;
    if update.is_empty() {
        return Err(Usage("say what to change: --set, --remove, --add or --delete".into()).into());
    }
    let mut request = item_key::request(client, &arguments.key)?;
    request.insert("UpdateExpression".into(), json!(update));
    if let Some(condition) = &arguments.condition {
        let condition = page::rewritten("--if", placeholders.expression(condition))?;
        request.insert("ConditionExpression".into(), condition);
    }
    request.insert("ReturnValues".into(), json!("ALL_NEW"));
    request.insert("ReturnConsumedCapacity".into(), json!("TOTAL"));
    placeholders.add_to(&mut request);
    let printer = Printer::of(&arguments.connection)?;
    let response = client.call(Operation::UpdateItem, &Value::Object(request))?;
    if printer.format == Format::Ddb {
        return output::line(&response);
    }
    if let Some(item) = response["Attributes"].as_object() {
        printer.item(item)?;
    }
    if printer.format == Format::Table {
        output::line(format_args!("\n1 item written, {}", printer::units(&response, "write")))?;
    }
    Ok(())
}

type Rewrite = fn(&mut Placeholders, &str) -> Result<String, TextFault>;

/// Returns `SET ... REMOVE ...` for the given clauses, or an error that names the wrong one.
fn update_expression(
    arguments: &Update,
    placeholders: &mut Placeholders,
) -> Result<String, (&'static str, TextFault)> {
    let clauses: [(&str, &[String], Rewrite); 4] = [
        ("SET", &arguments.set, Placeholders::expression),
        ("REMOVE", &arguments.remove, Placeholders::expression),
        ("ADD", &arguments.add, Placeholders::pairs),
        ("DELETE", &arguments.delete, Placeholders::pairs),
    ];
    let mut update = Vec::new();
    for (clause, actions, rewrite) in clauses {
        let rewritten: Result<Vec<String>, _> =
            actions.iter().map(|action| rewrite(placeholders, action)).collect();
        let rewritten = rewritten.map_err(|fault| (clause, fault))?;
        if !rewritten.is_empty() {
            update.push(format!("{clause} {}", rewritten.join(", ")));
        }
    }
    Ok(update.join(" "))
}
