"""What a shell may complete: sessions, agents, the words of ``tab``. Called by click when somebody presses Tab.

Out: words with a short explanation (zsh and fish show it). Reads sessions without writing anything, so a completion
is no access to the tab; where something cannot be read there is nothing to suggest, and nothing is said.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import click
from click.shell_completion import CompletionItem

from tabshell.cli.tab_words import OPTIONS
from tabshell.errors import TabshellError
from tabshell.model.state import Tab
from tabshell.session import Session
from tabshell.session.summary import summarise
from tabshell.store.locate import find, home, session_directories

#: As many of the newest sessions are offered.
SESSIONS = 40
#: How much of a text is shown beside a word.
_SHOWN = 60
_LISTS = ("requirements", "candidates", "log", "notes")
_REASONS = ("computed", "authored", "not in the workspace")


def sessions(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids and names of the newest sessions, and ``last``; files, where the word looks like a path."""
    if "/" in incomplete or incomplete.startswith((".", "~")):
        return [CompletionItem(incomplete, type="file")]
    offers = [CompletionItem("last", help="the newest session")]
    for directory in list(session_directories(home(os.environ)))[:SESSIONS]:
        one = summarise(directory)
        if one.fault:
            continue
        offers.append(CompletionItem(one.id, help=_short(f"{one.name or ''} {one.workspace}".strip())))
        if one.name:
            offers.append(CompletionItem(one.name, help=_short(f"{one.id} {one.workspace}")))
    return [offer for offer in offers if offer.value.startswith(incomplete)]


def agents(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The names of the agents that tabshell knows."""
    from tabshell.agents.all_agents import AGENTS  # noqa: PLC0415 - only for a name of an agent

    return [CompletionItem(name) for name in AGENTS if name.startswith(incomplete)]


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
    return [CompletionItem(word, help=_short(text)) for word, text in offers if word.startswith(incomplete)]


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


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
