"""A session's export document as JSON lines: a head line, then every turn, requirement, note, log entry,
candidate, access and finish check as an object of its own with its ``type``, in that order.

The objects are those of ``export --format json``; only the list around them is gone, so that tools which read
line by line need no more memory than one of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from tabshell.recordings.redact import Redactor

_LISTS = {
    "turns": "turn",
    "requirements": "requirement",
    "notes": "note",
    "log": "entry",
    "candidates": "candidate",
    "accesses": "access",
}


def to_jsonl(
    document: Mapping[str, object], redactor: Redactor, without: frozenset[int] = frozenset()
) -> Iterator[str]:
    """The lines, without line breaks. ``without`` are turns to leave out, and with them the tab's own parts."""
    head = {"type": "session", "schema": document["schema"], "session": document["session"]}
    yield _line({**head, "integrity": document.get("integrity")}, redactor)
    for key, kind in _LISTS.items():
        if without and kind in ("requirement", "note", "access"):
            continue
        items = document.get(key)
        for item in items if isinstance(items, (list, tuple)) else ():
            if kind == "turn" and item["turn"] in without:
                continue
            yield _line({"type": kind, **item}, redactor)
    check = document.get("finish_check")
    if isinstance(check, dict) and not without:
        yield _line({"type": "finish_check", **check}, redactor)


def _line(value: Mapping[str, object], redactor: Redactor) -> str:
    return json.dumps(redactor.value(dict(value)))
