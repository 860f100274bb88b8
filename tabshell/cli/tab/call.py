"""``tab``, the agent's command: parses, runs one operation, records the access, prints. ``tab_client`` asks the clerk
first, which does the same with ``call``.

The access is recorded before anything is printed, with digests of the lines, so that no output of ``tab`` is
taken for something read or listed (S27). Text goes to stdout, refusals and warnings to stderr; with ``--json``
everything is one object on stdout. Statuses: 0 done, 1 refused, 2 wrong usage, 10 a stop that is to be held.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager

from tabshell.cli.tab import operations
from tabshell.cli.tab.operations import Reply
from tabshell.cli.tab.words import Words, parse
from tabshell.cli.tab_client import Caller, say
from tabshell.errors import SessionNotFound, StoreUnwritable, TabshellError, UsageError
from tabshell.model.facts import TabAccessed
from tabshell.model.light import TYPE_CHECKING, Any, NamedTuple
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


class Said(NamedTuple):
    """What a call comes to: exit status, text for standard error, text for standard output."""

    status: int
    error: str
    output: str


def main(
    argv: Sequence[str], session_directory: Path | str | None, caller: Caller | None = None, *, leaving: bool = False
) -> int:
    """One call of ``tab`` on the session in ``session_directory``; gives the exit status. ``leaving``: the process ends
    right after it, without clearing up."""
    # Ranking imports numpy, whose library would start threads that nobody uses here: a quarter of its start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    @contextmanager
    def opened() -> Iterator[Session | None]:
        if session_directory is None:
            yield None
            return
        from tabshell.session import Session  # noqa: PLC0415 - wrong usage needs none

        session = Session.open(session_directory)
        session.once = True
        try:
            yield session
        finally:
            session.leave() if leaving else session.close()

    try:
        return say(*call(argv, opened, caller))
    except KeyboardInterrupt:
        return 130


def call(
    argv: Sequence[str], opened: Callable[[], AbstractContextManager[Session | None]], caller: Caller | None = None
) -> Said:
    """One call, done and recorded, not yet printed. ``opened`` gives the session, if there is one; ``caller`` is the
    process whose call it is (None: this one)."""
    try:
        words = parse(argv, caller)
    except UsageError as error:
        return _failed(error, as_json="--json" in argv)
    warnings: list[str] = []
    try:
        with opened() as session:
            said = _without_session(words) if session is None else _run(session, words, warnings)
    except TabshellError as error:
        said = _failed(error, as_json=words.json)
    return said._replace(error="\n".join(filter(None, [*warnings, said.error])))


def _without_session(words: Words) -> Said:
    if words.operation == "prompt":
        return _answered(operations.prompt(None, words), words)
    if words.operation == "help":
        from tabshell.cli.tab.lists import help_  # noqa: PLC0415

        return _answered(help_(None, words), words)
    msg = "no session here; start one with 'tabshell', or name one: tabshell tab --session SESSION ..."
    raise SessionNotFound(msg)


def _run(session: Session, words: Words, warnings: list[str]) -> Said:
    """The operation, its access recorded. What goes to standard error whatever comes of it is put into
    ``warnings``."""
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
        printed = "\n".join(filter(None, [warning, _error_line(error)]))
        warnings += [_record(session, words.operation, (), printed), warning]
        raise
    said = _answered(reply, words)
    printed = "\n".join(filter(None, [warning, said.output]))
    warnings += [_record(session, reply.operation or words.operation, reply.shown, printed), warning]
    return said


def _operation(name: str) -> Callable[[Any, Words], Reply]:
    if name in ("list", "help"):
        from tabshell.cli.tab import lists  # noqa: PLC0415

        return lists.list_ if name == "list" else lists.help_
    operation: Callable[[Any, Words], Reply] = getattr(operations, name)
    return operation


def _record(session: Session, operation: str, shown: Sequence[str], printed: str) -> str:
    """The access becomes a fact; a store that cannot be written takes nothing from what can be read (the warning
    says so)."""
    if not session.writable or not printed:
        return ""
    try:
        session.append(TabAccessed(session.current_turn(), operation, tuple(shown), line_digests(printed)))
    except StoreUnwritable as error:
        return f"[tab] not recorded: {error}"
    return ""


def _answered(reply: Reply, words: Words) -> Said:
    if not words.json or not reply.text:
        return Said(reply.status, "", reply.text)
    return Said(reply.status, "", _dumps(reply.json() if reply.json is not None else {"text": reply.text}))


def _dumps(fields: Mapping[str, Any]) -> str:
    import json  # noqa: PLC0415 - only for --json

    return json.dumps({"schema": SCHEMA, **fields}, indent=1)


def _error_line(error: TabshellError) -> str:
    return f"tab: {error}"


def _failed(error: TabshellError, *, as_json: bool) -> Said:
    if as_json:
        text = _dumps({"ok": False, "error": {"code": error.code, "message": str(error)}})
        return Said(int(error.status), "", text)
    hint = ' (see "tab help")' if isinstance(error, UsageError) else ""
    return Said(int(error.status), f"{_error_line(error)}{hint}", "")
