//! GetRecords: a page of a shard's records and the iterator of the next page.

use super::page_limit;
use crate::change_log::{
    ChangeRecord, EventName, Shard, ShardIterator, Stream, read_page, sequence_number,
};
use crate::definition::stream::view_type;
use crate::engine::Engine;
use crate::environment::seconds;
use crate::read::pace::Pace;
use crate::request::required;
use crate::schema::StreamView;
use hashrange_model::{ApiResult, Item, Reason};
use hashrange_storage::Store;
use hashrange_wire as wire;
use xxhash_rust::xxh3::xxh3_128;

const LIMIT: i32 = 1000;
const PAGE_MAX_BYTES: usize = 1 << 20;
/// Validity of an iterator, milliseconds. Source: DynamoDB Streams API reference, GetShardIterator.
const ITERATOR_VALID_MS: u64 = 15 * 60 * 1000;
/// Version in every record. Source: DynamoDB Streams API reference, Record.
const EVENT_VERSION: &str = "1.1";
const EVENT_SOURCE: &str = "aws:dynamodb";
/// Work for a record beside its bytes, in the units of [`Pace`].
const RECORD_WORK: usize = 1000;
/// Principal of removals by time to live. Source: developer guide, DynamoDB Streams and Time to
/// Live.
const TIME_TO_LIVE_PRINCIPAL: &str = "dynamodb.amazonaws.com";

impl<S: Store> Engine<S> {
    /// Reads records from the position of an iterator.
    pub async fn get_records(
        &self,
        input: wire::GetRecordsInput<'_>,
    ) -> ApiResult<wire::GetRecordsOutput> {
        let text = required(input.shard_iterator.as_deref(), "shardIterator")?;
        let limit = page_limit(input.limit, LIMIT)?;
        let (arn, position) = ShardIterator::split(text).ok_or(Reason::InvalidShardIterator)?;
        let view = self.core().view().await?;
        let stream = self.stream_of_arn(&view, arn).await?;
        let iterator =
            ShardIterator::decode(position, &stream).ok_or(Reason::InvalidShardIterator)?;
        let now_ms = (self.environment().now_ms)();
        if now_ms.saturating_sub(iterator.issued_at_ms) > ITERATOR_VALID_MS {
            return Err(Reason::ShardIteratorExpired.into());
        }
        let shard = readable_shard(&stream, &iterator)?;
        let page = read_page(&view, &stream, shard, iterator.from, (limit, PAGE_MAX_BYTES)).await?;
        Pace::new().spend(page.bytes + page.records.len() * RECORD_WORK).await;
        let next = page.next.map(|from| ShardIterator { from, issued_at_ms: now_ms, ..iterator });
        let records = page.records.into_iter();
        Ok(wire::GetRecordsOutput {
            records: Some(
                records.map(|(stamp, record)| self.record(&stream, stamp, record)).collect(),
            ),
            next_shard_iterator: next.map(|next| next.encode(arn, &stream)),
        })
    }

    fn record(&self, stream: &Stream, stamp: u64, record: ChangeRecord) -> wire::Record {
        let keys = record.keys(|image| image.retain(|name| stream.key.contains(name)));
        let event_id = xxh3_128(format!("{} {stamp}", stream.secret).as_bytes());
        wire::Record {
            event_id: Some(format!("{event_id:032x}")),
            event_name: Some(match record.event {
                EventName::Insert => wire::OperationType::Insert,
                EventName::Modify => wire::OperationType::Modify,
                EventName::Remove => wire::OperationType::Remove,
            }),
            event_version: Some(EVENT_VERSION.to_owned()),
            event_source: Some(EVENT_SOURCE.to_owned()),
            aws_region: Some(self.environment().region.clone()),
            user_identity: record.by_service.then(|| wire::Identity {
                principal_id: Some(TIME_TO_LIVE_PRINCIPAL.to_owned()),
                r#type: Some("Service".to_owned()),
            }),
            dynamodb: Some(stream_record(stream.view, keys, stamp, record)),
        }
    }
}

/// Returns the shard of an iterator, if no record from its position on was removed.
fn readable_shard<'s>(stream: &'s Stream, iterator: &ShardIterator) -> Result<&'s Shard, Reason> {
    let shard = stream.shards.iter().find(|shard| shard.number == iterator.shard);
    match shard {
        Some(shard) if iterator.from > shard.trimmed_to => Ok(shard),
        // A shard for which an iterator was issued is gone only if all its records have expired.
        Some(_) | None => Err(Reason::RecordsTrimmed),
    }
}

fn stream_record(
    view: StreamView,
    keys: Item,
    stamp: u64,
    record: ChangeRecord,
) -> wire::StreamRecord {
    let images = [Some(&keys), record.new.as_ref(), record.old.as_ref()];
    let size_bytes: usize = images.into_iter().flatten().map(Item::size).sum();
    wire::StreamRecord {
        // Whole seconds. Source: DynamoDB Streams API reference, StreamRecord.
        approximate_creation_date_time: Some(seconds(record.at_ms - record.at_ms % 1000)),
        keys: Some(keys),
        new_image: record.new,
        old_image: record.old,
        sequence_number: Some(sequence_number(stamp)),
        size_bytes: i64::try_from(size_bytes).ok(),
        stream_view_type: Some(view_type(view)),
    }
}
