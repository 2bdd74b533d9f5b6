//! The tree of keys: an item collection divided into folders and items, and the collections of a table, found
//! by skipping from one to the next.
//!
//! A folder is all keys that begin with the same text up to a delimiter, or up to a literal of their template; an item
//! is a key, of an index a value with one entry or more. After a folder was seen the walk goes on at the first key
//! behind it, so what it costs depends on what is shown, not on how many items there are.
//!
//! | file | idea |
//! |---|---|
//! | `levels.rs` | which folders an entry lies in, and the range of keys of each |
//! | `position.rs` | where a page begins, in words that people can read |
//! | `walk.rs` | the walk over a range, and what both ways to read share |
//! | `skip.rs` | from node to node |
//! | `count.rs` | over all entries, counting them; the largest nodes |
//!
//! Left to others: the checks of a request (`ops/tree.rs`), who may read (`engine/reading.rs`).

mod count;
mod levels;
mod position;
mod skip;
mod walk;

pub(crate) use levels::{Levels, SortLevels};
pub use position::TreePosition;
pub(crate) use walk::{Counting, TreePage, TreePlan, read_tree};

use hashrange_expr::KeyPart;
use hashrange_model::error::TreeFault;
use hashrange_model::{Item, Reason};

/// The most levels of a tree.
const DEPTH_MAX: usize = 32;
/// The most nodes of a page, and as many as it has if nothing is said.
const LIMIT_MAX: usize = 1000;

/// Returns the most levels that a request asks for: one if it does not say.
pub(crate) fn depth(asked: Option<usize>) -> Result<usize, Reason> {
    bounded("Depth", asked.unwrap_or(1), DEPTH_MAX)
}

/// Returns the most nodes of the page that a request asks for.
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
    /// Where the next page begins; `None` if this is the last one.
    pub next: Option<TreePosition>,
    /// What the page has cost.
    pub work: TreeWork,
}

impl From<TreePage> for TreeOutput {
    fn from(page: TreePage) -> Self {
        Self { nodes: page.nodes, next: page.next, work: page.work }
    }
}

/// What a node of a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// All that has one partition key.
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
    /// What it is.
    pub kind: NodeKind,
    /// How deep it is below what was asked for, from 1.
    pub level: usize,
    /// What this level adds to the key, as text: of a folder with its delimiter, numbers in digits, binary
    /// data in base64.
    pub name: String,
    /// The key attributes that it has: of a partition all of the partition key; else the first ones of the sort
    /// key, the last of them of a folder only its beginning.
    pub key: Item,
    /// The parts of the key, where key templates derive it; of a folder those that are whole in it.
    pub parts: Vec<KeyPart>,
    /// What is in it, if that was asked for.
    pub counts: Option<NodeCounts>,
}

/// What a page has found in a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NodeCounts {
    /// Items, or entries of an index.
    pub items: u64,
    /// Their sizes, by the rules of the service.
    pub bytes: u64,
    /// Whether a page before this one has begun to count it: the counts add up.
    pub continued: bool,
    /// Whether it goes on in the next page.
    pub goes_on: bool,
}

/// What a page has cost, here and on the service.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TreeWork {
    /// How often a place in the order of keys was looked up.
    pub seeks: u64,
    /// Entries read, also those that only showed where the page ends.
    pub keys_read: u64,
    /// Read units used: as those of a Query that reads the same entries.
    pub read_units: f64,
    /// An estimate of what a client of the service needs for the same.
    pub by_client: ClientWork,
}

/// What a client of the service would need.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ClientWork {
    /// Requests.
    pub requests: u64,
    /// Read units.
    pub read_units: f64,
}
