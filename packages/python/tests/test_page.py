"""The test that the pages show; `crates/cli/tests/pages/ci.rs` compares them."""


def test_orders(dynamodb):
    orders = dynamodb.create_table(
        TableName="orders",
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
    orders.put_item(Item={"id": "1", "total": 12})
    assert orders.get_item(Key={"id": "1"})["Item"]["total"] == 12
