//! Reads the tables of a store when it is opened.

use super::noting::{CopyState, Stage};
use crate::layout;
use crate::schema::{KeyNames, Table, TableId, TableRecord};
use bytes::Bytes;
use hashrange_storage::{Direction, Error, Key, View, Wanted};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::ControlFlow;

/// First byte of a copy's mark, while the copy is unfinished and afterwards. The id of the copy
/// follows.
pub(crate) const UNFINISHED: u8 = 1;
pub(crate) const FINISHED: u8 = 2;

/// Returns whether there is a mark that says that the copy is unfinished.
pub(crate) fn is_unfinished(mark: Option<&[u8]>) -> bool {
    mark.is_some_and(|mark| mark.first() != Some(&FINISHED))
}

/// Reason why a store cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The store failed.
    Store(Error),
    /// A table's record cannot be read: the data are from a newer release, or damaged.
    Record {
        /// The record's key.
        key: Key,
        /// Fault of the record.
        problem: String,
    },
    /// The store is an unfinished copy.
    UnfinishedCopy,
    /// The database was moved to another store.
    Moved,
}

impl fmt::Display for OpenError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => write!(formatter, "{error}"),
            Self::UnfinishedCopy => formatter.write_str(
                "it is a copy that was not finished: run `hashrange copy` again with --restart, which \
                 empties it first, or remove it",
            ),
            Self::Moved => formatter.write_str(
                "it was moved to another store by a copy, which has all that was written since: use that \
                 one. `hashrange copy` from here once more finishes a copy that was not; `hashrange \
                 copy --reopen` lets this one be used again, without what was written since",
            ),
            Self::Record { key, problem } => {
                write!(
                    formatter,
                    "the table record at key {} is unreadable: {problem}",
                    key.escape_ascii()
                )
            }
        }
    }
}

impl std::error::Error for OpenError {}

/// Reads every table; fails on an unfinished copy and on a database that was moved.
pub(crate) async fn read_tables<V: View>(view: &V) -> Result<Vec<Table>, OpenError> {
    let mark = view.get(&layout::copy_mark()).await.map_err(OpenError::Store)?;
    if is_unfinished(mark.as_deref()) {
        return Err(OpenError::UnfinishedCopy);
    }
    let state = view.get(&layout::copy_state()).await.map_err(OpenError::Store)?;
    let state = state.map(|stored| CopyState::decode(&stored)).transpose();
    if state.map_err(OpenError::Store)?.is_some_and(|state| state.stage == Stage::Moved) {
        return Err(OpenError::Moved);
    }
    let mut records = Vec::new();
    view.visit(layout::table_records(), Direction::Forward, Wanted::ALL, |key, value| {
        records.push((key.to_vec(), value.clone()));
        ControlFlow::Continue(())
    })
    .await
    .map_err(OpenError::Store)?;
    take_records(records)
}

/// Reads those of the given tables that exist.
pub(crate) async fn read_some<V: View>(
    view: &V,
    tables: &BTreeSet<TableId>,
) -> Result<Vec<Table>, OpenError> {
    let keys: Vec<Key> = tables.iter().map(|table| layout::table_record(*table)).collect();
    let records = view.get_many(&keys).await.map_err(OpenError::Store)?;
    let records = keys.into_iter().zip(records);
    let there = records.filter_map(|(key, value)| Some((key, value?)));
    take_records(there.collect())
}

/// Decodes the records of tables.
fn take_records(records: Vec<(Key, Bytes)>) -> Result<Vec<Table>, OpenError> {
    records.into_iter().map(|(key, value)| read_table(&key, &value)).collect()
}

fn read_table(key: &Key, value: &Bytes) -> Result<Table, OpenError> {
    let unreadable = |problem: String| OpenError::Record { key: key.clone(), problem };
    let record: TableRecord =
        serde_json::from_slice(value).map_err(|error| unreadable(error.to_string()))?;
    if record.version > TableRecord::VERSION_MAX {
        return Err(unreadable(format!("its version {} is of a newer release", record.version)));
    }
    if let Some(template) = record.key_templates.iter().find(|it| it.template().is_none()) {
        return Err(unreadable(format!("the key template {:?} is none", template.text)));
    }
    let undeclared = std::iter::once(&record.key)
        .chain(record.visible_indexes().map(|index| &index.key))
        .flat_map(KeyNames::all)
        .find(|name| record.key_type(name).is_none());
    match undeclared {
        Some(name) => Err(unreadable(format!("the key attribute {name} has no type"))),
        None => Ok(Table::new(record)),
    }
}
