//! Keys of one kind with different delimiters: `ORDER#17` and `ORDER|18`.

use crate::design::are_alike;
use crate::finding::{Finding, Rule};
use crate::keys::{Column, Kind, Row};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;
use std::ops::Range;

/// Characters that may be delimiters.
const MARKS: &str = "#|/:_-.~;¦^§>";
/// Characters that are in names and ids, too.
const IN_NAMES: &str = "-_.";

/// Keys of a way that are compared with those of another.
const COMPARED_MAX: usize = 50;

/// A key taken apart at all marks.
#[derive(Debug)]
struct Divided<'c, 'i> {
    row: &'c Row<'i>,
    marks: Vec<char>,
    parts: Vec<(Range<usize>, Kind)>,
}

pub(super) fn check(column: &Column<'_>) -> Option<Finding> {
    let mut groups: BTreeMap<(&str, usize), Vec<Divided<'_, '_>>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for row in column.rows.iter().filter(|row| seen.insert(row.text)) {
        if let Some(divided) = Divided::of(row) {
            let first = divided.text(0);
            let first = if divided.parts[0].1 == Kind::Word { first } else { "" };
            groups.entry((first, divided.parts.len())).or_default().push(divided);
        }
    }
    groups.values().find_map(|keys| of_group(keys)).or_else(|| over_words(groups))
}

/// Looks at keys with different first words, if one item may be like the other.
fn over_words(groups: BTreeMap<(&str, usize), Vec<Divided<'_, '_>>>) -> Option<Finding> {
    let mut alike: BTreeMap<Vec<String>, Vec<Divided<'_, '_>>> = BTreeMap::new();
    for key in groups.into_values().flatten() {
        let kinds = (0..key.parts.len()).map(|part| key.kind(part)).collect();
        alike.entry(kinds).or_default().push(key);
    }
    let finding = |keys: &Vec<Divided<'_, '_>>| {
        let first = keys.first()?;
        let are_one_kind = keys.iter().all(|key| are_alike(first.row.item, key.row.item));
        // Words alone may be of any kind.
        let are_words = first.parts.iter().all(|(_, kind)| *kind == Kind::Word);
        (are_one_kind && !are_words).then(|| of_group(keys)).flatten()
    };
    alike.values().find_map(finding)
}

fn of_group(keys: &[Divided<'_, '_>]) -> Option<Finding> {
    let mut ways: BTreeMap<&[char], Vec<&Divided<'_, '_>>> = BTreeMap::new();
    for key in keys {
        ways.entry(&key.marks).or_default().push(key);
    }
    let (usual, many) = ways.iter().max_by_key(|(_, keys)| keys.len())?;
    let step = many.len() / COMPARED_MAX + 1;
    let some: Vec<&Divided<'_, '_>> = many.iter().copied().step_by(step).collect();
    let mut differ = ways.iter().filter(|(way, _)| way != &usual).take(COMPARED_MAX);
    let (other, few) = differ.find(|(way, few)| {
        let nth = usual.iter().zip(way.iter()).position(|(one, other)| one != other);
        let mut few = few.iter().take(COMPARED_MAX);
        nth.is_some_and(|nth| few.any(|key| are_one_kind(&some, key, usual, nth)))
    })?;
    let text =
        |way: &[char]| way.iter().map(|mark| format!("{mark}")).collect::<Vec<_>>().join(" ");
    let evidence = format!(
        "{} of the keys have the delimiter {}, {} of the same kind {}",
        many.len(),
        text(usual),
        few.len(),
        text(other)
    );
    let examples = vec![many[0].row.text.to_owned(), few[0].row.text.to_owned()];
    Some(Finding::new(Rule::MixedDelimiters, evidence, examples))
}

/// Returns whether a key is of the kind of many others, from which it differs at the n-th mark.
fn are_one_kind(
    many: &[&Divided<'_, '_>],
    key: &Divided<'_, '_>,
    usual: &[char],
    nth: usize,
) -> bool {
    let kinds: Vec<BTreeSet<String>> = (0..key.parts.len())
        .map(|part| many.iter().map(|other| other.kind(part)).collect())
        .collect();
    let is_same = kinds.iter().enumerate().all(|(part, kinds)| kinds.contains(&key.kind(part)));
    let is_known = |part: usize| many.iter().any(|other| other.text(part) == key.text(part));
    let mut behind = nth + 1..key.parts.len();
    let in_names = [usual[nth], key.marks[nth]].iter().filter(|it| IN_NAMES.contains(**it)).count();
    let (first, kind) = (key.text(0), key.parts[0].1);
    // Marks of names divide if the rest is known, and not words alone behind a short word.
    let is_kind = kind == Kind::Word && first.len() > 1 || matches!(kind, Kind::Moment(_));
    let has_other = behind.clone().any(|part| key.parts[part].1 != Kind::Word);
    let is_sure = in_names == 0 || is_kind && (has_other || behind.all(is_known));
    // A character of a name, if the other one divides both keys.
    let is_in_value =
        [(usual[nth], key.marks[nth]), (key.marks[nth], usual[nth])].iter().any(|(one, other)| {
            IN_NAMES.contains(*one) && usual.contains(other) && key.marks.contains(other)
        });
    is_same && is_sure && !is_in_value && !(in_names == 2 && nth > 0)
}

impl<'c, 'i> Divided<'c, 'i> {
    /// Returns the parts of a key that begins with a word and has a mark between any two parts.
    fn of(row: &'c Row<'i>) -> Option<Self> {
        // Free text has marks of its own: `St. Elizabeth`, `50/50`.
        if row.text.contains(' ') {
            return None;
        }
        let mut divided = Self { row, marks: Vec::new(), parts: Vec::new() };
        let mut was_mark = true;
        let tokens = &row.tokens;
        for (nth, token) in tokens.iter().enumerate() {
            match token.kind {
                // Two colons are one delimiter.
                Kind::Mark(':') if was_mark && nth > 1 && tokens[nth - 1].kind == token.kind => {}
                Kind::Mark(mark) if MARKS.contains(mark) && was_mark => return None,
                Kind::Mark(mark) if MARKS.contains(mark) => {
                    divided.marks.push(mark);
                    was_mark = true;
                }
                kind if was_mark => {
                    divided.parts.push((token.range.clone(), kind));
                    was_mark = false;
                }
                kind => divided.add(token.range.end, kind),
            }
        }
        let is_file =
            divided.marks.last() == Some(&'.') && divided.text(divided.marks.len()).len() < 5;
        (!is_file && !was_mark && divided.parts.len() > 1).then_some(divided)
    }

    /// Adds a token to the last part, such as the second word of a name.
    fn add(&mut self, end: usize, kind: Kind) {
        if let Some((range, known)) = self.parts.last_mut() {
            range.end = end;
            if *known != kind && !matches!(kind, Kind::Mark(_)) {
                *known = Kind::Mixed;
            }
        }
    }

    fn text(&self, part: usize) -> &'i str {
        self.parts.get(part).and_then(|(range, _)| self.row.text.get(range.clone())).unwrap_or("")
    }

    /// Returns the kind of a part; words and numbers of ids are one kind with them.
    fn kind(&self, part: usize) -> String {
        let kind = self.parts.get(part).map(|(_, kind)| match kind {
            Kind::Digits => discriminant(&Kind::Mixed),
            kind => discriminant(kind),
        });
        format!("{kind:?}")
    }
}
