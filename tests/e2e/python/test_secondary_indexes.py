"""Local and global secondary indexes: membership, projections, order, keys of many attributes, create and delete."""

import threading

import pytest

import tables
from api import IPV, NOT_FOUND, NOT_VALID, Has
from values import item, plain_item, plain_items


def query(api, table, index, condition, values, **more):
    values = item({f":{name}": value for name, value in values.items()})
    return api("Query", TableName=table, IndexName=index, KeyConditionExpression=condition, ExpressionAttributeValues=values, **more)


def keys(answer, name="pk"):
    return [plain_item(one)[name] for one in answer["Items"]]


class TestMembership:
    """Which items an index holds, as items change."""

    @pytest.fixture(scope="class")
    @classmethod
    def table(cls, api):
        return tables.create(api, "pk:S / sk:N", lsi={"local": "pk:S / l:N"}, gsi={"hash": "g:S", "both": "g:S / r:N"})

    def members(self, api, table, index):
        return sorted(plain_item(one)["pk"] for one in tables.all_items(api, "Scan", TableName=table, IndexName=index))

    def test_life_of_an_entry(self, api, table):
        key = item(pk="a", sk=1)

        def state():
            return tuple(len(self.members(api, table, index)) for index in ("local", "hash", "both"))

        def update(expression, **values):
            more = {"ExpressionAttributeValues": item({f":{name}": value for name, value in values.items()})} if values else {}
            api("UpdateItem", TableName=table, Key=key, UpdateExpression=expression, **more)

        api("PutItem", TableName=table, Item=item(pk="a", sk=1))
        assert state() == (0, 0, 0)
        update("SET g = :g", g="x")
        assert state() == (0, 1, 0)
        update("SET r = :r, l = :l", r=1, l=1)
        assert state() == (1, 1, 1)
        update("SET g = :g", g="y")
        assert keys(query(api, table, "hash", "g = :g", {"g": "x"})) == []
        assert keys(query(api, table, "both", "g = :g", {"g": "y"})) == ["a"]
        update("REMOVE g")
        assert state() == (1, 0, 0)
        api("PutItem", TableName=table, Item=item(pk="a", sk=1, g="z", r=2))
        assert state() == (0, 1, 1)
        api("DeleteItem", TableName=table, Key=key)
        assert state() == (0, 0, 0)

    @pytest.mark.parametrize(
        "attributes, index, wanted, given",
        [
            ({"g": 1}, "hash", "S", "N"),
            ({"g": None}, "hash", "S", "NULL"),
            ({"l": "x"}, "local", "N", "S"),
            ({"g": "x", "r": {"k": 1}}, "both", "N", "M"),
        ],
    )
    def test_wrong_type_is_refused(self, api, table, attributes, index, wanted, given):
        [name] = [name for name in attributes if name in ("l", "r")] or ["g"]
        full = IPV + f"Type mismatch for Index Key {name} Expected: {wanted} Actual: {given} IndexName: {index}"
        part = IPV + f"Type mismatch for Index Key {name} Expected: {wanted} Actual: {given} IndexName: "
        message = full if name != "g" else Has(part)
        api.invalid(message, "PutItem", TableName=table, Item=item(attributes, pk="bad", sk=1))
        api.invalid(message, "BatchWriteItem", RequestItems={table: [{"PutRequest": {"Item": item(attributes, pk="bad", sk=1)}}]})
        assert "Item" not in api("GetItem", TableName=table, Key=item(pk="bad", sk=1))
        error = api.fails(
            "UpdateItem", TableName=table, Key=item(pk="bad", sk=1), UpdateExpression=f"SET {name} = :v", ExpressionAttributeValues=item({":v": attributes[name]})
        )["Error"]
        assert error["Code"] == "ValidationException"
        assert "Type mismatch for Index Key" in error["Message"] or "secondary index key to unsupported type" in error["Message"]

    def test_empty_index_key_is_refused(self, api, table):
        message = Has(NOT_VALID, "cannot contain an empty string value")
        api.invalid(message, "PutItem", TableName=table, Item=item(pk="bad", sk=1, g=""))

    def test_update_checks_only_the_index_keys_it_changes(self, api, table):
        api("PutItem", TableName=table, Item=item(pk="ok", sk=1, g="x"))
        api("UpdateItem", TableName=table, Key=item(pk="ok", sk=1), UpdateExpression="SET extra = :v", ExpressionAttributeValues=item({":v": 1}))


class TestReads:
    """Order, projections, select modes and pages of index reads."""

    @pytest.fixture(scope="class")
    @classmethod
    def table(cls, api):
        name = tables.create(
            api,
            "pk:S / sk:N",
            lsi={"l_keys": "pk:S / l:N => KEYS_ONLY", "l_inc": "pk:S / l:N => INCLUDE a", "l_all": "pk:S / l:N"},
            gsi={"g_keys": "g:S / r:N => KEYS_ONLY", "g_inc": "g:S / r:N => INCLUDE a b", "g_all": "g:S / r:N"},
        )
        tables.fill(api, name, [item(pk="p", sk=nth, l=-nth, g="g", r=nth // 2, a=f"a{nth}", c=nth) for nth in range(10)])
        return name

    LOCAL, GLOBAL = ("pk = :v", {"v": "p"}), ("g = :v", {"v": "g"})

    @pytest.mark.parametrize(
        "index, attributes",
        [
            ("l_keys", {"pk", "sk", "l"}),
            ("l_inc", {"pk", "sk", "l", "a"}),
            ("l_all", {"pk", "sk", "l", "g", "r", "a", "c"}),
            ("g_keys", {"pk", "sk", "g", "r"}),
            ("g_inc", {"pk", "sk", "g", "r", "a"}),
            ("g_all", {"pk", "sk", "l", "g", "r", "a", "c"}),
        ],
    )
    def test_projected_attributes(self, api, table, index, attributes):
        condition = self.LOCAL if index.startswith("l") else self.GLOBAL
        for more in ({}, {"Select": "ALL_PROJECTED_ATTRIBUTES"}):
            answer = query(api, table, index, *condition, **more)
            assert answer["Count"] == 10 and all(set(one) == attributes for one in answer["Items"])
            scanned = api("Scan", TableName=table, IndexName=index, **more)
            assert scanned["Count"] == 10 and all(set(one) == attributes for one in scanned["Items"])

    @pytest.mark.parametrize("forward", [True, False])
    def test_local_order(self, api, table, forward):
        got = keys(query(api, table, "l_keys", *self.LOCAL, ScanIndexForward=forward), "sk")
        assert got == (list(range(9, -1, -1)) if forward else list(range(10)))

    @pytest.mark.parametrize("forward", [True, False])
    @pytest.mark.parametrize("limit", [1, 3, 100])
    def test_global_pages_with_ties(self, api, table, forward, limit):
        parameters = {"KeyConditionExpression": "g = :v", "ExpressionAttributeValues": item({":v": "g"})}
        pages = list(tables.pages(api, "Query", TableName=table, IndexName="g_all", Limit=limit, ScanIndexForward=forward, **parameters))
        got = [one for page in pages for one in plain_items(page["Items"])]
        assert sorted(one["sk"] for one in got) == list(range(10))
        assert [one["r"] for one in got] == sorted((nth // 2 for nth in range(10)), reverse=not forward)
        assert all(set(page["LastEvaluatedKey"]) == {"pk", "sk", "g", "r"} for page in pages[:-1])

    def test_start_key_of_a_local_index(self, api, table):
        answer = query(api, table, "l_keys", *self.LOCAL, Limit=2)
        assert set(answer["LastEvaluatedKey"]) == {"pk", "sk", "l"}

    @pytest.mark.parametrize("index", ["l_keys", "l_inc", "l_all"])
    def test_local_index_reaches_back_for_other_attributes(self, api, table, index):
        whole = query(api, table, index, *self.LOCAL, Select="ALL_ATTRIBUTES", Limit=1)
        assert set(whole["Items"][0]) == {"pk", "sk", "l", "g", "r", "a", "c"}
        part = query(api, table, index, *self.LOCAL, ProjectionExpression="c", Limit=1)
        assert plain_items(part["Items"]) == [{"c": 9}]
        filtered = query(api, table, index, "pk = :v", {"v": "p", "c": 3}, FilterExpression="c = :c")
        assert keys(filtered, "sk") == [3]

    def test_global_index_of_all_attributes(self, api, table):
        assert query(api, table, "g_all", *self.GLOBAL, Select="ALL_ATTRIBUTES")["Count"] == 10

    @pytest.mark.parametrize(
        "more, message",
        [
            ({"IndexName": "g_keys", "Select": "ALL_ATTRIBUTES"}, IPV + "Select type ALL_ATTRIBUTES is not supported for global secondary index g_keys because its projection type is not ALL"),
            ({"IndexName": "g_inc", "ProjectionExpression": "a, c"}, IPV + "Global secondary index g_inc does not project [c]"),
            ({"IndexName": "g_all", "ConsistentRead": True}, "Consistent reads are not supported on global secondary indexes"),
        ],
        ids=str,
    )
    def test_refused_on_global_indexes(self, api, table, more, message):
        parameters = {"KeyConditionExpression": "g = :v", "ExpressionAttributeValues": item({":v": "g"})}
        api.invalid(message, "Query", TableName=table, **parameters, **more)
        api.invalid(message, "Scan", TableName=table, **more)

    def test_consistent_read_of_a_local_index(self, api, table):
        assert query(api, table, "l_all", *self.LOCAL, ConsistentRead=True)["Count"] == 10
        assert api("Scan", TableName=table, IndexName="l_all", ConsistentRead=True)["Count"] == 10

    def test_filter_sees_only_projected_attributes_of_a_global_index(self, api, table):
        answer = query(api, table, "g_keys", "g = :v", {"v": "g"}, FilterExpression="attribute_exists(a)")
        assert (answer["Count"], answer["ScannedCount"]) == (0, 10)

    def test_filter_on_index_keys(self, api, table):
        message = "Filter Expression can only contain non-primary key attributes: Primary key attribute: r"
        parameters = {"KeyConditionExpression": "g = :v", "ExpressionAttributeValues": item({":v": "g", ":r": 1})}
        api.invalid(message, "Query", TableName=table, IndexName="g_all", FilterExpression="r = :r", **parameters)
        answer = query(api, table, "g_all", "g = :v", {"v": "g", "s": 3}, FilterExpression="sk = :s")
        assert keys(answer, "sk") == [3]

    def test_count(self, api, table):
        answer = query(api, table, "g_keys", *self.GLOBAL, Select="COUNT")
        assert answer["Count"] == 10 and "Items" not in answer

    def test_parallel_scan_of_an_index(self, api, table):
        seen = []
        for segment in range(3):
            seen += tables.all_items(api, "Scan", TableName=table, IndexName="g_keys", Segment=segment, TotalSegments=3, Limit=2)
        assert sorted(plain_item(one)["sk"] for one in seen) == list(range(10))


class TestKeysOfManyAttributes:
    """A global index with several HASH and RANGE attributes."""

    @pytest.fixture(scope="class")
    @classmethod
    def table(cls, api):
        name = tables.create(api, gsi={"deep": "h:S / a:S b:N c:S d:S", "wide": "x:S y:N / z:N"})
        rows = [
            item(pk=f"{a}{b}{c}{d}", h="h", a=a, b=b, c=c, d=d, x="x", y=b, z=nth)
            for nth, (a, b, c, d) in enumerate((a, b, c, d) for a in "pq" for b in (2, 10) for c in "st" for d in ("u", "uv"))
        ]
        tables.fill(api, name, reversed(rows))
        tables.fill(api, name, [item(pk="partial", h="h", a="p", b=2, c="s", x="x")])
        return name

    VALUES = {"h": "h", "a": "p", "b": 2, "c": "s", "d": "u"}

    def run(self, api, table, condition, **more):
        values = {name: value for name, value in self.VALUES.items() if f":{name}" in condition}
        return query(api, table, "deep", condition, values, **more)

    @pytest.mark.parametrize(
        "condition, count",
        [
            ("h = :h", 16),
            ("h = :h AND a = :a", 8),
            ("h = :h AND a = :a AND b = :b", 4),
            ("b = :b AND a = :a AND h = :h", 4),
            ("h = :h AND a > :a", 8),
            ("h = :h AND a = :a AND b > :b", 4),
            ("h = :h AND a = :a AND b = :b AND c > :c", 2),
            ("h = :h AND a = :a AND b = :b AND c = :c AND begins_with(d, :d)", 2),
            ("h = :h AND a = :a AND b = :b AND c = :c AND d BETWEEN :d AND :d", 1),
            ("h = :h AND a = :a AND b = :b AND c = :c AND d = :d", 1),
        ],
    )
    def test_conditions(self, api, table, condition, count):
        assert self.run(api, table, condition)["Count"] == count

    @pytest.mark.parametrize("forward", [True, False])
    def test_order_is_by_tuple(self, api, table, forward):
        got = [(one["a"], one["b"], one["c"], one["d"]) for one in plain_items(self.run(api, table, "h = :h", ScanIndexForward=forward)["Items"])]
        assert got == sorted(got, reverse=not forward) and len(got) == 16

    def test_pages(self, api, table):
        parameters = {"KeyConditionExpression": "h = :h", "ExpressionAttributeValues": item({":h": "h"})}
        pages = list(tables.pages(api, "Query", TableName=table, IndexName="deep", Limit=5, **parameters))
        assert sum(page["Count"] for page in pages) == 16
        assert set(pages[0]["LastEvaluatedKey"]) == {"pk", "h", "a", "b", "c", "d"}

    @pytest.mark.parametrize(
        "condition, gap, present",
        [("h = :h AND b = :b", "a", "b"), ("h = :h AND a = :a AND c = :c", "b", "c"), ("h = :h AND a = :a AND b > :b AND c = :c", "b", "c")],
    )
    def test_gaps_and_early_ranges(self, api, table, condition, gap, present):
        values = item({f":{name}": value for name, value in self.VALUES.items() if f":{name}" in condition})
        message = f"RANGE key attributes {gap} must have equality conditions specified in the query because a condition is present on key attribute {present}"
        api.invalid(message, "Query", TableName=table, IndexName="deep", KeyConditionExpression=condition, ExpressionAttributeValues=values)

    def test_every_hash_attribute_is_needed(self, api, table):
        assert query(api, table, "wide", "x = :x AND y = :y", {"x": "x", "y": 10})["Count"] == 8
        assert query(api, table, "wide", "y = :y AND x = :x AND z < :z", {"x": "x", "y": 2, "z": 4})["Count"] == 4
        parameters = {"KeyConditionExpression": "x = :x", "ExpressionAttributeValues": item({":x": "x"})}
        api.invalid("HASH key attributes y must have equality conditions specified in the query", "Query", TableName=table, IndexName="wide", **parameters)

    def test_items_without_all_key_attributes_are_left_out(self, api, table):
        assert len(tables.all_items(api, "Scan", TableName=table, IndexName="deep")) == 16
        assert len(tables.all_items(api, "Scan", TableName=table, IndexName="wide")) == 16


def create_index(name, text, **more):
    types = {}
    definition = {**tables.index(name, text, types), **more}
    return {"AttributeDefinitions": tables.definitions(types), "GlobalSecondaryIndexUpdates": [{"Create": definition}]}


class TestLifecycle:
    """Indexes created and deleted by UpdateTable."""

    def test_backfill_while_writing(self, api):
        table = tables.create(api)
        tables.fill(api, table, [item(pk=f"old{nth}", g="g", x=nth) for nth in range(500)])
        stop = threading.Event()

        def write():
            nth = 0
            while not stop.is_set():
                api("PutItem", TableName=table, Item=item(pk=f"new{nth}", g="g"))
                api("DeleteItem", TableName=table, Key=item(pk=f"old{nth % 100}"))
                nth += 1

        writer = threading.Thread(target=write)
        writer.start()
        try:
            answer = api("UpdateTable", TableName=table, **create_index("late", "g:S => KEYS_ONLY"))
            [index] = answer["TableDescription"]["GlobalSecondaryIndexes"]
            assert index["IndexStatus"] in ("CREATING", "ACTIVE")
            tables.wait_active(api, table)
        finally:
            stop.set()
            writer.join()
        base = sorted(plain_item(one)["pk"] for one in tables.all_items(api, "Scan", TableName=table, ConsistentRead=True))
        entries = tables.all_items(api, "Query", TableName=table, IndexName="late", KeyConditionExpression="g = :g", ExpressionAttributeValues=item({":g": "g"}))
        assert sorted(plain_item(one)["pk"] for one in entries) == base

    def test_backfill_skips_items_that_do_not_fit(self, api):
        table = tables.create(api)
        tables.fill(api, table, [item(pk="fits", g="g"), item(pk="number", g=1), item(pk="without"), item(pk="empty", g="")])
        api("UpdateTable", TableName=table, **create_index("late", "g:S"))
        tables.wait_active(api, table)
        assert keys(api("Scan", TableName=table, IndexName="late")) == ["fits"]

    def test_delete(self, api):
        table = tables.create(api, gsi={"first": "a:S", "second": "b:S"})
        api("PutItem", TableName=table, Item=item(pk="x", a="1", b="2"))
        api("UpdateTable", TableName=table, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "first"}}])
        for _ in range(500):
            description = tables.wait_active(api, table)
            if [one["IndexName"] for one in description["GlobalSecondaryIndexes"]] == ["second"]:
                break
        assert [one["IndexName"] for one in description["GlobalSecondaryIndexes"]] == ["second"]
        assert {one["AttributeName"] for one in description["AttributeDefinitions"]} == {"pk", "b"}
        api.invalid("The table does not have the specified index: first", "Scan", TableName=table, IndexName="first")
        assert keys(api("Scan", TableName=table, IndexName="second")) == ["x"]
        api("PutItem", TableName=table, Item=item(pk="y", a=1))

    def test_a_deleted_index_can_be_created_again(self, api):
        table = tables.create(api, gsi={"again": "a:S"})
        api("PutItem", TableName=table, Item=item(pk="x", a="1", n=5))
        api("UpdateTable", TableName=table, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "again"}}])
        for _ in range(500):
            if not tables.wait_active(api, table).get("GlobalSecondaryIndexes"):
                break
        api("UpdateTable", TableName=table, **create_index("again", "n:N"))
        tables.wait_active(api, table)
        assert keys(query(api, table, "again", "n = :n", {"n": 5})) == ["x"]

    @pytest.mark.parametrize(
        "update, code, message",
        [
            (create_index("there", "c:S"), "ValidationException", "Attempting to create an index which already exists"),
            ({"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "absent"}}]}, NOT_FOUND, Has("")),
            (
                {"GlobalSecondaryIndexUpdates": [{}]},
                "ValidationException",
                IPV + "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null",
            ),
            (
                {**create_index("other", "c:S"), "AttributeDefinitions": tables.definitions({"pk": "S"})},
                "ValidationException",
                Has(IPV + "Some index key attributes are not defined in AttributeDefinitions"),
            ),
            (
                {
                    "AttributeDefinitions": tables.definitions({"c": "S"}),
                    "GlobalSecondaryIndexUpdates": create_index("one", "c:S")["GlobalSecondaryIndexUpdates"] + create_index("two", "c:S")["GlobalSecondaryIndexUpdates"],
                },
                "LimitExceededException",
                "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table",
            ),
        ],
        ids=["exists", "absent", "no action", "not defined", "two at once"],
    )
    def test_refused(self, api, update, code, message):
        table = tables.create(api, gsi={"there": "a:S"})
        api.refuses(code, message, "UpdateTable", TableName=table, **update)
        [index] = tables.wait_active(api, table)["GlobalSecondaryIndexes"]
        assert index["IndexName"] == "there"
