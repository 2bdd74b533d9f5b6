//! `hashrange heat`: the hottest keys of a server, and its map of ranges by minutes; adds up the
//! heat of several servers.
//!
//! Left to others: the figures (the crate `heat`), the drawing of the map (`heat/drawn.rs`).

mod drawn;

use crate::arguments::{Format, Heat, HeatBy};
use crate::bulk::counted;
use crate::client::Client;
use crate::exit::Usage;
use crate::output::{self, printer::Printer, table::Table};
use anyhow::Context;
use hashrange::cost::{grouped, units};
use hashrange::heat::{Advice, HotKey, Measure, PlaceHeat, Sums, Top, advice};
use hashrange::moment;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const MINUTE_MS: u64 = 60_000;

/// Shows the heat of a server, with that in files.
pub fn run(client: &mut Client, arguments: &Heat) -> anyhow::Result<()> {
    if matches!(client, Client::Local(_)) {
        let why = "a folder has no heat: hashrange serve --heat has, and --endpoint names it";
        return Err(Usage(why.to_owned()).into());
    }
    let mut places = asked_of(client, arguments)?;
    for file in &arguments.with {
        let mut more = read(file)?;
        more.retain(|place| arguments.place.as_ref().is_none_or(|asked| is_in(place, asked)));
        add(&mut places, more);
    }
    print(arguments, &places)
}

/// Returns the heat of a server.
fn asked_of(client: &mut Client, arguments: &Heat) -> anyhow::Result<Vec<PlaceHeat>> {
    let mut request = json!({});
    if let Some(place) = &arguments.place {
        let (table, index) = place.split_once('/').map_or((&**place, None), |(a, b)| (a, Some(b)));
        request["TableName"] = json!(table);
        if let Some(index) = index {
            request["IndexName"] = json!(index);
        }
    }
    if let Some(minutes) = arguments.minutes {
        request["Minutes"] = json!(minutes);
    }
    pages(client, request)
}

/// Asks a server, page by page.
pub fn pages(client: &mut Client, mut request: Value) -> anyhow::Result<Vec<PlaceHeat>> {
    let mut places = Vec::new();
    loop {
        let mut answer = client.call_own("DescribeHeat", &request)?;
        add(&mut places, places_of(answer["Places"].take())?);
        let next = answer["LastEvaluated"].take();
        if next.is_null() {
            return Ok(places);
        }
        request["ExclusiveStart"] = next;
    }
}

/// Reads a file that --save has written.
pub fn read(file: &Path) -> anyhow::Result<Vec<PlaceHeat>> {
    let named = || file.display().to_string();
    let mut text: Value =
        serde_json::from_slice(&fs::read(file).with_context(named)?).with_context(named)?;
    places_of(text["Places"].take()).with_context(named)
}

fn places_of(places: Value) -> anyhow::Result<Vec<PlaceHeat>> {
    let places: Vec<PlaceHeat> =
        serde_json::from_value(places).context("these are no figures of heat")?;
    places.iter().try_for_each(PlaceHeat::check)?;
    Ok(places)
}

/// Returns whether a place is the one that was asked for, or an index of it.
fn is_in(place: &PlaceHeat, asked: &str) -> bool {
    asked == place.table || asked == name_of(place)
}

fn name_of(place: &PlaceHeat) -> String {
    let index = place.index.as_ref().map_or_else(String::new, |index| format!("/{index}"));
    format!("{}{index}", place.table)
}

/// Adds places to those of the same name.
pub fn add(places: &mut Vec<PlaceHeat>, more: Vec<PlaceHeat>) {
    for place in more {
        let is_same =
            |known: &&mut PlaceHeat| (&known.table, &known.index) == (&place.table, &place.index);
        match places.iter_mut().find(is_same) {
            Some(known) => known.add(place),
            None => places.push(place),
        }
    }
}

fn print(arguments: &Heat, places: &[PlaceHeat]) -> anyhow::Result<()> {
    let json = json!({ "Places": places });
    if let Some(file) = &arguments.save {
        fs::write(file, json.to_string()).with_context(|| file.display().to_string())?;
    }
    let printer = Printer::of(&arguments.connection)?;
    if printer.format != Format::Table {
        return output::line(json);
    }
    if places.is_empty() {
        return output::line(
            "nothing is known: hashrange serve --heat watches all tables, UpdateContributorInsights one",
        );
    }
    let mut is_first = true;
    for place in places {
        if !is_first {
            output::line("")?;
        }
        is_first = false;
        PlaceReport { arguments, place, printer: &printer }.print()?;
    }
    Ok(())
}

/// A table or index, and the settings of its display.
struct PlaceReport<'a> {
    arguments: &'a Heat,
    place: &'a PlaceHeat,
    printer: &'a Printer,
}

impl PlaceReport<'_> {
    fn print(&self) -> anyhow::Result<()> {
        let summary = self.place.summary();
        let whole = &summary.whole;
        output::line(format_args!(
            "{}: {} in {}, {} read and {} write units, {} throttled",
            name_of(self.place),
            counted(whole.requests, "request"),
            counted(self.minutes(), "minute"),
            units(whole.read_units),
            units(whole.write_units),
            grouped(whole.throttles),
        ))?;
        self.print_keys("partition key", &summary.keys.accessed, whole, true)?;
        self.print_keys("item", &summary.items.accessed, whole, false)?;
        self.print_throttled("throttled partition key", &summary.keys.throttled)?;
        self.print_throttled("throttled item", &summary.items.throttled)?;
        drawn::lines(self.place, measure(self.arguments.by)).iter().try_for_each(output::line)?;
        advice(self.place).iter().map(advised).try_for_each(output::line)
    }

    /// Returns the number of minutes from the first to the last.
    fn minutes(&self) -> u64 {
        let at = |minute: Option<&hashrange::heat::MinuteHeat>| minute.map_or(0, |it| it.minute_ms);
        let (first, last) = (self.place.minutes.first(), self.place.minutes.last());
        (at(last) - at(first)) / MINUTE_MS + 1
    }

    fn print_keys(
        &self,
        what: &str,
        top: &Top,
        whole: &Sums,
        has_peaks: bool,
    ) -> anyhow::Result<()> {
        let measure = measure(self.arguments.by);
        let mut keys: Vec<&HotKey> =
            top.keys.iter().filter(|key| key.sums.by(measure) > 0.0).collect();
        keys.sort_by(|one, other| other.sums.by(measure).total_cmp(&one.sums.by(measure)));
        if keys.is_empty() {
            return Ok(());
        }
        let columns = Columns {
            has_parts: has_parts(keys.iter().copied()),
            has_peaks,
            is_exact: keys.iter().all(|key| key.over <= 0.0),
        };
        let mut table = Table::new(&columns.names(what));
        for key in keys.iter().take(self.arguments.limit) {
            let share = 100.0 * key.sums.by(measure) / whole.by(measure);
            let peak = self.place.peak_of_key(&key.key, Measure::Units) / 60.0;
            table.add_figures(&texts(key, columns.has_parts), &columns.figures(key, share, peak));
        }
        self.printer.table(&table)
    }

    fn print_throttled(&self, what: &str, top: &Top) -> anyhow::Result<()> {
        if top.keys.is_empty() {
            return Ok(());
        }
        let has_parts = has_parts(&top.keys);
        let names = [vec![what], optional(has_parts, "parts"), vec!["times"]].concat();
        let mut table = Table::new(&names.into_iter().map(str::to_owned).collect::<Vec<_>>());
        for key in top.keys.iter().take(self.arguments.limit) {
            table.add_figures(&texts(key, has_parts), &[grouped(key.sums.throttles)]);
        }
        self.printer.table(&table)
    }
}

/// The columns of a table of keys.
struct Columns {
    /// True if a key has parts, from which a key template derives it.
    has_parts: bool,
    has_peaks: bool,
    /// True if the figures are exact, false if they are lower bounds.
    is_exact: bool,
}

impl Columns {
    fn names(&self, what: &str) -> Vec<String> {
        let peaks = optional(self.has_peaks, "peak a second");
        let more = optional(!self.is_exact, "or more");
        let parts = optional(self.has_parts, "parts");
        let figures = vec!["share", "requests", "read", "write"];
        let names = [vec![what], parts, figures, peaks, vec!["bytes"], more];
        names.concat().into_iter().map(str::to_owned).collect()
    }

    fn figures(&self, key: &HotKey, share: f64, peak: f64) -> Vec<String> {
        let HotKey { sums, over, .. } = key;
        let mut figures = vec![
            format!("{share:.1} %"),
            grouped(sums.requests),
            units(sums.read_units),
            units(sums.write_units),
        ];
        figures.extend(self.has_peaks.then(|| format!("{peak:.1}")));
        figures.push(grouped(sums.bytes));
        figures.extend((!self.is_exact).then(|| format!("+{}", units(*over))));
        figures
    }
}

/// Returns whether a key has parts.
fn has_parts<'k>(keys: impl IntoIterator<Item = &'k HotKey>) -> bool {
    keys.into_iter().any(|key| key.parts.is_some())
}

/// Returns the text of a key, and its parts if they have a column.
fn texts(key: &HotKey, has_parts: bool) -> Vec<String> {
    let parts = has_parts.then(|| key.parts.clone().unwrap_or_default());
    std::iter::once(key.key.clone()).chain(parts).collect()
}

/// Returns the name of a column, or nothing if the column is left out.
fn optional(is_there: bool, name: &str) -> Vec<&str> {
    if is_there { vec![name] } else { Vec::new() }
}

fn advised(advice: &Advice) -> String {
    format!("{}: {}", advice.evidence(), advice.remedy())
}

fn measure(by: HeatBy) -> Measure {
    match by {
        HeatBy::Units => Measure::Units,
        HeatBy::Reads => Measure::ReadUnits,
        HeatBy::Writes => Measure::WriteUnits,
        HeatBy::Requests => Measure::Requests,
        HeatBy::Bytes => Measure::Bytes,
        HeatBy::Throttles => Measure::Throttles,
    }
}

/// Returns the time of day of a minute.
fn time_of_day(minute_ms: u64) -> String {
    moment::extended(minute_ms).get(11..16).unwrap_or_default().to_owned()
}
