//! Reads: from what a request asks for to a page, by one view of the store.
//!
//! | file | idea |
//! |---|---|
//! | `selection.rs` | what is returned: Select, projections, which index can be read |
//! | `key_range.rs` | which byte range is read: key conditions, start keys |
//! | `versions.rs` | which versions of items are read |
//! | `page.rs` | the walk over ranges that Query, Scan and SELECT share |
//! | `json_rows.rs` | rows written into the response as they are read |
//! | `pace.rs` | how long a read goes on before it gives way: counted work |
//!
//! Left to others: who may read and which state they see (the engine asks that under a profile), and
//! the checks of a request.

pub(crate) mod json_rows;
pub(crate) mod key_range;
pub(crate) mod pace;
mod page;
pub(crate) mod selection;
pub(crate) mod versions;

pub(crate) use page::{Fetched, Output, Page, PagePlan, Rows, cursor, from_key, read_ranges};
