//! A design seen as a whole: the entities of a table, the access patterns that its keys answer, what differs between
//! two designs, and the forms in which designs are written.
//!
//! | folder or file | idea |
//! |---|---|
//! | `entities/` | kinds of items in a table, from a sample: keys, templates, attributes, drift |
//! | `coverage/` | access patterns against keys and indexes: range, filter, scan, cost |
//! | `plan.rs` | a design: requests that create tables, templates, sample items |
//! | `formats/` | designs in the forms of NoSQL Workbench, CloudFormation and Terraform |
//! | `difference/` | two designs compared, and the text of it for a pull request |
//! | `page/` | one HTML page that shows all of it |
//! | `words.rs` | counts and texts in sentences |
//!
//! Pure: definitions, items and requests go in, values and texts come out. Left to others: reading files and tables,
//! and printing.
#![forbid(unsafe_code)]

pub mod coverage;
pub mod difference;
pub mod entities;
pub mod formats;
pub mod page;
pub mod plan;
mod words;
