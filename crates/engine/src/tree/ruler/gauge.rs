//! The reader of a ruler: counts entries in the nodes of the line, and may leave a node after a few.

use super::RulerPlan;
use crate::read::{cursor, key_range};
use crate::tree::levels::PathNode;
use crate::tree::reader::{Reader, TreeStep};
use crate::tree::skip::{PASSED_MAX, PASSED_MAX_BYTES};
use crate::tree::{NodeKind, TreePosition};
use hashrange_model::Item;
use hashrange_storage::Wanted;

/// Bounds on the work of a reader.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    /// Entries.
    pub(super) keys: usize,
    /// Bytes of entries: it ends with the entry that reaches them.
    pub(super) bytes: usize,
    /// Nodes that it leaves by a seek before it ends, if it leaves nodes.
    pub(super) leaves: usize,
}

/// The entries of one node that were met.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub(super) node: PathNode,
    /// The first and the last one, whole entries or their keys.
    pub(super) first: Item,
    pub(super) last: Item,
    pub(super) items: u64,
    pub(super) bytes: u64,
    /// Whether these are all.
    pub(super) is_exact: bool,
    /// Whether a stretch that nobody has looked at begins behind it, or ends before it.
    pub(super) is_beside_gap: bool,
}

impl Segment {
    fn new(node: PathNode, first: Item) -> Self {
        let last = first.clone();
        Self { node, first, last, items: 0, bytes: 0, is_exact: true, is_beside_gap: false }
    }

    /// Returns the segment of a node of which an earlier call has counted some entries.
    pub(super) fn counted_before(
        node: PathNode,
        (first, last): (Item, Item),
        (items, bytes): (u64, u64),
    ) -> Self {
        Self { last, items, bytes, ..Self::new(node, first) }
    }
}

/// Reader of entries.
pub(super) struct Gauge<'p, 't> {
    plan: &'p RulerPlan<'t>,
    segments: Vec<Segment>,
    budget: Budget,
    /// Whether it leaves a node after a few entries.
    skips: bool,
    /// Entries of the last node that were taken, and their bytes.
    passed: (usize, usize),
    bytes: usize,
}

impl<'p, 't> Gauge<'p, 't> {
    /// Returns a reader of all entries; `open` is the node that an earlier call has begun.
    pub(super) fn counting(plan: &'p RulerPlan<'t>, budget: Budget, open: Option<Segment>) -> Self {
        let segments = open.into_iter().collect();
        Self { plan, segments, budget, skips: false, passed: (0, 0), bytes: 0 }
    }

    /// Returns a reader that leaves each node after a few entries.
    pub(super) fn skipping(plan: &'p RulerPlan<'t>, budget: Budget) -> Self {
        Self { skips: true, ..Self::counting(plan, budget, None) }
    }

    /// Returns the bytes of the entries that it took.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn into_segments(self) -> Vec<Segment> {
        self.segments
    }

    /// Ends the walk behind the entry that was taken last; `within` its node, or before the next one.
    fn over(&mut self, within: bool) -> TreeStep {
        let last = self.segments.last_mut().expect("it takes an entry before it ends");
        last.is_exact = last.is_exact && !within;
        let key = cursor(self.plan.table, self.plan.index, &last.last);
        TreeStep::Over(TreePosition::Entry(key))
    }

    /// Counts an entry in the last node.
    fn count(&mut self, entry: Item) {
        let size = entry.size();
        self.bytes += size;
        self.budget.keys -= 1;
        self.budget.bytes = self.budget.bytes.saturating_sub(size);
        self.passed = (self.passed.0 + 1, self.passed.1 + size);
        let last = self.segments.last_mut().expect("the entry lies in a node");
        last.items = last.items.saturating_add(1);
        last.bytes = last.bytes.saturating_add(size as u64);
        last.last = entry;
    }

    /// Returns whether the last node is to be left by a seek.
    fn leaves(&self) -> bool {
        let is_one_item = self.plan.index.is_none()
            && self.segments.last().is_some_and(|last| last.node.kind == NodeKind::Item);
        let (entries, bytes) = self.passed;
        self.skips && !is_one_item && (entries >= PASSED_MAX || bytes >= PASSED_MAX_BYTES)
    }
}

impl Reader for Gauge<'_, '_> {
    fn take(&mut self, key: &[u8], entry: Item) -> TreeStep {
        let last = self.segments.last();
        let is_at_home = last.is_some_and(|last| key_range::contains(&last.node.range, key));
        if self.budget.keys == 0 || self.budget.bytes == 0 {
            return self.over(is_at_home);
        }
        if !is_at_home {
            let node = self.plan.node(&entry).expect("an entry lies in a node");
            self.segments.push(Segment::new(node, entry.clone()));
            self.passed = (0, 0);
        }
        self.count(entry);
        if !self.leaves() {
            return TreeStep::On;
        }
        if self.budget.leaves == 0 {
            return self.over(true);
        }
        self.budget.leaves -= 1;
        self.segments.last_mut().expect("it was counted").is_exact = false;
        TreeStep::Behind
    }

    fn wanted(&self) -> Wanted {
        let entries = self.budget.keys + 1;
        if self.skips {
            let entries = entries.min(2 * PASSED_MAX);
            return Wanted { entries, bytes: 2 * PASSED_MAX_BYTES };
        }
        Wanted { entries, bytes: self.budget.bytes.max(1) }
    }

    fn node(&self) -> Option<&PathNode> {
        self.segments.last().map(|last| &last.node)
    }
}
