"""Fixtures for pytest: ``hashrange`` and ``dynamodb``, for each test as they were at the start.

One server serves a whole run, or each worker of pytest-xdist; before each test it is reset: it is empty
again, or as ``--init`` made it. Nothing
is started, and boto3 is not imported, before a test asks for it.
"""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING, Any, Generator, Iterator

import pytest

if TYPE_CHECKING:
    from hashrange.server import Server

#: Variables that would send a client elsewhere than the server's own say.
MISLEADING_VARIABLES = ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL")

SHARED_SERVER: "pytest.StashKey[Server]" = pytest.StashKey()
#: Under which the server of all workers is told to each of them.
SHARED_ENDPOINT = "hashrange_endpoint"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options, each as a flag and as a line of the configuration file."""
    group = parser.getgroup("hashrange", "a DynamoDB-compatible server for tests")
    options = [
        ("port", "PORT", "port of the server; of xdist's workers this one and those after it [a free one]"),
        ("program", "FILE", "the program to start [the one in the package]"),
        ("version", "VERSION", "refuse to run with another version of it, such as 0.1 or 0.1.0"),
    ]
    for name, value, text in options:
        group.addoption(f"--hashrange-{name}", metavar=value, help=text)
        parser.addini(f"hashrange_{name}", text)
    text = "a further argument of 'hashrange serve'; may be given several times"
    group.addoption("--hashrange-arg", metavar="ARG", action="append", default=[], help=text)
    parser.addini("hashrange_args", "further arguments of 'hashrange serve'", type="args", default=[])
    text = "one server for each worker of pytest-xdist; or one for all, on which each worker has its own tables"
    choices = ["worker", "run"]
    group.addoption("--hashrange-scope", choices=choices, help=f"{text} [worker]")
    parser.addini("hashrange_scope", text)


def _option(config: pytest.Config, name: str) -> str:
    flag = config.getoption(f"hashrange_{name}")
    return str(flag if flag is not None else config.getini(f"hashrange_{name}") or "")


def _port(config: pytest.Config) -> int:
    text = _option(config, "port") or "0"
    # Workers are called gw0, gw1 and so on.
    worker = int(re.sub(r"\D", "", getattr(config, "workerinput", {}).get("workerid", "")) or "0")
    if not re.fullmatch(r"\d{1,5}", text) or int(text) + worker > 65535:
        raise pytest.UsageError(f"hashrange_port: {text!r} is not a port")
    return int(text) + worker if int(text) else 0


def _scope(config: pytest.Config) -> str:
    scope = _option(config, "scope") or "worker"
    if scope not in ("worker", "run"):
        raise pytest.UsageError(f"hashrange_scope: {scope!r} is neither worker nor run")
    return scope


def _check_version(program: str, wanted: str) -> None:
    try:
        told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
        version = told.stdout.split()[-1]
    except (OSError, subprocess.CalledProcessError, IndexError) as error:
        raise pytest.UsageError(f"hashrange_program: cannot run {program}: {error}") from error
    if not f"{version}.".startswith(f"{wanted}."):
        raise pytest.UsageError(f"hashrange_version: {wanted} is wanted, {program} is {version}")


def _start(config: pytest.Config, *more: str) -> "Server":
    from hashrange import server

    program = _option(config, "program") or server.find_program()
    if wanted := _option(config, "version"):
        _check_version(program, wanted)
    args = [*config.getini("hashrange_args"), *config.getoption("hashrange_arg"), *more]
    return server.start(args, port=_port(config), program=program)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tells a worker of pytest-xdist the server of all workers, if there is to be one."""
    config = node.config
    if _scope(config) == "run":
        if SHARED_SERVER not in config.stash:
            config.stash[SHARED_SERVER] = _start(config, "--namespaces")
        node.workerinput[SHARED_ENDPOINT] = config.stash[SHARED_SERVER].endpoint


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stops the server of all workers."""
    if SHARED_SERVER in config.stash:
        config.stash[SHARED_SERVER].stop()


@pytest.fixture(scope="session")
def hashrange_server(pytestconfig: pytest.Config) -> Iterator["Server"]:
    """The server of this run or worker, as it is: for what is made once for many tests.

    Tests that use ``hashrange`` or ``dynamodb`` reset it.
    """
    from hashrange import server

    worker = getattr(pytestconfig, "workerinput", {})
    if SHARED_ENDPOINT in worker:
        running = server.Server(worker[SHARED_ENDPOINT], access_key_id=worker["workerid"])
    else:
        running = _start(pytestconfig)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def _dynamodb_resource(hashrange_server: "Server") -> Any:
    return hashrange_server.resource()


@pytest.fixture
def hashrange(hashrange_server: "Server") -> "Server":
    """A server as it was at the start: its endpoint, clients and resources of boto3, ``reset()``."""
    hashrange_server.reset()
    return hashrange_server


@pytest.fixture
def dynamodb(hashrange: "Server", _dynamodb_resource: Any) -> Any:
    """boto3's resource of DynamoDB, on a server as it was at the start."""
    return _dynamodb_resource


@pytest.fixture
def hashrange_environment(hashrange: "Server", monkeypatch: pytest.MonkeyPatch) -> "Server":
    """The same server for code that makes clients of its own: the environment leads them to it."""
    for name in MISLEADING_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in hashrange.environment.items():
        monkeypatch.setenv(name, value)
    return hashrange


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Shows what the server had to say beside a test that failed."""
    report = yield
    running = getattr(item, "funcargs", {}).get("hashrange_server")
    if report.failed and running is not None and (lines := running.log()):
        report.sections.append(("hashrange log", "\n".join(lines)))
    return report
