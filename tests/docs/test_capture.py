"""The page on reading shows what the classifier says. ``UPDATE_DOCS=1 pytest tests/docs`` writes it anew.

In a ``text`` block that begins with ``$ `` each command runs through the session's bash on the bakery workspace;
below it stands what its turn read, searched, listed or computed from.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "capture.md"
BLOCK = re.compile(r"(?ms)^```text\n(\$ .*?)^```\n")


def typed(block):
    return [line[2:] for line in block.splitlines() if line.startswith("$ ")]


def verdicts(turn, entries):
    """One line for each file of a turn, with what its entry says of it."""
    own = [entries[name] for name in turn["entries"]]
    for path in turn["read"]:
        marks = []
        for entry in (entry for entry in own if path in entry["paths"]):
            marks += [f"derived from {source}" for source in entry["derived_from"] if source != path]
            marks += [mark for mark in ("own", "binary", "outside") if entry[mark]]
        yield f"  read      {path}" + (f" ({', '.join(marks)})" if marks else "")
    yield from (f"  searched  {path}" for path in turn["searched"])
    yield from (f"  listed    {path}" for path in turn["listed"])
    if not (turn["read"] or turn["searched"]):
        yield from (f"  computed from {path}" for path in turn["computed_from"])


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("unzip") is None, reason="the page uses unzip, which is not installed")
def test_the_page_on_reading_shows_what_the_classifier_says(tmp_path):
    page = PAGE.read_text(encoding="utf-8")
    workspace = tmp_path / "home" / "bakery"
    shutil.copytree(ROOT / "fixtures" / "workspaces" / "bakery", workspace)
    (tmp_path / "home" / "letter.txt").write_text("Dear partner\n")
    tabshell = [sys.executable, "-m", "tabshell"]
    lines = subprocess.run([*tabshell, "env"], cwd=workspace, capture_output=True, text=True, check=True).stdout
    commands = [command for match in BLOCK.finditer(page) for command in typed(match[1])]
    # before a command that writes, the turns until then are classified: files are asked as they are
    script = lines + 'for c; do case $c in *">"*) tab status ;; esac; "$SHELL" -c "$c" 2>&1 | cat; done'
    subprocess.run(["bash", "-c", script, "-", *commands], cwd=workspace, capture_output=True, check=True)
    session = json.loads(subprocess.run([*tabshell, "export"], cwd=workspace, capture_output=True, check=True).stdout)
    entries = {entry["id"]: entry for entry in session["log"]}
    turns = iter([turn for turn in session["turns"] if turn["command"] in commands])

    def judged(match):
        shown = []
        for command in typed(match[1]):
            shown += [f"$ {command}", *(list(verdicts(next(turns), entries)) or ["  nothing"])]
        return "```text\n" + "\n".join(shown).replace(str(tmp_path), "") + "\n```\n"

    real = BLOCK.sub(judged, page)
    if os.environ.get("UPDATE_DOCS"):
        PAGE.write_text(real, encoding="utf-8")
    assert real == page
