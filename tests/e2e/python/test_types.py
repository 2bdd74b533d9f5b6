"""Attribute values: every type there and back, numbers, sets, keys, sizes, nesting."""

import pytest

from api import ENV, IPV, NOT_VALID, Has
from values import Raw, av, item, plain_item

MANY_DIGITS = "1234567890123456789012345678901234567.8"
OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
PRECISION = "Attempting to store more than 38 significant digits in a Number"


def numeric(text):
    return f"The parameter cannot be converted to a numeric value: {text}"


@pytest.mark.parametrize(
    "value",
    [
        {"S": "text"},
        {"S": ""},
        {"S": "\u00e9\u4e2d\U0001f600\u0000\u001f\"\\/\u2028"},
        {"S": "x" * 300_000},
        {"N": "1"},
        {"N": MANY_DIGITS},
        {"B": b"\x00\xff\x80"},
        {"B": b""},
        {"BOOL": True},
        {"BOOL": False},
        {"NULL": True},
        {"L": []},
        {"L": [{"S": "a"}, {"N": "1"}, {"NULL": True}, {"L": [{"L": []}]}, {"M": {}}]},
        {"M": {}},
        {"M": {"a": {"M": {"b.c": {"BS": [b"x"]}}}, " ": {"BOOL": False}, "a" * 300: {"S": ""}}},
    ],
    ids=lambda value: str(value)[:30],
)
def test_round_trip(api, simple, pk, value):
    api("PutItem", TableName=simple, Item={"pk": {"S": pk}, "x": value})
    for consistent in (True, False):
        got = api("GetItem", TableName=simple, Key=item(pk=pk), ConsistentRead=consistent)["Item"]
        assert got == {"pk": {"S": pk}, "x": value}


@pytest.mark.parametrize("tag, members", [("SS", ["b", "a", ""]), ("NS", ["3", "-1", "2.5"]), ("BS", [b"b", b"", b"\xff"])])
def test_sets_round_trip(api, simple, pk, tag, members):
    api("PutItem", TableName=simple, Item={"pk": {"S": pk}, "x": {tag: members}})
    got = api("GetItem", TableName=simple, Key=item(pk=pk))["Item"]["x"]
    assert list(got) == [tag] and sorted(got[tag]) == sorted(members)


NUMBERS = [
    ("0", "0"),
    ("-0", "0"),
    ("0.000", "0"),
    ("0e125", "0"),
    ("007", "7"),
    ("+5", "5"),
    (".5", "0.5"),
    ("5.", "5"),
    ("-.50", "-0.5"),
    ("1.2300", "1.23"),
    ("1e3", "1000"),
    ("1E+3", "1000"),
    ("1.5e-3", "0.0015"),
    ("-12e-1", "-1.2"),
    ("100", "100"),
    ("1E125", "1" + "0" * 125),
    ("9.9999999999999999999999999999999999999E+125", "9" * 38 + "0" * 88),
    ("-9.9999999999999999999999999999999999999E+125", "-" + "9" * 38 + "0" * 88),
    ("1E-130", "0." + "0" * 129 + "1"),
    ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
    ("123456789012345678901234567890123456780000", "123456789012345678901234567890123456780000"),
    ("0.00012345678901234567890123456789012345678", "0.00012345678901234567890123456789012345678"),
    ("1" + "0" * 60, "1" + "0" * 60),
    ("0" * 60 + "1", "1"),
]


@pytest.mark.parametrize("sent, stored", NUMBERS)
def test_numbers_are_normalised(api, simple, pk, sent, stored):
    written = {"pk": {"S": pk}, "x": {"N": sent}, "set": {"NS": [sent, "42"]}}
    api("PutItem", TableName=simple, Item=written)
    got = api("GetItem", TableName=simple, Key=item(pk=pk))["Item"]
    assert got["x"] == {"N": stored}
    assert sorted(got["set"]["NS"]) == sorted([stored, "42"])


BAD_NUMBERS = [
    ("1E126", OVERFLOW),
    ("-1E126", OVERFLOW),
    ("0e126", OVERFLOW),
    ("99999999999999999999999999999999999999E+100", OVERFLOW),
    ("1e2147483648", OVERFLOW),
    ("1E-131", UNDERFLOW),
    ("0e-131", UNDERFLOW),
    ("1e-2147483649", UNDERFLOW),
    ("123456789012345678901234567890123456789", PRECISION),
    ("1.00000000000000000000000000000000000001", PRECISION),
    ("1e9223372036854775808", numeric("1e9223372036854775808")),
    *[(bad, numeric(bad)) for bad in ("abc", "1+2", "1.2.3", "+e2", "1e", "0x10", "NaN", "Infinity", " 1", "1 ", "", "-", ".", "1_000", "\u0661")],
]


@pytest.mark.parametrize("number, message", BAD_NUMBERS)
@pytest.mark.parametrize("place", ["attribute", "nested", "set", "key"])
def test_bad_numbers_in_put(api, simple, pk, number, message, place):
    value = {
        "attribute": {"x": {"N": number}},
        "nested": {"x": {"L": [{"M": {"a": {"N": number}}}]}},
        "set": {"x": {"NS": [number]}},
        "key": {"pk": {"N": number}},
    }[place]
    api.invalid(ENV + message, "PutItem", TableName=simple, Item={**item(pk=pk), **value})


@pytest.mark.parametrize("number, message", [("1E126", OVERFLOW), ("abc", numeric("abc")), ("123456789012345678901234567890123456789", PRECISION)])
def test_bad_numbers_by_operation(api, simple, pk, number, message):
    bad = {"N": number}
    key, values, update = item(pk=pk), {":v": bad}, "SET x = :v"
    api.invalid(ENV + message, "UpdateItem", TableName=simple, Key=key, UpdateExpression=update, ExpressionAttributeValues=values)
    api.invalid(ENV + message, "UpdateItem", TableName=simple, Key=key, AttributeUpdates={"x": {"Value": bad}})
    api.invalid(ENV + message, "DeleteItem", TableName=simple, Key={"pk": bad})
    api.invalid(message, "GetItem", TableName=simple, Key={"pk": bad})
    api.invalid(message, "BatchGetItem", RequestItems={simple: {"Keys": [{"pk": bad}]}})
    api.invalid(message, "BatchWriteItem", RequestItems={simple: [{"PutRequest": {"Item": {**key, "x": bad}}}]})
    api.invalid(message, "Query", TableName=simple, KeyConditionExpression="pk = :v", ExpressionAttributeValues=values)
    wrapped = f"ExpressionAttributeValues contains invalid value: {message} for key :v"
    api.invalid(wrapped, "Scan", TableName=simple, FilterExpression="x = :v", ExpressionAttributeValues=values)


EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
TWO = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
BAD_VALUES = [
    ({}, EMPTY),
    ({"S": "a", "N": "1"}, TWO),
    ({"S": "a", "N": "x"}, Has(numeric("x"))),
    ({"NULL": False}, ENV + IPV + "Null attribute value types must have the value of true"),
    ({"SS": []}, ENV + IPV + "An string set  may not be empty"),
    ({"NS": []}, ENV + IPV + "An number set  may not be empty"),
    ({"BS": []}, ENV + IPV + "Binary sets should not be empty"),
    ({"SS": ["b", "a", "b"]}, ENV + IPV + 'Input collection ["a", "b", "b"] contains duplicates.'),
    ({"BS": [b"\xff", b"\x00", b"\x00"]}, ENV + IPV + 'Input collection ["AA==","AA==","/w=="]of type BS contains duplicates.'),
    ({"NS": ["1", "1.0"]}, ENV + IPV + "Input collection contains duplicates."),
    ({"NS": ["1", ""]}, ENV + numeric("")),
]


@pytest.mark.parametrize("value, message", BAD_VALUES, ids=lambda one: str(one)[:40])
@pytest.mark.parametrize("wrap", [lambda one: one, lambda one: {"L": [one]}, lambda one: {"M": {"k": one}}], ids=["top", "list", "map"])
def test_bad_values_in_put(api, simple, pk, value, message, wrap):
    if "BS" in value and len(value["BS"]) > 1:
        message = Has(ENV + IPV + "Input collection [", "of type BS contains duplicates.")
    api.invalid(message, "PutItem", TableName=simple, Item={**item(pk=pk), "x": wrap(value)})


def test_duplicate_sets_in_the_older_layer(api, simple, pk):
    for value, message in [
        ({"SS": ["b", "a", "b"]}, IPV + "Input collection [b, a, b] contains duplicates."),
        ({"BS": [b"\xff", b"\x00", b"\x00"]}, IPV + "Input collection [/w==, AA==, AA==]of type BS contains duplicates."),
        ({"NS": ["1", "1.0"]}, "Input collection contains duplicates"),
    ]:
        api.invalid(message, "BatchWriteItem", RequestItems={simple: [{"PutRequest": {"Item": {**item(pk=pk), "x": value}}}]})


def test_empty_attribute_names(api, simple, pk):
    for extra in ({"": av("x")}, {"m": av({"": 1})}, {"l": av([{"": 1}])}):
        api.invalid(Has("Empty attribute name"), "PutItem", TableName=simple, Item={**item(pk=pk), **extra})


SCHEMA = "The provided key element does not match the schema"


@pytest.mark.parametrize(
    "key, put_message",
    [
        ({}, IPV + "Missing the key pk in the item"),
        (item(pk="a"), IPV + "Missing the key sk in the item"),
        (item(pk=1, sk=1), IPV + "Type mismatch for key pk expected: S actual: N"),
        (item(pk="a", sk="b"), IPV + "Type mismatch for key sk expected: N actual: S"),
        (item(pk=["a"], sk=1), IPV + "Type mismatch for key pk expected: S actual: L"),
        (item(pk={"a"}, sk=1), IPV + "Type mismatch for key pk expected: S actual: SS"),
    ],
    ids=str,
)
def test_keys_that_do_not_fit(api, sorted_table, key, put_message):
    table = sorted_table
    api.invalid(put_message, "PutItem", TableName=table, Item={**key, "x": av(1)})
    for operation in ("GetItem", "DeleteItem", "UpdateItem"):
        api.invalid(SCHEMA, operation, TableName=table, Key=key)
    api.invalid(SCHEMA, "BatchGetItem", RequestItems={table: {"Keys": [key]}})
    api.invalid(SCHEMA, "BatchWriteItem", RequestItems={table: [{"PutRequest": {"Item": key}}]})
    api.invalid(SCHEMA, "BatchWriteItem", RequestItems={table: [{"DeleteRequest": {"Key": key}}]})


def test_a_key_has_no_other_attributes(api, sorted_table):
    key = item(pk="a", sk=1, x=1)
    for operation in ("GetItem", "DeleteItem", "UpdateItem"):
        api.invalid(SCHEMA, operation, TableName=sorted_table, Key=key)
    api.invalid(SCHEMA, "BatchWriteItem", RequestItems={sorted_table: [{"DeleteRequest": {"Key": key}}]})


@pytest.mark.parametrize("key_type, empty, kind", [("S", "", "string"), ("B", b"", "binary")])
def test_empty_keys(api, make, key_type, empty, kind):
    table = make(f"pk:{key_type}")
    key = item(pk=empty)
    message = NOT_VALID + f"The AttributeValue for a key attribute cannot contain an empty {kind} value. Key: pk"
    api.invalid(message, "PutItem", TableName=table, Item=key)
    for operation in ("GetItem", "DeleteItem", "UpdateItem"):
        api.invalid(message, operation, TableName=table, Key=key)
    api.invalid(message, "BatchGetItem", RequestItems={table: {"Keys": [key]}})
    api.invalid(message, "BatchWriteItem", RequestItems={table: [{"PutRequest": {"Item": key}}]})


def test_key_sizes(api, make):
    table = make("pk:S / sk:B")
    longest = item(pk="\u00e9" * 1024, sk=b"x" * 1024)
    api("PutItem", TableName=table, Item=longest)
    assert api("GetItem", TableName=table, Key=longest)["Item"] == longest
    hash_message = IPV + "Size of hashkey has exceeded the maximum size limit of2048 bytes"
    range_message = IPV + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
    for key, message in ((item(pk="x" * 2049, sk=b"x"), hash_message), (item(pk="x", sk=b"x" * 1025), range_message)):
        api.invalid(message, "PutItem", TableName=table, Item=key)
        for operation in ("GetItem", "DeleteItem", "UpdateItem"):
            api.invalid(message, operation, TableName=table, Key=key)


@pytest.mark.parametrize("equal", [("1", "1.0"), ("100", "1e2"), ("-0", "0"), ("0.10", ".1")])
def test_number_keys_are_equal_by_value(api, make, equal):
    table = make("pk:N")
    first, second = ({"pk": {"N": one}} for one in equal)
    api("PutItem", TableName=table, Item={**first, "x": av(1)})
    api("PutItem", TableName=table, Item={**second, "x": av(2)})
    assert plain_item(api("GetItem", TableName=table, Key=first)["Item"])["x"] == 2
    assert len(api("Scan", TableName=table)["Items"]) == 1


TOO_LARGE = "Item size has exceeded the maximum allowed size"
TOO_LARGE_UPDATE = "Item size to update has exceeded the maximum allowed size"
LIMIT = 409_600


def test_item_size_limit(api, simple):
    fits = item(pk="a", x="x" * (LIMIT - 2 - 1 - 1))
    api("PutItem", TableName=simple, Item=fits)
    over = item(pk="a", x="x" * (LIMIT - 2 - 1))
    api.invalid(TOO_LARGE, "PutItem", TableName=simple, Item=over)
    api.invalid(TOO_LARGE, "BatchWriteItem", RequestItems={simple: [{"PutRequest": {"Item": over}}]})
    grow = {"UpdateExpression": "SET y = :y", "ExpressionAttributeValues": item({":y": "y"})}
    api.invalid(TOO_LARGE_UPDATE, "UpdateItem", TableName=simple, Key=item(pk="a"), **grow)
    assert api("GetItem", TableName=simple, Key=item(pk="a"))["Item"] == fits


# Sizes of values without the attribute name. Source of the number sizes: captured points, data model section 6.2.
SIZES = [
    ("", 0),
    ("\u00e9\U0001f600", 6),
    (b"\x00\x01", 2),
    (True, 1),
    (None, 1),
    ({"a", "bc"}, 3),
    ({b"a", b"bc"}, 3),
    ({1, 12345}, 2 + 4),
    ([], 3),
    ([1, "ab"], 3 + 1 + 2 + 1 + 2),
    ({}, 3),
    ({"key": "ab", "\u00e9": True}, 3 + (1 + 3 + 2) + (1 + 2 + 1)),
    ([[], {}], 3 + 1 + 3 + 1 + 3),
    *[
        (Raw({"N": text}), size)
        for text, size in [
            ("0", 1), ("1", 2), ("12", 2), ("123", 3), ("1234", 3), ("12345", 4), ("123456", 4), ("12345678", 5),
            ("1234567890123456789", 11), ("0042", 2), ("100", 2), ("1010", 3), ("0.0000001", 2), ("1E125", 2), ("1E-100", 2),
            ("1.5", 3), ("1.200", 3), ("1.234", 4), ("3.14159", 5), ("100.5", 4), ("0.15", 2), ("-42", 3), ("-12345", 5),
            ("-1E125", 3), ("-0", 1), ("9" * 38, 20),
        ]
    ],
]  # fmt: skip


@pytest.mark.parametrize("value, size", SIZES, ids=str)
def test_sizes_to_the_byte(api, simple, value, size):
    """The filler makes the item exactly as large as may be; one byte more is refused."""
    filler = LIMIT - len("pk") - 1 - len("v") - size - len("x")
    whole = {**item(pk="s", x="x" * filler), "v": av(value)}
    api("PutItem", TableName=simple, Item=whole)
    api.invalid(TOO_LARGE, "PutItem", TableName=simple, Item={**whole, "x": av("x" * (filler + 1))})


def nested(wrappers, kind):
    value = av("leaf")
    for _ in range(wrappers):
        value = {"L": [value]} if kind == "L" else {"M": {"a": value}}
    return value


@pytest.mark.parametrize("kind", ["L", "M"])
def test_nesting(api, simple, pk, kind):
    fits = {**item(pk=pk), "x": nested(31, kind)}
    api("PutItem", TableName=simple, Item=fits)
    assert api("GetItem", TableName=simple, Key=item(pk=pk))["Item"] == fits
    message = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
    for depth in (32, 33, 60):
        api.invalid([message, ENV + message], "PutItem", TableName=simple, Item={**item(pk=pk), "x": nested(depth, kind)})
    deep = {"UpdateExpression": "SET x = :v", "ExpressionAttributeValues": {":v": nested(32, kind)}}
    api.invalid([message, ENV + message], "UpdateItem", TableName=simple, Key=item(pk=pk), **deep)
