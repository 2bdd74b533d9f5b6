"""What requests cost, as boto3 is told: response headers, and the record of a server."""

import json

import boto3
import pytest
from botocore.config import Config

from own_server import Server, own

pytestmark = pytest.mark.hashrange


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("cost") / "log", "--memory", "--record")
    yield server
    server.close()


def client(server, key, *headers):
    """Returns a client that adds headers to what it sends."""
    made = boto3.client(
        "dynamodb",
        endpoint_url=server.endpoint,
        region_name="us-east-1",
        aws_access_key_id=key,
        aws_secret_access_key="secret",
        config=Config(retries={"max_attempts": 0}),
    )

    def add(request, **_):
        for header in headers:
            request.headers[header] = "1"

    made.meta.events.register("before-sign.dynamodb.*", add)
    return made


def headers_of(answer):
    return answer["ResponseMetadata"]["HTTPHeaders"]


@pytest.fixture(scope="module")
def table(server):
    made = client(server, "SETUP")
    made.create_table(
        TableName="orders",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    )
    for nth in range(20):
        item = {"pk": {"S": "p"}, "sk": {"S": f"é{nth:02}"}, "text": {"S": "x" * 1000}}
        made.put_item(TableName="orders", Item=item)
    return "orders"


QUERY = {
    "KeyConditionExpression": "pk = :p",
    "FilterExpression": "sent = :p",
    "ExpressionAttributeValues": {":p": {"S": "p"}},
}


def test_who_asks_is_told_the_cost(server, table):
    answer = client(server, "ASKS", "x-hashrange-cost").query(TableName=table, **QUERY)
    assert headers_of(answer)["x-hashrange-cost"] == (
        "read=2.5, write=0.0, examined=20, returned=0, bytes=20260, nanodollars=312.5, on=(\"orders\";read=2.5)"
    )
    assert "x-hashrange-explain" not in headers_of(answer)


def test_who_does_not_ask_is_told_nothing(server, table):
    told = headers_of(client(server, "SILENT").query(TableName=table, **QUERY))
    assert not [name for name in told if name.startswith("x-hashrange")]


def test_a_failed_condition_tells_its_cost(server, table):
    asks = client(server, "ASKS", "x-hashrange-cost")
    item = {"pk": {"S": "p"}, "sk": {"S": "é00"}}
    with pytest.raises(asks.exceptions.ConditionalCheckFailedException) as refused:
        asks.put_item(TableName=table, Item=item, ConditionExpression="attribute_not_exists(pk)")
    assert headers_of(refused.value.response)["x-hashrange-cost"].startswith("read=0.0, write=1.0, ")


def test_an_explanation_comes_with_the_answer(server, table):
    answer = client(server, "ASKS", "x-hashrange-explain").query(TableName=table, **QUERY)
    assert answer["ScannedCount"] == 20
    explained = json.loads(headers_of(answer)["x-hashrange-explain"])
    assert explained["Steps"][0]["Read"]["Access"] == "Partition"
    assert explained["Steps"][0]["Read"]["Collection"]["First"] == "'é00'"
    assert [advice["Kind"] for advice in explained["Advice"]] == ["FilterWaste"]
    described = client(server, "ASKS", "x-hashrange-explain").describe_table(TableName=table)
    assert "cannot be explained" in json.loads(headers_of(described)["x-hashrange-explain"])["Error"]


def texts(pattern):
    """The tests of a pattern on keys and of its filter."""
    return tuple(tuple(it["Text"] for it in pattern[member]) for member in ("Keys", "Filter"))


def test_requests_are_recorded_by_caller_and_pattern(server, table):
    own(server, "StartRecording")
    for key in ("ONE", "ONE", "TWO"):
        client(server, key).query(TableName=table, **QUERY)
    recorded = own(server, "DescribeRecording")
    assert recorded["IsOn"] is True
    rows = {
        (row["Caller"], row["Operation"], texts(row["Pattern"])): (row["Requests"], row["ReadUnits"])
        for row in recorded["Recording"]["Rows"]
    }
    pattern = (("pk = ?",), ("sent = ?",))
    assert rows == {("ONE", "Query", pattern): (2, 5.0), ("TWO", "Query", pattern): (1, 2.5)}
    [facts] = recorded["Recording"]["Tables"]
    assert facts["Table"] == table and facts["StoredItems"] == 20
    own(server, "StopRecording")
    client(server, "ONE").query(TableName=table, **QUERY)
    stopped = own(server, "DescribeRecording")
    assert stopped["IsOn"] is False
    assert sum(row["Requests"] for row in stopped["Recording"]["Rows"]) == 3
    own(server, "StartRecording")


def test_every_answer_tells_its_cost_if_the_server_says_so(tmp_path):
    server = Server(tmp_path / "log", "--memory", "--cost-header")
    try:
        told = headers_of(client(server, "ANY").list_tables())
        assert told["x-hashrange-cost"].startswith("read=0.0, write=0.0, ")
    finally:
        server.close()
