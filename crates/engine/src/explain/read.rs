//! Explanation of a read: a sample of its items, bounds of its cost, and with ANALYZE its counted run, page by page.
//!
//! All but the counted run shares one view. The counted run reads as a client would: one page after another, each
//! admitted by the limiter where there is one.

use super::explanation::{
    Amount, Bounds, Counted, Estimate, Explanation, Mode, ReadStep, Sample, Step, Time, UnitsOn,
};
use super::plan::{Asked, ReadPlan, Sampled};
use super::{advice, collection, keys};
use crate::capacity::{Units, read_units};
use crate::engine::Engine;
use crate::history::past_text;
use crate::index::counts;
use crate::intent::Intent;
use crate::partiql::select::{self, SelectPlan};
use crate::read::{Output, Page, PagePlan, Rows, key_range, read_ranges, versions};
use crate::schema::{IndexId, Past, Table};
use crate::usage::{Announced, announce};
use hashrange_expr::Filter;
use hashrange_model::bounds;
use hashrange_model::limits::{PAGE_SIZE_MAX_BYTES, READ_UNIT_BYTES};
use hashrange_model::{ApiResult, Item};
use hashrange_storage::{Direction, KeyRange, Store, View};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most pages that ANALYZE reads.
const PAGES_MAX: usize = 100;

impl<S: Store> Engine<S> {
    /// Explains a read.
    pub(crate) async fn explain_read(
        &self,
        read: ReadPlan<'_>,
        intent: &Intent<'_>,
        asked: Asked<'_>,
    ) -> ApiResult<Explanation> {
        if let Some(what_if) = asked.what_if {
            return self.explain_supposed_read(read, intent, what_if, asked).await;
        }
        let planned_ms = self.now_ms();
        let view = self.table_view(read.page.table, None).await?;
        let (mut step, sampled) = seen(&view, &read, true).await?;
        let read_from_ms = self.now_ms();
        step.counted = match asked.mode {
            Mode::Plan => None,
            Mode::Analyze => Some(self.count(&read, announce(intent)?).await?),
        };
        let time = step.counted.is_some().then(|| Time {
            plan_ms: planned_ms.saturating_sub(asked.began_ms),
            run_ms: self.now_ms().saturating_sub(read_from_ms),
        });
        let advice = advice::of_read(&view, &read, &step, &sampled).await?;
        Ok(Explanation {
            operation: asked.operation,
            pattern: intent.pattern(),
            analyzed: asked.mode == Mode::Analyze,
            steps: vec![Step::Read(Box::new(step))],
            together: None,
            price: None,
            advice,
            time,
        })
    }

    /// Reads and counts all pages, at most [`PAGES_MAX`].
    async fn count(&self, read: &ReadPlan<'_>, announced: Announced) -> ApiResult<Counted> {
        let mut counted = Counted::default();
        let mut units = Units::default();
        let mut ranges = read.ranges.clone();
        // Under a profile the limiter chooses the view; the past has a view of its own.
        let is_as_asked = self.limiter().is_none() && read.page.table.past.is_none();
        let is_counted = self.store().is_shared() && is_as_asked;
        let requests = is_counted.then(|| Arc::new(AtomicU64::new(0)));
        while counted.pages < PAGES_MAX {
            let view = match &requests {
                Some(requests) => Some(self.core().view().await?.counting(requests)),
                None => None,
            };
            let page = self.next_page(read, &ranges, view.as_ref(), announced).await?;
            units.add(&page.units);
            counted.add(&page);
            let Some(last) = &page.last_evaluated_key else {
                counted.is_all = true;
                break;
            };
            ranges = left_after(read, ranges, last)?;
        }
        counted.units = units_by_target(&units, read.page.table);
        counted.round_trips = requests.map(|requests| requests.load(Ordering::Relaxed));
        Ok(counted)
    }

    async fn next_page(
        &self,
        read: &ReadPlan<'_>,
        ranges: &[KeyRange],
        view: Option<&S::View>,
        announced: Announced,
    ) -> ApiResult<Page<Tally>> {
        let page = read.page.clone();
        if read.statement.is_some() {
            let select = SelectPlan::Ranges { page: Box::new(page), ranges: ranges.to_vec() };
            return self.read(select, view, announced).await;
        }
        let range = ranges.first().cloned().unwrap_or(page.range.clone());
        let is_of_versions = read.page.table.past == Some(Past::Versions);
        let is_one_row = read.is_one
            || read.index().is_none()
                && !is_of_versions
                && read.page.table.key.sort.is_empty()
                && read.keys.is_some();
        let plan = PagePlan { range, ..page };
        let mut page: Page<Tally> = self.read(plan, view, announced).await?;
        if is_one_row {
            page.last_evaluated_key = None;
        }
        Ok(page)
    }
}

/// Returns the rest of the ranges after the last key of a page.
fn left_after(read: &ReadPlan<'_>, ranges: Vec<KeyRange>, last: &Item) -> ApiResult<Vec<KeyRange>> {
    let table = read.page.table;
    if table.past == Some(Past::Versions) {
        return Ok(versions::left_after(table, read.index(), ranges, last, read.page.direction)?);
    }
    if read.statement.is_some() {
        return Ok(select::resume(table, read.index(), ranges, last, read.page.direction)?);
    }
    let key = key_range::start_key(table, read.index(), last, key_range::Reader::Query)?;
    let after = |range| key_range::after(range, key.clone(), read.page.direction);
    Ok(ranges.into_iter().map(after).collect())
}

/// Counts the items of a page, and keeps none.
#[derive(Debug, Default)]
struct Tally(Amount);

impl Rows for Tally {
    fn with_capacity(_bytes: usize) -> Self {
        Self::default()
    }

    fn push(&mut self, item: Item) {
        self.0.items += 1;
        self.0.bytes += item.size();
    }

    fn bytes(&self) -> usize {
        self.0.bytes
    }
}

impl Counted {
    fn add(&mut self, page: &Page<Tally>) {
        self.pages += 1;
        self.examined.items += page.scanned;
        self.examined.bytes += page.scanned_bytes;
        self.returned.items += page.count;
        self.returned.bytes += page.items.0.bytes;
        self.filtered_out += page.scanned - page.count;
        self.fetched.items += page.fetched.items;
        self.fetched.bytes += page.fetched.bytes;
    }
}

/// Returns units by table and index, those of the table first.
pub(super) fn units_by_target(units: &Units, table: &Table) -> Vec<UnitsOn> {
    let of_table = UnitsOn { index: None, units: units.table };
    let of_indexes = units.indexes.iter().filter_map(|(nth, units)| {
        Some(UnitsOn { index: Some(table.indexes.get(*nth)?.name.clone()), units: *units })
    });
    let touched = units.table > 0.0 || units.indexes.is_empty();
    touched.then_some(of_table).into_iter().chain(of_indexes).collect()
}

/// Returns the step of a read on one view. `is_all`: the view has all entries of the read.
pub(super) async fn seen<V: View>(
    view: &V,
    read: &ReadPlan<'_>,
    is_all: bool,
) -> ApiResult<(ReadStep, Sampled)> {
    let mut sampled = sample(view, read).await?;
    sampled.told.is_all &= is_all;
    let estimate = estimate(view, read, &sampled).await?;
    let collection = collection::of_read(view, read).await?;
    Ok((told(read, collection, sampled.told, estimate), sampled))
}

async fn sample<V: View>(view: &V, read: &ReadPlan<'_>) -> ApiResult<Sampled> {
    let page: Page = read_ranges(view, &read.sampled(), &read.ranges).await?;
    let filter = read.filter.as_ref().map(Filter::from);
    let matches = |item: &&Item| filter.as_ref().is_none_or(|filter| filter.matches(item));
    let told = Sample {
        items: page.scanned,
        bytes: page.scanned_bytes,
        matching: page.items.iter().filter(matches).count(),
        is_all: page.last_evaluated_key.is_none() || read.is_one,
    };
    let units = page.units.table + page.units.indexes.iter().map(|(_, it)| it).sum::<f64>();
    Ok(Sampled { items: page.items, told, units })
}

/// Returns the estimate of a whole read. It is exact if the sample is all of the read and fits one page; else the
/// counters of the table or index bound it. The past has no counters, so no bound.
async fn estimate<V: View>(
    view: &V,
    read: &ReadPlan<'_>,
    sampled: &Sampled,
) -> ApiResult<Estimate> {
    let Sample { items, bytes, is_all, .. } = sampled.told;
    let (items, bytes) = (items as u64, bytes as u64);
    let record = &read.page.table.record;
    let id = read.index().map_or(IndexId::BASE, |index| index.id);
    let most = match (is_all, read.page.table.past) {
        (true, _) => Some((items, bytes)),
        (false, Some(_)) => None,
        (false, None) => {
            let (held, held_bytes) = counts(view, record, id).await?;
            Some((held.unsigned_abs().max(items), held_bytes.unsigned_abs().max(bytes)))
        }
    };
    let limit = read.page.limit as u64;
    let pages_at_most = |(most, most_bytes): (u64, u64)| {
        1 + most / limit.max(1) + most_bytes / PAGE_SIZE_MAX_BYTES as u64
    };
    let pages = Bounds {
        at_least: 1 + items.saturating_sub(1) / limit.max(1),
        at_most: most.map(pages_at_most),
    };
    // The sample lacks fetched items where the filter examines entries of the index.
    let is_known = read.fetches_for_filter() == read.page.fetches;
    let units_at_most = match most.zip(pages.at_most) {
        None => None,
        Some((_, 1)) if is_all && is_known => Some(sampled.units),
        Some(((most, most_bytes), pages)) => {
            let fetched = if read.page.fetches {
                let (_, table_bytes) = counts(view, record, IndexId::BASE).await?;
                (most, table_bytes.unsigned_abs())
            } else {
                (0, 0)
            };
            let roundings = pages + read.ranges.len() as u64 + fetched.0;
            Some(most_units(most_bytes + fetched.1, roundings, read.page.consistent))
        }
    };
    Ok(Estimate {
        items: Bounds { at_least: items, at_most: most.map(|(items, _)| items) },
        bytes: Bounds { at_least: bytes, at_most: most.map(|(_, bytes)| bytes) },
        pages,
        units: Bounds { at_least: sampled.units, at_most: units_at_most },
    })
}

/// Returns the most units of reading so many bytes in so many parts, each rounded by itself.
pub(super) fn most_units(bytes: u64, parts: u64, consistent: bool) -> f64 {
    let whole = bytes / READ_UNIT_BYTES as u64 + parts;
    let bytes = usize::try_from(whole).unwrap_or(usize::MAX).saturating_mul(READ_UNIT_BYTES);
    read_units(bytes, consistent)
}

pub(super) fn told(
    read: &ReadPlan<'_>,
    collection: Option<super::Collection>,
    sample: Sample,
    estimate: Estimate,
) -> ReadStep {
    let page = &read.page;
    let (ranges, more_ranges) = keys::ranges(read);
    let filter = match &read.statement {
        Some(statement) => statement.filter.clone(),
        None => read.filter.as_ref().map(|filter| bounds::told(filter)),
    };
    ReadStep {
        table: page.table.record.name.clone(),
        past: page.table.past.map(past_text),
        index: read.index().map(|index| index.name.clone()),
        access: keys::access(read),
        ranges,
        more_ranges,
        backward: page.direction == Direction::Backward,
        start_after: read.start.as_ref().map(keys::key_item_text),
        filter,
        returns: returns(page),
        limit: (page.limit < usize::MAX).then_some(page.limit),
        fetches_from_table: page.fetches,
        consistent_read: page.consistent,
        refused: None,
        collection,
        what_if: None,
        sample,
        estimate,
        counted: None,
    }
}

fn returns(page: &PagePlan<'_>) -> String {
    match &page.output {
        Output::Count => "their number".to_owned(),
        Output::Projected(projection) => bounds::told(projection),
        Output::Whole if page.index.is_none() || page.fetches || page.table.past.is_some() => {
            "all attributes".to_owned()
        }
        Output::Whole | Output::AsIndexed => "what the index holds".to_owned(),
    }
}
