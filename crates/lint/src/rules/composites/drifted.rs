//! Items whose attribute has changed and whose key has not.
//!
//! In most items a component is made of an attribute; in a few it is made of another value, which
//! the attribute may have had before.

use super::agreement::{Component, Sort, are_alike, sort};
use super::forms::{Form, component, value};
use crate::design::{Scalar, SourceKind};
use crate::finding::{Finding, Rule};
use crate::keys::words::{folded, is_placeholder_word, of_name};
use crate::keys::{Column, Role, Row, tokens::tokens};
use std::collections::{BTreeMap, BTreeSet};

/// Fewest items that agree.
const AGREEING_MIN: usize = 4;
/// Fewest items with one value that make it the name of a kind.
const LABELLED_MIN: usize = 3;
/// Items that disagree, in a hundred; more if the key names the attribute.
const PERCENT_MAX: usize = 30;
const PERCENT_MAX_NAMED: usize = 40;
/// Words in the names of attributes that change while the key is right to stay.
const CHANGING: &[&str] = &[
    "updated",
    "modified",
    "changed",
    "last",
    "latest",
    "current",
    "now",
    "today",
    "new",
    "newest",
    "next",
    "previous",
    "prev",
    "old",
    "original",
    "by",
    "best",
    "max",
    "min",
    "seen",
    "closed",
    "completed",
    "finished",
    "actual",
];

/// How an attribute agrees with a component.
#[derive(Debug)]
struct Drift<'c, 'i> {
    name: &'i str,
    agreeing: usize,
    disagreeing: Vec<(&'c Row<'i>, Component<'i>, &'i Scalar)>,
    /// Values of the attribute, and components that agree, folded.
    known: BTreeSet<String>,
    /// Components that agree.
    agreed: BTreeSet<String>,
}

pub(super) fn check(column: &Column<'_>, form: &Form<'_, '_>) -> Option<Finding> {
    (0..form.makers.len()).find_map(|place| of_place(column, form, place))
}

fn of_place(column: &Column<'_>, form: &Form<'_, '_>, place: usize) -> Option<Finding> {
    let drifts: Vec<Drift<'_, '_>> =
        form.makers[place].iter().map(|name| Drift::new(form, place, name)).collect();
    // One attribute makes all of them: the others resemble it.
    if drifts.iter().any(|drift| drift.disagreeing.is_empty() && drift.is_everywhere(form)) {
        return None;
    }
    let drift = drifts.into_iter().find_map(|mut drift| {
        let before = drift.disagreeing.len();
        drift.retain_plausible();
        let is_most = drift.disagreeing.len() * 2 > before;
        (is_most && drift.is_told(column, form, place)).then_some(drift)
    })?;
    let (row, component, value) = drift.disagreeing.first()?;
    let evidence = format!(
        "{} makes component {} of {} in {} items, but not in {}: it is {} and the key has {}",
        drift.name,
        place + 1,
        column.attribute,
        drift.agreeing,
        drift.disagreeing.len(),
        value.text(),
        component.text
    );
    let finding = Finding::new(Rule::DriftedComposite, evidence, vec![row.text.to_owned()]);
    Some(finding.shown_by([row.nth]))
}

impl<'c, 'i> Drift<'c, 'i> {
    fn new(form: &Form<'c, 'i>, place: usize, name: &'i str) -> Self {
        let (known, agreed) = (BTreeSet::new(), BTreeSet::new());
        let mut drift = Self { name, agreeing: 0, disagreeing: Vec::new(), known, agreed };
        for row in &form.rows {
            let Some(value) = value(row, name) else { continue };
            let component = component(row, place, form.named[place]);
            drift.known.insert(folded(value.text()));
            let is_missing =
                is_placeholder_word(component.text) || component.text.trim().is_empty();
            if is_missing || value.text().is_empty() {
                continue;
            }
            if component.is_made_of(value) {
                drift.agreeing += 1;
                drift.agreed.insert(component.folded);
            } else {
                drift.disagreeing.push((row, component, value));
            }
        }
        drift
    }

    fn is_everywhere(&self, form: &Form<'_, '_>) -> bool {
        self.agreeing * 10 >= form.rows.len() * 9
    }

    fn is_told(&self, column: &Column<'_>, form: &Form<'_, '_>, place: usize) -> bool {
        let all = self.agreeing + self.disagreeing.len();
        let is_named = self.is_named(column, form, place);
        let is_changing = of_name(self.name).iter().any(|word| CHANGING.contains(&&word[..]));
        let percent = if is_named { PERCENT_MAX_NAMED } else { PERCENT_MAX };
        // The key of an item is its identity; titles change.
        let is_identity = column.source.kind == SourceKind::Table && column.role == Role::Partition;
        !self.disagreeing.is_empty()
            && (is_named || !is_identity)
            && (is_named || !is_changing)
            && self.agreeing >= AGREEING_MIN
            && self.agreed.len() > 1
            && self.disagreeing.len() * 100 <= all * percent
    }

    /// Returns whether the key names the attribute: in the component before, or in its own name.
    fn is_named(&self, column: &Column<'_>, form: &Form<'_, '_>, place: usize) -> bool {
        let name = folded(self.name);
        let first = form.rows.first();
        let own = first.and_then(|row| component(row, place, form.named[place]).name);
        let before = first.filter(|_| place > 0).map(|row| component(row, place - 1, false));
        let is_like = |word: &str| word.len() > 2 && (word == name || name.ends_with(word));
        own.is_some_and(|own| is_like(&folded(own)))
            || before.is_some_and(|before| is_like(&before.folded))
            || of_name(column.attribute).iter().any(|word| is_like(word))
    }

    /// Takes out the items with a value that many have, none of them in the key, and all with one
    /// component: such an attribute names the kind of an item.
    fn drop_labels(&mut self) {
        let mut met: BTreeMap<String, (usize, BTreeSet<String>)> = BTreeMap::new();
        for (_, component, value) in &self.disagreeing {
            let (count, components) = met.entry(folded(value.text())).or_default();
            *count += 1;
            components.insert(component.folded.clone());
        }
        let agreed = &self.agreed;
        self.disagreeing.retain(|(_, _, value)| {
            let value = folded(value.text());
            let is_label = met.get(&value).is_some_and(|(count, components)| {
                *count >= LABELLED_MIN && components.len() == 1 && !agreed.contains(&value)
            });
            !is_label
        });
    }

    /// Takes out the keys whose component the attribute may never have had: another spelling, or
    /// something else.
    fn retain_plausible(&mut self) {
        let all = self.agreeing + self.disagreeing.len();
        let of_few_values = self.known.len() * 2 <= all;
        self.drop_labels();
        let (known, agreed) = (&self.known, &self.agreed);
        self.disagreeing.retain(|(_, component, value)| {
            // Other items with this value agree: the key might have it, too.
            let may_agree = agreed.contains(&folded(value.text()));
            let is_known = known.contains(&component.folded) || agreed.contains(&component.folded);
            let is_alike = component.kind == Sort::Words && are_alike(component.text, value.text());
            let is_enough = matches!(component.kind, Sort::Moment | Sort::Mail | Sort::Number);
            let may_be = is_enough || !is_alike && (!of_few_values || may_agree);
            is_known && (of_few_values || !is_alike) || is_same_sort(component, value) && may_be
        });
    }
}

fn is_same_sort(component: &Component<'_>, value: &Scalar) -> bool {
    let tokens = tokens(value.text());
    match sort(value.text(), &tokens.iter().collect::<Vec<_>>()) {
        Sort::Number => matches!(component.kind, Sort::Number | Sort::Code),
        sort => sort == component.kind,
    }
}
