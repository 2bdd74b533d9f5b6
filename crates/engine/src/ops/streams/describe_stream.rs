//! DescribeStream: a stream and its shards, in pages of shards.

use super::page_limit;
use crate::change_log::{Shard, ShardName, Stream, sequence_number, shard_ends};
use crate::definition::stream::view_type;
use crate::describe::key_schema;
use crate::engine::Engine;
use crate::environment::seconds;
use crate::request::required;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::{Store, View};
use hashrange_wire as wire;

const LIMIT: i32 = 100;

impl<S: Store> Engine<S> {
    /// Describes a stream. Its shards are in the order of their ids, so parents stand before their
    /// children.
    pub async fn describe_stream(
        &self,
        input: wire::DescribeStreamInput<'_>,
    ) -> ApiResult<wire::DescribeStreamOutput> {
        let arn = required(input.stream_arn.as_deref(), "streamArn")?;
        let limit = page_limit(input.limit, LIMIT)?;
        let view = self.core().view().await?;
        let stream = self.stream_of_arn(&view, arn).await?;
        let mut shards = chosen(&stream, input.shard_filter.as_ref())?;
        if let Some(start) = input.exclusive_start_shard_id.as_deref() {
            shards.retain(|(id, _)| id.as_str() > start);
        }
        let has_more = shards.len() > limit;
        shards.truncate(limit);
        let last = shards.last().filter(|_| has_more).map(|(id, _)| id.clone());
        let mut described = Vec::with_capacity(shards.len());
        for (id, shard) in shards {
            described.push(describe(&view, &stream, id, shard).await?);
        }
        Ok(wire::DescribeStreamOutput {
            stream_description: Some(wire::StreamDescription {
                stream_arn: Some(self.arn_of(&stream)),
                stream_status: Some(if stream.enabled {
                    wire::StreamStatus::Enabled
                } else {
                    wire::StreamStatus::Disabled
                }),
                stream_view_type: Some(view_type(stream.view)),
                creation_request_date_time: Some(seconds(stream.created_at_ms)),
                key_schema: Some(key_schema(&stream.key)),
                table_name: Some(stream.table_name),
                stream_label: Some(stream.label),
                shards: Some(described),
                last_evaluated_shard_id: last,
            }),
        })
    }
}

/// Returns the shards that pass a filter, with their ids and sorted by them.
fn chosen<'s>(
    stream: &'s Stream,
    filter: Option<&wire::ShardFilter<'_>>,
) -> ApiResult<Vec<(String, &'s Shard)>> {
    let mut shards: Vec<_> = stream.shards.iter().map(|shard| (shard.id(), shard)).collect();
    if let Some(filter) = filter {
        let (Some(_), Some(parent)) = (filter.r#type, filter.shard_id.as_deref()) else {
            return Err(Reason::ShardFilterIncomplete.into());
        };
        shards.retain(|(_, shard)| shard.parent.is_some_and(|known| known.id() == parent));
    }
    shards.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
    Ok(shards)
}

async fn describe<V: View>(
    view: &V,
    stream: &Stream,
    id: String,
    shard: &Shard,
) -> ApiResult<wire::Shard> {
    let ends = shard_ends(view, stream, shard).await?;
    Ok(wire::Shard {
        shard_id: Some(id),
        sequence_number_range: Some(wire::SequenceNumberRange {
            starting_sequence_number: Some(sequence_number(ends.opened)),
            ending_sequence_number: ends.closed.map(sequence_number),
        }),
        parent_shard_id: shard.parent.map(ShardName::id),
    })
}
