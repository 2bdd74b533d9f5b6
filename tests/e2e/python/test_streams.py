"""Streams as boto3's own client reads them: records, shards, iterators, faults."""

import re
import time

import pytest

import tables
from api import Api, Has
from values import item

SPECIFICATION = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
PATIENCE_S = 10


@pytest.fixture(scope="module")
def streams(endpoint):
    """Calls the streams operations of the server under test."""
    return Api(endpoint, service="dynamodbstreams")


@pytest.fixture(scope="module")
def table(make):
    """A table with a stream."""
    return make("pk:S", StreamSpecification=SPECIFICATION)


def arn_of(api, table):
    return api("DescribeTable", TableName=table)["Table"]["LatestStreamArn"]


def shards_of(streams, arn):
    """Returns every shard, page by page."""
    shards, start = [], {}
    while True:
        page = streams("DescribeStream", StreamArn=arn, Limit=3, **start)["StreamDescription"]
        shards += page["Shards"]
        if "LastEvaluatedShardId" not in page:
            return shards
        start = {"ExclusiveStartShardId": page["LastEvaluatedShardId"]}


def iterator(streams, arn, shard, kind="TRIM_HORIZON", **more):
    answer = streams("GetShardIterator", StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType=kind, **more)
    return answer["ShardIterator"]


def records_of(streams, arn):
    """Returns the records of all shards that are there now."""
    records = []
    for shard in shards_of(streams, arn):
        position = iterator(streams, arn, shard)
        while position:
            page = streams("GetRecords", ShardIterator=position, Limit=2)
            records += page["Records"]
            position = page.get("NextShardIterator") if page["Records"] else None
    return records


def test_description_names_the_stream(api, streams, table):
    described = api("DescribeTable", TableName=table)["Table"]
    assert described["StreamSpecification"] == SPECIFICATION
    label, arn = described["LatestStreamLabel"], described["LatestStreamArn"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}", label)
    assert arn == f"{described['TableArn']}/stream/{label}"
    stream = streams("DescribeStream", StreamArn=arn)["StreamDescription"]
    assert (stream["StreamStatus"], stream["StreamViewType"]) == ("ENABLED", "NEW_AND_OLD_IMAGES")
    assert stream["KeySchema"] == described["KeySchema"]
    for shard in stream["Shards"]:
        assert re.fullmatch(r"shardId-\d{20}-[0-9a-f]{8}", shard["ShardId"])
        assert re.fullmatch(r"\d{21,40}", shard["SequenceNumberRange"]["StartingSequenceNumber"])
    listed = streams("ListStreams", TableName=table)["Streams"]
    assert listed == [{"StreamArn": arn, "TableName": table, "StreamLabel": label}]


def test_each_change_has_its_record(api, streams, make):
    table = make("pk:S", StreamSpecification=SPECIFICATION)
    first, second = item(pk="a", x=1), item(pk="a", x=2)
    api("PutItem", TableName=table, Item=first)
    api("PutItem", TableName=table, Item=first)
    api("PutItem", TableName=table, Item=second)
    api("DeleteItem", TableName=table, Key=item(pk="a"))
    records = records_of(streams, arn_of(api, table))
    assert [one["eventName"] for one in records] == ["INSERT", "MODIFY", "REMOVE"]
    images = [(one["dynamodb"].get("OldImage"), one["dynamodb"].get("NewImage")) for one in records]
    assert images == [(None, first), (first, second), (second, None)]
    for one in records:
        assert re.fullmatch("[0-9a-f]{32}", one["eventID"])
        assert (one["eventSource"], one["eventVersion"], one["awsRegion"]) == ("aws:dynamodb", "1.1", "us-east-1")
        assert one["dynamodb"]["Keys"] == item(pk="a")
        assert one["dynamodb"]["StreamViewType"] == "NEW_AND_OLD_IMAGES"
        assert "userIdentity" not in one
    # pk 2+1, x 1+2: the keys and one image, or two.
    assert [one["dynamodb"]["SizeBytes"] for one in records] == [9, 15, 9]
    numbers = [int(one["dynamodb"]["SequenceNumber"]) for one in records]
    assert numbers == sorted(numbers) and len({one["eventID"] for one in records}) == 3


def test_members_of_batches_and_transactions_have_records_each(api, streams, make):
    table = make("pk:S", StreamSpecification=SPECIFICATION)
    tables.fill(api, table, [item(pk=f"{nth}") for nth in range(25)])
    actions = [{"Put": {"TableName": table, "Item": item(pk=f"{nth}", x=1)}} for nth in range(20, 30)]
    api("TransactWriteItems", TransactItems=actions)
    records = records_of(streams, arn_of(api, table))
    names = sorted((one["eventName"], one["dynamodb"]["Keys"]["pk"]["S"]) for one in records)
    inserted = [("INSERT", f"{nth}") for nth in range(30)]
    assert names == sorted(inserted + [("MODIFY", f"{nth}") for nth in range(20, 25)])


def test_latest_begins_with_what_comes(api, streams, make):
    table = make("pk:S", StreamSpecification=SPECIFICATION)
    arn = arn_of(api, table)
    api("PutItem", TableName=table, Item=item(pk="before"))
    positions = [iterator(streams, arn, shard, "LATEST") for shard in shards_of(streams, arn)]
    api("PutItem", TableName=table, Item=item(pk="after"))
    pages = [streams("GetRecords", ShardIterator=position) for position in positions]
    found = [one["dynamodb"]["Keys"] for page in pages for one in page["Records"]]
    assert found == [item(pk="after")]
    assert all(page["NextShardIterator"] for page in pages)


def test_disabled_stream_ends_and_stays(api, streams, make):
    table = make("pk:S", StreamSpecification=SPECIFICATION)
    arn = arn_of(api, table)
    api("PutItem", TableName=table, Item=item(pk="a"))
    api("UpdateTable", TableName=table, StreamSpecification={"StreamEnabled": False})
    described = tables.wait_active(api, table)
    assert "StreamSpecification" not in described and described["LatestStreamArn"] == arn
    for shard in shards_of(streams, arn):
        assert int(shard["SequenceNumberRange"]["EndingSequenceNumber"]) > 0
        page = streams("GetRecords", ShardIterator=iterator(streams, arn, shard))
        assert "NextShardIterator" not in page
    api("UpdateTable", TableName=table, StreamSpecification={**SPECIFICATION, "StreamViewType": "KEYS_ONLY"})
    assert arn_of(api, table) != arn
    assert len(streams("ListStreams", TableName=table)["Streams"]) == 2
    assert len(records_of(streams, arn)) == 1


def test_deleted_table_leaves_its_stream(api, streams, make):
    table = make("pk:S", StreamSpecification=SPECIFICATION)
    arn = arn_of(api, table)
    api("PutItem", TableName=table, Item=item(pk="a"))
    api("DeleteTable", TableName=table)
    assert streams("DescribeStream", StreamArn=arn)["StreamDescription"]["StreamStatus"] == "DISABLED"
    assert len(records_of(streams, arn)) == 1


def test_faults(api, streams, table):
    arn = arn_of(api, table)
    unknown = arn[:-4] + "x" * 4
    shard = shards_of(streams, arn)[0]
    missing = f"Requested resource not found: Stream: {unknown} not found"
    streams.refuses("ResourceNotFoundException", missing, "DescribeStream", StreamArn=unknown)
    streams.refuses("ResourceNotFoundException", missing, "GetShardIterator", StreamArn=unknown, ShardId=shard["ShardId"], ShardIteratorType="LATEST")
    streams.invalid(Has("SequenceNumber"), "GetShardIterator", StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="AT_SEQUENCE_NUMBER")
    position = iterator(streams, arn, shard)
    streams.invalid("Invalid ShardIterator", "GetRecords", ShardIterator=position[:-1] + ("0" if position[-1] != "0" else "1"))
    streams.invalid(Has("'limit'", "1000"), "GetRecords", ShardIterator=position, Limit=1001)
    api.invalid(f"Table already has an enabled stream: TableName: {table}", "UpdateTable", TableName=table, StreamSpecification=SPECIFICATION)


def test_expired_items_leave_records_of_the_service(api, streams, make):
    table = make("pk:S", StreamSpecification=SPECIFICATION)
    specification = {"Enabled": True, "AttributeName": "until"}
    answer = api("UpdateTimeToLive", TableName=table, TimeToLiveSpecification=specification)
    assert answer["TimeToLiveSpecification"] == specification
    api("PutItem", TableName=table, Item=item(pk="expired", until=int(time.time()) - 5))
    api("PutItem", TableName=table, Item=item(pk="kept", until=int(time.time()) + 1000))
    deadline = time.monotonic() + PATIENCE_S
    while "Item" in api("GetItem", TableName=table, Key=item(pk="expired"), ConsistentRead=True):
        assert time.monotonic() < deadline, "the item does not expire"
    assert "Item" in api("GetItem", TableName=table, Key=item(pk="kept"), ConsistentRead=True)
    removed = [one for one in records_of(streams, arn_of(api, table)) if one["eventName"] == "REMOVE"]
    assert [one["dynamodb"]["Keys"] for one in removed] == [item(pk="expired")]
    assert removed[0]["userIdentity"] == {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
