"""The fixtures, as a project has them that has installed the package."""

import pytest

TABLES = """
    def make(dynamodb, name):
        return dynamodb.create_table(
            TableName=name,
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
        )
"""


@pytest.fixture
def run(pytester):
    """Runs pytest in a process of its own on a file of tests."""

    def run(tests, *arguments):
        pytester.makepyfile(tables=TABLES, test_it=f"import pytest\nfrom tables import make\n{tests}")
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", "-W", "error", *arguments)

    return run


SAME_TABLE_AGAIN = """
@pytest.mark.parametrize("nth", range(12))
def test_each(dynamodb, nth):
    assert list(dynamodb.tables.all()) == []
    table = make(dynamodb, "orders")
    table.put_item(Item={"id": "1", "n": nth})
    assert table.get_item(Key={"id": "1"})["Item"]["n"] == nth
"""


def test_each_test_begins_with_nothing(run):
    run(SAME_TABLE_AGAIN).assert_outcomes(passed=12)


def test_each_worker_has_a_server_of_its_own(run, tmp_path):
    tests = f"""
import pathlib, time
FOLDER = pathlib.Path({str(tmp_path)!r})
def test_each(hashrange, dynamodb, worker_id):
    make(dynamodb, "orders").put_item(Item={{"id": worker_id}})
    (FOLDER / worker_id).write_text(hashrange.endpoint)
    deadline = time.monotonic() + 60
    while len(list(FOLDER.iterdir())) < 2:
        assert time.monotonic() < deadline, "the other worker runs no test"
    assert [item["id"] for item in dynamodb.Table("orders").scan()["Items"]] == [worker_id]
"""
    run(tests, "-n2", "--dist=each").assert_outcomes(passed=2)
    endpoints = {path.read_text() for path in tmp_path.iterdir() if path.is_file()}
    assert len(endpoints) == 2


def test_workers_run_the_same_tests_side_by_side(run):
    run(SAME_TABLE_AGAIN, "-n2").assert_outcomes(passed=12)


def test_all_workers_may_share_a_server_with_tables_of_their_own(run, tmp_path):
    tests = f"""
import pathlib
@pytest.mark.parametrize("nth", range(12))
def test_each(hashrange, dynamodb, nth):
    assert list(dynamodb.tables.all()) == []
    make(dynamodb, "orders").put_item(Item={{"id": str(nth)}})
    assert [item["id"] for item in dynamodb.Table("orders").scan()["Items"]] == [str(nth)]
    pathlib.Path({str(tmp_path)!r}, str(nth)).write_text(hashrange.endpoint)
"""
    run(tests, "-n2", "--hashrange-scope=run").assert_outcomes(passed=12)
    assert len({path.read_text() for path in tmp_path.iterdir() if path.is_file()}) == 1


def test_each_test_begins_with_the_tables_of_the_start(run, pytester):
    pytester.makefile(".json", tables="""
        {"TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}""")
    pytester.makeini("[pytest]\nhashrange_args = --init=tables.json")
    tests = """
@pytest.mark.parametrize("nth", range(3))
def test_each(dynamodb, nth):
    assert dynamodb.Table("orders").scan()["Count"] == 0
    dynamodb.Table("orders").put_item(Item={"id": "1"})
    make(dynamodb, "more")
"""
    run(tests).assert_outcomes(passed=3)


def test_code_with_clients_of_its_own_finds_the_server(run):
    tests = """
import boto3
def test_it(hashrange_environment, monkeypatch):
    assert boto3.client("dynamodb").meta.endpoint_url == hashrange_environment.endpoint
    assert boto3.client("dynamodb").list_tables()["TableNames"] == []
    assert boto3.client("dynamodbstreams").list_streams()["Streams"] == []
"""
    run(tests).assert_outcomes(passed=1)


def test_what_is_made_once_stays_until_a_test_empties_it(run):
    tests = """
@pytest.fixture(scope="session")
def orders(hashrange_server):
    return make(hashrange_server.resource(), "orders")
def test_one(orders):
    orders.put_item(Item={"id": "1"})
def test_two(orders):
    assert orders.scan()["Count"] == 1
def test_three(orders, dynamodb):
    assert list(dynamodb.tables.all()) == []
"""
    run(tests).assert_outcomes(passed=3)


def test_the_log_stands_beside_a_failed_test(run):
    result = run("def test_it(hashrange):\n    assert False")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*hashrange log*", '*"message":"ready"*'])


def test_arguments_reach_the_server(run, pytester):
    pytester.makeini("[pytest]\nhashrange_args = --region=eu-north-1")
    tests = """
def test_it(dynamodb):
    assert ":eu-north-1:" in make(dynamodb, "orders").table_arn
"""
    run(tests).assert_outcomes(passed=1)
    refused = run(tests, "--hashrange-arg=--no-such-option")
    refused.assert_outcomes(errors=1)
    refused.stdout.fnmatch_lines(["*--no-such-option*"])


def test_workers_count_from_the_port_that_is_given(run):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    tests = f"""
def test_it(hashrange, request):
    worker = getattr(request.config, "workerinput", {{}}).get("workerid", "gw0")
    assert hashrange.port == {port} + int(worker[2:])
"""
    run(tests, f"--hashrange-port={port}").assert_outcomes(passed=1)
    run(tests, f"--hashrange-port={port}", "-n2", "--dist=each").assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("--hashrange-version=999.1", "999.1 is wanted"),
        ("--hashrange-port=99999", "'99999' is not a port"),
        ("--hashrange-port=-1", "'-1' is not a port"),
        ("--hashrange-program=/no/such/program", "cannot start /no/such/program"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(run, argument, said):
    result = run("def test_it(hashrange):\n    pass", argument)
    result.assert_outcomes(errors=1)
    assert said in result.stdout.str()


def test_the_version_in_use_is_accepted(run):
    run("def test_it(hashrange):\n    pass", "--hashrange-version=0").assert_outcomes(passed=1)
    run("def test_it(hashrange):\n    pass", "--hashrange-version=0.1").assert_outcomes(passed=1)


def test_whoever_uses_no_fixture_starts_no_server(run):
    tests = """
import sys
def test_it():
    assert "hashrange.server" not in sys.modules
    assert "boto3" not in sys.modules
"""
    run(tests).assert_outcomes(passed=1)
