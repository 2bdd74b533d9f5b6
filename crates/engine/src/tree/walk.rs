//! The walk over a range, shared by both readers of a tree: one seeks, one reads all.
//!
//! Both stop before the entry that no longer fits, so that a page tells whether more follow.
//!
//! Invariants: nodes are shown in the order of the walk, a folder before its nodes; the page that begins at the
//! position of another has exactly what that one has not shown, or, with counts, not counted.

use super::count::Count;
use super::position::resume;
use super::reader::{Counting, Read, Reader, TreePlan, TreeStep, behind};
use super::skip::Skip;
use super::{TreeNode, TreePosition, TreeWork};
use crate::capacity::{Units, read_units};
use crate::fault;
use crate::read::from_key;
use crate::read::pace::{Pace, item_work};
use bytes::Bytes;
use hashrange_model::item::UnknownForm;
use hashrange_model::{ApiResult, Item, Reason};
use hashrange_storage::{Key, View};
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
    let mut walk = TreeWalk {
        reader: match plan.counting {
            Counting::No => Box::new(Skip::new(plan)),
            Counting::Yes | Counting::Largest => Box::new(Count::new(plan)),
        },
        pace: Pace::new(),
        work: TreeWork::default(),
        stop: None,
    };
    let mut rest = plan.range.clone();
    let mut next = None;
    while !rest.is_empty() {
        walk.pace.spend(SEEK_WORK).await;
        walk.work.seeks += 1;
        let wanted = walk.reader.wanted();
        view.visit(rest, plan.direction, wanted, |key, stored| walk.step(key, stored))
            .await
            .map_err(|error| fault::of_tables([plan.table], error))?;
        rest = match walk.stop.take() {
            None | Some(Stop::Step(TreeStep::On)) => break,
            Some(Stop::Step(TreeStep::Behind)) => {
                let node = walk.reader.node().expect("an entry was taken");
                behind(&node.range, plan.range.clone(), plan.direction)
            }
            Some(Stop::Step(TreeStep::Over(position))) => {
                next = Some(position);
                break;
            }
            Some(Stop::Pause(key)) => {
                walk.pace.pause().await;
                from_key(&plan.range, key, plan.direction)
            }
            Some(Stop::Fault(form)) => return Err(fault::of_form(form)),
        };
    }
    Ok(walk.into_page(plan, next))
}

struct TreeWalk<'p> {
    reader: Box<dyn Reader + 'p>,
    pace: Pace,
    work: TreeWork,
    stop: Option<Stop>,
}

impl TreeWalk<'_> {
    fn step(&mut self, key: &[u8], stored: Bytes) -> ControlFlow<()> {
        if !self.pace.admits(item_work(stored.len(), None)) {
            return self.stop(Stop::Pause(key.to_vec()));
        }
        let entry = match Item::from_stored(stored) {
            Ok(entry) => entry,
            Err(form) => return self.stop(Stop::Fault(form)),
        };
        self.work.keys_read += 1;
        match self.reader.take(key, entry) {
            TreeStep::On => ControlFlow::Continue(()),
            step @ (TreeStep::Behind | TreeStep::Over(_)) => self.stop(Stop::Step(step)),
        }
    }

    fn stop(&mut self, stop: Stop) -> ControlFlow<()> {
        self.stop = Some(stop);
        ControlFlow::Break(())
    }

    fn into_page(self, plan: &TreePlan<'_>, next: Option<TreePosition>) -> TreePage {
        let Read { nodes, bytes, by_client } = self.reader.end(next.is_none());
        let read_units = read_units(bytes, plan.consistent);
        let mut units = Units::default();
        match plan.index {
            None => units.table = read_units,
            Some((nth, _)) => units.add_index(nth, read_units),
        }
        let work = TreeWork { read_units, by_client, ..self.work };
        TreePage { nodes, next, work, units, bytes }
    }
}
