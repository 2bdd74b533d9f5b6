//! Start of a page of a tree: behind a node, or behind an entry that was counted.
//!
//! A position is a key that people can read, not a secret; so it is always checked against the request.

use super::NodeKind;
use super::levels::{Levels, PathNode, SortLevels};
use super::reader::behind;
use crate::layout;
use crate::read::key_range::{self, Reader};
use crate::schema::{Index, IndexId, KeyAttribute, Table};
use hashrange_model::error::TreeFault;
use hashrange_model::{Item, Reason, ValueRef};
use hashrange_storage::{Direction, KeyRange};

/// Start of a page.
#[derive(Debug, Clone, PartialEq)]
pub enum TreePosition {
    /// Behind this node; within it, if it is a folder above the deepest level.
    Node {
        /// Kind of the node.
        kind: NodeKind,
        /// Its key, as [`TreeNode::key`](super::TreeNode::key).
        key: Item,
    },
    /// Behind the item or entry with this whole key, within its nodes.
    Entry(Item),
}

/// Rest of a range behind a position, and the nodes in which the walk begins.
pub(crate) type Resumption = (KeyRange, Vec<PathNode>);

/// Returns the rest of a range behind a position.
pub(crate) fn resume(
    (table, index): (&Table, Option<&Index>),
    levels: &Levels<'_>,
    range: KeyRange,
    position: &TreePosition,
    direction: Direction,
) -> Result<Resumption, Reason> {
    match position {
        TreePosition::Entry(entry) => {
            let key = key_range::start_key(table, index, entry, Reader::Query)?;
            if !key_range::contains(&range, &key) {
                return Err(start_fault());
            }
            Ok((key_range::after(range, key, direction), levels.path(entry)))
        }
        TreePosition::Node { kind, key } => {
            let open = match levels {
                Levels::Partitions { .. } => partition(table, index, *kind, key, levels)?,
                Levels::Sort(levels) => sort(levels, *kind, key)?,
            };
            let node = open.last().ok_or_else(start_fault)?;
            if !lies_within(&node.range, &range) {
                return Err(start_fault());
            }
            let rest = if levels.is_deepest(*kind, open.len()) {
                behind(&node.range, range, direction)
            } else {
                within(&node.range, range, direction)
            };
            Ok((rest, open))
        }
    }
}

fn start_fault() -> Reason {
    Reason::Tree(TreeFault::Start)
}

/// Returns the rest of a range from the beginning of a node on.
fn within(node: &KeyRange, range: KeyRange, direction: Direction) -> KeyRange {
    match direction {
        Direction::Forward => KeyRange { start: node.start.clone(), ..range },
        Direction::Backward => KeyRange { end: node.end.clone(), ..range },
    }
}

fn lies_within(node: &KeyRange, range: &KeyRange) -> bool {
    let ends_before = match (&node.end, &range.end) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(node), Some(range)) => node <= range,
    };
    range.start <= node.start && ends_before
}

fn partition(
    table: &Table,
    index: Option<&Index>,
    kind: NodeKind,
    key: &Item,
    levels: &Levels<'_>,
) -> Result<Vec<PathNode>, Reason> {
    let schema = index.map_or(&table.key, |index| &index.key);
    let id = index.map_or(IndexId::BASE, |index| index.id);
    let is_key = layout::partition_prefix(table.id(), id, schema, key).is_ok()
        && key.iter().count() == schema.partition.len();
    if kind != NodeKind::Partition || !is_key {
        return Err(start_fault());
    }
    Ok(levels.path(key))
}

fn sort(levels: &SortLevels<'_>, kind: NodeKind, key: &Item) -> Result<Vec<PathNode>, Reason> {
    let sort = &levels.schema.sort;
    let count = key.iter().count();
    let is_whole = count == sort.len();
    let holds = |attribute: &KeyAttribute| {
        key.get(&attribute.name).is_some_and(|value| {
            value.attribute_type() == attribute.key_type.attribute_type() && value.size() > 0
        })
    };
    let is_shaped = match kind {
        NodeKind::Partition => false,
        NodeKind::Item => is_whole,
        NodeKind::Folder => count > levels.fixed.len() && (!is_whole || ends_a_folder(levels, key)),
    };
    if !is_shaped || count > sort.len() || !sort.iter().take(count).all(holds) {
        return Err(start_fault());
    }
    let value = |attribute: &KeyAttribute| key.get(&attribute.name).map(|value| value.to_value());
    let values: Vec<_> = sort.iter().take(count).filter_map(value).collect();
    let path = levels.path(&values, kind);
    // A key deeper than the levels has the path of a node above it.
    let reaches = path.last().is_some_and(|node| node.kind == kind && node.key == *key);
    reaches.then_some(path).ok_or_else(start_fault)
}

/// Returns whether the last attribute of a key is a string that ends at the end of a folder.
fn ends_a_folder(levels: &SortLevels<'_>, key: &Item) -> bool {
    let last = levels.schema.sort.last().and_then(|attribute| key.get(&attribute.name));
    let Some(ValueRef::S(text)) = last else { return false };
    levels.ends(text).last() == Some(&text.len())
}
