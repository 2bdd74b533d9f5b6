//! Builders that the short calls return, for the most frequent operations, on top of the typed
//! operations.
//!
//! Each call is a value that collects options. A program awaits a call of a [`Database`] and runs a
//! call of a [`Blocking`]. The call reads its texts (conditions, updates, projections) when it is
//! made, with all its placeholders together, and reports faulty values then.
//!
//! The crate that awaits a future compiles it. So that programs do not compile the engine for each
//! type that they read items as, the part that waits for the engine is behind a [`CallFuture`],
//! which is not generic over the item's type.

mod action;
mod batch;
mod checked;
mod get;
mod into_item;
mod page;
mod parameters;
mod pause;
mod read;
mod records;
mod records_position;
mod retry;
mod short;
mod statement;
mod table;
mod transaction;
mod write;

pub use action::{Action, Check};
pub use batch::{BatchGet, BatchWrite};
pub use get::Get;
pub use into_item::IntoItem;
pub use page::Page;
pub use read::{Items, Query, Scan};
pub use records::{Change, ChangeKind, StreamRecords};
pub use records_position::StreamPosition;
pub use statement::Statement;
pub use table::{CreateTable, DescribeTable, DropTable, Tables};
pub use transaction::{TransactGet, TransactWrite};
pub use write::{Delete, Put, Update};

use crate::{Blocking, Database, Result};
use hashrange_model::Item;
use serde::de::DeserializeOwned;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;

/// The future of a call.
pub type CallFuture<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

/// Handle that a call is made on: a [`Database`], whose calls are awaited, or a [`Blocking`], whose
/// calls are run.
pub trait Handle: sealed::Sealed + Clone {
    #[doc(hidden)]
    fn shared(&self) -> &Database;
}

impl Handle for Database {
    fn shared(&self) -> &Database {
        self
    }
}

impl Handle for Blocking {
    fn shared(&self) -> &Database {
        self.database()
    }
}

/// Form in which a call returns items: [`AsItem`] or [`AsType`].
pub trait Shape: sealed::Sealed {
    /// Type that an item is converted into.
    type Output: Send + 'static;

    #[doc(hidden)]
    fn shape(item: Item) -> Result<Self::Output>;
}

/// Items stay items.
#[derive(Debug, Clone, Copy)]
pub struct AsItem;

/// Items become values of a type, by [`from_item`](crate::from_item).
#[derive(Debug, Clone, Copy)]
pub struct AsType<T>(PhantomData<fn() -> T>);

impl Shape for AsItem {
    type Output = Item;

    fn shape(item: Item) -> Result<Item> {
        Ok(item)
    }
}

impl<T: DeserializeOwned + Send + 'static> Shape for AsType<T> {
    type Output = T;

    fn shape(item: Item) -> Result<T> {
        Ok(crate::from_item(&item)?)
    }
}

mod sealed {
    /// Limits the traits of calls to the types of this crate.
    pub trait Sealed {}
    impl Sealed for crate::Database {}
    impl Sealed for crate::Blocking {}
    impl Sealed for super::AsItem {}
    impl<T> Sealed for super::AsType<T> {}
}

/// Makes a call awaitable on a [`Database`] and runnable on a [`Blocking`]. The call's own method
/// `perform` returns the future.
macro_rules! awaited_or_run {
    ($(<$shape:ident>)? $call:ident $(<$parameter:ident>)? -> $output:ty) => {
        impl$(<$shape: crate::builders::Shape + 'static>)? std::future::IntoFuture for $call<crate::Database $(, $parameter)?> {
            type Output = crate::Result<$output>;
            type IntoFuture = crate::builders::CallFuture<$output>;

            fn into_future(self) -> Self::IntoFuture {
                Box::pin(self.perform())
            }
        }

        impl$(<$shape: crate::builders::Shape + 'static>)? $call<crate::Blocking $(, $parameter)?> {
            /// Makes the call and waits until it is done.
            ///
            /// # Errors
            /// The errors of the operation, or an unreadable text or value of the call.
            pub fn run(self) -> crate::Result<$output> {
                hashrange_storage::block_on(self.perform())
            }
        }
    };
}
pub(crate) use awaited_or_run;

/// Gives a call the methods for placeholders in its texts; `$parameters` is the field that holds
/// them.
macro_rules! parameter_methods {
    ($($parameters:ident).+) => {
        /// Gives a value for a placeholder, which is written `:name` in the texts of the call.
        pub fn value<V>(mut self, placeholder: &str, value: V) -> Self
        where
            V: TryInto<hashrange_model::AttributeValue, Error: Into<crate::Error>>,
        {
            self.$($parameters).+.value(placeholder, value.try_into().map_err(Into::into));
            self
        }

        /// Gives values for placeholders, as [`values!`](crate::values) has them.
        pub fn values(
            mut self,
            values: impl IntoIterator<Item = (String, hashrange_model::AttributeValue)>,
        ) -> Self {
            for (placeholder, value) in values {
                self.$($parameters).+.value(&placeholder, Ok(value));
            }
            self
        }

        /// Gives an attribute's name for a placeholder, which is written `#name` in the texts.
        pub fn name(mut self, placeholder: &str, name: impl Into<String>) -> Self {
            self.$($parameters).+.name(placeholder, name.into());
            self
        }
    };
}
pub(crate) use parameter_methods;
