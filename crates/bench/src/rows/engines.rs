//! The server on `RocksDB` beside the server on fjall, at 64 connections, with equal data and equal bounds.
//!
//! Left out where the program was built without `RocksDB`.

use super::http::{get_item, put_item, quantiles, query, run_load, update_item};
use super::share_row;
use crate::bench::Bench;
use crate::data;
use crate::histogram::Histogram;
use crate::load::Requests;
use crate::process::Server;
use crate::rounds::Rounds;
use std::path::Path;
use std::process::Command;

type MakeRequests = fn(items: u64) -> Requests;

const CASES: [(&str, MakeRequests); 4] = [
    ("engines/get-item", get_item),
    ("engines/query", query),
    ("engines/put-item", put_item),
    ("engines/update-item", update_item),
];

/// Measures the rows of this kind.
pub fn run(bench: &mut Bench) -> Result<(), String> {
    let wanted = CASES.iter().filter(|(name, _)| bench.settings.wants(name));
    let wanted: Vec<_> = wanted.collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let program = bench.program()?;
    let (on_fjall, on_rocksdb) = (bench.path("engines-fjall"), bench.path("engines-rocksdb"));
    data::fill_folder(&on_fjall, bench.settings.items)?;
    if !copy_to_rocksdb(&program, &on_fjall, &on_rocksdb)? {
        println!("engines/...: left out, {} has no RocksDB", program.display());
        return Ok(());
    }
    let cache_bytes = Some(bench.settings.cache_bytes);
    let rocksdb = Server::product(&program, &on_rocksdb, cache_bytes, None)?;
    let fjall = Server::product(&program, &on_fjall, cache_bytes, None)?;
    for (name, requests) in wanted {
        measure(bench, name, &requests(bench.settings.items), [&rocksdb, &fjall])?;
    }
    rocksdb.stop()?;
    fjall.stop()
}

fn measure(
    bench: &mut Bench,
    name: &str,
    requests: &Requests,
    [rocksdb, fjall]: [&Server; 2],
) -> Result<(), String> {
    let mut latencies = [Histogram::new(), Histogram::new()];
    let [of_rocksdb, of_fjall] = &mut latencies;
    let round = |server: &Server, latencies: &mut Histogram| {
        let outcome = run_load(bench, server, requests)?;
        latencies.merge(&outcome.latencies);
        Ok(outcome.rate)
    };
    let rounds = Rounds::measure(
        bench.settings.rounds,
        || round(rocksdb, of_rocksdb),
        || round(fjall, of_fjall),
    )?;
    let mut row = share_row(name, "on fjall", &rounds, None);
    let [of_rocksdb, of_fjall] = latencies.each_ref().map(quantiles);
    row.notes.push(format!("on RocksDB {of_rocksdb}; on fjall {of_fjall}"));
    let [in_rocksdb, in_fjall] =
        [rocksdb.memory()?, fjall.memory()?].map(|memory| memory.peak >> 20);
    row.notes.push(format!("{in_rocksdb} MiB resident at most on RocksDB, {in_fjall} on fjall"));
    bench.add(row);
    Ok(())
}

/// Copies a data folder to a new one on `RocksDB`; returns whether the program has that.
pub fn copy_to_rocksdb(program: &Path, from: &Path, to: &Path) -> Result<bool, String> {
    let mut command = Command::new(program);
    command.args(["copy", "--engine", "rocksdb", "--from"]).arg(from).arg("--to").arg(to);
    let output = command.output().map_err(|error| format!("cannot run {command:?}: {error}"))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    if complaint.contains("without rocksdb") || complaint.contains("unexpected argument") {
        return Ok(false);
    }
    if output.status.success() { Ok(true) } else { Err(format!("{command:?}: {complaint}")) }
}
