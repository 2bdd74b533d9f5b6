//! Items in files: which files there are, and their items one after another.
//!
//! | file | holds |
//! |---|---|
//! | `TABLE.jsonl`, `TABLE.ndjson` | one item in a line |
//! | `TABLE.json` | items side by side or in an array; what Scan answers; what BatchWriteItem takes |
//! | `TABLE.csv` | a line of names, then one item in a line |
//!
//! An item is plain JSON or DynamoDB's JSON; which of them, the partition key tells: an object is
//! DynamoDB's. Joins with `import` here: [`read`] is all that loading asks of a file.

use crate::literal;
use anyhow::{Context, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The longest line of a file: an item has 400 KB, in JSON a multiple of that.
const LINE_MAX_BYTES: u64 = 32 << 20;
/// The largest file that is no list of lines.
const JSON_MAX_BYTES: u64 = 1 << 30;

/// A file with items of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemFile {
    /// The table.
    pub table: String,
    /// Where it is.
    pub path: PathBuf,
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Lines,
    Json,
    Csv,
}

/// The key attributes of a table with their types, the partition key first.
#[derive(Debug, Clone)]
pub struct Keys {
    /// Name of the partition key.
    pub partition: String,
    /// The types of all key attributes, of indexes too.
    pub types: BTreeMap<String, String>,
}

/// An item in DynamoDB's JSON, and where it stands.
pub type Placed = (String, Map<String, Value>);

/// Returns the files of a folder, in the order of their names, or the one file.
pub fn find(path: &Path) -> anyhow::Result<Vec<ItemFile>> {
    if path.is_file() {
        let file = item_file(path).with_context(|| {
            "items are in files named after their table, with the ending .json, .jsonl, .ndjson or .csv"
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
    for (one, next) in files.iter().zip(files.iter().skip(1)) {
        if one.table == next.table {
            bail!("two files hold items of the table {}", one.table);
        }
    }
    if files.is_empty() {
        bail!("there is no file with items in it (TABLE.json, TABLE.jsonl or TABLE.csv)");
    }
    Ok(files)
}

fn item_file(path: &Path) -> Option<ItemFile> {
    let form = match path.extension()?.to_str()? {
        "jsonl" | "ndjson" => Form::Lines,
        "json" => Form::Json,
        "csv" => Form::Csv,
        _ => return None,
    };
    let table = path.file_stem()?.to_str()?.to_owned();
    Some(ItemFile { table, path: path.to_owned(), form })
}

/// Gives every item of a file to `take`, which may refuse it.
pub fn read(
    file: &ItemFile,
    keys: &Keys,
    take: &mut dyn FnMut(Placed) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let source = BufReader::new(File::open(&file.path)?);
    match file.form {
        Form::Lines => lines(source, keys, take),
        Form::Json => values(source, keys, take),
        Form::Csv => records(source, keys, take),
    }
}

fn lines(
    mut source: impl BufRead,
    keys: &Keys,
    take: &mut dyn FnMut(Placed) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut line = Vec::new();
    for nth in 1_u64.. {
        line.clear();
        let place = format!("line {nth}");
        let read = source.by_ref().take(LINE_MAX_BYTES).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        if read as u64 == LINE_MAX_BYTES && !line.ends_with(b"\n") {
            bail!("{place}: longer than {} MiB", LINE_MAX_BYTES >> 20);
        }
        let text = std::str::from_utf8(&line).with_context(|| format!("{place}: not UTF-8"))?;
        let text = text.trim_start_matches('\u{feff}').trim();
        if !text.is_empty() {
            let item = item(text, keys).with_context(|| place.clone())?;
            take((place, item))?;
        }
    }
    Ok(())
}

fn values(
    source: impl Read,
    keys: &Keys,
    take: &mut dyn FnMut(Placed) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut text = String::new();
    source.take(JSON_MAX_BYTES + 1).read_to_string(&mut text).context("not UTF-8 text")?;
    if text.len() as u64 > JSON_MAX_BYTES {
        bail!("more than {} MiB: put one item in each line of a .jsonl file", JSON_MAX_BYTES >> 20);
    }
    let text = text.trim_start_matches('\u{feff}');
    let mut nth = 0;
    for raw in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
        for raw in unwrapped(raw?)? {
            nth += 1;
            let place = format!("item {nth}");
            let item = item(raw.get(), keys).with_context(|| place.clone())?;
            take((place, item))?;
        }
    }
    Ok(())
}

/// Returns the items in a value: its elements, those of `Items`, those of `PutRequest`s, or itself.
fn unwrapped(raw: &RawValue) -> anyhow::Result<Vec<&RawValue>> {
    let text = raw.get();
    if text.starts_with('[') {
        return Ok(serde_json::from_str(text)?);
    }
    let members: BTreeMap<String, &RawValue> =
        serde_json::from_str(text).context("an item is an object")?;
    let is_answer = members.len() == 1 || members.contains_key("Count");
    if let Some(items) = members.get("Items").filter(|_| is_answer) {
        return Ok(serde_json::from_str(items.get())?);
    }
    let requests = match members.iter().next() {
        Some((_, requests)) if members.len() == 1 && requests.get().starts_with('[') => requests,
        _ => return Ok(vec![raw]),
    };
    let Ok(requests) = serde_json::from_str::<Vec<BTreeMap<String, &RawValue>>>(requests.get())
    else {
        return Ok(vec![raw]);
    };
    requests
        .iter()
        .map(|request| {
            let put = request.get("PutRequest").context("only PutRequests are loaded")?;
            let put: BTreeMap<String, &RawValue> = serde_json::from_str(put.get())?;
            put.get("Item").copied().context("a PutRequest without an Item")
        })
        .collect()
}

/// Returns the item of a text, in DynamoDB's JSON.
fn item(text: &str, keys: &Keys) -> anyhow::Result<Map<String, Value>> {
    let parsed: Value = match serde_json::from_str(text) {
        Ok(parsed) => parsed,
        // What is no JSON may be an item as people write it.
        Err(_) => return literal::item(text).map_err(|fault| anyhow::anyhow!("{fault}")),
    };
    let Value::Object(mut members) = parsed else { bail!("an item is an object") };
    // The form of exports.
    if members.len() == 1
        && !members.contains_key(&keys.partition)
        && let Some(Value::Object(item)) = members.remove("Item")
    {
        members = item;
        return Ok(members);
    }
    match members.get(&keys.partition) {
        Some(Value::Object(_)) => Ok(members),
        Some(_) => literal::item(text).map_err(|fault| anyhow::anyhow!("{fault}")),
        None => bail!("the partition key {} is missing", keys.partition),
    }
}

fn records(
    source: impl Read,
    keys: &Keys,
    take: &mut dyn FnMut(Placed) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut reader = csv::ReaderBuilder::new().from_reader(source);
    let columns = reader.headers()?.iter().map(|name| column(name, keys));
    let columns: Vec<(String, String)> = columns.collect::<anyhow::Result<_>>()?;
    for record in reader.records() {
        let record = record?;
        let place = format!("line {}", record.position().map_or(0, csv::Position::line));
        let mut item = Map::new();
        for ((name, of_type), text) in columns.iter().zip(&record) {
            if !text.is_empty() {
                let value = cell(of_type, text).with_context(|| format!("{place}: {name}"))?;
                item.insert(name.clone(), value);
            }
        }
        take((place, item))?;
    }
    Ok(())
}

/// Returns the name and type of a column: `name` has the type of that key attribute, or is text;
/// `name:N` says its type.
fn column(heading: &str, keys: &Keys) -> anyhow::Result<(String, String)> {
    const TYPES: [&str; 7] = ["S", "N", "B", "BOOL", "NULL", "L", "M"];
    let heading = heading.trim_start_matches('\u{feff}').trim();
    if let Some(of_type) = keys.types.get(heading) {
        return Ok((heading.to_owned(), of_type.clone()));
    }
    let (name, of_type) = match heading.rsplit_once(':') {
        Some((name, of_type)) if TYPES.contains(&of_type) => (name, of_type),
        _ => (heading, "S"),
    };
    if name.is_empty() {
        bail!("a column has no name");
    }
    if let Some(known) = keys.types.get(name).filter(|known| *known != of_type) {
        bail!("the column {name} is a key of type {known}, not {of_type}");
    }
    Ok((name.to_owned(), of_type.to_owned()))
}

fn cell(of_type: &str, text: &str) -> anyhow::Result<Value> {
    Ok(match of_type {
        "B" => {
            STANDARD.decode(text).context("not base64")?;
            json!({ "B": text })
        }
        "BOOL" => match text {
            "true" | "TRUE" | "True" => json!({ "BOOL": true }),
            "false" | "FALSE" | "False" => json!({ "BOOL": false }),
            _ => bail!("{text:?} is neither true nor false"),
        },
        "NULL" => json!({ "NULL": true }),
        "L" | "M" => {
            let read = literal::item(&format!("{{\"it\": {text}}}"));
            let mut read = read.map_err(|fault| anyhow::anyhow!("{fault}"))?;
            let value = read.remove("it").unwrap_or_default();
            if value.get(of_type).is_none() {
                bail!("the value is not of type {of_type}");
            }
            value
        }
        _ => json!({ of_type: text.trim() }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> Keys {
        let types = [("pk", "S"), ("sk", "N")];
        let types = types.map(|(name, kind)| (name.to_owned(), kind.to_owned()));
        Keys { partition: "pk".to_owned(), types: types.into() }
    }

    /// Returns the items in a file of this name and text, or what is wrong.
    fn read_text(name: &str, text: &str) -> Result<Value, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let file = item_file(&path).unwrap();
        let mut items = Vec::new();
        let read = read(&file, &keys(), &mut |(_, item)| {
            items.push(Value::Object(item));
            Ok(())
        });
        read.map_err(|error| format!("{error:#}"))?;
        Ok(Value::Array(items))
    }

    #[test]
    fn items_are_read_in_every_form() {
        let one = json!([{"pk": {"S": "a"}, "n": {"N": "12345678901234567890123456789012345678"}}]);
        for (name, text) in [
            ("t.jsonl", r#"{"pk":"a","n":12345678901234567890123456789012345678}"#),
            (
                "t.ndjson",
                "\n{\"pk\":{\"S\":\"a\"},\"n\":{\"N\":\"12345678901234567890123456789012345678\"}}\r\n\n",
            ),
            (
                "t.jsonl",
                r#"{"Item":{"pk":{"S":"a"},"n":{"N":"12345678901234567890123456789012345678"}}}"#,
            ),
            ("t.jsonl", "{pk: 'a', n: 12345678901234567890123456789012345678}"),
            ("t.json", r#"[{"pk":"a","n":12345678901234567890123456789012345678}]"#),
            ("t.json", r#"{"pk":"a","n":12345678901234567890123456789012345678}"#),
            (
                "t.json",
                r#"{"Items":[{"pk":{"S":"a"},"n":{"N":"12345678901234567890123456789012345678"}}],"Count":1,"ScannedCount":1}"#,
            ),
            ("t.json", r#"{"Items":[{"pk":"a","n":12345678901234567890123456789012345678}]}"#),
            (
                "t.json",
                r#"{"t":[{"PutRequest":{"Item":{"pk":{"S":"a"},"n":{"N":"12345678901234567890123456789012345678"}}}}]}"#,
            ),
            ("t.csv", "pk,n:N\na,12345678901234567890123456789012345678\n"),
        ] {
            assert_eq!(read_text(name, text).as_ref(), Ok(&one), "{name}: {text}");
        }
    }

    #[test]
    fn columns_have_the_types_of_keys_or_the_ones_they_say() {
        let text = "\u{feff}pk,sk,flag:BOOL,list:L,note,raw:B\na,1,true,\"[1, \"\"x\"\"]\",\"two\nlines\",aGk=\nb,2,,,,\n";
        assert_eq!(
            read_text("t.csv", text).unwrap(),
            json!([{"pk":{"S":"a"},"sk":{"N":"1"},"flag":{"BOOL":true},"list":{"L":[{"N":"1"},{"S":"x"}]},"note":{"S":"two\nlines"},"raw":{"B":"aGk="}},{"pk":{"S":"b"},"sk":{"N":"2"}}])
        );
    }

    #[test]
    fn what_is_no_item_is_refused_with_its_place() {
        for (name, text, expected) in [
            ("t.jsonl", "{\"pk\":\"a\"}\n{\"x\":1}", "line 2: the partition key pk is missing"),
            ("t.jsonl", "[1]", "line 1: an item is an object"),
            ("t.jsonl", "{", "line 1: "),
            ("t.json", "[{\"pk\":\"a\"},{\"x\":1}]", "item 2: the partition key pk is missing"),
            ("t.json", "[1,", ""),
            ("t.json", r#"{"t":[{"DeleteRequest":{}}]}"#, "only PutRequests are loaded"),
            ("t.csv", "pk,sk:S\na,1", "the column sk is a key of type N, not S"),
            ("t.csv", "pk,x:BOOL\na,1", "line 2: x: \"1\" is neither true nor false"),
            ("t.csv", "pk,x\na", "CSV error: record 1"),
        ] {
            let error = read_text(name, text).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn files_are_found_by_their_endings() {
        let folder = tempfile::tempdir().unwrap();
        assert!(find(folder.path()).is_err(), "there is none");
        for name in ["b.csv", "a.json", "README.md"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let found = find(folder.path()).unwrap();
        let tables: Vec<_> = found.iter().map(|file| file.table.as_str()).collect();
        assert_eq!(tables, ["a", "b"]);
        fs::write(folder.path().join("b.jsonl"), "").unwrap();
        let error = find(folder.path()).unwrap_err().to_string();
        assert_eq!(error, "two files hold items of the table b");
        assert!(find(&folder.path().join("README.md")).is_err());
        assert!(find(&folder.path().join("absent")).is_err());
    }
}
