"""TransactWriteItems and TransactGetItems."""

import random
import threading

import pytest

import tables
from api import ENV, NOT_FOUND, Has
from values import item, plain_item

CANCELLED = "TransactionCanceledException"
FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
NONE = {"Code": "None"}
SAME_ITEM = "Transaction request cannot include multiple operations on one item"
MISMATCH = "The provided key element does not match the schema"
ACCOUNTS = 8
OPENING = 100


def put(table, condition=None, **attributes):
    return {"Put": with_condition({"TableName": table, "Item": item(attributes)}, condition)}


def delete(table, condition=None, **key):
    return {"Delete": with_condition({"TableName": table, "Key": item(key)}, condition)}


def check(table, condition, **key):
    return {"ConditionCheck": with_condition({"TableName": table, "Key": item(key)}, condition)}


def update(table, expression, values=None, condition=None, **key):
    action = with_condition({"TableName": table, "Key": item(key), "UpdateExpression": expression}, condition)
    return {"Update": action | ({"ExpressionAttributeValues": item(values)} if values else {})}


def get(table, projection=None, **key):
    return {"Get": {"TableName": table, "Key": item(key)} | ({"ProjectionExpression": projection} if projection else {})}


def with_condition(action, condition):
    return action | ({"ConditionExpression": condition} if condition else {})


def cancelled(api, *actions, operation="TransactWriteItems"):
    """Returns the reasons of a transaction that must be cancelled."""
    response = api.fails(operation, TransactItems=list(actions))
    reasons = response["CancellationReasons"]
    codes = ", ".join(reason["Code"] for reason in reasons)
    assert response["Error"]["Code"] == CANCELLED
    assert response["Error"]["Message"] == f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
    assert response["ResponseMetadata"]["HTTPStatusCode"] == 400 and len(reasons) == len(actions)
    return reasons


def stored(api, table, **key):
    found = api("GetItem", TableName=table, Key=item(key), ConsistentRead=True)
    return plain_item(found["Item"]) if "Item" in found else None


def test_all_four_actions_on_two_tables(api, make):
    one, two = make("pk:S"), make("pk:S / sk:N")
    api("PutItem", TableName=one, Item=item(pk="gone"))
    api("PutItem", TableName=one, Item=item(pk="checked", n=1))
    api("PutItem", TableName=two, Item=item(pk="a", sk=1, n=1))
    answer = api("TransactWriteItems", TransactItems=[
        put(one, "attribute_not_exists(pk)", pk="new"),
        delete(one, pk="gone"),
        check(one, "attribute_exists(n)", pk="checked"),
        update(two, "ADD n :n", {":n": 2}, pk="a", sk=1),
    ])
    assert "ConsumedCapacity" not in answer and "ItemCollectionMetrics" not in answer
    answer = api("TransactGetItems", TransactItems=[get(one, pk="new"), get(one, pk="gone"), get(one, "n", pk="checked"), get(two, pk="a", sk=1)])
    assert [plain_item(one["Item"]) if one else None for one in answer["Responses"]] == [{"pk": "new"}, None, {"n": 1}, {"pk": "a", "sk": 1, "n": 3}]


def test_one_failed_condition_cancels_all(api, simple, pk):
    reasons = cancelled(api, put(simple, pk=pk), check(simple, "attribute_exists(pk)", pk=f"{pk} absent"), delete(simple, "attribute_exists(pk)", pk=f"{pk} other"))
    assert reasons == [NONE, FAILED, FAILED]
    assert stored(api, simple, pk=pk) is None


def test_reason_returns_the_item_if_asked(api, simple, pk):
    api("PutItem", TableName=simple, Item=item(pk=pk, n=1))
    action = put(simple, "attribute_not_exists(pk)", pk=pk)
    action["Put"]["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    assert cancelled(api, action) == [FAILED | {"Item": item(pk=pk, n=1)}]


@pytest.mark.parametrize("action, message", [
    (lambda table: delete(table, pk=1), MISMATCH),
    (lambda table: delete(table, pk="a", more="b"), MISMATCH),
    (lambda table: put(table, other="a"), "One or more parameter values were invalid: Missing the key pk in the item"),
    (lambda table: put(table, pk=1), "One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N"),
    (lambda table: update(table, "SET a = b", pk="absent"), "The provided expression refers to an attribute that does not exist in the item"),
    (lambda table: update(table, "SET a.b = :v", {":v": 1}, pk="absent"), "The document path provided in the update expression is invalid for update"),
], ids=["key-type", "key-attributes", "item-without-key", "item-key-type", "missing-operand", "path"])
def test_faults_against_the_table_are_reasons(api, simple, action, message):
    reasons = cancelled(api, put(simple, pk="unwritten"), action(simple))
    assert reasons == [NONE, {"Code": "ValidationError", "Message": message}]
    assert stored(api, simple, pk="unwritten") is None


def test_faults_of_an_action_by_itself_refuse_the_request(api, simple):
    api.invalid(SAME_ITEM, "TransactWriteItems", TransactItems=[put(simple, pk="a"), delete(simple, pk="a")])
    api.invalid('Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "="', "TransactWriteItems", TransactItems=[delete("missing", "a =", pk="a")])
    api.invalid(Has(ENV + "Value '[TransactWriteItem(", "at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100"),
                "TransactWriteItems", TransactItems=[delete(simple, pk=f"{nth}") for nth in range(101)])
    api.refuses(NOT_FOUND, "Requested resource not found", "TransactWriteItems", TransactItems=[delete("missing", pk="a"), delete(simple, pk=1)])


def test_get_faults(api, simple):
    api.invalid(SAME_ITEM, "TransactGetItems", TransactItems=[get(simple, pk="a"), get(simple, pk="a")])
    api.refuses(NOT_FOUND, "Requested resource not found", "TransactGetItems", TransactItems=[get("missing", pk="a")])
    reasons = cancelled(api, get(simple, pk="a"), get(simple), operation="TransactGetItems")
    assert reasons == [NONE, {"Code": "ValidationError", "Message": MISMATCH}]


def test_one_hundred_actions_maintain_indexes(api, make):
    table = make("pk:S / sk:N", lsi={"by_a": "pk:S / a:N => KEYS_ONLY"}, gsi={"by_b": "b:S => ALL"})
    actions = [put(table, pk="p", sk=nth, a=-nth, b="same") for nth in range(100)]
    answer = api("TransactWriteItems", TransactItems=actions, ReturnConsumedCapacity="INDEXES", ReturnItemCollectionMetrics="SIZE")
    assert answer["ConsumedCapacity"] == [{
        "TableName": table, "CapacityUnits": 400, "WriteCapacityUnits": 400,
        "Table": {"CapacityUnits": 200, "WriteCapacityUnits": 200},
        "LocalSecondaryIndexes": {"by_a": {"CapacityUnits": 100}},
        "GlobalSecondaryIndexes": {"by_b": {"CapacityUnits": 100}},
    }]
    assert answer["ItemCollectionMetrics"] == {table: [{"ItemCollectionKey": item(pk="p"), "SizeEstimateRangeGB": [0, 1]}]}
    query = {"TableName": table, "Select": "COUNT"}
    assert api("Query", IndexName="by_a", KeyConditionExpression="pk = :p", ExpressionAttributeValues=item({":p": "p"}), **query)["Count"] == 100
    assert api("Query", IndexName="by_b", KeyConditionExpression="b = :b", ExpressionAttributeValues=item({":b": "same"}), **query)["Count"] == 100
    answer = api("TransactGetItems", TransactItems=[get(table, pk="p", sk=nth) for nth in range(100)], ReturnConsumedCapacity="TOTAL")
    assert [plain_item(one["Item"])["a"] for one in answer["Responses"]] == [-nth for nth in range(100)]
    assert answer["ConsumedCapacity"] == [{"TableName": table, "CapacityUnits": 200, "ReadCapacityUnits": 200}]


def test_token_makes_it_happen_once(api, simple, pk):
    request = {"TransactItems": [update(simple, "ADD n :n", {":n": 1}, pk=pk)], "ClientRequestToken": "once " + pk[:30], "ReturnConsumedCapacity": "TOTAL"}
    first, second = api("TransactWriteItems", **request), api("TransactWriteItems", **request)
    assert first["ConsumedCapacity"] == [{"TableName": simple, "CapacityUnits": 2, "WriteCapacityUnits": 2}]
    assert second["ConsumedCapacity"] == [{"TableName": simple, "CapacityUnits": 2, "ReadCapacityUnits": 2}]
    assert stored(api, simple, pk=pk) == {"pk": pk, "n": 1}
    request["TransactItems"] = [update(simple, "ADD n :n", {":n": 2}, pk=pk)]
    assert api.fails("TransactWriteItems", **request)["Error"]["Code"] == "IdempotentParameterMismatchException"


def test_token_of_a_cancelled_transaction_can_be_used(api, simple, pk):
    token = {"ClientRequestToken": "again " + pk[:30]}
    api.fails("TransactWriteItems", TransactItems=[put(simple, "attribute_exists(pk)", pk=pk)], **token)
    api("TransactWriteItems", TransactItems=[put(simple, pk=pk)], **token)
    assert stored(api, simple, pk=pk) == {"pk": pk}


def test_transfers_keep_the_sum(api, make):
    """Concurrent transfers with a condition on the balance; an auditor reads all accounts at once."""
    table = make("pk:S")
    names = [f"account-{nth}" for nth in range(ACCOUNTS)]
    tables.fill(api, table, [item(pk=name, balance=OPENING) for name in names])
    done, refused, trouble = [], [], []
    over = threading.Event()

    def transfer(seed):
        choice = random.Random(seed)
        for _ in range(60):
            source, target = choice.sample(names, 2)
            amount = choice.randint(1, OPENING)
            try:
                api("TransactWriteItems", TransactItems=[
                    update(table, "SET balance = balance - :a", {":a": amount}, "balance >= :a", pk=source),
                    update(table, "SET balance = balance + :a", {":a": amount}, pk=target),
                ])
                done.append(amount)
            except api.client.exceptions.TransactionCanceledException as error:
                codes = [reason["Code"] for reason in error.response["CancellationReasons"]]
                if codes != ["ConditionalCheckFailed", "None"]:
                    trouble.append(codes)
                refused.append(amount)

    def audit():
        while not over.is_set():
            answer = api("TransactGetItems", TransactItems=[get(table, pk=name) for name in names])
            balances = [plain_item(one["Item"])["balance"] for one in answer["Responses"]]
            if sum(balances) != ACCOUNTS * OPENING or min(balances) < 0:
                trouble.append(balances)

    clients = [threading.Thread(target=transfer, args=(seed,)) for seed in range(8)]
    auditor = threading.Thread(target=audit)
    for thread in [auditor, *clients]:
        thread.start()
    for thread in clients:
        thread.join()
    over.set()
    auditor.join()
    assert trouble == []
    assert len(done) + len(refused) == 480 and done and refused
