//! The life of a stream: a change of the table's definition enables or disables it, closes its
//! shards and opens their successors.
//!
//! A change of the table's definition replaces the shards: from one commit on, writes go to the new
//! shards; when no write follows the old definition any more, the engine closes the old shards. A
//! crash in between leaves shards that are open and receive no records; the engine closes them when
//! it opens the store.

use super::reading::{decode_stream, encode_stream, find_stream, read_streams};
use super::record::{Mark, encode_mark};
use super::stream::{Shard, Stream, label};
use crate::capacity::Charge;
use crate::core::Core;
use crate::layout;
use crate::schema::{
    Billing, IndexId, StreamChange, StreamId, StreamSettings, StreamView, Table, TableId,
    TableRecord, Throughput,
};
use bytes::Bytes;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::{Batch, Key, Store};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns how many partitions a table's units need.
fn partitions(record: &TableRecord) -> u32 {
    match record.billing {
        Billing::PayPerRequest => u32::MAX,
        Billing::Provisioned => {
            let Throughput { read, write, .. } = record.throughput;
            let of = |units: i64, charge: Charge| {
                (units.max(1) - 1) / i64::from(charge.partition_rate()) + 1
            };
            let most = of(read, Charge::Read).max(of(write, Charge::Write));
            u32::try_from(most).unwrap_or(u32::MAX)
        }
    }
}

/// The shards of a stream that a change of definition has ended. The caller that made the change
/// closes them ([`close_shards`]) when no write follows the definition before it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a shard that is not closed looks as if records were to come"]
pub(crate) struct EndedShards {
    pub(crate) table: TableId,
    pub(crate) table_name: String,
    pub(crate) label: String,
}

impl EndedShards {
    /// Returns the ended shards of a table that has been deleted or whose stream has been disabled.
    pub(crate) fn of(table: &Table) -> Option<Self> {
        let settings = table.record.stream.as_ref()?;
        Some(Self::of_stream(table, &settings.label))
    }

    fn of_stream(table: &Table, label: &str) -> Self {
        let table_name = table.record.name.clone();
        Self { table: table.id(), table_name, label: label.to_owned() }
    }
}

impl<S: Store> Core<S> {
    /// Returns a new stream for a table, with its shards, and puts it in the table's record. The
    /// caller holds `definitions` and commits both.
    pub(crate) async fn begin_stream(
        &self,
        record: &mut TableRecord,
        view: StreamView,
    ) -> ApiResult<Stream> {
        let now_ms = (self.environment.now_ms)();
        let label = self.free_label(&record.name, now_ms).await?;
        let latest = record.stream.as_ref().map_or(0, |latest| latest.id.0);
        let id = latest.checked_add(1).ok_or(Reason::NumbersUsedUp("streams of this table"))?;
        let id = StreamId(id);
        let shards: Vec<_> = (0..partitions(record).min(self.options.stream_shards).max(1))
            .map(|number| Shard::new(number, None, now_ms))
            .collect();
        record.stream = Some(StreamSettings {
            id,
            label: label.clone(),
            view,
            enabled: true,
            open_shards: shards.iter().map(|shard| shard.number).collect(),
            open_since_ms: now_ms,
            tags: BTreeMap::new(),
        });
        Ok(Stream {
            version: Stream::VERSION,
            table: record.id,
            id,
            table_name: record.name.clone(),
            label,
            view,
            key: record.key.clone(),
            created_at_ms: now_ms,
            enabled: true,
            secret: self.environment.uuid(),
            shards,
        })
    }

    /// Changes a table's definition to `record`, together with its stream, in one commit with the
    /// mark that an index is to be purged. Returns the changed table and the shards that the change
    /// has ended. The caller holds `definitions`.
    pub(crate) async fn replace_with_stream(
        &self,
        table: &Table,
        mut record: TableRecord,
        change: StreamChange,
        deleted_index: Option<IndexId>,
    ) -> ApiResult<(Arc<Table>, Option<EndedShards>)> {
        let mut keys: Vec<Key> =
            deleted_index.iter().map(|index| layout::purge(record.id, *index)).collect();
        let purges = keys.clone();
        let mark = |batch: &mut Batch| {
            for purge in &purges {
                batch.put(purge.clone(), Bytes::new());
            }
        };
        match change {
            StreamChange::None => Ok((self.replace_table(table, record, keys, mark).await?, None)),
            StreamChange::Enable(view) => {
                let stream = self.begin_stream(&mut record, view).await?;
                keys.push(stream.store_key());
                let table = self.replace_table(table, record, keys, |batch| {
                    mark(batch);
                    stream.open_all(batch);
                });
                Ok((table.await?, None))
            }
            StreamChange::Disable => {
                if let Some(settings) = &mut record.stream {
                    settings.enabled = false;
                    settings.open_shards.clear();
                }
                let table = self.replace_table(table, record, keys, mark).await?;
                let ended = EndedShards::of(&table);
                Ok((table, ended))
            }
        }
    }

    /// Returns the label of this moment, or of the next moment at which no stream of a table of
    /// this name began.
    async fn free_label(&self, table_name: &str, now_ms: u64) -> ApiResult<String> {
        let view = self.view().await?;
        let mut at_ms = now_ms;
        while find_stream(&view, table_name, &label(at_ms)).await?.is_some() {
            at_ms += 1;
        }
        Ok(label(at_ms))
    }
}

impl Stream {
    /// Returns the store key.
    pub(crate) fn store_key(&self) -> Key {
        layout::stream(&self.table_name, &self.label)
    }

    /// Writes a stream and opens its shards with the given numbers.
    fn open_shards(&self, shards: &[u32], batch: &mut Batch) {
        batch.put(self.store_key(), encode_stream(self));
        for shard in self.shards.iter().filter(|shard| shards.contains(&shard.number)) {
            batch.append(self.shard_prefix(shard), encode_mark(Mark::Opened, shard.opened_at_ms));
        }
    }

    /// Writes a new stream and opens its shards.
    pub(crate) fn open_all(&self, batch: &mut Batch) {
        let shards: Vec<_> = self.shards.iter().map(|shard| shard.number).collect();
        self.open_shards(&shards, batch);
    }

    /// Returns the common key prefix of a shard's records.
    pub(crate) fn shard_prefix(&self, shard: &Shard) -> Key {
        layout::shard_prefix(self.table, self.id, shard.number)
    }
}

/// Ends all open shards of a table's stream and opens as many new ones. Returns the shards that the
/// caller has to close. The caller holds `definitions`.
pub(crate) async fn succeed_shards<S: Store>(
    core: &Core<S>,
    table: &Table,
) -> ApiResult<Option<EndedShards>> {
    let mut record = table.record.clone();
    let Some(settings) = record.stream.as_mut().filter(|settings| settings.enabled) else {
        return Ok(None);
    };
    let (name, label) = (&table.record.name, settings.label.clone());
    let view = core.view().await?;
    let Some(mut stream) = find_stream(&view, name, &label).await? else {
        tracing::error!(table = name, "an enabled stream is not in the store");
        return Err(Reason::Internal.into());
    };
    // Later than all shards before, even if the clock was set back: shard ids sort by this time.
    let newest_ms = stream.shards.iter().map(|shard| shard.opened_at_ms).max().unwrap_or(0);
    let now_ms = (core.environment.now_ms)();
    let opened_at_ms = now_ms.max(newest_ms + 1);
    for number in &mut settings.open_shards {
        let parent = stream.shards.iter().find(|shard| shard.number == *number);
        let parent = parent.map(Shard::name);
        *number = stream.next_shard_number();
        stream.shards.push(Shard::new(*number, parent, opened_at_ms));
    }
    let is_in_order = stream.shards.is_sorted_by(|one, next| one.number < next.number);
    assert!(is_in_order, "a shard has a greater number than all before it");
    settings.open_since_ms = now_ms;
    let opened = settings.open_shards.clone();
    core.replace_table(table, record, vec![stream.store_key()], |batch| {
        stream.open_shards(&opened, batch);
    })
    .await?;
    Ok(Some(EndedShards::of_stream(table, &label)))
}

/// Closes the shards of a stream that the table no longer writes to. The caller holds
/// `definitions`, and no write follows an older definition.
pub(crate) async fn close_shards<S: Store>(
    core: &Core<S>,
    name: &str,
    label: &str,
) -> ApiResult<()> {
    let view = core.view().await?;
    let Some(stream) = find_stream(&view, name, label).await? else { return Ok(()) };
    let open = open_shards(core, &stream);
    if !has_ended_shards(&stream, &open) {
        return Ok(());
    }
    let closed = encode_mark(Mark::Closed, (core.environment.now_ms)());
    core.commit_definition(vec![stream.store_key()], |current, batch| {
        let Some(mut stream) = current[0].as_deref().map(decode_stream).transpose()? else {
            return Ok(());
        };
        stream.enabled = !open.is_empty();
        for nth in 0..stream.shards.len() {
            let shard = &stream.shards[nth];
            if is_ended(shard, &open) {
                batch.append(stream.shard_prefix(shard), closed.clone());
                stream.shards[nth].closed = true;
            }
        }
        batch.put(stream.store_key(), encode_stream(&stream));
        Ok(())
    })
    .await?
}

/// Returns the numbers of the shards that a stream's table writes to.
fn open_shards<S: Store>(core: &Core<S>, stream: &Stream) -> Vec<u32> {
    let table = core.catalog.get(&stream.table_name);
    let settings = table.as_ref().filter(|table| table.id() == stream.table);
    let settings = settings.and_then(|table| table.record.stream.as_ref());
    let settings = settings.filter(|settings| settings.enabled && settings.id == stream.id);
    settings.map(|settings| settings.open_shards.clone()).unwrap_or_default()
}

/// Returns the shards that are not closed though their table no longer writes to them.
pub(crate) async fn ended_shards<S: Store>(
    core: &Core<S>,
    view: &S::View,
) -> ApiResult<Vec<EndedShards>> {
    let streams = read_streams(view, layout::streams(), usize::MAX).await?;
    let ended =
        streams.into_iter().filter(|stream| has_ended_shards(stream, &open_shards(core, stream)));
    let ended = ended.map(|stream| EndedShards {
        table: stream.table,
        table_name: stream.table_name,
        label: stream.label,
    });
    Ok(ended.collect())
}

/// Returns whether the stored stream still has open shards other than these, or a stale `enabled`.
fn has_ended_shards(stream: &Stream, open: &[u32]) -> bool {
    stream.enabled == open.is_empty() || stream.shards.iter().any(|shard| is_ended(shard, open))
}

fn is_ended(shard: &Shard, open: &[u32]) -> bool {
    !shard.closed && !open.contains(&shard.number)
}

#[cfg(test)]
mod tests {
    use super::super::reading::shard_ends;
    use super::*;
    use crate::{Engine, Environment};
    use hashrange_storage::{MemoryStore, block_on};
    use hashrange_wire::{calls, read_request};

    fn engine() -> Engine<MemoryStore> {
        let environment = Environment {
            now_ms: Arc::new(|| 1_767_225_600_000),
            random: Arc::new(|| 1),
            region: "us-east-1".to_owned(),
            account: "314159265358".to_owned(),
            endpoint: String::new(),
            sweep_interval: None,
            prices: None,
        };
        block_on(Engine::open(MemoryStore::new(), environment)).unwrap()
    }

    fn closed_shards(core: &Core<MemoryStore>) -> (usize, usize) {
        let view = block_on(core.view()).unwrap();
        let streams = block_on(read_streams(&view, layout::streams(), 1)).unwrap();
        let ends = streams[0].shards.iter().map(|shard| shard_ends(&view, &streams[0], shard));
        let closed = ends.filter_map(|ends| block_on(ends).unwrap().closed);
        (closed.count(), streams[0].shards.len())
    }

    /// Builds the state that a crash leaves between the change of a definition and the closing of
    /// shards.
    #[test]
    fn shards_that_a_crash_left_open_are_closed_at_the_next_start() {
        let engine = engine();
        let definition = br#"{"TableName": "table", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}}"#;
        // Not `call`, which would compile every operation for this test.
        let definition = read_request::<calls::CreateTable>(definition).unwrap();
        block_on(engine.create_table(definition)).unwrap();
        let core = engine.core();
        let table = core.catalog.get("table").unwrap();
        let mut record = table.record.clone();
        let settings = record.stream.as_mut().unwrap();
        settings.enabled = false;
        settings.open_shards.clear();
        block_on(core.replace_table(&table, record, Vec::new(), |_| {})).unwrap();
        assert_eq!(closed_shards(core), (0, 4));
        for expected in [1, 0] {
            let ended = block_on(ended_shards(core, &block_on(core.view()).unwrap())).unwrap();
            assert_eq!(ended.len(), expected);
            for ended in ended {
                block_on(close_shards(core, &ended.table_name, &ended.label)).unwrap();
            }
            assert_eq!(closed_shards(core), (4, 4));
        }
    }
}
