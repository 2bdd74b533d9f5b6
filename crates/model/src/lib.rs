//! DynamoDB's data model as plain data: attribute values, items and their compact binary form,
//! exact 38-digit numbers, sizes, limits, and every error with its wording.
//!
//! Invariants as absences: no IO, no async, no JSON, no HTTP, no knowledge of tables' contents.
//! Parsing requests is `hashrange-wire`'s work, expressions are `hashrange-expr`'s.
#![forbid(unsafe_code)]

pub mod bounds;
pub mod calendar;
pub mod convert;
pub mod encode;
pub mod error;
pub mod item;
pub mod limits;
pub mod moment;
pub mod nearest;
pub mod number;
pub mod reserved;
pub mod value;

pub use convert::{FromAttribute, ListElement, WrongType};
pub use error::{ApiError, ApiResult, ErrorKind, Reason};
pub use item::Item;
pub use number::{Number, NumberFault, NumberRef};
pub use value::{AttributeType, AttributeValue, RawValue, Value, ValueRef};
