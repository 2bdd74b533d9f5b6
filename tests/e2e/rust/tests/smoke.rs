//! The AWS SDK for Rust against the server named by `HASHRANGE_ENDPOINT`: typed requests and errors,
//! paginators, batches. One test for the whole life of a table, so that nothing runs out of order.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, KeysAndAttributes,
    PutRequest, ReturnValue, ReturnValuesOnConditionCheckFailure, ScalarAttributeType, TableStatus,
    WriteRequest,
};

type Item = HashMap<String, AttributeValue>;

fn client() -> Client {
    let endpoint = std::env::var("HASHRANGE_ENDPOINT").unwrap_or("http://127.0.0.1:8000".into());
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(endpoint)
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("local", "local", None, None, "static"))
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .build();
    Client::from_conf(config)
}

fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

fn n(number: impl ToString) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

fn key(pk: &str, sk: u32) -> Item {
    Item::from([("pk".to_owned(), s(pk)), ("sk".to_owned(), n(sk))])
}

async fn create(client: &Client, table: &str) {
    let element = |name, kind| {
        KeySchemaElement::builder().attribute_name(name).key_type(kind).build().unwrap()
    };
    let definition = |name, kind| {
        AttributeDefinition::builder().attribute_name(name).attribute_type(kind).build().unwrap()
    };
    client
        .create_table()
        .table_name(table)
        .billing_mode(BillingMode::PayPerRequest)
        .key_schema(element("pk", KeyType::Hash))
        .key_schema(element("sk", KeyType::Range))
        .attribute_definitions(definition("pk", ScalarAttributeType::S))
        .attribute_definitions(definition("sk", ScalarAttributeType::N))
        .send()
        .await
        .unwrap();
    loop {
        let described = client.describe_table().table_name(table).send().await.unwrap();
        if described.table.unwrap().table_status == Some(TableStatus::Active) {
            return;
        }
    }
}

async fn every_type_comes_back(client: &Client, table: &str) {
    let mut item = key("types", 1);
    item.extend([
        ("s".to_owned(), s("\u{e9}\u{1f600}")),
        ("n".to_owned(), n("-12.5")),
        ("b".to_owned(), AttributeValue::B(Blob::new([0, 255]))),
        ("t".to_owned(), AttributeValue::Bool(true)),
        ("z".to_owned(), AttributeValue::Null(true)),
        ("l".to_owned(), AttributeValue::L(vec![n(1), AttributeValue::L(vec![])])),
        ("m".to_owned(), AttributeValue::M(HashMap::from([("k".to_owned(), s(""))]))),
        ("ss".to_owned(), AttributeValue::Ss(vec!["a".to_owned()])),
        ("ns".to_owned(), AttributeValue::Ns(vec!["1".to_owned()])),
        ("bs".to_owned(), AttributeValue::Bs(vec![Blob::new(*b"x")])),
    ]);
    client.put_item().table_name(table).set_item(Some(item.clone())).send().await.unwrap();
    let got = client
        .get_item()
        .table_name(table)
        .set_key(Some(key("types", 1)))
        .consistent_read(true)
        .send()
        .await
        .unwrap();
    assert_eq!(got.item, Some(item));
    let absent = client.get_item().table_name(table).set_key(Some(key("types", 2))).send().await;
    assert_eq!(absent.unwrap().item, None);
}

async fn conditions_are_typed(client: &Client, table: &str) {
    let error = client
        .put_item()
        .table_name(table)
        .set_item(Some(key("types", 1)))
        .condition_expression("attribute_not_exists(pk)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    assert!(error.is_conditional_check_failed_exception(), "{error:?}");
    assert_eq!(error.meta().message(), Some("The conditional request failed"));
    let missing = client.describe_table().table_name("no.such.table").send().await;
    assert!(missing.unwrap_err().into_service_error().is_resource_not_found_exception());
}

async fn update_returns_values(client: &Client, table: &str) {
    let updated = client
        .update_item()
        .table_name(table)
        .set_key(Some(key("types", 1)))
        .update_expression("SET n = n + :v")
        .expression_attribute_values(":v", n("0.5"))
        .return_values(ReturnValue::UpdatedNew)
        .send()
        .await
        .unwrap();
    assert_eq!(updated.attributes, Some(Item::from([("n".to_owned(), n(-12))])));
}

async fn many_items_are_paged(client: &Client, table: &str) {
    let writes = (0..25).map(|sk| {
        let put = PutRequest::builder().set_item(Some(key("many", sk))).build().unwrap();
        WriteRequest::builder().put_request(put).build()
    });
    let batch =
        client.batch_write_item().request_items(table, writes.collect()).send().await.unwrap();
    assert!(batch.unprocessed_items.unwrap().is_empty());

    let mut pages = client
        .query()
        .table_name(table)
        .key_condition_expression("pk = :p")
        .expression_attribute_values(":p", s("many"))
        .limit(4)
        .into_paginator()
        .send();
    let mut seen = Vec::new();
    while let Some(page) = pages.next().await {
        seen.extend(page.unwrap().items.unwrap().into_iter().map(|item| item["sk"].clone()));
    }
    assert_eq!(seen, (0..25).map(n).collect::<Vec<_>>());

    let keys = (0..30).map(|sk| key("many", sk)).collect();
    let wanted = KeysAndAttributes::builder().set_keys(Some(keys)).build().unwrap();
    let got = client.batch_get_item().request_items(table, wanted).send().await.unwrap();
    assert_eq!(got.responses.unwrap()[table].len(), 25);
}

#[tokio::test]
async fn life_of_a_table() {
    let client = client();
    let table = format!("rust.{}", std::process::id());
    create(&client, &table).await;
    every_type_comes_back(&client, &table).await;
    conditions_are_typed(&client, &table).await;
    update_returns_values(&client, &table).await;
    many_items_are_paged(&client, &table).await;
    client.delete_table().table_name(&table).send().await.unwrap();
}
