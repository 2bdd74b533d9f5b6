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
use super::estimate::{Cluster, Interval, of_amount, of_counting};
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
        if !shows_all {
            // The view's neighbours are not all that would be stored.
            step.collection = None;
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
fn estimate(read: &ReadPlan<'_>, exact: Examined) -> Estimate {
    let (items, bytes) = (exact.amount.items as u64, exact.amount.bytes as u64);
    let exactly = |number| Bounds { at_least: number, at_most: Some(number) };
    let pages = 1 + items.saturating_sub(1) / (read.page.limit as u64).max(1);
    Estimate {
        items: exactly(items),
        bytes: exactly(bytes),
        pages: Bounds { at_least: pages, at_most: Some(pages_at_most(read, exact.amount)) },
        units: units(read, exact, exact),
    }
}

fn pages_at_most(read: &ReadPlan<'_>, amount: Amount) -> u64 {
    let limit = (read.page.limit as u64).max(1);
    1 + amount.items as u64 / limit + (amount.bytes / PAGE_SIZE_MAX_BYTES) as u64
}

/// Returns the read capacity units of a read that examines from `least` to `most`, page by page.
fn units(read: &ReadPlan<'_>, least: Examined, most: Examined) -> Bounds<f64> {
    let at_once = |examined: Examined| {
        read_units(examined.amount.bytes, read.page.consistent) + examined.fetch_units
    };
    let pages = pages_at_most(read, most.amount);
    let ranges = read.ranges.len() as u64;
    let at_most = if pages == 1 && ranges <= 1 {
        at_once(most)
    } else {
        let bytes = most.amount.bytes as u64;
        most_units(bytes, pages + ranges, read.page.consistent) + most.fetch_units
    };
    Bounds { at_least: at_once(least), at_most: Some(at_most) }
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
                if let Some(entry) = entry {
                    shown.add(entry);
                }
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
            if let Some(entry) = entry.filter(|_| partition.is_none()) {
                shown.add(entry);
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
        let (clusters, parts) = self.clusters(|it| real(number(it)))?;
        of_counting(&clusters, parts, real(self.held_items()))
    }

    /// Returns an amount of the items, at most `most`, and an interval of it; none if the sample cannot tell.
    fn amount(&self, of: fn(&Tally) -> f64, most: f64) -> Option<Interval> {
        let (clusters, parts) = self.clusters(of)?;
        of_amount(&clusters, parts, real(self.held_items()), most)
    }

    fn clusters(&self, counting: impl Fn(&Tally) -> f64) -> Option<(Vec<Cluster>, f64)> {
        let Looked::Windows { of, .. } = self.looked else { return None };
        let cluster = |it: &Tally| Cluster { items: real(it.items.items), counting: counting(it) };
        Some((self.tallies.iter().map(cluster).collect(), f64::from(of)))
    }

    /// Returns the least, the likeliest and the most that the read examines, by the sample.
    fn examined(&self, read: &ReadPlan<'_>, sum: &Tally) -> [Examined; 3] {
        let seen = sum.examined;
        let unseen_items = self.held_items().saturating_sub(sum.items.items);
        let held_bytes = usize::try_from(self.held.1).unwrap_or(0);
        let unseen_bytes = held_bytes.saturating_sub(sum.items.bytes);
        // No entry is larger than its item.
        let fetched = if read.page.fetches {
            most_units(unseen_bytes as u64, unseen_items as u64, read.page.consistent)
        } else {
            0.0
        };
        let most = Examined {
            amount: seen.amount.plus(Amount { items: unseen_items, bytes: unseen_bytes }),
            fetch_units: seen.fetch_units + fetched,
        };
        let items = self.interval(|it| it.examined.amount.items);
        let bytes = self.amount(|it| real(it.examined.amount.bytes), real(most.amount.bytes));
        let fetched = self.amount(|it| it.examined.fetch_units, most.fetch_units);
        let (Some(items), Some(bytes), Some(fetched)) = (items, bytes, fetched) else {
            return [seen, seen, most];
        };
        [|it: Interval| it.low.floor(), |it: Interval| it.likely, |it: Interval| it.high.ceil()]
            .map(|end| Examined {
                amount: Amount { items: rounded(end(items)), bytes: rounded(end(bytes)) },
                fetch_units: if read.page.fetches { end(fetched) } else { 0.0 },
            })
    }

    fn held_items(&self) -> usize {
        usize::try_from(self.held.0).unwrap_or(0)
    }

    /// Returns the figures of the index and of its read.
    fn supposed(&self, read: &ReadPlan<'_>, index: &Index) -> Supposed {
        let sum = Tally::sum(&self.tallies);
        let is_all = self.looked == Looked::All;
        let entry_bytes = real(sum.entries.bytes) / real(sum.entries.items.max(1));
        let unseen = self.held_items().saturating_sub(sum.items.items);
        let of_entries = self.interval(|it| it.entries.items);
        let (entries, entries_between) = match of_entries {
            Some(Interval { likely, low, high }) => {
                let amount =
                    Amount { items: rounded(likely), bytes: rounded(likely * entry_bytes) };
                (amount, (rounded(low.floor()), rounded(high.ceil())))
            }
            // What is not looked at may all be in the index.
            None => (sum.entries, (sum.entries.items, sum.entries.items + unseen)),
        };
        let exact = self.exact();
        let [least, likely, most] = match exact {
            Some(exact) => [exact; 3],
            None => self.examined(read, &sum),
        };
        let between = |(least, most): (usize, usize)| Bounds {
            at_least: least as u64,
            at_most: Some(most as u64),
        };
        let units_between = units(read, least, most);
        let is_exact = exact.is_some() && units_between.at_most == Some(units_between.at_least);
        Supposed {
            is_local: index.kind == IndexKind::Local,
            key: key_text(index),
            projection: projection_text(index),
            looked_at: sum.items,
            is_all,
            cannot_tell: !is_all && of_entries.is_none(),
            entries,
            entries_between: (!is_all).then(|| between(entries_between)),
            examined: likely.amount,
            examined_between: exact
                .is_none()
                .then(|| between((least.amount.items, most.amount.items))),
            units: read_units(likely.amount.bytes, read.page.consistent) + likely.fetch_units,
            units_between: (!is_exact).then_some(units_between),
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
