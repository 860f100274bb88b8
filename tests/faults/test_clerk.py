"""The process that answers ``tab`` beside a shell is killed or stopped: the calls do without it, and nobody waits."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest


def clerk_of(directory: Path) -> int:
    """The clerk of a session, once it is there."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if b"clerk" in words and os.fsencode(directory) in words:
                return int(folder.name)
    return pytest.fail("no clerk was started")


@pytest.mark.slow
@pytest.mark.parametrize("fault", [signal.SIGKILL, signal.SIGSTOP])
def test_calls_do_without_a_clerk_that_is_gone_or_stands_still(terminal, record, workspace, fault):
    (workspace / "a.txt").write_text("alpha 42\n")
    shell = terminal()
    shell.run("tab add alpha; cat a.txt")
    clerk = clerk_of(record().directory)
    os.kill(clerk, fault)
    assert b"alpha 42\r\n" in shell.run("cat a.txt")
    for line, shown in (
        ("tab add beta", b"r2"),
        ("tab list", b"beta"),
        ("tab show r1", b"alpha"),
        ("tab status", b"2 open"),
    ):
        assert shown in shell.run(line)
        assert shell.took < 10
    assert shell.leave("exit 7") == 7
    assert not Path(f"/proc/{clerk}").exists()
    found = record()
    assert found.sound()
    assert found.requirements() == ["alpha", "beta"]
