//! Scan: every item of a table or index, in the order of the partition keys' hashes; whole or one
//! of several equal segments of the hash space.

use crate::engine::Engine;
use crate::ops::paged_read::{PageAnswer, PageParameters, PagedRead};
use crate::read::Rows;
use crate::read::json_rows::JsonRows;
use crate::read::key_range::Reader;
use hashrange_model::{ApiResult, Item};
use hashrange_storage::Store;
use hashrange_wire::{Operation, ScanInput, ScanOutput};

impl<S: Store> Engine<S> {
    /// Reads a page of a table or index.
    pub async fn scan(&self, mut input: ScanInput<'_>) -> ApiResult<ScanOutput> {
        let mut answer: PageAnswer<Vec<Item>> =
            self.run_request(Operation::Scan, check(&mut input)).await?;
        let items = answer.items.take();
        Ok(ScanOutput { items, ..output(answer) })
    }

    /// Reads a page like [`scan`](Self::scan) and returns the body of the response.
    pub(super) async fn scan_json(&self, mut input: ScanInput<'_>) -> ApiResult<Vec<u8>> {
        let mut answer: PageAnswer<JsonRows> =
            self.run_request(Operation::Scan, check(&mut input)).await?;
        let rows = answer.items.take();
        Ok(JsonRows::into_body(rows, &output(answer)))
    }
}

pub(super) fn check<'n>(input: &mut ScanInput<'n>) -> ApiResult<PagedRead<'n>> {
    PagedRead::check(PageParameters {
        reader: Reader::Scan,
        exclusive_start_key: input.exclusive_start_key.take(),
        table_name: input.table_name.take(),
        index_name: input.index_name.take(),
        select: input.select,
        attributes_to_get: input.attributes_to_get.as_deref(),
        projection_expression: input.projection_expression.as_deref(),
        legacy_filter: input.scan_filter.as_ref(),
        conditional_operator: input.conditional_operator,
        filter_expression: input.filter_expression.as_deref(),
        key_conditions: None,
        key_condition_expression: None,
        names: input.expression_attribute_names.as_ref(),
        values: input.expression_attribute_values.as_ref(),
        segment: input.segment,
        total_segments: input.total_segments,
        scan_index_forward: None,
        limit: input.limit,
        consistent_read: input.consistent_read,
        return_consumed_capacity: input.return_consumed_capacity,
    })
}

fn output<R: Rows>(answer: PageAnswer<R>) -> ScanOutput {
    ScanOutput {
        items: None,
        count: answer.count,
        scanned_count: answer.scanned_count,
        last_evaluated_key: answer.last_evaluated_key,
        consumed_capacity: answer.consumed_capacity,
    }
}
