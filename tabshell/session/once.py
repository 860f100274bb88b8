"""The tab for a process that asks one thing and ends: it reads of the store what the answer needs.

Folding all facts takes the longer the longer a session lasts, and few answers look at more than a page of it. Here
requirements and notes are folded from their few facts, and an entry is read when somebody looks at it. The files that
were listed, opened and made come from what an earlier process kept (``store.kept``) and from the facts since.

In: a store. Out: the tab and the standing that ``tab.fold`` makes of it; the tab without its accesses and turns, which
only an audit looks at.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, ValuesView

from tabshell import __version__
from tabshell.model.facts import (
    EntryLogged,
    EntrySeen,
    FinishChecked,
    NoteAdded,
    RecordingGap,
    RequirementAdded,
    RequirementReopened,
    RequirementResolved,
    SessionEnded,
    SessionResumed,
    SessionStarted,
    TabAccessed,
    TaskSet,
    TurnClassified,
    TurnStarted,
)
from tabshell.model.light import replace
from tabshell.model.state import Entry, Tab
from tabshell.store import compact, kept
from tabshell.store.database import Store
from tabshell.tab.fold import ACCESS_OPERATIONS, Folder, Standing
from tabshell.tab.unopened import Unopened

#: The file and its format, which changes with what is kept, or with how it is found from the facts.
NAME, FORMAT = "files.json", f"files/1 {__version__}"
#: What taking up the facts since must have cost until the file is written anew: so much, and more where it is large
#: (one for so many bytes). Looking at one path of a listing costs one, reading one fact ten.
WORTH, WORTH_BYTES, FACT = 640, 256, 10

_ACCOUNT = (
    SessionStarted, SessionResumed, SessionEnded, TaskSet, RequirementAdded, RequirementResolved, RequirementReopened,
    NoteAdded, FinishChecked, RecordingGap,
)  # fmt: skip


def tab_once(store: Store, *, files: bool) -> Tab:
    """The tab as it stands; without ``files`` none are in it. Raises StoreDamaged."""
    folder = _account(store)
    tab = folder.tab()
    found = _files(store, folder) if files else Unopened()
    return replace(
        tab, turn=store.last_number(TurnStarted), entries=Entries(store), candidates=found.candidates,
        opened=found.opened_now(), made=found.made,
    )  # fmt: skip


def standing_once(store: Store) -> Standing:
    """What the status line tells."""
    folder = _account(store)
    found = _files(store, folder)
    turn = store.last_number(TurnStarted)
    accesses = (event.fact for event in store.newest(TabAccessed))
    last = next((a.turn for a in accesses if isinstance(a, TabAccessed) and a.operation in ACCESS_OPERATIONS), None)
    return replace(
        folder.standing(), candidates=len(found.candidates), above=found.above_threshold(folder.task),
        entries=store.count(EntryLogged), since_access=None if last is None else max(0, turn - last),
    )  # fmt: skip


def _account(store: Store) -> Folder:
    folder = Folder(turns=False)
    for event in store.events(*_ACCOUNT):
        folder.apply(event)
    return folder


def _files(store: Store, folder: Folder) -> Unopened:
    """The files that were listed, opened and made. What was expensive to find is kept for the next process."""
    before = kept.read(store, NAME, FORMAT)
    found = _kept_files(before) if before is not None else None
    after = before.seq if before is not None and found is not None else 0
    found = found or Unopened()
    if folder.session is not None:
        found.start(folder.session)
    cost = 0
    for event in store.events(TurnClassified, EntryLogged, after=after):
        after = event.seq
        cost += FACT
        if isinstance(event.fact, TurnClassified):
            found.classified(event.fact)
            cost += len(event.fact.listed) + len(event.fact.searched)
        elif isinstance(event.fact, EntryLogged):
            found.logged(event.fact)
    if cost >= max(WORTH, len(before.body) // WORTH_BYTES if before is not None else 0) and not store.readonly:
        found.above_threshold(folder.task)  # it is kept, too
        kept.write(store, NAME, FORMAT, kept.Kept(after, 0, compact.text(found.as_json())))
    return found


def _kept_files(before: kept.Kept) -> Unopened | None:
    try:
        return Unopened.from_json(compact.loads(before.body))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


class Entries(Mapping[int, Entry]):
    """The entries of a store by number, oldest first; each is read when it is asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._numbers: dict[int, None] | None = None
        self._seen: dict[int, list[tuple[int, int]]] | None = None
        self._all: dict[int, Entry] | None = None

    def __getitem__(self, number: int) -> Entry:
        if self._all is not None:
            return self._all[number]
        event = self._store.numbered(EntryLogged, number)
        if event is None or not isinstance(event.fact, EntryLogged):
            raise KeyError(number)
        return self._entry(event.seq, event.fact)

    def __contains__(self, number: object) -> bool:
        return number in self._known()

    def __iter__(self) -> Iterator[int]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())

    def items(self) -> ItemsView[int, Entry]:
        """All of them, read at once."""
        return self._read().items()

    def values(self) -> ValuesView[Entry]:
        """All of them, read at once."""
        return self._read().values()

    def _known(self) -> dict[int, None]:
        if self._numbers is None:
            self._numbers = dict.fromkeys(number for _, number in self._store.numbers(EntryLogged, 0))
        return self._numbers

    def _read(self) -> dict[int, Entry]:
        if self._all is None:
            self._all = {}
            for event in self._store.events(EntryLogged):
                if isinstance(event.fact, EntryLogged):
                    self._all[event.fact.id] = self._entry(event.seq, event.fact)
        return self._all

    def _entry(self, seq: int, logged: EntryLogged) -> Entry:
        """The entry that event ``seq`` logged, with the turns in which it was shown, each once."""
        if self._seen is None:
            self._seen = {}
            for event in self._store.events(EntrySeen):
                if isinstance(event.fact, EntrySeen):
                    self._seen.setdefault(event.fact.entry, []).append((event.seq, event.fact.turn))
        again = (turn for seen, turn in self._seen.get(logged.id, ()) if seen > seq)
        return Entry(logged, tuple(dict.fromkeys((logged.turn, *again))))
