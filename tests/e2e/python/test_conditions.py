"""Conditions and filters: a truth table, evaluated as filter of Scan and Query and as condition of a write."""

import pytest

from api import CONDITION_FAILED
from values import item

ITEM = {
    "s": "hello", "n": 5, "b": b"\x01\x02\x03", "t": True, "f": False, "z": None, "es": "",
    "l": [1, "two", [3]], "m": {"a": 1, "l": [{"x": "deep"}]}, "ss": {"a", "b"}, "ns": {1, 2}, "bs": {b"\x01"},
    "emoji": "\U0001f600", "seven": 7,
}  # fmt: skip

# Condition, values, whether it holds for ITEM.
TABLE = [
    ("s = :v", {"v": "hello"}, True),
    ("s = :v", {"v": "Hello"}, False),
    ("s = :v", {"v": 5}, False),
    ("s <> :v", {"v": "x"}, True),
    ("s <> :v", {"v": 5}, True),
    ("s <> :v", {"v": "hello"}, False),
    ("absent = :v", {"v": 1}, False),
    ("absent <> :v", {"v": 1}, True),
    ("NOT absent = :v", {"v": 1}, True),
    ("NOT s = :v", {"v": "hello"}, False),
    ("n = :v", {"v": 5}, True),
    ("n < :v", {"v": 10}, True),
    ("n < :v", {"v": 5}, False),
    ("n <= :v", {"v": 5}, True),
    ("n > :v", {"v": -100}, True),
    ("n >= :v", {"v": 6}, False),
    ("n < :v", {"v": "a"}, False),
    ("n > :v", {"v": "a"}, False),
    ("absent < :v", {"v": 1}, False),
    ("absent >= :v", {"v": 1}, False),
    (":v < n", {"v": 1}, True),
    ("n < seven", None, True),
    ("n = seven", None, False),
    ("n <> absent", None, True),
    ("s < :v", {"v": "hellp"}, True),
    ("s > :v", {"v": "Zzz"}, True),
    ("emoji > :v", {"v": "\uffff"}, True),
    ("b < :v", {"v": b"\x01\x03"}, True),
    ("b > :v", {"v": b"\x01\x02"}, True),
    ("t = :v", {"v": True}, True),
    ("t = :v", {"v": False}, False),
    ("t = :v", {"v": 1}, False),
    ("z = :v", {"v": None}, True),
    ("z <> :v", {"v": None}, False),
    ("ss = :v", {"v": {"b", "a"}}, True),
    ("ss = :v", {"v": {"a"}}, False),
    ("ns = :v", {"v": {2, 1}}, True),
    ("l = :v", {"v": [1, "two", [3]]}, True),
    ("l = :v", {"v": ["two", 1, [3]]}, False),
    ("m = :v", {"v": {"l": [{"x": "deep"}], "a": 1}}, True),
    ("m = :v", {"v": {"a": 1}}, False),
    ("m.a = :v", {"v": 1}, True),
    ("m.l[0].x = :v", {"v": "deep"}, True),
    ("m.l[1].x = :v", {"v": "deep"}, False),
    ("l[1] = :v", {"v": "two"}, True),
    ("l[2][0] = :v", {"v": 3}, True),
    ("s.a = :v", {"v": 1}, False),
    ("n BETWEEN :v AND :w", {"v": 5, "w": 6}, True),
    ("n BETWEEN :v AND :w", {"v": 4, "w": 5}, True),
    ("n between :v and :w", {"v": 6, "w": 9}, False),
    ("s BETWEEN :v AND :w", {"v": "a", "w": "z"}, True),
    ("s BETWEEN :v AND :w", {"v": 1, "w": 9}, False),
    (":v BETWEEN n AND seven", {"v": 6}, True),
    ("NOT n BETWEEN :v AND :w", {"v": 6, "w": 9}, True),
    ("n IN (:v)", {"v": 5}, True),
    ("n IN (:v, :w)", {"v": 4, "w": 5}, True),
    ("n in (:v, :w)", {"v": "5", "w": 6}, False),
    ("ss IN (:v, :w)", {"v": 1, "w": {"a", "b"}}, True),
    (":v IN (n, seven)", {"v": 7}, True),
    ("absent IN (:v)", {"v": 5}, False),
    ("attribute_exists(s)", None, True),
    ("attribute_exists(z)", None, True),
    ("attribute_exists(es)", None, True),
    ("attribute_exists(absent)", None, False),
    ("attribute_exists(m.a)", None, True),
    ("attribute_exists(m.b)", None, False),
    ("attribute_exists(l[2])", None, True),
    ("attribute_exists(l[3])", None, False),
    ("attribute_not_exists(absent)", None, True),
    ("attribute_not_exists(s)", None, False),
    *[
        (f"attribute_type({name}, :v)", {"v": kind}, True)
        for name, kind in zip(
            ("s", "n", "b", "t", "z", "l", "m", "ss", "ns", "bs"), ("S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"), strict=True
        )
    ],
    ("attribute_type(s, :v)", {"v": "N"}, False),
    ("attribute_type(absent, :v)", {"v": "S"}, False),
    ("begins_with(s, :v)", {"v": "hel"}, True),
    ("begins_with(s, :v)", {"v": ""}, True),
    ("begins_with(s, :v)", {"v": "hello!"}, False),
    ("begins_with(b, :v)", {"v": b"\x01\x02"}, True),
    ("begins_with(b, :v)", {"v": "hel"}, False),
    ("begins_with(n, :v)", {"v": "5"}, False),
    ("begins_with(absent, :v)", {"v": "x"}, False),
    ("contains(s, :v)", {"v": "ell"}, True),
    ("contains(s, :v)", {"v": "elo"}, False),
    ("contains(s, :v)", {"v": 5}, False),
    ("contains(b, :v)", {"v": b"\x02\x03"}, True),
    ("contains(ss, :v)", {"v": "a"}, True),
    ("contains(ss, :v)", {"v": "c"}, False),
    ("contains(ns, :v)", {"v": 2}, True),
    ("contains(ns, :v)", {"v": "2"}, False),
    ("contains(bs, :v)", {"v": b"\x01"}, True),
    ("contains(l, :v)", {"v": "two"}, True),
    ("contains(l, :v)", {"v": [3]}, True),
    ("contains(l, :v)", {"v": 3}, False),
    ("contains(absent, :v)", {"v": "a"}, False),
    ("size(s) = :v", {"v": 5}, True),
    ("size(es) = :v", {"v": 0}, True),
    ("size(emoji) = :v", {"v": 2}, True),
    ("size(b) = :v", {"v": 3}, True),
    ("size(l) = :v", {"v": 3}, True),
    ("size(m) = :v", {"v": 2}, True),
    ("size(ss) = :v", {"v": 2}, True),
    ("size(n) = :v", {"v": 5}, False),
    ("size(n) <> :v", {"v": 5}, False),
    ("size(t) > :v", {"v": 0}, False),
    ("size(absent) = :v", {"v": 0}, False),
    ("size(s) < size(m)", None, False),
    ("size(s) BETWEEN :v AND :w", {"v": 1, "w": 5}, True),
    ("size(s) IN (:v)", {"v": 5}, True),
    ("size(s) = n", None, True),
    ("n = :v AND s = :w", {"v": 5, "w": "hello"}, True),
    ("n = :v AND s = :w", {"v": 5, "w": "x"}, False),
    ("n = :v OR s = :w", {"v": 1, "w": "hello"}, True),
    ("n = :x OR n = :v AND s = :w", {"x": 5, "v": 1, "w": "x"}, True),
    ("(n = :x OR n = :v) AND s = :w", {"x": 5, "v": 1, "w": "x"}, False),
    ("NOT n = :v AND s = :w", {"v": 1, "w": "x"}, False),
    ("NOT (n = :v AND s = :w)", {"v": 1, "w": "x"}, True),
    ("n=:v and not(s=:w)", {"v": 5, "w": "x"}, True),
    ("(n) = :v", {"v": 5}, True),
]


@pytest.fixture(scope="module")
def filled(api, make):
    table = make("pk:S")
    api("PutItem", TableName=table, Item=item(ITEM, pk="it"))
    return table


@pytest.mark.parametrize("condition, values, holds", TABLE, ids=lambda one: str(one)[:60])
def test_truth_table(api, filled, condition, values, holds):
    placeholders = {f":{name}": value for name, value in (values or {}).items()}
    more = {"ExpressionAttributeValues": item(placeholders)} if placeholders else {}
    scanned = api("Scan", TableName=filled, FilterExpression=condition, **more)
    assert (scanned["Count"], scanned["ScannedCount"]) == (int(holds), 1)
    query = item(placeholders | {":pk": "it"})
    queried = api("Query", TableName=filled, KeyConditionExpression="pk = :pk", FilterExpression=condition, ExpressionAttributeValues=query)
    assert (queried["Count"], queried["ScannedCount"]) == (int(holds), 1)
    write = {"TableName": filled, "Key": item(pk="it"), "ConditionExpression": condition, **more}
    if holds:
        api("UpdateItem", **write)
    else:
        api.refuses(CONDITION_FAILED, "The conditional request failed", "UpdateItem", **write)


@pytest.mark.parametrize("condition, holds", [("attribute_not_exists(pk)", True), ("attribute_exists(pk)", False), ("a <> :v", True), ("a = :v", False)])
def test_condition_on_an_absent_item(api, simple, pk, condition, holds):
    more = {"ExpressionAttributeValues": item({":v": 1})} if ":v" in condition else {}
    write = {"TableName": simple, "Item": item(pk=pk), "ConditionExpression": condition, **more}
    if holds:
        api("PutItem", **write)
    else:
        api.refuses(CONDITION_FAILED, "The conditional request failed", "PutItem", **write)


def test_condition_of_an_update_sees_the_stored_item(api, simple, pk):
    """The key that an update would create is not there yet."""
    update = {"TableName": simple, "Key": item(pk=pk), "UpdateExpression": "SET x = :v", "ExpressionAttributeValues": item({":v": 1})}
    api("UpdateItem", ConditionExpression="attribute_not_exists(pk)", **update)
    api.refuses(CONDITION_FAILED, "The conditional request failed", "UpdateItem", ConditionExpression="attribute_not_exists(pk)", **update)


def test_reserved_word_through_an_alias(api, simple, pk):
    names = {"#status": "status"}
    api("PutItem", TableName=simple, Item=item(pk=pk, status="open"))
    more = {"ExpressionAttributeNames": names, "ExpressionAttributeValues": item({":v": "open"})}
    api("DeleteItem", TableName=simple, Key=item(pk=pk), ConditionExpression="#status = :v", **more)


def test_one_hundred_operands_of_in(api, filled):
    def scan(count):
        names = [f":v{nth}" for nth in range(count)]
        values = item({name: nth for nth, name in enumerate(names)})
        return {"TableName": filled, "FilterExpression": f"n IN ({', '.join(names)})", "ExpressionAttributeValues": values}

    assert api("Scan", **scan(100))["Count"] == 1
    assert api.fails("Scan", **scan(101))["Error"]["Code"] == "ValidationException"
