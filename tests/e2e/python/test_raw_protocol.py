"""What no SDK would send: broken bodies, wrong types, unknown targets, odd HTTP. Source: wire protocol reference."""

import gzip
import http.client
import json
import re
import socket
import zlib

import pytest

from http_raw import CONTENT_TYPE, UNCHECKED, Http

TYPE = "com.amazon.coral.service#SerializationException"


@pytest.fixture(scope="module")
def web(endpoint):
    return Http(endpoint)


def test_success_has_the_usual_headers(web):
    answer = web.post("ListTables", {"Limit": 1}).checked()
    assert answer.status == 200 and answer.headers["content-type"] == CONTENT_TYPE
    assert re.fullmatch("[A-Z0-9]{52}", answer.headers["x-amzn-requestid"])
    assert int(answer.headers["content-length"]) == len(answer.body)


def test_content_type_is_echoed(web):
    assert web.post("ListTables", {}, Content_Type="application/json").headers["content-type"] == "application/json"
    assert web.post("ListTables", {}, Content_Type="application/x-amz-json-1.0; charset=utf-8").status == 200


def test_request_ids_differ(web):
    assert len({web.post("ListTables", {}).headers["x-amzn-requestid"] for _ in range(20)}) == 20


@pytest.mark.parametrize(
    "body",
    ["{", "[", "nonsense", '{"a":}', '{"a":1,}', "{'a':1}", '{"a":1}x', '"\\ud800', "\x00", '{"a":01}', "{" * 100_000, '{"a":' * 100_000, "[" * 1_000_000],
    ids=lambda body: body[:12],
)
def test_malformed_json(web, body):
    answer = web.post("ListTables", body).checked()
    assert (answer.status, answer.json) == (400, {"__type": TYPE})


def test_malformed_utf8(web):
    answer = web.post("GetItem", b'{"TableName":"\xff\xfe"}').checked()
    assert answer.status == 400 and answer.error == "SerializationException"


def test_empty_body(web):
    answer = web.post("ListTables", b"").checked()
    assert (answer.status, answer.error) == (400, "SerializationException")


@pytest.mark.parametrize("body", ["[]", '"text"', "1", "true"])
def test_body_that_is_not_an_object(web, body):
    answer = web.post("ListTables", body).checked()
    assert (answer.status, answer.error) == (400, "SerializationException")


@pytest.mark.parametrize(
    "target",
    [None, "", "DynamoDB_20120810", "DynamoDB_20120810.", "DynamoDB_20120810.Nothing", "DynamoDB_20120810.listTables", "DynamoDB_20111205.ListTables", "DynamoDB_20120810.ListTables.x", "ListTables", "x" * 5000],
    ids=lambda target: str(target)[:30],
)
def test_unknown_operations(web, target):
    answer = web.post("", {}, X_Amz_Target=target).checked()
    assert (answer.status, answer.json) == (400, {"__type": "com.amazon.coral.service#UnknownOperationException"})


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", None])
def test_unknown_content_types(web, content_type):
    answer = web.post("ListTables", {}, Content_Type=content_type)
    assert (answer.status, answer.body) == (404, b"<UnknownOperationException/>\n")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_unknown_methods(web, method):
    answer = web.send(method, "/", b"{}", {"Content-Type": CONTENT_TYPE})
    assert (answer.status, answer.body) == (404, b"<UnknownOperationException/>\n")


def test_malformed_json_is_reported_before_the_target_and_the_target_before_authentication(web):
    assert web.post("Nothing", "{", Authorization=None).error == "SerializationException"
    assert web.post("Nothing", "{}", Authorization=None).error == "UnknownOperationException"


STRING, NUMBER, MAP, LIST = '"x"', "23", '{"a":1}', '["a"]'
TYPES = [
    ("ListTables", "ExclusiveStartTableName", "true", "TRUE_VALUE cannot be converted to String"),
    ("ListTables", "ExclusiveStartTableName", "false", "FALSE_VALUE cannot be converted to String"),
    ("ListTables", "ExclusiveStartTableName", "23", "NUMBER_VALUE cannot be converted to String"),
    ("ListTables", "ExclusiveStartTableName", "23.5", "DECIMAL_VALUE cannot be converted to String"),
    ("ListTables", "ExclusiveStartTableName", "[]", "Unrecognized collection type class java.lang.String"),
    ("ListTables", "ExclusiveStartTableName", "{}", "Start of structure or map found where not expected"),
    ("ListTables", "Limit", STRING, "STRING_VALUE cannot be converted to Integer"),
    ("ListTables", "Limit", "true", "TRUE_VALUE cannot be converted to Integer"),
    ("ListTables", "Limit", "[]", "Unrecognized collection type class java.lang.Integer"),
    ("ListTables", "Limit", "{}", "Start of structure or map found where not expected"),
    ("GetItem", "ConsistentRead", NUMBER, "NUMBER_VALUE cannot be converted to Boolean"),
    ("GetItem", "ConsistentRead", '"maybe"', "Unexpected token received from parser"),
    ("GetItem", "Key", STRING, "Unexpected field type"),
    ("GetItem", "Key", "[]", "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>"),
    ("GetItem", "AttributesToGet", STRING, "Unexpected field type"),
    ("GetItem", "AttributesToGet", "{}", "Start of structure or map found where not expected"),
    ("GetItem", "Key", '{"a":{"B":1}}', "only base-64-encoded strings are convertible to bytes"),
    ("GetItem", "Key", '{"a":{"B":[]}}', "Unrecognized collection type class java.nio.ByteBuffer"),
    ("GetItem", "Key", '{"a":{"B":"a"}}', "Base64 encoded length is expected a multiple of 4 bytes but found: 1"),
    ("GetItem", "Key", '{"a":{"B":"YR=="}}', "Invalid last non-pad Base64 character dectected"),
    ("GetItem", "Key", '{"a":{"S":1}}', "NUMBER_VALUE cannot be converted to String"),
    ("GetItem", "Key", '{"a":{"N":1}}', "NUMBER_VALUE cannot be converted to String"),
    ("GetItem", "Key", '{"a":{"BOOL":"maybe"}}', "Unexpected token received from parser"),
    ("CreateTable", "ProvisionedThroughput", STRING, None),
    ("CreateTable", "KeySchema", '["a"]', None),
    ("CreateTable", "KeySchema", '{"a":1}', None),
    ("PutItem", "Item", '{"a":"b"}', None),
    ("PutItem", "Item", '{"a":["b"]}', None),
    ("PutItem", "Item", '{"a":{"L":{}}}', None),
    ("PutItem", "Item", '{"a":{"M":[]}}', None),
    ("PutItem", "Item", '{"a":{"SS":"b"}}', None),
    ("PutItem", "Item", '{"a":{"NS":[1]}}', None),
    ("BatchGetItem", "RequestItems", "[]", None),
    ("BatchGetItem", "RequestItems", '{"abc":[]}', None),
    ("BatchWriteItem", "RequestItems", '{"abc":{}}', None),
]


@pytest.mark.parametrize("operation, member, value, message", TYPES)
def test_wrong_types(web, operation, member, value, message):
    answer = web.post(operation, f'{{"{member}":{value}}}').checked()
    assert (answer.status, answer.json["__type"]) == (400, TYPE)
    assert message is None or answer.json["Message"] == message


@pytest.mark.parametrize("body", ['{"Limit":1,"Unknown":{"a":[1]}}', '{"Limit":null,"ExclusiveStartTableName":null}', ' {"Limit" : 1.9}\n', '{"Limit":1e0}'])
def test_tolerated_bodies(web, body):
    assert web.post("ListTables", body).status == 200


def test_deeply_nested_values_are_refused_not_fatal(web):
    for depth in (100, 10_000, 500_000):
        body = '{"TableName":"abc","Item":{"a":' + '{"L":[' * depth + "]}" * depth + "}}"
        assert web.post("PutItem", body).status == 400
    assert web.post("ListTables", {}).status == 200


def test_error_envelope(web):
    answer = web.post("GetItem", {"TableName": "no.such.table", "Key": {"a": {"S": "a"}}}).checked()
    assert (answer.status, answer.json) == (
        400,
        {"__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", "message": "Requested resource not found"},
    )
    answer = web.post("ListTables", {"Limit": 0}).checked()
    assert answer.json["__type"] == "com.amazon.coral.validate#ValidationException" and "message" in answer.json


def test_body_of_sixteen_mebibytes(web):
    def body(size):
        text = '{"ExclusiveStartTableName":""}'
        return text[:-2] + "x" * (size - len(text)) + text[-2:]

    limit = 16 * 1024 * 1024
    assert web.post("ListTables", body(limit)).status == 400
    try:
        answer = web.post("ListTables", body(limit + 1))
    except (BrokenPipeError, ConnectionResetError):
        # The server may close before it has read a body that it refuses by its declared length.
        answer = web.send("POST", "/", None, {"Content-Type": CONTENT_TYPE, "X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Length": str(limit + 1)})
    assert (answer.status, answer.body) == (413, b"")


def exchange(web, data, until=None):
    """Sends bytes on a socket and returns everything until the server closes or `until(received)`."""
    with socket.create_connection((web.host, web.port), timeout=20) as connection:
        connection.sendall(data)
        received = b""
        while not (until and until(received)):
            part = connection.recv(65536)
            if not part:
                break
            received += part
        return received


def request_bytes(body=b"{}", target="DynamoDB_20120810.ListTables", extra=b""):
    head = f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: {CONTENT_TYPE}\r\nX-Amz-Target: {target}\r\nX-Amz-Date: 20260101T000000Z\r\nAuthorization: {UNCHECKED}\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + extra + b"\r\n" + body


def test_pipelined_requests_are_answered_in_order(web):
    bodies = [b'{"Limit":1}', b'{"Limit":0}', b"{", b'{"Limit":2}']
    received = exchange(web, b"".join(map(request_bytes, bodies)), lambda got: got.count(b"HTTP/1.1 ") == 4 and got.rstrip().endswith(b"}"))
    assert re.findall(rb"HTTP/1.1 (\d{3})", received) == [b"200", b"400", b"400", b"200"]


def test_keep_alive(web):
    connection = web.connect()
    for _ in range(50):
        connection.request("POST", "/", b"{}", {"Content-Type": CONTENT_TYPE, "X-Amz-Target": "DynamoDB_20120810.ListTables", "Authorization": UNCHECKED, "X-Amz-Date": "20260101T000000Z"})
        response = connection.getresponse()
        assert response.status == 200 and response.read()
    connection.close()


def test_expect_continue(web):
    received = exchange(web, request_bytes(extra=b"Expect: 100-continue\r\n"), lambda got: b"200 OK" in got and got.rstrip().endswith(b"}"))
    assert received.startswith((b"HTTP/1.1 100 Continue\r\n", b"HTTP/1.1 200 OK\r\n"))


def test_chunked_body(web):
    head = request_bytes().split(b"Content-Length")[0] + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    received = exchange(web, head + b'4\r\n{"Li\r\n8\r\nmit": 1}\r\n0\r\n\r\n')
    assert received.startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize(
    "data",
    [b"\x16\x03\x01\x02\x00\x01\x00", b"GARBAGE\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"POST / HTTP/9.9\r\n\r\n", b"A" * 200_000, b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000 + b"\r\n"],
    ids=lambda data: str(data[:20]),
)
def test_bytes_that_are_not_http(web, data):
    try:
        exchange(web, data + b"\r\n\r\n")
    except (ConnectionResetError, BrokenPipeError):
        pass
    assert web.post("ListTables", {}).status == 200


def test_disconnect_inside_a_body(web):
    with socket.create_connection((web.host, web.port), timeout=20) as connection:
        connection.sendall(request_bytes(b"x" * 1000)[:-900])
    assert web.post("ListTables", {}).status == 200


def test_health(web):
    answer = web.send("GET", "/")
    assert answer.status == 200 and answer.body.startswith(b"healthy: dynamodb.us-east-1.amazonaws.com ")
    assert int(answer.headers["x-amz-crc32"]) == zlib.crc32(answer.body)


def test_preflight(web):
    asked = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-amz-target,authorization"}
    answer = web.send("OPTIONS", "/", None, asked)
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["access-control-allow-headers"] == "x-amz-target,authorization"
    assert answer.headers["access-control-allow-methods"] == "POST"
    assert answer.headers["access-control-max-age"] == "172800"


def test_cross_origin_answers(web):
    assert web.post("ListTables", {}, Origin="https://example.org").headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-origin" not in web.post("ListTables", {}).headers


def test_large_answers_may_be_compressed(web):
    """What is sent compressed says so, and its checksum is that of the bytes sent."""
    table = "raw.gzip"
    web.post("CreateTable", {
        "TableName": table, "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "BillingMode": "PAY_PER_REQUEST",
    })  # fmt: skip
    for _ in range(500):
        if web.post("DescribeTable", {"TableName": table}).json["Table"]["TableStatus"] == "ACTIVE":
            break
    value = {"pk": {"S": "a"}, "x": {"S": "x" * 100_000}}
    assert web.post("PutItem", {"TableName": table, "Item": value}).status == 200
    read = {"TableName": table, "Key": {"pk": {"S": "a"}}}
    squeezed = web.post("GetItem", read, Accept_Encoding="gzip").checked()
    body = gzip.decompress(squeezed.body) if squeezed.headers.get("content-encoding") == "gzip" else squeezed.body
    assert json.loads(body) == {"Item": value}
    whole = web.post("GetItem", read, Accept_Encoding="identity").checked()
    assert "content-encoding" not in whole.headers and whole.json == {"Item": value}
    web.post("DeleteTable", {"TableName": table})


def test_responses_have_empty_objects_for_nothing(web):
    table = "raw.empty"
    web.post("CreateTable", {
        "TableName": table, "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "BillingMode": "PAY_PER_REQUEST",
    })  # fmt: skip
    key = {"pk": {"S": "a"}}
    assert web.post("PutItem", {"TableName": table, "Item": key}).body == b"{}"
    assert web.post("GetItem", {"TableName": table, "Key": {"pk": {"S": "no"}}}).body == b"{}"
    assert web.post("GetItem", {"TableName": table, "Key": key, "ProjectionExpression": "x"}).json == {"Item": {}}
    assert web.post("DeleteTable", {"TableName": table}).status == 200


def test_head_of_http_1_0(web):
    received = exchange(web, b"GET / HTTP/1.0\r\n\r\n")
    assert received.startswith(b"HTTP/1.") and b" 200 " in received.splitlines()[0]


def test_unused_connection_does_no_harm(web):
    connection = http.client.HTTPConnection(web.host, web.port, timeout=5)
    connection.connect()
    assert web.post("ListTables", {}).status == 200
    connection.close()
