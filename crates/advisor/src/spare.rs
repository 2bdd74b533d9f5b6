//! Indexes that can go, or be smaller: no request read them, another index contains them, or their
//! readers ask for less than they hold.
//!
//! The advisor knows only the recording: a report at the end of the month may read an index that no
//! other request reads.

use crate::TableSeen;
use crate::existing::entries;
use crate::figures::{self, EntriesSeen, entries_written, exact, storage};
use crate::fit::{Key, always_there};
use crate::need::asked;
use crate::report::{Entries, Spare, SpareIndex};
use hashrange_cost::{IndexFacts, Pattern, Returns, Tested, Used};
use std::collections::BTreeSet;

/// Entries are reported as too large if the smaller ones have at most this part of their bytes.
const SMALLER_MAX: f64 = 0.75;

/// An index, with its part of the recording.
struct IndexSeen<'t> {
    facts: &'t IndexFacts,
    is_local: bool,
    key: Key,
    entries: Entries,
    /// The requests that read it, without their values.
    readers: Vec<(Pattern, Used)>,
    write_units: f64,
}

impl IndexSeen<'_> {
    fn read_by(&self) -> u64 {
        self.readers.iter().fold(0, |sum, (_, used)| sum.saturating_add(used.requests))
    }

    fn read_units(&self) -> f64 {
        self.readers.iter().fold(0.0, |sum, (_, used)| sum + used.read_units)
    }

    fn entry_bytes(&self) -> f64 {
        exact(self.facts.index_size_bytes) / exact(self.facts.item_count.max(1))
    }

    /// Returns whether all its readers are known, and one of them tests an attribute in its filter.
    fn filters(&self, name: &str) -> bool {
        self.readers.iter().any(|(pattern, _)| {
            let is_tested = |it: &Tested| it.names.iter().any(|known| known == name);
            pattern.is_others || pattern.filter.iter().any(is_tested)
        })
    }
}

/// Returns the indexes of a table that can go, or be smaller, except those that other advice tells
/// requests to read.
pub(crate) fn advise(table: &TableSeen<'_>, advised: &[&str]) -> Vec<SpareIndex> {
    let indexes = indexes(table);
    let mut gone: BTreeSet<&str> = BTreeSet::new();
    let mut found = Vec::new();
    for (nth, index) in indexes.iter().enumerate() {
        if advised.contains(&index.facts.index_name.as_str()) {
            continue;
        }
        let spare = unread(table, index).or_else(|| {
            let others = indexes.iter().enumerate().filter(|(other, it)| {
                *other != nth && !gone.contains(it.facts.index_name.as_str())
            });
            others.into_iter().find_map(|(_, other)| contained(table, index, other))
        });
        if let Some(spare) = spare.filter(|it| it.net > 0.0) {
            gone.insert(&index.facts.index_name);
            found.push(spare);
            continue;
        }
        found.extend(holds_too_much(table, index).filter(|it| it.net > 0.0));
    }
    found
}

fn indexes<'t>(table: &TableSeen<'t>) -> Vec<IndexSeen<'t>> {
    let definition = table.definition;
    let local = definition.local_secondary_indexes.iter().map(|it| (it, true));
    let global = definition.global_secondary_indexes.iter().map(|it| (it, false));
    let reads = asked(table);
    let seen = |(facts, is_local): (&'t IndexFacts, bool)| {
        let name = facts.index_name.as_str();
        let readers = reads.iter().filter(|(it, _)| it.index.as_deref() == Some(name));
        let rows = table.recording.rows.iter().filter(|row| {
            row.key.table == table.facts.table && row.key.index.as_deref() == Some(name)
        });
        IndexSeen {
            facts,
            is_local,
            key: Key::of(&facts.key_schema),
            entries: entries(&facts.projection),
            readers: readers.map(|(it, used)| (it.pattern.clone(), *used)).collect(),
            write_units: rows.fold(0.0, |sum, row| sum + row.used.write_units),
        }
    };
    local.chain(global).map(seen).collect()
}

fn unread(table: &TableSeen<'_>, index: &IndexSeen<'_>) -> Option<SpareIndex> {
    // The reads of requests beyond the recording's bound are unknown.
    let is_known = table.recording.others == 0;
    (is_known && index.read_by() == 0).then(|| without(table, index, Spare::Unread, 0.0))
}

/// Returns the savings if an index goes and its reads use `more_reads` units more.
fn without(
    table: &TableSeen<'_>,
    index: &IndexSeen<'_>,
    why: Spare,
    more_reads: f64,
) -> SpareIndex {
    let writes = table.month.of_recorded(table.prices.of_requests(0.0, index.write_units));
    let stored = (exact(index.facts.item_count), exact(index.facts.index_size_bytes));
    let reads = -table.month.of_recorded(table.prices.of_requests(more_reads, 0.0));
    spare(table, index, why, (writes, storage(table, stored.0, stored.1), reads))
}

fn spare(
    table: &TableSeen<'_>,
    index: &IndexSeen<'_>,
    why: Spare,
    (writes_saved, storage_saved, reads_saved): (f64, f64, f64),
) -> SpareIndex {
    SpareIndex {
        table: table.facts.table.clone(),
        index: index.facts.index_name.clone(),
        is_local: index.is_local,
        why,
        read_by: index.read_by(),
        write_units: index.write_units,
        writes_saved,
        storage_saved,
        reads_saved,
        net: writes_saved + storage_saved + reads_saved,
        assumptions: Vec::new(),
    }
}

/// Returns the advice if another index has all entries of this one, in its order and with all their
/// attributes.
fn contained(
    table: &TableSeen<'_>,
    index: &IndexSeen<'_>,
    other: &IndexSeen<'_>,
) -> Option<SpareIndex> {
    let further = other.key.sort.strip_prefix(&index.key.sort[..])?;
    let is_like = index.is_local == other.is_local
        && index.key.partition == other.key.partition
        && contains(&other.entries, &index.entries, &other.key);
    let of_table = Key::of(&table.definition.key_schema);
    let sample = table.facts.sample.as_ref();
    let granted: Vec<&String> = further.iter().filter(|name| !of_table.has(name)).collect();
    let is_whole = granted.iter().all(|name| always_there(sample, name));
    let is_filtered = further.iter().any(|name| index.filters(name));
    if !is_like || !is_whole || is_filtered {
        return None;
    }
    // Larger entries take more units to read; the estimate ignores the rounding up to whole units.
    let ratio = other.entry_bytes() / index.entry_bytes().max(1.0);
    let more_reads = index.read_units() * (ratio - 1.0).max(0.0);
    let why = Spare::ContainedIn(other.facts.index_name.clone());
    let mut found = without(table, index, why, more_reads);
    let items = sample.map_or(0, |sample| sample.items);
    found.assumptions = granted
        .iter()
        .map(|name| {
            let items = hashrange_cost::grouped(items);
            format!("every item has {name}, as all {items} that were looked at")
        })
        .collect();
    Some(found)
}

fn contains(other: &Entries, one: &Entries, other_key: &Key) -> bool {
    match (other, one) {
        (Entries::All, _) | (_, Entries::KeysOnly) => true,
        (Entries::KeysOnly, Entries::Include(names)) => names.iter().all(|it| other_key.has(it)),
        (Entries::Include(held), Entries::Include(names)) => {
            names.iter().all(|it| held.contains(it) || other_key.has(it))
        }
        (Entries::KeysOnly | Entries::Include(_), Entries::All) => false,
    }
}

/// Returns the advice for an index that holds more than its readers ask for.
fn holds_too_much(table: &TableSeen<'_>, index: &IndexSeen<'_>) -> Option<SpareIndex> {
    if index.is_local || index.readers.is_empty() || table.facts.sample.is_none() {
        return None;
    }
    let entries = asked_for(table, index)?;
    let seen = EntriesSeen::of(table, &index.key, &entries);
    let as_it_is = EntriesSeen { bytes: index.entry_bytes(), ..seen };
    if seen.bytes > as_it_is.bytes * SMALLER_MAX {
        return None;
    }
    let writes = |seen: EntriesSeen, entries: &Entries| {
        entries_written(table, &index.key, entries) * seen.write_units_each()
    };
    let before = writes(as_it_is, &index.entries);
    let left = if before > 0.0 { (writes(seen, &entries) / before).min(1.0) } else { 1.0 };
    let saved_reads = index.readers.iter().fold(0.0, |sum, (_, used)| {
        let then = figures::read_units(used.requests, exact(used.examined), seen.bytes);
        sum + (used.read_units - then).max(0.0)
    });
    let for_a_month =
        |reads, writes| table.month.of_recorded(table.prices.of_requests(reads, writes));
    let bytes_saved = (as_it_is.bytes - seen.bytes) * exact(index.facts.item_count);
    let saved = (
        for_a_month(0.0, index.write_units * (1.0 - left)),
        storage(table, 0.0, bytes_saved),
        for_a_month(saved_reads, 0.0),
    );
    Some(spare(table, index, Spare::HoldsTooMuch(entries), saved))
}

/// Returns the attributes that the readers of an index ask for, if those are fewer than it has.
fn asked_for(table: &TableSeen<'_>, index: &IndexSeen<'_>) -> Option<Entries> {
    let of_table = Key::of(&table.definition.key_schema);
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for (pattern, _) in &index.readers {
        if pattern.is_others {
            return None;
        }
        match &pattern.returns {
            Returns::All => return None,
            Returns::Count => {}
            Returns::Names(returned) => names.extend(returned.iter().map(String::as_str)),
        }
        names.extend(pattern.filter.iter().flat_map(|it| &it.names).map(String::as_str));
    }
    names.retain(|name| !index.key.has(name) && !of_table.has(name));
    let held = match &index.entries {
        Entries::KeysOnly => 0,
        Entries::Include(held) => held.len(),
        Entries::All => usize::MAX,
    };
    (names.len() < held).then(|| match names.len() {
        0 => Entries::KeysOnly,
        _ => Entries::Include(names.into_iter().map(str::to_owned).collect()),
    })
}
