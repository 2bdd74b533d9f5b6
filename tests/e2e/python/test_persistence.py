"""The embedded store behind a real process: what was acknowledged survives a restart and kill -9."""

import threading

import pytest
from botocore.exceptions import BotoCoreError

import tables
from own_server import Server
from values import item, plain_items

pytestmark = [pytest.mark.process, pytest.mark.hashrange]


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path / "server.log", "--data-dir", str(tmp_path / "data"))
    yield server
    server.close()


def everything(api, table, **more):
    return sorted(plain_items(tables.all_items(api, "Scan", TableName=table, ConsistentRead="IndexName" not in more, **more)), key=lambda one: one["pk"])


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_tables_items_indexes_and_tags_survive(server, end):
    api = server.api()
    table = tables.create(api, gsi={"by_a": "a:S => KEYS_ONLY"}, Tags=[{"Key": "k", "Value": "v"}])
    tables.fill(api, table, [item(pk=f"{nth}", a=f"a{nth % 3}", x=[nth, {"b": b"\x00"}]) for nth in range(100)])
    api("DeleteItem", TableName=table, Key=item(pk="7"))
    api("UpdateItem", TableName=table, Key=item(pk="8"), UpdateExpression="REMOVE a")
    before = everything(api, table), everything(api, table, IndexName="by_a")
    described = api("DescribeTable", TableName=table)["Table"]
    getattr(server, end)()
    server.start()
    api = server.api()
    assert (everything(api, table), everything(api, table, IndexName="by_a")) == before
    assert len(before[0]) == 99 and len(before[1]) == 98
    again = api("DescribeTable", TableName=table)["Table"]
    assert {name: again[name] for name in ("TableId", "CreationDateTime", "KeySchema", "ItemCount")} == {
        name: described[name] for name in ("TableId", "CreationDateTime", "KeySchema", "ItemCount")
    }
    assert api("ListTagsOfResource", ResourceArn=again["TableArn"])["Tags"] == [{"Key": "k", "Value": "v"}]


def test_deleted_table_stays_deleted(server):
    api = server.api()
    table = tables.create(api)
    tables.fill(api, table, [item(pk=f"{nth}") for nth in range(50)])
    api("DeleteTable", TableName=table)
    tables.wait_gone(api, table)
    server.kill()
    server.start()
    api = server.api()
    assert api("ListTables")["TableNames"] == []
    tables.create(api, name=table)
    assert everything(api, table) == []


def test_acknowledged_writes_survive_kill_in_the_middle_of_writing(server):
    """Four writers count up; after each kill every acknowledged value is there and the index agrees."""
    table = tables.create(server.api(), gsi={"by_g": "g:S"})
    acknowledged = {}

    def write(name, api):
        nth = acknowledged.get(name, 0)
        try:
            while True:
                nth += 1
                api("PutItem", TableName=table, Item=item(pk=f"{name}-{nth}", g="g", nth=nth))
                acknowledged[name] = nth
        except BotoCoreError:
            return

    for _ in range(3):
        target = {name: acknowledged.get(name, 0) + 100 for name in "abcd"}
        writers = [threading.Thread(target=write, args=(name, server.api())) for name in "abcd"]
        for writer in writers:
            writer.start()
        while any(acknowledged.get(name, 0) < wanted for name, wanted in target.items()):
            assert all(writer.is_alive() for writer in writers)
        server.kill()
        for writer in writers:
            writer.join()
        server.start()
        api = server.api()
        base = everything(api, table)
        present = {one["pk"] for one in base}
        lost = [f"{name}-{nth}" for name, last in acknowledged.items() for nth in range(1, last + 1) if f"{name}-{nth}" not in present]
        assert not lost
        assert everything(api, table, IndexName="by_g") == base


def test_second_server_on_the_same_folder_is_refused(server, tmp_path):
    with pytest.raises(AssertionError, match="the server ended"):
        Server(tmp_path / "second.log", "--data-dir", str(tmp_path / "data"))
    assert server.healthy()


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_transaction_is_not_done_again_after_a_restart(server, end):
    api = server.api()
    table = tables.create(api)
    update = {"TableName": table, "Key": item(pk="a"), "UpdateExpression": "ADD n :n", "ExpressionAttributeValues": item({":n": 1})}
    request = {"TransactItems": [{"Update": update}], "ClientRequestToken": "once"}
    api("TransactWriteItems", **request)
    getattr(server, end)()
    server.start()
    api = server.api()
    api("TransactWriteItems", **request)
    assert everything(api, table) == [{"pk": "a", "n": 1}]


def test_kill_keeps_transactions_whole(server):
    """Transfers until the server is killed: the sum is as before, and what was acknowledged is there."""
    api = server.api()
    table = tables.create(api)
    names = [f"{nth}" for nth in range(6)]
    tables.fill(api, table, [item(pk=name, n=0) for name in names])
    acknowledged = []
    enough = threading.Event()

    def change(name, by):
        return {"Update": {"TableName": table, "Key": item(pk=name), "UpdateExpression": "ADD n :by, log_size :one", "ExpressionAttributeValues": item({":by": by, ":one": 1})}}

    def transfer(offset):
        while True:
            source, target = names[offset % 6], names[(offset + 1) % 6]
            try:
                api("TransactWriteItems", TransactItems=[change(source, -1), change(target, 1)])
            except BotoCoreError:
                return
            acknowledged.append(offset)
            if len(acknowledged) >= 100:
                enough.set()

    threads = [threading.Thread(target=transfer, args=(offset,)) for offset in range(6)]
    for thread in threads:
        thread.start()
    assert enough.wait(60)
    server.kill()
    for thread in threads:
        thread.join()
    server.start()
    accounts = everything(server.api(), table)
    assert sum(account["n"] for account in accounts) == 0
    changes = sum(account["log_size"] for account in accounts)
    # Of each client, one transaction may have been done and not acknowledged.
    assert changes % 2 == 0 and len(acknowledged) <= changes / 2 <= len(acknowledged) + len(threads)
