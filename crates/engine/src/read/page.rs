//! The page read that Query, Scan and SELECT share.
//!
//! Walks a byte range, evaluates each entry until Limit entries or 1 MiB of entries are evaluated,
//! then filters and projects. A local index that lacks attributes the request needs is completed
//! from the table. A long page is read in slices, between which others go first ([`Pace`]); all of
//! them see one view.

use super::merged::Merged;
use super::pace::{Pace, item_work};
use super::past_index;
use crate::capacity::{Units, read_units};
use crate::fault;
use crate::history::place::names_a_version;
use crate::layout;
use crate::schema::{Index, Past, Table};
use bytes::Bytes;
use hashrange_expr::{Filter, Projection};
use hashrange_model::limits::PAGE_SIZE_MAX_BYTES;
use hashrange_model::{ApiResult, Item};
use hashrange_storage::{Direction, Key, KeyRange, View, Wanted};
use std::ops::ControlFlow;

/// Returned part of the matching items.
#[derive(Debug, Clone)]
pub(crate) enum Output {
    /// Only their number.
    Count,
    /// The items whole.
    Whole,
    /// The index's projection of the items, which were completed from the table for the filter only.
    AsIndexed,
    /// These paths.
    Projected(Projection),
}

/// Plan of a page; all checks are done.
#[derive(Debug, Clone)]
pub(crate) struct PagePlan<'t> {
    pub(crate) table: &'t Table,
    /// The index read, with its offset in the table.
    pub(crate) index: Option<(usize, &'t Index)>,
    pub(crate) range: KeyRange,
    pub(crate) direction: Direction,
    /// Most entries to evaluate.
    pub(crate) limit: usize,
    pub(crate) filter: Option<Filter>,
    /// Whether the filter sees entries as the index holds them, even if they are completed. All are completed
    /// nevertheless, those too that the filter does not pass.
    pub(crate) filters_entries: bool,
    pub(crate) output: Output,
    /// Whether entries of a local index are completed from the table.
    pub(crate) fetches: bool,
    pub(crate) consistent: bool,
}

impl<'t> PagePlan<'t> {
    /// Returns the plan of reading the one item with a key.
    pub(crate) fn of_item(
        table: &'t Table,
        key: &Key,
        projection: Option<Projection>,
        consistent: bool,
    ) -> Self {
        Self {
            table,
            index: None,
            range: layout::single(key),
            direction: Direction::Forward,
            limit: usize::MAX,
            filter: None,
            output: projection.map_or(Output::Whole, Output::Projected),
            fetches: false,
            filters_entries: false,
            consistent,
        }
    }

    /// Returns the filter of entries.
    pub(crate) fn entry_filter(&self) -> Option<&Filter> {
        self.filter.as_ref().filter(|_| self.filters_entries || !self.fetches)
    }

    /// Returns the filter of items completed from the table.
    fn item_filter(&self) -> Option<&Filter> {
        self.filter.as_ref().filter(|_| self.fetches && !self.filters_entries)
    }
}

/// Receiver of a page's items, one by one as they are found.
pub(crate) trait Rows: Send {
    /// Returns an empty one. `bytes` is the size of the last page of the table.
    fn with_capacity(bytes: usize) -> Self;

    /// Takes the next item.
    fn push(&mut self, item: Item);

    /// Returns the bytes taken.
    fn bytes(&self) -> usize;
}

impl Rows for Vec<Item> {
    fn with_capacity(_bytes: usize) -> Self {
        Self::new()
    }

    fn push(&mut self, item: Item) {
        self.push(item);
    }

    fn bytes(&self) -> usize {
        self.iter().map(|item| item.as_bytes().len()).sum()
    }
}

/// Result of a page read.
#[derive(Debug, Default)]
pub(crate) struct Page<R = Vec<Item>> {
    pub(crate) items: R,
    pub(crate) count: usize,
    pub(crate) scanned: usize,
    /// Key attributes of the last entry evaluated, if the walk stopped before the range's end.
    pub(crate) last_evaluated_key: Option<Item>,
    pub(crate) units: Units,
    /// Bytes of the entries evaluated.
    pub(crate) scanned_bytes: usize,
    pub(crate) fetched: Fetched,
}

/// Items of the table read for entries of a local index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Fetched {
    pub(crate) items: usize,
    /// Bytes of them.
    pub(crate) bytes: usize,
}

/// Reads a page of several ranges, one after the other, from one view. Each is charged by itself.
pub(crate) async fn read_ranges<V: View, R: Rows>(
    view: &V,
    plan: &PagePlan<'_>,
    ranges: &[KeyRange],
) -> ApiResult<Page<R>> {
    if let Some((_, index)) = plan.index.filter(|_| plan.table.past.is_some()) {
        return read_index_of_past(view, plan, index, ranges).await;
    }
    let mut walk = PageWalk::<R>::new(plan);
    let mut units = if ranges.is_empty() { read_units(0, plan.consistent) } else { 0.0 };
    for range in ranges {
        let bytes_before = walk.bytes;
        let mut rest = range.clone();
        loop {
            view.visit(rest, plan.direction, walk.wanted(), |key, stored| walk.step(key, stored))
                .await
                .map_err(|error| fault::of_tables([plan.table], error))?;
            let Some(key) = walk.paused_before.take() else { break };
            walk.pace.pause().await;
            rest = from_key(range, key, plan.direction);
        }
        units += read_units(walk.bytes - bytes_before, plan.consistent);
        if walk.is_over() {
            break;
        }
    }
    finished(view, walk, units).await
}

/// Reads a page of several partitions from one view, merged in the order of their sort keys. Each is charged by itself,
/// one without entries on the first page alone.
pub(crate) async fn read_merged<V: View, R: Rows>(
    view: &V,
    plan: &PagePlan<'_>,
    ranges: &[KeyRange],
    is_first: bool,
) -> ApiResult<Page<R>> {
    let of_table = |error| fault::of_tables([plan.table], error);
    let source = (plan.table, plan.index.map(|(_, index)| index));
    let begun = Merged::begin(view, source, ranges, plan.direction, plan.limit).await;
    let mut merged = begun.map_err(of_table)?;
    let mut walk = PageWalk::<R>::new(plan);
    let mut of_partitions = vec![0; ranges.len()];
    while let Some(met) = merged.next(view).await.map_err(of_table)? {
        let bytes_before = walk.bytes;
        let stepped = walk.take(&met.key, met.stored).await;
        if let Some(bytes) = of_partitions.get_mut(met.nth) {
            *bytes += walk.bytes - bytes_before;
        }
        if stepped.is_break() {
            break;
        }
    }
    let charged = of_partitions.iter().filter(|bytes| is_first || **bytes > 0);
    // The sum of no numbers is -0.0.
    let units = charged.fold(0.0, |units, bytes| units + read_units(*bytes, plan.consistent));
    finished(view, walk, units).await
}

/// Reads a page of an index that a table of the past would have had. Each range up to the last that is read is charged by
/// itself.
async fn read_index_of_past<V: View, R: Rows>(
    view: &V,
    plan: &PagePlan<'_>,
    index: &Index,
    ranges: &[KeyRange],
) -> ApiResult<Page<R>> {
    let mut walk = PageWalk::<R>::new(plan);
    let mut of_ranges = vec![0; ranges.len().max(1)];
    for entry in past_index::entries(view, plan, index, ranges).await? {
        let bytes_before = walk.bytes;
        let stepped = walk.take(&entry.key, entry.item.as_bytes().clone()).await;
        of_ranges[entry.nth] += walk.bytes - bytes_before;
        if stepped.is_break() {
            of_ranges.truncate(entry.nth + 1);
            break;
        }
    }
    let units = of_ranges.iter().map(|bytes| read_units(*bytes, plan.consistent)).sum();
    finished(view, walk, units).await
}

/// Returns the page of a walk that has ended, with the units of the entries.
async fn finished<V: View, R: Rows>(
    view: &V,
    walk: PageWalk<'_, '_, R>,
    units: f64,
) -> ApiResult<Page<R>> {
    let PageWalk { plan, mut page, fault: failed, fetch, pace, bytes, .. } = walk;
    if let Some(form) = failed {
        return Err(fault::of_form(form));
    }
    page.scanned_bytes = bytes;
    match plan.index {
        None => page.units.table = units,
        Some((nth, _)) => page.units.add_index(nth, units),
    }
    if plan.fetches {
        complete_from_table(view, plan, fetch, &mut page, pace).await?;
    }
    plan.table.remember_page_bytes(page.items.bytes());
    Ok(page)
}

/// Returns the rest of a range from `key` on, the key included.
pub(crate) fn from_key(range: &KeyRange, mut key: Key, direction: Direction) -> KeyRange {
    match direction {
        Direction::Forward => KeyRange { start: key, end: range.end.clone() },
        Direction::Backward => {
            key.push(0);
            KeyRange { start: range.start.clone(), end: Some(key) }
        }
    }
}

/// An index entry to be completed from the table.
struct Incomplete {
    entry: Item,
    /// Whether the filter of entries let it pass.
    is_wanted: bool,
}

/// The state of a walk.
struct PageWalk<'p, 't, R> {
    plan: &'p PagePlan<'t>,
    page: Page<R>,
    bytes: usize,
    /// Entries to be completed from the table.
    fetch: Vec<Incomplete>,
    fault: Option<hashrange_model::item::UnknownForm>,
    pace: Pace,
    /// Key of the entry to evaluate after a pause.
    paused_before: Option<Key>,
}

impl<'p, 't, R: Rows> PageWalk<'p, 't, R> {
    fn new(plan: &'p PagePlan<'t>) -> Self {
        let page = Page {
            items: R::with_capacity(plan.table.last_page_bytes()),
            count: 0,
            scanned: 0,
            last_evaluated_key: None,
            units: Units::default(),
            scanned_bytes: 0,
            fetched: Fetched::default(),
        };
        Self {
            plan,
            page,
            bytes: 0,
            fetch: Vec::new(),
            fault: None,
            pace: Pace::new(),
            paused_before: None,
        }
    }

    fn work(&self, bytes: usize) -> usize {
        item_work(bytes, self.plan.entry_filter())
    }

    /// Returns the part of the range that is likely evaluated.
    fn wanted(&self) -> Wanted {
        Wanted {
            entries: self.plan.limit.saturating_sub(self.page.scanned),
            bytes: PAGE_SIZE_MAX_BYTES.saturating_sub(self.bytes),
        }
    }

    fn is_over(&self) -> bool {
        self.fault.is_some() || self.page.last_evaluated_key.is_some()
    }

    /// Evaluates an entry, after a pause where one is due.
    async fn take(&mut self, key: &[u8], stored: Bytes) -> ControlFlow<()> {
        let stepped = self.step(key, stored.clone());
        if self.paused_before.take().is_none() {
            return stepped;
        }
        self.pace.pause().await;
        self.step(key, stored)
    }

    fn step(&mut self, key: &[u8], stored: Bytes) -> ControlFlow<()> {
        if !self.pace.admits(self.work(stored.len())) {
            self.paused_before = Some(key.to_vec());
            return ControlFlow::Break(());
        }
        let item = match Item::from_stored(stored) {
            Ok(item) => item,
            Err(form) => {
                self.fault = Some(form);
                return ControlFlow::Break(());
            }
        };
        self.page.scanned += 1;
        self.bytes += item.size();
        let is_last = self.page.scanned >= self.plan.limit || self.bytes >= PAGE_SIZE_MAX_BYTES;
        if is_last {
            self.page.last_evaluated_key = Some(cursor(self.plan.table, self.plan.index, &item));
        }
        let is_wanted = self.plan.entry_filter().is_none_or(|filter| filter.matches(&item));
        if self.plan.fetches {
            self.fetch.push(Incomplete { entry: item, is_wanted });
        } else if is_wanted {
            keep(self.plan, &mut self.page, item);
        }
        if is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Adds one item to the page as the plan asks.
fn keep<R: Rows>(plan: &PagePlan<'_>, page: &mut Page<R>, item: Item) {
    page.count += 1;
    match &plan.output {
        Output::Count => {}
        Output::Whole => page.items.push(item),
        Output::AsIndexed => {
            let projected =
                plan.index.map_or_else(|| item.clone(), |(_, index)| index.project(&item));
            page.items.push(projected);
        }
        Output::Projected(projection) => page.items.push(projection.apply(&item)),
    }
}

/// Returns the key of an entry: all attributes of an `ExclusiveStartKey`.
pub(crate) fn cursor(table: &Table, index: Option<(usize, &Index)>, entry: &Item) -> Item {
    let is_of_versions = table.past == Some(Past::Versions);
    entry.retain(|name| {
        table.key.contains(name)
            || index.is_some_and(|(_, index)| index.key.contains(name))
            || (is_of_versions && names_a_version(name))
    })
}

/// Items fetched at a time for entries of a local index.
const FETCHED_TOGETHER: usize = 50;

/// Fetches the items of index entries; each is charged on the table, rounded by itself, even if its entry did not
/// pass the filter. Source: a capture of 2026 of a SELECT whose filter finds nothing.
async fn complete_from_table<V: View, R: Rows>(
    view: &V,
    plan: &PagePlan<'_>,
    entries: Vec<Incomplete>,
    page: &mut Page<R>,
    mut pace: Pace,
) -> ApiResult<()> {
    for entries in entries.chunks(FETCHED_TOGETHER) {
        let keys: Vec<_> = entries
            .iter()
            .filter_map(|incomplete| layout::item_key(plan.table, &incomplete.entry).ok())
            .map(|key| key.bytes)
            .collect();
        assert_eq!(keys.len(), entries.len(), "an index entry holds the table's key");
        let stored =
            view.get_many(&keys).await.map_err(|error| fault::of_tables([plan.table], error))?;
        for (Incomplete { is_wanted, .. }, stored) in entries.iter().zip(stored) {
            let Some(stored) = stored else { continue };
            pace.spend(item_work(stored.len(), plan.item_filter())).await;
            let item = Item::from_stored(stored).map_err(fault::of_form)?;
            page.units.table += read_units(item.size(), plan.consistent);
            page.fetched.items += 1;
            page.fetched.bytes += item.size();
            if *is_wanted && plan.item_filter().is_none_or(|filter| filter.matches(&item)) {
                keep(plan, page, item);
            }
        }
    }
    Ok(())
}
