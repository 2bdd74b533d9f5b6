//! Random writes on a clock that sometimes goes back, against a model that keeps every state whole.

use super::{as_of, check, create, enable, stored};
use hashrange_engine::{ChangesInput, EngineOptions};
use hashrange_model::{ValueRef, moment};
use hashrange_storage::block_on;
use hashrange_testkit::database::Database;
use hashrange_testkit::random::Random;
use serde_json::{Value as Json, json};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::path::Path;

type Key = (String, String);
type State = BTreeMap<Key, Json>;

const PARTITIONS: [&str; 3] = ["p", "q", "p\0"];
const SORT: [&str; 10] =
    ["a", "aa", "ab", "a\0", "a\0b", "\0", "b", "b\u{FFFF}", "c", "\u{10FFFF}"];

/// So far behind may a clock be that does not begin an era.
const SKEW_MS: u64 = 100;

/// A change of an item.
struct Change {
    at_ms: u64,
    /// In how many eras the item has been changed, and how many changes came before in this era and millisecond.
    order: (u64, u64),
    /// What the item was afterwards.
    image: Option<Json>,
}

/// What was there when the history began, and every change since.
struct Model {
    first: State,
    now: State,
    changes: BTreeMap<Key, Vec<Change>>,
    since_ms: u64,
}

impl Model {
    /// Returns what was so at a moment: of each item what the last of its changes up to then had made of it.
    fn at(&self, at_ms: u64) -> State {
        let mut state = self.first.clone();
        for (key, changes) in &self.changes {
            match changes.iter().rev().find(|change| change.at_ms <= at_ms) {
                Some(Change { image: Some(image), .. }) => state.insert(key.clone(), image.clone()),
                Some(_) => state.remove(key),
                None => None,
            };
        }
        state
    }

    /// Follows a commit that leaves a state, of whose keys some may be as they were.
    fn commit(&mut self, now_ms: u64, keys: &[Key], state: State) {
        let last = |key: &Key| self.changes.get(key).and_then(|changes| changes.last());
        let moments = keys.iter().filter_map(last).map(|change| change.at_ms);
        let near = moments.filter(|at_ms| (now_ms..=now_ms + SKEW_MS).contains(at_ms)).max();
        let at_ms = near.unwrap_or(now_ms);
        for key in keys {
            let image = state.get(key).cloned();
            if self.now.get(key) == image.as_ref() {
                continue;
            }
            let changes = self.changes.entry(key.clone()).or_default();
            let order = match changes.last() {
                None => (1, 0),
                Some(Change { at_ms: last_ms, order: (era, nth), .. }) => match last_ms.cmp(&at_ms)
                {
                    Ordering::Less => (*era, 0),
                    Ordering::Equal => (*era, nth + 1),
                    Ordering::Greater => (era + 1, 0),
                },
            };
            changes.push(Change { at_ms, order, image });
        }
        self.now = state;
    }

    /// Returns all changes.
    fn all(&self) -> impl Iterator<Item = (&Key, &Change)> {
        self.changes
            .iter()
            .flat_map(|(key, changes)| changes.iter().map(move |change| (key, change)))
    }
}

fn below_ms(random: &mut Random, limit_ms: u64) -> u64 {
    random.bits() % limit_ms
}

fn key(random: &mut Random) -> Key {
    // One item has many versions.
    if random.chance(25) {
        return ("p".to_owned(), "ab".to_owned());
    }
    ((*random.pick(&PARTITIONS)).to_owned(), (*random.pick(&SORT)).to_owned())
}

fn key_json((pk, sk): &Key) -> Json {
    json!({"pk": {"S": pk}, "sk": {"S": sk}})
}

fn item(key: &Key, random: &mut Random) -> Json {
    let mut item = key_json(key);
    item["n"] = json!({"N": random.below(20).to_string()});
    item
}

/// A change of one item: what it is afterwards.
fn change(random: &mut Random) -> (Key, Option<Json>) {
    let key = key(random);
    let new = random.chance(65).then(|| item(&key, random));
    (key, new)
}

fn write(database: &Database, model: &mut Model, random: &mut Random) {
    let now_ms = database.clock.now_ms();
    let mut state = model.now.clone();
    let wanted = 1 + if random.chance(40) { random.below(4) } else { 0 };
    let changes: BTreeMap<Key, Option<Json>> = (0..wanted).map(|_| change(random)).collect();
    let keys: Vec<Key> = changes.keys().cloned().collect();
    for (key, new) in &changes {
        match new {
            Some(item) => state.insert(key.clone(), item.clone()),
            None => state.remove(key),
        };
    }
    let requests: Vec<_> = changes.iter().collect();
    match &requests[..] {
        [(_, Some(item))] => {
            database.ok("PutItem", &json!({"TableName": "orders", "Item": item}));
        }
        [(key, None)] => {
            database.ok("DeleteItem", &json!({"TableName": "orders", "Key": key_json(key)}));
        }
        several => {
            let action = |(key, new): &(&Key, &Option<Json>)| match new {
                Some(item) => json!({"Put": {"TableName": "orders", "Item": item}}),
                None => json!({"Delete": {"TableName": "orders", "Key": key_json(key)}}),
            };
            let actions: Vec<Json> = several.iter().map(action).collect();
            database.ok("TransactWriteItems", &json!({ "TransactItems": actions }));
        }
    }
    model.commit(now_ms, &keys, state);
}

/// Reads all pages of a request, of so many items each.
fn pages(database: &Database, operation: &str, mut request: Json, limit: usize) -> Vec<Json> {
    let mut items = Vec::new();
    request["Limit"] = json!(limit);
    loop {
        let answer = database.ok(operation, &request);
        let page = answer["Items"].as_array().unwrap();
        assert!(page.len() <= limit);
        items.extend(page.iter().cloned());
        match answer.get("LastEvaluatedKey") {
            Some(key) => request["ExclusiveStartKey"] = key.clone(),
            None => return items,
        }
    }
}

fn compare(database: &Database, model: &Model, random: &mut Random) {
    let now_ms = database.clock.now_ms();
    let at_ms = model.since_ms + below_ms(random, now_ms - model.since_ms + 1);
    let (table, state) = (as_of(at_ms), &model.at(at_ms));
    let limit = 1 + random.below(7);
    for _ in 0..3 {
        let key = key(random);
        let answer = database.ok("GetItem", &json!({"TableName": table, "Key": key_json(&key)}));
        assert_eq!(answer.get("Item"), state.get(&key), "{key:?} at {at_ms}");
    }
    let partition = *random.pick(&PARTITIONS);
    let (low, high) = (*random.pick(&SORT), *random.pick(&SORT));
    let (low, high) = (low.min(high), low.max(high));
    let is_forward = random.chance(50);
    let query = json!({
        "TableName": table, "KeyConditionExpression": "pk = :p AND sk BETWEEN :l AND :h",
        "ExpressionAttributeValues": {":p": {"S": partition}, ":l": {"S": low}, ":h": {"S": high}},
        "ScanIndexForward": is_forward,
    });
    let found = pages(database, "Query", query, limit);
    let is_within = |(pk, sk): &Key| pk == partition && low <= &sk[..] && &sk[..] <= high;
    let mut expected: Vec<Json> =
        state.iter().filter(|(key, _)| is_within(key)).map(|(_, item)| item.clone()).collect();
    if !is_forward {
        expected.reverse();
    }
    assert_eq!(found, expected, "{partition:?} {low:?} {high:?} {is_forward} at {at_ms}");
    let segments = 1 + random.below(3);
    let mut found = Vec::new();
    for segment in 0..segments {
        let scan = json!({"TableName": table, "Segment": segment, "TotalSegments": segments});
        found.extend(pages(database, "Scan", scan, limit));
    }
    let by_key = |item: &Json| {
        let text = |name: &str| item[name]["S"].as_str().unwrap().to_owned();
        (text("pk"), text("sk"))
    };
    let count = found.len();
    let found: State = found.into_iter().map(|item| (by_key(&item), item)).collect();
    assert_eq!(found.len(), count, "an item is found once");
    assert_eq!(&found, state, "at {at_ms}");
}

/// Compares what has changed between two moments, or since one, with the states of the model.
fn compare_changes(database: &Database, model: &Model, random: &mut Random) {
    let now_ms = database.clock.now_ms();
    let mut moment = || model.since_ms + below_ms(random, now_ms - model.since_ms + 1);
    let (one_ms, other_ms) = (moment(), moment());
    let (from_ms, last_ms) = (one_ms.min(other_ms), one_ms.max(other_ms));
    let to_ms = random.chance(50).then_some(last_ms);
    let before = model.at(from_ms);
    let after = to_ms.map_or_else(|| model.now.clone(), |to_ms| model.at(to_ms));
    let keys: BTreeSet<&Key> = before.keys().chain(after.keys()).collect();
    let differs = |key: &&Key| before.get(*key) != after.get(*key);
    let expected: BTreeMap<Key, (bool, bool)> = keys
        .into_iter()
        .filter(differs)
        .map(|key| (key.clone(), (before.contains_key(key), after.contains_key(key))))
        .collect();
    let mut input = ChangesInput {
        table_name: "orders".to_owned(),
        from_ms,
        to_ms,
        limit: Some(1 + random.below(7)),
        ..ChangesInput::default()
    };
    let mut found = BTreeMap::new();
    loop {
        let page = block_on(database.engine.history_changes(&input)).unwrap();
        for change in page.changes {
            let text = |name: &str| match change.key.get(name) {
                Some(ValueRef::S(text)) => text.to_owned(),
                other => panic!("{other:?}"),
            };
            let sides = (change.before.is_some(), change.after.is_some());
            let known = found.insert((text("pk"), text("sk")), sides);
            assert_eq!(known, None, "an item is told of once");
        }
        match page.next {
            Some(next) => input.start = Some(next),
            None => break,
        }
    }
    assert_eq!(found, expected, "from {from_ms} to {to_ms:?}");
}

/// Returns the versions that an item has had, the oldest first.
fn versions_of(model: &Model, key: &Key) -> Vec<Json> {
    let none = Vec::new();
    let changes = model.changes.get(key).unwrap_or(&none);
    let mut versions: Vec<Json> = Vec::new();
    let images = iter::once(model.first.get(key)).chain(changes.iter().map(|it| it.image.as_ref()));
    for (nth, image) in images.enumerate() {
        let mut version = match image {
            Some(image) => image.clone(),
            // Before it was there first it has no version.
            None if nth == 0 => continue,
            None => {
                let mut deleted = key_json(key);
                deleted["hashrange:deleted"] = json!({"BOOL": true});
                deleted
            }
        };
        let (since, until) = (nth.checked_sub(1).map(|nth| &changes[nth]), changes.get(nth));
        for (name, change) in [("since", since), ("until", until)] {
            if let Some(change) = change {
                version[format!("hashrange:{name}")] = json!({"S": moment::basic(change.at_ms)});
            }
        }
        if [since, until].into_iter().flatten().any(|change| change.order != (1, 0)) {
            let order = |change: Option<&Change>| {
                change.map_or_else(String::new, |Change { order: (era, nth), .. }| {
                    format!("{era}.{nth}")
                })
            };
            version["hashrange:order"] = json!({"S": format!("{}-{}", order(since), order(until))});
        }
        versions.push(version);
    }
    versions
}

/// Compares all versions of items with those of the model.
fn compare_versions(database: &Database, model: &Model, random: &mut Random) {
    let limit = 1 + random.below(7);
    let keys: BTreeSet<&Key> = model.first.keys().chain(model.changes.keys()).collect();
    let partition = *random.pick(&PARTITIONS);
    let low = *random.pick(&SORT);
    let is_forward = random.chance(50);
    let query = json!({
        "TableName": "orders.history", "KeyConditionExpression": "pk = :p AND sk >= :l",
        "ExpressionAttributeValues": {":p": {"S": partition}, ":l": {"S": low}},
        "ScanIndexForward": is_forward,
    });
    let found = pages(database, "Query", query, limit);
    let is_asked = |(pk, sk): &Key| pk == partition && &sk[..] >= low;
    let asked = keys.iter().filter(|key| is_asked(key));
    let mut expected: Vec<Json> = asked.flat_map(|key| versions_of(model, key)).collect();
    if !is_forward {
        expected.reverse();
    }
    assert_eq!(found, expected, "{partition:?} from {low:?} {is_forward}");
    let segments = 1 + random.below(3);
    let scan = |segment| {
        let scan = json!({
            "TableName": "orders.history", "Segment": segment, "TotalSegments": segments,
        });
        pages(database, "Scan", scan, limit)
    };
    let by_item = |version: &Json| {
        ["pk", "sk"].map(|name| version[name]["S"].as_str().unwrap_or_default().to_owned())
    };
    let mut found: Vec<Json> = (0..segments).flat_map(scan).collect();
    found.sort_by_key(by_item);
    let expected: Vec<Json> = keys.iter().flat_map(|key| versions_of(model, key)).collect();
    assert_eq!(found, expected);
}

fn open(folder: &Path, now_ms: Option<u64>) -> Database {
    let database = Database::folder(folder, EngineOptions::default());
    if let Some(now_ms) = now_ms {
        database.clock.advance_ms(now_ms - database.clock.now_ms());
    }
    database
}

fn run(seed: u64, steps: usize) {
    let mut random = Random::new(seed);
    let folder = tempfile::tempdir().unwrap();
    let mut database = open(folder.path(), None);
    database.clock.advance_ms(1_000_000);
    create(&database);
    for _ in 0..5 {
        let key = key(&mut random);
        let item = item(&key, &mut random);
        database.ok("PutItem", &json!({"TableName": "orders", "Item": item}));
    }
    let begun = enable(&database, None);
    let since_ms = begun.reaches_back_to_ms.unwrap();
    let items = database.ok("Scan", &json!({"TableName": "orders"}))["Items"].clone();
    let items = items.as_array().unwrap().iter().map(|item| {
        let text = |name: &str| item[name]["S"].as_str().unwrap().to_owned();
        ((text("pk"), text("sk")), item.clone())
    });
    let first: State = items.collect();
    let mut model = Model { now: first.clone(), first, changes: BTreeMap::new(), since_ms };
    for _ in 0..steps {
        match random.below(20) {
            0 => {
                let most = if random.chance(50) { SKEW_MS } else { 2000 };
                let since_ms = database.clock.now_ms() - model.since_ms;
                database.clock.set_back_ms(below_ms(&mut random, most).min(since_ms));
            }
            1..=6 => database.clock.advance_ms(below_ms(&mut random, 40)),
            7..=15 => write(&database, &mut model, &mut random),
            16..=17 => compare(&database, &model, &mut random),
            18 if random.chance(50) => compare_versions(&database, &model, &mut random),
            18 => compare_changes(&database, &model, &mut random),
            _ if random.chance(20) => {
                let now_ms = database.clock.now_ms();
                drop(database);
                database = open(folder.path(), Some(now_ms));
            }
            _ => {}
        }
    }
    compare(&database, &model, &mut random);
    compare_versions(&database, &model, &mut random);
    for _ in 0..5 {
        compare_changes(&database, &model, &mut random);
    }
    check(&database);
    let moments: BTreeSet<_> = model.all().map(|(key, change)| (key, change.at_ms)).collect();
    let expected = [model.all().count(), moments.len(), model.changes.len()];
    assert_eq!(stored(&database), expected);
}

#[test]
fn a_table_as_it_was_is_the_state_that_a_model_kept() {
    for seed in 0..12 {
        run(seed, 250);
    }
}
