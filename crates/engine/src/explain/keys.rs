//! Key conditions of a read, and its ranges in words and in the bytes of the store.

use super::explanation::{Access, RangeRead};
use super::plan::ReadPlan;
use crate::layout;
use crate::read::{key_range, versions};
use crate::schema::{Index, IndexId, KeySchema, Past, Table};
use hashrange_expr::{KeyConditions, KeyOperator, KeyPlan, KeyText, sort_range_text};
use hashrange_model::bounds::{
    Bounded, TOLD_RANGES_MAX, TOLD_TEXT_MAX_BYTES, TOLD_VALUE_MAX_BYTES, told,
};
use hashrange_model::{AttributeValue, Item, Reason, Value};
use hashrange_storage::KeyRange;
use std::fmt::Write as _;

/// One partition with the conditions on its sort key.
#[derive(Debug, Clone)]
pub(crate) struct ReadKeys {
    /// A value for each partition key attribute.
    pub(crate) partition: Vec<Value>,
    /// Conditions on sort key attributes, named by their offset in the schema; all of them hold.
    pub(crate) sort: Vec<(usize, KeyOperator)>,
    /// Its whole range, wherever a page begins.
    pub(crate) range: KeyRange,
}

impl ReadKeys {
    /// Returns the keys of a Query.
    pub(crate) fn of_query(
        table: &Table,
        index: Option<&Index>,
        conditions: &KeyConditions,
    ) -> Result<Self, Reason> {
        let plan = key_range::matched(table, index, conditions)?;
        let equal = plan.sort_equal.into_iter().map(KeyOperator::Equal);
        Ok(Self {
            partition: plan.partition,
            sort: equal.chain(plan.sort_range).enumerate().collect(),
            range: versions::stored(table, key_range::of_query(table, index, conditions)?),
        })
    }

    /// Returns the key of one item, which the table's own checks may still refuse.
    pub(crate) fn of_item(table: &Table, key: &Item) -> Self {
        let values = |schema: &[crate::schema::KeyAttribute]| -> Vec<Value> {
            schema.iter().filter_map(|it| Some(key.get(&it.name)?.to_value())).collect()
        };
        let equal = values(&table.key.sort).into_iter().map(KeyOperator::Equal);
        Self {
            partition: values(&table.key.partition),
            sort: equal.enumerate().collect(),
            range: layout::item_key(table, key).map_or_else(
                |_| KeyRange { start: Vec::new(), end: Some(Vec::new()) },
                |key| versions::stored(table, layout::single(&key.bytes)),
            ),
        }
    }

    /// Returns the range of the whole partition.
    pub(crate) fn whole_partition(&self, table: &Table, index: Option<&Index>) -> KeyRange {
        let id = index.map_or(IndexId::BASE, |index| index.id);
        let prefix = layout::partition_prefix_of_values(table.id(), id, &self.partition);
        versions::stored(table, KeyRange::prefix(&prefix))
    }

    /// Returns whether the read is of at most one item of the table; an item may have many versions.
    fn is_one_item(&self, table: &Table, index: Option<&Index>) -> bool {
        let is_equal =
            |(_, operator): &(usize, KeyOperator)| matches!(operator, KeyOperator::Equal(_));
        index.is_none()
            && table.past != Some(Past::Versions)
            && (table.key.sort.is_empty() || self.sort.iter().any(is_equal))
    }

    /// Returns the range under another condition on the last sort key attribute.
    pub(super) fn narrowed(
        &self,
        read: &ReadPlan<'_>,
        operator: fn(Value) -> KeyOperator,
        text: &str,
    ) -> KeyRange {
        let equal = self.sort.iter().filter_map(|(_, operator)| match operator {
            KeyOperator::Equal(value) => Some(value.clone()),
            _ => None,
        });
        let plan = KeyPlan {
            partition: self.partition.clone(),
            sort_equal: equal.collect(),
            sort_range: Some(operator(AttributeValue::from(text).to_value())),
        };
        versions::stored(read.page.table, key_range::of_plan(read.page.table, read.index(), &plan))
    }

    /// Returns the partition key as a condition.
    pub(crate) fn partition_text(&self, schema: &KeySchema) -> String {
        let attributes = schema.partition.iter().zip(&self.partition);
        conditions(attributes.map(|(it, value)| (&*it.name, KeyOperator::Equal(value.clone()))))
    }

    /// Returns the conditions on the sort key; none if there are none.
    fn sort_text(&self, schema: &KeySchema) -> Option<String> {
        let text = |(nth, operator): &(usize, KeyOperator)| {
            let attribute = schema.sort.get(*nth)?;
            Some(told(&sort_range_text(&attribute.name, operator)))
        };
        let texts: Vec<_> = self.sort.iter().filter_map(text).collect();
        (!texts.is_empty()).then(|| told(&texts.join(" AND ")))
    }

    /// Returns the parts of the keys by the templates.
    fn parts_text(&self, table: &Table, schema: &KeySchema) -> Option<String> {
        let partition = schema.partition.iter().zip(&self.partition).map(|it| (it, false));
        let sort = self.sort.iter().filter_map(|(nth, operator)| {
            let attribute = schema.sort.get(*nth)?;
            match operator {
                KeyOperator::Equal(value) => Some(((attribute, value), false)),
                KeyOperator::BeginsWith(value) => Some(((attribute, value), true)),
                _ => None,
            }
        });
        let parts = partition.chain(sort).filter_map(|((attribute, value), is_beginning)| {
            table.key_parts(&attribute.name, value.get().as_str()?, is_beginning)
        });
        let parts: Vec<String> = parts.collect();
        (!parts.is_empty()).then(|| told(&parts.join(" AND ")))
    }

    /// Returns the only sort key condition other than equality, with its attribute.
    pub(crate) fn one_range<'s>(&self, schema: &'s KeySchema) -> Option<(&'s str, &KeyOperator)> {
        let (last, before) = self.sort.split_last()?;
        let is_equal = |operator: &KeyOperator| matches!(operator, KeyOperator::Equal(_));
        // A statement may have several conditions on one attribute.
        let fixes = |(nth, operator): &(usize, KeyOperator)| *nth < last.0 && is_equal(operator);
        if is_equal(&last.1) || !before.iter().all(fixes) {
            return None;
        }
        Some((&schema.sort.get(last.0)?.name, &last.1))
    }
}

/// Returns the access path of a read.
pub(super) fn access(read: &ReadPlan<'_>) -> Access {
    let index = read.index();
    match (read.keys.as_deref(), read.segment, index) {
        (None, Some(_), _) => Access::Segment,
        (None, None, Some(_)) => Access::WholeIndex,
        (None, None, None) => Access::WholeTable,
        (Some([keys]), _, _) if keys.is_one_item(read.page.table, index) => Access::OneItem,
        (Some([keys]), _, _) if keys.sort.is_empty() => Access::Partition,
        (Some([_]), _, _) => Access::KeyRange,
        (Some(_), _, _) => Access::SeveralRanges,
    }
}

/// Returns the first ranges in words, and the number of others.
pub(super) fn ranges(read: &ReadPlan<'_>) -> (Vec<RangeRead>, usize) {
    let told = read.ranges.iter().take(TOLD_RANGES_MAX);
    let ranges: Vec<_> = told.map(|range| told_range(read, range)).collect();
    let more = read.ranges.len() - ranges.len();
    (ranges, more)
}

fn told_range(read: &ReadPlan<'_>, range: &KeyRange) -> RangeRead {
    let schema = read.schema();
    let meets = |keys: &&ReadKeys| {
        let is_before = |one: &KeyRange, other: &KeyRange| {
            one.end.as_ref().is_some_and(|end| *end <= other.start)
        };
        !is_before(range, &keys.range) && !is_before(&keys.range, range)
    };
    let merged: Vec<_> = read.keys.iter().flatten().filter(meets).take(TOLD_RANGES_MAX).collect();
    let mut sorts: Vec<_> = merged.iter().map(|keys| keys.sort_text(schema)).collect();
    sorts.dedup();
    let sort = match &sorts[..] {
        [one] => one.clone(),
        several => {
            several.iter().cloned().collect::<Option<Vec<_>>>().map(|it| told(&it.join(" OR ")))
        }
    };
    RangeRead {
        partition: merged.first().map(|keys| keys.partition_text(schema)),
        sort: sort.filter(|sort| !sort.is_empty()),
        parts: match &merged[..] {
            [keys] => keys.parts_text(read.page.table, schema),
            _ => None,
        },
        first_key: hex(&range.start),
        end_key: range.end.as_deref().map(hex),
    }
}

/// Returns a key as text, a condition on each of its attributes.
pub(super) fn key_item_text(key: &Item) -> String {
    conditions(key.iter().map(|(name, value)| (name, KeyOperator::Equal(value.to_value()))))
}

/// Returns the conjunction of conditions on key attributes, cut at the bound.
fn conditions<'n>(all: impl Iterator<Item = (&'n str, KeyOperator)>) -> String {
    let mut text = Bounded::new(String::new(), TOLD_TEXT_MAX_BYTES);
    for (nth, (attribute, operator)) in all.enumerate() {
        let between = if nth == 0 { "" } else { " AND " };
        let condition = KeyText { attribute, operator: &operator };
        if write!(text, "{between}{condition:.TOLD_VALUE_MAX_BYTES$}").is_err() {
            break;
        }
    }
    text.into_inner()
}

pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a String cannot fail.
        write!(text, "{byte:02x}").ok();
    }
    text
}
