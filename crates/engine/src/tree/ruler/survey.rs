//! The survey of the part of a line that is not counted.
//!
//! It looks at the last key first. Then it skips from node to node, if they are folders or partitions. If there are
//! more than it may skip, it looks into the widest stretch that nobody has seen, in its middle, again and again.

use super::RulerPlan;
use super::gauge::{Budget, Gauge, Segment};
use super::scale::Scale;
use crate::tree::walk::TreeWalk;
use hashrange_model::ApiResult;
use hashrange_storage::{Direction, Key, KeyRange, View};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

/// The last entry.
const LAST: Budget = Budget { keys: 1, bytes: usize::MAX, leaves: 0 };
/// Skips from node to node.
const SKIPS: Budget = Budget { keys: 2_000, bytes: 2 * 1024 * 1024, leaves: 200 };
/// One look into a stretch.
const LOOK: Budget = Budget { keys: 8, bytes: 64 * 1024, leaves: 0 };
const LOOKS: usize = 300;
/// Bytes of entries after which nobody looks into another stretch.
const LOOKED_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A stretch between two nodes that nobody has looked at.
#[derive(Debug)]
struct Gap {
    /// The first key that may lie in it, and the first one behind it.
    keys: (Key, Key),
    /// Positions of both.
    from: f64,
    to: f64,
}

impl Gap {
    fn width(&self) -> f64 {
        self.to - self.from
    }
}

impl Ord for Gap {
    fn cmp(&self, other: &Self) -> Ordering {
        self.width().total_cmp(&other.width())
    }
}

impl PartialOrd for Gap {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Gap {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Gap {}

/// Returns what it sees behind the last node that was counted, in order; adds the bytes of the entries that it reads.
pub(super) async fn survey<V: View>(
    walk: &mut TreeWalk<'_, V>,
    plan: &RulerPlan<'_>,
    counted: &mut [Segment],
    bytes: &mut usize,
) -> ApiResult<Vec<Segment>> {
    // Items are not worth a skip.
    let skips = counted.iter().any(|segment| segment.node.is_divided());
    let Some(open) = counted.last_mut() else { return Ok(Vec::new()) };
    let Some(last) = last(walk, plan, open, bytes).await? else { return Ok(Vec::new()) };
    let end = last.node.range.start.clone();
    let mut seen = Vec::new();
    let mut from = open.clone();
    if skips {
        let stretch = stretch(&from, end.clone());
        let mut gauge = Gauge::skipping(plan, SKIPS);
        let more = walk.over(&stretch, Direction::Forward, &mut gauge).await?;
        *bytes += gauge.bytes();
        seen = gauge.into_segments();
        if more.is_none() {
            seen.push(last);
            return Ok(seen);
        }
        from = seen.last().cloned().unwrap_or(from);
    }
    let mut looks = Looks::new(plan, &from, &last, counted.iter().chain(&seen));
    looks.run(walk, bytes).await?;
    Ok(looks.into_segments(seen, last))
}

/// Returns the last node of the line, of which it looks at the first and the last entries; none if it is the one that
/// was counted last, whose last entry it notes.
async fn last<V: View>(
    walk: &mut TreeWalk<'_, V>,
    plan: &RulerPlan<'_>,
    counted: &mut Segment,
    bytes: &mut usize,
) -> ApiResult<Option<Segment>> {
    let mut gauge = Gauge::skipping(plan, LAST);
    walk.over(&plan.line, Direction::Backward, &mut gauge).await?;
    *bytes += gauge.bytes();
    // In a shared store each look sees its own state: the entries may be gone by now.
    let Some(end) = gauge.into_segments().pop() else { return Ok(None) };
    if end.node.range == counted.node.range {
        counted.last = end.last;
        return Ok(None);
    }
    if end.node.range.start < counted.node.range.start {
        return Ok(None);
    }
    let mut gauge = Gauge::skipping(plan, LOOK);
    let more = walk.over(&end.node.range, Direction::Forward, &mut gauge).await?;
    *bytes += gauge.bytes();
    let Some(mut beginning) = gauge.into_segments().pop() else { return Ok(Some(end)) };
    beginning.is_exact = more.is_none();
    beginning.last = end.last;
    Ok(Some(beginning))
}

/// Returns the range behind a node, up to a key.
fn stretch(from: &Segment, end: Key) -> KeyRange {
    let start = from.node.range.end.clone().unwrap_or_else(|| end.clone());
    KeyRange { start, end: Some(end) }
}

/// Looks into stretches.
struct Looks<'p, 't> {
    plan: &'p RulerPlan<'t>,
    scale: Scale,
    /// What was seen, by the first keys of the nodes.
    seen: BTreeMap<Key, Segment>,
    gaps: BinaryHeap<Gap>,
    /// First keys of stretches that have no middle.
    closed: Vec<Key>,
}

impl<'p, 't> Looks<'p, 't> {
    fn new<'s>(
        plan: &'p RulerPlan<'t>,
        from: &Segment,
        last: &Segment,
        known: impl Iterator<Item = &'s Segment>,
    ) -> Self {
        let known = known.map(|segment| &segment.node.range.start[..]);
        let scale = Scale::between(plan, (from, last), known);
        let KeyRange { start, end } = stretch(from, last.node.range.start.clone());
        let gap = Gap {
            keys: (start, end.unwrap_or_default()),
            from: scale.end(plan, from),
            to: scale.start(plan, last),
        };
        let (seen, gaps, closed) = (BTreeMap::new(), BinaryHeap::from([gap]), Vec::new());
        Self { plan, scale, seen, gaps, closed }
    }

    async fn run<V: View>(
        &mut self,
        walk: &mut TreeWalk<'_, V>,
        bytes: &mut usize,
    ) -> ApiResult<()> {
        let mut looked_bytes = 0;
        for _ in 0..LOOKS {
            if looked_bytes >= LOOKED_BYTES_MAX {
                break;
            }
            let Some((gap, middle)) = self.widest() else { break };
            let at = gap.from + gap.width() / 2.0;
            let range = KeyRange { start: middle, end: Some(gap.keys.1.clone()) };
            let mut gauge = Gauge::skipping(self.plan, LOOK);
            let more = walk.over(&range, Direction::Forward, &mut gauge).await?;
            looked_bytes += gauge.bytes();
            self.divide(gap, (range.start, at), gauge.into_segments(), more.is_some());
        }
        *bytes += looked_bytes;
        Ok(())
    }

    /// Returns the widest stretch that has a middle, and the key there.
    fn widest(&mut self) -> Option<(Gap, Key)> {
        while let Some(gap) = self.gaps.pop() {
            let middle = self.scale.key_at(self.plan, gap.from + gap.width() / 2.0);
            let inside = |middle: &Key| gap.keys.0 < *middle && *middle < gap.keys.1;
            if let Some(middle) = middle.filter(inside) {
                return Some((gap, middle));
            }
            self.closed.push(gap.keys.0);
        }
        None
    }

    /// Puts what was seen from the middle of a stretch on in its place; `more` if not all to its end was seen.
    fn divide(&mut self, gap: Gap, (middle, at): (Key, f64), mut seen: Vec<Segment>, more: bool) {
        let Gap { keys: (start, end), from, to } = gap;
        let (mut left_end, mut left_to) = (middle, at);
        if let Some(first) = seen.first_mut()
            && first.node.range.start < left_end
        {
            // The middle lies within the node: some of it was not seen.
            first.is_exact = false;
            left_end.clone_from(&first.node.range.start);
            left_to = self.scale.start(self.plan, first);
        }
        if start < left_end {
            self.gaps.push(Gap { keys: (start, left_end), from, to: left_to });
        }
        if let Some(last) = seen.last().filter(|_| more) {
            let KeyRange { start, .. } = stretch(last, end.clone());
            let from = self.scale.end(self.plan, last);
            if start < end {
                self.gaps.push(Gap { keys: (start, end), from, to });
            }
        }
        self.seen.extend(seen.into_iter().map(|seen| (seen.node.range.start.clone(), seen)));
    }

    /// Returns all that was seen, in order, with marks beside the stretches that nobody has looked at.
    fn into_segments(mut self, mut skipped: Vec<Segment>, mut last: Segment) -> Vec<Segment> {
        let left = self.gaps.into_iter().map(|gap| gap.keys.0).chain(self.closed);
        for start in left {
            let beside = self.seen.range_mut(..start).next_back();
            match (beside, skipped.last_mut()) {
                (Some((_, beside)), _) | (None, Some(beside)) => beside.is_beside_gap = true,
                (None, None) => match self.seen.first_entry() {
                    Some(mut first) => first.get_mut().is_beside_gap = true,
                    None => last.is_beside_gap = true,
                },
            }
        }
        skipped.extend(self.seen.into_values());
        skipped.push(last);
        skipped
    }
}
