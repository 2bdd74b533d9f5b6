//! Query: the items of one partition key value, in the order of the sort key.

use crate::engine::Engine;
use crate::ops::paged_read::{PageAnswer, PageParameters, PagedRead};
use crate::read::Rows;
use crate::read::json_rows::JsonRows;
use crate::read::key_range::Reader;
use hashrange_model::{ApiResult, Item};
use hashrange_storage::Store;
use hashrange_wire::{Operation, QueryInput, QueryOutput};

impl<S: Store> Engine<S> {
    /// Reads a page of the items with one partition key value.
    pub async fn query(&self, mut input: QueryInput<'_>) -> ApiResult<QueryOutput> {
        let mut answer: PageAnswer<Vec<Item>> =
            self.run_request(Operation::Query, check(&mut input)).await?;
        let items = answer.items.take();
        Ok(QueryOutput { items, ..output(answer) })
    }

    /// Reads a page like [`query`](Self::query) and returns the body of the response.
    pub(super) async fn query_json(&self, mut input: QueryInput<'_>) -> ApiResult<Vec<u8>> {
        let mut answer: PageAnswer<JsonRows> =
            self.run_request(Operation::Query, check(&mut input)).await?;
        let rows = answer.items.take();
        Ok(JsonRows::into_body(rows, &output(answer)))
    }
}

pub(super) fn check<'n>(input: &mut QueryInput<'n>) -> ApiResult<PagedRead<'n>> {
    PagedRead::check(PageParameters {
        reader: Reader::Query,
        exclusive_start_key: input.exclusive_start_key.take(),
        table_name: input.table_name.take(),
        index_name: input.index_name.take(),
        select: input.select,
        attributes_to_get: input.attributes_to_get.as_deref(),
        projection_expression: input.projection_expression.as_deref(),
        legacy_filter: input.query_filter.as_ref(),
        conditional_operator: input.conditional_operator,
        filter_expression: input.filter_expression.as_deref(),
        key_conditions: input.key_conditions.as_ref(),
        key_condition_expression: input.key_condition_expression.as_deref(),
        names: input.expression_attribute_names.as_ref(),
        values: input.expression_attribute_values.as_ref(),
        segment: None,
        total_segments: None,
        scan_index_forward: input.scan_index_forward,
        limit: input.limit,
        consistent_read: input.consistent_read,
        return_consumed_capacity: input.return_consumed_capacity,
    })
}

fn output<R: Rows>(answer: PageAnswer<R>) -> QueryOutput {
    QueryOutput {
        items: None,
        count: answer.count,
        scanned_count: answer.scanned_count,
        last_evaluated_key: answer.last_evaluated_key,
        consumed_capacity: answer.consumed_capacity,
    }
}
