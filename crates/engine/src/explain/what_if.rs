//! Explanation of a read of an index that does not exist.
//!
//! A bounded sample of the table's items gives the entries that the index would have; a view shows them beside the
//! stored data. So the code for existing indexes gives ranges, bounds, the drawing and advice. If the sample is not
//! the whole table, figures are estimated from it, and the table's counters are the bounds.
//!
//! | read | sample |
//! |---|---|
//! | a table that fits | all of it: at most 1,000 items, and a page |
//! | a larger one | equal parts of the hash space, the beginning of each |
//! | a query of a partition that the table has, too | that partition beside it |

use super::advice;
use super::explanation::{Amount, Explanation, Mode, Step, Supposed};
use super::plan::{Asked, ReadPlan, WhatIf};
use super::read::seen;
use crate::capacity::{read_units, write_units};
use crate::engine::Engine;
use crate::index::{self, counts};
use crate::intent::Intent;
use crate::layout::{self, Counter};
use crate::read::{Output, Page, PagePlan, read_ranges};
use crate::schema::{Index, IndexId, IndexKind, IndexProjection, Table};
use bytes::Bytes;
use hashrange_expr::name_text;
use hashrange_model::error::StateFault;
use hashrange_model::{ApiResult, Item, Reason};
use hashrange_storage::{Direction, Error, Key, KeyRange, Store, View, Wanted};
use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

/// Maximum of items sampled at once.
const ITEMS_MAX: usize = 1_000;
/// Parts of a table that does not fit, and items of each.
const PARTS: u32 = 20;
const PART_ITEMS: usize = 50;

impl<S: Store> Engine<S> {
    /// Explains a read of a supposed index.
    pub(super) async fn explain_supposed_read(
        &self,
        read: ReadPlan<'_>,
        intent: &Intent<'_>,
        what_if: &WhatIf,
        asked: Asked<'_>,
    ) -> ApiResult<Explanation> {
        if read.index().is_none_or(|index| index.id != what_if.index) {
            return Err(Reason::State(StateFault::SupposedNotRead(what_if.name().into())).into());
        }
        assert!(asked.mode == Mode::Plan, "what is not there is not read");
        let view = self.core().view().await?;
        let sample = TableSample::at(&view, &read, what_if).await?;
        let supposed = sample.supposed(&read, what_if);
        let view = sample.view(view, what_if);
        let (mut step, sampled) = seen(&view, &read, view.0.is_all).await?;
        step.what_if = Some(supposed);
        let advice = advice::of_read(&view, &read, &step, &sampled).await?;
        Ok(Explanation {
            operation: asked.operation,
            pattern: intent.pattern(),
            analyzed: false,
            steps: vec![Step::Read(Box::new(step))],
            together: None,
            price: None,
            advice,
            time: None,
        })
    }
}

/// Sampled items of a table.
#[derive(Debug)]
pub(super) struct Items {
    pub(super) items: Vec<Item>,
    /// Whether they are all items of the table or range.
    pub(super) is_all: bool,
}

/// Sampled items of a table, and its counters.
#[derive(Debug)]
struct TableSample {
    /// Sample of the whole table, the basis of estimates.
    sample: Items,
    /// The partition that is read, if the table has it.
    partition: Option<Items>,
    /// Items and bytes of the table.
    held: (i64, i64),
    /// Index entries of all sampled items.
    entries: BTreeMap<Key, Entry>,
}

/// Entry of an item in the index.
#[derive(Debug)]
struct Entry {
    item: Item,
    /// Size of the whole item.
    of_bytes: usize,
}

/// Entries that a read would examine.
#[derive(Debug, Clone, Copy, Default)]
struct Examined {
    amount: Amount,
    /// Read capacity units of the items that are fetched for them.
    fetch_units: f64,
}

impl Examined {
    fn add(&mut self, page: &PagePlan<'_>, entry: &Entry) {
        add(&mut self.amount, &entry.item);
        if page.fetches {
            self.fetch_units += read_units(entry.of_bytes, page.consistent);
        }
    }

    fn scaled(self, times: f64) -> Self {
        Self { amount: scaled(self.amount, times), fetch_units: self.fetch_units * times }
    }

    fn larger(self, other: Self) -> Self {
        if self.amount.items < other.amount.items { other } else { self }
    }
}

impl TableSample {
    async fn at<V: View>(view: &V, read: &ReadPlan<'_>, what_if: &WhatIf) -> ApiResult<Self> {
        let table = &*what_if.table;
        let sample = sample(view, table).await?;
        let partition = match (read.keys.as_deref(), what_if.index()) {
            (Some([keys]), Some(index)) if index.key.partition == table.key.partition => {
                Some(items(view, table, keys.whole_partition(table, None), ITEMS_MAX).await?)
            }
            _ => None,
        };
        let held = counts(view, &table.record, IndexId::BASE).await?;
        let looked_at = sample.items.iter().chain(partition.iter().flat_map(|it| &it.items));
        let entry = |item: &Item| {
            let of_bytes = item.size();
            let index::Entry { key, item } = index::entry(table, what_if.index()?, item)?;
            Some((key, Entry { item, of_bytes }))
        };
        let entries = looked_at.filter_map(entry).collect();
        Ok(Self { sample, partition, held, entries })
    }

    /// Returns whether all entries of a read are known.
    fn is_all(&self) -> bool {
        self.sample.is_all || self.partition.as_ref().is_some_and(|partition| partition.is_all)
    }

    /// Returns the figures of the index and of its read.
    fn supposed(&self, read: &ReadPlan<'_>, what_if: &WhatIf) -> Supposed {
        let (table, index) = (&*what_if.table, what_if.index());
        let mut entries = Amount::default();
        let mut sampled = Examined::default();
        let mut write_units_sum = 0.0;
        for item in &self.sample.items {
            let of_bytes = item.size();
            let Some(entry) = index.and_then(|index| index::entry(table, index, item)) else {
                continue;
            };
            let index::Entry { key, item } = entry;
            add(&mut entries, &item);
            write_units_sum += write_units(item.size());
            if is_within(&read.ranges, &key) {
                sampled.add(&read.page, &Entry { item, of_bytes });
            }
        }
        let mut known = Examined::default();
        let within = self.entries.iter().filter(|(key, _)| is_within(&read.ranges, key));
        within.for_each(|(_, entry)| known.add(&read.page, entry));
        let times = if self.sample.is_all { 1.0 } else { self.times() };
        let likely_at_most = (!self.is_all()).then(|| at_most(sampled.amount.items, times));
        let Examined { amount: examined, fetch_units } =
            if self.is_all() { known } else { sampled.scaled(times).larger(known) };
        Supposed {
            is_local: index.is_some_and(|index| index.kind == IndexKind::Local),
            key: key_text(index),
            projection: projection_text(index),
            looked_at: Amount {
                items: self.sample.items.len(),
                bytes: self.sample.items.iter().map(Item::size).sum(),
            },
            is_all: self.sample.is_all,
            entries: scaled(entries, times),
            examined,
            likely_at_most,
            units: read_units(examined.bytes, read.page.consistent) + fetch_units,
            entry_bytes: entries.bytes.checked_div(entries.items).unwrap_or(0),
            write_units: write_units_sum / count(entries.items.max(1)),
        }
    }

    /// Returns the table's items per sampled item.
    fn times(&self) -> f64 {
        let held = usize::try_from(self.held.0).unwrap_or(0);
        (count(held) / count(self.sample.items.len().max(1))).max(1.0)
    }

    /// Returns a view that shows the index.
    fn view<V: View>(self, base: V, what_if: &WhatIf) -> Supposing<V> {
        let is_all = self.is_all();
        let (table, index) = (what_if.table.id(), what_if.index);
        let bytes: usize = self.entries.values().map(|entry| entry.item.size()).sum();
        let as_counted = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        // The table's counters bound the index where not all entries are known.
        let held = if self.sample.is_all {
            (as_counted(self.entries.len()), as_counted(bytes))
        } else {
            self.held
        };
        let stored = self.entries.into_iter();
        Supposing(Arc::new(SupposedView {
            base,
            is_all,
            keyspace: layout::keyspace(table, index),
            counters: [
                (layout::counter(table, index, Counter::Entries), held.0),
                (layout::counter(table, index, Counter::Bytes), held.1),
            ],
            stored: stored.map(|(key, entry)| (key, entry.item.as_bytes().clone())).collect(),
        }))
    }
}

/// Samples all of a table if it fits, else parts of it.
pub(super) async fn sample<V: View>(view: &V, table: &Table) -> ApiResult<Items> {
    let whole = layout::keyspace(table.id(), IndexId::BASE);
    let first = items(view, table, whole, ITEMS_MAX).await?;
    if first.is_all {
        return Ok(first);
    }
    let mut sample = Vec::with_capacity(PART_ITEMS * PARTS as usize);
    for nth in 0..PARTS {
        let part = layout::segment(table.id(), IndexId::BASE, nth, PARTS);
        sample.extend(items(view, table, part, PART_ITEMS).await?.items);
    }
    Ok(Items { items: sample, is_all: false })
}

/// Samples the first items of a range of a table: at most `limit`, and at most a page.
async fn items<V: View>(
    view: &V,
    table: &Table,
    range: KeyRange,
    limit: usize,
) -> ApiResult<Items> {
    let plan = PagePlan {
        table,
        index: None,
        range: range.clone(),
        direction: Direction::Forward,
        limit,
        filter: None,
        output: Output::Whole,
        fetches: false,
        filters_entries: false,
        consistent: false,
    };
    let page: Page = read_ranges(view, &plan, &[range]).await?;
    Ok(Items { items: page.items, is_all: page.last_evaluated_key.is_none() })
}

fn is_within(ranges: &[KeyRange], key: &[u8]) -> bool {
    ranges
        .iter()
        .any(|range| *key >= *range.start && range.end.as_ref().is_none_or(|end| key < &end[..]))
}

fn add(amount: &mut Amount, item: &Item) {
    amount.items += 1;
    amount.bytes += item.size();
}

/// Returns the likely maximum of matching items in a table, of which its sample has `sampled`: adds two standard
/// deviations, and three items, the maximum for a sample without any.
fn at_most(sampled: usize, times: f64) -> usize {
    let likely = count(sampled) + 2.0 * count(sampled).sqrt() + 3.0;
    rounded(likely * times)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an estimate is not negative, and a table holds less than 2^63 bytes"
)]
fn rounded(number: f64) -> usize {
    number.round() as usize
}

fn scaled(amount: Amount, times: f64) -> Amount {
    let scaled = |number: usize| rounded(count(number) * times);
    Amount { items: scaled(amount.items), bytes: scaled(amount.bytes) }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate is told in few digits")]
fn count(number: usize) -> f64 {
    number as f64
}

fn key_text(index: Option<&Index>) -> String {
    let Some(index) = index else { return String::new() };
    let names = |attributes: &[crate::schema::KeyAttribute]| {
        attributes.iter().map(|it| name_text(&it.name)).collect::<Vec<_>>().join(" and ")
    };
    let sort = match &index.key.sort[..] {
        [] => String::new(),
        attributes => format!(", in the order of {}", names(attributes)),
    };
    format!("by {}{sort}", names(&index.key.partition))
}

fn projection_text(index: Option<&Index>) -> String {
    match index.map(|index| &index.projection) {
        Some(IndexProjection::All) => "all attributes".to_owned(),
        Some(IndexProjection::Include(names)) => {
            let names: Vec<_> = names.iter().map(|name| name_text(name)).collect();
            format!("keys and {}", names.join(", "))
        }
        Some(IndexProjection::KeysOnly) | None => "keys".to_owned(),
    }
}

/// A view of the store that shows entries of an index, too.
struct Supposing<V>(Arc<SupposedView<V>>);

struct SupposedView<V> {
    base: V,
    /// Whether the view has all index entries of the read.
    is_all: bool,
    keyspace: KeyRange,
    counters: [(Key, i64); 2],
    stored: BTreeMap<Key, Bytes>,
}

impl<V> Clone for Supposing<V> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<V: View> View for Supposing<V> {
    async fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        match self.0.stored.get(key) {
            Some(entry) => Ok(Some(entry.clone())),
            None => self.0.base.get(key).await,
        }
    }

    async fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>, Error> {
        self.0.base.get_many(keys).await
    }

    async fn sums(&self, keys: &[Key]) -> Result<Vec<i64>, Error> {
        let mut sums = self.0.base.sums(keys).await?;
        for (key, sum) in keys.iter().zip(&mut sums) {
            let supposed = self.0.counters.iter().find(|(counter, _)| counter == key);
            *sum = supposed.map_or(*sum, |(_, supposed)| *supposed);
        }
        Ok(sums)
    }

    async fn visit<F>(
        &self,
        range: KeyRange,
        direction: Direction,
        wanted: Wanted,
        mut visitor: F,
    ) -> Result<(), Error>
    where
        F: FnMut(&[u8], Bytes) -> ControlFlow<()> + Send,
    {
        if !is_within(std::slice::from_ref(&self.0.keyspace), &range.start) {
            return self.0.base.visit(range, direction, wanted, visitor).await;
        }
        if range.is_empty() {
            return Ok(());
        }
        let end = range.end.map_or(Bound::Unbounded, Bound::Excluded);
        let mut entries = self.0.stored.range::<Key, _>((Bound::Included(range.start), end));
        loop {
            let next = match direction {
                Direction::Forward => entries.next(),
                Direction::Backward => entries.next_back(),
            };
            let Some((key, entry)) = next else { return Ok(()) };
            if visitor(key, entry.clone()).is_break() {
                return Ok(());
            }
        }
    }
}
