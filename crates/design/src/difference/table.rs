//! Two tables of one name: keys, settings, templates, kinds of items.

use super::indexes;
use super::{Change, Effect, Kind, TableDifference};
use crate::plan::TablePlan;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Members of a request that a table changes in place, each with what is to be known of it.
const SETTINGS: [(&str, &str, &str); 9] = [
    ("BillingMode", "billing", "a table changes to on demand at most four times in 24 hours"),
    ("ProvisionedThroughput", "capacity", ""),
    ("OnDemandThroughput", "most units on demand", ""),
    ("WarmThroughput", "warm throughput", "the service refuses to lower it"),
    ("StreamSpecification", "stream", ""),
    ("SSESpecification", "encryption", ""),
    ("TableClass", "class", "a class changes at most twice in 30 days"),
    ("DeletionProtectionEnabled", "deletion protection", ""),
    ("Tags", "tags", ""),
];
/// What a new table takes.
const COPY: &str =
    "the service changes no key and no local index of a table: create a table and copy the items";
const NEW_STREAM: &str = "a stream with other images is a new one: disable it, enable it, and move its readers to the new ARN";

/// Returns the difference of a table that one design has.
pub(super) fn only(plan: &TablePlan, kind: Kind) -> TableDifference {
    let none = TablePlan { name: plan.name.clone(), ..TablePlan::default() };
    let mut changes = match kind {
        Kind::Removed => changes(plan, &none),
        Kind::Added | Kind::Changed => changes(&none, plan),
    };
    for change in &mut changes {
        // A table that is new or goes takes no change of another.
        if change.effect != Effect::Told {
            change.effect = Effect::InPlace;
        }
        change.note = None;
    }
    TableDifference { table: plan.name.clone(), kind, changes }
}

/// Returns what differs between two tables.
pub(super) fn changes(old: &TablePlan, new: &TablePlan) -> Vec<Change> {
    let (before, after) = (Value::Object(old.canonical()), Value::Object(new.canonical()));
    let mut changes: Vec<Change> = key(old, &before, &after).into_iter().collect();
    changes.extend(indexes::changes(old, &before, &after));
    changes.extend(settings(&before, &after));
    if old.time_to_live != new.time_to_live {
        let told = |it: &TablePlan| it.time_to_live.as_ref().map(|name| format!("by {name}"));
        let is_other = old.time_to_live.is_some() && new.time_to_live.is_some();
        changes.push(Change {
            part: "time to live".to_owned(),
            before: told(old),
            after: told(new),
            effect: Effect::InPlace,
            note: is_other.then(|| {
                "disable it, wait for an hour, enable it by the other attribute".to_owned()
            }),
        });
    }
    changes.extend(templates(old, new));
    changes.extend(facets(old, new));
    changes
}

fn key(old: &TablePlan, before: &Value, after: &Value) -> Option<Change> {
    let (one, other) = (indexes::key_text(before, before), indexes::key_text(after, after));
    (one != other).then(|| Change {
        part: "key".to_owned(),
        before: one,
        after: other,
        effect: Effect::NewTable { most: indexes::write_units(old) },
        note: Some(COPY.to_owned()),
    })
}

fn settings(before: &Value, after: &Value) -> Vec<Change> {
    let change = |(member, part, note): (&str, &str, &str)| {
        let (one, other) = (before.get(member), after.get(member));
        if one == other {
            return None;
        }
        let is_stream = member == "StreamSpecification" && one.is_some() && other.is_some();
        let note = if is_stream { NEW_STREAM } else { note };
        // A request without a mode asks for provisioned units; no table at all has no mode.
        let text = |setting: Option<&Value>, design: &Value| {
            let is_provisioned = member == "BillingMode" && design.get("KeySchema").is_some();
            setting.map(setting_text).or_else(|| is_provisioned.then(|| "provisioned".to_owned()))
        };
        Some(Change {
            part: part.to_owned(),
            before: text(one, before),
            after: text(other, after),
            effect: Effect::InPlace,
            note: (!note.is_empty()).then(|| note.to_owned()),
        })
    };
    SETTINGS.into_iter().filter_map(change).collect()
}

/// Returns a setting in words.
pub(super) fn setting_text(value: &Value) -> String {
    match value {
        Value::String(text) => match text.as_str() {
            "PAY_PER_REQUEST" => "on demand".to_owned(),
            other => other.to_owned(),
        },
        Value::Bool(true) => "on".to_owned(),
        Value::Array(tags) => {
            let text = |tag: &Value, name: &str| tag[name].as_str().unwrap_or_default().to_owned();
            let tags =
                tags.iter().map(|tag| format!("{}={}", text(tag, "Key"), text(tag, "Value")));
            tags.collect::<Vec<_>>().join(", ")
        }
        Value::Object(members) => members_text(members),
        other => other.to_string(),
    }
}

fn members_text(members: &Map<String, Value>) -> String {
    let told =
        members.iter().filter(|(name, _)| !["StreamEnabled", "Enabled"].contains(&name.as_str()));
    let words = told.map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match name.as_str() {
            "ReadCapacityUnits" | "MaxReadRequestUnits" => format!("{value} read units"),
            "WriteCapacityUnits" | "MaxWriteRequestUnits" => format!("{value} write units"),
            "ReadUnitsPerSecond" => format!("{value} reads a second"),
            "WriteUnitsPerSecond" => format!("{value} writes a second"),
            _ => value,
        }
    });
    let words = words.collect::<Vec<_>>().join(", ");
    if words.is_empty() { "on".to_owned() } else { words }
}

/// Returns the attribute that the text of a template derives.
fn derived(template: &str) -> &str {
    let template = template.trim_start().strip_prefix("owns ").unwrap_or(template);
    template.split('=').next().unwrap_or_default().trim()
}

fn templates(old: &TablePlan, new: &TablePlan) -> Vec<Change> {
    let by_attribute = |plan: &'_ TablePlan| -> BTreeMap<String, String> {
        let texts = plan.templates.iter();
        texts.map(|text| (derived(text).to_owned(), text.trim().to_owned())).collect()
    };
    let (before, after) = (by_attribute(old), by_attribute(new));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let differ = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    let change = |name: &String| {
        let is_set = after.contains_key(name);
        Change {
            part: format!("template of {name}"),
            before: before.get(name).cloned(),
            after: after.get(name).cloned(),
            effect: if is_set {
                Effect::Writes { most: indexes::write_units(old) }
            } else {
                Effect::InPlace
            },
            note: is_set.then(|| {
                "writes the items whose value changes, and their index entries".to_owned()
            }),
        }
    };
    differ.map(change).collect()
}

/// Returns the kinds of items that differ: in their keys, or in their attributes.
fn facets(old: &TablePlan, new: &TablePlan) -> Vec<Change> {
    let keys = |plan: &TablePlan| -> BTreeMap<String, (String, BTreeSet<String>)> {
        let facets = plan.facets.iter().map(|it| {
            let sort = it.sort.as_ref().map_or_else(String::new, |sort| format!(" / {sort}"));
            (
                it.name.clone(),
                (format!("{}{sort}", it.partition), it.attributes.iter().cloned().collect()),
            )
        });
        facets.collect()
    };
    let (before, after) = (keys(old), keys(new));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let mut changes = Vec::new();
    for name in names {
        let (one, other) = (before.get(name), after.get(name));
        if one == other {
            continue;
        }
        let note = one.zip(other).and_then(|((_, one), (_, other))| {
            let names = |of: &BTreeSet<String>, without: &BTreeSet<String>, word: &str| {
                let names: Vec<&str> = of.difference(without).map(String::as_str).collect();
                (!names.is_empty()).then(|| format!("{word} {}", names.join(", ")))
            };
            let parts = [names(other, one, "with"), names(one, other, "without")];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            (!parts.is_empty()).then(|| parts.join("; "))
        });
        changes.push(Change {
            part: format!("items {name}"),
            before: one.map(|it| it.0.clone()),
            after: other.map(|it| it.0.clone()),
            effect: Effect::Told,
            note,
        });
    }
    changes
}
