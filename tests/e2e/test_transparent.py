"""With ``--status off`` the terminal shows, byte for byte, what plain bash shows (S21), and HISTFILE ends the same."""

import os
import re
import signal
import sys
from pathlib import Path

import pexpect
import pytest

PROMPT = b"ready> "
COMMANDS = Path(__file__).with_name("transparent_commands.txt").read_text().splitlines()


def typed(argv, folder, environment):
    """Everything that the terminal showed for the commands, and the shell's exit status."""
    child = pexpect.spawn(
        argv[0],
        argv[1:],
        cwd=str(folder),
        dimensions=(40, 100),
        timeout=30,
        env=environment,
        preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL),
    )  # Python ignores it
    child.delaybeforesend = None
    shown = []
    child.expect_exact(PROMPT)
    shown.append(child.before + PROMPT)
    for line in COMMANDS:
        child.send(line + "\r")
        ends = {
            "cat <<'EOF' | tr a-z A-Z": b"> ", "heredoc line": b"> ", "echo 'multi": b"> ", "select_me": b"#? ",
            "read -r answer": b"\r\n", "syntax error (": PROMPT,
        }.get(line, PROMPT)  # fmt: skip
        child.expect_exact(ends)
        shown.append(child.before + ends)
    child.send("exit 5\r")
    child.expect(pexpect.EOF)
    shown.append(child.before)
    child.close()
    return b"".join(shown), child.exitstatus


@pytest.fixture
def folder(workspace):
    (workspace / "docs").mkdir()
    (workspace / "docs" / "a.txt").write_text("alpha 42\nbeta\ngamma\n")
    (workspace / "docs" / "b.csv").write_text("name,value\nheadcount,128\nsites,4\n")
    return workspace


def settled(shown: bytes) -> bytes:
    """Without what differs from one plain bash to the next: process ids."""
    return re.sub(rb"\[1\] \d+", b"[1] N", shown)


@pytest.mark.parametrize("histcontrol", ["", "ignoreboth"])
def test_more_than_a_hundred_commands_look_as_in_plain_bash(folder, own_home, histcontrol):
    assert len(COMMANDS) > 120
    results = []
    for name, argv in (("plain", ["bash"]), ("ours", [sys.executable, "-m", "tabshell", "--status", "off"])):
        home = own_home / name
        home.mkdir()
        (home / ".bashrc").write_text(f"PS1='{PROMPT.decode()}'\nHISTCONTROL={histcontrol}\n")
        environment = {**os.environ, "HOME": str(home), "TERM": "xterm-256color", "SHLVL": "0"}
        for leftover in ("out.txt",):
            (folder / leftover).unlink(missing_ok=True)
        shown, status = typed(argv, folder, environment)
        results.append((settled(shown), status, (home / ".bash_history").read_text()))
    plain, ours = results
    assert ours[0].split(b"\n") == plain[0].split(b"\n")
    assert ours[1] == plain[1] == 5
    assert ours[2] == plain[2]
