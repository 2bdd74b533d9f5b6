//! Query: the items of one partition key value, in the order of the sort key.

use crate::engine::Engine;
use crate::explain::Explanation;
use crate::ops::explain::How;
use crate::ops::paged_read::{PageAnswer, PageParameters};
use crate::read::Rows;
use crate::read::json_rows::JsonRows;
use crate::read::key_range::Reader;
use hashrange_model::{ApiResult, Item};
use hashrange_storage::Store;
use hashrange_wire::{QueryInput, QueryOutput};

impl<S: Store> Engine<S> {
    /// Reads a page of the items with one partition key value.
    pub async fn query(&self, mut input: QueryInput<'_>) -> ApiResult<QueryOutput> {
        let mut answer = self.read_page::<Vec<Item>>(parameters(&mut input)).await?;
        let items = answer.items.take();
        Ok(QueryOutput { items, ..output(answer) })
    }

    /// Reads a page like [`query`](Self::query) and returns the body of the response.
    pub(super) async fn query_json(&self, mut input: QueryInput<'_>) -> ApiResult<Vec<u8>> {
        let mut answer = self.read_page::<JsonRows>(parameters(&mut input)).await?;
        let rows = answer.items.take();
        Ok(JsonRows::into_body(rows, &output(answer)))
    }

    /// Explains a query.
    pub(super) async fn explain_query(
        &self,
        mut input: QueryInput<'_>,
        how: How<'_>,
    ) -> ApiResult<Explanation> {
        self.explain_page("Query", parameters(&mut input), how).await
    }
}

fn parameters<'a>(input: &'a mut QueryInput<'_>) -> PageParameters<'a> {
    PageParameters {
        reader: Reader::Query,
        exclusive_start_key: input.exclusive_start_key.take(),
        table_name: input.table_name.as_deref(),
        index_name: input.index_name.as_deref(),
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
    }
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
