"""UpdateItem: each action on each kind of value, return values, and every fault."""

import pytest

from api import ENV, IPV, Has
from values import item, plain_item

PATH = "The document path provided in the update expression is invalid for update"
MISSING = "The provided expression refers to an attribute that does not exist in the item"
OPERAND = "An operand in the update expression has an incorrect data type"

BEFORE = {
    "s": "text", "n": 10, "b": b"\x01", "t": True, "z": None,
    "l": [1, 2, 3], "e": [], "m": {"a": 1, "k": {"z": 5}}, "ss": {"a", "b"}, "ns": {1, 2}, "bs": {b"a"},
}  # fmt: skip
GONE = object()


def update(api, table, pk, expression, values=None, names=None, **more):
    if values:
        more["ExpressionAttributeValues"] = item({f":{name}": value for name, value in values.items()})
    if names:
        more["ExpressionAttributeNames"] = names
    if expression is not None:
        more["UpdateExpression"] = expression
    return api("UpdateItem", TableName=table, Key=item(pk=pk), **more)


# Expression, values, what changes in BEFORE.
CASES = [
    ("SET x = :v", {"v": 1}, {"x": 1}),
    ("set x = :v", {"v": 1}, {"x": 1}),
    ("SET x = :v, y = :w", {"v": 1, "w": [2]}, {"x": 1, "y": [2]}),
    ("SET s = :v", {"v": {"new": None}}, {"s": {"new": None}}),
    ("SET s = n, n = s", None, {"s": 10, "n": "text"}),
    ("SET n = :v, x = n", {"v": 99}, {"n": 99, "x": 10}),
    ("SET n = n + :v", {"v": 5}, {"n": 15}),
    ("SET n = n - :v", {"v": 15}, {"n": -5}),
    ("SET n = :v - n", {"v": 1}, {"n": -9}),
    ("SET x = n + n", None, {"x": 20}),
    ("SET x = m.a + n", None, {"x": 11}),
    ("SET x = if_not_exists(x, :v)", {"v": 1}, {"x": 1}),
    ("SET s = if_not_exists(s, :v)", {"v": 1}, {}),
    ("SET x = if_not_exists(x, :z) + :v", {"z": 0, "v": 3}, {"x": 3}),
    ("SET x = if_not_exists(x, n)", None, {"x": 10}),
    ("SET x = if_not_exists(n, :v)", {"v": 1}, {"x": 10}),
    ("SET l = list_append(l, :v)", {"v": [4]}, {"l": [1, 2, 3, 4]}),
    ("SET l = list_append(:v, l)", {"v": [0]}, {"l": [0, 1, 2, 3]}),
    ("SET l = list_append(l, l)", None, {"l": [1, 2, 3, 1, 2, 3]}),
    ("SET x = list_append(if_not_exists(x, :e), :v)", {"e": [], "v": ["a"]}, {"x": ["a"]}),
    ("SET m.a = :v", {"v": 2}, {"m": {"a": 2, "k": {"z": 5}}}),
    ("SET m.b = :v", {"v": 2}, {"m": {"a": 1, "b": 2, "k": {"z": 5}}}),
    ("SET m.k.z = m.k.z + :v", {"v": 1}, {"m": {"a": 1, "k": {"z": 6}}}),
    ("SET m.a = :v, m.k.y = :v", {"v": 7}, {"m": {"a": 7, "k": {"z": 5, "y": 7}}}),
    ("SET l[0] = :v", {"v": "x"}, {"l": ["x", 2, 3]}),
    ("SET l[2] = :v, l[0] = :w", {"v": "c", "w": "a"}, {"l": ["a", 2, "c"]}),
    ("SET l[3] = :v", {"v": 4}, {"l": [1, 2, 3, 4]}),
    ("SET l[99] = :v", {"v": 4}, {"l": [1, 2, 3, 4]}),
    ("SET e[0] = :v", {"v": 1}, {"e": [1]}),
    ("REMOVE s", None, {"s": GONE}),
    ("REMOVE s, n, absent", None, {"s": GONE, "n": GONE}),
    ("REMOVE l[0]", None, {"l": [2, 3]}),
    ("REMOVE l[0], l[2]", None, {"l": [2]}),
    ("REMOVE l[9]", None, {}),
    ("REMOVE m.a", None, {"m": {"k": {"z": 5}}}),
    ("REMOVE m.k.z", None, {"m": {"a": 1, "k": {}}}),
    ("REMOVE m.absent", None, {}),
    ("ADD n :v", {"v": 5}, {"n": 15}),
    ("ADD n :v", {"v": -10}, {"n": 0}),
    ("ADD x :v", {"v": 5}, {"x": 5}),
    ("ADD ss :v", {"v": {"b", "c"}}, {"ss": {"a", "b", "c"}}),
    ("ADD ns :v", {"v": {2, 3}}, {"ns": {1, 2, 3}}),
    ("ADD bs :v", {"v": {b"b"}}, {"bs": {b"a", b"b"}}),
    ("ADD x :v", {"v": {"a"}}, {"x": {"a"}}),
    ("ADD m.a :v", {"v": 1}, {"m": {"a": 2, "k": {"z": 5}}}),
    ("DELETE ss :v", {"v": {"a", "zz"}}, {"ss": {"b"}}),
    ("DELETE ss :v", {"v": {"a", "b"}}, {"ss": GONE}),
    ("DELETE x :v", {"v": {"a"}}, {}),
    ("DELETE ns :v", {"v": {2}}, {"ns": {1}}),
    ("SET x = :v REMOVE s ADD n :v DELETE ss :s", {"v": 1, "s": {"a"}}, {"x": 1, "s": GONE, "n": 11, "ss": {"b"}}),
    ("DELETE ss :s ADD n :v REMOVE s SET x = :v", {"v": 1, "s": {"a"}}, {"x": 1, "s": GONE, "n": 11, "ss": {"b"}}),
    ("SET x = (n + :v)", {"v": 1}, {"x": 11}),
]


@pytest.mark.parametrize("expression, values, changes", CASES, ids=lambda one: one if isinstance(one, str) else "")
def test_update(api, simple, pk, expression, values, changes):
    api("PutItem", TableName=simple, Item=item(BEFORE, pk=pk))
    answer = update(api, simple, pk, expression, values, ReturnValues="ALL_NEW")
    wanted = {name: value for name, value in {**BEFORE, **changes, "pk": pk}.items() if value is not GONE}
    assert plain_item(answer["Attributes"]) == wanted
    assert plain_item(api("GetItem", TableName=simple, Key=item(pk=pk))["Item"]) == wanted


FAULTS = [
    ("SET absent.b = :v", {"v": 1}, PATH),
    ("SET s.b = :v", {"v": 1}, PATH),
    ("SET absent[0] = :v", {"v": 1}, PATH),
    ("SET m[0] = :v", {"v": 1}, PATH),
    ("SET l.a = :v", {"v": 1}, PATH),
    ("SET x = absent", None, MISSING),
    ("SET x = absent + :v", {"v": 1}, MISSING),
    ("SET x = list_append(absent, :v)", {"v": [1]}, MISSING),
    ("SET x = m.absent", None, MISSING),
    ("SET x = s + :v", {"v": 1}, OPERAND),
    ("SET x = list_append(s, :v)", {"v": [1]}, OPERAND),
    ("ADD s :v", {"v": 1}, OPERAND),
    ("ADD n :v", {"v": {1}}, OPERAND),
    ("ADD ss :v", {"v": {1}}, OPERAND),
    ("DELETE n :v", {"v": {1}}, OPERAND),
    ("DELETE ss :v", {"v": {1}}, OPERAND),
    ("SET pk = :v", {"v": "x"}, IPV + "Cannot update attribute pk. This attribute is part of the key"),
    ("REMOVE pk", None, IPV + "Cannot update attribute pk. This attribute is part of the key"),
    ("ADD pk :v", {"v": 1}, IPV + "Cannot update attribute pk. This attribute is part of the key"),
    ("SET n = :v + :w", {"v": 5 * 10**125, "w": 6 * 10**125}, Has("Number overflow.")),
]


@pytest.mark.parametrize("expression, values, message", FAULTS, ids=lambda one: one if isinstance(one, str) else "")
def test_faults_when_applied(api, simple, pk, expression, values, message):
    before = item(BEFORE, pk=pk)
    api("PutItem", TableName=simple, Item=before)
    more = {"ExpressionAttributeValues": item({f":{name}": value for name, value in values.items()})} if values else {}
    api.invalid(message, "UpdateItem", TableName=simple, Key=item(pk=pk), UpdateExpression=expression, **more)
    after = plain_item(api("GetItem", TableName=simple, Key=item(pk=pk))["Item"])
    assert after == {**BEFORE, "pk": pk}


def test_arithmetic_is_exact(api, simple, pk):
    big = 12345678901234567890123456789012345677
    api("PutItem", TableName=simple, Item=item(pk=pk, n=big))
    answer = update(api, simple, pk, "SET n = n + :one", {"one": 1}, ReturnValues="UPDATED_NEW")
    assert answer["Attributes"] == {"n": {"N": str(big + 1)}}
    api("PutItem", TableName=simple, Item={"pk": {"S": pk}, "n": {"N": "0.1"}})
    values = {":v": {"N": "0.2"}}
    answer = api("UpdateItem", TableName=simple, Key=item(pk=pk), UpdateExpression="ADD n :v", ExpressionAttributeValues=values, ReturnValues="UPDATED_NEW")
    assert answer["Attributes"] == {"n": {"N": "0.3"}}


@pytest.mark.parametrize("expression, wanted", [(None, {}), ("SET x = :v", {"x": 1}), ("ADD x :v", {"x": 1}), ("REMOVE x SET y = :v", {"y": 1})])
def test_update_creates_an_absent_item(api, simple, pk, expression, wanted):
    values = {"v": 1} if expression and ":v" in expression else None
    update(api, simple, pk, expression, values)
    assert plain_item(api("GetItem", TableName=simple, Key=item(pk=pk))["Item"]) == {"pk": pk, **wanted}


@pytest.mark.parametrize("expression", ["REMOVE x", "REMOVE x.y, l[0]"])
def test_removing_creates_nothing(api, simple, pk, expression):
    assert "Attributes" not in update(api, simple, pk, expression, ReturnValues="ALL_NEW")
    assert "Item" not in api("GetItem", TableName=simple, Key=item(pk=pk))


RETURNED = [
    ("SET a = :v", {"a": 1, "o": 0}, {"UPDATED_OLD": {"a": 1}, "UPDATED_NEW": {"a": 9}}),
    ("SET x = :v", {"a": 1}, {"UPDATED_OLD": None, "UPDATED_NEW": {"x": 9}}),
    ("SET a = :v, x = :v", {"a": 1}, {"UPDATED_OLD": {"a": 1}, "UPDATED_NEW": {"a": 9, "x": 9}}),
    ("REMOVE a", {"a": 1, "o": 0}, {"UPDATED_OLD": {"a": 1}, "UPDATED_NEW": None}),
    ("ADD a :v", {"a": 1}, {"UPDATED_OLD": {"a": 1}, "UPDATED_NEW": {"a": 10}}),
    ("SET p.c = :v", {"p": {"c": 1, "d": 2}}, {"UPDATED_OLD": {"p": {"c": 1}}, "UPDATED_NEW": {"p": {"c": 9}}}),
    ("SET p.c = :v, p.d = :v", {"p": {"c": 1, "d": 2, "e": 3}}, {"UPDATED_OLD": {"p": {"c": 1, "d": 2}}, "UPDATED_NEW": {"p": {"c": 9, "d": 9}}}),
    ("SET l[2] = :v, l[0] = :v", {"l": [1, 2, 3]}, {"UPDATED_OLD": {"l": [1, 3]}, "UPDATED_NEW": {"l": [9, 9]}}),
]


@pytest.mark.parametrize("expression, before, wanted", RETURNED, ids=lambda one: one if isinstance(one, str) else "")
def test_return_values(api, simple, pk, expression, before, wanted):
    def run(mode):
        api("PutItem", TableName=simple, Item=item(before, pk=pk))
        values = {"v": 9} if ":v" in expression else None
        answer = update(api, simple, pk, expression, values, ReturnValues=mode)
        return plain_item(answer["Attributes"]) if "Attributes" in answer else None

    assert run("NONE") is None
    assert run("ALL_OLD") == {"pk": pk, **before}
    new = run("ALL_NEW")
    assert new == plain_item(api("GetItem", TableName=simple, Key=item(pk=pk))["Item"])
    assert {mode: run(mode) for mode in wanted} == wanted


@pytest.mark.parametrize("mode, wanted", [("ALL_OLD", None), ("UPDATED_OLD", None), ("ALL_NEW", {"pk", "x"}), ("UPDATED_NEW", {"x"})])
def test_return_values_of_a_created_item(api, simple, pk, mode, wanted):
    answer = update(api, simple, pk, "SET x = :v", {"v": 1}, ReturnValues=mode)
    assert (set(answer["Attributes"]) if "Attributes" in answer else None) == wanted


def test_unknown_return_values(api, simple):
    accepted = [
        ENV + "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]",
        ENV + "Value 'BOGUS' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
    ]
    api.invalid(accepted, "UpdateItem", TableName=simple, Key=item(pk="a"), ReturnValues="BOGUS")


def test_missing_key(api, simple):
    message = ENV + "Value null at 'key' failed to satisfy constraint: Member must not be null"
    for operation in ("UpdateItem", "DeleteItem", "GetItem"):
        api.invalid(message, operation, TableName=simple)


def test_sort_key_may_not_change_either(api, sorted_table):
    message = IPV + "Cannot update attribute sk. This attribute is part of the key"
    values = item({":v": 1})
    api.invalid(message, "UpdateItem", TableName=sorted_table, Key=item(pk="a", sk=1), UpdateExpression="SET sk = :v", ExpressionAttributeValues=values)


def test_concurrent_increments_are_all_counted(api, simple, pk):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: update(api, simple, pk, "ADD n :one", {"one": 1}), range(200)))
    assert plain_item(api("GetItem", TableName=simple, Key=item(pk=pk), ConsistentRead=True)["Item"])["n"] == 200
