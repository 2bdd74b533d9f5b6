//! Runs the commands of our own that the pages of queries show, on a folder with the sample, and
//! compares what is printed with the page.
//!
//! `HASHRANGE_BLESS=1` writes what is printed into the pages instead.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hashrange::{Database, Options};
use hashrange_samples::{Sample, all, find, load, page};
use std::path::{Path, PathBuf};
use std::process::Command;

fn page_path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/samples").join(name)
}

fn load_into(folder: &Path, sample: &Sample) {
    let database = Database::open(folder, &Options::default()).unwrap();
    hashrange_storage::block_on(load(sample, &database, &mut |_| {})).unwrap();
    hashrange_storage::block_on(database.close()).unwrap();
}

fn run(folder: &Path, command: &str) -> String {
    let words = page::words(command).unwrap_or_else(|| panic!("not plain: {command}"));
    let output = Command::new(env!("CARGO_BIN_EXE_hashrange"))
        .args(&words[1..])
        .arg("--data-dir")
        .arg(folder)
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}: {complaint}");
    String::from_utf8(output.stdout).unwrap()
}

fn check(file: &str, sample: &Sample) {
    let folder = tempfile::tempdir().unwrap();
    load_into(folder.path(), sample);
    let path = page_path(file);
    let written = std::fs::read_to_string(&path).unwrap();
    let mut is = String::new();
    let mut copied = 0;
    for example in page::examples(&written) {
        let printed = run(folder.path(), example.hashrange.expect("both command lines"));
        if let Some(range) = example.printed {
            is.push_str(&written[copied..range.start]);
            is.push_str(&printed);
            copied = range.end;
        }
    }
    assert!(copied > 0, "{file} shows nothing that is printed");
    is.push_str(&written[copied..]);
    if std::env::var_os("HASHRANGE_BLESS").is_some() {
        std::fs::write(&path, is).unwrap();
    } else {
        assert_eq!(is, written, "{file}");
    }
}

#[test]
fn pages_show_what_is_printed() {
    for sample in all() {
        check(&format!("{}.md", sample.name), sample);
    }
}

#[test]
fn the_overview_shows_what_is_printed() {
    check("README.md", find("world").unwrap());
    check("../../README.md", find("world").unwrap());
}
