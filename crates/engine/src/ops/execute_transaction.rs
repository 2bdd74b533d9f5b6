//! ExecuteTransaction: up to 100 PartiQL statements, all reads as of one moment, or all writes
//! (with EXISTS for conditions on other items), of which all are done or none.

use crate::answer::{PerTable, charged};
use crate::capacity::{Charge, Units};
use crate::engine::{Engine, item_target};
use crate::explain::{Asked, Explanation, Grouping, Mode, Parts};
use crate::heat::Touched;
use crate::intent::pattern_of;
use crate::layout;
use crate::layout::token::TokenScope;
use crate::ops::drive::{Explain, Run};
use crate::ops::explained_statements::{selected_read, take_explain};
use crate::partiql::select::SelectPlan;
use crate::partiql::{self, select, write};
use crate::read::Page;
use crate::request::{required, returns_item};
use crate::schema::Table;
use crate::transaction::{
    ActionKind, Fingerprint, StatementAsked, Token, TransactionAction, check_distinct,
};
use crate::usage::{Seen, announce_all};
use crate::write::key_of_key;
use hashrange_expr::Condition;
use hashrange_expr::partiql::{Select, Statement, reads};
use hashrange_model::error::{Layer, StatementFault, TransactionFault};
use hashrange_model::limits::{ITEM_SIZE_MAX_BYTES, TRANSACTION_SIZE_MAX_BYTES};
use hashrange_model::{ApiError, ApiResult, Item, Reason};
use hashrange_storage::Store;
use hashrange_wire::{
    ExecuteTransactionInput, ExecuteTransactionOutput, ItemResponse, Operation,
    ParameterizedStatement, ReturnConsumedCapacity,
};
use std::mem;
use std::sync::Arc;

impl<S: Store> Engine<S> {
    /// Runs several PartiQL statements as one transaction.
    pub async fn execute_transaction(
        &self,
        mut input: ExecuteTransactionInput<'_>,
    ) -> ApiResult<ExecuteTransactionOutput> {
        const OPERATION: Operation = Operation::ExecuteTransaction;
        let first = input.transact_statements.as_mut().and_then(|all| all.first_mut());
        if let Some(mode) = take_explain(first.and_then(|first| first.statement.as_mut())) {
            // On the heap: rare, and every transaction would be as large.
            let asked = self.asked(OPERATION, mode);
            let explained = Box::pin(self.explain_request(
                OPERATION,
                StatementTransaction::check(&mut input),
                asked,
            ));
            let item = Some(self.priced(explained.await?).to_item());
            let responses = Some(vec![ItemResponse { item }]);
            return Ok(ExecuteTransactionOutput { responses, consumed_capacity: None });
        }
        self.run_request(OPERATION, StatementTransaction::check(&mut input)).await
    }
}

/// Statements of a transaction, each valid by itself.
pub(super) struct StatementTransaction<'a> {
    token: Option<Token>,
    requests: Vec<ParameterizedStatement<'a>>,
    statements: Vec<Statement>,
    /// Whether they read; all others write.
    are_reads: bool,
    return_consumed_capacity: Option<ReturnConsumedCapacity>,
}

impl<'a> StatementTransaction<'a> {
    pub(super) fn check(input: &mut ExecuteTransactionInput<'a>) -> ApiResult<Self> {
        let token = token(input);
        let requests = required(input.transact_statements.take(), "transactStatements")?;
        let statements = requests.iter().map(parse).collect::<ApiResult<Vec<_>>>()?;
        check_returning(&statements)?;
        let reads = statements.iter().filter(|statement| statement.is_read()).count();
        if reads != 0 && reads != statements.len() {
            return Err(Reason::from(StatementFault::TransactionMixed).into());
        }
        let return_consumed_capacity = input.return_consumed_capacity;
        Ok(Self { token, requests, statements, are_reads: reads > 0, return_consumed_capacity })
    }

    async fn explain_reads<S: Store>(
        &self,
        engine: &Engine<S>,
        asked: Asked<'_>,
    ) -> ApiResult<Explanation> {
        let statements = &self.statements;
        let tables =
            statements.iter().map(|it| engine.table(it.table())).collect::<ApiResult<Vec<_>>>()?;
        let pattern = pattern_of(statements.iter().map(write::intent));
        let plans = plan_items(&tables, statements)?;
        let conditions = statements.iter().map(condition_of);
        let reads = plans.into_iter().zip(&tables).zip(conditions);
        let reads = reads.map(|((plan, table), condition)| selected_read(table, plan, condition));
        let reads = reads.map(|read| Ok(Ok(read?))).collect::<ApiResult<Vec<_>>>()?;
        let keys = reads.iter().flatten().flat_map(|read| &read.ranges).map(|range| &range.start);
        check_distinct(keys)?;
        let planned_ms = engine.now_ms();
        let steps = engine.item_read_steps(reads, Grouping::Transaction).await?;
        let mut parts = Parts::of(Grouping::Transaction, steps);
        if asked.mode == Mode::Analyze {
            let answer = self.read(engine, Some(ReturnConsumedCapacity::Total)).await?;
            engine.add_consumed(&mut parts, answer.consumed_capacity)?;
        }
        Ok(Explanation { pattern, ..parts.explanation(asked, planned_ms, engine.now_ms()) })
    }

    /// Returns the actions of statements.
    fn actions<S: Store>(&mut self, engine: &Engine<S>) -> ApiResult<Vec<TransactionAction>> {
        let mut actions = Vec::with_capacity(self.statements.len());
        for (nth, (statement, request)) in
            mem::take(&mut self.statements).into_iter().zip(&self.requests).enumerate()
        {
            let table = engine.table(statement.table())?;
            let returns_item = returns_item(request.return_values_on_condition_check_failure);
            let action = action(&table, statement, nth, returns_item)?;
            actions.push(TransactionAction {
                payload_bytes: payload_bytes(&action, request),
                ..action
            });
        }
        Ok(actions)
    }

    async fn read<S: Store>(
        &self,
        engine: &Engine<S>,
        mode: Option<ReturnConsumedCapacity>,
    ) -> ApiResult<ExecuteTransactionOutput> {
        let statements = &self.statements;
        let tables = statements
            .iter()
            .map(|it| engine.readable_table(it.table()))
            .collect::<ApiResult<Vec<_>>>()?;
        let plans = plan_items(&tables, statements)?;
        check_distinct(plans.iter().filter_map(SelectPlan::item_key))?;
        let announced = announce_all(|| statements.iter().map(write::intent))?;
        let items = plans.iter().map(|plan| item_target(plan).ok_or(Reason::Internal));
        let items = items.collect::<Result<Vec<_>, _>>()?;
        let targets = items.iter().map(|(target, key)| (*target, Touched::Item(key)));
        let mut admission = engine.admit_reads(targets, announced)?;
        let view = engine.core().view().await?;
        let (mut reports, mut responses) = (PerTable::default(), Vec::new());
        let mut bytes = 0;
        let read = plans.iter().zip(&items).zip(&tables).zip(statements);
        for (((plan, (target, key)), table), statement) in read {
            let view = engine.read_view(table, || layout::single(key), None, Some(&view)).await?;
            let mut page: Page = engine.run_in(&view, plan).await?;
            let units = Units::of_table(2.0 * page.units.table);
            reports.add_units(statement.table(), table, &units);
            let seen =
                Seen { examined: page.scanned, bytes: page.scanned_bytes, returned: page.count };
            engine.tell_read(table, key, &units, seen);
            if let Some(admission) = &mut admission {
                admission.add_read(target, &units);
            }
            let item = page.items.pop().filter(|item| !item.is_empty());
            bytes += item.as_ref().map_or(0, Item::size);
            responses.push(ItemResponse { item });
        }
        if let Some(admission) = admission {
            admission.settle();
        }
        if bytes > TRANSACTION_SIZE_MAX_BYTES {
            return Err(Reason::TransactionTooLarge.into());
        }
        Ok(ExecuteTransactionOutput {
            responses: Some(responses),
            consumed_capacity: reports.consumed(|units, name, table| {
                units.report_of_transaction(mode, name, table, Charge::Read)
            }),
        })
    }

    async fn write<S: Store>(&mut self, engine: &Engine<S>) -> ApiResult<ExecuteTransactionOutput> {
        let (token, mode) = (self.token.take(), self.return_consumed_capacity);
        let is_insert = are_inserts(&self.statements);
        let actions = self.actions(engine)?;
        let completed = engine
            .transact(&actions, token.as_ref())
            .await
            .map_err(|error| worded(&is_insert, error))?;
        let (reports, charge) = charged(&actions, &completed, None);
        Ok(ExecuteTransactionOutput {
            responses: Some(Vec::new()),
            consumed_capacity: reports.consumed(|units, name, table| {
                units.report_of_transaction(mode, name, table, charge)
            }),
        })
    }
}

impl<S: Store> Run<S, ExecuteTransactionOutput> for StatementTransaction<'_> {
    async fn run(&mut self, engine: &Engine<S>) -> ApiResult<ExecuteTransactionOutput> {
        if self.are_reads {
            return self.read(engine, self.return_consumed_capacity).await;
        }
        self.write(engine).await
    }
}

impl<S: Store> Explain<S> for StatementTransaction<'_> {
    async fn explain(&mut self, engine: &Engine<S>, asked: Asked<'_>) -> ApiResult<Explanation> {
        if self.are_reads {
            return self.explain_reads(engine, asked).await;
        }
        let (token, is_insert) = (self.token.take(), are_inserts(&self.statements));
        let actions = self.actions(engine)?;
        let in_words = |error: ApiError| worded(&is_insert, error);
        engine.explain_actions(&actions, token.as_ref(), in_words, asked).await
    }
}

fn are_inserts(statements: &[Statement]) -> Vec<bool> {
    statements.iter().map(|it| matches!(it, Statement::Insert(_))).collect()
}

fn parse(request: &ParameterizedStatement<'_>) -> ApiResult<Statement> {
    let text = required(request.statement.as_deref(), "transactStatements.1.member.statement")?;
    Ok(partiql::parse(text, request.parameters.as_deref())?)
}

fn fault(nth: usize, fault: TransactionFault) -> Reason {
    StatementFault::InTransaction(nth, fault).into()
}

fn check_returning(statements: &[Statement]) -> Result<(), Reason> {
    let returns = |statement: &Statement| match statement {
        Statement::Update(change) => change.returning.is_some(),
        Statement::Delete(delete) => delete.returning.is_some(),
        _ => false,
    };
    match statements.iter().position(returns) {
        Some(nth) => Err(fault(nth, TransactionFault::Returning)),
        None => Ok(()),
    }
}

fn condition_of(statement: &Statement) -> Option<Condition> {
    match statement {
        Statement::Select(select) => select.condition.clone(),
        _ => None,
    }
}

/// Plans SELECTs. One that its table refuses for its key cancels the transaction, as a read of TransactGetItems
/// does.
fn plan_items<'s>(
    tables: &'s [Arc<Table>],
    statements: &'s [Statement],
) -> Result<Vec<SelectPlan<'s>>, Reason> {
    let (mut plans, mut faults) = (Vec::with_capacity(statements.len()), Vec::new());
    for (nth, (statement, table)) in statements.iter().zip(tables).enumerate() {
        let Statement::Select(select) = statement else {
            return Err(StatementFault::TransactionMixed.into());
        };
        let fault = match check_key(table, select) {
            Ok(()) => {
                plans.push(plan_item(table, select, nth)?);
                None
            }
            Err(reason @ Reason::EmptyKeyValue { .. }) => return Err(reason),
            Err(reason) => Some(reason),
        };
        faults.push(fault.map(|reason| ApiError::new(reason).in_layer(Layer::Older)));
    }
    if faults.iter().any(Option::is_some) {
        return Err(Reason::TransactionCanceled(faults));
    }
    Ok(plans)
}

/// Refuses the key that a SELECT names, if it names a whole one that does not fit the table.
fn check_key(table: &Table, select: &Select) -> Result<(), Reason> {
    let condition = select.condition.as_ref().filter(|_| select.index.is_none());
    match condition.and_then(|condition| write::primary_key(table, condition).ok()) {
        Some(key) => key_of_key(table, &key).map(|_| ()),
        None => Ok(()),
    }
}

/// Plans a SELECT, which must name one item of the table by its key, and call no function beside.
/// Source: captured 2026.
fn plan_item<'s>(
    table: &'s Table,
    select: &'s Select,
    nth: usize,
) -> Result<SelectPlan<'s>, Reason> {
    if select.index.is_some() {
        return Err(fault(nth, TransactionFault::Index));
    }
    if select.has_function {
        return Err(fault(nth, TransactionFault::Select));
    }
    match select::plan(table, select, true, None, None)? {
        item @ SelectPlan::Item { .. } => Ok(item),
        SelectPlan::Ranges { .. } => Err(fault(nth, TransactionFault::Select)),
    }
}

/// Returns the action of a statement.
fn action(
    table: &Table,
    statement: Statement,
    nth: usize,
    returns_item_on_failure: bool,
) -> Result<TransactionAction, Reason> {
    let table_name = statement.table().to_owned();
    let mut asked = StatementAsked { verb: write::intent(&statement).verb, clause: None };
    let (kind, condition) = match statement {
        Statement::Insert(insert) => {
            if insert.item.size() > ITEM_SIZE_MAX_BYTES {
                return Err(Reason::ItemTooLarge);
            }
            (ActionKind::Put(insert.item), insert.condition)
        }
        Statement::Update(change) => {
            check_no_index(change.index.as_deref())?;
            let key = write::primary_key(table, &change.condition)?;
            (ActionKind::Update(key, change.update), change.condition)
        }
        Statement::Delete(delete) => {
            check_no_index(delete.index.as_deref())?;
            let key = write::primary_key(table, &delete.condition)?;
            asked.clause = Some(delete.condition);
            (ActionKind::Delete(key), delete.condition_or_absent)
        }
        Statement::Exists(select, _) => check_exists(table, select, nth)?,
        Statement::Select(_) => return Err(StatementFault::TransactionMixed.into()),
    };
    Ok(TransactionAction {
        table_name,
        kind,
        condition: Some(condition),
        statement: Some(asked),
        returns_item_on_failure,
        payload_bytes: 0,
    })
}

/// Returns the payload bytes of a statement: of an INSERT its item, of the others their text and parameters.
fn payload_bytes(action: &TransactionAction, request: &ParameterizedStatement<'_>) -> usize {
    if let ActionKind::Put(item) = &action.kind {
        return item.size();
    }
    let parameters = request.parameters.iter().flatten();
    let text = request.statement.as_deref().map_or(0, str::len);
    text + parameters.map(|parameter| parameter.value.get().size()).sum::<usize>()
}

fn check_no_index(index: Option<&str>) -> Result<(), Reason> {
    index.map_or(Ok(()), |_| Err(StatementFault::IndexWrite.into()))
}

/// Returns the check of EXISTS: of one item, by more than its key.
fn check_exists(
    table: &Table,
    select: Select,
    nth: usize,
) -> Result<(ActionKind, Condition), Reason> {
    if let Some(fault) = select.column_fault {
        return Err(fault.into());
    }
    let invalid = || fault(nth, TransactionFault::Exists);
    let condition = select.condition.filter(|_| select.index.is_none()).ok_or_else(invalid)?;
    let key = write::primary_key(table, &condition).map_err(|_| invalid())?;
    let sort = table.key.sort.first().map(|attribute| attribute.name.as_str());
    let partition = table.key.partition.first().ok_or_else(invalid)?;
    if reads(&condition, &partition.name, sort).is_none_or(|reads| reads.is_exact) {
        return Err(invalid());
    }
    Ok((ActionKind::Check(key), condition))
}

/// Returns the error of a transaction: an INSERT whose condition failed has met an item.
fn worded(is_insert: &[bool], error: ApiError) -> ApiError {
    let Reason::TransactionCanceled(reasons) = error.reason() else { return error };
    let worded = reasons.iter().zip(is_insert).map(|(reason, is_insert)| {
        reason.clone().map(|reason| {
            let has_failed = matches!(reason.reason(), Reason::ConditionalCheckFailed);
            if has_failed && *is_insert {
                ApiError::new(Reason::DuplicateItem).with_item(reason.item().cloned())
            } else {
                reason
            }
        })
    });
    Reason::TransactionCanceled(worded.collect()).into()
}

/// Returns the request's token with the fingerprint of all other members.
fn token(input: &ExecuteTransactionInput<'_>) -> Option<Token> {
    let text = input.client_request_token.as_deref()?;
    let mut fingerprint = Fingerprint::new();
    fingerprint.text(input.return_consumed_capacity.map(ReturnConsumedCapacity::as_str));
    let statements = input.transact_statements.as_deref().unwrap_or_default();
    fingerprint.number(statements.len());
    for statement in statements {
        fingerprint.text(statement.statement.as_deref());
        let parameters = statement.parameters.as_deref().unwrap_or_default();
        fingerprint.number(parameters.len());
        for parameter in parameters {
            fingerprint.bytes(parameter.value.as_bytes());
        }
        let on_failure = statement.return_values_on_condition_check_failure;
        fingerprint.number(usize::from(returns_item(on_failure)));
    }
    Some(Token::new(TokenScope::ExecuteTransaction, text, fingerprint.finish()))
}
