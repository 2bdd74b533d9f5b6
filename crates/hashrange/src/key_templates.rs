//! Key templates: string keys that the database derives from the attributes of an item.

use crate::Blocking;
use crate::database::{Calling, Database};
use hashrange_engine::{
    KeyTemplateDescription, ParsedKey, Running, TemplateMode, TemplatePreview, UndonePage,
};
use hashrange_model::ApiResult;
use hashrange_storage::block_on;

impl Database {
    /// Declares a key template, such as
    /// `GSI1SK = "{status}#{createdAt:iso}" when status in [OPEN, PLACED]`, and replaces that of
    /// the same attribute. Every write derives the key from now on, and a background job rewrites
    /// existing items; up to ten thousand are rewritten before this call returns.
    ///
    /// ```
    /// use hashrange::{Database, TemplateMode};
    /// let database = Database::memory().blocking();
    /// database.call(hashrange::Operation::CreateTable, br#"{
    ///     "TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
    ///     "AttributeDefinitions": [
    ///         {"AttributeName": "id", "AttributeType": "S"},
    ///         {"AttributeName": "byStatus", "AttributeType": "S"}],
    ///     "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    ///     "GlobalSecondaryIndexes": [{"IndexName": "by-status",
    ///         "KeySchema": [{"AttributeName": "byStatus", "KeyType": "HASH"}],
    ///         "Projection": {"ProjectionType": "ALL"}}]
    /// }"#)?;
    /// let template = r#"byStatus = "{status}#{total:pad:6}" when status in [OPEN, PLACED]"#;
    /// database.put_key_template("orders", template, TemplateMode::Fill)?;
    /// let item = br#"{"TableName": "orders", "Item":
    ///     {"id": {"S": "7"}, "status": {"S": "OPEN"}, "total": {"N": "42"}}}"#;
    /// database.call(hashrange::Operation::PutItem, item)?;
    /// let read = br#"{"TableName": "orders", "Key": {"id": {"S": "7"}}}"#;
    /// let read = database.call(hashrange::Operation::GetItem, read)?;
    /// assert!(String::from_utf8_lossy(&read).contains("OPEN#000042"));
    /// let parsed = database.parse_key("orders", None, "OPEN#000042")?;
    /// assert_eq!(parsed[0].parts[1].name, "total");
    /// # Ok::<(), hashrange::ApiError>(())
    /// ```
    pub fn put_key_template<'a>(
        &'a self,
        table: &'a str,
        template: &'a str,
        mode: TemplateMode,
    ) -> Calling<'a, KeyTemplateDescription> {
        let engine = &self.engine;
        Box::pin(async move {
            let run =
                || -> Running<'_, _> { Box::pin(engine.put_key_template(table, template, mode)) };
            engine.on_newest_to_change(run).await
        })
    }

    /// Returns what a key template would do to the items of a table: how many it would set, change,
    /// keep, remove and refuse, and what looks like a mistake in it. Looks at 200,000 items and 256
    /// MiB at most.
    pub fn preview_key_template<'a>(
        &'a self,
        table: &'a str,
        template: &'a str,
        mode: TemplateMode,
    ) -> Calling<'a, TemplatePreview> {
        let engine = &self.engine;
        Box::pin(async move {
            let run = || -> Running<'_, _> {
                Box::pin(engine.preview_key_template(table, template, mode))
            };
            engine.on_newest_to_describe(run).await
        })
    }

    /// Undoes a page of the rewriting by the template of an attribute: call it until it is done. The
    /// first call drops the template, or puts back the one that it replaced; then each item gets the
    /// value of before, if it still has that of the rewriting.
    pub fn undo_key_template<'a>(
        &'a self,
        table: &'a str,
        attribute: &'a str,
    ) -> Calling<'a, UndonePage> {
        let engine = &self.engine;
        Box::pin(async move {
            let run = || -> Running<'_, _> { Box::pin(engine.undo_key_template(table, attribute)) };
            engine.on_newest_to_change(run).await
        })
    }

    /// Forgets the values of before the rewriting by a template, which cannot be undone any more.
    pub fn keep_key_template<'a>(&'a self, table: &'a str, attribute: &'a str) -> Calling<'a, ()> {
        let engine = &self.engine;
        Box::pin(async move {
            let run = || -> Running<'_, _> { Box::pin(engine.keep_key_template(table, attribute)) };
            engine.on_newest_to_change(run).await
        })
    }

    /// Drops the key template of an attribute. Items keep the derived keys.
    pub fn delete_key_template<'a>(
        &'a self,
        table: &'a str,
        attribute: &'a str,
    ) -> Calling<'a, ()> {
        let engine = &self.engine;
        Box::pin(async move {
            let run =
                || -> Running<'_, _> { Box::pin(engine.delete_key_template(table, attribute)) };
            engine.on_newest_to_change(run).await
        })
    }

    /// Returns the key templates of a table, with the progress of rewriting existing items.
    pub fn describe_key_templates<'a>(
        &'a self,
        table: &'a str,
    ) -> Calling<'a, Vec<KeyTemplateDescription>> {
        let engine = &self.engine;
        Box::pin(async move {
            let run = || -> Running<'_, _> { Box::pin(engine.describe_key_templates(table)) };
            engine.on_newest_to_describe(run).await
        })
    }

    /// Parses a key by every template of a table that could have made it, or by that of one
    /// attribute, and returns its parts by name.
    ///
    /// The answer is a validation error if no template could have made the key.
    pub fn parse_key<'a>(
        &'a self,
        table: &'a str,
        attribute: Option<&'a str>,
        key: &'a str,
    ) -> Calling<'a, Vec<ParsedKey>> {
        let engine = &self.engine;
        Box::pin(async move {
            let run = || -> Running<'_, _> { Box::pin(engine.parse_key(table, attribute, key)) };
            engine.on_newest_to_describe(run).await
        })
    }
}

impl Blocking {
    /// Declares a key template; see [`Database::put_key_template`].
    pub fn put_key_template(
        &self,
        table: &str,
        template: &str,
        mode: TemplateMode,
    ) -> ApiResult<KeyTemplateDescription> {
        block_on(self.database().put_key_template(table, template, mode))
    }

    /// Returns what a key template would do; see [`Database::preview_key_template`].
    pub fn preview_key_template(
        &self,
        table: &str,
        template: &str,
        mode: TemplateMode,
    ) -> ApiResult<TemplatePreview> {
        block_on(self.database().preview_key_template(table, template, mode))
    }

    /// Undoes a page of a rewriting; see [`Database::undo_key_template`].
    pub fn undo_key_template(&self, table: &str, attribute: &str) -> ApiResult<UndonePage> {
        block_on(self.database().undo_key_template(table, attribute))
    }

    /// Forgets the values of before a rewriting; see [`Database::keep_key_template`].
    pub fn keep_key_template(&self, table: &str, attribute: &str) -> ApiResult<()> {
        block_on(self.database().keep_key_template(table, attribute))
    }

    /// Drops the key template of an attribute; see [`Database::delete_key_template`].
    pub fn delete_key_template(&self, table: &str, attribute: &str) -> ApiResult<()> {
        block_on(self.database().delete_key_template(table, attribute))
    }

    /// Returns the key templates of a table; see [`Database::describe_key_templates`].
    pub fn describe_key_templates(&self, table: &str) -> ApiResult<Vec<KeyTemplateDescription>> {
        block_on(self.database().describe_key_templates(table))
    }

    /// Parses a key by the templates of a table; see [`Database::parse_key`].
    pub fn parse_key(
        &self,
        table: &str,
        attribute: Option<&str>,
        key: &str,
    ) -> ApiResult<Vec<ParsedKey>> {
        block_on(self.database().parse_key(table, attribute, key))
    }
}
