//! What goes out comes back in: the same items in every form that loses nothing.

use super::served::{Server, run, text};
use flate2::Compression;
use flate2::write::GzEncoder;
use hashrange_testkit::random::Random;
use hashrange_testkit::wire_item;
use serde_json::json;
use std::io::Write;

/// Items of all types, with what some form has to be careful with.
const ITEMS: &str = r#"{"Item":{"pk":{"S":"all"},"s":{"S":"a\"b,\n\r\t\u0001é😀"},"empty":{"S":""},"n":{"N":"-1.5E-100"},"big":{"N":"12345678901234567890123456789012345678"},"b":{"B":"AQI="},"none":{"B":""},"tab":{"BOOL":true},"f":{"BOOL":false},"null":{"NULL":true},"ss":{"SS":["<<","a,\"b"]},"ns":{"NS":["1","-2.5"]},"bs":{"BS":["","AQ=="]},"l":{"L":[{"N":"1"},{"L":[]},{"SS":["x"]},{"M":{" ":{"B":"AA=="}}}]},"m":{"M":{"k y":{"NULL":true},"q\"":{"NS":["7"]}}}}}
{"Item":{"pk":{"S":"same name, other type"},"s":{"N":"1"},"n":{"S":"1"},"a:S":{"S":"x"},"a,b":{"S":"y"},"﻿x":{"S":"z"}}}
{"Item":{"pk":{"S":"﻿"},"Item":{"M":{"S":{"S":"x"}}}}}
{"Item":{"pk":{"S":" "},"S":{"S":""},"deep":{"L":[{"L":[{"L":[{"L":[{"L":[{"L":[{"L":[{"L":[{"M":{"x":{"BS":["AQ=="]}}}]}]}]}]}]}]}]}]}}}
"#;

#[test]
fn import_of_export_is_the_identity() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    server.create("first");
    let told = server.run(&["import", "first"], ITEMS.as_bytes()).printed();
    assert_eq!(told, "4 items into first, 4 write units\n");
    let expected = server.items("first");
    assert_eq!(expected.len(), 4);
    assert!(expected.iter().all(|line| line.starts_with("{\"Item\":{")), "{expected:?}");
    for name in ["items.jsonl", "items.csv", "items.ddb", "items.gz", "items.csv.gz"] {
        let file = folder.path().join(name);
        let form: &[&str] = if name.ends_with("ddb") { &["--format=ddb"] } else { &[] };
        let table = name.replace('.', "-");
        server.create(&table);
        let export = [&["export", "first", text(&file)], form].concat();
        let told = server.run(&export, b"").printed();
        assert_eq!(told, format!("4 items from first to {}\n", file.display()));
        let told = server.run(&["import", &table, text(&file)], b"").printed();
        assert_eq!(told, format!("4 items into {table}, 4 write units\n"));
        assert_eq!(server.items(&table), expected, "{name}");
    }
    for form in ["item", "ddb", "csv"] {
        let table = format!("piped-{form}");
        server.create(&table);
        let format = format!("--format={form}");
        let exported = server.run(&["export", "first", &format, "--segments=1"], b"");
        assert_eq!(exported.stderr, "4 items from first\n");
        server.run(&["import", &table, &format], exported.stdout.as_bytes()).printed();
        assert_eq!(server.items(&table), expected, "{form}");
    }
    server.create("lossy");
    let plain = server.run(&["export", "first", "--format=json"], b"").printed();
    server.run(&["import", "lossy", "--format=json"], plain.as_bytes()).printed();
    assert_ne!(server.items("lossy"), expected, "JSON has no sets");
}

#[test]
fn import_of_export_is_the_identity_for_random_items() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new(3);
    let lines = numbered(700, |n| {
        let mut item = wire_item::item(&mut random);
        item.insert("pk".to_owned(), json!({ "S": n.to_string() }));
        format!("{}\n", json!({ "Item": item }))
    });
    server.create("random");
    server.run(&["import", "random"], lines.as_bytes()).printed();
    let expected = server.items("random");
    assert_eq!(expected.len(), 700);
    for form in ["item", "ddb", "csv"] {
        let file = folder.path().join(form);
        let format = format!("--format={form}");
        server.create(form);
        server.run(&["export", "random", text(&file), &format], b"").printed();
        server.run(&["import", form, text(&file), &format], b"").printed();
        let found = server.items(form);
        let differs = expected.iter().zip(&found).find(|(one, other)| one != other);
        assert_eq!(differs, None, "{form}");
        assert_eq!(found.len(), 700, "{form}");
    }
}

#[test]
fn every_item_gets_in_and_out_by_many_batches_and_segments() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    server.create("many");
    let lines = numbered(2000, |n| format!("{{pk:'{n}',n:{n}}}\n"));
    let told = server.run(&["import", "many", "--in-flight=16"], lines.as_bytes()).printed();
    assert_eq!(told, "2000 items into many, 2000 write units\n");
    let file = folder.path().join("items");
    for segments in ["1", "4", "256"] {
        server.run(&["export", "many", text(&file), "--segments", segments], b"").printed();
        let written = std::fs::read_to_string(&file).unwrap();
        let mut found: Vec<usize> = written.lines().map(number_of).collect();
        found.sort_unstable();
        assert_eq!(found, (0..2000).collect::<Vec<_>>(), "{segments}");
    }
}

fn numbered(count: usize, line: impl FnMut(usize) -> String) -> String {
    let lines: Vec<String> = (0..count).map(line).collect();
    lines.concat()
}

fn number_of(line: &str) -> usize {
    let (_, number) = line.split_once("\"n\":").unwrap();
    number.split(['}', ',']).next().unwrap().parse().unwrap()
}

#[test]
fn of_lines_with_one_key_the_last_stays() {
    let server = Server::start(&[]);
    server.create("keys");
    let mut random = Random::new(5);
    let mut last = std::collections::BTreeMap::new();
    let mut lines = Vec::new();
    for n in 0..1000 {
        let key = random.below(40);
        last.insert(key, n);
        lines.push(format!("{{pk:'{key}',n:{n}}}\n"));
    }
    let told = server.run(&["put", "keys"], lines.concat().as_bytes()).printed();
    assert!(
        told.starts_with(
            "1000 lines, 40 items into keys, 960 lines have the key of an earlier one (first: line "
        ) && told.ends_with("), 1000 write units\n"),
        "{told}"
    );
    let found = server.items("keys");
    assert_eq!(found.len(), last.len());
    for (key, n) in last {
        let line = format!("{{\"Item\":{{\"n\":{{\"N\":\"{n}\"}},\"pk\":{{\"S\":\"{key}\"}}}}}}");
        assert!(found.contains(&line), "{key}: {n}");
    }
}

#[test]
fn what_others_wrote_is_read() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(b"{\"Item\":{\"pk\":{\"S\":\"a\"},\"n\":{\"NS\":[\"1\",\"2\"]}}}\n").unwrap();
    let exported = file("x.json.gz", &packed.finish().unwrap());
    let bare = file("bare.json", b"{\"pk\":{\"S\":\"b\"}}\r\n\r\n{\"pk\":{\"S\":\"c\"}}");
    let sheet = file(
        "sheet.csv",
        b"\xef\xbb\xbfpk,n,when,tags\r\nd,1,,\r\n\"e\r\nf\",2.50,\"\",\"[\"\"x\"\"]\"\r\n",
    );
    server.create("table");
    let import = ["import", "table", &exported, &bare, &sheet, "--schema=n:N,tags:SS"];
    assert_eq!(server.run(&import, b"").printed(), "5 items into table, 5 write units\n");
    let expected = [
        r#"{"Item":{"n":{"N":"1"},"pk":{"S":"d"}}}"#,
        r#"{"Item":{"n":{"N":"2.5"},"pk":{"S":"e\r\nf"},"tags":{"SS":["x"]},"when":{"S":""}}}"#,
        r#"{"Item":{"n":{"NS":["1","2"]},"pk":{"S":"a"}}}"#,
        r#"{"Item":{"pk":{"S":"b"}}}"#,
        r#"{"Item":{"pk":{"S":"c"}}}"#,
    ];
    let found: Vec<serde_json::Value> =
        server.items("table").iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in expected {
        assert!(found.contains(&serde_json::from_str(line).unwrap()), "{line} of {found:?}");
    }
}

#[test]
fn csv_without_a_header_and_with_other_delimiters_is_read() {
    let server = Server::start(&[]);
    server.create("tab");
    let import = |flags: &[&str], input: &str| {
        let arguments = [&["import", "tab", "--format=csv"], flags].concat();
        server.run(&arguments, input.as_bytes()).printed()
    };
    let told = import(&["--header=pk,n:N,note"], "a,1,x\nb,2,\n");
    assert_eq!(told, "2 items into tab, 2 write units\n");
    let told = import(&["--delimiter=;"], "pk;n:N;note;;\nc;3;1,5;;\n\"d;d\";4;;;\n");
    assert_eq!(told, "2 items into tab, 2 write units\n");
    let told = import(&["--delimiter=tab", "--header=pk,n:N"], "e\t5\ne\t6\t\t\n");
    assert_eq!(
        told,
        "2 lines, 1 item into tab, 1 line has the key of an earlier one (first: line 2), 2 write units\n"
    );
    let expected = [
        r#"{"n":{"N":"1"},"note":{"S":"x"},"pk":{"S":"a"}}"#,
        r#"{"n":{"N":"2"},"pk":{"S":"b"}}"#,
        r#"{"n":{"N":"3"},"note":{"S":"1,5"},"pk":{"S":"c"}}"#,
        r#"{"n":{"N":"4"},"pk":{"S":"d;d"}}"#,
        r#"{"n":{"N":"6"},"pk":{"S":"e"}}"#,
    ];
    let mut found: Vec<serde_json::Value> =
        server.items("tab").iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    found.sort_by_key(|line| line["Item"]["pk"]["S"].to_string());
    let expected = expected.map(|item| serde_json::from_str::<serde_json::Value>(item).unwrap());
    assert_eq!(found.iter().map(|line| line["Item"].clone()).collect::<Vec<_>>(), expected);
}

#[test]
fn a_folder_takes_and_gives_items_without_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let local = |arguments: &[&str], input: &str| {
        let mut command = super::served::hashrange();
        command.args(arguments).args(["--data-dir", text(&data)]);
        run(command, input.as_bytes()).printed()
    };
    assert_eq!(local(&["create", "tab", "pk:N", "--ttl=e", "--gsi=idx=a:S"], ""), "created tab\n");
    let lines = numbered(500, |n| format!("{{pk:{n},a:'x'}}\n"));
    assert_eq!(local(&["import", "tab"], &lines), "500 items into tab, 1000 write units\n");
    let out = folder.path().join("out");
    assert!(local(&["export", "tab", text(&out)], "").starts_with("500 items from tab to "));
    assert_eq!(std::fs::read_to_string(&out).unwrap().lines().count(), 500);
    assert_eq!(local(&["drop", "tab", "--yes"], ""), "dropped tab with 500 items\n");
}
