//! The change log, from which streams are read.
//!
//! Every change of an item in a table with an enabled stream leaves one record, in the same commit
//! as the item. A stream is a few shards side by side; an item's shard follows from the hash of
//! its partition key. The key of a record ends with the store's commit stamp, so records are in
//! the order of publication without any counter of ours.
//!
//! | file | idea |
//! |---|---|
//! | `record.rs` | a record in its binary form |
//! | `stream.rs` | the stored form of a stream; names of streams and shards |
//! | `target.rs` | logs a write: all that the write path knows of streams |
//! | `lifecycle.rs` | enables and disables streams, replaces shards by successors |
//! | `reading.rs` | finds streams, reads records of a shard |
//! | `iterator.rs` | shard iterators, which clients hold |
//! | `verify.rs` | check of the log for `hashrange check` |
//!
//! A shard begins with a record that says "opened" and, when the table no longer writes to it, ends
//! with one that says "closed"; their stamps are the ends of its range of sequence numbers.
//!
//! Invariant: the records of an item are in the order of its changes, also when shards are
//! replaced: no write follows the old definition once one has followed the new one (see
//! `core/catalog.rs`), so all records of a parent shard are older than those of its children for
//! the same item.

mod iterator;
mod lifecycle;
mod reading;
mod record;
mod stream;
mod target;
mod verify;

pub(crate) use iterator::ShardIterator;
pub(crate) use lifecycle::{EndedShards, close_shards, ended_shards, succeed_shards};
pub(crate) use reading::{
    ShardEnds, decode_stream, encode_stream, expired_records, find_stream, oldest_since, read_page,
    read_streams, shard_ends,
};
pub(crate) use record::{ChangeRecord, EventName};
pub(crate) use stream::{Shard, ShardName, Stream, parse_sequence_number, sequence_number};
pub(crate) use target::Author;
pub(crate) use verify::verify_changes;

/// Retention of a record, milliseconds. Source: developer guide, change data capture for DynamoDB
/// Streams.
pub(crate) const RETENTION_MS: u64 = 24 * 60 * 60 * 1000;
