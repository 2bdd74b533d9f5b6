//! Scan: every item of a table or index, in the order of the partition keys' hashes; whole or one
//! of several equal segments of the hash space.

use crate::engine::Engine;
use crate::explain::{Asked, Explanation, ReadPlan};
use crate::layout;
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
use crate::schema::{Index, IndexId, Past, Table};
use crate::usage::{Shape, note_shape};
use hashrange_expr::{Condition, Filter};
use hashrange_model::error::Layer;
use hashrange_model::{ApiResult, Item, Reason};
use hashrange_storage::{Direction, KeyRange, Store};
use hashrange_wire::{ScanInput, ScanOutput};
use std::fmt;

impl<S: Store> Engine<S> {
    /// Reads a page of a table or index.
    pub async fn scan(&self, input: ScanInput<'_>) -> ApiResult<ScanOutput> {
        let (items, output) = self.scan_in_layer(input).await?;
        Ok(ScanOutput { items, ..output })
    }

    /// Reads a page like [`scan`](Self::scan) and returns the body of the response.
    pub(super) async fn scan_json(&self, input: ScanInput<'_>) -> ApiResult<Vec<u8>> {
        let (rows, output) = self.scan_in_layer(input).await?;
        Ok(JsonRows::into_body(rows, &output))
    }

    async fn scan_in_layer<R: Rows>(
        &self,
        input: ScanInput<'_>,
    ) -> ApiResult<(Option<R>, ScanOutput)> {
        self.run_scan(input).await.map_err(|error| error.in_layer(Layer::Older))
    }

    /// Returns the rows apart from the other members; none if only their number is wanted.
    async fn run_scan<R: Rows>(
        &self,
        mut input: ScanInput<'_>,
    ) -> ApiResult<(Option<R>, ScanOutput)> {
        let table_name = required(input.table_name.as_deref(), "tableName")?;
        let mut request = CheckedScan::check(&input)?;
        request.start = input.exclusive_start_key.take().map(request::validated).transpose()?;
        let table = self.readable_table_or_versions(table_name)?;
        let plan = self.plan_scan(&table, &input, &mut request)?;
        note_shape(|shape| request.tell(&plan.output, shape));
        let is_count = matches!(plan.output, Output::Count);
        let page = self.page(plan).await?;
        let output = ScanOutput {
            count: Some(i32::try_from(page.count).unwrap_or(i32::MAX)),
            scanned_count: Some(i32::try_from(page.scanned).unwrap_or(i32::MAX)),
            consumed_capacity: page.units.report(
                input.return_consumed_capacity,
                table_name,
                &table,
            ),
            last_evaluated_key: page.last_evaluated_key,
            items: None,
        };
        Ok(((!is_count).then_some(page.items), output))
    }

    /// Plans the read of a page, with every fault that the table shows. Takes the projection out of the
    /// request.
    fn plan_scan<'t>(
        &self,
        table: &'t Table,
        input: &ScanInput<'_>,
        request: &mut CheckedScan,
    ) -> ApiResult<PagePlan<'t>> {
        let consistent = input.consistent_read == Some(true);
        let index = index_named(table, input.index_name.as_deref(), consistent)?;
        self.check_index_filled(table, input.index_name.as_deref())?;
        let secondary = index.map(|(_, index)| index);
        request.selection.check_index(secondary)?;
        let in_filter = looked_into(request.filter.as_ref());
        check_scalar_keys(table, request.selection.names_looked_into().chain(in_filter))?;
        let mut range = request.range(table, secondary);
        if table.past == Some(Past::Versions) {
            let (start, direction) = (request.start.as_ref(), Direction::Forward);
            range = versions::range_after(table, &range, start, direction, Reader::Scan)?;
        } else if let Some(start) = &request.start {
            let key = key_range::start_key(table, secondary, start, Reader::Scan)?;
            if let Some((segment, total_segments)) = request.segment
                && !key_range::contains(&range, &key)
            {
                let (segment, total_segments) = (i64::from(segment), i64::from(total_segments));
                return Err(Reason::StartKeySegment { total_segments, segment }.into());
            }
            range = key_range::after(range, key, Direction::Forward);
        }
        let fetches = request.selection.needs_table(secondary, request.filter.as_ref());
        Ok(PagePlan {
            table,
            index,
            range,
            direction: Direction::Forward,
            limit: input.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(1)),
            fetches,
            filters_entries: false,
            filter: request.filter.as_ref().map(Filter::from),
            output: request.selection.take_output(fetches),
            consistent,
        })
    }

    /// Explains a scan.
    pub(super) async fn explain_scan(
        &self,
        input: ScanInput<'_>,
        how: How<'_>,
    ) -> ApiResult<Explanation> {
        self.run_explain_scan(input, how).await.map_err(|error| error.in_layer(Layer::Older))
    }

    async fn run_explain_scan(
        &self,
        mut input: ScanInput<'_>,
        how: How<'_>,
    ) -> ApiResult<Explanation> {
        let began_ms = self.now_ms();
        let table_name = required(input.table_name.as_deref(), "tableName")?;
        let mut request = CheckedScan::check(&input)?;
        request.start = input.exclusive_start_key.take().map(request::validated).transpose()?;
        let table = self.explained_table(table_name, how)?;
        let plan = self.plan_scan(&table, &input, &mut request)?;
        let shape = Shape::text(|shape| request.tell(&plan.output, shape));
        let read = ReadPlan {
            ranges: vec![plan.range.clone()],
            page: plan,
            keys: None,
            segment: request.segment,
            filter: request.filter,
            start: request.start,
            statement: None,
        };
        let asked = Asked { operation: "Scan", mode: how.mode, began_ms };
        let explained = self.explain_read_as_asked(read, asked, how).await?;
        Ok(Explanation { shape, ..explained })
    }
}

/// A scan whose parameters are valid by themselves.
struct CheckedScan {
    filter: Option<Condition>,
    selection: Selection,
    /// Segment and total.
    segment: Option<(u32, u32)>,
    /// `ExclusiveStartKey`
    start: Option<Item>,
}

impl CheckedScan {
    fn check(input: &ScanInput<'_>) -> Result<Self, Reason> {
        let expressions = [
            ("ProjectionExpression", input.projection_expression.is_some()),
            ("FilterExpression", input.filter_expression.is_some()),
        ];
        check_one_style(
            &[
                ("AttributesToGet", input.attributes_to_get.is_some()),
                ("ScanFilter", input.scan_filter.is_some()),
                ("ConditionalOperator", input.conditional_operator.is_some()),
            ],
            &expressions,
        )?;
        let mut placeholders = request::placeholders(
            input.expression_attribute_names.as_ref(),
            input.expression_attribute_values.as_ref(),
            &expressions,
            &[expressions[1]],
        )?;
        legacy::check_values(input.scan_filter.as_ref())?;
        let legacy_filter = legacy::filter(input.scan_filter.as_ref(), input.conditional_operator)?;
        let legacy_projection = legacy::attributes_to_get(input.attributes_to_get.as_deref())?;
        if let Some(fault) = input.exclusive_start_key.as_ref().and_then(|key| key.fault.as_ref()) {
            return Err(Reason::Value((**fault).clone()));
        }
        let segment = segment(input.segment, input.total_segments)?;
        check_expression_values(input.expression_attribute_values.as_ref())?;
        let (filter, projection) =
            (input.filter_expression.as_deref(), input.projection_expression.as_deref());
        let filter = request::filter(filter, legacy_filter, &mut placeholders)?;
        let projection = request::projection(projection, legacy_projection, &mut placeholders)?;
        placeholders.check_all_used()?;
        let parameter = if input.attributes_to_get.is_some() {
            "AttributesToGet"
        } else {
            "ProjectionExpression"
        };
        let has_index = input.index_name.is_some();
        let selection = Selection::new(input.select, projection, parameter, has_index, false)?;
        Ok(Self { filter, selection, segment, start: None })
    }

    /// Tells what is asked, without values.
    fn tell(&self, output: &Output, shape: &mut Shape) -> fmt::Result {
        shape.filter(self.filter.as_ref())?;
        shape.returns(output)
    }

    fn range(&self, table: &Table, index: Option<&Index>) -> KeyRange {
        let id = index.map_or(IndexId::BASE, |index| index.id);
        match self.segment {
            None => layout::keyspace(table.id(), id),
            Some((segment, total)) => layout::segment(table.id(), id, segment, total),
        }
    }
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
