"""The demo: the five stages on a real shell, good to watch on a terminal and plain elsewhere, nothing left behind."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from tabshell.cli.demo.script import SCRIPT, Stage, Type
from tabshell.cli.demo.stagecraft import WORKSPACE, Agent, DemoFailed, Pace, Stagecraft, _begun


@pytest.fixture
def environment(tmp_path, own_home):
    """An environment whose temporary directory can be looked into."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return {**os.environ, "TMPDIR": str(folder)}


def played(environment, *options):
    command = [sys.executable, "-m", "tabshell", "demo", "--fast", *options]
    done = subprocess.run(command, capture_output=True, env=environment, timeout=100, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.slow
def test_the_five_stages_in_order_with_one_refusal_and_the_check_at_the_first_exit(environment, own_home):
    status, out, err = played(environment)
    assert (status, err) == (0, "")
    wanted = [
        "(A) State", "r6: recommendation on the workshop lift", "requirements: 6 open",
        "(B) Capture", "$ cat finance/sales_2025_q3.csv", "All sites,Q3 2025,348800,369", "read log: 1 entry",
        "(C) Review", "Requirements: 6 open, 0 resolved", "unopened: legal/lease_station_road.txt",
        "(D) Resolve", "r1 done (L1). Open: 5.", "r4 stays open: out/memo.md", "r4 done (L4). Open: 2.",
        "(E) Finish", "$ exit", "1 requirement is still open:", "r5 date on which the Riverside lease ends",
        "r5 done (L6). Open: 0.", "$ exit", "Afterwards: what a reviewer sees", "6 sourced, 2 computed",
    ]  # fmt: skip
    at = 0
    for text in wanted:
        found = out.find(text, at)
        assert found >= 0, f"{text!r} is missing after: {out[max(0, at - 200) : at]!r}"
        at = found + len(text)
    assert "Traceback" not in out
    assert "\x1b" not in out
    assert "\r" not in out
    assert list(Path(environment["TMPDIR"]).iterdir()) == []
    assert not (own_home / "sidecars").exists()


@pytest.mark.slow
def test_a_kept_demo_can_be_looked_into(environment):
    status, out, _ = played(environment, "--keep")
    assert status == 0
    (folder,) = Path(environment["TMPDIR"]).iterdir()
    assert str(folder) in re.sub(r"\n\s*", "", out)
    looked = subprocess.run(
        [sys.executable, "-m", "tabshell", "verify", "last"],
        env={**environment, "TABSHELL_HOME": str(folder / "sidecars")},
        capture_output=True,
        check=False,
    )
    assert looked.returncode == 0, looked.stdout


@pytest.mark.slow
@pytest.mark.parametrize("colour", [True, False])
def test_on_a_terminal_it_has_colours_unless_unwanted_and_ctrl_c_leaves_nothing(colour, environment):
    wish = {} if colour else {"NO_COLOR": "1"}
    child = pexpect.spawn(
        sys.executable, ["-m", "tabshell", "demo"],
        env={**environment, "TERM": "xterm", **wish}, encoding="utf-8", timeout=60, dimensions=(40, 100),
    )  # fmt: skip
    child.expect_exact("agent $ tab add")
    assert ("\x1b[36m" in child.before) is colour
    child.sendcontrol("c")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert list(Path(environment["TMPDIR"]).iterdir()) == []


def test_the_workspace_lies_in_the_package_and_has_what_the_script_names():
    files = {str(path.relative_to(WORKSPACE)) for path in WORKSPACE.rglob("*") if path.is_file()}
    assert len(files) >= 40
    assert {Path(name).suffix for name in files} >= {".csv", ".docx", ".xlsx", ".pdf", ".txt", ".md"}
    typed = " ".join(step.command for step in SCRIPT if isinstance(step, Type))
    named = set(re.findall(r"(?:finance|hr|workshop|legal)/[\w.]+", typed))
    assert named <= files


def test_the_script_has_the_stages_a_to_e_and_ends_by_leaving():
    assert [step.letter for step in SCRIPT if isinstance(step, Stage)] == list("ABCDE")
    last = SCRIPT[-1]
    assert isinstance(last, Type)
    assert last.leaves


def test_a_prompt_that_comes_in_pieces_is_recognised():
    assert _begun(b"output\r\nage", b"agent $ ") == 3
    assert _begun(b"output\r\nagent $ ", b"agent $ ") == 8
    assert _begun(b"output\r\n", b"agent $ ") == 0


class Gone:
    """A terminal whose shell has ended."""

    def __init__(self):
        self.read_end, write_end = os.pipe()
        os.write(write_end, b"bash: cannot start\r\n")
        os.close(write_end)
        self.fd = self.read_end

    def read(self, size):
        data = os.read(self.fd, size)
        if not data:
            raise EOFError
        return data


def test_a_shell_that_does_not_start_is_an_error_with_its_words():
    show = Stagecraft(lambda data: None, colour=False, columns=80, rows=0, pace=Pace(0, 0, 0))
    with pytest.raises(DemoFailed, match="ended early: bash: cannot start"):
        Agent(Gone(), show).wait_for_prompt()
