//! Admission of a write to the throughput of its tables, where that is limited.

use crate::capacity::Units;
use crate::layout::ItemKey;
use crate::schema::Table;
use hashrange_model::{Item, Reason};

/// Admission of a request that writes. No units are counted before it is settled.
pub(crate) trait Admit: Send {
    /// Starts again without the calls so far: the request is decided once more.
    fn restart(&mut self);

    /// Admits a write of an item to its table, or returns the reason for refusing it.
    fn admit_write(&mut self, table: &Table, key: &ItemKey) -> Result<(), Reason>;

    /// Admits a write with these images to the global indexes that it changes.
    fn admit_indexes(
        &mut self,
        table: &Table,
        units: &Units,
        images: (Option<&Item>, Option<&Item>),
    ) -> Result<(), Reason>;

    /// Adds the units that a write used.
    fn add_write(&mut self, table: &Table, partition: u32, units: &Units, image: Option<&Item>);

    /// Counts the used units: the request is decided.
    fn settle(&mut self);
}
