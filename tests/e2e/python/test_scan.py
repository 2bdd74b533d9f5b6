"""Scan: completeness, pages, segments, filters and start keys."""

import pytest

import tables
from api import ENV, NOT_FOUND, Has
from values import item, plain_item


def identities(items):
    return sorted((one["pk"], one["sk"]) for one in map(plain_item, items))


@pytest.fixture(scope="module")
def filled(api, make):
    """30 partitions of 1 to 4 items."""
    table = make("pk:S / sk:N")
    tables.fill(api, table, [item(pk=f"p{nth}", sk=sk, x=nth) for nth in range(30) for sk in range(nth % 4 + 1)])
    return table


EVERYTHING = sorted((f"p{nth}", sk) for nth in range(30) for sk in range(nth % 4 + 1))


@pytest.mark.parametrize("limit", [None, 1, 7, len(EVERYTHING), len(EVERYTHING) + 1])
@pytest.mark.parametrize("consistent", [True, False])
def test_every_item_once(api, filled, limit, consistent):
    more = {"Limit": limit} if limit else {}
    pages = list(tables.pages(api, "Scan", TableName=filled, ConsistentRead=consistent, **more))
    assert identities([one for page in pages for one in page["Items"]]) == EVERYTHING
    if limit:
        assert all(page["ScannedCount"] == limit for page in pages[:-1])
        assert len(pages) == len(EVERYTHING) // limit + 1


def test_sort_keys_ascend_inside_a_partition(api, filled):
    seen = {}
    for one in map(plain_item, tables.all_items(api, "Scan", TableName=filled, Limit=5)):
        seen.setdefault(one["pk"], []).append(one["sk"])
    assert all(keys == sorted(keys) for keys in seen.values())


@pytest.mark.parametrize("total", [1, 2, 3, 8, 1000])
def test_segments_are_a_partition_of_the_table(api, filled, total):
    seen = []
    for segment in range(total):
        items = tables.all_items(api, "Scan", TableName=filled, Segment=segment, TotalSegments=total, Limit=4)
        seen += [(plain_item(one)["pk"], segment, plain_item(one)["sk"]) for one in items]
    assert sorted((pk, sk) for pk, _, sk in seen) == EVERYTHING
    segment_of = {}
    for pk, segment, _ in seen:
        assert segment_of.setdefault(pk, segment) == segment


@pytest.mark.parametrize(
    "more, message",
    [
        ({"Segment": 0}, "The TotalSegments parameter is required but was not present in the request when Segment parameter is present"),
        ({"TotalSegments": 2}, "The Segment parameter is required but was not present in the request when parameter TotalSegments is present"),
        ({"Segment": 5, "TotalSegments": 5}, "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 5 is not less than TotalSegments: 5"),
        ({"Segment": -1, "TotalSegments": 5}, Has("'segment' failed to satisfy constraint: Member must have value greater than or equal to 0")),
        ({"Segment": 0, "TotalSegments": 0}, Has("'totalSegments' failed to satisfy constraint: Member must have value greater than or equal to 1")),
        ({"Segment": 0, "TotalSegments": 1000001}, Has("'totalSegments' failed to satisfy constraint: Member must have value less than or equal to 1000000")),
        ({"Limit": 0}, ENV + "Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1"),
        ({"IndexName": "absent"}, "The table does not have the specified index: absent"),
        ({"Select": "SPECIFIC_ATTRIBUTES"}, "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"),
        ({"Select": "ALL_PROJECTED_ATTRIBUTES"}, Has("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")),
        ({"ExclusiveStartKey": item(pk="p")}, "The provided starting key is invalid: The provided key element does not match the schema"),
        ({"ExclusiveStartKey": item(pk="p", sk="x")}, Has("The provided starting key is invalid: ")),
        ({"ExclusiveStartKey": item(pk="p", sk=1, x=1)}, "The provided starting key is invalid: The provided key element does not match the schema"),
    ],
    ids=str,
)
def test_refused(api, filled, more, message):
    api.invalid(message, "Scan", TableName=filled, **more)


def test_start_key_of_another_segment(api, filled):
    total = 4
    starts = {}
    for segment in range(total):
        page = api("Scan", TableName=filled, Segment=segment, TotalSegments=total, Limit=1)
        starts[segment] = page["LastEvaluatedKey"]
    message = "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: 4 Segment: 1"
    api.invalid(message, "Scan", TableName=filled, Segment=1, TotalSegments=total, ExclusiveStartKey=starts[2])
    api("Scan", TableName=filled, Segment=1, TotalSegments=total, ExclusiveStartKey=starts[1])


def test_filter_and_counts(api, filled):
    answer = api("Scan", TableName=filled, FilterExpression="x < :v", ExpressionAttributeValues=item({":v": 10}))
    wanted = [one for one in EVERYTHING if int(one[0][1:]) < 10]
    assert identities(answer["Items"]) == wanted
    assert (answer["Count"], answer["ScannedCount"]) == (len(wanted), len(EVERYTHING))


def test_filter_may_use_keys(api, filled):
    answer = api("Scan", TableName=filled, FilterExpression="pk = :p AND sk > :s", ExpressionAttributeValues=item({":p": "p3", ":s": 0}))
    assert identities(answer["Items"]) == [("p3", 1), ("p3", 2), ("p3", 3)]


def test_select_count(api, filled):
    answer = api("Scan", TableName=filled, Select="COUNT")
    assert answer["Count"] == len(EVERYTHING) and "Items" not in answer


def test_empty_table(api, make):
    answer = api("Scan", TableName=make("pk:S"))
    assert (answer["Items"], answer["Count"], answer["ScannedCount"]) == ([], 0, 0) and "LastEvaluatedKey" not in answer


def test_page_ends_after_a_mebibyte(api, make):
    table = make("pk:S")
    for nth in range(12):
        api("PutItem", TableName=table, Item=item(pk=f"p{nth}", x="x" * 100_000))
    pages = list(tables.pages(api, "Scan", TableName=table, ProjectionExpression="pk"))
    assert [page["ScannedCount"] for page in pages] in ([11, 1], [10, 2])


def test_start_key_of_a_deleted_item(api, make):
    table = make("pk:S / sk:N")
    tables.fill(api, table, [item(pk="p", sk=nth) for nth in range(6)])
    page = api("Scan", TableName=table, Limit=3)
    api("DeleteItem", TableName=table, Key=page["LastEvaluatedKey"])
    rest = api("Scan", TableName=table, ExclusiveStartKey=page["LastEvaluatedKey"])
    assert identities(rest["Items"]) == [("p", 3), ("p", 4), ("p", 5)]


def test_missing_table(api):
    api.refuses(NOT_FOUND, "Requested resource not found", "Scan", TableName="no.such.table")
