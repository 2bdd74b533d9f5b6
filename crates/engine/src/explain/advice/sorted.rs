//! An index, or the table, whose sort key a filter tests: there the filter is a key condition, and the items that it
//! drops are not read.

use super::indexes::{holds_all, is_readable};
use crate::explain::plan::ReadPlan;
use crate::schema::{Index, IndexKind, KeySchema};
use hashrange_expr::partiql::{AsKeyCondition, as_key_condition};
use hashrange_expr::{Condition, KeyText, name_text};
use hashrange_model::{Value, bounds};

/// Index, or table, of the key condition.
struct Fit<'t> {
    /// None: the table.
    index: Option<&'t Index>,
    schema: &'t KeySchema,
    attribute: &'t str,
    moved: AsKeyCondition,
}

/// Returns the read to make instead of a whole partition; none if no sort key fits the filter.
pub(super) fn remedy(read: &ReadPlan<'_>) -> Option<String> {
    let filter = read.filter.as_ref()?;
    let [keys] = read.keys.as_deref()? else { return None };
    if !keys.sort.is_empty() {
        return None;
    }
    let table = read.page.table;
    let of_table = read.index().map(|_| (None, &table.key));
    let of_indexes = table.indexes.iter().filter(|index| {
        read.index().is_none_or(|known| known.id != index.id) && is_readable(read, index)
    });
    let of_indexes = of_indexes.map(|index| (Some(index), &index.key));
    let fits = of_table.into_iter().chain(of_indexes).filter_map(|(index, schema)| {
        let has_partition = schema.partition == read.schema().partition;
        let (attribute, moved) = moved(filter, schema).filter(|_| has_partition)?;
        Some(Fit { index, schema, attribute, moved })
    });
    let lacks =
        |fit: &Fit<'_>| fit.index.is_some_and(|index| !holds_all(read, index, Some(filter)));
    let fit = fits.min_by_key(|fit| lacks(fit))?;
    let partition = keys.partition_text(fit.schema);
    Some(told(read, &fit, &partition, lacks(&fit)))
}

/// Returns the part of a filter that is a condition on the first sort key attribute, if a read may filter by the
/// rest.
pub(super) fn moved<'t>(
    filter: &Condition,
    schema: &'t KeySchema,
) -> Option<(&'t str, AsKeyCondition)> {
    let sort = schema.sort.first()?;
    let moved = as_key_condition(filter, &sort.name)?;
    let is_typed = |value: &Value| value.get().attribute_type() == sort.key_type.attribute_type();
    let is_left =
        moved.filter.iter().flat_map(Condition::attribute_names).any(|name| name == sort.name);
    let is_allowed = !is_left && moved.operator.values().all(is_typed);
    is_allowed.then_some((sort.name.as_str(), moved))
}

fn told(read: &ReadPlan<'_>, fit: &Fit<'_>, partition: &str, lacks: bool) -> String {
    let Fit { index, schema, attribute, moved } = fit;
    let what = index.map_or_else(|| "the table".to_owned(), |it| format!("the index {}", it.name));
    let condition = KeyText { attribute, operator: &moved.operator };
    let condition = bounds::told(&condition);
    let how = if read.statement.is_some() {
        let from = index.map_or_else(String::new, |index| format!(".\"{}\"", index.name));
        format!("FROM \"{}\"{from} reads only {condition}", read.page.table.record.name)
    } else {
        let left =
            moved.filter.as_ref().map(|it| format!(", with the filter {}", bounds::told(it)));
        format!("query it by {partition} AND {condition}{}", left.unwrap_or_default())
    };
    let others: Vec<_> = schema.sort.iter().skip(1).map(|it| name_text(&it.name)).collect();
    let sparse = match &others[..] {
        [] => String::new(),
        others => format!(" (items without {} are not in it)", others.join(" and ")),
    };
    let fetched = match index.map(|index| index.kind) {
        Some(IndexKind::Local) if lacks => "; what it lacks is fetched from the table",
        Some(IndexKind::Global) if lacks => "; it lacks attributes of what is read here",
        Some(IndexKind::Local | IndexKind::Global) | None => "",
    };
    format!("{what} has {} as sort key: {how}{sparse}{fetched}", name_text(attribute))
}
