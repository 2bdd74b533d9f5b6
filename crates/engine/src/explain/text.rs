//! An explanation as lines for people: the read, a drawing of its range in the item collection, its cost, and advice.
//! ASCII but for users' text, and the last character of all at the end of a range.
//!
//! Batches and transactions: `text/parts.rs`.

mod parts;

use super::explanation::{
    Access, Advice, Amount, Bounds, Collection, Counted, EntryChange, Estimate, Explanation,
    ReadStep, Step, Supposed, UnitsOn, WriteAction, WriteStep,
};
use std::fmt::Display;

/// Longest line; a longer one ends in `...`. The JSON has all of it.
const LINE_MAX_CHARS: usize = 240;
/// Most ranges with lines of their own.
const RANGES_MAX: usize = 10;
/// Bytes in a kilobyte of the shown sizes.
const KB: f64 = 1024.0;

/// Lines of an explanation.
#[derive(Debug, Default)]
struct Lines(Vec<String>);

impl Lines {
    fn push(&mut self, line: impl Into<String>) {
        let line: String = line.into();
        if line.chars().count() <= LINE_MAX_CHARS {
            return self.0.push(line);
        }
        self.0.push(line.chars().take(LINE_MAX_CHARS).chain("...".chars()).collect());
    }

    fn member(&mut self, name: &str, value: impl Display) {
        self.push(format!("  {name:<10} {value}"));
    }
}

impl Explanation {
    /// Returns the explanation as lines for people.
    pub fn text(&self) -> String {
        let mut lines = Lines::default();
        match &self.together {
            Some(together) => parts::of_parts(&mut lines, self, together),
            None => self.steps.iter().for_each(|step| of_step(&mut lines, self.operation, step)),
        }
        if let Some(price) = &self.price {
            lines.member("price", price.text());
        }
        if let Some(time) = self.time {
            lines.member(
                "time",
                format!("{} ms planning, {} ms running", time.plan_ms, time.run_ms),
            );
        }
        for advice in &self.advice {
            of_advice(&mut lines, advice);
        }
        lines.0.join("\n")
    }
}

fn of_step(lines: &mut Lines, operation: &str, step: &Step) {
    match step {
        Step::Read(read) => of_read(lines, operation, read),
        Step::Write(write) => of_write(lines, operation, write),
        Step::Failed(failed) => {
            lines.push(format!("{operation}{}", parts::of_table(failed.table.as_deref())));
            lines.member("refused", &failed.refused);
        }
    }
}

fn of_read(lines: &mut Lines, operation: &str, read: &ReadStep) {
    let of_index = read.index.as_ref().map(|index| format!(", index {index}"));
    let supposed = read.what_if.as_ref().map_or("", |_| ", which is not there");
    let past = read.past.as_ref().map_or_else(String::new, |past| format!(".{past}"));
    let of = format!("{}{past}{}", read.table, of_index.unwrap_or_default());
    lines.push(format!("{operation} of {of}{supposed}"));
    lines.member("access", access(read.access));
    if read.access != Access::WholeTable && read.access != Access::WholeIndex {
        ranges(lines, read);
    }
    if let Some(start) = &read.start_after {
        lines.member("after", start);
    }
    if let Some(filter) = &read.filter {
        lines.member("filter", filter);
    }
    lines.member("returns", &read.returns);
    if let Some(limit) = read.limit {
        lines.member("limit", format!("{limit} examined for a page"));
    }
    if read.fetches_from_table {
        lines.member("fetches", "each item from the table: the index lacks attributes");
    }
    lines.member("reads", reads(read));
    if let Some(collection) = &read.collection {
        drawing(lines, read, collection);
    }
    estimate(lines, read);
    if let Some(supposed) = &read.what_if {
        of_supposed(lines, supposed);
    }
    if let Some(counted) = &read.counted {
        of_counted(lines, counted);
    }
}

fn access(access: Access) -> &'static str {
    match access {
        Access::OneItem => "one item by its key",
        Access::KeyRange => "a range of sort keys in one partition",
        Access::Partition => "all of one partition",
        Access::SeveralRanges => "several ranges, one after the other",
        Access::WholeTable => "the whole table",
        Access::WholeIndex => "the whole index",
        Access::Segment => "a segment of the table or index",
    }
}

fn reads(read: &ReadStep) -> &'static str {
    match (read.consistent_read, read.backward) {
        (false, false) => "eventually consistent, forward",
        (false, true) => "eventually consistent, backward",
        (true, false) => "consistent, forward",
        (true, true) => "consistent, backward",
    }
}

fn ranges(lines: &mut Lines, read: &ReadStep) {
    for range in read.ranges.iter().take(RANGES_MAX) {
        if let Some(partition) = &range.partition {
            lines.member("partition", partition);
        }
        if let Some(sort) = &range.sort {
            lines.member("range", sort);
        }
        if let Some(parts) = &range.parts {
            lines.member("parts", parts);
        }
        let end = range.end_key.as_deref().unwrap_or("the end");
        lines.member("bytes", format!("{} to {end}", range.first_key));
    }
    let more = read.ranges.len().saturating_sub(RANGES_MAX) + read.more_ranges;
    if more > 0 {
        lines.member("", format!("and {more} more ranges"));
    }
}

/// Draws stored sort keys around the range and at its ends.
fn drawing(lines: &mut Lines, read: &ReadStep, collection: &Collection) {
    let Collection { first, before, first_in_range, last_in_range, after, last } = collection;
    if first.is_none() {
        lines.push("  collection is empty");
        return;
    }
    lines.push("  collection");
    let outside = |key: &Option<String>| key.as_ref().map(|key| format!("      {key}"));
    let inside = |key: &Option<String>| key.as_ref().map(|key| format!("    | {key}"));
    let gap = || Some("      ...".to_owned());
    let has_more_before = first != before && before.is_some();
    let has_more_after = last != after && after.is_some();
    let drawn = [
        outside(first).filter(|_| has_more_before),
        gap().filter(|_| has_more_before),
        outside(before),
        Some("    +---".to_owned()),
        inside(first_in_range),
        Some("    | ...".to_owned())
            .filter(|_| first_in_range != last_in_range && read.sample.items != 2),
        inside(last_in_range).filter(|_| first_in_range != last_in_range),
        Some("    | nothing".to_owned()).filter(|_| first_in_range.is_none()),
        Some("    +---".to_owned()),
        outside(after),
        gap().filter(|_| has_more_after),
        outside(last).filter(|_| has_more_after),
    ];
    drawn.into_iter().flatten().for_each(|line| lines.push(line));
}

fn estimate(lines: &mut Lines, read: &ReadStep) {
    let Estimate { items, bytes, pages, units } = &read.estimate;
    lines.member("examines", format!("{}, {}", bounded(items, "item"), sizes(bytes)));
    lines.member("pages", bounded(pages, "page"));
    lines.member("costs", bounded(units, "read unit"));
    let sample = &read.sample;
    if read.filter.is_some() {
        let of = if sample.is_all { "" } else { ", of a sample" };
        lines.member(
            "keeps",
            format!("{} of {}{of}", sample.matching, plural(sample.items, "item")),
        );
    }
}

/// Describes an index that does not exist.
fn of_supposed(lines: &mut Lines, supposed: &Supposed) {
    let index = if supposed.is_local { "a local index" } else { "an index" };
    lines.push(format!("  what if    {index} {}, with {}", supposed.key, supposed.projection));
    let of = match (supposed.is_all, supposed.cannot_tell) {
        (true, _) => ": all of the table",
        (false, false) => " of the table; the rest is estimated",
        (false, true) => " of the table, which cannot tell: too few of its partitions",
    };
    lines.member("looked at", format!("{}{of}", amount(supposed.looked_at)));
    let between = |bounds: &Option<Bounds<u64>>, told: String| match bounds {
        None => told,
        Some(bounds) if supposed.cannot_tell => bounded(bounds, "item"),
        Some(bounds) => format!("about {told}; {} in 95 of 100 samples", bounded(bounds, "item")),
    };
    lines.member("entries", between(&supposed.entries_between, amount(supposed.entries)));
    let units = match &supposed.units_between {
        Some(bounds) => bounded(bounds, "read unit"),
        None => plural(supposed.units, "read unit"),
    };
    let read = between(&supposed.examined_between, amount(supposed.examined));
    lines.member("read here", format!("{read}, {units}"));
    if supposed.entries.items == 0 {
        return;
    }
    let written = plural((supposed.write_units * 100.0).round() / 100.0, "write unit");
    let bytes = size(supposed.entry_bytes as u64);
    lines.member("each write", format!("{written} more for an entry of {bytes} on average"));
}

fn of_counted(lines: &mut Lines, counted: &Counted) {
    let stopped = if counted.is_all { "" } else { ", where the count stopped" };
    lines.push(format!("  counted in {}{stopped}", plural(counted.pages, "page")));
    lines.member("examined", amount(counted.examined));
    lines.member("returned", amount(counted.returned));
    if counted.filtered_out > 0 {
        lines.member("filtered", format!("{} thrown away", plural(counted.filtered_out, "item")));
    }
    if counted.fetched.items > 0 {
        lines.member("fetched", format!("{} of the table", amount(counted.fetched)));
    }
    took(lines, counted.round_trips);
    units(lines, &counted.units, "read unit");
}

fn took(lines: &mut Lines, round_trips: Option<u64>) {
    if let Some(round_trips) = round_trips {
        lines.member("took", format!("{} to the database", plural(round_trips, "round trip")));
    }
}

fn units(lines: &mut Lines, units: &[UnitsOn], noun: &str) {
    for on in units {
        let what = on.index.as_ref().map_or("table".to_owned(), |index| format!("index {index}"));
        lines.member("cost", format!("{} on the {what}", plural(on.units, noun)));
    }
}

fn of_write(lines: &mut Lines, operation: &str, write: &WriteStep) {
    lines.push(format!("{operation} of {}", write.table));
    lines.member("key", &write.key);
    lines.member("bytes", &write.byte_key);
    if let Some(condition) = &write.condition {
        lines.member("condition", condition);
    }
    if let Some(update) = &write.update {
        lines.member("update", update);
    }
    if let Some(refused) = &write.refused {
        lines.member("refused", refused);
    }
    lines.member("item", images(write));
    for EntryChange { index, removed, written } in &write.indexes {
        let change = match (removed, written) {
            (Some(removed), Some(written)) if removed == written => {
                format!("{written} is overwritten")
            }
            (Some(removed), Some(written)) => format!("{removed} is removed, {written} written"),
            (Some(removed), None) => format!("{removed} is removed"),
            (None, written) => format!("{} is written", written.as_deref().unwrap_or_default()),
        };
        lines.member("index", format!("{index}: {change}"));
    }
    took(lines, write.round_trips);
    units(lines, &write.units, "write unit");
}

/// Describes the item's change.
fn images(write: &WriteStep) -> String {
    let told = |bytes: usize| size(bytes as u64);
    match (write.bytes_before, write.bytes_after, write.action) {
        (before, _, _) if write.refused.is_some() => {
            let stored =
                before.map_or("there is none".to_owned(), |it| format!("{} stored", told(it)));
            format!("nothing is written; {stored}")
        }
        (None, None, WriteAction::Check) => "there is none".to_owned(),
        (Some(before), _, WriteAction::Check) => format!("{} stay as they are", told(before)),
        (None, None, _) => "there is none, and none is written".to_owned(),
        (None, Some(after), _) => format!("none is stored; {} are written", told(after)),
        (Some(before), None, _) => format!("{} are removed", told(before)),
        (Some(before), Some(after), WriteAction::Put) => {
            format!("{} are replaced by {}", told(before), told(after))
        }
        (Some(before), Some(after), WriteAction::Update | WriteAction::Delete) => {
            format!("{} become {}", told(before), told(after))
        }
    }
}

fn of_advice(lines: &mut Lines, advice: &Advice) {
    lines.push(format!("  advice: {}", advice.finding));
    lines.push(format!("    because {}", advice.evidence));
    lines.push(format!("    {}", advice.remedy));
}

fn amount(amount: Amount) -> String {
    format!("{}, {}", plural(amount.items, "item"), size(amount.bytes as u64))
}

/// Returns `1 item` or `2 items`.
pub(super) fn plural<N: Display>(count: N, noun: &str) -> String {
    let count = count.to_string();
    let ending = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

fn bounded<N: Display + PartialEq>(bounds: &Bounds<N>, noun: &str) -> String {
    let Bounds { at_least, at_most } = bounds;
    match at_most {
        None => format!("{} or more", plural(at_least, noun)),
        Some(at_most) if at_least == at_most => plural(at_most, noun),
        Some(at_most) => format!("{at_least} to {}", plural(at_most, noun)),
    }
}

fn sizes(bounds: &Bounds<u64>) -> String {
    let at_least = size(bounds.at_least);
    match bounds.at_most {
        None => format!("{at_least} or more"),
        Some(at_most) if at_most == bounds.at_least => at_least,
        Some(at_most) => format!("{at_least} to {}", size(at_most)),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a size is told in three digits")]
pub(super) fn size(bytes: u64) -> String {
    let kilobytes = bytes as f64 / KB;
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{kilobytes:.1} KB"),
        _ => format!("{:.1} MB", kilobytes / KB),
    }
}
