//! Explanation of a read of an index that does not exist.
//!
//! The items that are looked at give the entries that the index would have; a view shows those near the read beside the
//! stored data. So the code for existing indexes gives ranges, bounds, the drawing and advice.
//!
//! | read | looked at | figures |
//! |---|---|---|
//! | a table within the budget | all of it | exact |
//! | a larger one | windows of the hash space | intervals, or none where the sample cannot tell |
//! | a partition that the table has, too, within the budget | that partition beside it | exact for the read |

use super::advice;
use super::estimate::{Cluster, Interval, of_counting};
use super::explanation::{Amount, Bounds, Estimate, Explanation, Mode, Step, Supposed};
use super::looking::{self, Looked};
use super::plan::{Asked, ReadPlan, WhatIf};
use super::read::{most_units, seen};
use crate::capacity::{read_units, write_units};
use crate::engine::Engine;
use crate::index::{self, counts};
use crate::intent::Intent;
use crate::layout::{self, Counter};
use crate::schema::{Index, IndexId, IndexKind, IndexProjection, Table};
use bytes::Bytes;
use hashrange_expr::name_text;
use hashrange_model::error::StateFault;
use hashrange_model::limits::PAGE_SIZE_MAX_BYTES;
use hashrange_model::{ApiResult, Item, Reason};
use hashrange_storage::{Direction, Error, Key, KeyRange, Store, View, Wanted};
use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

/// Most entries near the read, and bytes of them, that the view shows.
const SHOWN_MAX: usize = 10_000;
const SHOWN_BYTES_MAX: usize = 4 << 20;

impl<S: Store> Engine<S> {
    /// Explains a read of a supposed index.
    pub(super) async fn explain_supposed_read(
        &self,
        read: ReadPlan<'_>,
        intent: &Intent<'_>,
        what_if: &WhatIf,
        asked: Asked<'_>,
    ) -> ApiResult<Explanation> {
        let Some((_, index)) = read.page.index.filter(|(_, index)| index.id == what_if.index)
        else {
            return Err(Reason::State(StateFault::SupposedNotRead(what_if.name().into())).into());
        };
        assert!(asked.mode == Mode::Plan, "what is not there is not read");
        let view = self.core().view().await?;
        let looked = LookedAt::new(&view, &read, what_if, index).await?;
        let (supposed, exact) = (looked.supposed(&read, index), looked.exact());
        let shows_all = exact.is_some() && looked.shown.is_all;
        let view = looked.view(view, what_if);
        let (mut step, sampled) = seen(&view, &read, shows_all).await?;
        if let Some(exact) = exact.filter(|_| !step.sample.is_all) {
            step.estimate = estimate(&read, exact);
        }
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

/// Returns the estimate of a read that examines what is known.
fn estimate(read: &ReadPlan<'_>, Examined { amount, fetch_units }: Examined) -> Estimate {
    let Amount { items, bytes } = amount;
    let (items, bytes) = (items as u64, bytes as u64);
    let limit = (read.page.limit as u64).max(1);
    let pages = 1 + items.saturating_sub(1) / limit;
    let pages_at_most = 1 + items / limit + bytes / PAGE_SIZE_MAX_BYTES as u64;
    let exactly = |number| Bounds { at_least: number, at_most: Some(number) };
    let roundings = pages_at_most + read.ranges.len() as u64;
    let most = most_units(bytes, roundings, read.page.consistent) + fetch_units;
    let least = read_units(amount.bytes, read.page.consistent) + fetch_units;
    Estimate {
        items: exactly(items),
        bytes: exactly(bytes),
        pages: Bounds { at_least: pages, at_most: Some(pages_at_most) },
        units: Bounds { at_least: least, at_most: Some(most) },
    }
}

/// What was looked at for a supposed index.
#[derive(Debug)]
struct LookedAt {
    looked: Looked,
    /// What was looked at of the table, window by window.
    tallies: Vec<Tally>,
    /// What was looked at of the partition that is read, if that is all of it.
    partition: Option<Tally>,
    /// Items and bytes of the table.
    held: (i64, i64),
    shown: Shown,
}

/// Entries near the read.
#[derive(Debug)]
struct Shown {
    /// Ranges of the index that the read is in.
    near: Vec<KeyRange>,
    entries: BTreeMap<Key, Item>,
    bytes: usize,
    /// Whether all entries that were looked at and are near had room.
    is_all: bool,
}

/// Sums over items.
#[derive(Debug, Clone, Default)]
struct Tally {
    items: Amount,
    entries: Amount,
    /// Write capacity units of the entries.
    write_units: f64,
    examined: Examined,
}

/// Entries that a read would examine.
#[derive(Debug, Clone, Copy, Default)]
struct Examined {
    amount: Amount,
    /// Read capacity units of the items that are fetched for them.
    fetch_units: f64,
}

impl Tally {
    fn add(&mut self, read: &ReadPlan<'_>, item: &Item, entry: Option<&index::Entry>) {
        add(&mut self.items, item);
        let Some(index::Entry { key, item: entry }) = entry else { return };
        add(&mut self.entries, entry);
        self.write_units += write_units(entry.size());
        if is_within(&read.ranges, key) {
            add(&mut self.examined.amount, entry);
            if read.page.fetches {
                self.examined.fetch_units += read_units(item.size(), read.page.consistent);
            }
        }
    }

    fn sum(tallies: &[Self]) -> Self {
        tallies.iter().fold(Self::default(), |sum, it| Self {
            items: sum.items.plus(it.items),
            entries: sum.entries.plus(it.entries),
            write_units: sum.write_units + it.write_units,
            examined: Examined {
                amount: sum.examined.amount.plus(it.examined.amount),
                fetch_units: sum.examined.fetch_units + it.examined.fetch_units,
            },
        })
    }
}

impl Shown {
    fn new(read: &ReadPlan<'_>, table: &Table, index: &Index) -> Self {
        let near = match &read.keys {
            Some(keys) => {
                keys.iter().map(|keys| keys.whole_partition(table, Some(index))).collect()
            }
            None => vec![layout::keyspace(table.id(), index.id)],
        };
        Self { near, entries: BTreeMap::new(), bytes: 0, is_all: true }
    }

    fn add(&mut self, entry: index::Entry) {
        if !is_within(&self.near, &entry.key) {
            return;
        }
        let bytes = entry.key.len() + entry.item.as_bytes().len();
        if self.entries.len() < SHOWN_MAX && self.bytes + bytes <= SHOWN_BYTES_MAX {
            self.bytes += bytes;
            self.entries.insert(entry.key, entry.item);
        } else {
            self.is_all = false;
        }
    }
}

impl LookedAt {
    async fn new<V: View>(
        view: &V,
        read: &ReadPlan<'_>,
        what_if: &WhatIf,
        index: &Index,
    ) -> ApiResult<Self> {
        let table = &*what_if.table;
        let held = counts(view, &table.record, IndexId::BASE).await?;
        let mut shown = Shown::new(read, table, index);
        let mut partition = None;
        if !what_if.budget.holds(held.0.unsigned_abs(), held.1.unsigned_abs())
            && let Some([keys]) = read.keys.as_deref()
            && index.key.partition == table.key.partition
        {
            let (mut tally, mut left) = (Tally::default(), what_if.budget);
            let range = keys.whole_partition(table, None);
            let look = |item: &Item| {
                let entry = index::entry(table, index, item);
                tally.add(read, item, entry.as_ref());
                entry.into_iter().for_each(|entry| shown.add(entry));
            };
            let is_all = looking::at_range(view, table, range, &mut left, look).await?;
            partition = is_all.then_some(tally);
        }
        let mut tallies: Vec<Tally> = Vec::new();
        let look = |window: u32, item: &Item| {
            let entry = index::entry(table, index, item);
            let window = window as usize;
            if tallies.len() <= window {
                tallies.resize(window + 1, Tally::default());
            }
            tallies[window].add(read, item, entry.as_ref());
            if partition.is_none() {
                entry.into_iter().for_each(|entry| shown.add(entry));
            }
        };
        let looked = looking::at_table(view, table, held, what_if.budget, look).await?;
        if let Looked::Windows { windows, .. } = looked {
            tallies.resize(windows as usize, Tally::default());
        }
        Ok(Self { looked, tallies, partition, held, shown })
    }

    /// Returns what the read examines, if all of it was looked at.
    fn exact(&self) -> Option<Examined> {
        match (&self.partition, self.looked) {
            (Some(partition), _) => Some(partition.examined),
            (None, Looked::All) => Some(Tally::sum(&self.tallies).examined),
            (None, Looked::Windows { .. } | Looked::Part) => None,
        }
    }

    /// Returns the items for which `number` counts, and an interval of them; none if the sample cannot tell.
    fn interval(&self, number: fn(&Tally) -> usize) -> Option<Interval> {
        let Looked::Windows { of, .. } = self.looked else { return None };
        let cluster =
            |it: &Tally| Cluster { items: real(it.items.items), counting: real(number(it)) };
        let clusters: Vec<Cluster> = self.tallies.iter().map(cluster).collect();
        of_counting(&clusters, f64::from(of), real(self.held_items()))
    }

    fn held_items(&self) -> usize {
        usize::try_from(self.held.0).unwrap_or(0)
    }

    /// Returns the figures of the index and of its read.
    fn supposed(&self, read: &ReadPlan<'_>, index: &Index) -> Supposed {
        let sum = Tally::sum(&self.tallies);
        let each = |bytes: usize, items: usize| real(bytes) / real(items.max(1));
        let entry_bytes = each(sum.entries.bytes, sum.entries.items);
        let is_all = self.looked == Looked::All;
        // What is not looked at may all be in the index, and in the range.
        let unseen = self.held_items().saturating_sub(sum.items.items);
        let told = |seen: Amount, interval: Option<Interval>| match interval {
            Some(Interval { likely, low, high }) => {
                let bytes = if seen.items > 0 { each(seen.bytes, seen.items) } else { entry_bytes };
                let amount = Amount { items: rounded(likely), bytes: rounded(likely * bytes) };
                (amount, Bounds { at_least: below(low), at_most: Some(above(high)) })
            }
            None => {
                let most = (seen.items + unseen) as u64;
                (seen, Bounds { at_least: seen.items as u64, at_most: Some(most) })
            }
        };
        let of_entries = self.interval(|it| it.entries.items);
        let (entries, entries_between) = told(sum.entries, of_entries);
        let of_examined = self.interval(|it| it.examined.amount.items);
        let (sampled, examined_between) = told(sum.examined.amount, of_examined);
        let exact = self.exact();
        let examined = exact.map_or(sampled, |exact| exact.amount);
        let fetch_units = match exact {
            Some(exact) => exact.fetch_units / real(exact.amount.items.max(1)),
            None => sum.examined.fetch_units / real(sum.examined.amount.items.max(1)),
        };
        let bytes_each = match examined.items {
            0 => entry_bytes,
            items => each(examined.bytes, items),
        };
        let units = |items: f64, bytes: usize| {
            read_units(bytes, read.page.consistent) + fetch_units * items
        };
        let of_items = |items: u64| {
            let items = real(usize::try_from(items).unwrap_or(usize::MAX));
            units(items, rounded(items * bytes_each))
        };
        let units_between = Bounds {
            at_least: of_items(examined_between.at_least),
            at_most: examined_between.at_most.map(of_items),
        };
        let is_estimated = exact.is_none();
        Supposed {
            is_local: index.kind == IndexKind::Local,
            key: key_text(index),
            projection: projection_text(index),
            looked_at: sum.items,
            is_all,
            cannot_tell: !is_all && of_entries.is_none(),
            entries,
            entries_between: (!is_all).then_some(entries_between),
            examined,
            examined_between: is_estimated.then_some(examined_between),
            units: units(real(examined.items), examined.bytes),
            units_between: is_estimated.then_some(units_between),
            entry_bytes: rounded(entry_bytes),
            write_units: sum.write_units / real(sum.entries.items.max(1)),
        }
    }

    /// Returns a view that shows the index.
    fn view<V: View>(self, base: V, what_if: &WhatIf) -> Supposing<V> {
        let (table, index) = (what_if.table.id(), what_if.index);
        let as_counted = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        // The table's counters bound the index where not all entries are known.
        let held = if self.looked == Looked::All {
            let Amount { items, bytes } = Tally::sum(&self.tallies).entries;
            (as_counted(items), as_counted(bytes))
        } else {
            self.held
        };
        let stored = self.shown.entries.into_iter();
        Supposing(Arc::new(SupposedView {
            base,
            keyspace: layout::keyspace(table, index),
            counters: [
                (layout::counter(table, index, Counter::Entries), held.0),
                (layout::counter(table, index, Counter::Bytes), held.1),
            ],
            stored: stored.map(|(key, entry)| (key, entry.as_bytes().clone())).collect(),
        }))
    }
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

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an estimate is not negative, and a table holds less than 2^63 bytes"
)]
fn rounded(number: f64) -> usize {
    number.round() as usize
}

fn below(number: f64) -> u64 {
    rounded(number.floor()) as u64
}

fn above(number: f64) -> u64 {
    rounded(number.ceil()) as u64
}

#[expect(clippy::cast_precision_loss, reason = "an estimate is told in few digits")]
fn real(number: usize) -> f64 {
    number as f64
}

fn key_text(index: &Index) -> String {
    let names = |attributes: &[crate::schema::KeyAttribute]| {
        attributes.iter().map(|it| name_text(&it.name)).collect::<Vec<_>>().join(" and ")
    };
    let sort = match &index.key.sort[..] {
        [] => String::new(),
        attributes => format!(", in the order of {}", names(attributes)),
    };
    format!("by {}{sort}", names(&index.key.partition))
}

fn projection_text(index: &Index) -> String {
    match &index.projection {
        IndexProjection::All => "all attributes".to_owned(),
        IndexProjection::Include(names) => {
            let names: Vec<_> = names.iter().map(|name| name_text(name)).collect();
            format!("keys and {}", names.join(", "))
        }
        IndexProjection::KeysOnly => "keys".to_owned(),
    }
}

/// A view of the store that shows entries of an index, too.
struct Supposing<V>(Arc<SupposedView<V>>);

struct SupposedView<V> {
    base: V,
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
