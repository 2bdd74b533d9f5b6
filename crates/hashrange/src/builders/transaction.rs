//! Transactions: several writes, or several reads, as of one moment.

use super::{Action, AsItem, Get, Handle, Shape, awaited_or_run};
use crate::Result;
use hashrange_model::Item;
use hashrange_wire::{
    self as wire, TransactGetItem, TransactGetItemsInput, TransactWriteItemsInput,
};

/// Makes up to 100 writes and checks together, or none; see
/// [`Database::transact_write`](crate::Database::transact_write).
#[derive(Debug)]
#[must_use = "a call does nothing until it is awaited or run"]
pub struct TransactWrite<D> {
    handle: D,
    actions: Vec<Action>,
    token: Option<String>,
}

impl<D: Handle> TransactWrite<D> {
    pub(crate) fn new(handle: D) -> Self {
        Self { handle, actions: Vec::new(), token: None }
    }

    /// Adds a write ([`Put`](super::Put), [`Update`](super::Update), [`Delete`](super::Delete)) or
    /// a [`Check`](super::Check).
    pub fn with(mut self, action: impl Into<Action>) -> Self {
        self.actions.push(action.into());
        self
    }

    /// Sets the idempotency token, 1 to 36 characters: the database makes a transaction with the
    /// same token only once within ten minutes.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    async fn perform(self) -> Result<()> {
        let items: Result<Vec<_>> = self.actions.into_iter().map(Action::into_item).collect();
        let input = TransactWriteItemsInput {
            transact_items: Some(items?),
            client_request_token: self.token.map(Into::into),
            ..TransactWriteItemsInput::default()
        };
        self.handle.shared().unboxed().transact_write_items(input).await?;
        Ok(())
    }
}

awaited_or_run!(TransactWrite -> ());

/// Reads up to 100 items as of one moment; see
/// [`Database::transact_get`](crate::Database::transact_get).
#[derive(Debug)]
#[must_use = "a call does nothing until it is awaited or run"]
pub struct TransactGet<D> {
    handle: D,
    gets: Vec<Result<wire::Get<'static>>>,
}

impl<D: Handle> TransactGet<D> {
    pub(crate) fn new(handle: D) -> Self {
        Self { handle, gets: Vec::new() }
    }

    /// Adds an item to be read. The answer has an item, or `None`, for each, in this order.
    pub fn with<H: Handle, S: Shape>(mut self, get: Get<H, S>) -> Self {
        self.gets.push(get.into_get());
        self
    }

    async fn perform(self) -> Result<Vec<Option<Item>>> {
        let gets: Result<Vec<_>> = self
            .gets
            .into_iter()
            .map(|get| get.map(|get| TransactGetItem { get: Some(get) }))
            .collect();
        let input = TransactGetItemsInput {
            transact_items: Some(gets?),
            ..TransactGetItemsInput::default()
        };
        let output = self.handle.shared().unboxed().transact_get_items(input).await?;
        let responses = output.responses.unwrap_or_default();
        responses.into_iter().map(|one| one.item.map(AsItem::shape).transpose()).collect()
    }
}

awaited_or_run!(TransactGet -> Vec<Option<Item>>);
