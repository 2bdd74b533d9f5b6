"""Servers that a test starts, stops and kills itself, from the binary named by HASHRANGE_BINARY."""

import json
import os
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request

from api import Api

READY_TIMEOUT_S = 20
# Fatal words in a server's log.
TROUBLE = re.compile(r"\b(ERROR|WARN|panicked)\b")


def free_port():
    """Returns a port nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def own(server, operation, **request):
    """Runs one of the server's own operations, which no SDK has: a request with their target is enough.

    `server` is anything that has an endpoint.
    """
    headers = {"X-Amz-Target": f"Hashrange_2026.{operation}", "Content-Type": "application/x-amz-json-1.0"}
    call = urllib.request.Request(server.endpoint, json.dumps(request).encode(), headers)
    with urllib.request.urlopen(call, timeout=60) as answer:
        return json.load(answer)


class Server:
    """One server process; `arguments` follow `hashrange serve`."""

    def __init__(self, log, *arguments):
        self.port, self.log, self.arguments = free_port(), log, arguments
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        binary = os.environ["HASHRANGE_BINARY"]
        with open(self.log, "ab") as log:
            command = [binary, "serve", "--port", str(self.port), *self.arguments]
            self.process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + READY_TIMEOUT_S
        while not self.healthy():
            assert self.process.poll() is None, f"the server ended: {self.text()}"
            assert time.monotonic() < deadline, f"the server is not ready: {self.text()}"

    def healthy(self):
        try:
            with urllib.request.urlopen(self.endpoint + "/", timeout=1) as answer:
                return answer.status == 200
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def api(self, **credentials):
        return Api(self.endpoint, **credentials)

    def stop(self):
        """Asks the server to end, waits, and expects a clean exit."""
        self.process.terminate()
        assert self.process.wait(30) == 0, self.text()

    def kill(self):
        """Ends the server as a crash would (kill -9)."""
        self.process.kill()
        self.process.wait(30)

    def text(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()

    def close(self):
        if self.process.poll() is None:
            self.kill()
        assert not TROUBLE.search(self.text()), self.text()
