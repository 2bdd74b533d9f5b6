//! The service's JSON: a strict pull parser, an appending writer, and the traits that tie types to
//! both.

pub mod attribute_value;
pub mod decode;
pub mod encode;
pub mod parser;
mod scan;
pub mod writer;
