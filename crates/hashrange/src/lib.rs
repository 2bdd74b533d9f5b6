//! DynamoDB in your program: the service's operations on a database in memory or in a folder, in
//! process, without HTTP.
//!
//! ```
//! use hashrange::{Database, item, create_table, PutItemInput, GetItemInput};
//!
//! let database = Database::memory().blocking();
//! database.create_table(create_table("Music", ("Artist", "S"), Some(("Song", "S"))))?;
//! database.put_item(PutItemInput {
//!     table_name: Some("Music".into()),
//!     item: Some(item! { "Artist": "Nina Simone", "Song": "Sinnerman", "Year": 1965 }.into()),
//!     ..PutItemInput::default()
//! })?;
//! let found = database.get_item(GetItemInput {
//!     table_name: Some("Music".into()),
//!     key: Some(item! { "Artist": "Nina Simone", "Song": "Sinnerman" }.into()),
//!     ..GetItemInput::default()
//! })?;
//! assert_eq!(found.item.unwrap().get("Year").unwrap().to_attribute_value(), 1965.into());
//! # Ok::<(), hashrange::ApiError>(())
//! ```
//!
//! Requests and responses are the service's own ([`PutItemInput`], [`QueryOutput`], ...), members
//! optional as on the wire; an [`Item`] is kept in its binary form and read through
//! [`Item::get`]. [`Database::call`] takes and returns the wire's JSON instead.
//!
//! A database can be shared between threads and cloned cheaply. Its futures need no particular
//! runtime; reads are ready at once, writes when they are on disk.
#![forbid(unsafe_code)]

mod blocking;
pub mod calls;
mod clock;
mod database;
mod error;
mod literals;
mod sandbox;
mod sharding;
pub mod text;
mod typed;

pub use blocking::Blocking;
pub use calls::{Change, ChangeKind, IntoItem, Items, Page, StreamPosition, StreamRecords};
pub use clock::{Clock, ClockSetting};
pub use database::{Database, Options};
pub use error::{Error, Result};
pub use hashrange_engine::{Problem, Profile, Report};
pub use hashrange_model::error::StateFault;
pub use hashrange_model::{
    ApiError, ApiResult, AttributeType, AttributeValue, ErrorKind, FromAttribute, Item,
    ListElement, Number, NumberFault, Reason, Value, ValueRef, WrongType,
};
pub use hashrange_storage::{Stats, give_back_memory};
pub use hashrange_wire::*;
pub use literals::create_table;
pub use sandbox::{Sandbox, Save};
pub use sharding::{BadSharding, Sharding};
pub use typed::{
    TypedError, binary_set, from_attribute_value, from_item, number, number_set, string_set,
    to_attribute_value, to_item,
};

/// What the macros expand to; no part of the interface.
#[doc(hidden)]
pub mod macro_parts {
    pub use crate::literals::Written;
}
