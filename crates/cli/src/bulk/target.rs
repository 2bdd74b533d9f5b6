//! Destination of an export: a file that is whole or not there, or standard output.
//!
//! A file gets its name when all items are in it and on disk. A pipe or a device gets each line at
//! once.
//!
//! The header of CSV names the attributes of all items, so the items wait in a file without a name
//! until the last is read.

use crate::format::csv::{self, Column};
use crate::format::{Form, WireItem, ddb};
use crate::output;
use anyhow::{Context, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Most columns of CSV; spreadsheets take as many.
const COLUMNS_MAX: usize = 16_384;

/// Destination of the lines.
#[derive(Debug)]
enum Destination {
    Standard(output::Export),
    /// A pipe or a device.
    Special(File),
    /// A file that is to get this name.
    New(NamedTempFile, PathBuf),
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(out) => out.write(bytes),
            Self::Special(file) => file.write(bytes),
            Self::New(file, _) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(out) => out.flush(),
            Self::Special(file) => file.flush(),
            Self::New(file, _) => file.flush(),
        }
    }
}

#[derive(Debug)]
enum Stream {
    Plain(BufWriter<Destination>),
    Compressed(GzEncoder<BufWriter<Destination>>),
}

impl Stream {
    fn line(&mut self, text: &str) -> io::Result<()> {
        let out: &mut dyn Write = match self {
            Self::Plain(out) => out,
            Self::Compressed(out) => out,
        };
        out.write_all(text.as_bytes())?;
        out.write_all(b"\n")
    }

    fn finish(self) -> anyhow::Result<Destination> {
        let out = match self {
            Self::Plain(out) => out,
            Self::Compressed(out) => out.finish()?,
        };
        out.into_inner().map_err(|error| error.into_error().into())
    }
}

/// Items in a file without a name, until the header is known.
#[derive(Debug)]
struct Waiting {
    items: BufWriter<File>,
    columns: BTreeSet<Column>,
    key_names: Vec<String>,
}

/// Writes the items of an export.
#[derive(Debug)]
pub struct Target {
    stream: Stream,
    form: Form,
    waiting: Option<Waiting>,
}

impl Target {
    /// Opens the file of that name, or standard output.
    pub fn open(path: Option<&Path>, form: Form, key_names: Vec<String>) -> anyhow::Result<Self> {
        let destination = match path {
            Some(path) => destination(path).with_context(|| format!("write {}", path.display()))?,
            None => Destination::Standard(output::Export::new()),
        };
        let folder = match &destination {
            Destination::New(_, name) => folder(name),
            Destination::Standard(_) | Destination::Special(_) => std::env::temp_dir(),
        };
        let waiting = if form == Form::Csv {
            let file = tempfile::tempfile_in(folder).context("create a file for the rows")?;
            Some(Waiting { items: BufWriter::new(file), columns: BTreeSet::new(), key_names })
        } else {
            None
        };
        let out = BufWriter::with_capacity(128 << 10, destination);
        let is_compressed =
            path.and_then(Path::extension).is_some_and(|end| end.eq_ignore_ascii_case("gz"));
        let stream = if is_compressed {
            Stream::Compressed(GzEncoder::new(out, Compression::default()))
        } else {
            Stream::Plain(out)
        };
        Ok(Self { stream, form, waiting })
    }

    /// Writes an item.
    pub fn add(&mut self, item: &WireItem) -> anyhow::Result<()> {
        if let Some(line) = self.form.line(item) {
            return Ok(self.stream.line(&line)?);
        }
        let waiting = self.waiting.as_mut().context("rows of CSV wait for their header")?;
        writeln!(waiting.items, "{}", ddb::text(item))?;
        waiting.columns.extend(csv::columns_of(item));
        if waiting.columns.len() > COLUMNS_MAX {
            bail!(
                "the items have more than {COLUMNS_MAX} attributes, too many for columns of CSV; \
                 --format item has no such bound"
            );
        }
        Ok(())
    }

    /// Ends the file: it is whole and has its name.
    pub fn finish(mut self) -> anyhow::Result<()> {
        if let Some(waiting) = self.waiting.take() {
            write_rows(&mut self.stream, waiting)?;
        }
        match self.stream.finish()? {
            Destination::New(file, name) => {
                file.as_file().sync_all()?;
                file.persist(&name).with_context(|| format!("name the file {}", name.display()))?;
            }
            mut other @ (Destination::Standard(_) | Destination::Special(_)) => other.flush()?,
        }
        Ok(())
    }
}

/// Writes the header, the key first, and the rows.
fn write_rows(stream: &mut Stream, waiting: Waiting) -> anyhow::Result<()> {
    let Waiting { items, columns, key_names } = waiting;
    let mut file = items.into_inner().map_err(io::IntoInnerError::into_error)?;
    let mut columns: Vec<Column> = columns.into_iter().collect();
    let rank = |column: &Column| key_names.iter().position(|name| *name == column.name);
    columns.sort_by_key(|column| rank(column).unwrap_or(key_names.len()));
    if columns.is_empty() {
        return Ok(());
    }
    stream.line(&csv::header(&columns))?;
    file.rewind()?;
    for line in BufReader::new(file).lines() {
        let item = ddb::read(&line?, 1).map_err(|problem| anyhow::anyhow!("{problem}"))?;
        stream.line(&csv::text(&columns, &item))?;
    }
    Ok(())
}

/// Opens the target of a name; an existing file stays as it is until the new one is whole.
fn destination(path: &Path) -> io::Result<Destination> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => {
            Ok(Destination::Special(OpenOptions::new().write(true).open(path)?))
        }
        // A link keeps pointing to the file.
        Ok(_) => new_file(path.canonicalize()?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => new_file(path.to_owned()),
        Err(error) => Err(error),
    }
}

fn new_file(name: PathBuf) -> io::Result<Destination> {
    let temporary = tempfile::Builder::new().prefix(".export-").tempfile_in(folder(&name))?;
    Ok(Destination::New(temporary, name))
}

fn folder(name: &Path) -> PathBuf {
    let parent = name.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new(".")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn item(value: &serde_json::Value) -> WireItem {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_file_is_whole_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items");
        std::fs::write(&path, "old").unwrap();
        let open = || Target::open(Some(&path), Form::Item, Vec::new()).unwrap();
        let mut given_up = open();
        given_up.add(&item(&json!({"a": {"N": "1"}}))).unwrap();
        drop(given_up);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        let mut whole = open();
        whole.add(&item(&json!({"a": {"N": "1"}}))).unwrap();
        whole.finish().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"a\":1}\n");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left over");
        assert!(Target::open(Some(folder.path()), Form::Item, Vec::new()).is_err());
    }

    #[test]
    fn columns_are_those_of_all_items_the_key_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.csv");
        let keys = vec!["z".to_owned(), "k".to_owned()];
        let mut target = Target::open(Some(&path), Form::Csv, keys).unwrap();
        target.add(&item(&json!({"z": {"S": "1"}, "k": {"N": "1"}, "a": {"S": "x"}}))).unwrap();
        target.add(&item(&json!({"z": {"S": "2"}, "k": {"N": "1"}, "a": {"N": "7"}}))).unwrap();
        target.finish().unwrap();
        let expected = "z:S,k:N,a:N,a:S\n1,1,,x\n2,1,7,\n";
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
    }
}
