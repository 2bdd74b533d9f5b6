//! The items of `sys.heat`: the contents of the book, as items for each key, range and minute.
//!
//! The sort key is `KIND#MINUTE#WEIGHT#NTH`, so that of each kind the newest minutes stand last,
//! and of each minute the hottest keys: a backward read returns them first. A range has no WEIGHT,
//! and its NTH is its number.
//!
//! Bounded: a page of a Scan makes the items of as many tables as fill it, a Query those of one.

use super::{Heat, table};
use crate::layout;
use crate::schema::{IndexId, Table};
use hashrange_heat::{Hot, HotKey, MinuteHeat, PlaceHeat, Sums, Top};
use hashrange_model::calendar::date_from_days;
use hashrange_model::limits::PAGE_SIZE_MAX_BYTES;
use hashrange_model::{AttributeValue, Item, Number};
use hashrange_storage::{Error, KeyRange, MemoryStore, MemoryView, Store};
use std::sync::Arc;

const DAY_MINUTES: u64 = 24 * 60;
const MINUTE_MS: u64 = 60_000;

impl Heat {
    /// Returns a view with the items of a range of `sys.heat`, or with its first items, more than
    /// fill a page; for the given tables.
    pub(crate) async fn view(
        &self,
        tables: &[Arc<Table>],
        range: &KeyRange,
    ) -> Result<MemoryView, Error> {
        let (first, last) = layout::hashes_of_range(range);
        let own = self.table();
        let places = tables.iter().flat_map(|table| {
            let indexes = table.indexes.iter().map(|index| (index.id, Some(&*index.name)));
            let places = indexes.chain([(IndexId::BASE, None)]);
            places.map(move |(id, index)| (table, id, name_of(&table.record.name, index)))
        });
        let mut places: Vec<_> = places
            .filter_map(|(table, id, name)| Some((hash_of(&own, &name)?, table, id, name)))
            .filter(|(hash, ..)| (first..=last).contains(hash))
            .collect();
        places.sort_by_key(|(hash, ..)| *hash);
        let (mut rows, mut bytes) = (Vec::new(), 0);
        for (_, table, id, name) in places {
            let Some(place) = self.place(table, id, usize::MAX) else { continue };
            for item in items(&name, &place) {
                let Ok(key) = layout::item_key(&own, &item) else { continue };
                bytes += if key.bytes < range.start { 0 } else { item.size() };
                rows.push((key.bytes, item.as_bytes().clone()));
            }
            if bytes > 2 * PAGE_SIZE_MAX_BYTES {
                break;
            }
        }
        let store = MemoryStore::new();
        let filled = store.commit(Vec::new(), move |_, batch| {
            for (key, value) in rows.drain(..) {
                batch.put(key, value);
            }
        });
        filled.await?;
        store.view().await
    }
}

fn name_of(table: &str, index: Option<&str>) -> String {
    index.map_or_else(|| table.to_owned(), |index| format!("{table}/{index}"))
}

fn hash_of(own: &Table, name: &str) -> Option<u32> {
    let item = Item::from_attributes([(table::PLACE, name.into()), (table::SORT, "-".into())]);
    Some(layout::item_key(own, &item).ok()?.hash())
}

fn items(name: &str, place: &PlaceHeat) -> Vec<Item> {
    place.minutes.iter().flat_map(|minute| items_of_minute(name, minute)).collect()
}

fn items_of_minute(name: &str, minute: &MinuteHeat) -> Vec<Item> {
    let row = Row { name, minute: text_of_minute(minute.minute_ms), whole: &minute.whole };
    let mut items = vec![row.item("minutes", 0, None, &minute.whole, Vec::new())];
    for (nth, range) in minute.ranges.iter().enumerate() {
        let number = Number::from(nth);
        items.push(row.item("ranges", nth, None, range, vec![("range", number.into())]));
    }
    let Hot { accessed, throttled } = &minute.keys;
    row.add_keys(&mut items, "keys", accessed);
    row.add_keys(&mut items, "throttled-keys", throttled);
    let Hot { accessed, throttled } = &minute.items;
    row.add_keys(&mut items, "items", accessed);
    row.add_keys(&mut items, "throttled-items", throttled);
    items
}

/// Values that the items of a minute share.
struct Row<'a> {
    name: &'a str,
    minute: String,
    whole: &'a Sums,
}

impl Row<'_> {
    fn add_keys(&self, items: &mut Vec<Item>, kind: &str, top: &Top) {
        let last = top.keys.len().saturating_sub(1);
        for (nth, key) in top.keys.iter().enumerate() {
            let HotKey { sums, over, range, .. } = key;
            let mut more = vec![
                ("key", AttributeValue::from(&*key.key)),
                ("range", Number::from(*range).into()),
                ("over", decimal(*over)),
            ];
            more.extend(key.parts.as_deref().map(|parts| ("parts", AttributeValue::from(parts))));
            let weight = if sums.throttles > 0 { count(sums.throttles) } else { sums.units() };
            items.push(self.item(kind, last - nth, Some(weight), sums, more));
        }
    }

    fn item(
        &self,
        kind: &str,
        nth: usize,
        weight: Option<f64>,
        sums: &Sums,
        more: Vec<(&str, AttributeValue)>,
    ) -> Item {
        let weight = weight.map_or_else(String::new, |weight| format!("{weight:012.1}#"));
        let sort = format!("{kind}#{}#{weight}{nth:03}", self.minute);
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let share = if sums.throttles > 0 && sums.requests == 0 {
            share(count(sums.throttles), count(self.whole.throttles))
        } else {
            share(sums.units(), self.whole.units())
        };
        let attributes = [
            (table::PLACE, AttributeValue::from(self.name)),
            (table::SORT, AttributeValue::from(&*sort)),
            ("kind", AttributeValue::from(kind)),
            ("minute", AttributeValue::from(&*self.minute)),
            ("read_units", decimal(sums.read_units)),
            ("write_units", decimal(sums.write_units)),
            ("requests", Number::from(sums.requests).into()),
            ("bytes", Number::from(sums.bytes).into()),
            ("throttles", Number::from(sums.throttles).into()),
            ("share", decimal(share)),
        ];
        Item::from_attributes(attributes.into_iter().chain(more))
    }
}

/// Returns a number with four decimal places.
fn decimal(amount: f64) -> AttributeValue {
    Number::parse(&format!("{amount:.4}")).unwrap_or(Number::ZERO).into()
}

#[expect(clippy::cast_precision_loss, reason = "a weight is compared and shown, with few digits")]
fn count(number: u64) -> f64 {
    number as f64
}

/// Returns a minute as `2026-11-25T09:41Z`.
fn text_of_minute(minute_ms: u64) -> String {
    let minutes = minute_ms / MINUTE_MS;
    let (days, minute) = (minutes / DAY_MINUTES, minutes % DAY_MINUTES);
    let (year, month, day) = date_from_days(i64::try_from(days).unwrap_or(i64::MAX / 2));
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}Z", minute / 60, minute % 60)
}
