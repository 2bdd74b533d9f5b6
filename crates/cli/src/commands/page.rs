//! Common parts of query and scan: the request of a page, following pages, and printing.

use super::table_keys::TableKeys;
use crate::advice;
use crate::arguments::{Format, Page};
use crate::client::Client;
use crate::exit::Usage;
use crate::expression::Placeholders;
use crate::literal;
use crate::output::{self, plain, printer, printer::Printer, table::Table};
use hashrange::Operation;
use hashrange::text::TextFault;
use serde_json::{Map, Value, json};

/// Adds the members that the arguments ask for to a request.
pub fn add_to(
    request: &mut Map<String, Value>,
    page: &Page,
    mut placeholders: Placeholders,
) -> anyhow::Result<()> {
    let mut set = |name: &str, value: Value| request.insert(name.to_owned(), value);
    set("ReturnConsumedCapacity", json!("TOTAL"));
    if let Some(index) = &page.index {
        set("IndexName", json!(index));
    }
    if let Some(filter) = &page.filter {
        set("FilterExpression", rewritten("--filter", placeholders.expression(filter))?);
    }
    if let Some(select) = &page.select {
        set("ProjectionExpression", rewritten("--select", placeholders.expression(select))?);
    }
    if let Some(limit) = page.limit {
        set("Limit", json!(limit));
    }
    if let Some(start) = &page.start {
        let key = literal::item(start).map_err(|fault| Usage(format!("--start: {fault}")))?;
        set("ExclusiveStartKey", Value::Object(key));
    }
    if page.consistent {
        set("ConsistentRead", json!(true));
    }
    if page.count {
        set("Select", json!("COUNT"));
    }
    placeholders.add_to(request);
    Ok(())
}

/// Returns a rewritten expression, or says which argument is wrong.
pub fn rewritten(argument: &str, expression: Result<String, TextFault>) -> anyhow::Result<Value> {
    match expression {
        Ok(text) => Ok(json!(text)),
        Err(fault) => Err(Usage(format!("{argument}: {fault}")).into()),
    }
}

/// An operation that answers pages of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paged {
    Query,
    Scan,
    /// Our own: all write shards of a partition key.
    Gather,
}

/// The sums over the pages read.
#[derive(Debug, Default)]
struct Totals {
    returned: u64,
    examined: u64,
    read_units: f64,
}

/// Reads one page or all and prints the items.
pub fn read(
    client: &mut Client,
    operation: Paged,
    mut request: Map<String, Value>,
    page: &Page,
    printer: &Printer,
) -> anyhow::Result<()> {
    let format = printer.format;
    // A count is one of all items, unless the user limits it.
    let reads_all = page.all || (page.count && page.limit.is_none());
    let mut totals = Totals::default();
    let mut table = match format {
        Format::Table if !page.count => {
            let name = request["TableName"].as_str().unwrap_or_default();
            let keys = TableKeys::of(client, name)?;
            Some(Table::new(&columns(&keys, page)))
        }
        _ => None,
    };
    let next = loop {
        let asked = Value::Object(request.clone());
        let response = match operation {
            Paged::Query => client.call(Operation::Query, &asked)?,
            Paged::Scan => client.call(Operation::Scan, &asked)?,
            Paged::Gather => client.call_own("Gather", &asked)?,
        };
        totals.add(&response);
        if !page.count || format == Format::Ddb {
            print_page(&response, printer, table.as_mut())?;
        }
        match response["LastEvaluatedKey"].as_object() {
            Some(next) if reads_all => {
                request.insert("ExclusiveStartKey".into(), json!(next));
            }
            next => break next.cloned(),
        }
    };
    if page.count && matches!(format, Format::Json | Format::Item) {
        output::line(json!({ "count": totals.returned }))?;
    }
    if format == Format::Table {
        print_table(table.as_ref(), &totals, next.as_ref(), printer)?;
    }
    if totals.returned == 0 {
        note(client, &request, printer);
    }
    Ok(())
}

/// Notes probable mistakes in a filter that found nothing.
fn note(client: &mut Client, request: &Map<String, Value>, printer: &Printer) {
    if !request.contains_key("FilterExpression") {
        return;
    }
    let keys = TableKeys::of(client, request["TableName"].as_str().unwrap_or_default());
    let known = keys.map(|keys| keys.attributes()).unwrap_or_default();
    for hint in advice::filter_hints(request, &known) {
        printer.note(&hint);
    }
}

/// Returns the columns that are known beforehand: the keys, unless attributes are selected.
fn columns(keys: &TableKeys, page: &Page) -> Vec<String> {
    match &page.select {
        None => keys.with_index(page.index.as_deref()),
        Some(_) => Vec::new(),
    }
}

fn print_page(
    response: &Value,
    printer: &Printer,
    table: Option<&mut Table>,
) -> anyhow::Result<()> {
    let items = response["Items"].as_array().into_iter().flatten().filter_map(Value::as_object);
    match (printer.format, table) {
        (Format::Ddb, _) => output::line(response),
        (Format::Json | Format::Item, _) => {
            items.map(|item| printer.item_line(item)).try_for_each(output::line)
        }
        (Format::Table, Some(table)) => {
            items.for_each(|item| table.add_item(item));
            Ok(())
        }
        (Format::Table, None) => Ok(()),
    }
}

fn print_table(
    table: Option<&Table>,
    totals: &Totals,
    next: Option<&Map<String, Value>>,
    printer: &Printer,
) -> anyhow::Result<()> {
    if let Some(table) = table.filter(|_| totals.returned > 0) {
        printer.table(table)?;
        output::line("")?;
    }
    output::line(totals.text())?;
    match next {
        None => Ok(()),
        Some(key) => {
            output::line(format_args!("more follow: --start {}", shell_quoted(&literal_of(key))))
        }
    }
}

impl Totals {
    fn add(&mut self, response: &Value) {
        self.returned += response["Count"].as_u64().unwrap_or(0);
        self.examined += response["ScannedCount"].as_u64().unwrap_or(0);
        self.read_units += printer::consumed(response);
    }

    fn text(&self) -> String {
        let Self { returned, examined, read_units } = self;
        let items = if *returned == 1 { "item" } else { "items" };
        let units = printer::counted(*read_units, "read");
        format!("{returned} {items}, {examined} examined, {units}")
    }
}

/// Returns the literal of a key.
fn literal_of(key: &Map<String, Value>) -> String {
    let members = key.iter().map(|(name, value)| {
        let name = json!(name);
        match value["B"].as_str() {
            Some(base64) => format!("{name}: b{}", json!(base64)),
            None => format!("{name}: {}", plain::value(value)),
        }
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}

/// Returns a text as a word of the shell.
pub fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_start_key_can_be_given_back() {
        let key = json!({"a": {"S": "it's\n"}, "b": {"N": "1.5"}, "c": {"B": "AQI="}});
        let key = key.as_object().unwrap();
        let literal = literal_of(key);
        assert_eq!(literal, r#"{"a": "it's\n", "b": 1.5, "c": b"AQI="}"#);
        assert_eq!(literal::item(&literal).as_ref(), Ok(key));
        assert_eq!(shell_quoted("it's"), r"'it'\''s'");
    }
}
