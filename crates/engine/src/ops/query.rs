//! Query: the items of one partition key value, in the order of the sort key.

use crate::engine::Engine;
use crate::explain::Explanation;
use crate::ops::explain::How;
use crate::ops::paged_read::{PageAnswer, PageParameters, page_parameters};
use crate::read::Rows;
use crate::read::json_rows::JsonRows;
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
    page_parameters!(Query, input, query_filter, {
        key_conditions: input.key_conditions.as_ref(),
        key_condition_expression: input.key_condition_expression.as_deref(),
        segment: None,
        total_segments: None,
        scan_index_forward: input.scan_index_forward,
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
