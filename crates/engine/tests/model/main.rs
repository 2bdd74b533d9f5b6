//! Random operations on every store against the reference model; after every operation the answers
//! are compared, from time to time the whole database is verified.
//!
//! Bounded by default. `HASHRANGE_MODEL_OPS` asks for more operations, `HASHRANGE_SEED` for one run
//! again. A failure is reported with its seed and with the fewest operations found that show it.

#![expect(
    clippy::disallowed_methods,
    reason = "how long a run is, and its seed, come from the environment"
)]
#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

mod partiql;
mod stream;
mod transaction;

use hashrange_engine::{EngineOptions, Environment, TemplateMode};
use hashrange_model::ApiError;
use hashrange_storage::block_on;
use hashrange_testkit::database::{Database, embedded, empty_store, is_on_postgres};
use hashrange_testkit::environment::{VirtualClock, virtual_environment};
use hashrange_testkit::model::{
    Action, Definition, Fault, Generator, Item, Model, Operation, Path, ReadPlan, Request, Returns,
    TEMPLATES, item_json, project,
};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use stream::Consumer;
use tempfile::TempDir;

type Check = Result<(), String>;

/// Shards are succeeded often.
fn options() -> EngineOptions {
    EngineOptions { stream_shards: 3, stream_shard_period_ms: 60_000, ..EngineOptions::default() }
}

const OPERATIONS: usize = 1500;
const VERIFY_EVERY: usize = 100;

/// Which store a run is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Memory,
    Embedded,
}

/// What operations did, to see that the generator makes them meet.
#[derive(Debug, Default)]
struct Seen {
    writes: usize,
    faults: BTreeSet<Fault>,
    /// Reads that returned something, and those that a filter left empty.
    matches: usize,
    filtered: usize,
    pages: usize,
    indexes_created: usize,
    /// Key templates that were declared.
    declared: usize,
    /// Transactions that were done, and those that were cancelled.
    transactions: usize,
    cancelled: usize,
    /// SELECTs that found something, those that were refused, and tokens that were followed.
    selects: usize,
    refused_selects: usize,
    next_tokens: usize,
    /// Writing statements, and transactions of statements.
    statements: usize,
    statement_transactions: usize,
    /// Stream records read, and those of them of items that have expired.
    changes: usize,
    expired: usize,
}

/// A database and the model of what it must hold.
struct Run {
    folder: Option<TempDir>,
    environment: Environment,
    clock: VirtualClock,
    database: Option<Database>,
    model: Model,
    /// How far the stream of each table was read.
    consumers: BTreeMap<String, Consumer>,
    /// Indexes that were created and not yet seen to be ready.
    pending: BTreeSet<(String, String)>,
    seen: Seen,
}

impl Run {
    fn new(kind: Kind) -> Self {
        let folder = (kind == Kind::Embedded).then(|| TempDir::new().unwrap());
        let (environment, clock) = virtual_environment();
        let mut run = Self {
            folder,
            environment,
            clock,
            database: None,
            model: Model::default(),
            consumers: BTreeMap::new(),
            pending: BTreeSet::new(),
            seen: Seen::default(),
        };
        run.open();
        run
    }

    fn open(&mut self) {
        let store = match &self.folder {
            None => empty_store(),
            Some(folder) => embedded(folder.path()),
        };
        let environment = (self.environment.clone(), self.clock.clone());
        self.database = Some(Database::open(store, environment, options()));
    }

    fn database(&self) -> &Database {
        self.database.as_ref().unwrap()
    }

    fn call(&self, operation: &str, body: &Json) -> Result<Json, ApiError> {
        self.database().call(operation, body)
    }

    fn send(&self, operation: &Operation, table: &str) -> Result<Json, ApiError> {
        let request = Request::of(operation, self.model.definition(table)).unwrap();
        self.call(request.operation, &request.body)
    }

    fn verify(&self) -> Check {
        match self.database().report().problems.first() {
            Some(problem) => Err(format!("verify: {problem}")),
            None => Ok(()),
        }
    }

    #[expect(
        clippy::too_many_lines,
        reason = "a match with an arm for each operation, which compares the engine with the model"
    )]
    fn run(&mut self, operation: &Operation) -> Check {
        match operation {
            Operation::CreateTable(definition) => {
                let answer = self.send(operation, &definition.name);
                let exists = self.model.definition(&definition.name).is_some();
                match (exists, answer) {
                    (false, Ok(answer)) => {
                        self.model.create_table(definition);
                        self.begin_stream(&definition.name, &answer)
                    }
                    (true, Err(error)) => expect_error(&error, "ResourceInUseException"),
                    (_, answer) => Err(format!("CreateTable answers {answer:?}")),
                }
            }
            Operation::DeleteTable { table } => self.delete_table(operation, table),
            Operation::CreateIndex { table, index } => {
                self.change_index(operation, table, &index.name)
            }
            Operation::DeleteIndex { table, index } => self.change_index(operation, table, index),
            Operation::Reopen => self.reopen(),
            Operation::Declare { table, template } => self.declare(table, *template),
            Operation::Advance { seconds } => {
                self.clock.advance_ms(seconds * 1000);
                self.database().engine.sweep();
                self.model.expire(i64::try_from(self.clock.now_ms() / 1000).unwrap());
                Ok(())
            }
            Operation::Put { table, item, condition, returns } => {
                let stored = self.model.get(table, item, &[]).ok().flatten();
                let answer = self.send(operation, table);
                let expected = self.model.put(table, item, condition.as_ref());
                let expected = expected.map(|written| returned(*returns, &[], &written));
                self.compare_write(answer, expected, stored.as_ref())
            }
            Operation::Delete { table, key, condition, returns } => {
                let stored = self.model.get(table, key, &[]).ok().flatten();
                let answer = self.send(operation, table);
                let expected = self.model.delete(table, key, condition.as_ref());
                let expected = expected.map(|written| returned(*returns, &[], &written));
                self.compare_write(answer, expected, stored.as_ref())
            }
            Operation::Update { table, key, actions, condition, returns } => {
                let stored = self.model.get(table, key, &[]).ok().flatten();
                let answer = self.send(operation, table);
                let expected = self.model.update(table, key, actions, condition.as_ref());
                let expected = expected.map(|written| returned(*returns, actions, &written));
                self.compare_write(answer, expected, stored.as_ref())
            }
            Operation::BatchWrite { table, members } => {
                let answer = self.send(operation, table);
                let expected = self.model.batch_write(table, members);
                let expected = expected.map(|()| json!({ "UnprocessedItems": {} }));
                self.compare_write(answer, expected, None)
            }
            Operation::Get { table, key, paths } => {
                let answer = self.send(operation, table);
                let expected = self.model.get(table, key, paths).map(|item| match item {
                    Some(item) => json!({ "Item": item_json(&item) }),
                    None => json!({}),
                });
                self.compare_write(answer, expected, None)
            }
            Operation::TransactWrite { members, token } => {
                self.transact_write(operation, members, token.as_deref())
            }
            Operation::Statement(statement) => self.statement(operation, statement),
            Operation::StatementBatch { statements } => self.statement_batch(operation, statements),
            Operation::StatementTransaction { statements } => {
                self.statement_transaction(operation, statements)
            }
            Operation::TransactGet { gets } => self.transact_get(operation, gets),
            Operation::BatchGet { table, keys } => self.batch_get(operation, table, keys),
            Operation::Query { table, index, partition, sort, forward, paging } => {
                let Some(definition) = self.readable(table, index.as_deref()) else {
                    return self.expect_unreadable(operation, table, index.as_deref());
                };
                let filter = paging.filter.as_ref();
                let plan = self.model.query(table, index.as_deref(), partition, sort, filter);
                let mut plan = plan.unwrap();
                if !forward {
                    plan.groups.reverse();
                }
                let request = Request::of(operation, Some(&definition)).unwrap();
                let found = self.pages(&request, paging.limit, &plan)?;
                compare_count(found.evaluated, plan.evaluated)?;
                compare_ordered(&found.items, &plan)
            }
            Operation::Scan { table, index, segments, paging } => {
                let Some(definition) = self.readable(table, index.as_deref()) else {
                    return self.expect_unreadable(operation, table, index.as_deref());
                };
                let filter = paging.filter.as_ref();
                let plan = self.model.scan(table, index.as_deref(), filter).unwrap();
                let mut found = Found::default();
                for segment in 0..*segments {
                    let mut request = Request::of(operation, Some(&definition)).unwrap();
                    if *segments > 1 {
                        request.body["Segment"] = segment.into();
                    }
                    let part = self.pages(&request, paging.limit, &plan)?;
                    found.evaluated += part.evaluated;
                    found.items.extend(part.items);
                }
                compare_count(found.evaluated, plan.evaluated)?;
                compare_unordered(&found.items, &plan)
            }
        }
    }

    fn delete_table(&mut self, operation: &Operation, table: &str) -> Check {
        // While an index is being filled, the service refuses to delete its table.
        if self.pending.iter().any(|(pending, _)| pending == table) {
            return self.wait(table);
        }
        if self.model.definition(table).is_some() {
            self.compare_stream(table)?;
        }
        match (self.model.delete_table(table), self.send(operation, table)) {
            (true, Ok(_)) => Ok(()),
            (false, Err(error)) => expect_error(&error, "ResourceNotFoundException"),
            (_, answer) => Err(format!("DeleteTable answers {answer:?}")),
        }
    }

    /// Declares a template and compares how many items it refuses.
    fn declare(&mut self, table: &str, template: usize) -> Check {
        let text = TEMPLATES[template];
        let engine = &self.database().engine;
        let declared = block_on(engine.put_key_template(table, text, TemplateMode::Fill));
        let refused = self.model.declare(table, template);
        let (Some(refused), Ok(mut described)) = (refused, declared) else {
            let is_there = self.model.definition(table).is_some();
            return if is_there { Err(format!("{text} is refused")) } else { Ok(()) };
        };
        self.seen.declared += 1;
        while described.rewriting.is_some() {
            std::thread::yield_now();
            let engine = &self.database().engine;
            let all = block_on(engine.describe_key_templates(table));
            let all = all.map_err(|error| format!("DescribeKeyTemplates answers {error}"))?;
            described = all.into_iter().next().ok_or("the template is gone")?;
        }
        let found = described.rewritten.unwrap_or_default();
        if found.refused == refused as u64 {
            return Ok(());
        }
        Err(format!("{text}: {found:?} instead of {refused} refused"))
    }

    fn change_index(&mut self, operation: &Operation, table: &str, index: &str) -> Check {
        if self.model.definition(table).is_none() {
            let error = self.send(operation, table).err().ok_or("a table that is not there")?;
            return expect_error(&error, "ResourceNotFoundException");
        }
        // One index at a time.
        self.wait(table)?;
        let answer = self.send(operation, table);
        let changed = match operation {
            Operation::CreateIndex { index: definition, .. } => {
                let created = self.model.create_index(table, definition);
                if created {
                    self.seen.indexes_created += 1;
                    self.pending.insert((table.to_owned(), index.to_owned()));
                }
                created
            }
            _ => self.model.delete_index(table, index),
        };
        #[expect(clippy::match_same_arms, reason = "what changes something, and what does not")]
        match (changed, answer) {
            (true, Ok(_)) => Ok(()),
            (true, Err(error)) => Err(format!("UpdateTable answers {error}")),
            (false, Err(_)) => Ok(()),
            (false, Ok(answer)) => Err(format!("UpdateTable answers {answer}")),
        }
    }

    /// Waits until no index of a table is being created or deleted.
    fn wait(&mut self, table: &str) -> Check {
        loop {
            let answer = self.call("DescribeTable", &json!({ "TableName": table }));
            let description = answer.map_err(|error| format!("DescribeTable answers {error}"))?;
            let indexes = description["Table"]["GlobalSecondaryIndexes"].as_array().cloned();
            let mut indexes = indexes.into_iter().flatten();
            if indexes.all(|index| index["IndexStatus"] == "ACTIVE") {
                self.pending.retain(|(pending, _)| pending != table);
                return self.compare_description(table, &description["Table"]);
            }
            std::thread::yield_now();
        }
    }

    fn compare_description(&self, table: &str, description: &Json) -> Check {
        let items = self.model.item_count(table);
        let definition = self.model.definition(table).unwrap();
        let mut names: Vec<_> = definition.indexes.iter().map(|index| &index.name[..]).collect();
        names.sort_unstable();
        let mut found: Vec<_> = ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"]
            .iter()
            .filter_map(|member| description[*member].as_array())
            .flatten()
            .filter_map(|index| index["IndexName"].as_str())
            .collect();
        found.sort_unstable();
        if description["ItemCount"] == items && found == names {
            return Ok(());
        }
        Err(format!("DescribeTable answers {description} for {items} items, indexes {names:?}"))
    }

    fn reopen(&mut self) -> Check {
        if self.folder.is_some() {
            self.database = None;
            self.open();
        }
        self.verify()
    }

    /// Returns the definition of a table that can be read, by an index that is there and ready.
    fn readable(&mut self, table: &str, index: Option<&str>) -> Option<Definition> {
        let definition = self.model.definition(table).cloned()?;
        if let Some(index) = index {
            self.model.index(table, index)?;
            if self.pending.contains(&(table.to_owned(), index.to_owned())) {
                self.wait(table).ok()?;
            }
        }
        Some(definition)
    }

    fn expect_unreadable(&self, operation: &Operation, table: &str, index: Option<&str>) -> Check {
        // A query's attributes are those of the index; without it there is nothing to ask.
        if matches!(operation, Operation::Query { .. }) {
            return Ok(());
        }
        let error = self.send(operation, table).err().ok_or("an index that is not there")?;
        let is_missing_table = self.model.definition(table).is_none();
        expect_error(
            &error,
            match (is_missing_table, index) {
                (true, _) => "ResourceNotFoundException: Requested resource not found",
                _ => "ValidationException: The table does not have the specified index",
            },
        )
    }

    fn batch_get(&self, operation: &Operation, table: &str, keys: &[Item]) -> Check {
        let answer = self.send(operation, table);
        if self.model.definition(table).is_none() {
            let error = answer.err().ok_or("a table that is not there")?;
            return expect_error(&error, "ResourceNotFoundException");
        }
        let answer = answer.map_err(|error| format!("BatchGetItem answers {error}"))?;
        let items = keys.iter().filter_map(|key| self.model.get(table, key, &[]).ok().flatten());
        let mut expected: Vec<_> = items.map(|item| item_json(&item).to_string()).collect();
        let found = answer["Responses"][table].as_array().cloned().unwrap_or_default();
        let mut found: Vec<_> = found.iter().map(sorted).collect();
        expected.sort();
        found.sort();
        if expected == found && answer["UnprocessedKeys"] == json!({}) {
            return Ok(());
        }
        Err(format!("BatchGetItem answers {answer} instead of {expected:?}"))
    }

    fn compare_write(
        &mut self,
        answer: Result<Json, ApiError>,
        expected: Result<Json, Vec<Fault>>,
        stored: Option<&Item>,
    ) -> Check {
        match &expected {
            Ok(_) => self.seen.writes += 1,
            Err(faults) => self.seen.faults.extend(faults),
        }
        match (answer, expected) {
            (Ok(answer), Ok(expected)) if answer == expected => Ok(()),
            (Err(error), Err(faults)) => {
                let text = error.to_string();
                if !faults.iter().any(|fault| is_text_of(*fault, &text)) {
                    return Err(format!("answers {text} instead of {faults:?}"));
                }
                let attached = error.item().map(|item| format!("{item:?}"));
                let expected = stored.filter(|_| faults == [Fault::Condition]);
                if attached.is_some() == expected.is_some() {
                    return Ok(());
                }
                Err(format!("answers {text} with {attached:?} instead of {expected:?}"))
            }
            (answer, expected) => Err(format!("answers {answer:?} instead of {expected:?}")),
        }
    }

    /// Reads all pages and checks what holds of every page.
    fn pages(
        &mut self,
        request: &Request,
        limit: Option<usize>,
        plan: &ReadPlan,
    ) -> Result<Found, String> {
        let cursor = &plan.cursor;
        let mut found = Found::default();
        let mut body = request.body.clone();
        loop {
            let answer = self
                .call(request.operation, &body)
                .map_err(|error| format!("{body} answers {error}"))?;
            let items = answer["Items"].as_array().cloned().unwrap_or_default();
            let scanned = usize::try_from(answer["ScannedCount"].as_u64().unwrap()).unwrap();
            if answer["Count"] != items.len() || limit.is_some_and(|limit| scanned > limit) {
                return Err(format!("{body}: the counts are wrong in {answer}"));
            }
            self.seen.pages += 1;
            self.seen.matches += usize::from(!items.is_empty());
            self.seen.filtered += usize::from(items.is_empty() && scanned > 0);
            found.items.extend(items);
            found.evaluated += scanned;
            if found.evaluated > plan.evaluated {
                return Err(format!("{body}: pages go on after {} entries", plan.evaluated));
            }
            let last = answer.get("LastEvaluatedKey").cloned();
            if request.operation == "Query" && cursor.len() == 1 {
                // At most one item, and a cursor that could not be used.
                return Ok(found);
            }
            if last.is_some() != (limit == Some(scanned)) {
                return Err(format!("{body}: LastEvaluatedKey is wrong in {answer}"));
            }
            let Some(last) = last else { return Ok(found) };
            let names: BTreeSet<_> = last.as_object().unwrap().keys().cloned().collect();
            if names != cursor.iter().cloned().collect() {
                return Err(format!("{body}: the cursor is {last} instead of {cursor:?}"));
            }
            body["ExclusiveStartKey"] = last;
        }
    }
}

#[derive(Debug, Default)]
struct Found {
    items: Vec<Json>,
    evaluated: usize,
}

fn returned(
    returns: Returns,
    actions: &[Action],
    written: &hashrange_testkit::model::Written,
) -> Json {
    let paths: Vec<Path> = actions.iter().map(|action| action.path().clone()).collect();
    let changed = |image: Option<&Item>| {
        image.map(|image| project(image, &paths)).filter(|image| !image.is_empty())
    };
    let image = match returns {
        Returns::None => None,
        Returns::AllOld => written.old.clone(),
        Returns::AllNew => written.new.clone(),
        Returns::UpdatedOld => changed(written.old.as_ref()),
        Returns::UpdatedNew => changed(written.new.as_ref()),
    };
    image.map_or_else(|| json!({}), |image| json!({ "Attributes": item_json(&image) }))
}

fn is_text_of(fault: Fault, text: &str) -> bool {
    let texts: &[&str] = match fault {
        Fault::NoTable => &["ResourceNotFoundException: Requested resource not found"],
        Fault::Condition => &["ConditionalCheckFailedException: The conditional request failed"],
        Fault::InvalidPath => &["ValidationException: The document path provided in the update \
             expression is invalid for update"],
        Fault::OperandType => &["ValidationException: An operand in the update expression has an \
             incorrect data type"],
        Fault::MissingAttribute => &["ValidationException: The provided expression refers to an \
             attribute that does not exist in the item"],
        Fault::Number => {
            &["ValidationException: Number overflow", "ValidationException: Attempting"]
        }
        Fault::IndexKey => &[
            "ValidationException: One or more parameter values were invalid: Type mismatch for Index Key",
            "ValidationException: One or more parameter values are not valid. A value specified for \
             a secondary index key is not supported.",
            "ValidationException: One or more parameter values are not valid. The update expression \
             attempted to update a secondary index key to a value that is not supported.",
            "ValidationException: The update expression attempted to update the secondary index key",
            "ValidationException: One or more parameter values were invalid: Size limit exceeded for \
             Index Key",
        ],
        Fault::DerivedKey => {
            &["ValidationException: The key template of the attribute it refuses the item: "]
        }
        Fault::Duplicate => &["DuplicateItemException: Duplicate primary key exists in table"],
    };
    texts.iter().any(|start| text.starts_with(start))
}

fn expect_error(error: &ApiError, start: &str) -> Check {
    let text = error.to_string();
    if text.starts_with(start) { Ok(()) } else { Err(format!("answers {text}, not {start}")) }
}

fn compare_count(found: usize, expected: usize) -> Check {
    if found == expected {
        return Ok(());
    }
    Err(format!("{found} entries are evaluated instead of {expected}"))
}

/// Returns JSON with the members of objects in order.
fn sorted(json: &Json) -> String {
    fn sort(json: &Json) -> Json {
        match json {
            Json::Object(members) => {
                let members: BTreeMap<_, _> =
                    members.iter().map(|(name, value)| (name.clone(), sort(value))).collect();
                Json::Object(members.into_iter().collect())
            }
            Json::Array(elements) => elements.iter().map(sort).collect(),
            other => other.clone(),
        }
    }
    sort(json).to_string()
}

fn compare_ordered(found: &[Json], plan: &ReadPlan) -> Check {
    let mut rest = found;
    for group in &plan.groups {
        let mut expected: Vec<_> = group.iter().map(|item| item_json(item).to_string()).collect();
        let (here, after) = rest.split_at(group.len().min(rest.len()));
        let mut here: Vec<_> = here.iter().map(sorted).collect();
        rest = after;
        expected.sort();
        here.sort();
        if here != expected {
            return Err(format!("{here:#?}\ninstead of {expected:#?}"));
        }
    }
    if rest.is_empty() { Ok(()) } else { Err(format!("{rest:?} too much")) }
}

fn compare_unordered(found: &[Json], plan: &ReadPlan) -> Check {
    let items = plan.groups.iter().flatten();
    let mut expected: Vec<_> = items.map(|item| item_json(item).to_string()).collect();
    let mut found: Vec<_> = found.iter().map(sorted).collect();
    expected.sort();
    found.sort();
    if expected == found { Ok(()) } else { Err(format!("{found:#?}\ninstead of {expected:#?}")) }
}

/// Runs operations and returns the first failure with the number of the operation.
fn run(kind: Kind, operations: &[Operation]) -> Result<Seen, (usize, String)> {
    let mut run = Run::new(kind);
    for (nth, operation) in operations.iter().enumerate() {
        run.run(operation).map_err(|problem| (nth, problem))?;
        if nth % VERIFY_EVERY == 0 {
            run.verify().map_err(|problem| (nth, problem))?;
            run.compare_streams().map_err(|problem| (nth, problem))?;
        }
    }
    run.compare_streams().map_err(|problem| (operations.len(), problem))?;
    run.verify().map_err(|problem| (operations.len(), problem))?;
    Ok(run.seen)
}

/// Leaves out operations as long as the rest still fails.
fn shrink(kind: Kind, operations: &[Operation]) -> Vec<Operation> {
    let mut fewest = operations.to_vec();
    let mut chunk = fewest.len().div_ceil(2);
    while chunk > 0 {
        let mut start = 0;
        while start < fewest.len() {
            let mut fewer = fewest.clone();
            fewer.drain(start..(start + chunk).min(fewer.len()));
            if run(kind, &fewer).is_err() {
                fewest = fewer;
            } else {
                start += chunk;
            }
        }
        chunk /= 2;
    }
    fewest
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

#[expect(clippy::panic, reason = "a failing test is a panic")]
fn check(kind: Kind, seeds: u64) {
    let count = usize::try_from(setting("HASHRANGE_MODEL_OPS", OPERATIONS as u64)).unwrap();
    let first = setting("HASHRANGE_SEED", 1);
    for seed in first..first + seeds {
        let operations = Generator::new(seed).operations(count);
        let (nth, problem) = match run(kind, &operations) {
            Ok(seen) => {
                check_seen(&seen, operations.len());
                continue;
            }
            Err(failed) => failed,
        };
        let fewest = shrink(kind, &operations[..(nth + 1).min(operations.len())]);
        let last = run(kind, &fewest).err().map_or(problem, |(_, problem)| problem);
        let log: Vec<_> = fewest.iter().map(|operation| format!("{operation:?}")).collect();
        panic!("{kind:?}, seed {seed}, operation {nth}: {last}\n\n{}", log.join("\n"));
    }
}

/// A run that meets nothing proves nothing.
fn check_seen(seen: &Seen, operations: usize) {
    let often = operations / 50;
    assert!(seen.writes > operations / 5, "{seen:?}");
    assert!(seen.matches > often && seen.filtered > often, "{seen:?}");
    assert!(seen.changes > often && seen.expired > 0, "{seen:?}");
    assert!(seen.declared > 1, "{seen:?}");
    assert!(seen.indexes_created > 0 && seen.pages > often, "{seen:?}");
    assert!(seen.transactions > often / 2 && seen.cancelled > often / 2, "{seen:?}");
    assert!(seen.statements > often && seen.selects > often / 2, "{seen:?}");
    assert!(seen.refused_selects > 0 && seen.next_tokens > 0, "{seen:?}");
    assert!(seen.statement_transactions > 0, "{seen:?}");
    for fault in [
        Fault::Condition,
        Fault::Duplicate,
        Fault::InvalidPath,
        Fault::OperandType,
        Fault::MissingAttribute,
        Fault::IndexKey,
        Fault::DerivedKey,
    ] {
        assert!(seen.faults.contains(&fault), "{fault:?} in {seen:?}");
    }
}

#[test]
fn memory_answers_as_the_model() {
    // Others wait for this test: there one run is as long as four in memory.
    check(Kind::Memory, if is_on_postgres() { 1 } else { 4 });
}

#[test]
fn embedded_answers_as_the_model() {
    check(Kind::Embedded, 1);
}
