//! The tree of keys: an item collection divided into folders and items, and the collections of a table, found
//! by skipping from one to the next.
//!
//! A folder is all keys that begin with the same text up to a delimiter, or up to a literal of their template; an
//! item is a key, of an index a value with one entry or more. After a folder the walk seeks the first key behind it,
//! so its cost depends on the nodes shown, not on the number of items.
//!
//! | file | idea |
//! |---|---|
//! | `levels.rs` | nodes of an entry, and the range of keys of each |
//! | `position.rs` | start of a page, in words that people can read |
//! | `reader.rs` | plan of a page, and what the readers share |
//! | `walk.rs` | walk over a range, shared by all readers |
//! | `skip.rs` | reader that seeks from node to node |
//! | `count.rs` | reader of all entries, which counts them; the largest nodes |
//! | `ruler/` | the whole line of an item collection as bins of neighbouring nodes |
//!
//! Left to others: the checks of a request (`ops/tree.rs`), permission to read (`engine/reading.rs`).

mod count;
mod levels;
mod position;
mod reader;
pub(crate) mod ruler;
mod skip;
mod walk;

pub(crate) use levels::{Levels, SortLevels};
pub use position::TreePosition;
pub(crate) use reader::{Counting, TreePlan};
pub(crate) use walk::{TreePage, read_tree};

use hashrange_expr::KeyPart;
use hashrange_model::error::TreeFault;
use hashrange_model::{Item, Reason};

/// The most levels of a tree.
const DEPTH_MAX: usize = 32;
/// Most nodes of a page, and the default.
const LIMIT_MAX: usize = 1000;

/// Returns the most levels a request asks for, by default one.
pub(crate) fn depth(asked: Option<usize>) -> Result<usize, Reason> {
    bounded("Depth", asked.unwrap_or(1), DEPTH_MAX)
}

/// Returns the most nodes of a page, by default [`LIMIT_MAX`].
pub(crate) fn limit(asked: Option<usize>) -> Result<usize, Reason> {
    bounded("Limit", asked.unwrap_or(LIMIT_MAX), LIMIT_MAX)
}

fn bounded(member: &'static str, number: usize, most: usize) -> Result<usize, Reason> {
    if (1..=most).contains(&number) {
        return Ok(number);
    }
    Err(Reason::Tree(TreeFault::OutOfBounds { member, most }))
}

/// A page of a tree, or of partition keys.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeOutput {
    /// The nodes, each before those within it.
    pub nodes: Vec<TreeNode>,
    /// Start of the next page; `None` if this is the last one.
    pub next: Option<TreePosition>,
    /// Cost of the page.
    pub work: TreeWork,
}

impl From<TreePage> for TreeOutput {
    fn from(page: TreePage) -> Self {
        Self { nodes: page.nodes, next: page.next, work: page.work }
    }
}

/// Kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// All keys with one partition key.
    Partition,
    /// All keys that begin with a text that ends with the delimiter, or that have one value of a sort key
    /// attribute that is not the last one.
    Folder,
    /// One sort key: an item of a table, one entry or more of an index.
    Item,
}

/// A node of a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeNode {
    /// Its kind.
    pub kind: NodeKind,
    /// Depth below the requested root, from 1.
    pub level: usize,
    /// Text of the key that this level adds: of a folder with its delimiter, numbers in digits, binary data in
    /// base64.
    pub name: String,
    /// Key attributes: of a partition the whole partition key; else the first ones of the sort key, of which a folder
    /// may have only the beginning of the last.
    pub key: Item,
    /// Parts of the key, where key templates derive it; of a folder its whole parts.
    pub parts: Vec<KeyPart>,
    /// Items and bytes within, if asked for.
    pub counts: Option<NodeCounts>,
}

/// Counts of a node in one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NodeCounts {
    /// Items, or entries of an index.
    pub items: u64,
    /// Bytes of them, by the rules of the service.
    pub bytes: u64,
    /// Whether an earlier page has begun to count the node: the counts add up.
    pub continued: bool,
    /// Whether the next page goes on counting it.
    pub goes_on: bool,
}

/// Cost of a page, here and on the service.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TreeWork {
    /// Seeks in the order of keys.
    pub seeks: u64,
    /// Entries read, with those that only showed the end of the page.
    pub keys_read: u64,
    /// Read units, as of a Query that reads the same entries.
    pub read_units: f64,
    /// Estimated cost for a client of the service that reads the same.
    pub by_client: ClientWork,
}

/// Cost for a client of the service.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ClientWork {
    /// Requests.
    pub requests: u64,
    /// Read units.
    pub read_units: f64,
}
