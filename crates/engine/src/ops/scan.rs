//! Scan: every item of a table or index, in the order of the partition keys' hashes; whole or one
//! of several equal segments of the hash space.

use crate::engine::Engine;
use crate::explain::Explanation;
use crate::ops::explain::How;
use crate::ops::paged_read::{PageAnswer, PageParameters};
use crate::read::Rows;
use crate::read::json_rows::JsonRows;
use crate::read::key_range::Reader;
use hashrange_model::{ApiResult, Item};
use hashrange_storage::Store;
use hashrange_wire::{ScanInput, ScanOutput};

impl<S: Store> Engine<S> {
    /// Reads a page of a table or index.
    pub async fn scan(&self, mut input: ScanInput<'_>) -> ApiResult<ScanOutput> {
        let mut answer = self.read_page::<Vec<Item>>(parameters(&mut input)).await?;
        let items = answer.items.take();
        Ok(ScanOutput { items, ..output(answer) })
    }

    /// Reads a page like [`scan`](Self::scan) and returns the body of the response.
    pub(super) async fn scan_json(&self, mut input: ScanInput<'_>) -> ApiResult<Vec<u8>> {
        let mut answer = self.read_page::<JsonRows>(parameters(&mut input)).await?;
        let rows = answer.items.take();
        Ok(JsonRows::into_body(rows, &output(answer)))
    }

    /// Explains a scan.
    pub(super) async fn explain_scan(
        &self,
        mut input: ScanInput<'_>,
        how: How<'_>,
    ) -> ApiResult<Explanation> {
        self.explain_page("Scan", parameters(&mut input), how).await
    }
}

fn parameters<'a>(input: &'a mut ScanInput<'_>) -> PageParameters<'a> {
    PageParameters {
        reader: Reader::Scan,
        exclusive_start_key: input.exclusive_start_key.take(),
        table_name: input.table_name.as_deref(),
        index_name: input.index_name.as_deref(),
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
    }
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
