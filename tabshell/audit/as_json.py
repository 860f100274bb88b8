"""A session and what an audit found -> plain JSON values with the keys of ``docs/reference/json.md``.

Everything here only renames and reorders. Times are ISO 8601 in UTC with milliseconds; ids carry their letter
(``r1``, ``n1``, ``L1``); paths and excerpts may hold surrogate escapes, which ``json.dumps`` (ASCII only, its
default) writes as ``\\udcXX``.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tabshell.model.facts import RequirementReopened, RequirementResolved
from tabshell.model.state import Entry, RankedCandidate, Requirement, Tab, Turn

SCHEMA = "tabshell/1"

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
Object = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Integrity:
    """What checking the hash chain gave: the number of events and the hash of the last."""

    ok: bool
    events: int
    head: str


def session_export(
    tab: Tab,
    entry_text: Callable[[Entry], str],
    candidates: Iterable[RankedCandidate],
    integrity: Integrity,
    output_chars: Callable[[Turn], int] | None = None,
    seen: Mapping[int, int] | None = None,
) -> Object:
    """The whole session. ``output_chars`` tells how many characters a turn showed (else its bytes count), ``seen`` of
    the turns whose output an agent cut how many bytes of it its model was shown."""
    check = tab.checks[-1] if tab.checks else None
    return {
        "schema": SCHEMA,
        "session": session_object(tab),
        "turns": [turn_object(turn, output_chars, (seen or {}).get(number)) for number, turn in tab.turns.items()],
        "requirements": [requirement_object(requirement) for requirement in tab.requirements.values()],
        "notes": [{"id": f"n{n.id}", "text": n.text, "turn": n.turn} for n in tab.notes.values()],
        "log": [entry_object(entry, entry_text(entry)) for entry in tab.entries.values()],
        "candidates": [candidate_object(candidate) for candidate in candidates],
        "accesses": [{"turn": a.turn, "operation": a.operation, "shown": list(a.shown)} for a in tab.accesses],
        "finish_check": None if check is None else {"turn": check.turn, "stop": check.stop, "state": check.state},
        "integrity": {"ok": integrity.ok, "events": integrity.events, "head": integrity.head},
    }


def session_object(tab: Tab) -> Object:
    """The head of a session. ``complete``: it ended by itself and nothing was left unrecorded."""
    started = tab.session
    return {
        "id": started.id,
        "name": started.name,
        "workspace": started.workspace,
        "out": started.out,
        "task": tab.task,
        "agent": started.agent,
        "started_at": timestamp(tab.started_at),
        "ended_at": timestamp(tab.ended_at),
        "complete": tab.ended is not None and not tab.gaps,
        "bash": started.bash,
        "version": started.version,
    }


def turn_object(turn: Turn, output_chars: Callable[[Turn], int] | None = None, seen: int | None = None) -> Object:
    """One turn; what is not known yet (running, not classified) is null or empty. ``shown`` is null where the model
    was shown all of the output, as far as anybody said."""
    started, ended, files = turn.started, turn.ended, turn.files
    shown = 0 if ended is None else ended.output_bytes if output_chars is None else output_chars(turn)
    return {
        "turn": started.turn,
        "door": started.door,
        "agent": started.agent,
        "command": started.command,
        "text_from": started.text_from,
        "cwd": started.cwd,
        "exit_code": ended.exit_code if ended else None,
        "started_at": timestamp(turn.started_at),
        "duration_s": round(ended.duration_s, 6) if ended else None,
        "output_chars": shown,
        "truncated": bool(ended and ended.dropped),
        "read": list(files.read) if files else [],
        "searched": list(files.searched) if files else [],
        "listed": list(files.listed) if files else [],
        "wrote": [write.path for write in files.wrote] if files else [],
        "computed_from": list(files.computed_from) if files else [],
        "entries": [f"L{number}" for number in turn.entries],
        "shown": {"bytes": seen, "of": ended.end - ended.start} if ended and seen is not None else None,
        "reasons": [
            {"kind": r.kind, "rule": r.rule, "evidence": r.evidence, "paths": list(r.paths)}
            for r in (files.reasons if files else ())
        ],
    }


def requirement_object(requirement: Requirement) -> Object:
    """A requirement; ``refs``, ``reason`` and ``quote`` are those of the resolution that stands."""
    resolution = requirement.resolution
    return {
        "id": f"r{requirement.id}",
        "text": requirement.text,
        "turn": requirement.added.turn,
        "status": requirement.status,
        "refs": [f"L{ref}" for ref in resolution.refs] if resolution else [],
        "reason": resolution.reason if resolution else None,
        "quote": resolution.quote if resolution else None,
        "history": [_step(step) for step in requirement.history],
    }


def _step(step: RequirementResolved | RequirementReopened) -> Object:
    if isinstance(step, RequirementReopened):
        return {"status": "open", "turn": step.turn, "refs": [], "reason": None, "quote": None}
    refs = [f"L{ref}" for ref in step.refs]
    return {"status": step.status, "turn": step.turn, "refs": refs, "reason": step.reason, "quote": step.quote}


def entry_object(entry: Entry, excerpt: str) -> Object:
    """A read-log entry with its whole excerpt."""
    logged = entry.logged
    return {
        "id": f"L{entry.id}",
        "turn": logged.turn,
        "turns": list(entry.turns),
        "agent": logged.agent,
        "kind": logged.kind,
        "paths": list(logged.paths),
        "shown_as": list(logged.shown_as),
        "command": logged.command,
        "chars": logged.chars,
        "truncated": logged.truncated,
        "excerpt": excerpt,
        "lines": list(logged.lines) if logged.lines else None,
        "source_sha256": logged.source_sha256,
        "derived_from": list(logged.derived_from),
        "own": logged.own,
        "binary": logged.binary,
        "outside": logged.outside,
        "unconfirmed": logged.unconfirmed,
    }


def candidate_object(ranked: RankedCandidate) -> Object:
    """A candidate with its rank."""
    return {
        "path": ranked.candidate.path,
        "turn": ranked.candidate.turn,
        "above_threshold": bool(ranked.above),
        "score": round(ranked.score, 6),
        "search_hits": [f"L{number}" for number in ranked.candidate.search_hits],
    }


def timestamp(seconds: float | None) -> str | None:
    """Seconds since the epoch as ``2026-11-30T14:50:18.123Z``."""
    if seconds is None:
        return None
    moment = dt.datetime.fromtimestamp(seconds, dt.timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def dumps(value: Json) -> str:
    """JSON text, indented, ASCII only, so that undecodable names survive."""
    return json.dumps(value, indent=1)
