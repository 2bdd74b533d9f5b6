//! A test: every operation on items passes the stations of its pipe, all of them, in their order.

use super::{PartitionsInput, RulerInput, TreeInput};
use crate::engine::Engine;
use crate::environment::Environment;
use crate::options::EngineOptions;
use crate::profile::Profile;
use crate::stations::{Station, passed};
use hashrange_model::Item;
use hashrange_storage::{MemoryStore, block_on};
use hashrange_wire::Operation;
use serde_json::{Value, json};
use std::sync::Arc;

const STATIONS: [Station; 5] =
    [Station::Gate, Station::Admission, Station::View, Station::Run, Station::Event];

fn engine(profile: Profile) -> Engine<MemoryStore> {
    let environment = Environment {
        now_ms: Arc::new(|| 1_700_000_000_000),
        random: Arc::new(|| 7),
        region: "us-east-1".to_owned(),
        account: "000000000000".to_owned(),
        endpoint: "localhost:8000".to_owned(),
        sweep_interval: None,
        prices: None,
    };
    let options = EngineOptions { profile, table_delay_ms: Some(0), ..EngineOptions::default() };
    let engine = block_on(Engine::open_with(MemoryStore::new(), environment, options)).unwrap();
    let table = json!({
        "TableName": "items", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    });
    block_on(engine.call(Operation::CreateTable, table.to_string().as_bytes())).unwrap();
    engine
}

/// Each operation on items with a request, in an order in which all succeed.
fn requests() -> Vec<(Operation, Value)> {
    let key = json!({"pk": {"S": "a"}, "sk": {"S": "b#c"}});
    let statement = |text: &str| json!({"Statement": text});
    let select = "SELECT * FROM items WHERE pk = 'a' AND sk = 'b#c'";
    let update = "UPDATE items SET n = 1 WHERE pk = 'a' AND sk = 'b#c'";
    vec![
        (Operation::PutItem, json!({"TableName": "items", "Item": key})),
        (Operation::UpdateItem, json!({"TableName": "items", "Key": key})),
        (
            Operation::BatchWriteItem,
            json!({"RequestItems": {"items": [{"PutRequest": {"Item": key}}]}}),
        ),
        (
            Operation::TransactWriteItems,
            json!({"TransactItems": [{"Put": {"TableName": "items", "Item": key}}]}),
        ),
        (Operation::GetItem, json!({"TableName": "items", "Key": key})),
        (
            Operation::Query,
            json!({
                "TableName": "items", "KeyConditionExpression": "pk = :v",
                "ExpressionAttributeValues": {":v": {"S": "a"}},
            }),
        ),
        (Operation::Scan, json!({"TableName": "items"})),
        (Operation::BatchGetItem, json!({"RequestItems": {"items": {"Keys": [key]}}})),
        (
            Operation::TransactGetItems,
            json!({"TransactItems": [{"Get": {"TableName": "items", "Key": key}}]}),
        ),
        (Operation::ExecuteStatement, statement("SELECT * FROM items")),
        (Operation::ExecuteStatement, statement(select)),
        (Operation::ExecuteStatement, statement(update)),
        (Operation::BatchExecuteStatement, json!({"Statements": [statement(select)]})),
        (Operation::BatchExecuteStatement, json!({"Statements": [statement(update)]})),
        (Operation::ExecuteTransaction, json!({"TransactStatements": [statement(select)]})),
        (Operation::ExecuteTransaction, json!({"TransactStatements": [statement(update)]})),
        (Operation::DeleteItem, json!({"TableName": "items", "Key": key})),
    ]
}

#[test]
fn every_operation_on_items_passes_the_stations_in_their_order() {
    for profile in [Profile::Default, Profile::Aws] {
        let engine = engine(profile);
        for (operation, request) in requests() {
            passed();
            let answer = block_on(engine.call(operation, request.to_string().as_bytes()));
            answer.unwrap_or_else(|error| panic!("{operation:?} {request}: {error}"));
            assert_eq!(passed(), STATIONS, "{operation:?} {request}");
        }
        let partition_key = Item::from_attributes([("pk", "a".into())]);
        let tree = TreeInput { table_name: "items".into(), partition_key, ..TreeInput::default() };
        block_on(engine.tree(tree)).unwrap();
        assert_eq!(passed(), STATIONS, "tree");
        let partitions =
            PartitionsInput { table_name: "items".into(), ..PartitionsInput::default() };
        block_on(engine.partitions(partitions)).unwrap();
        assert_eq!(passed(), STATIONS, "partitions");
        let ruler = RulerInput { table_name: "items".into(), ..RulerInput::default() };
        block_on(engine.ruler(ruler)).unwrap();
        assert_eq!(passed(), STATIONS, "ruler");
    }
}
