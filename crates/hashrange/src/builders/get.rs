//! Reading one item.

use super::parameters::{Parameters, rewritten};
use super::{AsItem, AsType, CallFuture, Handle, IntoItem, Shape, awaited_or_run, checked};
use crate::{Database, Result};
use hashrange_model::Item;
use hashrange_wire::{Get as TransactedGet, GetItemInput};
use std::marker::PhantomData;

/// Reads one item; see [`Database::get`](crate::Database::get).
#[derive(Debug)]
#[must_use = "a call does nothing until it is awaited or run"]
pub struct Get<D, S = AsItem> {
    handle: D,
    table: String,
    key: Result<Item>,
    select: Option<String>,
    is_consistent: bool,
    parameters: Parameters,
    shape: PhantomData<fn() -> S>,
}

impl<D: Handle> Get<D> {
    pub(crate) fn new(handle: D, table: impl Into<String>, key: impl IntoItem) -> Self {
        Self {
            handle,
            table: table.into(),
            key: key.into_item(),
            select: None,
            is_consistent: false,
            parameters: Parameters::default(),
            shape: PhantomData,
        }
    }

    /// Returns the item as a type with serde's `Deserialize`.
    pub fn typed<T: serde::de::DeserializeOwned + Send + 'static>(self) -> Get<D, AsType<T>> {
        Get {
            handle: self.handle,
            table: self.table,
            key: self.key,
            select: self.select,
            is_consistent: self.is_consistent,
            parameters: self.parameters,
            shape: PhantomData,
        }
    }
}

impl<D: Handle, S: Shape> Get<D, S> {
    /// Returns these attributes only: `city, address.street, lines[0]`.
    pub fn select(mut self, paths: impl Into<String>) -> Self {
        self.select = Some(paths.into());
        self
    }

    /// Reads the newest item. Without it a profile may return an older item; under the default
    /// profile every read returns the newest.
    pub fn consistent(mut self) -> Self {
        self.is_consistent = true;
        self
    }

    /// Gives an attribute's name for a placeholder, which is written `#name` in the paths.
    pub fn name(mut self, placeholder: &str, name: impl Into<String>) -> Self {
        self.parameters.name(placeholder, name.into());
        self
    }

    async fn perform(self) -> Result<Option<S::Output>> {
        let database = self.handle.shared().clone();
        let is_consistent = self.is_consistent;
        get(database, self.into_get()?, is_consistent).await?.map(S::shape).transpose()
    }

    /// Returns the read as one of a transaction.
    pub(super) fn into_get(self) -> Result<TransactedGet<'static>> {
        let mut placeholders = self.parameters.placeholders();
        let select = rewritten(&mut placeholders, self.select.as_deref())?;
        let (names, _) = self.parameters.finish(placeholders)?.into_maps();
        Ok(TransactedGet {
            table_name: Some(self.table.into()),
            key: Some(checked::item(self.key?)),
            projection_expression: select.map(Into::into),
            expression_attribute_names: names,
        })
    }
}

fn get(
    database: Database,
    get: TransactedGet<'static>,
    is_consistent: bool,
) -> CallFuture<Option<Item>> {
    let input = GetItemInput {
        table_name: get.table_name,
        key: get.key,
        projection_expression: get.projection_expression,
        expression_attribute_names: get.expression_attribute_names,
        consistent_read: is_consistent.then_some(true),
        ..GetItemInput::default()
    };
    Box::pin(async move { Ok(database.unboxed().get_item(input).await?.item) })
}

awaited_or_run!(<S> Get<S> -> Option<S::Output>);
