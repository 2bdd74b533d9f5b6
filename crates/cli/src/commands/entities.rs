//! `hashrange entities`: the kinds of items in a table.
//!
//! Left to others: the inference (the crate `design`).

use super::design::looked;
use crate::arguments::{Entities as Arguments, Format};
use crate::bulk::counted;
use crate::client::Client;
use crate::output::{self, printer::Printer, table::Table, table::shown};
use hashrange::cost::grouped;
use hashrange_design::entities::{Entities, Entity, KeyPattern};
use serde_json::json;

/// Reads a sample of a table and prints its entities.
pub fn run(client: &mut Client, arguments: &Arguments) -> anyhow::Result<()> {
    client.leave_unrecorded();
    let printer = Printer::of(&arguments.connection)?;
    let looked = looked::of(client, &arguments.table, arguments.sample)?;
    if printer.format != Format::Table {
        return output::line(json!(looked.entities));
    }
    print(&looked.entities, &printer)
}

fn print(found: &Entities, printer: &Printer) -> anyhow::Result<()> {
    let told_by =
        found.told_by.as_ref().map_or_else(String::new, |name| format!(", named by {name}"));
    let kinds = counted(u64::try_from(found.entities.len()).unwrap_or(u64::MAX), "kind");
    let items = counted(found.items, "item");
    output::line(shown(&format!("{}: {items} looked at, {kinds}{told_by}", found.table)))?;
    for entity in &found.entities {
        output::line("")?;
        print_entity(entity, printer)?;
    }
    if !found.templates.is_empty() {
        output::line("\ntemplates for hashrange template set")?;
    }
    for template in &found.templates {
        let mut more = if template.is_check { "; with --check" } else { "" }.to_owned();
        if !template.without.is_empty() {
            more.push_str("; not for ");
            more.push_str(&template.without.join(", "));
        }
        let (derived, items) = (grouped(template.derived), grouped(template.items));
        output::line(shown(&format!("  {}", template.template)))?;
        output::line(shown(&format!("    derives {derived} of {items} values{more}")))?;
    }
    if found.others.items > 0 {
        let examples = found.others.examples.join("; ");
        let number = counted(found.others.items, "item");
        output::line("")?;
        output::line(shown(&format!("{number} of no kind, such as {examples}")))?;
    }
    found.notes.iter().try_for_each(|note| output::line(shown(&format!("note: {note}"))))
}

fn print_entity(entity: &Entity, printer: &Printer) -> anyhow::Result<()> {
    let share = format!("{:.0} %", entity.share * 100.0);
    let items = counted(entity.items, "item");
    output::line(shown(&format!(
        "{}: {items}, {share}, {} bytes",
        entity.name,
        grouped(entity.bytes)
    )))?;
    for key in entity.keys.iter().filter(|key| key.items > 0) {
        print_key(key)?;
    }
    let columns = ["attribute", "types", "example", "items"].map(str::to_owned);
    let mut table = Table::new(&columns);
    for attribute in &entity.attributes {
        let texts = [attribute.name.clone(), attribute.types.join(", "), attribute.example.clone()];
        table.add_figures(&texts, &[format!("{:.0} %", attribute.share * 100.0)]);
    }
    printer.table(&table)
}

fn print_key(key: &KeyPattern) -> anyhow::Result<()> {
    let when = key.when.as_ref().map_or_else(String::new, |when| format!(" when {when}"));
    let derived = if key.is_template && key.derived < key.items {
        format!("  ({} of {})", grouped(key.derived), grouped(key.items))
    } else {
        String::new()
    };
    output::line(shown(&format!("  {} = {}{when}{derived}", key.attribute, key.pattern)))?;
    if let Some(why) = &key.why {
        output::line(shown(&format!("    no template: {why}")))?;
    }
    for drift in &key.drift {
        let side = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
        let (found, derived) = (side(&drift.found), side(&drift.derived));
        output::line(shown(&format!("    {}: {found}, derived {derived}", drift.item)))?;
    }
    Ok(())
}
