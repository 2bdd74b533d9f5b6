//! `hashrange cost`: the cost of requests, by the recording of a server or records in files.
//!
//! Left to others: units (the engine), rows and prices (the crate `cost`).

use crate::arguments::{Connection, Cost, CostBy, Format};
use crate::bulk::counted;
use crate::client::Client;
use crate::config::ClientSettings;
use crate::exit::{OverBudget, Usage};
use crate::output::{self, printer::Printer, table::Table};
use crate::surroundings::variable;
use anyhow::Context;
use hashrange::cost::{
    Bill, Budget, Line, PriceList, Recording, Side, Used, bill, compare, dollars, grouped,
    of_a_million, regions, units,
};
use hashrange::moment;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Settings of a report on a record.
struct Report<'a> {
    arguments: &'a Cost,
    prices: PriceList,
    printer: Printer,
}

/// Prices the recording of a server, and prints it.
pub fn run(client: &mut Client, arguments: &Cost) -> anyhow::Result<()> {
    let report = Report::new(arguments)?;
    let operation = match arguments {
        Cost { start: true, .. } => "StartRecording",
        Cost { stop: true, .. } => "StopRecording",
        _ => "DescribeRecording",
    };
    let (is_on, recording) = recorded_by(client, operation)?;
    let is_table = report.printer.format == Format::Table;
    if !(is_table && recording.rows.is_empty() && (arguments.start || !is_on)) {
        report.print(&recording)?;
    }
    match arguments {
        _ if !is_table => Ok(()),
        Cost { start: true, .. } => output::line("requests are recorded from now on"),
        Cost { stop: true, .. } => output::line("requests are recorded no more"),
        _ if recording.rows.is_empty() && !is_on => {
            output::line("nothing is recorded: hashrange cost --start begins")
        }
        _ => Ok(()),
    }
}

/// Prices the records in files, and prints them.
pub fn run_on_files(arguments: &Cost) -> anyhow::Result<()> {
    let report = Report::new(arguments)?;
    report.print(&read_recording(&arguments.files)?)
}

/// Runs an operation on the recording of a server, and returns whether recording is on, and the
/// recording.
pub fn recorded_by(client: &mut Client, operation: &str) -> anyhow::Result<(bool, Recording)> {
    if matches!(client, Client::Local(_)) {
        let why =
            "a folder records nothing: hashrange serve --record does, and --endpoint names it";
        return Err(Usage(why.to_owned()).into());
    }
    let mut answer = client.call_own(operation, &json!({}))?;
    let is_on = answer["IsOn"] == true;
    Ok((is_on, Recording::read(answer["Recording"].take().to_string().as_bytes())?))
}

/// Returns the sum of the records in files.
pub fn read_recording(files: &[PathBuf]) -> anyhow::Result<Recording> {
    let mut all: Option<Recording> = None;
    for file in files {
        let recording = read(file)?;
        match &mut all {
            Some(all) => all.add(recording),
            None => all = Some(recording),
        }
    }
    all.context("no file is named")
}

/// Returns the prices in a file, or those of the region.
pub fn prices(file: Option<&Path>, connection: &Connection) -> anyhow::Result<PriceList> {
    let Some(file) = file else {
        let region = ClientSettings::resolve(connection, variable)?.region;
        return Ok(PriceList::of_region(&region).ok_or_else(|| unknown_region(&region))?);
    };
    let text = fs::read(file).with_context(|| file.display().to_string())?;
    PriceList::read(&text).with_context(|| file.display().to_string())
}

fn read(file: &Path) -> anyhow::Result<Recording> {
    let named = || file.display().to_string();
    let text = fs::read(file).with_context(named)?;
    Recording::read(&text).with_context(named)
}

impl<'a> Report<'a> {
    fn new(arguments: &'a Cost) -> anyhow::Result<Self> {
        if matches!(arguments.budget, Some(Budget::Percent(_))) && arguments.against.is_none() {
            let why = "a budget in % bounds the increase over the record of --against";
            return Err(Usage(why.to_owned()).into());
        }
        let prices = prices(arguments.prices.as_deref(), &arguments.connection)?;
        Ok(Self { arguments, prices, printer: Printer::of(&arguments.connection)? })
    }

    /// Prints the cost of a record, and fails if it is over the budget.
    fn print(&self, recording: &Recording) -> anyhow::Result<()> {
        if let Some(file) = &self.arguments.save {
            fs::write(file, recording.to_json()).with_context(|| file.display().to_string())?;
        }
        let after = bill(recording, &self.prices);
        let before = match &self.arguments.against {
            Some(file) => Some(bill(&read(file)?, &self.prices)),
            None => None,
        };
        match (self.printer.format, &before) {
            (Format::Table, Some(before)) => self.print_differences(before, &after)?,
            (Format::Table, None) => self.print_bill(recording, &after)?,
            (Format::Json | Format::Item | Format::Ddb, _) => {
                let mut answer = json!({ "Bill": after, "BeganMs": recording.began_ms,
                    "UntilMs": recording.until_ms });
                if let Some(before) = &before {
                    answer["Differences"] = json!(compare(before, &after));
                }
                output::line(answer)?;
            }
        }
        self.check_budget(before.as_ref(), &after)
    }

    fn check_budget(&self, before: Option<&Bill>, after: &Bill) -> anyhow::Result<()> {
        let Some(budget) = self.arguments.budget else { return Ok(()) };
        let before = before.map(|bill| bill.total);
        if !budget.is_exceeded(before, after.total) {
            return Ok(());
        }
        let before = before.map(|before| format!(" and {} before", dollars(before)));
        let (total, before) = (dollars(after.total), before.unwrap_or_default());
        Err(OverBudget(format!("{total} now{before}: over the budget of {budget}")).into())
    }

    fn print_bill(&self, recording: &Recording, bill: &Bill) -> anyhow::Result<()> {
        output::line(format_args!(
            "{} from {} to {}, priced as in {}",
            counted(recording.requests(), "request"),
            moment::extended(recording.began_ms),
            moment::extended(recording.until_ms),
            bill.region,
        ))?;
        if bill.lines.is_empty() {
            return Ok(());
        }
        self.printer.table(&self.table(bill))?;
        output::line(format_args!("all of it costs {}", dollars(bill.total)))?;
        for place in &bill.places {
            let name = place_name(&place.place.table, place.place.index.as_deref());
            output::line(format_args!(
                "provisioned for its busiest minute, {name} takes {} read and {} write units: {} an \
                 hour; on demand such an hour costs {}",
                grouped(place.read_units),
                grouped(place.write_units),
                dollars(place.provisioned_hour),
                dollars(place.on_demand_hour),
            ))?;
        }
        output::line(format_args!("storing it costs {} a month", dollars(bill.storage_month)))?;
        if recording.others > 0 {
            let others = grouped(recording.others);
            self.printer.note(&format!("{others} requests of kinds beyond 10,000 are summed"));
        }
        Ok(())
    }

    /// Returns the lines of a bill, summed by the grouping that the arguments choose.
    fn table(&self, bill: &Bill) -> Table {
        let mut sums: BTreeMap<Vec<String>, (Used, f64)> = BTreeMap::new();
        for line in &bill.lines {
            let (used, cost) = sums.entry(self.texts(line)).or_default();
            used.add(&line.used);
            *cost += line.cost;
        }
        let mut sums: Vec<_> = sums.into_iter().collect();
        sums.sort_by(|(_, (_, one)), (_, (_, other))| other.total_cmp(one));
        let texts: &[&str] = match self.arguments.by {
            CostBy::Pattern => &["operation", "of", "pattern"],
            CostBy::Operation => &["operation"],
            CostBy::Table => &["of"],
            CostBy::Caller => &["caller"],
        };
        let figures = ["requests", "read", "write", "examined", "returned", "cost", "a million"];
        let columns: Vec<String> =
            texts.iter().chain(&figures).map(|name| (*name).to_owned()).collect();
        let mut table = Table::new(&columns);
        for (texts, (used, cost)) in sums {
            let requests = used.requests;
            let a_million = of_a_million(cost, requests);
            let of_requests = |text: String| if requests > 0 { text } else { String::new() };
            let figures = [
                of_requests(grouped(requests)),
                units(used.read_units),
                units(used.write_units),
                of_requests(grouped(used.examined)),
                of_requests(grouped(used.returned)),
                dollars(cost),
                a_million.map(dollars).unwrap_or_default(),
            ];
            table.add_figures(&texts, &figures);
        }
        table
    }

    fn texts(&self, line: &Line) -> Vec<String> {
        let key = &line.key;
        let place = || place_name(&key.table, key.index.as_deref());
        match self.arguments.by {
            CostBy::Pattern => vec![key.operation.clone(), place(), key.pattern.to_string()],
            CostBy::Operation => vec![key.operation.clone()],
            CostBy::Table => vec![place()],
            CostBy::Caller => vec![key.caller.clone()],
        }
    }

    fn print_differences(&self, before: &Bill, after: &Bill) -> anyhow::Result<()> {
        output::line(format_args!(
            "{} before, {} now, priced as in {}",
            dollars(before.total),
            dollars(after.total),
            after.region,
        ))?;
        let differences = compare(before, after);
        if differences.is_empty() {
            return output::line("every kind of request costs what it cost");
        }
        let columns =
            ["operation", "of", "pattern", "requests", "units", "before", "now", "growth"];
        let mut table = Table::new(&columns.map(str::to_owned));
        for one in &differences {
            let key = &one.key;
            let place = place_name(&key.table, key.index.as_deref());
            let cost = |side: Option<Side>| side.map(|side| dollars(side.cost)).unwrap_or_default();
            let both = |figure: fn(Side) -> String| {
                let side = |side: Option<Side>| side.map_or_else(|| "-".to_owned(), figure);
                format!("{} > {}", side(one.before), side(one.after))
            };
            let figures = [
                both(|side| grouped(side.requests)),
                both(|side| units(side.units)),
                cost(one.before),
                cost(one.after),
                dollars(one.growth()),
            ];
            table.add_figures(&[key.operation.clone(), place, key.pattern.to_string()], &figures);
        }
        self.printer.table(&table)
    }
}

/// Returns the name of a table or of an index of it.
pub fn place_name(table: &str, index: Option<&str>) -> String {
    index.map_or_else(|| table.to_owned(), |index| format!("{table}/{index}"))
}

fn unknown_region(region: &str) -> Usage {
    Usage(format!(
        "the prices of {region} do not come with the program, only those of {}: --prices FILE has \
         others",
        regions().join(", ")
    ))
}
