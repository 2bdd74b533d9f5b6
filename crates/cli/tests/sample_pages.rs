//! Runs the commands of our own that the pages of queries show, on a folder with the sample, and
//! compares what is printed with the page; the same for the statements on the page of PartiQL.
//!
//! `HASHRANGE_BLESS=1` writes what is printed into the pages instead.

#![expect(
    clippy::disallowed_methods,
    reason = "whether to rewrite the pages comes from the environment"
)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hashrange::{Database, Options};
use hashrange_samples::{
    Sample, all, find, load,
    page::{self, Run},
};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn page_path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/samples").join(name)
}

fn load_into(folder: &Path, sample: &Sample) {
    let database = Database::open(folder, &Options::default()).unwrap();
    hashrange_storage::block_on(load(sample, &database, &mut |_| {})).unwrap();
    hashrange_storage::block_on(database.close()).unwrap();
}

fn run(folder: &Path, arguments: &[impl AsRef<std::ffi::OsStr>]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hashrange"))
        .args(arguments)
        .arg("--data-dir")
        .arg(folder)
        // Is about this test, and no setting of the program.
        .env_remove("HASHRANGE_BLESS")
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .output()
        .unwrap()
}

/// Returns what a command prints, which succeeds.
fn printed_by(folder: &Path, command: &str) -> String {
    let words = page::words(command).unwrap_or_else(|| panic!("not plain: {command}"));
    let output = run(folder, &words[1..]);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}: {complaint}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns what a statement prints, or why it is refused.
fn printed_by_statement(folder: &Path, statement: &str) -> String {
    let output = run(folder, &["sql", statement]);
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

/// Compares a page with the page that shows what was printed, or writes that.
fn check_page(path: &Path, written: &str, printed: Vec<(Range<usize>, String)>) {
    assert!(!printed.is_empty(), "{} shows nothing that is printed", path.display());
    let mut is = String::new();
    let mut copied = 0;
    for (range, text) in printed {
        is.push_str(&written[copied..range.start]);
        is.push_str(&text);
        copied = range.end;
    }
    is.push_str(&written[copied..]);
    if std::env::var_os("HASHRANGE_BLESS").is_some() {
        std::fs::write(path, is).unwrap();
    } else {
        assert_eq!(is, written, "{}", path.display());
    }
}

fn check(file: &str, sample: &Sample) {
    let folder = tempfile::tempdir().unwrap();
    load_into(folder.path(), sample);
    let path = page_path(file);
    let written = std::fs::read_to_string(&path).unwrap();
    let mut printed = Vec::new();
    for example in page::examples(&written) {
        let text = printed_by(folder.path(), example.hashrange.expect("both command lines"));
        printed.extend(example.printed.map(|range| (range, text)));
    }
    check_page(&path, &written, printed);
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

#[test]
fn the_tutorial_shows_what_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let path = page_path("../tutorial.md");
    let written = std::fs::read_to_string(&path).unwrap();
    let mut printed = Vec::new();
    for (command, place) in page::commands(&written) {
        let text = printed_by(&folder.path().join("data"), command);
        match place {
            Some(range) => printed.push((range, text)),
            None => assert_eq!(text, "", "{command}"),
        }
    }
    check_page(&path, &written, printed);
}

#[test]
fn the_page_of_partiql_shows_what_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    load_into(folder.path(), find("orders").unwrap());
    let path = page_path("../partiql.md");
    let written = std::fs::read_to_string(&path).unwrap();
    let shown = page::shown(&written);
    let statements = written.lines().filter(|line| *line == "```sql").count();
    let run = |run| match run {
        Run::Command(command) => printed_by(folder.path(), command),
        Run::Statement(statement) => printed_by_statement(folder.path(), statement),
    };
    let is_statement = |shown: &&page::Shown<'_>| matches!(shown.run, Run::Statement(_));
    assert_eq!(shown.iter().filter(is_statement).count(), statements, "all say what they print");
    let printed = shown.into_iter().map(|shown| (shown.printed, run(shown.run))).collect();
    check_page(&path, &written, printed);
}
