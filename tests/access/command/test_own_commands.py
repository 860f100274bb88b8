"""What each of some 480 commands says it does, against ``fixtures/commands/own.txt``.

Its format: ``$ command`` (``. `` continues it), then one ``> act`` line for each expected act. An act is written as
``verb utility passage paths…``; ``>targets`` and ``<sources`` are those of writes, ``in:`` the trees walked.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tabshell.access.command.walk import doings
from tabshell.access.memory import ShellMemory

OWN = Path(__file__).parents[3] / "fixtures" / "commands" / "own.txt"


def cases():
    """(command, expected acts) of the file."""
    found = []
    for line in OWN.read_text(encoding="utf-8").split("\n"):
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif line.startswith(". "):
            found[-1][0] += "\n" + line[2:]
        elif line.startswith("> "):
            found[-1][1].append(line[2:])
    return [tuple(case) for case in found]


def short(path):
    """A path as the file writes it: relative to the workspace, quoted where it has blanks."""
    name = "." if path == "/ws" else path.removeprefix("/ws/")
    return f"'{name}'" if re.search(r"\s", name) or not name else name


def written(act):
    """An act as the file writes it."""
    words = [act.verb, act.utility, act.passage, *map(short, act.paths)]
    words += [f">{short(path)}" for path in act.targets] + [f"<{short(path)}" for path in act.sources]
    if act.roots is not None:
        words += [f"in:{short(path)}" for path in act.roots.directories]
        words += [f"+{glob}" for glob in act.roots.include] + [f"-{glob}" for glob in act.roots.exclude]
        words += [f"depth={act.roots.depth}"] * (act.roots.depth is not None)
        words += ["visible"] * (not act.roots.hidden)
    if act.lines is not None:
        words.append(f"lines={act.lines[0]}-{'' if act.lines[1] is None else act.lines[1]}")
    for name in ("appends", "literal", "numbered", "looped", "in_archive", "full_screen"):
        words += [name] * getattr(act, name)
    words += ["prefixed"] * (act.prefixed is True)
    words += ["inexact"] * (not act.exact)
    return " ".join(words)


def test_the_collection_is_as_large_as_promised():
    assert len(cases()) >= 400


@pytest.mark.parametrize(("command", "expected"), cases(), ids=[c[0][:60] for c in cases()])
def test_a_command_says_what_the_file_expects(command, expected, tree):
    found = doings(command, "/ws", "/home/u", tree, ShellMemory())
    assert [written(act) for act in found.acts] == expected
