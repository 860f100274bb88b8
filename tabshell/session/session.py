"""A session: the facts in its sidecar, the tab they add up to, and what may be added to them.

Opened by every ``tab`` call, every hook and every shim that owes a status line, so imports are late and the
fold is incremental. Raises the errors of ``tabshell.errors``; nothing here prints.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType

from tabshell import __version__
from tabshell.errors import StoreUnwritable
from tabshell.model.facts import (
    Event,
    Fact,
    FinishChecked,
    OutputChunk,
    Resized,
    SessionEnded,
    SessionStarted,
    StopKind,
    StreamOpened,
    TaskSet,
    TurnEnded,
    TurnShown,
    TurnStarted,
)
from tabshell.model.light import TYPE_CHECKING, get_args
from tabshell.recorder import Recorder
from tabshell.session.options import SessionOptions
from tabshell.shim.inbox import INBOX
from tabshell.store.database import BUSY_S, DATABASE, Planned, Store

if TYPE_CHECKING:
    from pathlib import Path

    from tabshell.access.classify import Classifier
    from tabshell.model.state import Entry, Tab
    from tabshell.session.counted import CountedTerms
    from tabshell.tab.fold import Folder, Standing
    from tabshell.text.terms import TermCounts

#: What the tab is folded from: all but the bytes shown and the terminal's size.
_FOLDED = tuple(kind for kind in get_args(Fact) if kind not in (OutputChunk, Resized, StreamOpened, TurnShown))
#: The same where nobody asks for the turns themselves.
_FOLDED_BRIEFLY = tuple(kind for kind in _FOLDED if kind is not TurnEnded)
#: Stands in the directory of a session whose agent tells by a hook what its model was shown.
HOOKED = "hooked"
#: Seconds that ``tab`` waits for the recorder to catch up (S22).
SYNC_S = 0.3
_README = """This directory is the sidecar of one tabshell session: what an agent was shown, and its tab.

tab.db    every fact, insert-only and hash-chained; read it with: tabshell audit {path}
bin/      the 'tab' command and the recording 'bash' of this session
Nothing here belongs to the workspace. Delete the directory to forget the session.
"""


class Session:
    """One session. Use as a context manager."""

    def __init__(self, directory: Path | str, store: Store) -> None:
        self._where = os.fspath(directory)
        self.store = store
        self.recorder = Recorder(store, self._classifier)
        self._folder: Folder | None = None
        self._folded = 0
        self._foreign = 0
        self._ahead: Planned | None = None
        self._turns = False
        self._started: SessionStarted | None = None
        self._counted: CountedTerms | None = None
        #: Whether one thing is asked and that is all: then of the store only what that needs is read.
        self.once = False
        #: The process in whose name this one works: itself, or who asked the clerk.
        self.caller = os.getpid()
        #: The turn in which the caller works, where it is known (``join_running``).
        self.running_turn = 0

    # -- coming and going -----------------------------------------------------------------------------------

    @classmethod
    def create(
        cls,
        options: SessionOptions,
        environment: Mapping[str, str],
        *,
        foreign: bool = False,
        clock: Callable[[], float] = time.time,
        programs: Callable[[Path], None] | None = None,
    ) -> Session:
        """Makes a sidecar and starts the session in it. Raises SidecarInWorkspace, StoreUnwritable.

        ``foreign``: the workspace is that of a recording made elsewhere, so nothing here can lie in it.
        ``clock`` gives the time of each fact; ``programs`` writes the session's programs, where it must know more.
        """
        from tabshell.shim.launchers import write_launchers  # noqa: PLC0415 - only where a session is made
        from tabshell.store.locate import home, new_directory, refuse_overlap  # noqa: PLC0415

        sidecars = home(environment)
        workspace = options.workspace if foreign else options.real_workspace()
        if not foreign:
            refuse_overlap(sidecars, workspace)
        directory = new_directory(sidecars)
        store = Store.create(directory / DATABASE, clock=clock)
        session = cls(directory, store)
        started = SessionStarted(
            directory.name, options.name, workspace, options.real_out(), options.agent, options.bash, __version__,
            options.capture, options.review and options.capture, options.evidence_check and options.capture,
            options.finish_check, options.agent_session, options.model, options.variant,
        )  # fmt: skip
        store.append([started, *([TaskSet(options.task)] if options.task else [])])
        readme = os.open(directory / "README", os.O_CREAT | os.O_WRONLY, 0o600)
        os.write(readme, _README.format(path=directory).encode())
        os.close(readme)
        (programs or write_launchers)(directory)
        return session

    @classmethod
    def open(cls, directory: Path | str, *, readonly: bool = False, busy_s: float = BUSY_S) -> Session:
        """Opens an existing session; where it cannot be written it opens read-only (``writable`` tells)."""
        file = os.path.join(directory, DATABASE)
        if not readonly:
            try:
                return cls(directory, Store.open(file, busy_s=busy_s))
            except StoreUnwritable:
                pass
        return cls(directory, Store.open(file, readonly=True))

    def work_for(self, process: int) -> None:
        """What is done from now on is done in the name of ``process``, wherever that works."""
        self.caller, self.running_turn = process, 0

    def close(self) -> None:
        """Closes the store; the session itself goes on."""
        self.store.close()

    def leave(self) -> None:
        """The same for a process that ends right after it, without clearing up: see ``Store.leave``."""
        self.store.leave()

    def end(self, exit_code: int | None) -> None:
        """The session is over."""
        self.store.append([SessionEnded(exit_code)])

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- what it holds --------------------------------------------------------------------------------------

    @property
    def directory(self) -> Path:
        """The sidecar."""
        from pathlib import Path  # noqa: PLC0415 - 12 ms that a call of ``tab`` need not pay

        return Path(self._where)

    @property
    def writable(self) -> bool:
        """Whether facts can be added."""
        return not self.store.readonly

    @property
    def started(self) -> SessionStarted:
        """How the session began."""
        if self._started is None:
            event = next(iter(self.store.events(SessionStarted)), None)
            if event is None or not isinstance(event.fact, SessionStarted):
                msg = f"{self.store.path} holds no session"
                raise StoreUnwritable(msg)
            self._started = event.fact
        return self._started

    def catch_up(self) -> None:
        """Takes in what shims left in the inbox, and classifies what ended and was only stored raw."""
        self.take_in()
        if self.writable and self.started.capture:
            self.recorder.classify_pending()

    def _catch_up_before_hook(self) -> None:
        """The same for a status line in the shim's output, where an agent's hook comes right after it."""
        self.take_in()
        if self.writable and self.started.capture:
            self.recorder.classify_pending(before_hook=os.path.exists(self._inside(HOOKED)))

    def take_in(self) -> None:
        """Stores the finished runs that the session's shims left in its inbox."""
        if _holds_files(self._inside(INBOX)):
            from tabshell.session.inbox import take_in  # noqa: PLC0415 - only where a shim was at work

            take_in(self)

    def tab(self, *, turns: bool = False, files: bool = True, catch_up: bool = True) -> Tab:
        """The tab as it stands; with its ``turns`` where the history matters (audit, export, explain). Without
        ``files`` those that were listed, opened and made may be missing."""
        if turns or not self.once:
            return self._fold(turns=turns, catch_up=catch_up).tab()
        from tabshell.session.once import tab_once  # noqa: PLC0415 - not needed to record

        if catch_up:
            self.catch_up()
        return tab_once(self.store, files=files)

    def standing(self) -> Standing:
        """What the status line tells, of what is classified."""
        if not self.once:
            return self._fold(catch_up=False).standing()
        from tabshell.session.once import standing_once  # noqa: PLC0415 - not needed to record

        return standing_once(self.store)

    def _fold(self, *, turns: bool = False, catch_up: bool = True) -> Folder:
        from tabshell.tab.fold import Folder  # noqa: PLC0415 - not needed to record

        if catch_up:
            self.catch_up()
        if self._folder is None or (turns and not self._turns):
            self._folder, self._folded, self._foreign, self._turns = Folder(turns=turns), 0, 0, turns
        foreign = self.store.foreign()
        if foreign != self._foreign or self._folded < self.store.last_seq:
            kinds = _FOLDED if self._turns else _FOLDED_BRIEFLY
            for event in self.store.events(*kinds, after=self._folded):
                self._folder.apply(event)
                self._folded = event.seq
            self._folded, self._foreign = max(self._folded, self.store.last_seq), foreign
        if self._ahead is not None and self._folded <= self._ahead.after:
            self._folded = self._ahead.after
            self._fold_next(self._ahead.numbered, self._ahead.after)
        return self._folder

    def append(self, *facts: Fact) -> list[Fact]:
        """Adds facts; gives them back numbered. Raises StoreUnwritable."""
        given = self.store.append(facts)
        self._fold_next(given, self.store.last_seq - len(given))
        return given

    def plan(self, *facts: Fact) -> Planned:
        """Numbers facts that are to be stored in a moment (``carry_out``); until then the fold holds them already."""
        self._ahead = self.store.plan(facts)
        return self._ahead

    def carry_out(self, planned: Planned) -> list[Fact]:
        """Stores what was planned; gives it back as it was numbered. Raises StoreUnwritable."""
        given: list[Fact] = []
        self._ahead = None
        try:
            given = self.store.carry_out(planned)
        finally:
            if given is not planned.numbered:  # the fold may hold what is not so
                self._folder = None
        self._fold_next(given, planned.after)
        return given

    def _fold_next(self, facts: Sequence[Fact], after: int) -> None:
        """Folds facts that were just stored behind event ``after``, if nothing lies between: no need to read them."""
        if self._folder is not None and self._folded == after:
            for seq, fact in enumerate(facts, after + 1):
                self._folder.apply(Event(seq, self.store.last_at, fact))
            self._folded = after + len(facts)

    def current_turn(self) -> int:
        """The turn that runs, else the one to come: to it belongs what ``tab`` does now."""
        if not self.running_turn and _holds_files(self._inside(INBOX)):
            from tabshell.session.inbox import number_running  # noqa: PLC0415 - only where a shim was at work

            number_running(self)
        if self.running_turn:
            return self.running_turn
        last = self.store.last_number(TurnStarted)
        if last and self.store.numbered(TurnEnded, last) is None:
            return last
        return last + 1

    def entry_text(self, entry: Entry) -> str:
        """The excerpt of an entry, as it was shown."""
        from tabshell.session.excerpts import text_of  # noqa: PLC0415 - the review reads many, most commands none

        logged = entry.logged
        return text_of(
            logged,
            [self.store.output(logged.stream, span.start, span.end) for span in logged.spans],
            lambda: self._columns(logged.turn),
        )

    def _columns(self, turn: int) -> int:
        started = self.store.numbered(TurnStarted, turn)
        return started.fact.columns if started and isinstance(started.fact, TurnStarted) else 0

    def entry_terms(self, entry: Entry) -> TermCounts:
        """The terms of an entry's excerpt (or of the part of it that its spans name), counted once."""
        if self._counted is None:
            from tabshell.session.counted import CountedTerms  # noqa: PLC0415 - only where entries are ranked

            self._counted = CountedTerms(self.store, self.entry_text)
        return self._counted.of(entry)

    def keep_terms(self) -> None:
        """Keeps the terms that were counted, so that the next process need not count them."""
        if self._counted is not None:
            self._counted.keep()

    def output(self, turn: int) -> bytes:
        """The stored output of a turn, empty while it runs."""
        event = self.store.numbered(TurnEnded, turn)
        if event is None or not isinstance(event.fact, TurnEnded):
            return b""
        return self.store.output(event.fact.stream, event.fact.start, event.fact.end)

    # -- what it says ---------------------------------------------------------------------------------------

    def status_line(self, *, catch_up: bool = True) -> str:
        """The status line (S12), without a line break."""
        from tabshell.tab.statusline import status_line  # noqa: PLC0415

        if catch_up:
            self._catch_up_before_hook()
        return status_line(self.standing())

    def finish_check(self, stop: StopKind) -> str | None:
        """The finish check at a stop (S17), recorded as given; None if it was given before, is switched off, or
        nothing was recorded at all (the stop itself is a turn that runs, and does not count)."""
        from tabshell.tab.finish import finish_state, finish_text  # noqa: PLC0415

        tab = self.tab()
        if not (tab.requirements or tab.notes or self._has_turns()):
            return None
        if tab.check is not None or not tab.session.finish_check:
            return None
        if self.writable:
            state, still_open = finish_state(tab)
            self.append(FinishChecked(self._turn_of(stop), stop, state, still_open))
        return finish_text(tab, stop)

    def _turn_of(self, stop: StopKind) -> int:
        """The turn to which a stop belongs. An agent's stop is no turn of its own: it comes after the last one, so
        that what the agent does next comes after it."""
        turn = self.current_turn()
        return min(turn, self.store.last_number(TurnStarted)) if stop in ("hook", "end") else turn

    def _has_turns(self) -> bool:
        """Whether anything was done; a bare ``exit`` is not."""
        from tabshell.shell.typed import is_bare_exit  # noqa: PLC0415 - only at a stop

        begun = (event.fact for event in self.store.events(TurnStarted))
        return any(isinstance(fact, TurnStarted) and not is_bare_exit(fact.command) for fact in begun)

    def synchronise(self) -> bool:
        """Asks a live door to record what was shown so far; False if it did not answer in time."""
        if _holds_files(self._inside(INBOX)):
            from tabshell.session.inbox import join_running  # noqa: PLC0415

            if not join_running(self):
                return False
        door = self._inside("door.sock")
        if not os.path.exists(door):
            return True
        import _socket  # noqa: PLC0415 - ``socket`` itself takes 5 ms of a call of ``tab``

        asking = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            asking.settimeout(SYNC_S)
            asking.connect(door)
            asking.sendall(b"sync\n")
            return asking.recv(16) == b"ok\n"
        except ConnectionRefusedError:
            return True  # the door is gone, its record is complete
        except OSError:
            return False
        finally:
            asking.close()

    def _inside(self, name: str) -> str:
        return os.path.join(self._where, name)

    def _classifier(self) -> Classifier:
        from tabshell.access.classify import Classifier  # noqa: PLC0415 - tree-sitter comes with it
        from tabshell.access.disk.disk import Disk  # noqa: PLC0415

        started = self.started
        return Classifier(started.workspace, started.out, Disk(), os.environ.get("HOME"))


def _holds_files(directory: str) -> bool:
    """Whether there is anything in ``directory`` beside its lock: looked at by every ``tab`` call, so nothing is
    imported for it."""
    try:
        with os.scandir(directory) as entries:
            return any(not entry.name.startswith(".") for entry in entries)
    except OSError:
        return False
