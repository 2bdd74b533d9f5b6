"""The profiles `aws` and `hostile` behind a real process: what a client meets, and that a client
that retries and goes on still gets everything."""

import time

import pytest
from botocore.exceptions import ClientError

import tables
from own_server import Server
from values import item

pytestmark = [pytest.mark.process, pytest.mark.hashrange]

RETRIED = {
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "TransactionConflictException",
    "TransactionCanceledException",
    "TransactionInProgressException",
}
SCHEMA = {
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
}


@pytest.fixture
def serve(tmp_path):
    servers = []

    def serve(*arguments):
        servers.append(Server(tmp_path / f"server-{len(servers)}.log", "--memory", *arguments))
        return servers[-1].api()

    yield serve
    for server in servers:
        server.close()


def wait(api, table, waiter="table_exists"):
    api.client.get_waiter(waiter).wait(TableName=table, WaiterConfig={"Delay": 0.1, "MaxAttempts": 300})


def create(api, **billing):
    table = tables.fresh_name()
    described = api("CreateTable", TableName=table, **SCHEMA, **billing)["TableDescription"]
    assert described["TableStatus"] == "CREATING"
    return table


def provisioned(api, read, write):
    throughput = {"ReadCapacityUnits": read, "WriteCapacityUnits": write}
    return create(api, BillingMode="PROVISIONED", ProvisionedThroughput=throughput)


def test_a_table_is_created_and_deleted_after_a_while(serve):
    api = serve("--profile", "aws", "--table-delay-ms", "1500")
    table = provisioned(api, 1, 1)
    assert api("DescribeTable", TableName=table)["Table"]["TableStatus"] == "CREATING"
    api.refuses("ResourceNotFoundException", "Requested resource not found", "GetItem", TableName=table, Key=item(pk="1"))
    wait(api, table)
    api("PutItem", TableName=table, Item=item(pk="1"))
    api("DeleteTable", TableName=table)
    assert api("DescribeTable", TableName=table)["Table"]["TableStatus"] == "DELETING"
    wait(api, table, "table_not_exists")


def test_writes_beyond_what_is_provisioned_are_throttled(serve):
    api = serve("--profile=aws", "--table-delay-ms=0")
    table = provisioned(api, 100, 5)
    with pytest.raises(ClientError) as caught:
        for nth in range(1000):
            api("PutItem", TableName=table, Item=item(pk=str(nth)))
    response = caught.value.response
    assert response["Error"]["Code"] == "ProvisionedThroughputExceededException"
    arn = api("DescribeTable", TableName=table)["Table"]["TableArn"]
    assert response["ThrottlingReasons"] == [{"reason": "TableWriteProvisionedThroughputExceeded", "resource": arn}]


def test_a_batch_leaves_what_does_not_fit(serve):
    api = serve("--profile=aws", "--table-delay-ms=0")
    table = provisioned(api, 100, 5)
    requests = [{"PutRequest": {"Item": item(pk=str(nth))}} for nth in range(25)]
    answers = []
    while requests:
        try:
            answer = api("BatchWriteItem", RequestItems={table: requests})
        except ClientError as error:
            assert error.response["Error"]["Code"] == "ProvisionedThroughputExceededException"
            time.sleep(0.2)
            continue
        answers.append(answer)
        requests = answer["UnprocessedItems"].get(table, [])
    assert len(answers) > 2 and answers[0]["UnprocessedItems"][table]
    assert api("Scan", TableName=table, ConsistentRead=True)["Count"] == 25


def persist(met, call, operation, **parameters):
    """Calls until it succeeds, as a correct client does; `met` collects what went wrong."""
    while True:
        try:
            return call(operation, **parameters)
        except ClientError as error:
            code = error.response["Error"]["Code"]
            assert code in RETRIED, error
            met.append((operation, code))


def work(api):
    """Does many things with a hostile server; returns what went wrong and the lengths of the pages."""
    met, pages = [], []
    table = create(api, BillingMode="PAY_PER_REQUEST")
    for nth in range(30):
        persist(met, api, "PutItem", TableName=table, Item=item(pk=f"{nth:03}", v=0))
    requests = [{"PutRequest": {"Item": item(pk=f"{nth:03}", v=0)}} for nth in range(30, 55)]
    while requests:
        answer = persist(met, api, "BatchWriteItem", RequestItems={table: requests})
        requests = answer["UnprocessedItems"].get(table, [])
        met.append(("left", len(requests)))
    for nth in range(20):
        update = {
            "Update": {
                "TableName": table,
                "Key": item(pk=f"{nth:03}"),
                "UpdateExpression": "ADD v :one",
                "ExpressionAttributeValues": item(**{":one": 1}),
            }
        }
        persist(met, api, "TransactWriteItems", TransactItems=[update], ClientRequestToken=f"token-{nth}")
    found, start = {}, {}
    while True:
        page = persist(met, api, "Scan", TableName=table, ConsistentRead=True, **start)
        pages.append(page["Count"])
        found.update({one["pk"]["S"]: one["v"]["N"] for one in page["Items"]})
        if "LastEvaluatedKey" not in page:
            break
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    assert found == {f"{nth:03}": "1" if nth < 20 else "0" for nth in range(55)}
    stale = [persist(met, api, "GetItem", TableName=table, Key=item(pk="000")).get("Item") for _ in range(30)]
    return met, pages, stale


def test_a_correct_client_gets_everything_from_a_hostile_server_and_the_same_with_one_seed(serve):
    runs = [work(serve("--profile", "hostile", "--seed", seed, "--table-delay-ms=0")) for seed in ("7", "7", "8")]
    met, pages, _ = runs[0]
    assert runs[0] == runs[1] and runs[0] != runs[2]
    assert len(pages) >= 11 and max(pages) <= 5
    assert RETRIED - {"ProvisionedThroughputExceededException"} <= {code for _, code in met}


def test_settings_that_would_do_nothing_are_refused(tmp_path):
    for arguments, problem in [
        (("--seed", "1"), "seed needs the profile"),
        (("--profile", "evil"), "only default, aws, hostile"),
    ]:
        with pytest.raises(AssertionError, match=problem):
            Server(tmp_path / "refused.log", "--memory", *arguments)
