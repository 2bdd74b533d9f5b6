//! ExecuteStatement: one PartiQL statement.

use crate::engine::Engine;
use crate::intent::{Intent, Verb};
use crate::partiql::next_token::{self, RequestHash};
use crate::partiql::{self, select, write};
use crate::read::Rows;
use crate::read::json_rows::JsonRows;
use crate::request::{required, returns_item};
use crate::schema::Table;
use crate::usage::announce;
use hashrange_expr::partiql::{Select, Statement};
use hashrange_model::error::{Layer, StatementFault};
use hashrange_model::{ApiError, ApiResult, Item, Reason};
use hashrange_storage::Store;
use hashrange_wire::{ExecuteStatementInput, ExecuteStatementOutput};

impl<S: Store> Engine<S> {
    /// Runs one PartiQL statement.
    pub async fn execute_statement(
        &self,
        input: ExecuteStatementInput<'_>,
    ) -> ApiResult<ExecuteStatementOutput> {
        let (items, output) = self.run_statement(&input).await.map_err(in_layer)?;
        Ok(ExecuteStatementOutput { items: Some(items), ..output })
    }

    /// Runs a statement like [`execute_statement`](Self::execute_statement) and returns the body of
    /// the response.
    pub(super) async fn execute_statement_json(
        &self,
        input: ExecuteStatementInput<'_>,
    ) -> ApiResult<Vec<u8>> {
        let (rows, output) = self.run_statement(&input).await.map_err(in_layer)?;
        Ok(JsonRows::into_body(Some(rows), &output))
    }

    /// Returns the rows apart from the other members.
    async fn run_statement<R: Rows>(
        &self,
        input: &ExecuteStatementInput<'_>,
    ) -> ApiResult<(R, ExecuteStatementOutput)> {
        let text = required(input.statement.as_deref(), "statement")?;
        if let Some(explain) = hashrange_expr::partiql::explain(text) {
            // On the heap: rare, and every statement would be as large.
            let explained = Box::pin(self.explain_behind(input, text, explain)).await?;
            let mut items = R::with_capacity(0);
            items.push(explained);
            return Ok((items, ExecuteStatementOutput::default()));
        }
        let statement = partiql::parse(text, input.parameters.as_deref())?;
        let start = match input.next_token.as_deref() {
            None => None,
            Some(token) => Some(next_token::decode(request_hash(input), token)?),
        };
        match statement {
            Statement::Select(select) => self.run_select(input, &select, start.as_ref()).await,
            Statement::Exists(_, at) => {
                let function = "exists".to_owned();
                Err(Reason::from(StatementFault::UnknownFunction { function, at }).into())
            }
            statement => self.run_write(input, &statement).await,
        }
    }

    async fn run_select<R: Rows>(
        &self,
        input: &ExecuteStatementInput<'_>,
        select: &Select,
        start: Option<&Item>,
    ) -> ApiResult<(R, ExecuteStatementOutput)> {
        let table = self.readable_table_or_versions(&select.table)?;
        let consistent = input.consistent_read == Some(true);
        let plan = select::plan(&table, select, consistent, input.limit, start)?;
        self.check_index_filled(&table, select.index.as_deref())?;
        let intent = Intent { consistent, ..select::intent(Verb::Select, select) };
        let page = self.read(plan, None, announce(&intent)?).await?;
        let key = page.last_evaluated_key;
        let output = ExecuteStatementOutput {
            items: None,
            consumed_capacity: page.units.report(
                input.return_consumed_capacity,
                &select.table,
                &table,
            ),
            next_token: key.as_ref().map(|key| next_token::encode(request_hash(input), key)),
            last_evaluated_key: key,
        };
        Ok((page.items, output))
    }

    async fn run_write<R: Rows>(
        &self,
        input: &ExecuteStatementInput<'_>,
        statement: &Statement,
    ) -> ApiResult<(R, ExecuteStatementOutput)> {
        let returns_item = returns_item(input.return_values_on_condition_check_failure);
        let plan = |table: &Table| Ok(write::plan(table, statement, returns_item)?);
        let result = self.write(statement.table(), &write::intent(statement), plan).await;
        let (table, written) = write::outcome(statement, result)?;
        let consumed_capacity =
            written.units.report(input.return_consumed_capacity, statement.table(), &table);
        let mut items = R::with_capacity(0);
        if let Some(item) = write::returned(statement, written) {
            items.push(item);
        }
        Ok((items, ExecuteStatementOutput { consumed_capacity, ..Default::default() }))
    }
}

fn in_layer(error: ApiError) -> ApiError {
    error.in_layer(Layer::Older)
}

fn request_hash(input: &ExecuteStatementInput<'_>) -> RequestHash {
    RequestHash::of(input.statement.as_deref().unwrap_or_default(), input.parameters.as_deref())
}
