//! Designs as a whole on the command line: forms of other tools, differences, coverage, studies of exports.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

mod served;

use serde_json::{Value, json};
use served::hashrange;
use std::fs;
use std::path::Path;

/// Returns a design with most of what a table can have.
fn design(with_all: bool) -> Value {
    let key = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
    let attribute = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
    let mut request = json!({"TableName": "shop", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [attribute("pk"), attribute("sk"), attribute("g")],
        "KeySchema": [key("pk", "HASH"), key("sk", "RANGE")],
        "LocalSecondaryIndexes": [{"IndexName": "local", "KeySchema": [key("pk", "HASH"), key("g", "RANGE")],
            "Projection": {"ProjectionType": "KEYS_ONLY"}}],
        "GlobalSecondaryIndexes": [{"IndexName": "by-g", "KeySchema": [key("g", "HASH"), key("sk", "RANGE")],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "b"]}}]});
    if with_all {
        request["StreamSpecification"] =
            json!({"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"});
        request["DeletionProtectionEnabled"] = json!(true);
        request["TimeToLiveSpecification"] = json!({"AttributeName": "until", "Enabled": true});
        request["SSESpecification"] = json!({"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "arn:aws:kms:us-east-1:123456789012:key/own"});
        request["Tags"] = json!([{"Key": "team", "Value": "a: \"b\" # c"}]);
        let several = json!({"IndexName": "several", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [key("g", "HASH"), key("pk", "HASH"), key("sk", "RANGE")]});
        request["GlobalSecondaryIndexes"].as_array_mut().unwrap().push(several);
    }
    request
}

/// Runs a command in a folder; returns its code and what it printed.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = hashrange(arguments).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn ok(folder: &Path, arguments: &[&str]) -> String {
    let (code, stdout, stderr) = run(folder, arguments);
    assert_eq!(code, 0, "{arguments:?}\n{stdout}{stderr}");
    stdout
}

#[test]
fn every_form_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (with_all, forms) in [
        (
            true,
            &[("terraform", "tf"), ("cloudformation", "yaml"), ("cloudformation-json", "json")][..],
        ),
        (false, &[("workbench", "json"), ("terraform", "tf")]),
    ] {
        fs::write(folder.join("first.json"), design(with_all).to_string()).unwrap();
        for (form, extension) in forms {
            let file = format!("{form}.{extension}");
            let text = ok(folder, &["design", "write", "--as", form, "--from", "first.json"]);
            fs::write(folder.join(&file), &text).unwrap();
            let told = ok(folder, &["design", "diff", "first.json", &file]);
            assert_eq!(told, "The designs are the same.\n", "{form}\n{text}");
            let again = ok(folder, &["design", "write", "--as", form, "--from", &file]);
            assert_eq!(again, text, "{form}");
        }
    }
    fs::write(folder.join("first.json"), design(true).to_string()).unwrap();
    let model = run(folder, &["design", "write", "--as", "workbench", "--from", "first.json"]);
    assert_eq!(
        (model.0, model.2.contains("not written of shop: the index several, because a model")),
        (0, true),
        "{}",
        model.2
    );
    assert!(model.1.contains("\"by-g\"") && !model.1.contains("\"several\""), "{}", model.1);
}

#[test]
fn a_model_keeps_its_items_in_facets() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let key = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
    let item = |pk: &str, sk: &str, kind: &str| json!({"pk": {"S": pk}, "sk": {"S": sk}, "type": {"S": kind}});
    let model = json!({"ModelName": "m", "DataModel": [{"TableName": "shop",
        "KeyAttributes": {"PartitionKey": key("pk"), "SortKey": key("sk")},
        "TableFacets": [{"FacetName": "User", "TableData": [item("USER#1", "PROFILE", "User")]}],
        "TableData": [item("USER#1", "ORDER#1", "Order"), item("USER#1", "ORDER#2", "Order"), item("USER#1", "PROFILE", "User")]}]});
    fs::write(folder.join("m.json"), model.to_string()).unwrap();
    let text =
        ok(folder, &["design", "write", "--as", "workbench", "--items", "10", "--from", "m.json"]);
    let written: Value = serde_json::from_str(&text).unwrap();
    let table = &written["DataModel"][0];
    let facets = table["TableFacets"].as_array().unwrap();
    let told: Vec<_> = facets
        .iter()
        .map(|it| (it["FacetName"].as_str().unwrap(), it["TableData"].as_array().unwrap().len()))
        .collect();
    assert_eq!((told, &table["TableData"]), (vec![("Order", 2), ("User", 1)], &json!([])));
    fs::write(folder.join("again.json"), &text).unwrap();
    let told = ok(folder, &["design", "diff", "m.json", "again.json"]);
    assert_eq!(told, "The designs are the same.\n");
}

#[test]
fn terraform_is_linted_and_served() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("first.json"), design(true).to_string()).unwrap();
    let text = ok(folder, &["design", "write", "--as", "terraform", "--from", "first.json"]);
    fs::write(folder.join("t.tf"), &text).unwrap();
    let told = ok(folder, &["lint", "--design", "t.tf"]);
    assert!(told.starts_with("shop: 0 items of sample data"), "{told}");
    fs::write(folder.join("bad.tf"), text.replace("\"shop\"\n", "var.name\n")).unwrap();
    let (code, _, stderr) = run(folder, &["lint", "--design", "bad.tf"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("bad.tf: line 2: shop: name: `var.name` is a variable"), "{stderr}");
}

#[test]
fn a_change_is_told_with_what_it_takes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("old.json"), design(false).to_string()).unwrap();
    let mut new = design(false);
    new["KeySchema"][1]["AttributeName"] = json!("g");
    fs::write(folder.join("new.json"), new.to_string()).unwrap();
    let told = ok(folder, &["design", "diff", "old.json", "new.json"]);
    assert!(told.starts_with("1 table changed; **1 change needs a new table**."), "{told}");
    let plain = ok(folder, &["design", "diff", "old.json", "new.json", "-o", "json"]);
    let plain: Value = serde_json::from_str(&plain).unwrap();
    assert_eq!(plain["Tables"][0]["Changes"][0]["Effect"]["Kind"], "NEW_TABLE");
}

#[test]
fn a_designers_table_is_covered_and_becomes_a_contract() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("shop.json"), design(false).to_string()).unwrap();
    fs::write(
        folder.join("p.csv"),
        "Id,Access pattern,Index,Key condition,Filter\nA1,a user,,pk = USER#1 AND sk = PROFILE,\n\
         A2,open,by-g,g = OPEN,total > 1\n",
    )
    .unwrap();
    let arguments = ["coverage", "shop.json", "--patterns", "p.csv", "--save-contract", "c.json"];
    let told = ok(folder, &arguments);
    assert!(told.contains("| A1: a user | Query | **key range** |"), "{told}");
    assert!(told.contains("- **A2: open**: its entries have no total"), "{told}");
    assert_eq!(ok(folder, &["coverage", "shop.json", "--contract", "c.json"]), told);
    fs::write(folder.join("p.csv"), "name,keys\nx,a like b\n").unwrap();
    let (code, _, stderr) = run(folder, &arguments[..4]);
    assert_eq!(code, 2);
    assert!(
        stderr.contains("p.csv, line 2, column keys: \"a like b\" is no condition"),
        "{stderr}"
    );
}

/// Writes an export as the service does: a manifest, and compressed lines in a folder of their own.
fn exported(folder: &Path) {
    let data = folder.join("AWSDynamoDB/01700000000000-abc/data");
    fs::create_dir_all(&data).unwrap();
    let summary = json!({"tableArn": "arn:aws:dynamodb:us-east-1:314159265358:table/shop/x"});
    fs::write(data.parent().unwrap().join("manifest-summary.json"), summary.to_string()).unwrap();
    let mut lines = Vec::new();
    for user in ["alex", "<b>bob</b>"] {
        let pk = json!({"S": format!("USER#{user}")});
        lines.push(json!({"Item": {"pk": pk, "sk": {"S": "PROFILE"}, "name": {"S": user}}}));
        for nth in 1..13 {
            let sk = json!({"S": format!("ORDER#{nth}")});
            lines.push(json!({"Item": {"pk": pk, "sk": sk, "no": {"N": nth.to_string()}, "name": {"S": user}}}));
        }
    }
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    fs::write(data.join("a.json"), lines.join("\n")).unwrap();
}

#[test]
fn an_export_is_studied_on_one_page() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    exported(folder);
    fs::write(
        folder.join("p.md"),
        "| Pattern | Keys |\n|-|-|\n| orders | pk = USER#1, begins_with(sk, ORDER#) |\n",
    )
    .unwrap();
    let (code, _, stderr) = run(folder, &["study", "AWSDynamoDB"]);
    assert_eq!(
        (code, stderr.contains("an export does not say the key of its table")),
        (2, true),
        "{stderr}"
    );
    let study = ["study", "AWSDynamoDB", "--key", "pk:S,sk:S", "--patterns", "p.md"];
    let told = ok(folder, &[&study[..], &["--out", "shop.html"]].concat());
    assert!(told.starts_with("shop: 26 items, 2 kinds, 2 templates, "), "{told}");
    let page = fs::read_to_string(folder.join("shop.html")).unwrap();
    for present in [
        "<h1>The table shop</h1>",
        "USER#{name}",
        "unpadded-number",
        "key range (best)",
        "USER#&lt;b&gt;bob&lt;/b&gt;",
        "<h3>Prices</h3>",
    ] {
        assert!(page.contains(present), "{present}");
    }
    assert!(!page.contains("<b>bob"));
    let plain = ok(folder, &[&study[..], &["-o", "json"]].concat());
    let plain: Value = serde_json::from_str(&plain).unwrap();
    assert_eq!(plain["Entities"]["Items"], 26);
    assert_eq!(plain["Coverage"]["Rows"][0]["Cells"][0]["Answer"], "KEY");
    // With a wrong key items are lost, which is told.
    let (code, stdout, stderr) = run(folder, &["study", "AWSDynamoDB", "--key", "pk:S"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let kept: u64 = stdout.split([':', ' ']).find_map(|word| word.parse().ok()).unwrap();
    let lost = format!("{} items of the export have the key of another one", 26 - kept);
    assert!(stderr.contains(&lost), "{stdout}{stderr}");
    // A file with the design beside the items says as much as --key.
    let items = folder.join("plain");
    fs::create_dir(&items).unwrap();
    fs::write(
        items.join("t.tf"),
        "resource \"aws_dynamodb_table\" \"things\" {\n name = \"things\"\n hash_key = \"id\"\n\
        billing_mode = \"PAY_PER_REQUEST\"\n attribute {\n  name = \"id\"\n  type = \"S\"\n }\n}\n",
    )
    .unwrap();
    fs::write(items.join("items.jsonl"), "{\"id\": \"a\"}\n{\"id\": \"b\"}\n").unwrap();
    assert!(ok(folder, &["study", "plain"]).starts_with("things: 2 items, 1 kind, 0 templates, "));
}
