//! The history of tables: what a change leaves of what was before, and a table as it was at a moment.
//!
//! An entry says *this was so until T*: it holds the image that an item had until the change at the moment
//! T, or that there was none. So enabling a history copies nothing, and a table as it was at a moment
//! `at` is: of each item the first entry whose T is later than `at`, or if there is none what it is now.
//!
//! | file | idea |
//! |---|---|
//! | `version.rs` | the entry: its form, and how a change puts it |
//! | `name.rs` | names such as `orders.asof.20261121T100000Z` |
//! | `view.rs` | a view of a table as it was |
//! | `changes.rs` | what has changed between two moments |
//! | `versions.rs` | a view of all versions that the items of a table have had |
//!
//! Invariants: the moments of an item's entries grow strictly in the order of its changes; all that one
//! commit changes has one moment (`write/moment.rs`). Left to others: keys (`layout/history.rs`), the
//! retention (`jobs/history_sweep.rs`).

pub(crate) mod changes;
mod name;
mod version;
pub(crate) mod versions;
mod view;

pub use changes::ItemChange;
pub(crate) use name::{parse_name, past_text};
pub(crate) use version::{Version, keep};
pub(crate) use view::TableView;
