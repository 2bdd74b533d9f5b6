"""Hashrange for Python: starts the server that this package carries.

    with hashrange.start() as server:
        table = server.resource().Table("orders")

The fixtures for pytest are in ``hashrange.pytest_plugin``, which pytest finds by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hashrange.server import Clock, Server, ServerError, find_program, start

__all__ = ["Clock", "Server", "ServerError", "find_program", "start"]


def __getattr__(name: str) -> Any:
    """Imports the rest when it is asked for: every run of pytest imports this file."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from hashrange import server

    return getattr(server, name)
