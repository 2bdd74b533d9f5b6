//! Keys as people put them together: the values of one key attribute, taken apart.
//!
//! | file | idea |
//! |---|---|
//! | `tokens.rs` | runs of letters and digits, and what is not to be divided: moments, UUIDs, addresses |
//! | `delimiters.rs` | the delimiters of an attribute, found in its values |
//! | `column.rs` | the values of a key attribute of a table or index, each with its components |
//! | `shape.rs` | beginnings of keys that differ in ids and moments only |
//! | `words.rs` | words: how they are written, and what they say of a number behind them |

mod column;
mod delimiters;
mod shape;
pub(crate) mod tokens;
pub(crate) mod words;

pub(crate) use column::{Column, Part, Role, Row};
pub(crate) use shape::Shape;
pub(crate) use tokens::{Kind, Token};
