"""Saves and the clock, called without a request of one's own."""

import datetime

import pytest

import hashrange


def make_sessions(server):
    client = server.client()
    client.create_table(
        TableName="sessions",
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
    client.update_time_to_live(
        TableName="sessions", TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"}
    )
    return server.resource().Table("sessions")


def test_a_state_is_saved_and_restored_as_often_as_one_likes():
    with hashrange.start() as server:
        sessions = make_sessions(server)
        server.save()
        server.save("second")
        assert sorted(server.saves()) == ["default", "second"]
        for _ in range(2):
            sessions.put_item(Item={"id": "a"})
            server.restore()
            assert sessions.scan()["Count"] == 0
        server.delete_save("second")
        assert server.saves() == ["default"]
        with pytest.raises(hashrange.ServerError, match="Restore was refused"):
            server.restore("second")


def test_what_has_expired_is_gone_when_the_clock_has_been_moved():
    with hashrange.start() as server:
        sessions = make_sessions(server)
        clock = server.set_clock("2030-01-31T08:00:00Z", stopped=True)
        assert clock.date == "2030-01-31T08:00:00.000Z" and clock.stopped
        assert server.clock() == clock
        sessions.put_item(Item={"id": "a", "expires": int(clock.now) + 3600})
        moved = server.set_clock(advance=datetime.timedelta(hours=1))
        assert moved.now == clock.now + 3600
        assert server.set_clock(advance="1s").stopped
        assert sessions.scan()["Count"] == 0
        day = datetime.datetime(2031, 2, 3, 4, 5, 6, 7000, datetime.timezone.utc)
        assert server.set_clock(day).now == day.timestamp()
        assert server.set_clock(int(clock.now)).date == clock.date
        assert not server.set_clock("system", stopped=False).stopped
        with pytest.raises(ValueError, match="has no time zone"):
            server.set_clock(datetime.datetime(2031, 2, 3))
        with pytest.raises(hashrange.ServerError, match="SetClock was refused"):
            server.set_clock("yesterday")


def test_each_namespace_has_a_clock_and_saves_of_its_own():
    with hashrange.start(["--namespaces"]) as server:
        other = hashrange.Server(server.endpoint, access_key_id="other")
        server.set_clock("2030-01-31T08:00:00Z", stopped=True)
        server.save()
        assert not other.clock().stopped
        assert other.saves() == []


def test_reset_empties_a_server_also_of_the_tables_of_its_start(tmp_path):
    template = tmp_path / "tables.json"
    template.write_text(
        '{"TableName": "orders", "BillingMode": "PAY_PER_REQUEST",'
        ' "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],'
        ' "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}'
    )
    with hashrange.start([f"--init={template}"]) as server:
        server.reset(empty=True)
        assert server.client().list_tables()["TableNames"] == []
        server.reset()
        assert server.client().list_tables()["TableNames"] == ["orders"]


def test_a_server_on_a_folder_has_no_saves(tmp_path):
    with hashrange.start([f"--data-dir={tmp_path / 'data'}"]) as server:
        with pytest.raises(hashrange.ServerError, match="Save was refused"):
            server.save()


@pytest.mark.parametrize("nth", [1, 2])
def test_a_test_begins_with_the_clock_of_the_system(hashrange, nth):
    assert not hashrange.clock().stopped
    hashrange.set_clock("2030-01-31T08:00:00Z", stopped=True)
