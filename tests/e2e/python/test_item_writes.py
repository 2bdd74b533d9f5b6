"""PutItem, GetItem and DeleteItem: results, return values, conditions, refusals."""

import pytest

from api import CONDITION_FAILED, ENV, NOT_FOUND, Has
from values import av, item, plain_item

FAILED = "The conditional request failed"


def stored(api, table, **key):
    answer = api("GetItem", TableName=table, Key=item(key), ConsistentRead=True)
    return plain_item(answer["Item"]) if "Item" in answer else None


def bare(answer):
    """The answer without what boto3 adds."""
    return {name: value for name, value in answer.items() if name != "ResponseMetadata"}


def test_put_replaces_the_whole_item(api, simple, pk):
    assert bare(api("PutItem", TableName=simple, Item=item(pk=pk, a=1, b=2))) == {}
    assert bare(api("PutItem", TableName=simple, Item=item(pk=pk, c=3))) == {}
    assert stored(api, simple, pk=pk) == {"pk": pk, "c": 3}


def test_get_of_an_absent_item_has_no_item_member(api, simple, pk):
    assert bare(api("GetItem", TableName=simple, Key=item(pk=pk))) == {}


def test_delete_is_idempotent(api, simple, pk):
    api("PutItem", TableName=simple, Item=item(pk=pk))
    assert bare(api("DeleteItem", TableName=simple, Key=item(pk=pk))) == {}
    assert stored(api, simple, pk=pk) is None
    assert bare(api("DeleteItem", TableName=simple, Key=item(pk=pk))) == {}


@pytest.mark.parametrize("mode", [None, "NONE", "ALL_OLD"])
def test_return_values_of_put_and_delete(api, simple, pk, mode):
    more = {"ReturnValues": mode} if mode else {}
    before = item(pk=pk, a=1)
    old = {"Attributes": before} if mode == "ALL_OLD" else {}
    assert bare(api("PutItem", TableName=simple, Item=before, **more)) == {}
    assert bare(api("PutItem", TableName=simple, Item=item(pk=pk, b=2), **more)) == old
    api("PutItem", TableName=simple, Item=before)
    assert bare(api("DeleteItem", TableName=simple, Key=item(pk=pk), **more)) == old
    assert bare(api("DeleteItem", TableName=simple, Key=item(pk=pk), **more)) == {}


@pytest.mark.parametrize("mode", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
@pytest.mark.parametrize("operation", ["PutItem", "DeleteItem"])
def test_return_values_that_do_not_fit(api, simple, operation, mode):
    where = {"Item": item(pk="a")} if operation == "PutItem" else {"Key": item(pk="a")}
    api.invalid(ENV + "ReturnValues can only be ALL_OLD or NONE", operation, TableName=simple, ReturnValues=mode, **where)


WRITES = [("PutItem", "Item", {}), ("DeleteItem", "Key", {}), ("UpdateItem", "Key", {"UpdateExpression": "REMOVE zz"})]


@pytest.mark.parametrize("operation, member, more", WRITES)
def test_failed_condition_changes_nothing(api, simple, pk, operation, member, more):
    before = item(pk=pk, a=1)
    api("PutItem", TableName=simple, Item=before)
    call = {"TableName": simple, member: item(pk=pk), "ConditionExpression": "attribute_not_exists(pk)", **more}
    error = api.refuses(CONDITION_FAILED, FAILED, operation, **call)
    assert "Item" not in error
    error = api.refuses(CONDITION_FAILED, FAILED, operation, ReturnValuesOnConditionCheckFailure="NONE", **call)
    assert "Item" not in error
    error = api.refuses(CONDITION_FAILED, FAILED, operation, ReturnValuesOnConditionCheckFailure="ALL_OLD", **call)
    assert error["Item"] == before
    assert stored(api, simple, pk=pk) == {"pk": pk, "a": 1}


@pytest.mark.parametrize("operation, member, more", WRITES)
def test_failed_condition_on_an_absent_item(api, simple, pk, operation, member, more):
    call = {"TableName": simple, member: item(pk=pk), "ConditionExpression": "attribute_exists(pk)", **more}
    error = api.refuses(CONDITION_FAILED, FAILED, operation, ReturnValuesOnConditionCheckFailure="ALL_OLD", **call)
    assert "Item" not in error
    assert stored(api, simple, pk=pk) is None


@pytest.mark.parametrize("operation, member, more", [*WRITES, ("GetItem", "Key", {})])
def test_missing_table(api, operation, member, more):
    api.refuses(NOT_FOUND, "Requested resource not found", operation, TableName="no.such.table", **{member: item(pk="a")}, **more)


@pytest.mark.parametrize("operation, member, more", [*WRITES, ("GetItem", "Key", {})])
def test_missing_table_name(api, operation, member, more):
    message = ENV + "Value null at 'tableName' failed to satisfy constraint: Member must not be null"
    api.invalid(message, operation, **{member: item(pk="a")}, **more)


@pytest.mark.parametrize("operation, member, more", [*WRITES, ("GetItem", "Key", {})])
def test_expressions_are_checked_before_the_table(api, operation, member, more):
    more = more or {"ProjectionExpression": "a"} if operation == "GetItem" else {"ConditionExpression": "a = a b", **more}
    if operation == "GetItem":
        more = {"ProjectionExpression": "a b"}
    api.invalid(Has("Syntax error; token"), operation, TableName="no.such.table", **{member: item(pk="a")}, **more)


@pytest.mark.parametrize(
    "member, value, message",
    [
        (
            "ReturnConsumedCapacity",
            "BOGUS",
            ENV + "Value 'BOGUS' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]",
        ),
        (
            "ReturnItemCollectionMetrics",
            "BOGUS",
            ENV + "Value 'BOGUS' at 'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]",
        ),
        (
            "ReturnValues",
            "BOGUS",
            ENV + "Value 'BOGUS' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
        ),
    ],
)
def test_unknown_enum_members_of_put(api, simple, member, value, message):
    api.invalid(message, "PutItem", TableName=simple, Item=item(pk="a"), **{member: value})


def test_several_unknown_enum_members_of_put_are_joined(api, simple):
    more = {"ReturnConsumedCapacity": "X", "ReturnItemCollectionMetrics": "Y", "ReturnValues": "Z"}
    message = Has("3 validation errors detected: ", "'returnConsumedCapacity'", "'returnItemCollectionMetrics'", "'returnValues'")
    api.invalid(message, "PutItem", TableName=simple, Item=item(pk="a"), **more)


@pytest.mark.parametrize("name, part", [("", "greater than or equal to 1"), ("a b", "[a-zA-Z0-9_.-]+")])
@pytest.mark.parametrize("operation, member, more", [*WRITES, ("GetItem", "Key", {})])
def test_malformed_table_names(api, operation, member, more, name, part):
    api.invalid(Has(ENV, part), operation, TableName=name, **{member: item(pk="a")}, **more)


@pytest.mark.parametrize("operation, member, more", [*WRITES, ("GetItem", "Key", {})])
def test_table_arn_as_name(api, simple, pk, operation, member, more):
    arn = api("DescribeTable", TableName=simple)["Table"]["TableArn"]
    answer = api(operation, TableName=arn, ReturnConsumedCapacity="TOTAL", **{member: item(pk=pk)}, **more)
    assert answer["ConsumedCapacity"]["TableName"] == arn


def test_get_projection(api, simple, pk):
    whole = item(pk=pk, a=1, l=[0, {"x": 1, "y": 2}, 2], m={"k": {"z": 1}, "q": 2})
    api("PutItem", TableName=simple, Item=whole)
    for expression, wanted in [
        ("a", {"a": 1}),
        ("pk, a", {"pk": pk, "a": 1}),
        ("m.k", {"m": {"k": {"z": 1}}}),
        ("m.k.z, m.q", {"m": {"k": {"z": 1}, "q": 2}}),
        ("l[0]", {"l": [0]}),
        ("l[2], l[0]", {"l": [0, 2]}),
        ("l[1].x, l[1].y", {"l": [{"x": 1, "y": 2}]}),
        ("l[1].y, a", {"l": [{"y": 2}], "a": 1}),
        ("absent", {}),
        ("m.absent, l[9], a.b", {}),
        ("a[0], l.x", {}),
        (" a ,\tm.q\r\n", {"a": 1, "m": {"q": 2}}),
    ]:
        answer = api("GetItem", TableName=simple, Key=item(pk=pk), ProjectionExpression=expression)
        assert plain_item(answer["Item"]) == wanted, expression


def test_projection_of_an_alias_with_a_dot_is_one_name(api, simple, pk):
    api("PutItem", TableName=simple, Item={**item(pk=pk), "a.b": av(1), "a": av({"b": 2})})
    names = {"#x": "a.b"}
    answer = api("GetItem", TableName=simple, Key=item(pk=pk), ProjectionExpression="#x", ExpressionAttributeNames=names)
    assert plain_item(answer["Item"]) == {"a.b": 1}
