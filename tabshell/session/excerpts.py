"""What entries of the log say, from stored bytes: one by one, or many whose bytes were read beforehand, so that a
process without the store can make their texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tabshell.model.accesses import Span
from tabshell.model.light import TYPE_CHECKING
from tabshell.text.observation import excerpt_text

if TYPE_CHECKING:
    from tabshell.model.facts import EntryLogged
    from tabshell.model.state import Entry, Tab
    from tabshell.session.session import Session
    from tabshell.store.packed import Packed


def text_of(logged: EntryLogged, pieces: Sequence[bytes], columns: Callable[[], int]) -> str:
    """The text of an entry whose spans hold ``pieces``. Only what was drawn depends on ``columns``, the terminal's."""
    spans, at = [], 0
    for piece in pieces:
        spans.append(Span(at, at + len(piece)))
        at += len(piece)
    shown = b"".join(pieces)
    width = columns() if logged.screen or b"\x1b[?" in shown else 0
    return excerpt_text(shown, tuple(spans), logged.screen, width)


class Excerpts:
    """The texts of a session's entries, for a reader who wants most of them. ``tab`` with its turns."""

    def __init__(self, session: Session, tab: Tab) -> None:
        self._session = session
        self._turns = tab.turns
        self._packed: dict[int, list[Packed]] = {}

    def take(self, entries: Iterable[Entry]) -> None:
        """Reads the bytes of some entries as they lie in the store: their texts can then be made without it, once."""
        for entry in entries:
            logged = entry.logged
            self._packed[entry.id] = [
                self._session.store.packed(logged.stream, span.start, span.end) for span in logged.spans
            ]

    def __call__(self, entry: Entry) -> str:
        """The text of an entry. Raises StoreDamaged."""
        packed = self._packed.pop(entry.id, None)
        if packed is None:
            return self._session.entry_text(entry)
        turn = self._turns.get(entry.logged.turn)
        return text_of(entry.logged, [one.data() for one in packed], lambda: turn.started.columns if turn else 0)
