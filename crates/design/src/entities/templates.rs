//! Templates of a table: for each key attribute one text with a case for each kind, as `PutKeyTemplate` takes it.

use super::kinds::Kind;
use super::part::rendered;
use super::pattern::{KeyPattern, fault_text, template_text};
use super::{KeyAttribute, when};
use crate::words::count;
use hashrange_expr::KeyTemplate;
use hashrange_model::{Item, ValueRef};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A key template that can be set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct TableTemplate {
    /// The attribute that it derives.
    pub attribute: String,
    /// Text of the template.
    pub template: String,
    /// True for a key of the table, whose stored items it cannot change: it is to be set with `--check`.
    pub is_check: bool,
    /// Number of items whose value it derives as it is.
    pub derived: u64,
    /// Number of items that have the attribute.
    pub items: u64,
    /// Kinds that have the attribute and no case.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
}

/// Returns the templates of a table; adds a note where none can be told.
pub(crate) fn of_table(
    keys: &[KeyAttribute],
    (kinds, patterns, told_by): (&[Kind], &[Vec<KeyPattern>], Option<&str>),
    items: &[Item],
    notes: &mut Vec<String>,
) -> Vec<TableTemplate> {
    let mut found: Vec<TableTemplate> = Vec::new();
    let mut sources: BTreeSet<String> = BTreeSet::new();
    let excluded: BTreeSet<&str> = keys.iter().map(|key| key.name.as_str()).collect();
    let conditions: BTreeMap<&str, Option<String>> = kinds
        .iter()
        .map(|kind| (kind.name.as_str(), condition(kind, told_by, items, &excluded)))
        .collect();
    for (nth, key) in keys.iter().enumerate() {
        let of_kinds: Vec<(&Kind, &KeyPattern)> = kinds
            .iter()
            .zip(patterns)
            .filter_map(|(kind, patterns)| Some((kind, patterns.get(nth)?)))
            .filter(|(_, pattern)| pattern.items > 0)
            .collect();
        let maker = Maker { key, kinds, conditions: &conditions, items };
        match maker.template(&of_kinds) {
            Some(Ok((template, parsed))) if !sources.contains(&key.name) => {
                let names: Vec<&str> = parsed.names().into_iter().collect();
                if found.iter().any(|earlier| names.contains(&earlier.attribute.as_str())) {
                    notes
                        .push(format!("{}: its template would name a derived attribute", key.name));
                    continue;
                }
                sources.extend(names.into_iter().map(str::to_owned));
                found.push(template);
            }
            Some(Ok(_)) => notes.push(format!("{}: another template names it", key.name)),
            Some(Err(why)) => notes.push(format!("{}: {why}", key.name)),
            None => {}
        }
    }
    found
}

struct Maker<'m> {
    key: &'m KeyAttribute,
    kinds: &'m [Kind],
    /// The condition of each kind, by its name.
    conditions: &'m BTreeMap<&'m str, Option<String>>,
    items: &'m [Item],
}

impl Maker<'_> {
    /// Returns the template of a key attribute, or why there is none; nothing if no kind has a template for it.
    fn template(
        &self,
        of_kinds: &[(&Kind, &KeyPattern)],
    ) -> Option<Result<(TableTemplate, KeyTemplate), String>> {
        let with: Vec<&(&Kind, &KeyPattern)> =
            of_kinds.iter().filter(|(_, pattern)| pattern.is_template).collect();
        let (_, first) = with.first()?;
        // An item of no kind is no item of the template.
        let is_of_all =
            self.kinds.iter().map(|kind| kind.rows.len()).sum::<usize>() == self.items.len();
        let is_one = is_of_all
            && with.len() == self.kinds.len()
            && with.iter().all(|(_, it)| it.pattern == first.pattern && it.when == first.when);
        let mut cases = Vec::new();
        let mut without: Vec<String> = of_kinds
            .iter()
            .filter(|(_, pattern)| !pattern.is_template)
            .map(|(kind, _)| kind.name.clone())
            .collect();
        for (kind, pattern) in &with {
            let when = pattern.when.as_deref();
            if is_one {
                cases = vec![template_text(&self.key.name, &pattern.pattern, when)];
                break;
            }
            let Some(Some(of_kind)) = self.conditions.get(kind.name.as_str()) else {
                without.push(kind.name.clone());
                continue;
            };
            let when = [Some(of_kind.as_str()), when].into_iter().flatten().collect::<Vec<_>>();
            cases.push(template_text(&self.key.name, &pattern.pattern, Some(&when.join(" AND "))));
        }
        if cases.is_empty() {
            return Some(Err(
                "no condition tells its kinds apart, so no template can be set".to_owned()
            ));
        }
        Some(self.joined(&cases, without))
    }

    fn joined(
        &self,
        cases: &[String],
        without: Vec<String>,
    ) -> Result<(TableTemplate, KeyTemplate), String> {
        let head = template_text(&self.key.name, "", None);
        let head = head.trim_end_matches('"').to_owned();
        let mut text = String::new();
        for (nth, case) in cases.iter().enumerate() {
            match (nth, case.strip_prefix(&head)) {
                (1.., Some(rest)) => {
                    text.push_str(" else ");
                    text.push_str(rest);
                }
                _ => text.push_str(case),
            }
        }
        let template = KeyTemplate::parse(&text).map_err(fault_text)?;
        let derived = self.items.iter().filter(|item| match item.get(&self.key.name) {
            Some(ValueRef::S(found)) => rendered(&template, item).as_deref() == Some(found),
            _ => false,
        });
        let having = self.items.iter().filter(|item| item.get(&self.key.name).is_some());
        let told = TableTemplate {
            attribute: self.key.name.clone(),
            is_check: self.key.of_table.is_some(),
            derived: count(derived.count()),
            items: count(having.count()),
            template: text,
            without,
        };
        Ok((told, template))
    }
}

/// Returns the condition that only the items of a kind meet.
fn condition(
    kind: &Kind,
    told_by: Option<&str>,
    items: &[Item],
    excluded: &BTreeSet<&str>,
) -> Option<String> {
    if let (Some(attribute), Some(value)) = (told_by, &kind.value) {
        return Some(format!("{} = {}", when::name(attribute), when::text(value)));
    }
    let of_kind: BTreeSet<usize> = kind.rows.iter().copied().collect();
    let (mut these, mut others) = (Vec::new(), Vec::new());
    for (row, item) in items.iter().enumerate() {
        if of_kind.contains(&row) { these.push(item) } else { others.push(item) }
    }
    when::marker(&these, &others, excluded)
}
