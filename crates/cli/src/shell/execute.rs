//! Runs a statement and prints its items: of one page, of all, or page after page as the user asks.

use super::session::Session;
use super::statement::{Outline, Verb};
use crate::advice::{self, names};
use crate::arguments::{Format, Sql};
use crate::output::{self, printer, printer::Printer, table::Table};
use anyhow::Context;
use hashrange::Operation;
use serde_json::{Map, Value, json};

/// Sums over the pages of a statement.
#[derive(Debug, Default)]
struct Totals {
    items: u64,
    units: f64,
}

/// Runs a statement.
pub fn run(session: &Session<'_, '_>, text: &str, outline: &Outline<'_>) -> anyhow::Result<()> {
    let mut request = request(session, text);
    let format = session.printer.get().format;
    if outline.verb == Verb::Explain && format == Format::Table {
        return explained(session, &Value::Object(request));
    }
    let mut totals = Totals::default();
    let mut table = Table::new(&[]);
    let has_more = loop {
        let response =
            session.call(Operation::ExecuteStatement, &Value::Object(request.clone()))?;
        totals.units += printer::consumed(&response);
        let items = response["Items"].as_array().into_iter().flatten().filter_map(Value::as_object);
        let items: Vec<&Map<String, Value>> = items.collect();
        totals.items += items.len() as u64;
        if let Some(name) = &outline.table {
            session.catalogue.borrow_mut().saw(name, &items);
        }
        let token = response["NextToken"].as_str();
        let goes_on = if let Some(pager) = &session.pager {
            let lines = page(&items, &response, session);
            let asks = token.is_some() && !session.arguments.all;
            pager.show(&lines, asks.then(|| figures(outline.verb, &totals)).as_deref())?
        } else {
            match format {
                Format::Table => items.iter().for_each(|item| table.add_item(item)),
                _ => page(&items, &response, session).iter().try_for_each(output::line)?,
            }
            session.arguments.all
        };
        match token {
            Some(token) if goes_on => {
                request.insert("NextToken".into(), json!(token));
            }
            token => break token.is_some(),
        }
    };
    if format == Format::Table {
        if session.pager.is_none() && totals.items > 0 {
            session.printer.get().table(&table)?;
            output::line("")?;
        }
        output::line(figures(outline.verb, &totals))?;
        if has_more {
            let way = if session.pager.is_some() { "" } else { ": --all reads them" };
            output::line(format_args!("more follow{way}"))?;
        }
    }
    note(session, text, outline, &totals);
    Ok(())
}

/// Prints the lines of an explanation as they are.
fn explained(session: &Session<'_, '_>, request: &Value) -> anyhow::Result<()> {
    let response = session.call(Operation::ExecuteStatement, request)?;
    let text = response["Items"][0]["Text"]["S"].as_str().context("the answer lacks its text")?;
    match &session.pager {
        Some(pager) => {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            pager.show(&lines, None).map(drop)
        }
        None => output::line(text),
    }
}

fn request(session: &Session<'_, '_>, text: &str) -> Map<String, Value> {
    let mut request = statement_request(text, &session.parameters, session.arguments);
    request.insert("ReturnConsumedCapacity".into(), json!("TOTAL"));
    request
}

/// Returns the request of a statement with the values of its question marks.
pub fn statement_request(text: &str, parameters: &[Value], arguments: &Sql) -> Map<String, Value> {
    let mut request = Map::new();
    request.insert("Statement".into(), json!(text));
    if !parameters.is_empty() {
        request.insert("Parameters".into(), Value::Array(parameters.to_vec()));
    }
    if let Some(limit) = arguments.limit {
        request.insert("Limit".into(), json!(limit));
    }
    if arguments.consistent {
        request.insert("ConsistentRead".into(), json!(true));
    }
    request
}

/// Returns the lines of one page.
fn page(items: &[&Map<String, Value>], response: &Value, session: &Session<'_, '_>) -> Vec<String> {
    match session.printer.get().format {
        Format::Ddb => vec![response.to_string()],
        Format::Json | Format::Item => {
            items.iter().map(|item| session.printer.get().item_line(item)).collect()
        }
        Format::Table if items.is_empty() => Vec::new(),
        Format::Table => {
            let mut table = Table::new(&[]);
            for item in items {
                table.add_item(item);
            }
            let mut lines = table.lines_on(&session.printer.get().screen);
            lines.push(String::new());
            lines
        }
    }
}

/// Returns a statement's result and cost in words.
fn figures(verb: Verb, totals: &Totals) -> String {
    let Totals { items, units } = totals;
    let noun = if *items == 1 { "item" } else { "items" };
    let (done, kind) = match (verb, items) {
        (Verb::Insert, _) => ("1 item inserted".to_owned(), "write"),
        (Verb::Update, _) => ("1 item updated".to_owned(), "write"),
        // The service tells only a client that asks for it if there was an item.
        (Verb::Delete, 0) => ("done".to_owned(), "write"),
        (Verb::Delete, _) => ("1 item deleted".to_owned(), "write"),
        (Verb::Select, _) => (format!("{items} {noun}"), "read"),
        (Verb::Define | Verb::Explain | Verb::Other, _) => (format!("{items} {noun}"), "capacity"),
    };
    format!("{done}, {}", printer::counted(*units, kind))
}

/// Notes below a result that it cost more than necessary, or that a name may not mean what it seems
/// to.
fn note(session: &Session<'_, '_>, text: &str, outline: &Outline<'_>, totals: &Totals) {
    let printer = session.printer.get();
    let Some(table) = outline.table.as_ref().filter(|_| session.has_hints.get()) else { return };
    if !Printer::is_read_by_somebody() {
        return;
    }
    let (keys, known) = session.with_catalogue(|catalogue, client| {
        (catalogue.keys(client, table).cloned(), catalogue.attributes(client, table))
    });
    let suspects = advice::suspects(&outline.rest, true, &known);
    let (mut scan, mut strange) = (None, Vec::new());
    if outline.verb == Verb::Select {
        let explained = session.explanation(&request(session, text));
        scan = explained.and_then(|explained| advice::scan_note(&explained, keys.as_ref()));
        if totals.items == 0 {
            strange = names::unknown(&names::compared(outline.condition()), &known);
        }
    }
    scan.into_iter().chain(suspects).chain(strange).for_each(|text| printer.note(&text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_say_what_was_done() {
        let cases = [
            (Verb::Select, 1, "1 item, 0.5 read units"),
            (Verb::Select, 0, "0 items, 0.5 read units"),
            (Verb::Insert, 0, "1 item inserted, 0.5 write units"),
            (Verb::Update, 1, "1 item updated, 0.5 write units"),
            (Verb::Delete, 0, "done, 0.5 write units"),
            (Verb::Delete, 1, "1 item deleted, 0.5 write units"),
        ];
        for (verb, items, expected) in cases {
            assert_eq!(figures(verb, &Totals { items, units: 0.5 }), expected);
        }
    }
}
