"""Fills the table that read.lua reads: 1000 partitions of 100 items of 1 KiB.

    python3 crates/bench/wrk/load.py PORT FOLDER

The answers of one Query and one GetItem go to FOLDER/query.json and FOLDER/get.json, for a bare
server to return: `hashrange-bench bare-server PORT FOLDER/query.json`.
"""

import http.client
import json
import pathlib
import random
import sys

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789 "
HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "Authorization": "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host, Signature=00",
}


def call(connection, operation, request):
    headers = HEADERS | {"X-Amz-Target": f"DynamoDB_20120810.{operation}"}
    connection.request("POST", "/", json.dumps(request), headers)
    response = connection.getresponse()
    body = response.read()
    if response.status != 200:
        sys.exit(f"{operation}: {body[:300]}")
    return body


def item(partition, nth, payload):
    return {
        "pk": {"S": f"part-{partition:08}"},
        "sk": {"S": f"sort-{nth:04}"},
        "owner": {"S": "owner-1234"},
        "status": {"S": "status-12"},
        "region": {"S": "region-33"},
        "number": {"N": str(partition * 100 + nth)},
        "flag": {"BOOL": True},
        "payload": {"S": payload},
    }


def main():
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
    folder = pathlib.Path(sys.argv[2])
    names = [("pk", "HASH"), ("sk", "RANGE")]
    call(connection, "CreateTable", {
        "TableName": "Bench",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name, _ in names],
        "KeySchema": [{"AttributeName": name, "KeyType": kind} for name, kind in names],
    })
    chance = random.Random(1)
    payloads = ["".join(chance.choice(LETTERS) for _ in range(880)) for _ in range(37)]
    for partition in range(1000):
        for start in range(0, 100, 25):
            puts = [
                {"PutRequest": {"Item": item(partition, nth, payloads[(partition + nth) % 37])}}
                for nth in range(start, start + 25)
            ]
            call(connection, "BatchWriteItem", {"RequestItems": {"Bench": puts}})
    query = {
        "TableName": "Bench",
        "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": {"S": "part-00000001"}},
    }
    key = {"pk": {"S": "part-00000001"}, "sk": {"S": "sort-0001"}}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "query.json").write_bytes(call(connection, "Query", query))
    get = {"TableName": "Bench", "Key": key}
    (folder / "get.json").write_bytes(call(connection, "GetItem", get))


main()
