//! Reads: from the plan of a request to a page, by one view of the store.
//!
//! | file | idea |
//! |---|---|
//! | `selection.rs` | returned attributes: Select, projections, readable indexes |
//! | `key_range.rs` | byte range of a page: key conditions, start keys |
//! | `versions.rs` | ranges of the versions of items |
//! | `page.rs` | walk over ranges, shared by Query, Scan and SELECT |
//! | `past_index.rs` | entries that an index of a table of the past would have |
//! | `merged.rs` | entries of several partitions in one order |
//! | `json_rows.rs` | rows written into the response as they are read |
//! | `pace.rs` | work of a read until it gives way |
//!
//! Left to others: permission to read and the state that is read (the engine asks that under a profile), and the
//! checks of a request.

pub(crate) mod json_rows;
pub(crate) mod key_range;
pub(crate) mod merged;
pub(crate) mod pace;
mod page;
mod past_index;
pub(crate) mod selection;
pub(crate) mod versions;

pub(crate) use page::{
    Fetched, Output, Page, PagePlan, Rows, cursor, from_key, read_merged, read_ranges,
};
