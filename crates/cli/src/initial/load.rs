//! Brings items into tables that are empty.
//!
//! A table with items stays as it is: the next start does not undo the changes of a test or a
//! person. So a load that fails removes the items that it has written, or the next start would
//! leave the table with a part of its items.

use super::definition::Definition;
use super::items::ItemFile;
use super::tables::{call, call_with, described};
use crate::bulk::batch::{batch_body, put_body};
use crate::commands::table_keys::TableKeys;
use crate::exit::Usage;
use crate::reading::reader::{self, Event, NEXT_PAGE_MISSING, Plan};
use crate::reading::source::Source;
use anyhow::{Context, bail};
use hashrange::{Database, Operation};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Items of one BatchWriteItem: the service's limit.
const BATCH_ITEMS: usize = 25;
/// Bytes of items in one BatchWriteItem as they are written in JSON, far below the service's 16 MB.
const BATCH_BYTES: usize = 4 << 20;

/// An item in DynamoDB's JSON, and its place in the file.
struct Placed {
    place: String,
    item: String,
}

/// Items that are written together.
struct Batch<'d> {
    database: &'d Database,
    table: &'d str,
    items: Vec<Placed>,
    bytes: usize,
    written: u64,
}

/// Loads the sample data of a definition.
pub async fn sample(definition: &Definition, database: &Database) -> anyhow::Result<()> {
    let Definition { name, source, .. } = definition;
    if !is_empty(database, name).await? {
        tracing::info!(table = name, "not loaded: the table has items");
        return Ok(());
    }
    let mut batch = Batch::new(database, name);
    let mut all_taken = Ok(());
    for (nth, item) in definition.items.iter().enumerate() {
        let item = Value::Object(item.clone()).to_string();
        all_taken = batch.take(Placed { place: format!("item {}", nth + 1), item }).await;
        if all_taken.is_err() {
            break;
        }
    }
    batch.end(all_taken).await.with_context(|| format!("{source}: sample data of the table {name}"))
}

/// Loads a file.
pub async fn file(file: &ItemFile, database: &Database) -> anyhow::Result<()> {
    load(file, database).await.with_context(|| file.path.display().to_string())
}

async fn load(file: &ItemFile, database: &Database) -> anyhow::Result<()> {
    let Some(description) = described(database, &file.table).await? else {
        bail!("there is no table {}: --init creates tables from a file", file.table);
    };
    if !is_empty(database, &file.table).await? {
        tracing::info!(table = file.table, "not loaded: the table has items");
        return Ok(());
    }
    let keys = TableKeys::described(Value::Object(description));
    let plan = Plan::of(&keys, vec![Source::File(file.path.clone())]);
    let mut batch = Batch::new(database, &file.table);
    let taken = take_all(plan, &mut batch).await;
    batch.end(taken).await
}

async fn take_all(plan: Plan, batch: &mut Batch<'_>) -> anyhow::Result<()> {
    let mut events = reader::start(plan, Arc::default())?;
    while let Some(event) = events.recv().await {
        match event {
            Event::Item(entry, _) => {
                batch.take(Placed { place: entry.place.to_string(), item: entry.item }).await?;
            }
            Event::Bad(place, reason, _) => {
                return Err(Usage(reason)).with_context(|| place.to_string());
            }
            Event::Failed(place, error) => return Err(error.context(place.to_string())),
            Event::NextPageMissing => tracing::warn!("{NEXT_PAGE_MISSING}"),
        }
    }
    Ok(())
}

async fn is_empty(database: &Database, table: &str) -> anyhow::Result<bool> {
    let request = json!({ "TableName": table, "Limit": 1, "ConsistentRead": true });
    let answer = call(database, Operation::Scan, &request).await?;
    Ok(answer["Count"] == 0)
}

impl<'d> Batch<'d> {
    fn new(database: &'d Database, table: &'d str) -> Self {
        Self { database, table, items: Vec::new(), bytes: 0, written: 0 }
    }

    async fn take(&mut self, placed: Placed) -> anyhow::Result<()> {
        self.bytes += placed.item.len();
        self.items.push(placed);
        if self.items.len() < BATCH_ITEMS && self.bytes < BATCH_BYTES {
            return Ok(());
        }
        self.write().await
    }

    /// Writes the last items if all before were taken; removes all written items if anything fails.
    async fn end(mut self, all_taken: anyhow::Result<()>) -> anyhow::Result<()> {
        let done = match all_taken {
            Ok(()) => self.write().await,
            Err(error) => Err(error),
        };
        let Err(error) = done else {
            tracing::info!(table = self.table, items = self.written, "loaded");
            return Ok(());
        };
        match self.take_back().await {
            Ok(()) => Err(error.context("nothing is loaded")),
            Err(left) => Err(error.context(format!(
                "a part is loaded and could not be deleted again ({left:#}): delete the table {}",
                self.table
            ))),
        }
    }

    /// Deletes every item of the table, which was empty.
    async fn take_back(&self) -> anyhow::Result<()> {
        let Some(description) = described(self.database, self.table).await? else { return Ok(()) };
        let schema = description.get("KeySchema").and_then(Value::as_array);
        let names = schema.into_iter().flatten().filter_map(|key| key["AttributeName"].as_str());
        let names: Vec<_> = names.collect();
        loop {
            let request =
                json!({ "TableName": self.table, "Limit": BATCH_ITEMS, "ConsistentRead": true });
            let page = call(self.database, Operation::Scan, &request).await?;
            let items = page["Items"].as_array().map_or(&[][..], Vec::as_slice);
            if items.is_empty() {
                return Ok(());
            }
            let deletion = |item: &Value| {
                let key = names.iter().map(|name| ((*name).to_owned(), item[*name].clone()));
                json!({ "DeleteRequest": { "Key": key.collect::<Map<_, _>>() } })
            };
            let deletions: Vec<_> = items.iter().map(deletion).collect();
            let request = json!({ "RequestItems": { self.table: deletions } });
            call(self.database, Operation::BatchWriteItem, &request).await?;
        }
    }

    async fn write(&mut self) -> anyhow::Result<()> {
        let items = std::mem::take(&mut self.items);
        self.bytes = 0;
        if items.is_empty() {
            return Ok(());
        }
        let body = batch_body(self.table, items.iter().map(|placed| placed.item.as_str()));
        let written = call_with(self.database, Operation::BatchWriteItem, body).await;
        if written.is_ok_and(|answer| answer["UnprocessedItems"] == json!({})) {
            self.written += items.len() as u64;
            return Ok(());
        }
        // One by one, so that the refused item is named; of items with one key the last counts.
        for Placed { place, item } in items {
            let body = put_body(self.table, &item);
            let put = call_with(self.database, Operation::PutItem, body).await;
            put.with_context(|| place)?;
            self.written += 1;
        }
        Ok(())
    }
}
