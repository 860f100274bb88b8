"""The pty door: an interactive bash on a terminal of its own, everything passed through, everything told.

::

    bash = find_bash(None, os.environ)                       # ShellUnavailable: none, or older than 4.4
    end = run(bash, env, listener, DoorOptions(...))         # ShellExit(status, signal)

``run`` needs a terminal on stdin and stdout (``is_interactive``); commands from a pipe are the shim's. It gives
the user's terminal back on every way out. One thread, one ``poll`` loop, nothing is waited for but keys and
output.

A ``tab`` asks through the unix socket ``DoorOptions.socket``: connect, send ``sync`` and a newline, read ``ok`` and a
newline. The door prints a mark of its own behind everything that is on the way, reads up to it, calls
``synchronise`` and answers; where the terminal takes no mark (Ctrl-S) it answers after what it could read.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from functools import partial

from tabshell.errors import TabshellError
from tabshell.model.light import dataclass
from tabshell.shell.bash import Bash, SideFiles, hook_text, user_rc, with_rc
from tabshell.shell.firstline import LOOK, FirstLine, Preparation
from tabshell.shell.foretold import Foretelling
from tabshell.shell.listener import Listener
from tabshell.shell.loop import Loop, ShellExit
from tabshell.shell.marks import Mark, MarkScanner, encode
from tabshell.shell.ownline import own_line
from tabshell.shell.report import Report
from tabshell.shell.segment import CommandEnd, CommandEvent, CommandStart, Segmenter
from tabshell.shell.synchronise import SyncSocket
from tabshell.shell.terminal import ShellTerminal, UserTerminal
from tabshell.shell.typed import encoded, is_bare_exit

__all__ = ["Bash", "CommandEnd", "CommandStart", "DoorOptions", "Listener", "ShellExit", "is_interactive", "run"]

EOF_KEY = b"\x04"

#: Seconds that a command runs before its start has to be stored; ``tab`` itself takes longer to come up.
BRIEF = 0.005

#: Seconds of silence at the prompt.
REST = 0.25


@dataclass(frozen=True, slots=True)
class DoorOptions:
    """How a shell is started.

    ``path_directory`` is put in front of PATH, again after the user's rc file (it holds ``tab``). ``hold`` arms
    the finish check at ``exit`` and Ctrl-D. ``greeting`` is one line shown first (empty: none). ``side_files`` is
    where the private directory of the marks is made (None: in memory).
    ``preparation`` is what the first line waits for.
    ``rc`` is the rc file that is read first (None: the user's own; empty: none). ``broken`` is told, at the end, why
    the recording broke off, if it did.
    """

    cwd: str | None = None
    path_directory: str | None = None
    hold: bool = False
    socket: str | None = None
    greeting: bytes = b""
    side_files: str | None = None
    read_fd: int = 0
    write_fd: int = 1
    arguments: tuple[str, ...] = ()
    rc: str | None = None
    preparation: Preparation | None = None
    broken: Callable[[str], object] | None = None


def is_interactive(*fds: int) -> bool:
    """Whether bash started on these descriptors (0, 1 and 2 unless given) would be for a person's terminal."""
    return all(os.isatty(fd) for fd in fds or (0, 1, 2))


def run(bash: Bash, env: Mapping[str, str], listener: Listener, options: DoorOptions) -> ShellExit:
    """Runs ``bash`` until it ends. ``env`` is its whole environment."""
    user = UserTerminal(options.read_fd, options.write_fd)
    try:
        with SideFiles(options.side_files) as side, SyncSocket(options.socket) as socket:
            theirs = user_rc(env) if options.rc is None else options.rc
            rc = side.write_rc(bash, options.path_directory, theirs, env)
            argv = [bash.name, "--rcfile", rc, *options.arguments]
            if options.hold:
                side.hold()
            first = FirstLine(side, options.preparation)
            # The loop catches signals before the shell exists, so that none of its child's is missed.
            loop = Loop(user, socket, side)
            with loop:
                shell = ShellTerminal.start(
                    bash.path, argv, with_rc(env, rc), cwd=options.cwd, attributes=user.attributes, size=user.size
                )
                first.begin()
                try:
                    user.raw()
                    door = Door(shell, user, side, socket, loop, listener, first, options)
                    end = loop.run(shell, door)
                    if door.fault is not None and options.broken is not None:
                        options.broken(door.fault)
                    return end
                finally:
                    shell.close()
    finally:
        user.close()


class Door:
    """What is done with what comes in; ``loop`` says when."""

    def __init__(
        self,
        shell: ShellTerminal,
        user: UserTerminal,
        side: SideFiles,
        socket: SyncSocket,
        loop: Loop,
        listener: Listener,
        first: FirstLine,
        options: DoorOptions,
    ) -> None:
        self._shell = shell
        self._user = user
        self._side = side
        self._socket = socket
        self._loop = loop
        self._listener = listener
        self._first = first
        self._hold = options.hold
        self._scanner = MarkScanner()
        self._segmenter = Segmenter(user.size.columns)
        self._foretelling = Foretelling()
        #: Whether the terminal echoed keys before the shell began to read this line.
        self._echoes = False
        self.due = None
        self._recent = b""
        #: What `set -v` shows of our element of PROMPT_COMMAND, right before it runs; kept back until it has.
        self._hook_echo = hook_text() + b"\r\n"
        self._echo = b""
        #: What ended the recording, if anything did.
        self.fault: str | None = None
        self._fault_shown = False
        if options.greeting:
            self._safely(lambda: self._show(own_line(options.greeting, b""), time.time()))

    #: When the listener is to settle (monotonic clock), or None.
    due: float | None

    @property
    def undecided(self) -> bool:
        """Whether bytes are kept back that may be the beginning of a mark."""
        return bool(self._scanner.kept or self._echo)

    def _safely(self, act: Callable[[], object]) -> None:
        """A fault of ours ends the recording and nothing else (S8)."""
        if self.fault is not None:
            return
        try:
            act()
        except Exception as error:  # noqa: BLE001 - see above
            self.fault = f"{type(error).__name__}: {error} ({_place(error)})"
            if isinstance(error, TabshellError):
                self.fault = str(error)
            self._loop.display(self._echo)
            self._echo = b""
            self._first.let_go()

    @property
    def stands_still(self) -> bool:
        """Whether keys and signals have to wait for the first line to run."""
        return self._first.stands_still

    def decide(self) -> None:
        """The terminal has paused: what was kept back is no mark, and no hook's echo."""
        kept = self._scanner.flush()
        if self.fault is not None:
            self._loop.display(kept)
        elif kept or self._echo:
            self._safely(lambda: self._show(kept, time.time()))

    def printed(self, data: bytes) -> None:
        """The shell's terminal printed these bytes."""
        at = time.time()
        for piece in self._scanner.feed(data):
            if self.fault is None:
                self._safely(partial(self._piece, piece, at))
            elif isinstance(piece, bytes):
                self._loop.display(piece)

    def flows(self, data: bytes) -> bool:
        """Whether these printed bytes can be shown as they are: no mark can begin in them, nothing is kept back."""
        return b"\x1b" not in data and not self.undecided and not data.endswith(self._hook_echo)

    def flowed(self, pieces: list[bytes]) -> None:
        """These bytes were printed, and shown."""
        self._safely(lambda: self._shown(b"".join(pieces), time.time()))

    def _piece(self, piece: bytes | Mark, at: float) -> None:
        if not isinstance(piece, bytes):
            self._mark(piece, at)
        elif piece.endswith(self._hook_echo):
            self._show(piece.removesuffix(self._hook_echo), at)
            self._echo = self._hook_echo
        else:
            self._show(piece, at)

    def typed(self, data: bytes) -> bytes:
        """These keys came in; gives those that the shell is to have."""
        passed = [data]
        self._safely(lambda: passed.append(self._heard(data)))
        self._say_fault()
        return passed[-1]

    def _heard(self, data: bytes) -> bytes:
        if b"\r" in data and self._segmenter.at_prompt and not self._side.whole():
            self._side.leave_open()
            raise TabshellError("the private files of this shell's hooks were removed")
        fresh = self._segmenter.needs_prompt_end and self._shell.reads_line()
        if fresh and self._hold and data.startswith(EOF_KEY) and self._held_at_eof():
            data = data[1:]
        if not data:
            return data
        self._segmenter.typed(data, at_fresh_prompt=fresh and self._loop.quiet)
        if self._segmenter.running and b"\r" in data and self._shell.reads_line():
            self._segmenter.lost_sight()
        self._foretell()
        return data

    def _foretell(self) -> None:
        """Before these keys reach the shell: may it tell the start of the line without a process?"""
        line = self._segmenter.straight_line(echoed=False)
        foretells = self._echoes and self._first.look()
        number = self._foretelling.number_for(line, self._segmenter.last) if foretells else b""
        if number and not (self._shell.reads_line() and self._shell.shows_errors()):
            number = b""
        self._side.foretell(number)

    def resized(self) -> None:
        """The user's window has another size."""
        size = self._user.size
        self._segmenter.columns = size.columns
        self._shell.resize(size)
        self._safely(lambda: self._listener.resized(size.rows, size.columns))

    def caught_up(self, token: str) -> None:
        """The listener has all that was printed before this client asked."""
        self._safely(self._listener.synchronise)
        self._socket.answer(token)

    def ended(self, exit_code: int | None) -> None:
        """The shell is gone, all it printed was read."""
        self.decide()
        if self._first.waits:
            self._safely(lambda: self._first_goes(now=True))
        self._safely(lambda: self._tell(self._segmenter.ended(exit_code, time.time())))

    def _show(self, data: bytes, at: float) -> None:
        if self._echo:
            data, self._echo = self._echo + data, b""
        if not data:
            return
        self._loop.display(data)  # first of all: whatever else goes wrong, it was shown once
        self._shown(data, at)

    def _shown(self, data: bytes, at: float) -> None:
        self._segmenter.shown(data)
        self._recent = data[-512:] if len(data) >= 512 else (self._recent + data)[-512:]
        self._listener.output(data, at)
        if not self._segmenter.running:
            self.due = time.monotonic() + REST

    def settle(self) -> None:
        """It is due."""
        self.due = None
        self._safely(self._first_goes if self._first.waits else self._listener.settle)

    def let_go(self) -> None:
        """The shell is on its way from its gate to its prompt, of which nothing was read yet."""
        self._safely(self._settle_before_prompt)

    def _settle_before_prompt(self) -> None:
        line = self._listener.settle()
        if line:
            self._show(own_line(line, self._recent), time.time())
            self._segmenter.prompt_begins()

    def _mark(self, mark: Mark, at: float) -> None:
        if mark.kind == "Y" and self._socket.reached(mark.token):
            self.caught_up(mark.token)
            return
        report = None
        if mark.kind == "S":
            report = self._side.take_start(mark.token)
        elif mark.kind == "Q":
            report = self._foretelling.report(mark.token, self._segmenter.last)
        if report is None:
            self._show(encode(mark), at)
        elif (report.first or report.waits) and not self._first.look():
            self._first.keep(report, mark.token)
            self.due = time.monotonic() + LOOK
        else:
            self._started(report, mark.token, at)

    def _first_goes(self, *, now: bool = False) -> None:
        """The first line goes on if it is time (or ``now``); until then it has not begun."""
        start = self._first.due(now=now)
        if start is None:
            self.due = time.monotonic() + LOOK
        else:
            self._started(*start, time.time())
            self._first.let_go()

    def _started(self, report: Report, token: str, at: float) -> None:
        prompt = self._segmenter.last if self._segmenter.at_prompt else None
        typed = self._segmenter.straight_line(echoed=True)
        events = self._segmenter.started(report, at)
        start = events[-1]
        if isinstance(start, CommandStart):
            self._foretelling.told(typed, encoded(start.command), prompt, report)
        self._tell(events)
        self.due = time.monotonic() + BRIEF
        if report.waits:
            check = None
            if isinstance(start, CommandStart) and is_bare_exit(start.command):
                check = self._listener.stop_attempted("exit")
            if check is not None:
                # bash answers the interrupt with a line break of its own
                self._show(own_line(check, self._recent).removesuffix(b"\r\n"), at)
            self._side.answer(token, hold=check is not None)

    def prompted(self, report: Report) -> None:
        """The shell is about to show its prompt, and all it printed before was given to ``printed``."""
        self._safely(lambda: self._prompted(report))
        self._say_fault()

    def _say_fault(self) -> None:
        if self.fault is not None and not self._fault_shown:
            self._fault_shown = True
            self._loop.display(own_line(f"[tab] not recorded from here on: {self.fault}".encode(), self._recent))

    def _prompted(self, report: Report) -> None:
        if "v" in report.flags:
            self._echo = b""
        self.decide()
        if self._first.waits:
            self._first_goes(now=True)  # it was interrupted, or lost its patience
        self._first.look()
        self._echoes = self._shell.echoes()
        at = time.time()
        line = self._tell(self._segmenter.prompted(report, at))
        if line:
            self._show(own_line(line, self._recent), at)
        self._segmenter.prompt_begins()

    def _tell(self, events: tuple[CommandEvent, ...]) -> bytes:
        """Tells the listener; gives the status line to show, if any."""
        line = b""
        for event in events:
            if isinstance(event, CommandStart):
                self._listener.command_started(event)
            else:
                answer = self._listener.command_finished(event)
                line = answer if event.unobserved is None else b""
        return line

    def _held_at_eof(self) -> bool:
        """Whether Ctrl-D on an empty line was answered with the finish check."""
        last = self._segmenter.last
        if not self._segmenter.untouched or last is None or last.eof_ignored:
            return False
        check = self._listener.stop_attempted("ctrl-d")
        if check is None:
            return False
        prompt = self._segmenter.prompt
        at = time.time()
        self._show(own_line(check, b"x") + prompt, at)
        self._segmenter.prompt_repeated(prompt)
        return True


def _place(error: Exception) -> str:
    """Where an error was raised; without ``traceback``, which takes as long to load as all of this room."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return "" if at is None else f"{at.tb_frame.f_code.co_name}, line {at.tb_lineno}"
