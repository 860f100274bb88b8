"""Everything that a session does, done once on a small workspace of its own, before sessions are forked off.

A session imports modules, compiles patterns and builds parsers when it first needs them. A process that is forked for
each session would do so again and again: half of a short session's time. So the warm process rehearses: a session is
made in a temporary folder, commands of the usual kinds are taken in and classified, the tab is worked, and all of it
is thrown away. What stays is what was loaded. A rehearsal that fails costs time later and nothing else.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import tempfile
import threading
import time
from pathlib import Path

from tabshell.engines.sandbox import SandboxLacks
from tabshell.session import Session, SessionOptions
from tabshell.shim.inbox import InboxWriter

_FILES = {
    "notes/hall.md": "# The hall\n\nThe rent is 1,150 EUR a month.\nIt ends in June 2031.\n",
    "data/table.csv": "month,people\n2025-01,137\n2025-02,274\n",
    "letter.txt": "Dear all,\nthe rent of the hall was raised to 1,150 EUR.\n",
}
#: Commands as agents use them, and what they show in this workspace.
_COMMANDS = (
    ("ls -R .", ".:\ndata\nletter.txt\nnotes\n\n./data:\ntable.csv\n\n./notes:\nhall.md\n"),
    ("cat notes/hall.md", _FILES["notes/hall.md"]),
    ("grep -rn rent .", "./letter.txt:2:the rent of the hall was raised to 1,150 EUR.\n"),
    ("cd data && head -2 table.csv | sed -n 2p; for f in *.csv; do wc -l $f; done", "2025-01,137\n3 table.csv\n"),
    ("find . -name '*.md' -exec cat {} +", _FILES["notes/hall.md"]),
    ("python3 - <<'EOF'\nprint(open('letter.txt').read())\nEOF", _FILES["letter.txt"] + "\n"),
    ("echo 'The rent is 1,150 EUR.' > report.md; mkdir -p out; cp report.md out/", ""),
    ("cat nothing.txt | sort", "cat: nothing.txt: No such file or directory\n"),
)
_TAB = (
    ("add", "the rent of the hall", "people in February"),
    ("note", "a thought"),
    ("list",),
    ("list", "candidates"),
    ("list", "log"),
    ("show", "L1"),
    ("resolve", "r1", "done", "L1"),
    ("resolve", "r2", "unavailable", "not in the workspace"),
    ("resolve", "r2", "done", "letter.txt"),
    ("status",),
)
#: What ``Session`` and its parts import when they need it.
_LOADED = (
    "tabshell.access.classify",
    "tabshell.access.disk",
    "tabshell.audit.stats",
    "tabshell.cli.tab.call",
    "tabshell.cli.tab.clerk",
    "tabshell.cli.tab.lists",
    "tabshell.session.inbox",
    "tabshell.shim.launchers",
    "tabshell.tab.candidates",
    "tabshell.tab.finish",
    "tabshell.tab.fold",
    "tabshell.tab.review",
    "tabshell.tab.show",
    "tabshell.tab.statusline",
    "tabshell.text.observation",
)
#: Seconds that threads which the rehearsal left may take to end.
_THREADS_S = 1.0


def preload() -> None:
    """Imports what a session needs, before the fork. Raises SandboxLacks where the parser cannot be loaded: commands
    would be recorded, and nothing of them would count as read."""
    for name in _LOADED:
        importlib.import_module(name)
    try:
        importlib.import_module("tabshell.access.bash.syntax").parse("true")
    except (ImportError, OSError) as error:
        msg = (
            f"the parser that tabshell brought cannot be loaded in this sandbox ({error}). Install tabshell in the "
            "image (pip install tabshell), or the library that is missing"
        )
        raise SandboxLacks(msg) from error
    rehearse()


def rehearse() -> None:
    """Loads what a session may need by needing it; leaves no file and no thread."""
    with contextlib.suppress(Exception), tempfile.TemporaryDirectory(prefix="tabshell-rehearsal-") as folder:
        _rehearse(Path(folder))
    until = time.monotonic() + _THREADS_S
    while threading.active_count() > 1 and time.monotonic() < until:
        time.sleep(0.005)
    gc.collect()
    gc.freeze()  # what is loaded stays: no collection of a child writes on its pages


def _rehearse(folder: Path) -> None:
    workspace = folder / "workspace"
    for name, text in _FILES.items():
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    options = SessionOptions(str(workspace), task="The rent, and the people.", out="out")
    with Session.create(options, {**os.environ, "TABSHELL_HOME": str(folder / "home")}) as session:
        directory = session.directory
    with Session.open(directory) as session:
        for command, output in _COMMANDS:
            _record(session, workspace, command, output)
            session.status_line()
        _work_the_tab(session)
        session.finish_check("hook")
        _measure(session)


def _record(session: Session, workspace: Path, command: str, output: str) -> None:
    fields = {"command": command.encode(), "text_from": b"argument", "cwd": os.fsencode(workspace)}
    record = InboxWriter(str(session.directory), fields, time.time(), os.getpid())
    record.output(b"o", output.encode())
    record.end(0)


def _work_the_tab(session: Session) -> None:
    # these two stand above this room
    call = importlib.import_module("tabshell.cli.tab.call").call
    caller = importlib.import_module("tabshell.cli.tab_client").Caller()
    for words in _TAB:
        call(words, lambda: contextlib.nullcontext(session), caller)


def _measure(session: Session) -> None:
    from tabshell.audit.stats import session_stats  # noqa: PLC0415 - as everything here, when it is needed

    session.end(0)
    session_stats(session.tab(turns=True), session.entry_text)
