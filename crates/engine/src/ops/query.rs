//! Query: the items of one partition key value, in the order of the sort key.

use crate::engine::Engine;
use crate::explain::{Asked, Explanation, ReadKeys, ReadPlan};
use crate::ops::explain::How;
use crate::read::json_rows::JsonRows;
use crate::read::key_range::{self, Reader};
use crate::read::selection::{Selection, index_named};
use crate::read::versions;
use crate::read::{Output, PagePlan, Rows};
use crate::request::condition::looked_into;
use crate::request::{
    self, check_expression_values, check_one_style, check_scalar_keys, legacy, required,
};
use crate::schema::{Index, KeySchema, Past, Table};
use crate::usage::{Shape, note_shape};
use hashrange_expr::{Condition, Filter, KeyConditions};
use hashrange_model::{ApiResult, Item, Reason};
use hashrange_storage::{Direction, KeyRange, Store};
use hashrange_wire::{QueryInput, QueryOutput};
use std::fmt;

impl<S: Store> Engine<S> {
    /// Reads a page of the items with one partition key value.
    pub async fn query(&self, input: QueryInput<'_>) -> ApiResult<QueryOutput> {
        let (items, output) = self.run_query(input).await?;
        Ok(QueryOutput { items, ..output })
    }

    /// Reads a page like [`query`](Self::query) and returns the body of the response.
    pub(super) async fn query_json(&self, input: QueryInput<'_>) -> ApiResult<Vec<u8>> {
        let (rows, output) = self.run_query(input).await?;
        Ok(JsonRows::into_body(rows, &output))
    }

    /// Returns the rows apart from the other members; none if only their number is wanted.
    async fn run_query<R: Rows>(
        &self,
        mut input: QueryInput<'_>,
    ) -> ApiResult<(Option<R>, QueryOutput)> {
        let table_name = required(input.table_name.as_deref(), "tableName")?;
        let mut request = CheckedQuery::check(&input)?;
        request.start = input.exclusive_start_key.take().map(request::validated).transpose()?;
        let table = self.readable_table_or_versions(table_name)?;
        let plan = self.plan_query(&table, &input, &mut request)?;
        note_shape(|shape| request.tell(&plan.output, shape));
        let (index, is_count) = (plan.index, matches!(plan.output, Output::Count));
        let page = self.page(plan).await?;
        let output = QueryOutput {
            count: Some(i32::try_from(page.count).unwrap_or(i32::MAX)),
            scanned_count: Some(i32::try_from(page.scanned).unwrap_or(i32::MAX)),
            consumed_capacity: page.units.report(
                input.return_consumed_capacity,
                table_name,
                &table,
            ),
            // At most one item has the key: there is no next page, and none could be asked for.
            last_evaluated_key: page.last_evaluated_key.filter(|_| !is_one_row(&table, index)),
            items: None,
        };
        Ok(((!is_count).then_some(page.items), output))
    }

    /// Plans the read of a page, with every fault that the table shows. Takes the projection out of the
    /// request.
    fn plan_query<'t>(
        &self,
        table: &'t Table,
        input: &QueryInput<'_>,
        request: &mut CheckedQuery,
    ) -> ApiResult<PagePlan<'t>> {
        let consistent = input.consistent_read == Some(true);
        let index = index_named(table, input.index_name.as_deref(), consistent)?;
        self.check_index_filled(table, input.index_name.as_deref())?;
        let secondary = index.map(|(_, index)| index);
        request.selection.check_index(secondary)?;
        let in_filter = looked_into(request.filter.as_ref());
        check_scalar_keys(table, request.selection.names_looked_into().chain(in_filter))?;
        let range = key_range::of_query(table, secondary, &request.key_conditions)?;
        let direction = match input.scan_index_forward {
            Some(false) => Direction::Backward,
            _ => Direction::Forward,
        };
        let range = if table.past == Some(Past::Versions) {
            versions::range_after(table, &range, request.start.as_ref(), direction, Reader::Query)?
        } else {
            match &request.start {
                None => range,
                Some(start) => resume(table, secondary, range, start, direction)?,
            }
        };
        let schema = secondary.map_or(&table.key, |index| &index.key);
        check_filter(schema, request)?;
        let fetches = request.selection.needs_table(secondary, request.filter.as_ref());
        Ok(PagePlan {
            table,
            index,
            range,
            direction,
            limit: input.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(1)),
            fetches,
            filters_entries: false,
            filter: request.filter.as_ref().map(Filter::from),
            output: request.selection.take_output(fetches),
            consistent,
        })
    }

    /// Explains a query.
    pub(super) async fn explain_query(
        &self,
        mut input: QueryInput<'_>,
        how: How<'_>,
    ) -> ApiResult<Explanation> {
        let began_ms = self.now_ms();
        let table_name = required(input.table_name.as_deref(), "tableName")?;
        let mut request = CheckedQuery::check(&input)?;
        request.start = input.exclusive_start_key.take().map(request::validated).transpose()?;
        let table = self.explained_table(table_name, how)?;
        let plan = self.plan_query(&table, &input, &mut request)?;
        let secondary = plan.index.map(|(_, index)| index);
        let keys = vec![ReadKeys::of_query(&table, secondary, &request.key_conditions)?];
        let shape = Shape::text(|shape| request.tell(&plan.output, shape));
        let read = ReadPlan {
            ranges: vec![plan.range.clone()],
            page: plan,
            keys: Some(keys),
            segment: None,
            filter: request.filter,
            start: request.start,
            statement: None,
        };
        let asked = Asked { operation: "Query", mode: how.mode, began_ms };
        let explained = self.explain_read_as_asked(read, asked, how).await?;
        Ok(Explanation { shape, ..explained })
    }
}

/// A query whose parameters are valid by themselves.
struct CheckedQuery {
    key_conditions: KeyConditions,
    filter: Option<Condition>,
    /// The parameter the filter came from.
    filter_parameter: &'static str,
    selection: Selection,
    /// `ExclusiveStartKey`
    start: Option<Item>,
}

impl CheckedQuery {
    fn check(input: &QueryInput<'_>) -> Result<Self, Reason> {
        let expressions = [
            ("ProjectionExpression", input.projection_expression.is_some()),
            ("FilterExpression", input.filter_expression.is_some()),
            ("KeyConditionExpression", input.key_condition_expression.is_some()),
        ];
        check_one_style(
            &[
                ("AttributesToGet", input.attributes_to_get.is_some()),
                ("QueryFilter", input.query_filter.is_some()),
                ("ConditionalOperator", input.conditional_operator.is_some()),
                (
                    "KeyConditions",
                    input.key_conditions.is_some() && input.key_condition_expression.is_some(),
                ),
            ],
            &expressions,
        )?;
        let mut placeholders = request::placeholders(
            input.expression_attribute_names.as_ref(),
            input.expression_attribute_values.as_ref(),
            &expressions,
            &[expressions[1], expressions[2]],
        )?;
        legacy::check_values(input.query_filter.as_ref())?;
        legacy::check_values(input.key_conditions.as_ref())?;
        let legacy_filter =
            legacy::filter(input.query_filter.as_ref(), input.conditional_operator)?;
        let legacy_projection = legacy::attributes_to_get(input.attributes_to_get.as_deref())?;
        if let Some(fault) = input.exclusive_start_key.as_ref().and_then(|key| key.fault.as_ref()) {
            return Err(Reason::Value((**fault).clone()));
        }
        check_expression_values(input.expression_attribute_values.as_ref())?;
        if input.key_condition_expression.is_none() && input.key_conditions.is_none() {
            return Err(Reason::KeyConditionsMissing);
        }
        let (filter, projection) =
            (input.filter_expression.as_deref(), input.projection_expression.as_deref());
        let filter = request::filter(filter, legacy_filter, &mut placeholders)?;
        let projection = request::projection(projection, legacy_projection, &mut placeholders)?;
        let key_expression = input.key_condition_expression.as_deref();
        let key_expression =
            key_expression.map(|text| hashrange_expr::key_expression(text, &mut placeholders));
        let key_expression = key_expression.transpose()?;
        placeholders.check_all_used()?;
        // What is wrong with a key condition as such comes last. Source: captured 2026.
        let key_conditions = match (key_expression, &input.key_conditions) {
            (Some(expression), _) => expression.conditions()?,
            (None, Some(conditions)) => legacy::key_conditions(conditions)?,
            (None, None) => return Err(Reason::KeyConditionsMissing),
        };
        let (filter_parameter, projection_parameter) = (
            if input.filter_expression.is_some() { "Filter Expression" } else { "QueryFilter" },
            if input.attributes_to_get.is_some() {
                "AttributesToGet"
            } else {
                "ProjectionExpression"
            },
        );
        let has_index = input.index_name.is_some();
        let selection =
            Selection::new(input.select, projection, projection_parameter, has_index, true)?;
        Ok(Self { key_conditions, filter, filter_parameter, selection, start: None })
    }

    /// Tells what is asked, without values.
    fn tell(&self, output: &Output, shape: &mut Shape) -> fmt::Result {
        shape.part(format_args!("{:#}", self.key_conditions))?;
        shape.filter(self.filter.as_ref())?;
        shape.returns(output)
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

fn check_filter(schema: &KeySchema, request: &CheckedQuery) -> Result<(), Reason> {
    let mut names = request.filter.iter().flat_map(Condition::attribute_names);
    match names.find(|name| schema.contains(name)) {
        Some(name) => Err(Reason::FilterOnKey {
            parameter: request.filter_parameter,
            attribute: name.to_owned(),
        }),
        None => Ok(()),
    }
}
