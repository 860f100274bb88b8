"""The HTML report of ``tabshell audit --format html``: the audit with the session's recorded terminal."""

from __future__ import annotations

from collections.abc import Iterator

from tabshell.audit import as_html
from tabshell.audit.as_html import Played
from tabshell.audit.audit import Audit
from tabshell.recordings.film import Film, Frame
from tabshell.session import Session


def audit_html(session: Session, found: Audit) -> str:
    """The file's text, with a replay of what was shown. Raises TabshellError if jinja2 is not installed."""
    film = Film(session.store)
    return as_html.audit_html(found, _played(film), film.columns, film.rows)


def _played(film: Film) -> Iterator[Played]:
    for frame in film.frames():
        if isinstance(frame, Frame):
            yield Played(frame.at, frame.data, frame.turn)
