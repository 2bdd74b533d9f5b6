//! Good designs and their spoiled twins: the samples, about which the linter finds nothing, and the
//! same items with keys as people write them who have not read about sort keys.

use super::{design, sample};
use crate::client::Client;
use hashrange::{Database, block_on};
use hashrange_lint::{Finding, Item, Rule, Scalar, lint};
use hashrange_samples::{Sample, all, find, load};
use serde_json::{Value, json};

fn client(sample: &Sample) -> Client {
    let database = Database::memory();
    block_on(load(sample, &database, &mut |_| {})).unwrap();
    Client::Local(database.blocking())
}

/// Returns the findings about a sample whose keys were spoiled, and the number of spoiled keys.
fn spoiled(
    name: &str,
    attribute: &str,
    spoil: fn(&str) -> Option<String>,
) -> (Vec<Finding>, usize) {
    let sample = find(name).unwrap();
    let mut found = sample::of(&mut client(sample), sample.table, u64::MAX).unwrap();
    let mut count = 0;
    for item in &mut found.items {
        count += usize::from(spoil_item(item, attribute, spoil));
    }
    (lint(&found.table, &found.items, &found.collections), count)
}

fn spoil_item(item: &mut Item, attribute: &str, spoil: fn(&str) -> Option<String>) -> bool {
    let Some(Scalar::S(text)) = item.get_mut(attribute) else { return false };
    let spoiled = spoil(text);
    let is_spoiled = spoiled.is_some();
    *text = spoiled.unwrap_or_else(|| text.clone());
    is_spoiled
}

/// Returns a key with its number replaced, which stands between these texts.
fn renumbered(key: &str, head: &str, number: fn(u32) -> String) -> Option<String> {
    let rest = key.strip_prefix(head)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, tail) = rest.split_at(digits);
    let old: u32 = digits.parse().ok().filter(|number| *number > 0)?;
    Some(format!("{head}{}{tail}", number(old)))
}

/// Returns a key with its time replaced, which has the form `2026-08-29T05:31:17`.
fn retimed(key: &str, time: fn(&str) -> String) -> Option<String> {
    let place = key.find("2026-")?;
    let (head, rest) = key.split_at(place);
    let (old, tail) = rest.split_at_checked(19)?;
    Some(format!("{head}{}{tail}", time(old)))
}

#[test]
fn nothing_is_found_in_good_designs() {
    for sample in all() {
        let read = sample::of(&mut client(sample), sample.table, u64::MAX).unwrap();
        assert_eq!(read.items.len() as u64, sample.item_count, "{}", sample.name);
        let findings = lint(&read.table, &read.items, &read.collections);
        assert!(findings.is_empty(), "{}: {findings:#?}", sample.name);
    }
}

#[test]
fn spoiled_twins_are_told_by_their_rule() {
    type Spoil = fn(&str) -> Option<String>;
    let twins: [(&str, &str, Rule, Spoil); 10] = [
        ("documents", "facet", Rule::UnpaddedNumber, |key| {
            renumbered(key, "v_", |number| (number * 5).to_string())
        }),
        ("audits", "revision", Rule::UnpaddedNumber, |key| {
            renumbered(key, "v", |number| (number * 40).to_string())
        }),
        ("documents", "facet", Rule::PaddingOverflow, |key| {
            let width_two = |number| match number {
                1 => "07".to_owned(),
                2 => "99".to_owned(),
                more => (more * 50).to_string(),
            };
            renumbered(key, "v_", width_two)
        }),
        ("audits", "revision", Rule::PointerAmongVersions, |key| {
            renumbered(key, "v", |number| format!("{:03}", 60 + number * 20))
        }),
        ("orders", "sk", Rule::UnpaddedNumber, |key| {
            // Numbers of orders count up: 1, 2, ... 12.
            renumbered(key, "ORDER#", |number| (number + 6).to_string())
        }),
        ("orders", "sk", Rule::PrefixOfSibling, |key| {
            // An order, an item of it, and another order.
            renumbered(key, "ORDER#", |number| match number % 3 {
                1 => (number * 100).to_string(),
                2 => format!("{}#ITEM#1", (number - 1) * 100),
                _ => format!("{}7", (number - 2) * 100),
            })
        }),
        ("chat", "user_sent_at", Rule::DateOrder, |key| {
            retimed(key, |time| format!("{}.{}.{}", &time[8..10], &time[5..7], &time[..4]))
                .map(|key| key.trim_end_matches('Z').to_owned())
        }),
        ("devices", "logged_at", Rule::MixedPrecision, |key| {
            key.contains(":14.").then(|| key.replace(".000Z", "Z"))
        }),
        ("devices", "logged_at", Rule::LocalOffsets, |key| {
            (key.as_bytes()[12] % 2 == 0).then(|| key.replace('Z', "+14:00"))
        }),
        ("chat", "user_sent_at", Rule::MixedCase, |key| {
            let is_odd = key.bytes().last() == Some(b'Z') && key.as_bytes()[key.len() - 2] % 2 == 0;
            is_odd.then(|| key[..1].to_uppercase() + &key[1..])
        }),
    ];
    for (name, attribute, rule, spoil) in twins {
        let (findings, count) = spoiled(name, attribute, spoil);
        assert!(count > 1, "{name} {rule}: {count} keys are spoiled");
        let rules: Vec<_> = findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, [rule], "{name}: {findings:#?}");
        assert_eq!(findings[0].attribute.as_deref(), Some(attribute));
    }
}

#[test]
fn definitions_are_read_in_every_form() {
    let key = |name: &str, kind: &str| json!({ "AttributeName": name, "KeyType": kind });
    let definition: Value = json!({
        "TableName": "orders",
        "AttributeDefinitions": [{ "AttributeName": "pk", "AttributeType": "S" }, { "AttributeName": "at", "AttributeType": "N" }, { "AttributeName": "age", "AttributeType": "B" }],
        "KeySchema": [key("pk", "HASH"), key("at", "RANGE")],
        "GlobalSecondaryIndexes": [{ "IndexName": "by-at", "KeySchema": [key("at", "HASH"), key("pk", "RANGE")] }],
    });
    let table = design::table(&definition);
    assert_eq!(
        table.sources.iter().map(|source| &source.name[..]).collect::<Vec<_>>(),
        ["orders", "by-at"]
    );
    let findings = lint(&table, &[], &[]);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].attribute.as_deref(), Some("age"));
}
