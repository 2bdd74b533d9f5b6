//! `hashrange advise`: indexes that are worth adding and indexes that can go, by the recording of a
//! server, or by records in files.
//!
//! With `--build` the advice is tried (`build.rs`). Left to others: advice and reasons (the crate `advisor`), recordings and prices (`cost.rs`).

mod build;
mod examples;

use super::cost::{place_name, prices, read_recording, recorded_by};
use crate::arguments::{Advise, Format};
use crate::bulk::counted;
use crate::client::Client;
use crate::exit::Usage;
use crate::output::{self, printer::Printer, table::shown};
use hashrange::advisor::{
    Answered, NewIndex, Report, Spare, SpareIndex, UnusedKey, advise, shell_word,
};
use hashrange::cost::{Recording, Tested, grouped};
use serde_json::json;

/// Advises on the recording of a server, or on the records in files, which `--build` tries on the database.
pub fn run(client: &mut Client, arguments: &Advise) -> anyhow::Result<()> {
    client.leave_unrecorded();
    if !arguments.files.is_empty() {
        return print(Some(client), read_recording(&arguments.files)?, arguments);
    }
    let (is_on, recording) = recorded_by(client, "DescribeRecording")?;
    if recording.rows.is_empty() && !is_on {
        return output::line("nothing is recorded: hashrange cost --start begins");
    }
    print(Some(client), recording, arguments)
}

/// Advises on the records in files.
pub fn run_on_files(arguments: &Advise) -> anyhow::Result<()> {
    print(None, read_recording(&arguments.files)?, arguments)
}

fn print(
    client: Option<&mut Client>,
    mut recording: Recording,
    arguments: &Advise,
) -> anyhow::Result<()> {
    let printer = Printer::of(&arguments.connection)?;
    let prices = prices(arguments.prices.as_deref(), &arguments.connection)?;
    if let Some(table) = &arguments.table {
        recording.tables.retain(|facts| facts.table == *table);
        recording.rows.retain(|row| row.key.table == *table);
    }
    let report = advise(&recording, &prices);
    if printer.format != Format::Table {
        if arguments.build {
            let why = "--build prints what it measures as lines, without -o".to_owned();
            return Err(Usage(why).into());
        }
        return output::line(json!(report));
    }
    lines(&report).iter().try_for_each(|line| output::line(shown(line)))?;
    let Some(client) = client.filter(|_| arguments.build) else { return Ok(()) };
    for facts in &recording.tables {
        let Some(definition) = &facts.definition else { continue };
        let built = build::lines(client, &report, (&facts.table, definition), arguments.items)?;
        built.iter().try_for_each(|line| output::line(shown(line)))?;
    }
    Ok(())
}

fn lines(report: &Report) -> Vec<String> {
    let mut lines = vec![format!(
        "{} in {}, priced as in {}; a month is 30 days like that time",
        counted(report.requests, "request"),
        report.recorded(),
        report.region
    )];
    report.add.iter().for_each(|index| new_index(&mut lines, index));
    report.unused_keys.iter().for_each(|unused| unused_key(&mut lines, unused));
    report.spare.iter().for_each(|index| spare_index(&mut lines, index));
    if let Some(text) = report.too_little_text() {
        lines.push(String::new());
        lines.push(text);
    }
    for table in &report.unknown_tables {
        lines.push(String::new());
        lines.push(format!("{table}: its keys are not in the record, so it gets no advice"));
    }
    lines.push(String::new());
    let count = |number: usize| grouped(u64::try_from(number).unwrap_or(u64::MAX));
    lines.push(if report.is_empty() {
        if report.too_little.is_empty() {
            "no index would pay, and none is spare".to_owned()
        } else {
            "no index would pay".to_owned()
        }
    } else {
        format!(
            "to add: {}, filters that a key answers: {}, to drop or make smaller: {}",
            count(report.add.len()),
            count(report.unused_keys.len()),
            count(report.spare.len())
        )
    });
    lines
}

fn new_index(lines: &mut Vec<String>, index: &NewIndex) {
    lines.push(String::new());
    lines.push(format!("{}: an index {}", index.table, index.definition));
    lines.extend(index.balance().map(|balance| format!("  {balance}")));
    for answered in &index.answers {
        lines.push(format!("  {}", answered.evidence()));
        lines.push(format!("    instead: {}", answered.remedy()));
    }
    lines.push(format!("  filling it writes {} units, once", grouped(whole(index.build_units))));
    assumptions(lines, &index.assumptions);
    if let Some(answered) = index.answers.first() {
        lines.push(format!(
            "  try it:  hashrange explain {} --what-if {}",
            tried(answered),
            shell_word(&index.definition)
        ));
    }
    lines.push(format!("  make it: {}", index.command()));
}

/// Returns the command line that reads the index, with `...` in the place of values.
fn tried(answered: &Answered) -> String {
    let instead = &answered.instead;
    let pattern = &instead.pattern;
    let joined = |tested: &[Tested]| {
        let texts: Vec<&str> = tested.iter().map(|it| it.text.as_str()).collect();
        shell_word(&with_dots(&texts.join(" AND ")))
    };
    let table = &instead.table;
    let filter = match &pattern.filter[..] {
        [] => String::new(),
        filter => format!(" --filter {}", joined(filter)),
    };
    match (instead.operation.as_str(), &pattern.keys[..]) {
        ("ExecuteStatement", _) => format!("query {table} {}", joined(&pattern.filter)),
        (_, []) => format!("scan {table}{filter}"),
        (_, keys) => format!("query {table} {}{filter}", joined(keys)),
    }
}

/// Returns tests with `...` in the place of values; a name in backquotes may have a question mark.
fn with_dots(tests: &str) -> String {
    let texts = tests.split('`').enumerate();
    let dotted =
        texts.map(
            |(nth, text)| {
                if nth.is_multiple_of(2) { text.replace('?', "...") } else { text.to_owned() }
            },
        );
    dotted.collect::<Vec<_>>().join("`")
}

fn unused_key(lines: &mut Vec<String>, unused: &UnusedKey) {
    let instead = &unused.answered.instead;
    let place = place_name(&instead.table, instead.index.as_deref());
    lines.push(String::new());
    lines.push(format!("{place}: its key answers a filter"));
    lines.extend(unused.balance().map(|balance| format!("  {balance}")));
    lines.push(format!("  {}", unused.answered.evidence()));
    lines.push(format!("    instead: {}", unused.answered.remedy()));
    assumptions(lines, &unused.assumptions);
}

fn spare_index(lines: &mut Vec<String>, index: &SpareIndex) {
    let what = match &index.why {
        Spare::Unread => "nobody reads it",
        Spare::ContainedIn(_) => "another index contains it",
        Spare::HoldsTooMuch(_) => "it holds more than is read",
    };
    lines.push(String::new());
    lines.push(format!("{}: {what}", place_name(&index.table, Some(&index.index))));
    lines.push(format!("  {}", index.balance()));
    lines.push(format!("  {}", index.evidence()));
    assumptions(lines, &index.assumptions);
    if index.why == Spare::Unread {
        lines.push("  assumed: requests that were not recorded do not read it, either".to_owned());
    }
    lines.push(format!("  {}", index.remedy()));
}

fn assumptions(lines: &mut Vec<String>, assumptions: &[String]) {
    lines.extend(assumptions.iter().map(|it| format!("  assumed: {it}")));
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number of units is not negative, and what is larger than u64 becomes its largest"
)]
fn whole(number: f64) -> u64 {
    number as u64
}
