//! GetShardIterator: a position in a shard, by its ends, a sequence number or a time.

use crate::change_log::{
    Shard, ShardEnds, ShardIterator, Stream, oldest_since, parse_sequence_number, shard_ends,
};
use crate::engine::Engine;
use crate::environment::milliseconds;
use crate::request::required;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::{Store, View};
use hashrange_wire::{GetShardIteratorInput, GetShardIteratorOutput, ShardIteratorType};

impl<S: Store> Engine<S> {
    /// Returns an iterator that is valid for 15 minutes.
    pub async fn get_shard_iterator(
        &self,
        input: GetShardIteratorInput<'_>,
    ) -> ApiResult<GetShardIteratorOutput> {
        let arn = required(input.stream_arn.as_deref(), "streamArn")?;
        let shard_id = required(input.shard_id.as_deref(), "shardId")?;
        let kind = required(input.shard_iterator_type, "shardIteratorType")?;
        let start = Start::of(kind, &input, (self.environment().now_ms)())?;
        let view = self.core().view().await?;
        let stream = self.stream_of_arn(&view, arn).await?;
        let Some(shard) = stream.shard(shard_id) else {
            return Err(Reason::ShardNotFound { shard: shard_id.into(), stream: arn.into() }.into());
        };
        let from = position(&view, &stream, shard, start).await?;
        let issued_at_ms = (self.environment().now_ms)();
        let iterator = ShardIterator { shard: shard.number, from, issued_at_ms };
        Ok(GetShardIteratorOutput { shard_iterator: Some(iterator.encode(arn, &stream)) })
    }
}

/// Position at which an iterator begins, as requested.
enum Start {
    Oldest,
    Latest,
    At(u64),
    After(u64),
    Since { epoch_ms: u64 },
}

impl Start {
    fn of(
        kind: ShardIteratorType,
        input: &GetShardIteratorInput<'_>,
        now_ms: u64,
    ) -> Result<Self, Reason> {
        let number = || {
            let text = input.sequence_number.as_deref().ok_or(Reason::SequenceNumberMissing)?;
            parse_sequence_number(text).ok_or_else(|| Reason::InvalidSequenceNumber(text.into()))
        };
        match kind {
            ShardIteratorType::TrimHorizon
            | ShardIteratorType::Latest
            | ShardIteratorType::AtTimestamp
                if input.sequence_number.is_some() =>
            {
                return Err(Reason::SequenceNumberForbidden);
            }
            _ => {}
        }
        if input.timestamp.is_some() && kind != ShardIteratorType::AtTimestamp {
            return Err(Reason::TimestampForbidden);
        }
        Ok(match kind {
            ShardIteratorType::TrimHorizon => Self::Oldest,
            ShardIteratorType::Latest => Self::Latest,
            ShardIteratorType::AtSequenceNumber => Self::At(number()?),
            ShardIteratorType::AfterSequenceNumber => Self::After(number()?),
            ShardIteratorType::AtTimestamp => {
                let since_s = input.timestamp.ok_or(Reason::TimestampMissing)?.ceil();
                if since_s * 1000.0 > milliseconds(now_ms) {
                    return Err(Reason::TimestampInFuture);
                }
                Self::Since { epoch_ms: whole_ms(since_s) }
            }
        })
    }
}

/// Returns whole seconds, not later than now, as milliseconds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` gives the nearest number there is"
)]
fn whole_ms(seconds: f64) -> u64 {
    (seconds * 1000.0) as u64
}

async fn position<V: View>(
    view: &V,
    stream: &Stream,
    shard: &Shard,
    start: Start,
) -> ApiResult<u64> {
    let ends = shard_ends(view, stream, shard).await?;
    let oldest = ends.opened.max(shard.trimmed_to) + 1;
    Ok(match start {
        Start::Oldest => oldest,
        Start::Latest => ends.latest,
        Start::At(stamp) => at(stamp, shard, ends)?,
        Start::After(stamp) => at(stamp, shard, ends)?.saturating_add(1).clamp(oldest, ends.latest),
        Start::Since { epoch_ms } => oldest_since(view, stream, shard, ends, epoch_ms).await?,
    })
}

/// Returns the position of a sequence number; the sequence number with which the shard starts is
/// before its oldest record.
fn at(stamp: u64, shard: &Shard, ends: ShardEnds) -> Result<u64, Reason> {
    if stamp < ends.opened || stamp <= shard.trimmed_to && shard.trimmed_to != 0 {
        return Err(Reason::RecordsTrimmed);
    }
    Ok(stamp.min(ends.latest))
}
