//! BatchExecuteStatement: up to 25 PartiQL statements, all reads or all writes, each of one item
//! and each by itself: those that fail leave the others alone.

use crate::answer::PerTable;
use crate::capacity::{Units, write_units};
use crate::engine::Engine;
use crate::explain::{
    Asked, Explanation, FailedStep, Grouping, Mode, Parts, ReadPlan, Step, WriteStep,
};
use crate::intent::{Intent, Verb, pattern_of};
use crate::ops::drive::{Explain, Run};
use crate::ops::explained_statements::{selected_read, take_explain};
use crate::partiql::select::SelectPlan;
use crate::partiql::{self, select, write};
use crate::read::Page;
use crate::request::required;
use crate::schema::Table;
use crate::usage::announce_all;
use crate::write::{Attempt, Write, check_distinct, until_decided};
use hashrange_expr::partiql::{Select, Statement};
use hashrange_model::error::{Layer, StatementFault};
use hashrange_model::{ApiError, ApiResult, ErrorKind, Item, Reason};
use hashrange_storage::Store;
use hashrange_wire::{
    BatchExecuteStatementInput, BatchExecuteStatementOutput, BatchStatementError,
    BatchStatementErrorCodeEnum, BatchStatementRequest, BatchStatementResponse, Operation,
    ReturnConsumedCapacity,
};
use std::sync::Arc;

impl<S: Store> Engine<S> {
    /// Runs several PartiQL statements.
    pub async fn batch_execute_statement(
        &self,
        mut input: BatchExecuteStatementInput<'_>,
    ) -> ApiResult<BatchExecuteStatementOutput> {
        const OPERATION: Operation = Operation::BatchExecuteStatement;
        let first = input.statements.as_mut().and_then(|all| all.first_mut());
        if let Some(mode) = take_explain(first.and_then(|first| first.statement.as_mut())) {
            // On the heap: rare, and every batch would be as large.
            let asked = self.asked(OPERATION, mode);
            let explained =
                Box::pin(self.explain_request(OPERATION, StatementBatch::check(&mut input), asked));
            let item = Some(self.priced(explained.await?).to_item());
            let response = BatchStatementResponse { table_name: None, item, error: None };
            return Ok(BatchExecuteStatementOutput {
                consumed_capacity: None,
                responses: Some(vec![response]),
            });
        }
        self.run_request(OPERATION, StatementBatch::check(&mut input)).await
    }

    /// Returns the table of each statement.
    fn tables_of_statements(
        &self,
        statements: &[ApiResult<Statement>],
    ) -> Vec<ApiResult<Arc<Table>>> {
        let table = |statement: &ApiResult<Statement>| match statement {
            Ok(statement) => self.table(statement.table()),
            Err(error) => Err(error.clone()),
        };
        statements.iter().map(table).collect()
    }
}

/// Statements of a batch, each checked by itself.
pub(super) struct StatementBatch<'a> {
    requests: Vec<BatchStatementRequest<'a>>,
    /// Statement of each request, or its fault.
    statements: Vec<ApiResult<Statement>>,
    /// Whether they read; all others write.
    are_reads: bool,
    return_consumed_capacity: Option<ReturnConsumedCapacity>,
}

impl<'a> StatementBatch<'a> {
    pub(super) fn check(input: &mut BatchExecuteStatementInput<'a>) -> ApiResult<Self> {
        let requests = required(input.statements.take(), "statements")?;
        let statements: Vec<_> = requests.iter().map(parse).collect();
        let parsed = || statements.iter().flatten();
        let reads = parsed().filter(|statement| statement.is_read()).count();
        if reads != 0 && reads != parsed().count() {
            return Err(Reason::from(StatementFault::BatchMixed).into());
        }
        let return_consumed_capacity = input.return_consumed_capacity;
        Ok(Self { requests, statements, are_reads: reads > 0, return_consumed_capacity })
    }

    async fn explain_reads<S: Store>(
        &self,
        engine: &Engine<S>,
        asked: Asked<'_>,
    ) -> ApiResult<Explanation> {
        let tables = engine.tables_of_statements(&self.statements);
        let planned = self.requests.iter().zip(&self.statements).zip(&tables);
        let reads: Vec<_> = planned
            .map(|((request, statement), table)| {
                let name = statement.as_ref().ok().map(|it| it.table().to_owned());
                let consistent = request.consistent_read == Some(true);
                explained_read(statement, table, consistent)
                    .map_err(|error| FailedStep::of(name.as_deref(), &error.in_layer(Layer::Older)))
            })
            .collect();
        let keys = reads.iter().flatten().flat_map(|read| &read.ranges).map(|range| &range.start);
        check_distinct(keys)?;
        let planned_ms = engine.now_ms();
        let mut steps = engine.item_read_steps(reads, Grouping::Batch).await?;
        let mut consumed = None;
        if asked.mode == Mode::Analyze {
            let answer = self.read(engine).await?;
            let answer = answer.output(Some(ReturnConsumedCapacity::Total));
            refuse_failed(&mut steps, answer.responses.unwrap_or_default());
            consumed = Some(answer.consumed_capacity);
        }
        let mut parts = Parts::of(Grouping::Batch, steps);
        if let Some(consumed) = consumed {
            engine.add_consumed(&mut parts, consumed)?;
        }
        Ok(parts.explanation(asked, planned_ms, engine.now_ms()))
    }

    async fn explain_writes<S: Store>(
        &self,
        engine: &Engine<S>,
        asked: Asked<'_>,
    ) -> ApiResult<Explanation> {
        let planned_ms = engine.now_ms();
        let (steps, round_trips) = engine.counting(self.attempt(engine, asked.mode)).await;
        let mut parts = Parts::of(Grouping::Batch, steps?);
        parts.together.round_trips = round_trips.filter(|_| asked.mode == Mode::Analyze);
        Ok(parts.explanation(asked, planned_ms, engine.now_ms()))
    }

    /// Rehearses statements that write, or runs them, and returns the step of each.
    async fn attempt<S: Store>(&self, engine: &Engine<S>, mode: Mode) -> ApiResult<Vec<Step>> {
        until_decided(|| async {
            let statements = &self.statements;
            let tables = engine.tables_of_statements(statements);
            let (writes, errors) = plan_writes(statements, &tables);
            check_distinct(writes.iter().map(|(_, write)| &write.key.bytes))?;
            let planned = statements.iter().zip(&errors).filter(|(_, error)| error.is_none());
            let planned = planned.filter_map(|(statement, _)| statement.as_ref().ok());
            let told = planned.zip(&writes).map(|(statement, (table, write))| {
                WriteStep::of(table, write, &write::key_attributes(table, statement)?)
            });
            let told = told.collect::<ApiResult<Vec<_>>>()?;
            let attempts = match mode {
                Mode::Plan => Some(engine.core().rehearse(&writes).await?),
                Mode::Analyze => {
                    let announced = announce_all(|| intents(statements))?;
                    engine.commit_apart(&writes, announced).await?
                }
            };
            drop(writes);
            Ok(attempts
                .map(|attempts| told_statements(statements, &tables, errors, told, attempts)))
        })
        .await
    }

    async fn read<S: Store>(&self, engine: &Engine<S>) -> ApiResult<BatchAnswer> {
        let statements = &self.statements;
        let tables: Vec<_> = statements
            .iter()
            .map(|statement| match statement {
                Ok(statement) => engine.readable_table(statement.table()),
                Err(error) => Err(error.clone()),
            })
            .collect();
        let planned = self.requests.iter().zip(statements).zip(&tables);
        let plans: Vec<_> = planned
            .map(|((request, statement), table)| {
                let (select, table) = selected(statement, table)?;
                let consistent = request.consistent_read == Some(true);
                Ok((select, table, plan_item(table, select, consistent)?))
            })
            .collect::<Vec<ApiResult<_>>>();
        check_distinct(plans.iter().flatten().filter_map(|(_, _, plan)| plan.item_key()))?;
        let selects = || plans.iter().flatten().map(|(select, ..)| *select);
        let announced =
            announce_all(|| selects().map(|select| select::intent(Verb::Select, select)))?;
        let view = engine.core().view().await?;
        let mut answer = BatchAnswer::default();
        for plan in plans {
            let (select, table, plan) = match plan {
                Err(error) => {
                    answer.fail("", &error);
                    continue;
                }
                Ok(plan) => plan,
            };
            let mut page: Page = match engine.read(plan, Some(&view), announced).await {
                Err(error) if error.throttle().is_some() => {
                    answer.fail(&select.table, &error);
                    continue;
                }
                read => read?,
            };
            answer.reports.add_units(&select.table, table, &page.units);
            let item = page.items.pop().filter(|item| !item.is_empty());
            answer.succeed(&select.table, item);
        }
        Ok(answer)
    }

    async fn write<S: Store>(&self, engine: &Engine<S>) -> ApiResult<BatchAnswer> {
        let statements = &self.statements;
        until_decided(|| async {
            let tables = engine.tables_of_statements(statements);
            let (writes, errors) = plan_writes(statements, &tables);
            check_distinct(writes.iter().map(|(_, write)| &write.key.bytes))?;
            let attempts = if writes.is_empty() {
                Some(Vec::new())
            } else {
                let announced = announce_all(|| intents(statements))?;
                match engine.commit_apart(&writes, announced).await {
                    Err(error) if matches!(error.reason(), Reason::TransactionConflict) => {
                        Some(writes.iter().map(|_| Attempt::lost(&error)).collect())
                    }
                    attempts => attempts?,
                }
            };
            drop(writes);
            Ok(attempts
                .map(|attempts| BatchAnswer::of_writes(statements, &tables, errors, attempts)))
        })
        .await
    }
}

impl<S: Store> Run<S, BatchExecuteStatementOutput> for StatementBatch<'_> {
    async fn run(&mut self, engine: &Engine<S>) -> ApiResult<BatchExecuteStatementOutput> {
        let answer =
            if self.are_reads { self.read(engine).await? } else { self.write(engine).await? };
        Ok(answer.output(self.return_consumed_capacity))
    }
}

impl<S: Store> Explain<S> for StatementBatch<'_> {
    async fn explain(&mut self, engine: &Engine<S>, asked: Asked<'_>) -> ApiResult<Explanation> {
        let explained = if self.are_reads {
            self.explain_reads(engine, asked).await?
        } else {
            self.explain_writes(engine, asked).await?
        };
        Ok(Explanation { pattern: pattern_of(intents(&self.statements)), ..explained })
    }
}

/// Returns the intents of the statements that could be read.
fn intents(statements: &[ApiResult<Statement>]) -> impl Iterator<Item = Intent<'_>> {
    statements.iter().flatten().map(write::intent)
}

/// Returns a statement's SELECT, with its table.
fn selected<'s>(
    statement: &'s ApiResult<Statement>,
    table: &'s ApiResult<Arc<Table>>,
) -> ApiResult<(&'s Select, &'s Arc<Table>)> {
    match statement.as_ref().map_err(Clone::clone)? {
        Statement::Select(select) => Ok((select, table.as_ref().map_err(Clone::clone)?)),
        _ => Err(Reason::Internal.into()),
    }
}

/// Returns the read of a SELECT as it is explained.
fn explained_read<'s>(
    statement: &'s ApiResult<Statement>,
    table: &'s ApiResult<Arc<Table>>,
    consistent: bool,
) -> ApiResult<ReadPlan<'s>> {
    let (select, table) = selected(statement, table)?;
    selected_read(table, plan_item(table, select, consistent)?, select.condition.clone())
}

/// Refuses the reads that were answered with an error.
fn refuse_failed(steps: &mut [Step], responses: Vec<BatchStatementResponse>) {
    for (step, response) in steps.iter_mut().zip(responses) {
        if let (Step::Read(read), Some(error)) = (step, response.error) {
            read.refused = Some(error.message.unwrap_or_default());
        }
    }
}

/// Returns the steps of statements that write. `told` and `attempts` are of those without error.
fn told_statements(
    statements: &[ApiResult<Statement>],
    tables: &[ApiResult<Arc<Table>>],
    errors: Vec<Option<ApiError>>,
    told: Vec<WriteStep>,
    attempts: Vec<Attempt>,
) -> Vec<Step> {
    let mut attempted = told.into_iter().zip(attempts);
    let mut steps = Vec::with_capacity(statements.len());
    for ((statement, table), error) in statements.iter().zip(tables).zip(errors) {
        let name = statement.as_ref().ok().map(Statement::table);
        if let Some(error) = error {
            let failed = FailedStep::of(name, &error.in_layer(Layer::Older));
            steps.push(Step::Failed(Box::new(failed)));
            continue;
        }
        let (Ok(statement), Ok(table), Some((mut step, attempt))) =
            (statement, table, attempted.next())
        else {
            continue;
        };
        let units = units_of(statement, &attempt);
        let worded = |error| write::worded(statement, error).in_layer(Layer::Older);
        step.add_attempt(table, attempt, &units, worded);
        steps.push(Step::Write(Box::new(step)));
    }
    steps
}

/// Plans the statements that have a table. Returns their writes, and for each statement its fault.
fn plan_writes<'p>(
    statements: &'p [ApiResult<Statement>],
    tables: &'p [ApiResult<Arc<Table>>],
) -> (Vec<(&'p Table, Write<'p>)>, Vec<Option<ApiError>>) {
    let mut errors = Vec::with_capacity(statements.len());
    let mut writes: Vec<(&Table, Write<'_>)> = Vec::new();
    for (statement, table) in statements.iter().zip(tables) {
        errors.push(match (statement, table) {
            (Ok(statement), Ok(table)) => write::plan(table, statement, false)
                .map(|write| writes.push((&**table, write)))
                .map_err(ApiError::from)
                .err(),
            (_, Err(error)) | (Err(error), _) => Some(error.clone()),
        });
    }
    (writes, errors)
}

fn parse(request: &BatchStatementRequest<'_>) -> ApiResult<Statement> {
    let text = required(request.statement.as_deref(), "statements.1.member.statement")?;
    match partiql::parse(text, request.parameters.as_deref())? {
        Statement::Exists(_, at) => {
            let function = "exists".to_owned();
            Err(Reason::from(StatementFault::UnknownFunction { function, at }).into())
        }
        statement => Ok(statement),
    }
}

/// Plans a SELECT, which must name one item of the table by its key, and call no function beside.
/// Source: captured 2026.
fn plan_item<'s>(
    table: &'s Table,
    select: &'s Select,
    consistent: bool,
) -> Result<SelectPlan<'s>, Reason> {
    if let Some(name) = &select.index {
        // Faults of the index's key come first. Source: captured 2026.
        let index = table.indexes.iter().find(|index| index.name == *name);
        index.map(|index| select::single_key(&index.key)).transpose()?;
        return Err(StatementFault::BatchSelect.into());
    }
    if select.has_function {
        return Err(StatementFault::BatchSelect.into());
    }
    match select::plan(table, select, consistent, None, None)? {
        item @ SelectPlan::Item { .. } => Ok(item),
        SelectPlan::Ranges { .. } => Err(StatementFault::BatchSelect.into()),
    }
}

/// The answer as it grows.
#[derive(Default)]
struct BatchAnswer {
    responses: Vec<BatchStatementResponse>,
    reports: PerTable,
}

impl BatchAnswer {
    /// Returns the answer to writes. `attempts` are those of the statements without error.
    fn of_writes(
        statements: &[ApiResult<Statement>],
        tables: &[ApiResult<Arc<Table>>],
        errors: Vec<Option<ApiError>>,
        attempts: Vec<Attempt>,
    ) -> Self {
        let mut answer = Self::default();
        let mut attempts = attempts.into_iter();
        let mut charged = Vec::new();
        for ((statement, table), error) in statements.iter().zip(tables).zip(errors) {
            let name = statement.as_ref().map_or("", Statement::table);
            if let Some(error) = error {
                answer.fail(name, &error);
                continue;
            }
            let (Ok(statement), Ok(table), Some(attempt)) = (statement, table, attempts.next())
            else {
                continue;
            };
            let is_done = attempt.result.is_ok();
            let units = units_of(statement, &attempt);
            match attempt.result {
                Ok(written) => answer.succeed(name, write::returned(statement, written)),
                Err(error) => answer.fail(name, &write::worded(statement, error)),
            }
            charged.push((name, table, units, is_done));
        }
        // A table is reported if one of its statements succeeded. Source: captured 2026.
        for (name, table, units, _) in &charged {
            if charged.iter().any(|(known, _, _, is_done)| known == name && *is_done) {
                answer.reports.add_units(name, table, units);
            }
        }
        answer
    }

    fn output(self, mode: Option<ReturnConsumedCapacity>) -> BatchExecuteStatementOutput {
        let reports = self.reports;
        BatchExecuteStatementOutput {
            consumed_capacity: reports
                .consumed(|units, name, table| units.report(mode, name, table)),
            responses: Some(self.responses),
        }
    }

    fn succeed(&mut self, table_name: &str, item: Option<Item>) {
        let table_name = Some(table_name.to_owned());
        self.responses.push(BatchStatementResponse { table_name, item, error: None });
    }

    /// Adds an error. Source: captured 2026: the table is named if the statement met an item.
    fn fail(&mut self, table_name: &str, error: &ApiError) {
        let met_item =
            matches!(error.kind(), ErrorKind::ConditionalCheckFailed | ErrorKind::DuplicateItem);
        let error = error.clone().in_layer(Layer::Older);
        self.responses.push(BatchStatementResponse {
            table_name: met_item.then(|| table_name.to_owned()),
            item: None,
            error: Some(BatchStatementError {
                code: Some(code_of(error.kind())),
                message: error.message(),
                item: None,
            }),
        });
    }
}

/// Returns the units of an attempt: of a failed one those of the attempted write.
fn units_of(statement: &Statement, attempt: &Attempt) -> Units {
    match (&attempt.result, statement) {
        (Ok(written), _) => written.units.clone(),
        (Err(_), Statement::Insert(insert)) => {
            Units::of_table(write_units(attempt.stored_bytes.max(insert.item.size())))
        }
        (Err(_), _) => Units::of_table(write_units(attempt.stored_bytes)),
    }
}

fn code_of(kind: ErrorKind) -> BatchStatementErrorCodeEnum {
    match kind {
        ErrorKind::ConditionalCheckFailed => BatchStatementErrorCodeEnum::ConditionalCheckFailed,
        ErrorKind::DuplicateItem => BatchStatementErrorCodeEnum::DuplicateItem,
        ErrorKind::ResourceNotFound => BatchStatementErrorCodeEnum::ResourceNotFound,
        ErrorKind::AccessDenied => BatchStatementErrorCodeEnum::AccessDenied,
        ErrorKind::ProvisionedThroughputExceeded => {
            BatchStatementErrorCodeEnum::ProvisionedThroughputExceeded
        }
        ErrorKind::Throttling => BatchStatementErrorCodeEnum::ThrottlingError,
        ErrorKind::TransactionConflict => BatchStatementErrorCodeEnum::TransactionConflict,
        ErrorKind::ItemCollectionSizeLimitExceeded => {
            BatchStatementErrorCodeEnum::ItemCollectionSizeLimitExceeded
        }
        ErrorKind::InternalServerError => BatchStatementErrorCodeEnum::InternalServerError,
        ErrorKind::Validation
        | ErrorKind::Serialization
        | ErrorKind::UnknownOperation
        | ErrorKind::TableNotFound
        | ErrorKind::ContinuousBackupsUnavailable
        | ErrorKind::BackupNotFound
        | ErrorKind::PolicyNotFound
        | ErrorKind::ExportNotFound
        | ErrorKind::ImportNotFound
        | ErrorKind::GlobalTableNotFound
        | ErrorKind::ResourceInUse
        | ErrorKind::LimitExceeded
        | ErrorKind::TransactionInProgress
        | ErrorKind::TransactionCanceled
        | ErrorKind::IdempotentParameterMismatch
        | ErrorKind::ExpiredIterator
        | ErrorKind::TrimmedDataAccess
        | ErrorKind::NotImplemented => BatchStatementErrorCodeEnum::ValidationError,
    }
}
