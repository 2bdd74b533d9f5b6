//! The changes of a table as they are made, across the shards of its stream.
//!
//! A shard is read after its parent has been read to its end, so changes of one item come in their
//! order. A reader keeps no more than one request's records of a shard.
//!
//! Invariant: a position names a record only after the reader has returned it, so a program that
//! goes on from a position loses no record.

use super::pause::Pause;
use super::records_position::{Place, StreamPosition};
use super::{CallFuture, Handle};
use crate::{Blocking, Database, Error, Result, from_item};
use futures_core::Stream;
use hashrange_model::{ErrorKind, Item};
use hashrange_wire::{
    DescribeStreamInput, DescribeTableInput, GetRecordsInput, GetShardIteratorInput, OperationType,
    Record, Shard, ShardIteratorType, StreamStatus,
};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Pause of a reader that has read everything, unless the program sets another one.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Rounds without a record between two looks at the stream's shards.
const ROUNDS_PER_LOOK: u32 = 10;

/// Changes of a table, one after the other: a [`Stream`] of a [`Database`], an [`Iterator`] of a
/// [`Blocking`]. They begin with the oldest record, unless the program sets another start, and the
/// stream waits for further ones.
///
/// ```
/// # use hashrange::{ChangeKind, Database, StreamPosition, StreamViewType, item};
/// # let db = Database::memory().blocking();
/// db.create("shop", "id:S").stream(StreamViewType::NewAndOldImages).run()?;
/// db.put("shop", item! { "id": "ORDER#1", "total": 129 }).run()?;
/// db.update("shop", item! { "id": "ORDER#1" }).set("total = 99").run()?;
///
/// let mut changes = db.stream_records("shop").until_caught_up();
/// let first = changes.next().expect("an order was put")?;
/// assert_eq!(first.kind, ChangeKind::Insert);
/// assert_eq!(first.new, Some(item! { "id": "ORDER#1", "total": 129 }));
///
/// // Another program, another day: on with what follows the first record.
/// let position: StreamPosition = changes.position().to_string().parse()?;
/// let mut changes = db.stream_records("shop").from(position).until_caught_up();
/// let second = changes.next().expect("the order was changed")?;
/// assert_eq!(second.old, first.new);
/// assert!(changes.next().is_none());
/// # Ok::<(), hashrange::Error>(())
/// ```
#[must_use = "nothing is read until a change is asked for"]
pub struct StreamRecords<D> {
    handle: D,
    reader: Option<Box<Reader>>,
    /// Events that were read and not yet handed out.
    ready: VecDeque<Event>,
    reading: Option<CallFuture<(Box<Reader>, Vec<Event>)>>,
    position: StreamPosition,
}

/// A change of an item.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// Kind of the change.
    pub kind: ChangeKind,
    /// The item's key.
    pub key: Item,
    /// The item after the change, if the stream has it and the item exists.
    pub new: Option<Item>,
    /// The item before the change, if the stream has it and there was one.
    pub old: Option<Item>,
    /// Time of the change, to the second.
    pub at: SystemTime,
    /// True if time to live removed the item.
    pub is_expiry: bool,
    /// The shard of the stream.
    pub shard_id: String,
    /// The number of the record, which grows within a shard.
    pub sequence_number: String,
}

/// Kind of a change of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// The item is new: there was none with its key.
    Insert,
    /// The change replaced or changed an item with this key.
    Modify,
    /// The change removed the item.
    Remove,
}

impl Change {
    /// Returns the item after the change as a type with serde's `Deserialize`.
    ///
    /// # Errors
    /// The item does not fit the type.
    pub fn new_as<T: DeserializeOwned>(&self) -> Result<Option<T>> {
        Ok(self.new.as_ref().map(|item| from_item(item)).transpose()?)
    }

    /// Returns the item before the change as a type with serde's `Deserialize`.
    ///
    /// # Errors
    /// The item does not fit the type.
    pub fn old_as<T: DeserializeOwned>(&self) -> Result<Option<T>> {
        Ok(self.old.as_ref().map(|item| from_item(item)).transpose()?)
    }

    fn of(record: Record, shard_id: &str) -> Self {
        let kind = match record.event_name {
            Some(OperationType::Insert) => ChangeKind::Insert,
            Some(OperationType::Remove) => ChangeKind::Remove,
            Some(OperationType::Modify) | None => ChangeKind::Modify,
        };
        let details = record.dynamodb.unwrap_or_default();
        let seconds = details.approximate_creation_date_time.unwrap_or_default();
        let since_epoch = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        Self {
            kind,
            key: details.keys.unwrap_or_default(),
            new: details.new_image,
            old: details.old_image,
            at: UNIX_EPOCH + since_epoch,
            is_expiry: record.user_identity.is_some(),
            shard_id: shard_id.to_owned(),
            sequence_number: details.sequence_number.unwrap_or_default(),
        }
    }
}

/// Event that a reader has found.
enum Event {
    Change(Change),
    /// New position in a shard without a record: its end, or its beginning.
    At(String, Place),
}

impl<D: Handle> StreamRecords<D> {
    pub(crate) fn new(handle: D, table: impl Into<String>) -> Self {
        let reader = Reader {
            database: handle.shared().clone(),
            table: table.into(),
            stream_arn: None,
            begins_now: false,
            ends: false,
            poll_interval: POLL_INTERVAL,
            shards: Vec::new(),
            places: BTreeMap::new(),
            has_to_look: true,
            idle_rounds: 0,
        };
        let (position, ready) = (StreamPosition::default(), VecDeque::new());
        Self { handle, reader: Some(Box::new(reader)), ready, reading: None, position }
    }

    /// Begins with the changes made from now on, where "now" is the moment of the first call for a
    /// change.
    pub fn from_now(self) -> Self {
        self.set(|reader| reader.begins_now = true)
    }

    /// Goes on after a position that [`position`](Self::position) returned, perhaps in another
    /// process. Records are kept for a day; a position older than that is refused with
    /// `TrimmedDataAccessException`.
    pub fn from(mut self, position: StreamPosition) -> Self {
        self.position = position.clone();
        self.set(|reader| {
            reader.stream_arn = position.stream_arn().map(str::to_owned);
            reader.places = position.into_places();
        })
    }

    /// Ends when all changes written so far are read, instead of waiting for more.
    pub fn until_caught_up(self) -> Self {
        self.set(|reader| reader.ends = true)
    }

    /// Looks for new records at this interval once all are read; 200 ms unless set.
    pub fn poll_interval(self, interval: Duration) -> Self {
        self.set(|reader| reader.poll_interval = interval)
    }

    /// Returns this reader's position: after the last change that it has returned. Its text, which
    /// can be kept anywhere, is parsed back into a position.
    pub fn position(&self) -> &StreamPosition {
        &self.position
    }

    /// Returns the database that is read.
    pub fn handle(&self) -> &D {
        &self.handle
    }

    fn set(mut self, set: impl FnOnce(&mut Reader)) -> Self {
        if let Some(reader) = &mut self.reader {
            set(reader);
        }
        self
    }

    fn poll_change(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Change>>> {
        loop {
            while let Some(event) = self.ready.pop_front() {
                match event {
                    Event::At(shard, place) => self.position.set(shard, place),
                    Event::Change(change) => {
                        let place = Place::After(change.sequence_number.clone());
                        self.position.set(change.shard_id.clone(), place);
                        return Poll::Ready(Some(Ok(change)));
                    }
                }
            }
            let mut reading = match (self.reading.take(), self.reader.take()) {
                (Some(reading), _) => reading,
                (None, Some(reader)) => Box::pin(reader.read()),
                (None, None) => return Poll::Ready(None),
            };
            match reading.as_mut().poll(context) {
                Poll::Pending => {
                    self.reading = Some(reading);
                    return Poll::Pending;
                }
                Poll::Ready(Err(error)) => return Poll::Ready(Some(Err(error))),
                Poll::Ready(Ok((reader, events))) => {
                    if let Some(arn) = &reader.stream_arn {
                        self.position.set_stream(arn);
                    }
                    self.position.retain(|shard| reader.places.contains_key(shard));
                    // An empty read means that there are no more changes to come.
                    if !events.is_empty() {
                        self.reader = Some(reader);
                    }
                    self.ready = events.into();
                }
            }
        }
    }
}

impl StreamRecords<Database> {
    /// Returns the next change, for which it waits; returns `None` after the last change of a
    /// stream that has ended or that the program reads [until caught up](Self::until_caught_up).
    /// After an error it returns `None`.
    pub async fn next(&mut self) -> Option<Result<Change>> {
        std::future::poll_fn(|context| self.poll_change(context)).await
    }
}

impl Stream for StreamRecords<Database> {
    type Item = Result<Change>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_change(context)
    }
}

impl Iterator for StreamRecords<Blocking> {
    type Item = Result<Change>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = std::future::poll_fn(|context| self.poll_change(context));
        hashrange_storage::block_on(next)
    }
}

impl<D> fmt::Debug for StreamRecords<D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("StreamRecords")
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}

/// Reads the shards of a stream in turns.
struct Reader {
    database: Database,
    table: String,
    stream_arn: Option<String>,
    /// True if the shards that are found first begin after all records that exist.
    begins_now: bool,
    /// True if the reader ends when all is read.
    ends: bool,
    poll_interval: Duration,
    /// The shards that are being read.
    shards: Vec<OpenShard>,
    /// Place of the reader in each known shard.
    places: BTreeMap<String, Place>,
    /// True if the stream may have further shards.
    has_to_look: bool,
    /// Rounds without a record since the last one.
    idle_rounds: u32,
}

struct OpenShard {
    id: String,
    iterator: Option<String>,
    /// True if the first iterator is to stand after all records that exist.
    begins_latest: bool,
}

impl Reader {
    /// Reads until there is an event; returns none if there is nothing to come.
    async fn read(mut self: Box<Self>) -> Result<(Box<Self>, Vec<Event>)> {
        loop {
            let (mut events, mut is_disabled) = (Vec::new(), false);
            if self.has_to_look {
                is_disabled = self.look(&mut events).await?;
            }
            let mut has_records = false;
            for offset in 0..self.shards.len() {
                has_records |= self.read_shard(offset, &mut events).await?;
            }
            let has_ended = self.drop_ended();
            self.idle_rounds = if has_records || has_ended { 0 } else { self.idle_rounds + 1 };
            self.has_to_look = has_ended
                || self.shards.is_empty()
                || (self.idle_rounds > 0 && self.idle_rounds.is_multiple_of(ROUNDS_PER_LOOK));
            if !events.is_empty() {
                return Ok((self, events));
            }
            if has_records || has_ended {
                continue;
            }
            if self.ends || (is_disabled && self.shards.is_empty()) {
                return Ok((self, events));
            }
            Pause::of(self.poll_interval).await;
        }
    }

    /// Looks for shards that can be read now. Returns whether the stream gets no further ones.
    async fn look(&mut self, events: &mut Vec<Event>) -> Result<bool> {
        let (shards, is_disabled) = self.describe().await?;
        let ids: BTreeSet<&str> = shards.iter().map(id_of).collect();
        // Shards that the stream no longer lists are forgotten here too, so that positions stay
        // small.
        self.places.retain(|shard, _| ids.contains(shard.as_str()));
        for shard in &shards {
            let id = id_of(shard);
            let is_open = self.shards.iter().any(|open| open.id == id);
            let parent = shard.parent_shard_id.as_deref().filter(|parent| ids.contains(parent));
            let waits = parent.is_some_and(|parent| self.places.get(parent) != Some(&Place::End));
            if is_open || self.places.get(id) == Some(&Place::End) {
                continue;
            }
            let begins_latest = self.begins_now;
            if begins_latest {
                let now_ms = self.database.now_ms();
                let place = if is_closed(shard) { Place::End } else { Place::Since(now_ms) };
                self.places.insert(id.to_owned(), place.clone());
                events.push(Event::At(id.to_owned(), place));
            } else if waits {
                continue;
            }
            if self.places.get(id) != Some(&Place::End) {
                self.shards.push(OpenShard { id: id.to_owned(), iterator: None, begins_latest });
            }
        }
        self.begins_now = false;
        Ok(is_disabled)
    }

    /// Returns all shards of the stream, parents first, and whether it is disabled.
    async fn describe(&mut self) -> Result<(Vec<Shard>, bool)> {
        let arn = if let Some(arn) = &self.stream_arn {
            arn.clone()
        } else {
            let input = DescribeTableInput { table_name: Some(self.table.as_str().into()) };
            let table = self.database.unboxed().describe_table(input).await?.table;
            let arn = table.and_then(|table| table.latest_stream_arn);
            arn.ok_or_else(|| Error::NoStream(self.table.clone()))?
        };
        self.stream_arn = Some(arn.clone());
        let (mut shards, mut last, mut is_disabled) = (Vec::new(), None, false);
        loop {
            let input = DescribeStreamInput {
                stream_arn: Some(arn.as_str().into()),
                exclusive_start_shard_id: last.map(String::into),
                ..DescribeStreamInput::default()
            };
            let stream = self.database.unboxed().describe_stream(input).await?.stream_description;
            let stream = stream.unwrap_or_default();
            shards.extend(stream.shards.unwrap_or_default());
            is_disabled |= stream.stream_status == Some(StreamStatus::Disabled);
            last = stream.last_evaluated_shard_id;
            if last.is_none() {
                return Ok((shards, is_disabled));
            }
        }
    }

    /// Reads once from a shard. Returns whether there were records.
    async fn read_shard(&mut self, offset: usize, events: &mut Vec<Event>) -> Result<bool> {
        let iterator = match self.shards[offset].iterator.take() {
            Some(iterator) => iterator,
            None => self.iterator(&self.shards[offset]).await?,
        };
        let input =
            GetRecordsInput { shard_iterator: Some(iterator.into()), ..GetRecordsInput::default() };
        let output = match self.database.unboxed().get_records(input).await {
            Ok(output) => output,
            // The reader was slow and the iterator has expired; the next turn begins where this one
            // would have.
            Err(error) if error.kind() == ErrorKind::ExpiredIterator => return Ok(true),
            Err(error) => return Err(error.into()),
        };
        let id = self.shards[offset].id.clone();
        let since_ms = match self.places.get(&id) {
            Some(Place::Since(ms)) => Some(*ms),
            Some(Place::After(_) | Place::End) | None => None,
        };
        let mut has_records = false;
        for record in output.records.unwrap_or_default() {
            let change = Change::of(record, &id);
            has_records = true;
            if since_ms.is_some_and(|since_ms| is_before(change.at, since_ms)) {
                continue;
            }
            self.places.insert(id.clone(), Place::After(change.sequence_number.clone()));
            events.push(Event::Change(change));
        }
        self.shards[offset].begins_latest = false;
        self.shards[offset].iterator = output.next_shard_iterator;
        if self.shards[offset].iterator.is_none() {
            self.places.insert(id.clone(), Place::End);
            events.push(Event::At(id, Place::End));
        }
        Ok(has_records)
    }

    /// Returns an iterator of a shard, at the reader's place in it.
    async fn iterator(&self, shard: &OpenShard) -> Result<String> {
        let (iterator_type, sequence_number) = match self.places.get(&shard.id) {
            Some(Place::After(number)) => {
                (ShardIteratorType::AfterSequenceNumber, Some(number.as_str().into()))
            }
            _ if shard.begins_latest => (ShardIteratorType::Latest, None),
            _ => (ShardIteratorType::TrimHorizon, None),
        };
        let input = GetShardIteratorInput {
            stream_arn: self.stream_arn.as_deref().map(Into::into),
            shard_id: Some(shard.id.as_str().into()),
            shard_iterator_type: Some(iterator_type),
            sequence_number,
            ..GetShardIteratorInput::default()
        };
        let output = self.database.unboxed().get_shard_iterator(input).await?;
        Ok(output.shard_iterator.unwrap_or_default())
    }

    /// Drops the shards that are read to their end, so that their children are looked for. Returns
    /// whether there were any.
    fn drop_ended(&mut self) -> bool {
        let places = &self.places;
        let before = self.shards.len();
        self.shards.retain(|shard| places.get(&shard.id) != Some(&Place::End));
        self.shards.len() < before
    }
}

fn id_of(shard: &Shard) -> &str {
    shard.shard_id.as_deref().unwrap_or_default()
}

fn is_closed(shard: &Shard) -> bool {
    shard.sequence_number_range.as_ref().is_some_and(|range| range.ending_sequence_number.is_some())
}

/// Returns whether a record was written in a second before the one of `since_ms`.
fn is_before(at: SystemTime, since_ms: u64) -> bool {
    at < UNIX_EPOCH + Duration::from_secs(since_ms / 1000)
}
