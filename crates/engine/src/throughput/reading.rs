//! Reads under a profile: whether they may begin, which state of the store they see, how long their
//! pages are, and what they are counted.

use super::{Admission, Arm};
use crate::capacity::{Charge, Units, read_units};
use crate::engine::Core;
use crate::layout;
use crate::partiql::select::SelectPlan;
use crate::read::{Page, PagePlan, Rows, read_page};
use crate::schema::{Billing, Index, IndexId, IndexKind, Table};
use hashrange_model::error::Layer;
use hashrange_model::{ApiError, ApiResult, Reason};
use hashrange_storage::{KeyRange, Store};
use std::slice;

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

    /// Returns what a SELECT reads of its table.
    pub(crate) fn select(table: &'t Table, plan: &SelectPlan<'t>) -> Self {
        match plan {
            SelectPlan::Item { key, consistent, .. } => Self::item(table, key, *consistent),
            SelectPlan::Ranges { page, ranges } => Self::page(page, ranges),
        }
    }

    fn page(plan: &PagePlan<'t>, ranges: &[KeyRange]) -> Self {
        let partition = match ranges {
            [range] => layout::hash_of_range(range),
            _ => None,
        };
        let index = plan.index.map(|(_, index)| index);
        Self { table: plan.table, index, partition, consistent: plan.consistent }
    }

    fn arm(&self) -> Arm<'t> {
        Arm::new(self.table, self.index, self.partition, Charge::Read)
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
    /// What it sees.
    pub(crate) view: V,
    admission: Option<Admission<'e>>,
}

impl<S: Store> Core<S> {
    /// Returns the admission of a request; none under the default profile.
    pub(crate) fn admission(&self) -> Option<Admission<'_>> {
        let governor = self.governor.as_deref()?;
        Some(Admission::new(&governor.rules, &self.environment))
    }

    /// Begins a read of one table or index.
    pub(crate) fn begin_read(&self, target: &ReadTarget<'_>) -> ApiResult<Reading<'_, S::View>> {
        let mut admission = self.admission();
        if let Some(admission) = &mut admission {
            admission.admit(&target.arm())?;
        }
        Ok(Reading { view: self.view_of(admission.as_mut(), target), admission })
    }

    /// Reads a page of one range.
    pub(crate) async fn page<R: Rows>(&self, mut plan: PagePlan<'_>) -> ApiResult<Page<R>> {
        if self.governor.is_none() {
            return read_page(&self.store.view(), plan).await;
        }
        let target = ReadTarget::page(&plan, slice::from_ref(&plan.range));
        let mut reading = self.begin_read(&target)?;
        plan.limit = reading.page_limit(plan.limit);
        let least = self.least_of_scan(&plan);
        let mut page = read_page(&reading.view, plan).await?;
        if page.last_evaluated_key.is_none()
            && let Some(least) = least
        {
            page.units.raise(least);
        }
        reading.settle(&target, &page.units);
        Ok(page)
    }

    /// Returns the units that reading a whole table or index to its end takes at least under the
    /// profile `aws`: each partition of an on-demand table is read by itself.
    /// Source: captured 2026 (4.0 consistent, 2.0 eventually consistent).
    fn least_of_scan(&self, plan: &PagePlan<'_>) -> Option<f64> {
        let governor = self.governor.as_deref()?;
        let id = plan.index.map_or(IndexId::BASE, |(_, index)| index.id);
        let is_whole = plan.range == layout::keyspace(plan.table.id(), id);
        let is_on_demand = plan.table.record.billing == Billing::PayPerRequest;
        (is_whole && is_on_demand && !governor.rules.is_hostile)
            .then(|| ON_DEMAND_PARTITIONS * read_units(0, plan.consistent))
    }

    /// Runs a SELECT; on the view given unless a profile chooses another.
    pub(crate) async fn select<R: Rows>(
        &self,
        table: &Table,
        mut plan: SelectPlan<'_>,
        view: &S::View,
    ) -> ApiResult<Page<R>> {
        if self.governor.is_none() {
            return plan.run(table, view).await;
        }
        let target = ReadTarget::select(table, &plan);
        let mut reading = self.begin_read(&target)?;
        if let SelectPlan::Ranges { page, .. } = &mut plan {
            page.limit = reading.page_limit(page.limit);
        }
        let page = plan.run(table, &reading.view).await?;
        reading.settle(&target, &page.units);
        Ok(page)
    }

    /// Lets a transaction in to all that it reads, or cancels it with a reason for each.
    pub(crate) fn admit_reads<'t>(
        &self,
        targets: impl Iterator<Item = ReadTarget<'t>>,
    ) -> ApiResult<Option<Admission<'_>>> {
        let Some(admission) = self.admission() else { return Ok(None) };
        let mut admission = admission.of_transaction();
        let error = |reason| ApiError::new(reason).in_layer(Layer::Older);
        let errors: Vec<_> =
            targets.map(|target| admission.admit_read(&target).err().map(error)).collect();
        if errors.iter().any(Option::is_some) {
            return Err(Reason::TransactionCanceled(errors).into());
        }
        Ok(Some(admission))
    }

    /// Returns the view for a read: the newest, unless the request may see an older one.
    pub(crate) fn view_of(
        &self,
        admission: Option<&mut Admission<'_>>,
        target: &ReadTarget<'_>,
    ) -> S::View {
        let Some((governor, admission)) = self.governor.as_deref().zip(admission) else {
            return self.store.view();
        };
        if target.consistent {
            return self.store.view();
        }
        let now_ms = admission.now_ms();
        let old = governor.views.choose(admission.dice(), target.is_global(), now_ms);
        old.unwrap_or_else(|| self.store.view())
    }

    /// Keeps what is before a write, so that later reads may miss it.
    pub(crate) fn remember_view(&self, admission: Option<&Admission<'_>>) {
        if let Some((governor, admission)) = self.governor.as_deref().zip(admission) {
            governor.views.remember(admission.now_ms(), || self.store.view());
        }
    }
}

impl<V> Reading<'_, V> {
    /// Returns how many entries a page evaluates at most if the request asks for `asked`.
    pub(crate) fn page_limit(&mut self, asked: usize) -> usize {
        match &mut self.admission {
            Some(admission) if admission.is_hostile() => {
                let most = 1 + admission.dice().below(HOSTILE_PAGE_MAX);
                asked.min(usize::try_from(most).unwrap_or(1))
            }
            _ => asked,
        }
    }

    /// Counts what the read used.
    pub(crate) fn settle(self, target: &ReadTarget<'_>, units: &Units) {
        if let Some(mut admission) = self.admission {
            admission.add_read(target, units);
            admission.settle();
        }
    }
}

impl Admission<'_> {
    /// Lets the request in to a read, or says why not.
    pub(crate) fn admit_read(&mut self, target: &ReadTarget<'_>) -> Result<(), Reason> {
        self.admit(&target.arm())
    }

    /// Adds what a read used.
    pub(crate) fn add_read(&mut self, target: &ReadTarget<'_>, units: &Units) {
        self.add(&target.arm(), ReadTarget::units(units));
    }
}
