//! The tables of a simulation, and the values in requests.

use super::server::Server;
use super::things::{RANK, RANK_TEMPLATE};
use hashrange_wire::Operation;
use serde_json::{Map, Value as Json, json};

pub(super) const ACCOUNTS: &str = "accounts";
/// The global index of `accounts`.
pub(super) const BY_NAME: &str = "by-name";
/// An index that the client which uses it creates and deletes.
pub(super) const PASSING: &str = "passing";
pub(super) const RECEIPTS: &str = "receipts";
/// The global index of `receipts`, whose key is derived by a template.
pub(super) const BY_LABEL: &str = "by-label";
pub(super) const THINGS: &str = "things";
/// The global index of `things`, whose key is derived by a template that stays.
pub(super) const BY_RANK: &str = "by-rank";
pub(super) const VALUES: &str = "values";

/// Creates all tables; `accounts` has a sort key and an index with the same keys, `receipts` an
/// index of labels, `things` has a stream, expires by the attribute `until` and has an index of ranks.
pub(super) async fn create(server: &Server) {
    for table in [ACCOUNTS, RECEIPTS, THINGS, VALUES] {
        let mut definition = json!({
            "TableName": table, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        });
        if table == ACCOUNTS {
            definition.as_object_mut().expect("it is one").extend(account_keys());
        }
        if table == RECEIPTS {
            add_index(&mut definition, BY_LABEL, "label");
        }
        if table == THINGS {
            add_index(&mut definition, BY_RANK, RANK);
            definition["StreamSpecification"] =
                json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"});
        }
        server.insist(Operation::CreateTable, &definition).await;
    }
    server.insist_on_template(THINGS, RANK_TEMPLATE).await;
    let expires = json!({"Enabled": true, "AttributeName": "until"});
    let request = json!({"TableName": THINGS, "TimeToLiveSpecification": expires});
    server.insist(Operation::UpdateTimeToLive, &request).await;
    loop {
        let request = json!({"TableName": THINGS});
        let described = server.insist(Operation::DescribeTimeToLive, &request).await;
        if described["TimeToLiveDescription"]["TimeToLiveStatus"] == "ENABLED" {
            return;
        }
        server.sleep(10).await;
    }
}

/// Adds a global index of one attribute to the definition of a table.
fn add_index(definition: &mut Json, index: &str, attribute: &str) {
    let attributes = definition["AttributeDefinitions"].as_array_mut();
    let indexed = json!({"AttributeName": attribute, "AttributeType": "S"});
    attributes.expect("they are some").push(indexed);
    definition["GlobalSecondaryIndexes"] = json!([{
        "IndexName": index, "Projection": {"ProjectionType": "ALL"},
        "KeySchema": [{"AttributeName": attribute, "KeyType": "HASH"}],
    }]);
}

fn account_keys() -> Map<String, Json> {
    let names = ["pk", "name"];
    let types = names.map(|name| json!({"AttributeName": name, "AttributeType": "S"}));
    let key = json!([
        {"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "name", "KeyType": "RANGE"},
    ]);
    let index =
        json!({"IndexName": BY_NAME, "KeySchema": key, "Projection": {"ProjectionType": "ALL"}});
    let members = [
        ("AttributeDefinitions", json!(types)),
        ("KeySchema", key),
        ("GlobalSecondaryIndexes", json!([index])),
    ];
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Returns the key of an item.
pub(super) fn key(name: &str) -> Json {
    json!({"pk": {"S": name}})
}

/// Returns a number as an attribute value.
pub(super) fn n(number: impl std::fmt::Display) -> Json {
    json!({"N": number.to_string()})
}

/// Returns the number in an attribute value, if it is one.
pub(super) fn number(value: &Json) -> Option<u64> {
    value["N"].as_str().map(|digits| digits.parse().expect("a whole number"))
}

/// Returns the items of an answer of Scan or Query.
pub(super) fn items(page: &Json) -> &[Json] {
    assert_eq!(page.get("LastEvaluatedKey"), None, "the table fits one page");
    page["Items"].as_array().map_or(&[], Vec::as_slice)
}

/// Returns all items of a table.
pub(super) async fn scan(server: &Server, table: &str) -> Vec<Json> {
    let request = json!({"TableName": table, "ConsistentRead": true});
    items(&server.insist(Operation::Scan, &request).await).to_vec()
}
