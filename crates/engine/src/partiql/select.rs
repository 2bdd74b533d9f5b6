//! SELECT, planned as the read of one item, of ranges of partitions, or of a whole table or index. A read of versions
//! is always of ranges: one item has many.

use crate::capacity::{Units, read_units};
use crate::intent::{Access, Intent, Returns, Verb};
use crate::read::key_range::{self, Reader};
use crate::read::selection::{IndexFault, Selection, readable_index};
use crate::read::{Fetched, Page, PagePlan, Rows, read_ranges, versions};
use crate::schema::{Index, IndexId, KeySchema, Past, Table};
use crate::{fault, layout};
use hashrange_expr::partiql::{self, KeyRead, KeyReads, Order, Select};
use hashrange_expr::{Condition, Filter, Projection};
use hashrange_model::error::StatementFault;
use hashrange_model::{ApiResult, Item, Reason, Value};
use hashrange_storage::{Direction, Key, KeyRange, View};
use std::collections::HashMap;

/// Most items in a page of a statement that reads several partitions.
/// Source: Amazon DynamoDB developer guide, "PartiQL operators", IN.
const PARTITIONS_PAGE_MAX: usize = 10;

/// Plan of a SELECT.
#[derive(Debug)]
pub(crate) enum SelectPlan<'t> {
    /// One item of the table.
    Item {
        table: &'t Table,
        key: Key,
        filter: Option<&'t Condition>,
        projection: Option<&'t Projection>,
        consistent: bool,
    },
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
    select: &'t Select,
    consistent: bool,
    limit: Option<i32>,
    start: Option<&Item>,
) -> Result<SelectPlan<'t>, Reason> {
    let index = index_named(table, select.index.as_deref(), consistent)?;
    let secondary = index.map(|(_, index)| index);
    let schema = secondary.map_or(&table.key, |index| &index.key);
    let (partition, sort) = single_key(schema)?;
    if let Some(fault) = &select.column_fault {
        return Err(fault.clone().into());
    }
    let condition = select.condition.as_ref();
    let reads = condition.and_then(|condition| partiql::reads(condition, partition, sort));
    let is_too_many = reads.as_ref().is_some_and(|reads| reads.is_too_many);
    let has_too_long_in = |condition| partiql::has_too_long_in(condition, partition);
    if is_too_many || condition.is_some_and(has_too_long_in) {
        return Err(StatementFault::TooManyReads.into());
    }
    let is_of_versions = table.past == Some(Past::Versions);
    let is_exact = reads.as_ref().is_some_and(|reads| reads.is_exact);
    let order = Ordering::of(&select.order, schema, reads.is_some())?;
    let filter = condition.filter(|_| !is_exact);
    let ranges = match &reads {
        None => {
            let id = secondary.map_or(IndexId::BASE, |index| index.id);
            vec![layout::keyspace(table.id(), id)]
        }
        Some(reads) => {
            let is_point = |read: &KeyRead| schema.sort.is_empty() || read.fixes_sort();
            let is_of_items = secondary.is_none() && !is_of_versions;
            let single = (is_of_items && start.is_none()).then_some(&reads.reads[..]);
            let mut ranges = partition_ranges(table, secondary, &reads.reads)?;
            if let (Some([read]), [_]) = (single, &ranges[..])
                && is_point(read)
            {
                let key = ranges.remove(0).range.start;
                let projection = select.projection.as_ref();
                return Ok(SelectPlan::Item { table, key, filter, projection, consistent });
            }
            order.arrange(ranges)?
        }
    };
    let ranges = match start {
        _ if is_of_versions => versions_after(table, secondary, &ranges, start, order.direction)?,
        None => ranges,
        Some(start) => resume(table, secondary, ranges, start, order.direction)?,
    };
    let projection = select.projection.clone();
    let mut selection = Selection::new(None, projection, "SELECT", index.is_some(), false)?;
    selection.check_index(secondary)?;
    if reads.is_some() {
        check_filter(secondary, filter)?;
    }
    // The filter sees what the index holds. Source: captured 2026.
    let fetches = selection.needs_table(secondary, None);
    let page = PagePlan {
        table,
        index,
        range: KeyRange { start: Vec::new(), end: Some(Vec::new()) },
        direction: order.direction,
        limit: page_limit(limit, reads.as_ref()),
        filter: filter.map(Filter::from),
        filters_entries: true,
        output: selection.take_output(fetches),
        fetches,
        consistent,
    };
    Ok(SelectPlan::Ranges { page: Box::new(page), ranges })
}

/// Returns the intent of a SELECT, or of that of an EXISTS.
pub(crate) fn intent(verb: Verb, select: &Select) -> Intent<'_> {
    Intent {
        index: select.index.as_deref(),
        filter: select.condition.as_ref(),
        returns: Returns::of_projection(select.projection.as_ref()),
        ..Intent::new(verb, &select.table, Access::Clause)
    }
}

impl SelectPlan<'_> {
    /// Returns the key of a read of one item.
    pub(crate) fn item_key(&self) -> Option<&Key> {
        match self {
            Self::Item { key, .. } => Some(key),
            Self::Ranges { .. } => None,
        }
    }

    /// Reads the page from one view.
    pub(crate) async fn run<V: View, R: Rows>(&self, view: &V) -> ApiResult<Page<R>> {
        match self {
            Self::Ranges { page: plan, ranges } => {
                let mut page = read_ranges(view, plan, ranges).await?;
                let key = page.last_evaluated_key.as_ref();
                if key.is_some_and(|key| is_end(plan, ranges.clone(), key)) {
                    page.last_evaluated_key = None;
                }
                Ok(page)
            }
            Self::Item { table, key, filter, projection, consistent } => {
                let stored =
                    view.get(key).await.map_err(|error| fault::of_tables([*table], error))?;
                let item = stored.map(Item::from_stored).transpose().map_err(fault::of_form)?;
                let size = item.as_ref().map_or(0, Item::size);
                let matching = item.filter(|item| filter.is_none_or(|filter| filter.matches(item)));
                let count = usize::from(matching.is_some());
                let mut items = R::with_capacity(2 * size);
                if let Some(item) = matching {
                    items.push(match projection {
                        Some(projection) => projection.apply(&item),
                        None => item,
                    });
                }
                let units = Units::of_table(read_units(size, *consistent));
                Ok(Page {
                    items,
                    count,
                    scanned: 1,
                    last_evaluated_key: None,
                    units,
                    scanned_bytes: size,
                    fetched: Fetched::default(),
                })
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
    let index = readable_index(table, name, consistent).map_err(|fault| match fault {
        IndexFault::Absent => StatementFault::NoSuchIndex.into(),
        IndexFault::ConsistentRead => StatementFault::ConsistentRead.into(),
        IndexFault::Backfilling => Reason::IndexBackfilling(name.to_owned()),
    })?;
    Ok(Some(index))
}

/// Returns the most items to evaluate.
fn page_limit(limit: Option<i32>, reads: Option<&KeyReads>) -> usize {
    let limit = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(1));
    let mut partitions = reads.iter().flat_map(|reads| &reads.reads).map(|read| &read.partition);
    let first = partitions.next();
    let is_several = partitions.any(|partition| Some(partition) != first);
    if is_several { limit.min(PARTITIONS_PAGE_MAX) } else { limit }
}

/// Refuses a keyed read of an index whose filter tests attributes that the index lacks, except inside OR. Source:
/// captured 2026.
fn check_filter(index: Option<&Index>, filter: Option<&Condition>) -> Result<(), Reason> {
    let (Some(index), Some(filter)) = (index, filter) else { return Ok(()) };
    let mut attributes: Vec<String> = Vec::new();
    for name in filter.attribute_names_outside_or().filter(|name| !index.holds(name)) {
        if !attributes.iter().any(|known| known == name) {
            attributes.push(name.to_owned());
        }
    }
    if attributes.is_empty() {
        return Ok(());
    }
    let index = index.name.clone();
    Err(StatementFault::FilterNotProjected { index, attributes }.into())
}

/// Returns the names of partition and sort key; an error if there are more.
pub(crate) fn single_key(schema: &KeySchema) -> Result<(&str, Option<&str>), Reason> {
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
    let mut ranges: Vec<PartitionRange> = Vec::with_capacity(reads.len());
    for read in reads {
        let is_narrowed = !read.sort.is_empty();
        let range = range_of(table, index, read)?;
        ranges.extend(range.map(|range| PartitionRange {
            partition: read.partition.clone(),
            range,
            is_narrowed,
        }));
    }
    Ok(ranges)
}

/// Returns the range of one read; none if it is empty.
pub(crate) fn range_of(
    table: &Table,
    index: Option<&Index>,
    read: &KeyRead,
) -> Result<Option<KeyRange>, Reason> {
    let (partition, sort) = single_key(index.map_or(&table.key, |index| &index.key))?;
    let mut range: Option<KeyRange> = None;
    for conditions in read.conditions(partition, sort) {
        let one = key_range::of_query(table, index, &conditions)?;
        range = Some(match range {
            None => one,
            Some(range) => intersection(range, one),
        });
    }
    Ok(range.filter(|range| !range.is_empty()))
}

fn intersection(one: KeyRange, two: KeyRange) -> KeyRange {
    let end = match (one.end, two.end) {
        (Some(one), Some(two)) => Some(one.min(two)),
        (one, two) => one.or(two),
    };
    KeyRange { start: one.start.max(two.start), end }
}

/// The order of the items, as ORDER BY asks for it.
struct Ordering {
    direction: Direction,
    /// Whether ORDER BY names the partition key, and then whether descending.
    by_partition: Option<bool>,
}

impl Ordering {
    fn of(order: &[Order], schema: &KeySchema, is_keyed: bool) -> Result<Self, Reason> {
        let mut ordering = Self { direction: Direction::Forward, by_partition: None };
        if !order.is_empty() && !is_keyed {
            return Err(StatementFault::OrderWithoutKey.into());
        }
        let mut is_sorted = false;
        for Order { attribute, descending } in order {
            if schema.partition.iter().any(|partition| partition.name == *attribute) {
                ordering.by_partition.get_or_insert(*descending);
            } else if !schema.contains(attribute) {
                return Err(StatementFault::OrderAttribute(attribute.clone()).into());
            } else if !std::mem::replace(&mut is_sorted, true) && *descending {
                ordering.direction = Direction::Backward;
            }
        }
        Ok(ordering)
    }

    /// Returns the ranges in order: those of one partition next to each other, and merged where
    /// they overlap.
    fn arrange(&self, ranges: Vec<PartitionRange>) -> Result<Vec<KeyRange>, Reason> {
        let mut partitions: Vec<(Value, Vec<PartitionRange>)> = Vec::new();
        #[expect(
            clippy::disallowed_methods,
            reason = "values are only looked up, and a client writes them, against whom the random \
                      keys of std's hasher help"
        )]
        let mut places: HashMap<Value, usize> = HashMap::new();
        for range in ranges {
            let place = *places.entry(range.partition.clone()).or_insert(partitions.len());
            match partitions.get_mut(place) {
                Some((_, ranges)) => ranges.push(range),
                None => partitions.push((range.partition.clone(), vec![range])),
            }
        }
        if let Some(descending) = self.by_partition {
            partitions.sort_by(|(one, _), (two, _)| {
                let order = partiql::key_order(one, two);
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

/// Returns the rest of the ranges after a key; an error if it lies in none.
pub(crate) fn resume(
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

/// Returns the ranges of the versions of items, or their rest after the version that ended a page.
fn versions_after(
    table: &Table,
    index: Option<&Index>,
    items: &[KeyRange],
    start: Option<&Item>,
    direction: Direction,
) -> Result<Vec<KeyRange>, Reason> {
    let ranges = versions::ranges_after(table, index, items, start, direction, Reader::Query);
    ranges.map_err(|_| StatementFault::TokenInvalid.into())
}

/// Returns whether nothing is left of the ranges after a key.
fn is_end(plan: &PagePlan<'_>, ranges: Vec<KeyRange>, key: &Item) -> bool {
    if plan.table.past == Some(Past::Versions) {
        // No key tells how many versions an item has.
        return false;
    }
    let index = plan.index.map(|(_, index)| index);
    let has_one_item_each = index.is_none() && plan.table.key.sort.is_empty() && ranges.len() > 1;
    let Ok(left) = resume(plan.table, index, ranges, key, plan.direction) else { return false };
    left.iter().skip(usize::from(has_one_item_each)).all(KeyRange::is_empty)
}
