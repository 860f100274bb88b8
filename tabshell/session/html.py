"""The HTML report of ``tabshell audit --format html``: the audit with the session's recorded terminal."""

from __future__ import annotations

from collections.abc import Iterator

from tabshell.audit import as_html
from tabshell.audit.as_html import MAX_REPLAY, Played
from tabshell.audit.audit import Audit
from tabshell.recordings.film import Film, Frame, LeftOut
from tabshell.session import Session


def audit_html(session: Session, found: Audit) -> str:
    """The file's text, with a replay of what was shown. Raises TabshellError if jinja2 is not installed."""
    film = Film(session.store)
    return as_html.audit_html(found, _played(film), film.columns, film.rows)


def _played(film: Film) -> Iterator[Played]:
    room = [MAX_REPLAY]
    for shot in film.shots(lambda size: size <= room[0]):
        if isinstance(shot, Frame):
            if len(shot.data) <= room[0]:
                room[0] -= len(shot.data)
            yield Played(shot.at, shot.data, shot.turn)
        elif isinstance(shot, LeftOut):
            yield Played(shot.at, b"", None, shot.size)
