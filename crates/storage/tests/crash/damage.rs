//! Flips single bits in each kind of file: the store answers right, or with an error, never wrong
//! and never with a panic.
//!
//! One exception is in the nature of a log: damage in the last group of the newest log cannot be
//! told from a write that a crash cut short, so that group may be missing, as a whole.

use crate::workload::{Workload, read_all};
use crate::{Random, child, scaled};
use hashrange_scratch::copy_folder;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn run(random: &mut Random) {
    let folder = tempfile::tempdir().unwrap();
    let workload =
        Workload { threads: 1, rounds: 150, phases: 2, value_bytes: 300, memtable_bytes: 20_000 };
    let data = folder.path().join("data");
    assert!(child::command(&data, workload).output().unwrap().status.success());
    let mut outcomes = BTreeMap::new();
    for file in files(&data) {
        let flips = if is_log(&file) { 60 } else { 15 };
        for _ in 0..scaled(flips) {
            let kind = kind(&file);
            let outcome = check_flip(&data, &file, workload, random)
                .unwrap_or_else(|what| panic!("flip in {}: {what}", file.display()));
            *outcomes.entry((kind, outcome)).or_insert(0) += 1;
        }
    }
    println!("{outcomes:#?}");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if fs::metadata(&path).unwrap().len() > 0 {
            found.push(path);
        }
    }
    found
}

fn is_log(file: &Path) -> bool {
    file.extension().is_some_and(|kind| kind == crate::files::LOG_KIND)
}

/// Returns a name for files of one kind: digits do not matter.
fn kind(file: &Path) -> String {
    let folder = file.parent().unwrap().file_name().unwrap().to_str().unwrap();
    let name = file.file_name().unwrap().to_str().unwrap();
    format!("{folder}/{name}").replace(|letter: char| letter.is_ascii_digit(), "")
}

fn check_flip(
    data: &Path,
    file: &Path,
    workload: Workload,
    random: &mut Random,
) -> Result<&'static str, String> {
    let copy = tempfile::tempdir().unwrap();
    copy_folder(data, copy.path());
    let damaged = copy.path().join(file.strip_prefix(data).unwrap());
    let mut bytes = fs::read(&damaged).unwrap();
    // Where the file was never written there is nothing to damage.
    let end = bytes.iter().rposition(|&byte| byte != 0).unwrap_or(0) + 1;
    let (offset, bit) = (random.offset(end), random.below(8));
    bytes[offset] ^= 1 << bit;
    fs::write(&damaged, bytes).unwrap();
    let Ok(store) = workload.open(copy.path()) else { return Ok("refused to open") };
    let Ok(content) = read_all(&store) else { return Ok("refused to read") };
    let last = workload.rounds * workload.phases;
    let lost = workload.latest(&content)[0] == last - 1;
    let expected = if lost && is_log(file) { last - 1 } else { last };
    workload
        .verify(&content, &[expected])
        .map_err(|what| format!("byte {offset}, bit {bit}: {what}"))?;
    Ok(if lost { "lost the last group" } else { "read right" })
}
