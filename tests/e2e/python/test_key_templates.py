"""Keys that the server derives, under clients that know nothing of them: boto3 as it comes."""

import boto3
import pytest
from boto3.dynamodb.conditions import Key

from api import REGION, Has
from own_server import own

pytestmark = pytest.mark.hashrange

SORT_KEY = 'sk = "ORDER#{placed:iso:s}#{id}"'
INDEX_KEY = 'GSI1SK = "{status}#{placed:iso:s}" when status in [OPEN, PLACED]'


@pytest.fixture(scope="module")
def table(api, endpoint, make):
    """A table with templates for its sort key and for that of an index, as boto3's resource sees it."""
    name = make("pk:S / sk:S", gsi={"by_status": "pk:S / GSI1SK:S"})
    for template in (SORT_KEY, INDEX_KEY):
        own(api, "PutKeyTemplate", TableName=name, Template=template)
    resource = boto3.resource(
        "dynamodb", endpoint_url=endpoint, region_name=REGION, aws_access_key_id="local", aws_secret_access_key="local"
    )
    return resource.Table(name)


def order(number, status="OPEN", placed="2026-11-25T09:30:00+02:00", **more):
    return {"pk": "shop", "id": str(number), "status": status, "placed": placed, **more}


def sort_key(number, placed="2026-11-25T07:30:00Z"):
    return f"ORDER#{placed}#{number}"


def stored(table, number):
    return table.get_item(Key={"pk": "shop", "sk": sort_key(number)}).get("Item")


def test_put_item_fills_both_keys(table):
    table.put_item(Item=order(1))
    assert stored(table, 1)["GSI1SK"] == "OPEN#2026-11-25T07:30:00Z"


def test_update_item_moves_the_item_in_the_index_and_out_of_it(table):
    table.put_item(Item=order(2))
    key = {"pk": "shop", "sk": sort_key(2)}

    def become(status):
        values, names = {":s": status}, {"#s": "status"}
        answer = table.update_item(
            Key=key,
            UpdateExpression="SET #s = :s",
            ExpressionAttributeNames=names,
            ExpressionAttributeValues=values,
            ReturnValues="ALL_NEW",
        )
        return answer["Attributes"]

    assert become("PLACED")["GSI1SK"] == "PLACED#2026-11-25T07:30:00Z"
    assert "GSI1SK" not in become("SENT")
    found = table.query(IndexName="by_status", KeyConditionExpression=Key("pk").eq("shop"))["Items"]
    assert "2" not in [one["id"] for one in found]


def test_batches_transactions_and_statements_fill_them_too(table):
    with table.batch_writer() as batch:
        batch.put_item(Item=order(3, "PLACED"))
    client = table.meta.client
    client.transact_write_items(TransactItems=[{"Put": {"TableName": table.name, "Item": order(4, "PLACED")}}])
    statement = f"INSERT INTO \"{table.name}\" VALUE {{'pk': ?, 'id': ?, 'status': ?, 'placed': ?}}"
    client.execute_statement(Statement=statement, Parameters=list(order(5, "PLACED").values()))
    placed = Key("pk").eq("shop") & Key("GSI1SK").begins_with("PLACED#")
    found = table.query(IndexName="by_status", KeyConditionExpression=placed)["Items"]
    assert {"3", "4", "5"} <= {one["id"] for one in found}
    assert all(one["sk"] == sort_key(one["id"]) for one in found)


def test_an_item_without_a_key_is_refused_and_not_written(table, api):
    bad = {"TableName": table.name, "Item": {"pk": {"S": "shop"}, "id": {"S": "9"}, "placed": {"S": "25.11.2026"}}}
    api.invalid(Has("key template of the attribute sk", "placed is no time"), "PutItem", **bad)
    found = table.query(KeyConditionExpression=Key("pk").eq("shop"))["Items"]
    assert "9" not in [one["id"] for one in found]


def test_explain_tells_the_key_that_a_put_will_have(table, api):
    request = {"TableName": table.name, "Item": {name: {"S": value} for name, value in order(7).items()}}
    told = own(api, "Explain", Operation="PutItem", Request=request)["Explanation"]
    [step] = told["Steps"]
    assert step["Write"]["Key"] == f"pk = 'shop' AND sk = '{sort_key(7)}'"
    assert stored(table, 7) is None


def test_a_key_is_read_back_by_its_parts(table, api):
    [parsed] = own(api, "ParseKey", TableName=table.name, AttributeName="sk", Key=sort_key(1))["Keys"]
    assert [part["Value"] for part in parsed["Parts"]] == [{"S": "2026-11-25T07:30:00Z"}, {"S": "1"}]
