"""What the how-to pages show is what the program prints. ``UPDATE_DOCS=1 pytest tests/docs`` writes it anew.

The ``console`` blocks of a page are one script: a line that begins with ``$ `` is a command (with its
here-document), the rest is what it prints. It runs in a home with the bakery workspace in it and with a stand-in
for an agent, ``my-agent``. Ids, times, heads and the home's path are replaced by fixed ones.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOW_TO = ROOT / "docs" / "how-to"
PAGES = (
    "ablations.md",
    "audit-a-session.md",
    "benchmark-runs.md",
    "ci-gate.md",
    "resume-and-name.md",
    "share-a-session.md",
    "sign-a-session.md",
    "../reference/config.md",
)
MARK = "=== a command of the page begins ==="
AGENT = """#!/bin/sh
bash -c 'tab add "headcount at the end of the quarter" "term of the lease for Station Square"'
bash -c 'ls leases'
bash -c 'cat notes/2026-06-30_team.txt'
bash -c 'tab list'
bash -c 'tab resolve r1 done L1'
mkdir out
bash -c 'echo "At the end of the quarter 23 people were employed." > out/summary.md'
"""


def fixed(text, home):
    """What differs from run to run, replaced."""
    text = text.replace(str(home), "/home/ada")
    text = re.sub(r"\b\d{8}-\d{6}-\d{6}\b", "20260703-091500-000000", text)
    text = re.sub(r"\b\d{4}-\d\d-\d\d \d\d:\d\d", "2026-07-03 09:15", text)
    return re.sub(r"\b[0-9a-f]{64}\b", "…", text)


@pytest.fixture
def house(own_home):
    """A home with the workspace in it and the programs that the pages call."""
    shutil.copytree(ROOT / "fixtures" / "workspaces" / "bakery", own_home / "bakery")
    programs = own_home / "programs"
    programs.mkdir()
    (programs / "my-agent").write_text(AGENT)
    (programs / "tabshell").write_text(f'#!/bin/sh\nexec {sys.executable} -m tabshell "$@"\n')
    for program in programs.iterdir():
        program.chmod(0o755)
    return own_home


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="a page signs with ssh-keygen, which is not installed")
@pytest.mark.parametrize("name", PAGES)
def test_a_how_to_page_shows_what_the_program_prints(name, house, page_of):
    page = page_of(HOW_TO / name)
    typed = page.commands()
    assert typed
    script = "".join(f"echo '{MARK}'\n" + "\n".join(lines) + "\n" for lines in typed)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TABSHELL_")}
    environment |= {"PATH": f"{house / 'programs'}:{environment['PATH']}", "LC_ALL": "C.UTF-8"}
    run = subprocess.run(
        ["bash", "-c", script],
        env=environment,
        cwd=house,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=100,
    )
    shown = iter(fixed(run.stdout.decode(), house).split(f"{MARK}\n")[1:])
    page.must_be(page.played(lambda _: next(shown).splitlines()))
