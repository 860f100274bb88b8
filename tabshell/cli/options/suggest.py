"""What a shell may complete: sessions and agents. Called by click when somebody presses Tab.

Out: words with a short explanation (zsh and fish show it). Reads sessions without writing anything; where something
cannot be read there is nothing to suggest, and nothing is said.
"""

from __future__ import annotations

import os

import click
from click.shell_completion import CompletionItem

from tabshell.session.summary import summarise
from tabshell.store.locate import home, session_directories

#: As many of the newest sessions are offered.
SESSIONS = 40
#: How much of a text is shown beside a word.
_SHOWN = 60


def sessions(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids and names of the newest sessions, and ``last``; files, where the word looks like a path."""
    if "/" in incomplete or incomplete.startswith((".", "~")):
        return [CompletionItem(incomplete, type="file")]
    offers = [CompletionItem("last", help="the newest session")]
    for directory in list(session_directories(home(os.environ)))[:SESSIONS]:
        one = summarise(directory)
        if one.fault:
            continue
        offers.append(CompletionItem(one.id, help=short(f"{one.name or ''} {one.workspace}".strip())))
        if one.name:
            offers.append(CompletionItem(one.name, help=short(f"{one.id} {one.workspace}")))
    return [offer for offer in offers if offer.value.startswith(incomplete)]


def agents(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The names of the agents that tabshell knows."""
    from tabshell.agents.all_agents import AGENTS  # noqa: PLC0415 - only for a name of an agent

    return [CompletionItem(name) for name in AGENTS if name.startswith(incomplete)]


def short(text: str) -> str:
    """A text as it stands beside a word: one line, cut."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
