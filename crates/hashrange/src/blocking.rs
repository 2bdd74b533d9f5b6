//! The database with methods that wait instead of returning futures.

use crate::Database;
use hashrange_engine::{Explanation, Mode, SupposedIndex};
use hashrange_model::ApiResult;
use hashrange_wire::Operation;

/// A database whose operations block the calling thread until they are done.
#[derive(Debug, Clone)]
pub struct Blocking {
    database: Database,
}

impl Blocking {
    pub(crate) fn new(database: Database) -> Self {
        Self { database }
    }

    /// Returns the database itself.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Runs one operation on a JSON request and returns the JSON response.
    pub fn call(&self, operation: Operation, body: &[u8]) -> ApiResult<Vec<u8>> {
        hashrange_storage::block_on(self.database.call(operation, body))
    }

    /// Explains a JSON request of an operation; see [`Database::explain`].
    ///
    /// # Errors
    /// The errors of the request itself, or a refusal: operations on tables cannot be explained.
    pub fn explain(
        &self,
        operation: Operation,
        request: &[u8],
        mode: Mode,
    ) -> ApiResult<Explanation> {
        hashrange_storage::block_on(self.database.explain(operation, request, mode))
    }

    /// Explains a read of an index that is not there; see [`Database::explain_what_if`].
    ///
    /// # Errors
    /// The errors of the request and of creating the index, or a refusal: the request does not read
    /// the index.
    pub fn explain_what_if(
        &self,
        operation: Operation,
        request: &[u8],
        index: &SupposedIndex<'_>,
    ) -> ApiResult<Explanation> {
        hashrange_storage::block_on(self.database.explain_what_if(operation, request, index))
    }

    /// Does the work that is due after the clock was moved; see [`Database::catch_up_with_clock`].
    pub fn catch_up_with_clock(&self) {
        hashrange_storage::block_on(self.database.catch_up_with_clock());
    }

    /// Stops background jobs, refuses further writes and waits until all writes are on disk.
    pub fn close(&self) -> Result<(), hashrange_storage::Error> {
        hashrange_storage::block_on(self.database.close())
    }
}
