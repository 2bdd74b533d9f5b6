//! Random writes on a clock that sometimes goes back, against a model that keeps every state whole.

use super::{as_of, check, create, enable, stored};
use hashrange_engine::EngineOptions;
use hashrange_model::moment;
use hashrange_testkit::database::Database;
use hashrange_testkit::random::Random;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

type Key = (String, String);
type State = BTreeMap<Key, Json>;

const PARTITIONS: [&str; 3] = ["p", "q", "p\0"];
const SORT: [&str; 10] =
    ["a", "aa", "ab", "a\0", "a\0b", "\0", "b", "b\u{FFFF}", "c", "\u{10FFFF}"];

/// The states by the moments from which on they were so, and what moments follow.
struct Model {
    states: Vec<(u64, State)>,
    changed: BTreeMap<Key, u64>,
    since_ms: u64,
    next_ms: u64,
}

impl Model {
    fn now(&self) -> &State {
        &self.states.last().unwrap().1
    }

    fn at(&self, at_ms: u64) -> &State {
        let until = self.states.iter().rev().find(|(since_ms, _)| *since_ms <= at_ms);
        &until.unwrap_or(&self.states[0]).1
    }

    /// Follows a commit that touches keys and leaves a state.
    fn commit(&mut self, now_ms: u64, keys: &[Key], state: State) {
        let last = keys.iter().filter_map(|key| self.changed.get(key)).max();
        let after_last = last.map_or(0, |last_ms| last_ms + 1);
        let at_ms = now_ms.max(self.next_ms).max(after_last);
        self.next_ms = at_ms;
        for key in keys {
            if self.now().get(key) != state.get(key) {
                self.changed.insert(key.clone(), at_ms);
            }
        }
        self.states.push((at_ms, state));
    }

    /// Follows a restart, of which the moments of changes are known.
    fn restart(&mut self) {
        let last = self.changed.values().max().copied().unwrap_or(0);
        self.next_ms = last.max(self.since_ms);
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
    let mut state = model.now().clone();
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

fn compare(database: &Database, model: &mut Model, random: &mut Random) {
    let now_ms = database.clock.now_ms();
    let last_ms = now_ms.max(model.next_ms.saturating_sub(1));
    let at_ms = model.since_ms + below_ms(random, last_ms - model.since_ms + 1);
    if at_ms >= now_ms {
        model.next_ms = model.next_ms.max(at_ms + 1);
    }
    let (table, state) = (as_of(at_ms), model.at(at_ms));
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

/// Returns the versions that an item has had, the oldest first.
fn versions_of(model: &Model, key: &Key) -> Vec<Json> {
    let mut versions: Vec<Json> = Vec::new();
    let mut before: Option<&Json> = None;
    for (nth, (at_ms, state)) in model.states.iter().enumerate() {
        let now = state.get(key);
        if now == before {
            continue;
        }
        let since = json!({"S": moment::basic(*at_ms)});
        // Before it was there first it has no version.
        if before.is_some() || !versions.is_empty() {
            versions.last_mut().unwrap()["hashrange:until"] = since.clone();
        }
        let mut version = now.cloned().unwrap_or_else(|| {
            let mut deleted = key_json(key);
            deleted["hashrange:deleted"] = json!({"BOOL": true});
            deleted
        });
        if nth > 0 {
            version["hashrange:since"] = since;
        }
        versions.push(version);
        before = now;
    }
    versions
}

/// Compares all versions of items with those of the model.
fn compare_versions(database: &Database, model: &Model, random: &mut Random) {
    let limit = 1 + random.below(7);
    let keys: BTreeSet<&Key> = model.states.iter().flat_map(|(_, state)| state.keys()).collect();
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
    let by_item_and_time = |version: &Json| {
        ["pk", "sk", "hashrange:since"]
            .map(|name| version[name]["S"].as_str().unwrap_or_default().to_owned())
    };
    let mut found: Vec<Json> = (0..segments).flat_map(scan).collect();
    found.sort_by_key(by_item_and_time);
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
    let states = vec![(since_ms, items.collect())];
    let mut model = Model { states, changed: BTreeMap::new(), since_ms, next_ms: since_ms + 1 };
    for _ in 0..steps {
        match random.below(20) {
            0 => database.clock.set_back_ms(below_ms(&mut random, 60)),
            1..=6 => database.clock.advance_ms(below_ms(&mut random, 40)),
            7..=15 => write(&database, &mut model, &mut random),
            16..=17 => compare(&database, &mut model, &mut random),
            18 => compare_versions(&database, &model, &mut random),
            _ if random.chance(20) => {
                let now_ms = database.clock.now_ms();
                drop(database);
                database = open(folder.path(), Some(now_ms));
                model.restart();
            }
            _ => {}
        }
    }
    compare(&database, &mut model, &mut random);
    compare_versions(&database, &model, &mut random);
    check(&database);
    let [versions, moments, marks] = stored(&database);
    assert_eq!((versions, marks), (moments, model.changed.len()));
}

#[test]
fn a_table_as_it_was_is_the_state_that_a_model_kept() {
    for seed in 0..12 {
        run(seed, 250);
    }
}
