//! Reads under a profile: their admission, the state of the store that they see, the length of
//! their pages, and the units counted for them.

use super::admission::Charged;
use super::{Admission, Limiter};
use crate::capacity::{Charge, Units, read_units};
use crate::heat::Touched;
use crate::layout;
use crate::read::{PagePlan, versions};
use crate::schema::{Billing, Index, IndexId, IndexKind, Table};
use hashrange_model::Reason;
use hashrange_storage::KeyRange;

/// Partitions of a new on-demand table.
const ON_DEMAND_PARTITIONS: f64 = 4.0;

/// Maximum of entries that a page evaluates under the hostile profile.
const HOSTILE_PAGE_MAX: u64 = 5;

/// Target of a read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadTarget<'t> {
    pub(crate) table: &'t Table,
    pub(crate) index: Option<&'t Index>,
    /// Hash of the partition key, if the read is within one.
    pub(crate) partition: Option<u32>,
    pub(crate) consistent: bool,
}

impl<'t> ReadTarget<'t> {
    /// Returns the target for the item of a table at a byte key.
    pub(crate) fn item(table: &'t Table, key: &[u8], consistent: bool) -> Self {
        Self { table, index: None, partition: Some(layout::hash_of(key)), consistent }
    }

    /// Returns the target for a page.
    pub(crate) fn page(plan: &PagePlan<'t>, ranges: &[KeyRange]) -> Self {
        let partition = match &versions::items_of_ranges(plan.table, ranges)[..] {
            [range] => layout::hash_of_range(range),
            _ => None,
        };
        let index = plan.index.map(|(_, index)| index);
        Self { table: plan.table, index, partition, consistent: plan.consistent }
    }

    fn charged(&self) -> Charged<'t> {
        Charged::new(self.table, self.index, self.partition, Charge::Read)
    }

    fn is_global(&self) -> bool {
        self.index.is_some_and(|index| index.kind == IndexKind::Global)
    }

    /// Returns the units on the meter of the target: a local index shares the meter of its table.
    fn units(units: &Units) -> f64 {
        units.table + units.indexes.iter().map(|(_, units)| units).sum::<f64>()
    }
}

/// A read that was admitted.
#[derive(Debug)]
pub(crate) struct Reading<'e, V> {
    /// Old state that the read sees; `None` for the newest one.
    pub(crate) old_view: Option<V>,
    pub(crate) admission: Admission<'e>,
}

impl<V: Clone> Limiter<V> {
    /// Returns an old state of the store for a read; `None` if the read is to see the newest one.
    pub(crate) fn old_view(
        &self,
        admission: &mut Admission<'_>,
        target: &ReadTarget<'_>,
    ) -> Option<V> {
        if target.consistent {
            return None;
        }
        let now_ms = admission.now_ms();
        self.views.choose(admission.dice(), target.is_global(), now_ms)
    }

    /// Returns whether the state before a write is to be kept, for later reads that miss the write.
    pub(crate) fn is_view_due(&self, admission: &Admission<'_>) -> bool {
        self.views.is_due(admission.now_ms())
    }

    /// Keeps the state before a write.
    pub(crate) fn remember_view(&self, admission: &Admission<'_>, view: V) {
        self.views.remember(admission.now_ms(), view);
    }

    /// Returns the least units for reading a whole table or index to its end under the profile
    /// `aws`: the service reads each partition of an on-demand table by itself. Source: captured
    /// 2026 (4.0 consistent, 2.0 eventually consistent).
    pub(crate) fn least_of_scan(&self, plan: &PagePlan<'_>) -> Option<f64> {
        let id = plan.index.map_or(IndexId::BASE, |(_, index)| index.id);
        let is_whole = plan.range == layout::keyspace(plan.table.id(), id);
        let is_on_demand = plan.table.record.billing == Billing::PayPerRequest;
        (is_whole && is_on_demand && !self.rules.is_hostile)
            .then(|| ON_DEMAND_PARTITIONS * read_units(0, plan.consistent))
    }
}

impl<V> Reading<'_, V> {
    /// Returns the maximum of entries that a page evaluates for a request that asks for `asked`.
    pub(crate) fn page_limit(&mut self, asked: usize) -> usize {
        if !self.admission.is_hostile() {
            return asked;
        }
        let most = 1 + self.admission.dice().below(HOSTILE_PAGE_MAX);
        asked.min(usize::try_from(most).unwrap_or(1))
    }

    /// Counts the units that the read used.
    pub(crate) fn settle(mut self, target: &ReadTarget<'_>, units: &Units) {
        self.admission.add_read(target, units);
        self.admission.settle();
    }
}

impl Admission<'_> {
    /// Admits the request to a read, or returns the reason for refusing it.
    pub(crate) fn admit_read(
        &mut self,
        target: &ReadTarget<'_>,
        touched: Touched<'_>,
    ) -> Result<(), Reason> {
        self.admit(&target.charged(), Some(touched))
    }

    /// Adds the units that a read used.
    pub(crate) fn add_read(&mut self, target: &ReadTarget<'_>, units: &Units) {
        self.add(&target.charged(), ReadTarget::units(units));
    }
}
