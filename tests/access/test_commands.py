"""Real commands with their real outputs, in a small workspace: what was read, searched, listed, and what is held.

A ``.case`` file holds the commands of one shell in order; ``fixtures/commands/README.md`` describes its lines.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tabshell.access.classify import Classifier
from tabshell.access.disk.disk import Disk
from tabshell.model.accesses import Accesses
from tabshell.model.records import CommandRecord
from tabshell.text.observation import excerpt_text

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASES = sorted((FIXTURES / "commands").glob("*.case"))


@dataclass
class Step:
    """One command of a case."""

    command: str = ""
    output: bytes = b""
    labels: dict[str, list[str]] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)

    def get(self, name: str) -> list[str]:
        return self.labels.get(name, [])


def steps(path: Path) -> list[Step]:
    found = []
    for block in path.read_bytes().split(b"=====\n"):
        head, _, output = block.partition(b"\n---\n")
        step = Step(output=output.removesuffix(b"\n\\ no line break at the end\n"))
        file = ""
        command = []
        for line in head.decode("utf-8", "surrogateescape").split("\n"):
            if line.startswith(("$ ", "> ")):
                command.append(line[2:])
            elif line.startswith("|"):
                step.made[file] = step.made.get(file, "") + line[2:] + "\n"
            else:
                name, _, value = line.partition(": ")
                step.labels.setdefault(name, []).append(value)
                file = value
        step.command = "\n".join(command)
        found.append(step)
    return found


@pytest.fixture
def orchard(tmp_path: Path) -> Path:
    target = tmp_path / "orchard"
    shutil.copytree(FIXTURES / "workspaces" / "orchard", target, symlinks=True)
    return target


def classified(step: Step, top: Path, classifier: Classifier, witnessed: bool) -> tuple[Accesses, bytes]:
    for name, text in step.made.items():
        (top / name).write_text(text.removesuffix("\n"))
    for name in step.get("gone"):
        (top / name).unlink(missing_ok=True)
    output = step.output.replace(b"{WS}", os.fsencode(top))
    opened = tuple(str(top / name) for name in step.get("opened")) if witnessed else None
    columns = int(step.get("columns")[0])
    cwd = os.path.normpath(top / step.get("cwd")[0])
    exit_code = int(step.get("exit")[0])
    record = CommandRecord(
        "pty", step.command, "history", cwd, output, exit_code, started_at=1.0, columns=columns, opened=opened
    )
    return classifier.classify(record), output


@pytest.mark.parametrize("witnessed", [True, False], ids=["witness", "no witness"])
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_real_command_is_classified_as_labelled(path: Path, witnessed: bool, orchard: Path) -> None:
    classifier = Classifier(str(orchard), None, Disk(deadline=60))
    for step in steps(path):
        accesses, output = classified(step, orchard, classifier, witnessed)
        assert not [r for r in accesses.reasons if r.rule == "internal fault"]
        assert sorted(accesses.read) == sorted(step.get("read")), step.command
        assert sorted(accesses.searched) == sorted(step.get("search")), step.command
        assert sorted(accesses.listed) == sorted(step.get("listed")), step.command
        _check_entries(step, accesses, output)


def _check_entries(step: Step, accesses: Accesses, output: bytes) -> None:
    texts = [(e, excerpt_text(output, e.spans, e.screen)) for e in accesses.excerpts]
    for label in step.get("held"):
        path, _, value = label.partition(": ")
        assert any(path in entry.paths and value in text for entry, text in texts), label
    for label in step.get("lines"):
        path, first, last = label.rsplit(" ", 2)
        assert [e.lines for e, _ in texts if path in e.paths] == [(int(first), int(last))], label
    for label in step.get("derived"):
        path, source = label.split(" <- ")
        assert [e.derived_from for e, _ in texts if path in e.paths] == [(source,)], label
    for entry, text in texts:
        assert entry.chars == len(text)
        assert entry.own == (entry.paths[0] in step.get("own")), entry.paths
        assert entry.binary == entry.paths[0].endswith(".png")
    assert set(step.get("computed")) <= set(accesses.computed_from)


def test_every_tag_of_the_collection_has_a_case() -> None:
    tags = {tag for path in CASES for step in steps(path) for tag in step.get("tags")[0].split(",")}
    assert {"grep", "grep-l", "ls-recursive", "find", "tree", "loop", "xargs", "python", "xlsx", "docx"} <= tags
    assert {"archive", "sqlite", "provenance", "own", "encoding", "neither", "derived-value", "pager"} <= tags
