//! A thread that reads records and makes items of them, a bounded number ahead of the threads that
//! write them.

use super::foreign;
use super::key::{self, Key};
use super::records::{Content, Expected, Records};
use super::source::Source;
use crate::commands::table_keys::TableKeys;
use crate::exit::Usage;
use crate::format::csv::{self, Column, Delimiter, Types};
use crate::format::{Form, WireItem, read_item};
use anyhow::Context;
use hashrange::AttributeType;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Items that are read ahead.
const AHEAD: usize = 25;

/// Sources to read, and the form of their records.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Files or standard input, read in this order.
    pub sources: Vec<Source>,
    /// The form of all records; none means CSV if the name says so, else the form in which an item
    /// has the table's key.
    pub form: Option<Form>,
    /// Types of columns of CSV whose header names none.
    pub types: Types,
    /// Delimiter of the cells of CSV.
    pub delimiter: Delimiter,
    /// The columns of CSV that has no header.
    pub columns: Option<Vec<Column>>,
    /// The key attributes of the table.
    pub key_names: Vec<String>,
    /// Records of the first source that begin before this line are skipped.
    pub from_line: u64,
}

impl Plan {
    /// Returns the plan that reads all records of sources into a table. Columns of CSV have the
    /// types of the keys of the table and its indexes.
    pub fn of(keys: &TableKeys, sources: Vec<Source>) -> Self {
        let typed = |name: String| {
            let key_type = AttributeType::from_name(keys.type_of(&name));
            (name, key_type.unwrap_or(AttributeType::S))
        };
        let types = keys.attributes().into_iter().map(typed).collect();
        Self {
            sources,
            form: None,
            types,
            delimiter: Delimiter::default(),
            columns: None,
            key_names: keys.primary(),
            from_line: 1,
        }
    }
}

/// Place of a record in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordPlace {
    /// Index of the source, from 0.
    pub source: usize,
    /// The line at which it begins; the first is 1.
    pub line: u64,
    /// Number of the record among those that begin in the line; the first is 1.
    pub nth: u32,
}

impl fmt::Display for RecordPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.nth {
            1 => write!(formatter, "line {}", self.line),
            nth => write!(formatter, "line {}, item {nth}", self.line),
        }
    }
}

/// An item between reader and writer.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Place of its record.
    pub place: RecordPlace,
    /// Key of the item; none if it has no key that the table could take.
    pub key: Option<Key>,
    /// The item in DynamoDB's JSON.
    pub item: String,
}

/// Messages of the thread.
#[derive(Debug)]
pub enum Event {
    /// An item, and the place behind it.
    Item(Entry, RecordPlace),
    /// A record that is no item, why, and the place behind it.
    Bad(RecordPlace, String, RecordPlace),
    /// Reading failed here.
    Failed(RecordPlace, anyhow::Error),
    /// The thread has read everything, but the sources lack a next page: [`NEXT_PAGE_MISSING`].
    NextPageMissing,
}

/// Message about sources that end with a page that is not the last.
pub const NEXT_PAGE_MISSING: &str =
    "the last answer that was read names a next page, which was not read";

/// The receiver is gone and takes no more.
struct Unwanted;

/// Starts the thread; it ends with the sources, or when the receiver is gone.
pub fn start(plan: Plan, count: Arc<AtomicU64>) -> anyhow::Result<Receiver<Event>> {
    let (sender, receiver) = channel(AHEAD);
    let thread = std::thread::Builder::new().name("reader".to_owned());
    let work = move || {
        let mut has_next_page = false;
        let ended = (0..plan.sources.len()).try_for_each(|source| {
            has_next_page = read_source(&plan, source, &count, &sender)?;
            Ok::<(), Unwanted>(())
        });
        // After an early end the receiver wants nothing more.
        if ended.is_ok() && has_next_page {
            drop(sender.blocking_send(Event::NextPageMissing));
        }
    };
    thread.spawn(work).context("start a thread")?;
    Ok(receiver)
}

/// Returns whether the source ends with a page that is not the last.
fn read_source(
    plan: &Plan,
    source: usize,
    count: &Arc<AtomicU64>,
    sender: &Sender<Event>,
) -> Result<bool, Unwanted> {
    let send = |event| sender.blocking_send(event).map_err(|_| Unwanted);
    let from = &plan.sources[source];
    let form = plan.form.or_else(|| from.path().and_then(Form::of_name));
    let from_line = if source == 0 { plan.from_line } else { 1 };
    let is_csv = form == Some(Form::Csv);
    let partition_key = plan.key_names.first().map_or("", String::as_str);
    let expected = Expected { csv: is_csv.then_some(plan.delimiter), partition_key };
    let columns = plan.columns.clone();
    let mut decoder = Decoder { plan, form, last_form: Form::Item, columns };
    let mut records = match Records::open(from, expected, Arc::clone(count)) {
        Ok(records) => records,
        Err(error) => {
            send(Event::Failed(RecordPlace { source, line: from_line, nth: 1 }, error))?;
            return Err(Unwanted);
        }
    };
    loop {
        let next = records.next();
        let behind = RecordPlace { source, line: records.next_line(), nth: 1 };
        let record = match next {
            Ok(Some(record)) => record,
            Ok(None) => return Ok(records.has_next_page()),
            Err(error) => {
                let error = anyhow::Error::new(error).context(format!("read {from}"));
                send(Event::Failed(behind, error))?;
                return Err(Unwanted);
            }
        };
        let place = RecordPlace { source, line: record.line, nth: record.nth };
        let is_header = is_csv && decoder.columns.is_none();
        let item = match record.content {
            Content::Broken(reason) => {
                send(Event::Failed(place, Usage(reason).into()))?;
                return Err(Unwanted);
            }
            _ if place.line < from_line && !is_header => continue,
            Content::Text(text) => decoder.item(&text, record.line),
            Content::Bad(reason) => Err(reason),
        };
        match item {
            Ok(Some(item)) => {
                let key = key::of(&item, &plan.key_names);
                let item = Value::Object(item).to_string();
                send(Event::Item(Entry { place, key, item }, behind))?;
            }
            Ok(None) => {}
            // Without a header no row can be read.
            Err(reason) if is_header => {
                send(Event::Failed(place, Usage(reason).into()))?;
                return Err(Unwanted);
            }
            Err(reason) => send(Event::Bad(place, reason, behind))?,
        }
    }
}

/// Makes items of the records of one source.
struct Decoder<'a> {
    plan: &'a Plan,
    form: Option<Form>,
    /// The form of the item before.
    last_form: Form,
    columns: Option<Vec<Column>>,
}

impl Decoder<'_> {
    /// Returns the item of a record that begins in this line, or nothing if it is the header.
    fn item(&mut self, text: &str, line: u64) -> Result<Option<WireItem>, String> {
        let read = match self.form {
            None => self.of_any_form(text, line),
            Some(Form::Csv) => return self.row(text),
            Some(form) => read_item(form, text, line),
        };
        let has_key = |item: &WireItem| key::of(item, &self.plan.key_names).is_some();
        match foreign::object(text).filter(|_| !read.as_ref().is_ok_and(has_key)) {
            Some(said) => Err(said.to_owned()),
            None => read.map(Some),
        }
    }

    fn row(&mut self, text: &str) -> Result<Option<WireItem>, String> {
        let Plan { types, delimiter, .. } = self.plan;
        if let Some(columns) = &self.columns {
            return csv::read(*delimiter, columns, text).map(Some);
        }
        let read = |delimiter| csv::columns(delimiter, text, types);
        let columns = read(*delimiter).map_err(|fault| format!("the header: {fault}"))?;
        if let Some(key) = self.missing_key(&columns) {
            let mut others = Delimiter::all().filter(|other| other != delimiter);
            let is_whole = |other: &Delimiter| {
                read(*other).is_ok_and(|columns| self.missing_key(&columns).is_none())
            };
            if let Some(other) = others.find(is_whole) {
                return Err(format!(
                    "the header has no column {key}, but it has with another delimiter: hashrange \
                     import --delimiter {other} reads it"
                ));
            }
        }
        self.columns = Some(columns);
        Ok(None)
    }

    /// Returns the first attribute of the table's key that no column has.
    fn missing_key(&self, columns: &[Column]) -> Option<&String> {
        let is_there = |name: &&String| columns.iter().any(|column| column.name == **name);
        self.plan.key_names.iter().find(|name| !is_there(name))
    }

    /// Returns the item in the form in which it has the table's key: in plain JSON a key is no object,
    /// in DynamoDB's JSON it is one, so there is one such form at most. An item without the key is
    /// read as the one before it.
    fn of_any_form(&mut self, text: &str, line: u64) -> Result<WireItem, String> {
        let has_key = |item: &WireItem| key::of(item, &self.plan.key_names).is_some();
        let read = read_item(self.last_form, text, line);
        if read.as_ref().is_ok_and(has_key) {
            return read;
        }
        let other_form = if self.last_form == Form::Ddb { Form::Item } else { Form::Ddb };
        match read_item(other_form, text, line) {
            Ok(other) if has_key(&other) => {
                self.last_form = other_form;
                Ok(other)
            }
            _ => read,
        }
    }
}

#[cfg(test)]
mod tests;
