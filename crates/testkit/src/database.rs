//! A database for tests: an engine under contention, in memory or in a folder, on a clock that only the
//! test moves, called by the names of operations with JSON.
//!
//! Databases in memory are on PostgreSQL if [`STORE_VARIABLE`] says so; the tests are the same.
//!
//! The engine is generic over its store, and the compiler makes its code in the crate that first
//! calls it; tests that call it here share that code.

use crate::contended::ContendedStore;
use crate::environment::{VirtualClock, virtual_environment};
use hashrange_engine::{
    Engine, EngineOptions, Environment, Explanation, Mode, Report, SupposedIndex, verify,
};
use hashrange_model::{ApiError, Reason};
use hashrange_storage::{
    AnyStore, Direction, EmbeddedOptions, EmbeddedStore, KeyRange, MemoryStore, PostgresOptions,
    PostgresStore, Store, View, Wanted, block_on,
};
use hashrange_wire::{Operation, Service};
use serde_json::{Value as Json, json};
use std::ops::ControlFlow;
use std::path::Path;

/// The variable that names the store of tests that do not depend on one: `memory` or `postgres`.
pub const STORE_VARIABLE: &str = "HASHRANGE_TEST_STORE";

/// A database with the clock it goes by.
#[derive(Debug)]
pub struct Database {
    /// The engine.
    pub engine: Engine<ContendedStore<AnyStore>>,
    /// The clock.
    pub clock: VirtualClock,
}

impl Database {
    /// Returns an empty database in memory, or where [`empty_store`] is.
    pub fn memory(options: EngineOptions) -> Self {
        Self::open(empty_store(), virtual_environment(), options)
    }

    /// Opens the database of a folder at the clock's first time.
    pub fn folder(path: &Path, options: EngineOptions) -> Self {
        Self::open(embedded(path), virtual_environment(), options)
    }

    /// Opens a store.
    pub fn open(
        store: AnyStore,
        (environment, clock): (Environment, VirtualClock),
        options: EngineOptions,
    ) -> Self {
        let store = if store.is_shared() {
            ContendedStore::shared(store, 0)
        } else {
            ContendedStore::new(store, 0)
        };
        Self::open_contended(store, (environment, clock), options)
    }

    /// Returns as many servers as asked for, one or more, that share an [`empty_store`] and a clock.
    pub fn sharing(servers: u64, options: &EngineOptions) -> Vec<Self> {
        Self::sharing_badly(servers, options, 0)
    }

    /// Returns servers that share a store as [`Database::sharing`] does, with so many of a hundred
    /// answers to commits lost on the way.
    pub fn sharing_badly(servers: u64, options: &EngineOptions, lost_percent: usize) -> Vec<Self> {
        let (environment, clock) = virtual_environment();
        let first = ContendedStore::shared(empty_store(), 0);
        let others: Vec<_> = (1..servers).map(|nth| first.another(nth)).collect();
        let stores = std::iter::once(first).chain(others);
        stores
            .map(|store| store.with_lost_answers(lost_percent))
            .map(|store| {
                let names = (environment.clone(), clock.clone());
                Self::open_contended(store, names, options.clone())
            })
            .collect()
    }

    fn open_contended(
        store: ContendedStore<AnyStore>,
        (environment, clock): (Environment, VirtualClock),
        options: EngineOptions,
    ) -> Self {
        match block_on(Engine::open_with(store, environment, options)) {
            Ok(engine) => Self { engine, clock },
            Err(error) => panic!("the database does not open: {error}"),
        }
    }

    /// Calls an operation of either service.
    pub fn call(&self, operation: &str, request: &Json) -> Result<Json, ApiError> {
        let answer = self.call_bytes(operation, request.to_string().as_bytes())?;
        // Some operations answer with an empty body.
        Ok(serde_json::from_slice(&answer).unwrap_or(Json::Null))
    }

    /// Calls an operation of either service with any body.
    pub fn call_bytes(&self, operation: &str, body: &[u8]) -> Result<Vec<u8>, ApiError> {
        let operation = Operation::from_name(Service::DynamoDb, operation)
            .or_else(|| Operation::from_name(Service::Streams, operation))
            .ok_or(Reason::UnknownOperation)?;
        block_on(self.engine.call(operation, body))
    }

    /// Explains a request of an operation; answers the plan, and its text line by line.
    pub fn explained(&self, operation: &str, body: &[u8], mode: Mode) -> Result<Vec<u8>, ApiError> {
        let explanation = self.explain(operation, body, mode)?;
        let text = explanation.text();
        let lines: Vec<_> = text.lines().collect();
        Ok(json!({ "Text": lines, "Plan": explanation.to_json() }).to_string().into_bytes())
    }

    /// Explains a request of an operation.
    pub fn explain(
        &self,
        operation: &str,
        body: &[u8],
        mode: Mode,
    ) -> Result<Explanation, ApiError> {
        let operation =
            Operation::from_name(Service::DynamoDb, operation).ok_or(Reason::UnknownOperation)?;
        block_on(self.engine.explain(operation, body, mode))
    }

    /// Explains a read of an index that is not there.
    pub fn explain_what_if(
        &self,
        operation: &str,
        body: &[u8],
        what_if: &Json,
    ) -> Result<Explanation, ApiError> {
        let operation =
            Operation::from_name(Service::DynamoDb, operation).ok_or(Reason::UnknownOperation)?;
        let what_if = what_if.to_string();
        let index = SupposedIndex::from_json(what_if.as_bytes())?;
        block_on(self.engine.explain_what_if(operation, body, &index))
    }

    /// Calls an operation that succeeds.
    pub fn ok(&self, operation: &str, request: &Json) -> Json {
        self.call(operation, request)
            .unwrap_or_else(|error| panic!("{operation} {request}: {error}"))
    }

    /// Calls an operation that fails, and returns its error as text.
    pub fn fails(&self, operation: &str, request: &Json) -> String {
        match self.call(operation, request) {
            Ok(answer) => panic!("{operation} {request} answers {answer}"),
            Err(error) => error.to_string(),
        }
    }

    /// Runs the background jobs that wait.
    pub fn run_jobs(&self) {
        block_on(self.engine.run_jobs());
    }

    /// Returns the stored keys that begin so, in order, with their values.
    pub fn stored(&self, prefix: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut stored = Vec::new();
        let view = self.view();
        let range = KeyRange::prefix(prefix);
        let visited = view.visit(range, Direction::Forward, Wanted::ALL, |key, value| {
            stored.push((key.to_vec(), value.to_vec()));
            ControlFlow::Continue(())
        });
        match block_on(visited) {
            Ok(()) => stored,
            Err(error) => panic!("the store does not read: {error}"),
        }
    }

    /// Returns a view of the store.
    fn view(&self) -> <AnyStore as Store>::View {
        match block_on(self.engine.store().inner().view()) {
            Ok(view) => view,
            Err(error) => panic!("the store gives no view: {error}"),
        }
    }

    /// Returns the findings of a verification of the store.
    pub fn report(&self) -> Report {
        match block_on(verify(&self.view())) {
            Ok(report) => report,
            Err(error) => panic!("the store cannot be verified: {error}"),
        }
    }

    /// Asserts that verification finds no fault in the store.
    pub fn assert_sound(&self) {
        let problems = self.report().problems;
        assert!(problems.is_empty(), "{problems:?}");
    }

    /// Ends the database as a stop of the program does.
    pub fn close(self) {
        if let Err(error) = block_on(self.engine.close()) {
            panic!("the database does not close: {error}");
        }
    }
}

/// Returns a new, empty store: in memory, or of a schema on PostgreSQL.
pub fn empty_store() -> AnyStore {
    if !is_on_postgres() {
        return MemoryStore::new().into();
    }
    let options = PostgresOptions {
        lanes: 2,
        readers: 2,
        groups: Some(2),
        kept_page_bytes: 0,
        fence: Some(hashrange_engine::fence()),
        ..PostgresOptions::default()
    };
    match PostgresStore::open(&hashrange_scratch::shared().url(), &options) {
        Ok(store) => store.into(),
        Err(error) => panic!("the store does not open: {error}"),
    }
}

/// Returns whether tests that do not depend on a store run on PostgreSQL.
#[expect(clippy::disallowed_methods, reason = "the only setting of these tests")]
pub fn is_on_postgres() -> bool {
    match std::env::var(STORE_VARIABLE).as_deref() {
        Ok("postgres") => true,
        Err(_) | Ok("" | "memory") => false,
        Ok(other) => panic!("{STORE_VARIABLE} is memory or postgres, not {other}"),
    }
}

/// Returns true if a test that looks into a store in memory must be left out, and prints that.
#[expect(clippy::print_stderr, reason = "what is left out is said")]
pub fn is_left_out_on_postgres(why: &str) -> bool {
    let is_left_out = is_on_postgres();
    if is_left_out {
        eprintln!("left out on PostgreSQL: {why}");
    }
    is_left_out
}

/// Opens the store of a folder.
pub fn embedded(path: &Path) -> AnyStore {
    match EmbeddedStore::open(path, &EmbeddedOptions::default()) {
        Ok(store) => store.into(),
        Err(error) => panic!("the store does not open: {error}"),
    }
}
