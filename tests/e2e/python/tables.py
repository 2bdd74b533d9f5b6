"""Tables from one-line descriptions.

A schema reads `HASH... / RANGE... => PROJECTION`: `pk:S`, `pk:S / sk:N`, `a:S b:N / c:S => KEYS_ONLY`,
`a:S => INCLUDE p q`. The projection is for indexes only and is ALL when not said.
"""

import itertools
import os

_numbers = itertools.count()


def fresh_name(prefix="t"):
    """Returns a table name that no other test of this run uses."""
    return f"{prefix}.{os.getpid()}-{next(_numbers)}"


def key_schema(text):
    """Returns KeySchema and the attribute types named in `text`."""
    hashes, _, ranges = text.partition("=>")[0].partition("/")
    schema, types = [], {}
    for key_type, part in (("HASH", hashes), ("RANGE", ranges)):
        for word in part.split():
            name, _, attribute_type = word.rpartition(":")
            schema.append({"AttributeName": name, "KeyType": key_type})
            types[name] = attribute_type
    return schema, types


def projection(text):
    """Returns the Projection named behind `=>`."""
    words = text.partition("=>")[2].split() or ["ALL"]
    if len(words) == 1:
        return {"ProjectionType": words[0]}
    return {"ProjectionType": words[0], "NonKeyAttributes": words[1:]}


def definitions(types):
    """Returns AttributeDefinitions of a name-to-type map."""
    return [{"AttributeName": name, "AttributeType": one} for name, one in types.items()]


def index(name, text, types):
    """Returns one index definition and adds its attribute types to `types`."""
    schema, index_types = key_schema(text)
    types.update(index_types)
    return {"IndexName": name, "KeySchema": schema, "Projection": projection(text)}


def request(keys="pk:S", gsi=None, lsi=None, name=None, **more):
    """Returns the CreateTable request of a described table, on demand unless said otherwise."""
    schema, types = key_schema(keys)
    parameters = {"TableName": name or fresh_name(), "KeySchema": schema, "BillingMode": "PAY_PER_REQUEST"}
    for member, indexes in (("GlobalSecondaryIndexes", gsi), ("LocalSecondaryIndexes", lsi)):
        if indexes:
            parameters[member] = [index(one, text, types) for one, text in indexes.items()]
    parameters["AttributeDefinitions"] = definitions(types)
    parameters.update(more)
    return {name: value for name, value in parameters.items() if value is not None}


def create(api, keys="pk:S", gsi=None, lsi=None, name=None, **more):
    """Creates a described table, waits until it is ACTIVE and returns its name."""
    parameters = request(keys, gsi, lsi, name, **more)
    api("CreateTable", **parameters)
    wait_active(api, parameters["TableName"])
    return parameters["TableName"]


def wait_active(api, table):
    """Waits until a table and its indexes are ACTIVE; returns the description."""
    waiter = api.client.get_waiter("table_exists")
    waiter.wait(TableName=table, WaiterConfig={"Delay": 0.02, "MaxAttempts": 1500})
    for _ in range(1500):
        description = api("DescribeTable", TableName=table)["Table"]
        states = [one["IndexStatus"] for one in description.get("GlobalSecondaryIndexes", [])]
        if description["TableStatus"] == "ACTIVE" and all(state == "ACTIVE" for state in states):
            return description
    raise AssertionError(f"{table} never became ACTIVE: {description}")


def wait_gone(api, table):
    """Waits until a deleted table is gone."""
    waiter = api.client.get_waiter("table_not_exists")
    waiter.wait(TableName=table, WaiterConfig={"Delay": 0.02, "MaxAttempts": 1500})


def fill(api, table, items):
    """Puts many items, in batches of 25."""
    items = list(items)
    for start in range(0, len(items), 25):
        batch = [{"PutRequest": {"Item": one}} for one in items[start : start + 25]]
        answer = api("BatchWriteItem", RequestItems={table: batch})
        assert answer["UnprocessedItems"] == {}


def pages(api, operation, **parameters):
    """Yields every page of Query or Scan."""
    while True:
        page = api(operation, **parameters)
        yield page
        if "LastEvaluatedKey" not in page:
            return
        parameters["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def all_items(api, operation, **parameters):
    """Returns the items of every page."""
    return [one for page in pages(api, operation, **parameters) for one in page["Items"]]
