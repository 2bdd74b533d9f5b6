"""ItemCollectionMetrics: who returns them, and what they hold."""

import pytest

import tables
from api import ENV
from values import item


@pytest.fixture(scope="module")
def collections(make):
    return make("pk:S / sk:N", lsi={"local": "pk:S / l:N"})


CALLS = [("PutItem", "Item"), ("UpdateItem", "Key"), ("DeleteItem", "Key")]


@pytest.mark.parametrize("operation, member", CALLS)
def test_table_with_a_local_index(api, collections, operation, member):
    write = {"TableName": collections, member: item(pk="p", sk=1)}
    metrics = api(operation, ReturnItemCollectionMetrics="SIZE", **write)["ItemCollectionMetrics"]
    assert metrics == {"ItemCollectionKey": item(pk="p"), "SizeEstimateRangeGB": [0.0, 1.0]}
    for more in ({"ReturnItemCollectionMetrics": "NONE"}, {}):
        assert "ItemCollectionMetrics" not in api(operation, **write, **more)


@pytest.mark.parametrize("operation, member", CALLS)
def test_table_without_local_index(api, sorted_table, operation, member):
    answer = api(operation, TableName=sorted_table, ReturnItemCollectionMetrics="SIZE", **{member: item(pk="p", sk=1)})
    assert "ItemCollectionMetrics" not in answer


def test_batch(api, collections, sorted_table):
    request = {
        collections: [{"PutRequest": {"Item": item(pk=pk, sk=sk)}} for pk in ("a", "b") for sk in (1, 2)],
        sorted_table: [{"PutRequest": {"Item": item(pk="a", sk=1)}}],
    }
    metrics = api("BatchWriteItem", RequestItems=request, ReturnItemCollectionMetrics="SIZE")["ItemCollectionMetrics"]
    assert set(metrics) == {collections}
    assert {one["ItemCollectionKey"]["pk"]["S"] for one in metrics[collections]} == {"a", "b"}
    assert all(one["SizeEstimateRangeGB"] == [0.0, 1.0] for one in metrics[collections])


def test_unknown_mode(api, collections):
    message = ENV + "Value 'BOGUS' at 'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]"
    api.invalid(message, "PutItem", TableName=collections, Item=item(pk="p", sk=1), ReturnItemCollectionMetrics="BOGUS")
