//! Items from files and standard input: one reader for `import`, `put` and `--load`.
//!
//! | file | idea |
//! |---|---|
//! | `source.rs` | files and standard input, compressed or not |
//! | `window.rs` | bytes that can be looked at before they are taken; knows the line |
//! | `nesting.rs` | end of a value, by its brackets and quotes |
//! | `encoding.rs`, `foreign.rs` | names of forms that are not read |
//! | `lines.rs` | one record in a line, or CSV |
//! | `kind.rs` | kind of an object: an item, an answer with items, or a request that puts some |
//! | `document.rs` | JSON that spans lines, cut into items as it is read |
//! | `records.rs` | records of a source: lines or a document |
//! | `reader.rs` | a thread that makes items of records |
//! | `key.rs` | primary keys of items |
//!
//! Invariant: of a source of any size the reader holds one record at most, and a bounded part ahead
//! of it.

mod document;
pub mod encoding;
mod foreign;
pub mod key;
mod kind;
mod lines;
mod nesting;
pub mod reader;
pub mod records;
pub mod source;
mod window;
