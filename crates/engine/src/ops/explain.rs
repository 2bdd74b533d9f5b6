//! EXPLAIN: what a request would do, or with ANALYZE did. An operation of our own; PartiQL has it, too.

use crate::engine::Engine;
use crate::explain::{Asked, Explanation, Mode, ReadKeys, ReadPlan, StatementText, WhatIf};
use crate::intent::{Intent, Verb};
use crate::ops::update_table;
use crate::partiql::next_token::{self, RequestHash};
use crate::partiql::{self, select, write};
use crate::read::{PagePlan, versions};
use crate::request::required;
use crate::schema::{Index, IndexId, Table, TableRecord};
use hashrange_expr::partiql::{Explain, KeyRead, Select, Statement, filter_of};
use hashrange_expr::{Condition, Filter};
use hashrange_model::bounds::told;
use hashrange_model::error::{Layer, StateFault, StatementFault};
use hashrange_model::{ApiError, ApiResult, Item, Reason, Value};
use hashrange_storage::Store;
use hashrange_wire::{ExecuteStatementInput, Operation, calls, read_request};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::borrow::Cow;
use std::sync::Arc;

/// How a read is explained.
#[derive(Debug, Clone, Copy)]
pub(super) struct How<'a> {
    pub(super) mode: Mode,
    /// An index that is supposed to be there.
    pub(super) what_if: Option<&'a WhatIf>,
}

/// An index that is not there, as JSON: members of UpdateTable, or of a local index of CreateTable.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct GivenWhatIf {
    /// That of the request if it is left out.
    table_name: Option<String>,
    index_name: Json,
    key_schema: Json,
    /// All attributes if it is left out.
    projection: Option<Json>,
    attribute_definitions: Option<Json>,
    /// Whether it is a local index; its key schema may leave out the partition key, which is the table's.
    #[serde(default)]
    local: bool,
}

impl GivenWhatIf {
    /// Returns the index as a member of a definition.
    fn member(&self) -> Json {
        let projection = self.projection.clone();
        let projection = projection.unwrap_or(json!({ "ProjectionType": "ALL" }));
        json!({
            "IndexName": self.index_name, "KeySchema": self.key_schema, "Projection": projection,
        })
    }
}

/// The table that a request names.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Named {
    table_name: Option<String>,
}

impl<S: Store> Engine<S> {
    /// Explains a JSON request of an operation; with [`Mode::Analyze`] it runs.
    pub async fn explain(
        &self,
        operation: Operation,
        body: &[u8],
        mode: Mode,
    ) -> ApiResult<Explanation> {
        if self.store().is_shared() {
            // As a statement is run: on definitions that were looked at first, and once.
            let run = || -> super::Running<'_, _> {
                Box::pin(self.explain_on_known(operation, body, mode))
            };
            let explained = self.on_newest(Operation::ExecuteStatement, run).await?;
            return Ok(self.priced(explained));
        }
        Ok(self.priced(Box::pin(self.explain_on_known(operation, body, mode)).await?))
    }

    /// Explains a JSON request of Query, Scan or a SELECT of an index that is not there. `what_if` says which:
    /// `{"IndexName", "KeySchema", "Projection", "AttributeDefinitions", "TableName", "Local"}` as UpdateTable has
    /// them, or CreateTable those of a local index; the last four may be left out. A SELECT that names no index
    /// reads this one.
    pub async fn explain_what_if(
        &self,
        operation: Operation,
        body: &[u8],
        what_if: &[u8],
    ) -> ApiResult<Explanation> {
        if self.store().is_shared() {
            let run = || -> super::Running<'_, _> {
                Box::pin(self.explain_supposing(operation, body, what_if))
            };
            let explained = self.on_newest(Operation::ExecuteStatement, run).await?;
            return Ok(self.priced(explained));
        }
        Ok(self.priced(Box::pin(self.explain_supposing(operation, body, what_if)).await?))
    }

    async fn explain_supposing(
        &self,
        operation: Operation,
        body: &[u8],
        what_if: &[u8],
    ) -> ApiResult<Explanation> {
        let what_if = self.supposed(operation, body, what_if)?;
        let how = How { mode: Mode::Plan, what_if: Some(&what_if) };
        match self.explain_supposable(operation, body, how).await {
            Some(explained) => explained,
            None => Err(Reason::State(StateFault::NotSupposed(operation.name())).into()),
        }
    }

    /// Returns the table of a request with the index that it supposes.
    fn supposed(&self, operation: Operation, body: &[u8], what_if: &[u8]) -> ApiResult<WhatIf> {
        let mut given: GivenWhatIf = serde_json::from_slice(what_if).map_err(|why| form(&why))?;
        let name = match given.table_name.take() {
            None if operation == Operation::ExecuteStatement => Some(table_of_statement(body)?),
            None => {
                let named: Named = serde_json::from_slice(body).map_err(|why| form(&why))?;
                named.table_name
            }
            name => name,
        };
        let (record, index) = if given.local {
            self.with_local_index(name, given)?
        } else {
            self.with_global_index(name.as_deref(), &given)?
        };
        Ok(WhatIf { table: Arc::new(Table::new(record)), index })
    }

    fn with_global_index(
        &self,
        name: Option<&str>,
        given: &GivenWhatIf,
    ) -> ApiResult<(TableRecord, IndexId)> {
        let mut update = json!({
            "TableName": name, "BillingMode": "PAY_PER_REQUEST",
            "GlobalSecondaryIndexUpdates": [{ "Create": given.member() }],
        });
        if let Some(definitions) = &given.attribute_definitions {
            update["AttributeDefinitions"] = definitions.clone();
        }
        let update = update.to_string();
        let mut input = read_request::<calls::UpdateTable>(update.as_bytes())?;
        let name = required(input.table_name.take(), "tableName")?;
        let record = self.table(&name)?.record.clone();
        update_table::with_new_index(record, &mut input, self.now_ms())
    }

    fn with_local_index(
        &self,
        name: Option<String>,
        mut given: GivenWhatIf,
    ) -> ApiResult<(TableRecord, IndexId)> {
        let record = self.table(&required(name, "tableName")?)?.record.clone();
        if let Some([element]) = given.key_schema.as_array().map(Vec::as_slice)
            && element["KeyType"] == "RANGE"
        {
            let of_partition = |name| json!({ "AttributeName": name, "KeyType": "HASH" });
            let partition = record.key.partition.iter().map(of_partition);
            given.key_schema = partition.chain([element.clone()]).collect();
        }
        let definitions = given.attribute_definitions.take().unwrap_or(json!([]));
        let create = json!({
            "TableName": record.name, "KeySchema": given.key_schema,
            "AttributeDefinitions": definitions, "LocalSecondaryIndexes": [given.member()],
        });
        let create = create.to_string();
        let input = read_request::<calls::CreateTable>(create.as_bytes())?;
        update_table::with_local_index(record, input)
    }

    /// Returns the table that a Query, Scan or SELECT names, with the index that it supposes: the past has none.
    pub(super) fn explained_table(&self, name: &str, how: How<'_>) -> ApiResult<Arc<Table>> {
        let table = self.readable_table_or_versions(name)?;
        let is_supposed = |what_if: &&WhatIf| what_if.table.id() == table.id();
        let supposed = how.what_if.filter(is_supposed).filter(|_| table.past.is_none());
        Ok(supposed.map_or(table, |what_if| Arc::clone(&what_if.table)))
    }

    /// Explains a read, of an index that it supposes if it does.
    pub(super) async fn explain_read_as_asked(
        &self,
        read: ReadPlan<'_>,
        intent: &Intent<'_>,
        asked: Asked,
        how: How<'_>,
    ) -> ApiResult<Explanation> {
        let Some(what_if) = how.what_if else {
            return self.explain_read(read, intent, asked).await;
        };
        if read.page.index.is_none_or(|(_, index)| index.id != what_if.index) {
            return Err(Reason::State(StateFault::SupposedNotRead(what_if.name().into())).into());
        }
        self.explain_supposed_read(read, intent, what_if, asked).await
    }

    /// Explains a read that may suppose an index; none if the operation is another one.
    async fn explain_supposable(
        &self,
        operation: Operation,
        body: &[u8],
        how: How<'_>,
    ) -> Option<ApiResult<Explanation>> {
        Some(match operation {
            Operation::Query => match read_request::<calls::Query>(body) {
                Ok(input) => self.explain_query(input, how).await,
                Err(error) => Err(error),
            },
            Operation::Scan => match read_request::<calls::Scan>(body) {
                Ok(input) => self.explain_scan(input, how).await,
                Err(error) => Err(error),
            },
            Operation::ExecuteStatement => {
                let explained = async {
                    let input = read_request::<calls::ExecuteStatement>(body)?;
                    let text = required(input.statement.as_deref(), "statement")?;
                    let explained = self.explain_statement(&input, text, text, how).await;
                    explained.map_err(|error| error.in_layer(Layer::Older))
                };
                explained.await
            }
            _ => return None,
        })
    }

    async fn explain_on_known(
        &self,
        operation: Operation,
        body: &[u8],
        mode: Mode,
    ) -> ApiResult<Explanation> {
        let how = How { mode, what_if: None };
        if let Some(explained) = self.explain_supposable(operation, body, how).await {
            return explained;
        }
        match operation {
            Operation::GetItem => {
                self.explain_get_item(read_request::<calls::GetItem>(body)?, mode).await
            }
            Operation::PutItem => {
                self.explain_put_item(read_request::<calls::PutItem>(body)?, mode).await
            }
            Operation::UpdateItem => {
                self.explain_update_item(read_request::<calls::UpdateItem>(body)?, mode).await
            }
            Operation::DeleteItem => {
                self.explain_delete_item(read_request::<calls::DeleteItem>(body)?, mode).await
            }
            Operation::BatchGetItem
            | Operation::TransactGetItems
            | Operation::BatchWriteItem
            | Operation::TransactWriteItems
            | Operation::BatchExecuteStatement
            | Operation::ExecuteTransaction => {
                // On the heap: a future of many requests.
                Box::pin(self.explain_several(operation, body, mode)).await
            }
            other => Err(Reason::State(StateFault::NotExplained(other.name())).into()),
        }
    }

    /// Explains a batch or transaction. One that reads is read twice, as it runs with ANALYZE.
    async fn explain_several(
        &self,
        operation: Operation,
        body: &[u8],
        mode: Mode,
    ) -> ApiResult<Explanation> {
        match operation {
            Operation::BatchGetItem => {
                let read = || read_request::<calls::BatchGetItem>(body);
                self.explain_batch_get_item(read()?, read()?, mode).await
            }
            Operation::TransactGetItems => {
                let read = || read_request::<calls::TransactGetItems>(body);
                self.explain_transact_get_items(read()?, read()?, mode).await
            }
            Operation::BatchWriteItem => {
                let input = read_request::<calls::BatchWriteItem>(body)?;
                self.explain_batch_write_item(input, mode).await
            }
            Operation::TransactWriteItems => {
                let input = read_request::<calls::TransactWriteItems>(body)?;
                self.explain_transact_write_items(input, mode).await
            }
            Operation::BatchExecuteStatement => {
                let read = || read_request::<calls::BatchExecuteStatement>(body);
                self.explain_batch_execute_statement(read()?, read()?, mode).await
            }
            Operation::ExecuteTransaction => {
                let read = || read_request::<calls::ExecuteTransaction>(body);
                self.explain_execute_transaction(read()?, read()?, mode).await
            }
            other => Err(Reason::State(StateFault::NotExplained(other.name())).into()),
        }
    }

    /// Explains the statement behind `EXPLAIN`, as the item that is answered.
    pub(super) async fn explain_behind(
        &self,
        input: &ExecuteStatementInput<'_>,
        text: &str,
        explain: Explain,
    ) -> ApiResult<Item> {
        let (_, statement) = text.split_at(explain.statement_at);
        let how = How { mode: mode(explain), what_if: None };
        let blanked = blanked(text, explain);
        Ok(self.priced(self.explain_statement(input, &blanked, statement, how).await?).to_item())
    }

    /// Explains a statement; `token_text` is what its `NextToken` is tied to.
    async fn explain_statement(
        &self,
        input: &ExecuteStatementInput<'_>,
        text: &str,
        token_text: &str,
        how: How<'_>,
    ) -> ApiResult<Explanation> {
        let (began_ms, mode) = (self.now_ms(), how.mode);
        let statement = partiql::parse(text, input.parameters.as_deref())?;
        let hash = || RequestHash::of(token_text, input.parameters.as_deref());
        let token = input.next_token.as_deref();
        let start = token.map(|token| next_token::decode(hash(), token)).transpose()?;
        match statement {
            Statement::Select(select) => {
                let asked = Asked { operation: "SELECT", mode, began_ms };
                self.explain_select(input, select, (start, how), asked).await
            }
            Statement::Exists(_, at) => {
                let function = "exists".to_owned();
                Err(Reason::from(StatementFault::UnknownFunction { function, at }).into())
            }
            statement if how.what_if.is_some() => {
                Err(Reason::State(StateFault::NotSupposed(statement.verb())).into())
            }
            statement => {
                let asked = Asked { operation: statement.verb(), mode, began_ms };
                let explained = self.explain_written(&statement, asked).await;
                write::outcome(&statement, explained)
            }
        }
    }

    async fn explain_written(&self, statement: &Statement, asked: Asked) -> ApiResult<Explanation> {
        let name = statement.table();
        let table = self.table(name)?;
        let key = write::key_attributes(&table, statement)?;
        let plan = |table: &Table| Ok(write::plan(table, statement, false)?);
        let worded = match statement {
            Statement::Insert(_) => |error| write::worded_as_insert(error).in_layer(Layer::Older),
            _ => |error: ApiError| error.in_layer(Layer::Older),
        };
        self.explain_write((name, &key), &write::intent(statement), plan, worded, asked).await
    }

    async fn explain_select(
        &self,
        input: &ExecuteStatementInput<'_>,
        mut select: Select,
        (start, how): (Option<Item>, How<'_>),
        asked: Asked,
    ) -> ApiResult<Explanation> {
        let table = self.explained_table(&select.table, how)?;
        let consistent = input.consistent_read == Some(true);
        if let Some(what_if) = how.what_if.filter(|what_if| Arc::ptr_eq(&what_if.table, &table)) {
            select.index.get_or_insert_with(|| what_if.name().to_owned());
        }
        let plan = select::plan(&table, &select, consistent, input.limit, start.as_ref())?;
        self.check_index_filled(&table, select.index.as_deref())?;
        let read = selected_read(&table, plan, select.condition.clone())?;
        let read = ReadPlan { start, ..read };
        let intent = Intent { consistent, ..select::intent(Verb::Select, &select) };
        self.explain_read_as_asked(read, &intent, asked, how).await
    }
}

fn form(why: &serde_json::Error) -> Reason {
    Reason::State(StateFault::Form(why.to_string()))
}

/// Returns the table that a request's statement names.
fn table_of_statement(body: &[u8]) -> ApiResult<String> {
    let input = read_request::<calls::ExecuteStatement>(body)?;
    let text = required(input.statement.as_deref(), "statement")?;
    Ok(partiql::parse(text, input.parameters.as_deref())?.table().to_owned())
}

/// Returns the read of a SELECT with this WHERE clause.
pub(super) fn selected_read<'t>(
    table: &'t Table,
    plan: select::SelectPlan<'t>,
    condition: Option<Condition>,
) -> ApiResult<ReadPlan<'t>> {
    let (page, ranges, filter) = as_page(table, plan);
    let secondary = page.index.map(|(_, index)| index);
    let text =
        StatementText { filter: told_filter(table, secondary, condition.as_ref())?, condition };
    let keys = read_keys(table, secondary, text.condition.as_ref())?;
    let filter = match filter {
        Some(filter) => Some(filter),
        // What is read of a page is filtered by the whole clause, unless the keys say all of it.
        None => text.condition.clone().filter(|_| page.filter.is_some()),
    };
    let statement = Some(text);
    Ok(ReadPlan { page, ranges, keys, segment: None, filter, start: None, statement })
}

fn mode(explain: Explain) -> Mode {
    if explain.analyze { Mode::Analyze } else { Mode::Plan }
}

/// Returns a statement with blanks for the EXPLAIN before it: faults are told where they stand in all of the
/// text.
fn blanked(text: &str, explain: Explain) -> String {
    let (before, statement) = text.split_at(explain.statement_at);
    let blanks = |one: char| if one == '\n' { '\n' } else { ' ' };
    before.chars().map(blanks).chain(statement.chars()).collect()
}

/// Takes the EXPLAIN from before the first statement of several; it explains all of them.
pub(super) fn take_explain(first: Option<&mut Cow<'_, str>>) -> Option<Mode> {
    let first = first?;
    let explain = hashrange_expr::partiql::explain(first)?;
    *first = blanked(first, explain).into();
    Some(mode(explain))
}

/// Returns a SELECT as the read of a page; one of a single item comes with its filter.
fn as_page<'t>(
    table: &'t Table,
    plan: select::SelectPlan<'t>,
) -> (PagePlan<'t>, Vec<hashrange_storage::KeyRange>, Option<Condition>) {
    match plan {
        select::SelectPlan::Ranges { page, ranges } => (*page, ranges, None),
        select::SelectPlan::Item { key, filter, projection, consistent, .. } => {
            let of_item = PagePlan::of_item(table, &key, projection.cloned(), consistent);
            let page = PagePlan { filter: filter.map(Filter::from), ..of_item };
            let ranges = vec![page.range.clone()];
            (page, ranges, filter.cloned())
        }
    }
}

/// Returns what of a WHERE clause is only a filter.
fn told_filter(
    table: &Table,
    index: Option<&Index>,
    condition: Option<&Condition>,
) -> Result<Option<String>, Reason> {
    let schema = index.map_or(&table.key, |index| &index.key);
    let (partition, sort) = select::single_key(schema)?;
    Ok(condition
        .and_then(|condition| filter_of(condition, partition, sort))
        .map(|filter| told(&filter)))
}

/// Returns the keys that a WHERE clause names; none if it leaves the partition key open.
fn read_keys(
    table: &Table,
    index: Option<&Index>,
    condition: Option<&Condition>,
) -> Result<Option<Vec<ReadKeys>>, Reason> {
    let schema = index.map_or(&table.key, |index| &index.key);
    let (partition, sort) = select::single_key(schema)?;
    let reads =
        condition.and_then(|condition| hashrange_expr::partiql::reads(condition, partition, sort));
    let Some(reads) = reads else { return Ok(None) };
    let mut keys = Vec::with_capacity(reads.reads.len());
    for read in reads.reads {
        let Some(range) = select::range_of(table, index, &read)? else { continue };
        let KeyRead { partition, sort } = read;
        let partition: Vec<Value> = vec![partition];
        let sort = sort.into_iter().map(|operator| (0, operator)).collect();
        let range = versions::stored(table, range);
        keys.push(ReadKeys { partition, sort, range });
    }
    Ok(Some(keys))
}
