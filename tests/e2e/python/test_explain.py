"""EXPLAIN, as boto3 and people with curl ask for it."""

import pytest

import tables
from api import Has
from own_server import own
from values import item, plain_item

pytestmark = pytest.mark.hashrange


@pytest.fixture(scope="module")
def table(api, make):
    """Orders "A#0000" to "A#0039" of customer p; the index by_state has every fourth one as OPEN."""
    table = make("pk:S / sk:S", gsi={"by_state": "state:S / sk:S"})
    states = ["OPEN", "SENT", "SENT", "PAID"]
    orders = [item(pk="p", sk=f"A#{nth:04}", state=states[nth % 4], cents=nth) for nth in range(40)]
    tables.fill(api, table, orders + [item(pk="p", sk="AB#1"), item(pk="q", sk="A#0000")])
    return table


def explained(api, statement, **more):
    """Returns the one item that EXPLAIN answers, as plain values."""
    answer = api("ExecuteStatement", Statement=statement, **more)
    [row] = answer["Items"]
    assert set(row) == {"Plan", "Text"} and "NextToken" not in answer
    return plain_item(row)


def read_of(plan):
    """Returns the step of an explained read."""
    [step] = plan["Steps"]
    return step["Read"]


def test_a_range_is_told_without_running_it(api, table):
    row = explained(api, f"EXPLAIN SELECT * FROM \"{table}\" WHERE pk = 'p' AND begins_with(sk, 'A')")
    lines = row["Text"].splitlines()
    assert lines[0] == f"SELECT of {table}"
    assert "  range      sk >= 'A' AND sk < 'B'" in lines
    read = read_of(row["Plan"])
    assert read["Access"] == "KeyRange" and read["Estimate"]["Items"] == {"AtLeast": 41, "AtMost": 41}
    assert "Counted" not in read and row["Plan"]["Analyzed"] is False
    assert [advice["Kind"] for advice in row["Plan"]["Advice"]] == ["OpenPrefix"]


def test_parameters_are_told_by_their_values(api, table):
    values = [{"S": "p"}, {"S": "A#0004"}]
    row = explained(api, f'EXPLAIN SELECT * FROM "{table}" WHERE pk = ? AND sk = ?', Parameters=values)
    assert read_of(row["Plan"])["Access"] == "OneItem"


def test_analyze_counts_what_the_client_is_charged(api, table):
    statement = f"SELECT * FROM \"{table}\" WHERE pk = 'p' AND cents > 37"
    counted = read_of(explained(api, f"EXPLAIN ANALYZE {statement}")["Plan"])["Counted"]
    answer = api("ExecuteStatement", Statement=statement, ReturnConsumedCapacity="TOTAL")
    assert counted["Returned"]["Items"] == len(answer["Items"]) == 2
    assert counted["FilteredOut"] == 39
    assert float(counted["Units"][0]["Units"]) == answer["ConsumedCapacity"]["CapacityUnits"]


def test_a_write_is_only_told(api, table):
    key = item(pk="p", sk="new")
    statement = f"INSERT INTO \"{table}\" VALUE {{'pk': 'p', 'sk': 'new', 'state': 'OPEN'}}"
    [step] = explained(api, f"EXPLAIN {statement}")["Plan"]["Steps"]
    assert step["Write"]["Action"] == "Put" and "Refused" not in step["Write"]
    assert [index["Index"] for index in step["Write"]["Indexes"]] == ["by_state"]
    assert "Item" not in api("GetItem", TableName=table, Key=key)
    [step] = explained(api, f"EXPLAIN ANALYZE {statement}")["Plan"]["Steps"]
    assert "Refused" not in step["Write"]
    assert api("GetItem", TableName=table, Key=key)["Item"]["state"] == {"S": "OPEN"}
    [step] = explained(api, f"EXPLAIN {statement}")["Plan"]["Steps"]
    assert step["Write"]["Refused"] == "DuplicateItemException: Duplicate primary key exists in table"
    api("DeleteItem", TableName=table, Key=key)


def test_faults_are_those_of_the_statement(api, table):
    api.invalid(Has("well formed"), "ExecuteStatement", Statement=f'EXPLAIN SELECT FROM "{table}"')
    error = api.fails("ExecuteStatement", Statement='EXPLAIN SELECT * FROM "no.such.table"')["Error"]
    assert error["Code"] == "ResourceNotFoundException"


def test_a_transaction_is_told_with_the_reasons_that_a_client_gets(api, table):
    check = {"TableName": table, "Key": item(pk="p", sk="A#0000"), "ConditionExpression": "attribute_not_exists(pk)"}
    put = {"TableName": table, "Item": item(pk="p", sk="new")}
    actions = [{"Put": put}, {"ConditionCheck": check}]
    told = own(api, "Explain", Operation="TransactWriteItems", Request={"TransactItems": actions})["Explanation"]
    error = api.fails("TransactWriteItems", TransactItems=actions)
    codes = [reason["Code"] for reason in error["CancellationReasons"]]
    assert codes == ["None", "ConditionalCheckFailed"]
    assert told["Together"]["Refused"].endswith(error["Error"]["Message"])
    refused = [step["Write"].get("Refused", "None").partition(":")[0] for step in told["Steps"]]
    assert refused == codes


def test_statements_of_a_transaction_are_explained_together(api, table):
    insert = f"INSERT INTO \"{table}\" VALUE {{'pk': 'p', 'sk': 'new'}}"
    delete = f"DELETE FROM \"{table}\" WHERE pk = 'p' AND sk = 'A#0001'"
    statements = [{"Statement": f"EXPLAIN {insert}"}, {"Statement": delete}]
    [response] = api("ExecuteTransaction", TransactStatements=statements)["Responses"]
    plan = plain_item(response["Item"])["Plan"]
    assert [step["Write"]["Action"] for step in plan["Steps"]] == ["Put", "Delete"]
    assert plan["Together"]["IsTransaction"] and "Refused" not in plan["Together"]
    assert "Item" in api("GetItem", TableName=table, Key=item(pk="p", sk="A#0001"))


def test_a_transaction_costs_what_is_told(api, table):
    gets = [{"Get": {"TableName": table, "Key": item(pk="p", sk=f"A#{nth:04}")}} for nth in range(5)]
    told = own(api, "Explain", Operation="TransactGetItems", Request={"TransactItems": gets})["Explanation"]
    answer = api("TransactGetItems", TransactItems=gets, ReturnConsumedCapacity="TOTAL")
    [units] = told["Together"]["Units"]
    [consumed] = answer["ConsumedCapacity"]
    assert (units["Table"], units["Units"]) == (table, consumed["CapacityUnits"])


def test_an_index_is_told_before_it_is_there(api, make):
    table = make("pk:S / sk:S")
    tables.fill(api, table, [item(pk=f"p{nth}", sk="s", city=f"c{nth % 5}", size=nth) for nth in range(50)])
    schema = [{"AttributeName": "city", "KeyType": "HASH"}, {"AttributeName": "size", "KeyType": "RANGE"}]
    types = [{"AttributeName": "city", "AttributeType": "S"}, {"AttributeName": "size", "AttributeType": "N"}]
    index = {"IndexName": "by_city", "KeySchema": schema, "Projection": {"ProjectionType": "KEYS_ONLY"}}
    request = {
        "TableName": table,
        "IndexName": "by_city",
        "KeyConditionExpression": "city = :c AND #s >= :s",
        "ExpressionAttributeNames": {"#s": "size"},
        "ExpressionAttributeValues": item({":c": "c1", ":s": 20}),
    }
    what_if = {**index, "AttributeDefinitions": types}
    told = own(api, "Explain", Operation="Query", Request=request, WhatIf=what_if)["Explanation"]
    supposed = read_of(told)["WhatIf"]
    assert supposed["IsAll"] and supposed["Entries"]["Items"] == 50
    api("UpdateTable", TableName=table, AttributeDefinitions=types, GlobalSecondaryIndexUpdates=[{"Create": index}])
    tables.wait_active(api, table)
    answer = api("Query", **request, ReturnConsumedCapacity="TOTAL")
    assert supposed["Examined"]["Items"] == answer["ScannedCount"] == 6
    assert supposed["Units"] == answer["ConsumedCapacity"]["CapacityUnits"]
