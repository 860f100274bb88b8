"""Shell prompts in drawn lines: where a command was typed, and what its output was.

For recordings that hold only a screen. A line is a prompt if it has one of the usual forms (``user@host:dir$``,
``[user@host dir]#``, ``bash-5.2$``, ``host:dir user$``), or the bare form that the recording itself begins
with (``$``, ``>``, ``%`` …); bare forms alone would take headings and quotations for prompts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_RICH = re.compile(
    r"""(?:\([\w. -]+\)[ ]?)?
    (?: \[(?P<user1>[\w.-]+)@[\w.-]+[ ](?P<cwd1>[^\]]+)\]
      | (?P<user2>[\w.-]+)@[\w.-]+:(?P<cwd2>[~/][^$#%>]*?)
      | (?:ba|z|da|k)?sh-\d[\d.]*
      | [\w.-]+:(?P<cwd3>[~/]\S*)[ ][\w.-]+
    )[ ]?[$\#%](?:[ ](?P<command>.*))?\Z""",
    re.VERBOSE | re.DOTALL,
)
_BARE = re.compile(r"(?:[$#%>❯]|➜ [^$#%>]*?) (?=\S|\Z)")


@dataclass(frozen=True, slots=True)
class PromptLine:
    """A line with a prompt. ``cwd`` is what the prompt tells of the directory, if that is absolute."""

    prompt: str
    command: str
    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class Spoken:
    """A command and the lines of its output: ``lines[first:end]``."""

    command: str
    first: int
    end: int
    cwd: str | None


def prompt_line(line: str, bare: str | None = None) -> PromptLine | None:
    """The prompt and the command in a line; None if it is none. ``bare`` is a prompt known from before."""
    found = _RICH.match(line)
    if found is not None:
        command = found["command"] or ""
        prompt = line[: len(line) - len(command)]
        user = found["user1"] or found["user2"]
        return PromptLine(prompt, command.strip(), _directory(found["cwd2"] or found["cwd3"] or found["cwd1"], user))
    if bare and line.startswith(bare):
        return PromptLine(bare, line[len(bare) :].strip())
    return None


def bare_prompt(lines: Sequence[str]) -> str | None:
    """The bare prompt that a recording begins with, if it does."""
    first = next((line for line in lines if line.strip()), "")
    found = _BARE.match(first + ("" if first.endswith(" ") else " "))
    return found[0] if found is not None and prompt_line(first) is None else None


def spoken(lines: Sequence[str]) -> list[Spoken]:
    """The commands that were typed in these lines, with their outputs. Lines ``> …`` right after a prompt
    line continue its command where the prompt itself is another."""
    bare = bare_prompt(lines)
    places = [(index, found) for index, line in enumerate(lines) if (found := prompt_line(line, bare))]
    result: list[Spoken] = []
    for place, (index, found) in enumerate(places):
        end = places[place + 1][0] if place + 1 < len(places) else len(lines)
        first, command = index + 1, [found.command]
        while first < end and found.command and bare != "> " and lines[first].startswith("> "):
            command.append(lines[first][2:])
            first += 1
        if found.command:
            result.append(Spoken("\n".join(command), first, end, found.cwd))
    return result


def _directory(shown: str | None, user: str | None) -> str | None:
    """A directory as a prompt shows it, absolute where that can be told."""
    if shown is None:
        return None
    if shown.startswith("~"):
        home = "/root" if user == "root" else f"/home/{user}" if user else None
        return home + shown[1:] if home else None
    return shown if shown.startswith("/") else None
