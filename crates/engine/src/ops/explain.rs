//! EXPLAIN: what a request would do, or with ANALYZE did. An operation of our own; PartiQL has it, too.

use crate::engine::Engine;
use crate::explain::{Asked, Budget, Explanation, Mode, WhatIf};
use crate::ops::batch_get_item::BatchGet;
use crate::ops::batch_write_item::BatchWrite;
use crate::ops::execute_statement::CheckedStatement;
use crate::ops::get_item::ItemRead;
use crate::ops::transact_get_items::ItemReads;
use crate::ops::transact_write_items::ItemWrites;
use crate::ops::update_table::{self, SupposedIndex};
use crate::ops::{
    batch_execute_statement, delete_item, execute_transaction, put_item, query, scan, update_item,
};
use crate::request::required;
use crate::schema::Table;
use hashrange_model::error::StateFault;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{Operation, calls, read_request};
use std::borrow::Cow;
use std::sync::Arc;

/// Explains a request of an operation, on the heap: it is rare, and every call would be as large.
macro_rules! explain {
    ($engine:expr, $asked:expr, $body:expr, $call:ident, $check:expr) => {{
        let mut input = read_request::<calls::$call>($body)?;
        Box::pin($engine.explain_request(Operation::$call, $check(&mut input), $asked)).await
    }};
}

impl<S: Store> Engine<S> {
    /// Explains a JSON request of an operation; with [`Mode::Analyze`] it runs.
    pub async fn explain(
        &self,
        operation: Operation,
        body: &[u8],
        mode: Mode,
    ) -> ApiResult<Explanation> {
        let explain =
            || async move { self.explain_call(operation, body, self.asked(operation, mode)).await };
        self.explain_on_newest(explain).await
    }

    /// Explains a JSON request of Query, Scan or a SELECT of an index that is not there. A SELECT that names no
    /// index reads this one.
    pub async fn explain_what_if(
        &self,
        operation: Operation,
        body: &[u8],
        index: &SupposedIndex<'_>,
    ) -> ApiResult<Explanation> {
        let explain = || async move {
            let what_if = self.what_if(operation, body, index)?;
            let asked = Asked { what_if: Some(&what_if), ..self.asked(operation, Mode::Plan) };
            self.explain_call(operation, body, asked).await
        };
        self.explain_on_newest(explain).await
    }

    /// Explains as a statement is run: on definitions that were looked at first, and once.
    async fn explain_on_newest<'a, F>(&self, explain: impl Fn() -> F) -> ApiResult<Explanation>
    where
        F: Future<Output = ApiResult<Explanation>> + Send + 'a,
    {
        let run = || -> super::Running<'a, _> { Box::pin(explain()) };
        let explained = if self.store().is_shared() {
            self.on_newest(Operation::ExecuteStatement, run).await?
        } else {
            run().await?
        };
        Ok(self.priced(explained))
    }

    /// Returns what is asked for of an operation, from now on.
    pub(super) fn asked(&self, operation: Operation, mode: Mode) -> Asked<'static> {
        Asked { operation: operation.name(), mode, began_ms: self.now_ms(), what_if: None }
    }

    async fn explain_call(
        &self,
        operation: Operation,
        body: &[u8],
        asked: Asked<'_>,
    ) -> ApiResult<Explanation> {
        match operation {
            Operation::BatchExecuteStatement => {
                let check = batch_execute_statement::StatementBatch::check;
                explain!(self, asked, body, BatchExecuteStatement, check)
            }
            Operation::BatchGetItem => explain!(self, asked, body, BatchGetItem, BatchGet::check),
            Operation::BatchWriteItem => {
                explain!(self, asked, body, BatchWriteItem, BatchWrite::check)
            }
            Operation::DeleteItem => {
                explain!(self, asked, body, DeleteItem, delete_item::check)
            }
            Operation::ExecuteStatement => {
                explain!(self, asked, body, ExecuteStatement, CheckedStatement::check)
            }
            Operation::ExecuteTransaction => {
                let check = execute_transaction::StatementTransaction::check;
                explain!(self, asked, body, ExecuteTransaction, check)
            }
            Operation::GetItem => explain!(self, asked, body, GetItem, ItemRead::check),
            Operation::PutItem => explain!(self, asked, body, PutItem, put_item::check),
            Operation::Query => explain!(self, asked, body, Query, query::check),
            Operation::Scan => explain!(self, asked, body, Scan, scan::check),
            Operation::TransactGetItems => {
                explain!(self, asked, body, TransactGetItems, ItemReads::check)
            }
            Operation::TransactWriteItems => {
                explain!(self, asked, body, TransactWriteItems, ItemWrites::check)
            }
            Operation::UpdateItem => {
                explain!(self, asked, body, UpdateItem, update_item::check)
            }
            other => Err(Reason::State(StateFault::NotExplained(other.name())).into()),
        }
    }

    /// Returns the table of a request with the index that it supposes.
    fn what_if(
        &self,
        operation: Operation,
        body: &[u8],
        index: &SupposedIndex<'_>,
    ) -> ApiResult<WhatIf> {
        let named = table_of(operation, body)?;
        let name = index.table_name.clone().or(named);
        let record = self.table(&required(name, "tableName")?)?.record.clone();
        let (record, id) = update_table::with_supposed_index(record, index, self.now_ms())?;
        let budget = index.look_at.map_or(Budget::OF_WHAT_IF, Budget::of_items);
        Ok(WhatIf { table: Arc::new(Table::new(record)), index: id, budget })
    }

    /// Returns the table that a Query, Scan or SELECT names, with the index that it supposes: the past has none.
    pub(super) fn explained_table(&self, name: &str, asked: Asked<'_>) -> ApiResult<Arc<Table>> {
        let table = self.readable_table_or_versions(name)?;
        let is_supposed = |what_if: &&WhatIf| what_if.table.id() == table.id();
        let supposed = asked.what_if.filter(is_supposed).filter(|_| table.past.is_none());
        Ok(supposed.map_or(table, |what_if| Arc::clone(&what_if.table)))
    }
}

/// Returns the table that a request names which may suppose an index.
fn table_of(operation: Operation, body: &[u8]) -> ApiResult<Option<String>> {
    Ok(match operation {
        Operation::Query => read_request::<calls::Query>(body)?.table_name.map(Cow::into_owned),
        Operation::Scan => read_request::<calls::Scan>(body)?.table_name.map(Cow::into_owned),
        Operation::ExecuteStatement => {
            let input = read_request::<calls::ExecuteStatement>(body)?;
            let text = required(input.statement.as_deref(), "statement")?;
            let statement = crate::partiql::parse(text, input.parameters.as_deref())?;
            Some(statement.table().to_owned())
        }
        other => return Err(Reason::State(StateFault::NotSupposed(other.name())).into()),
    })
}
