//! `RocksDB`'s options: memory, files, threads, and what it checks when it opens.
//!
//! The block cache is of the size that was asked for and holds indexes and filters too. Memtables are
//! at most four, as many as [`EmbeddedOptions`] promises.

use super::super::EmbeddedOptions;
use rocksdb::{
    BlockBasedOptions, Cache, DBCompressionType, DBRecoveryMode, Env, LogLevel, Options,
    ReadOptions, WriteOptions,
};
use std::ffi::c_int;

/// Memtables, with the one that is written to.
const MEMTABLES: c_int = 4;

/// The most that one merge writes, like `MAX_MERGE_BYTES` of `space.rs`.
const MAX_MERGE_BYTES: u64 = 384 << 20;

/// The first level of merged files holds so many memtables.
const FIRST_LEVEL_MEMTABLES: u64 = 4;
const SMALLEST_FIRST_LEVEL_BYTES: u64 = 64 << 20;

/// Bytes of a block of sorted data, about as on fjall.
const DATA_BLOCK_BYTES: usize = 16 * 1024;
const BLOOM_BITS_PER_KEY: f64 = 10.0;

/// Files that are held open; others are opened when they are read.
const MAX_OPEN_FILES: c_int = 512;

/// Files that grow are written to disk in steps of so many bytes, not all at their end.
const BYTES_PER_SYNC: u64 = 1 << 20;

/// `RocksDB`'s own diary, for those who look for a cause.
const DIARY_FILES: usize = 2;
const DIARY_BYTES: usize = 1 << 20;

/// Returns the options of a map, whose blocks are kept in `cache`.
pub(super) fn options(options: &EmbeddedOptions, cache: &Cache) -> Options {
    let mut tuned = Options::default();
    check_everything(&mut tuned);
    bound_memory(&mut tuned, options);
    shape_files(&mut tuned, options);
    tuned.set_block_based_table_factory(&blocks(cache));
    tuned.set_max_background_jobs(c_int::try_from(options.worker_threads).unwrap_or(1).max(1) + 1);
    tuned.set_log_level(LogLevel::Warn);
    tuned.set_keep_log_file_num(DIARY_FILES);
    tuned.set_max_log_file_size(DIARY_BYTES);
    tuned.set_stats_dump_period_sec(0);
    tuned.set_stats_persist_period_sec(0);
    // One thread writes.
    tuned.set_allow_concurrent_memtable_write(false);
    if let Ok(mut env) = Env::new() {
        // Merging steps back for those who wait for an answer; sorting does not, for writes wait for it.
        env.lower_thread_pool_cpu_priority();
        tuned.set_env(&env);
    }
    tuned
}

/// Nothing is taken for complete that is not: our own check has cut what a crash tore (`log.rs`).
fn check_everything(tuned: &mut Options) {
    tuned.set_paranoid_checks(true);
    tuned.set_wal_recovery_mode(DBRecoveryMode::AbsoluteConsistency);
    tuned.set_track_and_verify_wals_in_manifest(true);
}

fn bound_memory(tuned: &mut Options, options: &EmbeddedOptions) {
    let memtable_bytes = usize::try_from(options.memtable_bytes).unwrap_or(usize::MAX);
    tuned.set_write_buffer_size(memtable_bytes);
    tuned.set_max_write_buffer_number(MEMTABLES);
    tuned.set_max_open_files(MAX_OPEN_FILES);
    tuned.set_max_total_wal_size(options.journal_bytes.max(64 << 20));
}

fn shape_files(tuned: &mut Options, options: &EmbeddedOptions) {
    let first_level = options.memtable_bytes.saturating_mul(FIRST_LEVEL_MEMTABLES);
    tuned.set_max_bytes_for_level_base(first_level.max(SMALLEST_FIRST_LEVEL_BYTES));
    tuned.set_target_file_size_base(options.table_bytes);
    tuned.set_max_compaction_bytes(MAX_MERGE_BYTES);
    tuned.set_compression_type(DBCompressionType::Lz4);
    tuned.set_bytes_per_sync(BYTES_PER_SYNC);
}

fn blocks(cache: &Cache) -> BlockBasedOptions {
    let mut blocks = BlockBasedOptions::default();
    blocks.set_block_cache(cache);
    blocks.set_block_size(DATA_BLOCK_BYTES);
    blocks.set_bloom_filter(BLOOM_BITS_PER_KEY, false);
    blocks.set_cache_index_and_filter_blocks(true);
    blocks.set_pin_l0_filter_and_index_blocks_in_cache(true);
    blocks
}

/// Returns the options of a read.
pub(super) fn reading() -> ReadOptions {
    let mut reading = ReadOptions::default();
    reading.set_verify_checksums(true);
    // A reader who ends does not remove files.
    reading.set_background_purge_on_iterator_cleanup(true);
    reading
}

/// Returns the options of a group: durable when the call returns.
pub(super) fn writing() -> WriteOptions {
    let mut writing = WriteOptions::default();
    writing.set_sync(true);
    writing
}
