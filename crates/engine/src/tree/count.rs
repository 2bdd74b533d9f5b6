//! The reader of all entries, which counts them in each of their nodes.
//!
//! A node that does not fit a page is shown again in the next one, with the counts of that page: the counts of all
//! pages add up.
//!
//! Looking for the largest nodes, a page reads more and keeps few: the largest ones and those at its ends, which
//! other pages count, too. So the largest nodes of all pages together are the largest of all.

use super::levels::PathNode;
use super::reader::{Counting, PageReader, Read, Reader, TreePlan, TreeStep, shared};
use super::{ClientWork, NodeCounts, TreeNode, TreePosition};
use crate::capacity::read_units;
use crate::read::{cursor, key_range};
use hashrange_model::Item;
use hashrange_model::limits::PAGE_SIZE_MAX_BYTES;
use hashrange_storage::Wanted;

/// Bytes of entries in a page that looks for the largest nodes.
const LARGEST_PAGE_BYTES: usize = 16 * PAGE_SIZE_MAX_BYTES;

/// A current node of the walk.
#[derive(Debug)]
struct Open {
    node: PathNode,
    /// Offset in the nodes of the page, once an entry of the page lies in it.
    place: Option<usize>,
    /// Whether an earlier page has begun to count it.
    continued: bool,
}

/// Reader of nodes with counts.
pub(super) struct Count<'p, 't> {
    plan: &'p TreePlan<'t>,
    /// From the outermost to the deepest.
    open: Vec<Open>,
    nodes: Vec<TreeNode>,
    /// The entry that was taken last.
    last: Option<Item>,
    bytes: usize,
    bytes_max: usize,
}

impl<'p, 't> Count<'p, 't> {
    pub(super) fn new(plan: &'p TreePlan<'t>) -> Self {
        let continued = |node: &PathNode| Open { node: node.clone(), place: None, continued: true };
        let bytes_max = match plan.counting {
            Counting::Largest => LARGEST_PAGE_BYTES,
            Counting::No | Counting::Yes => PAGE_SIZE_MAX_BYTES,
        };
        let open = plan.open.iter().map(continued).collect();
        Self { plan, open, nodes: Vec::new(), last: None, bytes: 0, bytes_max }
    }

    fn is_largest(&self) -> bool {
        self.plan.counting == Counting::Largest
    }

    /// Returns whether an entry lies in the deepest node and all its nodes are shown.
    fn is_at_home(&self, key: &[u8]) -> bool {
        let deepest = self.open.last();
        deepest.is_some_and(|open| key_range::contains(&open.node.range, key))
            && self.open.iter().all(|open| open.place.is_some())
    }

    /// Ends the page before an entry that shares `open` nodes.
    fn over(&mut self, open: usize) -> TreeStep {
        for place in self.open.iter().take(open).filter_map(|open| open.place) {
            if let Some(counts) = self.nodes.get_mut(place).and_then(|node| node.counts.as_mut()) {
                counts.goes_on = true;
            }
        }
        let last = self.last.as_ref().expect("a page takes an entry before it is full");
        TreeStep::Over(TreePosition::Entry(cursor(self.plan.table, self.plan.index, last)))
    }

    /// Opens the nodes of an entry; the number of open ones if there is no room for the others.
    fn enter(&mut self, path: Vec<PathNode>, is_full: bool) -> Result<(), usize> {
        let kept = shared(self.open.iter().map(|open| &open.node), &path);
        let is_shown = |open: &&Open| open.place.is_some();
        let new = path.len() - self.open[..kept].iter().filter(is_shown).count();
        let fits = self.is_largest() || self.nodes.len() + new <= self.plan.limit;
        // A page has the nodes of one entry at least.
        if is_full || !(fits || self.nodes.is_empty()) {
            return Err(kept);
        }
        if self.is_largest() && self.nodes.len() > 2 * self.plan.limit {
            self.thin();
        }
        self.open.truncate(kept);
        let opened = |node| Open { node, place: None, continued: false };
        self.open.extend(path.into_iter().skip(kept).map(opened));
        for (level, open) in (1..).zip(&mut self.open) {
            if open.place.is_none() {
                open.place = Some(self.nodes.len());
                let counts = NodeCounts { continued: open.continued, ..NodeCounts::default() };
                let node = open.node.show(level, self.plan.table);
                self.nodes.push(TreeNode { counts: Some(counts), ..node });
            }
        }
        Ok(())
    }

    fn count(&mut self, entry: Item) {
        let size = entry.size();
        self.bytes += size;
        for place in self.open.iter().filter_map(|open| open.place) {
            if let Some(counts) = self.nodes.get_mut(place).and_then(|node| node.counts.as_mut()) {
                counts.items += 1;
                counts.bytes += size as u64;
            }
        }
        self.last = Some(entry);
    }

    /// Drops all but the largest nodes and those that other pages count, too.
    fn thin(&mut self) {
        let counts = |node: &TreeNode| node.counts.unwrap_or_default();
        let is_split = |node: &TreeNode| counts(node).continued || counts(node).goes_on;
        let (split, mut whole): (Vec<_>, Vec<_>) = self.nodes.drain(..).partition(is_split);
        whole.sort_by_key(|node| std::cmp::Reverse(counts(node).bytes));
        whole.truncate(self.plan.limit);
        self.nodes = split;
        self.nodes.append(&mut whole);
    }
}

impl Reader for Count<'_, '_> {
    fn take(&mut self, key: &[u8], entry: Item) -> TreeStep {
        let is_full = self.bytes >= self.bytes_max;
        if is_full || !self.is_at_home(key) {
            let path = self.plan.levels.path(&entry);
            if let Err(open) = self.enter(path, is_full) {
                return self.over(open);
            }
        }
        self.count(entry);
        TreeStep::On
    }

    fn wanted(&self) -> Wanted {
        Wanted { bytes: self.bytes_max.saturating_sub(self.bytes).max(1), ..Wanted::ALL }
    }

    fn node(&self) -> Option<&PathNode> {
        self.open.last().map(|open| &open.node)
    }
}

impl PageReader for Count<'_, '_> {
    fn end(mut self: Box<Self>, _is_whole: bool) -> Read {
        if self.is_largest() {
            self.thin();
            self.nodes.sort_by_key(|node| std::cmp::Reverse(node.counts.unwrap_or_default().bytes));
        }
        let pages = self.bytes.div_ceil(PAGE_SIZE_MAX_BYTES).max(1);
        let by_client = ClientWork {
            requests: pages as u64,
            read_units: read_units(self.bytes, self.plan.consistent),
        };
        Read { nodes: self.nodes, bytes: self.bytes, by_client }
    }
}
