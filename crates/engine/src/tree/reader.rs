//! Plan of a page of a tree, and what the readers of entries share.

use super::levels::{Levels, PathNode};
use super::{ClientWork, TreeNode, TreePosition};
use crate::schema::{Index, Table};
use hashrange_model::Item;
use hashrange_storage::{Direction, KeyRange, Wanted};

/// Whether entries within nodes are read and counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counting {
    /// They are skipped.
    No,
    /// They are read, as many in a page as in that of a Query.
    Yes,
    /// They are read, many in a page, and only the largest nodes are shown.
    Largest,
}

/// Plan of a page; all checks are done.
#[derive(Debug)]
pub(crate) struct TreePlan<'t> {
    pub(crate) table: &'t Table,
    /// The index read, with its offset in the table.
    pub(crate) index: Option<(usize, &'t Index)>,
    pub(crate) levels: Levels<'t>,
    /// Rest of the range.
    pub(crate) range: KeyRange,
    /// The nodes in which the walk begins, which an earlier page has shown.
    pub(crate) open: Vec<PathNode>,
    pub(crate) direction: Direction,
    /// Most nodes to show.
    pub(crate) limit: usize,
    pub(crate) counting: Counting,
    pub(crate) consistent: bool,
}

/// Reader of the entries that the walk meets.
pub(super) trait Reader: Send {
    /// Takes the next entry.
    fn take(&mut self, key: &[u8], entry: Item) -> TreeStep;

    /// Returns the part of the range that it likely takes.
    fn wanted(&self) -> Wanted;

    /// Returns the current node.
    fn node(&self) -> Option<&PathNode>;
}

/// Reader of a page of a tree.
pub(super) trait PageReader: Reader {
    /// Ends the page; `is_whole` if the range was walked to its end.
    fn end(self: Box<Self>, is_whole: bool) -> Read;
}

/// Result of a reader.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) nodes: Vec<TreeNode>,
    /// Bytes of the entries that were taken.
    pub(super) bytes: usize,
    pub(super) by_client: ClientWork,
}

/// Step after an entry.
#[derive(Debug)]
pub(super) enum TreeStep {
    /// To the next entry.
    On,
    /// To the first entry behind the node.
    Behind,
    /// To the end of the page: the entry was not taken.
    Over(TreePosition),
}

/// Returns the rest of a range behind a node.
pub(super) fn behind(node: &KeyRange, range: KeyRange, direction: Direction) -> KeyRange {
    match (direction, &node.end) {
        (Direction::Forward, Some(end)) => KeyRange { start: end.clone(), ..range },
        (Direction::Backward, _) => KeyRange { end: Some(node.start.clone()), ..range },
        // Nothing is behind a node without an end.
        (Direction::Forward, None) => KeyRange { end: Some(range.start.clone()), ..range },
    }
}

/// Returns the number of nodes that two paths share.
pub(super) fn shared<'n>(one: impl IntoIterator<Item = &'n PathNode>, other: &[PathNode]) -> usize {
    one.into_iter().zip(other).take_while(|(one, other)| one.range == other.range).count()
}
