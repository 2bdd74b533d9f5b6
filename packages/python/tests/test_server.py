"""The server without pytest's fixtures: starting, what it says when it cannot, stopping."""

import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

import hashrange


def answers(endpoint):
    """Whether somebody listens there."""
    try:
        return urllib.request.urlopen(endpoint, timeout=5).status == 200
    except urllib.error.URLError:
        return False


def test_a_server_runs_until_its_block_ends():
    with hashrange.start() as server:
        assert answers(server.endpoint)
        assert server.client().list_tables()["TableNames"] == []
        assert server.client("dynamodbstreams").list_streams()["Streams"] == []
    assert not answers(server.endpoint)
    server.stop()


def test_several_servers_share_nothing():
    with hashrange.start() as one, hashrange.start() as other:
        make_table(one.client(), "orders")
        assert other.client().list_tables()["TableNames"] == []


def make_table(client, name, **options):
    client.create_table(
        TableName=name,
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
        **options,
    )


@pytest.mark.parametrize("argument", ["--memory", "--namespaces", "--data-dir=data"])
def test_reset_deletes_every_table_also_protected_ones(argument, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with hashrange.start([argument] if argument != "--memory" else []) as server:
        client = server.client()
        for nth in range(120):
            make_table(client, f"table-{nth}", DeletionProtectionEnabled=nth % 2 == 0)
        server.reset()
        assert client.list_tables()["TableNames"] == []
        make_table(client, "table-0")


def test_data_stay_in_a_folder_that_is_named(tmp_path):
    folder = f"--data-dir={tmp_path / 'data'}"
    with hashrange.start([folder]) as server:
        make_table(server.client(), "orders")
    with hashrange.start([folder]) as server:
        assert server.client().list_tables()["TableNames"] == ["orders"]


def test_the_environment_of_whoever_tests_does_not_reach_the_server(monkeypatch):
    monkeypatch.setenv("HASHRANGE_PORT", "not a port")
    with hashrange.start() as server:
        assert answers(server.endpoint)


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        (["--no-such-option"], {}, "--no-such-option"),
        (["--sample=none"], {}, "there is no sample"),
        (["--store=postgres://someone@127.0.0.1:1/orders"], {}, "127.0.0.1 cannot be reached"),
        ([], {"program": "/no/such/program"}, "cannot start /no/such/program: No such file"),
        ([], {"program": "/bin/true"}, "it said nothing"),
    ],
)
def test_what_keeps_a_server_from_starting_is_said(arguments, options, said):
    with pytest.raises(hashrange.ServerError, match=said):
        hashrange.start(arguments, **options)


def test_a_store_that_cannot_be_reached_is_said_and_no_password():
    with pytest.raises(hashrange.ServerError, match="127.0.0.1 cannot be reached") as raised:
        hashrange.start(store="postgres://me:secret@127.0.0.1:1/orders")
    assert "secret" not in str(raised.value)


def test_a_port_in_use_is_said():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(hashrange.ServerError, match=str(port)):
            hashrange.start(port=port)


def test_a_server_that_went_away_is_said():
    with hashrange.start() as server:
        endpoint = server.endpoint
    with pytest.raises(hashrange.ServerError, match="does not answer"):
        hashrange.Server(endpoint).reset()


def test_the_module_is_the_program():
    told = subprocess.run(
        [sys.executable, "-m", "hashrange", "--version"], capture_output=True, text=True, check=True
    )
    assert told.stdout.startswith("hashrange ")


def test_a_run_that_is_interrupted_leaves_no_server():
    # Whoever runs the tests in the background may have told them to ignore the signal.
    code = (
        "import hashrange, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "print(hashrange.start().endpoint, flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with process:
        endpoint = process.stdout.readline().decode().strip()
        assert answers(endpoint)
        os.kill(process.pid, signal.SIGINT)
        process.wait(timeout=60)
    assert not answers(endpoint)
