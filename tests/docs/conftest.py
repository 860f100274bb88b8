"""How the commands of a page are found, and how a page comes to show what they print."""

from __future__ import annotations

import os
import re

import pytest

_BLOCK = re.compile(r"(?ms)^```console\n(.*?)^```\n")


def commands(block):
    """The commands of a block, each with the lines of its here-document."""
    found, ending = [], None
    for line in block.splitlines():
        if line.startswith("$ ") and ending is None:
            found.append([line[2:]])
            here = re.search(r"<<'(\w+)'", line)
            ending = here[1] if here else None
        elif ending is not None:
            found[-1].append(line)
            ending = None if line == ending else ending
    return found


class Page:
    """A page whose ``console`` blocks show commands and what they print."""

    def __init__(self, path):
        self.path, self.text = path, path.read_text(encoding="utf-8")

    def commands(self):
        """All of its commands, in order."""
        return [lines for match in _BLOCK.finditer(self.text) for lines in commands(match[1])]

    def played(self, typed):
        """Its text with what ``typed`` gives for each command: lines, as they were printed."""

        def block(match):
            shown = []
            for lines in commands(match[1]):
                shown += [f"$ {lines[0]}", *lines[1:], *typed(lines)]
            return "```console\n" + "\n".join(shown) + "\n```\n"

        return _BLOCK.sub(block, self.text)

    def must_be(self, real):
        """The page says what is real; with ``UPDATE_DOCS`` it does from now on."""
        if os.environ.get("UPDATE_DOCS"):
            self.path.write_text(real, encoding="utf-8")
        assert real == self.text


@pytest.fixture
def page_of():
    """A page by its path."""
    return Page
