"""The audit as one HTML file: no network, readable without JavaScript, light and dark, printable (jinja2).

In: an ``Audit`` and, for the replay, what was shown and when. Out: the text of the file. Everything foreign is
made harmless (no control characters, no bidirectional overrides) and escaped; a content security policy allows
this file's own two scripts, by their hashes, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Iterable
from typing import NamedTuple

from tabshell.audit.audit import Audit
from tabshell.audit.html_run import in_lines, run
from tabshell.audit.html_view import anchor_of, excerpts, papers, pointers, timeline
from tabshell.audit.summary import headlines, verdict
from tabshell.errors import TabshellError
from tabshell.text.harmless import harmless

TEMPLATES = os.path.join(os.path.dirname(__file__), "templates")
#: Bytes of recorded output that the replay holds; the rest is left out, and said so.
MAX_REPLAY = 2_000_000
#: Rows of a list.
MOST = 1_000


class Played(NamedTuple):
    """A piece of the recording: when (seconds since the epoch), what was shown, in which turn; or how many bytes were
    left out there."""

    at: float
    data: bytes
    turn: int | None
    left_out: int = 0


def audit_html(audit: Audit, recording: Iterable[Played] = (), columns: int = 80, rows: int = 24) -> str:
    """The file's text. Raises TabshellError if jinja2 is not installed."""
    try:
        import jinja2  # noqa: PLC0415 - optional extra
    except ImportError:
        msg = "the HTML report needs jinja2; run: pip install 'tabshell[html]'"
        raise TabshellError(msg) from None

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    environment.filters["harmless"] = harmless
    environment.filters["when"] = _when
    environment.filters["run"] = run
    environment.filters["in_lines"] = in_lines
    wanted = pointers(audit)
    views, left_out = excerpts(audit, wanted)
    lines = headlines(audit)
    script = _asset("report.js")
    page = environment.get_template("report.html").render(
        audit=audit, tab=audit.tab, lines=lines, verdict=verdict(lines), papers=papers(audit), excerpts=views,
        excerpts_left_out=left_out, shown_entries=frozenset(view.id for view in views), turns=timeline(audit),
        replay=_replay(recording, columns, rows), anchor_of=anchor_of, most=MOST, style=_asset("report.css"),
        script=script, script_hash=_hash(script),
    )  # fmt: skip
    # what no encoding can hold (a lone surrogate that escaped every filter) must not stop the report
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


def _asset(name: str) -> str:
    with open(os.path.join(TEMPLATES, name), encoding="utf-8") as stream:
        return stream.read()


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _when(seconds: float | None) -> str:
    """A time for people, in UTC."""
    import datetime as dt  # noqa: PLC0415

    if seconds is None:
        return ""
    return dt.datetime.fromtimestamp(seconds, dt.timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


def _replay(recording: Iterable[Played], columns: int, rows: int) -> str:
    """The recording as JSON for a script element: no ``<``, so that nothing in it can end the element."""
    frames: list[list[object]] = []
    room, cut, previous = MAX_REPLAY, 0, None
    for piece in recording:
        if piece.left_out or len(piece.data) > room:
            cut += piece.left_out or len(piece.data)
            continue
        room -= len(piece.data)
        pause = 0.0 if previous is None else max(0.0, piece.at - previous)
        previous = piece.at
        frames.append([round(pause, 3), piece.turn or 0, piece.data.decode("utf-8", "replace")])
    if not frames:
        return ""
    text = json.dumps({"columns": columns, "rows": rows, "cut": cut, "frames": frames}, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
