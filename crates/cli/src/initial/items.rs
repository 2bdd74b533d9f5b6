//! Files with items, and the table that each belongs to. [`crate::reading`] reads the items in
//! them.

use crate::reading::source::unpacked_name;
use anyhow::{Context, bail};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Endings of files with items, each also with `.gz` behind it.
const ENDINGS: [&str; 4] = ["json", "jsonl", "ndjson", "csv"];

/// A file with items of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemFile {
    /// The table.
    pub table: String,
    /// Path of the file.
    pub path: PathBuf,
}

/// Returns the files of a folder, in the order of their names, or the one file.
pub fn find(path: &Path) -> anyhow::Result<Vec<ItemFile>> {
    if path.is_file() {
        let file = item_file(path).with_context(|| {
            "items are in files named after their table, with the ending .json, .jsonl, .ndjson or .csv \
             (and .gz behind it)"
        })?;
        return Ok(vec![file]);
    }
    let mut paths = fs::read_dir(path)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    let files = paths.iter().filter(|path| path.is_file()).filter_map(|path| {
        let file = item_file(path);
        if file.is_none() {
            tracing::warn!(file = %path.display(), "not loaded: no .json, .jsonl, .ndjson or .csv");
        }
        file
    });
    let files: Vec<_> = files.collect();
    let mut tables = BTreeSet::new();
    if let Some(file) = files.iter().find(|file| !tables.insert(&file.table)) {
        bail!("two files hold items of the table {}", file.table);
    }
    if files.is_empty() {
        bail!("there is no file with items in it (TABLE.json, TABLE.jsonl or TABLE.csv)");
    }
    Ok(files)
}

fn item_file(path: &Path) -> Option<ItemFile> {
    let unpacked = unpacked_name(path);
    let extension = unpacked.extension()?;
    if !ENDINGS.iter().any(|ending| extension.eq_ignore_ascii_case(ending)) {
        return None;
    }
    let table = unpacked.file_stem()?.to_str()?.to_owned();
    Some(ItemFile { table, path: path.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_their_endings() {
        let folder = tempfile::tempdir().unwrap();
        assert!(find(folder.path()).is_err(), "there is none");
        for name in ["b.csv", "a.JSON", "c.jsonl.gz", "README.md", "d.gz"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let found = find(folder.path()).unwrap();
        let tables: Vec<_> = found.iter().map(|file| file.table.as_str()).collect();
        assert_eq!(tables, ["a", "b", "c"]);
        // Another stands between the two.
        fs::write(folder.path().join("b.d.json"), "").unwrap();
        fs::write(folder.path().join("b.jsonl"), "").unwrap();
        let error = find(folder.path()).unwrap_err().to_string();
        assert_eq!(error, "two files hold items of the table b");
        assert!(find(&folder.path().join("README.md")).is_err());
        assert!(find(&folder.path().join("absent")).is_err());
    }
}
