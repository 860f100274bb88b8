"""What a shell may complete behind ``tab``: operations, options, ids. Called by click when somebody presses Tab.

Reads the session without writing anything, so a completion is no access to the tab; where it cannot be read there is
nothing to suggest, and nothing is said.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import click
from click.shell_completion import CompletionItem

from tabshell.cli.options.suggest import short
from tabshell.cli.tab.words import OPTIONS
from tabshell.errors import TabshellError
from tabshell.model.state import Tab
from tabshell.session import Session
from tabshell.store.locate import find, home

_LISTS = ("requirements", "candidates", "log", "notes")
_REASONS = ("computed", "authored", "not in the workspace")


def tab_words(context: click.Context, incomplete: str) -> list[CompletionItem]:
    """What may follow in a call of ``tab``; the words before are the context's."""
    words = list(context.params.get("words") or ())
    if not words:
        offers: list[tuple[str, str]] = [(name, "") for name in OPTIONS]
    elif incomplete.startswith("-"):
        offers = [(name.rstrip("="), "") for name in sorted(OPTIONS.get(words[0], ()))]
        offers += [("--json", "")]
    else:
        offers = list(_operands(words[0], words[1:], context.params))
    return [CompletionItem(word, help=short(text)) for word, text in offers if word.startswith(incomplete)]


def _operands(operation: str, given: list[str], parameters: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What may follow an operation and the words that stand behind it already."""
    if operation == "list" and not given:
        yield from ((name, "") for name in _LISTS)
    elif operation == "resolve" and len(given) == 1:
        yield from (("done", "closes with entries"), ("unavailable", "closes with a reason"))
    elif operation == "resolve" and given[1:] == ["unavailable"]:
        yield from ((reason, "") for reason in _REASONS)
    elif operation in ("show", "reopen", "resolve"):
        tab = _tab(parameters.get("session"))
        if tab is not None:
            yield from _ids(tab, operation, given)


def _ids(tab: Tab, operation: str, given: list[str]) -> Iterator[tuple[str, str]]:
    """The ids that an operation can take next."""
    requirements = [(f"r{number}", one) for number, one in tab.requirements.items()]
    entries = [(f"L{number}", ", ".join(one.logged.paths)) for number, one in tab.entries.items()]
    if operation == "resolve" and not given:
        yield from ((id_, one.text) for id_, one in requirements if one.status == "open")
    elif operation == "reopen" and not given:
        yield from ((id_, one.text) for id_, one in requirements if one.status != "open")
    elif operation == "resolve" and given[1:] == ["done"]:
        yield from entries
    elif operation == "show" and not given:
        yield from ((id_, one.text) for id_, one in requirements)
        yield from entries
        yield from ((f"n{number}", note.text) for number, note in tab.notes.items())


def _tab(session: str | None) -> Tab | None:
    """The tab of the session that is meant, as it is stored."""
    wanted = session or os.environ.get("TABSHELL_SESSION") or "last"
    with contextlib.suppress(TabshellError), Session.open(find(wanted, home(os.environ)), readonly=True) as opened:
        return opened.tab()
    return None
