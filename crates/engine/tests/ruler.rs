//! The ruler against a plain model: every count that it calls exact is what counting all items gives, every other is
//! no more than that, and whoever follows the cursor to its end has counted everything.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::{
    EngineOptions, NodeKind, Profile, RulerBin, RulerCursor, RulerInput, RulerKind, RulerOpen,
    RulerOutput, TreeInput, TreePosition, metered,
};
use hashrange_model::{AttributeValue, Item, Number, ValueRef};
use hashrange_storage::block_on;
use hashrange_testkit::database::Database;
use hashrange_testkit::random::Random;
use serde_json::{Value as Json, json};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// More calls than any ruler here needs.
const CALLS_MAX: usize = 2000;
/// Most entries that a call reads.
const KEYS_MAX: u64 = 20_000;

/// A table or index: its name, partition key and sort key.
type Source = (Option<&'static str>, &'static str, &'static [&'static str]);

const SOURCES: [Source; 6] = [
    (None, "pk", &["sk"]),
    (Some("local"), "pk", &["n"]),
    (Some("numbers"), "h", &["n"]),
    (Some("bytes"), "h", &["b"]),
    (Some("text"), "h", &["l"]),
    (Some("wide"), "h", &["a", "few", "l"]),
];

fn definition() -> Json {
    let attribute =
        |(name, of_type): (&str, &str)| json!({ "AttributeName": name, "AttributeType": of_type });
    let key = |partition: &str, sort: &[&str]| {
        let role = |name: &str, role: &str| json!({ "AttributeName": name, "KeyType": role });
        let sort = sort.iter().map(|name| role(name, "RANGE"));
        std::iter::once(role(partition, "HASH")).chain(sort).collect::<Vec<_>>()
    };
    let indexes = |is_local: bool| {
        let of_kind = |(index, partition, sort): &Source| {
            let name = index.filter(|name| (*name == "local") == is_local)?;
            Some(
                json!({ "IndexName": name, "KeySchema": key(partition, sort), "Projection": { "ProjectionType": "ALL" } }),
            )
        };
        SOURCES.iter().filter_map(of_kind).collect::<Vec<_>>()
    };
    let attributes = [
        ("pk", "S"),
        ("sk", "S"),
        ("h", "S"),
        ("l", "S"),
        ("a", "S"),
        ("n", "N"),
        ("few", "N"),
        ("b", "B"),
    ];
    json!({
        "TableName": "table", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": attributes.map(attribute),
        "KeySchema": key("pk", &["sk"]),
        "LocalSecondaryIndexes": indexes(true),
        "GlobalSecondaryIndexes": indexes(false),
    })
}

fn create(options: EngineOptions) -> Database {
    let database = Database::memory(options);
    database.ok("CreateTable", &definition());
    database.clock.advance_ms(60_000);
    database
}

/// Shape of the items of a table.
#[derive(Debug, Clone, Copy)]
struct Shape {
    items: usize,
    /// Most folders of a text.
    folders: usize,
    /// Most bytes of a large item; every third item is one.
    bytes: usize,
    /// Percent of the items in the partition that is looked at.
    in_one: usize,
}

fn item(random: &mut Random, shape: Shape, nth: usize, filling: &str) -> Item {
    let in_one = random.chance(shape.in_one);
    let pk = if in_one { "p".to_owned() } else { format!("q{}", random.below(400)) };
    let text = |random: &mut Random| {
        let folder = random.below(shape.folders.max(1));
        match random.below(10) {
            0 => format!("{folder:05}"),
            1 => format!("{folder:05}##é{nth}"),
            2 => format!("{}\0#{nth}", "é".repeat(1 + folder % 7)),
            3 => "#".repeat(1 + folder % 5) + &nth.to_string(),
            _ => format!("{folder:05}#{}#{nth}", random.below(5)),
        }
    };
    let n = match random.below(6) {
        0 => format!("-{}.5", random.below(100_000)),
        1 => format!("{}e{}", 1 + random.below(9), random.below(60)),
        2 => "7".to_owned(),
        _ => random.below(1_000_000).to_string(),
    };
    let b: Vec<u8> =
        (0..=random.below(4)).map(|_| u8::try_from(random.below(256)).unwrap()).collect();
    let large = if random.chance(33) { random.below(shape.bytes + 1) } else { 0 };
    Item::from_attributes([
        ("pk", pk.into()),
        ("sk", format!("{}{nth}", text(random)).into()),
        ("h", AttributeValue::from(if random.chance(shape.in_one) { "h" } else { "other" })),
        ("l", text(random).into()),
        ("a", AttributeValue::from(*random.pick(&["a", "a\0", "b", "a#"]))),
        ("n", AttributeValue::N(Number::parse(&n).unwrap())),
        ("few", AttributeValue::from(i64::try_from(random.below(4)).unwrap() - 2)),
        ("b", AttributeValue::B(b.into())),
        ("filling", AttributeValue::from(&filling[..large])),
    ])
}

fn as_json(item: &Item) -> Json {
    let mut json = Vec::new();
    hashrange_wire::json::attribute_value::write_item(&mut json, item);
    serde_json::from_slice(&json).unwrap()
}

fn filled(random: &mut Random, shape: Shape) -> (Database, Vec<Item>) {
    let database = create(EngineOptions::default());
    let items = items(random, shape);
    put(&database, &items);
    (database, items)
}

fn items(random: &mut Random, shape: Shape) -> Vec<Item> {
    let filling = "x".repeat(shape.bytes);
    (0..shape.items).map(|nth| item(random, shape, nth, &filling)).collect()
}

fn put(database: &Database, items: &[Item]) {
    for items in items.chunks(25) {
        let put = |item: &Item| json!({ "PutRequest": { "Item": as_json(item) } });
        let requests: Vec<_> = items.iter().map(put).collect();
        database.ok("BatchWriteItem", &json!({ "RequestItems": { "table": requests } }));
    }
}

fn compare(one: ValueRef<'_>, other: ValueRef<'_>) -> Ordering {
    match (one, other) {
        (ValueRef::S(one), ValueRef::S(other)) => one.as_bytes().cmp(other.as_bytes()),
        (ValueRef::B(one), ValueRef::B(other)) => one.cmp(other),
        (ValueRef::N(one), ValueRef::N(other)) => one.to_number().cmp(&other.to_number()),
        other => panic!("{other:?}"),
    }
}

fn compare_by(names: &[&str], one: &Item, other: &Item) -> Ordering {
    let by = |name: &&str| compare(one.get(name).unwrap(), other.get(name).unwrap());
    names.iter().map(by).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// A request with the items that it is about, in their order.
struct Asked<'i> {
    input: RulerInput,
    items: Vec<&'i Item>,
    places: BTreeMap<(String, String), usize>,
}

fn text<'i>(item: &'i Item, name: &str) -> &'i str {
    match item.get(name) {
        Some(ValueRef::S(text)) => text,
        other => panic!("{name}: {other:?}"),
    }
}

fn only(item: &Item, name: &str) -> Item {
    item.retain(|of| of == name)
}

impl<'i> Asked<'i> {
    fn random(random: &mut Random, all: &'i [Item]) -> Self {
        let (index, partition, sort) = *random.pick(&SOURCES);
        let sample = random.pick(all);
        let of = if partition == "pk" { "p" } else { "h" };
        let fixed = if sort.len() > 1 { random.below(3) } else { 0 };
        let (next, is_last) = (sort[fixed], fixed + 1 == sort.len());
        let is_text = matches!(sample.get(next), Some(ValueRef::S(_)));
        let mut prefix = String::new();
        if is_text && random.chance(30) {
            text(sample, next).clone_into(&mut prefix);
            let kept = prefix.chars().count().saturating_sub(1 + random.below(6));
            prefix = prefix.chars().take(kept).collect();
        }
        let delimiter = (is_last && is_text && random.chance(30)).then(|| "0".to_owned());
        let (mut from, mut to) = (None, None);
        if !is_text && random.chance(40) {
            let ends = [random.pick(all), random.pick(all)];
            from = random.chance(70).then(|| only(ends[0], next));
            to = random.chance(70).then(|| only(ends[1], next));
        }
        let mut items: Vec<_> = all
            .iter()
            .filter(|item| {
                let at_least = |end: &Item| compare_by(&[next], item, end).is_ge();
                let at_most = |end: &Item| compare_by(&[next], item, end).is_le();
                text(item, partition) == of
                    && compare_by(&sort[..fixed], item, sample).is_eq()
                    && (prefix.is_empty() || text(item, next).starts_with(&prefix))
                    && from.as_ref().is_none_or(at_least)
                    && to.as_ref().is_none_or(at_most)
            })
            .collect();
        // Entries of one key are in the order of their items' partition keys, the shorter ones first.
        items.sort_by(|one, other| {
            let length = |item: &Item| text(item, "pk").len();
            compare_by(sort, one, other).then(length(one).cmp(&length(other))).then(compare_by(
                &["pk", "sk"],
                one,
                other,
            ))
        });
        let input = RulerInput {
            table_name: "table".to_owned(),
            index_name: index.map(str::to_owned),
            partition_key: Some(Item::from_attributes([(partition, of.into())])),
            sort_key: sample.retain(|name| sort[..fixed].contains(&name)),
            prefix: (!prefix.is_empty()).then_some(prefix),
            from,
            to,
            delimiter,
            bins: random.chance(70).then(|| 4 + random.below(60)),
            ..RulerInput::default()
        };
        Self::of(input, items)
    }

    /// Returns the request for all partition keys, in the order of a Scan.
    fn of_partitions(database: &Database, random: &mut Random, all: &'i [Item]) -> Self {
        let (index, ..) = *random.pick(&SOURCES);
        let by_id: BTreeMap<_, _> = all.iter().map(|item| (id(item), item)).collect();
        let mut items = Vec::new();
        let mut scan = json!({ "TableName": "table", "ProjectionExpression": "pk, sk" });
        if let Some(index) = index {
            scan["IndexName"] = json!(index);
        }
        loop {
            let mut page = database.ok("Scan", &scan);
            for key in page["Items"].as_array().unwrap() {
                let text = |name: &str| key[name]["S"].as_str().unwrap().to_owned();
                items.push(by_id[&(text("pk"), text("sk"))]);
            }
            scan["ExclusiveStartKey"] = page["LastEvaluatedKey"].take();
            if scan["ExclusiveStartKey"].is_null() {
                break;
            }
        }
        let input = RulerInput {
            table_name: "table".to_owned(),
            index_name: index.map(str::to_owned),
            bins: Some(4 + random.below(60)),
            ..RulerInput::default()
        };
        Self::of(input, items)
    }

    fn of(input: RulerInput, items: Vec<&'i Item>) -> Self {
        let place = |(nth, item): (usize, &&Item)| (id(item), nth);
        let places = items.iter().enumerate().map(place).collect();
        Self { input, items, places }
    }

    fn place(&self, key: &Item) -> usize {
        self.places[&id(key)]
    }

    fn count(&self, from: usize, to: usize) -> (u64, u64) {
        let items = &self.items[from..to];
        (items.len() as u64, items.iter().map(|item| item.size() as u64).sum())
    }

    fn call(&self, database: &Database, cursor: Option<RulerCursor>) -> RulerOutput {
        let input = RulerInput { cursor, ..self.input.clone() };
        block_on(database.engine.ruler(input)).unwrap()
    }

    /// Checks the bins of one call.
    fn check(&self, output: &RulerOutput) {
        let most = self.input.bins.unwrap_or(200);
        assert!(output.bins.len() <= most, "{} bins", output.bins.len());
        assert!(output.work.keys_read <= KEYS_MAX);
        let end = output.until.as_ref().map_or(self.items.len(), |until| self.place(until) + 1);
        let mut before = output.after.as_ref().map_or(0, |after| self.place(after) + 1);
        for (nth, bin) in output.bins.iter().enumerate() {
            let (first, last) = (self.place(&bin.first), self.place(&bin.last));
            assert!(before <= first && first <= last && last < end, "{bin:?}");
            let next = output.bins.get(nth + 1).map_or(end, |next| self.place(&next.first));
            let (items, bytes) = self.count(first, next);
            if bin.is_exact {
                assert_eq!(before, first, "nothing lies between exact bins: {bin:?}");
                assert_eq!((bin.items, bin.bytes), self.count(first, last + 1), "{bin:?}");
                assert!(!bin.is_unseen);
                before = last + 1;
            } else {
                assert!(bin.items <= items && bin.bytes <= bytes, "{bin:?} of {items} {bytes}");
                before = next;
            }
            assert!(bin.items > 0);
            if bin.is_exact {
                assert_eq!(bin.folders, self.folders(first, last + 1), "{bin:?} {:?}", self.input);
            } else {
                assert!(bin.folders <= self.folders(first, next), "{bin:?} {:?}", self.input);
            }
            self.check_folder(bin);
        }
        if output.next.is_none() {
            assert!(output.is_exact());
            assert_eq!(before, self.items.len());
        }
        if output.after.is_none() && output.until.is_none() {
            let last = output.bins.last().map(|bin| self.place(&bin.last));
            assert_eq!(last, self.items.len().checked_sub(1), "the last key is shown");
        }
    }

    /// Returns the number of folders, values of leading attributes or partition keys of some items.
    fn folders(&self, from: usize, to: usize) -> u64 {
        let (_, partition, sort) = self.source();
        let next = match self.input.partition_key {
            None => *partition,
            Some(_) => sort[self.input.sort_key.iter().count()],
        };
        let is_divided = next == sort[sort.len() - 1];
        let delimiter = self.input.delimiter.as_deref().unwrap_or("#");
        let prefix = self.input.prefix.as_deref().unwrap_or_default();
        let end = |(at, found): (usize, &str)| at + found.len();
        let above = prefix.match_indices(delimiter).map(end).last().unwrap_or(0);
        let folder = |item: &&Item| match item.get(next).unwrap() {
            ValueRef::S(text) if is_divided => {
                let end = text.match_indices(delimiter).map(end).find(|end| *end > above)?;
                Some(text[..end].to_owned())
            }
            _ if is_divided => None,
            value => Some(format!("{value:?}")),
        };
        let mut folders: Vec<_> = self.items[from..to].iter().filter_map(folder).collect();
        folders.dedup();
        folders.len() as u64
    }

    fn source(&self) -> &'static Source {
        let is_it = |(name, ..): &&Source| *name == self.input.index_name.as_deref();
        SOURCES.iter().find(is_it).unwrap()
    }

    fn check_folder(&self, bin: &RulerBin) {
        let Some(folder) = &bin.folder else { return };
        let name = bin.name.as_ref().unwrap();
        assert!(folder.ends_with(name.as_str()) && bin.folders == 1, "{bin:?}");
        let (_, _, sort) = self.source();
        let within = |item: &&&Item| text(item, sort[sort.len() - 1]).starts_with(folder);
        let within: Vec<_> = self.items.iter().filter(within).collect();
        assert_eq!(id(within[0]), id(&bin.first));
        assert!(if bin.is_exact {
            within.len() as u64 == bin.items
        } else {
            bin.items <= within.len() as u64
        });
    }

    /// Follows the cursor to its end; returns the calls.
    fn check_all(&self, database: &Database) -> Vec<RulerOutput> {
        let mut line: BTreeMap<usize, RulerBin> = BTreeMap::new();
        let mut calls: Vec<RulerOutput> = Vec::new();
        while calls.len() < CALLS_MAX {
            let output = self.call(database, calls.last().and_then(|last| last.next.clone()));
            self.check(&output);
            let after = output.after.as_ref().map_or(0, |after| self.place(after) + 1);
            let until = output.until.as_ref().map_or(self.items.len(), |key| self.place(key) + 1);
            line.retain(|first, _| !(after..until).contains(first));
            line.extend(output.bins.iter().map(|bin| (self.place(&bin.first), bin.clone())));
            let is_over = output.next.is_none();
            calls.push(output);
            if is_over {
                break;
            }
        }
        assert!(line.values().all(|bin| bin.is_exact), "{:?}", self.input);
        let sum = line
            .values()
            .fold((0, 0), |(items, bytes), bin| (items + bin.items, bytes + bin.bytes));
        assert_eq!(sum, self.count(0, self.items.len()), "{:?}", self.input);
        calls
    }
}

/// Returns what names an item.
fn id(key: &Item) -> (String, String) {
    (text(key, "pk").to_owned(), text(key, "sk").to_owned())
}

const SHAPES: [Shape; 5] = [
    Shape { items: 0, folders: 1, bytes: 0, in_one: 100 },
    Shape { items: 9, folders: 2, bytes: 10, in_one: 90 },
    Shape { items: 400, folders: 20, bytes: 10, in_one: 90 },
    Shape { items: 900, folders: 12, bytes: 200_000, in_one: 80 },
    Shape { items: 1000, folders: 700, bytes: 200_000, in_one: 80 },
];

/// Checks rulers of a database; returns the number of calls that went on, and of those that left a stretch unseen.
fn check(
    database: &Database,
    random: &mut Random,
    items: &[Item],
    rounds: usize,
) -> (usize, usize) {
    let (mut went_on, mut unseen) = (0, 0);
    let mut asked = vec![Asked::of_partitions(database, random, items)];
    if !items.is_empty() {
        asked.extend((0..rounds).map(|_| Asked::random(random, items)));
    }
    for asked in asked {
        let calls = asked.check_all(database);
        went_on += calls.len() - 1;
        unseen += usize::from(calls[0].bins.iter().any(|bin| bin.is_unseen));
    }
    (went_on, unseen)
}

#[test]
fn a_ruler_counts_what_counting_all_items_counts() {
    let (mut went_on, mut unseen) = (0, 0);
    for (seed, shape) in (0..).zip(SHAPES) {
        let random = &mut Random::new(seed);
        let (database, items) = filled(random, shape);
        let found = check(&database, random, &items, 60);
        went_on += found.0;
        unseen += found.1;
    }
    assert!(went_on > 50 && unseen > 20, "{went_on} {unseen}");
}

#[test]
fn a_ruler_of_a_folder_on_disk_counts_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::folder(folder.path(), EngineOptions::default());
    database.ok("CreateTable", &definition());
    database.clock.advance_ms(60_000);
    let random = &mut Random::new(50);
    let items = items(random, Shape { items: 600, ..SHAPES[3] });
    put(&database, &items);
    let (went_on, _) = check(&database, random, &items, 12);
    assert!(went_on > 0);
}

/// Returns a table of so many items in one partition; `key` makes the sort key of the nth.
fn lined(items: usize, of_type: &str, key: impl Fn(usize) -> String) -> Database {
    let database = Database::memory(EngineOptions::default());
    database.ok(
        "CreateTable",
        &json!({
            "TableName": "table", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{ "AttributeName": "pk", "AttributeType": "S" }, { "AttributeName": "sk", "AttributeType": of_type }],
            "KeySchema": [{ "AttributeName": "pk", "KeyType": "HASH" }, { "AttributeName": "sk", "KeyType": "RANGE" }],
        }),
    );
    let put = |nth| json!({ "PutRequest": { "Item": { "pk": { "S": "p" }, "sk": { of_type: key(nth) } } } });
    let requests: Vec<_> = (0..items).map(put).collect();
    for requests in requests.chunks(25) {
        database.ok("BatchWriteItem", &json!({ "RequestItems": { "table": requests } }));
    }
    database
}

fn of_partition() -> RulerInput {
    RulerInput {
        table_name: "table".to_owned(),
        partition_key: Some(Item::from_attributes([("pk", "p".into())])),
        ..RulerInput::default()
    }
}

/// Returns the greatest part of the line, in percent, between the first keys of two bins behind what was counted.
fn widest(output: &RulerOutput, whole: usize, place: impl Fn(&Item) -> usize) -> usize {
    let places = output.bins.iter().map(|bin| place(&bin.first)).chain([whole]);
    let places: Vec<_> = places.collect();
    let is_behind = |bin: &&RulerBin| bin.is_exact;
    let counted = output.bins.iter().take_while(is_behind).count();
    let widths = places[counted..].windows(2).map(|ends| ends[1] - ends[0]);
    widths.max().unwrap_or(0) * 100 / whole
}

#[test]
fn a_hundred_thousand_folders_are_shown_at_once_and_evenly() {
    const FOLDERS: usize = 100_000;
    let database = lined(2 * FOLDERS, "S", |nth| format!("{:06}#{}", nth / 2, nth % 2));
    let first = block_on(database.engine.ruler(of_partition())).unwrap();
    assert_eq!((first.kind, first.delimiter.as_deref()), (RulerKind::Folders, Some("#")));
    assert!(first.bins.len() <= 200 && first.work.keys_read <= KEYS_MAX);
    let place = |key: &Item| text(key, "sk")[..6].parse::<usize>().unwrap();
    assert!(widest(&first, FOLDERS, place) <= 1, "{}", widest(&first, FOLDERS, place));
    assert_eq!(place(&first.bins.last().unwrap().last), FOLDERS - 1);
    let (mut items, mut folders, mut calls, mut output) = (0, 0, 1, first);
    loop {
        let behind = output.next.as_ref().map_or(FOLDERS, |next| place(&next.behind));
        for bin in output.bins.iter().filter(|bin| bin.is_exact && place(&bin.last) <= behind) {
            (items, folders) = (items + bin.items, folders + bin.folders);
        }
        let Some(cursor) = output.next else { break };
        let input = RulerInput { cursor: Some(cursor), ..of_partition() };
        output = block_on(database.engine.ruler(input)).unwrap();
        calls += 1;
    }
    assert_eq!((items, folders), (2 * FOLDERS as u64, FOLDERS as u64));
    assert!(calls <= 12, "{calls}");
}

#[test]
fn numbers_are_shown_evenly_by_their_values() {
    const ITEMS: usize = 60_000;
    let database = lined(ITEMS, "N", |nth| format!("{}.5", nth * 3));
    let first = block_on(database.engine.ruler(of_partition())).unwrap();
    assert_eq!((first.kind, first.delimiter), (RulerKind::Values, None));
    let place = |key: &Item| match key.get("sk") {
        Some(ValueRef::N(number)) => {
            number.to_number().to_string().strip_suffix(".5").unwrap().parse::<usize>().unwrap() / 3
        }
        other => panic!("{other:?}"),
    };
    let output = RulerOutput { delimiter: None, ..first };
    assert!(widest(&output, ITEMS, place) <= 2, "{}", widest(&output, ITEMS, place));
}

#[test]
fn a_dozen_items_are_a_bin_each() {
    let database = lined(12, "S", |nth| format!("{nth:02}"));
    let output = block_on(database.engine.ruler(of_partition())).unwrap();
    let names: Vec<_> = output.bins.iter().map(|bin| bin.name.clone().unwrap()).collect();
    assert_eq!(names, (0..12).map(|nth| format!("{nth:02}")).collect::<Vec<_>>());
    assert_eq!((output.kind, output.items(), output.is_exact()), (RulerKind::Values, 12, true));
    assert!(output.bins.iter().all(|bin| bin.folders == 0 && bin.folder.is_none()));
    assert!(output.next.is_none() && output.after.is_none() && output.until.is_none());
}

#[test]
fn text_from_one_folder_to_another_has_whole_folders() {
    let database = lined(50, "S", |nth| format!("{}#{nth}", nth / 10));
    let end = |text: &str| Some(Item::from_attributes([("sk", text.into())]));
    let input = RulerInput { from: end("1#15"), to: end("2#20"), ..of_partition() };
    let output = block_on(database.engine.ruler(input)).unwrap();
    let folders: Vec<_> =
        output.bins.iter().map(|bin| (bin.folder.as_deref().unwrap(), bin.items)).collect();
    assert_eq!(folders, [("1#", 10), ("2#", 10)]);
    let input = RulerInput { from: end("3"), to: end("1"), ..of_partition() };
    assert!(block_on(database.engine.ruler(input)).unwrap().bins.is_empty());
}

#[test]
fn a_ruler_is_told_and_takes_nothing_from_the_throughput() {
    /// More than a partition serves in a second.
    const CALLS: usize = 7000;
    let options = EngineOptions { profile: Profile::Aws, ..EngineOptions::default() };
    let database = create(options);
    let put = json!({ "TableName": "table", "Item": { "pk": { "S": "p" }, "sk": { "S": "a#b" } } });
    database.clock.advance_ms(60_000);
    database.ok("PutItem", &put);
    let run = || block_on(metered(database.engine.ruler(of_partition())));
    for _ in 0..CALLS {
        let (output, usage) = run();
        assert_eq!(output.unwrap().items(), 1);
        assert_eq!(usage.uses().len(), 1);
        assert!(usage.uses()[0].units > 0.0);
    }
    let query = json!({ "TableName": "table", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": { ":p": { "S": "p" } } });
    database.ok("Query", &query);
    let throttled = (0..CALLS).find_map(|_| database.call("Query", &query).err()).unwrap();
    assert!(throttled.to_string().contains("Throttl"), "{throttled}");
}

fn refused(database: &Database, input: RulerInput) -> String {
    block_on(database.engine.ruler(input)).unwrap_err().to_string()
}

#[test]
fn hostile_requests_are_refused() {
    let database = lined(30, "S", |nth| format!("{nth:02}#x"));
    let key = |pk: &str, sk: &str| Item::from_attributes([("pk", pk.into()), ("sk", sk.into())]);
    let cursor = |behind: Item, open: Option<Item>, after: Option<Item>| RulerCursor {
        behind,
        open: open.map(|first| RulerOpen { first, items: u64::MAX, bytes: u64::MAX }),
        after,
        has_folders: true,
    };
    for wrong in [
        cursor(key("q", "01#x"), None, None),
        cursor(Item::empty(), None, None),
        cursor(Item::from_attributes([("pk", "p".into())]), None, None),
        cursor(key("p", "05#x"), Some(key("p", "04#x")), None),
        cursor(key("p", "05#x"), Some(key("p", "05#y")), None),
        cursor(key("p", "05#x"), None, Some(key("p", "06#x"))),
        cursor(key("p", "05#x"), None, Some(key("q", "01#x"))),
    ] {
        let fault = refused(&database, RulerInput { cursor: Some(wrong), ..of_partition() });
        assert!(fault.contains("Cursor is none"), "{fault}");
    }
    // Sums that a caller made up stay within their type.
    let made_up = cursor(key("p", "05#x"), Some(key("p", "05#x")), None);
    let input = RulerInput { cursor: Some(made_up), ..of_partition() };
    let output = block_on(database.engine.ruler(input)).unwrap();
    assert_eq!((output.items(), output.next.is_none()), (u64::MAX, true));
    for (input, expected) in [
        (RulerInput { bins: Some(0), ..of_partition() }, "Bins"),
        (RulerInput { bins: Some(501), ..of_partition() }, "Bins"),
        (RulerInput { from: Some(key("p", "a")), ..of_partition() }, "From"),
        (
            RulerInput { to: Some(Item::from_attributes([("sk", 7.into())])), ..of_partition() },
            "To",
        ),
        (RulerInput { delimiter: Some(String::new()), ..of_partition() }, "Delimiter"),
        (
            RulerInput { prefix: Some("a".to_owned()), partition_key: None, ..of_partition() },
            "Prefix",
        ),
        (RulerInput { index_name: Some("none".to_owned()), ..of_partition() }, "index"),
        (RulerInput { partition_key: Some(Item::empty()), ..of_partition() }, "key element"),
    ] {
        let fault = refused(&database, input);
        assert!(fault.contains(expected), "{fault}");
    }
}

/// A position whose letters lie across the end of the prefix is outside of it, whatever it says.
#[test]
fn a_position_of_a_tree_may_have_another_beginning_than_the_prefix() {
    let database = lined(3, "S", |nth| format!("é#{nth}"));
    let start = TreePosition::Node {
        kind: NodeKind::Folder,
        key: Item::from_attributes([("sk", "aaéé#".into())]),
    };
    let input = TreeInput {
        table_name: "table".to_owned(),
        partition_key: Item::from_attributes([("pk", "p".into())]),
        prefix: Some("é#".to_owned()),
        start: Some(start),
        ..TreeInput::default()
    };
    assert!(block_on(database.engine.tree(input)).is_err());
}
