//! The linter as a check of pull requests: baselines, ignores, reports of other tools, exit codes, exports.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

mod served;

use serde_json::{Value, json};
use served::hashrange;
use std::fs;
use std::path::Path;

const DESIGN: &str = r#"{
    "TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
}"#;

/// Runs the linter on the design and an export in a folder, with more arguments.
fn lint(folder: &Path, more: &[&str]) -> (i32, String) {
    let (design, export) = (folder.join("design.json"), folder.join("AWSDynamoDB"));
    let mut command = hashrange(&["lint", "--design"]);
    command.arg(design).arg("--export").arg(export).args(more).current_dir(folder);
    let output = command.output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap(), told)
}

/// Writes a design and an export of a table whose versions are not padded.
fn exported() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("design.json"), DESIGN).unwrap();
    let data = folder.path().join("AWSDynamoDB/01700000000000-abc/data");
    fs::create_dir_all(&data).unwrap();
    fs::write(data.parent().unwrap().join("manifest-files.json"), "{}").unwrap();
    let line = |nth: u32| {
        let item =
            json!({"pk": {"S": "DOC#7"}, "sk": {"S": format!("v_{nth}")}, "by": {"S": "ann"}});
        json!({ "Item": item }).to_string()
    };
    let lines: Vec<String> = (1..13).map(line).collect();
    fs::write(data.join("a.json"), lines.join("\n")).unwrap();
    folder
}

#[test]
fn an_export_is_checked_and_exit_codes_follow_the_severity() {
    let folder = exported();
    let (code, told) = lint(folder.path(), &[]);
    assert_eq!(code, 5, "{told}");
    assert!(told.contains("orders: 12 of 12 items") && told.contains("unpadded-number"), "{told}");
    for (arguments, expected) in [
        (&["--fail-on", "error"][..], 0),
        (&["--fail-on", "never"], 0),
        (&["--fail-on", "suggestion"], 5),
        (&["--severity", "error"], 5),
    ] {
        assert_eq!(lint(folder.path(), arguments).0, expected, "{arguments:?}");
    }
    let unused = DESIGN.replace(
        r#"{"AttributeName": "pk", "AttributeType": "S"},"#,
        r#"{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "x", "AttributeType": "S"},"#,
    );
    fs::write(folder.path().join("design.json"), unused).unwrap();
    let output =
        hashrange(&["lint", "--design", "design.json"]).current_dir(&folder).output().unwrap();
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn a_baseline_and_ignores_with_reasons_leave_out_what_is_known() {
    let folder = exported();
    lint(folder.path(), &["--write-baseline", "known.jsonl"]);
    let (code, told) = lint(folder.path(), &["--baseline", "known.jsonl"]);
    assert_eq!(code, 0, "{told}");
    assert!(told.contains("1 of the baseline are not shown"), "{told}");
    let ignores = folder.path().join("ignores.toml");
    fs::write(
        &ignores,
        "[[ignore]]\nrule = 'unpadded-number'\ntable = 'orders'\nreason = 'ten at most'\n",
    )
    .unwrap();
    let (code, told) = lint(folder.path(), &["--ignores", "ignores.toml"]);
    assert_eq!(code, 0, "{told}");
    assert!(told.contains("1 of unpadded-number ignored: ten at most"), "{told}");
    fs::write(&ignores, "[[ignore]]\nrule = 'mixed-case'\nreason = 'old'\n").unwrap();
    let (code, told) = lint(folder.path(), &["--ignores", "ignores.toml"]);
    assert_eq!(code, 5);
    assert!(told.contains("mixed-case is ignored, and not found any more: old"), "{told}");
    for (text, why) in [
        ("[[ignore]]\nrule = 'mixed-case'\n", "missing field `reason`"),
        (
            "[[ignore]]\nrule = 'mixed-case'\nreason = ' '\n",
            "mixed-case is ignored without a reason",
        ),
        ("[[ignore]]\nrul = 'mixed-case'\nreason = 'x'\n", "unknown field `rul`"),
    ] {
        fs::write(&ignores, text).unwrap();
        let (_, told) = lint(folder.path(), &["--ignores", "ignores.toml"]);
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn reports_of_other_tools_have_the_findings() {
    let folder = exported();
    lint(folder.path(), &["--sarif", "found.sarif", "--junit", "found.xml"]);
    let sarif = fs::read_to_string(folder.path().join("found.sarif")).unwrap();
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(
        (&result["ruleId"], &result["level"]),
        (&json!("unpadded-number"), &json!("warning"))
    );
    let location = &result["locations"][0];
    let uri = location["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
    assert!(uri.starts_with("file:///") && uri.ends_with("/design.json"), "{uri}");
    let xml = fs::read_to_string(folder.path().join("found.xml")).unwrap();
    assert!(xml.contains(r#"<testsuite name="hashrange lint" tests="1" failures="1">"#), "{xml}");
    assert!(xml.contains(r#"<testcase classname="unpadded-number" name="orders, sk">"#), "{xml}");
}
