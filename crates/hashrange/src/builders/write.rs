//! Writing one item: put, update, delete.

use super::action::WriteParts;
use super::parameters::Parameters;
use super::{
    AsItem, AsType, CallFuture, Handle, IntoItem, Shape, awaited_or_run, parameter_methods,
};
use crate::text::{Placeholders, TextFault};
use crate::{Database, Result};
use hashrange_model::Item;
use hashrange_wire::{
    DeleteItemInput, PutItemInput, ReturnValue, ReturnValuesOnConditionCheckFailure,
    UpdateItemInput,
};
use std::marker::PhantomData;

/// Setting that lets a failed condition return the item that it met.
pub(super) const FAILED: Option<ReturnValuesOnConditionCheckFailure> =
    Some(ReturnValuesOnConditionCheckFailure::AllOld);

/// Writes an item and replaces the one with the same key; see
/// [`Database::put`](crate::Database::put).
#[derive(Debug)]
#[must_use = "a call does nothing until it is awaited or run"]
pub struct Put<D, S = AsItem> {
    handle: D,
    texts: Texts,
    shape: PhantomData<fn() -> S>,
}

/// Changes attributes of an item; see [`Database::update`](crate::Database::update).
#[derive(Debug)]
#[must_use = "a call does nothing until it is awaited or run"]
pub struct Update<D, S = AsItem> {
    handle: D,
    texts: Texts,
    /// The clauses, as they are given.
    clauses: Vec<Clause>,
    shape: PhantomData<fn() -> S>,
}

/// Removes an item; see [`Database::delete`](crate::Database::delete).
#[derive(Debug)]
#[must_use = "a call does nothing until it is awaited or run"]
pub struct Delete<D, S = AsItem> {
    handle: D,
    texts: Texts,
    shape: PhantomData<fn() -> S>,
}

/// Write in the caller's texts.
#[derive(Debug)]
struct Texts {
    table: String,
    /// The item of a put, the key of the others.
    item: Result<Item>,
    condition: Option<String>,
    parameters: Parameters,
}

impl Texts {
    fn new(table: impl Into<String>, item: impl IntoItem) -> Self {
        let (table, item) = (table.into(), item.into_item());
        Self { table, item, condition: None, parameters: Parameters::default() }
    }

    fn into_parts(self, placeholders: Placeholders) -> Result<WriteParts> {
        let condition = self.condition.as_deref();
        WriteParts::new(self.table, self.item, condition, self.parameters, placeholders)
    }
}

/// A part of an update.
#[derive(Debug)]
enum Clause {
    /// Actions of the clause with this name.
    Actions(&'static str, String),
    /// A whole expression.
    Whole(String),
}

/// Defines the methods of the calls that take a condition.
macro_rules! conditional_methods {
    ($write:ident) => {
        impl<D: Handle> $write<D> {
            /// Returns the item as a type with serde's `Deserialize`.
            pub fn typed<T>(self) -> $write<D, AsType<T>>
            where
                T: serde::de::DeserializeOwned + Send + 'static,
            {
                self.shaped()
            }
        }

        impl<D: Handle, S: Shape> $write<D, S> {
            /// Writes only if this condition is true of the item as it is:
            /// `attribute_not_exists(id)`, `version = 3`. If not,
            /// [`Error::is_condition_failed`](crate::Error::is_condition_failed) is true and the
            /// error has the [item](crate::Error::item).
            pub fn when(mut self, condition: impl Into<String>) -> Self {
                self.texts.condition = Some(condition.into());
                self
            }

            parameter_methods!(texts.parameters);
        }
    };
}

conditional_methods!(Put);
conditional_methods!(Update);
conditional_methods!(Delete);

impl<D: Handle> Put<D> {
    pub(crate) fn new(handle: D, table: impl Into<String>, item: impl IntoItem) -> Self {
        Self { handle, texts: Texts::new(table, item), shape: PhantomData }
    }

    fn shaped<S>(self) -> Put<D, S> {
        Put { handle: self.handle, texts: self.texts, shape: PhantomData }
    }
}

impl<D: Handle, S: Shape> Put<D, S> {
    async fn perform(self) -> Result<Option<S::Output>> {
        let database = self.handle.shared().clone();
        put(database, self.into_parts()?).await?.map(S::shape).transpose()
    }

    pub(super) fn into_parts(self) -> Result<WriteParts> {
        let placeholders = self.texts.parameters.placeholders();
        self.texts.into_parts(placeholders)
    }
}

fn put(database: Database, parts: WriteParts) -> CallFuture<Option<Item>> {
    let input = PutItemInput {
        table_name: Some(parts.table.into()),
        item: Some(parts.item),
        condition_expression: parts.condition.map(Into::into),
        expression_attribute_names: parts.names,
        expression_attribute_values: parts.values,
        return_values: Some(ReturnValue::AllOld),
        return_values_on_condition_check_failure: FAILED,
        ..PutItemInput::default()
    };
    Box::pin(async move { Ok(database.unboxed().put_item(input).await?.attributes) })
}

impl<D: Handle> Update<D> {
    pub(crate) fn new(handle: D, table: impl Into<String>, key: impl IntoItem) -> Self {
        Self { handle, texts: Texts::new(table, key), clauses: Vec::new(), shape: PhantomData }
    }

    fn shaped<S>(self) -> Update<D, S> {
        let Self { handle, texts, clauses, .. } = self;
        Update { handle, texts, clauses, shape: PhantomData }
    }
}

impl<D: Handle, S: Shape> Update<D, S> {
    /// Sets attributes: `population = population + 1, names[0] = 'x'`,
    /// `visits = if_not_exists(visits, 0) + 1`.
    pub fn set(self, actions: impl Into<String>) -> Self {
        self.clause(Clause::Actions("SET", actions.into()))
    }

    /// Removes attributes: `note, lines[2]`.
    pub fn remove(self, paths: impl Into<String>) -> Self {
        self.clause(Clause::Actions("REMOVE", paths.into()))
    }

    /// Adds numbers to attributes and elements to sets; a missing attribute begins at zero or
    /// empty: `visits 1`, `tags <<'new'>>`.
    #[expect(
        clippy::should_implement_trait,
        reason = "the clause of an update, as the service names it"
    )]
    pub fn add(self, pairs: impl Into<String>) -> Self {
        self.clause(Clause::Actions("ADD", pairs.into()))
    }

    /// Takes elements out of sets: `tags <<'new'>>`.
    pub fn delete(self, pairs: impl Into<String>) -> Self {
        self.clause(Clause::Actions("DELETE", pairs.into()))
    }

    /// Adds a whole update expression: `SET a = 1, b = b + 1 REMOVE c`.
    pub fn expression(self, update: impl Into<String>) -> Self {
        self.clause(Clause::Whole(update.into()))
    }

    fn clause(mut self, clause: Clause) -> Self {
        self.clauses.push(clause);
        self
    }

    async fn perform(self) -> Result<S::Output> {
        let database = self.handle.shared().clone();
        let (parts, expression) = self.into_parts()?;
        S::shape(update(database, parts, expression).await?)
    }

    /// Returns the parts of the request and the update expression.
    pub(super) fn into_parts(self) -> Result<(WriteParts, Option<String>)> {
        let mut placeholders = self.texts.parameters.placeholders();
        let expression = update_expression(&self.clauses, &mut placeholders)?;
        Ok((self.texts.into_parts(placeholders)?, expression))
    }
}

fn update(database: Database, parts: WriteParts, expression: Option<String>) -> CallFuture<Item> {
    let input = UpdateItemInput {
        table_name: Some(parts.table.into()),
        key: Some(parts.item),
        update_expression: expression.map(Into::into),
        condition_expression: parts.condition.map(Into::into),
        expression_attribute_names: parts.names,
        expression_attribute_values: parts.values,
        return_values: Some(ReturnValue::AllNew),
        return_values_on_condition_check_failure: FAILED,
        ..UpdateItemInput::default()
    };
    Box::pin(async move {
        Ok(database.unboxed().update_item(input).await?.attributes.unwrap_or_default())
    })
}

/// Returns the clauses as one expression: the actions of each clause together, each clause once.
fn update_expression(
    clauses: &[Clause],
    placeholders: &mut Placeholders,
) -> Result<Option<String>, TextFault> {
    let mut parts: Vec<String> = Vec::new();
    for name in ["SET", "REMOVE", "ADD", "DELETE"] {
        let mut actions = Vec::new();
        for clause in clauses {
            match clause {
                Clause::Actions(own, text) if *own == name => actions.push(match name {
                    "ADD" | "DELETE" => placeholders.pairs(text)?,
                    _ => placeholders.expression(text)?,
                }),
                Clause::Actions(..) | Clause::Whole(_) => {}
            }
        }
        if !actions.is_empty() {
            parts.push(format!("{name} {}", actions.join(", ")));
        }
    }
    for clause in clauses {
        if let Clause::Whole(text) = clause {
            parts.push(placeholders.update(text)?);
        }
    }
    Ok((!parts.is_empty()).then(|| parts.join(" ")))
}

impl<D: Handle> Delete<D> {
    pub(crate) fn new(handle: D, table: impl Into<String>, key: impl IntoItem) -> Self {
        Self { handle, texts: Texts::new(table, key), shape: PhantomData }
    }

    fn shaped<S>(self) -> Delete<D, S> {
        Delete { handle: self.handle, texts: self.texts, shape: PhantomData }
    }
}

impl<D: Handle, S: Shape> Delete<D, S> {
    async fn perform(self) -> Result<Option<S::Output>> {
        let database = self.handle.shared().clone();
        delete(database, self.into_parts()?).await?.map(S::shape).transpose()
    }

    pub(super) fn into_parts(self) -> Result<WriteParts> {
        let placeholders = self.texts.parameters.placeholders();
        self.texts.into_parts(placeholders)
    }
}

fn delete(database: Database, parts: WriteParts) -> CallFuture<Option<Item>> {
    let input = DeleteItemInput {
        table_name: Some(parts.table.into()),
        key: Some(parts.item),
        condition_expression: parts.condition.map(Into::into),
        expression_attribute_names: parts.names,
        expression_attribute_values: parts.values,
        return_values: Some(ReturnValue::AllOld),
        return_values_on_condition_check_failure: FAILED,
        ..DeleteItemInput::default()
    };
    Box::pin(async move { Ok(database.unboxed().delete_item(input).await?.attributes) })
}

awaited_or_run!(<S> Put<S> -> Option<S::Output>);
awaited_or_run!(<S> Update<S> -> S::Output);
awaited_or_run!(<S> Delete<S> -> Option<S::Output>);
