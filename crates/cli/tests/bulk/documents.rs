//! Whatever form items are written in, `import`, `put` and `serve --load` read the same.

use super::served::{Server, text};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;

const ITEMS: [&str; 3] = [
    r#"{"pk":{"S":"a"},"n":{"N":"12345678901234567890123456789012345678"}}"#,
    r#"{"pk":{"S":"b"},"Items":{"L":[{"M":{"S":{"S":"x"}}}]}}"#,
    r#"{"pk":{"S":"c é\n\"]}"}}"#,
];
const PLAIN: [&str; 3] = [
    r#"{"pk":"a","n":12345678901234567890123456789012345678}"#,
    r#"{"pk":"b","Items":[{"S":"x"}]}"#,
    r#"{"pk":"c é\n\"]}"}"#,
];
const CSV: &str = "pk,n:N,Items:L\r\na,12345678901234567890123456789012345678,\r\n\
                   b,,\"[{S:'x'}]\"\r\n\"c é\n\"\"]}\",,\r\n";

/// Returns files with the same items, by the names of tables.
fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = vec![("csv.csv".to_owned(), CSV.as_bytes().to_vec())];
    for (form, items) in [("ddb", ITEMS), ("plain", PLAIN)] {
        let list = items.join(",\n");
        let puts = items.map(|item| format!("{{\"PutRequest\":{{\"Item\":{item}}}}}")).join(",");
        for (shape, text) in [
            ("lines.jsonl", items.join("\n")),
            ("lines.json", items.join("\n")),
            ("list.json", format!("[{list}]")),
            ("pretty.json", items.map(|item| item.replace(",\"", ",\n  \"")).join("\n")),
            ("scan.json", format!("{{\"Items\":[\n{list}],\n\"Count\":3,\"ScannedCount\":3}}")),
            ("batch.json", format!("{{\"other\":[{puts}]}}")),
        ] {
            let name = format!("{form}-{}", shape.replace(".jsonl", "l.jsonl"));
            files.push((name, text.into_bytes()));
        }
    }
    let packed = files.iter().map(|(name, text)| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).expect("memory takes it");
        (format!("packed-{name}.gz"), encoder.finish().expect("memory takes it"))
    });
    let packed: Vec<_> = packed.collect();
    files.extend(packed);
    files
}

#[test]
fn import_put_and_load_read_the_same_items() {
    let folder = tempfile::tempdir().unwrap();
    let items = folder.path().join("items");
    fs::create_dir(&items).unwrap();
    let files = files();
    let table = |name: &str| name.split('.').next().unwrap().to_owned();
    let definitions = files.iter().map(|(name, bytes)| {
        fs::write(items.join(name), bytes).unwrap();
        let table = table(name);
        format!(
            "{{\"TableName\":\"{table}\",\"BillingMode\":\"PAY_PER_REQUEST\",\
             \"AttributeDefinitions\":[{{\"AttributeName\":\"pk\",\"AttributeType\":\"S\"}}],\
             \"KeySchema\":[{{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"}}]}}"
        )
    });
    let definitions: Vec<_> = definitions.collect();
    let init = folder.path().join("tables.json");
    fs::write(&init, definitions.join("\n")).unwrap();
    let server = Server::start(&["--init", text(&init), "--load", text(&items)]);
    server.create("expected");
    server.run(&["import", "expected"], ITEMS.join("\n").as_bytes()).printed();
    let expected = server.items("expected");
    assert_eq!(expected.len(), 3);
    for (nth, (name, bytes)) in files.iter().enumerate() {
        assert_eq!(server.items(&table(name)), expected, "{name} loaded");
        let imported = format!("imported-{nth}");
        server.create(&imported);
        let told = server.run(&["import", &imported, text(&items.join(name))], b"").printed();
        assert_eq!(told, format!("3 items into {imported}, 3 write units\n"), "{name}");
        assert_eq!(server.items(&imported), expected, "{name} imported");
        // Standard input has no name that tells CSV.
        if !name.contains(".csv") {
            let put = format!("put-{nth}");
            server.create(&put);
            server.run(&["put", &put], bytes).printed();
            assert_eq!(server.items(&put), expected, "{name} put");
        }
    }
}

#[test]
fn a_page_without_the_next_one_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let page = |name: &str, pk: &str, next: &str| {
        let path = folder.path().join(name);
        let answer = format!("{{\"Items\":[{{\"pk\":{{\"S\":\"{pk}\"}}}}],\"Count\":1{next}}}");
        fs::write(&path, answer).unwrap();
        text(&path).to_owned()
    };
    let of_scan = page("scan.json", "1", ",\"LastEvaluatedKey\":{\"pk\":{\"S\":\"1\"}}");
    let of_cli = page("cli.json", "2", ",\n\"NextToken\":\"eyJ9\"");
    let last = page("last.json", "3", ",\"LastEvaluatedKey\":null");
    let missing = "hashrange: the last answer that was read names a next page, which was not \
                   read\n";
    let server = Server::start(&[]);
    server.create("tab");
    let cases = [
        (vec![&of_scan], missing),
        (vec![&of_cli], missing),
        (vec![&last, &of_cli], missing),
        (vec![&of_scan, &of_cli, &last], ""),
    ];
    for (files, told) in cases {
        let mut arguments = vec!["import", "tab"];
        arguments.extend(files.iter().map(|file| file.as_str()));
        let found = server.run(&arguments, b"");
        assert_eq!((found.code, found.stderr.as_str()), (0, told), "{files:?}");
    }
    let both = [fs::read(&of_scan).unwrap(), fs::read(&last).unwrap()].concat();
    assert_eq!(server.run(&["put", "tab"], &both).stderr, "");
}

#[test]
fn a_list_goes_on_at_the_line_that_was_said() {
    let server = Server::start(&[]);
    server.create("tab");
    let with =
        |bad: &str| format!("{{\"Items\": [\n{{\"pk\":\"1\"}},\n{bad},\n{{\"pk\":\"3\"}}\n]}}");
    let found = server.run(&["import", "tab"], with("{\"pk\":\"2\", n:}").as_bytes());
    let expected = "hashrange: line 3: the item: expected a value at character 14, not '}'\n\
                    1 item is in; go on with --from-line 3\n";
    assert_eq!((found.code, found.stderr.as_str()), (2, expected));
    let rest = with("{\"pk\":\"2\", n:2}");
    let told = server.run(&["import", "tab", "--from-line=3"], rest.as_bytes()).printed();
    assert_eq!(told, "2 items into tab, 2 write units\n");
    let told = server.run(&["import", "tab", "--skip-bad"], with("1").as_bytes());
    assert_eq!(told.stdout, "2 items into tab, 1 item skipped, 2 write units\n");
}
