//! The history of tables: what a change leaves of what was before, and a table as it was at a moment.
//!
//! An entry says *this was so until that change*: it holds the image that an item had until then, or that
//! there was none. So enabling a history copies nothing, and a table as it was at a moment is: of each item the
//! entry that comes next after that of the last change up to the moment, or if there is none what it is now.
//!
//! | file | idea |
//! |---|---|
//! | `version.rs` | the entry: its form, and how a change puts it |
//! | `entries.rs` | the entries of one item, and the one that tells how it was at a moment |
//! | `name.rs` | names such as `orders.asof.20261121T100000Z` |
//! | `view.rs` | a view of a table as it was |
//! | `changes.rs` | what has changed between two moments |
//! | `versions.rs` | a view of all versions that the items of a table have had |
//! | `ahead.rs` | changes that are dated ahead of the clock |
//! | `place.rs` | the attributes that tell one version of an item from the others |
//!
//! Invariants: the stamps of an item's entries grow strictly in the order of its changes; all that one
//! commit changes has one moment, which the clock gave (`write/moment.rs`). Left to others: keys and stamps
//! (`layout/history.rs`), the retention (`jobs/history_sweep.rs`).

mod ahead;
pub(crate) mod changes;
pub(crate) mod entries;
mod name;
pub(crate) mod place;
mod version;
mod versions;
mod view;

pub use ahead::Ahead;
pub use changes::ItemChange;
pub(crate) use name::{parse_name, past_text};
pub(crate) use version::{Version, keep};
pub(crate) use view::TableView;
