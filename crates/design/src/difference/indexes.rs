//! Indexes of two tables, and what filling one writes.

use super::table::setting_text;
use super::{Change, Effect};
use crate::formats::key_of;
use crate::plan::TablePlan;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const WRITE_UNIT_BYTES: f64 = 1024.0;
const LOCAL: &str =
    "a local index comes and goes with its table only: create a table and copy the items";
const REPLACED: &str = "the service changes no key and no attributes of an index: add one with another name, move the \
                        readers, then drop this one; if the type of a key changes, the old index goes first";

/// Returns the write units of all items, which are the most that filling an index takes; none if their number is not
/// known.
pub(super) fn write_units(plan: &TablePlan) -> Option<f64> {
    let (items, bytes) = (exact(plan.item_count?), exact(plan.item_bytes?));
    let each = (bytes / items.max(1.0) / WRITE_UNIT_BYTES).ceil().max(1.0);
    Some(items * each)
}

#[expect(clippy::cast_precision_loss, reason = "2^53 items are more than are stored")]
fn exact(number: u64) -> f64 {
    number as f64
}

/// Returns a key with the types of its attributes, such as `pk:S, sk:N`; several attributes of one kind in brackets.
pub(super) fn key_text(holder: &Value, request: &Value) -> Option<String> {
    let kind = |name: &String| {
        let definitions = request["AttributeDefinitions"].as_array().into_iter().flatten();
        let mut kinds = definitions.filter(|it| it["AttributeName"] == name.as_str());
        let kind = kinds.next().and_then(|it| it["AttributeType"].as_str()).unwrap_or("?");
        format!("{name}:{kind}")
    };
    let (partition, sort) = key_of(holder);
    let text = |names: &[String]| {
        let names: Vec<String> = names.iter().map(kind).collect();
        if names.len() > 1 { format!("({})", names.join(", ")) } else { names.join(", ") }
    };
    let parts: Vec<String> =
        [text(&partition), text(&sort)].into_iter().filter(|it| !it.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Returns the indexes that differ.
pub(super) fn changes(old: &TablePlan, before: &Value, after: &Value) -> Vec<Change> {
    let mut changes = Vec::new();
    for (member, is_local) in [("LocalSecondaryIndexes", true), ("GlobalSecondaryIndexes", false)] {
        let (one, other) = (by_name(before, member), by_name(after, member));
        let names: BTreeSet<&str> = one.keys().chain(other.keys()).copied().collect();
        for name in names {
            let differ = Differ { old, name, before, after, is_local };
            differ.changes((one.get(name).copied(), other.get(name).copied()), &mut changes);
        }
    }
    changes
}

fn by_name<'r>(request: &'r Value, member: &str) -> BTreeMap<&'r str, &'r Value> {
    let indexes = request[member].as_array().into_iter().flatten();
    indexes.filter_map(|it| Some((it["IndexName"].as_str()?, it))).collect()
}

struct Differ<'d> {
    old: &'d TablePlan,
    name: &'d str,
    before: &'d Value,
    after: &'d Value,
    is_local: bool,
}

impl Differ<'_> {
    fn changes(&self, (one, other): (Option<&Value>, Option<&Value>), changes: &mut Vec<Change>) {
        let text = |index: Option<&Value>, request: &Value| {
            let index = index?;
            Some(format!("{}; {}", key_text(index, request)?, projection(&index["Projection"])))
        };
        let (was, is) = (text(one, self.before), text(other, self.after));
        let kind = if self.is_local { "local index" } else { "index" };
        if was != is {
            let fill = Effect::Writes { most: write_units(self.old) };
            let (effect, note) = match (&was, &is) {
                _ if self.is_local => {
                    (Effect::NewTable { most: write_units(self.old) }, Some(LOCAL))
                }
                (_, None) => (Effect::InPlace, Some("requests that read it fail")),
                (None, _) => (fill, None),
                _ => (fill, Some(REPLACED)),
            };
            changes.push(Change {
                part: format!("{kind} {}", self.name),
                before: was,
                after: is,
                effect,
                note: note.map(str::to_owned),
            });
            return;
        }
        for (member, part) in [
            ("ProvisionedThroughput", "capacity"),
            ("OnDemandThroughput", "most units on demand"),
            ("WarmThroughput", "warm throughput"),
        ] {
            let of = |index: Option<&Value>| index.and_then(|it| it.get(member)).map(setting_text);
            if of(one) != of(other) {
                changes.push(Change {
                    part: format!("{part} of {kind} {}", self.name),
                    before: of(one),
                    after: of(other),
                    effect: Effect::InPlace,
                    note: None,
                });
            }
        }
    }
}

/// Returns the attributes of an index's entries in words.
fn projection(projection: &Value) -> String {
    match projection["ProjectionType"].as_str() {
        Some("KEYS_ONLY") => "keys only".to_owned(),
        Some("INCLUDE") => {
            let names = projection["NonKeyAttributes"].as_array().into_iter().flatten();
            let names: Vec<&str> = names.filter_map(Value::as_str).collect();
            format!("keys and {}", names.join(", "))
        }
        _ => "all attributes".to_owned(),
    }
}
