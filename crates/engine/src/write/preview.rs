//! Preview of a new key template, before it is declared: the numbers of stored items that it would
//! set, change, keep, remove and refuse, with examples, and likely mistakes in it. The counts need not
//! be of one moment.

use super::derive::Outcome;
use crate::core::Core;
use crate::fault;
use crate::layout;
use crate::schema::{DerivedKey, IndexId, Table};
use hashrange_expr::Draw;
use hashrange_model::nearest::nearest;
use hashrange_model::{ApiError, ApiResult, Item, ValueRef};
use hashrange_storage::{Demand, Direction, Key, Store, View, Wanted, give_way};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Maximum of bytes of items that are examined.
const BYTES_MAX: usize = 256 * 1024 * 1024;
const ITEMS_PER_PAGE: usize = 256;
const BYTES_PER_PAGE: usize = 1024 * 1024;
const EXAMPLES_MAX: usize = 3;
/// Maximum of characters shown of a value.
const VALUE_CHARS: usize = 60;
/// Maximum of names of attributes that are remembered to find a likely one.
const NAMES_MAX: usize = 1000;

/// Items that meet the same fate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PreviewCount {
    /// Number of the items.
    pub items: u64,
    /// Some of them.
    pub examples: Vec<PreviewExample>,
}

/// An item that a template changes, keeps or refuses.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviewExample {
    /// Key of the item.
    pub key: Item,
    /// Value of the attribute now, cut.
    pub before: Option<String>,
    /// Value that the template gives it, cut.
    pub after: Option<String>,
    /// Reason for which the template refuses the item.
    pub why: Option<String>,
}

/// Effects that a template would have on the items of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TemplatePreview {
    /// Number of items examined.
    pub examined: u64,
    /// True if these were all items of the table.
    pub are_all: bool,
    /// Items without the attribute, which get it.
    pub set: PreviewCount,
    /// Items whose attribute gets another value.
    pub changed: PreviewCount,
    /// Items whose attribute keeps a value that a client wrote.
    pub kept: PreviewCount,
    /// Items that lose the attribute.
    pub removed: PreviewCount,
    /// Items that the template refuses, and that stay as they are.
    pub refused: PreviewCount,
    /// Likely mistakes in the template.
    pub warnings: Vec<String>,
}

/// A preview that is being made.
pub(crate) struct Preview<'t> {
    table: &'t Table,
    key: &'t DerivedKey,
    told: TemplatePreview,
    /// Names of the template that some item has.
    met: BTreeSet<String>,
    /// Names of attributes of the items.
    known: BTreeSet<String>,
    /// Number of items for which each case counts.
    cases: Vec<u64>,
}

impl<'t> Preview<'t> {
    pub(crate) fn new(table: &'t Table, key: &'t DerivedKey) -> Self {
        let cases = vec![0; key.template.cases()];
        let (met, known) = (BTreeSet::new(), BTreeSet::new());
        Self { table, key, told: TemplatePreview::default(), met, known, cases }
    }

    fn add(&mut self, item: &Item) {
        self.told.examined += 1;
        self.note_names(item);
        if let Some(case) = self.key.template.case_of(item) {
            self.cases[case] += 1;
        }
        // What would be generated is not known; its form is.
        let draw = Draw { now_ms: 0, random: 0 };
        let (count, after, why) = match self.key.outcome(item, draw) {
            Ok(Outcome::Stays) => return,
            Ok(Outcome::Set(after)) => (&mut self.told.set, Some(after), None),
            Ok(Outcome::Changed(after)) => (&mut self.told.changed, Some(after), None),
            Ok(Outcome::Kept) => (&mut self.told.kept, None, None),
            Ok(Outcome::Removed) => (&mut self.told.removed, None, None),
            Err(reason) => (&mut self.told.refused, None, Some(ApiError::new(reason).to_string())),
        };
        count.items += 1;
        if count.examples.len() < EXAMPLES_MAX {
            let key = item.retain(|name| self.table.key.contains(name));
            let before = item.get(self.key.template.attribute()).map(shown);
            let after = after.map(|after| shown(ValueRef::S(&after)));
            count.examples.push(PreviewExample { key, before, after, why });
        }
    }

    fn note_names(&mut self, item: &Item) {
        for name in self.key.template.names() {
            if !self.met.contains(name) && item.get(name).is_some() {
                self.met.insert(name.to_owned());
            }
        }
        if self.known.len() < NAMES_MAX {
            for (name, _) in item.attributes().iter() {
                if !self.known.contains(name) {
                    self.known.insert(name.to_owned());
                }
            }
        }
    }

    fn end(mut self, are_all: bool) -> TemplatePreview {
        self.told.are_all = are_all;
        self.told.warnings = self.warnings();
        self.told
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let cases = self.key.template.cases();
        let endless = (0..cases).find(|case| self.key.template.is_unconditional(*case));
        if let Some(case) = endless.filter(|case| case + 1 < cases) {
            warnings.push(format!(
                "case {} of the template and what follows can never hold: case {} has no condition",
                case + 2,
                case + 1
            ));
        }
        if self.told.examined == 0 {
            return warnings;
        }
        let names = self.key.template.names();
        let unknown = names.into_iter().filter(|name| !self.met.contains(*name));
        let unknown: Vec<&str> = unknown.collect();
        let looked_at = format!("{} items that were looked at", self.told.examined);
        for name in &unknown {
            let near = nearest(name, self.known.iter().map(String::as_str));
            let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            warnings.push(format!("none of the {looked_at} has {name}{near}"));
        }
        for (nth, _) in self.cases.iter().enumerate().filter(|(_, items)| **items == 0) {
            let names = self.key.template.names_of_condition(nth);
            let is_explained = names.iter().any(|name| unknown.contains(name));
            if !is_explained && endless.is_none_or(|endless| nth <= endless) {
                warnings.push(format!(
                    "case {} of the template holds for none of the {looked_at}",
                    nth + 1
                ));
            }
        }
        warnings
    }
}

/// Returns a value as text, cut.
pub(crate) fn shown(value: ValueRef<'_>) -> String {
    let ValueRef::S(text) = value else {
        return format!("a value of the type {}", value.attribute_type().as_str());
    };
    let mut shown: String = text.chars().take(VALUE_CHARS).collect();
    if shown.len() < text.len() {
        shown.push_str("...");
    }
    shown
}

/// Examines the first items of a table, at most so many and [`BYTES_MAX`], a page at a time.
pub(crate) async fn preview<S: Store>(
    core: &Core<S>,
    mut preview: Preview<'_>,
    most: u64,
) -> ApiResult<TemplatePreview> {
    let mut range = layout::keyspace(preview.table.id(), IndexId::BASE);
    let mut all_bytes = 0;
    let view = core.store.view().await.map_err(fault::of_store)?;
    while preview.told.examined < most && all_bytes < BYTES_MAX {
        let mut last: Option<Key> = None;
        let (mut items, mut bytes, mut unreadable) = (0, 0, None);
        let wanted = Wanted { entries: ITEMS_PER_PAGE, bytes: BYTES_PER_PAGE };
        let visited = view.visit(range.clone(), Direction::Forward, wanted, |at, stored| {
            items += 1;
            bytes += stored.len();
            match Item::from_stored(stored) {
                Ok(item) => preview.add(&item),
                Err(_) => unreadable = Some(at.to_vec()),
            }
            if unreadable.is_none() && items < ITEMS_PER_PAGE && bytes < BYTES_PER_PAGE {
                return ControlFlow::Continue(());
            }
            last = Some(at.to_vec());
            ControlFlow::Break(())
        });
        visited.await.map_err(fault::of_store)?;
        if let Some(at) = unreadable {
            return Err(fault::of_value(&at));
        }
        let Some(last) = last else { return Ok(preview.end(true)) };
        range.start = [&last[..], &[0]].concat();
        all_bytes += bytes;
        give_way(Demand::Long).await;
    }
    Ok(preview.end(false))
}
