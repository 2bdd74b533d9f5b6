//! Names that differ in capitals only, which are probably meant to be one.
//!
//! Some codes differ in capitals on purpose: `Co` and `CO`, or random ids. So a pair is told if its
//! names are long, or if all other names of the place are written like one of the two.

use crate::design::are_alike;
use crate::finding::{Finding, Rule};
use crate::keys::words::{Capitals, capitals};
use crate::keys::{Column, Role};
use crate::places::{Place, Places, Seen};
use std::collections::BTreeMap;

/// Letters of a name that is no code.
const NAME_MIN: usize = 4;

pub(super) fn check(column: &Column<'_>, places: &Places<'_>) -> Option<Finding> {
    let (first, second) = places.all().find_map(|place| of_place(column, place))?;
    let (one, other) = (column.row_of(first).text, column.row_of(second).text);
    let (name, known) = (first.text, second.text);
    if column.role == Role::Partition {
        let evidence = format!(
            "{name} and {known} are two spellings in partition keys, in {} and {} entries",
            first.count, second.count
        );
        let examples = vec![one.to_owned(), other.to_owned()];
        return Some(Finding::new(Rule::SplitPartition, evidence, examples));
    }
    let evidence = format!("{name} and {known} are two places");
    let through = |seen: &Seen<'_>| column.row_of(seen).through(&seen.part).to_owned();
    Some(Finding::new(Rule::MixedCase, evidence, vec![through(first), through(second)]))
}

/// Returns two names of a place that are meant to be one.
fn of_place<'p, 'i>(
    column: &Column<'_>,
    place: &'p Place<'i>,
) -> Option<(&'p Seen<'i>, &'p Seen<'i>)> {
    let mut spellings: BTreeMap<String, Vec<&Seen<'_>>> = BTreeMap::new();
    for seen in place.components.values().filter(|seen| has_letters(seen.text)) {
        spellings.entry(seen.text.to_lowercase()).or_default().push(seen);
    }
    if spellings.values().all(|same| same.len() < 2) {
        return None;
    }
    let others = Others::of(&spellings);
    let mut twins = spellings.into_values().filter(|same| same.len() > 1);
    twins.find_map(|same| {
        let (one, other) = (column.row_of(same[0]), column.row_of(same[1]));
        let may_meet = one.collection == other.collection || are_alike(one.item, other.item);
        (may_meet && others.are_one(&same)).then(|| (same[0], same[1]))
    })
}

fn has_letters(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}

/// Names of a place that have one spelling.
#[derive(Debug, Default)]
struct Others {
    by_capitals: BTreeMap<Capitals, usize>,
    total: usize,
    /// Those that consist of words.
    words: usize,
}

impl Others {
    fn of(spellings: &BTreeMap<String, Vec<&Seen<'_>>>) -> Self {
        let mut others = Self::default();
        for same in spellings.values().filter(|same| same.len() == 1) {
            *others.by_capitals.entry(capitals(same[0].text)).or_default() += 1;
            others.total += 1;
            others.words += usize::from(is_of_words(same[0].text));
        }
        others
    }

    /// Returns whether spellings of one name are meant to be one.
    fn are_one(&self, same: &[&Seen<'_>]) -> bool {
        let styles: Vec<Capitals> = same.iter().map(|seen| capitals(seen.text)).collect();
        let text = same[0].text;
        let letters = text.chars().filter(|it| it.is_alphabetic()).count();
        let is_irregular = |style: &Capitals| *style == Capitals::Some;
        if text.contains('@') && text.contains('.') {
            return true;
        }
        if self.share(Capitals::Some) > 40 || styles.iter().all(is_irregular) && letters < 6 {
            return false;
        }
        if is_of_words(text) && letters >= NAME_MIN {
            return self.words * 2 >= self.total;
        }
        // One of the two is written as no other name is.
        let is_alone = |style: &Capitals| self.share(*style) == 0;
        let is_shown = self.total > 0 || letters >= NAME_MIN && !styles.iter().all(is_irregular);
        letters >= 2 && is_shown && styles.iter().any(is_alone)
    }

    /// Returns how many names in a hundred use capitals in a way.
    fn share(&self, style: Capitals) -> usize {
        let count = self.by_capitals.get(&style).copied().unwrap_or(0);
        (count * 100).checked_div(self.total).unwrap_or(0)
    }
}

/// Returns whether a name consists of words: identifiers with digits may differ in capitals on
/// purpose.
fn is_of_words(name: &str) -> bool {
    name.chars().all(|character| character.is_alphabetic() || " -_'.".contains(character))
}
