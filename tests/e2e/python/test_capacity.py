"""Every consumed capacity figure: units per operation, arms per index, the shape per mode.

Sizes are made exact with a filler, so each case sits on one side of a rounding step.
"""

import pytest

import tables
from api import ENV, CONDITION_FAILED
from values import av, item


def sized(size, **attributes):
    """An item of exactly `size` bytes: `attributes` (strings only) and a filler `x`."""
    used = sum(len(name) + len(value) for name, value in attributes.items()) + 1
    return item(attributes, x="x" * (size - used))


def arms(capacity):
    """Total, table arm and index arms, as one comparable value."""
    indexes = {}
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        for name, arm in capacity.get(member, {}).items():
            indexes[name] = arm["CapacityUnits"]
    return capacity["CapacityUnits"], capacity["Table"]["CapacityUnits"], indexes


@pytest.mark.parametrize("size, strong", [(100, 1), (4096, 1), (4097, 2), (8192, 2), (8193, 3), (409_600, 100)])
def test_get(api, simple, pk, size, strong):
    key = item(pk="k")
    api("PutItem", TableName=simple, Item=sized(size, pk="k"))
    for consistent, units in ((True, strong), (False, strong / 2)):
        for more in ({}, {"ProjectionExpression": "pk"}):
            answer = api("GetItem", TableName=simple, Key=key, ConsistentRead=consistent, ReturnConsumedCapacity="TOTAL", **more)
            assert answer["ConsumedCapacity"] == {"TableName": simple, "CapacityUnits": units}


@pytest.mark.parametrize("consistent, units", [(True, 1), (False, 0.5)])
def test_reads_that_find_nothing(api, make, consistent, units):
    table = make("pk:S")
    more = {"ConsistentRead": consistent, "ReturnConsumedCapacity": "TOTAL"}
    wanted = {"TableName": table, "CapacityUnits": units}
    assert api("GetItem", TableName=table, Key=item(pk="no"), **more)["ConsumedCapacity"] == wanted
    assert api("Scan", TableName=table, **more)["ConsumedCapacity"] == wanted
    query = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": item({":p": "no"})}
    assert api("Query", TableName=table, **query, **more)["ConsumedCapacity"] == wanted


@pytest.mark.parametrize("mode, member", [("NONE", None), (None, None), ("TOTAL", {"TableName", "CapacityUnits"}), ("INDEXES", {"TableName", "CapacityUnits", "Table"})])
def test_shape(api, simple, mode, member):
    more = {"ReturnConsumedCapacity": mode} if mode else {}
    key = item(pk="shape")
    for operation, parameters in [("PutItem", {"Item": key}), ("GetItem", {"Key": key}), ("UpdateItem", {"Key": key}), ("Scan", {}), ("DeleteItem", {"Key": key})]:
        answer = api(operation, TableName=simple, **parameters, **more)
        assert (set(answer["ConsumedCapacity"]) if "ConsumedCapacity" in answer else None) == member, operation
        if member and "Table" in member:
            assert set(answer["ConsumedCapacity"]["Table"]) == {"CapacityUnits"}


@pytest.mark.parametrize("operation", ["GetItem", "PutItem", "DeleteItem", "Query", "Scan"])
def test_unknown_mode(api, simple, operation):
    where = {
        "GetItem": {"Key": item(pk="a")}, "DeleteItem": {"Key": item(pk="a")}, "PutItem": {"Item": item(pk="a")}, "Scan": {},
        "Query": {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": item({":p": "a"})},
    }[operation]  # fmt: skip
    message = ENV + "Value 'BOGUS' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
    api.invalid(message, operation, TableName=simple, ReturnConsumedCapacity="BOGUS", **where)


@pytest.mark.parametrize(
    "before, after, put, delete",
    [
        (None, 100, 1, 1),
        (None, 1024, 1, 1),
        (None, 1025, 2, 2),
        (100, 3000, 3, 3),
        (3000, 100, 3, 1),
        (3072, 3073, 4, 4),
        (None, 409_600, 400, 400),
    ],
)
def test_writes_cost_the_larger_image(api, simple, before, after, put, delete):
    key = item(pk="w")
    api("DeleteItem", TableName=simple, Key=key)
    if before:
        api("PutItem", TableName=simple, Item=sized(before, pk="w"))
    cost = lambda answer: answer["ConsumedCapacity"]["CapacityUnits"]
    assert cost(api("PutItem", TableName=simple, Item=sized(after, pk="w"), ReturnConsumedCapacity="TOTAL")) == put
    assert cost(api("DeleteItem", TableName=simple, Key=key, ReturnConsumedCapacity="TOTAL")) == delete
    assert cost(api("DeleteItem", TableName=simple, Key=key, ReturnConsumedCapacity="TOTAL")) == 1


@pytest.mark.parametrize("before, filler, units", [(None, 3000, 3), (3000, 10, 3), (100, 3000, 3), (3000, None, 3), (100, None, 1)])
def test_updates_cost_the_larger_image(api, simple, before, filler, units):
    key = item(pk="u")
    api("DeleteItem", TableName=simple, Key=key)
    if before:
        api("PutItem", TableName=simple, Item=sized(before, pk="u"))
    change = {"UpdateExpression": "REMOVE x"}
    if filler:
        change = {"UpdateExpression": "SET x = :x", "ExpressionAttributeValues": item({":x": "x" * filler})}
    answer = api("UpdateItem", TableName=simple, Key=key, ReturnConsumedCapacity="TOTAL", **change)
    assert answer["ConsumedCapacity"] == {"TableName": simple, "CapacityUnits": units}


def test_unchanged_writes_still_cost(api, simple):
    same = {"TableName": simple, "Item": sized(2000, pk="same"), "ReturnConsumedCapacity": "TOTAL"}
    assert [api("PutItem", **same)["ConsumedCapacity"]["CapacityUnits"] for _ in range(2)] == [2, 2]
    answer = api("UpdateItem", TableName=simple, Key=item(pk="same"), ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"]["CapacityUnits"] == 2


def test_query_and_scan_round_once_per_page(api, make):
    table = make("pk:S / sk:N")
    tables.fill(api, table, [item(pk="p", sk=nth, x="x" * 995) for nth in range(10)])
    sizes = [api_size(nth) for nth in range(10)]
    total = sum(sizes)
    strong = -(-total // 4096)
    query = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": item({":p": "p"})}
    for consistent, units in ((True, strong), (False, strong / 2)):
        for more in ({}, {"Select": "COUNT"}, {"ProjectionExpression": "sk"}, {"FilterExpression": "attribute_not_exists(x)"}):
            more = {**more, "ConsistentRead": consistent, "ReturnConsumedCapacity": "INDEXES"}
            for answer in (api("Query", TableName=table, **query, **more), api("Scan", TableName=table, **more)):
                assert arms(answer["ConsumedCapacity"]) == (units, units, {})
    answer = api("Query", TableName=table, Limit=1, ReturnConsumedCapacity="TOTAL", **query)
    assert answer["ConsumedCapacity"]["CapacityUnits"] == 0.5


def api_size(nth):
    """Size of item(pk="p", sk=nth, x="x" * 995) for one-digit nth."""
    return (2 + 1) + (2 + (2 if nth else 1)) + (1 + 995)


def test_batch_reads_round_each_item(api, make):
    table, other = make("pk:S"), make("pk:S")
    for nth, size in enumerate((100, 4097)):
        api("PutItem", TableName=table, Item=sized(size, pk=f"{nth}"))
    request = {
        table: {"Keys": [item(pk="0"), item(pk="1"), item(pk="absent")]},
        other: {"Keys": [item(pk="absent")], "ConsistentRead": True},
    }
    answer = api("BatchGetItem", RequestItems=request, ReturnConsumedCapacity="TOTAL")
    got = {one["TableName"]: one["CapacityUnits"] for one in answer["ConsumedCapacity"]}
    assert got == {table: 0.5 + 1 + 0.5, other: 1}
    assert all(set(one) == {"TableName", "CapacityUnits"} for one in answer["ConsumedCapacity"])
    request[table]["ConsistentRead"] = True
    answer = api("BatchGetItem", RequestItems=request, ReturnConsumedCapacity="INDEXES")
    got = {one["TableName"]: arms(one) for one in answer["ConsumedCapacity"]}
    assert got == {table: (1 + 2 + 1, 1 + 2 + 1, {}), other: (1, 1, {})}


def test_batch_writes_round_each_item(api, make):
    table, other = make("pk:S"), make("pk:S", gsi={"by_a": "a:S => KEYS_ONLY"})
    api("PutItem", TableName=table, Item=sized(3000, pk="old"))
    request = {
        table: [{"PutRequest": {"Item": sized(100, pk="new")}}, {"PutRequest": {"Item": sized(1025, pk="two")}}, {"DeleteRequest": {"Key": item(pk="old")}}],
        other: [{"PutRequest": {"Item": item(pk="i", a="a")}}, {"DeleteRequest": {"Key": item(pk="absent")}}],
    }
    answer = api("BatchWriteItem", RequestItems=request, ReturnConsumedCapacity="INDEXES")
    got = {one["TableName"]: arms(one) for one in answer["ConsumedCapacity"]}
    assert got == {table: (1 + 2 + 3, 1 + 2 + 3, {}), other: (3, 2, {"by_a": 1})}


INDEX_STEPS = [
    # What is written to the item, table arm, index arms (local: pk / l => INCLUDE p; global: g => INCLUDE p).
    ("outside both indexes", {"a": "1"}, 1, {}),
    ("enters the local index", {"a": "1", "l": "1"}, 1, {"local": 1}),
    ("enters the global index", {"a": "1", "l": "1", "g": "1"}, 1, {"global": 1}),
    ("identical", {"a": "1", "l": "1", "g": "1"}, 1, {}),
    ("not projected", {"a": "2", "l": "1", "g": "1"}, 1, {}),
    ("projected", {"a": "2", "l": "1", "g": "1", "p": "1"}, 1, {"local": 1, "global": 1}),
    ("global key moves", {"a": "2", "l": "1", "g": "2", "p": "1"}, 1, {"global": 2}),
    ("both keys move", {"a": "2", "l": "2", "g": "3", "p": "1"}, 1, {"local": 2, "global": 2}),
    ("large, not projected", {"a": "x" * 5000, "l": "2", "g": "3", "p": "1"}, 5, {}),
    ("large, projected", {"l": "2", "g": "3", "p": "x" * 2000}, 5, {"local": 2, "global": 2}),
    ("key moves with a large entry", {"l": "2", "g": "4", "p": "x" * 2000}, 2, {"global": 4}),
    ("large shrinks", {"l": "2", "g": "4", "p": "1"}, 2, {"local": 2, "global": 2}),
    ("leaves the global index", {"l": "2", "p": "1"}, 1, {"global": 1}),
    ("leaves the local index", {"p": "1"}, 1, {"local": 1}),
]


def test_index_arms_of_writes(api, make):
    table = make("pk:S / sk:S", lsi={"local": "pk:S / l:S => INCLUDE p"}, gsi={"global": "g:S => INCLUDE p"})
    for step, attributes, table_arm, index_arms in INDEX_STEPS:
        written = item(attributes, pk="k", sk="s")
        answer = api("PutItem", TableName=table, Item=written, ReturnConsumedCapacity="INDEXES")
        assert arms(answer["ConsumedCapacity"]) == (table_arm + sum(index_arms.values()), table_arm, index_arms), step
    written = item(pk="k", sk="s", l="1", g="1")
    answer = api("PutItem", TableName=table, Item=written, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == {"TableName": table, "CapacityUnits": 3}
    answer = api("DeleteItem", TableName=table, Key=item(pk="k", sk="s"), ReturnConsumedCapacity="INDEXES")
    assert arms(answer["ConsumedCapacity"]) == (3, 1, {"local": 1, "global": 1})


def test_reordered_set_is_no_change_of_an_index(api, make):
    table = make("pk:S", gsi={"by_g": "g:S"})
    for members, index_arms in ((["a", "b"], {"by_g": 1}), (["b", "a"], {})):
        written = {**item(pk="k", g="g"), "set": {"SS": members}}
        answer = api("PutItem", TableName=table, Item=written, ReturnConsumedCapacity="INDEXES")
        assert arms(answer["ConsumedCapacity"])[2] == index_arms


def test_index_arms_of_reads(api, make):
    table = make("pk:S / sk:N", lsi={"l_keys": "pk:S / l:N => KEYS_ONLY"}, gsi={"g_all": "g:S", "g_keys": "g:S => KEYS_ONLY"})
    tables.fill(api, table, [item(pk="p", sk=nth, l=nth, g="g", x="x" * 9000) for nth in range(3)])
    query = {"TableName": table, "ReturnConsumedCapacity": "INDEXES"}
    by_pk = {**query, "KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": item({":v": "p"})}
    by_g = {**query, "KeyConditionExpression": "g = :v", "ExpressionAttributeValues": item({":v": "g"})}
    # Whole items of 9,0xx bytes: 3 of them are 7 read units of 4 KB.
    assert arms(api("Query", IndexName="g_all", **by_g)["ConsumedCapacity"]) == (3.5, 0, {"g_all": 3.5})
    assert arms(api("Query", IndexName="g_keys", **by_g)["ConsumedCapacity"]) == (0.5, 0, {"g_keys": 0.5})
    assert arms(api("Scan", IndexName="g_keys", **query)["ConsumedCapacity"]) == (0.5, 0, {"g_keys": 0.5})
    assert arms(api("Query", IndexName="l_keys", **by_pk)["ConsumedCapacity"]) == (0.5, 0, {"l_keys": 0.5})
    assert arms(api("Query", IndexName="l_keys", ConsistentRead=True, **by_pk)["ConsumedCapacity"]) == (1, 0, {"l_keys": 1})


@pytest.mark.parametrize("filler, table_arm", [(10, 1.5), (9000, 4.5)])
@pytest.mark.parametrize("consistent", [True, False])
def test_local_index_reach_back(api, make, filler, table_arm, consistent):
    """Each fetched base item is rounded on its own. Source: reads and indexes section 7."""
    table = make("pk:S / sk:N", lsi={"l_keys": "pk:S / l:N => KEYS_ONLY"})
    tables.fill(api, table, [item(pk="p", sk=nth, l=nth, x="x" * filler) for nth in range(3)])
    query = {"KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": item({":v": "p"}), "Select": "ALL_ATTRIBUTES"}
    answer = api("Query", TableName=table, IndexName="l_keys", ReturnConsumedCapacity="INDEXES", ConsistentRead=consistent, **query)
    factor = 2 if consistent else 1
    assert arms(answer["ConsumedCapacity"]) == (factor * (table_arm + 0.5), factor * table_arm, {"l_keys": factor * 0.5})


def test_failed_condition_still_answers_with_an_error(api, simple):
    """The units of a failed condition are charged but have no place in the error."""
    api("PutItem", TableName=simple, Item=item(pk="there"))
    api.refuses(
        CONDITION_FAILED, "The conditional request failed", "PutItem", TableName=simple, Item=item(pk="there"),
        ConditionExpression="attribute_not_exists(pk)", ReturnConsumedCapacity="TOTAL",
    )  # fmt: skip
