//! Hot keys: consumption by partition key, by item and by range of the hash space, minute by
//! minute, in bounded memory.
//!
//! | file | idea |
//! |---|---|
//! | `sums.rs` | consumption |
//! | `name.rs` | keys as bytes of a bounded length |
//! | `sketch.rs` | the heaviest keys of a stream, and the uncertainty of each figure |
//! | `book.rs` | a bounded number of minutes of a bounded number of tables and indexes |
//! | `report.rs` | report of a book, as data that can be summed over minutes and servers |
//! | `map.rs` | ranges by minutes |
//! | `advice.rs` | keys that would be throttled on the service |
//!
//! Pure: no clock, no network, no database. The server reports the consumption and the names of
//! keys.
#![forbid(unsafe_code)]

mod advice;
mod book;
mod map;
mod name;
mod report;
mod sketch;
mod sums;

pub use advice::{Advice, READ_UNITS_MAX, WRITE_UNITS_MAX, advice};
pub use book::{Book, MEMORY_MAX_BYTES, MINUTES_MAX, Place, RANGES, Span};
pub use map::{Map, MapRow, map};
pub use name::{CutKey, KEY_MAX_BYTES};
pub use report::{Hot, HotKey, KeyName, MinuteHeat, PlaceHeat, ReportFault, Summary, Top};
pub use sums::{Measure, Sums};
