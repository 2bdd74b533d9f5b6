"""The words of every fault of an expression, in each place where an expression may stand."""

import pytest

from api import ENV, IPV, Has
from values import av, item

# What follows "Invalid <Kind>Expression: ", for conditions and filters.
CONDITION_FAULTS = [
    ("", {}, "The expression can not be empty;"),
    ("attribute_exists(", {}, 'Syntax error; token: "<EOF>", near: "("'),
    ("INVALID SYNTAX HERE", {}, 'Syntax error; token: "SYNTAX", near: "INVALID SYNTAX HERE"'),
    ("!!! x", {}, 'Syntax error; token: "!", near: "!!"'),
    ("a = = b", {}, 'Syntax error; token: "=", near: "= = b"'),
    ("a = b c", {}, Has('Syntax error; token: "c", near: "b c"')),
    ("a", {}, Has('Syntax error; token: "<EOF>"')),
    ("((a = :v))", {"v": 1}, "The expression has redundant parentheses;"),
    ("((a)) = :v", {"v": 1}, "The expression has redundant parentheses;"),
    ("status = :v", {"v": 1}, "Attribute name is a reserved keyword; reserved keyword: status"),
    ("m.Name = :v", {"v": 1}, "Attribute name is a reserved keyword; reserved keyword: Name"),
    ("foo(a)", {}, "Invalid function name; function: foo"),
    ("ATTRIBUTE_EXISTS(a)", {}, "Invalid function name; function: ATTRIBUTE_EXISTS"),
    ("size(a)", {}, "The function is not allowed to be used this way in an expression; function: size"),
    ("attribute_exists(a) = :v", {"v": 1}, "The function is not allowed to be used this way in an expression; function: attribute_exists"),
    ("if_not_exists(a, :v)", {"v": 1}, Has("function: if_not_exists")),
    ("#a = :v", {"v": 1}, "An expression attribute name used in the document path is not defined; attribute name: #a"),
    ("a = :absent", {}, "An expression attribute value used in expression is not defined; attribute value: :absent"),
    ("size(a, b) = :v", {"v": 1}, "Incorrect number of operands for operator or function; operator or function: size, number of operands: 2"),
    ("attribute_exists(a, b)", {}, "Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 2"),
    ("begins_with(a)", {}, "Incorrect number of operands for operator or function; operator or function: begins_with, number of operands: 1"),
    ("attribute_exists(:v)", {"v": "a"}, "Operator or function requires a document path; operator or function: attribute_exists"),
    ("attribute_not_exists(:v)", {"v": "a"}, "Operator or function requires a document path; operator or function: attribute_not_exists"),
    ("attribute_type(a, :v)", {"v": "X"}, "Invalid attribute type name found; type: X, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"),
    ("attribute_type(a, :v)", {"v": 1}, "Incorrect operand type for operator or function; operator or function: attribute_type, operand type: N"),
    ("begins_with(a, :v)", {"v": 1}, "Incorrect operand type for operator or function; operator or function: begins_with, operand type: N"),
    ("begins_with(a, :v)", {"v": {"x"}}, "Incorrect operand type for operator or function; operator or function: begins_with, operand type: SS"),
    ("size(:v) = :v", {"v": 1}, "Incorrect operand type for operator or function; operator or function: size, operand type: N"),
    ("a < :v", {"v": True}, "Incorrect operand type for operator or function; operator or function: <, operand type: BOOL"),
    ("a >= :v", {"v": ["x"]}, "Incorrect operand type for operator or function; operator or function: >=, operand type: L"),
    ("a BETWEEN :v AND :w", {"v": {"k": 1}, "w": {"k": 2}}, "Incorrect operand type for operator or function; operator or function: BETWEEN, operand type: M"),
    ("a = a", {}, "The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [a]"),
    ("contains(data1, data1)", {}, "The first operand must be distinct from the remaining operands for this operator or function; operator: contains, first operand: [data1]"),
    (
        "a BETWEEN :v AND :w",
        {"v": "a", "w": 1},
        "The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: {S:a}, upper bound operand: AttributeValue: {N:1}",
    ),
    (
        "a BETWEEN :v AND :w",
        {"v": 5, "w": 1},
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {N:5}, upper bound operand: AttributeValue: {N:1}",
    ),
    ("a = :v " + " " * 4096, {"v": 1}, Has("Expression size has exceeded the maximum allowed size;")),
]  # fmt: skip


def prefixed(prefix, message):
    return Has(prefix, *message.parts) if isinstance(message, Has) else prefix + message


def values_of(values):
    return {"ExpressionAttributeValues": item({f":{name}": value for name, value in values.items()})} if values else {}


@pytest.mark.parametrize("expression, values, message", CONDITION_FAULTS, ids=lambda one: str(one)[:50])
@pytest.mark.parametrize("place", ["put", "update", "delete", "scan", "query"])
def test_condition_and_filter(api, simple, place, expression, values, message):
    key = {"Key": item(pk="a"), "ConditionExpression": expression}
    call = {
        "put": ("PutItem", {"Item": item(pk="a"), "ConditionExpression": expression}),
        "update": ("UpdateItem", key),
        "delete": ("DeleteItem", key),
        "scan": ("Scan", {"FilterExpression": expression}),
        "query": ("Query", {"FilterExpression": expression, "KeyConditionExpression": "pk = :pk"}),
    }
    operation, parameters = call[place]
    prefix = "Invalid FilterExpression: " if place in ("scan", "query") else ENV + "Invalid ConditionExpression: "
    more = values_of({**values, "pk": "a"} if place == "query" else values)
    api.invalid(prefixed(prefix, message), operation, TableName=simple, **parameters, **more)


UPDATE_FAULTS = [
    ("", {}, "The expression can not be empty;"),
    ("SET", {}, 'Syntax error; token: "<EOF>", near: "SET"'),
    ("INVALID SYNTAX HERE", {}, 'Syntax error; token: "INVALID", near: "INVALID SYNTAX"'),
    ("SET a", {}, 'Syntax error; token: "<EOF>", near: "a"'),
    ("SET a = :v,", {"v": 1}, Has('Syntax error; token: "<EOF>", near: ","')),
    ("a = :v", {"v": 1}, Has('Syntax error; token: "a", near: "a ="')),
    ("SET a = :v SET b = :v", {"v": 1}, 'The "SET" section can only be used once in an update expression;'),
    ("REMOVE a REMOVE b", {}, 'The "REMOVE" section can only be used once in an update expression;'),
    ("SET a = ((:v))", {"v": 1}, "The expression has redundant parentheses;"),
    ("SET a = foo(b)", {}, "Invalid function name; function: foo"),
    ("SET a = size(b)", {}, Has("function: size")),
    ("SET a = :v, a = :v", {"v": 1}, "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a]"),
    ("SET a = :v REMOVE a.b", {"v": 1}, "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a, b]"),
    ("SET a = :v REMOVE a[0]", {"v": 1}, "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a, [0]]"),
    ("SET a.b = :v REMOVE a[0]", {"v": 1}, "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a, [0]]"),
    ("SET status = :v", {"v": 1}, "Attribute name is a reserved keyword; reserved keyword: status"),
    ("SET a = :w", {"v": 1}, "An expression attribute value used in expression is not defined; attribute value: :w"),
    ("SET #a = :v", {"v": 1}, "An expression attribute name used in the document path is not defined; attribute name: #a"),
    ("ADD a :v", {"v": "x"}, "Incorrect operand type for operator or function; operator: ADD, operand type: STRING"),
    ("ADD a :v", {"v": [1]}, "Incorrect operand type for operator or function; operator: ADD, operand type: LIST"),
    ("DELETE a :v", {"v": 1}, "Incorrect operand type for operator or function; operator: DELETE, operand type: NUMBER"),
    ("DELETE a :v", {"v": True}, "Incorrect operand type for operator or function; operator: DELETE, operand type: BOOLEAN"),
    ("SET a = b + :v", {"v": "x"}, "Incorrect operand type for operator or function; operator or function: +, operand type: S"),
    ("SET a = list_append(b, :v)", {"v": 1}, "Incorrect operand type for operator or function; operator or function: list_append, operand type: N"),
    ("SET a = if_not_exists(:v, :v)", {"v": 1}, "Operator or function requires a document path; operator or function: if_not_exists"),
    ("SET a = if_not_exists(b)", {}, "Incorrect number of operands for operator or function; operator or function: if_not_exists, number of operands: 1"),
    ("SET a = :v" + " " * 4096, {"v": 1}, "Expression size has exceeded the maximum allowed size;"),
]  # fmt: skip


@pytest.mark.parametrize("expression, values, message", UPDATE_FAULTS, ids=lambda one: str(one)[:50])
def test_update(api, simple, expression, values, message):
    message = prefixed(ENV + "Invalid UpdateExpression: ", message)
    api.invalid(message, "UpdateItem", TableName=simple, Key=item(pk="a"), UpdateExpression=expression, **values_of(values))


PROJECTION_FAULTS = [
    ("", "The expression can not be empty;"),
    ("a,", Has('Syntax error; token: "<EOF>", near: ","')),
    ("a b", 'Syntax error; token: "b", near: "a b"'),
    ("a[x]", Has("Syntax error; token:")),
    ("a, a", "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a]"),
    ("a, a.b", "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a, b]"),
    ("a.b, a[0]", "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a, [0]]"),
    ("date", "Attribute name is a reserved keyword; reserved keyword: date"),
    ("#a", "An expression attribute name used in the document path is not defined; attribute name: #a"),
]  # fmt: skip


@pytest.mark.parametrize("expression, message", PROJECTION_FAULTS, ids=lambda one: str(one)[:50])
def test_projection(api, simple, expression, message):
    message = prefixed("Invalid ProjectionExpression: ", message)
    api.invalid(message, "GetItem", TableName=simple, Key=item(pk="a"), ProjectionExpression=expression)
    api.invalid(message, "Scan", TableName=simple, ProjectionExpression=expression)
    api.invalid(message, "BatchGetItem", RequestItems={simple: {"Keys": [item(pk="a")], "ProjectionExpression": expression}})
    query = {"KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": item({":v": "a"})}
    api.invalid(message, "Query", TableName=simple, ProjectionExpression=expression, **query)


NAMES, VALUES = "ExpressionAttributeNames", "ExpressionAttributeValues"


def call(place, **more):
    """A request of `place` that uses #a and :v when they are given."""
    write = {"Key": item(pk="a"), "ConditionExpression": "x = :v"}
    requests = {
        "put": ("PutItem", {"Item": item(pk="a"), "ConditionExpression": "x = :v"}),
        "update": ("UpdateItem", write),
        "delete": ("DeleteItem", write),
        "scan": ("Scan", {"FilterExpression": "x = :v"}),
        "query": ("Query", {"KeyConditionExpression": "pk = :v"}),
    }
    operation, parameters = requests[place]
    return operation, {**parameters, VALUES: item({":v": "v"}), **more}


@pytest.mark.parametrize("place", ["put", "update", "delete", "scan", "query"])
@pytest.mark.parametrize(
    "more, message",
    [
        ({NAMES: {"#a": "a"}}, "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}"),
        ({VALUES: item({":v": "v", ":w": 1})}, "Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}"),
        ({NAMES: {}}, "ExpressionAttributeNames must not be empty"),
        ({VALUES: {}}, "ExpressionAttributeValues must not be empty"),
        ({NAMES: {"a": "a"}}, 'ExpressionAttributeNames contains invalid key: Syntax error; key: "a"'),
        ({NAMES: {"#a-b": "a"}}, 'ExpressionAttributeNames contains invalid key: Syntax error; key: "#a-b"'),
        ({VALUES: item({"v": 1})}, 'ExpressionAttributeValues contains invalid key: Syntax error; key: "v"'),
    ],
    ids=lambda one: str(one)[:60],
)
def test_names_and_values(api, simple, place, more, message):
    operation, parameters = call(place, **more)
    enveloped = place in ("put", "update", "delete")
    api.invalid(ENV + message if enveloped else message, operation, TableName=simple, **parameters)


@pytest.mark.parametrize("member, value", [(NAMES, {"#a": "a"}), (VALUES, {":v": av(1)})])
@pytest.mark.parametrize("operation, where", [("PutItem", "Item"), ("UpdateItem", "Key"), ("DeleteItem", "Key")])
def test_names_and_values_without_expression(api, simple, operation, where, member, value):
    message = f"{ENV}{member} can only be specified when using expressions"
    api.invalid(message, operation, TableName=simple, **{where: item(pk="a"), member: value})


@pytest.mark.parametrize("operation, more", [("GetItem", {"Key": item(pk="a")}), ("Scan", {})])
def test_names_without_expression_in_reads(api, simple, operation, more):
    message = Has("ExpressionAttributeNames can only be specified when using expressions")
    api.invalid(message, operation, TableName=simple, ExpressionAttributeNames={"#a": "a"}, **more)


def test_several_unused(api, simple):
    values = item({":v": 1, ":w": 2, ":x": 3})
    message = Has("Value provided in ExpressionAttributeValues unused in expressions: keys: {", ":w", ":x", ", ")
    api.invalid(message, "Scan", TableName=simple, FilterExpression="a = :v", ExpressionAttributeValues=values)


@pytest.mark.parametrize(
    "operation, parameters, non_expression, expression",
    [
        ("PutItem", {"Item": item(pk="a"), "Expected": {"x": {"Exists": False}}, "ConditionExpression": "a = b"}, "Expected", "ConditionExpression"),
        ("UpdateItem", {"Key": item(pk="a"), "AttributeUpdates": {}, "UpdateExpression": "REMOVE a"}, "AttributeUpdates", "UpdateExpression"),
        ("GetItem", {"Key": item(pk="a"), "AttributesToGet": ["a"], "ProjectionExpression": "a"}, "AttributesToGet", "ProjectionExpression"),
        ("Scan", {"ScanFilter": {"x": {"ComparisonOperator": "NULL"}}, "FilterExpression": "a = b"}, "ScanFilter", "FilterExpression"),
    ],
)
def test_both_styles(api, simple, operation, parameters, non_expression, expression):
    message = (
        "Can not use both expression and non-expression parameters in the same request: "
        f"Non-expression parameters: {{{non_expression}}} Expression parameters: {{{expression}}}"
    )
    enveloped = operation in ("PutItem", "UpdateItem")
    api.invalid(ENV + message if enveloped else message, operation, TableName=simple, **parameters)


KEY_CONDITION_FAULTS = [
    ("", {}, "Invalid KeyConditionExpression: The expression can not be empty;"),
    ("pk = :p AND", {"p": "a"}, Has("Invalid KeyConditionExpression: Syntax error; token: \"<EOF>\"")),
    ("pk = :p OR sk = :s", {"p": "a", "s": 1}, "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: OR"),
    ("NOT pk = :p", {"p": "a"}, "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: NOT"),
    ("pk = :p AND sk IN (:s)", {"p": "a", "s": 1}, "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: IN"),
    ("pk = :p AND sk <> :s", {"p": "a", "s": 1}, "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: <>"),
    ("pk = :p AND contains(sk, :s)", {"p": "a", "s": "1"}, "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: contains"),
    ("pk = :p AND attribute_exists(sk)", {"p": "a"}, "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: attribute_exists"),
    ("pk = :p AND size(sk) = :s", {"p": "a", "s": 1}, "Invalid KeyConditionExpression: KeyConditionExpressions cannot contain nested operations"),
    ("pk.a = :p", {"p": "a"}, Has("KeyConditionExpressions cannot have conditions on nested attributes")),
    ("pk = sk", {}, Has("Multiple attribute names used in one condition")),
    (":p = :s", {"p": "a", "s": "b"}, Has("No key attribute specified")),
    ("pk = :p AND :s BETWEEN sk AND :s", {"p": "a", "s": 1}, Has("BETWEEN operator must have the key attribute as its first operand")),
    ("pk = :p AND pk = :p", {"p": "a"}, "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"),
    ("pk = :p AND sk > :s AND sk < :s", {"p": "a", "s": 1}, [
        "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key",
        "The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)",
        "Conditions can be of length 1 or 2 only",
    ]),
    (
        "pk = :p AND sk = :s AND x = :s",
        {"p": "a", "s": 1},
        ["The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)", "Conditions can be of length 1 or 2 only"],
    ),
    ("sk = :s", {"s": 1}, "Query condition missed key schema element: pk"),
    ("pk = :p AND x = :s", {"p": "a", "s": 1}, "Query condition missed key schema element: sk"),
    ("pk > :p", {"p": "a"}, "Query key condition not supported"),
    ("begins_with(pk, :p)", {"p": "a"}, "Query key condition not supported"),
    ("pk = :p", {"p": 1}, IPV + "Condition parameter type does not match schema type"),
    ("pk = :p", {"p": True}, IPV + "Condition parameter type does not match schema type"),
    ("pk = :p AND sk > :s", {"p": "a", "s": "1"}, IPV + "Condition parameter type does not match schema type"),
    (
        "pk = :p AND begins_with(sk, :s)",
        {"p": "a", "s": 1},
        "Invalid KeyConditionExpression: Incorrect operand type for operator or function; operator or function: begins_with, operand type: N",
    ),
    (
        "pk = :p AND sk < :s",
        {"p": "a", "s": True},
        "Invalid KeyConditionExpression: Incorrect operand type for operator or function; operator or function: <, operand type: BOOL",
    ),
    (
        "pk = :p AND sk BETWEEN :s AND :t",
        {"p": "a", "s": 2, "t": 1},
        Has("Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound"),
    ),
    ("status = :p", {"p": "a"}, "Invalid KeyConditionExpression: Attribute name is a reserved keyword; reserved keyword: status"),
    ("pk = :x", {"p": "a"}, "Invalid KeyConditionExpression: An expression attribute value used in expression is not defined; attribute value: :x"),
    ("#k = :p", {"p": "a"}, "Invalid KeyConditionExpression: An expression attribute name used in the document path is not defined; attribute name: #k"),
    ("((pk = :p))", {"p": "a"}, "Invalid KeyConditionExpression: The expression has redundant parentheses;"),
]  # fmt: skip


@pytest.mark.parametrize("expression, values, message", KEY_CONDITION_FAULTS, ids=lambda one: str(one)[:50])
def test_key_condition(api, sorted_table, expression, values, message):
    api.invalid(message, "Query", TableName=sorted_table, KeyConditionExpression=expression, **values_of(values))


def test_no_key_condition(api, sorted_table):
    message = "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
    api.invalid(message, "Query", TableName=sorted_table)


def test_filter_on_key_attributes_of_a_query(api, sorted_table):
    query = {"TableName": sorted_table, "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": item({":p": "a", ":v": 1})}
    message = "Filter Expression can only contain non-primary key attributes: Primary key attribute: sk"
    api.invalid(message, "Query", FilterExpression="sk > :v", **query)
    assert api("Scan", TableName=sorted_table, FilterExpression="sk > :v", ExpressionAttributeValues=item({":v": 1}))["Items"] == []
