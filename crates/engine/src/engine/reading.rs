//! Reads of the engine: let in by the limiter, if there is one, and run by [`crate::read`].

use super::Engine;
use crate::capacity::Units;
use crate::fault;
use crate::heat::{self, Kept, PageUse, Touched};
use crate::layout;
use crate::partiql::select::SelectPlan;
use crate::read::{Page, PagePlan, Rows, read_page, versions};
use crate::schema::{Index, Table};
use crate::throughput::{Admission, ReadTarget, Reading};
use crate::tree::{TreePage, TreePlan, read_tree};
use crate::usage::{Seen, ask_gate, note_read};
use bytes::Bytes;
use hashrange_model::error::Layer;
use hashrange_model::{ApiError, ApiResult, Item, Reason};
use hashrange_storage::{Key, KeyRange, MemoryView, Store, View};
use std::slice;

impl<S: Store> Engine<S> {
    /// Returns the admission of a request; none under the default profile.
    pub(crate) fn admission(&self) -> Option<Admission<'_>> {
        self.limiter().map(|limiter| limiter.admission(self.environment(), &self.core().heat))
    }

    /// Begins a read of one table or index.
    pub(crate) fn begin_read(
        &self,
        target: &ReadTarget<'_>,
        touched: Touched<'_>,
    ) -> ApiResult<Reading<'_, S::View>> {
        let mut admission = self.admission();
        if let Some(admission) = &mut admission {
            admission.admit_read(target, touched)?;
        }
        let old_view = admission.as_mut().and_then(|admission| self.old_view(admission, target));
        Ok(Reading { old_view, admission })
    }

    /// Reads a page of one range.
    pub(crate) async fn page<R: Rows>(&self, plan: PagePlan<'_>) -> ApiResult<Page<R>> {
        self.page_on(plan, None).await
    }

    /// Reads a page of one range; on the view given, if one is, unless a profile chooses another.
    pub(crate) async fn page_on<R: Rows>(
        &self,
        mut plan: PagePlan<'_>,
        view: Option<&S::View>,
    ) -> ApiResult<Page<R>> {
        let (table, index) = (plan.table, plan.index.map(|(_, index)| index));
        ask_gate(table, index)?;
        if table.past.is_some() {
            // On the heap: rare, and every page would be as large.
            return Box::pin(self.page_of_past(plan)).await;
        }
        if heat::is_heat(table) {
            // On the heap: rare, and every page would be as large.
            return Box::pin(self.page_of_heat(plan)).await;
        }
        let kept = self.keep(table, || Kept::Ranges(vec![plan.range.clone()]));
        let Some(limiter) = self.limiter() else {
            let page = match view {
                Some(view) => read_page(view, plan).await?,
                None => read_page(&self.core().view().await?, plan).await?,
            };
            self.note_page(table, index, kept.as_ref(), &page);
            return Ok(page);
        };
        let target = ReadTarget::page(&plan, slice::from_ref(&plan.range));
        let mut reading = self.begin_read(&target, Touched::Range(&plan.range))?;
        plan.limit = reading.page_limit(plan.limit);
        let least = limiter.least_of_scan(&plan);
        let mut page = read_page(&self.view_of(&reading).await?, plan).await?;
        if page.last_evaluated_key.is_none()
            && let Some(least) = least
        {
            page.units.raise(least);
        }
        reading.settle(&target, &page.units);
        self.note_page(table, index, kept.as_ref(), &page);
        Ok(page)
    }

    /// Reads a page of one range of a table as it was.
    async fn page_of_past<R: Rows>(&self, mut plan: PagePlan<'_>) -> ApiResult<Page<R>> {
        let table = plan.table;
        let kept = Kept::Ranges(
            versions::items_of_ranges(table, slice::from_ref(&plan.range)).into_owned(),
        );
        let target = ReadTarget::page(&plan, slice::from_ref(&plan.range));
        let mut reading = self.begin_read(&target, kept.touched())?;
        plan.limit = reading.page_limit(plan.limit);
        let view = self.table_view(table, reading.old_view.as_ref()).await?;
        let page = read_page(&view, plan).await?;
        reading.settle(&target, &page.units);
        let kept = self.keep(table, || kept);
        self.note_page(table, None, kept.as_ref(), &page);
        Ok(page)
    }

    /// Reads a page of a tree of keys.
    pub(crate) async fn tree_page(&self, mut plan: TreePlan<'_>) -> ApiResult<TreePage> {
        if self.limiter().is_none() && plan.table.past.is_none() {
            return read_tree(&self.core().view().await?, &plan).await;
        }
        let target = ReadTarget {
            table: plan.table,
            index: plan.index.map(|(_, index)| index),
            partition: layout::hash_of_range(&plan.range),
            consistent: plan.consistent,
        };
        let mut reading = self.begin_read(&target, Touched::Range(&plan.range))?;
        plan.limit = reading.page_limit(plan.limit);
        let view = self.table_view(plan.table, reading.old_view.as_ref()).await?;
        let page = read_tree(&view, &plan).await?;
        reading.settle(&target, &page.units);
        Ok(page)
    }

    /// Runs a SELECT; on the view given, if one is, unless a profile chooses another.
    pub(crate) async fn select<R: Rows>(
        &self,
        table: &Table,
        mut plan: SelectPlan<'_>,
        view: Option<&S::View>,
    ) -> ApiResult<Page<R>> {
        if heat::is_heat(table) {
            return Box::pin(self.select_of_heat(table, plan)).await;
        }
        let target = target_of(table, &plan);
        ask_gate(table, target.index)?;
        if table.past.is_some() {
            return Box::pin(self.select_past(table, plan)).await;
        }
        let kept = self.keep(table, || plan.kept());
        if self.limiter().is_none() {
            let page = match view {
                Some(view) => plan.run(table, view).await?,
                None => plan.run(table, &self.core().view().await?).await?,
            };
            self.note_page(table, target.index, kept.as_ref(), &page);
            return Ok(page);
        }
        let mut reading = self.begin_read(&target, plan.touched())?;
        if let SelectPlan::Ranges { page, .. } = &mut plan {
            page.limit = reading.page_limit(page.limit);
        }
        let page = plan.run(table, &self.view_of(&reading).await?).await?;
        reading.settle(&target, &page.units);
        self.note_page(table, target.index, kept.as_ref(), &page);
        Ok(page)
    }

    /// Runs a SELECT of a table as it was.
    async fn select_past<R: Rows>(
        &self,
        table: &Table,
        mut plan: SelectPlan<'_>,
    ) -> ApiResult<Page<R>> {
        let target = target_of(table, &plan);
        let kept = plan.kept();
        let mut reading = self.begin_read(&target, kept.touched())?;
        if let SelectPlan::Ranges { page, .. } = &mut plan {
            page.limit = reading.page_limit(page.limit);
        }
        let view = self.table_view(table, reading.old_view.as_ref()).await?;
        let page = plan.run(table, &view).await?;
        reading.settle(&target, &page.units);
        let kept = self.keep(table, || kept);
        self.note_page(table, None, kept.as_ref(), &page);
        Ok(page)
    }

    /// Reads the value of an item key of a table as it was.
    pub(crate) async fn item_of_past(
        &self,
        table: &Table,
        key: &Key,
        old_view: Option<&S::View>,
    ) -> ApiResult<Option<Bytes>> {
        let view = self.table_view(table, old_view).await?;
        view.get(key).await.map_err(|error| fault::of_tables([table], error))
    }

    /// Lets a transaction in to all that it reads, or cancels it with a reason for each.
    pub(crate) fn admit_reads<'t>(
        &self,
        targets: impl Iterator<Item = (ReadTarget<'t>, Touched<'t>)>,
    ) -> ApiResult<Option<Admission<'_>>> {
        let Some(admission) = self.admission() else { return Ok(None) };
        let mut admission = admission.of_transaction();
        let error = |reason| ApiError::new(reason).in_layer(Layer::Older);
        let errors: Vec<_> = targets
            .map(|(target, touched)| admission.admit_read(&target, touched).err().map(error))
            .collect();
        if errors.iter().any(Option::is_some) {
            return Err(Reason::TransactionCanceled(errors).into());
        }
        Ok(Some(admission))
    }

    /// Returns an old state of the store that a read is to see; none if it sees the newest.
    pub(crate) fn old_view(
        &self,
        admission: &mut Admission<'_>,
        target: &ReadTarget<'_>,
    ) -> Option<S::View> {
        self.limiter().and_then(|limiter| limiter.old_view(admission, target))
    }

    /// Reads a page of the table `sys.heat`.
    async fn page_of_heat<R: Rows>(&self, plan: PagePlan<'_>) -> ApiResult<Page<R>> {
        read_page(&self.heat_view(&plan.range).await?, plan).await
    }

    /// Runs a SELECT on the table `sys.heat`.
    async fn select_of_heat<R: Rows>(
        &self,
        table: &Table,
        plan: SelectPlan<'_>,
    ) -> ApiResult<Page<R>> {
        let view = self.heat_view(&plan.whole_range()).await?;
        plan.run(table, &view).await
    }

    /// Returns an item of the table `sys.heat`.
    pub(crate) async fn item_of_heat(&self, key: &Key) -> ApiResult<Option<Item>> {
        let view = self.heat_view(&layout::single(key)).await?;
        let stored = view.get(key).await.map_err(fault::of_store)?;
        stored.map(Item::from_stored).transpose().map_err(fault::of_form)
    }

    /// Returns a view of the items of `sys.heat` in a range.
    async fn heat_view(&self, range: &KeyRange) -> ApiResult<MemoryView> {
        let core = self.core();
        core.heat.view(&core.catalog.all(), range).await.map_err(fault::of_store)
    }

    /// Keeps what a read touches, where somebody wants to know which keys are hot.
    fn keep(&self, table: &Table, what: impl FnOnce() -> Kept) -> Option<Kept> {
        self.core().heat.watches(table).then(what)
    }

    fn note_page<R>(
        &self,
        table: &Table,
        index: Option<&Index>,
        kept: Option<&Kept>,
        page: &Page<R>,
    ) {
        let Page { scanned: examined, scanned_bytes: bytes, count: returned, .. } = *page;
        note_read(table, index, &page.units, Seen { examined, bytes, returned });
        if let Some(kept) = kept {
            let used = PageUse {
                units: page.units.as_heat(),
                bytes,
                last_evaluated_key: page.last_evaluated_key.as_ref(),
            };
            self.core().heat.read_page(table, index, kept, &used);
        }
    }

    /// Notes the read of an item of a table.
    pub(crate) fn note_item_read(
        &self,
        table: &Table,
        key: &[u8],
        units: &Units,
        size: Option<usize>,
    ) {
        note_read(table, None, units, Seen::item(size));
        self.core().heat.read_item(table, key, units.as_heat(), size);
    }

    async fn view_of(&self, reading: &Reading<'_, S::View>) -> ApiResult<S::View> {
        match &reading.old_view {
            Some(old) => Ok(old.clone()),
            None => self.core().view().await,
        }
    }
}

/// Returns what a SELECT reads of its table.
pub(crate) fn target_of<'t>(table: &'t Table, plan: &SelectPlan<'t>) -> ReadTarget<'t> {
    match plan {
        SelectPlan::Item { key, consistent, .. } => ReadTarget::item(table, key, *consistent),
        SelectPlan::Ranges { page, ranges } => ReadTarget::page(page, ranges),
    }
}
