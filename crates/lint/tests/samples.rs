//! The samples of Hashrange are good designs, whose spoiled twins are in the tests of the command.

mod designs;

use designs::item;
use hashrange_lint::{Item, Source, SourceKind, Table, lint};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn source(kind: SourceKind, name: &str, described: &Value) -> Source {
    let of_type = |wanted: &str| {
        let elements = described["KeySchema"].as_array().unwrap().iter();
        let elements = elements.filter(|element| element["KeyType"] == wanted);
        elements.map(|element| element["AttributeName"].as_str().unwrap().to_owned()).collect()
    };
    Source { kind, name: name.to_owned(), partition: of_type("HASH"), sort: of_type("RANGE") }
}

fn table(definition: &Value) -> Table {
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
        let table = table(&serde_json::from_str(&read("table.json")).unwrap());
        let items: Vec<Item> = read("items.jsonl").lines().map(api_item).collect();
        let findings = lint(&table, &items, &[]);
        assert!(findings.is_empty(), "{name}: {findings:#?}");
    }
}
