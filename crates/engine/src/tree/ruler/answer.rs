//! Answers of the ruler to its callers.

use super::{RulerPlan, Segments, bins};
use crate::read::cursor;
use crate::schema::KeyType;
use hashrange_expr::KeyPart;
use hashrange_model::{AttributeType, Item};

/// A ruler, or a stretch of it.
#[derive(Debug, Clone, PartialEq)]
pub struct RulerOutput {
    /// Kind of the line.
    pub kind: RulerKind,
    /// The attribute that the line is of.
    pub key_attribute: String,
    /// Its type.
    pub key_type: AttributeType,
    /// Delimiter that divides it, if one does.
    pub delimiter: Option<String>,
    /// Bins in the order of keys. They replace those between `after` and `until`.
    pub bins: Vec<RulerBin>,
    /// Last key before the bins; `None` if they begin the line.
    pub after: Option<Item>,
    /// Last key that the bins are about; `None` if they are about the rest of the line.
    pub until: Option<Item>,
    /// Where the next call goes on; `None` if all of the line was counted.
    pub next: Option<RulerCursor>,
    /// Cost of the call.
    pub work: RulerWork,
}

impl RulerOutput {
    /// Returns the items of all bins.
    pub fn items(&self) -> u64 {
        self.bins.iter().fold(0, |sum, bin| bin.items.saturating_add(sum))
    }

    /// Returns the bytes of all bins.
    pub fn bytes(&self) -> u64 {
        self.bins.iter().fold(0, |sum, bin| bin.bytes.saturating_add(sum))
    }

    /// Returns whether the counts of all bins are exact.
    pub fn is_exact(&self) -> bool {
        self.bins.iter().all(|bin| bin.is_exact)
    }
}

/// Kind of a line of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RulerKind {
    /// Folders of text, or values of the first attributes of a sort key.
    Folders,
    /// Numbers, or text without folders.
    Values,
    /// Binary data.
    Bytes,
    /// Partition keys, in the order of their hashes.
    Partitions,
}

/// Neighbouring nodes of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct RulerBin {
    /// Key of the first entry, as far as it was seen.
    pub first: Item,
    /// Key of the last entry that was seen.
    pub last: Item,
    /// Text of the node that the bin is, if it is one.
    pub name: Option<String>,
    /// Texts of its first and its last node, if it is not one.
    pub ends: Option<(String, String)>,
    /// Prefix of the folder that the bin is, if it is one of text.
    pub folder: Option<String>,
    /// Values of the first attributes of the sort key that the bin is, if it is one of them.
    pub sort_key: Option<Item>,
    /// Folders or partitions in it; 0 of plain items.
    pub folders: u64,
    /// Items, or entries of an index.
    pub items: u64,
    /// Bytes of them, by the rules of the service.
    pub bytes: u64,
    /// Whether these are all; else folders, items and bytes are at least so many.
    pub is_exact: bool,
    /// Whether there is a stretch in it, behind its last key or before its first that was not looked at.
    pub is_unseen: bool,
    /// Parts of the key of the node that the bin is, where key templates derive it.
    pub parts: Vec<KeyPart>,
}

/// Where the next call goes on.
#[derive(Debug, Clone, PartialEq)]
pub struct RulerCursor {
    /// Key of the last entry that was counted.
    pub behind: Item,
    /// The node that was begun.
    pub open: Option<RulerOpen>,
    /// Key of the last entry before that node.
    pub after: Option<Item>,
    /// Whether folders were found.
    pub has_folders: bool,
}

/// A node of which some entries were counted.
#[derive(Debug, Clone, PartialEq)]
pub struct RulerOpen {
    /// Key of the first one.
    pub first: Item,
    /// Items.
    pub items: u64,
    /// Bytes of them.
    pub bytes: u64,
}

/// Cost of a call.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RulerWork {
    /// Seeks in the order of keys.
    pub seeks: u64,
    /// Entries read, with those that only showed that there is more.
    pub keys_read: u64,
    /// Read units, as of a Query that reads the same entries.
    pub read_units: f64,
}

/// Returns the answer of a call; `behind` is the key of the last entry that was counted, if there are more.
pub(super) fn output(
    plan: &RulerPlan<'_>,
    segments: Segments,
    behind: Option<Item>,
    work: RulerWork,
) -> RulerOutput {
    let key = |entry: &Item| cursor(plan.table, plan.index, entry);
    let resumed = plan.resumed.as_ref().map(|resumed| &resumed.cursor);
    let after = resumed.and_then(|cursor| match cursor.open {
        Some(_) => cursor.after.clone(),
        None => Some(cursor.behind.clone()),
    });
    let all = segments.counted.iter().chain(&segments.open).chain(&segments.surveyed);
    let has_folders = all.clone().any(|segment| segment.node.is_divided())
        || resumed.is_some_and(|cursor| cursor.has_folders);
    let before = segments.counted.last().map(|last| key(&last.last));
    let next = behind.map(|behind| {
        let open = segments.open.as_ref().map(|open| RulerOpen {
            first: key(&open.first),
            items: open.items,
            bytes: open.bytes,
        });
        let after = open.as_ref().and_then(|_| before.or_else(|| after.clone()));
        RulerCursor { behind, open, after, has_folders }
    });
    let until = next.as_ref().filter(|_| resumed.is_some()).map(|next| next.behind.clone());
    RulerOutput {
        kind: kind(plan, has_folders),
        key_attribute: plan.attribute.name.clone(),
        key_type: plan.attribute.key_type.attribute_type(),
        delimiter: plan.delimiter.clone(),
        bins: bins::bins(plan, segments),
        after,
        until,
        next,
        work,
    }
}

fn kind(plan: &RulerPlan<'_>, has_folders: bool) -> RulerKind {
    match plan.attribute.key_type {
        _ if plan.is_of_partitions() => RulerKind::Partitions,
        KeyType::S if has_folders => RulerKind::Folders,
        KeyType::S | KeyType::N => RulerKind::Values,
        KeyType::B => RulerKind::Bytes,
    }
}
