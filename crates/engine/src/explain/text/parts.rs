//! Batches and transactions as lines: each part, and the sums of all.

use super::{Lines, of_step, plural, ranges, size, took};
use crate::explain::explanation::{Explanation, ReadStep, Step, Together, WriteAction, WriteStep};

/// Most parts with lines of their own, beside those that are refused.
const PARTS_MAX: usize = 25;

pub(super) fn of_parts(lines: &mut Lines, explanation: &Explanation, together: &Together) {
    let Explanation { operation, steps, .. } = explanation;
    let how = if together.is_transaction { "all or none" } else { "each by itself" };
    lines.push(format!("{operation} of {}, {how}", plural(steps.len(), "part")));
    let is_told = |(nth, step): &(usize, &Step)| *nth < PARTS_MAX || is_refused(step);
    let mut left_out = steps.len();
    for (nth, step) in steps.iter().enumerate().filter(is_told) {
        left_out -= 1;
        of_part(lines, nth + 1, step);
    }
    if left_out > 0 {
        lines.push(format!("and {}, which the JSON has", plural(left_out, "more part")));
    }
    of_together(lines, explanation, together);
}

fn is_refused(step: &Step) -> bool {
    match step {
        Step::Read(read) => read.refused.is_some(),
        Step::Write(write) => write.refused.is_some(),
        Step::Failed(_) => true,
    }
}

fn of_part(lines: &mut Lines, number: usize, step: &Step) {
    let what = match step {
        Step::Read(read) => return of_read_part(lines, number, read),
        Step::Write(write) => verb(write),
        Step::Failed(_) => "statement or action",
    };
    of_step(lines, &format!("part {number}: {what}"), step);
}

fn verb(write: &WriteStep) -> &'static str {
    match write.action {
        WriteAction::Put => "put",
        WriteAction::Update => "update",
        WriteAction::Delete => "delete",
        WriteAction::Check => "check",
    }
}

fn of_read_part(lines: &mut Lines, number: usize, read: &ReadStep) {
    let past = read.past.as_ref().map_or_else(String::new, |past| format!(".{past}"));
    lines.push(format!("part {number}: read of {}{past}", read.table));
    ranges(lines, read);
    if let Some(filter) = &read.filter {
        lines.member("filter", filter);
    }
    lines.member("returns", &read.returns);
    lines
        .member("reads", if read.consistent_read { "consistent" } else { "eventually consistent" });
    if let Some(refused) = &read.refused {
        lines.member("refused", refused);
    }
    let found = match read.sample.items {
        0 => "there is none".to_owned(),
        _ => size(read.sample.bytes as u64),
    };
    lines.member("item", found);
    lines.member("costs", plural(read.estimate.units.at_least, "read unit"));
}

fn of_together(lines: &mut Lines, explanation: &Explanation, together: &Together) {
    let is_read = |step: &Step| match step {
        Step::Read(_) => true,
        Step::Write(_) | Step::Failed(_) => false,
    };
    let reads = together.already_done || explanation.steps.iter().any(is_read);
    let noun = if reads { "read unit" } else { "write unit" };
    lines.push("together");
    let bytes = size(together.bytes as u64);
    lines.member("items", format!("{}, {bytes}", plural(together.items, "item")));
    took(lines, together.round_trips);
    for units in &together.units {
        let index = units.on.index.as_ref().map(|index| format!("index {index} of "));
        let on = format!("{}{}", index.unwrap_or_default(), units.table);
        lines.member("cost", format!("{} on {on}", plural(units.on.units, noun)));
    }
    if together.unprocessed > 0 {
        let left = plural(together.unprocessed, "part");
        lines.member("left", format!("{left} for another request"));
    }
    if together.already_done {
        lines.member("done", "before, by a request with the same token; nothing is done again");
    }
    if let Some(refused) = &together.refused {
        lines.member("refused", format!("{refused}; nothing is done"));
    }
}

/// Returns ` of` and the table, if known.
pub(super) fn of_table(table: Option<&str>) -> String {
    table.map(|table| format!(" of {table}")).unwrap_or_default()
}
