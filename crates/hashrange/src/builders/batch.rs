//! Batches of any size: in requests as large as the service takes, until nothing is left over.

use super::parameters::{Parameters, rewritten};
use super::retry::Retries;
use super::{AsItem, AsType, CallFuture, Handle, IntoItem, Shape, awaited_or_run, checked};
use crate::{Database, Error, Result};
use hashrange_model::Item;
use hashrange_model::limits::{BATCH_GET_KEYS_MAX, BATCH_WRITE_REQUESTS_MAX};
use hashrange_wire::{
    BatchGetItemInput, BatchWriteItemInput, DecodedItem, DeleteRequest, KeysAndAttributes, Map,
    PutRequest, WriteRequest,
};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::marker::PhantomData;

/// Reads many items of a table; see [`Database::batch_get`](crate::Database::batch_get).
#[derive(Debug)]
#[must_use = "a call does nothing until it is awaited or run"]
pub struct BatchGet<D, S = AsItem> {
    handle: D,
    table: String,
    keys: Vec<Result<Item>>,
    select: Option<String>,
    is_consistent: bool,
    shape: PhantomData<fn() -> S>,
}

impl<D: Handle> BatchGet<D> {
    pub(crate) fn new<K: IntoItem>(
        handle: D,
        table: impl Into<String>,
        keys: impl IntoIterator<Item = K>,
    ) -> Self {
        Self {
            handle,
            table: table.into(),
            keys: keys.into_iter().map(IntoItem::into_item).collect(),
            select: None,
            is_consistent: false,
            shape: PhantomData,
        }
    }

    /// Returns the items as a type with serde's `Deserialize`.
    pub fn typed<T: serde::de::DeserializeOwned + Send + 'static>(self) -> BatchGet<D, AsType<T>> {
        let Self { handle, table, keys, select, is_consistent, .. } = self;
        BatchGet { handle, table, keys, select, is_consistent, shape: PhantomData }
    }
}

impl<D: Handle, S: Shape> BatchGet<D, S> {
    /// Returns these attributes only: `city, address.street, lines[0]`.
    pub fn select(mut self, paths: impl Into<String>) -> Self {
        self.select = Some(paths.into());
        self
    }

    /// Reads the newest items. Without it a profile may return older items; under the default
    /// profile every read returns the newest.
    pub fn consistent(mut self) -> Self {
        self.is_consistent = true;
        self
    }

    async fn perform(self) -> Result<Vec<S::Output>> {
        let database = self.handle.shared().clone();
        let keys: Result<VecDeque<DecodedItem>> =
            self.keys.into_iter().map(|key| key.map(checked::item)).collect();
        let mut placeholders = crate::text::Placeholders::default();
        let select = rewritten(&mut placeholders, self.select.as_deref())?;
        let (names, _) = Parameters::default().finish(placeholders)?.into_maps();
        let names = names.map(|names| {
            let owned = |(place, name): (Cow<'_, str>, Cow<'_, str>)| {
                (place.into_owned(), name.into_owned())
            };
            names.into_iter().map(owned).collect::<Map<String, String>>()
        });
        let what = KeysAndAttributes {
            consistent_read: self.is_consistent.then_some(true),
            projection_expression: select,
            expression_attribute_names: names,
            ..KeysAndAttributes::default()
        };
        let found = read(database, self.table, Work::new(keys?), what).await?;
        found.into_iter().map(S::shape).collect()
    }
}

/// Reads the items with these keys; `what` holds the projection and the consistency of the read.
fn read(
    database: Database,
    table: String,
    mut work: Work<DecodedItem>,
    what: KeysAndAttributes,
) -> CallFuture<Vec<Item>> {
    Box::pin(async move {
        let mut found = Vec::new();
        while let Some(keys) = work.take(BATCH_GET_KEYS_MAX) {
            let request = KeysAndAttributes { keys: Some(keys.clone()), ..what.clone() };
            let input = BatchGetItemInput {
                request_items: Some([(table.as_str().into(), request)].into_iter().collect()),
                ..BatchGetItemInput::default()
            };
            let left = match database.unboxed().batch_get_item(input).await {
                Ok(output) => {
                    let items = output.responses.into_iter().flatten();
                    found.extend(items.flat_map(|(_, items)| items));
                    let left = output.unprocessed_keys.into_iter().flatten();
                    Ok(left.flat_map(|(_, left)| left.keys.unwrap_or_default()).collect())
                }
                Err(error) => Err(error.into()),
            };
            work.put_back(keys, left).await?;
        }
        Ok(found)
    })
}

awaited_or_run!(<S> BatchGet<S> -> Vec<S::Output>);

/// Puts and deletes many items; see [`Database::batch_write`](crate::Database::batch_write).
#[derive(Debug)]
#[must_use = "a call does nothing until it is awaited or run"]
pub struct BatchWrite<D> {
    handle: D,
    writes: Vec<Result<(String, WriteRequest)>>,
}

impl<D: Handle> BatchWrite<D> {
    pub(crate) fn new(handle: D) -> Self {
        Self { handle, writes: Vec::new() }
    }

    /// Adds an item to be put.
    pub fn put(mut self, table: impl Into<String>, item: impl IntoItem) -> Self {
        self.writes.push(item.into_item().map(|item| {
            let put = PutRequest { item: Some(checked::item(item)) };
            (table.into(), WriteRequest { put_request: Some(put), delete_request: None })
        }));
        self
    }

    /// Adds many items of a table to be put.
    pub fn put_all<T: IntoItem>(
        mut self,
        table: impl Into<String>,
        items: impl IntoIterator<Item = T>,
    ) -> Self {
        let table = table.into();
        for item in items {
            self = self.put(table.as_str(), item);
        }
        self
    }

    /// Adds the key of an item to be removed.
    pub fn delete(mut self, table: impl Into<String>, key: impl IntoItem) -> Self {
        self.writes.push(key.into_item().map(|key| {
            let delete = DeleteRequest { key: Some(checked::item(key)) };
            (table.into(), WriteRequest { put_request: None, delete_request: Some(delete) })
        }));
        self
    }

    async fn perform(self) -> Result<()> {
        let database = self.handle.shared().clone();
        let writes: Result<VecDeque<_>> = self.writes.into_iter().collect();
        let mut work = Work::new(writes?);
        while let Some(writes) = work.take(BATCH_WRITE_REQUESTS_MAX) {
            let mut tables: Map<Cow<'_, str>, Vec<WriteRequest>> = Map::new();
            for (table, write) in &writes {
                let mut requests = tables.get(table.as_str()).cloned().unwrap_or_default();
                requests.push(write.clone());
                tables.insert(table.clone().into(), requests);
            }
            let input = BatchWriteItemInput {
                request_items: Some(tables),
                ..BatchWriteItemInput::default()
            };
            let left = match database.unboxed().batch_write_item(input).await {
                Ok(output) => {
                    let tables = output.unprocessed_items.into_iter().flatten();
                    let left = tables.flat_map(|(table, writes)| {
                        writes.into_iter().map(move |write| (table.clone(), write))
                    });
                    Ok(left.collect())
                }
                Err(error) => Err(error.into()),
            };
            work.put_back(writes, left).await?;
        }
        Ok(())
    }
}

awaited_or_run!(BatchWrite -> ());

/// Open part of a batch, with the counters of its progress.
struct Work<T> {
    open: VecDeque<T>,
    done: usize,
    retries: Retries,
}

impl<T> Work<T> {
    fn new(open: VecDeque<T>) -> Self {
        Self { open, done: 0, retries: Retries::default() }
    }

    /// Returns the next part; `None` if nothing is open.
    fn take(&mut self, most: usize) -> Option<Vec<T>> {
        let part = self.open.len().min(most);
        (part > 0).then(|| self.open.drain(..part).collect())
    }

    /// Takes back the unprocessed rest of a part, or all of it if a limit of throughput refused it,
    /// and waits before the next try.
    ///
    /// # Errors
    /// The part was refused for another reason, or there is no progress.
    async fn put_back(&mut self, part: Vec<T>, left: Result<Vec<T>>) -> Result<()> {
        let sent = part.len();
        let left = match left {
            Ok(left) => left,
            Err(error) if error.is_throttled() => part,
            Err(cause) => return Err(self.ended(sent, cause)),
        };
        let put_off = left.len();
        self.done += sent.saturating_sub(put_off);
        for one in left.into_iter().rev() {
            self.open.push_front(one);
        }
        match self.retries.pause(put_off < sent).await {
            Ok(()) => Ok(()),
            Err(cause) => Err(self.ended(0, cause)),
        }
    }

    fn ended(&self, refused: usize, cause: Error) -> Error {
        Error::Batch { done: self.done, open: self.open.len() + refused, cause: Box::new(cause) }
    }
}
