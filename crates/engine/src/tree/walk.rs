//! The walk over a range, shared by all readers: those of a tree, of which one seeks and one reads all, and that of
//! a ruler.
//!
//! Both stop before the entry that no longer fits, so that a page tells whether more follow.
//!
//! Invariants: nodes are shown in the order of the walk, a folder before its nodes; the page that begins at the
//! position of another has exactly what that one has not shown, or, with counts, not counted.

use super::count::Count;
use super::position::resume;
use super::reader::{Counting, PageReader, Read, Reader, TreePlan, TreeStep, behind};
use super::skip::Skip;
use super::{TreeNode, TreePosition, TreeWork};
use crate::capacity::{Units, read_units};
use crate::fault;
use crate::read::from_key;
use crate::read::pace::{Pace, item_work};
use crate::schema::{Index, Table};
use bytes::Bytes;
use hashrange_model::item::UnknownForm;
use hashrange_model::{ApiResult, Item, Reason};
use hashrange_storage::{Direction, Key, KeyRange, View};
use std::ops::ControlFlow;

/// Work of a seek in the unit of [`Pace`].
const SEEK_WORK: usize = 3_000;

impl TreePlan<'_> {
    /// Begins the page at a position.
    pub(crate) fn begin_at(&mut self, start: Option<&TreePosition>) -> Result<(), Reason> {
        let Some(start) = start else { return Ok(()) };
        let of = (self.table, self.index.map(|(_, index)| index));
        let range = self.range.clone();
        (self.range, self.open) = resume(of, &self.levels, range, start, self.direction)?;
        Ok(())
    }
}

/// A page that was read.
#[derive(Debug)]
pub(crate) struct TreePage {
    pub(crate) nodes: Vec<TreeNode>,
    /// Start of the next page, if there is one.
    pub(crate) next: Option<TreePosition>,
    pub(crate) work: TreeWork,
    pub(crate) units: Units,
    /// Bytes of the entries that were taken.
    pub(crate) bytes: usize,
}

/// Reason to end a visit before its range.
#[derive(Debug)]
enum Stop {
    Step(TreeStep),
    /// Pauses, then goes on at this key.
    Pause(Key),
    Fault(UnknownForm),
}

/// Reads a page of a tree from one view.
pub(crate) async fn read_tree<V: View>(view: &V, plan: &TreePlan<'_>) -> ApiResult<TreePage> {
    let mut reader: Box<dyn PageReader + '_> = match plan.counting {
        Counting::No => Box::new(Skip::new(plan)),
        Counting::Yes | Counting::Largest => Box::new(Count::new(plan)),
    };
    let mut walk = TreeWalk::new(view, plan.table);
    let next = walk.over(&plan.range, plan.direction, &mut *reader).await?;
    let Read { nodes, bytes, by_client } = reader.end(next.is_none());
    let (units, read_units) = units(plan.index, bytes, plan.consistent);
    let work = TreeWork { seeks: walk.seeks, keys_read: walk.keys_read, read_units, by_client };
    Ok(TreePage { nodes, next, work, units, bytes })
}

/// Returns the units of reading entries of so many bytes, and their sum.
pub(super) fn units(
    index: Option<(usize, &Index)>,
    bytes: usize,
    consistent: bool,
) -> (Units, f64) {
    let read_units = read_units(bytes, consistent);
    let mut units = Units::default();
    match index {
        None => units.table = read_units,
        Some((nth, _)) => units.add_index(nth, read_units),
    }
    (units, read_units)
}

/// Walks over ranges of one table, in one view, and what they cost together.
pub(super) struct TreeWalk<'v, V> {
    view: &'v V,
    table: &'v Table,
    pace: Pace,
    pub(super) seeks: u64,
    pub(super) keys_read: u64,
    stop: Option<Stop>,
}

impl<'v, V: View> TreeWalk<'v, V> {
    pub(super) fn new(view: &'v V, table: &'v Table) -> Self {
        Self { view, table, pace: Pace::new(), seeks: 0, keys_read: 0, stop: None }
    }

    /// Walks over a range until its end, or until the reader ends it; returns the position in that case.
    pub(super) async fn over<R: Reader + ?Sized>(
        &mut self,
        range: &KeyRange,
        direction: Direction,
        reader: &mut R,
    ) -> ApiResult<Option<TreePosition>> {
        let mut rest = range.clone();
        while !rest.is_empty() {
            self.pace.spend(SEEK_WORK).await;
            self.seeks += 1;
            let (view, wanted) = (self.view, reader.wanted());
            view.visit(rest, direction, wanted, |key, stored| self.step(reader, key, stored))
                .await
                .map_err(|error| fault::of_tables([self.table], error))?;
            rest = match self.stop.take() {
                None | Some(Stop::Step(TreeStep::On)) => break,
                Some(Stop::Step(TreeStep::Behind)) => {
                    let node = reader.node().expect("an entry was taken");
                    behind(&node.range, range.clone(), direction)
                }
                Some(Stop::Step(TreeStep::Over(position))) => return Ok(Some(position)),
                Some(Stop::Pause(key)) => {
                    self.pace.pause().await;
                    from_key(range, key, direction)
                }
                Some(Stop::Fault(form)) => return Err(fault::of_form(form)),
            };
        }
        Ok(None)
    }

    fn step<R: Reader + ?Sized>(
        &mut self,
        reader: &mut R,
        key: &[u8],
        stored: Bytes,
    ) -> ControlFlow<()> {
        if !self.pace.admits(item_work(stored.len(), None)) {
            return self.stop(Stop::Pause(key.to_vec()));
        }
        let entry = match Item::from_stored(stored) {
            Ok(entry) => entry,
            Err(form) => return self.stop(Stop::Fault(form)),
        };
        self.keys_read += 1;
        match reader.take(key, entry) {
            TreeStep::On => ControlFlow::Continue(()),
            step @ (TreeStep::Behind | TreeStep::Over(_)) => self.stop(Stop::Step(step)),
        }
    }

    fn stop(&mut self, stop: Stop) -> ControlFlow<()> {
        self.stop = Some(stop);
        ControlFlow::Break(())
    }
}
