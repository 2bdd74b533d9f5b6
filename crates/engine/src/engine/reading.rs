//! The read pipe: every read of items runs through it, its stations in this order.
//!
//! 1. Gate: the request is announced (`usage.rs`); its proof, an [`Announced`], lets the read begin.
//! 2. Admission: the limiter of a profile admits or throttles it.
//! 3. View: the state that it sees, chosen by [`Engine::read_view`] alone.
//! 4. Run: the read itself ([`Walk`]).
//! 5. Event: the limiter settles what was used; usage and heat are told.
//!
//! GetItem, Query, Scan, SELECT, trees and rulers run [`Engine::read`]. Batches and transactions pass the same stations,
//! their members together ([`Engine::admit_reads`], [`Engine::tell_read`]).

use super::Engine;
use crate::capacity::{Units, read_units};
use crate::core::Core;
use crate::fault;
use crate::heat::{self, PageUse, Touched, TouchedKeys};
use crate::history::TableView;
use crate::layout;
use crate::partiql::select::SelectPlan;
use crate::read::{Page, PagePlan, Rows, read_merged, read_ranges, versions};
use crate::schema::{Index, Table};
use crate::stations::{Station, pass};
use crate::throughput::{Admission, Limiter, ReadTarget, Reading};
use crate::tree::ruler::{RulerPage, RulerPlan, read_ruler};
use crate::tree::{TreePage, TreePlan, read_tree};
use crate::usage::{Announced, Seen, note_read};
use bytes::Bytes;
use hashrange_model::error::Layer;
use hashrange_model::{ApiError, ApiResult, Item, Reason};
use hashrange_storage::{Error, Key, KeyRange, MemoryView, Store, View};
use std::borrow::Cow;
use std::slice;

/// A planned read that returns a page `P`.
pub(crate) trait Walk<P: ReadPage>: Send + Sync + Sized {
    /// Returns the table that it reads.
    fn table(&self) -> &Table;

    /// Returns the index that it reads.
    fn index(&self) -> Option<&Index>;

    /// Returns the target that a profile charges for the read.
    fn target(&self) -> ReadTarget<'_>;

    /// Returns the keys that it touches.
    fn reach(&self) -> Reach<'_>;

    /// Returns the limit of evaluated entries, which a profile may lower.
    fn limit(&mut self) -> Option<&mut usize> {
        None
    }

    /// Returns the least units of reading to the end that a profile charges.
    fn least_units<V: Clone>(&self, _limiter: &Limiter<V>) -> Option<f64> {
        None
    }

    /// Returns whether the pipe tells heat the keys that were read; a read that skips some does not know them.
    fn is_told_by_key(&self) -> bool {
        true
    }

    /// Returns whether it takes from the throughput of its table, and may be throttled.
    fn takes_throughput(&self) -> bool {
        true
    }

    /// Reads in one view.
    fn run<V: View>(&self, view: &V) -> impl Future<Output = ApiResult<P>> + Send;

    /// Reads the newest state.
    fn run_on_newest<S: Store>(&self, core: &Core<S>) -> impl Future<Output = ApiResult<P>> + Send {
        async move { self.run(&core.view().await?).await }
    }
}

/// A page of a read.
pub(crate) trait ReadPage: Send {
    fn units(&self) -> &Units;
    fn units_mut(&mut self) -> &mut Units;
    fn seen(&self) -> Seen;
    /// Returns the last key, unless the page ends its range.
    fn last_evaluated_key(&self) -> Option<&Item>;
}

/// Keys that a read touches.
#[derive(Debug)]
pub(crate) enum Reach<'k> {
    /// An item.
    Item(&'k Key),
    /// Ranges of items, of one partition each if there are several.
    Ranges(Cow<'k, [KeyRange]>),
}

impl Reach<'_> {
    fn touched(&self) -> Touched<'_> {
        match self {
            Self::Item(key) => Touched::Item(key),
            Self::Ranges(ranges) => Touched::of_ranges(ranges),
        }
    }

    fn kept(self) -> TouchedKeys {
        match self {
            Self::Item(key) => TouchedKeys::Item(key.clone()),
            Self::Ranges(ranges) => TouchedKeys::Ranges(ranges.into_owned()),
        }
    }

    /// Returns the range that encloses all keys.
    fn whole(&self) -> KeyRange {
        let ranges = match self {
            Self::Item(key) => return layout::single(key),
            Self::Ranges(ranges) => ranges,
        };
        let ends = ranges.iter().map(|range| range.end.as_ref()).collect::<Option<Vec<_>>>();
        KeyRange {
            start: ranges.iter().map(|range| &range.start).min().cloned().unwrap_or_default(),
            end: ends.and_then(|ends| ends.into_iter().max().cloned()),
        }
    }
}

/// The state of the store that a read sees.
pub(crate) enum ReadView<V> {
    /// The newest state.
    Newest,
    /// A view taken before: shared by the members of a batch, or an old one that a profile chose.
    Given(V),
    /// A table as it was.
    Past(TableView<V>),
    /// The items of the table `sys.heat`.
    Heat(MemoryView),
}

impl<S: Store> Engine<S> {
    /// Runs a read; on the given view, if any, unless a profile chooses another.
    pub(crate) async fn read<P: ReadPage, W: Walk<P>>(
        &self,
        mut walk: W,
        given: Option<&S::View>,
        _announced: Announced,
    ) -> ApiResult<P> {
        pass(Station::Admission);
        let mut reading = None;
        let mut least_units = None;
        let is_limited = walk.takes_throughput() && !heat::is_heat(walk.table());
        if let Some(limiter) = self.limiter().filter(|_| is_limited) {
            let mut begun = self.begin_read(limiter, &walk.target(), &walk.reach())?;
            least_units = walk.least_units(limiter);
            if let Some(limit) = walk.limit() {
                *limit = begun.page_limit(*limit);
            }
            reading = Some(begun);
        }
        let is_told = walk.is_told_by_key() && self.core().heat.watches(walk.table());
        let kept = is_told.then(|| walk.reach().kept());
        let old = reading.as_mut().and_then(|reading| reading.old_view.take());
        let view = self.read_view(walk.table(), || walk.reach().whole(), old, given).await?;
        let mut page = self.run_in(&view, &walk).await?;
        if matches!(view, ReadView::Heat(_)) {
            // Nobody is charged.
            return Ok(page);
        }
        if let Some(least) = least_units.filter(|_| page.last_evaluated_key().is_none()) {
            page.units_mut().raise(least);
        }
        if let Some(reading) = reading {
            reading.settle(&walk.target(), page.units());
        }
        self.tell_page(walk.table(), walk.index(), kept.as_ref(), &page);
        Ok(page)
    }

    /// Runs an admitted read in its view.
    pub(crate) async fn run_in<P: ReadPage, W: Walk<P>>(
        &self,
        view: &ReadView<S::View>,
        walk: &W,
    ) -> ApiResult<P> {
        pass(Station::Run);
        match view {
            ReadView::Newest => walk.run_on_newest(self.core()).await,
            ReadView::Given(view) => walk.run(view).await,
            // On the heap: rare, and every read would be as large.
            ReadView::Past(view) => Box::pin(walk.run(view)).await,
            ReadView::Heat(view) => Box::pin(walk.run(view)).await,
        }
    }

    /// Chooses the view of a read of a table; no other function does. `whole` returns the range that encloses the
    /// read, `old` is the state that a profile shows, `given` a view taken before.
    pub(crate) async fn read_view(
        &self,
        table: &Table,
        whole: impl FnOnce() -> KeyRange,
        old: Option<S::View>,
        given: Option<&S::View>,
    ) -> ApiResult<ReadView<S::View>> {
        pass(Station::View);
        if heat::is_heat(table) {
            let core = self.core();
            let view = core.heat.view(&core.catalog.all(), &whole()).await;
            return Ok(ReadView::Heat(view.map_err(fault::of_store)?));
        }
        if table.past.is_some() {
            // On the heap: rare, and every read would be as large.
            let view = Box::pin(self.table_view(table, old.as_ref())).await?;
            return Ok(ReadView::Past(view));
        }
        Ok(old.or_else(|| given.cloned()).map_or(ReadView::Newest, ReadView::Given))
    }

    /// Reads the value of an item key that the newest state of the store does not have: of a table as it was, or
    /// of `sys.heat`.
    pub(crate) async fn item_apart(&self, table: &Table, key: &Key) -> ApiResult<Option<Bytes>> {
        let stored = match self.read_view(table, || layout::single(key), None, None).await? {
            ReadView::Newest => self.core().store.get(key).await,
            ReadView::Given(view) => view.get(key).await,
            ReadView::Past(view) => view.get(key).await,
            ReadView::Heat(view) => view.get(key).await,
        };
        stored.map_err(|error| fault::of_tables([table], error))
    }

    /// Returns the admission of a request; none under the default profile.
    pub(crate) fn admission(&self) -> Option<Admission<'_>> {
        self.limiter().map(|limiter| limiter.admission(self.environment(), &self.core().heat))
    }

    /// Admits a read of one table or index.
    fn begin_read<'e>(
        &'e self,
        limiter: &'e Limiter<S::View>,
        target: &ReadTarget<'_>,
        reach: &Reach<'_>,
    ) -> ApiResult<Reading<'e, S::View>> {
        let mut admission = limiter.admission(self.environment(), &self.core().heat);
        admission.admit_read(target, reach.touched())?;
        let old_view = limiter.old_view(&mut admission, target);
        Ok(Reading { old_view, admission })
    }

    /// Admits all reads of a transaction, or cancels it with a reason for each.
    pub(crate) fn admit_reads<'t>(
        &self,
        targets: impl Iterator<Item = (ReadTarget<'t>, Touched<'t>)>,
        _announced: Announced,
    ) -> ApiResult<Option<Admission<'_>>> {
        pass(Station::Admission);
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

    /// Returns an old state of the store for a read; `None` if the read sees the newest one.
    pub(crate) fn old_view(
        &self,
        admission: &mut Admission<'_>,
        target: &ReadTarget<'_>,
    ) -> Option<S::View> {
        self.limiter().and_then(|limiter| limiter.old_view(admission, target))
    }

    /// Tells usage and heat the units and keys of a page.
    fn tell_page<P: ReadPage>(
        &self,
        table: &Table,
        index: Option<&Index>,
        kept: Option<&TouchedKeys>,
        page: &P,
    ) {
        pass(Station::Event);
        let seen = page.seen();
        note_read(table, index, page.units(), seen);
        let Some(kept) = kept else { return };
        let used = PageUse {
            units: page.units().as_heat(),
            bytes: seen.bytes,
            last_evaluated_key: page.last_evaluated_key(),
        };
        self.core().heat.read_page(table, index, kept, &used);
    }

    /// Tells usage and heat the units of the read of one item in a transaction.
    pub(crate) fn tell_read(&self, table: &Table, key: &[u8], units: &Units, seen: Seen) {
        pass(Station::Event);
        note_read(table, None, units, seen);
        self.core().heat.read_item(table, key, units.as_heat(), Some(seen.bytes));
    }
}

/// The read of one item of a table by its byte key.
#[derive(Debug)]
pub(crate) struct ItemWalk<'t> {
    pub(crate) table: &'t Table,
    pub(crate) key: &'t Key,
    pub(crate) consistent: bool,
}

/// An item that was read.
#[derive(Debug)]
pub(crate) struct ItemPage {
    pub(crate) item: Option<Item>,
    pub(crate) units: Units,
}

impl ItemWalk<'_> {
    fn page(&self, stored: Result<Option<Bytes>, Error>) -> ApiResult<ItemPage> {
        let stored = stored.map_err(|error| fault::of_tables([self.table], error))?;
        let item = stored.map(Item::from_stored).transpose().map_err(fault::of_form)?;
        let size = item.as_ref().map_or(0, Item::size);
        Ok(ItemPage { item, units: Units::of_table(read_units(size, self.consistent)) })
    }
}

impl Walk<ItemPage> for ItemWalk<'_> {
    fn table(&self) -> &Table {
        self.table
    }

    fn index(&self) -> Option<&Index> {
        None
    }

    fn target(&self) -> ReadTarget<'_> {
        ReadTarget::item(self.table, self.key, self.consistent)
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Item(self.key)
    }

    async fn run<V: View>(&self, view: &V) -> ApiResult<ItemPage> {
        self.page(view.get(self.key).await)
    }

    async fn run_on_newest<S: Store>(&self, core: &Core<S>) -> ApiResult<ItemPage> {
        self.page(core.store.get(self.key).await)
    }
}

impl ReadPage for ItemPage {
    fn units(&self) -> &Units {
        &self.units
    }

    fn units_mut(&mut self) -> &mut Units {
        &mut self.units
    }

    fn seen(&self) -> Seen {
        Seen::item(self.item.as_ref().map(Item::size))
    }

    fn last_evaluated_key(&self) -> Option<&Item> {
        None
    }
}

impl<R: Rows> Walk<Page<R>> for PagePlan<'_> {
    fn table(&self) -> &Table {
        self.table
    }

    fn index(&self) -> Option<&Index> {
        self.index.map(|(_, index)| index)
    }

    fn target(&self) -> ReadTarget<'_> {
        ReadTarget::page(self, slice::from_ref(&self.range))
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Ranges(versions::items_of_ranges(self.table, slice::from_ref(&self.range)))
    }

    fn limit(&mut self) -> Option<&mut usize> {
        Some(&mut self.limit)
    }

    fn least_units<V: Clone>(&self, limiter: &Limiter<V>) -> Option<f64> {
        limiter.least_of_scan(self).filter(|_| self.table.past.is_none())
    }

    async fn run<V: View>(&self, view: &V) -> ApiResult<Page<R>> {
        read_ranges(view, self, slice::from_ref(&self.range)).await
    }
}

/// A gather: several partitions, merged.
#[derive(Debug)]
pub(crate) struct GatherPlan<'t> {
    pub(crate) page: PagePlan<'t>,
    /// Ranges of one partition each.
    pub(crate) ranges: Vec<KeyRange>,
    /// Whether it is the first page: it reads every partition, also those without items.
    pub(crate) is_first: bool,
}

impl<R: Rows> Walk<Page<R>> for GatherPlan<'_> {
    fn table(&self) -> &Table {
        self.page.table
    }

    fn index(&self) -> Option<&Index> {
        self.page.index.map(|(_, index)| index)
    }

    fn target(&self) -> ReadTarget<'_> {
        ReadTarget::page(&self.page, &self.ranges)
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Ranges(Cow::Borrowed(&self.ranges))
    }

    fn limit(&mut self) -> Option<&mut usize> {
        Some(&mut self.page.limit)
    }

    async fn run<V: View>(&self, view: &V) -> ApiResult<Page<R>> {
        read_merged(view, &self.page, &self.ranges, self.is_first).await
    }
}

/// Returns the target of a SELECT of one item, with its key; none if it reads ranges.
pub(crate) fn item_target<'p>(plan: &'p SelectPlan<'_>) -> Option<(ReadTarget<'p>, &'p Key)> {
    match plan {
        SelectPlan::Item { table, key, consistent, .. } => {
            Some((ReadTarget::item(table, key, *consistent), key))
        }
        SelectPlan::Ranges { .. } => None,
    }
}

impl<R: Rows> Walk<Page<R>> for SelectPlan<'_> {
    fn table(&self) -> &Table {
        match self {
            Self::Item { table, .. } => table,
            Self::Ranges { page, .. } => page.table,
        }
    }

    fn index(&self) -> Option<&Index> {
        match self {
            Self::Item { .. } => None,
            Self::Ranges { page, .. } => page.index.map(|(_, index)| index),
        }
    }

    fn target(&self) -> ReadTarget<'_> {
        match self {
            Self::Item { table, key, consistent, .. } => ReadTarget::item(table, key, *consistent),
            Self::Ranges { page, ranges } => ReadTarget::page(page, ranges),
        }
    }

    fn reach(&self) -> Reach<'_> {
        match self {
            Self::Item { key, .. } => Reach::Item(key),
            Self::Ranges { page, ranges } => {
                Reach::Ranges(versions::items_of_ranges(page.table, ranges))
            }
        }
    }

    fn limit(&mut self) -> Option<&mut usize> {
        match self {
            Self::Item { .. } => None,
            Self::Ranges { page, .. } => Some(&mut page.limit),
        }
    }

    async fn run<V: View>(&self, view: &V) -> ApiResult<Page<R>> {
        SelectPlan::run(self, view).await
    }
}

impl<R: Rows> ReadPage for Page<R> {
    fn units(&self) -> &Units {
        &self.units
    }

    fn units_mut(&mut self) -> &mut Units {
        &mut self.units
    }

    fn seen(&self) -> Seen {
        Seen { examined: self.scanned, bytes: self.scanned_bytes, returned: self.count }
    }

    fn last_evaluated_key(&self) -> Option<&Item> {
        self.last_evaluated_key.as_ref()
    }
}

impl Walk<TreePage> for TreePlan<'_> {
    fn table(&self) -> &Table {
        self.table
    }

    fn index(&self) -> Option<&Index> {
        self.index.map(|(_, index)| index)
    }

    fn target(&self) -> ReadTarget<'_> {
        ReadTarget {
            table: self.table,
            index: self.index.map(|(_, index)| index),
            partition: layout::hash_of_range(&self.range),
            consistent: self.consistent,
        }
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Ranges(Cow::Borrowed(slice::from_ref(&self.range)))
    }

    fn limit(&mut self) -> Option<&mut usize> {
        Some(&mut self.limit)
    }

    fn is_told_by_key(&self) -> bool {
        false
    }

    async fn run<V: View>(&self, view: &V) -> ApiResult<TreePage> {
        read_tree(view, self).await
    }
}

impl Walk<RulerPage> for RulerPlan<'_> {
    fn table(&self) -> &Table {
        self.table
    }

    fn index(&self) -> Option<&Index> {
        self.index.map(|(_, index)| index)
    }

    fn target(&self) -> ReadTarget<'_> {
        ReadTarget {
            table: self.table,
            index: self.index.map(|(_, index)| index),
            partition: layout::hash_of_range(&self.line),
            consistent: self.consistent,
        }
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Ranges(Cow::Borrowed(slice::from_ref(&self.line)))
    }

    fn is_told_by_key(&self) -> bool {
        false
    }

    fn takes_throughput(&self) -> bool {
        false
    }

    async fn run<V: View>(&self, view: &V) -> ApiResult<RulerPage> {
        read_ruler(view, self).await
    }
}

impl ReadPage for RulerPage {
    fn units(&self) -> &Units {
        &self.units
    }

    fn units_mut(&mut self) -> &mut Units {
        &mut self.units
    }

    fn seen(&self) -> Seen {
        let keys = usize::try_from(self.output.work.keys_read).unwrap_or(usize::MAX);
        Seen { examined: keys, bytes: self.bytes, returned: self.output.bins.len() }
    }

    fn last_evaluated_key(&self) -> Option<&Item> {
        None
    }
}

impl ReadPage for TreePage {
    fn units(&self) -> &Units {
        &self.units
    }

    fn units_mut(&mut self) -> &mut Units {
        &mut self.units
    }

    fn seen(&self) -> Seen {
        let keys = usize::try_from(self.work.keys_read).unwrap_or(usize::MAX);
        Seen { examined: keys, bytes: self.bytes, returned: self.nodes.len() }
    }

    fn last_evaluated_key(&self) -> Option<&Item> {
        None
    }
}
