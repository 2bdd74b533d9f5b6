//! The tree of keys shows what a walk over all items and grouping them shows: for nasty keys and delimiters, on
//! the table and its indexes, in both directions and whatever the page; and it costs as much as is shown.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::{
    EngineOptions, NodeKind, PartitionsInput, Profile, TreeInput, TreeNode, TreeOutput,
    TreePosition,
};
use hashrange_model::{AttributeValue, Item, ValueRef};
use hashrange_storage::block_on;
use hashrange_testkit::database::Database;
use hashrange_testkit::random::Random;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// More pages than any read here has.
const PAGES_MAX: usize = 2000;

/// The sources, each with its index and the attributes of its sort key.
const SOURCES: [(Option<&str>, &[&str]); 4] = [
    (None, &["sk"]),
    (Some("local"), &["l"]),
    (Some("global"), &["l"]),
    (Some("wide"), &["a", "n", "l"]),
];

const DELIMITERS: [&str; 9] = ["#", "/", "##", "aa", "→", "\u{10FFFF}", "\0", "é#", "a#a"];

fn definition() -> Json {
    let attribute =
        |(name, of_type): (&str, &str)| json!({ "AttributeName": name, "AttributeType": of_type });
    let key = |partition: &str, sort: &[&str]| {
        let role = |name: &str, role: &str| json!({ "AttributeName": name, "KeyType": role });
        let sort = sort.iter().map(|name| role(name, "RANGE"));
        std::iter::once(role(partition, "HASH")).chain(sort).collect::<Vec<_>>()
    };
    let index = |name: &str, partition: &str, sort: &[&str]| json!({ "IndexName": name, "KeySchema": key(partition, sort), "Projection": { "ProjectionType": "KEYS_ONLY" } });
    json!({
        "TableName": "table", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": ([("pk", "S"), ("sk", "S"), ("l", "S"), ("h", "S"), ("a", "S"), ("n", "N")].map(attribute)),
        "KeySchema": key("pk", &["sk"]),
        "LocalSecondaryIndexes": [index("local", "pk", &["l"])],
        "GlobalSecondaryIndexes": [index("global", "h", &["l"]), index("wide", "h", &["a", "n", "l"])],
    })
}

/// Returns a key of the kind that breaks things.
fn nasty(random: &mut Random, delimiter: &str) -> String {
    const PARTS: [&str; 12] =
        ["a", "aa", "b", "#", "##", "\0", "\u{10FFFF}", "é", "~", "A", "0", "\u{FFFF}"];
    let mut text = String::new();
    for _ in 0..=random.below(6) {
        let part = *random.pick(&PARTS);
        text.push_str(if random.chance(40) { delimiter } else { part });
    }
    if random.chance(5) {
        while text.len() < 1024 {
            text.push('x');
        }
    }
    text
}

fn database(random: &mut Random, delimiter: &str, options: EngineOptions) -> (Database, Vec<Item>) {
    let database = Database::memory(options);
    database.ok("CreateTable", &definition());
    database.clock.advance_ms(60_000);
    let mut items = BTreeMap::new();
    for _ in 0..60 {
        let item = Item::from_attributes([
            ("pk", "p".into()),
            ("sk", nasty(random, delimiter).into()),
            ("l", nasty(random, delimiter).into()),
            ("h", "h".into()),
            ("a", AttributeValue::from(*random.pick(&["a", "a\0", "b", "a#"]))),
            ("n", AttributeValue::from(i64::try_from(random.below(4)).unwrap() - 2)),
        ]);
        let mut json = Vec::new();
        hashrange_wire::json::attribute_value::write_item(&mut json, &item);
        let json: Json = serde_json::from_slice(&json).unwrap();
        let request = json!({ "TableName": "table", "Item": json });
        // A profile may throttle it.
        let put = (0..100).find_map(|_| {
            database.clock.advance_ms(1000);
            database.call("PutItem", &request).ok()
        });
        assert!(put.is_some());
        items.insert(text(&item, "sk"), item);
    }
    (database, items.into_values().collect())
}

fn text(item: &Item, name: &str) -> String {
    match item.get(name) {
        Some(ValueRef::S(text)) => text.to_owned(),
        other => panic!("{name}: {other:?}"),
    }
}

fn value(item: &Item, name: &str) -> AttributeValue {
    item.get(name).unwrap().to_attribute_value()
}

/// What a node is, without what it costs: its kind, level, name and key.
type Shown = (NodeKind, usize, String, Vec<(String, String)>);

fn shown(node: &TreeNode) -> Shown {
    let key = node.key.iter().map(|(name, value)| (name.to_owned(), format!("{value:?}")));
    let mut key: Vec<_> = key.collect();
    key.sort();
    assert!(matches!(node.kind, NodeKind::Partition | NodeKind::Folder | NodeKind::Item));
    (node.kind, node.level, node.name.clone(), key)
}

/// A request, in the words of this test.
#[derive(Debug, Clone)]
struct Asked {
    index: Option<&'static str>,
    sort: &'static [&'static str],
    fixed: Vec<AttributeValue>,
    prefix: String,
    delimiter: String,
    depth: usize,
    backward: bool,
}

impl Asked {
    fn random(random: &mut Random, items: &[Item], delimiter: &str) -> Self {
        let (index, sort) = *random.pick(&SOURCES);
        let sample = random.pick(items).clone();
        let fixed = if sort.len() > 1 { random.below(3) } else { 0 };
        let next = sort[fixed];
        let is_text = next != "n";
        let mut prefix =
            if is_text && random.chance(60) { text(&sample, next) } else { String::new() };
        for _ in 0..random.below(4) {
            prefix.pop();
        }
        let delimiter = if random.chance(80) { delimiter } else { *random.pick(&DELIMITERS) };
        Self {
            index,
            sort,
            fixed: sort[..fixed].iter().map(|name| value(&sample, name)).collect(),
            prefix,
            delimiter: delimiter.to_owned(),
            depth: 1 + random.below(4),
            backward: random.chance(50),
        }
    }

    fn input(&self) -> TreeInput {
        let is_of_index = self.index.is_some_and(|index| index != "local");
        let partition = if is_of_index { ("h", "h".into()) } else { ("pk", "p".into()) };
        let fixed = self.sort.iter().copied().zip(self.fixed.iter().cloned());
        TreeInput {
            table_name: "table".to_owned(),
            index_name: self.index.map(str::to_owned),
            partition_key: Item::from_attributes([partition]),
            sort_key: Item::from_attributes(fixed),
            prefix: (!self.prefix.is_empty()).then(|| self.prefix.clone()),
            delimiter: Some(self.delimiter.clone()),
            depth: Some(self.depth),
            backward: self.backward,
            ..TreeInput::default()
        }
    }

    /// Returns the nodes that an item lies in, found by splitting its whole key.
    fn path(&self, item: &Item) -> Option<Vec<Shown>> {
        let (first, last) = (self.fixed.len(), self.sort.len() - 1);
        let same = |(name, fixed): (&&str, &AttributeValue)| value(item, name) == *fixed;
        if !self.sort.iter().zip(&self.fixed).all(same)
            || (!self.prefix.is_empty() && !text(item, self.sort[first]).starts_with(&self.prefix))
        {
            return None;
        }
        let mut key: Vec<(String, String)> = Vec::new();
        let mut path = Vec::new();
        for (nth, name) in self.sort.iter().enumerate() {
            let whole = item.get(name).unwrap();
            if nth < last {
                key.push(((*name).to_owned(), format!("{whole:?}")));
                let plain = if *name == "n" {
                    format!("{whole:?}")[2..].trim_end_matches(')').to_owned()
                } else {
                    text(item, name)
                };
                path.push((NodeKind::Folder, 0, plain, key.clone()));
                continue;
            }
            let (before, whole) = (key.clone(), text(item, name));
            let of = |text: &str| {
                let mut key = before.clone();
                key.push(((*name).to_owned(), format!("S({text:?})")));
                key.sort();
                key
            };
            let parts: Vec<&str> = whole.split(&self.delimiter[..]).collect();
            let above =
                if first == last { self.prefix.matches(&self.delimiter[..]).count() } else { 0 };
            for count in above + 1..parts.len() {
                let folder = parts[..count].join(&self.delimiter) + &self.delimiter;
                let plain = format!("{}{}", parts[count - 1], self.delimiter);
                path.push((NodeKind::Folder, 0, plain, of(&folder)));
            }
            path.push((NodeKind::Item, 0, parts[parts.len() - 1].to_owned(), of(&whole)));
        }
        path.drain(..first);
        for (level, node) in (1..).zip(&mut path) {
            node.1 = level;
            node.3.sort();
        }
        path.truncate(self.depth);
        Some(path)
    }

    /// Returns the items that are asked for, in order.
    fn sorted<'i>(&self, items: &'i [Item]) -> Vec<&'i Item> {
        let mut found: Vec<_> = items.iter().filter(|item| self.path(item).is_some()).collect();
        let number = |item: &Item| match item.get("n") {
            Some(ValueRef::N(number)) => number.to_number().to_i64(),
            _ => None,
        };
        let order = |item: &&Item| match self.sort {
            ["a", "n", "l"] => (text(item, "a"), number(item), text(item, "l"), text(item, "sk")),
            [one] => (text(item, one), None, text(item, "sk"), String::new()),
            other => panic!("{other:?}"),
        };
        found.sort_by_key(order);
        if self.backward {
            found.reverse();
        }
        found
    }

    /// Returns the nodes of all items in their order, each with how many items lie in it; `known` are shown
    /// already.
    fn expected(&self, items: &[&Item], known: &[Shown]) -> Vec<(Shown, u64)> {
        let mut found: Vec<(Shown, u64)> = Vec::new();
        let mut seen: BTreeSet<String> = known.iter().map(|node| format!("{node:?}")).collect();
        for item in items {
            for node in self.path(item).unwrap() {
                if seen.insert(format!("{node:?}")) {
                    found.push((node, 1));
                } else if let Some((_, count)) = found.iter_mut().find(|(known, _)| *known == node)
                {
                    *count += 1;
                }
            }
        }
        found
    }
}

/// Reads all pages.
fn pages(
    mut page: impl FnMut(Option<TreePosition>) -> TreeOutput,
    start: Option<TreePosition>,
) -> Vec<TreeOutput> {
    let (mut pages, mut next) = (Vec::new(), start);
    while pages.len() < PAGES_MAX {
        let page = page(next.take());
        next.clone_from(&page.next);
        pages.push(page);
        if next.is_none() {
            return pages;
        }
    }
    panic!("it has no end");
}

/// Puts the nodes of pages together.
fn merged(pages: &[TreeOutput]) -> Vec<(Shown, u64, u64)> {
    let mut found: Vec<(Shown, u64, u64)> = Vec::new();
    for node in pages.iter().flat_map(|page| &page.nodes) {
        let counts = node.counts.unwrap_or_default();
        let (items, bytes) = (counts.items, counts.bytes);
        let known = found.iter_mut().find(|(known, ..)| *known == shown(node));
        assert_eq!(known.is_some(), counts.continued, "{node:?}");
        if let Some((_, known_items, known_bytes)) = known {
            *known_items += items;
            *known_bytes += bytes;
        } else {
            found.push((shown(node), items, bytes));
        }
    }
    found
}

fn check(database: &Database, random: &mut Random, items: &[Item], asked: &Asked) {
    let sorted = asked.sorted(items);
    let expected = asked.expected(&sorted, &[]);
    let limit = if random.chance(20) { 1000 } else { 1 + random.below(5) };
    for counts in [false, true] {
        let input = TreeInput { counts, limit: Some(limit), ..asked.input() };
        let run =
            |start| block_on(database.engine.tree(TreeInput { start, ..input.clone() })).unwrap();
        let pages = pages(run, None);
        assert!(pages.iter().all(|page| page.nodes.len() <= limit.max(asked.depth)));
        let found = merged(&pages);
        if counts {
            let found: Vec<_> = found.into_iter().map(|(node, items, _)| (node, items)).collect();
            assert_eq!(found, expected, "{asked:?} {limit}");
            let read: u64 = pages.iter().map(|page| page.work.keys_read).sum();
            assert!(read <= (sorted.len() + pages.len()) as u64);
        } else {
            let found: Vec<_> = found.into_iter().map(|(node, ..)| node).collect();
            let expected: Vec<_> = expected.iter().map(|(node, _)| node.clone()).collect();
            assert_eq!(found, expected, "{asked:?} {limit}");
            assert!(pages.iter().all(|page| !page.nodes.is_empty() || page.next.is_none()));
        }
    }
    check_behind_an_entry(database, random, &sorted, asked);
}

/// Whoever begins behind any entry sees what follows it, without the nodes that it lies in.
fn check_behind_an_entry(
    database: &Database,
    random: &mut Random,
    sorted: &[&Item],
    asked: &Asked,
) {
    if sorted.is_empty() {
        return;
    }
    let nth = random.below(sorted.len());
    let names: Vec<&str> = match asked.index {
        None => vec!["pk", "sk"],
        Some("local") => vec!["pk", "sk", "l"],
        Some("global") => vec!["pk", "sk", "h", "l"],
        Some(_) => vec!["pk", "sk", "h", "a", "n", "l"],
    };
    let start = Some(TreePosition::Entry(sorted[nth].retain(|name| names.contains(&name))));
    let found = block_on(database.engine.tree(TreeInput { start, ..asked.input() })).unwrap();
    let known = asked.path(sorted[nth]).unwrap();
    let expected = asked.expected(&sorted[nth + 1..], &known);
    let found: Vec<_> = found.nodes.iter().map(shown).collect();
    assert_eq!(found, expected.into_iter().map(|(node, _)| node).collect::<Vec<_>>(), "{asked:?}");
}

#[test]
fn a_tree_shows_what_grouping_all_items_shows() {
    for seed in 0..18 {
        let random = &mut Random::new(seed);
        let delimiter = DELIMITERS[usize::try_from(seed).unwrap() % DELIMITERS.len()];
        let (database, items) = database(random, delimiter, EngineOptions::default());
        for _ in 0..60 {
            let asked = Asked::random(random, &items, delimiter);
            check(&database, random, &items, &asked);
        }
    }
}

#[test]
fn pages_that_a_profile_makes_short_lose_nothing() {
    let options = EngineOptions { profile: Profile::Hostile, ..EngineOptions::default() };
    let random = &mut Random::new(7);
    let (database, items) = database(random, "#", options);
    let asked = Asked {
        index: None,
        sort: &["sk"],
        fixed: Vec::new(),
        prefix: String::new(),
        delimiter: "#".to_owned(),
        depth: 3,
        backward: false,
    };
    let input = TreeInput { consistent: true, ..asked.input() };
    let run = |start: Option<TreePosition>| loop {
        // It throttles, too.
        database.clock.advance_ms(1000);
        let input = TreeInput { start: start.clone(), ..input.clone() };
        if let Ok(page) = block_on(database.engine.tree(input)) {
            return page;
        }
    };
    let pages = pages(run, None);
    assert!(pages.len() > 1);
    let found: Vec<_> = merged(&pages).into_iter().map(|(node, ..)| node).collect();
    let expected = asked.expected(&asked.sorted(&items), &[]);
    assert_eq!(found, expected.into_iter().map(|(node, _)| node).collect::<Vec<_>>());
}

/// Returns a table of folders with so many items each.
fn filled(folders: usize, items: usize, bytes: usize) -> Database {
    let database = Database::memory(EngineOptions::default());
    database.ok("CreateTable", &definition());
    let filling = "x".repeat(bytes);
    for folder in 0..folders {
        let requests: Vec<_> = (0..items)
            .map(|nth| {
                let sk = format!("{folder:03}#{nth:05}");
                json!({ "PutRequest": { "Item": { "pk": { "S": "p" }, "sk": { "S": sk }, "filling": { "S": filling } } } })
            })
            .collect();
        for requests in requests.chunks(25) {
            database.ok("BatchWriteItem", &json!({ "RequestItems": { "table": requests } }));
        }
    }
    database
}

fn of_partition() -> TreeInput {
    TreeInput {
        table_name: "table".to_owned(),
        partition_key: Item::from_attributes([("pk", "p".into())]),
        ..TreeInput::default()
    }
}

#[test]
fn folders_cost_as_much_as_there_are_folders() {
    let mut costs = Vec::new();
    for items in [50, 500] {
        let database = filled(20, items, 10);
        let tree = block_on(database.engine.tree(of_partition())).unwrap();
        assert_eq!(tree.nodes.len(), 20);
        assert!(tree.next.is_none());
        // Eight entries of each folder, then the next one.
        assert_eq!((tree.work.seeks, tree.work.keys_read), (21, 8 * 20));
        assert!((tree.work.read_units - 1.0).abs() < 0.6, "{}", tree.work.read_units);
        assert_eq!(tree.work.by_client.requests, 21);
        costs.push(tree.work);
        let few = TreeInput { limit: Some(5), ..of_partition() };
        let few = block_on(database.engine.tree(few)).unwrap();
        assert_eq!((few.work.seeks, few.work.keys_read), (6, 8 * 5 + 1));
        let counted = TreeInput { counts: true, ..of_partition() };
        let counted = block_on(database.engine.tree(counted)).unwrap();
        assert_eq!(counted.work.keys_read, 20 * items as u64);
    }
    assert_eq!(costs[0], costs[1], "ten times as many items cost nothing more");
}

#[test]
fn large_items_are_left_after_one() {
    let database = filled(3, 4, 20_000);
    let tree = block_on(database.engine.tree(of_partition())).unwrap();
    assert_eq!((tree.nodes.len(), tree.work.keys_read), (3, 3));
}

#[test]
fn counts_go_on_over_pages_of_a_megabyte() {
    let database = filled(3, 60, 20_000);
    let input = TreeInput { counts: true, ..of_partition() };
    let pages = pages(
        |start| block_on(database.engine.tree(TreeInput { start, ..input.clone() })).unwrap(),
        None,
    );
    assert_eq!(pages.len(), 4);
    assert!(pages[0].nodes.last().unwrap().counts.unwrap().goes_on);
    let merged = merged(&pages);
    assert_eq!(merged.iter().map(|(_, items, _)| *items).collect::<Vec<_>>(), [60, 60, 60]);
    let bytes: u64 = merged.iter().map(|(.., bytes)| bytes).sum();
    let units: f64 = pages.iter().map(|page| page.work.read_units).sum();
    let whole = f64::from(u32::try_from(bytes).unwrap()) / 8192.0;
    assert!((units - whole).abs() < 2.0, "half a unit for each 4 KB: {units}");
}

/// Returns a table with collections of these sizes, in the order of a scan.
fn collections(sizes: &[usize]) -> (Database, Vec<String>) {
    let database = Database::memory(EngineOptions::default());
    database.ok("CreateTable", &definition());
    for (nth, size) in sizes.iter().enumerate() {
        for item in 0..*size {
            let item = json!({ "pk": { "S": format!("p{nth}") }, "sk": { "S": item.to_string() }, "filling": { "S": "x".repeat(100) } });
            database.ok("PutItem", &json!({ "TableName": "table", "Item": item }));
        }
    }
    let mut order: Vec<String> = Vec::new();
    for item in database.ok("Scan", &json!({ "TableName": "table" }))["Items"].as_array().unwrap() {
        let partition = item["pk"]["S"].as_str().unwrap().to_owned();
        if order.last() != Some(&partition) {
            order.push(partition);
        }
    }
    (database, order)
}

#[test]
fn partition_keys_come_in_the_order_of_a_scan() {
    let sizes: Vec<usize> = (0..40).map(|nth| 1 + (nth * 7) % 30).collect();
    let (database, order) = collections(&sizes);
    for (limit, counts) in
        [(1000, false), (1, false), (7, false), (1000, true), (1, true), (7, true)]
    {
        let run = |start| {
            let table_name = "table".to_owned();
            let input = PartitionsInput {
                table_name,
                limit: Some(limit),
                counts,
                start,
                ..PartitionsInput::default()
            };
            block_on(database.engine.partitions(input)).unwrap()
        };
        let pages = pages(run, None);
        let merged = merged(&pages);
        let names: Vec<_> = merged.iter().map(|((_, _, name, _), ..)| name.clone()).collect();
        assert_eq!(names, order);
        if counts {
            for ((_, _, name, _), items, _) in merged {
                let nth: usize = name[1..].parse().unwrap();
                assert_eq!(items, sizes[nth] as u64, "{name}");
            }
        } else {
            let read: u64 = pages.iter().map(|page| page.work.keys_read).sum();
            assert!(read <= (8 * sizes.len() + pages.len()) as u64, "{read}");
        }
    }
}

#[test]
fn the_largest_collections_come_first() {
    let (database, _) = collections(&[3, 50, 1, 20, 9, 20]);
    let input = PartitionsInput {
        table_name: "table".to_owned(),
        largest_first: true,
        limit: Some(2),
        ..PartitionsInput::default()
    };
    let largest = block_on(database.engine.partitions(input)).unwrap();
    assert!(largest.next.is_none(), "the whole table was read");
    let found: Vec<_> =
        largest.nodes.iter().map(|node| (node.name.clone(), node.counts.unwrap().items)).collect();
    assert_eq!(found[0], ("p1".to_owned(), 50));
    assert_eq!((found.len(), found[1].1), (2, 20));
}

#[test]
fn the_largest_of_many_pages_are_complete() {
    // More than a page of 16 MiB, and one collection across its end.
    let database = Database::memory(EngineOptions::default());
    database.ok("CreateTable", &definition());
    let filling = "x".repeat(300_000);
    for (partition, items) in [("a", 10), ("b", 60), ("c", 12)] {
        for nth in 0..items {
            let item = json!({ "pk": { "S": partition }, "sk": { "S": nth.to_string() }, "filling": { "S": filling } });
            database.ok("PutItem", &json!({ "TableName": "table", "Item": item }));
        }
    }
    let input = PartitionsInput {
        table_name: "table".to_owned(),
        largest_first: true,
        limit: Some(1),
        ..PartitionsInput::default()
    };
    let run = |start| {
        block_on(database.engine.partitions(PartitionsInput { start, ..input.clone() })).unwrap()
    };
    let pages = pages(run, None);
    assert_eq!(pages.len(), 2);
    let merged = merged(&pages);
    let b = merged.iter().find(|((_, _, name, _), ..)| name == "b").unwrap();
    assert_eq!(b.1, 60);
}
