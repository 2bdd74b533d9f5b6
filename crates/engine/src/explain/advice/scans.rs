//! Reads of a whole table where a filter says which part is wanted: partitions by IN, or the items that a sparse
//! index holds.

use super::indexes::{holds_all, is_readable};
use crate::explain::explanation::{Advice, AdviceKind, ReadStep};
use crate::explain::plan::{ReadPlan, Sampled};
use crate::schema::{IndexKind, KeyAttribute, KeySchema};
use hashrange_expr::partiql::{self, KeyRead};
use hashrange_expr::{KeyOperator, name_text};
use hashrange_model::{Item, Value};

/// An index that holds more than one item of so many is not sparse.
const HELD_ONE_OF: usize = 2;

/// A filter lists values of the partition key of the table or of an index, by IN or by OR.
pub(super) fn listed_partitions(read: &ReadPlan<'_>) -> Option<Advice> {
    let filter = read.filter.as_ref().filter(|_| read.keys.is_none() && read.index().is_none())?;
    let table = read.page.table;
    let indexes = table.indexes.iter().filter(|index| {
        index.kind == IndexKind::Global
            && is_readable(read, index)
            && holds_all(read, index, Some(filter))
    });
    let of_indexes = indexes.map(|index| (Some(index.name.as_str()), &index.key));
    let mut schemas = std::iter::once((None, &table.key)).chain(of_indexes);
    let (index, schema, count) = schemas.find_map(|(index, schema)| {
        let [partition] = &schema.partition[..] else { return None };
        let of = partition.key_type.attribute_type();
        let count = filter.candidates_of(&partition.name, of)?;
        is_keyed(read, schema).then_some((index, schema, count))
    })?;
    let name = name_text(&schema.partition.first()?.name);
    let what = index.map_or_else(|| "the table".to_owned(), |index| format!("index {index}"));
    let without: Vec<String> = schema.sort.iter().map(|it| name_text(&it.name)).collect();
    let sparse = match (index, &without[..]) {
        (Some(_), [_, ..]) => format!(" (items without {} are not in it)", without.join(" and ")),
        _ => String::new(),
    };
    let table = &table.record.name;
    let read_by = match (index, &read.statement) {
        (Some(index), Some(_)) => format!("FROM \"{table}\".\"{index}\""),
        (Some(_), None) => format!("a Query of {what} for each value"),
        (None, _) => format!(
            "a Query for each value, BatchGetItem for whole keys, or SELECT ... FROM \"{table}\" WHERE {name} IN \
             [...]"
        ),
    };
    Some(Advice {
        kind: AdviceKind::IndexFits,
        finding: format!("all is read although the filter lists {count} values of {name}"),
        evidence: format!("{name} is the partition key of {what}"),
        remedy: format!("{read_by} reads only these partitions{sparse}"),
    })
}

/// Returns whether a statement would read the keys of its WHERE; other reads make a Query of each.
fn is_keyed(read: &ReadPlan<'_>, schema: &KeySchema) -> bool {
    let Some(statement) = &read.statement else { return true };
    let (Some(condition), [partition]) = (&statement.condition, &schema.partition[..]) else {
        return false;
    };
    let sort = schema.sort.first();
    let reads = partiql::reads(condition, &partition.name, sort.map(|it| it.name.as_str()));
    let is_of = |value: &Value, key: &KeyAttribute| {
        value.get().attribute_type() == key.key_type.attribute_type()
    };
    let is_typed = |keys: &KeyRead| {
        let mut sorts = keys.sort.iter().flat_map(KeyOperator::values);
        is_of(&keys.partition, partition)
            && sorts.all(|value| sort.is_some_and(|sort| is_of(value, sort)))
    };
    !partiql::has_too_long_in(condition, &partition.name)
        && reads.is_some_and(|reads| !reads.is_too_many && reads.reads.iter().all(is_typed))
}

/// `attribute_exists(a)`, or what implies it, where an index holds only the items that have it.
pub(super) fn sparse_index(
    read: &ReadPlan<'_>,
    step: &ReadStep,
    sampled: &Sampled,
) -> Option<Advice> {
    // An index of nearly all items is not sparse.
    if step.sample.items > 0 && step.sample.matching == step.sample.items {
        return None;
    }
    let filter = read.filter.as_ref().filter(|_| read.keys.is_none() && read.index().is_none())?;
    let table = read.page.table;
    let wanted = filter.existing_attributes();
    let is_wanted = |key: &&&KeyAttribute| {
        let of = wanted.get(key.name.as_str());
        of.is_some_and(|of| of.is_none_or(|of| of == key.key_type.attribute_type()))
    };
    let is_sparse = |own: &[&KeyAttribute]| {
        let is_in = |item: &&Item| own.iter().all(|key| item.get(&key.name).is_some());
        let held = sampled.items.iter().filter(is_in).count();
        sampled.items.is_empty() || held * HELD_ONE_OF <= sampled.items.len()
    };
    let indexes = table.indexes.iter();
    let usable = indexes.filter(|it| is_readable(read, it) && holds_all(read, it, Some(filter)));
    let fit = usable.into_iter().find_map(|index| {
        let own = index.key.all().filter(|it| !table.key.contains(&it.name));
        let own: Vec<&KeyAttribute> = own.collect();
        let named = own.iter().find(is_wanted)?.name.as_str();
        let own_names: Vec<&str> = own.iter().map(|it| it.name.as_str()).collect();
        is_sparse(&own).then_some((index, named, own_names))
    });
    let (index, attribute, own) = fit?;
    let others: Vec<String> =
        own.iter().filter(|it| **it != attribute).map(|it| name_text(it)).collect();
    let also = match &others[..] {
        [] => String::new(),
        others => format!(", nor those without {}", others.join(" or ")),
    };
    let (name, index) = (name_text(attribute), &index.name);
    Some(Advice {
        kind: AdviceKind::SparseIndex,
        finding: format!("the whole table is read for the items that have {name}"),
        evidence: format!(
            "{name} is a key of index {index}: items without it are not in there{also}"
        ),
        remedy: match read.statement {
            Some(_) => format!("FROM \"{}\".\"{index}\" reads only these", table.record.name),
            None => format!("a Scan of index {index} reads only these"),
        },
    })
}
