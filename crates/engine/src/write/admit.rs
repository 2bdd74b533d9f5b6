//! What a write asks of the throughput of its tables, where that is limited.

use crate::capacity::Units;
use crate::layout::ItemKey;
use crate::schema::Table;
use hashrange_model::{Item, Reason};

/// The admission of a request that writes. Nothing is counted before it is settled.
pub(crate) trait Admit: Send {
    /// Begins again, as if nothing had been asked yet: the request is decided once more.
    fn restart(&mut self);

    /// Lets a write of an item in to its table, or says why not.
    fn admit_write(&mut self, table: &Table, key: &ItemKey) -> Result<(), Reason>;

    /// Lets a write, of these images, in to the global indexes that it changes.
    fn admit_indexes(
        &mut self,
        table: &Table,
        units: &Units,
        images: (Option<&Item>, Option<&Item>),
    ) -> Result<(), Reason>;

    /// Adds what a write used.
    fn add_write(&mut self, table: &Table, partition: u32, units: &Units, image: Option<&Item>);

    /// Counts what was used: the request is decided.
    fn settle(&mut self);
}
