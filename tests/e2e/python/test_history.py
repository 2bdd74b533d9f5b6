"""Items as they were, through boto3: the past is part of a table's name."""

from urllib.error import HTTPError

import boto3
import pytest
from boto3.dynamodb.conditions import Attr, Key
from botocore.exceptions import ClientError

from own_server import Server, own

pytestmark = pytest.mark.hashrange

SETTINGS = {"region_name": "us-east-1", "aws_access_key_id": "A", "aws_secret_access_key": "B"}


@pytest.fixture(params=["memory", "disk"])
def server(request, tmp_path):
    where = ["--memory"] if request.param == "memory" else ["--data-dir", str(tmp_path / "data")]
    server = Server(tmp_path / "log", *where)
    yield server
    server.close()


def resource(server):
    return boto3.resource("dynamodb", endpoint_url=server.endpoint, **SETTINGS)


def create(server):
    """Creates a table with one item and begins its history; returns the table."""
    table = resource(server).create_table(
        TableName="orders",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    )
    table.put_item(Item={"pk": "anna", "sk": "1", "status": "OPEN"})
    assert own(server, "UpdateHistory", TableName="orders", Enabled=True)["History"]["Status"] == "ENABLED"
    return table


def pages(client, operation, **request):
    return [item for page in client.get_paginator(operation).paginate(**request) for item in page["Items"]]


def test_a_table_is_read_as_it_was(server):
    table = create(server)
    begun = own(server, "DescribeHistory", TableName="orders")["History"]["ReachesBackTo"]
    moment = begun.replace("-", "").replace(":", "")
    table.update_item(
        Key={"pk": "anna", "sk": "1"},
        UpdateExpression="SET #s = :s",
        ExpressionAttributeNames={"#s": "status"},
        ExpressionAttributeValues={":s": "SENT"},
    )
    table.put_item(Item={"pk": "anna", "sk": "2", "status": "OPEN"})
    was = resource(server).Table(f"orders.asof.{moment}")
    was.load()
    assert was.key_schema == table.key_schema
    assert was.get_item(Key={"pk": "anna", "sk": "1"})["Item"]["status"] == "OPEN"
    assert was.query(KeyConditionExpression=Key("pk").eq("anna"))["Count"] == 1
    assert was.scan(FilterExpression=Attr("status").eq("SENT"))["Count"] == 0
    assert table.scan(FilterExpression=Attr("status").eq("SENT"))["Count"] == 1
    with pytest.raises(ClientError, match="never written or changed"):
        was.put_item(Item={"pk": "anna", "sk": "3"})
    with pytest.raises(ClientError, match="reaches back to"):
        resource(server).Table("orders.asof.20200101T000000Z").scan()


def test_all_versions_come_in_pages(server):
    table = create(server)
    for nth in range(25):
        table.put_item(Item={"pk": "anna", "sk": "1", "n": nth})
    table.delete_item(Key={"pk": "anna", "sk": "1"})
    client = table.meta.client
    request = {"TableName": "orders.history", "KeyConditionExpression": Key("pk").eq("anna")}
    for size in (1, 7, 100):
        found = pages(client, "query", PaginationConfig={"PageSize": size}, **request)
        assert [item.get("n") for item in found] == [None, *range(25), None]
        assert found[0]["status"] == "OPEN" and "hashrange:since" not in found[0]
        assert found[-1]["hashrange:deleted"] is True and "hashrange:until" not in found[-1]
        joints = zip(found, found[1:])
        assert all(one["hashrange:until"] == other["hashrange:since"] for one, other in joints)
        backward = pages(client, "query", PaginationConfig={"PageSize": size}, ScanIndexForward=False, **request)
        assert backward == found[::-1]
    moment = found[3]["hashrange:since"]
    last = [item for item in found[3:] if item["hashrange:since"] == moment][-1]
    asof = resource(server).Table(f"orders.asof.{moment}")
    assert asof.get_item(Key={"pk": "anna", "sk": "1"})["Item"]["n"] == last["n"]


def test_items_are_put_back(server):
    table = create(server)
    begun = own(server, "DescribeHistory", TableName="orders")["History"]["ReachesBackTo"]
    table.delete_item(Key={"pk": "anna", "sk": "1"})
    table.put_item(Item={"pk": "berta", "sk": "1"})
    changes = own(server, "DescribeChanges", TableName="orders", From=begun)
    assert [sorted(change) for change in changes["Changes"]] == [["Before", "Key"], ["After", "Key"]]
    key = {"pk": {"S": "anna"}, "sk": {"S": "1"}}
    assert own(server, "RestoreItems", TableName="orders", From=begun, Key=key) == {"Put": 1, "Deleted": 0}
    assert table.get_item(Key={"pk": "anna", "sk": "1"})["Item"]["status"] == "OPEN"
    with pytest.raises(HTTPError) as refused:
        own(server, "RestoreItems", TableName="orders", From=begun, Key={})
    assert "Key has to be the partition key" in refused.value.read().decode()
    first = own(server, "RestoreItems", TableName="orders", From=begun, Limit=1)
    assert (first["Put"], first["Deleted"]) == (0, 1)
    assert table.scan()["Count"] == 1


def test_history_survives_a_crash(tmp_path):
    server = Server(tmp_path / "log", "--data-dir", str(tmp_path / "data"))
    try:
        table = create(server)
        for nth in range(10):
            table.put_item(Item={"pk": "anna", "sk": "1", "n": nth})
        before = pages(table.meta.client, "scan", TableName="orders.history")
        server.kill()
        server.start()
        assert pages(resource(server).meta.client, "scan", TableName="orders.history") == before
        table.put_item(Item={"pk": "anna", "sk": "1", "n": 10})
        after = pages(table.meta.client, "scan", TableName="orders.history")
        assert len(after) == len(before) + 1 and after[:-2] == before[:-1]
    finally:
        server.close()


def test_a_clock_that_jumped_ahead_moves_nothing_that_follows(tmp_path):
    server = Server(tmp_path / "log", "--memory", "--test-api")
    try:
        table = create(server)
        own(server, "SetClock", Advance="1h")
        table.put_item(Item={"pk": "anna", "sk": "1", "status": "AHEAD"})
        own(server, "SetClock", Now="system")
        ahead = own(server, "DescribeHistory", TableName="orders")["History"]["DatedAhead"]
        assert [change["Key"] for change in ahead] == [{"pk": {"S": "anna"}, "sk": {"S": "1"}}]
        table.put_item(Item={"pk": "anna", "sk": "1", "status": "AFTER"})
        versions = pages(table.meta.client, "scan", TableName="orders.history")
        assert [version["status"] for version in versions] == ["OPEN", "AHEAD", "AFTER"]
        assert versions[2]["hashrange:since"] < versions[1]["hashrange:since"]
        assert versions[2]["hashrange:order"] == "2.0-"
        was = resource(server).Table(f"orders.asof.{versions[2]['hashrange:since']}")
        assert was.get_item(Key={"pk": "anna", "sk": "1"})["Item"]["status"] == "AFTER"
    finally:
        server.close()
