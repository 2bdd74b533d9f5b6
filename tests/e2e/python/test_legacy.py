"""Parameters from before expressions: Expected, AttributeUpdates, KeyConditions, filters, AttributesToGet."""

import pytest

import tables
from api import CONDITION_FAILED, ENV, IPV, Has
from values import av, item, plain_item, plain_items

BEFORE = {"s": "hello", "n": 5, "ss": {"a", "b"}, "l": [1], "z": None}


def condition(operator, *values):
    entry = {"ComparisonOperator": operator}
    return {**entry, "AttributeValueList": [av(one) for one in values]} if values else entry


COMPARISONS = [
    ("s", condition("EQ", "hello"), True),
    ("s", condition("EQ", "x"), False),
    ("ss", condition("EQ", {"b", "a"}), True),
    ("s", condition("NE", "x"), True),
    ("absent", condition("NE", "x"), True),
    ("n", condition("LT", 6), True),
    ("n", condition("LE", 5), True),
    ("n", condition("GT", 5), False),
    ("n", condition("GE", 5), True),
    ("n", condition("BETWEEN", 5, 6), True),
    ("n", condition("IN", 1, 5), True),
    ("n", condition("IN", 1, 2), False),
    ("s", condition("BEGINS_WITH", "he"), True),
    ("s", condition("CONTAINS", "ell"), True),
    ("ss", condition("CONTAINS", "a"), True),
    ("l", condition("CONTAINS", 1), True),
    ("s", condition("NOT_CONTAINS", "zzz"), True),
    ("ss", condition("NOT_CONTAINS", "a"), False),
    ("absent", condition("NULL"), True),
    ("z", condition("NULL"), False),
    ("z", condition("NOT_NULL"), True),
]


@pytest.mark.parametrize("name, entry, holds", COMPARISONS, ids=str)
def test_comparisons(api, make, name, entry, holds):
    table = make("pk:S")
    api("PutItem", TableName=table, Item=item(BEFORE, pk="p"))
    assert api("Scan", TableName=table, ScanFilter={name: entry})["Count"] == int(holds)
    query = {"KeyConditions": {"pk": condition("EQ", "p")}, "QueryFilter": {name: entry}}
    assert api("Query", TableName=table, **query)["Count"] == int(holds)
    write = {"TableName": table, "Key": item(pk="p"), "Expected": {name: entry}}
    if holds:
        api("UpdateItem", **write)
    else:
        api.refuses(CONDITION_FAILED, "The conditional request failed", "UpdateItem", **write)


@pytest.mark.parametrize("operator, count", [("AND", 0), ("OR", 1), (None, 0)])
def test_conditional_operator(api, make, operator, count):
    table = make("pk:S")
    api("PutItem", TableName=table, Item=item(BEFORE, pk="p"))
    more = {"ConditionalOperator": operator} if operator else {}
    entries = {"n": condition("EQ", 5), "s": condition("EQ", "x")}
    assert api("Scan", TableName=table, ScanFilter=entries, **more)["Count"] == count


@pytest.mark.parametrize(
    "expected, holds",
    [
        ({"n": {"Value": av(5)}}, True),
        ({"n": {"Value": av(6)}}, False),
        ({"n": {"Exists": True, "Value": av(5)}}, True),
        ({"absent": {"Exists": False}}, True),
        ({"n": {"Exists": False}}, False),
        ({"n": {"ComparisonOperator": "EQ", "Value": av(5)}}, True),
        ({"n": {"Value": av(5)}, "s": {"Value": av("x")}}, False),
    ],
    ids=str,
)
@pytest.mark.parametrize("operation, member", [("PutItem", "Item"), ("DeleteItem", "Key"), ("UpdateItem", "Key")])
def test_expected(api, make, operation, member, expected, holds):
    table = make("pk:S")
    api("PutItem", TableName=table, Item=item(BEFORE, pk="p"))
    write = {"TableName": table, member: item(pk="p"), "Expected": expected}
    if holds:
        api(operation, **write)
    else:
        api.refuses(CONDITION_FAILED, "The conditional request failed", operation, **write)


EXPECTED_FAULTS = [
    ({"Exists": True}, "Value must be provided when Exists is true for Attribute: a"),
    ({}, "Value must be provided when Exists is null for Attribute: a"),
    ({"Exists": False, "Value": av(1)}, "Value cannot be used when Exists is false for Attribute: a"),
    ({"Value": av(1), "AttributeValueList": [av(1)], "ComparisonOperator": "EQ"}, "Value and AttributeValueList cannot be used together for Attribute: a"),
    ({"Exists": True, "ComparisonOperator": "EQ", "AttributeValueList": [av(1)]}, "Exists and ComparisonOperator cannot be used together for Attribute: a"),
    ({"ComparisonOperator": "EQ"}, "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: a"),
    ({"AttributeValueList": [av(1)]}, "AttributeValueList can only be used with a ComparisonOperator for Attribute: a"),
    (condition("BETWEEN", 1), "Invalid number of argument(s) for the BETWEEN ComparisonOperator"),
    (condition("NULL", 1), "Invalid number of argument(s) for the NULL ComparisonOperator"),
    (condition("IN", 1, "a"), "AttributeValues inside AttributeValueList must be of same type"),
    (condition("BEGINS_WITH", 1), "ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type"),
    (condition("LT", {"a"}), "ComparisonOperator LT is not valid for SS AttributeValue type"),
]


@pytest.mark.parametrize("entry, text", EXPECTED_FAULTS, ids=str)
def test_expected_faults(api, simple, entry, text):
    message = [ENV + IPV + text, IPV + text]
    api.invalid(message, "DeleteItem", TableName=simple, Key=item(pk="p"), Expected={"a": entry})


def test_reversed_between(api, simple):
    message = Has("The BETWEEN condition was provided a range where the lower bound is greater than the upper bound")
    api.invalid(message, "Scan", TableName=simple, ScanFilter={"a": condition("BETWEEN", 2, 1)})


def test_conditional_operator_needs_two(api, simple):
    message = Has("ConditionalOperator can only be used when Filter or Expected has two or more elements")
    api.invalid(message, "Scan", TableName=simple, ScanFilter={"a": condition("NULL")}, ConditionalOperator="OR")
    api.invalid(message, "DeleteItem", TableName=simple, Key=item(pk="p"), Expected={"a": condition("NULL")}, ConditionalOperator="OR")


UPDATES = [
    ({"x": {"Value": av(1)}}, {**BEFORE, "x": 1}),
    ({"n": {"Value": av("new"), "Action": "PUT"}}, {**BEFORE, "n": "new"}),
    ({"n": {"Value": av(2), "Action": "ADD"}}, {**BEFORE, "n": 7}),
    ({"x": {"Value": av(2), "Action": "ADD"}}, {**BEFORE, "x": 2}),
    ({"ss": {"Value": av({"c"}), "Action": "ADD"}}, {**BEFORE, "ss": {"a", "b", "c"}}),
    ({"l": {"Value": av([2]), "Action": "ADD"}}, {**BEFORE, "l": [1, 2]}),
    ({"n": {"Action": "DELETE"}}, {name: value for name, value in BEFORE.items() if name != "n"}),
    ({"absent": {"Action": "DELETE"}}, BEFORE),
    ({"ss": {"Value": av({"a"}), "Action": "DELETE"}}, {**BEFORE, "ss": {"b"}}),
    ({"ss": {"Value": av({"a", "b"}), "Action": "DELETE"}}, {name: value for name, value in BEFORE.items() if name != "ss"}),
    ({"n": {"Action": "DELETE"}, "x": {"Value": av(1)}}, {**{name: value for name, value in BEFORE.items() if name != "n"}, "x": 1}),
]


@pytest.mark.parametrize("updates, wanted", UPDATES, ids=str)
def test_attribute_updates(api, simple, pk, updates, wanted):
    api("PutItem", TableName=simple, Item=item(BEFORE, pk=pk))
    answer = api("UpdateItem", TableName=simple, Key=item(pk=pk), AttributeUpdates=updates, ReturnValues="ALL_NEW")
    assert plain_item(answer["Attributes"]) == {**wanted, "pk": pk}


@pytest.mark.parametrize(
    "updates, message",
    [
        ({"x": {"Value": av("s"), "Action": "ADD"}}, Has(IPV + "ADD action is not supported for the type S")),
        ({"x": {"Value": av("s"), "Action": "DELETE"}}, Has(IPV + "DELETE action with value is not supported for the type S")),
        ({"x": {"Action": "PUT"}}, Has(IPV + "Only DELETE action is allowed when no attribute value is specified")),
        ({"x": {}}, Has(IPV + "Only DELETE action is allowed when no attribute value is specified")),
        ({"s": {"Value": av(1), "Action": "ADD"}}, Has("Type mismatch for attribute to update")),
        ({"pk": {"Value": av("x")}}, IPV + "Cannot update attribute pk. This attribute is part of the key"),
    ],
    ids=str,
)
def test_attribute_updates_faults(api, simple, pk, updates, message):
    api("PutItem", TableName=simple, Item=item(BEFORE, pk=pk))
    api.invalid(message, "UpdateItem", TableName=simple, Key=item(pk=pk), AttributeUpdates=updates)


@pytest.fixture(scope="module")
def numbers(api, make):
    table = make("pk:S / sk:N")
    tables.fill(api, table, [item(pk="p", sk=nth, x=nth) for nth in range(10)])
    return table


@pytest.mark.parametrize(
    "entry, wanted",
    [
        (None, range(10)),
        (condition("EQ", 3), [3]),
        (condition("LE", 3), range(4)),
        (condition("LT", 3), range(3)),
        (condition("GE", 3), range(3, 10)),
        (condition("GT", 3), range(4, 10)),
        (condition("BETWEEN", 3, 5), [3, 4, 5]),
    ],
    ids=str,
)
def test_key_conditions(api, numbers, entry, wanted):
    conditions = {"pk": condition("EQ", "p"), **({"sk": entry} if entry else {})}
    answer = api("Query", TableName=numbers, KeyConditions=conditions)
    assert [one["sk"] for one in plain_items(answer["Items"])] == list(wanted)


@pytest.mark.parametrize(
    "conditions, message",
    [
        ({"sk": condition("EQ", 1)}, "Query condition missed key schema element: pk"),
        ({"pk": condition("EQ", "p"), "sk": condition("NE", 1)}, Has("Attempted conditional constraint is not an indexable operation")),
        ({"pk": condition("EQ", "p"), "sk": condition("IN", 1)}, Has("Attempted conditional constraint is not an indexable operation")),
        ({"pk": condition("GT", "p")}, "Query key condition not supported"),
        ({"pk": condition("EQ", "p"), "sk": condition("BETWEEN", 1)}, Has("Invalid number of argument(s) for the BETWEEN ComparisonOperator")),
        ({"pk": condition("EQ", 1)}, IPV + "Condition parameter type does not match schema type"),
    ],
    ids=str,
)
def test_key_conditions_faults(api, numbers, conditions, message):
    api.invalid(message, "Query", TableName=numbers, KeyConditions=conditions)


def test_query_filter_on_keys(api, numbers):
    message = Has("QueryFilter can only contain non-primary key attributes: Primary key attribute: sk")
    api.invalid(message, "Query", TableName=numbers, KeyConditions={"pk": condition("EQ", "p")}, QueryFilter={"sk": condition("EQ", 1)})


def test_attributes_to_get(api, numbers):
    answer = api("GetItem", TableName=numbers, Key=item(pk="p", sk=1), AttributesToGet=["x", "absent"])
    assert plain_item(answer["Item"]) == {"x": 1}
    assert set(api("Scan", TableName=numbers, AttributesToGet=["sk"])["Items"][0]) == {"sk"}
    message = IPV + "Duplicate value in attribute name: x"
    api.invalid(message, "GetItem", TableName=numbers, Key=item(pk="p", sk=1), AttributesToGet=["x", "x"])
