//! A thread that reads records and makes items of them, ahead of those that write them by a bounded
//! number.

use super::input::{Content, Records, Source};
use super::key::{self, Key};
use crate::format::csv::{self, Column, Types};
use crate::format::{Form, WireItem, ddb, read_line};
use crate::literal;
use anyhow::Context;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Items that are read ahead.
const AHEAD: usize = 25;

/// What is read, and how.
#[derive(Debug, Clone)]
pub struct Plan {
    /// In this order.
    pub sources: Vec<Source>,
    /// The form of all of them; without, that of the name or of the first record.
    pub form: Option<Form>,
    /// Types of columns of CSV whose header names none.
    pub types: Types,
    /// The key attributes of the table.
    pub key_names: Vec<String>,
    /// Records of the first source that begin before this line are passed over.
    pub from_line: u64,
}

/// A line of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Which of the sources.
    pub source: usize,
    /// The first line is 1.
    pub line: u64,
}

/// An item on its way.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Where it was read.
    pub place: Place,
    /// Which item of the table it is.
    pub key: Option<Key>,
    /// The item in DynamoDB's JSON.
    pub item: String,
}

/// What the thread has read.
#[derive(Debug)]
pub enum Event {
    /// An item, and the place behind it.
    Item(Entry, Place),
    /// A record that is no item, why, and the place behind it.
    Bad(Place, String, Place),
    /// Reading failed here.
    Failed(Place, anyhow::Error),
}

/// The other end is gone: nobody wants more.
struct Unwanted;

/// Starts the thread; it ends with the sources, or when nobody listens any more.
pub fn start(plan: Plan, count: Arc<AtomicU64>) -> anyhow::Result<Receiver<Event>> {
    let (sender, receiver) = channel(AHEAD);
    let thread = std::thread::Builder::new().name("reader".to_owned());
    let work = move || {
        // An end before the end of the sources was asked for.
        let _ended: Result<(), Unwanted> = (0..plan.sources.len())
            .try_for_each(|source| read_source(&plan, source, &count, &sender));
    };
    thread.spawn(work).context("start a thread")?;
    Ok(receiver)
}

fn read_source(
    plan: &Plan,
    source: usize,
    count: &Arc<AtomicU64>,
    sender: &Sender<Event>,
) -> Result<(), Unwanted> {
    let send = |event| sender.blocking_send(event).map_err(|_| Unwanted);
    let from = &plan.sources[source];
    let form = plan.form.or_else(|| from.path().and_then(Form::of_name));
    let from_line = if source == 0 { plan.from_line } else { 1 };
    let mut decoder = Decoder { plan, form, columns: None };
    let is_csv = form == Some(Form::Csv);
    let mut records = match Records::open(from, is_csv, Arc::clone(count)) {
        Ok(records) => records,
        Err(error) => {
            send(Event::Failed(Place { source, line: from_line }, error))?;
            return Err(Unwanted);
        }
    };
    loop {
        let next = records.next();
        let behind = Place { source, line: records.next_line() };
        let record = match next {
            Ok(Some(record)) => record,
            Ok(None) => return Ok(()),
            Err(error) => {
                let error = anyhow::Error::new(error).context(format!("read {from}"));
                send(Event::Failed(behind, error))?;
                return Err(Unwanted);
            }
        };
        let place = Place { source, line: record.line };
        let is_header = is_csv && decoder.columns.is_none();
        if place.line < from_line && !is_header {
            continue;
        }
        let item = match record.content {
            Content::Text(text) => decoder.item(&text),
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
                let fault = crate::exit::Usage(reason);
                send(Event::Failed(place, fault.into()))?;
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
    columns: Option<Vec<Column>>,
}

impl Decoder<'_> {
    /// Returns the item of a record, or nothing if it is the header.
    fn item(&mut self, text: &str) -> Result<Option<WireItem>, String> {
        let form = *self.form.get_or_insert_with(|| form_of(text, &self.plan.key_names));
        if form != Form::Csv {
            return read_line(form, text).map(Some);
        }
        if let Some(columns) = &self.columns {
            return csv::read(columns, text).map(Some);
        }
        self.columns = Some(csv::columns(text, &self.plan.types)?);
        Ok(None)
    }
}

/// Returns the form of a line: DynamoDB's JSON, if only as that it has the table's key.
fn form_of(line: &str, key_names: &[String]) -> Form {
    let has_key = |item: &WireItem| key::of(item, key_names).is_some();
    let is_item = literal::item(line).is_ok_and(|item| has_key(&item));
    let is_ddb = || ddb::read(line).is_ok_and(|item| has_key(&item));
    if !is_item && is_ddb() { Form::Ddb } else { Form::Item }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_its_form_by_the_key() {
        let names = ["Item".to_owned()];
        let cases = [
            (r#"{"Item":"a","n":{"S":"x"}}"#, Form::Item),
            (r#"{"Item":{"S":"a"}}"#, Form::Ddb),
            (r#"{"Item":{"Item":{"S":"a"}}}"#, Form::Ddb),
            (r#"{"pk":"a"}"#, Form::Item),
            (r#"{"pk":{"S":"a"}}"#, Form::Item),
            ("x", Form::Item),
        ];
        for (line, expected) in cases {
            assert_eq!(form_of(line, &names), expected, "{line}");
        }
    }
}
