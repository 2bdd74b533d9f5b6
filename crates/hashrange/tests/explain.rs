//! What EXPLAIN prints of expressions is what people write: taken as such it is the same expression
//! again, which finds the same items.

use hashrange::explain::{Mode, Step};
use hashrange::json::attribute_value::write_value;
use hashrange::text::Placeholders;
use hashrange::{AttributeValue, Blocking, Database, Operation, create_table, item};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde_json::{Map, Value, json};

fn database() -> Blocking {
    let database = Database::memory().blocking();
    let table = create_table("tab", ("pk", "S"), None);
    database.create_table(table).expect("a table can be created");
    let items = [
        item! { "pk": "1", "a": "x", "b": 1, "first name": "it's" },
        item! { "pk": "2", "a": "xy", "b": 2, "c": { "and": [1, "x"] } },
        item! { "pk": "3", "a": 1, "b": "x", "c": ["x", { "d": 2 }] },
        item! { "pk": "4", "b": true, "c": AttributeValue::string_set(["x", "y"]) },
        item! { "pk": "5", "a": null },
    ];
    for item in items {
        database.put("tab", item).run().expect("an item can be put");
    }
    database
}

/// Returns a request with an expression as people write it.
fn request(member: &str, text: &str) -> Value {
    let mut placeholders = Placeholders::default();
    let rewritten = match member {
        "UpdateExpression" => placeholders.update(text),
        _ => placeholders.expression(text),
    };
    let rewritten = rewritten.unwrap_or_else(|fault| panic!("{text}: {fault}"));
    let mut request = json!({"TableName": "tab", member: rewritten});
    let (names, values) = placeholders.into_parts();
    let names: Map<String, Value> =
        names.into_iter().map(|(placeholder, name)| (placeholder, name.into())).collect();
    let value = |value: &AttributeValue| -> Value {
        let mut json = Vec::new();
        write_value(&mut json, &value.to_value().get());
        serde_json::from_slice(&json).expect("a value is written as JSON")
    };
    let values: Map<String, Value> =
        values.iter().map(|(placeholder, it)| (placeholder.clone(), value(it))).collect();
    if !names.is_empty() {
        request["ExpressionAttributeNames"] = Value::Object(names);
    }
    if !values.is_empty() {
        request["ExpressionAttributeValues"] = Value::Object(values);
    }
    request
}

/// Returns the filter of a scan as EXPLAIN prints it, and what the scan finds; nothing if the filter is
/// refused.
fn printed_and_found(database: &Blocking, filter: &str) -> Option<(String, Value)> {
    let request = request("FilterExpression", filter).to_string();
    let found = database.call(Operation::Scan, request.as_bytes()).ok()?;
    let explained = database.explain(Operation::Scan, request.as_bytes(), Mode::Plan);
    let explained = explained.unwrap_or_else(|error| panic!("{filter}: {error}"));
    let Some(Step::Read(read)) = explained.steps.first() else { panic!("a scan reads") };
    let printed = read.filter.clone().expect("there is a filter");
    Some((printed, serde_json::from_slice(&found).expect("an answer is JSON")))
}

fn path() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a",
        "b",
        "c",
        "pk",
        "`first name`",
        "c.`and`[0]",
        "c[1].d",
        "`between`",
        "`a``b`",
    ])
    .prop_map(str::to_owned)
}

fn literal() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "'x'",
        "'it''s'",
        "1",
        "-1.50e3",
        "true",
        "null",
        "b\"AQI=\"",
        "[1, 'x']",
        "<<'x', 'y'>>",
        "<<2, 1>>",
        "{'a b': {'c': []}}",
        "\"\\n\\\"\\\\\"",
        "'\u{e9}'",
        "''",
    ])
    .prop_map(str::to_owned)
}

fn leaf() -> impl Strategy<Value = String> {
    let comparator = || prop::sample::select(vec!["=", "<>"]);
    let order = prop::sample::select(vec!["<", "<=", ">", ">="]);
    prop_oneof![
        (path(), comparator(), literal()).prop_map(|(path, is, it)| format!("{path} {is} {it}")),
        (literal(), comparator(), path()).prop_map(|(it, is, path)| format!("{it} {is} {path}")),
        (path(), order, prop::sample::select(vec!["1", "'x'", "b"]))
            .prop_map(|(path, order, it)| format!("size({path}) {order} {it}")),
        path().prop_map(|path| format!("{path} BETWEEN 'a' AND 'y'")),
        (path(), literal(), literal()).prop_map(|(it, one, two)| format!("{it} IN ({one}, {two})")),
        path().prop_map(|path| format!("attribute_exists({path})")),
        path().prop_map(|path| format!("attribute_not_exists({path})")),
        path().prop_map(|path| format!("attribute_type({path}, 'S')")),
        path().prop_map(|path| format!("begins_with({path}, 'x')")),
        (path(), literal()).prop_map(|(path, it)| format!("contains({path}, {it})")),
    ]
}

/// A condition, and whether it is joined of others, so that it needs parentheses inside one.
fn condition() -> impl Strategy<Value = (String, bool)> {
    let enclosed = |(text, is_joined): (String, bool)| {
        if is_joined { format!("({text})") } else { text }
    };
    leaf().prop_map(|text| (text, false)).prop_recursive(4, 20, 3, move |inner| {
        let joined = |word: &'static str| {
            prop::collection::vec(inner.clone(), 2..4).prop_map(move |parts| {
                let parts: Vec<_> = parts.into_iter().map(enclosed).collect();
                (parts.join(word), true)
            })
        };
        prop_oneof![
            joined(" AND "),
            joined(" OR "),
            inner.clone().prop_map(move |part| (format!("NOT {}", enclosed(part)), true)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_printed_condition_is_the_condition((filter, _) in condition()) {
        let database = database();
        if let Some((printed, found)) = printed_and_found(&database, &filter) {
            let again = printed_and_found(&database, &printed);
            prop_assert_eq!(again, Some((printed, found)), "{}", filter);
        }
    }
}

#[test]
fn most_conditions_of_the_property_are_accepted() {
    let database = database();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut accepted = 0;
    for _ in 0..100 {
        let (filter, _) = condition().new_tree(&mut runner).expect("a condition").current();
        accepted += usize::from(printed_and_found(&database, &filter).is_some());
    }
    assert!(accepted > 60, "{accepted} of 100");
}

#[test]
fn a_printed_update_is_the_update() {
    let cases = [
        "SET a = 1, c.d[0] = `first name` REMOVE b, `set` ADD n -1.5, tags <<'x'>> DELETE old <<1>>",
        "SET n = if_not_exists(n, 0) + 1, m = m - 2, l = list_append(if_not_exists(l, []), [1])",
        "ADD n 1 SET a = if_not_exists(b, {'c': null}) REMOVE d[1]",
        "REMOVE a, b[0].c",
    ];
    let database = database();
    for text in cases {
        let printed = |text: &str| {
            let mut request = request("UpdateExpression", text);
            request["Key"] = json!({"pk": {"S": "none"}});
            let body = request.to_string();
            let explained = database.explain(Operation::UpdateItem, body.as_bytes(), Mode::Plan);
            let explained = explained.unwrap_or_else(|error| panic!("{text}: {error}"));
            let Some(Step::Write(write)) = explained.steps.first() else { panic!("it writes") };
            write.update.clone().expect("there is an update")
        };
        let once = printed(text);
        assert_eq!(printed(&once), once, "{text}");
        assert_eq!(once, text, "as it was written");
    }
}
