//! Requests that an existing key answers: a Scan for a partition key, a filter that is a key
//! condition of an index.

use crate::TableSeen;
use crate::figures::{self, EntriesSeen};
use crate::fit::{Fit, Key, always_there};
use crate::need::Need;
use crate::report::{Entries, UnusedKey};
use hashrange_cost::{IndexFacts, Projection, Test};

/// An existing key.
struct Source<'t> {
    /// The index; `None` means the table.
    index: Option<&'t IndexFacts>,
    key: Key,
    entries: Entries,
}

/// Returns the requests that an existing key answers, and the rest.
pub(crate) fn advise(table: &TableSeen<'_>, needs: Vec<Need>) -> (Vec<UnusedKey>, Vec<Need>) {
    let sources = sources(table);
    let (mut found, mut left) = (Vec::new(), Vec::new());
    for need in needs {
        match best(table, &sources, &need) {
            Some(unused) => found.push(unused),
            None => left.push(need),
        }
    }
    (found, left)
}

/// Returns the conditions of a request that are key conditions on the key it reads by.
pub(crate) fn covered_now(table: &TableSeen<'_>, need: &Need) -> Vec<usize> {
    if !need.is_statement && need.request.operation != "Query" {
        return Vec::new();
    }
    let sources = sources(table);
    let covered = read_now(&sources, need).and_then(|source| source.key.covered(need));
    covered.map(|(covered, _)| covered).unwrap_or_default()
}

fn read_now<'s, 't>(sources: &'s [Source<'t>], need: &Need) -> Option<&'s Source<'t>> {
    let mut sources = sources.iter();
    sources.find(|it| it.index.map(|it| &it.index_name) == need.request.index.as_ref())
}

/// Returns whether the figures of a request tell what it would examine by another key. They do if
/// it examines items of the whole table, or of the part that its conditions select and that the
/// other key selects, too; and if its present index has an entry for every item, with all
/// attributes if the other key's entries have all.
pub(crate) fn can_be_told(
    table: &TableSeen<'_>,
    need: &Need,
    fit: &Fit,
    (covered_now, entries): (&[usize], &Entries),
) -> bool {
    if !covered_now.iter().all(|condition| fit.covered.contains(condition)) {
        return false;
    }
    let sources = sources(table);
    let Some(source) = read_now(&sources, need) else { return false };
    // A statement reads several partitions by IN.
    let is_of_key = |nth: usize| {
        let condition = need.conditions.get(nth);
        condition.is_some_and(|it| {
            it.test == Test::Other
                && it.names.iter().any(|name| source.key.partition.contains(name))
        })
    };
    if need.is_statement && covered_now.is_empty() && (0..need.conditions.len()).any(is_of_key) {
        return false;
    }
    let Some(_) = source.index else { return true };
    // An index may lack items that another index has.
    let of_table = Key::of(&table.definition.key_schema);
    let sample = table.facts.sample.as_ref();
    let is_whole = source
        .key
        .attributes()
        .all(|name| of_table.has(name) || need.requires(name) || always_there(sample, name));
    is_whole && (*entries != Entries::All || source.entries == Entries::All)
}

fn sources<'t>(table: &TableSeen<'t>) -> Vec<Source<'t>> {
    let definition = table.definition;
    let own = Source { index: None, key: Key::of(&definition.key_schema), entries: Entries::All };
    let indexes =
        definition.local_secondary_indexes.iter().chain(&definition.global_secondary_indexes);
    let of_index = |index: &'t IndexFacts| Source {
        index: Some(index),
        key: Key::of(&index.key_schema),
        entries: entries(&index.projection),
    };
    std::iter::once(own).chain(indexes.map(of_index)).collect()
}

/// Returns the attributes of entries with a projection.
pub(crate) fn entries(projection: &Projection) -> Entries {
    match projection.projection_type.as_str() {
        "KEYS_ONLY" => Entries::KeysOnly,
        "INCLUDE" => Entries::Include(projection.non_key_attributes.clone()),
        _ => Entries::All,
    }
}

fn best(table: &TableSeen<'_>, sources: &[Source<'_>], need: &Need) -> Option<UnusedKey> {
    let covered_now = covered_now(table, need);
    let found = sources.iter().filter_map(|source| {
        let fit = source.key.fit(table, need, source.index.is_none())?;
        // If a filter is left, a new index may answer it.
        let is_whole = fit.rest.is_empty() && fit.covered.len() > covered_now.len();
        let holds = holds(table, &source.key, &source.entries, need, &fit);
        let is_told = can_be_told(table, need, &fit, (&covered_now, &Entries::KeysOnly));
        (is_whole && holds && is_told).then(|| unused(table, source, need, &fit, &covered_now))
    });
    found
        .filter(|it| it.answered.read_units_then < it.answered.read_units)
        // Of equal ones the one with the fewest assumptions wins; the table stands first.
        .min_by(|one, other| {
            let units = |it: &UnusedKey| it.answered.read_units_then;
            let granted = |it: &UnusedKey| it.assumptions.len();
            units(one).total_cmp(&units(other)).then(granted(one).cmp(&granted(other)))
        })
}

/// Returns whether entries have all attributes that a request reads of them.
pub(crate) fn holds(
    table: &TableSeen<'_>,
    key: &Key,
    entries: &Entries,
    need: &Need,
    fit: &Fit,
) -> bool {
    let of_table = Key::of(&table.definition.key_schema);
    let is_held = |name: &str| match entries {
        Entries::All => true,
        Entries::KeysOnly => key.has(name) || of_table.has(name),
        Entries::Include(included) => {
            key.has(name) || of_table.has(name) || included.iter().any(|it| it == name)
        }
    };
    match need.names_read(&fit.rest) {
        None => *entries == Entries::All,
        Some(names) => names.into_iter().all(is_held),
    }
}

fn unused(
    table: &TableSeen<'_>,
    source: &Source<'_>,
    need: &Need,
    fit: &Fit,
    covered_now: &[usize],
) -> UnusedKey {
    let name = source.index.map(|index| index.index_name.as_str());
    let seen = EntriesSeen::of(table, &source.key, &source.entries);
    let answered = figures::answered(table, name, need, fit, (seen.bytes, covered_now));
    let saved = answered.read_units - answered.read_units_then;
    UnusedKey {
        reads_saved: Some(table.month.of_recorded(table.prices.of_requests(saved, 0.0))),
        answered,
        assumptions: assumptions(table, need, fit, source.index.is_some()),
    }
}

/// Returns the assumptions for a request that reads by another key.
pub(crate) fn assumptions(
    table: &TableSeen<'_>,
    need: &Need,
    fit: &Fit,
    is_index: bool,
) -> Vec<String> {
    let mut found = Vec::new();
    if is_index && need.is_consistent() {
        found.push(
            "some of the reads were consistent, which reads of global indexes are not".to_owned(),
        );
    }
    for name in &fit.taken_for_granted {
        let items = table.facts.sample.as_ref().map_or(0, |sample| sample.items);
        found.push(format!(
            "every item has {name}, as all {} that were looked at",
            hashrange_cost::grouped(items)
        ));
    }
    found
}
