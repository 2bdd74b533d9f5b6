//! The reader from node to node: a few entries of each, then the first key behind it.
//!
//! Reading a few entries before a seek is cheaper than the seek where folders are small, above all on a store that
//! sends entries together.

use super::levels::PathNode;
use super::reader::{PageReader, Read, Reader, TreePlan, TreeStep, shared};
use super::{ClientWork, NodeKind, TreeNode, TreePosition};
use crate::capacity::read_units;
use crate::read::key_range;
use hashrange_model::Item;
use hashrange_model::limits::PAGE_SIZE_MAX_BYTES;
use hashrange_storage::Wanted;

/// Entries of a node that are read before the walk seeks its end.
pub(super) const PASSED_MAX: usize = 8;
/// Bytes of such entries.
pub(super) const PASSED_MAX_BYTES: usize = 16 * 1024;

/// Reader of nodes without counts.
pub(super) struct Skip<'p, 't> {
    plan: &'p TreePlan<'t>,
    /// Current nodes, from the outermost to the deepest.
    path: Vec<PathNode>,
    nodes: Vec<TreeNode>,
    /// Bytes of the entries taken.
    bytes: usize,
    /// Entries of the deepest node that were taken, and their bytes.
    passed: (usize, usize),
    by_client: ClientWork,
}

impl<'p, 't> Skip<'p, 't> {
    pub(super) fn new(plan: &'p TreePlan<'t>) -> Self {
        Self {
            plan,
            path: plan.open.clone(),
            nodes: Vec::new(),
            bytes: 0,
            passed: (0, 0),
            by_client: ClientWork::default(),
        }
    }

    /// Returns whether an entry lies in the deepest node. A page may begin in a folder of which nothing within was
    /// shown.
    fn is_at_home(&self, key: &[u8]) -> bool {
        self.path.last().is_some_and(|node| {
            self.plan.levels.is_deepest(node.kind, self.path.len())
                && key_range::contains(&node.range, key)
        })
    }

    /// Returns the position behind the node that was shown last.
    fn position(&self) -> TreeStep {
        let PathNode { kind, key, .. } = self.path.last().expect("an entry was taken");
        TreeStep::Over(TreePosition::Node { kind: *kind, key: key.clone() })
    }

    /// Shows the new nodes of an entry, as far as there is room; returns whether there was for all.
    fn show(&mut self, mut path: Vec<PathNode>) -> bool {
        let first = shared(&self.path, &path);
        let room = self.plan.limit.saturating_sub(self.nodes.len());
        let fitting = path.len().min(first + room);
        let is_all = fitting == path.len();
        if fitting > first {
            path.truncate(fitting);
            let shown = (first + 1..).zip(&path[first..]);
            self.nodes.extend(shown.map(|(level, node)| node.show(level, self.plan.table)));
            self.path = path;
        }
        is_all
    }

    /// Passes an entry of `bytes` in the deepest node.
    fn pass(&mut self, bytes: usize) -> TreeStep {
        self.bytes += bytes;
        self.passed = (self.passed.0 + 1, self.passed.1 + bytes);
        let is_one_item = self.plan.index.is_none()
            && self.path.last().is_some_and(|node| node.kind == NodeKind::Item);
        let (entries, bytes) = self.passed;
        if is_one_item || (entries < PASSED_MAX && bytes < PASSED_MAX_BYTES) {
            TreeStep::On
        } else {
            TreeStep::Behind
        }
    }
}

impl Reader for Skip<'_, '_> {
    fn take(&mut self, key: &[u8], entry: Item) -> TreeStep {
        if self.bytes >= PAGE_SIZE_MAX_BYTES {
            return self.position();
        }
        if !self.is_at_home(key) {
            if !self.show(self.plan.levels.path(&entry)) {
                return self.position();
            }
            self.passed = (0, 0);
            self.by_client.requests += 1;
            self.by_client.read_units += read_units(entry.size(), self.plan.consistent);
        }
        self.pass(entry.size())
    }

    fn wanted(&self) -> Wanted {
        Wanted { entries: 2 * PASSED_MAX, bytes: 2 * PASSED_MAX_BYTES }
    }

    fn node(&self) -> Option<&PathNode> {
        self.path.last()
    }
}

impl PageReader for Skip<'_, '_> {
    fn end(mut self: Box<Self>, is_whole: bool) -> Read {
        if is_whole {
            // The request that finds nothing more.
            self.by_client.requests += 1;
            self.by_client.read_units += read_units(0, self.plan.consistent);
        }
        Read { nodes: self.nodes, bytes: self.bytes, by_client: self.by_client }
    }
}
