//! Pointers to the newest version that stand among the versions.
//!
//! `v0_` sorts behind `v001_` to `v099_`. That does no harm while it repeats the newest version and
//! is the last of them: who reads backwards gets the newest. `v-latest` is read by everybody who
//! asks for what begins with `v-`.

use crate::design::Item;
use crate::finding::{Finding, Rule};
use crate::keys::words::{is_counted, is_newest};
use crate::keys::{Column, Row};
use std::collections::BTreeMap;

const ALONE: &str =
    "give the pointer a name that does not begin as the versions do, such as latest alone";

/// A key that is a version, or the pointer.
#[derive(Debug, Clone, Copy)]
struct Version<'c, 'i> {
    row: &'c Row<'i>,
    /// The segment that has the number.
    shown: &'i str,
    key: &'i str,
    number: u128,
    is_pointer: bool,
}

/// A collection, the key before the version, and the text behind it.
type Place<'i> = (usize, &'i str, &'i str);

pub(super) fn check(column: &Column<'_>) -> Option<Finding> {
    let mut groups: BTreeMap<Place<'_>, Vec<Version<'_, '_>>> = BTreeMap::new();
    for row in &column.rows {
        for segment in &row.segments {
            if let Some((place, version)) = version(row, segment.clone()) {
                groups.entry(place).or_default().push(version);
            }
        }
    }
    let numbered = groups.values().find_map(|versions| numbered(versions));
    numbered.or_else(|| words(column))
}

fn version<'c, 'i>(
    row: &'c Row<'i>,
    segment: std::ops::Range<usize>,
) -> Option<(Place<'i>, Version<'c, 'i>)> {
    let shown = row.text.get(segment.clone())?;
    let start = shown.find(|character: char| character.is_ascii_digit())?;
    let (head, rest) = shown.split_at(start);
    if !is_counted(head.trim_end_matches(['_', '-', '.', ' '])) {
        return None;
    }
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, tail) = rest.split_at(length);
    // Dates, times and decimals have several numbers, each with another meaning.
    if tail.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = digits.parse().ok()?;
    let tail = row.text.get(segment.start + start + length..)?;
    let place = (row.collection, row.text.get(..segment.start + start)?, tail);
    let key = row.text.get(..segment.end)?;
    Some((place, Version { row, shown, key, number, is_pointer: digits == "0" }))
}

/// Returns the finding that `v0_` stands between versions, or behind them without being a copy.
fn numbered(all: &[Version<'_, '_>]) -> Option<Finding> {
    let pointer = all.iter().find(|version| version.is_pointer)?;
    let versions = || all.iter().filter(|version| !version.is_pointer);
    let before =
        versions().filter(|it| it.row.text < pointer.row.text).max_by_key(|it| it.row.text)?;
    let after = versions().filter(|it| it.row.text > pointer.row.text).min_by_key(|it| it.row.text);
    let Some(after) = after else {
        return behind(pointer, before, versions().max_by_key(|it| it.number)?);
    };
    let evidence = format!("{} sorts between {} and {}", pointer.shown, before.shown, after.shown);
    let examples = [before, pointer, after].map(|version| version.key.to_owned());
    let finding = Finding::new(Rule::PointerAmongVersions, evidence, examples.to_vec());
    Some(finding.shown_by([pointer.row.nth, after.row.nth]))
}

fn behind(
    pointer: &Version<'_, '_>,
    last: &Version<'_, '_>,
    newest: &Version<'_, '_>,
) -> Option<Finding> {
    if repeats(pointer.row.item, newest.row.item) {
        return None;
    }
    let evidence = format!(
        "{} sorts behind {}, and is no copy of it: who reads backwards for the newest version gets it",
        pointer.shown, last.shown
    );
    let examples = vec![last.key.to_owned(), pointer.key.to_owned()];
    let finding = Finding::new(Rule::PointerAmongVersions, evidence, examples);
    Some(finding.shown_by([last.row.nth, pointer.row.nth]))
}

/// Returns whether an item has all that another one has, its keys apart.
fn repeats(pointer: &Item, newest: &Item) -> bool {
    let other = newest.iter().filter(|(name, value)| pointer.get(*name) != Some(value));
    // One attribute differs anyway: the key itself.
    other.count() <= 1
}

/// Returns the finding that `v-latest` begins like the versions.
fn words(column: &Column<'_>) -> Option<Finding> {
    let mut versions: BTreeMap<(usize, &str), (&str, &str)> = BTreeMap::new();
    for row in &column.rows {
        if let Some((word, before, _)) = divided(row, is_digits) {
            versions.entry((row.collection, word)).or_insert((before, row.text));
        }
    }
    column.rows.iter().find_map(|row| {
        let (word, before, name) = divided(row, is_newest)?;
        let (other, version) = *versions.get(&(row.collection, word))?;
        // Versions without the mark are read by the word alone.
        let common = if other == before { before } else { word };
        let evidence = format!("whoever reads what begins with {common} gets {before}{name}, too");
        let mut examples = vec![version.to_owned(), row.text.to_owned()];
        examples.sort();
        Some(Finding::new(Rule::PointerAmongVersions, evidence, examples).with_fix(ALONE))
    })
}

fn is_digits(run: &str) -> bool {
    run.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the beginning of a key that ends with a counted word, without and with the mark behind it, and the run of
/// letters or digits behind it, if it is as wished: `v`, `v-` and `latest`. Digits need no mark before them.
fn divided<'i>(row: &Row<'i>, is_wished: fn(&str) -> bool) -> Option<(&'i str, &'i str, &'i str)> {
    row.tokens.iter().find_map(|token| {
        let run = row.text.get(token.range.clone())?;
        let start = run.find(|it: char| it.is_ascii_digit()).unwrap_or(0);
        let (glued, run) = run.split_at(start);
        if !is_wished(run) {
            return None;
        }
        let before = row.text.get(..token.range.start + glued.len())?;
        let until = before.trim_end_matches(|it: char| !it.is_alphanumeric());
        let word = until.rsplit(|it: char| !it.is_alphanumeric()).next()?;
        let is_apart = until.len() < before.len() || is_digits(run);
        (is_counted(word) && is_apart).then_some((until, before, run))
    })
}

#[cfg(test)]
mod tests {
    use super::repeats;
    use crate::design::{Item, Scalar};

    fn item(attributes: &[(&str, &str)]) -> Item {
        let owned =
            |(name, text): &(&str, &str)| ((*name).to_owned(), Scalar::S((*text).to_owned()));
        attributes.iter().map(owned).collect()
    }

    #[test]
    fn a_copy_has_all_that_the_newest_has() {
        let newest = item(&[("sk", "v2"), ("by", "Bo")]);
        assert!(repeats(&item(&[("sk", "v0"), ("by", "Bo"), ("version", "2")]), &newest));
        assert!(!repeats(&item(&[("sk", "v0"), ("by", "Al")]), &newest));
    }
}
