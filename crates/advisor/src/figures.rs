//! Cost of reading and writing by a key: bytes of entries, units, money for a month. The figures
//! are estimates, from the means of the recording and from a sample of the table.

use crate::TableSeen;
use crate::fit::{Fit, Key, instead};
use crate::need::{Need, READ_UNIT_BYTES};
use crate::report::{Answered, Entries};
use hashrange_cost::{Pattern, Recording, Sample, Test};

const WRITE_UNIT_BYTES: f64 = 1024.0;
/// Bytes that the service bills for each stored entry beside its own. Source: developer guide,
/// "Estimate your storage costs".
const ENTRY_OVERHEAD_BYTES: f64 = 100.0;
const GB: f64 = 1_073_741_824.0;
const MONTH_MS: f64 = 30.0 * 24.0 * 3600.0 * 1000.0;

/// Length of a month, in recorded times.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Month(f64);

impl Month {
    pub(crate) fn of(recording: &Recording) -> Self {
        let recorded_ms = recording.until_ms.saturating_sub(recording.began_ms).max(1);
        Self(MONTH_MS / exact(recorded_ms))
    }

    /// Returns the month's amount of an amount in the recorded time.
    pub(crate) fn of_recorded(self, amount: f64) -> f64 {
        amount * self.0
    }
}

/// Estimate of the entries of an index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntriesSeen {
    /// Mean bytes of one entry.
    pub(crate) bytes: f64,
    /// Part of the items that have an entry, from 0 to 1.
    pub(crate) share: f64,
}

impl EntriesSeen {
    pub(crate) fn of(table: &TableSeen<'_>, key: &Key, entries: &Entries) -> Self {
        let item_bytes = mean_item_bytes(table);
        let Some(sample) = table.facts.sample.as_ref().filter(|sample| sample.items > 0) else {
            return Self { bytes: item_bytes, share: 1.0 };
        };
        let items = exact(sample.items);
        let has = |name: &str| sample.attribute(name).map_or(0.0, |it| exact(it.items));
        let share = key.attributes().map(|name| has(name) / items).fold(1.0, f64::min);
        let of_table = Key::of(&table.definition.key_schema);
        let included: &[String] = match entries {
            Entries::All => return Self { bytes: item_bytes, share },
            Entries::KeysOnly => &[],
            Entries::Include(names) => names,
        };
        let mut names: Vec<&str> = of_table.attributes().chain(key.attributes()).collect();
        names.extend(included.iter().map(String::as_str));
        names.sort_unstable();
        names.dedup();
        let bytes = names.iter().map(|name| mean_bytes(sample, name)).fold(0.0, |sum, it| sum + it);
        Self { bytes: bytes.min(item_bytes), share }
    }

    pub(crate) fn write_units_each(self) -> f64 {
        (self.bytes / WRITE_UNIT_BYTES).ceil().max(1.0)
    }

    /// Returns the cost of storing the entries of the table's items for a month.
    pub(crate) fn storage(self, table: &TableSeen<'_>) -> f64 {
        let entries = exact(table.definition.item_count) * self.share;
        storage(table, entries, entries * self.bytes)
    }
}

/// Returns the cost of storing entries for a month.
pub(crate) fn storage(table: &TableSeen<'_>, entries: f64, bytes: f64) -> f64 {
    (bytes + entries * ENTRY_OVERHEAD_BYTES) / GB * table.prices.storage_gb_month
}

/// Returns the mean bytes of an attribute with its name, over the items that have it.
fn mean_bytes(sample: &Sample, name: &str) -> f64 {
    sample.attribute(name).map_or(0.0, |it| exact(it.bytes) / exact(it.items.max(1)))
}

/// Returns the mean bytes of an item.
pub(crate) fn mean_item_bytes(table: &TableSeen<'_>) -> f64 {
    let of_sample = table.facts.sample.as_ref().map(|it| (it.bytes, it.items));
    let of_table = (table.definition.table_size_bytes, table.definition.item_count);
    let (bytes, items) = of_sample.filter(|(_, items)| *items > 0).unwrap_or(of_table);
    exact(bytes) / exact(items.max(1))
}

/// Returns the units of reads that examine so many entries in so many requests, divided evenly:
/// half a unit for each started 4 KB in each request.
pub(crate) fn read_units(requests: u64, examined: f64, entry_bytes: f64) -> f64 {
    let requests = exact(requests.max(1));
    let each = (examined * entry_bytes / requests / READ_UNIT_BYTES).ceil().max(1.0);
    requests * each / 2.0
}

impl Answered {
    /// Returns the read units of one such request that examines and returns so many items now, by a key whose
    /// entries have so many bytes, as the advice reckons them.
    pub fn reckoned(&self, (examined, returned): (u64, u64), entry_bytes: f64) -> f64 {
        let then = if self.examined_then <= exact(self.returned) {
            exact(returned)
        } else {
            exact(examined) * self.examined_then / exact(self.examined.max(1))
        };
        read_units(1, then, entry_bytes)
    }
}

/// Returns the figures of a request that reads by a key; the key that it reads by now answers the
/// `covered_now` conditions.
pub(crate) fn answered(
    table: &TableSeen<'_>,
    index: Option<&str>,
    need: &Need,
    fit: &Fit,
    (entry_bytes, covered_now): (f64, &[usize]),
) -> Answered {
    let used = &need.used;
    let examined_then = examined(table, need, fit, covered_now);
    Answered {
        request: need.request.clone(),
        instead: instead(need, index, fit),
        requests: used.requests,
        examined: used.examined,
        returned: used.returned,
        read_units: used.read_units,
        examined_then,
        read_units_then: read_units(used.requests, examined_then, entry_bytes),
        read_units_at_most: used.read_units,
    }
}

/// Returns the number of entries that a request would examine. If no filter is left, these are the
/// entries returned. Else it is the present number times the share, in a sample, of the most
/// frequent value of the attributes that the key answers by `=`. Of several attributes the smallest
/// share counts, since their values may depend on each other.
fn examined(table: &TableSeen<'_>, need: &Need, fit: &Fit, covered_now: &[usize]) -> f64 {
    let returned = exact(need.used.returned);
    if fit.rest.is_empty() {
        return returned;
    }
    let examined = exact(need.used.examined);
    let Some(sample) = &table.facts.sample else { return examined };
    let newly = fit.covered.iter().filter(|nth| !covered_now.contains(nth));
    let newly = newly.filter_map(|nth| need.conditions.get(*nth));
    let share = |items: u64| exact(items) / exact(sample.items.max(1));
    let left = newly.fold(1.0_f64, |left, condition| {
        let of_name = condition.names.first().and_then(|name| sample.attribute(name));
        match (condition.test, of_name) {
            (Test::Equal, Some(seen)) if seen.most > 0 => left.min(share(seen.most)),
            // A recording of a release that did not record this.
            (Test::Equal, Some(seen)) => left.min(1.0 / exact(seen.distinct.max(1))),
            (Test::Exists, Some(seen)) => left.min(share(seen.items)),
            _ => left,
        }
    });
    (examined * left).max(returned)
}

/// Returns the number of entries of an index that the writes of the recording would have written.
pub(crate) fn entries_written(table: &TableSeen<'_>, key: &Key, entries: &Entries) -> f64 {
    let rows = table.recording.rows.iter().filter(|row| {
        row.key.table == table.facts.table && row.key.index.is_none() && row.used.write_units > 0.0
    });
    rows.fold(0.0, |sum, row| {
        let written = exact(row.used.examined.saturating_sub(row.used.failed));
        sum + written * entries_of_write(&row.key.operation, &row.key.pattern, key, entries)
    })
}

/// Returns the number of entries that a write writes: an update that changes the key removes one
/// and writes one; an update that changes no attribute of the index writes none.
fn entries_of_write(operation: &str, pattern: &Pattern, key: &Key, entries: &Entries) -> f64 {
    if operation != "UpdateItem" {
        return 1.0;
    }
    let Some(names) = &pattern.updates else { return 2.0 };
    let is_held = |name: &String| match entries {
        Entries::All => true,
        Entries::KeysOnly => false,
        Entries::Include(included) => included.contains(name),
    };
    if names.iter().any(|name| key.has(name)) {
        2.0
    } else if names.iter().any(is_held) {
        1.0
    } else {
        0.0
    }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate is told in few digits")]
pub(crate) fn exact(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(one: f64, other: f64) {
        assert!((one - other).abs() < 1e-9, "{one} {other}");
    }

    #[test]
    fn units_are_rounded_up_for_each_request() {
        near(read_units(1, 0.0, 100.0), 0.5);
        near(read_units(1, 41.0, 100.0), 1.0);
        near(read_units(4, 4.0, 4096.0), 2.0);
        near(read_units(4, 4.0, 4097.0), 4.0);
    }

    #[test]
    fn an_update_writes_the_entries_that_it_changes() {
        let key = Key { partition: vec!["state".to_owned()], sort: vec!["at".to_owned()] };
        let include = Entries::Include(vec!["price".to_owned()]);
        for (operation, pattern, entries, written) in [
            ("PutItem", "", &Entries::All, 1.0),
            ("DeleteItem", "", &Entries::KeysOnly, 1.0),
            ("UpdateItem", "UPDATES at, note", &Entries::KeysOnly, 2.0),
            ("UpdateItem", "UPDATES note", &Entries::All, 1.0),
            ("UpdateItem", "UPDATES note", &Entries::KeysOnly, 0.0),
            ("UpdateItem", "UPDATES note", &include, 0.0),
            ("UpdateItem", "UPDATES price IF note = ?", &include, 1.0),
            ("UpdateItem", "IF note = ?", &include, 2.0),
        ] {
            let pattern = Pattern::read(pattern).unwrap();
            near(entries_of_write(operation, &pattern, &key, entries), written);
        }
    }
}
