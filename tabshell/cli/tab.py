"""``tab``, the agent's command: parses, runs one operation, records the access, prints.

The access is recorded before anything is printed, with digests of the lines, so that no output of ``tab`` is
taken for something read or listed (S27). Text goes to stdout, refusals and warnings to stderr; with ``--json``
everything is one object on stdout. Statuses: 0 done, 1 refused, 2 wrong usage, 10 a stop that is to be held.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tabshell.cli import tab_operations
from tabshell.cli.tab_operations import Reply
from tabshell.cli.tab_words import Words, parse
from tabshell.errors import SessionNotFound, StoreUnwritable, TabshellError, UsageError
from tabshell.model.facts import TabAccessed
from tabshell.text.digests import line_digests

if TYPE_CHECKING:
    from pathlib import Path

    from tabshell.session import Session

SCHEMA = "tabshell/1"
#: Operations that show nothing of what was read: they need not wait for the recorder.
_UNSYNCHRONISED = frozenset({"add", "note", "task", "prompt"})
_LATE = (
    "[tab] warning: the recorder did not answer within 300 ms; what was shown last may be missing here. "
    "Ask again in a moment."
)


def main(argv: Sequence[str], session_directory: Path | str | None) -> int:
    """One call of ``tab`` on the session in ``session_directory``; gives the exit status."""
    # Ranking imports numpy, whose library would start threads that nobody uses here: a quarter of its start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        words = parse(argv)
    except UsageError as error:
        return _fail(error, as_json="--json" in argv)
    try:
        if session_directory is None:
            return _without_session(words)
        from tabshell.session import Session  # noqa: PLC0415 - wrong usage needs none

        with Session.open(session_directory) as session:
            return _run(session, words)
    except TabshellError as error:
        return _fail(error, as_json=words.json)
    except KeyboardInterrupt:
        return 130


def _without_session(words: Words) -> int:
    if words.operation == "prompt":
        return _print(tab_operations.prompt(None, words), words)
    if words.operation == "help":
        from tabshell.cli.tab_lists import help_  # noqa: PLC0415

        return _print(help_(None, words), words)
    msg = "no session here; start one with 'tabshell', or name one: tabshell tab --session SESSION ..."
    raise SessionNotFound(msg)


def _run(session: Session, words: Words) -> int:
    late = words.operation not in _UNSYNCHRONISED and not session.synchronise()
    warning = _LATE if late else ""
    try:
        reply = _operation(words.operation)(session, words)
    except UsageError:
        raise
    except StoreUnwritable as error:
        msg = (
            f"{error}. Nothing was changed. Make {session.directory} writable, or start a session with TABSHELL_HOME "
            "set to a directory that is"
        )
        raise StoreUnwritable(msg) from error
    except TabshellError as error:
        _record(session, words.operation, (), "\n".join(filter(None, [warning, _error_line(error)])))
        _warn(warning)
        raise
    printed = _text(reply, words)
    _record(session, reply.operation or words.operation, reply.shown, "\n".join(filter(None, [warning, printed])))
    _warn(warning)
    return _write_out(printed, reply.status)


def _operation(name: str) -> Callable[[Any, Words], Reply]:
    if name in ("list", "help"):
        from tabshell.cli import tab_lists  # noqa: PLC0415

        return tab_lists.list_ if name == "list" else tab_lists.help_
    operation: Callable[[Any, Words], Reply] = getattr(tab_operations, name)
    return operation


def _record(session: Session, operation: str, shown: Sequence[str], printed: str) -> None:
    """The access becomes a fact; a store that cannot be written takes nothing from what can be read."""
    if not session.writable or not printed:
        return
    try:
        session.append(TabAccessed(session.current_turn(), operation, tuple(shown), line_digests(printed)))
    except StoreUnwritable as error:
        _warn(f"[tab] not recorded: {error}")


def _text(reply: Reply, words: Words) -> str:
    if not words.json or not reply.text:
        return reply.text
    return _dumps(reply.json() if reply.json is not None else {"text": reply.text})


def _print(reply: Reply, words: Words) -> int:
    return _write_out(_text(reply, words), reply.status)


def _dumps(fields: Mapping[str, Any]) -> str:
    import json  # noqa: PLC0415 - only for --json

    return json.dumps({"schema": SCHEMA, **fields}, indent=1)


def _error_line(error: TabshellError) -> str:
    return f"tab: {error}"


def _fail(error: TabshellError, *, as_json: bool) -> int:
    if as_json:
        text = _dumps({"ok": False, "error": {"code": error.code, "message": str(error)}})
        return _write_out(text, int(error.status))
    hint = ' (see "tab help")' if isinstance(error, UsageError) else ""
    _warn(f"{_error_line(error)}{hint}")
    return int(error.status)


def _warn(text: str) -> None:
    if text:
        _write(2, text)


def _write_out(text: str, status: int) -> int:
    """Prints to stdout. A reader that went away (``tab list | head -1``) is no error."""
    if not text:
        return status
    fault = _write(1, text)
    if fault is None:
        return status
    _write(2, f"tab: cannot write: {fault}")
    return status or 1


def _write(descriptor: int, text: str) -> str | None:
    """Writes ``text`` and a line break; None, or what went wrong. By descriptor, since Python's own stream would
    complain at exit, and fails half-way where a harness made the pipe non-blocking."""
    data = memoryview(text.encode("utf-8", "surrogateescape") + b"\n")
    try:
        while data:
            data = data[_write_some(descriptor, data) :]
    except BrokenPipeError:
        return None
    except OSError as error:
        return error.strerror
    return None


def _write_some(descriptor: int, data: memoryview) -> int:
    try:
        return os.write(descriptor, data)
    except BlockingIOError:
        import select  # noqa: PLC0415 - rare

        select.select([], [descriptor], [])
        return 0
