"""BatchGetItem and BatchWriteItem."""

import pytest

import tables
from api import ENV, NOT_FOUND, Has
from values import item, plain_item, plain_items

DUPLICATES = "Provided list of item keys contains duplicates"


def put(**attributes):
    return {"PutRequest": {"Item": item(attributes)}}


def delete(**key):
    return {"DeleteRequest": {"Key": item(key)}}


def test_write_and_read_over_two_tables(api, make):
    one, two = make("pk:S"), make("pk:S / sk:N")
    api("PutItem", TableName=one, Item=item(pk="gone"))
    request = {one: [put(pk="a", x=1), put(pk="b"), delete(pk="gone"), delete(pk="absent")], two: [put(pk="a", sk=1)]}
    answer = api("BatchWriteItem", RequestItems=request)
    assert answer["UnprocessedItems"] == {} and "ItemCollectionMetrics" not in answer and "ConsumedCapacity" not in answer
    keys = {one: {"Keys": [item(pk="a"), item(pk="b"), item(pk="gone")]}, two: {"Keys": [item(pk="a", sk=1), item(pk="a", sk=2)], "ConsistentRead": True}}
    answer = api("BatchGetItem", RequestItems=keys)
    assert answer["UnprocessedKeys"] == {}
    got = {table: sorted(plain_items(items), key=str) for table, items in answer["Responses"].items()}
    assert got == {one: [{"pk": "a", "x": 1}, {"pk": "b"}], two: [{"pk": "a", "sk": 1}]}


def test_table_without_hits_has_an_entry(api, make):
    table = make("pk:S")
    answer = api("BatchGetItem", RequestItems={table: {"Keys": [item(pk="absent")]}})
    assert answer["Responses"] == {table: []}


def test_one_hundred_keys_and_twenty_five_writes(api, make):
    table = make("pk:S")
    for start in range(0, 100, 25):
        api("BatchWriteItem", RequestItems={table: [put(pk=f"{nth}") for nth in range(start, start + 25)]})
    answer = api("BatchGetItem", RequestItems={table: {"Keys": [item(pk=f"{nth}") for nth in range(100)]}})
    assert len(answer["Responses"][table]) == 100


def test_get_projection(api, make):
    table = make("pk:S")
    api("PutItem", TableName=table, Item=item(pk="a", m={"x": 1, "y": 2}, z=3))
    entry = {"Keys": [item(pk="a")], "ProjectionExpression": "#m.x", "ExpressionAttributeNames": {"#m": "m"}}
    answer = api("BatchGetItem", RequestItems={table: entry})
    assert plain_items(answer["Responses"][table]) == [{"m": {"x": 1}}]
    answer = api("BatchGetItem", RequestItems={table: {"Keys": [item(pk="a")], "AttributesToGet": ["z"]}})
    assert plain_items(answer["Responses"][table]) == [{"z": 3}]


def test_sixteen_megabytes_leave_unprocessed_keys(api, make):
    table = make("pk:S")
    for nth in range(45):
        api("PutItem", TableName=table, Item=item(pk=f"{nth}", x="x" * 400_000))
    wanted, seen, rounds = {f"{nth}" for nth in range(45)}, set(), 0
    request = {table: {"Keys": [item(pk=one) for one in sorted(wanted)], "ProjectionExpression": "pk, x", "ConsistentRead": True}}
    while request:
        answer = api("BatchGetItem", RequestItems=request)
        got = {plain_item(one)["pk"] for one in answer["Responses"][table]}
        assert got and not got & seen
        seen |= got
        request, rounds = answer["UnprocessedKeys"], rounds + 1
        if request:
            assert request[table]["ProjectionExpression"] == "pk, x" and request[table]["ConsistentRead"] is True
    assert seen == wanted and rounds >= 2


SHORT = "greater than or equal to 1"


@pytest.mark.parametrize(
    "name, request_of, message",
    [
        ("no tables", lambda t: {}, [Has(ENV, "'RequestItems' failed to satisfy constraint", SHORT), "The requestItems parameter is required for BatchGetItem"]),
        ("no keys", lambda t: {t: {"Keys": []}}, ENV + "Value at 'RequestItems.{t}.member.Keys' failed to satisfy constraint: Member must have length greater than or equal to 1"),
        (
            "101 keys",
            lambda t: {t: {"Keys": [item(pk=f"{n}") for n in range(101)]}},
            ENV + "Value at 'RequestItems.{t}.member.Keys' failed to satisfy constraint: Member must have length less than or equal to 100",
        ),
        (
            "101 keys over two tables",
            lambda t: {t: {"Keys": [item(pk=f"{n}") for n in range(100)]}, "other.table": {"Keys": [item(pk="1")]}},
            "Too many items requested for the BatchGetItem call",
        ),
        ("duplicates", lambda t: {t: {"Keys": [item(pk="a"), item(pk="a")]}}, DUPLICATES),
        ("bad name", lambda t: {"bad!name": {"Keys": [item(pk="a")]}}, Has("'requestItems' failed to satisfy constraint: Map keys must satisfy constraint: [", "[a-zA-Z0-9_.-]+]")),
        ("both styles", lambda t: {t: {"Keys": [item(pk="a")], "ProjectionExpression": "a", "AttributesToGet": ["a"]}}, Has("Can not use both expression and non-expression parameters in the same request")),
    ],
    ids=lambda one: one if isinstance(one, str) and " " in one or one == "duplicates" else "",
)
def test_get_refused(api, simple, name, request_of, message):
    if isinstance(message, str):
        message = message.replace("{t}", simple)
    api.invalid(message, "BatchGetItem", RequestItems=request_of(simple))


def test_number_keys_are_duplicates_by_value(api, make):
    table = make("pk:N")
    keys = [{"pk": {"N": "1"}}, {"pk": {"N": "1.0"}}]
    api.invalid(DUPLICATES, "BatchGetItem", RequestItems={table: {"Keys": keys}})
    api.invalid(DUPLICATES, "BatchWriteItem", RequestItems={table: [{"PutRequest": {"Item": one}} for one in keys]})


@pytest.mark.parametrize(
    "name, request_of, message",
    [
        ("no tables", lambda t: {}, [Has(ENV, "'RequestItems' failed to satisfy constraint", SHORT), "The requestItems parameter is required for BatchWriteItem"]),
        ("no writes", lambda t: {t: []}, Has(ENV, "equestItems", "Member must have length greater than or equal to 1")),
        ("26 writes", lambda t: {t: [put(pk=f"{n}") for n in range(26)]}, Has(ENV, "equestItems", "Member must have length less than or equal to 25")),
        (
            "26 writes over two tables",
            lambda t: {t: [put(pk=f"{n}") for n in range(25)], "other.table": [put(pk="1")]},
            "Too many items requested for the BatchWriteItem call",
        ),
        ("put twice", lambda t: {t: [put(pk="a"), put(pk="a", x=1)]}, DUPLICATES),
        ("put and delete", lambda t: {t: [put(pk="a"), delete(pk="a")]}, DUPLICATES),
        ("both in one", lambda t: {t: [{**put(pk="a"), **delete(pk="b")}]}, "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"),
        ("neither in one", lambda t: {t: [{}]}, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        ("missing key", lambda t: {t: [put(x=1)]}, "The provided key element does not match the schema"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_write_refused(api, simple, name, request_of, message):
    api.invalid(message, "BatchWriteItem", RequestItems=request_of(simple))


def test_one_bad_write_stops_the_whole_batch(api, make):
    table = make("pk:S")
    api.invalid("The provided key element does not match the schema", "BatchWriteItem", RequestItems={table: [put(pk="good"), put(pk=1)]})
    api.refuses(NOT_FOUND, "Requested resource not found", "BatchWriteItem", RequestItems={table: [put(pk="good")], "no.such.table": [put(pk="a")]})
    assert api("Scan", TableName=table)["Items"] == []


def test_missing_table_of_a_read(api, simple):
    request = {simple: {"Keys": [item(pk="a")]}, "no.such.table": {"Keys": [item(pk="a")]}}
    api.refuses(NOT_FOUND, "Requested resource not found", "BatchGetItem", RequestItems=request)


def test_unknown_enums_come_first(api, simple):
    message = Has("2 validation errors detected: ", "'returnConsumedCapacity'", "'returnItemCollectionMetrics'")
    api.invalid(message, "BatchWriteItem", RequestItems={simple: [put(pk="a"), put(pk="a")]}, ReturnConsumedCapacity="X", ReturnItemCollectionMetrics="Y")
    message = Has(ENV, "'returnConsumedCapacity'", "[INDEXES, TOTAL, NONE]")
    api.invalid(message, "BatchWriteItem", RequestItems={"no.such.table": [put(pk="a")]}, ReturnConsumedCapacity="X")


def test_table_arn_as_map_key(api, make):
    table = make("pk:S")
    arn = api("DescribeTable", TableName=table)["Table"]["TableArn"]
    api("BatchWriteItem", RequestItems={arn: [put(pk="a")]})
    assert plain_items(api("Scan", TableName=table)["Items"]) == [{"pk": "a"}]
    assert len(api("BatchGetItem", RequestItems={arn: {"Keys": [item(pk="a")]}})["Responses"][arn]) == 1
