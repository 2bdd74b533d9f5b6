//! Differences of designs: what is told of each change.

use hashrange_design::difference::{Effect, compare};
use hashrange_design::plan::{Facet, TablePlan};
use serde_json::{Value, json};

fn plan() -> TablePlan {
    let key = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
    let attribute = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
    let request = json!({"TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [attribute("pk"), attribute("sk"), attribute("status")],
        "KeySchema": [key("pk", "HASH"), key("sk", "RANGE")],
        "LocalSecondaryIndexes": [{"IndexName": "local", "KeySchema": [key("pk", "HASH"), key("status", "RANGE")],
            "Projection": {"ProjectionType": "ALL"}}],
        "GlobalSecondaryIndexes": [{"IndexName": "by-status", "KeySchema": [key("status", "HASH"), key("sk", "RANGE")],
            "Projection": {"ProjectionType": "ALL"}}]});
    let Value::Object(request) = request else { panic!("{request}") };
    TablePlan {
        name: "orders".to_owned(),
        request,
        templates: vec!["sk = \"ORDER#{id}\"".to_owned()],
        item_count: Some(1000),
        item_bytes: Some(1_500_000),
        facets: vec![Facet {
            name: "Order".to_owned(),
            partition: "USER#{user}".to_owned(),
            sort: Some("ORDER#{id}".to_owned()),
            attributes: vec!["id".to_owned(), "user".to_owned()],
            rows: Vec::new(),
        }],
        ..TablePlan::default()
    }
}

type Edit = Box<dyn Fn(&mut TablePlan)>;

/// Returns the edit that replaces a part of the request.
fn set(pointer: &'static str, value: Value) -> Edit {
    Box::new(move |plan: &mut TablePlan| {
        let mut request = Value::Object(plan.request.clone());
        *request.pointer_mut(pointer).expect(pointer) = value.clone();
        let Value::Object(request) = request else { panic!("{request}") };
        plan.request = request;
    })
}

/// Returns edits of a plan, each with the beginning of what is told of it.
fn edits() -> Vec<(Edit, &'static str)> {
    vec![
        (Box::new(|_| {}), ""),
        (
            set("/KeySchema/1/AttributeName", json!("status")),
            "key: pk:S, sk:S -> pk:S, status:S; **a new table**, at most 2,000 write units; the service changes no key and no \
             local index of a table: create a table and copy the items",
        ),
        (
            set("/AttributeDefinitions/1/AttributeType", json!("N")),
            "key: pk:S, sk:S -> pk:S, sk:N; **a new table**",
        ),
        (
            set("/LocalSecondaryIndexes/0/Projection/ProjectionType", json!("KEYS_ONLY")),
            "local index local: pk:S, status:S; all attributes -> pk:S, status:S; keys only; **a new table**",
        ),
        (
            set(
                "/GlobalSecondaryIndexes/0/Projection",
                json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": ["b", "a"]}),
            ),
            "index by-status: status:S, sk:S; all attributes -> status:S, sk:S; keys and a, b; in the background, at most \
             2,000 write units; the service changes no key and no attributes of an index",
        ),
        (
            set("/GlobalSecondaryIndexes", json!([])),
            "index by-status: status:S, sk:S; all attributes -> -; in place; requests that read it fail",
        ),
        (
            Box::new(|plan: &mut TablePlan| {
                plan.request.remove("BillingMode");
                let units = json!({"ReadCapacityUnits": 5, "WriteCapacityUnits": 6});
                plan.request.insert("ProvisionedThroughput".to_owned(), units);
            }),
            "billing: on demand -> provisioned; in place; a table changes to on demand",
        ),
        (
            Box::new(|plan: &mut TablePlan| plan.time_to_live = Some("expires".to_owned())),
            "time to live: - -> by expires; in place",
        ),
        (
            Box::new(|plan: &mut TablePlan| plan.templates = vec!["sk = \"O#{id}\"".to_owned()]),
            "template of sk: sk = \"ORDER#{id}\" -> sk = \"O#{id}\"; in the background, at most 2,000 write units; writes the",
        ),
        (
            Box::new(|plan: &mut TablePlan| {
                plan.facets[0].sort = Some("O#{id}".to_owned());
                "total".clone_into(&mut plan.facets[0].attributes[0]);
            }),
            "items Order: USER#{user} / ORDER#{id} -> USER#{user} / O#{id}; with total; without id",
        ),
    ]
}

#[test]
fn each_change_has_what_it_takes() {
    for (edit, expected) in edits() {
        let mut after = plan();
        edit(&mut after);
        let found = compare(&[plan()], &[after]);
        let changes = found.tables.iter().flat_map(|table| &table.changes);
        let texts: Vec<String> = changes
            .map(|it| {
                let side = |side: &Option<String>| side.clone().unwrap_or_else(|| "-".to_owned());
                format!("{}: {} -> {}; {}", it.part, side(&it.before), side(&it.after), it.takes())
            })
            .collect();
        if expected.is_empty() {
            assert!(texts.is_empty() && found.is_empty(), "{texts:?}");
        } else {
            assert!(texts[0].starts_with(expected), "{}\n{expected}", texts[0]);
        }
    }
}

#[test]
fn a_new_index_is_filled_and_order_says_nothing() {
    let mut before = plan();
    before.request.remove("GlobalSecondaryIndexes");
    before.item_count = None;
    let mut after = plan();
    let definitions = after.request["AttributeDefinitions"].as_array_mut().expect("a list");
    definitions.reverse();
    let found = compare(&[before], &[after]);
    let [change] = &found.tables[0].changes[..] else { panic!("{found:?}") };
    assert_eq!(change.effect, Effect::Writes { most: None });
    assert_eq!(
        found.to_markdown(),
        "1 table changed; writes in the background, of unknown number.\n\n### orders\n\n\
         | part | before | after | what it takes |\n|---|---|---|---|\n\
         | index by-status | - | status:S, sk:S; all attributes | in the background, an unknown number of write units |\n\n"
    );
}

/// The report writes cells whole: two long texts may differ only at their ends.
#[test]
fn cells_are_as_long_as_what_they_say() {
    let with = |last: &str| {
        let mut names: Vec<String> = (10..40).map(|nth| format!("attribute{nth}")).collect();
        names.push(last.to_owned());
        let mut plan = plan();
        plan.request["GlobalSecondaryIndexes"][0]["Projection"] =
            json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": names});
        plan
    };
    let text = compare(&[with("is_old")], &[with("is_new")]).to_markdown();
    assert!(text.contains("attribute39, is_old |"), "{text}");
    assert!(text.contains("attribute39, is_new |"), "{text}");
}

/// Encryption with a key of the account has several forms; another key is a change.
#[test]
fn encryption_that_means_the_same_is_no_change() {
    let with = |encryption: Value| {
        let mut plan = plan();
        plan.request.insert("SSESpecification".to_owned(), encryption);
        plan
    };
    let same = [
        json!({"Enabled": true}),
        json!({"SSEType": "KMS"}),
        json!({"Enabled": true, "SSEType": "KMS"}),
        json!({"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "alias/aws/dynamodb"}),
    ];
    for one in &same {
        let found = compare(&[with(one.clone())], &[with(same[0].clone())]);
        assert!(found.is_empty(), "{one}: {found:?}");
        let found = compare(&[with(one.clone())], &[plan()]);
        assert_eq!(found.tables[0].changes[0].before.as_deref(), Some("KMS"), "{one}");
    }
    for none in [json!({}), json!({"Enabled": false})] {
        assert!(compare(&[with(none.clone())], &[plan()]).is_empty(), "{none}");
    }
    let key = json!({"SSEType": "KMS", "KMSMasterKeyId": "alias/shop"});
    let found = compare(&[with(same[0].clone())], &[with(key)]);
    assert_eq!(found.tables[0].changes[0].after.as_deref(), Some("KMS, alias/shop"));
}

#[test]
fn tables_come_and_go_and_names_are_no_markup() {
    let mut other = plan();
    other.name = "a|b".to_owned();
    let text = compare(&[plan()], &[other]).to_markdown();
    assert!(
        text.starts_with(
            "1 table added, 1 table removed.\n\n### a\\|b (added)\n\n- key: pk:S, sk:S\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("### orders (removed)\n\n- key: pk:S, sk:S\n- local index local: "),
        "{text}"
    );
    assert_eq!(compare(&[], &[]).to_markdown(), "The designs are the same.\n");
}
