//! The parts of keys by name: in trees, which a template divides, and in what EXPLAIN tells of ranges.

use super::{create, fill, memory, put};
use hashrange_engine::{Mode, Step, TreeInput, TreeNode};
use hashrange_model::{AttributeValue, Item};
use hashrange_storage::block_on;
use hashrange_testkit::database::Database;
use serde_json::json;

/// Returns a table whose global index has keys of a template with two delimiters, and of another kind.
fn database() -> Database {
    let database = memory();
    create(&database);
    fill(
        &database,
        r#"GSI1SK = "{status}|{placed:iso:day}/{n:pad:3}" when n IS NOT MISSING else "NOTE#{status}#x""#,
    );
    for (sk, status, placed, n) in [
        ("1", "OPEN", "2026-11-24", Some("7")),
        ("2", "OPEN", "2026-11-25", Some("1")),
        ("3", "OPEN", "2026-11-25", Some("2")),
        ("4", "a#b", "2026-11-25", Some("3")),
        ("5", "OPEN", "2026-11-25", None),
    ] {
        let mut item = json!({
            "pk": {"S": "p"}, "sk": {"S": sk}, "GSI1PK": {"S": "all"},
            "status": {"S": status}, "placed": {"S": placed},
        });
        if let Some(n) = n {
            item["n"] = json!({ "N": n });
        }
        put(&database, &item);
    }
    database
}

fn tree(database: &Database, input: TreeInput) -> Vec<TreeNode> {
    let input = TreeInput {
        table_name: "orders".to_owned(),
        index_name: Some("global".to_owned()),
        partition_key: Item::from_attributes([("GSI1PK", AttributeValue::from("all"))]),
        ..input
    };
    block_on(database.engine.tree(input)).unwrap().nodes
}

fn shown(nodes: &[TreeNode]) -> Vec<String> {
    let value = |value: &AttributeValue| match value {
        AttributeValue::N(number) => number.to_string(),
        other => other.as_str().unwrap().to_owned(),
    };
    let parts = |node: &TreeNode| -> Vec<String> {
        node.parts.iter().map(|part| format!(" {}={}", part.name, value(&part.value))).collect()
    };
    nodes
        .iter()
        .map(|node| format!("{} {}{}", node.level, node.name, parts(node).concat()))
        .collect()
}

#[test]
fn a_tree_is_divided_by_the_template() {
    let database = database();
    let all = [
        "1 NOTE#",
        "2 OPEN#x status=OPEN",
        "3  status=OPEN",
        "1 OPEN| status=OPEN",
        "2 2026-11-24/ status=OPEN placed=2026-11-24",
        "3 007 status=OPEN placed=2026-11-24 n=7",
        "2 2026-11-25/ status=OPEN placed=2026-11-25",
        "3 001 status=OPEN placed=2026-11-25 n=1",
        "3 002 status=OPEN placed=2026-11-25 n=2",
        "1 a#b| status=a#b",
        "2 2026-11-25/ status=a#b placed=2026-11-25",
        "3 003 status=a#b placed=2026-11-25 n=3",
    ];
    for counts in [false, true] {
        let input = TreeInput { depth: Some(3), counts, ..TreeInput::default() };
        assert_eq!(shown(&tree(&database, input)), all, "counts: {counts}");
    }
    let below = TreeInput { prefix: Some("OPEN|2026".to_owned()), ..TreeInput::default() };
    assert_eq!(shown(&tree(&database, below)), [all[4], all[6]].map(|it| it.replacen('2', "1", 1)));
    // A delimiter that is said divides as it does without a template.
    let delimiter = TreeInput { delimiter: Some("#".to_owned()), ..TreeInput::default() };
    assert_eq!(
        shown(&tree(&database, delimiter)),
        [
            "1 NOTE#",
            "1 OPEN|2026-11-24/007 status=OPEN placed=2026-11-24 n=7",
            "1 OPEN|2026-11-25/001 status=OPEN placed=2026-11-25 n=1",
            "1 OPEN|2026-11-25/002 status=OPEN placed=2026-11-25 n=2",
            "1 a#",
        ]
    );
}

#[test]
fn a_range_tells_the_parts_of_its_keys() {
    let database = database();
    for (condition, expected) in [
        ("begins_with(GSI1SK, :v)", Some("status = 'OPEN' AND placed = '2026-11-25'")),
        ("GSI1SK = :v", None),
        ("GSI1SK > :v", None),
    ] {
        let request = json!({
            "TableName": "orders", "IndexName": "global",
            "KeyConditionExpression": format!("GSI1PK = :p AND {condition}"),
            "ExpressionAttributeValues": {":p": {"S": "all"}, ":v": {"S": "OPEN|2026-11-25/00"}},
        });
        let body = request.to_string();
        let told = database.explain("Query", body.as_bytes(), Mode::Plan).unwrap();
        let [Step::Read(read)] = &told.steps[..] else { panic!("{told:?}") };
        let parts: Vec<_> = read.ranges.iter().map(|range| range.parts.as_deref()).collect();
        assert_eq!(parts, [expected], "{condition}");
        assert_eq!(told.text().contains("\n  parts "), expected.is_some(), "{}", told.text());
    }
}
