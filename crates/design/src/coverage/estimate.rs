//! Read units of a read, as an interval, from the sizes of tables and indexes and a sample of items. Reads are
//! eventually consistent: half a unit for each started 4 KB.
//!
//! The lower end is a range with one entry. The upper end is the range of the most frequent value in the sample. Each
//! item and each entry has the mean size, since no other is known.
//!
//! A local index that lacks attributes has each item fetched from the table, which costs the item's whole size rounded
//! up to 4 KB. Source: DynamoDB developer guide, "Local Secondary Indexes", read capacity units.

use hashrange_cost::{TableFacts, Test, Tested};
use serde::Serialize;

const UNIT_BYTES: f64 = 4096.0;
const READ_UNIT: f64 = 0.5;

/// Read units, from the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Units {
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl Units {
    /// Returns the interval as text, such as `0.5 to 12`.
    pub fn text(&self) -> String {
        let text = hashrange_cost::units;
        if self.most <= self.least {
            return text(self.least);
        }
        format!("{} to {}", text(self.least), text(self.most))
    }
}

/// Number and bytes of the entries of a table or an index.
struct Size {
    entries: f64,
    bytes: f64,
}

impl Size {
    fn of(facts: &TableFacts, index: Option<&str>) -> Option<Self> {
        let definition = facts.definition.as_ref()?;
        let (entries, bytes) = match index {
            None => (definition.item_count, definition.table_size_bytes),
            Some(name) => {
                let local = definition.local_secondary_indexes.iter();
                let mut all = local.chain(&definition.global_secondary_indexes);
                let index = all.find(|it| it.index_name == name)?;
                (index.item_count, index.index_size_bytes)
            }
        };
        if entries > 0 {
            return Some(Self { entries: exact(entries), bytes: exact(bytes) });
        }
        // The sizes of a table are of an earlier moment; a sample of all items is not.
        let sample = facts.sample.as_ref().filter(|sample| sample.is_all && sample.items > 0)?;
        index.is_none().then(|| Self { entries: exact(sample.items), bytes: exact(sample.bytes) })
    }

    fn entry_bytes(&self) -> f64 {
        self.bytes / self.entries
    }
}

/// Returns the units of a read of one item.
pub(super) fn of_item(facts: &TableFacts) -> Option<Units> {
    let units = units(mean_item_bytes(facts)?);
    Some(Units { least: units, most: units })
}

/// Returns the mean bytes of an item of a table.
pub(super) fn mean_item_bytes(facts: &TableFacts) -> Option<f64> {
    Some(Size::of(facts, None)?.entry_bytes())
}

/// Items that a local index has fetched from the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fetched {
    /// None.
    No,
    /// Those that a filter leaves, since the filter sees entries alone.
    Matching,
    /// All that are read, since the filter needs them.
    All,
}

/// A read of a table or an index.
pub(super) struct Read<'r> {
    pub(super) facts: &'r TableFacts,
    pub(super) index: Option<&'r str>,
    pub(super) fetched: Fetched,
}

impl Read<'_> {
    /// Returns the units of all entries.
    pub(super) fn of_scan(&self, has_filter: bool) -> Option<Units> {
        let size = Size::of(self.facts, self.index)?;
        let (read, fetched) = (units(size.bytes), self.fetches(size.entries)?);
        let may_be_none = has_filter && self.fetched == Fetched::Matching;
        let least = if may_be_none { read } else { read + fetched };
        Some(Units { least, most: read + fetched })
    }

    /// Returns the units of the entries that meet conditions on a key.
    pub(super) fn of_range(&self, keys: &[Tested]) -> Option<Units> {
        let size = Size::of(self.facts, self.index)?;
        let equal = keys.iter().filter(|it| it.test == Test::Equal).flat_map(|it| &it.names);
        // Values of several attributes may depend on each other, so the smallest share counts.
        let share = equal.filter_map(|name| most_frequent(self.facts, name)).fold(1.0, f64::min);
        let least = units(size.entry_bytes()) + self.fetches(1.0)?;
        let most = units(size.bytes * share) + self.fetches((size.entries * share).ceil())?;
        Some(Units { least, most: most.max(least) })
    }

    /// Returns the units of items that are fetched, each rounded up; none if their size is not known.
    fn fetches(&self, items: f64) -> Option<f64> {
        if self.fetched == Fetched::No {
            return Some(0.0);
        }
        Some(items * units(mean_item_bytes(self.facts)?))
    }
}

/// Returns the part of the items that have the most frequent value of an attribute.
fn most_frequent(facts: &TableFacts, name: &str) -> Option<f64> {
    let attribute = facts.sample.as_ref()?.attribute(name)?;
    (attribute.most > 0 && attribute.items > 0)
        .then(|| (exact(attribute.most) / exact(attribute.items)).min(1.0))
}

fn units(bytes: f64) -> f64 {
    (bytes / UNIT_BYTES).ceil().max(1.0) * READ_UNIT
}

#[expect(clippy::cast_precision_loss, reason = "2^53 bytes are more than are stored")]
fn exact(number: u64) -> f64 {
    number as f64
}
