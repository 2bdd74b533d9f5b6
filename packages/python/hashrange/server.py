"""A server as a process of its own, on a free port, with nothing on disk unless it is asked for.

Uses the standard library only; boto3 is imported when somebody asks for a client of it.
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import datetime
import http.client
import json
import os
import subprocess
import sysconfig
import threading
import time
import urllib.parse
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Union

REGION = "us-east-1"
#: What clients sign with. A server without credentials of its own takes any.
ACCESS_KEY_ID = "hashrange"
SECRET_ACCESS_KEY = "hashrange"

#: The namespaces of the service's operations and of the server's own.
TARGETS = "DynamoDB_20120810"
OWN_TARGETS = "Hashrange_2026"

#: Arguments that say where the data are.
PLACES = ("--data-dir", "--store")

START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 10.0
#: How long a server may take to answer one request of a reset, and a reset to find all tables gone.
RESET_TIMEOUT_S = 30.0
#: So many lines of the log are kept for whoever asks what happened.
LOG_LINES_MAX = 1000


class ServerError(Exception):
    """The server does not start, or refuses what it must not refuse."""


class Clock(NamedTuple):
    """What a server's clock shows."""

    #: Seconds since 1970.
    now: float
    #: The same as a date, such as ``2030-01-31T08:00:00.000Z``.
    date: str
    #: Whether it stands.
    stopped: bool


def find_program() -> str:
    """Returns the path of the program that was installed with this package."""
    name = "hashrange" + (sysconfig.get_config_var("EXE") or "")
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user")),
        # pip install --target puts programs beside the modules.
        str(Path(__file__).resolve().parent.parent / "bin"),
    ]
    for folder in folders:
        path = Path(folder, name)
        if path.is_file():
            return str(path)
    raise ServerError(f"the program {name} is in none of {', '.join(folders)}: reinstall hashrange")


def start(
    args: Sequence[str] = (),
    *,
    port: int = 0,
    program: Optional[str] = None,
    store: Optional[str] = None,
) -> "Server":
    """Starts a server and returns when it answers: some milliseconds.

    ``args`` are further arguments of ``hashrange serve``. The data are in memory unless they name
    a ``--data-dir``, or ``store`` is the URL of a database on PostgreSQL, which nobody else on this
    machine gets to see. Variables ``HASHRANGE_*`` of the environment do not reach the server, so
    that a test means the same everywhere.
    """
    names_place = any(arg.partition("=")[0] in PLACES for arg in args)
    command = [program or find_program(), "serve", f"--port={port}", "--log-format=json"]
    command += [*args] if names_place or store else ["--memory", *args]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HASHRANGE_")}
    if store:
        environment["HASHRANGE_STORE"] = store
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
        )
    except OSError as error:
        raise ServerError(f"cannot start {command[0]}: {error.strerror}") from error
    log = _Log(process.stderr)
    endpoint = log.endpoint(START_TIMEOUT_S)
    if endpoint is None:
        process.kill()
        process.wait()
        said = "\n".join(log.lines()) or "it said nothing"
        raise ServerError(f"{' '.join(command)} does not start:\n{said}")
    return Server(endpoint, process, log)


class Server:
    """A running server: where it is, clients of it, and a way to empty it."""

    def __init__(
        self,
        endpoint: str,
        process: Optional[subprocess.Popen[bytes]] = None,
        log: Optional["_Log"] = None,
        *,
        access_key_id: str = ACCESS_KEY_ID,
    ) -> None:
        """Without a process this is a server that somebody else started.

        A server with ``--namespaces`` has tables of its own for each access key.
        """
        address = urllib.parse.urlsplit(endpoint)
        self.endpoint = endpoint
        self.host = address.hostname or "127.0.0.1"
        self.port = address.port or 80
        self.region = REGION
        self.access_key_id = access_key_id
        self.secret_access_key = SECRET_ACCESS_KEY
        self._process = process
        self._log = log
        self._session: Any = None
        if process is not None:
            atexit.register(self.stop)

    def __repr__(self) -> str:
        return f"<hashrange.Server {self.endpoint}>"

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def environment(self) -> Dict[str, str]:
        """Variables with which every AWS SDK, and the AWS CLI, finds this server by itself."""
        return {
            "AWS_ENDPOINT_URL_DYNAMODB": self.endpoint,
            "AWS_ENDPOINT_URL_DYNAMODB_STREAMS": self.endpoint,
            "AWS_ACCESS_KEY_ID": self.access_key_id,
            "AWS_SECRET_ACCESS_KEY": self.secret_access_key,
            "AWS_REGION": self.region,
            "AWS_DEFAULT_REGION": self.region,
        }

    def client(self, service: str = "dynamodb", **options: Any) -> Any:
        """Returns a client of boto3: of ``dynamodb``, or of ``dynamodbstreams``."""
        return self._boto3().client(service, endpoint_url=self.endpoint, **options)

    def resource(self, **options: Any) -> Any:
        """Returns boto3's resource of DynamoDB."""
        return self._boto3().resource("dynamodb", endpoint_url=self.endpoint, **options)

    def reset(self, *, empty: bool = False) -> None:
        """Makes the server as it was when it had started; one with data on disk loses all tables.

        With ``empty`` the tables of ``--init`` are deleted, too.
        """
        with self._calling() as call:
            _reset(call, empty)

    def save(self, name: str = "default") -> None:
        """Names the whole state as it is now: tables, items, streams, the clock. In memory only."""
        self._own("Save", Name=name)

    def restore(self, name: str = "default") -> None:
        """Goes back to a state that was saved, as often as you like."""
        self._own("Restore", Name=name)

    def saves(self) -> List[str]:
        """Returns the names of the states that were saved."""
        return [save["Name"] for save in self._own("ListSaves")["Saves"]]

    def delete_save(self, name: str = "default") -> None:
        """Forgets a state that was saved."""
        self._own("DeleteSave", Name=name)

    def clock(self) -> "Clock":
        """Returns what the server's clock shows."""
        return _clock(self._own("DescribeClock"))

    def set_clock(
        self,
        now: Union[None, str, int, float, datetime.datetime] = None,
        *,
        advance: Union[None, str, datetime.timedelta] = None,
        stopped: Optional[bool] = None,
    ) -> "Clock":
        """Sets the server's clock, or moves it forward; returns when all that is due by then is done.

        ``now`` is a date such as ``"2030-01-31T08:00:00Z"``, seconds since 1970, a ``datetime`` with its
        time zone, or ``"system"``; ``advance`` is a length of time such as ``"25h"``, or a ``timedelta``.
        ``stopped`` lets it stand, or go on.
        """
        request: Dict[str, Any] = {}
        if isinstance(now, datetime.datetime):
            if now.tzinfo is None:
                raise ValueError(f"{now!r} has no time zone")
            now = now.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
            now = now[:-4] + "Z"
        if now is not None:
            request["Now"] = now
        if isinstance(advance, datetime.timedelta):
            advance = f"{advance // datetime.timedelta(milliseconds=1)}ms"
        if advance is not None:
            request["Advance"] = advance
        if stopped is not None:
            request["Stopped"] = stopped
        return _clock(self._own("SetClock", **request))

    def log(self) -> List[str]:
        """Returns the last lines of the server's log, the newest at the end."""
        return self._log.lines() if self._log else []

    def stop(self) -> None:
        """Ends the server; does nothing when it has ended, or is somebody else's."""
        process, self._process = self._process, None
        if process is None:
            return
        atexit.unregister(self.stop)
        process.terminate()
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    @contextlib.contextmanager
    def _calling(self) -> Iterator["_Caller"]:
        call = _Caller(self)
        try:
            yield call
        except OSError as error:
            raise ServerError(f"the server does not answer: {error}") from error
        finally:
            call.close()

    def _own(self, operation: str, **request: Any) -> Dict[str, Any]:
        """Calls an operation of the server's own on the tables of this access key."""
        with self._calling() as call:
            answer = call(operation, target=OWN_TARGETS, **request)
        if "__type" in answer:
            raise _refused(operation, answer)
        return answer

    def _boto3(self) -> Any:
        if self._session is None:
            try:
                import boto3
            except ImportError as error:
                raise ServerError("this needs boto3: pip install 'hashrange[boto3]'") from error
            self._session = boto3.session.Session(
                aws_access_key_id=self.access_key_id,
                aws_secret_access_key=self.secret_access_key,
                region_name=self.region,
            )
        return self._session


class _Log:
    """Reads a server's log in a thread of its own, so that the server never waits for a reader."""

    def __init__(self, stream: Any) -> None:
        self._lines: "collections.deque[str]" = collections.deque(maxlen=LOG_LINES_MAX)
        self._endpoint: Optional[str] = None
        self._known = threading.Event()
        threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def endpoint(self, timeout_s: float) -> Optional[str]:
        """Waits for the line that says where the server is; None when it ended without."""
        self._known.wait(timeout_s)
        return self._endpoint

    def lines(self) -> List[str]:
        return list(self._lines)

    def _read(self, stream: Any) -> None:
        with stream:
            for line in stream:
                text = line.decode(errors="replace").rstrip()
                self._lines.append(text)
                if self._endpoint is None:
                    self._endpoint = _endpoint_in(text)
                    if self._endpoint:
                        self._known.set()
        self._known.set()


def _endpoint_in(line: str) -> Optional[str]:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    endpoint = record.get("endpoint") if isinstance(record, dict) else None
    return endpoint if isinstance(endpoint, str) else None


class _Caller:
    """Calls operations on one kept connection, without boto3."""

    def __init__(self, server: Server) -> None:
        self._connection = http.client.HTTPConnection(server.host, server.port, timeout=RESET_TIMEOUT_S)
        # Says whose tables are meant. A server without credentials of its own verifies no signature.
        scope = f"{server.access_key_id}/20200101/{server.region}/dynamodb/aws4_request"
        signature = "SignedHeaders=host, Signature=" + "0" * 64
        self._authorization = f"AWS4-HMAC-SHA256 Credential={scope}, {signature}"

    def __call__(self, operation: str, *, target: str = TARGETS, **request: Any) -> Dict[str, Any]:
        """Returns the answer; that of a refused request has ``__type``."""
        headers = {
            "Authorization": self._authorization,
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Date": "20200101T000000Z",
            "X-Amz-Target": f"{target}.{operation}",
        }
        self._connection.request("POST", "/", json.dumps(request), headers)
        answer = json.loads(self._connection.getresponse().read() or b"{}")
        assert isinstance(answer, dict), f"{operation} answered {answer!r}"
        return answer

    def close(self) -> None:
        self._connection.close()


def _clock(answer: Dict[str, Any]) -> Clock:
    return Clock(float(answer["Now"]), answer["Date"], answer["Stopped"])


def _reset(call: _Caller, empty: bool) -> None:
    """The one way in which a server is reset: it does it itself, or all its tables are deleted."""
    if "__type" in call("Reset", target=OWN_TARGETS, Empty=empty):
        _delete_tables(call)


def _delete_tables(call: _Caller) -> None:
    """Deletes all tables and returns when they are gone."""
    deadline = time.monotonic() + RESET_TIMEOUT_S
    while names := _listed(call):
        for name in names:
            _delete_table(call, name)
        if time.monotonic() > deadline:
            raise ServerError(f"these tables do not go away: {', '.join(names)}")


def _listed(call: _Caller) -> List[str]:
    answer = call("ListTables")
    if "__type" in answer:
        raise _refused("ListTables", answer)
    return list(answer["TableNames"])


def _delete_table(call: _Caller, name: str) -> None:
    answer = call("DeleteTable", TableName=name)
    fault = answer.get("__type", "").rpartition("#")[2]
    if fault == "ValidationException":
        # It is protected from deletion.
        call("UpdateTable", TableName=name, DeletionProtectionEnabled=False)
        answer = call("DeleteTable", TableName=name)
        fault = answer.get("__type", "").rpartition("#")[2]
    # A table that is being changed or deleted is looked at again.
    if fault not in ("", "ResourceNotFoundException", "ResourceInUseException"):
        raise _refused(f"DeleteTable {name}", answer)


def _refused(what: str, answer: Dict[str, Any]) -> ServerError:
    fault = answer.get("__type", "").rpartition("#")[2]
    message = answer.get("message") or answer.get("Message") or "no reason given"
    return ServerError(f"{what} was refused: {fault}: {message}")
