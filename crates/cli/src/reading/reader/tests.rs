//! The reader reads the same items from every form in which a list of them is written.

use super::*;
use crate::format::item::Notation;
use crate::output::plain;
use flate2::Compression;
use flate2::write::GzEncoder;
use hashrange_testkit::random::Random;
use hashrange_testkit::wire_item;
use serde_json::json;
use std::io::Write;
use std::path::Path;

fn keys(name: &str) -> TableKeys {
    TableKeys::described(json!({
        "KeySchema": [{"AttributeName": name, "KeyType": "HASH"}],
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": "S"},
            {"AttributeName": "sold", "AttributeType": "N"},
        ],
    }))
}

/// Returns the items of a file with their lines, and the fault at the end.
fn read(path: &Path, form: Option<Form>, key: &str) -> (Vec<(u64, Value)>, Option<String>) {
    let mut plan = Plan::of(&keys(key), vec![Source::File(path.to_owned())]);
    plan.form = form;
    let mut events = start(plan, Arc::default()).unwrap();
    let mut items = Vec::new();
    while let Some(event) = events.blocking_recv() {
        match event {
            Event::Item(entry, _) => {
                items.push((entry.place.line, serde_json::from_str(&entry.item).unwrap()));
            }
            Event::Bad(place, reason, _) => return (items, Some(format!("{place}: {reason}"))),
            Event::Failed(place, error) => return (items, Some(format!("{place}: {error:#}"))),
            Event::NextPageMissing => return (items, Some(NEXT_PAGE_MISSING.to_owned())),
        }
    }
    (items, None)
}

/// Returns the texts that a list of items is written as, each with the name of a file.
fn written(items: &[WireItem], is_plain: bool) -> Vec<(String, String)> {
    let each = |write: &dyn Fn(&WireItem) -> String| items.iter().map(write).collect::<Vec<_>>();
    let ddb = each(&|item| Value::Object(item.clone()).to_string());
    let mut forms = vec![
        ("item", each(&|item| Notation::Item.item(item))),
        ("ddb", ddb),
        ("export", each(&|item| json!({ "Item": item }).to_string())),
        ("pretty", each(&|item| serde_json::to_string_pretty(item).expect("an object"))),
    ];
    if is_plain {
        forms.push(("plain", each(&plain::item)));
    }
    let mut files = Vec::new();
    for (form, texts) in forms {
        let list = texts.join(",\n");
        let puts: Vec<_> =
            texts.iter().map(|text| format!(r#"{{"PutRequest": {{"Item": {text}}}}}"#)).collect();
        let (puts, count) = (puts.join(", "), texts.len());
        let mut add = |shape: &str, text: String| files.push((format!("{form}-{shape}"), text));
        add("lines", texts.join("\n"));
        add("list", format!("[{list}]"));
        add("side-by-side", texts.join(" "));
        if form != "export" {
            add("answer", format!("{{\"Count\":{count},\"Items\":[{list}],\"ScannedCount\":1}}"));
            add(
                "cli",
                format!(
                    "{{\n    \"Items\": [\n{list}\n    ],\n    \"Count\": {count},\n\"ScannedCount\": 9\n}}\n"
                ),
            );
            add("requests", format!("{{\"Orders\": [{puts}]}}"));
            add("input", format!("{{\n\"RequestItems\": {{\n\"Orders\": [{puts}]}}\n}}"));
        }
        if form != "pretty" {
            files.push((format!("{form}.jsonl"), texts.join("\r\n")));
        }
    }
    let mut columns: Vec<Column> = items.iter().flat_map(csv::columns_of).collect();
    columns.sort();
    columns.dedup();
    let rows = items.iter().map(|item| csv::text(&columns, item));
    let rows: Vec<_> = std::iter::once(csv::header(&columns)).chain(rows).collect();
    files.push(("items.csv".to_owned(), rows.join("\r\n")));
    files
}

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

/// Reads items in every form, packed and not, and compares.
fn check(items: &[WireItem], key: &str, is_plain: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    // As they are read: numbers and sets in one form.
    let kept = |item: &WireItem| {
        let text = Notation::Item.item(item);
        let read = crate::literal::item(&text).expect("an item");
        let again = read_item(Form::Item, &Notation::Item.item(&read), 1).expect("an item");
        Value::Object(again)
    };
    let expected: Vec<Value> = items.iter().map(kept).collect();
    for (name, text) in written(items, is_plain) {
        for (name, bytes) in [(name.clone(), text.clone().into()), (name + ".gz", packed(&text))] {
            let path = folder.path().join(&name);
            std::fs::write(&path, bytes).expect("written");
            let (found, fault) = read(&path, None, key);
            assert_eq!(fault, None, "{name}: {text}");
            let found: Vec<Value> =
                found.iter().map(|(_, item)| kept(item.as_object().expect("an object"))).collect();
            assert_eq!(found, expected, "{name}: {text}");
        }
    }
}

#[test]
fn items_are_the_same_in_every_form() {
    let mut random = Random::new(17);
    for round in 0..30_u64 {
        // Names of members around items are names of keys, too.
        let key = *random.pick(&["pk", "Item", "Items", "Count", "PutRequest", "S", "a b"]);
        let items: Vec<WireItem> = (0..=round % 4)
            .map(|nth| {
                let mut item = wire_item::item(&mut random);
                item.insert(key.to_owned(), json!({ "S": format!("{round} {nth}") }));
                item
            })
            .collect();
        check(&items, key, false);
    }
    let plain = [
        json!({"pk": {"S": "a"}, "n": {"N": "12345678901234567890123456789012345678"}}),
        json!({"pk": {"S": "b"}, "Items": {"L": [{"M": {"S": {"S": "x"}}}]}, "sold": {"N": "1"}}),
    ];
    let plain: Vec<_> = plain.iter().filter_map(Value::as_object).cloned().collect();
    check(&plain, "pk", true);
}

#[test]
fn each_item_tells_its_form_by_the_key() {
    let cases = [
        (r#"{"Item":"a","n":{"S":"x"}}"#, r#"{"Item":{"S":"a"},"n":{"M":{"S":{"S":"x"}}}}"#),
        (r#"{"Item":{"S":"a"}}"#, r#"{"Item":{"S":"a"}}"#),
        (r#"{"Item":{"Item":{"S":"a"}}}"#, r#"{"Item":{"S":"a"}}"#),
        ("{Item:'a'}", r#"{"Item":{"S":"a"}}"#),
        // Without the key, as the one before it.
        (r#"{"pk":"a"}"#, r#"{"pk":{"S":"a"}}"#),
        (r#"{"pk":{"S":"a"}}"#, r#"{"pk":{"M":{"S":{"S":"a"}}}}"#),
        (r#"{"Item":{"S":"a"}}"#, r#"{"Item":{"S":"a"}}"#),
        (r#"{"pk":{"S":"a"}}"#, r#"{"pk":{"S":"a"}}"#),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("items");
    let lines: Vec<_> = cases.iter().map(|(line, _)| *line).collect();
    std::fs::write(&path, lines.join("\n")).unwrap();
    let (found, fault) = read(&path, None, "Item");
    assert_eq!(fault, None);
    for (nth, (line, expected)) in cases.iter().enumerate() {
        let expected: Value = serde_json::from_str(expected).unwrap();
        assert_eq!(found[nth], (nth as u64 + 1, expected), "{line}");
    }
}

#[test]
fn a_fault_inside_an_item_of_several_lines_tells_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("items");
    for (form, text, expected) in [
        (
            None,
            "[\n{\"pk\":\"a\"},\n{\"pk\":\n \"b\" 1}]",
            "line 3: the item: expected `,` or `}` in line 4, character 6, not '1'",
        ),
        (
            Some(Form::Ddb),
            "[\n{\"pk\":{\"S\":\"a\"}},\n{\"pk\":\n {\"S\" \"b\"}}]",
            "line 3: the item is no JSON: expected `:` in line 4, byte 7",
        ),
        (
            None,
            "[{\"pk\":\"a\"},1]",
            "line 1, item 2: the item: expected `{` at character 1, not '1'",
        ),
        (
            None,
            "[{\"pk\":\"a\"},{\"pk\":\"\u{0}\"}]",
            "line 1, item 2: the item: expected text with",
        ),
        (
            None,
            "[{\"pk\":\"a\"}",
            "line 1, item 2: the file ends inside the value that begins in line 1",
        ),
    ] {
        std::fs::write(&path, text).unwrap();
        let (found, fault) = read(&path, form, "pk");
        assert_eq!(found.len(), 1, "{text}");
        let fault = fault.unwrap();
        assert!(fault.starts_with(expected), "{fault}");
    }
}

#[test]
fn keys_of_indexes_have_their_type_in_csv() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("items.csv");
    std::fs::write(&path, "pk,sold,x\na,1,1\n").unwrap();
    let expected = json!({"pk": {"S": "a"}, "sold": {"N": "1"}, "x": {"S": "1"}});
    assert_eq!(read(&path, None, "pk"), (vec![(2, expected)], None));
}
