//! Filters: items they drop, indexes that would find their items, and Limit before the filter.

use super::indexes::holds_all;
use super::sorted;
use crate::explain::explanation::{Access, Advice, AdviceKind, ReadStep};
use crate::explain::keys::key_item_text;
use crate::explain::plan::ReadPlan;
use crate::explain::text::plural;
use crate::schema::{Index, IndexKind, IndexState, KeyAttribute, KeySchema};
use hashrange_expr::{Condition, KeyText, Name, name_text, partiql};
use hashrange_model::bounds::{TOLD_VALUE_MAX_BYTES, told};

/// Fewest items that are evidence.
const TOLD_MIN: usize = 10;
/// Most attributes of a filter that are named.
const NAMES_MAX: usize = 20;
/// A filter that keeps more than one item of so many gets no advice.
const KEPT_ONE_OF: usize = 2;

/// A filter that drops most items read.
pub(super) fn waste(read: &ReadPlan<'_>, step: &ReadStep) -> Option<Advice> {
    let filter = read.filter.as_ref()?;
    let (examined, kept, source) = match &step.counted {
        Some(counted) => (counted.examined.items, counted.returned.items, "were read"),
        None if step.sample.is_all => (step.sample.items, step.sample.matching, "would be read"),
        None => (step.sample.items, step.sample.matching, "were looked at, of more"),
    };
    if examined < TOLD_MIN || kept * KEPT_ONE_OF > examined {
        return None;
    }
    let percent = 100 * (examined - kept) / examined;
    let names = listed(&names_filtered(read, filter));
    Some(Advice {
        kind: AdviceKind::FilterWaste,
        finding: format!("the filter throws {percent} % of what is read away, which is paid for"),
        evidence: format!("{} {source}, {} kept", plural(examined, "item"), kept),
        remedy: sorted::remedy(read).unwrap_or_else(|| {
            told(&format_args!(
                "put {names} in the sort key of the table or of an index, or in a sparse index"
            ))
        }),
    })
}

/// A statement whose WHERE does not fix the partition key in every case.
pub(super) fn whole_read(read: &ReadPlan<'_>, step: &ReadStep) -> Option<Advice> {
    let condition = read.statement.as_ref()?.condition.as_ref()?;
    if !matches!(step.access, Access::WholeTable | Access::WholeIndex) {
        return None;
    }
    let partition = &read.schema().partition.first()?.name;
    let is_named = condition.attribute_names().any(|name| name == partition);
    let what = if read.index().is_some() { "index" } else { "table" };
    let partition = name_text(partition);
    // The past is read by the key of the table alone.
    let is_of_past = read.page.table.past.is_some();
    let or_index = if is_of_past { "" } else { ", or read an index that has another key" };
    let (why, remedy) = if is_named {
        (
            format!("not every way through WHERE fixes {partition}, the partition key, by = or IN"),
            format!("name values of {partition} by = or IN on both sides of each OR"),
        )
    } else {
        (
            format!("WHERE does not name {partition}, the partition key"),
            format!("add {partition} = ... to WHERE{or_index}"),
        )
    };
    Some(Advice {
        kind: AdviceKind::WholeRead,
        finding: format!("the whole {what} is read"),
        evidence: match step.estimate.items.at_most {
            Some(items) => format!("{why}; it holds {items} items"),
            None => why,
        },
        remedy,
    })
}

/// The table, or an index, whose partition key the filter fixes.
pub(super) fn index_that_fits(read: &ReadPlan<'_>) -> Option<Advice> {
    let filter = read.filter.as_ref().filter(|_| read.keys.is_none())?;
    let table = read.page.table;
    let fixed = filter.fixed_attributes();
    let fits = |schema: &KeySchema| {
        let is_simple = schema.partition.len() == 1 && schema.sort.len() <= 1;
        let names = schema.partition.iter().map(|it| it.name.as_str());
        let values = partiql::primary_key(filter, names);
        let is_typed = |it: &KeyAttribute| {
            let value = values.as_ref().and_then(|values| values.get(&it.name));
            value.is_some_and(|it_is| it_is.attribute_type() == it.key_type.attribute_type())
        };
        (is_simple || read.statement.is_none()) && schema.partition.iter().all(is_typed)
    };
    if fits(&table.key) {
        return Some(fitting(read, None, &table.key, &fixed));
    }
    let indexes = table.indexes.iter();
    let mut usable = indexes.filter(|index| {
        table.past.is_none()
            && index.kind == IndexKind::Global
            && index.state == IndexState::Active
            && !read.page.consistent
            && fits(&index.key)
            && holds_all(read, index, Some(filter))
    });
    usable.next().map(|index| fitting(read, Some(index), &index.key, &fixed))
}

fn fitting(
    read: &ReadPlan<'_>,
    index: Option<&Index>,
    schema: &KeySchema,
    fixed: &[&str],
) -> Advice {
    let what =
        index.map_or_else(|| "the table".to_owned(), |index| format!("index {}", index.name));
    let texts = |attributes: &[&KeyAttribute]| -> String {
        listed(&attributes.iter().map(|it| name_text(&it.name)).collect::<Vec<_>>())
    };
    let names = texts(&schema.partition.iter().collect::<Vec<_>>());
    let open: Vec<_> = schema.all().filter(|it| !fixed.contains(&it.name.as_str())).collect();
    let sparse = match (index, &open[..]) {
        (Some(_), [_, ..]) => format!(" (items without {} are not in it)", texts(&open)),
        _ => String::new(),
    };
    let read_by = match (read.statement.is_some(), index) {
        (true, Some(index)) => {
            format!("FROM \"{}\".\"{}\"", read.page.table.record.name, index.name)
        }
        (true, None) => format!("FROM \"{}\"", read.table_name()),
        (false, _) => format!("a Query of {what} by {}", key_condition(read, schema)),
    };
    Advice {
        kind: AdviceKind::IndexFits,
        finding: format!("all is read although the filter fixes {names}"),
        evidence: format!("{names} is the partition key of {what}"),
        remedy: format!("{read_by} reads only what has the value{sparse}"),
    }
}

/// Returns a filter that fixes the partition key as a key condition.
fn key_condition(read: &ReadPlan<'_>, schema: &KeySchema) -> String {
    let Some(filter) = &read.filter else { return String::new() };
    let partition = schema.partition.iter().map(|it| it.name.as_str());
    let mut text =
        partiql::primary_key(filter, partition).as_ref().map(key_item_text).unwrap_or_default();
    if let Some((sort, moved)) = sorted::moved(filter, schema) {
        let of_sort = KeyText { attribute: sort, operator: &moved.operator };
        text = format!("{text} AND {of_sort:.TOLD_VALUE_MAX_BYTES$}");
    }
    text
}

/// Limit counts items before the filter.
pub(super) fn limit(step: &ReadStep) -> Option<Advice> {
    let (limit, _) = step.limit.zip(step.filter.as_ref())?;
    let (seen, kept) = (plural(step.sample.items, "item"), step.sample.matching);
    Some(Advice {
        kind: AdviceKind::LimitBeforeFilter,
        finding: format!("a page examines {} and may return fewer, or none", plural(limit, "item")),
        evidence: format!("Limit counts before the filter; of {seen} looked at it keeps {kept}"),
        remedy:
            "read on while the answer has LastEvaluatedKey or NextToken, until there are enough"
                .to_owned(),
    })
}

/// Returns whether a filter tests nothing but keys of the table, or of one of its indexes.
pub(super) fn is_of_keys(read: &ReadPlan<'_>) -> bool {
    let table = read.page.table;
    let mut schemas = table.indexes.iter().map(|index| &index.key).chain([&table.key]);
    let names = || read.filter.iter().flat_map(Condition::attribute_names);
    schemas.any(|schema| names().all(|name| schema.contains(name)))
}

/// Returns the attributes of a filter that are not in the key of the read.
fn names_filtered(read: &ReadPlan<'_>, filter: &Condition) -> Vec<String> {
    let schema = read.schema();
    let mut names: Vec<String> = Vec::new();
    for name in filter.attribute_names().filter(|name| !schema.contains(name)) {
        let name = format!("{:.TOLD_VALUE_MAX_BYTES$}", Name(name));
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() == NAMES_MAX {
            break;
        }
    }
    if names.is_empty() { vec!["what it tests".to_owned()] } else { names }
}

fn listed(names: &[String]) -> String {
    match names {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.concat(),
    }
}
