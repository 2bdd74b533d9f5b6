//! The read of a page that Query and Scan share: their checks, their plan, their answer. A Scan is the one
//! without key conditions.
//!
//! Left to the operations: which members of their input these are.

use crate::engine::Engine;
use crate::explain::{Asked, Explanation, ReadKeys, ReadPlan};
use crate::intent::{Access, Intent, Returns, Verb};
use crate::layout;
use crate::ops::drive::{Explain, Run};
use crate::read::key_range::{self, Reader};
use crate::read::selection::{Selection, index_named};
use crate::read::{Output, PagePlan, Rows, versions};
use crate::request::condition::looked_into;
use crate::request::{
    self, check_expression_values, check_one_style, check_scalar_keys, legacy, required, validated,
};
use crate::schema::{Index, IndexId, KeySchema, Past, Table};
use crate::usage::announce;
use hashrange_expr::{Condition, Filter, KeyConditions, KeyExpression, Placeholders};
use hashrange_model::{ApiResult, Item, Reason};
use hashrange_storage::{Direction, KeyRange, Store};
use hashrange_wire::{
    self as wire, ConditionalOperator, ConsumedCapacity, DecodedItem, DecodedValue, Map,
    ReturnConsumedCapacity, Select,
};
use std::borrow::Cow;

/// A map of a request by name.
type Named<'a, T> = Option<&'a Map<Cow<'a, str>, T>>;

/// The members of a request, of whichever of the two operations.
pub(super) struct PageParameters<'a, 'n> {
    pub(super) reader: Reader,
    pub(super) table_name: Option<Cow<'n, str>>,
    pub(super) index_name: Option<Cow<'n, str>>,
    pub(super) select: Option<Select>,
    pub(super) attributes_to_get: Option<&'a [Cow<'a, str>]>,
    pub(super) projection_expression: Option<&'a str>,
    /// `QueryFilter` or `ScanFilter`
    pub(super) legacy_filter: Named<'a, wire::Condition>,
    pub(super) conditional_operator: Option<ConditionalOperator>,
    pub(super) filter_expression: Option<&'a str>,
    pub(super) key_conditions: Named<'a, wire::Condition>,
    pub(super) key_condition_expression: Option<&'a str>,
    pub(super) names: Named<'a, Cow<'a, str>>,
    pub(super) values: Named<'a, DecodedValue>,
    pub(super) segment: Option<i32>,
    pub(super) total_segments: Option<i32>,
    pub(super) scan_index_forward: Option<bool>,
    pub(super) exclusive_start_key: Option<DecodedItem>,
    pub(super) limit: Option<i32>,
    pub(super) consistent_read: Option<bool>,
    pub(super) return_consumed_capacity: Option<ReturnConsumedCapacity>,
}

/// The members of an answer, which the two operations have alike.
pub(super) struct PageAnswer<R> {
    /// `None` for a count.
    pub(super) items: Option<R>,
    pub(super) count: Option<i32>,
    pub(super) scanned_count: Option<i32>,
    pub(super) last_evaluated_key: Option<Item>,
    pub(super) consumed_capacity: Option<ConsumedCapacity>,
}

/// A read whose parameters are valid by themselves.
pub(super) struct PagedRead<'n> {
    table_name: Cow<'n, str>,
    index_name: Option<Cow<'n, str>>,
    /// `None` for a Scan.
    key_conditions: Option<KeyConditions>,
    filter: Option<Condition>,
    /// Parameter that gave the filter.
    filter_parameter: &'static str,
    selection: Selection,
    /// Segment and total.
    segment: Option<(u32, u32)>,
    direction: Direction,
    /// `ExclusiveStartKey`
    start: Option<Item>,
    limit: usize,
    consistent: bool,
    return_consumed_capacity: Option<ReturnConsumedCapacity>,
}

impl<'n> PagedRead<'n> {
    pub(super) fn check(mut given: PageParameters<'_, 'n>) -> ApiResult<Self> {
        let is_query = given.reader == Reader::Query;
        let table_name = required(given.table_name.take(), "tableName")?;
        let mut placeholders = check_styles(&given)?;
        legacy::check_values(given.legacy_filter)?;
        legacy::check_values(given.key_conditions)?;
        let legacy_filter = legacy::filter(given.legacy_filter, given.conditional_operator)?;
        let legacy_projection = legacy::attributes_to_get(given.attributes_to_get)?;
        if let Some(fault) = given.exclusive_start_key.as_ref().and_then(|key| key.fault.as_ref()) {
            return Err(Reason::Value((**fault).clone()).into());
        }
        let segment = segment(given.segment, given.total_segments)?;
        check_expression_values(given.values)?;
        let is_keyed = given.key_condition_expression.is_some() || given.key_conditions.is_some();
        if is_query && !is_keyed {
            return Err(Reason::KeyConditionsMissing.into());
        }
        let filter = request::filter(given.filter_expression, legacy_filter, &mut placeholders)?;
        let projection =
            request::projection(given.projection_expression, legacy_projection, &mut placeholders)?;
        let key_expression = given
            .key_condition_expression
            .map(|text| hashrange_expr::key_expression(text, &mut placeholders))
            .transpose()?;
        placeholders.check_all_used()?;
        // Faults of a key condition itself come last. Source: captured 2026.
        let key_conditions = key_conditions(key_expression, given.key_conditions)?;
        let projection_parameter = match given.attributes_to_get {
            Some(_) => "AttributesToGet",
            None => "ProjectionExpression",
        };
        let has_index = given.index_name.is_some();
        let selection =
            Selection::new(given.select, projection, projection_parameter, has_index, is_query)?;
        Ok(Self {
            table_name,
            index_name: given.index_name,
            key_conditions,
            filter,
            filter_parameter: match given.filter_expression {
                Some(_) => "Filter Expression",
                None => "QueryFilter",
            },
            selection,
            segment,
            direction: match given.scan_index_forward {
                Some(false) => Direction::Backward,
                _ => Direction::Forward,
            },
            start: given.exclusive_start_key.map(validated).transpose()?,
            limit: given.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(1)),
            consistent: given.consistent_read == Some(true),
            return_consumed_capacity: given.return_consumed_capacity,
        })
    }

    /// Plans the read of a page, with every fault that the table shows. Takes the projection out of the self.
    pub(super) fn plan<'t, S: Store>(
        &mut self,
        engine: &Engine<S>,
        table: &'t Table,
    ) -> ApiResult<PagePlan<'t>> {
        let consistent = self.consistent;
        let index = index_named(table, self.index_name.as_deref(), consistent)?;
        engine.check_index_filled(table, self.index_name.as_deref())?;
        let secondary = index.map(|(_, index)| index);
        self.selection.check_index(secondary)?;
        let in_filter = looked_into(self.filter.as_ref());
        check_scalar_keys(table, self.selection.names_looked_into().chain(in_filter))?;
        let range = match &self.key_conditions {
            Some(conditions) => self.range_of_query(table, secondary, conditions)?,
            None => self.range_of_scan(table, secondary)?,
        };
        let fetches = self.selection.needs_table(secondary, self.filter.as_ref());
        Ok(PagePlan {
            table,
            index,
            range,
            direction: self.direction,
            limit: self.limit,
            fetches,
            filters_entries: false,
            filter: self.filter.as_ref().map(Filter::from),
            output: self.selection.take_output(fetches),
            consistent,
        })
    }

    /// Returns the intent of the planned read.
    pub(super) fn intent<'i>(&'i self, plan: &'i PagePlan<'_>) -> Intent<'i> {
        self.intent_of(plan.table, plan.index.map(|(_, index)| index), &plan.output)
    }

    fn intent_of<'i>(
        &'i self,
        table: &'i Table,
        index: Option<&'i Index>,
        output: &'i Output,
    ) -> Intent<'i> {
        let (verb, access) = match &self.key_conditions {
            Some(conditions) => (Verb::Query, Access::Partition(conditions)),
            None => (Verb::Scan, Access::All),
        };
        Intent {
            index: index.map(|index| index.name.as_str()),
            filter: self.filter.as_ref(),
            returns: Returns::of(output),
            consistent: self.consistent,
            ..Intent::new(verb, &table.record.name, access)
        }
    }

    /// Returns the range of a Query, with the faults of its start key and its filter.
    fn range_of_query(
        &self,
        table: &Table,
        index: Option<&Index>,
        conditions: &KeyConditions,
    ) -> Result<KeyRange, Reason> {
        let range = key_range::of_query(table, index, conditions)?;
        let range = match &self.start {
            start if table.past == Some(Past::Versions) => {
                let start = start.as_ref();
                versions::range_after(table, index, &range, start, self.direction, Reader::Query)?
            }
            None => range,
            Some(start) => resume(table, index, range, start, self.direction)?,
        };
        self.check_filter(index.map_or(&table.key, |index| &index.key))?;
        Ok(range)
    }

    fn check_filter(&self, schema: &KeySchema) -> Result<(), Reason> {
        let mut names = self.filter.iter().flat_map(Condition::attribute_names);
        match names.find(|name| schema.contains(name)) {
            Some(name) => Err(Reason::FilterOnKey {
                parameter: self.filter_parameter,
                attribute: name.to_owned(),
            }),
            None => Ok(()),
        }
    }

    /// Returns the range of a Scan or of its segment, with the faults of its start key.
    fn range_of_scan(&self, table: &Table, index: Option<&Index>) -> Result<KeyRange, Reason> {
        let id = index.map_or(IndexId::BASE, |index| index.id);
        let range = match self.segment {
            None => layout::keyspace(table.id(), id),
            Some((segment, total)) => layout::segment(table.id(), id, segment, total),
        };
        let start = self.start.as_ref();
        if table.past == Some(Past::Versions) {
            let direction = Direction::Forward;
            return versions::range_after(table, index, &range, start, direction, Reader::Scan);
        }
        let Some(start) = start else { return Ok(range) };
        let key = key_range::start_key(table, index, start, Reader::Scan)?;
        match self.segment {
            Some((segment, total_segments)) if !key_range::contains(&range, &key) => {
                let (segment, total_segments) = (i64::from(segment), i64::from(total_segments));
                Err(Reason::StartKeySegment { total_segments, segment })
            }
            _ => Ok(key_range::after(range, key, Direction::Forward)),
        }
    }
}

impl<S: Store, R: Rows> Run<S, PageAnswer<R>> for PagedRead<'_> {
    async fn run(&mut self, engine: &Engine<S>) -> ApiResult<PageAnswer<R>> {
        let table = engine.readable_table_or_versions(&self.table_name)?;
        let plan = self.plan(engine, &table)?;
        let announced = announce(&self.intent(&plan))?;
        let (index, is_count) = (plan.index, matches!(plan.output, Output::Count));
        let page = engine.read(plan, None, announced).await?;
        // At most one item has the key: there is no next page, and none could be asked for.
        let is_last = self.key_conditions.is_some() && is_one_row(&table, index);
        let report = self.return_consumed_capacity;
        Ok(PageAnswer {
            count: Some(i32::try_from(page.count).unwrap_or(i32::MAX)),
            scanned_count: Some(i32::try_from(page.scanned).unwrap_or(i32::MAX)),
            consumed_capacity: page.units.report(report, &self.table_name, &table),
            last_evaluated_key: page.last_evaluated_key.filter(|_| !is_last),
            items: (!is_count).then_some(page.items),
        })
    }
}

impl<S: Store> Explain<S> for PagedRead<'_> {
    async fn explain(&mut self, engine: &Engine<S>, asked: Asked<'_>) -> ApiResult<Explanation> {
        let table = engine.explained_table(&self.table_name, asked)?;
        let plan = self.plan(engine, &table)?;
        let index = plan.index.map(|(_, index)| index);
        let keys = self
            .key_conditions
            .as_ref()
            .map(|conditions| ReadKeys::of_query(&table, index, conditions).map(|keys| vec![keys]));
        let output = plan.output.clone();
        let read = ReadPlan {
            ranges: vec![plan.range.clone()],
            keys: keys.transpose()?,
            segment: self.segment,
            filter: self.filter.clone(),
            start: self.start.take(),
            statement: None,
            is_one: false,
            page: plan,
        };
        engine.explain_read(read, &self.intent_of(&table, index, &output), asked).await
    }
}

/// Checks that the parameters are of one style, and returns the placeholders of the expressions.
fn check_styles<'a>(given: &PageParameters<'a, '_>) -> Result<Placeholders<'a>, Reason> {
    let expressions = [
        ("ProjectionExpression", given.projection_expression.is_some()),
        ("FilterExpression", given.filter_expression.is_some()),
        ("KeyConditionExpression", given.key_condition_expression.is_some()),
    ];
    let (filter, expressions) = match given.reader {
        Reader::Query => ("QueryFilter", &expressions[..]),
        Reader::Scan => ("ScanFilter", &expressions[..2]),
    };
    let has_two_keys = given.key_conditions.is_some() && given.key_condition_expression.is_some();
    check_one_style(
        &[
            ("AttributesToGet", given.attributes_to_get.is_some()),
            (filter, given.legacy_filter.is_some()),
            ("ConditionalOperator", given.conditional_operator.is_some()),
            ("KeyConditions", has_two_keys),
        ],
        expressions,
    )?;
    request::placeholders(given.names, given.values, expressions, &expressions[1..])
}

fn key_conditions(
    expression: Option<KeyExpression>,
    conditions: Named<'_, wire::Condition>,
) -> Result<Option<KeyConditions>, Reason> {
    match (expression, conditions) {
        (Some(expression), _) => Ok(Some(expression.conditions()?)),
        (None, Some(conditions)) => Ok(Some(legacy::key_conditions(conditions)?)),
        (None, None) => Ok(None),
    }
}

/// Returns whether at most one item can match: the table read has no sort key.
fn is_one_row<I: Copy>(table: &Table, index: Option<I>) -> bool {
    index.is_none() && table.key.sort.is_empty() && table.past != Some(Past::Versions)
}

/// Narrows the range to what comes after the start key, which must lie in it.
fn resume(
    table: &Table,
    index: Option<&Index>,
    range: KeyRange,
    start: &Item,
    direction: Direction,
) -> Result<KeyRange, Reason> {
    let key = key_range::start_key(table, index, start, Reader::Query)?;
    if is_one_row(table, index) {
        return Err(Reason::StartKeyOneRow(hashrange_expr::rendered_attributes(start)));
    }
    if !key_range::contains(&range, &key) {
        return Err(if key_range::shares_partition(table, index, &range, start) {
            Reason::StartKeyOutsideRange
        } else {
            Reason::StartKeyOutsideBoundaries
        });
    }
    Ok(key_range::after(range, key, direction))
}

fn segment(segment: Option<i32>, total: Option<i32>) -> Result<Option<(u32, u32)>, Reason> {
    match (segment, total) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(Reason::TotalSegmentsMissing),
        (None, Some(_)) => Err(Reason::SegmentMissing),
        (Some(segment), Some(total)) => {
            let too_large =
                Reason::SegmentTooLarge { segment: segment.into(), total_segments: total.into() };
            match (u32::try_from(segment), u32::try_from(total)) {
                (Ok(segment), Ok(total)) if segment < total => Ok(Some((segment, total))),
                _ => Err(too_large),
            }
        }
    }
}
