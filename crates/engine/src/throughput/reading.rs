//! Reads under a profile: whether they may begin, which state of the store they see, how long their
//! pages are, and what they are counted.

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

/// Most entries that a page evaluates under the hostile profile.
const HOSTILE_PAGE_MAX: u64 = 5;

/// What is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadTarget<'t> {
    pub(crate) table: &'t Table,
    pub(crate) index: Option<&'t Index>,
    /// Hash of the one partition key that is read.
    pub(crate) partition: Option<u32>,
    pub(crate) consistent: bool,
}

impl<'t> ReadTarget<'t> {
    /// Returns the read of the item of a table that has this byte key.
    pub(crate) fn item(table: &'t Table, key: &[u8], consistent: bool) -> Self {
        Self { table, index: None, partition: Some(layout::hash_of(key)), consistent }
    }

    /// Returns what a page reads of its table.
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

    /// Returns the units on the meter of the target: a local index shares that of its table.
    fn units(units: &Units) -> f64 {
        units.table + units.indexes.iter().map(|(_, units)| units).sum::<f64>()
    }
}

/// A read that may begin.
#[derive(Debug)]
pub(crate) struct Reading<'e, V> {
    /// What it sees, if that is not the newest state.
    pub(crate) old_view: Option<V>,
    pub(crate) admission: Admission<'e>,
}

impl<V: Clone> Limiter<V> {
    /// Returns an old state of the store that a read may see; none if it is to see the newest.
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

    /// Returns whether what is before a write is to be kept, so that later reads may miss it.
    pub(crate) fn is_view_due(&self, admission: &Admission<'_>) -> bool {
        self.views.is_due(admission.now_ms())
    }

    /// Keeps what is before a write.
    pub(crate) fn remember_view(&self, admission: &Admission<'_>, view: V) {
        self.views.remember(admission.now_ms(), view);
    }

    /// Returns the units that reading a whole table or index to its end takes at least under the
    /// profile `aws`: each partition of an on-demand table is read by itself.
    /// Source: captured 2026 (4.0 consistent, 2.0 eventually consistent).
    pub(crate) fn least_of_scan(&self, plan: &PagePlan<'_>) -> Option<f64> {
        let id = plan.index.map_or(IndexId::BASE, |(_, index)| index.id);
        let is_whole = plan.range == layout::keyspace(plan.table.id(), id);
        let is_on_demand = plan.table.record.billing == Billing::PayPerRequest;
        (is_whole && is_on_demand && !self.rules.is_hostile)
            .then(|| ON_DEMAND_PARTITIONS * read_units(0, plan.consistent))
    }
}

impl<V> Reading<'_, V> {
    /// Returns how many entries a page evaluates at most if the request asks for `asked`.
    pub(crate) fn page_limit(&mut self, asked: usize) -> usize {
        if !self.admission.is_hostile() {
            return asked;
        }
        let most = 1 + self.admission.dice().below(HOSTILE_PAGE_MAX);
        asked.min(usize::try_from(most).unwrap_or(1))
    }

    /// Counts what the read used.
    pub(crate) fn settle(mut self, target: &ReadTarget<'_>, units: &Units) {
        self.admission.add_read(target, units);
        self.admission.settle();
    }
}

impl Admission<'_> {
    /// Lets the request in to a read, or says why not.
    pub(crate) fn admit_read(
        &mut self,
        target: &ReadTarget<'_>,
        touched: Touched<'_>,
    ) -> Result<(), Reason> {
        self.admit(&target.charged(), Some(touched))
    }

    /// Adds what a read used.
    pub(crate) fn add_read(&mut self, target: &ReadTarget<'_>, units: &Units) {
        self.add(&target.charged(), ReadTarget::units(units));
    }
}
