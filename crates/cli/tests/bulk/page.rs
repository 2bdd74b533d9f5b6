//! Runs the commands of the page about import and export in a folder with a sample, and compares what
//! is printed with the page. `HASHRANGE_BLESS=1` writes what is printed into the page instead.

use super::served::{hashrange, run, text};
use hashrange::{Database, Options};
use hashrange_samples::page::{self, Run};
use hashrange_samples::{find, load};
use std::path::{Path, PathBuf};

fn load_into(data: &Path) {
    let database = Database::open(data, &Options::default()).unwrap();
    let sample = find("orders").unwrap();
    hashrange_storage::block_on(load(sample, &database, &mut |_| {})).unwrap();
    hashrange_storage::block_on(database.close()).unwrap();
}

#[test]
fn the_page_shows_what_is_printed() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/import-export.md");
    let written = std::fs::read_to_string(&path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    load_into(&data);
    let mut is = String::new();
    let mut copied = 0;
    let shown = page::shown(&written);
    assert!(shown.len() > 5, "the page shows what is printed");
    for example in shown {
        let Run::Command(command) = example.run else { panic!("the page has commands only") };
        let words = page::words(command).unwrap_or_else(|| panic!("not plain: {command}"));
        let mut process = hashrange();
        process.current_dir(folder.path()).args(&words[1..]).args(["--data-dir", text(&data)]);
        let ended = run(process, b"");
        is.push_str(&written[copied..example.printed.start]);
        is.push_str(&ended.stdout);
        is.push_str(&ended.stderr);
        copied = example.printed.end;
    }
    is.push_str(&written[copied..]);
    if std::env::var_os("HASHRANGE_BLESS").is_some() {
        std::fs::write(&path, is).unwrap();
    } else {
        assert_eq!(is, written, "{}", path.display());
    }
}
