"""The socket on which a ``tab`` asks the door to catch up: ``sync`` in, ``ok`` out, one line each.

Who asked is remembered under a one-time number; the door prints a mark with that number on the terminal and
answers when it has read it, or when ``PATIENCE`` is over. Clients that say something else are dropped.
"""

from __future__ import annotations

import _socket
import contextlib
import os
import time

from tabshell.model.light import dataclass

#: Seconds after which an answer is given although the mark was not read (Ctrl-S, a slow reader).
PATIENCE = 0.25

#: More clients at once are not needed: each ``tab`` asks for a moment.
_CLIENTS = 64


@dataclass(frozen=True, slots=True)
class Waiting:
    """A client that has asked; ``until`` is on the monotonic clock."""

    client: _socket.socket
    until: float


class SyncSocket:
    """The server's end. Without a path (or where none can be made) it is silent. A context manager."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._server: _socket.socket | None = None
        self._clients: dict[int, _socket.socket] = {}
        self._waiting: dict[str, Waiting] = {}

    def __enter__(self) -> SyncSocket:
        if self._path is not None:
            # no prompt shall wait for ``socket``, and ``secrets`` takes longer still
            server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_NONBLOCK)
            try:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self._path)
                server.bind(self._path)
                os.chmod(self._path, 0o600)
                server.listen(_CLIENTS)
            except OSError:
                server.close()
            else:
                self._server = server
        return self

    def __exit__(self, *_: object) -> None:
        for client in (*self._clients.values(), *(waiting.client for waiting in self._waiting.values())):
            client.close()
        if self._server is not None and self._path is not None:
            self._server.close()
            with contextlib.suppress(OSError):
                os.unlink(self._path)

    @property
    def fds(self) -> tuple[int, ...]:
        """What to poll for reading."""
        return () if self._server is None else (self._server.fileno(), *self._clients)

    @property
    def deadline(self) -> float | None:
        """When the client that waits longest has to be answered (monotonic clock)."""
        return min((waiting.until for waiting in self._waiting.values()), default=None)

    def ready(self, fd: int) -> str | None:
        """``fd`` can be read; gives the one-time number of a client that has just asked."""
        if self._server is not None and fd == self._server.fileno():
            self._accept()
            return None
        client = self._clients.pop(fd, None)
        if client is None:
            return None
        try:
            asked = client.recv(64) == b"sync\n"
        except OSError:
            asked = False
        if not asked:
            client.close()
            return None
        token = str(int.from_bytes(os.urandom(8), "big"))
        self._waiting[token] = Waiting(client, time.monotonic() + PATIENCE)
        return token

    def reached(self, token: str) -> bool:
        """Whether a mark read from the terminal is one of ours."""
        return token in self._waiting

    def late(self) -> list[str]:
        """Who has waited long enough."""
        now = time.monotonic()
        return [token for token, waiting in self._waiting.items() if waiting.until <= now]

    def answer(self, token: str) -> None:
        """All that was printed before this client asked is known."""
        waiting = self._waiting.pop(token, None)
        if waiting is not None:
            with contextlib.suppress(OSError):
                waiting.client.send(b"ok\n")
            waiting.client.close()

    def _accept(self) -> None:
        if self._server is None:
            return
        with contextlib.suppress(OSError, ImportError, MemoryError):
            import socket  # noqa: PLC0415 - see ``__enter__``

            if not isinstance(self._server, socket.socket):
                self._server = socket.socket(fileno=self._server.detach())
            client, _ = self._server.accept()
            client.setblocking(False)
            if len(self._clients) >= _CLIENTS:
                client.close()
            else:
                self._clients[client.fileno()] = client
