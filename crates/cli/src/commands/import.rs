//! `hashrange import`, and the lines of `hashrange put`.

use super::table_keys::TableKeys;
use crate::arguments::{Bulk, Format, Import, Put};
use crate::bulk::import::{Summary, Target};
use crate::bulk::{self, counted};
use crate::client::{self, Client};
use crate::exit::Usage;
use crate::format::Form;
use crate::format::csv::{self, Delimiter, Types};
use crate::output::{self, printer, printer::Printer};
use crate::reading::reader::Plan;
use crate::reading::source::Source;
use serde_json::json;
use std::path::PathBuf;

/// Puts the items of the files.
pub fn run(client: &mut Client, arguments: &Import) -> anyhow::Result<()> {
    let schema = arguments.schema.as_deref().map(csv::types).transpose().map_err(Usage)?;
    let sources: Vec<Source> = match arguments.files.as_slice() {
        [] => vec![Source::Standard],
        files => files.iter().map(|file| source(file)).collect(),
    };
    if sources.iter().filter(|source| **source == Source::Standard).count() > 1 {
        return Err(Usage("standard input can be read once only".to_owned()).into());
    }
    let named = |source: &Source| source.path().and_then(Form::of_name);
    let is_csv = |source| arguments.format.or_else(|| named(source)) == Some(Form::Csv);
    let of_csv = [
        ("--schema", schema.is_some()),
        ("--header", arguments.header.is_some()),
        ("--delimiter", arguments.delimiter.is_some()),
    ];
    let given = of_csv.iter().find(|(_, is_given)| *is_given);
    if let Some((flag, _)) = given.filter(|_| !sources.iter().any(is_csv)) {
        return Err(Usage(format!("{flag} is for CSV: --format csv")).into());
    }
    let settings = ImportSettings {
        table: &arguments.table,
        sources,
        form: arguments.format,
        schema: schema.unwrap_or_default(),
        header: arguments.header.as_deref(),
        delimiter: arguments.delimiter.unwrap_or_default(),
        bulk: &arguments.bulk,
    };
    let summary = put_all(client, settings)?;
    print(&summary, &arguments.table, Printer::of(&arguments.connection)?.format)
}

/// Puts the items of standard input.
pub fn of_standard_input(client: &mut Client, arguments: &Put) -> anyhow::Result<()> {
    let settings = ImportSettings {
        table: &arguments.table,
        sources: vec![Source::Standard],
        form: None,
        schema: Types::new(),
        header: None,
        delimiter: Delimiter::default(),
        bulk: &arguments.bulk,
    };
    let summary = put_all(client, settings)?;
    print(&summary, &arguments.table, Printer::of(&arguments.connection)?.format)
}

/// Puts the items of files into a table, with their forms found in them.
pub fn whole_files(
    client: &mut Client,
    table: &str,
    files: Vec<PathBuf>,
) -> anyhow::Result<Summary> {
    let bulk = Bulk { from_line: 1, skip_bad: false, in_flight: 8 };
    let settings = ImportSettings {
        table,
        sources: files.into_iter().map(Source::File).collect(),
        form: None,
        schema: Types::new(),
        header: None,
        delimiter: Delimiter::default(),
        bulk: &bulk,
    };
    put_all(client, settings)
}

fn source(file: &std::path::Path) -> Source {
    if file.as_os_str() == "-" { Source::Standard } else { Source::File(file.to_owned()) }
}

/// Items to put, and settings of the batches.
struct ImportSettings<'a> {
    table: &'a str,
    sources: Vec<Source>,
    form: Option<Form>,
    schema: Types,
    header: Option<&'a str>,
    delimiter: Delimiter,
    bulk: &'a Bulk,
}

fn put_all(client: &mut Client, settings: ImportSettings<'_>) -> anyhow::Result<Summary> {
    let keys = TableKeys::of_bulk(client, settings.table)?;
    let mut plan = Plan::of(&keys, settings.sources);
    plan.form = settings.form;
    plan.types.extend(settings.schema);
    plan.delimiter = settings.delimiter;
    let columns = |header| csv::columns(Delimiter::default(), header, &plan.types);
    let columns = settings.header.map(columns).transpose();
    plan.columns = columns.map_err(|fault| Usage(format!("--header: {fault}")))?;
    plan.from_line = settings.bulk.from_line;
    let target = Target {
        caller: client.caller(),
        table: settings.table.to_owned(),
        key_names: plan.key_names.clone(),
        skips_bad: settings.bulk.skip_bad,
    };
    client::run(bulk::import::run(plan, target, settings.bulk.in_flight.into()))
}

/// Prints the number of items that are in, and their cost.
pub fn print(summary: &Summary, table: &str, format: Format) -> anyhow::Result<()> {
    let Summary { put, repeated, skipped, units } = summary;
    let (put, skipped) = (*put, *skipped);
    let count = repeated.as_ref().map(|(count, _)| *count);
    let items = put - count.unwrap_or(0);
    if format != Format::Table {
        let summary = json!({
            "items": items, "repeated": count, "skipped": skipped, "write_units": units,
        });
        return output::line(summary);
    }
    let (lines, repeated) = match repeated {
        Some((count, first)) if *count > 0 => {
            let again = counted(*count, "line");
            let have = if *count == 1 { "has" } else { "have" };
            let again = format!(", {again} {have} the key of an earlier one (first: {first})");
            (format!("{}, ", counted(put, "line")), again)
        }
        _ => Default::default(),
    };
    let skipped = match skipped {
        0 => String::new(),
        items => format!(", {} skipped", counted(items, "item")),
    };
    output::line(format_args!(
        "{lines}{} into {table}{repeated}{skipped}, {}",
        counted(items, "item"),
        printer::counted(*units, "write")
    ))
}
