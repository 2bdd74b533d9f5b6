"""Hot keys, as boto3 sees them: the table sys.heat, and Contributor Insights."""

import boto3
import pytest
from boto3.dynamodb.conditions import Key
from botocore.exceptions import ClientError

from own_server import Server

pytestmark = pytest.mark.hashrange


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path / "log", "--memory")
    yield server
    server.close()


def resource(server):
    settings = {"region_name": "us-east-1", "aws_access_key_id": "A", "aws_secret_access_key": "B"}
    return boto3.resource("dynamodb", endpoint_url=server.endpoint, **settings)


def create(server):
    return resource(server).create_table(
        TableName="orders",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
    )


def test_contributor_insights_says_which_keys_are_hot(server):
    table = create(server)
    client = table.meta.client
    assert client.describe_contributor_insights(TableName="orders")["ContributorInsightsStatus"] == "DISABLED"
    with pytest.raises(ClientError, match="ResourceNotFoundException"):
        resource(server).Table("sys.heat").scan()
    client.update_contributor_insights(TableName="orders", ContributorInsightsAction="ENABLE")
    described = client.describe_contributor_insights(TableName="orders")
    assert described["ContributorInsightsStatus"] == "ENABLED"
    assert described["ContributorInsightsMode"] == "ACCESSED_AND_THROTTLED_KEYS"
    [listed] = client.list_contributor_insights()["ContributorInsightsSummaries"]
    assert (listed["TableName"], listed["ContributorInsightsStatus"]) == ("orders", "ENABLED")
    for nth in range(10):
        table.put_item(Item={"pk": "hot", "n": nth})
    table.put_item(Item={"pk": "cool"})
    heat = resource(server).Table("sys.heat")
    condition = Key("table").eq("orders") & Key("heat").begins_with("keys#")
    keys = heat.query(KeyConditionExpression=condition, ScanIndexForward=False)["Items"]
    units = {}
    for item in keys:
        units[item["key"]] = units.get(item["key"], 0) + item["write_units"]
    assert units == {"pk = 'hot'": 10, "pk = 'cool'": 1}
    assert "sys.heat" not in client.list_tables()["TableNames"]
    with pytest.raises(ClientError, match="sys.heat"):
        heat.put_item(Item={"table": "orders", "heat": "x"})
    client.update_contributor_insights(TableName="orders", ContributorInsightsAction="DISABLE")
    assert client.list_contributor_insights()["ContributorInsightsSummaries"] == []


def test_it_stays_enabled_after_a_restart(tmp_path):
    server = Server(tmp_path / "log", "--data-dir", str(tmp_path / "data"))
    try:
        client = create(server).meta.client
        request = {"TableName": "orders", "ContributorInsightsMode": "THROTTLED_KEYS"}
        client.update_contributor_insights(ContributorInsightsAction="ENABLE", **request)
        server.kill()
        server.start()
        described = client.describe_contributor_insights(TableName="orders")
        assert described["ContributorInsightsStatus"] == "ENABLED"
        assert described["ContributorInsightsMode"] == "THROTTLED_KEYS"
    finally:
        server.close()
