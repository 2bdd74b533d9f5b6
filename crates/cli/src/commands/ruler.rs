//! `hashrange ruler`: the whole line of an item collection's keys, or of partition keys, as bins with bars.

use super::table_keys::TableKeys;
use super::tree::{key, partition, size};
use crate::arguments::{Format, Ruler};
use crate::bulk;
use crate::client::Client;
use crate::exit::Usage;
use crate::output::printer::{Printer, counted};
use crate::output::ruler::{Bin, lines};
use crate::output::{self, plain, table};
use anyhow::Context;
use hashrange::cost::grouped;
use serde_json::{Map, Value, json};

/// Asks for a ruler, counts on if the arguments say so, and prints it.
pub fn run(client: &mut Client, arguments: &Ruler) -> anyhow::Result<()> {
    let mut request = request(client, arguments)?;
    let printer = Printer::of(&arguments.connection)?;
    let mut line = Line::default();
    loop {
        let mut answer = client.call_own("Ruler", &Value::Object(request.clone()))?;
        if printer.format == Format::Ddb {
            output::line(&answer)?;
        }
        let cursor = answer["Cursor"].take();
        // What is counted again by the next call is not kept.
        line.add(answer, arguments.all.then_some(&cursor));
        if !arguments.all || cursor.is_null() {
            line.is_whole = cursor.is_null();
            break;
        }
        request.insert("Cursor".into(), cursor);
    }
    match printer.format {
        Format::Ddb => Ok(()),
        Format::Json | Format::Item => line.bins.iter().map(plain_line).try_for_each(output::line),
        Format::Table => print(arguments, line, &printer),
    }
}

/// Returns the request of the first call.
fn request(client: &mut Client, arguments: &Ruler) -> anyhow::Result<Map<String, Value>> {
    let index = arguments.index.as_deref();
    let mut request = Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        request.extend(value.map(|value| (name.to_owned(), value)));
    };
    set("TableName", Some(json!(arguments.table)));
    set("IndexName", index.map(|index| json!(index)));
    set("Bins", Some(json!(arguments.bins)));
    set("ConsistentRead", arguments.consistent.then_some(json!(true)));
    let Some(partition_key) = &arguments.partition_key else { return Ok(request) };
    set("PartitionKey", Some(partition(client, (&arguments.table, index), partition_key)?));
    let sort_key = arguments.sort_key.as_deref().map(|text| key("--sort-key", text)).transpose()?;
    if arguments.from.is_some() || arguments.to.is_some() {
        let keys = TableKeys::of(client, &arguments.table)?;
        let fixed = sort_key.as_ref().and_then(Value::as_object).map_or(0, Map::len);
        let attributes = keys.sort_of(index);
        let name = attributes.get(fixed).with_context(|| {
            Usage("--from, --to: there is no attribute of the sort key to compare".to_owned())
        })?;
        let end = |text: &String| json!({ name.clone(): { keys.type_of(name): text } });
        set("From", arguments.from.as_ref().map(end));
        set("To", arguments.to.as_ref().map(end));
    }
    set("SortKey", sort_key);
    set("Prefix", arguments.prefix.as_ref().map(|prefix| json!(prefix)));
    set("Delimiter", arguments.delimiter.as_ref().map(|delimiter| json!(delimiter)));
    Ok(request)
}

/// The answers of all calls, put together.
#[derive(Debug, Default)]
struct Line {
    bins: Vec<Value>,
    kind: String,
    seeks: u64,
    keys_read: u64,
    read_units: f64,
    is_whole: bool,
}

impl Line {
    /// Adds the answer of a call. With the cursor of a call that goes on, keeps only bins that were counted.
    fn add(&mut self, mut answer: Value, cursor: Option<&Value>) {
        let work = &answer["Work"];
        self.seeks += whole(&work["Seeks"]);
        self.keys_read += whole(&work["KeysRead"]);
        self.read_units += work["ReadUnits"].as_f64().unwrap_or(0.0);
        answer["Kind"].as_str().unwrap_or_default().clone_into(&mut self.kind);
        let Value::Array(bins) = answer["Bins"].take() else { return };
        let Some(cursor) = cursor.and_then(Value::as_str) else {
            self.bins.extend(bins);
            return;
        };
        let cursor: Value = serde_json::from_str(cursor).unwrap_or_default();
        let behind = match &cursor["Open"] {
            Value::Null => &cursor["Behind"],
            _ => &cursor["After"],
        };
        let counted = bins.iter().position(|bin| bin["Last"] == *behind).map_or(0, |nth| nth + 1);
        self.bins.extend(bins.into_iter().take(counted));
    }

    /// Puts neighbours together where several calls have made more bins than asked for.
    fn thin(&mut self, most: usize) {
        if self.bins.len() <= most {
            return;
        }
        let total: u64 = self.bins.iter().map(|bin| whole(&bin["Items"])).sum();
        let limit = 2 * total.div_ceil(most.max(1) as u64);
        let mut thinned: Vec<Value> = Vec::new();
        for bin in self.bins.drain(..) {
            match thinned.last_mut() {
                Some(last) if whole(&last["Items"]) + whole(&bin["Items"]) <= limit => {
                    together(last, &bin);
                }
                _ => thinned.push(bin),
            }
        }
        self.bins = thinned;
    }
}

/// Puts a bin to the one before it.
fn together(last: &mut Value, bin: &Value) {
    for name in ["Folders", "Items", "Bytes"] {
        last[name] = json!(whole(&last[name]) + whole(&bin[name]));
    }
    let name = |bin: &Value, of: &str| {
        [&bin["Name"], &bin[of]].into_iter().find(|name| name.is_string()).cloned()
    };
    last["FirstName"] = json!(name(last, "FirstName"));
    last["LastName"] = json!(name(bin, "LastName"));
    last["Last"] = bin["Last"].clone();
    last["IsExact"] = json!(last["IsExact"] == true && bin["IsExact"] == true);
    if let Some(last) = last.as_object_mut() {
        last.retain(|name, _| !["Name", "Folder", "SortKey", "Parts"].contains(&&name[..]));
    }
}

fn whole(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// Returns a bin as one line of plain JSON.
fn plain_line(bin: &Value) -> String {
    let mut line = Map::new();
    for (name, value) in bin.as_object().into_iter().flatten() {
        let value = match value {
            Value::Object(key) if ["First", "Last", "SortKey"].contains(&&name[..]) => {
                serde_json::from_str(&plain::item(key)).unwrap_or_default()
            }
            value => value.clone(),
        };
        line.insert(name.to_lowercase(), value);
    }
    Value::Object(line).to_string()
}

fn print(arguments: &Ruler, mut line: Line, printer: &Printer) -> anyhow::Result<()> {
    line.thin(arguments.bins);
    let title = [
        Some(&arguments.table),
        arguments.index.as_ref(),
        arguments.partition_key.as_ref(),
        arguments.sort_key.as_ref(),
        arguments.prefix.as_ref(),
    ];
    let title: Vec<_> = title.into_iter().flatten().map(|part| table::shown(part)).collect();
    output::line(title.join(" "))?;
    let bins: Vec<_> = line.bins.iter().map(|bin| drawn(&line.kind, bin)).collect();
    lines(&bins, &printer.screen).iter().try_for_each(|line| output::line(line.trim_end()))?;
    output::line("")?;
    output::line(summary(&line))?;
    if !line.is_whole {
        output::line("not everything was counted: --all counts on")?;
    }
    Ok(())
}

fn drawn(kind: &str, bin: &Value) -> Bin {
    let text = |name: &str| bin[name].as_str().unwrap_or_default().to_owned();
    let named = |text: String| if text.is_empty() { "\"\"".to_owned() } else { text };
    let name = match &bin["Name"] {
        Value::String(name) => named(name.clone()),
        _ => format!("{} … {}", named(text("FirstName")), named(text("LastName"))),
    };
    let at_least = if bin["IsExact"] == true { "" } else { "at least " };
    let items = whole(&bin["Items"]);
    let noun = if items == 1 { "item " } else { "items" };
    let folders = match whole(&bin["Folders"]) {
        0 | 1 => String::new(),
        folders if kind == "Partitions" => format!("{} keys", grouped(folders)),
        folders => format!("{} folders", grouped(folders)),
    };
    let columns =
        vec![folders, format!("{at_least}{} {noun}", grouped(items)), size(whole(&bin["Bytes"]))];
    Bin { name, columns, weight: items }
}

/// Returns the sums of all bins and the cost.
fn summary(line: &Line) -> String {
    let sum = |name: &str| line.bins.iter().map(|bin| whole(&bin[name])).sum::<u64>();
    let is_exact = line.bins.iter().all(|bin| bin["IsExact"] == true);
    let at_least = if is_exact { "" } else { "at least " };
    let items = sum("Items");
    let keys = if line.keys_read == 1 { "key" } else { "keys" };
    format!(
        "{at_least}{} {}, {}; {}, {} {keys} read, {}",
        grouped(items),
        if items == 1 { "item" } else { "items" },
        size(sum("Bytes")),
        bulk::counted(line.seeks, "seek"),
        line.keys_read,
        counted(line.read_units, "read"),
    )
}
