//! History of tables: earlier versions of items, and tables as of a moment.

use crate::Blocking;
use crate::database::{Calling, Database};
use hashrange_engine::{
    ChangesInput, ChangesOutput, HistoryDescription, RestoreOutput, Running, VersionsDescription,
    VersionsRecord,
};
use hashrange_model::ApiResult;
use hashrange_storage::block_on;
use hashrange_wire::Operation;

impl Database {
    /// Begins to keep the history of a table, or changes the number of hours for which it keeps
    /// versions; without `retention_hours` it keeps them for ever. Nothing is copied. A program
    /// reads the table as of a moment under a name such as `orders.asof.20261121T100000Z`.
    ///
    /// ```
    /// use hashrange::{Database, item};
    /// let database = Database::memory().blocking();
    /// database.create("orders", "id:S").run()?;
    /// database.put("orders", item! { "id": "7", "status": "OPEN" }).run()?;
    /// let begun = database.enable_history("orders", None)?;
    /// let at_ms = begun.reaches_back_to_ms.expect("it is kept");
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

    /// Stops keeping the history of a table; a background job removes the versions.
    pub fn disable_history<'a>(&'a self, table: &'a str) -> Calling<'a, HistoryDescription> {
        let engine = &self.engine;
        Box::pin(async move {
            let run = || -> Running<'_, _> { Box::pin(engine.disable_history(table)) };
            engine.on_newest_to_change(run).await
        })
    }

    /// Returns whether a table keeps a history, and the earliest moment that it reaches back to.
    pub fn describe_history<'a>(&'a self, table: &'a str) -> Calling<'a, HistoryDescription> {
        let engine = &self.engine;
        Box::pin(async move {
            let run = || -> Running<'_, _> { Box::pin(engine.describe_history(table)) };
            engine.on_newest_to_describe(run).await
        })
    }

    /// Lets writes of a table keep versions as items of the same collection, or no longer. A program
    /// writes an item under its key; in the same commit the server keeps the numbered copy.
    ///
    /// ```
    /// use hashrange::{Database, VersionsRecord, item};
    /// let database = Database::memory().blocking();
    /// database.create("equipment", "id:S revision:S").run()?;
    /// let versions = VersionsRecord::new("v{n:pad:3}_{name}", "v0_{name}");
    /// database.set_versions("equipment", Some(versions))?;
    /// for state in ["INIT", "ONGOING"] {
    ///     let audit = item! { "id": "1", "revision": "v0_Audit", "state": state };
    ///     database.put("equipment", audit).run()?;
    /// }
    /// let first = database.get("equipment", item! { "id": "1", "revision": "v001_Audit" }).run()?;
    /// assert_eq!(first.expect("it was kept").get_as::<String>("state")?, "INIT");
    /// let newest = database.get("equipment", item! { "id": "1", "revision": "v0_Audit" }).run()?;
    /// assert_eq!(newest.expect("it is there").get_as::<u64>("LatestVersion")?, 2);
    /// # Ok::<(), hashrange::Error>(())
    /// ```
    pub fn set_versions<'a>(
        &'a self,
        table: &'a str,
        versions: Option<VersionsRecord>,
    ) -> Calling<'a, VersionsDescription> {
        let engine = &self.engine;
        Box::pin(async move {
            let run =
                || -> Running<'_, _> { Box::pin(engine.set_versions(table, versions.clone())) };
            engine.on_newest_to_change(run).await
        })
    }

    /// Describes the versions that a table keeps as items.
    pub fn describe_versions<'a>(&'a self, table: &'a str) -> Calling<'a, VersionsDescription> {
        let engine = &self.engine;
        Box::pin(async move {
            let run =
                || -> Running<'_, _> { Box::pin(async move { engine.describe_versions(table) }) };
            engine.on_newest_to_describe(run).await
        })
    }

    /// Returns a page of the changes of a table between two moments.
    ///
    /// ```
    /// use hashrange::{ChangesInput, Database, item};
    /// let database = Database::memory().blocking();
    /// database.create("orders", "id:S").run()?;
    /// database.put("orders", item! { "id": "7", "status": "OPEN" }).run()?;
    /// let begun = database.enable_history("orders", None)?;
    /// database.delete("orders", item! { "id": "7" }).run()?;
    ///
    /// let from_ms = begun.reaches_back_to_ms.expect("it is kept");
    /// let table_name = "orders".to_owned();
    /// let asked = ChangesInput { table_name, from_ms, ..ChangesInput::default() };
    /// let page = database.history_changes(&asked)?;
    /// assert_eq!(page.changes[0].key, item! { "id": "7" });
    /// assert!(page.changes[0].after.is_none());
    ///
    /// assert_eq!(database.restore_items(&asked)?.put, 1);
    /// assert!(database.get("orders", item! { "id": "7" }).run()?.is_some());
    /// # Ok::<(), hashrange::Error>(())
    /// ```
    pub fn history_changes<'a>(&'a self, input: &'a ChangesInput) -> Calling<'a, ChangesOutput> {
        let engine = &self.engine;
        Box::pin(async move {
            let run = || -> Running<'_, _> { Box::pin(engine.history_changes(input)) };
            engine.on_newest(Operation::Query, run).await
        })
    }

    /// Restores a page of items to their state at the first moment of a request, by ordinary
    /// writes, which the history keeps too.
    pub fn restore_items<'a>(&'a self, input: &'a ChangesInput) -> Calling<'a, RestoreOutput> {
        let engine = &self.engine;
        Box::pin(async move {
            let run = || -> Running<'_, _> { Box::pin(engine.restore_items(input)) };
            engine.on_newest(Operation::PutItem, run).await
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

    /// See [`Database::set_versions`].
    pub fn set_versions(
        &self,
        table: &str,
        versions: Option<VersionsRecord>,
    ) -> ApiResult<VersionsDescription> {
        block_on(self.database().set_versions(table, versions))
    }

    /// See [`Database::describe_versions`].
    pub fn describe_versions(&self, table: &str) -> ApiResult<VersionsDescription> {
        block_on(self.database().describe_versions(table))
    }

    /// See [`Database::history_changes`].
    pub fn history_changes(&self, input: &ChangesInput) -> ApiResult<ChangesOutput> {
        block_on(self.database().history_changes(input))
    }

    /// See [`Database::restore_items`].
    pub fn restore_items(&self, input: &ChangesInput) -> ApiResult<RestoreOutput> {
        block_on(self.database().restore_items(input))
    }
}
