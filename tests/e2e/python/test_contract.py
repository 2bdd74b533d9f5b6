"""A contract of access patterns that a server keeps, as boto3 meets it."""

import json

import pytest
from botocore.exceptions import ClientError

from own_server import Server
from test_cost import client, headers_of

pytestmark = pytest.mark.hashrange

CONTRACT = {
    "Version": 1,
    "Patterns": [
        {"Name": "save an order", "Operation": "PutItem", "Table": "orders"},
        {"Name": "orders of a customer", "Operation": "Query", "Table": "orders", "Pattern": "pk = ?"},
    ],
}
QUERY = {"TableName": "orders", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "p"}}}


def create(made):
    made.create_table(
        TableName="orders",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    )


def serve(tmp_path, *arguments, contract=CONTRACT):
    file = tmp_path / "contract.json"
    file.write_text(json.dumps(contract))
    return Server(tmp_path / "log", "--memory", "--contract", str(file), *arguments)


def test_requests_are_told_their_pattern(tmp_path):
    server = serve(tmp_path)
    try:
        asks = client(server, "A", "x-hashrange-pattern")
        create(asks)
        put = asks.put_item(TableName="orders", Item={"pk": {"S": "p"}, "sk": {"S": "1"}})
        assert "save an order" in headers_of(put)["x-hashrange-pattern"]
        assert "orders of a customer" in headers_of(asks.query(**QUERY))["x-hashrange-pattern"]
        assert "orders of a customer" not in headers_of(asks.scan(TableName="orders"))["x-hashrange-pattern"]
        assert "x-hashrange-pattern" not in headers_of(client(server, "A").query(**QUERY))
    finally:
        server.close()


def test_what_it_does_not_allow_is_refused_and_not_done(tmp_path):
    server = serve(tmp_path, "--enforce")
    try:
        made = client(server, "A")
        create(made)
        made.put_item(TableName="orders", Item={"pk": {"S": "p"}, "sk": {"S": "1"}})
        key = {"pk": {"S": "p"}, "sk": {"S": "1"}}
        for refused in (
            lambda: made.scan(TableName="orders"),
            lambda: made.get_item(TableName="orders", Key=key),
            lambda: made.delete_item(TableName="orders", Key=key),
            lambda: made.batch_write_item(RequestItems={"orders": [{"DeleteRequest": {"Key": key}}]}),
            lambda: made.transact_write_items(TransactItems=[{"Delete": {"TableName": "orders", "Key": key}}]),
            lambda: made.execute_statement(Statement="DELETE FROM orders WHERE pk = 'p' AND sk = '1'"),
        ):
            with pytest.raises(ClientError, match="AccessDeniedException"):
                refused()
        assert made.query(**QUERY)["Count"] == 1
    finally:
        server.close()


def test_a_contract_sees_meaning_and_not_spelling(tmp_path):
    patterns = [
        {"Name": "put", "Operation": "PutItem", "Table": "orders"},
        {"Name": "begin", "Operation": "Query", "Table": "orders", "Pattern": "pk = ? AND begins_with(sk, ?)"},
        {
            "Name": "filtered",
            "Operation": "Scan",
            "Table": "orders",
            "Pattern": "FILTER n > ? AND status = ? AND attribute_exists(note)",
        },
        {
            "Name": "both",
            "Operation": "TransactWriteItems",
            "Table": "orders",
            "Pattern": "Delete orders IF n = ?; Put orders IF attribute_not_exists(pk)",
        },
    ]
    server = serve(tmp_path, "--enforce", contract={"Version": 1, "Patterns": patterns})
    try:
        made = client(server, "A")
        create(made)
        made.put_item(TableName="orders", Item={"pk": {"S": "p"}, "sk": {"S": "s1"}, "n": {"N": "1"}})
        for condition in ("pk = :p AND begins_with(sk, :s)", "begins_with(sk, :s) AND pk = :p", "(:p = pk) and begins_with(#s, :s)"):
            names = {"ExpressionAttributeNames": {"#s": "sk"}} if "#s" in condition else {}
            asked = made.query(
                TableName="orders",
                KeyConditionExpression=condition,
                ExpressionAttributeValues={":p": {"S": "p"}, ":s": {"S": "s"}},
                **names,
            )
            assert asked["Count"] == 1
        for condition in (
            "n > :n AND #s = :s AND attribute_exists(note)",
            "attribute_exists(note) AND (:s = #s AND :n < n)",
            "#s = :s AND n > :n AND attribute_exists(note) AND n > :n",
        ):
            made.scan(
                TableName="orders",
                FilterExpression=condition,
                ExpressionAttributeNames={"#s": "status"},
                ExpressionAttributeValues={":n": {"N": "0"}, ":s": {"S": "x"}},
            )
        put = {
            "Put": {
                "TableName": "orders",
                "Item": {"pk": {"S": "q"}, "sk": {"S": "1"}},
                "ConditionExpression": "attribute_not_exists(pk)",
            }
        }
        delete = {
            "Delete": {
                "TableName": "orders",
                "Key": {"pk": {"S": "p"}, "sk": {"S": "s1"}},
                "ConditionExpression": ":n = n",
                "ExpressionAttributeValues": {":n": {"N": "1"}},
            }
        }
        made.transact_write_items(TransactItems=[put, delete])
        for members in ([delete, put], [put, delete]):
            with pytest.raises(ClientError, match="TransactionCanceled"):
                made.transact_write_items(TransactItems=members)
        with pytest.raises(ClientError, match="AccessDeniedException"):
            made.query(
                TableName="orders",
                KeyConditionExpression="pk = :p AND sk > :s",
                ExpressionAttributeValues={":p": {"S": "p"}, ":s": {"S": "s"}},
            )
    finally:
        server.close()
