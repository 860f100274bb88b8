"""A session as spans: what an OpenTelemetry trace of it holds, for a file and for an endpoint alike. Pure.

One trace a session. The root is the agent's invocation, each turn a span below it (``execute_tool``); what was read,
what was stated and resolved, and the finish check are events of the turn in which it happened. Names follow the
conventions for generative AI (``gen_ai.*``, ``process.*``, ``error.type``) where they have one, else ``tabshell.*``.

What was shown and what the agent wrote leaves only with ``text``: without it a span has the first line of a command
at most, and an event says which entry or requirement, not what stands in it. Times are those of the session. Ids are
made of how the session began, so the same session gives the same trace, and two of the same name do not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tabshell.model.facts import RequirementResolved
from tabshell.model.state import Entry, Tab, Turn

#: A value of an attribute, as OpenTelemetry has them.
Value = str | bool | int | float | Sequence[str]
#: Of a list of paths so many stand in a span, beside their number.
PATHS = 100
#: Characters of a command's first line.
LINE = 200
#: Characters of one text, where texts are wanted.
TEXT = 64 * 1024
#: How a model's or an agent's name begins -> its provider, in the words of the conventions.
_PROVIDERS = {
    "anthropic": "anthropic",
    "claude": "anthropic",
    "codex": "openai",
    "deepseek": "deepseek",
    "gemini": "gcp.gemini",
    "gpt": "openai",
    "grok": "x_ai",
    "groq": "groq",
    "mistral": "mistral_ai",
    "openai": "openai",
    "xai": "x_ai",
}


@dataclass(frozen=True, slots=True)
class Happened:
    """An event of a span; ``at`` in nanoseconds since the epoch."""

    name: str
    at: int
    attributes: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class SpanOf:
    """A span. ``parent`` is None for the root; ``error`` says how it failed, None where it did not."""

    trace: int
    id: int
    parent: int | None
    name: str
    start: int
    end: int
    attributes: Mapping[str, Value]
    events: tuple[Happened, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Texts:
    """Where the texts come from that go along: an entry's excerpt, a turn's output."""

    entry: Callable[[Entry], str]
    output: Callable[[int], str]


def spans_of(tab: Tab, without: frozenset[int] = frozenset(), texts: Texts | None = None) -> list[SpanOf]:
    """The root and its turns, in order. ``without``: turns to leave out, and then the tab's events, too."""
    maker = _Maker(tab, bool(without), texts)
    turns = [maker.turn(turn) for number, turn in tab.turns.items() if number not in without]
    return [maker.root(turns), *turns]


class _Maker:
    def __init__(self, tab: Tab, stripped: bool, texts: Texts | None) -> None:
        session = tab.session
        began = f"{session.id}/{tab.started_at!r}/{session.workspace}/{session.name}"
        self._tab, self._stripped, self._texts, self._began = tab, stripped, texts, began
        self._trace, self._root = _id(began, 16), _id(f"{began}/", 8)

    def root(self, turns: Sequence[SpanOf]) -> SpanOf:
        tab, session = self._tab, self._tab.session
        start = min([_ns(tab.started_at), *(span.start for span in turns)])
        end = max([_ns(tab.ended_at or tab.started_at), *(span.end for span in turns)])
        code = tab.ended.exit_code if tab.ended else None
        statuses = [requirement.status for requirement in tab.requirements.values()]
        about: dict[str, Value | None] = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": _provider(session.model, session.agent),
            "gen_ai.agent.name": session.agent,
            "gen_ai.conversation.id": session.agent_session or session.id,
            "gen_ai.request.model": session.model,
            "error.type": _error_type(code),
            "process.exit.code": code,
            "tabshell.session.id": session.id,
            "tabshell.session.name": session.name,
            "tabshell.session.variant": session.variant,
            "tabshell.session.ended": tab.ended is not None,
            "tabshell.workspace": session.workspace,
            "tabshell.entries.count": len(tab.entries),
            "tabshell.candidates.count": len(tab.candidates),
            "tabshell.gaps.count": len(tab.gaps),
        }
        if not self._stripped:
            about |= {f"tabshell.requirements.{name}": statuses.count(name) for name in ("open", "done", "unavailable")}
        known = set(tab.turns)
        events = () if self._stripped else tuple(self._tab_events(lambda turn: turn not in known, end))
        name = f"invoke_agent {session.agent}" if session.agent else "invoke_agent"
        return SpanOf(self._trace, self._root, None, name, start, end, _given(about), events, _failed(code))

    def turn(self, turn: Turn) -> SpanOf:
        started, ended, files = turn.started, turn.ended, turn.files
        start = _ns(turn.started_at)
        end = start + _ns(ended.duration_s if ended else 0.0)
        tool, code = started.tool or "bash", ended.exit_code if ended else None
        about: dict[str, Value | None] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": f"turn-{started.turn}",
            "error.type": _error_type(code),
            "process.command_line": _first_line(started.command),
            "process.working_directory": started.cwd,
            "process.exit.code": code,
            "tabshell.turn": started.turn,
            "tabshell.door": started.door,
            "tabshell.output.bytes": ended.output_bytes if ended else None,
            "tabshell.entries": [f"L{number}" for number in turn.entries],
            **_paths("read", files.read if files else ()),
            **_paths("searched", files.searched if files else ()),
            **_paths("listed", files.listed if files else ()),
            **_paths("wrote", tuple(write.path for write in files.wrote) if files else ()),
        }
        if self._texts is not None:
            about["gen_ai.tool.call.arguments"] = json.dumps({"command": started.command[:TEXT]})
            about["gen_ai.tool.call.result"] = self._texts.output(started.turn)[:TEXT]
        events = list(self._reads(turn, end))
        if not self._stripped:
            events += self._tab_events(lambda number: number == started.turn, end)
        span = _id(f"{self._began}/{started.turn}", 8)
        name = f"execute_tool {tool}"
        return SpanOf(self._trace, span, self._root, name, start, end, _given(about), tuple(events), _failed(code))

    def _reads(self, turn: Turn, at: int) -> Iterator[Happened]:
        for number in turn.entries:
            entry = self._tab.entries.get(number)
            if entry is None:
                continue
            logged = entry.logged
            yield Happened(
                f"tabshell.{logged.kind}",
                at,
                _given({
                    "tabshell.entry.id": f"L{number}",
                    "tabshell.entry.chars": logged.chars,
                    "tabshell.entry.first_line": logged.lines[0] if logged.lines else None,
                    "tabshell.entry.last_line": logged.lines[1] if logged.lines else None,
                    "tabshell.entry.again": entry.turns[0] != turn.started.turn,
                    **_paths("entry.paths", logged.paths),
                    "tabshell.entry.text": self._texts.entry(entry)[:TEXT] if self._texts else None,
                }),
            )  # fmt: skip

    def _tab_events(self, here: Callable[[int], bool], at: int) -> Iterator[Happened]:
        """What was stated, resolved and checked in the turns that ``here`` accepts."""
        for item in self._tab.requirements.values():
            about: dict[str, Value | None] = {"tabshell.requirement.id": f"r{item.id}"}
            if self._texts is not None:
                about["tabshell.requirement.text"] = item.text[:TEXT]
            if here(item.added.turn):
                yield Happened("tabshell.requirement.added", at, _given(about))
            for step in item.history:
                if not here(step.turn):
                    continue
                if not isinstance(step, RequirementResolved):
                    yield Happened("tabshell.requirement.reopened", at, _given(about))
                    continue
                more: dict[str, Value | None] = {
                    "tabshell.requirement.status": step.status,
                    "tabshell.requirement.refs": [f"L{number}" for number in step.refs],
                }
                if self._texts is not None:
                    more |= {"tabshell.requirement.reason": step.reason, "tabshell.requirement.quote": step.quote}
                yield Happened("tabshell.requirement.resolved", at, _given({**about, **more}))
        for check in self._tab.checks:
            if here(check.turn):
                open_ = [f"r{number}" for number in check.open]
                told = {
                    "tabshell.check.state": check.state,
                    "tabshell.check.stop": check.stop,
                    "tabshell.check.open": open_,
                }
                yield Happened("tabshell.finish_check", at, told)


def _paths(name: str, paths: Sequence[str]) -> dict[str, Value | None]:
    """A list of paths, cut where it is long, and how many there are."""
    return {f"tabshell.{name}": list(paths[:PATHS]), f"tabshell.{name}.count": len(paths)} if paths else {}


def _given(values: Mapping[str, Value | None]) -> dict[str, Value]:
    """Those that there are, with texts that UTF-8 can hold."""
    found: dict[str, Value] = {}
    for name, value in values.items():
        if isinstance(value, str):
            found[name] = _clean(value)
        elif isinstance(value, (bool, int, float)):
            found[name] = value
        elif value:
            found[name] = [_clean(item) for item in value]
    return found


def _clean(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _first_line(command: str) -> str:
    line, _, rest = command.partition("\n")
    return line[:LINE] + (" …" if rest.strip() or len(line) > LINE else "")


def _provider(model: str | None, agent: str | None) -> str:
    """Who makes the model, as far as names tell; the conventions want one."""
    for name in (model, agent):
        for word in (name or "").lower().split("/"):
            for start, provider in _PROVIDERS.items():
                if word.startswith(start):
                    return provider
    return "_OTHER"


def _error_type(code: int | None) -> str | None:
    return str(code) if code else None


def _failed(code: int | None) -> str | None:
    return f"exit status {code}" if code else None


def _ns(seconds: float) -> int:
    return round(seconds * 1_000_000) * 1000


def _id(text: str, size: int) -> int:
    """A number of so many bytes; never zero, which means none."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:size], "big") or 1
