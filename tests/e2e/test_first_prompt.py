"""The first prompt and the first command in a workspace of thousands of directories, and in one that hangs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pexpect
import pytest

from tabshell.model.facts import TurnEnded, TurnStarted
from tabshell.session import Session

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")

PROMPT = "ready> "


@pytest.fixture
def large(workspace) -> Path:
    """2,050 directories; the last of each row holds a file."""
    for row in range(50):
        for place in range(40):
            (workspace / f"row{row}" / f"place{place}").mkdir(parents=True)
        (workspace / f"row{row}" / "place39" / "a.txt").write_text(f"alpha {row}\n")
    return workspace


def turns(home: Path) -> list[tuple[str, tuple[str, ...] | None]]:
    """What each turn was and what it was seen to open."""
    (directory,) = (home / "sidecars" / "sessions").iterdir()
    with Session.open(directory, readonly=True) as session:
        started = [event.fact.command for event in session.store.events(TurnStarted)]
        return list(zip(started, [event.fact.opened for event in session.store.events(TurnEnded)], strict=True))


def begun(workspace: Path, environment=()) -> pexpect.spawn:
    return pexpect.spawn(
        sys.executable, ["-m", "tabshell", "-q", "--status", "off"], cwd=str(workspace), encoding="utf-8", timeout=60,
        env={**os.environ, **dict(environment)},
    )  # fmt: skip


@pytest.fixture
def prompted(own_home):
    (own_home / ".bashrc").write_text(f"PS1='{PROMPT}'\n")


def test_a_command_typed_before_the_prompt_is_seen_from_its_beginning(own_home, prompted, large):
    child = begun(large)
    child.send("cat row49/place39/a.txt row0/place39/a.txt; exit 5\r")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 5
    ((command, opened),) = turns(own_home)
    assert command.startswith("cat row49")
    assert opened == tuple(str(large / row / "place39" / "a.txt") for row in ("row49", "row0"))


def test_a_workspace_that_is_read_slowly_holds_up_no_prompt(own_home, prompted, large, tmp_path):
    """Its watches are never placed here: the prompt comes, the first command after a second, and neither is seen."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, threading\n"
        "scandir = os.scandir\n"
        "def slowly(folder='.'):\n"
        "    aside = threading.current_thread() is not threading.main_thread()\n"
        f"    if aside and os.fsencode(folder).startswith({os.fsencode(large)!r}):\n"
        "        threading.Event().wait()\n"
        "    return scandir(folder)\n"
        "os.scandir = slowly\n"
    )
    child = begun(large, {"PYTHONPATH": str(tmp_path)})
    child.expect_exact(PROMPT)
    for line in ("cat row1/place39/a.txt", "echo se''cond"):
        child.send(f"{line}\r")
        child.expect_exact("\r\n")
        child.expect_exact(PROMPT)
    assert "second" in child.before
    child.send("exit\r")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert turns(own_home)[:2] == [("cat row1/place39/a.txt", None), ("echo se''cond", None)]
