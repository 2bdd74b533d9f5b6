"""Query: order, key conditions, limits, pages, start keys, select modes and projections."""

import pytest

import tables
from api import ENV, IPV, NOT_FOUND, Has
from values import item, plain_item, plain_items

MIB = 1024 * 1024


def query(api, table, condition, values=None, **more):
    values = item({f":{name}": value for name, value in (values or {}).items()})
    return api("Query", TableName=table, KeyConditionExpression=condition, ExpressionAttributeValues=values, **more)


def sort_keys(answer):
    return [plain_item(one)["sk"] for one in answer["Items"]]


@pytest.fixture(scope="module")
def numbers(api, make):
    """pk "p" with sk 0..19, neighbours in other partitions."""
    table = make("pk:S / sk:N")
    tables.fill(api, table, [item(pk="p", sk=nth, even=nth % 2 == 0, x=f"x{nth}") for nth in range(20)])
    tables.fill(api, table, [item(pk=other, sk=5) for other in ("o", "q", "pp")])
    return table


@pytest.mark.parametrize(
    "condition, wanted",
    [
        ("pk = :p", range(20)),
        (":p = pk", range(20)),
        ("(pk = :p)", range(20)),
        ("pk = :p AND sk = :a", [5]),
        ("sk = :a AND pk = :p", [5]),
        ("(pk = :p) AND (sk = :a)", [5]),
        ("pk = :p and sk < :a", range(5)),
        ("pk = :p AND sk <= :a", range(6)),
        ("pk = :p AND sk > :a", range(6, 20)),
        ("pk = :p AND sk >= :a", range(5, 20)),
        ("pk = :p AND :a <= sk", range(5, 20)),
        ("pk = :p AND sk BETWEEN :a AND :b", range(5, 9)),
    ],
)
@pytest.mark.parametrize("forward", [True, False, None])
def test_key_conditions_and_order(api, numbers, condition, wanted, forward):
    values = {name: value for name, value in {"p": "p", "a": 5, "b": 8}.items() if f":{name}" in condition}
    more = {} if forward is None else {"ScanIndexForward": forward}
    answer = query(api, numbers, condition, values, **more)
    wanted = list(wanted)
    assert sort_keys(answer) == (wanted[::-1] if forward is False else wanted)
    assert answer["Count"] == answer["ScannedCount"] == len(wanted)
    assert "LastEvaluatedKey" not in answer


def test_no_match(api, numbers):
    answer = query(api, numbers, "pk = :p", {"p": "absent"})
    assert (answer["Items"], answer["Count"], answer["ScannedCount"]) == ([], 0, 0)


@pytest.mark.parametrize(
    "key_type, keys",
    [
        ("S", ["", "A", "Z", "a", "aa", "b", "~", "\u00e9", "\u4e2d", "\uffff", "\U0001f600"][1:]),
        ("N", [-(10**20), -5, -1, 0, 1, 2, 10, 100, 10**37]),
        ("B", [b"\x00", b"\x00\x00", b"\x01", b"\x7f", b"\x80", b"\xff", b"\xff\x00"]),
    ],
)
def test_order_by_type(api, make, key_type, keys):
    table = make(f"pk:S / sk:{key_type}")
    tables.fill(api, table, [item(pk="p", sk=one) for one in reversed(keys)])
    assert sort_keys(query(api, table, "pk = :p", {"p": "p"})) == keys
    assert sort_keys(query(api, table, "pk = :p", {"p": "p"}, ScanIndexForward=False)) == keys[::-1]
    middle = keys[len(keys) // 2]
    assert sort_keys(query(api, table, "pk = :p AND sk < :k", {"p": "p", "k": middle})) == keys[: len(keys) // 2]


def test_fractions_and_exponents_sort_by_value(api, make):
    table = make("pk:S / sk:N")
    ordered = ["-1E125", "-2.5", "-0.001", "-1E-130", "0", "1E-130", "0.0001", "0.5", "1.05", "1.5", "12", "1E125"]
    tables.fill(api, table, [{"pk": {"S": "p"}, "sk": {"N": one}} for one in reversed(ordered)])
    got = [float(one["sk"]["N"]) for one in query(api, table, "pk = :p", {"p": "p"})["Items"]]
    assert got == [float(one) for one in ordered]


def test_begins_with(api, make):
    table = make("pk:S / sk:S")
    keys = ["a", "ab", "ab\u00ff", "ab\uffff", "abc", "ac", "b"]
    tables.fill(api, table, [item(pk="p", sk=one) for one in keys])
    answer = query(api, table, "pk = :p AND begins_with(sk, :k)", {"p": "p", "k": "ab"})
    assert sort_keys(answer) == sorted(["ab", "ab\u00ff", "ab\uffff", "abc"], key=str.encode)
    binary = make("pk:S / sk:B")
    tables.fill(api, binary, [item(pk="p", sk=one) for one in (b"\xfe", b"\xff", b"\xff\xff", b"\xff\x00")])
    answer = query(api, binary, "pk = :p AND begins_with(sk, :k)", {"p": "p", "k": b"\xff"})
    assert sort_keys(answer) == [b"\xff", b"\xff\x00", b"\xff\xff"]


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("limit", [1, 3, 7, 19, 20, 21])
def test_pages_by_limit(api, numbers, limit, forward):
    pages = list(tables.pages(
        api, "Query", TableName=numbers, KeyConditionExpression="pk = :p", ExpressionAttributeValues=item({":p": "p"}),
        Limit=limit, ScanIndexForward=forward,
    ))  # fmt: skip
    got = [one for page in pages for one in sort_keys(page)]
    assert got == (list(range(20)) if forward else list(range(19, -1, -1)))
    assert all(len(page["Items"]) == limit for page in pages[:-1])
    assert len(pages) == 20 // limit + 1
    for page in pages[:-1]:
        assert page["LastEvaluatedKey"] == {name: page["Items"][-1][name] for name in ("pk", "sk")}


def test_limit_counts_items_before_the_filter(api, numbers):
    more = {"FilterExpression": "even = :t", "Limit": 5}
    answer = query(api, numbers, "pk = :p", {"p": "p", "t": True}, **more)
    assert (answer["Count"], answer["ScannedCount"], sort_keys(answer)) == (3, 5, [0, 2, 4])
    answer = query(api, numbers, "pk = :p", {"p": "p", "t": "never"}, **more)
    assert (answer["Items"], answer["ScannedCount"]) == ([], 5)
    assert answer["LastEvaluatedKey"] == item(pk="p", sk=4)


@pytest.mark.parametrize("limit", [0, -1])
def test_limit_is_positive(api, numbers, limit):
    message = ENV + "Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1"
    api.invalid(message, "Query", TableName=numbers, KeyConditionExpression="pk = :p", ExpressionAttributeValues=item({":p": "p"}), Limit=limit)


def test_page_ends_after_a_mebibyte(api, make):
    table = make("pk:S / sk:N")
    for nth in range(12):
        api("PutItem", TableName=table, Item=item(pk="p", sk=nth, x="x" * 100_000))
    for more in ({}, {"FilterExpression": "attribute_not_exists(x)"}, {"ProjectionExpression": "sk"}, {"Select": "COUNT"}):
        pages = list(tables.pages(api, "Query", TableName=table, KeyConditionExpression="pk = :p", ExpressionAttributeValues=item({":p": "p"}), **more))
        assert [page["ScannedCount"] for page in pages] in ([11, 1], [10, 2]), more
        assert sum(page["ScannedCount"] for page in pages) == 12


def test_start_key_need_not_exist(api, numbers):
    answer = query(api, numbers, "pk = :p", {"p": "p"}, ExclusiveStartKey={"pk": {"S": "p"}, "sk": {"N": "4.5"}}, Limit=2)
    assert sort_keys(answer) == [5, 6]
    answer = query(api, numbers, "pk = :p", {"p": "p"}, ExclusiveStartKey={"pk": {"S": "p"}, "sk": {"N": "4.5"}}, Limit=2, ScanIndexForward=False)
    assert sort_keys(answer) == [4, 3]


START_FAULTS = [
    ({}, Has("The provided starting key is invalid")),
    (item(pk="p"), Has("The provided starting key is invalid")),
    (item(pk="p", sk=1, x=1), Has("The provided starting key is invalid")),
    (item(pk="p", sk="1"), Has("The provided starting key is invalid")),
    (item(pk="other", sk=1), "The provided starting key is outside query boundaries based on provided conditions"),
    ({"pk": {"S": "p"}, "sk": {"N": "abc"}}, "The parameter cannot be converted to a numeric value: abc"),
]


@pytest.mark.parametrize("key, message", START_FAULTS, ids=str)
def test_start_key_faults(api, numbers, key, message):
    parameters = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": item({":p": "p"})}
    api.invalid(message, "Query", TableName=numbers, ExclusiveStartKey=key, **parameters)


def test_start_key_outside_the_range_condition(api, numbers):
    parameters = {"KeyConditionExpression": "pk = :p AND sk > :k", "ExpressionAttributeValues": item({":p": "p", ":k": 10})}
    message = "The provided starting key does not match the range key predicate"
    api.invalid(message, "Query", TableName=numbers, ExclusiveStartKey=item(pk="p", sk=3), **parameters)


def test_select_count(api, numbers):
    answer = query(api, numbers, "pk = :p", {"p": "p"}, Select="COUNT")
    assert answer["Count"] == 20 and "Items" not in answer


@pytest.mark.parametrize(
    "more, message",
    [
        ({"Select": "ALL_PROJECTED_ATTRIBUTES"}, Has("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")),
        ({"Select": "SPECIFIC_ATTRIBUTES"}, ENV + "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"),
        ({"Select": "ALL_ATTRIBUTES", "ProjectionExpression": "x"}, Has("Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES")),
        ({"Select": "COUNT", "ProjectionExpression": "x"}, Has("Cannot specify the ProjectionExpression when choosing to get only the Count")),
        ({"Select": "COUNT", "AttributesToGet": ["x"]}, Has("AttributesToGet")),
        ({"Select": "BOGUS"}, Has("enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]")),
        ({"IndexName": "absent"}, "The table does not have the specified index: absent"),
    ],
    ids=str,
)
def test_select_faults(api, numbers, more, message):
    parameters = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": item({":p": "p"})}
    api.invalid(message, "Query", TableName=numbers, **parameters, **more)


def test_projection(api, numbers):
    answer = query(api, numbers, "pk = :p AND sk = :k", {"p": "p", "k": 3}, ProjectionExpression="x, absent")
    assert plain_items(answer["Items"]) == [{"x": "x3"}]
    answer = query(api, numbers, "pk = :p AND sk = :k", {"p": "p", "k": 3}, ProjectionExpression="absent")
    assert answer["Items"] == [{}] and answer["Count"] == 1


def test_table_without_sort_key(api, simple):
    api("PutItem", TableName=simple, Item=item(pk="one"))
    answer = query(api, simple, "pk = :p", {"p": "one"})
    assert plain_items(answer["Items"]) == [{"pk": "one"}]


def test_missing_table(api):
    parameters = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": item({":p": "p"})}
    api.refuses(NOT_FOUND, "Requested resource not found", "Query", TableName="no.such.table", **parameters)


def test_paginator_of_the_sdk(api, numbers):
    paginator = api.client.get_paginator("query").paginate(
        TableName=numbers, KeyConditionExpression="pk = :p", ExpressionAttributeValues=item({":p": "p"}), PaginationConfig={"PageSize": 6}
    )
    assert [plain_item(one)["sk"] for page in paginator for one in page["Items"]] == list(range(20))


def test_key_value_of_the_wrong_type_names_no_item(api, numbers):
    message = IPV + "Condition parameter type does not match schema type"
    api.invalid(message, "Query", TableName=numbers, KeyConditionExpression="pk = :p", ExpressionAttributeValues=item({":p": b"p"}))
