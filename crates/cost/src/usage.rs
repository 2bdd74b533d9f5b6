//! Usage of one request: units by table and index, items examined and returned, and its pattern.

use crate::pattern::Pattern;
use smallvec::SmallVec;
use std::sync::Arc;

/// Usage of a request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    /// One for most requests, which is kept without memory of its own.
    uses: SmallVec<[Use; 1]>,
    /// The request without its values; empty if it says no more than its operation.
    pub pattern: Pattern,
}

/// Usage of a table, or of an index that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    /// The table.
    pub table: Arc<str>,
    /// The index that was read; none if the table was, or if this is a write.
    pub index: Option<String>,
    /// Its kind.
    pub kind: UseKind,
    /// Capacity units used on the table itself.
    pub units: f64,
    /// Capacity units used on indexes: the one that was read, or those in which entries were written.
    pub index_units: Vec<(String, f64)>,
    /// Items that were examined, or written.
    pub examined: u64,
    /// Size of the items that were examined.
    pub examined_bytes: u64,
    /// Items of them that matched.
    pub returned: u64,
}

/// Kind of a use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UseKind {
    /// Read.
    Read,
    /// Written, or a write whose condition did not hold.
    Write,
}

impl Usage {
    /// Returns the usage of a request with these uses.
    pub fn new(uses: impl IntoIterator<Item = Use>, pattern: Pattern) -> Self {
        Self { uses: uses.into_iter().collect(), pattern }
    }

    /// Returns the uses by table, by the index that was read, and by whether it was read or written.
    pub fn uses(&self) -> &[Use] {
        &self.uses
    }

    /// Returns the units of reads, or of writes, on tables and indexes together.
    pub fn units(&self, kind: UseKind) -> f64 {
        self.uses.iter().filter(|one| one.kind == kind).fold(0.0, |sum, one| sum + one.total())
    }

    /// Adds a use: to that of the same table or index, if there is one.
    pub fn add(&mut self, added: Use) {
        let is_same = |known: &&mut Use| {
            known.kind == added.kind && known.table == added.table && known.index == added.index
        };
        let Some(known) = self.uses.iter_mut().find(is_same) else {
            self.uses.push(added);
            return;
        };
        known.units += added.units;
        known.examined += added.examined;
        known.examined_bytes += added.examined_bytes;
        known.returned += added.returned;
        for (name, units) in added.index_units {
            match known.index_units.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += units,
                None => known.index_units.push((name, units)),
            }
        }
    }
}

impl Use {
    /// Returns the units on the table and on indexes together.
    pub fn total(&self) -> f64 {
        self.index_units.iter().fold(self.units, |sum, (_, units)| sum + units)
    }
}
