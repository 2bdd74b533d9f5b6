"""State for tests through boto3: reset between tests, a clock that is stepped, tables by access key.

The server's own operations have no client in boto3: a request with their target is enough.
"""

import json
import os
import pathlib
import re
import subprocess
import urllib.error

import boto3
import pytest

from api import REGION, Api
from own_server import Server, own

pytestmark = [pytest.mark.process, pytest.mark.hashrange]

TABLE = {
    "TableName": "tests",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("state")
    (folder / "tests.json").write_text(json.dumps(TABLE))
    server = Server(folder / "log", "--memory", "--init", str(folder / "tests.json"))
    yield server
    server.close()


@pytest.fixture
def api(server):
    """The server in the state after its start."""
    own(server, "Reset")
    return server.api()


def put(api, key, **attributes):
    item = {"pk": {"S": key}, **attributes}
    api("PutItem", TableName="tests", Item=item)


def keys(api):
    return sorted(item["pk"]["S"] for item in api("Scan", TableName="tests")["Items"])


@pytest.mark.parametrize("key", ["a", "b"])
def test_each_test_begins_with_empty_tables(api, key):
    assert keys(api) == []
    put(api, key)
    assert keys(api) == [key]


def test_a_save_brings_back_items_streams_and_settings(server, api):
    api("UpdateTable", TableName="tests", StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    put(api, "a")
    described = api("DescribeTable", TableName="tests")["Table"]
    own(server, "Save", Name="with-stream")
    own(server, "Reset", Empty=True)
    assert api("ListTables")["TableNames"] == []
    own(server, "Restore", Name="with-stream")
    assert keys(api) == ["a"]
    again = api("DescribeTable", TableName="tests")["Table"]
    assert again["LatestStreamArn"] == described["LatestStreamArn"]
    put(api, "b")
    streams = Api(server.endpoint, service="dynamodbstreams")
    stream = {"StreamArn": again["LatestStreamArn"]}
    found = []
    for shard in streams("DescribeStream", **stream)["StreamDescription"]["Shards"]:
        start = streams("GetShardIterator", ShardIteratorType="TRIM_HORIZON", ShardId=shard["ShardId"], **stream)
        records = streams("GetRecords", ShardIterator=start["ShardIterator"])["Records"]
        found += [record["dynamodb"]["Keys"]["pk"]["S"] for record in records]
    assert sorted(found) == ["a", "b"]


def test_an_item_expires_when_the_clock_passes_it(server, api):
    api("UpdateTimeToLive", TableName="tests", TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"})
    now = int(own(server, "SetClock", Now="2030-01-01T00:00:00Z", Stopped=True)["Now"])
    put(api, "soon", until={"N": str(now + 60)})
    put(api, "later", until={"N": str(now + 86400)})
    own(server, "SetClock", Advance="59s")
    assert keys(api) == ["later", "soon"]
    own(server, "SetClock", Advance="2s")
    assert keys(api) == ["later"]


def test_a_token_is_forgotten_after_ten_minutes(server, api):
    own(server, "SetClock", Stopped=True)
    update = {
        "TableName": "tests",
        "Key": {"pk": {"S": "n"}},
        "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }
    count = lambda: api("GetItem", TableName="tests", Key={"pk": {"S": "n"}})["Item"]["n"]["N"]
    for advance, expected in [("0s", "1"), ("9m", "1"), ("2m", "2")]:
        own(server, "SetClock", Advance=advance)
        api("TransactWriteItems", ClientRequestToken="once", TransactItems=[{"Update": update}])
        assert count() == expected


def test_signatures_do_not_follow_the_clock(tmp_path):
    credentials = tmp_path / "credentials"
    credentials.write_text("[a]\naws_access_key_id=AKID\naws_secret_access_key=secret\n")
    credentials.chmod(0o600)
    server = Server(tmp_path / "log", "--memory", "--credentials", str(credentials))
    with pytest.raises(urllib.error.HTTPError) as refused:
        own(server, "Reset")
    assert b"MissingAuthenticationTokenException" in refused.value.read()
    api = server.api(access_key="AKID", secret_key="secret")
    assert api("ListTables")["TableNames"] == []
    server.close()


def test_two_access_keys_do_not_see_each_other(tmp_path):
    server = Server(tmp_path / "log", "--memory", "--namespaces")
    one, two = (server.api(access_key=key) for key in ("one", "two"))
    one("CreateTable", **TABLE)
    put(one, "a")
    assert two("ListTables")["TableNames"] == []
    two("CreateTable", **TABLE)
    assert keys(two) == [] and keys(one) == ["a"]
    server.close()


PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "testing.md"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def test_the_page_for_readers(tmp_path, monkeypatch):
    """The commands and the Python of docs/testing.md, as they stand there."""
    table = {
        **TABLE,
        "TableName": "sessions",
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"},
    }
    (tmp_path / "sessions.json").write_text(json.dumps(table))
    server = Server(tmp_path / "log", "--memory", "--init", str(tmp_path / "sessions.json"))
    monkeypatch.setenv("HASHRANGE_ENDPOINT", server.endpoint)
    commands = [line for block in blocks("sh") for line in block.splitlines() if re.match("hashrange (state|clock)", line)]
    assert len(commands) >= 10
    for command in commands:
        arguments = command.split("#")[0].split()[1:]
        subprocess.run([os.environ["HASHRANGE_BINARY"], *arguments], check=True, capture_output=True, timeout=60)

    page = {}
    helper, test, *_ = blocks("python")
    exec(helper.replace("@pytest.fixture(autouse=True)\n", ""), page)
    exec(test, page)
    page["clean_tables"]()
    keys = {"aws_access_key_id": "any", "aws_secret_access_key": "any"}
    resource = boto3.resource("dynamodb", endpoint_url=server.endpoint, region_name=REGION, **keys)
    page["test_sessions_expire"](resource.Table("sessions"))
    server.close()
