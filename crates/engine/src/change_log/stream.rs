//! Streams: their stored form, and the names of streams, shards and records. The part of a table's
//! record that describes its stream is in [`crate::schema`].

use crate::schema::{KeyNames, StreamId, StreamView, TableId};
use hashrange_model::calendar::date_from_days;
use serde::{Deserialize, Serialize};

/// The stored form of a stream. It outlives its table until its records expire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stream {
    pub(crate) version: u32,
    pub(crate) table: TableId,
    pub(crate) id: StreamId,
    pub(crate) table_name: String,
    pub(crate) label: String,
    pub(crate) view: StreamView,
    pub(crate) key: KeyNames,
    pub(crate) created_at_ms: u64,
    pub(crate) enabled: bool,
    /// Random text; distinguishes the iterators of this stream from others and from forged ones.
    pub(crate) secret: String,
    pub(crate) shards: Vec<Shard>,
}

/// The stored form of a shard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shard {
    pub(crate) number: u32,
    /// Shard of which this one took over the items.
    pub(crate) parent: Option<ShardName>,
    pub(crate) opened_at_ms: u64,
    /// Greatest stamp that the trimming removed; 0 for none.
    pub(crate) trimmed_to: u64,
    /// True if the shard's last record says that it is closed.
    pub(crate) closed: bool,
}

impl Shard {
    /// Returns a shard that is about to be opened.
    pub(crate) fn new(number: u32, parent: Option<ShardName>, opened_at_ms: u64) -> Self {
        Self { number, parent, opened_at_ms, trimmed_to: 0, closed: false }
    }
}

/// Parts of a shard's id; kept for a parent, which may be gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShardName {
    pub(crate) number: u32,
    pub(crate) opened_at_ms: u64,
}

impl ShardName {
    /// Returns the id that clients see: when it was opened, and eight digits that tell apart the
    /// shards of one moment. Multiplying by an odd number keeps different numbers different.
    pub(crate) fn id(self) -> String {
        let distinct = self.number.wrapping_add(1).wrapping_mul(0x9E37_79B1);
        format!("shardId-{:020}-{distinct:08x}", self.opened_at_ms)
    }
}

impl Shard {
    pub(crate) fn name(&self) -> ShardName {
        ShardName { number: self.number, opened_at_ms: self.opened_at_ms }
    }

    /// Returns the id that clients see.
    pub(crate) fn id(&self) -> String {
        self.name().id()
    }
}

impl Stream {
    /// Version that is written into new streams.
    pub(crate) const VERSION: u32 = 1;

    /// Returns the shard with the id that clients see.
    pub(crate) fn shard(&self, id: &str) -> Option<&Shard> {
        self.shards.iter().find(|shard| shard.id() == id)
    }

    /// Returns the number for the next shard.
    pub(crate) fn next_shard_number(&self) -> u32 {
        let numbers = self.shards.iter().flat_map(|shard| {
            [Some(shard.number), shard.parent.map(|parent| parent.number)].into_iter().flatten()
        });
        numbers.max().map_or(0, |greatest| greatest + 1)
    }
}

/// Returns the sequence number of a commit stamp: a 1 and twenty digits, so that text and number
/// order alike. Source: DynamoDB Streams API, `SequenceNumber`: 21 to 40 digits.
pub(crate) fn sequence_number(stamp: u64) -> String {
    format!("1{stamp:020}")
}

/// Returns the commit stamp of a sequence number, `None` for a text that [`sequence_number`] never
/// returns.
pub(crate) fn parse_sequence_number(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('1').filter(|digits| digits.len() == 20)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// Returns a stream's label: UTC to the millisecond, as in `2026-11-21T02:42:00.123`.
pub(crate) fn label(epoch_ms: u64) -> String {
    let (days, ms) = (epoch_ms / 86_400_000, epoch_ms % 86_400_000);
    let (year, month, day) = date_from_days(days.cast_signed());
    let (hour, minute, second, ms) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_dates() {
        for (epoch_ms, expected) in [
            (0, "1970-01-01T00:00:00.000"),
            (951_782_399_999, "2000-02-28T23:59:59.999"),
            (951_782_400_000, "2000-02-29T00:00:00.000"),
            (1_767_225_600_123, "2026-01-01T00:00:00.123"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000"),
        ] {
            assert_eq!(label(epoch_ms), expected);
        }
    }

    #[test]
    fn sequence_numbers_round_trip_and_order_as_text() {
        let stamps = [0, 1, 9, 10, u64::MAX];
        let texts: Vec<_> = stamps.into_iter().map(sequence_number).collect();
        assert!(texts.is_sorted());
        for (stamp, text) in stamps.into_iter().zip(&texts) {
            assert_eq!(parse_sequence_number(text), Some(stamp));
            assert_eq!(text.len(), 21);
        }
        for foreign in
            ["", "1", "099999999999999999999", "199999999999999999999", "1+0000000000000000001"]
        {
            assert_eq!(parse_sequence_number(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn shard_ids_have_the_service_form_and_differ() {
        let id = |number| ShardName { number, opened_at_ms: 1_414_576_573_621 }.id();
        assert!(id(0).starts_with("shardId-00000001414576573621-"));
        assert_eq!(id(0).len(), 37);
        let ids: std::collections::BTreeSet<_> = (0..1000).map(id).collect();
        assert_eq!(ids.len(), 1000);
    }
}
