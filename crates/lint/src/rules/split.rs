//! Partition keys of one thing that differ in blanks, in the Unicode form, or in zeros before a
//! number. Those that differ in capitals are found in `case.rs`.

use crate::finding::{Finding, Rule};
use crate::keys::{Column, Kind};
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization;

/// Most digits of a number whose leading zeros do not matter.
const DIGITS_MAX: usize = 6;

pub(super) fn check(column: &Column<'_>) -> Option<Finding> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (nth, row) in column.rows.iter().enumerate() {
        counts.entry(row.text).or_insert((0, nth)).0 += 1;
    }
    let forms: [(&str, Fold); 3] =
        [("blanks", blanks), ("the form of Unicode", composed), ("leading zeros", numbers)];
    forms.into_iter().find_map(|(what, fold)| of_form(column, &counts, what, fold))
}

type Fold = fn(&Column<'_>, usize) -> String;

fn of_form(
    column: &Column<'_>,
    counts: &BTreeMap<&str, (usize, usize)>,
    what: &str,
    fold: Fold,
) -> Option<Finding> {
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    for (text, (_, row)) in counts {
        let Some(other) = known.insert(fold(column, *row), text) else { continue };
        let count = |text: &str| counts.get(text).map_or(0, |(count, _)| *count);
        let evidence = format!(
            "{other:?} and {text:?} are two partitions, {} and {} entries, and differ in {what} only",
            count(other),
            count(text)
        );
        let examples = vec![other.to_owned(), (*text).to_owned()];
        return Some(Finding::new(Rule::SplitPartition, evidence, examples));
    }
    None
}

/// Returns a key with one blank where there are several, and none beside delimiters and ends.
fn blanks(column: &Column<'_>, row: usize) -> String {
    let row = &column.rows[row];
    let mut folded = String::new();
    let mut rest = 0;
    for part in &row.parts {
        folded.push_str(row.text.get(rest..part.range.start).unwrap_or(""));
        let words: Vec<&str> = row.part(part).split_whitespace().collect();
        folded.push_str(&words.join(" "));
        rest = part.range.end;
    }
    folded
}

fn composed(column: &Column<'_>, row: usize) -> String {
    column.rows[row].text.nfc().collect()
}

/// Returns a key with its numbers without leading zeros.
fn numbers(column: &Column<'_>, row: usize) -> String {
    let row = &column.rows[row];
    let mut folded = String::new();
    for token in &row.tokens {
        let text = row.text.get(token.range.clone()).unwrap_or("");
        let is_number = token.kind == Kind::Digits && text.len() <= DIGITS_MAX;
        let short = text.trim_start_matches('0');
        folded.push_str(if is_number && !short.is_empty() { short } else { text });
    }
    folded
}
