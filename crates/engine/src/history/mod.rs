//! The history of tables: keeps the image that each change replaces, and shows a table as it was at
//! a moment.
//!
//! An entry says *this was so until that change*: it holds the image that an item had until then,
//! or says that the item did not exist. So enabling a history copies nothing. The state of an item
//! at a moment is in the entry that follows the one of its last change up to the moment; if no
//! entry follows, it is the present state.
//!
//! | file | idea |
//! |---|---|
//! | `version.rs` | the entry: its form, and the write that puts it |
//! | `entries.rs` | the entries of one item, and the entry with its state at a moment |
//! | `name.rs` | names such as `orders.asof.20261121T100000Z` |
//! | `view.rs` | a view of a table as it was |
//! | `changes.rs` | changes between two moments |
//! | `versions.rs` | a view of all versions that the items of a table have had |
//! | `future_changes.rs` | changes whose moments are later than the clock |
//! | `place.rs` | the attributes that distinguish the versions of an item |
//!
//! Invariants: the stamps of an item's entries grow strictly in the order of its changes; all
//! changes of one commit have one moment, which the clock gave (`write/moment.rs`). Left to others:
//! keys and stamps (`layout/history.rs`), the retention (`jobs/history_sweep.rs`).

pub(crate) mod changes;
pub(crate) mod entries;
mod future_changes;
mod name;
pub(crate) mod place;
mod version;
pub(crate) mod versions;
mod view;

pub use changes::ItemChange;
pub use future_changes::Ahead;
pub(crate) use name::{parse_name, past_text};
pub(crate) use version::{Version, keep};
pub(crate) use view::TableView;
