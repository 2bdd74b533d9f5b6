//! From key conditions and `ExclusiveStartKey` to the byte range of a page.

use crate::fault;
use crate::layout::{self, KeyFault, SortBounds};
use crate::schema::{Index, IndexId, KeyAttribute, KeySchema, Table};
use hashrange_expr::{KeyConditions, KeyOperator, KeyPlan};
use hashrange_model::error::IndexedKeyFault;
use hashrange_model::limits::{PARTITION_KEY_MAX_BYTES, SORT_KEY_MAX_BYTES};
use hashrange_model::{Item, Reason, Value};
use hashrange_storage::{Direction, Key, KeyRange};

/// Returns the range of a Query.
pub(crate) fn of_query(
    table: &Table,
    index: Option<&Index>,
    conditions: &KeyConditions,
) -> Result<KeyRange, Reason> {
    let plan = matched(table, index, conditions)?;
    let schema = index.map_or(&table.key, |index| &index.key);
    check_values(schema, &plan).map_err(|fault| of_key(index, fault))?;
    Ok(of_plan(table, index, &plan))
}

/// Returns the range of key conditions that were matched against the schema.
pub(crate) fn of_plan(table: &Table, index: Option<&Index>, plan: &KeyPlan) -> KeyRange {
    let schema = index.map_or(&table.key, |index| &index.key);
    let id = index.map_or(IndexId::BASE, |index| index.id);
    let prefix = layout::partition_prefix_of_values(table.id(), id, &plan.partition);
    let mut bounds = SortBounds::new(prefix, index.is_none());
    let mut sort = schema.sort.iter();
    for (value, attribute) in plan.sort_equal.iter().zip(sort.by_ref()) {
        bounds.push_equal(attribute.key_type, value);
    }
    match (&plan.sort_range, sort.next()) {
        (Some(operator), Some(attribute)) => bounds.narrowed(attribute.key_type, operator),
        // On the base table an equality names one key; its prefix would also match longer ones.
        _ if !plan.sort_equal.is_empty() => bounds.exact(),
        _ => bounds.all(),
    }
}

/// Returns key conditions matched against the key schema of a table or of its index.
pub(crate) fn matched(
    table: &Table,
    index: Option<&Index>,
    conditions: &KeyConditions,
) -> Result<KeyPlan, Reason> {
    let schema = index.map_or(&table.key, |index| &index.key);
    let plan = conditions.plan(&typed(&schema.partition), &typed(&schema.sort));
    plan.map_err(|reason| match reason {
        Reason::EmptyKeyValue { attribute, attribute_type } => {
            of_key(index, KeyFault::Empty { attribute, attribute_type })
        }
        other => other,
    })
}

/// Returns the fault of a key value in the words for the table, or in those for its index.
/// Sources: of an empty value, an answer of 2024; of a long one in an index, as a write words it.
fn of_key(index: Option<&Index>, fault: KeyFault) -> Reason {
    let Some(index) = index else { return fault::of_key_member(fault) };
    let (attribute, fault) = match fault {
        KeyFault::Missing(_) | KeyFault::Type { .. } => return fault::of_key_member(fault),
        KeyFault::Empty { attribute, attribute_type } => {
            (attribute, IndexedKeyFault::Empty(attribute_type))
        }
        KeyFault::PartitionTooLong { attribute, size_bytes } => {
            (attribute, IndexedKeyFault::TooLong { size_bytes, max_bytes: PARTITION_KEY_MAX_BYTES })
        }
        KeyFault::SortTooLong { attribute, size_bytes } => {
            (attribute, IndexedKeyFault::TooLong { size_bytes, max_bytes: SORT_KEY_MAX_BYTES })
        }
    };
    Reason::IndexKey { index: index.name.clone(), attribute, fault }
}

fn typed(attributes: &[KeyAttribute]) -> Vec<hashrange_expr::KeyAttribute<'_>> {
    attributes
        .iter()
        .map(|attribute| hashrange_expr::KeyAttribute {
            name: &attribute.name,
            attribute_type: attribute.key_type.attribute_type(),
        })
        .collect()
}

/// Refuses empty and too long key values.
fn check_values(schema: &KeySchema, plan: &KeyPlan) -> Result<(), KeyFault> {
    for (attribute, value) in schema.partition.iter().zip(&plan.partition) {
        let size_bytes = value.get().size();
        if size_bytes > PARTITION_KEY_MAX_BYTES {
            let attribute = attribute.name.clone();
            return Err(KeyFault::PartitionTooLong { attribute, size_bytes });
        }
        check_not_empty(attribute, value)?;
    }
    let range = plan.sort_range.iter().flat_map(KeyOperator::values);
    for (nth, value) in plan.sort_equal.iter().chain(range).enumerate() {
        let Some(attribute) = schema.sort.get(nth.min(plan.sort_equal.len())) else { continue };
        let size_bytes = value.get().size();
        if size_bytes > SORT_KEY_MAX_BYTES {
            let attribute = attribute.name.clone();
            return Err(KeyFault::SortTooLong { attribute, size_bytes });
        }
        check_not_empty(attribute, value)?;
    }
    Ok(())
}

fn check_not_empty(attribute: &KeyAttribute, value: &Value) -> Result<(), KeyFault> {
    if value.get().size() > 0 {
        return Ok(());
    }
    Err(KeyFault::Empty {
        attribute: attribute.name.clone(),
        attribute_type: attribute.key_type.attribute_type(),
    })
}

/// Request of a start key, which determines the wording of its faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    Query,
    Scan,
}

/// Returns the byte key of an `ExclusiveStartKey`. It need not exist.
pub(crate) fn start_key(
    table: &Table,
    index: Option<&Index>,
    start: &Item,
    reader: Reader,
) -> Result<Key, Reason> {
    let is_expected = |name: &str| {
        table.key.contains(name) || index.is_some_and(|index| index.key.contains(name))
    };
    let expected = table.key.len()
        + index.map_or(0, |index| {
            index.key.all().filter(|attribute| !table.key.contains(&attribute.name)).count()
        });
    if start.iter().count() != expected || !start.iter().all(|(name, _)| is_expected(name)) {
        return Err(match (index, reader) {
            (None, Reader::Scan) => Reason::StartKeySchema,
            _ => Reason::StartKeyInvalid,
        });
    }
    let invalid = |index, fault| match (fault, reader) {
        (KeyFault::Missing(_) | KeyFault::Type { .. }, Reader::Query) => Reason::StartKeyInvalid,
        (fault, _) => Reason::StartKeyValue(Box::new(of_key(index, fault))),
    };
    let Some(index) = index else {
        return Ok(layout::item_key(table, start).map_err(|fault| invalid(None, fault))?.bytes);
    };
    layout::check_key(&index.key, start).map_err(|fault| invalid(Some(index), fault))?;
    layout::check_key(&table.key, start).map_err(|fault| invalid(None, fault))?;
    layout::entry_key(table, index, start).ok_or(Reason::StartKeyInvalid)
}

/// Returns the rest of a range after a start key, which is not included.
pub(crate) fn after(mut range: KeyRange, key: Key, direction: Direction) -> KeyRange {
    match direction {
        Direction::Forward => {
            range.start = key;
            range.start.push(0);
        }
        Direction::Backward => range.end = Some(key),
    }
    range
}

/// Returns whether a key lies in a range.
pub(crate) fn contains(range: &KeyRange, key: &[u8]) -> bool {
    &range.start[..] <= key && range.end.as_deref().is_none_or(|end| key < end)
}

/// Returns whether a start key has the partition key of a Query's range.
pub(crate) fn shares_partition(
    table: &Table,
    index: Option<&Index>,
    range: &KeyRange,
    start: &Item,
) -> bool {
    let schema = index.map_or(&table.key, |index| &index.key);
    let id = index.map_or(IndexId::BASE, |index| index.id);
    layout::partition_prefix(table.id(), id, schema, start)
        .is_ok_and(|prefix| range.start.starts_with(&prefix))
}
