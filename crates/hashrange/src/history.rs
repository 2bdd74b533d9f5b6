//! The history of tables: what items were before, and tables as they were at a moment.

use crate::Blocking;
use crate::database::{Calling, Database};
use hashrange_engine::{HistoryDescription, Running};
use hashrange_model::ApiResult;
use hashrange_storage::block_on;

impl Database {
    /// Keeps the history of a table from now on, or changes for how many hours versions are kept; for ever
    /// without `retention_hours`. Nothing is copied. A table with a history is read as it was at a moment
    /// under a name such as `orders.asof.20261121T100000Z`.
    ///
    /// ```
    /// use hashrange::{Database, item};
    /// let database = Database::memory().blocking();
    /// database.create("orders", "id:S").run()?;
    /// database.put("orders", item! { "id": "7", "status": "OPEN" }).run()?;
    /// let begun = database.enable_history("orders", None)?;
    /// let at_ms = begun.reaches_back_to_ms.expect("it is kept");
    /// std::thread::sleep(std::time::Duration::from_millis(5));
    /// database.put("orders", item! { "id": "7", "status": "SENT" }).run()?;
    ///
    /// let was = database.get(&format!("orders.asof.{at_ms}"), item! { "id": "7" }).run()?;
    /// assert_eq!(was.expect("it was there").get_as::<String>("status")?, "OPEN");
    /// # Ok::<(), hashrange::Error>(())
    /// ```
    pub fn enable_history<'a>(
        &'a self,
        table: &'a str,
        retention_hours: Option<u32>,
    ) -> Calling<'a, HistoryDescription> {
        let engine = &self.engine;
        Box::pin(async move {
            let run =
                || -> Running<'_, _> { Box::pin(engine.enable_history(table, retention_hours)) };
            engine.on_newest_to_change(run).await
        })
    }

    /// Keeps the history of a table no more; what there is of it is removed in the background.
    pub fn disable_history<'a>(&'a self, table: &'a str) -> Calling<'a, HistoryDescription> {
        let engine = &self.engine;
        Box::pin(async move {
            let run = || -> Running<'_, _> { Box::pin(engine.disable_history(table)) };
            engine.on_newest_to_change(run).await
        })
    }

    /// Returns whether a table keeps a history, and how far back that reaches.
    pub fn describe_history<'a>(&'a self, table: &'a str) -> Calling<'a, HistoryDescription> {
        let engine = &self.engine;
        Box::pin(async move {
            let run = || -> Running<'_, _> { Box::pin(engine.describe_history(table)) };
            engine.on_newest_to_describe(run).await
        })
    }
}

impl Blocking {
    /// See [`Database::enable_history`].
    pub fn enable_history(
        &self,
        table: &str,
        retention_hours: Option<u32>,
    ) -> ApiResult<HistoryDescription> {
        block_on(self.database().enable_history(table, retention_hours))
    }

    /// See [`Database::disable_history`].
    pub fn disable_history(&self, table: &str) -> ApiResult<HistoryDescription> {
        block_on(self.database().disable_history(table))
    }

    /// See [`Database::describe_history`].
    pub fn describe_history(&self, table: &str) -> ApiResult<HistoryDescription> {
        block_on(self.database().describe_history(table))
    }
}
