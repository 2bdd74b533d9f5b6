//! The ruler: a line of keys as bins of neighbouring folders, items or partitions, with counts.
//!
//! The first call counts from the beginning as far as its bounds go. Behind that it skips from node to node, and where
//! there are too many it looks into the widest stretch that nobody has seen, again and again, so that the whole line
//! is shown: what it sees so is "at least". A later call counts on behind the one before.
//!
//! | file | idea |
//! |---|---|
//! | `gauge.rs` | reader of entries, which counts them in the nodes that they lie in |
//! | `survey.rs` | the rest of a line that is not counted: its last key, skips, looks into stretches |
//! | `scale.rs` | positions of keys on the line, and keys at positions |
//! | `bins.rs` | neighbouring nodes put together |
//! | `answer.rs` | what a caller gets |
//!
//! Invariants: a call reads at most [`KEYS_MAX`] entries, and stops after [`BYTES_MAX`] bytes; a count that is not
//! exact is never more than there is.

mod answer;
mod bins;
mod gauge;
mod scale;
mod survey;

pub use answer::{RulerBin, RulerCursor, RulerKind, RulerOpen, RulerOutput, RulerWork};

use super::levels::{Levels, PathNode};
use super::position::TreePosition;
use super::walk::{TreeWalk, units};
use crate::capacity::Units;
use crate::read::key_range::{self, Reader};
use crate::schema::{Index, KeyAttribute, Table};
use gauge::{Budget, Gauge, Segment};
use hashrange_model::error::TreeFault;
use hashrange_model::{ApiResult, Item, Reason};
use hashrange_storage::{Direction, KeyRange, View};

/// Most bins of an answer.
const BINS_MAX: usize = 500;
/// Bins of an answer unless the request says otherwise.
const BINS: usize = 200;
/// Most entries that a call reads.
pub(crate) const KEYS_MAX: usize = 20_000;
/// Bytes of entries after which a call stops.
pub(crate) const BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bounds on the counting of the first call; the survey takes the rest.
const FIRST: Budget = Budget { keys: 14_000, bytes: BYTES_MAX / 2, leaves: 0 };
/// Bounds on the counting of a later call; it looks at one more entry to see whether there is more.
const LATER: Budget = Budget { keys: KEYS_MAX - 1, bytes: BYTES_MAX, leaves: 0 };

/// Returns the most bins a request asks for.
pub(crate) fn bins(asked: Option<usize>) -> Result<usize, Reason> {
    super::bounded("Bins", asked.unwrap_or(BINS), BINS_MAX)
}

/// Plan of a call; all checks are done.
#[derive(Debug)]
pub(crate) struct RulerPlan<'t> {
    pub(crate) table: &'t Table,
    /// The index read, with its offset in the table.
    pub(crate) index: Option<(usize, &'t Index)>,
    /// One level.
    pub(crate) levels: Levels<'t>,
    /// The attribute that the line is of.
    pub(crate) attribute: &'t KeyAttribute,
    /// Delimiter of the attribute, if one divides it.
    pub(crate) delimiter: Option<String>,
    /// The whole line.
    pub(crate) line: KeyRange,
    pub(crate) bins: usize,
    pub(crate) consistent: bool,
    pub(crate) resumed: Option<Resumed>,
}

/// Where a later call goes on.
#[derive(Debug)]
pub(crate) struct Resumed {
    cursor: RulerCursor,
    rest: KeyRange,
    /// The node that is counted on.
    open: Option<Segment>,
}

/// A call's result.
#[derive(Debug)]
pub(crate) struct RulerPage {
    pub(crate) output: RulerOutput,
    pub(crate) units: Units,
    /// Bytes of the entries that were taken.
    pub(crate) bytes: usize,
}

impl RulerPlan<'_> {
    /// Goes on behind an earlier call.
    pub(crate) fn resume(&mut self, cursor: RulerCursor) -> Result<(), Reason> {
        let index = self.index.map(|(_, index)| index);
        let key = |item: &Item| {
            let key = key_range::start_key(self.table, index, item, Reader::Query);
            key.map_err(|_| cursor_fault())
        };
        let behind = key(&cursor.behind)?;
        if !key_range::contains(&self.line, &behind) {
            return Err(cursor_fault());
        }
        if let Some(after) = &cursor.after
            && !(key_range::contains(&self.line, &key(after)?) && key(after)? < behind)
        {
            return Err(cursor_fault());
        }
        let mut open = None;
        if let Some(RulerOpen { first, items, bytes }) = &cursor.open {
            let node = self.node(&cursor.behind).ok_or_else(cursor_fault)?;
            let first_key = key(first)?;
            if !key_range::contains(&node.range, &first_key) || first_key > behind || *items == 0 {
                return Err(cursor_fault());
            }
            let last = cursor.behind.clone();
            open = Some(Segment::counted_before(node, (first.clone(), last), (*items, *bytes)));
        }
        let rest = key_range::after(self.line.clone(), behind, Direction::Forward);
        self.resumed = Some(Resumed { cursor, rest, open });
        Ok(())
    }

    /// Returns the node of the line that an entry lies in.
    fn node(&self, entry: &Item) -> Option<PathNode> {
        self.levels.path(entry).into_iter().next()
    }

    fn is_of_partitions(&self) -> bool {
        matches!(self.levels, Levels::Partitions { .. })
    }
}

fn cursor_fault() -> Reason {
    Reason::Tree(TreeFault::Cursor)
}

/// Segments of a line: those that were counted from the beginning, without a gap; the one that counting ended in;
/// those seen behind it.
#[derive(Debug, Default)]
struct Segments {
    counted: Vec<Segment>,
    open: Option<Segment>,
    surveyed: Vec<Segment>,
}

/// Reads a call's part of a line from one view.
pub(crate) async fn read_ruler<V: View>(view: &V, plan: &RulerPlan<'_>) -> ApiResult<RulerPage> {
    let mut walk = TreeWalk::new(view, plan.table);
    let (budget, rest, open) = match &plan.resumed {
        None => (FIRST, &plan.line, None),
        Some(resumed) => (LATER, &resumed.rest, resumed.open.clone()),
    };
    let mut gauge = Gauge::counting(plan, budget, open);
    let next = walk.over(rest, Direction::Forward, &mut gauge).await?;
    let mut bytes = gauge.bytes();
    let mut segments = gauge.into_segments();
    let mut surveyed = Vec::new();
    if next.is_some() && plan.resumed.is_none() {
        surveyed = survey::survey(&mut walk, plan, &mut segments, &mut bytes).await?;
    }
    let open = segments.pop_if(|last| next.is_some() && !last.is_exact);
    let segments = Segments { counted: segments, open, surveyed };
    let behind = match next {
        Some(TreePosition::Entry(behind)) => Some(behind),
        Some(TreePosition::Node { .. }) | None => None,
    };
    let (units, read_units) = units(plan.index, bytes, plan.consistent);
    let work = RulerWork { seeks: walk.seeks, keys_read: walk.keys_read, read_units };
    Ok(RulerPage { output: answer::output(plan, segments, behind, work), units, bytes })
}
