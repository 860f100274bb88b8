"""A fault of tabshell's own ends the recording; the shell goes on as if nobody had listened, and it is told once."""

from __future__ import annotations

import sys

import pytest

from tabshell.model.facts import RecordingGap

#: A door whose listener breaks at one of its calls.
BREAKING = """
import os, sys
from tabshell.shell.bash import find_bash
from tabshell.shell.door import DoorOptions, run

class Listener:
    def output(self, data, at): self.at("output", data)
    def command_started(self, start): self.at("started", start.command.encode())
    def command_finished(self, end): self.at("finished", b""); return b"[status]"
    def stop_attempted(self, stop): self.at("stop", b""); return None
    def resized(self, rows, columns): pass
    def synchronise(self): pass
    def settle(self): pass
    def at(self, what, data):
        if what == sys.argv[1] and (what != "output" or b"BREAK" in data):
            raise RuntimeError("told wrongly")

end = run(find_bash(None, os.environ), dict(os.environ), Listener(), DoorOptions(hold=True, broken=print))
sys.exit(end.status)
"""


@pytest.mark.slow
@pytest.mark.parametrize("place", ["output", "started", "finished"])
def test_the_shell_goes_on_where_the_listener_breaks(terminal, place):
    shell = terminal(argv=[sys.executable, "-c", BREAKING, place])
    first = shell.run("echo BRE''AK; seq 3")
    assert b"BREAK\r\n1\r\n2\r\n3\r\n" in first
    second = shell.run("echo two")
    assert b"two\r\n" in second
    assert (first + second).count(b"[tab] not recorded from here on: RuntimeError: told wrongly") == 1
    assert b"7770" not in first + second
    assert b"after" in shell.run("cd /; echo after")
    assert shell.leave("exit 5") == 5
    assert b"told wrongly" in shell.rest


def test_ctrl_d_and_exit_still_end_it(terminal):
    shell = terminal(argv=[sys.executable, "-c", BREAKING, "stop"])
    shell.run("true")
    assert shell.leave("exit 3") == 3


def test_the_audit_names_the_place_where_the_recording_broke_off(terminal, record, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "from tabshell.shell.segment import Segmenter\n"
        "before = Segmenter.started\n"
        "def started(self, report, at):\n"
        "    events = before(self, report, at)\n"
        "    if 'two' in events[-1].command: raise KeyError('of the test')\n"
        "    return events\n"
        "Segmenter.started = started\n"
    )
    shell = terminal(environment={"PYTHONPATH": str(tmp_path)})
    shell.run("echo one")
    assert b"[tab] not recorded from here on: KeyError: 'of the test'" in shell.run("echo two")
    assert b"three\r\n" in shell.run("echo three")
    assert shell.leave("exit 4") == 4
    found = record()
    assert found.sound()
    assert found.commands() == ["echo one"]
    (gap,) = found.facts(RecordingGap)
    assert "broke off: KeyError" in gap.reason
