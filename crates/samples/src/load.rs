//! Writes a sample into a database.
//!
//! Tags of the table say which sample it holds and, once all items are written, that it is
//! complete. Until that tag is set, loading writes every item again, so it may be interrupted at
//! any point and run again. It leaves a complete table alone, whatever has happened to its items,
//! and never touches a table of the same name without the tag, which belongs to somebody else.

use crate::{BrokenData, Items, Sample};
use hashrange::{
    ApiError, BatchWriteItemInput, Database, DescribeTableInput, ErrorKind, Item,
    ListTagsOfResourceInput, Map, PutRequest, TableStatus, Tag, TagResourceInput, WriteRequest,
    calls, read_request,
};
use std::borrow::Cow;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// Tag of a table that a sample made; its value is the sample's name.
const SAMPLE_TAG: &str = "hashrange:sample";
/// Tag of a table whose sample is complete.
const COMPLETE_TAG: &str = "hashrange:sample-complete";
/// Items of one BatchWriteItem: the service's limit.
const BATCH_ITEMS: usize = 25;
/// Batches under way at the same time, so that they share a sync of the disk.
const BATCHES_AT_ONCE: usize = 16;
/// Most pauses for one table to become active, and for one batch to get units.
const PAUSES_MAX: u32 = 600;

/// Progress of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Items that are in the table.
    pub items_done: u64,
    /// Items of the sample.
    pub items_total: u64,
}

/// Result of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loaded {
    /// The items were written.
    Now {
        /// Number of items.
        items: u64,
    },
    /// The sample was complete already; nothing was written.
    Before,
}

/// Reason why a sample was not loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A table of that name exists that no sample made: rename or delete it first.
    ForeignTable {
        /// The table's name.
        table: String,
    },
    /// The database refuses a request; loading can be tried again.
    Refused(ApiError),
    /// The data inside the program cannot be read.
    Broken(BrokenData),
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ForeignTable { table } => {
                write!(formatter, "there is a table {table:?} already that is not the sample's")
            }
            Self::Refused(error) => write!(formatter, "load the sample: {error}"),
            Self::Broken(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for Error {}

impl From<ApiError> for Error {
    fn from(error: ApiError) -> Self {
        Self::Refused(error)
    }
}

impl From<BrokenData> for Error {
    fn from(error: BrokenData) -> Self {
        Self::Broken(error)
    }
}

/// Future that [`load`] returns.
pub type Loading<'a> = Pin<Box<dyn Future<Output = Result<Loaded, Error>> + Send + 'a>>;

/// A short pause: [`load_patiently`] waits for one before it asks a database again.
pub type Pause = dyn Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync;

/// Loads a sample unless it is complete already. Calls `progress` after every group of batches.
pub fn load<'a>(
    sample: &'a Sample,
    database: &'a Database,
    progress: &'a mut (dyn FnMut(Progress) + Send),
) -> Loading<'a> {
    // The crate that awaits an unboxed future would compile it again, with the whole engine.
    Box::pin(load_now(sample, database, None, progress))
}

/// Loads a sample as [`load`] does into a database that delays its tables and throttles writes, as with
/// a profile: waits until the table is active, and for units.
pub fn load_patiently<'a>(
    sample: &'a Sample,
    database: &'a Database,
    pause: &'a Pause,
    progress: &'a mut (dyn FnMut(Progress) + Send),
) -> Loading<'a> {
    Box::pin(load_now(sample, database, Some(pause), progress))
}

async fn load_now(
    sample: &Sample,
    database: &Database,
    pause: Option<&Pause>,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Loaded, Error> {
    let arn = match table_arn(database, sample.table).await? {
        Some(arn) => arn,
        None => create(database, sample).await?,
    };
    if let Some(pause) = pause {
        wait_until_active(database, sample.table, pause).await?;
    }
    let tags = tags(database, &arn).await?;
    if !has_tag(&tags, SAMPLE_TAG, sample.name) {
        return Err(Error::ForeignTable { table: sample.table.to_owned() });
    }
    if has_tag(&tags, COMPLETE_TAG, "yes") {
        return Ok(Loaded::Before);
    }
    let items = write_items(sample, database, pause, progress).await?;
    mark_complete(database, &arn).await?;
    Ok(Loaded::Now { items })
}

async fn table_arn(database: &Database, table: &str) -> Result<Option<String>, Error> {
    let input = DescribeTableInput { table_name: Some(table.into()) };
    match database.describe_table(input).await {
        Ok(output) => Ok(output.table.and_then(|table| table.table_arn)),
        Err(error) if error.kind() == ErrorKind::ResourceNotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

async fn create(database: &Database, sample: &Sample) -> Result<String, Error> {
    let input = read_request::<calls::CreateTable>(sample.definition().as_bytes())?;
    database.create_table(input).await?;
    let arn = table_arn(database, sample.table).await?;
    arn.ok_or_else(|| Error::Broken(BrokenData { line: sample.definition().to_owned() }))
}

/// Waits until a table is active, for so many pauses at most: then writes say what is wrong.
async fn wait_until_active(
    database: &Database,
    table: &str,
    pause: &Pause,
) -> Result<(), ApiError> {
    for _ in 0..PAUSES_MAX {
        let input = DescribeTableInput { table_name: Some(table.into()) };
        let status = database.describe_table(input).await?.table.and_then(|it| it.table_status);
        if status != Some(TableStatus::Creating) {
            break;
        }
        pause().await;
    }
    Ok(())
}

async fn tags(database: &Database, arn: &str) -> Result<Vec<Tag>, Error> {
    let mut tags = Vec::new();
    let mut next_token = None;
    loop {
        let input = ListTagsOfResourceInput {
            resource_arn: Some(arn.into()),
            next_token: next_token.map(Cow::Owned),
        };
        let output = database.list_tags_of_resource(input).await?;
        tags.extend(output.tags.unwrap_or_default());
        next_token = output.next_token;
        if next_token.is_none() {
            return Ok(tags);
        }
    }
}

fn has_tag(tags: &[Tag], key: &str, value: &str) -> bool {
    tags.iter().any(|tag| tag.key.as_deref() == Some(key) && tag.value.as_deref() == Some(value))
}

async fn mark_complete(database: &Database, arn: &str) -> Result<(), Error> {
    let tag = Tag { key: Some(COMPLETE_TAG.to_owned()), value: Some("yes".to_owned()) };
    let input = TagResourceInput { resource_arn: Some(arn.into()), tags: Some(vec![tag]) };
    database.tag_resource(input).await?;
    Ok(())
}

async fn write_items(
    sample: &Sample,
    database: &Database,
    pause: Option<&Pause>,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<u64, Error> {
    let mut items = sample.items();
    let mut items_done = 0;
    loop {
        progress(Progress { items_done, items_total: sample.item_count });
        let batches = next_batches(&mut items)?;
        if batches.is_empty() {
            return Ok(items_done);
        }
        items_done += batches.iter().map(|batch| batch.len() as u64).sum::<u64>();
        let writes = batches.into_iter().map(|batch| write(database, sample.table, batch, pause));
        for written in join(writes).await {
            written?;
        }
    }
}

/// Returns the next batches of items; none at the end.
fn next_batches(items: &mut Items) -> Result<Vec<Vec<WriteRequest>>, BrokenData> {
    let mut batches = Vec::with_capacity(BATCHES_AT_ONCE);
    while batches.len() < BATCHES_AT_ONCE {
        let batch: Vec<_> =
            items.by_ref().take(BATCH_ITEMS).map(|item| item.map(put)).collect::<Result<_, _>>()?;
        if batch.is_empty() {
            break;
        }
        batches.push(batch);
    }
    Ok(batches)
}

fn put(item: Item) -> WriteRequest {
    WriteRequest { put_request: Some(PutRequest { item: Some(item.into()) }), delete_request: None }
}

async fn write(
    database: &Database,
    table: &str,
    mut batch: Vec<WriteRequest>,
    pause: Option<&Pause>,
) -> Result<(), ApiError> {
    let mut pauses = 0;
    while !batch.is_empty() {
        let input = BatchWriteItemInput {
            request_items: Some(Map::from_entries_last_wins(vec![(table.into(), batch.clone())])),
            ..BatchWriteItemInput::default()
        };
        match database.batch_write_item(input).await {
            // Writes that the database had no capacity for are sent again.
            Ok(output) => {
                let unprocessed = output.unprocessed_items.unwrap_or_default();
                batch = unprocessed.values().flatten().cloned().collect();
            }
            Err(error) if is_throttled(&error) && pause.is_some() && pauses < PAUSES_MAX => {}
            Err(error) => return Err(error),
        }
        if let Some(pause) = pause.filter(|_| !batch.is_empty()) {
            pauses += 1;
            pause().await;
        }
    }
    Ok(())
}

fn is_throttled(error: &ApiError) -> bool {
    matches!(error.kind(), ErrorKind::ProvisionedThroughputExceeded | ErrorKind::Throttling)
}

/// Runs futures together and returns their results in order.
async fn join<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut futures: Vec<Pin<Box<F>>> = futures.map(Box::pin).collect();
    let mut results: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (future, result) in futures.iter_mut().zip(&mut results) {
            if result.is_none()
                && let Poll::Ready(output) = future.as_mut().poll(context)
            {
                *result = Some(output);
            }
        }
        if results.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    results.into_iter().flatten().collect()
}
