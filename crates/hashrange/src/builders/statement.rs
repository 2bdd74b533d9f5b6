//! PartiQL statements.

use super::{AsItem, AsType, CallFuture, Handle, Shape, awaited_or_run, checked};
use crate::{Database, Error, Result};
use hashrange_model::{AttributeValue, Item};
use hashrange_wire::ExecuteStatementInput;
use std::marker::PhantomData;

/// Runs a PartiQL statement; see [`Database::statement`](crate::Database::statement).
#[derive(Debug)]
#[must_use = "a call does nothing until it is awaited or run"]
pub struct Statement<D, S = AsItem> {
    handle: D,
    text: String,
    parameters: Result<Vec<AttributeValue>>,
    is_consistent: bool,
    shape: PhantomData<fn() -> S>,
}

impl<D: Handle> Statement<D> {
    pub(crate) fn new(handle: D, text: impl Into<String>) -> Self {
        Self {
            handle,
            text: text.into(),
            parameters: Ok(Vec::new()),
            is_consistent: false,
            shape: PhantomData,
        }
    }

    /// Returns the items as values of a type with serde's `Deserialize`.
    pub fn typed<T: serde::de::DeserializeOwned + Send + 'static>(self) -> Statement<D, AsType<T>> {
        let Self { handle, text, parameters, is_consistent, .. } = self;
        Statement { handle, text, parameters, is_consistent, shape: PhantomData }
    }
}

impl<D: Handle, S: Shape> Statement<D, S> {
    /// Gives the value of the next `?` in the statement.
    pub fn value<V>(mut self, value: V) -> Self
    where
        V: TryInto<AttributeValue, Error: Into<Error>>,
    {
        match value.try_into() {
            Ok(value) => {
                if let Ok(parameters) = &mut self.parameters {
                    parameters.push(value);
                }
            }
            // The first error counts.
            Err(error) => self.parameters = self.parameters.and(Err(error.into())),
        }
        self
    }

    /// Reads the newest items, which a global index cannot. Without it a profile may return older
    /// items; under the default profile every read returns the newest.
    pub fn consistent(mut self) -> Self {
        self.is_consistent = true;
        self
    }

    async fn perform(self) -> Result<Vec<S::Output>> {
        let database = self.handle.shared().clone();
        let found = execute(database, self.text, self.parameters?, self.is_consistent).await?;
        found.into_iter().map(S::shape).collect()
    }
}

/// Runs a statement and returns the items of all pages.
fn execute(
    database: Database,
    text: String,
    parameters: Vec<AttributeValue>,
    is_consistent: bool,
) -> CallFuture<Vec<Item>> {
    Box::pin(async move {
        let parameters: Vec<_> = parameters.iter().map(checked::value).collect();
        let mut found = Vec::new();
        let mut next = None;
        loop {
            let input = ExecuteStatementInput {
                statement: Some(text.as_str().into()),
                parameters: (!parameters.is_empty()).then(|| parameters.clone()),
                consistent_read: is_consistent.then_some(true),
                next_token: next.map(Into::into),
                return_values_on_condition_check_failure: super::write::FAILED,
                ..ExecuteStatementInput::default()
            };
            let output = database.unboxed().execute_statement(input).await?;
            found.extend(output.items.into_iter().flatten());
            next = output.next_token;
            if next.is_none() {
                return Ok(found);
            }
        }
    })
}

awaited_or_run!(<S> Statement<S> -> Vec<S::Output>);
