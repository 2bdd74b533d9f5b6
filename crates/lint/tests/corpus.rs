//! Designs as real applications have them: bad ones are told by their rule, good ones by none. The
//! samples of Hashrange are good; their spoiled twins are in the tests of the command.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod designs;

use designs::{item, table};
use hashrange_lint::{Finding, Item, Source, SourceKind, Table, lint};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A design: a definition, items, and the rules that its keys break.
#[derive(Debug)]
struct Design {
    name: String,
    table: Table,
    items: Vec<Item>,
    expected: Vec<String>,
}

impl Design {
    /// Reads a design: a line about it, then a line for each item.
    fn read(name: &str, text: &str) -> Self {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let head: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
        let expected = head["expect"].as_array().unwrap().iter();
        Self {
            name: name.to_owned(),
            table: table(head["create"].as_str().unwrap()),
            items: lines.map(|line| item(&serde_json::from_str(line).unwrap())).collect(),
            expected: expected.map(|rule| rule.as_str().unwrap().to_owned()).collect(),
        }
    }
}

/// Rules that may be told besides the expected one.
const ALSO: [(&str, &str, &str); 0] = [];

fn designs(folder: &str) -> Vec<Design> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder);
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap();
        Design::read(name, &fs::read_to_string(path).unwrap())
    };
    paths.iter().map(read).collect()
}

fn found(design: &Design) -> Vec<Finding> {
    lint(&design.table, &design.items, &[])
}

fn line(table: &mut String, design: &Design, what: &str, findings: &[&Finding]) {
    writeln!(table, "{:40} {what}", design.name).unwrap();
    for finding in findings {
        let attribute = finding.attribute.as_deref().unwrap_or("");
        writeln!(
            table,
            "    {} ({attribute}) {} {:?}",
            finding.rule, finding.evidence, finding.examples
        )
        .unwrap();
    }
}

/// Bad designs that the linter does not tell, and why.
const MISSED: [(&str, &str); 2] = [
    ("products-renamed-category", "keys of brands in the same index have another form"),
    ("series-episodes", "S1E9 looks like a code of letters and digits"),
];

#[test]
fn findings_of_keys_name_the_items_that_show_them() {
    for design in designs("bad") {
        for finding in found(&design) {
            if finding.rule.id() == "unused-attribute" {
                assert!(finding.items.is_empty(), "{finding:?}");
                continue;
            }
            assert!((1..=2).contains(&finding.items.len()), "{}: {finding:?}", design.name);
            assert!(finding.items.iter().all(|nth| *nth < design.items.len()));
            let attribute = finding.attribute.as_ref().unwrap();
            let has = |nth: &usize| design.items[*nth].contains_key(attribute);
            assert!(finding.items.iter().all(has), "{}: {finding:?}", design.name);
        }
    }
}

#[test]
fn bad_designs_are_told_by_their_rule_only() {
    let mut failures = String::new();
    for design in designs("bad") {
        if design.expected.iter().any(|rule| rule.starts_with("other:")) {
            continue;
        }
        let findings = found(&design);
        let rules: BTreeSet<&str> = findings.iter().map(|finding| finding.rule.id()).collect();
        for rule in &design.expected {
            let is_missed = MISSED.iter().any(|(name, _)| *name == design.name);
            assert!(!is_missed || !rules.contains(&rule[..]), "{} is told now", design.name);
            if !is_missed && !rules.contains(&rule[..]) {
                line(&mut failures, &design, &format!("misses {rule}"), &[]);
            }
        }
        let is_other = |finding: &&Finding| {
            let rule = finding.rule.id();
            let may_be = ALSO.iter().any(|(name, also, _)| *name == design.name && *also == rule);
            !may_be && !design.expected.iter().any(|expected| expected == rule)
        };
        let others: Vec<&Finding> = findings.iter().filter(is_other).collect();
        if !others.is_empty() {
            line(&mut failures, &design, "has others", &others);
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

#[test]
fn nothing_is_found_in_good_designs() {
    let mut failures = String::new();
    for design in designs("good") {
        let findings = found(&design);
        if !findings.is_empty() {
            line(&mut failures, &design, "", &findings.iter().collect::<Vec<_>>());
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

fn source(kind: SourceKind, name: &str, described: &Value) -> Source {
    let of_type = |wanted: &str| {
        let elements = described["KeySchema"].as_array().unwrap().iter();
        let elements = elements.filter(|element| element["KeyType"] == wanted);
        elements.map(|element| element["AttributeName"].as_str().unwrap().to_owned()).collect()
    };
    Source { kind, name: name.to_owned(), partition: of_type("HASH"), sort: of_type("RANGE") }
}

fn defined(definition: &Value) -> Table {
    let name = definition["TableName"].as_str().unwrap().to_owned();
    let mut sources = vec![source(SourceKind::Table, &name, definition)];
    for (kind, member) in [
        (SourceKind::Local, "LocalSecondaryIndexes"),
        (SourceKind::Global, "GlobalSecondaryIndexes"),
    ] {
        let indexes = definition[member].as_array().into_iter().flatten();
        sources
            .extend(indexes.map(|index| source(kind, index["IndexName"].as_str().unwrap(), index)));
    }
    Table { name, definitions: Vec::new(), sources }
}

/// Reads an item in the API's JSON.
fn api_item(line: &str) -> Item {
    let value: Value = serde_json::from_str(line).unwrap();
    let plain = value.as_object().unwrap().iter().filter_map(|(name, value)| {
        let number = |text: &Value| serde_json::from_str(text.as_str().unwrap()).unwrap();
        let plain = value.get("S").cloned().or_else(|| value.get("N").map(number))?;
        Some((name.clone(), plain))
    });
    item(&plain.collect())
}

#[test]
fn nothing_is_found_in_the_samples() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/data");
    for name in ["audits", "chat", "devices", "documents", "orders", "projects"] {
        let read = |file: &str| fs::read_to_string(folder.join(name).join(file)).unwrap();
        let table = defined(&serde_json::from_str(&read("table.json")).unwrap());
        let items: Vec<Item> = read("items.jsonl").lines().map(api_item).collect();
        let findings = lint(&table, &items, &[]);
        assert!(findings.is_empty(), "{name}: {findings:#?}");
    }
}
