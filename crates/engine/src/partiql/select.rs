//! SELECT: planned as the read of one item, of ranges of partitions, or of a whole table or index.

use crate::capacity::{Units, read_units};
use crate::ops::key_range::{self, Reader};
use crate::ops::select::Selection;
use crate::read::{Page, PagePlan, Rows, read_ranges};
use crate::schema::{Index, IndexId, IndexKind, IndexState, KeySchema, Table};
use crate::{fault, layout};
use hashrange_expr::partiql::{self, KeyRead, Order, Select};
use hashrange_expr::{Condition, Projection};
use hashrange_model::error::StatementFault;
use hashrange_model::{ApiResult, Item, Reason, Value};
use hashrange_storage::{Direction, Key, KeyRange, View};

/// Most partitions that one statement reads.
/// Source: Amazon DynamoDB developer guide, "PartiQL operators", IN.
const PARTITIONS_MAX: usize = 50;

/// How a SELECT is read.
#[derive(Debug)]
pub(crate) enum SelectPlan<'t> {
    /// One item of the table.
    Item { key: Key, filter: Option<Condition>, projection: Option<Projection>, consistent: bool },
    /// Ranges, one after the other.
    Ranges { page: Box<PagePlan<'t>>, ranges: Vec<KeyRange> },
}

/// A range of one partition.
struct PartitionRange {
    partition: Value,
    range: KeyRange,
    /// Whether the statement has a condition on the sort key.
    is_narrowed: bool,
}

/// Plans a SELECT; `limit` is the most items to evaluate, `start` the key to go on after.
pub(crate) fn plan<'t>(
    table: &'t Table,
    select: Select,
    consistent: bool,
    limit: Option<i32>,
    start: Option<&Item>,
) -> Result<SelectPlan<'t>, Reason> {
    let index = index_named(table, select.index.as_deref(), consistent)?;
    let secondary = index.map(|(_, index)| index);
    let schema = secondary.map_or(&table.key, |index| &index.key);
    let (partition, sort) = single_key(schema)?;
    let reads =
        select.condition.as_ref().and_then(|condition| partiql::reads(condition, partition, sort));
    let is_exact = reads.as_ref().is_some_and(|reads| reads.is_exact);
    let order = Ordering::of(&select.order, schema, reads.is_some())?;
    let filter = select.condition.filter(|_| !is_exact);
    let ranges = match &reads {
        None => {
            let id = secondary.map_or(IndexId::BASE, |index| index.id);
            vec![layout::keyspace(table.id(), id)]
        }
        Some(reads) => {
            let is_point = |read: &KeyRead| schema.sort.is_empty() || read.fixes_sort();
            let single = (secondary.is_none() && start.is_none()).then_some(&reads.reads[..]);
            let mut ranges = partition_ranges(table, secondary, &reads.reads)?;
            if let (Some([read]), [_]) = (single, &ranges[..])
                && is_point(read)
            {
                let key = ranges.remove(0).range.start;
                return Ok(SelectPlan::Item {
                    key,
                    filter,
                    projection: select.projection,
                    consistent,
                });
            }
            order.arrange(ranges)?
        }
    };
    let ranges = match start {
        None => ranges,
        Some(start) => resume(table, secondary, ranges, start, order.direction)?,
    };
    let selection = Selection::new(None, select.projection, "SELECT", index.is_some(), false)?;
    selection.check_index(secondary)?;
    let fetches = selection.needs_table(secondary, filter.as_ref());
    let page = PagePlan {
        table,
        index,
        range: KeyRange { start: Vec::new(), end: Some(Vec::new()) },
        direction: order.direction,
        limit: limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(1)),
        filter,
        output: selection.into_output(fetches),
        fetches,
        consistent,
    };
    Ok(SelectPlan::Ranges { page: Box::new(page), ranges })
}

impl SelectPlan<'_> {
    /// Returns the key of the one item that is read.
    pub(crate) fn item_key(&self) -> Option<&Key> {
        match self {
            Self::Item { key, .. } => Some(key),
            Self::Ranges { .. } => None,
        }
    }

    /// Reads the page from one view.
    pub(crate) async fn run<V: View, R: Rows>(self, view: &V) -> ApiResult<Page<R>> {
        match self {
            Self::Ranges { page, ranges } => read_ranges(view, &page, &ranges).await,
            Self::Item { key, filter, projection, consistent } => {
                let stored = view.get(&key).await.map_err(fault::of_store)?;
                let item = stored.map(Item::from_stored).transpose().map_err(fault::of_form)?;
                let size = item.as_ref().map_or(0, Item::size);
                let matching = item.filter(|item| filter.is_none_or(|filter| filter.matches(item)));
                let mut items = R::with_capacity(2 * size);
                if let Some(item) = matching {
                    items.push(match &projection {
                        Some(projection) => projection.apply(&item),
                        None => item,
                    });
                }
                let units = Units::of_table(read_units(size, consistent));
                Ok(Page { items, count: 0, scanned: 1, last_evaluated_key: None, units })
            }
        }
    }
}

/// Returns the index that a statement names, with its offset.
fn index_named<'t>(
    table: &'t Table,
    name: Option<&str>,
    consistent: bool,
) -> Result<Option<(usize, &'t Index)>, Reason> {
    let Some(name) = name else { return Ok(None) };
    let (nth, index) = table
        .indexes
        .iter()
        .enumerate()
        .find(|(_, index)| index.name == name)
        .ok_or(StatementFault::NoSuchIndex)?;
    if consistent && index.kind == IndexKind::Global {
        return Err(StatementFault::ConsistentRead.into());
    }
    if index.state == IndexState::Creating {
        return Err(Reason::IndexBackfilling(name.to_owned()));
    }
    Ok(Some((nth, index)))
}

/// Returns the names of partition and sort key, of which there may be one each.
fn single_key(schema: &KeySchema) -> Result<(&str, Option<&str>), Reason> {
    match (&schema.partition[..], &schema.sort[..]) {
        ([partition], []) => Ok((&partition.name, None)),
        ([partition], [sort]) => Ok((&partition.name, Some(&sort.name))),
        _ => Err(StatementFault::MultiAttributeKey.into()),
    }
}

/// Returns the ranges of the reads; empty ones are left out.
fn partition_ranges(
    table: &Table,
    index: Option<&Index>,
    reads: &[KeyRead],
) -> Result<Vec<PartitionRange>, Reason> {
    let (partition, sort) = single_key(index.map_or(&table.key, |index| &index.key))?;
    let mut ranges: Vec<PartitionRange> = Vec::with_capacity(reads.len());
    for read in reads {
        let mut range: Option<KeyRange> = None;
        for conditions in read.conditions(partition, sort) {
            let one = key_range::of_query(table, index, &conditions)?;
            range = Some(match range {
                None => one,
                Some(range) => intersection(range, one),
            });
        }
        let is_narrowed = !read.sort.is_empty();
        ranges.extend(range.filter(|range| !is_empty(range)).map(|range| PartitionRange {
            partition: read.partition.clone(),
            range,
            is_narrowed,
        }));
    }
    Ok(ranges)
}

fn intersection(one: KeyRange, two: KeyRange) -> KeyRange {
    let end = match (one.end, two.end) {
        (Some(one), Some(two)) => Some(one.min(two)),
        (one, two) => one.or(two),
    };
    KeyRange { start: one.start.max(two.start), end }
}

fn is_empty(range: &KeyRange) -> bool {
    range.end.as_ref().is_some_and(|end| *end <= range.start)
}

/// The order of the items, as ORDER BY asks for it.
struct Ordering {
    direction: Direction,
    /// Whether partitions are ordered by their key, and whether from the last to the first.
    by_partition: Option<bool>,
}

impl Ordering {
    fn of(order: &[Order], schema: &KeySchema, is_keyed: bool) -> Result<Self, Reason> {
        let mut ordering = Self { direction: Direction::Forward, by_partition: None };
        if !order.is_empty() && !is_keyed {
            return Err(StatementFault::OrderWithoutKey.into());
        }
        for Order { attribute, descending } in order {
            if schema.partition.iter().any(|partition| partition.name == *attribute) {
                ordering.by_partition = Some(*descending);
            } else if !schema.contains(attribute) {
                return Err(StatementFault::OrderAttribute(attribute.clone()).into());
            } else if *descending {
                ordering.direction = Direction::Backward;
            }
        }
        Ok(ordering)
    }

    /// Returns the ranges in order: those of one partition next to each other, and merged where
    /// they overlap.
    fn arrange(&self, ranges: Vec<PartitionRange>) -> Result<Vec<KeyRange>, Reason> {
        let mut partitions: Vec<(Value, Vec<PartitionRange>)> = Vec::new();
        for range in ranges {
            match partitions.iter_mut().find(|(partition, _)| *partition == range.partition) {
                Some((_, ranges)) => ranges.push(range),
                None => partitions.push((range.partition.clone(), vec![range])),
            }
        }
        if partitions.len() > PARTITIONS_MAX {
            return Err(StatementFault::TooManyPartitions.into());
        }
        if let Some(descending) = self.by_partition {
            partitions.sort_by(|(one, _), (two, _)| {
                let order = one.as_bytes().cmp(two.as_bytes());
                if descending { order.reverse() } else { order }
            });
        }
        let mut arranged = Vec::new();
        for (_, ranges) in partitions {
            let mut ranges = merged(ranges)?;
            if self.direction == Direction::Backward {
                ranges.reverse();
            }
            arranged.append(&mut ranges);
        }
        Ok(arranged)
    }
}

/// Returns the ranges of one partition in ascending order. Two different conditions on the sort
/// key may not overlap.
fn merged(mut ranges: Vec<PartitionRange>) -> Result<Vec<KeyRange>, Reason> {
    ranges.sort_by(|one, two| one.range.start.cmp(&two.range.start));
    let mut merged: Vec<PartitionRange> = Vec::with_capacity(ranges.len());
    for range in ranges {
        let Some(last) = merged
            .last_mut()
            .filter(|last| last.range.end.as_ref().is_none_or(|end| range.range.start < *end))
        else {
            merged.push(range);
            continue;
        };
        if last.is_narrowed && range.is_narrowed && last.range != range.range {
            return Err(StatementFault::Overlap.into());
        }
        last.is_narrowed &= range.is_narrowed;
        last.range.end = match (last.range.end.take(), range.range.end) {
            (Some(one), Some(two)) => Some(one.max(two)),
            _ => None,
        };
    }
    Ok(merged.into_iter().map(|range| range.range).collect())
}

/// Returns what is left of the ranges after a key, which must lie in one of them.
fn resume(
    table: &Table,
    index: Option<&Index>,
    ranges: Vec<KeyRange>,
    start: &Item,
    direction: Direction,
) -> Result<Vec<KeyRange>, Reason> {
    let invalid = || Reason::Statement(StatementFault::TokenInvalid);
    let key = key_range::start_key(table, index, start, Reader::Query).map_err(|_| invalid())?;
    let nth =
        ranges.iter().position(|range| key_range::contains(range, &key)).ok_or_else(invalid)?;
    let mut left = ranges.into_iter().skip(nth);
    let first = left.next().map(|range| key_range::after(range, key, direction));
    Ok(first.into_iter().chain(left).collect())
}
