//! What may be declared, what becomes of templates with tables and indexes, and what they read.

use super::{BY_STATUS, BY_TOTAL, create, declare, described, fill, memory, refused, without_jobs};
use hashrange_engine::{EngineOptions, TemplateMode};
use hashrange_storage::block_on;
use hashrange_testkit::database::Database;
use serde_json::json;

#[test]
fn templates_that_cannot_be_are_refused() {
    let database = memory();
    create(&database);
    database.ok(
        "CreateTable",
        &json!({
            "TableName": "numbers", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "n", "AttributeType": "N"}],
            "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
        }),
    );
    fill(&database, "GSI1SK = '{a}'");
    for (text, error) in [
        (
            "GSI1PK = '{'",
            "ValidationException: Invalid key template at character 11: a } after the part is expected",
        ),
        (
            "LSI1SK = '{LSI1SK}'",
            "ValidationException: The key template of LSI1SK uses LSI1SK, which is itself derived by a key template: name the attributes that LSI1SK consists of",
        ),
        (
            "LSI1SK = 'x' when attribute_exists(GSI1SK)",
            "ValidationException: The key template of LSI1SK uses GSI1SK, which is itself derived by a key template: name the attributes that GSI1SK consists of",
        ),
    ] {
        assert_eq!(refused(&database, text, TemplateMode::Fill), error);
    }
    let put = |table: &str, text: &str| {
        let declared = block_on(database.engine.put_key_template(table, text, TemplateMode::Fill));
        declared.unwrap_err().to_string()
    };
    assert_eq!(
        put("numbers", "n = '{a}'"),
        "ValidationException: A key template derives a string, and the key attribute n has the type N"
    );
    assert!(put("none", "n = '{a}'").starts_with("ResourceNotFoundException: "));
    // Each of them reads through the item at every write, with its keys held.
    let tests = vec!["contains(a, 'x')"; 160].join(" or ");
    assert_eq!(
        refused(&database, &format!("GSI1SK = 'x' when {tests} or {tests}"), TemplateMode::Fill)
            .split(':')
            .next(),
        Some("ValidationException"),
        "it is too long"
    );
    fill(&database, &format!("GSI1SK = 'x' when {tests}"));
    let error = refused(&database, &format!("LSI1SK = 'x' when {tests}"), TemplateMode::Fill);
    assert!(
        error.starts_with("LimitExceededException: The conditions of a table's key"),
        "{error}"
    );
    fill(&database, "GSI1SK = '{a}'");
    // The other way round: a template that exists uses what a new one derives.
    fill(&database, "GSI1SK = '{pk}'");
    assert_eq!(
        refused(&database, "pk = '{a}'", TemplateMode::Check),
        "ValidationException: The key template of GSI1SK uses pk, which is itself derived by a key \
         template: name the attributes that pk consists of"
    );
    let dropped = block_on(database.engine.delete_key_template("orders", "pk"));
    assert_eq!(
        dropped.unwrap_err().to_string(),
        "ResourceNotFoundException: The table has no key template for the attribute pk"
    );
}

#[test]
fn the_service_describes_the_table_as_before() {
    let database = memory();
    create(&database);
    let before = database.ok("DescribeTable", &json!({"TableName": "orders"}));
    fill(&database, BY_STATUS);
    assert_eq!(database.ok("DescribeTable", &json!({"TableName": "orders"})), before);
}

#[test]
fn templates_are_kept_replaced_and_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::folder(folder.path(), EngineOptions::default());
    create(&database);
    fill(&database, BY_STATUS);
    declare(&database, BY_TOTAL, TemplateMode::Check);
    let known = described(&database);
    assert_eq!(known.iter().map(|it| it.text.as_str()).collect::<Vec<_>>(), [BY_STATUS, BY_TOTAL]);
    database.close();
    let database = Database::folder(folder.path(), EngineOptions::default());
    assert_eq!(described(&database), known);
    fill(&database, "GSI1SK = '{other}'");
    let texts: Vec<_> = described(&database).into_iter().map(|it| it.text).collect();
    assert_eq!(texts, ["GSI1SK = '{other}'", BY_TOTAL]);
    block_on(database.engine.delete_key_template("orders", "GSI1SK")).unwrap();
    assert_eq!(described(&database).len(), 1);
    database.ok("DeleteTable", &json!({"TableName": "orders"}));
    create(&database);
    assert!(described(&database).is_empty());
    database.close();
}

#[test]
fn a_release_without_templates_does_not_open_the_table() {
    let database = Database::memory(without_jobs());
    create(&database);
    let version = || {
        let (_, record) = database.stored(&[1, 1]).pop().unwrap();
        serde_json::from_slice::<serde_json::Value>(&record).unwrap()["version"].clone()
    };
    assert_eq!(version(), 1);
    fill(&database, BY_STATUS);
    assert_eq!(version(), 2);
}

#[test]
fn keys_are_read_by_the_templates_of_their_table() {
    let database = memory();
    create(&database);
    fill(&database, BY_STATUS);
    fill(&database, BY_TOTAL);
    let parse = |attribute: Option<&str>, key: &str| {
        let parsed = block_on(database.engine.parse_key("orders", attribute, key));
        parsed.map_err(|error| error.to_string()).map(|parsed| {
            let parts = parsed.iter().flat_map(|key| {
                key.parts
                    .iter()
                    .map(|part| format!("{}.{}={:?}", key.attribute, part.name, part.value))
            });
            parts.collect::<Vec<_>>()
        })
    };
    assert_eq!(
        parse(None, "OPEN#2026-11-25T07:30:00Z").unwrap(),
        ["GSI1SK.status=S(\"OPEN\")", "GSI1SK.placedAt=S(\"2026-11-25T07:30:00Z\")"]
    );
    assert_eq!(parse(Some("LSI1SK"), "T#999987.49").unwrap(), ["LSI1SK.price=N(12.5)"]);
    assert_eq!(
        parse(Some("GSI1SK"), "T#999987.49").unwrap_err(),
        "ValidationException: No key template of the table reads this key"
    );
    assert_eq!(
        parse(Some("pk"), "a").unwrap_err(),
        "ResourceNotFoundException: The table has no key template for the attribute pk"
    );
}
