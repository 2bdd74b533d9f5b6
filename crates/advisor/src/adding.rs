//! Indexes that do not exist: candidate keys from the conditions of requests, and the choice of
//! those that pay, one after the other, each for all requests that it answers.

use crate::TableSeen;
use crate::existing::{assumptions, can_be_told, covered_now};
use crate::figures::{self, EntriesSeen, entries_written, exact};
use crate::fit::{Fit, Key};
use crate::index_text;
use crate::need::Need;
use crate::report::{Answered, Entries, KeyAttribute, Money, NewIndex};
use std::collections::BTreeSet;

/// The most attributes of a partition key, and of a sort key. Source: developer guide,
/// "Multi-attribute keys".
const KEY_ATTRIBUTES_MAX: usize = 4;
/// Most attributes that an index lists as included; an index with more gets all. The service allows
/// 100 for a table.
const INCLUDED_MAX: usize = 20;
/// The most indexes of a table. Source: service quotas.
const INDEXES_MAX: usize = 20;

/// Candidate for a new index.
struct Candidate {
    key: Key,
    entries: Entries,
    seen: EntriesSeen,
    /// Offsets of the requests that it answers, with the conditions it answers and the figures.
    answers: Vec<(usize, Fit, Answered)>,
    reads_saved: f64,
    writes: f64,
    storage: f64,
}

impl Candidate {
    fn net(&self) -> f64 {
        self.reads_saved - self.writes - self.storage
    }
}

/// Returns the indexes that pay, the one that saves most first.
pub(crate) fn advise(table: &TableSeen<'_>, needs: &[Need]) -> Vec<NewIndex> {
    let keys = keys(table, needs);
    let now: Vec<Vec<usize>> = needs.iter().map(|need| covered_now(table, need)).collect();
    let room = INDEXES_MAX.saturating_sub(table.definition.global_secondary_indexes.len());
    let mut open: BTreeSet<usize> = (0..needs.len()).collect();
    let mut found: Vec<NewIndex> = Vec::new();
    while found.len() < room {
        let of_key = |key| candidate(table, needs, &now, &open, key);
        // Of equal ones the key with fewer attributes wins; it stands first.
        let best = keys.iter().filter_map(of_key).filter(|it| it.net() > 0.0).reduce(|best, it| {
            if it.net() > best.net() * (1.0 + f64::EPSILON) { it } else { best }
        });
        let Some(best) = best else { break };
        best.answers.iter().for_each(|(nth, ..)| {
            open.remove(nth);
        });
        let taken: Vec<String> = found.iter().map(|it| it.index.clone()).collect();
        found.push(new_index(table, needs, &taken, best));
    }
    found
}

/// Returns the keys that are worth a try, shortest first.
fn keys(table: &TableSeen<'_>, needs: &[Need]) -> BTreeSet<Ranked> {
    let mut keys = BTreeSet::new();
    let mut add = |partition: &str, sort: &[&str]| {
        let names = || std::iter::once(&partition).chain(sort);
        let mut each: Vec<&&str> = names().collect();
        each.sort_unstable();
        each.dedup();
        if each.len() == sort.len() + 1 && names().all(|name| key_type(table, name).is_some()) {
            let sort: Vec<String> = sort.iter().map(|name| (*name).to_owned()).collect();
            keys.insert(Ranked(sort.len(), Key { partition: vec![partition.to_owned()], sort }));
        }
    };
    for need in needs {
        let (equal, ranges) = (need.equal(), need.ranges());
        let exists = need.existing();
        for partition in equal.iter().take(KEY_ATTRIBUTES_MAX) {
            add(partition, &[]);
            let rest: Vec<&str> = equal.iter().copied().filter(|it| it != partition).collect();
            let rest = rest.get(..rest.len().min(KEY_ATTRIBUTES_MAX)).unwrap_or_default();
            add(partition, rest);
            for name in rest {
                add(partition, &[name]);
            }
            for last in ranges.iter().chain(&exists) {
                add(partition, &[last]);
                if rest.len() < KEY_ATTRIBUTES_MAX {
                    let sort: Vec<&str> = rest.iter().copied().chain([*last]).collect();
                    add(partition, &sort);
                }
            }
        }
        // Attributes whose existence a request tests, each alone as a partition key.
        for name in exists {
            add(name, &[]);
        }
    }
    keys
}

/// A key with the number of attributes of its sort key, which comes first in the order.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ranked(usize, Key);

/// Returns the type of an attribute, and whether it has it in every item; `None` if it cannot be a
/// key.
fn key_type(table: &TableSeen<'_>, name: &str) -> Option<(String, bool)> {
    let mut defined = table.definition.attribute_definitions.iter();
    if let Some(defined) = defined.find(|it| it.attribute_name == name) {
        return Some((defined.attribute_type.clone(), true));
    }
    let seen = table.facts.sample.as_ref().and_then(|sample| sample.attribute(name));
    match seen.map(|seen| &seen.types[..]) {
        Some([one]) if ["S", "N", "B"].contains(&one.as_str()) => Some((one.clone(), true)),
        Some(_) => None,
        None => Some(("S".to_owned(), false)),
    }
}

/// Returns the candidate with a key for the requests that are open; `None` if it answers none.
fn candidate(
    table: &TableSeen<'_>,
    needs: &[Need],
    now: &[Vec<usize>],
    open: &BTreeSet<usize>,
    Ranked(_, key): &Ranked,
) -> Option<Candidate> {
    let fits = open.iter().filter_map(|nth| {
        let (need, now) = (needs.get(*nth)?, now.get(*nth)?);
        let fit = key.fit(table, need, false)?;
        fit.covered.iter().any(|condition| !now.contains(condition)).then_some((*nth, fit))
    });
    let fits: Vec<(usize, Fit)> = fits.collect();
    let entries = entries(table, needs, key, &fits);
    let is_told = |(nth, fit): &(usize, Fit)| {
        let (Some(need), Some(now)) = (needs.get(*nth), now.get(*nth)) else { return false };
        can_be_told(table, need, fit, (now, &entries))
    };
    let fits: Vec<(usize, Fit)> = fits.into_iter().filter(is_told).collect();
    let seen = EntriesSeen::of(table, key, &entries);
    let name = index_text::index_name(table, key, &[]);
    let answers = fits.into_iter().filter_map(|(nth, fit)| {
        let (need, now) = (needs.get(nth)?, now.get(nth)?);
        let index = Some(name.as_str());
        let answered = figures::answered(table, index, need, &fit, (seen.bytes, now));
        (answered.read_units_then < answered.read_units).then_some((nth, fit, answered))
    });
    let answers: Vec<_> = answers.collect();
    let saved =
        answers.iter().fold(0.0, |sum, (_, _, it)| sum + it.read_units - it.read_units_then);
    let written = write_units(table, key, &entries, seen);
    let for_a_month =
        |reads, writes| table.month.of_recorded(table.prices.of_requests(reads, writes));
    (!answers.is_empty()).then(|| Candidate {
        key: key.clone(),
        storage: seen.storage(table),
        entries,
        seen,
        answers,
        reads_saved: for_a_month(saved, 0.0),
        writes: for_a_month(0.0, written),
    })
}

fn write_units(table: &TableSeen<'_>, key: &Key, entries: &Entries, seen: EntriesSeen) -> f64 {
    entries_written(table, key, entries) * seen.share * seen.write_units_each()
}

/// Returns the attributes that entries need for the requests that the index answers.
fn entries(table: &TableSeen<'_>, needs: &[Need], key: &Key, fits: &[(usize, Fit)]) -> Entries {
    let of_table = Key::of(&table.definition.key_schema);
    let mut included: BTreeSet<&str> = BTreeSet::new();
    for (nth, fit) in fits {
        match needs.get(*nth).and_then(|need| need.names_read(&fit.rest)) {
            Some(names) => included.extend(names),
            None => return Entries::All,
        }
    }
    included.retain(|name| !key.has(name) && !of_table.has(name));
    match included.len() {
        0 => Entries::KeysOnly,
        count if count > INCLUDED_MAX => Entries::All,
        _ => Entries::Include(included.into_iter().map(str::to_owned).collect()),
    }
}

fn new_index(
    table: &TableSeen<'_>,
    needs: &[Need],
    taken: &[String],
    candidate: Candidate,
) -> NewIndex {
    let key = &candidate.key;
    let index = index_text::index_name(table, key, taken);
    let typed = |names: &[String]| {
        let attribute = |name: &String| KeyAttribute {
            name: name.clone(),
            key_type: key_type(table, name).map_or_else(|| "S".to_owned(), |(it, _)| it),
        };
        names.iter().map(attribute).collect::<Vec<_>>()
    };
    let (partition, sort) = (typed(&key.partition), typed(&key.sort));
    let assumptions = all_assumptions(table, needs, &candidate);
    let net = candidate.net();
    let items = exact(table.definition.item_count) * candidate.seen.share;
    let mut answers: Vec<Answered> = Vec::new();
    for (_, _, mut answered) in candidate.answers {
        answered.instead.index = Some(index.clone());
        answers.push(answered);
    }
    NewIndex {
        definition: index_text::definition(&index, (&partition, &sort), &candidate.entries),
        update_table: index_text::update_table(
            table,
            &index,
            (&partition, &sort),
            &candidate.entries,
        ),
        table: table.facts.table.clone(),
        write_units: write_units(table, &candidate.key, &candidate.entries, candidate.seen),
        build_units: (items * candidate.seen.write_units_each()).round(),
        index,
        partition,
        sort,
        entries: candidate.entries,
        answers,
        money: Some(Money {
            reads_saved: candidate.reads_saved,
            writes: candidate.writes,
            storage: candidate.storage,
            net,
        }),
        assumptions,
    }
}

fn all_assumptions(table: &TableSeen<'_>, needs: &[Need], candidate: &Candidate) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |text: String| {
        if !found.contains(&text) {
            found.push(text);
        }
    };
    for (nth, fit, _) in &candidate.answers {
        if let Some(need) = needs.get(*nth) {
            assumptions(table, need, fit, true).into_iter().for_each(&mut add);
            if !fit.rest.is_empty() {
                add("no value is more frequent than the most frequent one of those that were looked at, where a filter is left".to_owned());
            }
        }
    }
    if table.facts.sample.is_none() {
        add("every item has these attributes, and entries are as large as items: no sample was taken".to_owned());
    }
    for name in candidate.key.attributes() {
        if key_type(table, name).is_some_and(|(_, is_known)| !is_known) {
            add(format!("{name} is a string"));
        }
    }
    if table.facts.is_provisioned {
        add("requests cost what they would on demand".to_owned());
    }
    found
}
