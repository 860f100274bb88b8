"""A small workspace that exists only in memory, for tests of what a command says."""

from __future__ import annotations

import posixpath

import pytest

from tabshell.model.files import FileInfo

#: Files of the workspace with their text; later ones are newer.
TEXTS = {
    "notes.txt": "alpha foo\nbeta\ngamma foo\n",
    "report.md": "# Report\n\nfoo 12\nbar 15\n",
    "data.csv": "name,age\nann,31\nbob,42\n",
    "list.txt": "notes.txt\ndocs/a.md\n",
    "with space.txt": "one\n",
    "config.json": '{"a": [1, 2]}\n',
    "docs/a.md": "a foo\n",
    "docs/b.md": "b\n",
    "docs/deep/c.md": "c\n",
    "docs/.hidden.md": "h\n",
    "logs/app.log": "x\n",
    "logs/app.log.gz": "\x1f\x8b\x00\x00",
    "scripts/run.sh": '#!/bin/bash\ncat "$1"\nhead -2 report.md\n',
    "scripts/show.py": "import sys\nfor name in sys.argv[1:]:\n    print(open(name).read())\nprint(open('report.md').read())\n",
    "img.png": "\x89PNG\x00",
    "paper.pdf": "%PDF\x00",
    "table.xlsx": "PK\x00",
    "letter.docx": "PK\x00",
    "archive.zip": "PK\x00",
    "archive.tar.gz": "\x1f\x8b\x00",
    "base.sqlite": "SQLite\x00",
}


class Tree:
    """``Files`` over a dict of texts below ``/ws``."""

    def __init__(self, texts: dict[str, str], top: str = "/ws") -> None:
        self.files = {f"{top}/{name}": text for name, text in texts.items()}
        self.times = {path: float(n) for n, path in enumerate(self.files)}
        self.folders: dict[str, set[str]] = {"/": set(), "/home": {"u"}, "/home/u": {"x"}, "/home/u/x": set()}
        for path in [*self.files, *self.folders]:
            here = path
            while here != "/":
                parent = posixpath.dirname(here)
                self.folders.setdefault(parent, set()).add(posixpath.basename(here))
                here = parent

    def info(self, path: str) -> FileInfo | None:
        if path in self.files:
            return FileInfo("file", len(self.files[path]), self.times[path], 0.0, path)
        return FileInfo("dir", 0, 0.0, 0.0, path) if path in self.folders else None

    def names(self, path: str) -> tuple[str, ...]:
        return tuple(sorted(self.folders.get(path, ())))

    def content(self, path: str) -> bytes | None:
        text = self.files.get(path)
        return None if text is None else text.encode()

    def text(self, path: str) -> str | None:
        return self.files.get(path)


@pytest.fixture
def tree() -> Tree:
    """The workspace ``/ws``; the home is ``/home/u``."""
    return Tree(TEXTS)


@pytest.fixture
def tree_of():
    """Makes a workspace of one's own: names with texts, below ``/ws``."""
    return Tree
