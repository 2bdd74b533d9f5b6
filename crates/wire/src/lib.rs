//! Requests and responses of DynamoDB and DynamoDB Streams on the wire: JSON in and out.
//!
//! The types in `generated` come from the service's own model (`model/facts.json`, reduced to
//! names, types and limits), so that no member of any operation is missing. [`decode`] reads a
//! request in one pass without an intermediate tree and turns items into their binary form at once.
//! [`Encode`] appends a response to a buffer.
//!
//! Left to others: HTTP and error envelopes of the framework (the server), every rule that is no
//! constraint of the model (the engine).
//!
//! Invariant: no input makes this crate panic, recurse without bound or use memory out of
//! proportion to the input's length.
#![forbid(unsafe_code)]

mod accessors;
pub mod check;
mod constraint;
mod enumeration;
mod generated;
pub mod json;
mod map;
mod operation;
mod request;

pub use constraint::Constrained;
pub use generated::enums::*;
pub use generated::exceptions;
pub use generated::operations::{Operation, calls};
pub use generated::requests::*;
pub use generated::responses::*;
pub use generated::shared::*;
pub use json::attribute_value::{DecodedItem, DecodedValue};
pub use json::decode::{Decode, Decoded, Fault, decode};
pub use json::encode::Encode;
pub use json::parser::syntax_check;
pub use map::Map;
pub use operation::{Call, Service};
pub use request::{cancellation_reasons, read_request, throttling_reasons};

/// A point in time on the wire: seconds since the epoch, with a fraction.
pub type Timestamp = f64;
