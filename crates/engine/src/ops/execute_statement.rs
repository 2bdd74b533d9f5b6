//! ExecuteStatement: one PartiQL statement.

use crate::engine::Engine;
use crate::explain::{Asked, Explanation, ReadPlan};
use crate::intent::{Intent, Verb};
use crate::ops::drive::{Explain, Run};
use crate::ops::explained_statements::{blanked, mode, selected_read};
use crate::partiql::next_token::{self, RequestHash};
use crate::partiql::{self, select, write};
use crate::read::Rows;
use crate::read::json_rows::JsonRows;
use crate::request::{required, returns_item};
use crate::schema::Table;
use crate::usage::announce;
use hashrange_expr::partiql::{self as statements, Select, Statement};
use hashrange_model::error::{Layer, StateFault, StatementFault};
use hashrange_model::{ApiError, ApiResult, Item, Reason};
use hashrange_storage::Store;
use hashrange_wire::{ExecuteStatementInput, ExecuteStatementOutput, Operation};
use std::mem;
use std::sync::Arc;

impl<S: Store> Engine<S> {
    /// Runs one PartiQL statement.
    pub async fn execute_statement(
        &self,
        input: ExecuteStatementInput<'_>,
    ) -> ApiResult<ExecuteStatementOutput> {
        let (items, output) = self.run_statement(input).await?;
        Ok(ExecuteStatementOutput { items: Some(items), ..output })
    }

    /// Runs a statement like [`execute_statement`](Self::execute_statement) and returns the body of
    /// the response.
    pub(super) async fn execute_statement_json(
        &self,
        input: ExecuteStatementInput<'_>,
    ) -> ApiResult<Vec<u8>> {
        let (rows, output) = self.run_statement(input).await?;
        Ok(JsonRows::into_body(Some(rows), &output))
    }

    /// Returns the rows apart from the other members.
    async fn run_statement<R: Rows>(
        &self,
        mut input: ExecuteStatementInput<'_>,
    ) -> ApiResult<(R, ExecuteStatementOutput)> {
        const OPERATION: Operation = Operation::ExecuteStatement;
        let text = input.statement.as_deref();
        if let Some(explain) = text.and_then(statements::explain) {
            // On the heap: rare, and every statement would be as large.
            let asked = self.asked(OPERATION, mode(explain));
            let checked = CheckedStatement::check_behind(&mut input, explain);
            let explained = self.explain_request(OPERATION, checked, asked);
            let mut items = R::with_capacity(0);
            items.push(self.priced(Box::pin(explained).await?).to_item());
            return Ok((items, ExecuteStatementOutput::default()));
        }
        self.run_request(OPERATION, CheckedStatement::check(&mut input)).await
    }
}

/// A statement that is valid by itself.
pub(super) struct CheckedStatement<'a> {
    statement: Statement,
    /// The key after which a SELECT goes on.
    start: Option<Item>,
    input: ExecuteStatementInput<'a>,
}

impl<'a> CheckedStatement<'a> {
    pub(super) fn check(input: &mut ExecuteStatementInput<'a>) -> ApiResult<Self> {
        let text = required(input.statement.as_deref(), "statement")?;
        let statement = partiql::parse(text, input.parameters.as_deref())?;
        let start = start(input, text)?;
        Self::of(statement, start, input)
    }

    /// Checks the statement behind `EXPLAIN`. Its token is that of the statement alone.
    fn check_behind(
        input: &mut ExecuteStatementInput<'a>,
        explain: statements::Explain,
    ) -> ApiResult<Self> {
        let text = required(input.statement.as_deref(), "statement")?;
        let statement = partiql::parse(&blanked(text, explain), input.parameters.as_deref())?;
        let start = start(input, text.get(explain.statement_at..).unwrap_or_default())?;
        Self::of(statement, start, input)
    }

    fn of(
        statement: Statement,
        start: Option<Item>,
        input: &mut ExecuteStatementInput<'a>,
    ) -> ApiResult<Self> {
        match statement {
            Statement::Exists(_, at) => {
                let function = "exists".to_owned();
                Err(Reason::from(StatementFault::UnknownFunction { function, at }).into())
            }
            statement => Ok(Self { statement, start, input: mem::take(input) }),
        }
    }

    async fn select<S: Store, R: Rows>(
        &self,
        engine: &Engine<S>,
        select: &Select,
    ) -> ApiResult<(R, ExecuteStatementOutput)> {
        let input = &self.input;
        let table = engine.readable_table_or_versions(&select.table)?;
        let consistent = input.consistent_read == Some(true);
        let plan = select::plan(&table, select, consistent, input.limit, self.start.as_ref())?;
        engine.check_index_filled(&table, select.index.as_deref())?;
        let intent = Intent { consistent, ..select::intent(Verb::Select, select) };
        let page = engine.read(plan, None, announce(&intent)?).await?;
        let key = page.last_evaluated_key;
        let text = input.statement.as_deref().unwrap_or_default();
        let output = ExecuteStatementOutput {
            items: None,
            consumed_capacity: page.units.report(
                input.return_consumed_capacity,
                &select.table,
                &table,
            ),
            next_token: key.as_ref().map(|key| next_token::encode(request_hash(input, text), key)),
            last_evaluated_key: key,
        };
        Ok((page.items, output))
    }

    async fn write<S: Store, R: Rows>(
        &self,
        engine: &Engine<S>,
    ) -> ApiResult<(R, ExecuteStatementOutput)> {
        let (input, statement) = (&self.input, &self.statement);
        let returns_item = returns_item(input.return_values_on_condition_check_failure);
        let plan = |table: &Table| Ok(write::plan(table, statement, returns_item)?);
        let result = engine.write(statement.table(), &write::intent(statement), plan).await;
        let (table, written) = write::outcome(statement, result)?;
        let consumed_capacity =
            written.units.report(input.return_consumed_capacity, statement.table(), &table);
        let mut items = R::with_capacity(0);
        if let Some(item) = write::returned(statement, written) {
            items.push(item);
        }
        Ok((items, ExecuteStatementOutput { consumed_capacity, ..Default::default() }))
    }

    async fn explain_select<S: Store>(
        &mut self,
        engine: &Engine<S>,
        asked: Asked<'_>,
    ) -> ApiResult<Explanation> {
        let Statement::Select(select) = &mut self.statement else {
            return Err(Reason::Internal.into());
        };
        let table = engine.explained_table(&select.table, asked)?;
        if let Some(what_if) = asked.what_if.filter(|it| Arc::ptr_eq(&it.table, &table)) {
            select.index.get_or_insert_with(|| what_if.name().to_owned());
        }
        let (select, start) = (&*select, self.start.as_ref());
        let consistent = self.input.consistent_read == Some(true);
        let plan = select::plan(&table, select, consistent, self.input.limit, start)?;
        engine.check_index_filled(&table, select.index.as_deref())?;
        let read = selected_read(&table, plan, select.condition.clone())?;
        let read = ReadPlan { start: start.cloned(), ..read };
        let intent = Intent { consistent, ..select::intent(Verb::Select, select) };
        engine.explain_read(read, &intent, asked).await
    }

    async fn explain_write<S: Store>(
        &self,
        engine: &Engine<S>,
        asked: Asked<'_>,
    ) -> ApiResult<Explanation> {
        let statement = &self.statement;
        let name = statement.table();
        let table = engine.table(name)?;
        let key = write::key_attributes(&table, statement)?;
        let plan = |table: &Table| Ok(write::plan(table, statement, false)?);
        let worded = match statement {
            Statement::Insert(_) => |error| write::worded_as_insert(error).in_layer(Layer::Older),
            _ => |error: ApiError| error.in_layer(Layer::Older),
        };
        let intent = write::intent(statement);
        let explained = engine.explain_write((name, &key), &intent, plan, worded, asked).await;
        write::outcome(statement, explained)
    }
}

impl<S: Store, R: Rows> Run<S, (R, ExecuteStatementOutput)> for CheckedStatement<'_> {
    async fn run(&mut self, engine: &Engine<S>) -> ApiResult<(R, ExecuteStatementOutput)> {
        match &self.statement {
            Statement::Select(select) => self.select(engine, select).await,
            _ => self.write(engine).await,
        }
    }
}

impl<S: Store> Explain<S> for CheckedStatement<'_> {
    async fn explain(&mut self, engine: &Engine<S>, asked: Asked<'_>) -> ApiResult<Explanation> {
        let asked = Asked { operation: self.statement.verb(), ..asked };
        match &self.statement {
            Statement::Select(_) => self.explain_select(engine, asked).await,
            _ if asked.what_if.is_some() => {
                Err(Reason::State(StateFault::NotSupposed(asked.operation)).into())
            }
            _ => self.explain_write(engine, asked).await,
        }
    }
}

/// Returns the key after which a statement goes on, by its token.
fn start(input: &ExecuteStatementInput<'_>, text: &str) -> Result<Option<Item>, Reason> {
    let token = input.next_token.as_deref();
    token.map(|token| next_token::decode(request_hash(input, text), token)).transpose()
}

fn request_hash(input: &ExecuteStatementInput<'_>, text: &str) -> RequestHash {
    RequestHash::of(text, input.parameters.as_deref())
}
